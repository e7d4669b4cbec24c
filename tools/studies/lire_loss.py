"""Logistic loss, smoothing, RuleFit and EBM on the folds of LIRE's paper: writes lire-loss.csv beside this file.

    RULEBOOK_DATA=folder OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tools/studies/lire_loss.py [tables]

Every penalty is chosen by log-loss on a quarter of the training part (stratified, seed the fold) that neither the forest nor the model
has seen; the model is then fitted on the whole training part.  Lines that are in the file are not made again.  EBM is fitted where
`interpret` is installed and fold 0 or a table named in WITH_EBM is at hand, since it takes up to two minutes a fold.
"""
import sys
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from rulebook.io.datasets import load_dataset
from rulebook.ensembles.lire import LIREClassifier
from rulebook.ensembles.rulefit import RuleFitClassifier

RESULTS = Path(__file__).with_name("lire-loss.csv")
GAMMAS = {"exponential": (.005, .002, .001, .0005, .0002), "logistic": (.002, .001, .0005, .0003)}
WITH_EBM = ("compas", "bank", "fico")
PENALTIES = (.02, .01, .005, .003, .002, .001, .0005)


def lire_path(loss, fold, gammas, **options):
    """A function that fits LIRE under each gamma, lambda twice that, on its own forest; yields (gamma, model)."""
    def fit(X, y):
        settings = [{"regularization": g, "local_regularization": 2 * g} for g in gammas]
        for point in LIREClassifier(loss=loss, random_state=fold, **options).fit_path(X, y, settings):
            yield point.settings["regularization"], point.model
    return fit


def rulefit_path(fold, penalties, linear):
    """The same for RuleFit."""
    def fit(X, y):
        for point in RuleFitClassifier(linear=linear, random_state=fold).fit_path(X, y, penalties):
            yield point.regularization, point.model
    return fit


def tuned(path, grid, fold, X, y):
    """The model under the penalty that does best on a quarter held out, and that penalty."""
    Xa, Xb, ya, yb = train_test_split(X, y, test_size=.25, stratify=y, random_state=fold)
    scores = {g: log_loss(yb == y.max(), model.predict_proba(Xb)[:, 1].clip(1e-15, 1 - 1e-15)) for g, model in path(grid)(Xa, ya)}
    best = min(scores, key=scores.get)
    return list(path([g for g in grid if g >= best])(X, y))[-1][1], best


def ebm(X, y, fold):
    """The explainable boosting machine of `interpret`, by its defaults but for fewer bags."""
    from interpret.glassbox import ExplainableBoostingClassifier
    return ExplainableBoostingClassifier(outer_bags=4, n_jobs=1, random_state=fold).fit(X, y), None


METHODS = {
    "LIRE, logistic": lambda X, y, f: tuned(lambda g: lire_path("logistic", f, g), GAMMAS["logistic"], f, X, y),
    "LIRE, smoothed": lambda X, y, f: tuned(lambda g: lire_path("exponential", f, g, smoothing=1., max_weight=12.),
                                            GAMMAS["exponential"], f, X, y),
    "RuleFit": lambda X, y, f: tuned(lambda g: rulefit_path(f, g, False), PENALTIES, f, X, y),
    "RuleFit, linear": lambda X, y, f: tuned(lambda g: rulefit_path(f, g, True), PENALTIES, f, X, y),
    "EBM": ebm,
}


def measured(data, fold, method, X, y, Xt, yt):
    """One line of the table."""
    began = time.process_time()
    model, penalty = METHODS[method](X, y, fold)
    seconds, chance, truth = time.process_time() - began, model.predict_proba(Xt)[:, 1], yt == y.max()
    fired = model.fired(Xt) if hasattr(model, "fired") else None
    return {"data": data, "fold": fold, "method": method, "accuracy": (truth == (chance > .5)).mean(), "F1": f1_score(truth, chance > .5),
            "AUC": roc_auc_score(truth, chance), "log_loss": log_loss(truth, chance.clip(1e-15, 1 - 1e-15)),
            "rules": None if fired is None else fired.shape[1], "speak": None if fired is None else fired.sum(1).mean(),
            "linear": None if fired is None else len(model.linear), "penalty": penalty, "CPU seconds": round(seconds, 2)}


def main(tables):
    """Run what is not in the file yet, fold by fold."""
    warnings.simplefilter("ignore")
    lines = pd.read_csv(RESULTS).to_dict("records") if RESULTS.exists() else []
    for fold in range(10):
        for data in tables:
            X, y = load_dataset(f"lire-{data}")
            train, test = list(StratifiedKFold(10).split(X, y))[fold]
            with_ebm = find_spec("interpret") is not None and (fold == 0 or data in WITH_EBM)
            for method in METHODS:
                done = any((line["data"], line["fold"], line["method"]) == (data, fold, method) for line in lines)
                if done or method == "EBM" and not with_ebm:
                    continue
                lines.append(measured(data, fold, method, X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test]))
                pd.DataFrame(lines).round(6).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    main(sys.argv[1:] or ["bank", "compas", "heart", "fico", "adult"])
