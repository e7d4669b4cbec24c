"""Nested cross-validation of SSRLClassifier on the datasets of its paper; writes ssrl-nested.csv beside this file.

    RULEBOOK_DATA=<folder> python data/results/ssrl-nested.py [dataset ...]

Ten stratified folds (shuffled, seed 0). Within each training part the penalty is chosen: on tables of at most 1,000 rows by three inner
folds and together with the largest number of rules, on larger ones by one held-out quarter with 40 rules; on tables of more than 8,000
rows from a shorter list. Two rules choose from the same fits: `best` takes the highest accuracy, the larger penalty on ties, and
`one se` the largest penalty (then the fewest rules) whose accuracy is at most one standard error below the highest, the error of a share
counted on all rows held out. Two lines per dataset and fold; what is there is not computed again, so the script can be stopped and goes
on where it was.
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
FIELDS = ['dataset', 'fold', 'rule', 'penalty', 'max_rules', 'accuracy', 'rules', 'literals', 'objective', 'seconds', 'fits',
          'literals_offered']
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


def scores(X, y):
    """Accuracy of each (penalty, max_rules) of the grid on the rows held out, their number, and the number of fits."""
    splits, grid = inner(X, y)
    parts = list(splits.split(X, y))
    def mean_accuracy(penalty, max_rules):
        fits = [SSRLClassifier(penalty, max_rules=max_rules).fit(X.iloc[a], y.iloc[a]) for a, _ in parts]
        return np.mean([fit.score(X.iloc[b], y.iloc[b]) for fit, (_, b) in zip(fits, parts)])
    return {setting: mean_accuracy(*setting) for setting in grid}, sum(len(b) for _, b in parts), len(grid) * len(parts)


def choose(accuracies, held_out):
    """The setting that each rule takes."""
    best = max(accuracies, key=lambda setting: (accuracies[setting], setting[0], -setting[1]))
    share = accuracies[best]
    least = share - np.sqrt(share * (1 - share) / held_out)
    return {'best': best, 'one se': max((s for s in accuracies if accuracies[s] >= least), key=lambda s: (s[0], -s[1]))}


def run_fold(name, fold):
    """The two lines of a fold; seconds and fits are those of the choice and of one more fit."""
    X, y = load(name)
    a, b = outer_folds(X, y)[fold]
    before = time.process_time()
    accuracies, held_out, fits = scores(X.iloc[a], y.iloc[a])
    choosing, models, lines = time.process_time() - before, {}, []
    for rule, (penalty, max_rules) in choose(accuracies, held_out).items():
        before = time.process_time()
        if (penalty, max_rules) not in models:
            model = SSRLClassifier(penalty, max_rules=max_rules).fit(X.iloc[a], y.iloc[a])
            models[penalty, max_rules] = model, choosing + time.process_time() - before
        model, seconds = models[penalty, max_rules]
        lines.append(dict(dataset=name, fold=fold, rule=rule, penalty=penalty, max_rules=max_rules,
                          accuracy=round(model.score(X.iloc[b], y.iloc[b]), 6), rules=len(model.model_),
                          literals=sum(len(one.literals) for one in model.model_.rules),
                          objective=round(model.certificate_.objective, 6), seconds=round(seconds, 2), fits=fits + 1,
                          literals_offered=len(model.vocabulary_.literals_)))
    return lines


def main(groups):
    """Compute what is missing, in each group of datasets fold by fold."""
    done = set()
    if RESULTS.exists():
        with RESULTS.open() as lines: done = {(line['dataset'], int(line['fold']), line['rule']) for line in csv.DictReader(lines)}
    else: RESULTS.write_text(','.join(FIELDS) + '\n')
    for fold, name in [pair for names in groups for pair in itertools.product(range(10), names)]:
        if all((name, fold, rule) in done for rule in ('best', 'one se')): continue
        found = [line for line in run_fold(name, fold) if (name, fold, line['rule']) not in done]
        with RESULTS.open('a', newline='') as lines: csv.DictWriter(lines, FIELDS, lineterminator='\n').writerows(found)


if __name__ == '__main__': main([sys.argv[1:]] if sys.argv[1:] else GROUPS)
