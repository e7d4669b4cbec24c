"""Five-fold cross-validation behind nbs/papers/turs.ipynb; one line per dataset, fold and variant.

Run from the root of the project, with the papers' data at hand:

    RULEBOOK_DATA=/folder/with/catalogue.csv python tools/studies/turs_run.py data/results/turs-folds.csv [dataset ...]

Lines that the file has already are not computed again. `magic:0` is fold 0 of magic alone; `--times` computes all lines again, demands that
every number but the time is the stored one, and stores the new time.
"""
import csv
import sys
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from rulebook.io.datasets import load_dataset
from rulebook.turs.estimator import TURSClassifier

ADBENCH = ['aloi', 'backdoor', 'glass-2', 'mammography', 'musk', 'optdigits', 'pendigits-2', 'satimage-2', 'smtp', 'thyroid', 'vowels',
           'waveform-2', 'wdbc']
OTHERS = ['backnote', 'chess', 'diabetes', 'ionosphere', 'magic', 'tic-tac-toe', 'anuran', 'avila', 'car', 'contracept', 'drybeans',
          'glass', 'heartcleveland', 'iris', 'pendigits', 'vehicle', 'waveform', 'wine']
VARIANTS = {'TURS': {}, 'no aux beam': {'aux_beam': False}, 'no diversity': {'diverse_patience': False}, 'CART': None}
COLUMNS = ['dataset', 'fold', 'variant', 'auc', 'auc_random', 'overlap', 'rules', 'literals', 'g', 'bits', 'cpu_seconds']


def chapter_table(name):
    """A table as the chapter's program sees it: whole numbers of at most 20 values are categories (not in ADBench's arrays)."""
    X, y = load_dataset(f'turs-{name.removesuffix("-no-id")}')
    if name == 'anuran' or name.endswith('-no-id'):
        X = X.iloc[:, 1:]  # a number of the row
    if name not in ADBENCH:
        few = [c for c in X if X[c].dtype.kind == 'i' and X[c].nunique() <= 20]
        X = X.astype({c: str for c in few})
    words = [c for c in X if X[c].dtype.kind not in 'if']
    return X.assign(**{c: X[c].astype(object).where(X[c].notna(), '?') for c in words}), y


def macro_auc(y, shares, classes):
    """Mean over the classes of the area under the curve of one class against the rest; for two classes, of the second."""
    which = range(1, 2) if len(classes) == 2 else range(len(classes))
    return float(np.mean([roc_auc_score(y == classes[k], shares[:, k]) for k in which if (y == classes[k]).any()]))


def turs_line(options, X, y, train, test):
    """Fit and measure one fold."""
    start = time.process_time()
    model = TURSClassifier(**options).fit(X.iloc[train], y.iloc[train])
    seconds = time.process_time() - start
    held, new = y.iloc[test].to_numpy(), X.iloc[test]
    drawn = [macro_auc(held, model.predict_proba(new, overlap='random', random_state=seed), model.classes_) for seed in range(10)]
    return {'auc': macro_auc(held, model.predict_proba(new), model.classes_), 'auc_random': np.mean(drawn),
            'overlap': (model.fired(new).sum(1) > 1).mean(), 'rules': len(model.model_),
            'literals': sum(len({literal.column + str(literal.value) * isinstance(literal.value, str) for literal in rule.literals})
                            for rule in model.model_), 'g': model.generalization(new, held).score, 'bits': model.mdl_score_.total,
            'cpu_seconds': seconds}


def cart_line(X, y, train, test):
    """The same for scikit-learn's tree with its defaults, on one-hot columns; a path is a rule."""
    X = pd.get_dummies(X, dtype=float)
    start = time.process_time()
    tree = DecisionTreeClassifier(random_state=0).fit(X.iloc[train], y.iloc[train])
    seconds = time.process_time() - start
    depth = tree.decision_path(X.iloc[train]).sum(1)
    leaves = pd.Series(np.asarray(depth).ravel() - 1).groupby(tree.apply(X.iloc[train])).first()
    return {'auc': macro_auc(y.iloc[test].to_numpy(), tree.predict_proba(X.iloc[test]), tree.classes_), 'rules': len(leaves),
            'literals': int(leaves.sum()), 'cpu_seconds': seconds}


def tasks(names):
    """Each dataset with each variant and fold that is asked for: variant, fold, and the line to come."""
    for name, _, only in (name.partition(':') for name in names):
        X, y = chapter_table(name)
        for variant, options in VARIANTS.items():
            for fold, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=2).split(X, y)):
                if only in ('', str(fold)):
                    measure = cart_line if options is None else partial(turs_line, options)
                    yield name, fold, variant, partial(measure, X, y, train, test)
        print(name, flush=True)


def run(path, names):
    """Append the lines that are missing in the file."""
    done = set()
    if Path(path).exists():
        done = {tuple(line) for line in pd.read_csv(path)[['dataset', 'fold', 'variant']].astype(str).to_numpy()}
    else:
        Path(path).write_text(','.join(COLUMNS) + '\n')
    for name, fold, variant, line in tasks(names):
        if (name, str(fold), variant) in done:
            continue
        rounded = {key: float(f'{value:.6g}') for key, value in line().items()}
        with open(path, 'a', newline='') as lines:
            writer = csv.DictWriter(lines, COLUMNS, lineterminator='\n')
            writer.writerow({'dataset': name, 'fold': fold, 'variant': variant, **rounded})


def time_again(path, names):
    """Compute stored lines again, check them, and store the new time."""
    for name, fold, variant, line in tasks(names):
        stored = pd.read_csv(path)
        place = stored.index[(stored.dataset == name) & (stored.fold == fold) & (stored.variant == variant)]
        if not len(place):
            continue
        again = line()
        for key, value in again.items():
            if key == 'cpu_seconds':
                stored.loc[place, key] = float(f'{value:.6g}')
            elif not np.isclose(value, stored.loc[place[0], key], rtol=1e-5, atol=1e-6):
                raise ValueError(f'{name}, fold {fold}, {variant}: {key} is {value}, stored is {stored.loc[place[0], key]}')
        stored.to_csv(path, index=False, lineterminator='\n')


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    TURSClassifier().fit(np.random.default_rng(0).random((200, 2)), np.arange(200) % 2)  # compile before the clock runs
    work, names = (time_again if '--times' in sys.argv else run), [name for name in sys.argv[2:] if name != '--times']
    work(sys.argv[1], names or ['iris', 'wine', 'glass', 'glass-no-id', *sorted({*ADBENCH, *OTHERS} - {'iris', 'wine', 'glass'})])
