"""Errors of SVM, set covering machine and decision list machine on the datasets of Sokolova et al. (2002),
Table 1.

    RULEBOOK_DATA=folder python -m tools.studies.dlm_table [--quick] [table ...]

writes dlm-table1.csv (paper's protocol: the best setting on the same ten folds; seeds of the folds 0, 1, 2,
and 0 to 7 for Bupa and Breast), dlm-nested.csv (each setting chosen within the training fold, by inner
five-fold cross-validation or by a bound) and dlm-settings.csv (the paper's own settings, eight seeds).  About
20 minutes of CPU; lines that are there are not computed again.
"""
import sys

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import SVC

from rulebook.balls.estimator import DecisionListMachine, SetCoveringMachine, best_setting, penalty_grid
from rulebook.io.datasets import load_dataset

from .runner import panel

INF = float('inf')
PENALTIES = (.1, .3, .9, 1, 1.1, 1.2, 1.4, 1.5, 1.8, 2, 2.1, 2.8, 4.8, 6, 7, INF)
SEEDS = {'bupa': 8, 'breast-w': 8}
COARSE = (.3, 1, 1.4, 2, 2.8, 6, INF)
SVM_GRID = {'C': [.1, 1, 10, 100, 1000], 'gamma': [1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, .1, .3, 1]}
TYPES = {'DLM': ('simple', 'complex'), 'SCM': ('conjunction', 'disjunction')}
KINDS = {'DLM': DecisionListMachine, 'SCM': SetCoveringMachine}
PAPER = {'metric': 'euclidean', 'max_centers': None}  # the machines as the paper has them
MACHINES = {label: [KINDS[label](name, max_rules=20, **PAPER) for name in names]
            for label, names in TYPES.items()}
CHOICES = ('cv_errors', 'bound_corrected', 'bound_tail', 'bound_paper', 'training_errors')

RUN = ('dataset', 'seed', 'machine')
TABLE1 = ['dataset', 'machine', 'seed', 'errors', 'type', 'penalty_negative', 'penalty_positive',
          'max_rules', 'penalty', 'size',
          'C', 'gamma']
NESTED = ['dataset', 'machine', 'chosen by', 'errors', 'balls']


# ------------------------------------------------------------------ protocols

def folds(seed, n_splits=10):
    "The folds of a seed."
    return KFold(n_splits, shuffle=True, random_state=seed)


def wrong_rows(machine, X, y, train, test):
    "Errors on the test rows of a machine that is fitted to the training rows, and the fitted machine."
    fitted = clone(machine).fit(X[train], y[train])
    return int((fitted.predict(X[test]) != y[test]).sum()), fitted


def grids(label, X, y, penalties, splits):
    "Type, machine and grid of penalties of both kinds of a machine."
    return [(name, machine, penalty_grid(machine, X, y, penalties, cv=splits))
            for name, machine in zip(TYPES[label], MACHINES[label])]


def paper_protocol(name, seed, data, _):
    "Best setting on the same folds, as in the paper: one line per machine."
    X, y = data
    for label in MACHINES:
        tried = grids(label, X, y, PENALTIES, folds(seed))
        kind, _, grid = min(tried, key=lambda found: found[2].cv_errors.min())
        yield {'machine': label, 'errors': int(grid.cv_errors.min()),
               'type': kind, **best_setting(grid, 'cv_errors')}
    search = GridSearchCV(SVC(max_iter=200_000), SVM_GRID, cv=folds(seed)).fit(X, y)
    found = [wrong_rows(search.best_estimator_, X, y, *split) for split in folds(seed).split(X)]
    yield {'machine': 'SVM', 'errors': sum(wrong for wrong, _ in found),
           'size': round(float(np.mean([len(svm.support_) for _, svm in found])), 1), **search.best_params_}


