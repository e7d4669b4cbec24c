"""Proofs attacked: does the checker accept a claim that is false?

    python -m tools.proofs [first [last [long]]]

A small random table has a family of lists, all of which are tried.  `attack` proves what is true, and claims
more with all that an adversary who knows the checker can do.  A hole, an accepted claim that is false, is
printed with its number.  `long` is the length from which the checker uses NumPy.  `changed` damages a proof
or its table; `is_true` tries all lists; a claim that this cannot judge counts as false.
"""
import itertools
import json
import math
import random
import re
import sys
from collections import Counter
from copy import deepcopy
from fractions import Fraction
from functools import lru_cache
from unittest import mock

import numpy as np
from scipy.optimize import linprog

from rulebook.proof import checker

from tools import oracle

from .checkers import csv_text

MEASURES = ('selection rate', 'recall', 'false negative rate', 'false positive rate', 'specificity',
            'error rate', 'precision')

# ------------------------------------------------------------------ instances

def column(rng, name, n_rows):
    "The cells of a random column, and a test of it."
    some = {'number': ([None, 0, 1, 2, 2.5, 3],
                       [(op, value) for op in ('<', '<=', '>', '>=', '=', '!=') for value in (1, 2, 2.5)]),
            'Boolean': ([False, True], [(op, value) for op in ('=', '!=') for value in (False, True)]),
            'text': (['a', 'b', 'c', None], [('in', ['a', 'b']), ('not in', ['a']), ('missing', None),
                                             ('present', None), ('=', 'b')])}
    cells, tests = rng.choice([*some.values()])
    op, value = rng.choice(tests)
    return [rng.choice(cells) for _ in range(n_rows)], {'column': name, 'op': op, 'value': value}

def instance(rng):
    "A random table with weights, tests and a family."
    n_rows, n_tests, n_labels = rng.randint(2, 8), rng.randint(1, 4), rng.choice([2, 2, 3])
    made = [column(rng, f'x{j}', n_rows) for j in range(n_tests)]
    kind = rng.choice(['one', 'one', 'whole', 'fraction', 'label'])
    weights = {'whole': [rng.randint(0, 4) for _ in range(n_rows)],
               'fraction': [rng.choice(['0.5', '1.25', '1/3', '2']) for _ in range(n_rows)]}.get(kind)
    if weights and not any(weights): weights[0] = 1
    family = {'rule_penalty': rng.choice(['0', '0.05', '1/10', '0.15', '1/7', '0.3']),
              'literal_penalty': rng.choice(['0', '0', '0.02', '1/9']),
              'most_rules': rng.choice([None, None, 0, 1, 2, 3]), 'most_literals': None, 'prefix': [],
              'may': None, 'default': None, 'constraints': None, 'asking': None}
    if rng.random() < .4:
        family['may'] = [sorted(rng.sample(range(n_labels), rng.randint(rng.random() < .9, n_labels)))
                         for _ in range(n_tests)]
    if rng.random() < .35:
        family |= {'conditions': 'all', 'most_literals': rng.choice([None, None, 1, 2, 0])}
    else:
        family['conditions'] = [rng.choice(every(n_tests)) for _ in range(rng.randint(0, 6))]
        if family['conditions'] and rng.random() < .2:
            family['prefix'] = [rng.choice(family['conditions']) for _ in range(rng.randint(1, 2))]
    return {'columns': {f'x{j}': cells for j, (cells, _) in enumerate(made)},
            'tests': [test for _, test in made], 'labels': [rng.randrange(n_labels) for _ in range(n_rows)],
            'n_labels': n_labels, 'weights': weights, 'family': family,
            'label_weights': [rng.choice(['1', '2', '1/2', '0.7']) for _ in range(n_labels)]
            if kind == 'label' else None}

def every(n_tests, most=None):
    "All conjunctions of some tests."
    lengths = range(1, n_tests + 1 if most is None else min(n_tests, most) + 1)
    return [list(some) for k in lengths for some in itertools.combinations(range(n_tests), k)]

def some_constraint(rng, made, measure=None):
    "A constraint on a random measure, of all rows, of a group, or of the difference of two groups."
    measure, test = measure or rng.choice(MEASURES), rng.choice(made['tests'])
    pairs = [(None, None), (None, None), (test, None)]
    if measure != 'precision': pairs += [(test, rng.choice(made['tests'])), (None, test)]
    of, minus = rng.choice(pairs)
    limit = rng.choice(['0', '0.1', '0.25', '1/3', '0.5', '0.6', '0.8', '1'])
    return {'measure': measure, 'positive': rng.randrange(made['n_labels']), 'of': of, 'minus': minus,
            'sense': rng.choice(['<=', '>=']), 'limit': limit}

