"""Objectives and seconds of LIRE, and its trade-offs on Adult: writes lire-marks.csv and lire-tradeoff.csv beside this file.

    RULEBOOK_DATA=folder OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tools/studies/lire_marks.py

Seconds are CPU of one thread, compiled beforehand, the least of nine runs (of whole fits, of three); beside them stands what the work of
yardstick.py took just then.  The forest is the authors': 100 trees of depth 3, `random_state` the fold.
"""
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from rulebook.core import Budget
from rulebook.io.datasets import load_dataset
from rulebook.ensembles.forest import rules_of_trees, tree_matrix
from rulebook.ensembles.lire import LIREClassifier
from rulebook.ensembles.lire_search import LocalSearch
from rulebook.ensembles.rulefit import RuleFitClassifier
from rulebook.columns import read_table
from yardstick import yardstick

RESULTS = Path(__file__).parent
SETTINGS = [("compas", 0, .005), ("compas", 0, .002), ("compas", 0, .001), ("compas", 1, .005), ("compas", 1, .002), ("compas", 1, .001),
            ("heart", 0, .001), ("bank", 0, .002), ("bank", 0, .001), ("bank", 0, .0005), ("bank", 1, .002), ("fico", 0, .002),
            ("fico", 0, .0005), ("adult", 0, .005), ("adult", 0, .002), ("adult", 0, .0005)]


def part(data, fold):
    """Training and test part of a fold, as the authors cut them."""
    X, y = load_dataset(f"lire-{data}")
    train, test = list(StratifiedKFold(10).split(X, y))[fold]
    return X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test]


def forest_rules(X, y, fold):
    """The rules of the authors' forest."""
    matrix, columns = tree_matrix(read_table(X))
    return rules_of_trees(RandomForestClassifier(100, max_depth=3, random_state=fold).fit(matrix, y), matrix, columns)


def solved(X, y, rules, regularization, local_regularization, max_weight=46.):
    """Objective, loss and rules of the search, seconds to prepare it and to run it."""
    codes, weights = (y == y.max()).to_numpy().astype(int), np.ones(len(y))
    estimator = LIREClassifier(rules=rules)
    estimator.classes_ = np.unique(y)
    began = time.process_time()
    fit = estimator._fit_of(estimator._candidate_rules(read_table(X), codes, weights, Budget()), codes, weights, max_weight)
    prepared = time.process_time()
    search = LocalSearch(fit, regularization, local_regularization)
    while not search.advance(100):
        pass
    return {"objective": search.objective, "loss": fit.loss, "rules": len(fit.support), "seconds to prepare": prepared - began,
            "seconds to solve": time.process_time() - prepared}


def marks():
    """One line per setting of the comparison, and COMPAS without the local penalty."""
    for data, fold, regularization in SETTINGS:
        X, y, _, _ = part(data, fold)
        rules = forest_rules(X, y, fold)
        runs = [solved(X, y, rules, regularization, 2 * regularization) for _ in range(9)]
        best = {key: min(run[key] for run in runs) for key in runs[0]}
        yield {"data": data, "fold": fold, "regularization": regularization, "local_regularization": 2 * regularization, **best,
               "yardstick": yardstick()}
    X, y, _, _ = part("compas", 0)
    yield {"data": "compas", "fold": 0, "regularization": .001, "local_regularization": 0.,
           **solved(X, y, forest_rules(X, y, 0), .001, 0.), "yardstick": yardstick()}


def whole_fits():
    """Seconds of a whole fit, forest and reading included."""
    for data in ("compas", "heart", "bank", "fico", "adult"):
        X, y, _, _ = part(data, 0)
        seconds = []
        for _ in range(3):
            began = time.process_time()
            LIREClassifier(.002, random_state=0).fit(X, y)
            seconds.append(time.process_time() - began)
        yield {"data": data, "whole fit, CPU seconds": min(seconds), "yardstick": yardstick()}


def tradeoff(folds=(0, 1, 2)):
    """Test results on Adult over both penalties, and of RuleFit over its one."""
    grid = [(g, local) for local in (.1, .5, 1.) for g in (.0002, .0005, .001, .002, .005, .01)]
    grid += [(g, local) for g in (.0005, .001, .005) for local in (.001, .01, .05, .2, 2., 10.)]
    for fold in folds:
        X, y, rows, truth = part("adult", fold)
        rules = LIREClassifier(rules=forest_rules(X, y, fold)).fit(X, y).rules_
        fits = [("LIRE", g, local, LIREClassifier(g, local, rules=rules)) for g, local in sorted(set(grid))]
        fits += [("RuleFit", g, 0., RuleFitClassifier(g, rules=rules)) for g in (.0005, .001, .0025, .005, .01, .025)]
        for method, g, local, estimator in fits:
            fired, chance = estimator.fit(X, y).fired(rows), estimator.predict_proba(rows)[:, 1]
            good = truth == estimator.classes_[1]
            yield {"method": method, "fold": fold, "regularization": g, "local_regularization": local,
                   "accuracy": (good == (chance > .5)).mean(), "F1": f1_score(good, chance > .5), "AUC": roc_auc_score(good, chance),
                   "rules": fired.shape[1], "speak": fired.sum(1).mean()}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    LIREClassifier(n_estimators=10).fit(*part("heart", 0)[:2])
    pd.DataFrame(marks()).round(6).to_csv(RESULTS / "lire-marks.csv", index=False)
    pd.DataFrame(whole_fits()).round(3).to_csv(RESULTS / "lire-fits.csv", index=False)
    pd.DataFrame(tradeoff()).round(6).to_csv(RESULTS / "lire-tradeoff.csv", index=False)
