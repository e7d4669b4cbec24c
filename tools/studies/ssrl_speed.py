"""CPU seconds of SSRLClassifier against the number of literals (Figure 4 of its paper): writes
ssrl-speed.csv.

    RULEBOOK_DATA=<folder> python -m tools.studies.ssrl_speed [name]

With a name the file is ssrl-speed-<name>.csv; ssrl-speed-before.csv was written so with the package at commit
4332bb3 on the path, in the same half hour.  `yardstick` is what the runner's yardstick took beside each fit.

Random subsets of the literals that deciles give (seed 0, one subset per size), one thread, compiled
beforehand, reading of the table included. `gas` has 6,697 of the paper's 13,910 rows here; rows drawn with
replacement fill it up to that number, and the target is its largest class against the rest. Both with at most
20 rules; penalty 5 for gas and 1 for wdbc.
"""
import sys

import numpy as np

from rulebook.io.datasets import load_dataset
from rulebook.ssrl.estimator import SSRLClassifier
from rulebook.vocabulary import Vocabulary

from .runner import timed, write, yardstick

SIZES = {'wdbc': (100, 200, 300, 400, 500, 540), 'gas': (500, 550, 600, 650, 700, 750, 1500, 2304)}
PENALTY = {'wdbc': 1, 'gas': 5}


def load(name):
    """Binary columns, one per literal, and labels."""
    X, y = load_dataset(name)
    if name == 'gas':
        more = np.random.default_rng(0).integers(0, len(y), 13910 - len(y))
        rows = np.r_[np.arange(len(y)), more]
        y = y == y.value_counts().index[0]
        X, y = X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)
    return Vocabulary(n_cuts=9).set_output(transform='pandas').fit_transform(X), y


def fit(name, X, y, size):
    """One fit on a random subset of the columns."""
    chosen = np.sort(np.random.default_rng(0).permutation(X.shape[1])[:size])
    model = SSRLClassifier(PENALTY[name], max_rules=20, search='paper', default='majority',
                           vocabulary=Vocabulary(negations=False))
    return model.fit(X.iloc[:, chosen], y)


def lines():
    """One line per dataset and size."""
    for name, sizes in SIZES.items():
        X, y = load(name)
        fit(name, X.iloc[::20], y.iloc[::20], 50)  # compiles
        for size in sizes:
            model, seconds = timed(fit, name, X, y, size)
            yield {'dataset': name, 'rows': len(y), 'literals': size, 'seconds': round(seconds, 3),
                   'sub_problems': model.certificate_.work['sub_problems'], 'rules': len(model.model_),
                   'yardstick': round(yardstick(), 2)}


if __name__ == '__main__': write('-'.join(['ssrl-speed', *sys.argv[1:]]), lines())
