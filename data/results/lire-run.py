"""Ten-fold results of LIRE on the five tables of its paper: writes lire-folds.csv beside this file.

python data/results/lire-run.py compas heart ...   (RULEBOOK_DATA must name the folder with the papers' data)

Folds as in the authors' code: ten, stratified, in the order of the rows.  Penalties are chosen inside each training part.
"""
import sys
import time
import warnings
from pathlib import Path

import pandas as pd
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from rulebook.datasets import load_dataset
from rulebook.lire import LIREClassifier, LIREClassifierCV
from rulebook.rulefit import RuleFitClassifier

RESULTS = Path(__file__).with_name("lire-folds.csv")


def measured(data, fold, name, estimator, X, y, seconds, settings):
    """One line of the table: the estimator on the rows held out."""
    truth, chance, fired = y == estimator.classes_[1], estimator.predict_proba(X)[:, 1], estimator.fired(X)
    return {"data": data, "fold": fold, "method": name, "accuracy": (truth == (chance > .5)).mean(), "F1": f1_score(truth, chance > .5),
            "AUC": roc_auc_score(truth, chance), "rules": fired.shape[1], "speak": fired.sum(1).mean(), "CPU seconds": seconds, **settings}


def one_fold(data, X, y, fold, train, test):
    """One line per method; LIRE with both choices from one cross-validation inside the training part."""
    def fitted(name, estimator, **settings):
        before = time.process_time()
        estimator.fit(X.iloc[train], y.iloc[train])
        seconds = time.process_time() - before
        settings = settings or getattr(estimator, "best_", {})
        return measured(data, fold, name, estimator, X.iloc[test], y.iloc[test], seconds, settings), estimator
    tuned = LIREClassifierCV(n_folds=3, local_ratios=(2.0, 20.0), max_weights=(2.0, 12.0), random_state=fold)
    careful, search = fitted("LIRE, one standard error", tuned)
    found = search.cv_results_
    best = found.loc[found["log_loss"].idxmin(), ["max_weight", "regularization", "local_regularization"]].to_dict()
    yield careful
    yield fitted("LIRE", LIREClassifier(rules=search.rules_, **best), **best)[0]
    yield fitted("RuleFit", RuleFitClassifier(rules=search.rules_), regularization=0.003)[0]


def main(arguments):
    """Run the folds that are not in the file yet."""
    warnings.simplefilter("ignore")
    lines = pd.read_csv(RESULTS).to_dict("records") if RESULTS.exists() else []
    for data in arguments:
        X, y = load_dataset(f"lire-{data}")
        for fold, (train, test) in enumerate(StratifiedKFold(10).split(X, y)):
            if any(line["data"] == data and line["fold"] == fold for line in lines):
                continue
            lines += one_fold(data, X, y, fold, train, test)
            pd.DataFrame(lines).round(6).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main(sys.argv[1:])
