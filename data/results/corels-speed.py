"""CPU seconds of a CORELS proof on the authors' 155 antecedents: RULEBOOK_DATA=... python data/results/corels-speed.py

Best of five runs in one warm process, one thread (OPENBLAS_NUM_THREADS=1 is set here); from the data set to the proof, without reading
and mining.
"""
import os
os.environ['OPENBLAS_NUM_THREADS'] = '1'
import time
from pathlib import Path

import numpy as np
import pandas as pd
from rulebook.bits import BitMatrix
from rulebook.corels import _Search
from rulebook.dataset import Dataset
from rulebook.datasets import load_dataset
from rulebook.rules import Literal


def proof(dataset, regularization, **options):
    "CPU seconds and the finished search."
    start, search = time.process_time(), _Search(dataset, regularization, **options)
    while not search.advance(4096): pass
    return time.process_time() - start, search


def main():
    X, y = load_dataset('corels-compas-antecedents')
    bits = BitMatrix.from_bool(np.ascontiguousarray(X.to_numpy(bool).T))
    dataset, lines = Dataset.from_rows([(Literal(name, '=', 1),) for name in X], bits, y, [0, 1]), []
    proof(dataset, .001)  # compiles
    for regularization, options in [*((value, {}) for value in (.02, .01, .005, .0025, .0015, .001, .0008)),
                                    *((value, {'without': ('prices',)}) for value in (.02, .01, .005))]:
        seconds, search = min((proof(dataset, regularization, **options) for _ in range(5)), key=lambda run: run[0])
        assert search.lower_bound == search.objective
        lines.append((regularization, not options, round(seconds, 4), search.nodes, search.pivots, round(search.objective, 6)))
    columns = ['regularization', 'prices', 'cpu_seconds', 'states_expanded', 'pivots', 'objective']
    pd.DataFrame(lines, columns=columns).to_csv(Path(__file__).with_suffix('.csv'), index=False)


if __name__ == '__main__': main()
