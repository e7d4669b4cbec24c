"""Ten-fold results of LIRE on the five tables of its paper: writes lire-folds.csv beside this file.

    RULEBOOK_DATA=folder OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tools/studies/lire_run.py compas heart bank fico adult

Folds as in the authors' code: ten, stratified, in the order of the rows.  All that is chosen is chosen by three-fold cross-validated
log-loss inside each training part, on forests that have not seen what they are judged on: gamma, lambda / gamma, and whether the weights
of the rules found are fitted again by logistic regression with an L1 penalty (RuleFit on these rules), and with which penalty.  Lines that
are in the file are not made again.
"""
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from rulebook.io.datasets import load_dataset
from rulebook.ensembles.forest import cross_validate
from rulebook.ensembles.lire import LIREClassifier
from rulebook.ensembles.rulefit import RuleFitClassifier
from rulebook.columns import read_table

RESULTS = Path(__file__).with_name("lire-folds.csv")
GAMMAS, RATIOS, SHRINK = (.005, .002, .001, .0005, .0002, .0001), (2., 20.), (0., .0003, .001)
GRID = [{"regularization": gamma, "local_regularization": ratio * gamma, "shrink": shrink}
        for ratio in RATIOS for gamma in GAMMAS for shrink in SHRINK]


def path(X, y, weights, rules, settings):
    """One model for each of the settings, whose `shrink` vary fastest; 0 leaves the weights as the search has fitted them."""
    penalties = [{name: one[name] for name in ("regularization", "local_regularization")} for one in settings]
    distinct = list({tuple(one.values()): one for one in penalties}.values())
    found = {}
    for point in LIREClassifier(rules=rules, max_weight=12.).fit_path(X, y, distinct, sample_weight=weights):
        found[tuple(point.settings.values())] = point.model
    for one, penalty in zip(settings, penalties):
        model = found[tuple(penalty.values())]
        if one["shrink"] and len(model):
            model = RuleFitClassifier(one["shrink"], rules=model).fit(X, y, sample_weight=weights).model_
        yield model


def forest_rules(X, y, weights, fold):
    """Candidates of a forest grown on these rows."""
    return LIREClassifier(.5, random_state=fold).fit(X, y, sample_weight=weights).rules_


def choices(results):
    """Places in the grid: the least log-loss, and within one standard error of it the model least in rules and in rules that speak."""
    best = results["loss"].idxmin()
    near = results[results["loss"] <= results.loc[best, "loss"] + results.loc[best, "error"]]
    size = near["rules"] / results.loc[best, "rules"] + near["speak"] / results.loc[best, "speak"]
    return {"LIRE": best, "LIRE, one standard error": size.idxmin()}


def measured(data, fold, name, model, X, truth, seconds, settings):
    """One line of the table: the model on the rows held out."""
    chance, fired = model.predict_proba(X)[:, 1], model.fired(X)
    return {"data": data, "fold": fold, "method": name, "accuracy": (truth == (chance > .5)).mean(), "F1": f1_score(truth, chance > .5),
            "AUC": roc_auc_score(truth, chance), "rules": fired.shape[1], "speak": fired.sum(1).mean(), "CPU seconds": seconds, **settings}


def one_fold(data, X, y, fold, train, test):
    """One line per method."""
    began = time.process_time()
    codes, rows, weights = (y == y.max()).to_numpy().astype(int), X.iloc[train], np.ones(len(train))

    def fit_all(table, target, rest):
        part = pd.DataFrame(table)
        return path(part, target, rest, forest_rules(part, target, rest, fold), GRID)

    results = cross_validate(fit_all, read_table(rows), codes[train], codes[train], weights, 3)
    rules = forest_rules(rows, codes[train], weights, fold)
    searched = time.process_time() - began
    for name, place in choices(results).items():
        began = time.process_time()
        model = next(path(rows, codes[train], weights, rules, [GRID[place]]))
        seconds = time.process_time() - began + (searched if name == "LIRE" else 0.)
        yield measured(data, fold, name, model, X.iloc[test], codes[test] == 1, seconds, GRID[place])
    began = time.process_time()
    model = RuleFitClassifier(.003, rules=rules).fit(rows, codes[train]).model_
    yield measured(data, fold, "RuleFit", model, X.iloc[test], codes[test] == 1, time.process_time() - began, {"regularization": .003})


def main(arguments):
    """Run the folds that are not in the file yet."""
    warnings.simplefilter("ignore")
    lines = pd.read_csv(RESULTS).to_dict("records") if RESULTS.exists() else []
    for data in arguments:
        X, y = load_dataset(f"lire-{data}")
        for fold, (train, test) in enumerate(StratifiedKFold(10).split(X, y)):
            if any((line["data"], line["fold"]) == (data, fold) for line in lines):
                continue
            lines += one_fold(data, X, y, fold, train, test)
            pd.DataFrame(lines).round(6).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
