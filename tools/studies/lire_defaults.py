"""LIRE by its defaults and in the paper's form: writes lire-defaults.csv and lire-growth.csv.

    RULEBOOK_DATA=folder python -m tools.studies.lire_defaults [folds] [classes] [growth]

folds    three stratified folds of small and middle tables: accuracy, AUC (over the classes one against the
         rest), log-loss beside that of the class shares, calibration error (mean over classes of the gap
         between chance and share in ten bins), rules, conditions, CPU seconds
classes  the first of three folds of tables of many classes, beside one estimator for each class
growth   lire-growth.csv: CPU seconds of 1,000 rows of two to eight classes, whole fits, by default and (to
         four classes) with rules chosen by the logistic loss of all classes

The paper's form is gamma = 0.001 with the weights as the search left them; it is given 30 seconds.  The
cost of a rule and the ridge were tuned on the tables of TUNED; the others are for checking.
"""
import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier

from rulebook.ensembles.lire import LIREClassifier
from rulebook.io.datasets import load_dataset

from .runner import Table, quickest, rounded, timed, write

TUNED = ("german", "mammographic", "housevotes", "contraceptive", "penguins", "vehicle")
CHECKED = ("compas", "tic-tac-toe", "haberman", "bupa", "pima", "breast-w", "credit", "heart", "cardio",
           "turs-heartcleveland", "turs-glass", "turs-car", "turs-vowels", "turs-ionosphere", "lire-bank",
           "wdbc", "iris", "turs-wine", "turs-waveform")
MANY = ("pendigits", "dry-bean", "turs-avila")
PAPER = {"regularization": .001, "shrinkage": None, "time_limit": 30}
METHODS = {"LIRE": lambda seed: LIREClassifier(random_state=seed),
           "paper's form": lambda seed: LIREClassifier(random_state=seed, **PAPER)}
AGAINST = {"LIRE": METHODS["LIRE"], "one against the rest": lambda seed: OneVsRestClassifier(LIREClassifier(
    random_state=seed))}
KEYS = ["data", "fold", "method"]
TABLE = Table("lire-defaults", [*KEYS, "tuned", "classes", "accuracy", "AUC", "log_loss", "shares", "calibration",
                                "rules", "conditions", "CPU seconds"], KEYS)


def calibration_error(chances, codes):
    """Mean over the classes of the gap between chances and shares in ten bins, weighed by their rows."""
    gaps = []
    for k, column in enumerate(chances.T):
        bins = np.minimum((10 * column).astype(int), 9)
        gaps.append(np.abs(np.bincount(bins, column - (codes == k), 10)).sum() / len(codes))
    return float(np.mean(gaps))


def models_of(fitted):
    """The rule sets of an estimator, or of those that it holds."""
    return [one.model_ for one in getattr(fitted, "estimators_", [fitted])]


def measured(fitted, X, y, known):
    """What a fit is worth on rows held out; `known` are the labels that it learnt from."""
    chances, classes = fitted.predict_proba(X), list(fitted.classes_)
    codes = np.array([classes.index(label) for label in y])
    shares = pd.Series(known).value_counts(normalize=True)[classes].to_numpy()
    auc = [roc_auc_score(codes == k, chances[:, k]) for k in np.unique(codes)]
    rules = [rule for model in models_of(fitted) for rule in model]
    return {"classes": len(classes), "accuracy": (chances.argmax(1) == codes).mean(), "AUC": np.mean(auc),
            "log_loss": -np.log(np.maximum(chances[np.arange(len(codes)), codes], 1e-15)).mean(),
            "shares": -np.log(shares[codes]).mean(), "calibration": calibration_error(chances, codes),
            "rules": len(rules), "conditions": sum(len(rule.literals) for rule in rules)}


def run(names, methods, n_folds):
    """Lines that are not in the file yet."""
    for name in names:
        X, y = load_dataset(name)
        splits = StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)
        for fold, (train, test) in enumerate(splits):
            for method in methods if fold < n_folds else ():
                if (name, fold, method) in TABLE: continue
                fit = methods[method](fold).fit
                fitted, seconds = timed(fit, X.iloc[train], y.iloc[train])
                line = measured(fitted, X.iloc[test], y.iloc[test], y.iloc[train])
                TABLE.append(rounded({"data": name, "fold": fold, "method": method, "tuned": int(name in TUNED),
                                      **line, "CPU seconds": seconds}))


# ------------------------------------------------------------------ time against the number of classes

def made(n_classes, n_rows=1000):
    """Eight columns, scores with a few interactions, and noise; the classes are about as large."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, 8)).round(2), columns=list("abcdefgh"))
    ways = rng.normal(size=(n_classes, 8))
    scores = 1.5 * X.to_numpy() @ ways.T + (X.to_numpy() > 0) @ rng.normal(size=(8, n_classes))
    return X, pd.Series((scores + rng.gumbel(size=scores.shape)).argmax(1))


def growth():
    """One line for each number of classes and loss."""
    for n_classes in (2, 3, 4, 6, 8):
        X, y = made(n_classes)
        for loss in ("exponential", "logistic") if n_classes <= 4 else ("exponential",):
            machine = LIREClassifier(loss=loss, random_state=0)
            fitted, seconds = quickest(lambda m=machine, X=X, y=y: m.fit(X, y), 3, until=2)
            yield rounded({"classes": n_classes, "loss": loss, "rules": len(fitted.model_),
                           "accuracy": fitted.score(X, y), "CPU seconds": seconds}, 3)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for n_made in (2, 3): LIREClassifier(n_estimators=5).fit(*made(n_made))  # compiles
    LIREClassifier(n_estimators=5, loss="logistic").fit(*made(3))
    wanted = sys.argv[1:] or ["folds", "classes", "growth"]
    if "folds" in wanted: run(TUNED + CHECKED, METHODS, 3)
    if "classes" in wanted: run(MANY, AGAINST, 1)
    if "growth" in wanted: write("lire-growth", growth())
