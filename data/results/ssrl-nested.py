"""Nested cross-validation of SSRLClassifier on the datasets of its paper; writes ssrl-nested.csv beside this file.

    RULEBOOK_DATA=<folder> python data/results/ssrl-nested.py [dataset ...]

Ten stratified folds (shuffled, seed 0). Within each training part the penalty is chosen by accuracy, the larger one on ties: on tables
of at most 1,000 rows by three inner folds and together with the largest number of rules, on larger ones by one held-out quarter with
40 rules; on tables of more than 8,000 rows from a shorter list. One line per dataset and fold; lines that are there are not computed
again, so the script can be stopped and goes on where it was.
"""
import csv
import itertools
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from rulebook.datasets import load_dataset
from rulebook.ssrl import SSRLClassifier

GROUPS = [['iris', 'wdbc', 'compas-binary', 'cmc', 'fico-binary', 'cardio'],
          ['page-blocks', 'fico', 'pendigits', 'dry-bean', 'magic', 'gas', 'adult']]
FIELDS = ['dataset', 'fold', 'penalty', 'max_rules', 'accuracy', 'rules', 'literals', 'objective', 'seconds', 'fits', 'literals_offered']
SMALL, LARGE = 1000, 8000
RESULTS = Path(__file__).with_name('ssrl-nested.csv')


def load(name):
    """A dataset of the paper; `gas` as its largest class against the rest."""
    X, y = load_dataset(name)
    return X, (y == y.value_counts().index[0]).astype(int) if name == 'gas' else y


def outer_folds(X, y):
    """The ten folds."""
    return list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y))


def inner(X, y):
    """Inner splits and the grid."""
    if len(y) <= SMALL:
        return StratifiedKFold(3, shuffle=True, random_state=0), list(itertools.product([.5, 1, 5, 7, 10], [10, 40]))
    penalties = (.5, 1, 5, 7, 10) if len(y) <= LARGE else (1, 5, 10)
    return StratifiedShuffleSplit(1, test_size=.25, random_state=0), [(penalty, 40) for penalty in penalties]


def choose(X, y):
    """The best (penalty, max_rules) of the grid, and the number of fits."""
    splits, grid = inner(X, y)
    parts = list(splits.split(X, y))
    def mean_accuracy(penalty, max_rules):
        fits = [SSRLClassifier(penalty, max_rules=max_rules).fit(X.iloc[a], y.iloc[a]) for a, _ in parts]
        return np.mean([fit.score(X.iloc[b], y.iloc[b]) for fit, (_, b) in zip(fits, parts)])
    return max(grid, key=lambda setting: (mean_accuracy(*setting), setting[0], -setting[1])), len(grid) * len(parts) + 1


def run_fold(name, fold):
    """One line of the results."""
    X, y = load(name)
    a, b = outer_folds(X, y)[fold]
    before = time.process_time()
    (penalty, max_rules), fits = choose(X.iloc[a], y.iloc[a])
    model = SSRLClassifier(penalty, max_rules=max_rules).fit(X.iloc[a], y.iloc[a])
    return dict(dataset=name, fold=fold, penalty=penalty, max_rules=max_rules, accuracy=round(model.score(X.iloc[b], y.iloc[b]), 6),
                rules=len(model.model_), literals=sum(len(rule.literals) for rule in model.model_),
                objective=round(model.certificate_.objective, 6), seconds=round(time.process_time() - before, 2), fits=fits,
                literals_offered=len(model.vocabulary_.literals_))


def main(groups):
    """Compute what is missing, in each group of datasets fold by fold."""
    done = set()
    if RESULTS.exists():
        with RESULTS.open() as lines: done = {(line['dataset'], int(line['fold'])) for line in csv.DictReader(lines)}
    else: RESULTS.write_text(','.join(FIELDS) + '\n')
    for fold, name in [pair for names in groups for pair in itertools.product(range(10), names)]:
        if (name, fold) in done: continue
        with RESULTS.open('a', newline='') as lines: csv.DictWriter(lines, FIELDS, lineterminator='\n').writerow(run_fold(name, fold))


if __name__ == '__main__': main([sys.argv[1:]] if sys.argv[1:] else GROUPS)
