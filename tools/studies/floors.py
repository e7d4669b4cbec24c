"""A recall of 0.9 on new rows: a constraint on the training rows, a floor with a promise, and logistic regression.

    RULEBOOK_DATA=... python -m tools.studies.floors

Six tables with 1 to 6% positives, each divided six times at random into 70% and 30%, by class.  All learn from the
70%; recall and false alarms are counted on the 30%.

floors.csv: a line for each table, split and model.
- constraint: `RuleSetClassifier(constraints=['recall >= 0.9'])`, 3 seconds
- floor: `FloorClassifier(floor='recall >= 0.9')` with confidence 90%, 3 seconds for each list; `status` says whether
  it refused, `held_back` and `caught` how many positives were held back, and how many of them its list found
- logistic: logistic regression of standardised columns, with the largest threshold at which cross-validation in five
  folds finds 0.9 of the positives
"""
import os
import warnings
from math import ceil

os.environ.setdefault('NUMBA_NUM_THREADS', '1')  # before numba is imported
os.environ.setdefault('OMP_NUM_THREADS', '1')

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rulebook import FloorClassifier, RuleSetClassifier, load_dataset

from .runner import Table

FLOOR, SECONDS = .9, 3
SPLITS = range(10, 16)
TABLES = {  # all columns are numbers without missing cells, so none is one-hot
    'turs-mammography': 1, 'turs-thyroid': 1, 'turs-satimage-2': 1, 'turs-vowels': 1, 'turs-waveform-2': 1,
    'page-blocks': 2}  # the positive class
TABLE = Table('floors', ['table', 'split', 'model', 'status', 'positives', 'recall', 'alarms', 'rules', 'tests',
                         'held_back', 'caught', 'lists'], ['table', 'split', 'model'])


def halves(name, split):
    "The rows to learn from and the new ones; labels are 0 and 1."
    X, y = load_dataset(f'folder:{name}')
    y = (y.astype(int) == TABLES[name]).astype(int)
    X_train, X_new, y_train, y_new = train_test_split(X, y, test_size=.3, stratify=y, random_state=split)
    return (X_train, y_train), (X_new, y_new)


def rates(said, y):
    "Positives, recall and false alarms."
    yes = y.to_numpy() == 1
    return {'positives': int(yes.sum()), 'recall': float(said[yes].mean()), 'alarms': float(said[~yes].mean())}


def size(model):
    "Rules and tests of a list."
    return {'rules': len(model), 'tests': sum(len(rule.literals) for rule in model.rules)}


def constraint(train, new):
    "The plain constraint."
    model = RuleSetClassifier(.003, literal_penalty=.003, constraints=[f'recall >= {FLOOR}'], time_limit=SECONDS)
    try: model.fit(*train)
    except ValueError as error: return {'status': str(error)}
    return {'status': 'fitted', **rates(model.predict(new[0]) == 1, new[1]), **size(model.model_)}


def floor(train, new):
    "The floor with a promise."
    learner = RuleSetClassifier(time_limit=SECONDS)
    model = FloorClassifier(learner, floor=f'recall >= {FLOOR}', time_limit=None, random_state=0)
    try: model.fit(*train)
    except ValueError as error: return {'status': str(error)}
    promise = model.promise_
    return {'status': 'promised', **rates(model.predict(new[0]) == 1, new[1]), **size(model.model_),
            'held_back': promise.held_back, 'caught': promise.counted, 'lists': promise.tried}


def logistic(train, new):
    "Logistic regression with a threshold."
    (X, y), (X_new, y_new) = train, new
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    out_of_fold = cross_val_predict(model, X, y, cv=5, method='predict_proba')[:, 1]
    yes = np.sort(out_of_fold[y == 1])[::-1]
    threshold = yes[ceil(FLOOR * len(yes) - 1e-9) - 1]
    said = model.fit(X, y).predict_proba(X_new)[:, 1] >= threshold
    return {'status': 'fitted', **rates(said, y_new)}


def main():
    "Measure."
    warnings.simplefilter('ignore')  # stopped searches
    for name in TABLES:
        for split in SPLITS:
            for model in (constraint, floor, logistic):
                if (name, split, model.__name__) in TABLE: continue
                TABLE.append({'table': name, 'split': split, 'model': model.__name__, **model(*halves(name, split))})


if __name__ == '__main__': main()
