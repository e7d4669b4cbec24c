"""GLRM of aix360 beside RuleFit and LIRE on the folds of LIRE's paper: writes lire-glrm.csv beside this file.

    RULEBOOK_DATA=folder OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 GLRM_PYTHON=... python tools/studies/lire_glrm.py [tables]

GLRM_PYTHON is the Python of an environment of its own, since aix360 needs a scikit-learn that still knows `multi_class`:

    python3.11 -m venv glrm && glrm/bin/pip install aix360==0.3.0 scikit-learn==1.5.2 cvxpy==1.5.3 numpy==1.26.4

Tables go there and answers come back through a folder.  GLRM is `LogisticRuleRegression` on `FeatureBinarizer(negations=True)`, its cost
per condition a fifth of its cost per rule, as in LIRE's paper, all else by its defaults; its seconds include the binarizer.  Lines that are
in the file are not made again.

`objective` is GLRM's own, the mean log-loss plus (lambda0 + lambda1 * conditions) |weight| summed over the rules, least over the weights of
the rules that the model has; it is measured at both values of lambda0 for every model, on the training rows, by the solver of RuleFit.
"""
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

RESULTS = Path(__file__).with_name("lire-glrm.csv")
LAMBDAS = (.005, .001)


def answer_glrm(folder, lambda0):
    """In the other environment: write what `glrm` reads."""
    from aix360.algorithms.rbm import FeatureBinarizer, LogisticRuleRegression
    X, y, rows = (pd.read_csv(folder / name) for name in ("X.csv", "y.csv", "rows.csv"))
    began = time.process_time()
    binarizer, model = FeatureBinarizer(negations=True), LogisticRuleRegression(lambda0=lambda0, lambda1=.2 * lambda0)
    train = binarizer.fit_transform(X)
    model.fit(train, y.iloc[:, 0])
    seconds, test = time.process_time() - began, binarizer.transform(rows)
    np.savez(folder / "answer.npz", seconds=seconds, chance=model.predict_proba(test), covers=model.compute_conjunctions(train) > 0,
             fired=model.compute_conjunctions(test) > 0, lengths=model.z.sum().to_numpy())


def glrm(X, y, rows, lambda0):
    """Ask the other environment: chances, rules that hold in test and training rows, their lengths, seconds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table, file in ((X, "X.csv"), (y, "y.csv"), (rows, "rows.csv")):
            table.to_csv(folder / file, index=False)
        own = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        subprocess.run([os.environ["GLRM_PYTHON"], "-W", "ignore", __file__, "--answer", name, str(lambda0)], check=True, env=own)
        found = np.load(folder / "answer.npz")
        return found["chance"], found["fired"], found["covers"], found["lengths"], float(found["seconds"])


def ours(estimator, X, y, rows):
    """The same of an estimator of this package."""
    began = time.process_time()
    model = estimator.fit(X, y).model_
    seconds = time.process_time() - began
    lengths = np.array([len(rule.literals) for rule in model.rules])
    return model.predict_proba(rows)[:, 1], model.fired(rows), model.fired(X), lengths, seconds


def objective(covers, lengths, y, lambda0):
    """GLRM's objective, least over the weights of these rules; `covers` (n_rows, n_rules)."""
    from rulebook.ensembles.rulefit import L1Problem, _L1Fit, _L1Search
    size = -(-len(y) // 64) * 64
    columns, weight, target = np.zeros((size, covers.shape[1])), np.zeros(size), np.zeros(size)
    columns[:len(y)], weight[:len(y)], target[:len(y)] = covers / (1 + .2 * lengths), 1., y
    fit = _L1Fit(L1Problem(np.zeros((0, size // 64), np.uint64), columns, weight, target, target.sum(), "logistic"))
    search = _L1Search([fit], lambda0)
    search.advance(1000)
    assert search.is_solved
    return search.objective


def methods(fold):
    """Every model by name: chances, fired, covers, lengths, seconds."""
    from rulebook.ensembles.lire import LIREClassifier
    from rulebook.ensembles.rulefit import RuleFitClassifier
    for lambda0 in LAMBDAS:
        yield f"GLRM {lambda0}", lambda *table, value=lambda0: glrm(*table, value)
        yield f"RuleFit {lambda0}", lambda *table, value=lambda0: ours(RuleFitClassifier(value, random_state=fold), *table)
    for gamma in (.002, .001):
        yield f"LIRE {gamma}", lambda *table, value=gamma: ours(LIREClassifier(value, random_state=fold), *table)
        yield f"LIRE, logistic {gamma}", lambda *table, value=gamma: ours(LIREClassifier(value, loss="logistic", random_state=fold), *table)


def main(tables):
    """Run what is not in the file yet."""
    from sklearn.metrics import log_loss, roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    from rulebook.io.datasets import load_dataset
    warnings.simplefilter("ignore")
    lines = pd.read_csv(RESULTS).to_dict("records") if RESULTS.exists() else []
    for data in tables:
        X, y = load_dataset(f"lire-{data}")
        y = (y == y.max()).astype(int)
        for fold, (train, test) in enumerate(StratifiedKFold(10).split(X, y)):
            for method, fit in methods(fold):
                if any((line["data"], line["fold"], line["method"]) == (data, fold, method) for line in lines):
                    continue
                chance, fired, covers, lengths, seconds = fit(X.iloc[train], y.iloc[train], X.iloc[test])
                truth = y.iloc[test].to_numpy()
                costs = {f"objective {value}": objective(covers, lengths, y.iloc[train].to_numpy(), value) for value in LAMBDAS}
                lines.append({"data": data, "fold": fold, "method": method, "accuracy": (truth == (chance > .5)).mean(),
                              "AUC": roc_auc_score(truth, chance), "log_loss": log_loss(truth, chance.clip(1e-15, 1 - 1e-15)),
                              "rules": fired.shape[1], "conditions": lengths.sum(), "speak": fired.sum(1).mean(),
                              "CPU seconds": round(seconds, 2), **costs})
                pd.DataFrame(lines).round(6).to_csv(RESULTS, index=False)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        answer_glrm(Path(sys.argv[2]), float(sys.argv[3]))
    else:
        main(sys.argv[1:] or ["compas", "bank"])
