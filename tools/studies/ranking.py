"""The ranking list with its defaults on every table, beside a tree of twice as many leaves, FIGS of as many
rules, and TURS: writes ranking.csv.

    RULEBOOK_DATA=... python -m tools.studies.ranking [--quick] [table ...]

Tables and splits are those of `defaults`, so that CORELS and SSRL on the same rows stand in defaults.csv; of
tables of more than 20,000 rows the first split alone.

list     `RankingListClassifier()`
falling  the same with `order='falling'`, where there are two classes
tree     scikit-learn's tree with twice as many leaves as the list has, its default included
figs     imodels' FIGS with as many rules as the list, where there are two classes and it is installed
turs     `TURSClassifier()` on the tables of `SEVERAL`
"""
import time
from functools import partial

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from rulebook import RankingListClassifier, TURSClassifier
from rulebook.io.datasets import load_dataset

from .defaults import LEAST, in_numbers, splits, tables
from .runner import panel

COLUMNS = ['dataset', 'split', 'model', 'rows', 'columns', 'classes', 'rarest', 'accuracy', 'auc', 'log_loss',
           'rules', 'tests', 'cpu', 'error']
SEVERAL = ('bundled:vehicle', 'folder:pendigits', 'folder:dry-bean', 'folder:turs-avila')
RARE = .1  # share of the lighter class of a table with few positives

def scores(shares, classes, y):
    "What the probabilities of the classes are worth on new rows."
    truth, known = np.asarray(y)[:, None] == classes, np.isin(y, classes)
    curves = [1] if len(classes) == 2 else range(len(classes))
    curves = [k for k in curves if 0 < truth[:, k].sum() < len(y)]
    clipped = np.clip(shares, LEAST, 1)
    own = np.where(known, clipped[np.arange(len(y)), truth.argmax(axis=1)], LEAST)
    return {'accuracy': float(np.mean(classes[shares.argmax(axis=1)] == np.asarray(y))),
            'auc': float(np.mean([roc_auc_score(truth[:, k], shares[:, k]) for k in curves] or [np.nan])),
            'log_loss': float(-np.log(own).mean())}

def fitted(model, train, test):
    "A model of this package: what it scores, its size and the seconds that it took."
    began = time.process_time()
    model.fit(*train)
    seconds, rules = time.process_time() - began, model.model_.rules
    return {**scores(model.predict_proba(test[0]), model.classes_, test[1]), 'cpu': seconds,
            'rules': len(rules), 'tests': sum(len(rule.literals) for rule in rules)}

def tree(leaves, numbers, train, test):
    "A tree of so many leaves."
    began = time.process_time()
    model = DecisionTreeClassifier(max_leaf_nodes=max(leaves, 2), random_state=0).fit(numbers[0], train[1])
    return {**scores(model.predict_proba(numbers[1]), model.classes_, test[1]),
            'cpu': time.process_time() - began, 'rules': model.get_n_leaves() - 1,
            'tests': model.get_n_leaves() - 1}

def figs(rules, numbers, train, test):
    "FIGS with so many rules."
    from imodels import FIGSClassifier
    began, (classes, codes) = time.process_time(), np.unique(train[1], return_inverse=True)
    model = FIGSClassifier(max_rules=max(rules, 1)).fit(numbers[0], codes)
    return {**scores(model.predict_proba(numbers[1]), classes, test[1]), 'cpu': time.process_time() - began,
            'rules': rules, 'tests': rules}

def lines(dataset, split, train, test):
    "The lines of a table and a split."
    y = np.asarray([*train[1], *test[1]])
    counts = np.unique(y, return_counts=True)[1]
    known = {'rows': len(y), 'columns': train[0].shape[1], 'classes': len(counts),
             'rarest': counts.min() / len(y)}
    both = in_numbers(pd.concat([train[0], test[0]]))
    numbers, length = (both[:len(train[1])], both[len(train[1]):]), 0
    models = {'list': lambda: fitted(RankingListClassifier(), train, test),
              'tree': lambda: tree(2 * (length + 1), numbers, train, test)}
    if len(counts) == 2:
        models['falling'] = lambda: fitted(RankingListClassifier(order='falling'), train, test)
        models['figs'] = lambda: figs(length, numbers, train, test)
    if dataset in SEVERAL: models['turs'] = lambda: fitted(TURSClassifier(), train, test)
    for name, model in models.items():
        try: line = model()
        # a refusal is a result
        except Exception as error: line = {'error': ' '.join(repr(error).split())[:200]}
        if name == 'list': length = line.get('rules', 0)
        yield {**known, 'model': name, **line}

def few_splits(X, y):
    "The splits of a table."
    return splits(X, y)[:None if len(y) <= 20_000 else 1]

def read(name):
    "A table, its labels as an array."
    X, y = load_dataset(name)
    return X, np.asarray(y)


if __name__ == '__main__':
    panel(lines, {name: partial(read, name) for name in tables()}, few_splits, COLUMNS, name='ranking',
          keys=('dataset', 'split', 'model'), number='.6g')
