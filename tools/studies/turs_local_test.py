"""Table 3.6 of the chapter on TURS: simulations with one true rule, with and without the local test.

    python -m tools.studies.turs_local_test [100 20]

writes turs-local-test.csv.  The numbers say how many repetitions with the local test, and how many without
it; lines that are there are not computed again.
"""
import sys

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from rulebook.turs.estimator import TURSClassifier

from .runner import Table, rounded

TABLE = Table('turs-local-test', ['seed', 'local_test', 'rules', 'length', 'auc', 'bits', 'g'],
              ['seed', 'local_test'])


def one_true_rule(seed, n=5000):
    """Fifty coin flips, of which the first alone matters."""
    rng = np.random.default_rng(seed)
    flips = (rng.random((n, 50)) < np.array([.2] + [.5] * 49)).astype(int)
    answers = (rng.random(n) < np.where(flips[:, 0] == 1, .7, .95)).astype(int)
    return pd.DataFrame(flips, columns=[f'x{j + 1}' for j in range(50)]), answers


def line(seed, local_test):
    """Fit one simulation and measure it on another."""
    model = TURSClassifier(local_test=local_test, search='chapter').fit(*one_true_rule(seed))
    X, y = one_true_rule(10_000 + seed)
    lengths = [len(rule.literals) for rule in model.model_]
    return rounded({'seed': seed, 'local_test': local_test, 'rules': len(lengths),
                    'length': float(np.mean(lengths)), 'auc': roc_auc_score(y, model.predict_proba(X)[:, 1]),
                    'bits': model.mdl_score_.total, 'g': model.generalization(X, y).score})


def main(with_test=100, without=20):
    """Run what is not in the table yet."""
    for local_test, count in ((True, with_test), (False, without)):
        for seed in range(count):
            if (seed, local_test) not in TABLE: TABLE.append(line(seed, local_test))


if __name__ == '__main__': main(*map(int, sys.argv[1:]))