def question(rng, measure=None):
    "A random table with a family that has limits or prices of columns."
    made = instance(rng)
    while not (1 < len(Lists(made).conditions) <= 5 and len(made['tests']) < 4 < len(made['labels'])
               and made['family']['most_rules'] != 0):
        made = instance(rng)
    family, n_labels = made['family'], made['n_labels']
    family['prefix'] = []
    kind = rng.choice(['default', 'constraints', 'constraints', 'asking', 'both', 'both'])
    if kind == 'default' or rng.random() < .5:
        family['default'] = rng.randrange(n_labels)
        if rng.random() < .6:
            one = (family['default'] + rng.randrange(1, n_labels)) % n_labels
            family['may'] = [[one]] * len(made['tests'])
    if kind in ('constraints', 'both') or measure:
        family['constraints'] = [some_constraint(rng, made, measure) for _ in range(rng.choice([1, 1, 2]))]
    if kind in ('asking', 'both'):
        names = [test['column'] for test in made['tests']]
        prices = ['0', '0.05', '1/7', '0.2']
        family['asking'] = {name: rng.choice(prices) for name in some_of(rng, names)}
    return made

def needs_cases(made):
    "Whether a proof has to go by cases."
    return made['family']['constraints'] is not None or made['family']['asking'] is not None

class Lists:
    "All lists of an instance, by the definition."
    def __init__(self, made):
        self.made, self.family, self.labels = made, made['family'], made['labels']
        self.n_labels, n_tests = made['n_labels'], len(made['tests'])
        factors = [Fraction(factor) for factor in made['label_weights'] or [1] * self.n_labels]
        self.raw = [Fraction(weight) for weight in made['weights'] or [1] * len(self.labels)]
        self.weights = [weight and weight * factors[label] for weight, label in zip(self.raw, self.labels)]
        self.rows = frozenset(row for row, weight in enumerate(self.weights) if weight)
        self.total = sum(self.weights)
        self.holds = [[self.passes(test, row) for test in made['tests']] for row in range(len(self.labels))]
        self.may = self.family['may'] or [list(range(self.n_labels))] * n_tests
        self.most = math.inf if self.family['most_rules'] is None else self.family['most_rules']
        self.asking = {name: Fraction(price) for name, price in (self.family['asking'] or {}).items()}
        self.constraints = self.family['constraints'] or []
        self.tests = [test['column'] for test in made['tests']]
        whole = self.family['conditions'] == 'all'
        self.conditions = every(n_tests, self.family['most_literals']) if whole else self.family['conditions']
        self.by = [[j] for j in range(n_tests)] if whole else self.conditions  # what base rows tell apart

    def passes(self, test, row):
        "Whether a test holds for a row."
        return oracle.holds((test['column'], test['op'], test.get('value')), self.made['columns'], row)

    def covers(self, condition):
        "Rows of weight that a condition covers."
        return frozenset(row for row in self.rows if all(self.holds[row][j] for j in condition))

    def allowed(self, condition):
        "Labels of its rules."
        return set.intersection(*(set(self.may[j]) for j in condition))

    def cost(self, condition):
        "Cost of a rule in weight."
        return (Fraction(self.family['rule_penalty']) + Fraction(self.family['literal_penalty'])
                * len(condition)) * self.total

    def rate(self, entry, test, gets):
        "A measure of a group; None if it is about no row."
        above, among = checker._MEASURES[entry['measure']]
        rows, t = [row for row in self.rows if not test or self.passes(test, row)], entry['positive']
        count = sum(self.raw[row] for row in rows if above(self.labels[row], gets[row], t))
        total = sum(self.raw[row] for row in rows if among(self.labels[row], gets[row], t))
        return count / total if total else None

    def fits(self, gets):
        "Whether predictions satisfy all constraints; KeyError if one is about no row."
        return all([self.fits_one(entry, gets) for entry in self.constraints])

    def fits_one(self, entry, gets):
        "Whether predictions satisfy one constraint."
        value = self.rate(entry, entry['of'], gets)
        less = self.rate(entry, entry['minus'], gets) if entry['minus'] else 0
        if value is None and entry['measure'] == 'precision': return True
        if value is None or less is None: raise KeyError('no row')
        limit = Fraction(entry['limit'])
        return value - less <= limit if entry['sense'] == '<=' else value - less >= limit

    def longer(self, lists, conditions, always=False):
        "Lists with one more rule, which captures a row or is given; the cheapest of equal ones."
        new = {}
        for (left, gets, columns), (paid, rules) in lists.items():
            for condition in conditions:
                rows, cost = left & self.covers(condition), paid + self.cost(condition)
                asked = columns | {self.tests[j] for j in condition} if self.asking else columns
                for label in self.allowed(condition) if rows or always else ():
                    key = left - rows, tuple(sorted([*gets, *((row, label) for row in rows)])), asked
                    if key not in new or cost < new[key][0]:
                        new[key] = cost, [*rules, [list(condition), label]]
        return new

    def all(self):
        """Every list: what each row gets, its columns if they have prices, the cost of its rules, itself; the
        cheapest of equal ones."""
        found, new, k = {}, {(self.rows, (), frozenset()): (Fraction(0), [])}, len(self.family['prefix'])
        for condition in self.family['prefix']: new = self.longer(new, [condition], True)
        while new and k <= self.most:
            for (left, gets, columns), (paid, rules) in new.items():
                for default in range(self.n_labels):
                    key = tuple(sorted([*gets, *((row, default) for row in left)])), columns, default
                    if key not in found or paid < found[key][0]:
                        found[key] = paid, {'rules': rules, 'default': default}
            k, new = k + 1, self.longer(new, self.conditions)
        return [(dict(gets), columns, paid, entry) for (gets, columns, _), (paid, entry) in found.items()]

    def objective(self, gets, columns, paid):
        "The objective of a list."
        wrong = sum(self.weights[row] for row, label in gets.items() if label != self.labels[row])
        asked = sum(price for name, price in self.asking.items() if name in columns)
        return (wrong + paid) / self.total + asked

    def feasible(self):
        "Objective and list of all lists of the family that satisfy the constraints, best first."
        default = self.family['default']
        some = [(self.objective(*one[:3]), one[3]) for one in self.all()
                if default in (None, one[3]['default']) and self.fits(one[0])]
        return sorted(some, key=lambda pair: pair[0])

