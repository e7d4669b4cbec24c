"""The ranking list with its defaults on every table, beside trees, FIGS and TURS: writes ranking.csv.

    RULEBOOK_DATA=... python -m tools.studies.ranking [--quick] [table ...]

Tables and splits are those of `defaults`, so that CORELS and SSRL on the same rows stand in defaults.csv: two
splits up to 2,000 rows, then one.

list     `RankingListClassifier()`
falling  the same with `order='falling'`, where there are two classes
tree     scikit-learn's tree with twice as many leaves as the list has, its default included
figs     imodels' FIGS with as many rules as the list, where there are two classes
turs     `TURSClassifier()` on the tables of `SEVERAL`
"""
from functools import partial

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from rulebook import RankingListClassifier, TURSClassifier

from .defaults import in_numbers, judged, read, splits, tables
from .runner import panel, timed

COLUMNS = ['dataset', 'split', 'model', 'rows', 'columns', 'classes', 'rarest', 'accuracy', 'auc', 'log_loss',
           'rules', 'tests', 'cpu', 'error']
SEVERAL = ('bundled:vehicle', 'folder:pendigits', 'folder:dry-bean', 'folder:turs-avila')

def measured(model, train, test, size=None):
    "What a model says of new rows, its size (rules, tests) and the CPU seconds of its fit."
    _, seconds = timed(model.fit, *train)
    shares, truth = np.asarray(model.predict_proba(test[0])), np.asarray(test[1])[:, None] == model.classes_
    curves = [k for k in range(len(model.classes_)) if 0 < truth[:, k].sum() < len(truth)]
    areas = [roc_auc_score(truth[:, k], shares[:, k]) for k in curves] or [np.nan]
    if size is None:
        rules = model.model_.rules
        size = len(rules), sum(len(rule.literals) for rule in rules)
    return {**judged(model, *test), 'auc': float(np.mean(areas)), 'rules': size[0], 'tests': size[1],
            'cpu': seconds}

def rivals(dataset, known, rules, rows, numbers):
    "Name and function of each model that is measured beside a list of so many rules."
    tree = DecisionTreeClassifier(max_leaf_nodes=2 * (rules + 1), random_state=0)
    yield 'tree', lambda: measured(tree, *numbers, (2 * rules + 1,) * 2)
    if dataset in SEVERAL: yield 'turs', lambda: measured(TURSClassifier(), *rows)
    if len(known) > 2: return
    yield 'falling', lambda: measured(RankingListClassifier(order='falling'), *rows)
    from imodels import FIGSClassifier
    coded = [(X, (y == known[1]).astype(int)) for X, y in numbers]  # it takes no names of classes
    yield 'figs', lambda: measured(FIGSClassifier(max_rules=max(rules, 1)), *coded, (rules, rules))

def lines(dataset, split, train, test):
    "The lines of a table and a split."
    y = np.asarray([*train[1], *test[1]])
    names, counts = np.unique(y, return_counts=True)
    both = in_numbers(pd.concat([train[0], test[0]]))
    known = {'rows': len(y), 'columns': train[0].shape[1], 'classes': len(counts),
             'rarest': counts.min() / len(y)}
    numbers = (both[:len(train[1])], train[1]), (both[len(train[1]):], test[1])
    first = measured(RankingListClassifier(), train, test)
    yield {**known, 'model': 'list', **first}
    for name, model in rivals(dataset, names, first['rules'], (train, test), numbers):
        try: line = model()
        # a refusal is a result
        except Exception as error: line = {'error': ' '.join(repr(error).split())[:200]}
        yield {**known, 'model': name, **line}

def few_splits(X, y):
    "The splits of a table."
    return splits(X, y)[:2 if len(y) <= 2000 else 1]


if __name__ == '__main__':
    panel(lines, {name: partial(read, name) for name in tables()}, few_splits, COLUMNS, name='ranking',
          number='.6g', keys=COLUMNS[:3])
