"""CPU seconds of CORELS proofs: RULEBOOK_DATA=... python tools/studies/corels_speed.py [antecedents] [prices] [open] [forms]

antecedents  corels-speed.csv: the authors' 155 antecedents, best of five in one warm process, from the data set to the
             proof, without reading and mining
prices       corels-prices.csv: shipped tables with and without prices, whole fits, best of three (of one above a second)
open         corels-open.csv: what nobody has proved, and how far 120 s come
forms        corels-forms.csv: the sums of a state from rows and from planes, on small and on large tables, best of five

One thread (OPENBLAS_NUM_THREADS=1 is set here). Without a name all four are run, in a few minutes.
"""
import os
os.environ['OPENBLAS_NUM_THREADS'] = '1'
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from rulebook.bits import BitMatrix
from rulebook.corels.estimator import CORELSClassifier
from rulebook.corels.search import _build_problem, integer_weights, Search, sums_of
from rulebook.dataset import Dataset
from rulebook.io.datasets import load_dataset
from rulebook.columns import read_table
from rulebook.rules import Literal
from rulebook.vocabulary import Vocabulary, encode_literals, mine_antecedents

RESULTS = Path(__file__).parent
TABLES = [('german', .05, 1, 3), ('german', .03, 1, 3), ('german', .02, 1, 3), ('compas', .01, 2, 10), ('compas', .01, 2, 12),
          ('tic-tac-toe', .05, 2, 4), ('tic-tac-toe', .03, 1, 4), ('wdbc', .02, 1, 4), ('wdbc', .01, 1, 4), ('vehicle', .05, 1, 4),
          ('vehicle', .03, 1, 4), ('contraceptive', .01, 1, 4), ('mammographic', .005, 2, 4), ('housevotes', .005, 2, 4),
          ('wine', .02, 1, 4)]  # name, regularization, max_literals, n_cuts


def proof(dataset, regularization, **options):
    "CPU seconds and the finished search."
    start, search = time.process_time(), Search(dataset, regularization, **options)
    while not search.advance(4096): pass
    return time.process_time() - start, search


def authors_antecedents():
    X, y = load_dataset('corels-compas-antecedents')
    bits = BitMatrix.from_bool(np.ascontiguousarray(X.to_numpy(bool).T))
    return Dataset.from_rows([(Literal(name, '=', 1),) for name in X], bits, y, [0, 1])


def antecedents():
    dataset, lines = authors_antecedents(), []
    proof(dataset, .001)  # compiles
    for regularization, options in [*((value, {}) for value in (.02, .01, .005, .0025, .0015, .001, .0008)),
                                    *((value, {'without': ('prices',)}) for value in (.02, .01, .005))]:
        seconds, search = min((proof(dataset, regularization, **options) for _ in range(5)), key=lambda run: run[0])
        assert search.lower_bound == search.objective
        lines.append((regularization, not options, round(seconds, 4), search.nodes, search.pivots, round(search.objective, 6)))
    columns = ['regularization', 'prices', 'cpu_seconds', 'states_expanded', 'pivots', 'objective']
    pd.DataFrame(lines, columns=columns).to_csv(RESULTS / 'corels-speed.csv', index=False)


def fit(name, regularization, max_literals, n_cuts, time_limit, disable=()):
    "CPU seconds, and what was proved."
    model = CORELSClassifier(regularization=regularization, max_literals=max_literals, vocabulary=Vocabulary(n_cuts=n_cuts),
                             disable=disable, time_limit=time_limit)
    start, certificate = time.process_time(), model.fit(*load_dataset(name)).certificate_
    return time.process_time() - start, certificate


def prices():
    fit('compas', .002, 2, 4, None)  # compiles
    lines = []
    for about in TABLES:
        for without in ((), ('prices',)):
            seconds, certificate = fit(*about, 60, without)
            if seconds < 1: seconds = min(seconds, *(fit(*about, 60, without)[0] for _ in range(2)))
            lines.append((*about, not without, round(seconds, 3), certificate.status, round(certificate.objective, 6),
                          round(certificate.lower_bound, 6), certificate.work['states_expanded'], certificate.work['pivots']))
            print(*lines[-1], flush=True)
    columns = ['dataset', 'regularization', 'max_literals', 'n_cuts', 'prices', 'cpu_seconds', 'status', 'objective', 'lower_bound',
               'states_expanded', 'pivots']
    pd.DataFrame(lines, columns=columns).to_csv(RESULTS / 'corels-prices.csv', index=False)


