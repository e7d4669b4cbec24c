"""Proofs by cases against the checker: constraints, prices of columns and fixed defaults on small random
tables.

`python -m tools.studies.proof_cases [first [last]]` takes one random instance a number, tries all its lists,
proves the best objective (or that no list satisfies the constraints) by cases, and then claims more than that
with everything that an adversary who knows the checker can do.  It prints how many proofs were written and
how many claims too many were tried; a hole, an accepted claim that is false, is printed with its number.
"""
import random
import sys
from collections import Counter
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from rulebook import checker

from .proof_fuzz import (
    ALONE, Truth, attacked, exact_states, given_to, greedy_prices, holds, instance, keep_good, some_sets)

MEASURES = ('selection rate', 'recall', 'false negative rate', 'false positive rate', 'specificity',
            'error rate', 'precision')

# ------------------------------------------------------------------ instances

def some_constraint(rng, made, measure=None):
    "A constraint on a random measure, of all rows, of a group, or of the difference of two groups."
    measure = measure or rng.choice(MEASURES)
    test = rng.choice(made['tests'])
    pairs = [(None, None), (None, None), (test, None)]
    if measure != 'precision': pairs += [(test, rng.choice(made['tests'])), (None, test)]
    of, minus = rng.choice(pairs)
    limit = rng.choice(['0', '0.1', '0.25', '1/3', '0.5', '0.6', '0.8', '1'])
    return {'measure': measure, 'positive': rng.randrange(made['n_labels']), 'of': of, 'minus': minus,
            'sense': rng.choice(['<=', '>=']), 'limit': limit}

def question(rng, measure=None):
    "A random table with a family that has limits or prices of columns."
    made = instance(rng)
    while not (1 < len(made['conditions']) <= 5 and len(made['tests']) < 4 < len(made['labels'])
               and made['family']['most_rules'] != 0):
        made = instance(rng)
    family, n_labels = made['family'], made['n_labels']
    family |= {'prefix': [], 'default': None, 'constraints': None, 'asking': None}
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
        names = rng.sample(names, rng.randint(0, len(names)))
        family['asking'] = {name: rng.choice(['0', '0.05', '1/7', '0.2']) for name in names}
    return made

class Lists(Truth):
    "All lists of an instance, by the definition."
    added = False

    def __init__(self, made):
        super().__init__(made)
        self.made = made
        self.raw = ([Fraction(1)] * len(self.labels) if made['weights'] is None
                    else [*map(Fraction, made['weights'])])
        self.asking = {name: Fraction(price) for name, price in (self.family['asking'] or {}).items()}
        self.constraints = self.family['constraints'] or []
        self.tests = [test['column'] for test in made['tests']]
        self.by = [[j]
                   for j in range(len(self.tests))] if self.family['conditions'] == 'all' else self.conditions

    def group(self, test):
        "Rows of weight on which a literal holds."
        return [row for row in self.rows if not test or holds(test, self.made['columns'], row)]

    def rate(self, entry, test, gets):
        "A measure of a group; None if it is about no row."
        above, among = checker._MEASURES[entry['measure']]
        rows, t = self.group(test), entry['positive']
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

    def all(self):
        """Every list: what each row gets, its columns, the cost of its rules, itself; the cheapest of equal
        ones."""
        found, new = {}, {(self.rows, (), frozenset()): (Fraction(0), [])}
        k = 0
        while new:
            for (left, gets, columns), (paid, rules) in new.items():
                for default in range(self.n_labels):
                    key = tuple(sorted([*gets, *((row, default) for row in left)])), columns, default
                    if key not in found or paid < found[key][0]:
                        found[key] = paid, {'rules': rules, 'default': default}
            k, before, new = k + 1, new, {}
            for (left, gets, columns), (paid, rules) in before.items() if k <= self.most else ():
                for condition in self.conditions:
                    rows = left & self.covers(condition)
                    for label in self.allowed(condition) if rows else ():
                        key = (left - rows, tuple(sorted([*gets, *((row, label) for row in rows)])),
                               columns | {self.tests[j] for j in condition})
                        cost = paid + self.cost(condition)
                        if key not in new or cost < new[key][0]:
                            new[key] = cost, [*rules, [list(condition), label]]
        return [(dict(gets), columns, paid, entry) for (gets, columns, _), (paid, entry) in found.items()]

    def objective(self, gets, columns, paid):
        "The objective of a list."
        wrong = sum(self.weights[row] for row, label in gets.items() if label != self.labels[row])
        return (wrong + paid) / self.total + sum(price for name,
                                                 price in self.asking.items() if name in columns)

    def feasible(self):
        "Objective and list of all lists of the family that satisfy the constraints, best first."
        default = self.family['default']
        some = [(self.objective(*one[:3]), one[3]) for one in self.all()
                if default in (None, one[3]['default']) and self.fits(one[0])]
        return sorted(some, key=lambda pair: pair[0])

