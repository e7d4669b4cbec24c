"""CPU seconds of CORELS proofs.

    RULEBOOK_DATA=... python -m tools.studies.corels_speed [antecedents] [prices] [open] [forms]

antecedents  corels-speed.csv: the authors' 155 antecedents, best of five in one warm process, from the data
             set to the proof, without reading and mining
prices       corels-prices.csv: shipped tables with and without prices, whole fits, best of three (of one
             above a second)
open         corels-open.csv: what nobody has proved, and how far 120 s come
forms        corels-forms.csv: the sums of a state from rows and from planes, on small and on large tables,
             best of five

One thread. Without a name all four are run, in a few minutes.
"""
import sys
import time
import warnings

import numpy as np

from rulebook.bits import BitMatrix
from rulebook.columns import read_table
from rulebook.corels.estimator import CORELSClassifier
from rulebook.corels.search import (Grains, Reduced, Search, SearchOptions, build_tables, integer_weights,
                                    sums_of)
from rulebook.dataset import Dataset
from rulebook.io.datasets import load_dataset
from rulebook.problem import Problem
from rulebook.rules import Literal
from rulebook.vocabulary import Vocabulary, encode_literals, mine_antecedents

from .runner import PRICES, quickest, write

TABLES = [('german', .05, 1, 3), ('german', .03, 1, 3), ('german', .02, 1, 3), ('compas', .01, 2, 10),
          ('compas', .01, 2, 12), ('tic-tac-toe', .05, 2, 4), ('tic-tac-toe', .03, 1, 4), ('wdbc', .02, 1, 4),
          ('wdbc', .01, 1, 4), ('vehicle', .05, 1, 4), ('vehicle', .03, 1, 4), ('contraceptive', .01, 1, 4),
          ('mammographic', .005, 2, 4), ('housevotes', .005, 2, 4),
          ('wine', .02, 1, 4)]  # name, regularization, max_literals, n_cuts


# ------------------------------------------------------------------ proofs

def proof(dataset, regularization, **options):
    "The finished search."
    search = Search(Problem(dataset, regularization), options=SearchOptions(**options))
    while not search.advance(4096): pass
    return search

def authors_antecedents():
    "The authors' 155 antecedents as a dataset."
    X, y = load_dataset('corels-compas-antecedents')
    bits = BitMatrix.from_bool(np.ascontiguousarray(X.to_numpy(bool).T))
    return Dataset.from_rows([(Literal(name, '=', 1),) for name in X], bits, y, [0, 1])

def antecedents():
    "Proofs on the authors' antecedents, with prices and without."
    dataset, lines = authors_antecedents(), []
    proof(dataset, .001)  # compiles
    for regularization, options in [*((value, {}) for value in (.02, .01, .005, .0025, .0015, .001, .0008)),
                                    *((value, {'disable': ('prices',)}) for value in (.02, .01, .005))]:
        search, seconds = quickest(lambda r=regularization, o=options: proof(dataset, r, **o), 5)
        assert search.lower_bound == search.objective
        lines.append({'regularization': regularization, 'prices': not options,
                      'cpu_seconds': round(seconds, 4), 'states_expanded': search.nodes,
                      'pivots': search.pivots, 'objective': round(search.objective, 6)})
    write('corels-speed', lines)

def fit(name, regularization, max_literals, n_cuts, time_limit, disable=()):
    "What was proved on a shipped table."
    vocabulary = Vocabulary(n_cuts=n_cuts)
    model = CORELSClassifier(regularization=regularization, max_literals=max_literals, vocabulary=vocabulary,
                             disable=disable, time_limit=time_limit, **PRICES)
    return model.fit(*load_dataset(name)).certificate_

def prices():
    "Whole fits of shipped tables, with prices and without."
    fit('compas', .002, 2, 4, None)  # compiles
    lines = []
    for about in TABLES:
        for disable in ((), ('prices',)):
            found, seconds = quickest(lambda a=about, d=disable: fit(*a, 60, d), 3, until=1)
            lines.append({**dict(zip(('dataset', 'regularization', 'max_literals', 'n_cuts'), about)),
                          'prices': not disable, 'cpu_seconds': round(seconds, 3), 'status': found.status,
                          'objective': round(found.objective, 6), 'lower_bound': round(found.lower_bound, 6),
                          'states_expanded': found.work['states_expanded'], 'pivots': found.work['pivots']})
            print(*lines[-1].values(), flush=True)
    write('corels-prices', lines)

