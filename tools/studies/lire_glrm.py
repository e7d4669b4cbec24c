"""GLRM of aix360 beside RuleFit and LIRE on the folds of LIRE's paper: writes lire-glrm.csv.

    RULEBOOK_DATA=folder GLRM_PYTHON=... python -m tools.studies.lire_glrm [tables]

GLRM_PYTHON is the Python of an environment of its own, since aix360 needs a scikit-learn that still knows
`multi_class`:

    python3.11 -m venv glrm
    glrm/bin/pip install aix360==0.3.0 scikit-learn==1.5.2 cvxpy==1.5.3 numpy==1.26.4

Tables go there and answers come back through a folder.  GLRM is `LogisticRuleRegression` on
`FeatureBinarizer(negations=True)`, its cost per condition a fifth of its cost per rule, as in LIRE's paper,
all else by its defaults; its seconds include the binarizer.  Lines that are in the file are not made again.

`objective` is GLRM's own, the mean log-loss plus (lambda0 + lambda1 * conditions) |weight| summed over the
rules, least over the weights of the rules that the model has; it is measured at both values of lambda0 for
every model, on the training rows, by the solver of RuleFit.
"""
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from .runner import ROOT, Table, rounded, timed

LAMBDAS = (.005, .001)
KEYS = ["data", "fold", "method"]
TABLE = Table("lire-glrm", [*KEYS, "accuracy", "AUC", "log_loss", "rules", "conditions", "speak",
                            "CPU seconds", *(f"objective {value}" for value in LAMBDAS)], KEYS)
# what needs rulebook is imported in functions: the other environment runs this file too, and has none


class Answer(NamedTuple):
    """What a fitted model gives."""
    chance: np.ndarray   # of class 1, of the test rows
    fired: np.ndarray    # rules of the test rows, (rows, rules)
    covers: np.ndarray   # the same of the training rows
    lengths: np.ndarray  # conditions of each rule
    seconds: float       # of CPU


# ------------------------------------------------------------------ GLRM, in the other environment

def answer_glrm(folder, lambda0):
    """In the other environment: write what `glrm` reads."""
    from aix360.algorithms.rbm import FeatureBinarizer, LogisticRuleRegression  # only there
    X, y, rows = (pd.read_csv(folder / name) for name in ("X.csv", "y.csv", "rows.csv"))
    began = time.process_time()
    binarizer = FeatureBinarizer(negations=True)
    model = LogisticRuleRegression(lambda0=lambda0, lambda1=.2 * lambda0)
    train = binarizer.fit_transform(X)
    model.fit(train, y.iloc[:, 0])
    seconds, test = time.process_time() - began, binarizer.transform(rows)
    found = Answer(model.predict_proba(test), model.compute_conjunctions(test) > 0,
                   model.compute_conjunctions(train) > 0, model.z.sum().to_numpy(), seconds)
    np.savez(folder / "answer.npz", **found._asdict())


def glrm(X, y, rows, lambda0):
    """Ask the other environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table, file in ((X, "X.csv"), (y, "y.csv"), (rows, "rows.csv")):
            table.to_csv(folder / file, index=False)
        own = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        command = ["-W", "ignore", "-m", "tools.studies.lire_glrm", "--answer", name, str(lambda0)]
        subprocess.run([os.environ["GLRM_PYTHON"], *command], check=True, env=own, cwd=ROOT)
        found = np.load(folder / "answer.npz")
        return Answer(*(found[name] for name in Answer._fields))


# ------------------------------------------------------------------ ours

def ours(estimator, X, y, rows):
    """The same of an estimator of this package."""
    fitted, seconds = timed(estimator.fit, X, y)
    model = fitted.model_
    lengths = np.array([len(rule.literals) for rule in model.rules])
    return Answer(model.predict_proba(rows)[:, 1], model.fired(rows), model.fired(X), lengths, seconds)


def objective(covers, lengths, y, lambda0):
    """GLRM's objective, least over the weights of these rules; `covers` (n_rows, n_rules)."""
    from rulebook.ensembles.rulefit import L1Problem, _L1Fit, _L1Search  # not in the other environment
    size = -(-len(y) // 64) * 64
    columns, weight, target = np.zeros((size, covers.shape[1])), np.zeros(size), np.zeros(size)
    columns[:len(y)] = covers / (1 + .2 * lengths)
    weight[:len(y)], target[:len(y)] = 1., y
    none = np.zeros((0, size // 64), np.uint64)
    fit = _L1Fit(L1Problem(none, columns, weight, target, target.sum(), "logistic"))
    search = _L1Search([fit], lambda0)
    search.advance(1000)
    assert search.is_solved
    return search.objective


def methods(fold):
    """Every model by name: a function of training rows, labels and test rows."""
    from rulebook.ensembles.lire import LIREClassifier  # not in the other environment
    from rulebook.ensembles.rulefit import RuleFitClassifier  # likewise
    for lambda0 in LAMBDAS:
        yield f"GLRM {lambda0}", lambda *table, value=lambda0: glrm(*table, value)
        rulefit = RuleFitClassifier(lambda0, random_state=fold)
        yield f"RuleFit {lambda0}", lambda *table, model=rulefit: ours(model, *table)
    for gamma in (.002, .001):
        for name, options in (("LIRE", {}), ("LIRE, logistic", {"loss": "logistic"})):
            lire = LIREClassifier(gamma, shrinkage=None, random_state=fold, **options)
            yield f"{name} {gamma}", lambda *table, model=lire: ours(model, *table)


def line(found, known, truth):
    """One line of the table: an answer, the labels of the training rows and of the test rows."""
    from sklearn.metrics import log_loss, roc_auc_score  # this environment's
    costs = {f"objective {value}": objective(found.covers, found.lengths, known, value) for value in LAMBDAS}
    return {"accuracy": (truth == (found.chance > .5)).mean(), "AUC": roc_auc_score(truth, found.chance),
            "log_loss": log_loss(truth, found.chance.clip(1e-15, 1 - 1e-15)), "rules": found.fired.shape[1],
            "conditions": int(found.lengths.sum()), "speak": found.fired.sum(1).mean(),
            "CPU seconds": round(float(found.seconds), 2), **costs}


def main(tables):
    """Run what is not in the file yet."""
    from sklearn.model_selection import StratifiedKFold  # this environment's
    from rulebook.io.datasets import load_dataset  # not in the other environment
    warnings.simplefilter("ignore")
    for data in tables:
        X, y = load_dataset(f"lire-{data}")
        y = (y == y.max()).astype(int)
        for fold, (train, test) in enumerate(StratifiedKFold(10).split(X, y)):
            for method, fit in methods(fold):
                if (data, fold, method) in TABLE: continue
                answer = fit(X.iloc[train], y.iloc[train], X.iloc[test])
                found = line(answer, y.iloc[train].to_numpy(), y.iloc[test].to_numpy())
                TABLE.append(rounded({"data": data, "fold": fold, "method": method, **found}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]: answer_glrm(Path(sys.argv[2]), float(sys.argv[3]))
    else: main(sys.argv[1:] or ["compas", "bank"])
