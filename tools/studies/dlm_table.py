"""Errors of SVM, set covering machine and decision list machine on the seven datasets of Sokolova et al. (2002), Table 1.

    RULEBOOK_DATA=folder python tools/studies/dlm_table.py

writes dlm-table1.csv (paper's protocol: the best setting on the same ten folds; seeds of the folds 0, 1, 2, and 0 to 7 for
Bupa and Breast),
dlm-nested.csv (each setting chosen within the training fold, by inner five-fold cross-validation or by a bound) and
dlm-settings.csv (the paper's own settings, eight seeds). About 20 minutes of CPU.
"""
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.svm import SVC

from rulebook.balls.estimator import DecisionListMachine, SetCoveringMachine, best_setting, penalty_grid

HERE, INF = Path(__file__).parent, float('inf')
PENALTIES = (.1, .3, .9, 1, 1.1, 1.2, 1.4, 1.5, 1.8, 2, 2.1, 2.8, 4.8, 6, 7, INF)
SEEDS = {'bupa': 8, 'breast-w': 8}
COARSE = (.3, 1, 1.4, 2, 2.8, 6, INF)
SVM_GRID = {'C': [.1, 1, 10, 100, 1000], 'gamma': [1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, .1, .3, 1]}
MACHINES = {'DLM': [DecisionListMachine('simple', max_rules=20), DecisionListMachine('complex', max_rules=20)],
            'SCM': [SetCoveringMachine('conjunction', max_rules=20), SetCoveringMachine('disjunction', max_rules=20)]}


def folds(seed, n_splits=10):
    return KFold(n_splits, shuffle=True, random_state=seed)


def kind(machine):
    return machine._balls()


def paper_protocol(name, X, y, seed):
    "Best setting on the same folds, as in the paper: one line per machine."
    for label, machines in MACHINES.items():
        grids = [(machine, penalty_grid(machine, X, y, PENALTIES, cv=folds(seed))) for machine in machines]
        machine, grid = min(grids, key=lambda pair: pair[1].cv_errors.min())
        setting = best_setting(grid, 'cv_errors')
        yield {'dataset': name, 'machine': label, 'seed': seed, 'errors': int(grid.cv_errors.min()), 'type': kind(machine), **setting}
    search = GridSearchCV(SVC(max_iter=200_000), SVM_GRID, cv=folds(seed)).fit(X, y)
    wrong, vectors = 0, []
    for train, test in folds(seed).split(X):
        svm = clone(search.best_estimator_).fit(X[train], y[train])
        wrong, vectors = wrong + int((svm.predict(X[test]) != y[test]).sum()), [*vectors, len(svm.support_)]
    yield {'dataset': name, 'machine': 'SVM', 'seed': seed, 'errors': wrong, 'size': round(float(np.mean(vectors)), 1),
           **search.best_params_}


def nested(name, X, y, seed=0):
    "Errors on ten outer folds, the setting chosen on the nine others in five ways."
    rules = ('cv_errors', 'bound_corrected', 'bound_tail', 'bound_paper', 'training_errors')
    wrong = {(label, by): 0 for label in MACHINES for by in rules} | {('SVM', 'cv_errors'): 0}
    balls = dict.fromkeys(wrong, 0)
    for train, test in folds(seed).split(X):
        for label, machines in MACHINES.items():
            grids = [(machine, penalty_grid(machine, X[train], y[train], COARSE, cv=folds(seed, 5))) for machine in machines]
            for by in rules:
                machine, grid = min(grids, key=lambda pair: pair[1][by].min())
                fitted = clone(machine).set_params(**best_setting(grid, by)).fit(X[train], y[train])
                wrong[label, by] += int((fitted.predict(X[test]) != y[test]).sum())
                balls[label, by] += len(fitted.model_) / 10
        svm = GridSearchCV(SVC(max_iter=200_000), SVM_GRID, cv=folds(seed, 5)).fit(X[train], y[train])
        wrong['SVM', 'cv_errors'] += int((svm.predict(X[test]) != y[test]).sum())
    return [{'dataset': name, 'machine': label, 'chosen by': by, 'errors': errors, 'balls': round(balls[label, by], 1)}
            for (label, by), errors in wrong.items()]


