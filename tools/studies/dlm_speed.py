"""Seconds of CPU and memory of the decision list machine, one thread, compiled beforehand.

    RULEBOOK_DATA=folder python -m tools.studies.dlm_speed

writes dlm-speed.csv: fits of complex lists of 10 balls to tables of 10 columns, and the grid of 16 x 16
penalties x 20 lengths on Pima (ten folds and the whole table).
"""
import numpy as np

from rulebook.balls.estimator import DecisionListMachine, penalty_grid

from . import dlm_table
from .runner import peak_mb, timed, write


def radial_table(n_rows, n_columns=10, seed=0):
    "Normal numbers; yes if far from the origin, with noise."
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n_rows, n_columns))
    return A, (np.abs(A).sum(1) + rng.normal(size=n_rows) > .8 * n_columns).astype(int)


def measured(what, work):
    "One line of the table."
    _, seconds = timed(work)
    return {'what': what, 'cpu_seconds': round(seconds, 2), 'peak_MB': peak_mb()}


def fits():
    "Fits of ten balls to tables of several sizes."
    machine = DecisionListMachine('complex', 1.5, 1.5, max_rules=10, **dlm_table.PAPER)
    machine.fit(*radial_table(100))  # compiles
    for n in (1000, 2000, 5000, 10_000):
        yield measured(f'{n:,} examples', lambda n=n: machine.fit(*radial_table(n)))


def grid():
    "The grid on Pima."
    machine = DecisionListMachine('complex', max_rules=20, **dlm_table.PAPER)
    X, y = dlm_table.tables()['pima']
    penalty_grid(machine, X[:50], y[:50], (1,), cv=2)  # compiles
    folds = dlm_table.folds(0)
    return measured('grid on Pima', lambda: penalty_grid(machine, X, y, dlm_table.PENALTIES, cv=folds))


if __name__ == '__main__': write('dlm-speed', [*fits(), grid()])
