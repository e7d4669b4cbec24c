"""Proofs on the tables of three other searches: STReeD, Branches and BRCG.

    RULEBOOK_DATA=... python -m tools.studies.yardsticks FOLDER

STReeD (van der Linden, de Weerdt and Demirovic, NeurIPS 2023): FOLDER/streed has its binarised tables, the label first.  A
rule and a test cost .01 each, ten CPU seconds.  `tree` is what scikit-learn's tree of as many leaves as the best of depth 4
has (trees.csv; 8 where it is not known) costs at these prices, read as a list.
Branches (Chaouki, Read and Bifet, 2024): FOLDER/branches has its encodings, the label last, and experiments.csv what it found.  A rule
costs what a split does there and tests nothing, so the best list costs at most what the best tree does.  Sixty CPU seconds.
BRCG (Dash, Gunluk and Wei, NeurIPS 2018): rule sets at the default prices on its tables, sixty CPU seconds.
"""
import sys
import time
import warnings
from itertools import chain
from pathlib import Path
from unittest import mock

import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from rulebook import CORELSClassifier, RuleSetClassifier

from . import rule_sets
from .runner import Table

COLUMNS = ['table', 'of', 'rows', 'columns', 'status', 'objective', 'lower_bound', 'gap_in_rules', 'rules', 'tests', 'cpu', 'theirs',
           'tree']
RESULTS = Table('yardsticks', COLUMNS, ['table', 'of'])
PRICE = .01


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
    return CORELSClassifier(price, literal_penalty=per_test, vocabulary={'significance': None}, time_limit=seconds, node_limit=None)


def line(name, of, X, y, model):
    "A fit whose seconds are those of the CPU."
    with warnings.catch_warnings(), mock.patch('time.perf_counter', time.process_time):
        warnings.simplefilter('ignore')
        began = time.process_time()
        model.fit(X, y)
        cpu = time.process_time() - began
    proof, tests = model.certificate_, sum(len(rule.literals) for rule in model.model_.rules)
    price = model.regularization_ + model.literal_penalty_
    return {'table': name, 'of': of, 'rows': len(y), 'columns': X.shape[1], 'status': proof.status, 'objective': proof.objective,
            'lower_bound': proof.lower_bound, 'gap_in_rules': (proof.objective - proof.lower_bound) / price,
            'rules': len(model.model_.rules), 'tests': tests, 'cpu': round(cpu, 2)}


def named(table):
    "The columns with names."
    return table.set_axis([f'x{i}' for i in range(table.shape[1])], axis=1)


def streed(folder):
    "The tables of STReeD."
    trees = pd.read_csv(folder / 'trees.csv').set_index('table')
    for path in sorted(folder.glob('*.gz')):
        name = path.name.split('.')[0]
        if (name, 'streed') in RESULTS: continue
        table = pd.read_csv(path, sep=' ', header=None).dropna(axis=1, how='all').astype(int)
        X, y = named(table.iloc[:, 1:]), table[0]
        known = trees.loc[name] if name in trees.index else None
        found = line(name, 'streed', X, y, list_of(10))
        yield {**found, 'theirs': '' if known is None else known.tree_objective,
               'tree': tree_cost(X, y, 8 if known is None else int(known.tree_leaves))}


def branches(folder):
    "The encodings of Branches; what it minimises is one less than `theirs`."
    known = dict(pd.read_csv(folder / 'experiments.csv', index_col=0).iterrows())
    for path in sorted(folder.glob('*.gz')):
        name = path.name.split('.')[0]
        if (name, 'branches') in RESULTS: continue
        table, theirs = pd.read_csv(path, sep=' ', header=None).dropna(axis=1, how='all').astype(int), known.get(name)
        X = named(table.iloc[:, :-1])
        X = X.assign(**{column: X[column].astype(str) for column in X if X[column].nunique() > 2})  # codes of levels
        price = PRICE if theirs is None else round((theirs.Accuracy - theirs.Objective) / theirs.Splits, 6)
        found = line(name, 'branches', X, table.iloc[:, -1], list_of(60, price, 0.))
        yield {**found, 'theirs': '' if theirs is None else 1 - theirs.Objective, 'tree': ''}


def brcg():
    "The tables of BRCG."
    for name in rule_sets.TABLES:
        if (name, 'brcg') in RESULTS: continue
        yield {**line(name, 'brcg', *rule_sets.table(name), RuleSetClassifier(time_limit=60, node_limit=None)), 'theirs': '', 'tree': ''}


def main(folder):
    "Measure all that is not in the table."
    CORELSClassifier(.1).fit(pd.DataFrame({'x': [0, 1] * 9}), [0, 1] * 9)  # compiles
    for found in chain(brcg(), streed(folder / 'streed'), branches(folder / 'branches')):
        RESULTS.append({name: found[name] for name in COLUMNS})
        print(*found.values(), flush=True)


if __name__ == '__main__': main(Path(sys.argv[1]))