# ------------------------------------------------------------------ evidence

def some_of(rng, things):
    "Some of them, in any order."
    return rng.sample(things, rng.randint(0, len(things)))

def some_sets(rng, lines, n_labels, n_sets, pairs=False):
    "Sets of units at random, mostly with best labels."
    def unit():
        base = rng.randrange(len(lines))
        best = max(range(n_labels), key=lambda label: (lines[base][1][label], rng.random()))
        return base * n_labels + (best if rng.random() < .85 else rng.randrange(n_labels))
    sets = [[unit() for _ in range(2 if pairs else rng.choice([2, 2, 3, 4]))]
            for _ in range(n_sets if lines else 0)]
    return [units for units in sets if not pairs or len({u % n_labels for u in units}) == 2]

def greedy_prices(rng, lists, lines, conditions, sets, grain, noise):
    "Prices that are raised one after the other until a cost or a loss is used up; with noise, a little more."
    n_labels, scale = lists.n_labels, 2**grain
    loss = [[math.floor((max(sums) - some) * scale) for some in sums] for _, sums in lines]
    room = {(c, label): math.floor(lists.cost(condition) * scale) for c,
            condition in enumerate(conditions) for label in range(n_labels)}
    owed, values, order = {}, [], rng.sample(range(len(sets)), len(sets))
    for i in order:
        units = {divmod(unit, n_labels) for unit in sets[i]}
        touched = [(c, {label for base, label in units if lines[base][0][c] == '1'})
                   for c in range(len(conditions))]
        pure = [(c, *labels) for c, labels in touched if len(labels) == 1]
        rest = [min(loss[base][other] for other in range(n_labels) if other != label)
                - owed.get((base, label), 0) for base, label in units]
        price = max(0, min([room[item] for item in pure] + rest))
        price = price if rng.random() < .5 else rng.randint(0, price)
        price += rng.randint(0, max(1, scale // 2)) if noise and rng.random() < .3 else 0
        for item in pure: room[item] -= price
        for unit in units: owed[unit] = owed.get(unit, 0) + price
        values.append(price)
    return {'unit': 1, 'sets': order, 'values': values}

FREE = {'unit': 1, 'sets': [], 'values': []}
ALONE = {'counted': 0, 'parent': [-1], 'rule': [-1], 'rest': [0], 'prices': [-1]}  # a claim of nothing

class Reached(Exception):
    "The checker has reached a function."

def given_to(name, work):
    "What the checker gives to one of its functions, at which it is stopped; None if it refuses before."
    with mock.patch.object(checker, name, side_effect=Reached) as function:
        try: work()
        except Reached: return function.call_args.args
        except checker.ProofError: return None

def keep_good(prices, vectors):
    "Take sets that the checker would refuse out of vectors."
    def good(i):
        try: prices.part(i)
        except checker.ProofError: return False
        return True
    for vector in vectors:
        kept = [pair for pair in zip(vector['sets'], vector['values']) if good(pair[0])]
        vector['sets'], vector['values'] = [i for i, _ in kept], [value for _, value in kept]

def exact_states(rng, prices, free, most, counted):
    "Claims about sets of rows that can be reached, with their exact costs."
    items, labels = list(prices.items), range(prices.case.n_labels)
    allowed = {}
    for c, label in (items[i] for i in checker._bits(free)): allowed.setdefault(c, []).append(label)

    def lost(rows, label): return sum(prices.loss[label][row] for row in checker._bits(rows))

    @lru_cache(None)
    def best(left, k):
        costs = [lost(left, label) for label in labels]
        for c, some in allowed.items() if k else ():
            part = left & prices.columns[c].cover
            if part:
                costs.append(prices.columns[c].grains + min(lost(part, label) for label in some)
                             + best(left & ~part, k - 1))
        return min(costs)
    most = most if counted else math.inf
    states, seen = [(prices.stake, most, -1, -1)], {(prices.stake, most)}
    for i, (left, k, _, _) in enumerate(states):
        for c in allowed:
            child = left & ~prices.columns[c].cover, k - 1
            if child[0] != left and k and child not in seen and len(states) < 40 and rng.random() < .95:
                seen.add(child)
                states.append((*child, i, c))
    return {'counted': int(counted), 'parent': [parent for *_, parent, _ in states],
            'rule': [rule for *_, rule in states],
            'rest': [best(left, min(k, len(prices.columns))) for left, k, *_ in states],
            'prices': [rng.randrange(-1, len(prices.vectors)) for _ in states]}

# ------------------------------------------------------------------ proofs

def start(lists, claim, entry):
    "A proof without its end."
    made = lists.made
    table = {'rows': len(lists.rows), 'label': 'y', 'labels': list(range(made['n_labels'])), 'digest': None,
             'label_weights': made['label_weights']}
    return {'format': 'rulebook proof', 'version': 1, 'table': table, 'literals': made['tests'],
            'family': made['family'], 'grain': 10, 'list': entry, 'exclude': [],
            'claim': {'objective': None, 'bound': None if claim is None else str(claim)}}

def check(proof, made):
    "The verdict of a proof, or the reason of its refusal."
    try: return checker.check(proof, made['columns'], made['labels'], made['weights'])
    except checker.ProofError as error: return str(error)

class Prover:
    "Writes the end of a proof that the checker accepts, by cases if it is `divided`."
    def __init__(self, rng, lists, proof, divided=True):
        self.rng, self.lists, self.proof, self.divided = rng, lists, proof, divided
        self.left = 60  # cases that may be tried
        reached = given_to('_check_cases' if divided else '_check_bound',
                           lambda: check({**proof, 'cases': [] if divided else None}, lists.made))
        case, _, conditions, masks, base, _ = reached
        lengths = range(1, max(1, min(len(masks), case.most_literals)) + 1)
        lengths = lengths if case.listed is None else map(len, case.listed)
        level, case.strict = checker._level(case, len(base), {case.cost(length) for length in lengths})
        self.stage = case, conditions, masks, base, level
        self.lines = [''.join('01'[mask >> u & 1] for mask in masks) for u in range(len(base))]
        row_of = {line: u for u, line in enumerate(self.lines)}
        self.base_of = {row: row_of[''.join('01'[all(lists.holds[row][j] for j in c)] for c in lists.by)]
                        for row in lists.rows}

    def accepts(self, entry, context=None):
        "Whether the checker accepts a leaf, or the end of a proof without cases."
        case, conditions, masks, base, level = self.stage
        try:
            if self.divided:
                checker._check_leaf(case, entry, conditions, masks, base, context, level, Counter())
            else: checker._check_bound(case, entry, conditions, masks, base, Counter())
        except checker.ProofError: return False
        return True

    def multipliers(self, context):
        "Good multipliers of a context by linear programming over all its lists, rounded."
        case, _, _, base, _ = self.stage
        labels, unused, _ = context
        n, K, costs, over = case.n_labels, len(case.limits), [], []
        for gets, columns, paid, entry in self.lists.all() if K else ():
            fits = all(label in labels.get(self.base_of[row], (label,)) for row, label in gets.items())
            if not fits or columns & unused or case.default not in (None, entry['default']): continue
            own = {self.base_of[row]: label for row, label in gets.items()}
            costs.append(float(self.lists.objective(gets, (), paid) * self.lists.total))
            over.append([float(sum(Fraction(base[u][n + k * n + label], unit) for u, label in own.items())
                               - most) for k, (unit, most) in enumerate(case.limits)])
        if not costs: return [Fraction(0)] * K
        matrix = np.column_stack([np.ones(len(costs)), -np.array(over)])
        high = 20 * float(self.lists.total) * len(self.lists.rows)
        found = linprog([-1] + [0] * K, matrix, costs, bounds=[(None, None)] + [(0, high)] * K).x
        if found is None or self.rng.random() < .1: found = [0] + [self.rng.random() * 3 for _ in range(K)]
        return [Fraction(max(0., m)).limit_denominator(self.rng.choice([1, 64, 10**6])) for m in found[1:]]

    def weighing(self, context):
        "The part of a leaf that weighs its rows."
        rng, multipliers = self.rng, self.multipliers(context)
        top = 2 * max(self.lists.total, 1) + sum(multipliers) * rng.choice([0, 1, 3])
        return {'multipliers': [*map(str, multipliers)], 'grid': rng.choice([0, 3, 12, 30]),
                'fixing': str(rng.choice([0, 1, top, 100 * top, 100 * top])),
                'grain': rng.choice([0, 2, 6, 10, 20]), 'live': [], 'sets': [], 'prices': [], 'exclude': [],
                'conjunctions': None}

    def leaf(self, context=None):
        "A leaf, or the end of a proof without cases, that the checker accepts, or None."
        case, _, _, base, _ = self.stage
        entry, weights, unit = {'grain': self.proof['grain']}, base, case.unit
        if self.divided:
            entry = self.weighing(context)
            if self.accepts(entry, context): return entry
            read = {**entry, **checker._parts(entry, checker._LEAF, '')}
            weights, unit = checker._leaf_weights(case, read, base, context[0])[0], 1 << entry['grid']
        lines = [(line, [Fraction(weight, unit) for weight in some[:case.n_labels]])
                 for line, some in zip(self.lines, weights)]
        return self.ended(entry | self.evidence(lines, entry['grain']), context)

    def evidence(self, lines, grain):
        "Live conditions and prices at random."
        rng, lists, found = self.rng, self.lists, {'exclude': []}
        noise, conditions = rng.random() < .5, lists.conditions
        def some(things): return things if rng.random() < .8 else some_of(rng, things)
        if self.stage[0].listed is None:
            sets = some_sets(rng, lines, lists.n_labels, rng.randint(0, 12), True)
            wide = [(''.join('01'[all(line[j] == '1' for j in c)] for c in conditions), sums)
                    for line, sums in lines]
            vector = greedy_prices(rng, lists, wide, conditions, sets, grain, noise and rng.random() < .3)
            conditions = some(conditions)
            found['conjunctions'] = {'sets': sets, 'prices': vector,
                                     'live': None if rng.random() < .1 else conditions}
            merged = {}
            for line, sums in lines:
                line = ''.join('01'[all(line[j] == '1' for j in c)] for c in conditions)
                merged[line] = [a + b for a, b in zip(merged.get(line, [0] * lists.n_labels), sums)]
            lines = sorted(merged.items())
        found['sets'] = some_sets(rng, lines, lists.n_labels, rng.randint(0, 10))
        vectors = [greedy_prices(rng, lists, lines, conditions, found['sets'], grain, noise)
                   | {'unit': rng.choice([1, 1, 1, 2])} for _ in range(rng.randint(1, 4))]
        return found | {'prices': [FREE, *vectors], 'live': some(list(range(len(conditions))))}

    def ended(self, entry, context):
        "The evidence as it is, with good sets, or with claims about states, exact or not, if accepted then."
        rng = self.rng
        for again in range(2):
            if self.accepts(entry, context): return entry
            reached = given_to('_check_states', lambda: self.accepts({**entry, 'states': ALONE}, context))
            if reached is None: return None
            if not again:
                keep_good(reached[0], entry['prices'])
                entry['exclude'] = some_of(rng, range(len(entry['prices'])))
        for counted in rng.sample([False, True], 2):
            states = exact_states(rng, *reached[:3], counted)
            more = [rest + (rng.randint(-2, 2**entry['grain']) if rng.random() < .4 else 0)
                    for rest in states['rest']]
            for rest in states['rest'], more, [2 * 2**entry['grain'], *states['rest'][1:]]:
                end = {**entry, 'states': states | {'rest': rest}}
                if self.accepts(end, context): return end
        return None

    def cases(self, context=None):
        "Entries that prove a context, or None."
        case, _, _, base, _ = self.stage
        if context is None:
            fixed = {} if case.default is None else {0: frozenset([case.default])}
            context = fixed, frozenset(), frozenset()
        if self.left <= 0: return None
        self.left -= 1
        leaf = self.leaf(context) or self.leaf(context)
        if leaf: return [leaf]
        labels, unused, paid = context
        names = [name for name in case.asking if name not in unused | paid]
        rows = [u for u in range(len(base)) if len(labels.get(u, range(case.n_labels))) > 1]
        if not names and not rows: return None
        if names and (not rows or self.rng.random() < .5): entry = {'column': self.rng.choice(names)}
        else:
            row = self.rng.choice(rows)
            entry = {'row': row, 'label': self.rng.choice(sorted(labels.get(row, range(case.n_labels))))}
        second, first = checker._context(case, base, entry, context, '')
        one = self.cases(first)
        two = one and self.cases(second)
        return two and [entry, *one, *two]

def prove(rng, lists, claim, entry, divided=True):
    "A proof of a claim about an instance; None if none is found."
    proof = start(lists, claim, entry)
    if not divided: proof['grain'] = rng.choice([0, 1, 3, 6, 10, 20])
    prover = Prover(rng, lists, proof, divided)
    if divided: return (cases := prover.cases()) and {**proof, 'cases': cases}
    return (end := prover.leaf() or prover.leaf()) and {**proof, **end}

def attack(seed, counts, divided=True):
    "Prove what is true about an instance, and try to prove what is false."
    rng = random.Random(seed)
    made = question(rng) if divided else instance(rng)
    if not divided and rng.random() < .25: made['family']['default'] = rng.randrange(made['n_labels'])
    if divided and not needs_cases(made): return
    lists = Lists(made)
    try: feasible = lists.feasible()
    except KeyError: return
    if not feasible and not lists.constraints: return
    best, entry = feasible[0] if feasible else (None, None)
    kind = ' of all conjunctions' * (made['family']['conditions'] == 'all')
    proof, claim = prove(rng, lists, best, entry, divided), best
    if claim and not proof:  # costs without gaps: a little less is claimed
        claim *= Fraction(999, 1000)
        proof = prove(rng, lists, claim, entry, divided)
    counts[f'true{kind}, {"proved" if proof else "not proved"}'] += 1
    if proof:
        verdict = check(proof, made)
        assert not isinstance(verdict, str) and verdict.bound == claim, (seed, verdict)
        counts.update({'leaves': verdict.counts.get('cases', 0), 'infeasible': best is None,
                       'states': 'states' in proof,
                       'rows divided': any('row' in entry for entry in proof.get('cases', ())),
                       'columns divided': any('column' in entry for entry in proof.get('cases', ()))})
    above = sorted({objective for objective, _ in feasible if objective > best})
    claims = [*above[:1], *above[-1:], *rng.sample(above, 0 if divided else min(3, len(above)))]
    if above and not divided: claims.append(best + (above[-1] - best) * Fraction(rng.randint(1, 99), 100))
    false = [(claim, rng.choice([entry for objective, entry in feasible if objective >= claim]))
             for claim in claims]
    if feasible and lists.constraints: false.append((None, None))
    for claim, entry in false:
        counts['false'] += 1
        if prove(rng, lists, claim, entry, divided):
            counts['holes'] += 1
            print('HOLE', seed, divided, claim, best)

# ------------------------------------------------------------------ damages

def places(value, path=()):
    "All places below a value: container, key, and path without the numbers of entries."
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        here = (*path, key if isinstance(value, dict) else '*')
        yield value, key, here
        yield from places(value[key], here)

def fraction(rng, text):
    "Another fraction."
    v, little = Fraction(text), Fraction(1, 100)
    more = [v / 2, v * 2, v + 1, v - 10 * little, 0, v * 10 + 7, v - v * little, v + little / 10]
    return str(max(0, rng.choice(more)))

def another(rng, old, alike):
    "What may stand in place of a value; `alike` are values of the same path."
    alike = [one for one in alike if one != old] or [None]
    ways = [lambda: None, lambda: deepcopy(rng.choice(alike))]
    if isinstance(old, bool): ways += [lambda: not old]
    elif isinstance(old, int):
        ways += [lambda: old + rng.choice([-1, 1, 1, 50, 2**20]), lambda: rng.randrange(5)]
    elif isinstance(old, str) and re.fullmatch(r'\d+([./]\d+)?', old):
        ways += [lambda: fraction(rng, old)] * 4
    elif isinstance(old, str): ways += [lambda: rng.choice(WORDS)]
    elif old is None: ways += [lambda: rng.randrange(4)]
    elif isinstance(old, list) and old:
        at = rng.randrange(len(old))
        ways += [lambda: rng.sample(old, len(old)), lambda: old[:at] + old[at + 1:],
                 lambda: [*old[:at], deepcopy(old[at]), *old[at:]]]
    elif isinstance(old, dict) and old:
        gone = rng.choice([*old])
        ways += [lambda: {key: part for key, part in old.items() if key != gone}]
    return rng.choice(ways)()

def anywhere(part):
    "Another value at some place of a part of the proof; all paths are as frequent."
    def do(rng, root):
        found = {}
        for box, key, path in places(root):
            if path[1:] and '/'.join(path).startswith(part): found.setdefault(path, []).append((box, key))
        some = found[rng.choice([*found])]
        box, key = rng.choice(some)
        box[key] = another(rng, box[key], [there[at] for there, at in some])
    return do

def bound_raised(rng, root):
    "A higher bound, or the objective."
    claim, old = root['p']['claim'], Fraction(root['p']['claim']['bound'])
    if rng.random() < .3: claim['objective'] = None
    n_rows = len(root['t']['labels'])
    more = [Fraction(1, 10**15), Fraction(1, 10**9), old / 1000, Fraction(1, 50), Fraction(1, n_rows)]
    claim['bound'] = str(rng.choice([*(old + one for one in more), Fraction(claim['objective'] or '1')]))

def divided_again(rng, root):
    "One more division, at the beginning."
    entry, asking = {'row': rng.randrange(3), 'label': rng.randrange(2)}, root['p']['family']['asking']
    if asking and rng.random() < .5: entry = {'column': rng.choice([*asking])}
    cases = root['p']['cases']
    root['p']['cases'] = [entry, *cases, *(deepcopy(cases) if rng.random() < .5 else [])]

def constraint_dropped(rng, root):
    "One constraint less, and mostly its multipliers."
    limits = root['p']['family']['constraints']
    del limits[rng.randrange(len(limits))]
    for entry in root['p']['cases'] if rng.random() < .7 else ():
        if 'multipliers' in entry: entry['multipliers'] = entry['multipliers'][:len(limits)]

def conditions_changed(rng, root):
    "One condition more, or the literals in place of all conjunctions."
    family, literals = root['p']['family'], range(len(root['p']['literals']))
    new, old = sorted({*rng.choices(literals, k=2)}), family['conditions']
    family['conditions'] = [[j] for j in literals] if old == 'all' else [*old, new]

def no_list(rng, root):
    "The claim that there is no list."
    root['p'] |= {'list': None, 'claim': {'objective': None, 'bound': None}}

def cells_changed(rng, root):
    "Two cells of a column exchanged, or one made that of another row; so with labels and weights."
    parts = [*root['t']['columns'].values(), root['t']['labels'], root['t']['weights']]
    cells = rng.choice([part for part in parts if part])
    a, b = rng.sample(range(len(cells)), 2)
    cells[a], cells[b] = cells[b], rng.choice([cells[a], cells[b]])

WORDS = ('<', '<=', '>', '>=', '=', '!=', 'in', 'not in', 'missing', 'present', 'x0', 'x1', 'x9', 'all',
         *MEASURES)
PARTS = ('p/cases', 'p/cases/*/multipliers', 'p/cases/*/prices', 'p/cases/*/states', 'p/cases/*/row',
         'p/family', 'p/family/constraints', 'p/family/asking', 'p/list', 'p/claim', 'p/literals', 'p/table',
         'p')
DAMAGES = {part: anywhere(part) for part in PARTS} | {do.__name__: do for do in (
    bound_raised, divided_again, constraint_dropped, conditions_changed, no_list, cells_changed)}
CHANGES = tuple(DAMAGES)

def changed(rng, proof, made, kind):
    """A mutant by a kind of `CHANGES`: proof and instance, which share nothing with the old ones; None if it
    is the same or cannot be made."""
    old = json.dumps({'p': proof, 't': {key: made[key] for key in ('columns', 'labels', 'weights')}})
    root = json.loads(old)
    try: DAMAGES[kind](rng, root)
    except (IndexError, KeyError, ValueError, TypeError): return None
    same = json.dumps(root) == old or not root['p'].get('table')
    return None if same else (root['p'], {**made, **root['t']})

# ------------------------------------------------------------------ what is damaged, and what is true

def proofs(n, first=0):
    "So many instances with what is true of them proved, of many kinds: proof, instance."
    found, kinds = [], Counter()
    for seed in itertools.count(first):
        rng = random.Random(seed)
        made = question(rng, MEASURES[seed % 7] if rng.random() < .7 else None)
        lists, divided = Lists(made), needs_cases(made)
        try: feasible = lists.feasible()
        except KeyError: continue
        if not feasible and not divided: continue
        proof = prove(rng, lists, *(feasible[0] if feasible else (None, None)), divided)
        if proof is None: continue
        cases = proof.get('cases', ())
        parts = [any(part in entry for entry in cases) for part in ('row', 'column', 'states')]
        kind = proof['list'] is None, *parts
        kinds[kind] += 1
        if kinds[kind] < 3 + n / 8: found.append((proof, made))
        if len(found) == n: return found

ABSENT = {'most_rules': None, 'most_literals': None, 'prefix': [], 'may': None, 'default': None,
          'constraints': None, 'asking': None}  # parts of a family that need not be there

def is_true(proof, made):
    "Whether a claim is true, by trying all lists; None if the question has no meaning."
    try:
        family = ABSENT | {key: part for key, part in proof['family'].items() if part is not None}
        family['constraints'] = [{'of': None, 'minus': None} | one for one in family['constraints'] or ()]
        lists = Lists({**made, 'family': family, 'tests': proof['literals'],
                       'label_weights': proof['table'].get('label_weights')})
        feasible, claim, entry = lists.feasible(), {'bound': None} | proof['claim'], proof.get('list')
        if entry is None: return not feasible and claim['bound'] is None
        gets, left, paid = {}, set(lists.rows), Fraction(0)
        for condition, label in entry['rules']:
            known = sorted(condition) in map(sorted, lists.conditions)
            if not known or label not in lists.allowed(condition): return None
            gets |= {row: label for row in left & lists.covers(condition)}
            left -= lists.covers(condition)
            paid += lists.cost(condition)
        gets |= dict.fromkeys(left, entry['default'])
        columns = {lists.tests[j] for condition, _ in entry['rules'] for j in condition}
        # only a list without rules may have another default than the family
        is_other = lists.family['default'] not in (None, entry['default'])
        if is_other and entry['rules'] or not lists.fits(gets): return None
        said = claim.get('objective') in (None, str(lists.objective(gets, columns, paid)))
        # the first one is the best; where none keeps the limits, any bound is true of them
        return said and all(found[0] >= Fraction(claim['bound']) for found in feasible[:1])
    except (KeyError, IndexError, AttributeError, TypeError, ValueError, ZeroDivisionError): return None

def table_of(proof, made):
    "The table as the text of a CSV file; the proof names its columns then."
    proof['table'] |= {'label': 'y', 'weight': 'w' if made['weights'] else None}
    return csv_text(made['columns'], made['labels'], made['weights'])

def main(first=0, last=1000, long=None):
    "Attack with the instances of a range of numbers; whether there is a hole."
    checker._LONG, counts = checker._LONG if long is None else long, Counter()
    for seed in range(first, last):
        for divided in (False, True): attack(seed, counts, divided)
    print(dict(counts))
    return counts['holes'] > 0


if __name__ == '__main__': sys.exit(main(*map(int, sys.argv[1:])))