def own_settings(name, X, y, seeds=range(8)):
    "The paper's settings: errors over ten folds for each seed."
    for label, machine in paper_settings().get(name, []):
        for seed in seeds:
            wrong = sum(int((clone(machine).fit(X[a], y[a]).predict(X[b]) != y[b]).sum()) for a, b in folds(seed).split(X))
            yield {'dataset': name, 'machine': label, 'seed': seed, 'errors': wrong}


def paper_settings():
    "Table 1, as far as it can be read; for the rows from Votes to Bupa the penalties read row by row."
    def scm(model_type, p, s): return 'SCM', SetCoveringMachine(model_type, p, s)
    def dlm(balls, pp, pn, s): return 'DLM', DecisionListMachine(balls, pp, pn, s)
    glass = [scm('disjunction', INF, 2), dlm('complex', 4.8, INF, 12)]
    return {'breast-w': [scm('conjunction', 1.8, 2), dlm('complex', 2.1, 1, 2)],
            'votes 52': [scm('disjunction', .9, 1), dlm('simple', .1, .3, 1)],
            'pima': [scm('conjunction', 1.1, 3), dlm('complex', 1.5, 1.5, 6)],
            'haberman': [scm('conjunction', 1.4, 1), dlm('simple', 2, 2, 3)],
            'bupa': [scm('disjunction', 2.8, 9), dlm('complex', 2, 7, 4)],
            'glass float': glass, 'glass 2': glass,
            'credit': [scm('disjunction', 1.2, 4), dlm('complex', 1, INF, 11)]}


def tables():
    "The datasets as in the paper: name to (float array, 0/1 labels)."
    from rulebook.io.datasets import load_dataset
    def numbers(X):
        columns = [X[c] if X[c].dtype.kind in 'if' else np.unique(X[c], return_inverse=True)[1] for c in X]
        return np.column_stack(columns).astype(float)
    def complete(name, n=None):
        X, y = load_dataset(name)
        keep = X.notna().all(axis=1) & (np.arange(len(X)) < (n or len(X)))
        return X[keep], y[keep]
    votes, party = complete('votes')
    votes_52, party_52 = complete('votes', 100)
    credit, answer = complete('credit')
    glass, glass_type = complete('glass')
    breast, diagnosis = complete('breast-w')
    haberman, survival = complete('haberman')
    keep = survival.groupby([haberman[c] for c in haberman]).transform('nunique') == 1
    pima, diabetes = complete('pima')
    bupa, selector = complete('bupa')
    glass_values = numbers(glass)
    return {'votes 52': (numbers(votes_52), (party_52 == 'democrat').to_numpy(int)),
            'votes 232': (numbers(votes), (party == 'democrat').to_numpy(int)),
            'glass float': (glass_values, glass_type.isin([1, 3]).to_numpy(int)),
            'glass 2': (glass_values, (glass_type == 2).to_numpy(int)),
            'haberman': (numbers(haberman[keep]), (survival[keep] == 2).to_numpy(int)),
            'bupa': (numbers(bupa), (selector == 2).to_numpy(int)),
            'breast-w': (numbers(breast), (diagnosis == 'malignant').to_numpy(int)),
            'pima': (numbers(pima), diabetes.to_numpy(int)),
            'credit': (numbers(credit), (answer == '+').to_numpy(int))}


def main():
    lines = {'dlm-settings': [], 'dlm-table1': [], 'dlm-nested': []}
    for name, (X, y) in tables().items():
        lines['dlm-settings'] += own_settings(name, X, y)
        for seed in range(SEEDS.get(name, 3)): lines['dlm-table1'] += paper_protocol(name, X, y, seed)
        lines['dlm-nested'] += nested(name, X, y)
        for file, written in lines.items(): pd.DataFrame(written).to_csv(HERE / f'{file}.csv', index=False)
        print(name, len(y), flush=True)


if __name__ == '__main__': main()
