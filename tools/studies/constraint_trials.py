"""Search under constraints against all lists of small tables: writes constraint-trials.csv.

    python -m tools.studies.constraint_trials [how many of each kind]

Every second instance is about rule sets.  All lists over all conjunctions are tried; the bounds have to hold at every
stop, the end has to be the optimum, and the checker has to accept the proof file of the end, and of some stops.  Where
columns have prices, one may repeat another one, or be its opposite, at its own price; the search is given what is left
of the literals, or of the conjunctions of two, after those are left out that others replace.
"""
import sys
from fractions import Fraction
from itertools import combinations

import numpy as np

from rulebook.checker import check
from rulebook.columns import plain_value
from rulebook.constraints import RATES, Constraint, distinct_rows, group_counts, keeps, limits_of, linear
from rulebook.corels.divide import Ask, Candidate, DividedProof, DividedSearch, divided
from rulebook.corels.proof import NO_NAMES, claim_of, numbered
from rulebook.dataset import dataset_from_rows
from rulebook.problem import Problem, rule_sets_of
from rulebook.rules import Literal
from rulebook.vocabulary import encode_literals, mine_antecedents

from .runner import Table

TABLE = Table("constraint-trials", ["kind", "first", "instances", "impossible", "cases", "most", "files"],
              keys=["kind", "first"])
_AT_ONCE = 100  # instances of a line

_PRICED = 'asking', 'both'
KINDS = [*RATES, *(f'{rate} between groups' for rate in RATES if rate != 'precision'), *_PRICED]

def random_limits(rng, kind):
    "A constraint of a kind, at a random limit; none for 'asking'."
    if kind == 'asking': return None
    rate = kind.removesuffix(' between groups') if kind != 'both' else list(RATES)[rng.integers(len(RATES))]
    limit, between = float(rng.integers(0, 11) / 10), 'sex' if kind.endswith('groups') else None
    first = Constraint(rate, **{'at_most' if between or rng.random() < .5 else 'at_least': limit}, between=between)
    if kind != 'both': return [first]
    return [first, Constraint('selection rate', at_most=float(rng.integers(2, 9) / 10))]

def random_ask(rng, kind, sets):
    "A table, labels, limits and what is asked about it."
    n, n_columns = int(rng.integers(6, 30)), int(rng.integers(1, 3))
    table = {f'x{j}': rng.integers(0, 2, n).astype(float) for j in range(n_columns)}
    y = np.where(rng.random(n) < .3, rng.integers(0, 2, n), table['x0'].astype(int) ^ (rng.random(n) < .2))
    table['sex'], asking = rng.choice(['f', 'm'], n).astype(object), None
    if kind in _PRICED:
        asking = {'x0': .03, f'x{n_columns - 1}': .08}
        n_columns += copied(rng, table, asking)
    tests = [Literal(f'x{j}', '=', value) for j in range(n_columns) for value in (0., 1.)]
    if kind in _PRICED:  # what holds on every row is no test: mining leaves it out
        tests = [test for test in tests if (table[test.column] != test.value).any()]
    dataset = dataset_from_rows([(test,) for test in tests], encode_literals(tests, table), y, [0, 1])
    problem = Problem(dataset, float(rng.choice([.01, .05, .1])), float(rng.choice([0., 0., .02])))
    if sets: problem = rule_sets_of(problem, int(rng.integers(0, 2)))
    constraints = random_limits(rng, kind)
    limits = None if constraints is None else limits_of(constraints, table, [0, 1])
    return table, y, limits, Ask(problem, True, None, lines_of(limits, problem, table, y), asking)

def copied(rng, table, asking):
    "Add a column that repeats another one or is its opposite, at a price of its own, or add none: how many are added."
    n_columns, opposite, price = len(table) - 1, rng.integers(2), float(rng.choice([0., .01, .05]))
    if rng.random() < .4: return 0
    table[f'x{n_columns}'] = np.abs(opposite - table[f'x{rng.integers(n_columns)}'])
    if price: asking[f'x{n_columns}'] = price
    return 1

def lines_of(limits, problem, table, y):
    "Limits as inequalities over the rows of a problem; None without any."
    if limits is None: return None
    rows = distinct_rows(problem.dataset, table)
    counts = group_counts(limits, rows, problem.dataset.n_distinct, table, y, np.ones(len(y)), 2)
    return [linear(limit, counts) for limit in limits]

def mined(ask, length, table, y, limits):
    "The same over the conjunctions of a largest length that no others replace; of length 1 for a search over all."
    literals, priced = [literal for literal, in ask.problem.dataset.antecedents], ask.asking or ()
    found, bits = mine_antecedents(literals, encode_literals(literals, table), length, priced=priced)
    dataset = dataset_from_rows(found, bits, y, [0, 1])
    problem = Problem(dataset, ask.problem.regularization, ask.problem.literal_penalty)
    if ask.problem.sets_for is not None: problem = rule_sets_of(problem, ask.problem.sets_for)
    return Ask(problem, length == 1, None, lines_of(limits, problem, table, y), ask.asking)

