"""How large the default penalty of RuleFit should be, and which penalty its CV class should take.

    RULEBOOK_DATA=... python -m tools.studies.rulefit_penalty

rulefit-penalty.csv: held-out measures, a line for each table and way of choosing, means over two of three
folds; at most MOST rows are learnt from.  `auto` with a number is the default with another share in place of
0.25; the CV class, with and without the rule of one standard error, is tried on one fold
of the tables of WITH_CV.  Labels with less than 20 rows are left out.
"""
import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from rulebook.ensembles import rulefit
from rulebook.ensembles.rulefit import RuleFitClassifier, RuleFitClassifierCV
from rulebook.io.datasets import load_dataset

from .rulefit_defaults import CHOSEN_ON
from .runner import write
from .which_model import calibration_error

SHARES, MOST = (.2, .25, .3), 2000
WITH_CV = 'german', 'pima', 'mammographic', 'haberman'


def measured(model, X, y):
    "Measures on rows held out."
    shares, classes = model.predict_proba(X), np.asarray(model.classes_)
    right = classes[shares.argmax(1)] == y.to_numpy()
    return {'log loss': log_loss(y, shares, labels=classes),
            'calibration error': calibration_error(right, shares.max(1)), 'rules': len(model.model_)}


def fitted(name, fold, X, y):
    "Each way of choosing, with its model."
    rules = RuleFitClassifier(5., random_state=0).fit(X, y).rules_
    for share in SHARES if name in CHOSEN_ON else ():
        rulefit.AUTO = share
        yield f'auto {share}', RuleFitClassifier(rules=rules).fit(X, y)
    for one in (False, True) if name in WITH_CV and not fold else ():
        model = RuleFitClassifierCV(one_standard_error=one, random_state=0)
        yield ('one standard error' if one else 'best'), model.fit(X, y)


def lines():
    "One line for each table and way."
    for name in dict.fromkeys([*CHOSEN_ON, *WITH_CV]):
        X, y = load_dataset(name)
        often = y.map(y.value_counts()) >= 20
        X, y = X[often], y[often]
        folds, found = StratifiedKFold(3, shuffle=True, random_state=0), []
        for fold, (train, test) in enumerate(list(folds.split(X, y))[:2]):
            if len(train) > MOST: train = np.random.default_rng(0).permutation(train)[:MOST]
            found += [{'table': name, 'way': way, **measured(model, X.iloc[test], y.iloc[test])}
                      for way, model in fitted(name, fold, X.iloc[train], y.iloc[train])]
        yield from pd.DataFrame(found).groupby(['table', 'way']).mean().round(4).reset_index().to_dict('records')


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    write('rulefit-penalty', lines())
