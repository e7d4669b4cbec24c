"""Long runs behind nbs/corels/4_conjunctions.ipynb, the search over all conjunctions.

    RULEBOOK_DATA=... python -m tools.studies.unmined [DATA ...]

CPU seconds of the proof (best of three, or of one if it takes long; one warm process, one thread, after reading);
and the prices behind bounds are checked against every conjunction: unmined-table.csv.
"""
import sys
import time
from typing import NamedTuple

import numpy as np
import pandas as pd

from rulebook.bits import BitMatrix
from rulebook.columns import read_table
from rulebook.corels.conjunctions import OpenSearch, open_result
from rulebook.dataset import Dataset
from rulebook.io.datasets import load_dataset
from rulebook.problem import Problem
from rulebook.rules import Literal
from rulebook.vocabulary import Vocabulary, encode_literals

from .runner import place_of, quickest, stored, write

SECONDS = 20.  # of CPU, for one proof


# ------------------------------------------------------------------ every conjunction against the prices

class Priced(NamedTuple):
    "The prices behind a bound, and what they must respect."
    literals: np.ndarray  # bool, (literals, distinct rows)
    labels: np.ndarray    # the best label of each distinct row
    weights: np.ndarray   # what another label costs there at least
    right: np.ndarray     # what each label gets right there beyond the worst one, (distinct rows, labels)
    pairs: np.ndarray     # of distinct rows with different labels, (pairs, 2)
    prices: np.ndarray    # of each pair, in grains
    grain: float          # in the unit of the weights
    penalty: float        # of a rule, in the same unit

def priced(search):
    "The prices behind the bound of a search."
    (pairs, prices), whole = search.best, search.whole
    return Priced(literals=whole.literals, labels=whole.labels, weights=whole.weights, right=whole.right,
                  pairs=pairs, prices=prices, grain=whole.grain, penalty=whole.penalty)

def coverages(literals, columns):
    "Coverage of every conjunction with at most one literal of each column, in chunks."
    half = len(columns) // 2
    def grow(covers, some):
        for members in some: covers = np.vstack([covers, *(covers & literals[j] for j in members)])
        return covers
    last = grow(np.ones((1, literals.shape[1]), bool), columns[half:])
    for cover in grow(np.ones((1, literals.shape[1]), bool), columns[:half]): yield last & cover

def largest_share(proof, columns):
    """How far the prices go, over every conjunction with at most one literal of each column.

    Returns
    -------
    checked : int
        Conjunctions.
    share : float
        Largest sum that one of them separates for a label, over the penalty; 1 is allowed. Those that get
        less right than the penalty do not count.
    spent : float
        Largest sum of the prices at a row, over its weight; 1 is allowed.
    """
    own, prices, worst, checked = proof.labels[proof.pairs], proof.prices.astype(float), 0., 0
    for covers in coverages(proof.literals, columns):
        first, second = covers[:, proof.pairs[:, 0]], covers[:, proof.pairs[:, 1]]
        worth = covers.astype(float) @ proof.right >= proof.penalty
        for apart, labels in ((first & ~second, own[:, 0]), (second & ~first, own[:, 1])):
            for label in np.unique(labels):
                mine = labels == label
                sums = apart[:, mine] @ prices[mine]
                worst = max(worst, sums[worth[:, label]].max(initial=0))
        checked += len(covers)
    spent = np.bincount(proof.pairs.ravel(), prices.repeat(2), len(proof.weights)) * proof.grain
    return checked, worst * proof.grain / proof.penalty, (spent / np.maximum(proof.weights, 1e-300)).max()


# ------------------------------------------------------------------ tables

def binary(name, n, negations):
    "The first `n` 0/1 columns of a table as literals, with the negations of those that are listed."
    X, y = load_dataset(name)
    X = X.iloc[:, :n]
    flags, literals = X.to_numpy(bool).T, [(Literal(column, '=', 1),) for column in X]
    extra = [i for i, column in enumerate(X) if negations(column)]
    literals += [(Literal(X.columns[i], '=', 0),) for i in extra]
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    bits = BitMatrix.from_bool(np.vstack([flags, ~flags[extra]]))
    return Dataset.from_rows(literals, bits, codes, classes)

