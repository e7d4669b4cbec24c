"""Table 3.6: simulations with one true rule, with and without the local test.

Run from the root of the project:

    python tools/studies/turs_local_test.py data/results/turs-local-test.csv 100 20

The numbers say how many repetitions with the local test, and how many without it.
"""
import sys

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from rulebook.turs.estimator import TURSClassifier


def one_true_rule(seed, n=5000):
    """Fifty coin flips, of which the first alone matters."""
    rng = np.random.default_rng(seed)
    flips = (rng.random((n, 50)) < np.array([.2] + [.5] * 49)).astype(int)
    return pd.DataFrame(flips, columns=[f'x{j + 1}' for j in range(50)]), (rng.random(n) < np.where(flips[:, 0] == 1, .7, .95)).astype(int)


def line(seed, local_test):
    """Fit one simulation and measure it on another."""
    model = TURSClassifier(local_test=local_test).fit(*one_true_rule(seed))
    X, y = one_true_rule(10_000 + seed)
    lengths = [len(rule.literals) for rule in model.model_]
    return {'seed': seed, 'local_test': local_test, 'rules': len(lengths), 'length': round(float(np.mean(lengths)), 6),
            'auc': round(roc_auc_score(y, model.predict_proba(X)[:, 1]), 6), 'bits': round(model.mdl_score_.total, 6),
            'g': round(model.generalization(X, y).score, 6)}


if __name__ == '__main__':
    counts = [(True, int(sys.argv[2])), (False, int(sys.argv[3]))]
    pd.DataFrame([line(seed, test) for test, count in counts for seed in range(count)]).to_csv(sys.argv[1], index=False)
