"""Five-fold cross-validation behind nbs/papers/turs.ipynb: writes turs-folds.csv, one line per dataset, fold
and variant.

    RULEBOOK_DATA=/folder/with/catalogue.csv python -m tools.studies.turs_run [--quick] [dataset ...]
    python -m tools.studies.turs_run local-test

The second writes turs-local-test.csv, Table 3.6 of the chapter: simulations with one true rule, 100 with the
local test and 20 without.
"""
import sys
from functools import partial

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from rulebook.io.datasets import load_dataset
from rulebook.turs.estimator import TURSClassifier

from .runner import Table, panel, rounded, timed

ADBENCH = ['aloi', 'backdoor', 'glass-2', 'mammography', 'musk', 'optdigits', 'pendigits-2', 'satimage-2',
           'smtp', 'thyroid', 'vowels', 'waveform-2', 'wdbc']
OTHERS = ['backnote', 'chess', 'diabetes', 'ionosphere', 'magic', 'tic-tac-toe', 'anuran', 'avila', 'car',
          'contracept', 'drybeans', 'glass', 'heartcleveland', 'iris', 'pendigits', 'vehicle', 'waveform',
          'wine']
SMALL = ['iris', 'wine', 'glass', 'glass-no-id']  # they come first
CHAPTER = {'search': 'chapter'}
VARIANTS = {'TURS': CHAPTER, 'no aux beam': CHAPTER | {'aux_beam': False},
            'no diversity': CHAPTER | {'diverse_patience': False}, 'CART': None}
COLUMNS = ['dataset', 'fold', 'variant', 'auc', 'auc_random', 'overlap', 'rules', 'literals', 'g', 'bits',
           'cpu_seconds']


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


def turs_line(options, train, test):
    """Fit and measure one fold."""
    model, seconds = timed(TURSClassifier(options=options).fit, *train)
    new, held = test[0], test[1].to_numpy()
    drawn = [model.predict_proba(new, overlap='random', random_state=seed) for seed in range(10)]
    return {'auc': macro_auc(held, model.predict_proba(new), model.classes_),
            'auc_random': np.mean([macro_auc(held, shares, model.classes_) for shares in drawn]),
            'overlap': (model.fired(new).sum(1) > 1).mean(),
            'rules': len(model.model_),
            'literals': sum(len({asked(literal) for literal in rule.literals}) for rule in model.model_),
            'g': model.generalization(new, held).score,
            'bits': model.mdl_score_.total,
            'cpu_seconds': seconds}


def cart_line(train, test):
    """The same for scikit-learn's tree with its defaults, on one-hot columns; a path is a rule."""
    X = pd.get_dummies(pd.concat([train[0], test[0]]), dtype=float)
    known, new = X.iloc[:len(train[0])], X.iloc[len(train[0]):]
    tree, seconds = timed(DecisionTreeClassifier(random_state=0).fit, known, train[1])
    depth = tree.decision_path(known).sum(1)
    leaves = pd.Series(np.asarray(depth).ravel() - 1).groupby(tree.apply(known)).first()
    return {'auc': macro_auc(test[1].to_numpy(), tree.predict_proba(new), tree.classes_),
            'rules': len(leaves),
            'literals': int(leaves.sum()), 'cpu_seconds': seconds}


# ------------------------------------------------------------------ one true rule

def one_true_rule(seed, n=5000):
    """Fifty coin flips, of which the first alone matters."""
    rng = np.random.default_rng(seed)
    flips = (rng.random((n, 50)) < np.array([.2] + [.5] * 49)).astype(int)
    answers = (rng.random(n) < np.where(flips[:, 0] == 1, .7, .95)).astype(int)
    return pd.DataFrame(flips, columns=[f'x{j + 1}' for j in range(50)]), answers


def simulated(seed, local_test):
    """Fit one simulation and measure it on another."""
    model = TURSClassifier(options={'local_test': local_test, 'search': 'chapter'}).fit(*one_true_rule(seed))
    X, y = one_true_rule(10_000 + seed)
    lengths = [len(rule.literals) for rule in model.model_]
    return rounded({'seed': seed, 'local_test': local_test, 'rules': len(lengths),
                    'length': float(np.mean(lengths)),
                    'auc': roc_auc_score(y, model.predict_proba(X)[:, 1]), 'bits': model.mdl_score_.total,
                    'g': model.generalization(X, y).score})


def local_test():
    """Run the simulations that are not in the table yet."""
    table = Table('turs-local-test', ['seed', 'local_test', 'rules', 'length', 'auc', 'bits', 'g'],
                  ['seed', 'local_test'])
    for seed, tested in [*((seed, True) for seed in range(100)), *((seed, False) for seed in range(20))]:
        if (seed, tested) not in table: table.append(simulated(seed, tested))


if __name__ == '__main__':
    models = {name: cart_line if options is None else partial(turs_line, options) for name,
              options in VARIANTS.items()}
    names = [*SMALL, *sorted({*ADBENCH, *OTHERS} - set(SMALL))]
    if 'local-test' in sys.argv: local_test()
    else:
        TURSClassifier().fit(np.random.default_rng(0).random((200, 2)), np.arange(200) % 2)  # compiles
        panel(models, {name: partial(chapter_table, name) for name in names}, chapter_folds, COLUMNS,
              name='turs-folds',
              keys=COLUMNS[:3], number='.6g')