def open_problems():
    "COMPAS at 0.0005 on the authors' antecedents, German credit at 0.01."
    search, start = Search(Problem(authors_antecedents(), .0005)), time.process_time()
    while not search.advance(4096) and time.process_time() < start + 120: pass
    lines = [{'dataset': name, 'regularization': regularization, 'seconds': 120,
              'objective': round(found.objective, 6), 'lower_bound': round(found.lower_bound, 6)}
             for name, regularization, found in [('compas', .0005, search),
                                                 ('german', .01, fit('german', .01, 1, 3, 120))]]
    write('corels-open', lines)


# ------------------------------------------------------------------ two ways to make the sums of a state

FORMS = [('german', 4, 1), ('german', 4, 2), ('compas', 4, 2), ('compas', 12, 2), ('lire-fico', 4, 1),
         ('lire-fico', 10, 1), ('lire-adult', 4, 1), ('turs-magic', 4, 1), ('turs-magic', 10, 1),
         ('turs-magic', 4, 2)]  # name, n_cuts, max_literals

def merged_rows(name, n_cuts, max_literals):
    "Antecedents of a table, its rows merged."
    X, y = load_dataset(name)
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    literals = Vocabulary(n_cuts=n_cuts).fit(X).literals_
    mined = mine_antecedents(literals, encode_literals(literals, read_table(X)), max_literals, .01)
    return Dataset.from_rows(*mined, codes, classes)

def tables_of(dataset, regularization=.005):
    "The search's tables of a dataset: by rows, by planes, and as it chooses."
    right, scale = integer_weights(dataset.counts)
    n_rules = len(dataset.bits)
    paid = np.full(n_rules, int(regularization * dataset.total * scale))
    allowed = np.ones((n_rules, right.shape[1]), bool)
    reduced = Reduced(np.arange(n_rules), dataset.bits, right, allowed, paid, Grains(dataset.total, 0., scale, 0))
    return [build_tables(reduced, SearchOptions(by_rows=way)) for way in (True, False, None)]

def some_states(covers):
    "What is left behind none to five random rules, four times each."
    rng = np.random.default_rng(0)
    chosen = [rng.integers(0, len(covers) - 1, k) for k in range(6) for _ in range(4)]
    return np.array([covers[-1] & ~np.bitwise_or.reduce(covers[rules], axis=0) for rules in chosen])

def summed(tables, states):
    "The sums of some states, and the microseconds of CPU that one took."
    (sums, _), seconds = quickest(lambda: sums_of(states, tables), 5)
    return sums, 1e6 * seconds / len(states)

def forms():
    "The same sums both ways, on ten tables."
    lines = []
    for about in FORMS:
        dataset = merged_rows(*about)
        rows, planes, ours = tables_of(dataset)
        states = some_states(rows.units.covers)
        sums_of(states, rows)  # compiles
        (sums, by_rows), (same, by_planes) = summed(rows, states), summed(planes, states)
        assert (sums == same).all()
        lines.append({**dict(zip(('dataset', 'n_cuts', 'max_literals'), about)),
                      'antecedents': len(dataset.bits), 'distinct_rows': dataset.n_distinct,
                      'planes': len(planes.units.planes.bits),
                      'megabytes': round(rows.units.rows.nbytes / 2**20, 1), 'rows_us': round(by_rows, 1),
                      'planes_us': round(by_planes, 1),
                      'chosen': 'rows' if ours.units.planes is None else 'planes'})
        print(*lines[-1].values(), flush=True)
    write('corels-forms', lines)


PARTS = {'antecedents': antecedents, 'prices': prices, 'open': open_problems, 'forms': forms}

def main(names):
    "Run the named parts."
    warnings.simplefilter('ignore')
    for name in names: PARTS[name]()


if __name__ == '__main__': main(sys.argv[1:] or PARTS)
