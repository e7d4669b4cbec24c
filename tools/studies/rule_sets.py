"""Rule sets on the tables of the paper on column generation.

    RULEBOOK_DATA=... python -m tools.studies.rule_sets [--quick] [table ...]

The tables are those of Dash, Gunluk and Wei (NeurIPS 2018, section 4) that the folder holds.  Not among them
are ILPD, transfusion and mushroom, and gas is not complete; `musk` is the smaller table of outlier studies,
and of `heart` the five grades are none against any.

rule-sets-whole.csv: fits of `RuleSetClassifier` with three penalties, of at most 60 CPU seconds, to each
whole table.
"""
from functools import partial
from types import SimpleNamespace
from unittest import mock
import time

import numpy as np

from rulebook import RuleSetClassifier, core, load_dataset

from .runner import FORMER, panel

SECONDS = 60
TABLES = {'banknote': 'turs-backnote', 'heart': 'turs-heartcleveland', 'ionosphere': 'turs-ionosphere',
          'liver': 'bupa',
          'pima': 'pima', 'tic-tac-toe': 'turs-tic-tac-toe', 'wdbc': 'wdbc', 'adult': 'adult', 'bank': 'bank',
          'musk': 'turs-musk', 'magic': 'magic', 'fico': 'fico'}
COLUMNS = ['table', 'penalty', 'rows', 'columns', 'literals', 'status', 'objective', 'lower_bound',
           'gap_in_rules', 'rules',
           'tests', 'accuracy', 'cpu_seconds']


def table(name):
    """A table and its labels, of two classes; rows in a random order."""
    X, y = load_dataset(f'folder:{TABLES[name]}')
    if name == 'heart': y = (y > 0).rename('disease')
    rows = np.random.default_rng(0).permutation(len(y))
    return X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)


def whole(penalty, train, _):
    """One fit to the whole table."""
    X, y = train
    # limits in CPU seconds
    with mock.patch.object(core, 'time', SimpleNamespace(perf_counter=time.process_time)):
        found = RuleSetClassifier(time_limit=SECONDS).set_params(**FORMER | {'regularization': penalty})
        found.fit(X, y)
    proof, rules = found.certificate_, found.model_.rules
    return {'rows': len(X), 'columns': X.shape[1],
            'literals': len(found.vocabulary_.literals_), 'status': proof.status,
            'objective': proof.objective,
            'lower_bound': proof.lower_bound, 'gap_in_rules': round(proof.gap / proof.regularization, 6),
            'rules': len(rules),
            'tests': sum(len(rule.literals) for rule in rules), 'accuracy': found.score(X, y),
            'cpu_seconds': proof.seconds}


if __name__ == '__main__':
    panel({penalty: partial(whole, penalty) for penalty in (.01, .02, .05)},
          {name: partial(table, name) for name in TABLES},
          None, COLUMNS, name='rule-sets-whole', keys=('table', 'penalty'))
