"""Make stored tables by today's code: `python -m tools.make_studies [PAGE] [WORD ...]`, or `make studies`.

PAGE is a part of the path of a page.  Words choose tables by name and lines by values, such as `dataset=iai`.
Each page that calls `study` runs in a process of its own, up to its last call.  The lines are made there, in
as many processes as there are cores, and those that today's code has made are kept.
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tools.runner import ROOT, children_find_the_project

CALL = re.compile(r'^[^#\n]*\bstudy\(', re.MULTILINE)
SKIPPED = re.compile(r'^\s*#\s*\|\s*(eval:\s*false|notest|slow)\s*$', re.MULTILINE)  # as nbdev skips them

def cells(page):
    "The code of a page up to its last call of `study`."
    found = [''.join(cell['source']) for cell in json.loads(page.read_text(encoding='utf-8'))['cells']
             if cell['cell_type'] == 'code']
    calls = [i for i, source in enumerate(found) if CALL.search(source)]
    return [source for source in found[:calls[-1] + 1] if not SKIPPED.search(source)] if calls else []

def pages(part):
    "Pages with a stored table of their own; the page of `study` itself keeps its tables in a scratch folder."
    # the appendix last: how limits are kept is measured once the other pages have compiled the kernels
    found = sorted((ROOT / 'nbs').rglob('[!.]*.ipynb'), key=lambda page: ('appendix' in page.parts, page))
    for page in found:
        text = page.read_text(encoding='utf-8')
        uses = 'from rulebook.io.study import' in text and '#| default_exp io.study' not in text
        if uses and part in page.as_posix() and cells(page): yield page

def run(page):
    "Run the cells of a page in this process."
    from IPython.core.interactiveshell import InteractiveShell

    os.chdir(page.parent)  # where Jupyter starts too
    shell = InteractiveShell.instance()
    for source in cells(page): shell.run_cell(source).raise_error()

def main(words):
    "Make the tables of some pages; the exit status."
    part = words[0] if words and '=' not in words[0] else ''
    found = list(pages(part))
    if not found: print(f'no page with a stored table of its own has {part!r} in its path', file=sys.stderr)
    children_find_the_project()
    asked = ' '.join(words[bool(part):])
    # seconds are those of one thread, which libraries read when they are imported
    threads = dict.fromkeys(('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'), '1')
    settings = {'RULEBOOK_STUDIES': asked, 'MPLBACKEND': 'agg', **threads}
    os.environ.pop('PYTHONDONTWRITEBYTECODE', None)  # else all libraries are compiled in each process
    ended = []
    for page in found:
        print(page.relative_to(ROOT), flush=True)
        ended.append(subprocess.run([sys.executable, '-m', 'tools.make_studies', '--page', page], check=False,
                                    cwd=ROOT, env={**os.environ, **settings}).returncode)
    return int(not found or any(ended))


if __name__ == '__main__':
    if sys.argv[1:2] == ['--page']: run(Path(sys.argv[2]))
    else: sys.exit(main(sys.argv[1:]))
