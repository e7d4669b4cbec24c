"""CPU seconds of SSRLClassifier against the number of literals (Figure 4 of its paper); writes ssrl-speed.csv beside this file.

    RULEBOOK_DATA=<folder> python tools/studies/ssrl_speed.py [name]

With a name the file is ssrl-speed-<name>.csv; ssrl-speed-before.csv was written so with the package at commit 4332bb3 on the path, in the
same half hour.  `yardstick` is what the work of yardstick.py took beside each fit.
Random subsets of the literals that deciles give (seed 0, one subset per size), one thread, compiled beforehand, reading of the table
included. `gas` has 6,697 of the paper's 13,910 rows here; rows drawn with replacement fill it up to that number, and the target is its
largest class against the rest. Both with at most 20 rules; penalty 5 for gas and 1 for wdbc.
"""
import csv
import sys
import time
from pathlib import Path

import numpy as np

from rulebook.io.datasets import load_dataset
from rulebook.ssrl.estimator import SSRLClassifier
from rulebook.vocabulary import Vocabulary
from yardstick import yardstick

SIZES = {'wdbc': (100, 200, 300, 400, 500, 540), 'gas': (500, 550, 600, 650, 700, 750, 1500, 2304)}
PENALTY = {'wdbc': 1, 'gas': 5}
RESULTS = Path(__file__).with_name('-'.join(['ssrl-speed', *sys.argv[1:]]) + '.csv')


def load(name):
    """Binary columns, one per literal, and labels."""
    X, y = load_dataset(name)
    if name == 'gas':
        rows = np.r_[np.arange(len(y)), np.random.default_rng(0).integers(0, len(y), 13910 - len(y))]
        X, y = X.iloc[rows].reset_index(drop=True), (y == y.value_counts().index[0]).iloc[rows].reset_index(drop=True)
    return Vocabulary(n_cuts=9).set_output(transform='pandas').fit_transform(X), y


def seconds(name, X, y, size):
    """CPU seconds of one fit on a random subset of the columns."""
    chosen = np.sort(np.random.default_rng(0).permutation(X.shape[1])[:size])
    before = time.process_time()
    model = SSRLClassifier(PENALTY[name], max_rules=20, vocabulary=Vocabulary(negations=False)).fit(X.iloc[:, chosen], y)
    return time.process_time() - before, model


def main():
    """Time all sizes."""
    with RESULTS.open('w', newline='') as lines:
        table = csv.writer(lines, lineterminator='\n')
        table.writerow(['dataset', 'rows', 'literals', 'seconds', 'sub_problems', 'rules', 'yardstick'])
        for name, sizes in SIZES.items():
            X, y = load(name)
            seconds(name, X.iloc[::20], y.iloc[::20], 50)  # compiles
            for size in sizes:
                cpu, model = seconds(name, X, y, size)
                work, rules = model.certificate_.work, len(model.model_)
                table.writerow([name, len(y), size, round(cpu, 3), work['sub_problems'], rules, round(yardstick(), 2)])


if __name__ == '__main__': main()
