"""Seconds of CPU and memory of the decision list machine, one thread, compiled beforehand.

    RULEBOOK_DATA=folder OMP_NUM_THREADS=1 python tools/studies/dlm_speed.py

writes dlm-speed.csv: fits of complex lists of 10 balls to tables of 10 columns, and the grid of 16 x 16 penalties x 20
lengths on Pima (ten folds and the whole table).
"""
import importlib.util
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd

from rulebook.balls.estimator import DecisionListMachine, penalty_grid

HERE = Path(__file__).parent


def radial_table(n_rows, n_columns=10, seed=0):
    "Normal numbers; yes if far from the origin, with noise."
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n_rows, n_columns))
    return A, (np.abs(A).sum(1) + rng.normal(size=n_rows) > .8 * n_columns).astype(int)


def measured(what, work):
    began = time.process_time()
    work()
    return {'what': what, 'cpu_seconds': round(time.process_time() - began, 2),
            'peak_MB': round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)}


def main():
    spec = importlib.util.spec_from_file_location('dlm_table', HERE / 'dlm-table.py')
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    machine = DecisionListMachine('complex', 1.5, 1.5, max_rules=10)
    machine.fit(*radial_table(100))
    lines = [measured(f'{n:,} examples', lambda n=n: machine.fit(*radial_table(n))) for n in (1000, 2000, 5000, 10_000)]
    grid, pima = DecisionListMachine('complex', max_rules=20), script.tables()['pima']
    penalty_grid(grid, pima[0][:50], pima[1][:50], (1,), cv=2)
    lines.append(measured('grid on Pima', lambda: penalty_grid(grid, *pima, script.PENALTIES, cv=script.folds(0))))
    pd.DataFrame(lines).to_csv(HERE / 'dlm-speed.csv', index=False)


if __name__ == '__main__': main()
