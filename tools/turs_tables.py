"""The tables of the TURS chapter as its program sees them, its folds, and what it measures."""
import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from rulebook.io.datasets import load_dataset

ADBENCH = ['aloi', 'backdoor', 'glass-2', 'mammography', 'musk', 'optdigits', 'pendigits-2', 'satimage-2',
           'smtp', 'thyroid', 'vowels', 'waveform-2', 'wdbc']
OTHERS = ['backnote', 'chess', 'diabetes', 'ionosphere', 'magic', 'tic-tac-toe', 'anuran', 'avila', 'car',
          'contracept', 'drybeans', 'glass', 'heartcleveland', 'iris', 'pendigits', 'vehicle', 'waveform',
          'wine']
DATASETS = sorted([*ADBENCH, *OTHERS])  # the 31 of the chapter
LARGE = ['anuran', 'avila', 'backdoor', 'drybeans', 'magic', 'pendigits', 'waveform']  # take most of the time

CHAPTER = {'search': 'chapter'}  # options of the chapter's form

def chapter_table(name):
    """A table as the chapter's program sees it.

    Whole numbers of at most 20 values are categories (not in ADBench's arrays).  `glass-no-id` is glass
    without the number of the row.
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
    "Five folds: rows and labels to learn from, and those to be predicted. The chapter states no seed."
    for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
        yield X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test]

def macro_auc(y, shares, classes):
    "Mean over the classes of the area under the curve of one against the rest; of two, the second's."
    y, which = np.asarray(y), range(1, 2) if len(classes) == 2 else range(len(classes))
    present = [k for k in which if (y == classes[k]).any()]
    return float(np.mean([roc_auc_score(y == classes[k], shares[:, k]) for k in present]))

def asked(literal):
    "What a literal asks, as the chapter counts it: a column, or a column and its category."
    return literal.column + str(literal.value) * isinstance(literal.value, str)

def literals_of(model):
    "Literals of a fitted model, as the chapter counts them; two bounds of a column are one."
    return sum(len({asked(literal) for literal in rule.literals}) for rule in model.model_)
