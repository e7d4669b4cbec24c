"""Let nbval read notebooks that nbdev has cleaned, and let these find the tools of the project.

nbdev_clean empties every execution count, which nbval takes for "never run" and then refuses
or skips the comparison of outputs; so each cell gets its place as its count.  nbval knows no
nbdev directives either: cells marked `#| eval: false`, `#| notest` or `#| slow` are skipped here.
"""
import os
import re
from pathlib import Path

# some pages import `tools`, which is not installed: kernels inherit this
ROOT = str(Path(__file__).resolve().parent.parent)
os.environ['PYTHONPATH'] = os.pathsep.join(filter(None, [ROOT, os.environ.get('PYTHONPATH')]))

SLOW = '' if os.environ.get('RULEBOOK_LONG') else '|slow'  # `make test-long` runs slow cells too
SKIPPED = re.compile(rf'^\s*#\s*\|\s*(eval:\s*false|notest{SLOW})\s*$', re.MULTILINE | re.IGNORECASE)


def pytest_itemcollected(item):
    """Give a collected cell its count, and skip it if its directive says so."""
    cell = getattr(item, 'cell', None)
    if cell is None or not hasattr(item, 'cell_num'):
        return
    if cell.get('execution_count') is None:
        cell['execution_count'] = item.cell_num + 1
    item.output_timeout = 300  # seconds that nbval waits for a message after a cell, not 5
    if SKIPPED.search(cell.source):
        item.options['skip'] = True