# ------------------------------------------------------------------ proofs

def opened(proof, made):
    "What the checker holds when it reaches the cases: case, conditions, masks, base rows, level."
    case, _, conditions, masks, base, _ = given_to('_check_cases', lambda: checker.check(
        {**proof, 'cases': []}, made['columns'], made['labels'], made['weights']))
    lengths = range(1, max(1, min(len(masks), case.most_literals))
                    + 1) if case.listed is None else map(len, case.listed)
    level, case.strict = checker._level(case, len(base), {case.cost(length) for length in lengths})
    return case, conditions, masks, base, level

class Prover:
    """Writes the cases of a claim.

    Parameters
    ----------
    rng : random.Random
    lists : Lists
    proof : dict
        All but its cases.
    """
    def __init__(self, rng, lists, proof):
        self.rng = rng
        self.lists = lists
        self.stage = opened(proof, lists.made)
        case, _, masks, base, _ = self.stage
        self.lines = [''.join('01'[mask >> u & 1] for mask in masks) for u in range(len(base))]
        row_of = {line: u for u, line in enumerate(self.lines)}
        self.base_of = {row: row_of[''.join('01'[all(lists.holds[row][j] for j in c)] for c in lists.by)]
                        for row in lists.rows}
        self.every = lists.all()
        self.left = 60

    def multipliers(self, context):
        "Good multipliers of a context by linear programming over all its lists, rounded."
        case, _, _, base, _ = self.stage
        labels, unused, _ = context
        n, K = case.n_labels, len(case.limits)
        if not K: return []
        costs, over = [], []
        for gets, columns, paid, entry in self.every:
            fits = all(label in labels.get(self.base_of[row], (label,)) for row, label in gets.items())
            if not fits or columns & unused or case.default not in (None, entry['default']):
                continue
            base_gets = {self.base_of[row]: label for row, label in gets.items()}
            wrong = sum(self.lists.weights[row] for row,
                        label in gets.items() if label != self.lists.labels[row])
            costs.append(float(wrong + paid))
            over.append([float(sum(Fraction(base[u][n + k * n + label], unit) for u,
                                   label in base_gets.items()) - most)
                         for k, (unit, most) in enumerate(case.limits)])
        if not costs: return [Fraction(0)] * K
        matrix = np.column_stack([np.ones(len(costs)), -np.array(over)])
        high = 20 * float(self.lists.total) * len(self.lists.rows)
        found = linprog([-1] + [0] * K, matrix, costs, bounds=[(None, None)] + [(0, high)] * K).x
        if found is None or self.rng.random() < .1:
            found = [0] + [self.rng.random() * 3 for _ in range(K)]
        return [Fraction(max(0., m)).limit_denominator(self.rng.choice([1, 64, 10**6])) for m in found[1:]]

    def leaf(self, context):
        "A leaf that the checker accepts, or None."
        case, conditions, masks, base, level = self.stage
        rng, n = self.rng, case.n_labels
        multipliers = self.multipliers(context)
        top = 2 * max(self.lists.total, 1) + sum(abs(m) for m in multipliers) * rng.choice([0, 1, 3])
        entry = {'multipliers': [str(m) for m in multipliers],
                 'fixing': str(rng.choice([0, 1, top, 100 * top, 100 * top])),
                 'grid': rng.choice([0, 3, 12, 30]), 'grain': rng.choice([0, 2, 6, 10, 20]), 'live': [],
                 'sets': [],
                 'prices': [], 'exclude': [], 'conjunctions': None}
        if self.accepts(entry, context): return entry
        read = {**entry, 'multipliers': multipliers, 'fixing': Fraction(entry['fixing'])}
        weights, _ = checker._leaf_weights(case, read, base, context[0])
        lines = [(line, [Fraction(w, 1 << entry['grid']) for w in some]) for line,
                 some in zip(self.lines, weights)]
        every = self.lists.conditions
        noise = rng.random() < .5
        if case.listed is None:
            sets = some_sets(rng, lines, n, rng.randint(0, 8), True)
            wide = [(''.join('01'[all(line[j] == '1' for j in c)] for c in every), sums) for line,
                    sums in lines]
            vector = greedy_prices(rng, self.lists, wide, every, sets, entry['grain'], False)
            entry['conjunctions'] = {'sets': sets, 'prices': vector, 'live': every}
            merged = {}
            for line, sums in wide:
                merged[line] = [a + b for a, b in zip(merged.get(line, [0] * n), sums)]
            lines = sorted(merged.items())
        entry['sets'] = some_sets(rng, lines, n, rng.randint(0, 8))
        empty = {'unit': 1, 'sets': [], 'values': []}
        vectors = [greedy_prices(rng, self.lists, lines, every, entry['sets'], entry['grain'], noise)
                   for _ in range(2)]
        entry |= {'prices': [empty, *vectors], 'live': list(range(len(every)))}
        return self.ended(entry, context)

    def ended(self, entry, context):
        "The leaf with states, if it is accepted then."
        if self.accepts(entry, context): return entry
        found = self.reached(entry, context)
        if found is None: return None
        keep_good(found[0], entry['prices'])
        if self.accepts(entry, context): return entry
        found = self.reached(entry, context)
        if found is None: return None
        for counted in self.rng.sample([False, True], 2):
            end = {**entry, 'states': exact_states(self.rng, *found, counted)}
            if self.accepts(end, context): return end
        return None

    def reached(self, entry, context):
        "What the checker holds when it reaches the states of a leaf; None if it does not."
        found = given_to('_check_states', lambda: self.accepts({**entry, 'states': ALONE}, context))
        return found and found[:3]

    def accepts(self, entry, context):
        "Whether the checker accepts a leaf."
        case, conditions, masks, base, level = self.stage
        try: checker._check_leaf(case, entry, conditions, masks, base, context, level, Counter())
        except checker.ProofError: return False
        return True

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
        if names and (not rows or self.rng.random() < .5):
            entry = {'column': self.rng.choice(names)}
        else:
            row = self.rng.choice(rows)
            entry = {'row': row, 'label': self.rng.choice(sorted(labels.get(row, range(case.n_labels))))}
        second, first = checker._context(case, base, entry, context, '')
        one = self.cases(first)
        two = one and self.cases(second)
        return two and [entry, *one, *two]

