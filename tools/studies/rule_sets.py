"""Rule sets on the tables of the paper on column generation, and beside other rule learners.

    RULEBOOK_DATA=... python -m tools.studies.rule_sets [whole] [folds] [bounds]

The tables are those of Dash, Gunluk and Wei (NeurIPS 2018, section 4) that the folder holds.  Not among them are ILPD,
transfusion and mushroom, and gas is not complete; `musk` is the smaller table of outlier studies, and of `heart`
the five grades are none against any.

rule-sets-whole.csv: fits of `RuleSetClassifier` with three penalties, of at most 60 CPU seconds, to each whole
table.  rule-sets-folds.csv: three folds of the tables of up to 10,000 rows and 50 columns beside
`CORELSClassifier` (both 5 seconds), RIPPER (wittgenstein) and CN2 (Orange) where these are installed, each fit
in a process of its own with at most 20 CPU seconds.  rule-sets-bounds.csv: the bound that prices give with and
without the row that fixes the default, over 150 conjunctions of up to two literals on up to 1,000 rows.
"""
import os
import sys
import time
import warnings
from itertools import product
from types import SimpleNamespace
from unittest import mock

os.environ.setdefault('NUMBA_NUM_THREADS', '1')  # before numba is imported
os.environ.setdefault('OMP_NUM_THREADS', '1')

import numpy as np
from sklearn.base import clone

from rulebook import CORELSClassifier, RuleSetClassifier, compare, core, load_dataset
from rulebook.columns import read_table
from rulebook.core import Budget
from rulebook.corels.search import Search, root_prices
from rulebook.dataset import Dataset
from rulebook.problem import Problem, rule_sets_of
from rulebook.vocabulary import Vocabulary, encode_literals, mine_antecedents

from . import runner
from .peers import CN2, RIPPER

SECONDS, SHORT, CPU_LIMIT = 60, 5, 20
PENALTIES = .01, .02, .05
TABLES = {'banknote': 'turs-backnote', 'heart': 'turs-heartcleveland', 'ionosphere': 'turs-ionosphere', 'liver': 'bupa',
          'pima': 'pima', 'tic-tac-toe': 'turs-tic-tac-toe', 'wdbc': 'wdbc', 'adult': 'adult', 'bank': 'bank',
          'musk': 'turs-musk', 'magic': 'magic', 'fico': 'fico'}
WHOLE = runner.Table('rule-sets-whole', ['table', 'penalty', 'rows', 'columns', 'literals', 'status', 'objective',
                                         'lower_bound', 'gap_in_rules', 'rules', 'tests', 'accuracy', 'cpu_seconds'],
                     ['table', 'penalty'])
BOUNDS = runner.Table('rule-sets-bounds', ['table', 'conjunctions', 'one_label', 'fixed_default', 'best'], ['table'])


def table(name):
    "A table and its labels, of two classes; rows in a random order."
    X, y = load_dataset(f'folder:{TABLES[name]}')
    if name == 'heart': y = (y > 0).rename('disease')
    rows = np.random.default_rng(0).permutation(len(y))
    return X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)


def whole(name, penalty):
    "One fit to the whole table."
    X, y = table(name)
    with mock.patch.object(core, 'time', SimpleNamespace(perf_counter=time.process_time)):  # limits in CPU seconds
        found = RuleSetClassifier(**runner.FORMER | {'regularization': penalty}, time_limit=SECONDS).fit(X, y)
    proof, rules = found.certificate_, found.model_.rules
    return {'table': name, 'penalty': penalty, 'rows': len(X), 'columns': X.shape[1],
            'literals': len(found.vocabulary_.literals_), 'status': proof.status, 'objective': proof.objective,
            'lower_bound': proof.lower_bound, 'gap_in_rules': round(proof.gap / proof.regularization, 6), 'rules': len(rules),
            'tests': sum(len(rule.literals) for rule in rules), 'accuracy': found.score(X, y),
            'cpu_seconds': proof.seconds}


def folds():
    "Held-out accuracy, on the same folds."
    runner.children_find_the_project()
    ours = {'RuleSet': RuleSetClassifier, 'CORELS': CORELSClassifier}
    models = {name: kind(**runner.FORMER, time_limit=SHORT) for name, kind in ours.items()}
    models |= {'RIPPER': RIPPER(), 'CN2 unordered': CN2(ordered=False)}
    for name in TABLES:
        X, y = table(name)
        if len(X) > 10_000 or X.shape[1] > 50: continue
        for model in ('RuleSet', 'CORELS'): clone(models[model]).set_params(time_limit=2).fit(X, y)  # compiles
        compare(models, {name: (X, y)}, cv=3, path=runner.place_of('rule-sets-folds'), verbose=0, isolate=True,
                cpu_limit=CPU_LIMIT)
        print(f'folds: {name} is done', flush=True)


def listed(name, largest=150):
    "The problem of lists over some conjunctions of up to two literals of a table, and the label of its sets."
    X, y = table(name)
    rows, (classes, codes) = slice(0, 1000), np.unique(y, return_inverse=True)
    columns, codes = read_table(X.iloc[rows]), codes[rows]
    literals = Vocabulary(n_cuts=2).fit(X.iloc[rows], y.iloc[rows]).literals_
    names, bits = mine_antecedents(literals, encode_literals(literals, columns), 2, .01)
    kept = np.sort(np.random.default_rng(0).permutation(len(names))[:largest])
    dataset = Dataset.from_rows([names[i] for i in kept], bits.take(kept), codes, classes)
    return Problem(dataset, .01), int(np.bincount(codes, minlength=2).argmin())


def priced(problem):
    "The bound of the prices on pairs of rows, before any rule is chosen."
    search = Search(problem)
    prices = root_prices(search)
    return search.grains.share(int(prices.values.sum()) << prices.unit) if prices else search.objective


def bounds(name):
    "The price bound of sets, with and without the row that fixes the default."
    problem, label = listed(name)
    sets = rule_sets_of(problem, label)
    loose = Problem(problem.dataset, .01, allowed=sets.allowed)
    budget = Budget(SECONDS)
    search = Search(sets, budget)
    budget.drive(search)
    return {'table': name, 'conjunctions': len(sets.allowed), 'one_label': priced(loose),
            'fixed_default': priced(sets), 'best': search.objective}


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    parts = sys.argv[1:] or ['whole', 'folds', 'bounds']
    narrow = [name for name in TABLES if name != 'musk']
    for name in narrow if 'bounds' in parts else ():
        if (name,) not in BOUNDS: BOUNDS.append(bounds(name))
    for name, penalty in product(TABLES, PENALTIES) if 'whole' in parts else ():
        if (name, penalty) not in WHOLE: WHOLE.append(whole(name, penalty))
    if 'folds' in parts: folds()
