"""Five-fold cross-validation behind nbs/papers/turs.ipynb: writes turs-folds.csv, one line per dataset, fold
and variant.

    RULEBOOK_DATA=/folder/with/catalogue.csv python -m tools.studies.turs_run [--times] [dataset ...]

Lines that the file has already are not computed again.  `magic:0` is fold 0 of magic alone; `--times`
computes all lines again, demands that every number but the time is the stored one, and stores the new time.
"""
import sys
import warnings
from functools import partial

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from rulebook.io.datasets import load_dataset
from rulebook.turs.estimator import TURSClassifier

from .runner import Table, stored, timed

ADBENCH = ['aloi', 'backdoor', 'glass-2', 'mammography', 'musk', 'optdigits', 'pendigits-2', 'satimage-2',
           'smtp', 'thyroid', 'vowels', 'waveform-2', 'wdbc']
OTHERS = ['backnote', 'chess', 'diabetes', 'ionosphere', 'magic', 'tic-tac-toe', 'anuran', 'avila', 'car',
          'contracept', 'drybeans', 'glass', 'heartcleveland', 'iris', 'pendigits', 'vehicle', 'waveform',
          'wine']
SMALL = ['iris', 'wine', 'glass', 'glass-no-id']  # they come first
CHAPTER = {'search': 'chapter'}
VARIANTS = {'TURS': CHAPTER, 'no aux beam': CHAPTER | {'aux_beam': False},
            'no diversity': CHAPTER | {'diverse_patience': False}, 'CART': None}
KEYS = ['dataset', 'fold', 'variant']
TABLE = Table('turs-folds', [*KEYS, 'auc', 'auc_random', 'overlap', 'rules', 'literals', 'g', 'bits',
                             'cpu_seconds'], KEYS, '.6g')


def chapter_table(name):
    """A table as the chapter's program sees it.

    Whole numbers of at most 20 values are categories (not in ADBench's arrays).
    """
    X, y = load_dataset(f'turs-{name.removesuffix("-no-id")}')
    if name == 'anuran' or name.endswith('-no-id'):
        X = X.iloc[:, 1:]  # a number of the row
    if name not in ADBENCH:
        few = [c for c in X if X[c].dtype.kind == 'i' and X[c].nunique() <= 20]
        X = X.astype({c: str for c in few})
    words = [c for c in X if X[c].dtype.kind not in 'if']
    return X.assign(**{c: X[c].astype(object).where(X[c].notna(), '?') for c in words}), y


def chapter_folds(X, y, seed=2):
    """Our folds; the chapter does not state how its own were drawn."""
    return StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)


def macro_auc(y, shares, classes):
    """Mean over the classes of the area under the curve of one against the rest; of two, the second's."""
    which = range(1, 2) if len(classes) == 2 else range(len(classes))
    present = [k for k in which if (y == classes[k]).any()]
    return float(np.mean([roc_auc_score(y == classes[k], shares[:, k]) for k in present]))


# ------------------------------------------------------------------ one line

def asked(literal):
    """What a literal asks, as the chapter counts it: a column, or a column and its category."""
    return literal.column + str(literal.value) * isinstance(literal.value, str)


def turs_line(options, X, y, train, test):
    """Fit and measure one fold."""
    model, seconds = timed(TURSClassifier(**options).fit, X.iloc[train], y.iloc[train])
    held, new = y.iloc[test].to_numpy(), X.iloc[test]
    drawn = [model.predict_proba(new, overlap='random', random_state=seed) for seed in range(10)]
    return {'auc': macro_auc(held, model.predict_proba(new), model.classes_),
            'auc_random': np.mean([macro_auc(held, shares, model.classes_) for shares in drawn]),
            'overlap': (model.fired(new).sum(1) > 1).mean(),
            'rules': len(model.model_),
            'literals': sum(len({asked(literal) for literal in rule.literals}) for rule in model.model_),
            'g': model.generalization(new, held).score,
            'bits': model.mdl_score_.total,
            'cpu_seconds': seconds}


def cart_line(X, y, train, test):
    """The same for scikit-learn's tree with its defaults, on one-hot columns; a path is a rule."""
    X = pd.get_dummies(X, dtype=float)
    tree, seconds = timed(DecisionTreeClassifier(random_state=0).fit, X.iloc[train], y.iloc[train])
    depth = tree.decision_path(X.iloc[train]).sum(1)
    leaves = pd.Series(np.asarray(depth).ravel() - 1).groupby(tree.apply(X.iloc[train])).first()
    shares = tree.predict_proba(X.iloc[test])
    return {'auc': macro_auc(y.iloc[test].to_numpy(), shares, tree.classes_), 'rules': len(leaves),
            'literals': int(leaves.sum()), 'cpu_seconds': seconds}


# ------------------------------------------------------------------ all of them

def tasks(names):
    """Dataset, fold and variant of everything that is asked for, and a function that gives the line."""
    for name, _, only in (name.partition(':') for name in names):
        X, y = chapter_table(name)
        for variant, options in VARIANTS.items():
            measure = cart_line if options is None else partial(turs_line, options)
            for fold, (train, test) in enumerate(chapter_folds(X, y)):
                if only in ('', str(fold)): yield name, fold, variant, partial(measure, X, y, train, test)
        print(name, flush=True)


def run(names):
    """Append the lines that are missing in the file."""
    for *key, line in tasks(names):
        if key not in TABLE: TABLE.append({**dict(zip(KEYS, key)), **line()})


def time_again(names):
    """Compute stored lines again, check them, and store the new time."""
    for name, fold, variant, line in tasks(names):
        table = stored('turs-folds')
        place = table.index[(table.dataset == name) & (table.fold == fold) & (table.variant == variant)]
        if not len(place): continue
        again = line()
        check(again, table.loc[place[0]])
        table.loc[place, 'cpu_seconds'] = float(f'{again["cpu_seconds"]:.6g}')
        table.to_csv(TABLE.path, index=False, lineterminator='\n')


def check(again, known):
    """Fail unless every number but the time is the stored one."""
    for key in again.keys() - {'cpu_seconds'}:
        if not np.isclose(again[key], known[key], rtol=1e-5, atol=1e-6):
            raise ValueError(f'{known.dataset}, fold {known.fold}, {known.variant}: '
                             f'{key} is {again[key]}, stored is {known[key]}')


def main(words):
    """Run, or time, the datasets that are named, or all."""
    warnings.simplefilter('ignore')
    TURSClassifier().fit(np.random.default_rng(0).random((200, 2)), np.arange(200) % 2)  # compiles
    names = [word for word in words if word != '--times']
    work = time_again if '--times' in words else run
    work(names or [*SMALL, *sorted({*ADBENCH, *OTHERS} - set(SMALL))])


if __name__ == '__main__': main(sys.argv[1:])
