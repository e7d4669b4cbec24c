"""A million rows, grouped and not: writes grouped.csv.

    RULEBOOK_DATA=<folder> python -m tools.studies.grouped

Draws 10^6 rows with replacement (seed 0) from a table of the papers, learns a vocabulary through DuckDB, and
fits every algorithm that learns from literals twice: on the rows, and on the groups that DuckDB makes of
them. A line has the CPU seconds of both fits (compiled beforehand, reading the table included) and of the
grouping, and whether rules, their order, counts, weights and the certificate (objective, bound, status,
statement) are equal. LIRE weighs the rules of a forest that was grown on 5,000 of the rows. TURS stops after
60 refined rules. Lines that the file has already are not computed again.
"""
import warnings

import duckdb
import numpy as np
from sklearn.base import clone

from rulebook import (CORELSClassifier, DecisionListMachine, LIREClassifier, SetCoveringMachine,
                      SSRLClassifier, TURSClassifier, Vocabulary, load_dataset)
from rulebook.io.engines import aggregate, fit_vocabulary

from .runner import PRICES, Table, timed

ROWS = 1_000_000
TABLE = Table('grouped', ['data', 'algorithm', 'rows', 'groups', 'literals', 'rules', 'same_rules',
                          'same_certificate', 'largest_difference', 'cpu_rows', 'cpu_groups', 'cpu_grouping'],
              ['data', 'algorithm'])
COLUMNS = {'compas': None, 'adult': ['education-num', 'marital-status', 'sex', 'capital-gain']}


def drawn(name):
    """A million rows of a table of the papers, the labels in the column `label`."""
    X, y = load_dataset(name)
    rows = np.random.default_rng(0).integers(0, len(X), ROWS)
    return X[COLUMNS[name] or list(X)].assign(label=y).iloc[rows].reset_index(drop=True)


def machines(vocabulary, rules):
    """The estimators that learn from literals."""
    return {'CORELS': CORELSClassifier(regularization=.005, max_literals=2, vocabulary=vocabulary,
                                       time_limit=None, **PRICES),
            'SSRL': SSRLClassifier(regularization=.002, regularization_unit='share', vocabulary=vocabulary,
                                   max_rules=8),
            'DLM': DecisionListMachine(vocabulary=vocabulary),
            'SCM': SetCoveringMachine(vocabulary=vocabulary),
            'LIRE': LIREClassifier(rules=rules),
            'TURS': TURSClassifier(vocabulary=vocabulary, beam_width=2, node_limit=60)}


def said(model):
    """What a model says: its rules with counts and weights; what its certificate says."""
    rules = [(rule.literals, rule.prediction, rule.counts, rule.weight)
             for rule in (*model.model_.rules, model.model_.default)]
    proof = model.certificate_
    return rules, (proof.objective, proof.lower_bound, proof.status, proof.statement)


def line(machine, frame, source, literals):
    """Fit the rows and their groups by some literals or rules, and compare."""
    X, y = frame.drop(columns='label'), frame.label
    groups, grouping = timed(lambda: aggregate(source, literals, 'label', columns=list(X)))
    clone(machine).fit(X[:2000], y[:2000])  # compiles
    ours, quick = timed(clone(machine).fit, *groups)
    direct, slow = timed(clone(machine).fit, X, y)
    (rules, proof), (same_rules, same_proof) = said(direct), said(ours)
    apart = max(abs(one - other) for one, other in zip(proof[:2], same_proof[:2]))
    return {'rows': len(X), 'groups': len(groups.X), 'rules': len(direct.model_),
            'same_rules': rules == same_rules, 'same_certificate': proof == same_proof,
            'largest_difference': f'{apart:.2g}',
            'cpu_rows': round(slow, 2), 'cpu_groups': round(quick, 2), 'cpu_grouping': round(grouping, 2)}


def main():
    """Fit everything twice."""
    warnings.simplefilter('ignore')  # TURS says that it was stopped
    for name in COLUMNS:
        if all((name, algorithm) in TABLE for algorithm in machines(None, None)): continue
        frame = drawn(name)
        source = duckdb.from_df(frame)
        vocabulary = fit_vocabulary(source, 'label', Vocabulary(n_cuts=3))
        few = frame[:5000].drop(columns='label'), frame.label[:5000]
        rules = LIREClassifier(random_state=0, n_estimators=30).fit(*few).rules_
        for algorithm, machine in machines(vocabulary, rules).items():
            if (name, algorithm) in TABLE: continue
            found = {'data': name, 'algorithm': algorithm, 'literals': len(vocabulary.literals_),
                     **line(machine, frame, source, rules if algorithm == 'LIRE' else vocabulary)}
            TABLE.append(found)
            print(*found.values(), flush=True)


if __name__ == '__main__': main()