def nested(name, data, _, seed=0):
    "Errors on ten outer folds, the setting chosen on the nine others in five ways."
    X, y = data
    wrong = {(label, by): 0 for label in MACHINES for by in CHOICES} | {('SVM', 'cv_errors'): 0}
    balls = dict.fromkeys(wrong, 0)
    for train, test in folds(seed).split(X):
        for label in MACHINES:
            tried = grids(label, X[train], y[train], COARSE, folds(seed, 5))
            for by in CHOICES:
                _, machine, grid = min(tried, key=lambda found: found[2][by].min())
                chosen = clone(machine).set_params(**best_setting(grid, by))
                errors, fitted = wrong_rows(chosen, X, y, train, test)
                wrong[label, by] += errors
                balls[label, by] += len(fitted.model_) / 10
        svm = GridSearchCV(SVC(max_iter=200_000), SVM_GRID, cv=folds(seed, 5))
        wrong['SVM', 'cv_errors'] += wrong_rows(svm, X, y, train, test)[0]
    return [{'machine': label, 'chosen by': by, 'errors': errors,
             'balls': round(balls[label, by], 1)} for (label, by), errors in wrong.items()]


def own_settings(name, seed, data, _):
    "The paper's settings: errors over ten folds."
    for label, machine in paper_settings().get(name, []):
        yield {'machine': label,
               'errors': sum(wrong_rows(machine, *data, *split)[0] for split in folds(seed).split(data[0]))}


def paper_settings():
    "Table 1, as far as it can be read; for the rows from Votes to Bupa the penalties read row by row."
    def scm(model_type, p, s): return 'SCM', SetCoveringMachine(model_type, p, s).set_params(**PAPER)
    def dlm(balls, pp, pn, s): return 'DLM', DecisionListMachine(balls, pp, pn, s).set_params(**PAPER)
    glass = [scm('disjunction', INF, 2), dlm('complex', 4.8, INF, 12)]
    return {'breast-w': [scm('conjunction', 1.8, 2), dlm('complex', 2.1, 1, 2)],
            'votes 52': [scm('disjunction', .9, 1), dlm('simple', .1, .3, 1)],
            'pima': [scm('conjunction', 1.1, 3), dlm('complex', 1.5, 1.5, 6)],
            'haberman': [scm('conjunction', 1.4, 1), dlm('simple', 2, 2, 3)],
            'bupa': [scm('disjunction', 2.8, 9), dlm('complex', 2, 7, 4)],
            'glass float': glass, 'glass 2': glass,
            'credit': [scm('disjunction', 1.2, 4), dlm('complex', 1, INF, 11)]}


# ------------------------------------------------------------------ the paper's tables

def numbers(X):
    "Columns as floats; categories are integers in alphabetical order."
    columns = [X[c] if X[c].dtype.kind in 'if' else np.unique(X[c], return_inverse=True)[1] for c in X]
    return np.column_stack(columns).astype(float)


def complete(name, n=None):
    "The rows of a table without unknown cells, of the first n."
    X, y = load_dataset(name)
    keep = X.notna().all(axis=1) & (np.arange(len(X)) < (n or len(X)))
    return X[keep], y[keep]


def haberman():
    "The table without the rows whose values occur with both labels."
    X, y = complete('haberman')
    keep = y.groupby([X[c] for c in X]).transform('nunique') == 1
    return X[keep], y[keep]


def tables():
    "The datasets as in the paper: name to (float array, 0/1 labels)."
    def binary(table, positive):
        X, y = table
        return numbers(X), y.isin(positive).to_numpy(int)
    glass = complete('glass')
    return {'votes 52': binary(complete('votes', 100), ['democrat']),
            'votes 232': binary(complete('votes'), ['democrat']),
            'glass float': binary(glass, [1, 3]),
            'glass 2': binary(glass, [2]),
            'haberman': binary(haberman(), [2]),
            'bupa': binary(complete('bupa'), [2]),
            'breast-w': binary(complete('breast-w'), ['malignant']),
            'pima': binary(complete('pima'), [1]),
            'credit': binary(complete('credit'), ['+'])}


def seeds(n):
    "So many seeds in place of folds, each with all rows."
    return lambda X, y: dict.fromkeys(range(n), (None, None))


if __name__ == '__main__':
    words, found = sys.argv[1:], {name: lambda table=table: table for name, table in tables().items()}
    panel(own_settings, found, seeds(8), ['dataset', 'machine', 'seed', 'errors'], name='dlm-settings',
          keys=RUN)
    for name in [word for word in words if word != '--quick'] or found:
        more = {'only': [name, *(word for word in words if word == '--quick')]}
        panel(paper_protocol, found, seeds(SEEDS.get(name, 3)), TABLE1, name='dlm-table1', keys=RUN, **more)
        panel(nested, found, None, NESTED, name='dlm-nested', keys=NESTED[:3], **more)
        if '--quick' in words: break