def table_of(name, **options):
    "A table under the literals of a vocabulary."
    X, y = load_dataset(name)
    literals = Vocabulary(**options).fit(X).literals_
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    bits = encode_literals(literals, read_table(X))
    return Dataset.from_rows([(literal,) for literal in literals], bits, codes, classes)

def compas(negations):
    "The authors' 19 literals of COMPAS, with negations of those that are listed."
    return binary('corels-compas-antecedents', 19, negations)

def has_order(column):
    "Whether the literals of a column of COMPAS have an order."
    return column.split(':')[0] in ('age', 'priors')

TABLE = {'COMPAS': (lambda: compas(lambda column: False), [.02, .01, .005, .0025, .0015, .001, .0005]),
         'COMPAS, negations': (lambda: compas(has_order), [.02, .01, .005, .0025]),
         'COMPAS binary': (lambda: binary('compas-binary', 12, lambda column: True),
                           [.02, .01, .005, .0025, .001]),
         'tic-tac-toe': (lambda: table_of('tic-tac-toe'), [.02, .01, .005]),
         'votes': (lambda: table_of('votes'), [.01, .005]),
         'breast-w': (lambda: table_of('breast-w', n_cuts=3), [.01]),
         'heart': (lambda: table_of('heart', n_cuts=3), [.05, .03, .02]),
         'car': (lambda: table_of('turs-car'), [.01, .005])}
CHECKED = ('COMPAS', 'COMPAS binary', 'tic-tac-toe')

def groups(dataset):
    """Literals by column (before the colon), as lists of which a conjunction needs one at most.

    None where two may be needed.
    """
    literals = [antecedent[0] for antecedent in dataset.antecedents]
    names = [literal.column.split(':')[0] if literal.op == '=' else None for literal in literals]
    flags = dataset.bits.to_bool()
    found = [[j for j, other in enumerate(names) if other == name] for name in dict.fromkeys(names)]
    apart = all((flags[members].sum(axis=0) <= 1).all() for members in found)
    return found if apart and None not in names else None

def pairs_of(dataset):
    "Each column's literal and its negation."
    half = len(dataset.antecedents) // 2
    return [[j, half + j] for j in range(half)]

def proof(dataset, regularization):
    "The search, and its result, after one attempt of at most so many seconds."
    search, end = OpenSearch(Problem(dataset, regularization)), time.process_time() + SECONDS
    while time.process_time() < end and not search.advance(1024): pass
    return search, open_result(search, 'finished' if search.finished else 'time')

def checked(name, dataset, search):
    "Conjunctions that the prices were held against, and the largest share of a penalty that one of them has."
    if name not in CHECKED: return 0, np.nan
    columns = pairs_of(dataset) if name == 'COMPAS binary' else groups(dataset)
    return largest_share(priced(search), columns)[:2] if columns else (0, np.nan)

def line(name, dataset, regularization):
    "One line of the table."
    (search, result), seconds = quickest(lambda: proof(dataset, regularization), 3, until=15)
    certificate, lengths = result.certificate, [len(result.dataset.antecedents[i]) for i, _ in result.items]
    n, share = checked(name, dataset, search)
    return {'data': name,
            'literals': len(dataset.antecedents),
            'distinct_rows': dataset.n_distinct,
            'regularization': regularization,
            'objective': round(certificate.objective, 6),
            'lower_bound': round(certificate.lower_bound, 6),
            'proved': certificate.is_optimal,
            'gap_in_penalties': round(certificate.gap / regularization, 3),
            'rules': len(lengths),
            'longest_rule': max(lengths, default=0),
            'enumerated': search.enumerated,
            'cpu_seconds': round(seconds, 3),
            'conjunctions_checked': n,
            'largest_share': share}

def run_table(names):
    "Measure some tables, check and write; other lines are kept."
    lines = []
    for name in names:
        make, values = TABLE[name]
        dataset = make()
        proof(dataset, .2)  # compiles
        for value in values:
            lines.append(line(name, dataset, value))
            print(*lines[-1].values(), flush=True)
    table = pd.DataFrame(lines)
    if place_of('unmined-table').exists():
        old = stored('unmined-table')
        table = pd.concat([old[~old.data.isin(names)], table])
    table['at'] = table.data.map(list(TABLE).index)
    table = table.sort_values(['at', 'regularization'], ascending=[True, False])
    write('unmined-table', table.drop(columns='at'))


if __name__ == '__main__': run_table(sys.argv[1:] or list(TABLE))
