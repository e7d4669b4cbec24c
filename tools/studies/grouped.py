"""A million rows, grouped and not: RULEBOOK_DATA=<folder> python tools/studies/grouped.py

Draws 10^6 rows with replacement (seed 0) from a table of the papers, learns a vocabulary through DuckDB, and fits every algorithm that
learns from literals twice: on the rows, and on the groups that DuckDB makes of them. Writes grouped.csv: CPU seconds of both fits
(compiled beforehand, reading the table included) and of the grouping, and whether rules, their order, counts, weights and the certificate
(objective, bound, status, statement) are equal. LIRE weighs the rules of a forest that was grown on 5,000 of the rows. TURS stops
after 60 refined rules. Lines that the file has already are not computed again.
"""
import csv
import os
import time
import warnings
from pathlib import Path

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import duckdb
import numpy as np
from rulebook import (CORELSClassifier, DecisionListMachine, LIREClassifier, SetCoveringMachine, SSRLClassifier, TURSClassifier, Vocabulary,
                      load_dataset)
from rulebook.io.engines import aggregate, fit_vocabulary
from sklearn.base import clone

RESULTS = Path(__file__).with_name('grouped.csv')
ROWS = 1_000_000
HEADER = ['data', 'algorithm', 'rows', 'groups', 'literals', 'rules', 'same_rules', 'same_certificate', 'largest_difference', 'cpu_rows',
          'cpu_groups', 'cpu_grouping']
COLUMNS = {'compas': None, 'adult': ['education-num', 'marital-status', 'sex', 'capital-gain']}


def drawn(name):
    """A million rows of a table of the papers, the labels in the column `label`."""
    X, y = load_dataset(name)
    rows = np.random.default_rng(0).integers(0, len(X), ROWS)
    return X[COLUMNS[name] or list(X)].assign(label=y).iloc[rows].reset_index(drop=True)


def machines(vocabulary, rules):
    """The estimators that learn from literals."""
    return {'CORELS': CORELSClassifier(regularization=.005, vocabulary=vocabulary),
            'SSRL': SSRLClassifier(regularization=.002, regularization_unit='share', vocabulary=vocabulary, max_rules=8),
            'DLM': DecisionListMachine(vocabulary=vocabulary), 'SCM': SetCoveringMachine(vocabulary=vocabulary),
            'LIRE': LIREClassifier(rules=rules), 'TURS': TURSClassifier(vocabulary=vocabulary, beam_width=2, node_limit=60)}


def timed(machine, *table):
    """A fitted copy and its CPU seconds."""
    before = time.process_time()
    return clone(machine).fit(*table), time.process_time() - before


def equal(one, other):
    """Whether two fits say the same to the last digit, or None."""
    a, b = one.certificate_, other.certificate_
    rules = [(rule.literals, rule.prediction, rule.counts, rule.weight) for rule in (*one.model_.rules, one.model_.default)]
    same = rules == [(rule.literals, rule.prediction, rule.counts, rule.weight) for rule in (*other.model_.rules, other.model_.default)]
    return same, (a.objective, a.lower_bound, a.status, a.statement) == (b.objective, b.lower_bound, b.status, b.statement)


def main():
    """Fit everything twice."""
    warnings.simplefilter('ignore')  # TURS says that it was stopped
    known = {tuple(line[:2]) for line in csv.reader(RESULTS.open(newline=''))} if RESULTS.exists() else set()
    with RESULTS.open('a', newline='') as lines:
        table = csv.writer(lines, lineterminator='\n')
        if not known: table.writerow(HEADER)
        for name in COLUMNS:
            frame = drawn(name)
            X, y = frame.drop(columns='label'), frame.label
            source = duckdb.from_df(frame)
            vocabulary = fit_vocabulary(source, 'label', Vocabulary(n_cuts=3))
            rules = LIREClassifier(random_state=0, n_estimators=30).fit(X[:5000], y[:5000]).rules_
            for algorithm, machine in machines(vocabulary, rules).items():
                if (name, algorithm) in known: continue
                before = time.process_time()
                grouped = aggregate(source, rules if algorithm == 'LIRE' else vocabulary, 'label', columns=list(X))
                grouping = time.process_time() - before
                timed(machine, X[:2000], y[:2000])  # compiles
                (ours, quick), (direct, slow) = timed(machine, *grouped), timed(machine, X, y)
                same, certified = equal(direct, ours)
                apart = max(abs(direct.certificate_.objective - ours.certificate_.objective),
                            abs(direct.certificate_.lower_bound - ours.certificate_.lower_bound))
                table.writerow([name, algorithm, len(X), len(grouped.X), len(vocabulary.literals_), len(direct.model_), same, certified,
                                f'{apart:.2g}', round(slow, 2), round(quick, 2), round(grouping, 2)])
                lines.flush()
                print(name, algorithm, len(grouped.X), same, certified, apart, round(slow, 2), round(quick, 2), flush=True)


if __name__ == '__main__': main()
