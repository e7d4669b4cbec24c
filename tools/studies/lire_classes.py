"""Objectives and seconds of LIRE with three and four classes: writes lire-classes.csv beside this file.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python tools/studies/lire_classes.py

Seconds are CPU of one thread, compiled beforehand, candidates given, the least of up to five runs (one of those that take a second or
more); other processes shared the two cores.  lire-classes-before.csv
holds what the same calls gave with the version of this package before its kernels for several classes (commit cb69444); where that was
stopped after 100 seconds on the wall, or not run, it has no line.
"""
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, load_wine

from rulebook.io.datasets import load_dataset
from rulebook.ensembles.lire import LIREClassifier

RESULTS = Path(__file__).with_name("lire-classes.csv")


def made():
    """Four classes, eight columns, 5,000 rows: scores with a few interactions, and noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(5000, 8)).round(2), columns=list("abcdefgh"))
    scores = np.stack([X.a + X.b * (X.c > 0), 1.2 * X.d - X.a * (X.e > 0), X.f + .5 * X.g, .3 * X.h - X.b], 1) * 1.5
    return X, pd.Series((scores + rng.gumbel(size=scores.shape)).argmax(1))


TABLES = {"iris": lambda: load_iris(as_frame=True, return_X_y=True), "wine": lambda: load_wine(as_frame=True, return_X_y=True),
          "penguins": lambda: load_dataset("penguins"), "vehicle": lambda: load_dataset("vehicle"), "made": made}


def lines():
    """One line per table and penalty."""
    for name, table in TABLES.items():
        X, y = table()
        rules = LIREClassifier(.5, random_state=0).fit(X, y).rules_
        for gamma in (.01, .003, .001):
            seconds = []
            while sum(seconds) < 1 and len(seconds) < 5:
                began = time.process_time()
                fitted = LIREClassifier(gamma, rules=rules).fit(X, y)
                seconds.append(time.process_time() - began)
            yield {"data": name, "n_rows": len(X), "candidates": len(rules), "regularization": gamma, "rules": len(fitted.model_),
                   "objective": fitted.certificate_.objective, "seconds": round(min(seconds), 2)}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    LIREClassifier(.1, n_estimators=5).fit(*TABLES["iris"]())
    pd.DataFrame(lines()).round(6).to_csv(RESULTS, index=False)
