"""Which pages changed since they last passed, and how long each of them took.

A page counts as changed if its cells are others, or a module of the package that it exports or imports,
or one that such a module imports.  `tested.json` in the environment has the state of each page when it last
passed.
"""
import hashlib
import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

from rulebook.io.study import _with_imports

ROOT = Path(__file__).resolve().parent.parent
PASSED = Path(sys.prefix, 'tested.json')
# `import rulebook.ground.core`, `from rulebook import X`, `from rulebook.ground.core import X`, in any cell
IMPORT = re.compile(r'^\s*(?:from|import) (rulebook[\w.]*)(?: import ([\w, ()]+))?', re.MULTILINE)
EXPORTED = re.compile(r'^#\| default_exp (\S+)', re.MULTILINE)

def state_of(page):
    "A hash of a page without its outputs, and of the modules that it exports and imports."
    cells = json.loads(page.read_text(encoding='utf-8'))['cells']
    texts = [''.join(cell['source']) for cell in cells]
    saved = json.dumps([cell.get('outputs') for cell in cells])  # the run compares them
    files = _with_imports(modules_of('\n'.join(texts)))
    parts = [*texts, saved, *(path.read_text(encoding='utf-8') for _, path in sorted(files.items()))]
    return hashlib.sha256('\0'.join(parts).encode()).hexdigest()

def modules_of(text):
    "Modules of the package that the cells of a page name; what the front gives comes from its own module."
    import rulebook

    found = {f'rulebook.{name}' for name in EXPORTED.findall(text)}
    for module, names in IMPORT.findall(text):
        given = [getattr(rulebook, name, None) for name in re.findall(r'\w+', names)] * (module == 'rulebook')
        found |= {module, *(f'{module}.{name}' for name in re.findall(r'\w+', names))}
        found |= {value.__module__ for value in given if hasattr(value, '__module__')}
    return sorted(found)

def passed_before():
    "State of each page when it last passed."
    return json.loads(PASSED.read_text(encoding='utf-8')) if PASSED.exists() else {}

def changed(pages):
    "Those pages that are not as they were when they last passed."
    known = passed_before()
    return [page for page in pages if known.get(name_of(page)) != state_of(page)]

def name_of(page):
    "A page as the table and the stored states name it."
    return page.relative_to(ROOT).as_posix()

def results_of(report, pages):
    "Seconds of each page that ran, and the pages with a cell that failed, from pytest's report for JUnit."
    names = {name_of(page).replace('/', '.'): name_of(page) for page in pages}  # as JUnit names modules
    seconds, failed = defaultdict(float), set()
    for case in ET.parse(report).getroot().iter('testcase'):
        page = names[case.get('classname')]
        seconds[page] += float(case.get('time'))
        if case.find('failure') is not None or case.find('error') is not None: failed.add(page)
    return dict(seconds), failed

def record(states, seconds, failed):
    "Keep the states of the pages that ran and passed."
    known = passed_before()
    for page, state in states.items():
        known.pop(name_of(page), None)
        if name_of(page) in seconds and name_of(page) not in failed: known[name_of(page)] = state
    PASSED.write_text(json.dumps(known, indent=0, sort_keys=True), encoding='utf-8')

def cpu_seconds(path):
    "CPU seconds of each page, as the kernels of tools/kernels.py note them; none on other systems."
    seconds = defaultdict(float)
    for line in path.read_text(encoding='utf-8').splitlines() if path.exists() else ():
        page, number = line.split('\t')
        seconds[page] += float(number)
    return seconds

def table_of(seconds, of_cpu):
    "Pages against seconds, the slowest first."
    slowest = sorted(seconds, key=lambda page: (-of_cpu.get(page, 0), -seconds[page]))
    lines = [f'{seconds[page]:8.1f}{of_cpu.get(page, math.nan):8.1f}  {page}' for page in slowest]
    whole = f'{sum(seconds.values()):8.1f}{sum(of_cpu.values()):8.1f}  all {len(seconds)} pages'
    return '\n'.join(['       s   CPU s', whole, *lines])
