"""Quarto looks here for the filter of the pages (`ipynb-filters` in _quarto.yml): tools/doc_filter.py."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.doc_filter import convert  # noqa: E402

if __name__ == '__main__':
    sys.stdout.write(convert(sys.stdin.read()))
