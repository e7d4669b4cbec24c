"""Quarto looks here for the filter of the pages (`ipynb-filters` in _quarto.yml): tools/doc_filter.py.

It asks for a page several times, each time in a new process: what was made of it is kept (tools/kept.py).
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.kept import filtered  # noqa: E402

if __name__ == '__main__':
    sys.stdout.write(filtered(sys.stdin.read(), Path.cwd().resolve()))