def every_rule(ask):
    "Rows (bits), columns, labels and price of the cheapest rule for each cover and set of columns."
    problem, covers, rules = ask.problem, ask.problem.dataset.bits.to_bool(), {}
    columns = [antecedent[0].column for antecedent in problem.dataset.antecedents]
    for some in [*combinations(range(len(covers)), 1), *combinations(range(len(covers)), 2)]:
        cover, tested = covers[list(some)].all(axis=0), frozenset(columns[i] for i in some)
        bits = sum(1 << int(row) for row in np.flatnonzero(cover))
        labels = tuple(np.flatnonzero(problem.allowed[list(some)].all(axis=0)).tolist())
        paid = problem.regularization + problem.literal_penalty * len(some)
        if bits: rules[bits, tested] = min(rules.get((bits, tested), (np.inf,)), (paid, labels))
    return [(bits, tested, labels, paid) for (bits, tested), (paid, labels) in rules.items()]


def every_list(ask):
    "Rows with label 1 (bits), columns tested, and what is paid for rules: of the cheapest list that has them."
    everything, rules, done = (1 << ask.problem.dataset.n_distinct) - 1, every_rule(ask), {}
    now = {(everything, 0, frozenset()): 0.}  # rows that are left, those with label 1, columns
    while now:
        after = {}
        for (left, ones, tested), paid in now.items():
            for default in range(2) if ask.problem.default is None else [ask.problem.default]:
                key = ones | left * default, tested
                done[key] = min(done.get(key, np.inf), paid)
            for bits, columns, labels, price in rules:
                for label in labels if bits & left else ():
                    key = left & ~bits, ones | (bits & left) * label, tested | columns
                    after[key] = min(after.get(key, np.inf), paid + price)
        now = after
    return done


def least(ask):
    "The objective of the best list that keeps all limits, by trying all lists; inf if there is none."
    counts, best, rows = ask.problem.dataset.counts, np.inf, np.arange(ask.problem.dataset.n_distinct)
    for (ones, tested), paid in every_list(ask).items():
        labels = ones >> rows & 1
        wrong = counts.sum() - counts[rows, labels].sum()
        paid += wrong / ask.problem.total + sum((ask.asking or {}).get(name, 0.) for name in tested)
        if paid < best - 1e-12 and all(keeps(line, labels) for line in ask.lines or ()): best = paid
    return best


def proof_of_search(search, ask, limits):
    "The proof of a search, made without an estimator."
    claim = claim_of(ask.problem, ask.all_of_them)
    best = search.best or Candidate((), 0, None, 0., None, frozenset())
    conditions = ask.problem.dataset.antecedents  # single literals where all conjunctions are asked for
    items = [([one for i in rule for one in conditions[i]], label) for rule, label in best.items]
    asking = None if ask.asking is None else {name: Fraction(repr(price)) for name, price in ask.asking.items()}
    return DividedProof(claim._replace(items=numbered(claim, items), default=best.default, asking=asking,
                                       finished=search.proved, limits=limits and tuple(limits)),
                        NO_NAMES, divided(search))

def trial(seed, kind, often=1):
    "One random instance: bounds at every stop, the end, and the files: cases, whether impossible, files checked."
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    try: table, y, limits, ask = random_ask(rng, kind, sets=seed % 2 == 1)
    except ValueError: return None  # a group without such rows
    best, done, files = least(ask), False, 1
    if kind in _PRICED: ask = mined(ask, 1 + seed // 2 % 2, table, y, limits)
    search = DividedSearch(ask)
    while not done:
        done = search.advance(64)
        assert search.lower_bound <= best + 1e-9 and search.objective >= best - 1e-9
        if not done and search.best and 0 in search.records and seed % often == 0 and ask.all_of_them:
            files += 1  # the evidence of a search over a list can be taken only once
            assert float(checked(proof_of_search(search, ask, limits), table, y).bound) <= best + 1e-9
    assert search.impossible == np.isinf(best) and (np.isinf(best) or abs(search.objective - best) < 1e-9)
    verdict = checked(proof_of_search(search, ask, limits), table, y)
    assert search.impossible or verdict.optimal
    return search.cases, search.impossible, files

def checked(proof, table, y):
    "The verdict of the checker about a proof."
    cells = {name: [plain_value(cell) for cell in column] for name, column in table.items()}
    return check(proof.to_dict(), cells, y.tolist())


def line(kind, first):
    "A line of the table: so many instances from a seed on."
    found = [one for seed in range(first, first + _AT_ONCE) if (one := trial(seed, kind, 10)) is not None]
    cases, impossible, files = zip(*found)
    return dict(zip(TABLE.columns, (kind, first, len(found), sum(impossible), sum(cases), max(cases), sum(files))))


if __name__ == '__main__':
    for first in range(0, int(sys.argv[1]) if sys.argv[1:] else 2000, _AT_ONCE):
        for kind in KINDS:
            if (kind, first) not in TABLE: TABLE.append(line(kind, first))
