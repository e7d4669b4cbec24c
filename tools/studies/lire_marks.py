"""Objectives and seconds of LIRE, and its trade-offs on Adult: writes lire-marks.csv, lire-fits.csv and
lire-tradeoff.csv.

    RULEBOOK_DATA=folder python -m tools.studies.lire_marks

Seconds are CPU of one thread, compiled beforehand, the least of nine runs (of whole fits, of three); beside
them stands what the runner's yardstick took just then.  The forest is the authors': 100 trees of depth 3,
`random_state` the fold.
"""
import time
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from rulebook.columns import read_table
from rulebook.core import Budget
from rulebook.ensembles.forest import rules_of_trees, tree_matrix
from rulebook.ensembles.lire import LIREClassifier, empty_fit
from rulebook.ensembles.lire_search import LocalSearch
from rulebook.ensembles.rulefit import RuleFitClassifier
from rulebook.io.datasets import load_dataset

from .runner import quickest, rounded, write, yardstick

SETTINGS = {("compas", 0): (.005, .002, .001), ("compas", 1): (.005, .002, .001), ("heart", 0): (.001,),
            ("bank", 0): (.002, .001, .0005), ("bank", 1): (.002,), ("fico", 0): (.002, .0005),
            ("adult", 0): (.005, .002, .0005)}  # gamma by data and fold


def part(data, fold):
    """Training and test part of a fold, as the authors cut them."""
    X, y = load_dataset(f"lire-{data}")
    train, test = list(StratifiedKFold(10).split(X, y))[fold]
    return X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test]


def forest_rules(X, y, fold):
    """The rules of the authors' forest."""
    table = read_table(X)
    matrix, columns = tree_matrix(table)
    forest = RandomForestClassifier(100, max_depth=3, random_state=fold).fit(matrix, y)
    return rules_of_trees(forest, table, columns)


# ------------------------------------------------------------------ the search alone, and whole fits

def prepared(X, y, rules, max_weight=46.):
    """The problem of the search: candidate rules without a support yet."""
    codes, weights = (y == y.max()).to_numpy().astype(int), np.ones(len(y))
    estimator = LIREClassifier(rules=rules, shrinkage=None)
    estimator.classes_ = np.unique(y)
    candidates = estimator._candidate_rules(read_table(X), codes, weights, Budget())
    return empty_fit(estimator, candidates, codes, weights, max_weight)


def solved(X, y, rules, regularization, local_regularization):
    """Objective, loss and rules of the search, seconds to prepare it and to run it."""
    began = time.process_time()
    fit = prepared(X, y, rules)
    ready = time.process_time()
    search = LocalSearch(fit, regularization, local_regularization)
    while not search.advance(100):
        pass
    return {"objective": search.objective, "loss": fit.loss, "rules": len(fit.support),
            "seconds to prepare": ready - began, "seconds to solve": time.process_time() - ready}


def marks():
    """One line per setting of the comparison, and COMPAS without the local penalty."""
    for (data, fold), gammas in SETTINGS.items():
        X, y, _, _ = part(data, fold)
        rules = forest_rules(X, y, fold)
        for gamma in gammas:
            runs = [solved(X, y, rules, gamma, 2 * gamma) for _ in range(9)]
            best = {key: min(run[key] for run in runs) for key in runs[0]}
            yield {"data": data, "fold": fold, "regularization": gamma, "local_regularization": 2 * gamma,
                   **best, "yardstick": yardstick()}
    X, y, _, _ = part("compas", 0)
    yield {"data": "compas", "fold": 0, "regularization": .001, "local_regularization": 0.,
           **solved(X, y, forest_rules(X, y, 0), .001, 0.), "yardstick": yardstick()}


def whole_fits():
    """Seconds of a whole fit, forest and reading included."""
    for data in ("compas", "heart", "bank", "fico", "adult"):
        X, y, _, _ = part(data, 0)
        _, seconds = quickest(lambda X=X, y=y: LIREClassifier(.002, shrinkage=None, random_state=0).fit(X, y), 3)
        yield {"data": data, "whole fit, CPU seconds": seconds, "yardstick": yardstick()}


# ------------------------------------------------------------------ trade-offs

def estimators(X, y, fold):
    """Method, both penalties and estimator of every point, on the same rules of a forest."""
    rules = LIREClassifier(.001, rules=forest_rules(X, y, fold), shrinkage=None).fit(X, y).rules_
    grid = [(gamma, local) for local in (.1, .5, 1.) for gamma in (.0002, .0005, .001, .002, .005, .01)]
    grid += [(gamma, local) for gamma in (.0005, .001, .005) for local in (.001, .01, .05, .2, 2., 10.)]
    for gamma, local in sorted(set(grid)):
        yield "LIRE", gamma, local, LIREClassifier(gamma, local, rules=rules, shrinkage=None)
    for penalty in (.0005, .001, .0025, .005, .01, .025):
        yield "RuleFit", penalty, 0., RuleFitClassifier(penalty, rules=rules)


def tradeoff(folds=(0, 1, 2)):
    """Test results on Adult over both penalties, and of RuleFit over its one."""
    for fold in folds:
        X, y, rows, truth = part("adult", fold)
        for method, gamma, local, estimator in estimators(X, y, fold):
            fired, chance = estimator.fit(X, y).fired(rows), estimator.predict_proba(rows)[:, 1]
            good = truth == estimator.classes_[1]
            yield {"method": method, "fold": fold, "regularization": gamma, "local_regularization": local,
                   "accuracy": (good == (chance > .5)).mean(), "F1": f1_score(good, chance > .5),
                   "AUC": roc_auc_score(good, chance), "rules": fired.shape[1], "speak": fired.sum(1).mean()}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    LIREClassifier(n_estimators=10, shrinkage=None).fit(*part("heart", 0)[:2])  # compiles
    write("lire-marks", map(rounded, marks()))
    write("lire-fits", (rounded(line, 3) for line in whole_fits()))
    write("lire-tradeoff", map(rounded, tradeoff()))
