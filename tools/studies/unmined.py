"""Long runs behind nbs/corels/4_conjunctions.ipynb: RULEBOOK_DATA=... python tools/studies/unmined.py trials|table [DATA ...]

`trials` compares random tiny instances with all lists over all conjunctions; `table` measures CPU seconds of the proof (best of three, or
of one if it takes long; one warm process, one thread, after reading), and checks the prices behind bounds against every conjunction.
The functions are those of the page: its cells are read and run.
"""
import os
os.environ['OPENBLAS_NUM_THREADS'] = '1'
import ast
import json
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from rulebook import unmined
from rulebook.bits import BitMatrix
from rulebook.dataset import Dataset
from rulebook.io.datasets import load_dataset
from rulebook.columns import read_table
from rulebook.rules import Literal
from rulebook.corels.conjunctions import _OpenSearch, _result
from rulebook.vocabulary import Vocabulary, encode_literals

HERE = Path(__file__).resolve()
SECONDS = 20.  # of CPU, for one proof


def page(name):
    "A function of the page, with all others of it and its imports around it."
    cells = json.loads((HERE.parents[2] / 'nbs/corels/4_conjunctions.ipynb').read_text())['cells']
    sources = [''.join(cell['source']) for cell in cells if cell['cell_type'] == 'code']
    kinds, scope = (ast.Import, ast.ImportFrom, ast.FunctionDef), {**vars(unmined), '__name__': '__main__'}
    for source in sources:
        shown = not source.startswith('#| export')
        parts = [node for node in ast.parse(source).body if isinstance(node, kinds[:3 if shown else 2])]
        exec(compile(ast.Module(parts, []), '10b_unmined', 'exec'), scope)
    return scope[name]


def run_trials(n=2600):
    "Write a line for each instance."
    trial = page('trial')
    lines = []
    for seed in range(10_000, 10_000 + n):
        seen = trial(seed)
        if seen: lines.append((seed, seen[0], max(seen[1]), seen[2], seen[3], seen[4].enumerated))
    columns = ['seed', 'optimum', 'largest_bound', 'objective', 'proved', 'enumerated']
    pd.DataFrame(lines, columns=columns).to_csv(HERE.with_name('unmined-trials.csv'), index=False)


def binary(name, n, negations):
    "The first `n` 0/1 columns of a table as literals, with the negations of those that are listed."
    X, y = load_dataset(name)
    X = X.iloc[:, :n]
    flags, literals = X.to_numpy(bool).T, [(Literal(column, '=', 1),) for column in X]
    extra = [i for i, column in enumerate(X) if negations(column)]
    literals += [(Literal(X.columns[i], '=', 0),) for i in extra]
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    return Dataset.from_rows(literals, BitMatrix.from_bool(np.vstack([flags, ~flags[extra]])), codes, classes)


def table_of(name, **options):
    "A table under the literals of a vocabulary."
    X, y = load_dataset(name)
    literals, (classes, codes) = Vocabulary(**options).fit(X).literals_, np.unique(np.asarray(y), return_inverse=True)
    return Dataset.from_rows([(literal,) for literal in literals], encode_literals(literals, read_table(X)), codes, classes)


TABLE = {'COMPAS': (lambda: binary('corels-compas-antecedents', 19, lambda column: False), [.02, .01, .005, .0025, .0015, .001, .0005]),
         'COMPAS, negations': (lambda: binary('corels-compas-antecedents', 19, lambda column: column.split(':')[0] in ('age', 'priors')),
                               [.02, .01, .005, .0025]),
         'COMPAS binary': (lambda: binary('compas-binary', 12, lambda column: True), [.02, .01, .005, .0025, .001]),
         'tic-tac-toe': (lambda: table_of('tic-tac-toe'), [.02, .01, .005]),
         'votes': (lambda: table_of('votes'), [.01, .005]),
         'breast-w': (lambda: table_of('breast-w', n_cuts=3), [.01]),
         'heart': (lambda: table_of('heart', n_cuts=3), [.05, .03, .02]),
         'car': (lambda: table_of('turs-car'), [.01, .005])}


def groups(dataset):
    "Literals by column (before the colon), as lists of which a conjunction needs one at most; None where two may be needed."
    names = [antecedent[0].column for antecedent in dataset.antecedents]
    families = [name.split(':')[0] if antecedent[0].op == '=' else None for name, antecedent in zip(names, dataset.antecedents)]
    flags = dataset.bits.to_bool()
    found = [[j for j, other in enumerate(families) if other == family] for family in dict.fromkeys(families)]
    for members in found:
        if None in families or (flags[members].sum(axis=0) > 1).any(): return None
    return found


def measure(dataset, regularization):
    "One proof: CPU seconds, the search, its result."
    start, search = time.process_time(), _OpenSearch(dataset, regularization)
    while time.process_time() < start + SECONDS and not search.advance(1024): pass
    result = _result(search, 'finished' if search._finished else 'time')
    return time.process_time() - start, search, result


def run_table(names):
    "Measure, check and write; other lines of the table are kept."
    largest_share, path, lines = page('largest_share'), HERE.with_name('unmined-table.csv'), []
    for name in names:
        make, values = TABLE[name]
        dataset = make()
        measure(dataset, .2)  # compiles
        for value in values:
            seconds, search, result = measure(dataset, value)
            if seconds < 15: seconds = min([seconds, *(measure(dataset, value)[0] for _ in range(2))])
            sets = pairs_of(dataset) if name == 'COMPAS binary' else groups(dataset)
            checked, share, _ = largest_share(search, sets) if sets and name in CHECKED else (0, np.nan, 0)
            proof = result.certificate
            longest = max((len(result.dataset.antecedents[i]) for i, _ in result.items), default=0)
            lines.append((name, len(dataset.antecedents), dataset.n_distinct, value, round(proof.objective, 6), round(proof.lower_bound, 6),
                          proof.is_optimal, round(proof.gap / value, 3), len(result.items), longest, search.enumerated, round(seconds, 3),
                          checked, share))
            print(*lines[-1], flush=True)
    columns = ['data', 'literals', 'distinct_rows', 'regularization', 'objective', 'lower_bound', 'proved', 'gap_in_penalties', 'rules',
               'longest_rule', 'enumerated', 'cpu_seconds', 'conjunctions_checked', 'largest_share']
    new = pd.DataFrame(lines, columns=columns)
    if path.exists():
        old = pd.read_csv(path)
        new = pd.concat([old[~old.data.isin(names)], new])
    order = list(TABLE)
    new['at'] = new.data.map(order.index)
    new.sort_values(['at', 'regularization'], ascending=[True, False]).drop(columns='at').to_csv(path, index=False)


CHECKED = ('COMPAS', 'COMPAS binary', 'tic-tac-toe')


def pairs_of(dataset):
    "Each column's literal and its negation."
    half = len(dataset.antecedents) // 2
    return [[j, half + j] for j in range(half)]


if __name__ == '__main__':
    if sys.argv[1] == 'trials': run_trials()
    else: run_table(sys.argv[2:] or list(TABLE))
