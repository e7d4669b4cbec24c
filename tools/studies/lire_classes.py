"""Objectives and seconds of LIRE by logistic loss with three and four classes: writes lire-classes.csv.

    python -m tools.studies.lire_classes

Seconds are CPU of one thread, compiled beforehand, candidates given, the least of up to five runs (one of
those that take a second or more); other processes shared the two cores.  lire-classes-before.csv holds what
the same calls gave with the version of this package before its kernels for several classes (commit cb69444);
where that was stopped after 100 seconds on the wall, or not run, it has no line.
"""
import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, load_wine

from rulebook.ensembles.lire import LIREClassifier
from rulebook.io.datasets import load_dataset

from .runner import quickest, rounded, write


def made():
    """Four classes, eight columns, 5,000 rows: scores with a few interactions, and noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(5000, 8)).round(2), columns=list("abcdefgh"))
    scores = [X.a + X.b * (X.c > 0), 1.2 * X.d - X.a * (X.e > 0), X.f + .5 * X.g, .3 * X.h - X.b]
    scores = np.stack(scores, 1) * 1.5
    return X, pd.Series((scores + rng.gumbel(size=scores.shape)).argmax(1))


TABLES = {"iris": lambda: load_iris(as_frame=True, return_X_y=True),
          "wine": lambda: load_wine(as_frame=True, return_X_y=True),
          "penguins": lambda: load_dataset("penguins"),
          "vehicle": lambda: load_dataset("vehicle"),
          "made": made}


def lines():
    """One line per table and penalty."""
    for name, table in TABLES.items():
        X, y = table()
        rules = LIREClassifier(.5, shrinkage=None, random_state=0).fit(X, y).rules_
        for gamma in (.01, .003, .001):
            machine = LIREClassifier(gamma, loss="logistic", shrinkage=None, rules=rules)
            fitted, seconds = quickest(lambda m=machine, X=X, y=y: m.fit(X, y), 5, until=1)
            yield rounded({"data": name, "n_rows": len(X), "candidates": len(rules), "regularization": gamma,
                           "rules": len(fitted.model_), "objective": fitted.certificate_.objective,
                           "seconds": round(seconds, 2)})


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    LIREClassifier(.1, shrinkage=None, n_estimators=5).fit(*TABLES["iris"]())  # compiles
    write("lire-classes", lines())
