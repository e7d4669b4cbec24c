"""Proofs on the tables of three other searches: STReeD, Branches and BRCG.

    RULEBOOK_DATA=... python -m tools.studies.yardsticks FOLDER [--quick]

STReeD (van der Linden, de Weerdt and Demirovic, NeurIPS 2023): FOLDER/streed has its binarised tables, the
label first.  A rule and a test cost .01 each, ten CPU seconds.  `tree` is what scikit-learn's tree of as many
leaves as the best of depth 4 has (trees.csv; 8 where it is not known) costs at these prices, read as a list.
Branches (Chaouki, Read and Bifet, 2024): FOLDER/branches has its encodings, the label last, and
experiments.csv what it found.  A rule costs what a split does there and tests nothing, so the best list costs
at most what the best tree does.  Sixty CPU seconds. BRCG (Dash, Gunluk and Wei, NeurIPS 2018): rule sets at
the default prices on its tables, as far as the folder holds them, sixty CPU seconds; `musk` is the smaller
table of outlier studies, and of `heart` the five grades are none against any.
"""
import sys
import time
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from rulebook import CORELSClassifier, RuleSetClassifier, load_dataset

from .runner import panel

COLUMNS = ['table', 'of', 'rows', 'columns', 'status', 'objective', 'lower_bound', 'gap_in_rules', 'rules',
           'tests', 'cpu', 'theirs', 'tree']
PRICE = .01
OF_BRCG = {'banknote': 'turs-backnote', 'heart': 'turs-heartcleveland', 'ionosphere': 'turs-ionosphere',
           'liver': 'bupa', 'pima': 'pima', 'tic-tac-toe': 'turs-tic-tac-toe', 'wdbc': 'wdbc',
           'adult': 'adult', 'bank': 'bank', 'musk': 'turs-musk', 'magic': 'magic', 'fico': 'fico'}

def table_of_brcg(name):
    """A table and its labels, of two classes; rows in a random order."""
    X, y = load_dataset(f'folder:{OF_BRCG[name]}')
    if name == 'heart': y = (y > 0).rename('disease')
    rows = np.random.default_rng(0).permutation(len(y))
    return X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)

def tree_cost(X, y, leaves):
    "What a tree costs as a list: its leaves as rules, the one with the longest path as the default."
    fitted = DecisionTreeClassifier(max_leaf_nodes=max(leaves, 2), random_state=0).fit(X, y)
    shape, paths, waiting = fitted.tree_, [], [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        if shape.children_left[node] < 0: paths.append(depth)
        else: waiting += [(shape.children_left[node], depth + 1), (shape.children_right[node], depth + 1)]
    rules = sorted(paths)[:-1]
    return 1 - fitted.score(X, y) + PRICE * (len(rules) + sum(rules))

def list_of(seconds, price=PRICE, per_test=PRICE):
    "A rule list at given prices, over all literals."
    return CORELSClassifier(price, literal_penalty=per_test, vocabulary={'significance': None},
                            time_limit=seconds, options={'node_limit': None})

def line(X, y, model):
    """A fit whose seconds are those of the CPU."""
    with mock.patch('time.perf_counter', time.process_time):
        began = time.process_time()
        model.fit(X, y)
        cpu = time.process_time() - began
    proof, tests = model.certificate_, sum(len(rule.literals) for rule in model.model_.rules)
    price = model.regularization_ + model.literal_penalty_
    return {'rows': len(y), 'columns': X.shape[1], 'status': proof.status, 'objective': proof.objective,
            'lower_bound': proof.lower_bound, 'gap_in_rules': (proof.objective - proof.lower_bound) / price,
            'rules': len(model.model_.rules), 'tests': tests, 'cpu': round(cpu, 2)}

def read(path, label):
    """A table of words and numbers with columns named x0, x1, ..., and the labels of a column."""
    table = pd.read_csv(path, sep=' ', header=None).dropna(axis=1, how='all').astype(int)
    labels = table.iloc[:, label]
    X = table.drop(columns=table.columns[label])
    return X.set_axis([f'x{i}' for i in range(X.shape[1])], axis=1), labels

def streed(known, train, _):
    """A table of STReeD."""
    tree = tree_cost(*train, 8 if known is None else int(known.tree_leaves))
    return {**line(*train, list_of(10)), 'theirs': '' if known is None else known.tree_objective,
            'tree': tree}

def branches(theirs, train, _):
    """An encoding of Branches; what it minimises is one less than `theirs`."""
    X, y = train
    # codes of levels
    X = X.assign(**{column: X[column].astype(str) for column in X if X[column].nunique() > 2})
    price = PRICE if theirs is None else round((theirs.Accuracy - theirs.Objective) / theirs.Splits, 6)
    return {**line(X, y, list_of(60, price, 0.)), 'theirs': '' if theirs is None else 1 - theirs.Objective}

def brcg(_, train, __):
    """A table of BRCG."""
    return line(*train, RuleSetClassifier(time_limit=60, options={'node_limit': None}))

def main(folder, *words):
    """Measure all that is not in the table."""
    trees = dict(pd.read_csv(folder / 'streed' / 'trees.csv').set_index('table').iterrows())
    found = dict(pd.read_csv(folder / 'branches' / 'experiments.csv', index_col=0).iterrows())
    files = {of: {path.name.split('.')[0]: path for path in sorted((folder / of).glob('*.gz'))}
             for of in ('streed', 'branches')}
    parts = {'brcg': (brcg, {}, {name: partial(table_of_brcg, name) for name in OF_BRCG}),
             'streed': (streed, trees,
                        {name: partial(read, path, 0) for name, path in files['streed'].items()}),
             'branches': (branches, found,
                          {name: partial(read, path, -1) for name, path in files['branches'].items()})}
    for of, (work, known, tables) in parts.items():
        for name, table in tables.items():
            panel({of: partial(work, known.get(name))}, {name: table}, None, COLUMNS, name='yardsticks',
                  keys=COLUMNS[:2], only=words)
            if words: break


if __name__ == '__main__': main(Path(sys.argv[1]), *sys.argv[2:])
