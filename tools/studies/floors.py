"""A recall of 0.9 on new rows: a constraint on the training rows, a floor with a promise, and logistic
regression.

    RULEBOOK_DATA=... python -m tools.studies.floors [--quick] [table ...]

Six tables with 1 to 6% positives, each divided six times at random into 70% and 30%, by class.  All learn
from the 70%; recall and false alarms are counted on the 30%.

floors.csv: a line for each table, split and model.
- constraint: `RuleSetClassifier(constraints=['recall >= 0.9'])`, 3 seconds
- floor: `FloorClassifier(floor='recall >= 0.9')` with confidence 90%, 3 seconds for each list; `status` says
  whether it refused, `held_back` and `caught` how many positives were held back, and how many of them its
  list found
- logistic: logistic regression of standardised columns, with the largest threshold at which cross-validation
  in five folds finds 0.9 of the positives
"""
from functools import partial
from math import ceil

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rulebook import FloorClassifier, RuleSetClassifier, load_dataset

from .runner import panel

FLOOR, SECONDS = .9, 3
TABLES = {  # all columns are numbers without missing cells, so none is one-hot
    'turs-mammography': 1, 'turs-thyroid': 1, 'turs-satimage-2': 1, 'turs-vowels': 1, 'turs-waveform-2': 1,
    'page-blocks': 2}  # the positive class
COLUMNS = ['table', 'split', 'model', 'status', 'positives', 'recall', 'alarms', 'rules', 'tests',
           'held_back', 'caught', 'lists']


def table(name):
    """A table; labels are 0 and 1."""
    X, y = load_dataset(f'folder:{name}')
    return X, (y.astype(int) == TABLES[name]).astype(int)


def splits(X, y):
    """Rows to learn from and the new ones."""
    return {seed: train_test_split(np.arange(len(y)), test_size=.3, stratify=y, random_state=seed)
            for seed in range(10, 16)}


def rates(said, y):
    """Positives, recall and false alarms."""
    yes = y.to_numpy() == 1
    return {'positives': int(yes.sum()), 'recall': float(said[yes].mean()),
            'alarms': float(said[~yes].mean())}


def of_lists(model, status, train, new):
    """What a learner of lists says, or that it refuses."""
    try: model.fit(*train)
    except ValueError as error: return {'status': str(error)}
    found, promise = model.model_, getattr(model, 'promise_', None)
    more = {} if promise is None else {'held_back': promise.held_back, 'caught': promise.counted,
                                       'lists': promise.tried}
    return {'status': status, **rates(model.predict(new[0]) == 1, new[1]), 'rules': len(found),
            'tests': sum(len(rule.literals) for rule in found.rules), **more}


def logistic(train, new):
    """Logistic regression with a threshold."""
    (X, y), (X_new, y_new) = train, new
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    out_of_fold = cross_val_predict(model, X, y, cv=5, method='predict_proba')[:, 1]
    yes = np.sort(out_of_fold[y == 1])[::-1]
    threshold = yes[ceil(FLOOR * len(yes) - 1e-9) - 1]
    return {'status': 'fitted', **rates(model.fit(X, y).predict_proba(X_new)[:, 1] >= threshold, y_new)}


GIVEN = f'recall >= {FLOOR}'
MODELS = {
    'constraint': partial(of_lists, RuleSetClassifier(.003, literal_penalty=.003, constraints=[GIVEN],
                                                      time_limit=SECONDS), 'fitted'),
    'floor': partial(of_lists, FloorClassifier(RuleSetClassifier(time_limit=SECONDS), floor=GIVEN,
                                               time_limit=None, random_state=0),
                     'promised'),
    'logistic': logistic}


if __name__ == '__main__':
    panel(MODELS, {name: partial(table, name) for name in TABLES}, splits, COLUMNS, name='floors',
          keys=COLUMNS[:3])
