"""Marks: what became of each statement, algorithm, table and figure of the five papers, and where it stands.

A mark is a line of its own, behind the statement, table or figure that it is about:

    *SSRL, Table 4: differs by 4.7 points on iris* <a id="rep-ssrl-table-4"></a>

nbs/replication.ipynb lists all marks; tools/check.py site fails where one is wrong or missing.
"""
import re
from typing import NamedTuple

from tools.statements import HEAD, NBS, cells_of

PAPERS = {'CORELS': 'corels', 'SSRL': 'ssrl', 'DLM': 'balls', 'TURS': 'turs', 'LIRE': 'ensembles'}  # folders
VERDICTS = 'holds with a correction', 'holds', 'differs', 'not done'  # the longer first: one begins another
MARK = re.compile(rf"^\*(?P<paper>{'|'.join(PAPERS)}), (?P<item>[^:*\n]+): (?P<verdict>{'|'.join(VERDICTS)})"
                  r'\b(?P<words>[^\n]*)\* <a id="(?P<label>rep-[\w-]+)"></a>$', re.MULTILINE)
LABEL = re.compile(r'<a id="(rep-[^"]*)"')
LINK = re.compile(r'#rep-')

def numbered(kind, *numbers):
    "Names of items of a kind."
    return [f'{kind} {number}' for number in numbers]

# what the papers number; a mark may be about other parts of a paper too
ITEMS = {
    'CORELS': [*numbered('Theorem', 1, 4, 6, 7, 10, 11, 12, 15, 17, 18, 20, 21), *numbered('Lemma', 2),
               *numbered('Proposition', 3, 8, 9, 13, 14, 19, 22), *numbered('Corollary', 5, 16),
               *numbered('Algorithm', *range(1, 7)), *numbered('Table', *range(1, 9)),
               *numbered('Figure', *range(1, 26))],
    'SSRL': [*numbered('Lemma', 1, 3, 5, 6, 7, 8), *numbered('Theorem', 2, 4), *numbered('Corollary', 1),
             *numbered('Algorithm', *range(1, 5)), *numbered('Table', *range(1, 10)),
             *numbered('Figure', *range(1, 5))],
    'DLM': [*numbered('Theorem', 1, 2), *numbered('Figure', 1), *numbered('Table', 1)],
    'TURS': [*numbered('Proposition', 1, 2), *numbered('Algorithm', 3, 4),
             *numbered('Table', *(f'3.{i}' for i in range(1, 7))),
             *numbered('Figure', *(f'3.{i}' for i in range(1, 8)))],
    'LIRE': [*numbered('Problem', 1, 2), *numbered('Lemma', 1), *numbered('Theorem', 1),
             *numbered('Algorithm', 1), *numbered('Table', *range(1, 7)), *numbered('Figure', *range(1, 13))]}

class Mark(NamedTuple):
    "What became of an item of a paper."
    paper: str    # a key of PAPERS
    item: str     # as the paper calls it
    verdict: str  # one of VERDICTS
    words: str    # what follows the verdict: by how much, or why
    label: str    # anchor
    page: str     # relative to nbs/

def pages():
    "The notebooks of the book."
    return [path for path in sorted(NBS.rglob('*.ipynb')) if '.ipynb_checkpoints' not in path.parts]

def texts_of(path):
    "The texts of the Markdown cells of a notebook."
    return [''.join(cell['source']) for cell in cells_of(path)]

def marks():
    "All marks of the book, by page."
    return [Mark(*found.group('paper', 'item', 'verdict'), without_brackets(found['words'].strip(' ,:;')),
                 found['label'], path.relative_to(NBS).as_posix())
            for path in pages() for text in texts_of(path) for found in MARK.finditer(text)]

def without_brackets(words):
    "The words of a mark, which stand in brackets on some pages."
    whole = words.startswith('(') and words.endswith(')') and '(' not in words[1:]
    return words[1:-1] if whole else words

def label_of(paper, item):
    "The anchor of a mark."
    return 'rep-' + re.sub(r'[^a-z0-9]+', '-', f'{paper} {item}'.lower()).strip('-')

def problems():
    "Marks that cannot be read, that stand twice or have another anchor; items and figures without a mark."
    found = marks()
    labels = [mark.label for mark in found]
    for path in pages():
        page = path.relative_to(NBS).as_posix()
        whole = '\n'.join(texts_of(path))
        for label in sorted({*LABEL.findall(whole)} - {*labels}):
            yield f'{page}: the mark {label} is not written as tools/replication.py says'
        beside = any(mark.page == page and mark.item.startswith(('Table', 'Figure')) for mark in found)
        if path.parent.name in PAPERS.values() and HEAD.search(whole) and not (beside or LINK.search(whole)):
            yield (f'{page} has statements, and no figure or table of the paper: add one with its mark, '
                   'or a link to the mark of one')
    for mark in found:
        if labels.count(mark.label) > 1: yield f'{mark.page}: the mark {mark.label} stands twice'
        if mark.label != label_of(mark.paper, mark.item):
            yield f'{mark.page}: the anchor of {mark.paper}, {mark.item} is {label_of(mark.paper, mark.item)}'
        if mark.verdict in ('differs', 'not done') and not mark.words:
            yield f'{mark.page}: {mark.paper}, {mark.item}: say by how much, or why'
    for paper, items in ITEMS.items():
        for item in items:
            if label_of(paper, item) not in labels: yield f'no page has the mark of {paper}, {item}'