def open_problems():
    "COMPAS at 0.0005 on the authors' antecedents, German credit at 0.01."
    dataset, lines = authors_antecedents(), []
    search, start = Search(dataset, .0005), time.process_time()
    while not search.advance(4096) and time.process_time() < start + 120: pass
    lines.append(('compas', .0005, 120, round(search.objective, 6), round(search.lower_bound, 6)))
    _, certificate = fit('german', .01, 1, 3, 120)
    lines.append(('german', .01, 120, round(certificate.objective, 6), round(certificate.lower_bound, 6)))
    columns = ['dataset', 'regularization', 'seconds', 'objective', 'lower_bound']
    pd.DataFrame(lines, columns=columns).to_csv(RESULTS / 'corels-open.csv', index=False)


FORMS = [('german', 4, 1), ('german', 4, 2), ('compas', 4, 2), ('compas', 12, 2), ('lire-fico', 4, 1), ('lire-fico', 10, 1),
         ('lire-adult', 4, 1), ('turs-magic', 4, 1), ('turs-magic', 10, 1), ('turs-magic', 4, 2)]  # name, n_cuts, max_literals


def merged_rows(name, n_cuts, max_literals):
    "Antecedents of a table, its rows merged."
    X, y = load_dataset(name)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    literals = Vocabulary(n_cuts=n_cuts).fit(X).literals_
    mined = mine_antecedents(literals, encode_literals(literals, read_table(X)), max_literals, .01)
    return Dataset.from_rows(*mined, codes, classes)


def some_states(covers):
    "What is left behind none to five random rules, four times each."
    rng = np.random.default_rng(0)
    chosen = [rng.integers(0, len(covers) - 1, k) for k in range(6) for _ in range(4)]
    return np.array([covers[-1] & ~np.bitwise_or.reduce(covers[rules], axis=0) for rules in chosen])


def microseconds(problem, states):
    "CPU time of the sums of one state, and the sums."
    seconds = []
    for _ in range(5):
        start = time.process_time()
        sums, _ = sums_of(states, problem.tables, problem.overlap)
        seconds.append(time.process_time() - start)
    return 1e6 * min(seconds) / len(states), sums


def forms():
    lines = []
    for about in FORMS:
        dataset = merged_rows(*about)
        right, scale = integer_weights(dataset.counts)
        paid, allowed = np.full(len(dataset.bits), int(.005 * dataset.total * scale)), np.ones((len(dataset.bits), right.shape[1]), bool)
        rows, planes, ours = (_build_problem(dataset.bits, right, paid, allowed, 0, by_rows=by_rows) for by_rows in (True, False, None))
        states = some_states(rows.tables.covers)
        sums_of(states, rows.tables, rows.overlap)  # compiles
        (by_rows, sums), (by_planes, same) = microseconds(rows, states), microseconds(planes, states)
        assert (sums == same).all()
        size = round(rows.tables.rows.nbytes / 2**20, 1)
        lines.append((*about, len(dataset.bits), dataset.n_distinct, len(planes.tables.planes.bits), size,
                      round(by_rows, 1), round(by_planes, 1),
                      'rows' if ours.tables.planes is None else 'planes'))
        print(*lines[-1], flush=True)
    columns = ['dataset', 'n_cuts', 'max_literals', 'antecedents', 'distinct_rows', 'planes', 'megabytes', 'rows_us', 'planes_us', 'chosen']
    pd.DataFrame(lines, columns=columns).to_csv(RESULTS / 'corels-forms.csv', index=False)


PARTS = {'antecedents': antecedents, 'prices': prices, 'open': open_problems, 'forms': forms}

if __name__ == '__main__':
    warnings.simplefilter('ignore')
    for part in sys.argv[1:] or PARTS: PARTS[part]()
