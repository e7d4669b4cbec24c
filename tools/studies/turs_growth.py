"""CPU time of TURS against classes, columns and rows: writes turs-growth.csv, one line per table drawn.

    python -m tools.studies.turs_growth

One quantity grows at a time from a table of 2,000 rows, 20 columns and 4 classes; eight columns matter, each
class is one cloud of points, and the others are noise (scikit-learn's `make_classification`).  Three tables
are drawn of each size.  In the last part the rows grow, but the truth has two rules whatever their number.
Lines that the file has already are not computed again.
"""
import warnings

import numpy as np
from sklearn.datasets import make_classification

from rulebook.turs.estimator import TURSClassifier

from .runner import Table, timed

MIDDLE = {'rows': 2000, 'columns': 20, 'classes': 4}
GROWS = {'classes': [2, 3, 4, 6, 8, 13, 26], 'columns': [10, 20, 50, 100, 200, 500, 1000],
         'rows': [500, 1000, 2000, 4000, 8000, 16000],
         'rows, two true rules': [500, 2000, 8000, 32000, 128000, 512000]}
TABLE = Table('turs-growth', ['grows', 'size', 'seed', 'rules', 'patterns', 'refined', 'cpu_seconds'],
              ['grows', 'size', 'seed'], '.4g')


def two_true_rules(n_rows, seed):
    """Labels that depend on two rules, one of two literals."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 20))
    chance = np.where(X[:, 0] > 1, .9, np.where((X[:, 1] < -.5) & (X[:, 2] > 0), .6, .1))
    return X, rng.random(n_rows) < chance


def clouds(rows, columns, classes, seed):
    """A cloud of points for each class."""
    return make_classification(rows, columns, n_informative=8, n_redundant=0, flip_y=.05, n_classes=classes,
                               n_clusters_per_class=1, random_state=seed)


def line(grows, size, seed):
    """Fit one table."""
    X, y = clouds(**(MIDDLE | {grows: size}), seed=seed) if grows in MIDDLE else two_true_rules(size, seed)
    model, seconds = timed(TURSClassifier().fit, X, y)
    work = model.certificate_.work
    return {'grows': grows, 'size': size, 'seed': seed, 'rules': len(model.model_),
            'patterns': work['patterns'], 'refined': work['refined_rules'], 'cpu_seconds': seconds}


def main():
    """Run what is not in the table yet, the small sizes first."""
    warnings.simplefilter('ignore')
    TURSClassifier().fit(*make_classification(200, 20, random_state=0))  # compiles
    for grows, sizes in GROWS.items():
        for size in sizes:
            for seed in range(3):
                if (grows, size, seed) not in TABLE: TABLE.append(line(grows, size, seed))
        print(grows, flush=True)


if __name__ == '__main__': main()
