"""Faults that are planted one by one, and whether the pages find them.

    python -m tools.faults [NAME ...]        all of them, or some

A fault changes one place of one page and of the module that it exports, in a copy of the tree.  Its own page
runs as `make test` runs it, with few draws; where nothing fails, as `make test-long` does.
"""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tools.runner import ROOT

class Fault(NamedTuple):
    "One place of a page, as it is and as it must not be."
    page: str   # under nbs/, without the ending
    right: str  # text of the exported cell, only there
    wrong: str  # in its place

FAULTS = {
    'bits: a last word that is not full is cut off': Fault(
        'ground/2_bits', 'padded = np.zeros((n_sets, -(-n_rows // 64) * 8), np.uint8)',
        'padded = np.zeros((n_sets, max(n_rows // 64, 1) * 8), np.uint8)'),
    "significance: one tail of Fisher's test": Fault(
        'table/2_canonical', 'total += beside * _tail(n, held, wanted, other, -outward)', 'total += 0.0'),
    'significance: tests are not counted': Fault(
        'table/2_canonical', 'min(1.0, n_different * np.exp(', 'min(1.0, np.exp('),
    'search: a bound for two rules more counts three': Fault(
        'corels/02_search', 'two = after + 2 * status.ahead', 'two = after + 3 * status.ahead'),
    'search: what a further rule gets right is one row too few': Fault(
        'corels/02_search', 'cap = right[last] - right[r]', 'cap = right[last] - right[r] - 1'),
    'search: states forget how many rules they have': Fault(
        'corels/02_search', 'child[n] = line[n] + np.uint64(status.counted)', 'child[n] = line[n]'),
    'prices: a rule may be exceeded by a grain': Fault(
        'corels/03_prices', '(listed.penalties // grain).astype(np.int64)',
        '(listed.penalties // grain + 1).astype(np.int64)'),
    'conjunctions: prices of the next literal are not hoped for': Fault(
        'corels/07_conjunctions', 'elif mine.later[at] >= after:', 'elif mine.later[at] > after:'),
    'conjunctions: a closed set is given up too early': Fault(
        'corels/07_conjunctions', 'if j < literal:', 'if j <= literal:'),
    'checker: prices may exceed the cost of a rule': Fault(
        'proof/3_checker', '_need(excess <= 0, place,', '_need(excess <= 2, place,'),
    'floors: a list takes all of the probability of error': Fault(
        'sets/3_floors', 'delta = (1 - estimator.confidence) / n_lists', 'delta = 1 - estimator.confidence'),
    'population: whole errors are rounded down': Fault(
        'fit/2_population', 'most = min(max(math.ceil(lower_bound * n_rows), 0), int(n_rows))',
        'most = min(max(math.floor(lower_bound * n_rows) - 1, 0), int(n_rows))'),
    'penalty: the best loss decides, not its standard error': Fault(
        'fit/3_penalty', "best['standard_error'] if one_standard_error else 0.0",
        "0.0 if one_standard_error else best['standard_error']"),
    'SSRL: weights of rows are mixed': Fault(
        'ssrl/2_search', 'if i + 1 == split or i + 1 == n_runs or runs[i + 1].times != runs[i].times:',
        'if i + 1 == split or i + 1 == n_runs:'),
    'ranking: rates are compared with the rule after the next': Fault(
        'ranking/1_estimator', 'for before, after in zip(filled, filled[1:])',
        'for before, after in zip(filled, filled[2:])'),
    'balls: rows at the border count as inside': Fault(
        'balls/2_search', 'own_before - near_penalty * other_before, other_before, c, 0.0, own, start',
        'own_before - near_penalty * other_within, other_before, c, 0.0, own, start'),
    'TURS: a cut on two sides is told in a bit too few': Fault(
        'turs/2_code_length', 'math.log2(span - 1) - 1 if two_sided', 'math.log2(span - 1) - 2 if two_sided'),
    'LIRE: a deleted rule costs twice its square': Fault(
        'ensembles/3_lire_search', '(2 * weights * residual + weights**2 * inertia)',
        '(2 * weights * residual + 2 * weights**2 * inertia)'),
    'programs: a missing cell is among no levels, so it is "not in"': Fault(
        'export/1_programs', "f'({there}{language.both}{language.no}({among}))' if op == 'not in'",
        "f'{language.no}({among})' if op == 'not in'"),
    'metrics: ties are in order': Fault(
        'show/2_metrics', 'np.cumsum(zeros) - zeros / 2', 'np.cumsum(zeros)'),
}

def module_of(page):
    "Path of the module that a page exports, under rulebook/."
    cells = json.loads((ROOT / 'nbs' / f'{page}.ipynb').read_text(encoding='utf-8'))['cells']
    [name] = [line.split()[-1] for cell in cells for line in cell['source']
              if line.startswith('#| default_exp')]
    return name.replace('.', '/') + '.py'

def places(fault, tree):
    "Path, text and text in its place: in a module, and in the page that exports it."
    yield tree / 'rulebook' / module_of(fault.page), fault.right, fault.wrong
    # as a string of JSON, without its quotes
    written = (json.dumps(text, ensure_ascii=False)[1:-1] for text in fault[1:])
    yield tree / 'nbs' / f'{fault.page}.ipynb', *written

def plant(fault, tree):
    "Change a copy of the tree; ValueError if the place is not there once."
    for path, right, wrong in places(fault, tree):
        text = path.read_text(encoding='utf-8')
        if text.count(right) != 1: raise ValueError(f'{path.name} has {text.count(right)} places {right!r}')
        path.write_text(text.replace(right, wrong), encoding='utf-8')

def can_plant(fault):
    "Whether the place of a fault is there once, in the page and in the module."
    return all(path.read_text(encoding='utf-8').count(right) == 1 for path, right, _ in places(fault, ROOT))

def fails(tree, page, many):
    "Whether a cell of a page fails, with few draws or with many."
    # saved outputs are those of few draws
    command = [sys.executable, '-m', 'pytest', '-q', '-x', '-p', 'no:cacheprovider',
               '--nbval-lax' if many else '--nbval', '--nbval-current-env', '--nbval-cell-timeout', '1800',
               '--nbval-sanitize-with', 'nbs/sanitize.cfg', f'nbs/{page}.ipynb']
    # a remark that other code made a stored table is no failure
    env = {**os.environ, 'PYTHONPATH': str(tree), 'PYTHONHASHSEED': '0', 'OMP_NUM_THREADS': '1',
           'RULEBOOK_REMARKS': os.devnull, **({'RULEBOOK_LONG': '1'} if many else {})}
    for name in ('MPLBACKEND', 'RULEBOOK_STUDIES'): env.pop(name, None)
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1): raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return done.returncode == 1

def found_by(fault):
    "Which run finds a planted fault: 'test', 'test-long' or 'none'."
    planted = FAULTS[fault]
    with TemporaryDirectory(prefix='rulebook-fault-', ignore_cleanup_errors=True) as folder:
        tree = Path(folder)
        for name in ('nbs', 'rulebook', 'tools', 'data'):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns('__pycache__', '.*'))
        for name in ('settings.ini', 'setup.py', 'README.md', '_quarto.yml'): shutil.copy(ROOT / name, tree)
        plant(planted, tree)
        runs = {'test': False, 'test-long': True}
        return next((name for name, many in runs.items() if fails(tree, planted.page, many)), 'none')

def main(names):
    "Plant faults, and print which run finds them."
    for name in names or FAULTS: print(f'{found_by(name):10}{name}', flush=True)


if __name__ == '__main__': main(sys.argv[1:])
