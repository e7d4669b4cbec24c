"""Nested cross-validation of SSRLClassifier on the datasets of its paper; writes ssrl-nested.csv and ssrl-inner.csv beside this file.

    RULEBOOK_DATA=<folder> python tools/studies/ssrl_nested.py [dataset ...]

Ten stratified folds (shuffled, seed 0). Within each training part the penalty is chosen: on tables of at most 1,000 rows by three inner
folds and together with the largest number of rules, on larger ones by one held-out quarter with 40 rules; on tables of more than 8,000
rows from a shorter list. Three rules choose from the same fits: `best` takes the highest accuracy, the larger penalty on ties; the
others the largest penalty (then the fewest rules) whose accuracy is at most one standard error below the highest. For `one se` it is the
error of the highest accuracy, a share counted on all rows held out; for `paired se` the error of the difference between the two, counted
row by row on the same rows. `paired se` was added when the lines of `best` were there for all tables and those of `one se` for five;
it was fixed before any fit had been chosen by it, and is the only rule that was tried besides.

A line per dataset, fold and rule, and one per setting in ssrl-inner.csv; what is there is not computed again, so the script can be
stopped and goes on where it was.
"""
import csv
import itertools
import sys
import time
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from rulebook.io.datasets import load_dataset
from rulebook.ssrl.estimator import SSRLClassifier

DATASETS = ['iris', 'compas-binary', 'wdbc', 'fico-binary', 'cmc', 'page-blocks', 'cardio', 'fico', 'gas', 'pendigits', 'magic', 'adult',
            'dry-bean']
RULES = ('best', 'one se', 'paired se')
FIELDS = ['dataset', 'fold', 'rule', 'penalty', 'max_rules', 'accuracy', 'rules', 'literals', 'objective', 'seconds', 'fits',
          'literals_offered']
INNER = ['dataset', 'fold', 'penalty', 'max_rules', 'held_out', 'accuracy', 'paired_se']
SMALL, LARGE = 1000, 8000
RESULTS, SETTINGS = Path(__file__).with_name('ssrl-nested.csv'), Path(__file__).with_name('ssrl-inner.csv')


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
    """Per (penalty, max_rules) of the grid the accuracy on the rows held out and whether each row is right; and the number of fits."""
    splits, grid = inner(X, y)
    parts = list(splits.split(X, y))
    accuracies, right = {}, {}
    for penalty, max_rules in grid:
        fits = [SSRLClassifier(penalty, max_rules=max_rules).fit(X.iloc[a], y.iloc[a]) for a, _ in parts]
        rows = [fit.predict(X.iloc[b]) == np.asarray(y.iloc[b]) for fit, (_, b) in zip(fits, parts)]
        accuracies[penalty, max_rules], right[penalty, max_rules] = np.mean([part.mean() for part in rows]), np.concatenate(rows)
    return accuracies, right, len(grid) * len(parts)


def choose(accuracies, right):
    """The setting that each rule takes, and the standard error of each setting's difference to the best."""
    best = max(accuracies, key=lambda setting: (accuracies[setting], setting[0], -setting[1]))
    share, held_out = accuracies[best], len(right[best])
    paired = {s: np.std(right[best].astype(float) - right[s]) / np.sqrt(held_out) for s in accuracies}
    def largest(error): return max((s for s in accuracies if accuracies[s] >= share - error(s)), key=lambda s: (s[0], -s[1]))
    chosen = best, largest(lambda s: np.sqrt(share * (1 - share) / held_out)), largest(lambda s: paired[s])
    return dict(zip(RULES, chosen)), paired


def run_fold(name, fold):
    """The lines of a fold, one per rule and one per setting; seconds and fits are those of the choice and of one more fit."""
    X, y = load(name)
    a, b = outer_folds(X, y)[fold]
    before = time.process_time()
    accuracies, right, fits = scores(X.iloc[a], y.iloc[a])
    chosen, paired = choose(accuracies, right)
    choosing, models, lines = time.process_time() - before, {}, []
    for rule, (penalty, max_rules) in chosen.items():
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
    return lines, [dict(dataset=name, fold=fold, penalty=penalty, max_rules=max_rules, held_out=len(right[penalty, max_rules]),
                        accuracy=round(accuracies[penalty, max_rules], 6), paired_se=round(paired[penalty, max_rules], 6))
                   for penalty, max_rules in accuracies]


def append(path, fields, found):
    """Add lines to a table, with its header if it is new."""
    if not path.exists(): path.write_text(','.join(fields) + '\n')
    with path.open('a', newline='') as lines: csv.DictWriter(lines, fields, lineterminator='\n').writerows(found)


def main(names):
    """Compute what is missing, fold by fold."""
    done = set()
    if RESULTS.exists():
        with RESULTS.open() as lines: done = {(line['dataset'], int(line['fold']), line['rule']) for line in csv.DictReader(lines)}
    for fold, name in itertools.product(range(10), names):
        if all((name, fold, rule) in done for rule in RULES): continue
        lines, settings = run_fold(name, fold)
        append(SETTINGS, INNER, settings)
        append(RESULTS, FIELDS, [line for line in lines if (name, fold, line['rule']) not in done])


if __name__ == '__main__': main(sys.argv[1:] or DATASETS)