def start(lists, claim, entry):
    "A proof without its cases."
    made = lists.made
    table = {'rows': len(lists.rows), 'label': 'y', 'labels': list(range(made['n_labels'])), 'digest': None,
             'label_weights': made['label_weights']}
    bound = None if claim is None else str(claim)
    return {'format': 'rulebook proof', 'version': 1, 'table': table, 'literals': made['tests'],
            'family': made['family'], 'grain': 10, 'list': entry,
            'claim': {'objective': None, 'bound': bound}}

def check(proof, made):
    "The verdict of a proof, or the reason of its refusal."
    try: return checker.check(proof, made['columns'], made['labels'], made['weights'])
    except checker.ProofError as error: return str(error)

def prove(rng, lists, claim, entry):
    "A proof of a claim about an instance; None if none is found."
    proof = start(lists, claim, entry)
    cases = Prover(rng, lists, proof).cases()
    return None if cases is None else {**proof, 'cases': cases}

def attack_cases(seed, counts):
    "Prove what is true about an instance, and try to prove what is false."
    rng = random.Random(seed)
    made = question(rng)
    if made['family']['constraints'] is None and made['family']['asking'] is None: return
    lists = Lists(made)
    try:
        feasible = lists.feasible()
        if made['label_weights'] and made['family']['constraints'] and '0' in made['label_weights']:
            return
    except KeyError: return
    best = feasible[0][0] if feasible else None
    if best is None: true, false = [(None, None)], []
    else:
        true = [feasible[0]]
        above = sorted({objective for objective, _ in feasible if objective > best})
        false = [(objective, rng.choice(feasible)[1]) for objective in above[:1] + above[-1:]]
        false = [(claim, next(entry for objective, entry in feasible if objective >= claim)) for claim,
                 _ in false]
        if made['family']['constraints']: false.append((None, None))
    for claim, entry in true:
        proof = prove(rng, lists, claim, entry)
        if claim and not proof:  # costs without gaps: a little less is claimed
            claim *= Fraction(999, 1000)
            proof = prove(rng, lists, claim, entry)
        counts['true, proved' if proof else 'true, not proved'] += 1
        if proof:
            verdict = check(proof, made)
            assert not isinstance(verdict, str) and verdict.bound == claim, (seed, verdict)
            counts['leaves'] += verdict.counts['cases']
            counts['infeasible'] += best is None
            counts['rows divided'] += any('row' in entry for entry in proof['cases'])
            counts['columns divided'] += any('column' in entry for entry in proof['cases'])
    for claim, entry in false:
        counts['false'] += 1
        if prove(rng, lists, claim, entry):
            counts['holes'] += 1
            print('HOLE', seed, claim, best)


if __name__ == '__main__': sys.exit(attacked(attack_cases, sys.argv[1:], 200))
