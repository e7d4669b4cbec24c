"""Logistic loss, smoothing, RuleFit and EBM on the folds of LIRE's paper: writes lire-loss.csv.

    RULEBOOK_DATA=folder python -m tools.studies.lire_loss [tables]

Every penalty is chosen by log-loss on a quarter of the training part (stratified, seed the fold) that neither
the forest nor the model has seen; the model is then fitted on the whole training part.  Lines that are in the
file are not made again.  EBM is fitted where `interpret` is installed and fold 0 or a table named in WITH_EBM
is at hand, since it takes up to two minutes a fold.
"""
import sys
import warnings
from importlib.util import find_spec

from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from rulebook.ensembles.lire import LIREClassifier
from rulebook.ensembles.rulefit import RuleFitClassifier
from rulebook.io.datasets import load_dataset

from .runner import Table, rounded, timed

GAMMAS = {"exponential": (.005, .002, .001, .0005, .0002), "logistic": (.002, .001, .0005, .0003)}
WITH_EBM = ("compas", "bank", "fico")
PENALTIES = (.02, .01, .005, .003, .002, .001, .0005)
TABLE = Table("lire-loss", ["data", "fold", "method", "accuracy", "F1", "AUC", "log_loss", "rules", "speak",
                            "linear", "penalty", "CPU seconds"], ["data", "fold", "method"])


def lire_path(X, y, fold, gammas, **options):
    """LIRE under each gamma, lambda twice that, on its own forest: pairs of gamma and model."""
    settings = [{"regularization": g, "local_regularization": 2 * g} for g in gammas]
    for point in LIREClassifier(random_state=fold, shrinkage=None, **options).fit_path(X, y, settings):
        yield point.settings["regularization"], point.model


def rulefit_path(X, y, fold, penalties, linear):
    """The same of RuleFit."""
    for point in RuleFitClassifier(linear=linear, random_state=fold).fit_path(X, y, penalties):
        yield point.regularization, point.model


def tuned(path, grid, X, y, fold, **options):
    """The model under the penalty that does best on a quarter held out, and that penalty."""
    Xa, Xb, ya, yb = train_test_split(X, y, test_size=.25, stratify=y, random_state=fold)
    scores = {}
    for penalty, model in path(Xa, ya, fold, grid, **options):
        chance = model.predict_proba(Xb)[:, 1].clip(1e-15, 1 - 1e-15)
        scores[penalty] = log_loss(yb == y.max(), chance)
    best = min(scores, key=scores.get)
    return list(path(X, y, fold, [penalty for penalty in grid if penalty >= best], **options))[-1][1], best


def ebm(X, y, fold):
    """The explainable boosting machine of `interpret`, by its defaults but for fewer bags."""
    from interpret.glassbox import ExplainableBoostingClassifier  # only where it is installed
    return ExplainableBoostingClassifier(outer_bags=4, n_jobs=1, random_state=fold).fit(X, y), None


WIDE = {"loss": "exponential", "smoothing": 1., "max_weight": 12.}
METHODS = {
    "LIRE, logistic": lambda *part: tuned(lire_path, GAMMAS["logistic"], *part, loss="logistic"),
    "LIRE, smoothed": lambda *part: tuned(lire_path, GAMMAS["exponential"], *part, **WIDE),
    "RuleFit": lambda *part: tuned(rulefit_path, PENALTIES, *part, linear=False),
    "RuleFit, linear": lambda *part: tuned(rulefit_path, PENALTIES, *part, linear=True),
    "EBM": ebm,
}


def measured(method, part, X, truth):
    """One line of the table: fitted to training rows, labels and the fold, measured on the test rows."""
    (model, penalty), seconds = timed(METHODS[method], *part)
    chance = model.predict_proba(X)[:, 1]
    found = {"accuracy": (truth == (chance > .5)).mean(), "F1": f1_score(truth, chance > .5),
             "AUC": roc_auc_score(truth, chance), "log_loss": log_loss(truth, chance.clip(1e-15, 1 - 1e-15))}
    if hasattr(model, "fired"):
        fired = model.fired(X)
        found |= {"rules": fired.shape[1], "speak": fired.sum(1).mean(), "linear": len(model.linear)}
    return {**found, "penalty": penalty, "CPU seconds": round(seconds, 2)}


def main(tables):
    """Run what is not in the file yet, fold by fold."""
    warnings.simplefilter("ignore")
    for fold in range(10):
        for data in tables:
            X, y = load_dataset(f"lire-{data}")
            train, test = list(StratifiedKFold(10).split(X, y))[fold]
            part, truth = (X.iloc[train], y.iloc[train], fold), y.iloc[test] == y.iloc[train].max()
            with_ebm = find_spec("interpret") is not None and (fold == 0 or data in WITH_EBM)
            for method in METHODS:
                if (data, fold, method) in TABLE or method == "EBM" and not with_ebm: continue
                found = measured(method, part, X.iloc[test], truth)
                TABLE.append(rounded({"data": data, "fold": fold, "method": method, **found}))


if __name__ == "__main__": main(sys.argv[1:] or ["bank", "compas", "heart", "fico", "adult"])
