"""Accuracy, log loss and size of SSRLClassifier under penalties of four kinds: writes ssrl-penalties.csv.

    RULEBOOK_DATA=<folder> python -m tools.studies.ssrl_penalties [dataset ...]

Three stratified folds (shuffled, seed 0). `rows` is five rows for a literal; `share` two hundredths of the rows
of an average class, the heaviest left out; `deviations` is a quarter of the square root of these (the default);
`few` and `many` are .15 and .4 in its place. TUNED are the tables by which the default was chosen; the others
only check it. Lines that are there are not computed again.
"""
import itertools
import sys

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from rulebook.io.datasets import load_dataset
from rulebook.ssrl.estimator import SSRLClassifier

from .runner import Table, timed

TUNED = ['german', 'vehicle', 'turs-wdbc', 'turs-thyroid', 'contraceptive', 'turs-vowels']
CHECKED = ['penguins', 'mammographic', 'wine', 'iris', 'housevotes', 'compas', 'cardio']
KINDS = {'rows': lambda rows: 5., 'share': lambda rows: .02 * rows, 'deviations': lambda rows: .25 * rows**.5,
         'few': lambda rows: .15 * rows**.5, 'many': lambda rows: .4 * rows**.5}
PENALTIES = Table('ssrl-penalties', ['dataset', 'tuned', 'kind', 'penalty', 'accuracy', 'log_loss',
                                     'log_loss_shares', 'rules', 'literals', 'seconds'], ['dataset', 'kind'])


def measure(model, X, y):
    """What a model is worth on the rows held out, and its size."""
    shares = model.predict_proba(X)
    return {'accuracy': model.score(X, y), 'log_loss': log_loss(y, shares, labels=model.classes_),
            'rules': len(model.model_), 'literals': sum(len(rule.literals) for rule in model.model_.rules)}


def line(name, kind):
    """The means over folds."""
    X, y = load_dataset(name)
    X, y = X.reset_index(drop=True), np.asarray(y).astype(str)
    found = []
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        counts = np.sort(np.unique(y[train], return_counts=True)[1])
        penalty = KINDS[kind](counts[:-1].mean())
        model, seconds = timed(SSRLClassifier(penalty).fit, X.iloc[train], y[train])
        found.append({'penalty': penalty, 'seconds': seconds, **measure(model, X.iloc[test], y[test])})
    shares = np.unique(y, return_counts=True)[1] / len(y)
    return {'dataset': name, 'tuned': name in TUNED, 'kind': kind,
            'log_loss_shares': round(float(-(shares * np.log(shares)).sum()), 6),
            **{key: round(float(np.mean([one[key] for one in found])), 6) for key in found[0]}}


def main(names):
    """Compute what is missing."""
    for name, kind in itertools.product(names, KINDS):
        if (name, kind) not in PENALTIES: PENALTIES.append(line(name, kind))


if __name__ == '__main__': main(sys.argv[1:] or TUNED + CHECKED)
