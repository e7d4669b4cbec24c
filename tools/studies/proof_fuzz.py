"""False proofs against the checker: random tables, families and evidence, and claims above the best
objective.

`python -m tools.studies.proof_fuzz [first [last [long]]]` attacks with one random instance a number and
prints how many proofs were accepted, by what they end with.  A hole, an accepted bound above the best
objective of all lists, is printed with its number and written to `hole-NUMBER.json`.  `long` is the length
from which the checker uses NumPy.
"""
import hashlib
import itertools
import json
import math
import random
import sys
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from unittest import mock

import numpy as np

from rulebook import checker, oracle
from rulebook.bits import BitMatrix
from rulebook.table import Dataset
from rulebook.problem import Problem
from rulebook.rules import Literal

# ------------------------------------------------------------------ instances

def column(rng, name, n_rows):
    "The cells of a random column, and a test of it."
    kind = rng.choice(['number', 'Boolean', 'text'])
    if kind == 'number':
        cells = [rng.choice([None, 0, 1, 2, 2.5, 3]) for _ in range(n_rows)]
        return cells, {'column': name, 'op': rng.choice(['<', '<=', '>', '>=', '=', '!=']),
                       'value': rng.choice([1, 2, 2.5])}
    if kind == 'Boolean':
        return [rng.random() < .5 for _ in range(n_rows)], {'column': name, 'op': rng.choice(['=', '!=']),
                                                            'value': rng.random() < .5}
    tests = [('in', ['a', 'b']), ('not in', ['a']), ('missing', None), ('present', None), ('=', 'b')]
    op, value = rng.choice(tests)
    cells = [rng.choice(['a', 'b', 'c', None]) for _ in range(n_rows)]
    return cells, {'column': name, 'op': op, 'value': value}

def instance(rng):
    "A random table with weights, tests and a family."
    n_rows, n_tests, n_labels = rng.randint(2, 8), rng.randint(1, 4), rng.choice([2, 2, 3])
    made = [column(rng, f'x{j}', n_rows) for j in range(n_tests)]
    labels, kind = [rng.randrange(n_labels)
                    for _ in range(n_rows)], rng.choice(['one', 'one', 'whole', 'fraction', 'label'])
    weights = {'whole': [rng.randint(0, 4) for _ in range(n_rows)],
               'fraction': [rng.choice(['0.5', '1.25', '1/3', '2']) for _ in range(n_rows)]}.get(kind)
    if weights and not any(weights): weights[0] = 1
    everything = [list(c) for k in range(1, n_tests + 1) for c in itertools.combinations(range(n_tests), k)]
    family = {'rule_penalty': rng.choice(['0', '0.05', '1/10', '0.15', '1/7', '0.3']),
              'literal_penalty': rng.choice(['0', '0', '0.02', '1/9']),
              'most_rules': rng.choice([None, None, 0, 1, 2, 3]), 'most_literals': None, 'prefix': [],
              'may': None}
    if rng.random() < .4:
        family['may'] = [sorted(rng.sample(range(n_labels), rng.randint(rng.random() < .9, n_labels)))
                         for _ in range(n_tests)]
    if rng.random() < .35:
        family |= {'conditions': 'all', 'most_literals': rng.choice([None, None, 1, 2, 0])}
        conditions = [c for c in everything if family['most_literals'] is None or len(c)
                      <= family['most_literals']]
    else:
        conditions = family['conditions'] = [rng.choice(everything) for _ in range(rng.randint(0, 6))]
        if conditions and rng.random() < .2:
            family['prefix'] = [rng.choice(conditions) for _ in range(rng.randint(1, 2))]
    return {'columns': {f'x{j}': cells for j, (cells, _) in enumerate(made)},
            'tests': [test for _, test in made], 'labels': labels,
            'n_labels': n_labels, 'weights': weights, 'family': family, 'conditions': conditions,
            'label_weights': [rng.choice(['1', '2', '1/2', '0.7']) for _ in range(n_labels)] if kind
            == 'label' else None}

def holds(test, columns, row):
    "Whether a test holds for a row."
    return oracle.holds((test['column'], test['op'], test['value']), columns, row)

class Truth:
    "The lists of an instance, by the definition; a default that is fixed is a row more."
    added = True

    def __init__(self, made):
        self.family = family = made['family']
        self.conditions = made['conditions']
        self.labels = made['labels']
        self.n_labels = made['n_labels']
        factors = ([Fraction(1)] * self.n_labels if made['label_weights'] is None
                   else list(map(Fraction, made['label_weights'])))
        weights = [1] * len(self.labels) if made['weights'] is None else made['weights']
        self.weights = [Fraction(w) * factors[label] for w, label in zip(weights, self.labels)]
        self.rows = frozenset(row for row, weight in enumerate(self.weights) if weight)
        self.total = sum(self.weights)
        self.holds = [[holds(test, made['columns'], row) for test in made['tests']]
                      for row in range(len(self.labels))]
        self.may = family['may'] or [list(range(self.n_labels))] * len(made['tests'])
        self.most = math.inf if family['most_rules'] is None else family['most_rules']
        self.n_counted, self.default = len(self.rows), family.get('default')
        if self.default is not None and self.added:  # a row on which nothing holds
            self.rows |= {len(self.labels)}
            self.labels, self.weights = [*self.labels, self.default], [*self.weights, self.total]
            self.holds.append([False] * len(made['tests']))

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

    def wrong(self, rows, label):
        "Weight of the rows that have another label."
        return sum(self.weights[row] for row in rows if self.labels[row] != label)

    def optimum(self):
        "The least objective of the family; None if it is empty."
        prefix = self.family['prefix']
        if len(prefix) > self.most or not all(map(self.allowed, prefix)): return None
        left, paid = self.rows, 0
        for condition in prefix:
            covered = self.covers(condition) & left
            paid += self.cost(condition) + min(self.wrong(covered, label)
                                               for label in self.allowed(condition))
            left -= covered
        items = [(self.covers(c), self.allowed(c), self.cost(c)) for c in self.conditions]

        @lru_cache(None)
        def best(left, k):
            costs = [self.wrong(left, label) for label in range(self.n_labels)]
            for cover, labels, cost in items if k else ():
                if cover & left:
                    costs += [cost + self.wrong(left & cover, label) + best(left - cover, k - 1)
                              for label in labels]
            return min(costs)
        return (paid + best(left, min(self.most - len(prefix), len(self.rows)))) / self.total

    def some_list(self, rng):
        "A random list of the family with its objective."
        pool = [condition for condition in self.conditions if self.allowed(condition)]
        rules = self.family['prefix'] + [rng.choice(pool) for _ in range(rng.randint(0, 3)) if pool]
        rules, left, paid, written = rules[:int(min(self.most, len(rules)))], self.rows, 0, []
        for condition in rules:
            label, covered = rng.choice(sorted(self.allowed(condition))), self.covers(condition) & left
            paid, left = paid + self.cost(condition) + self.wrong(covered, label), left - covered
            written.append([list(condition), label])
        default = rng.randrange(self.n_labels) if self.default is None else self.default
        return (paid + self.wrong(left, default)) / self.total, {'rules': written, 'default': default}

    def base(self, conditions):
        "The base rows by some conditions: lines with the weight of each label."
        lines = {}
        for row in self.rows:
            line = ''.join('01'[all(self.holds[row][j] for j in condition)] for condition in conditions)
            lines.setdefault(line, [Fraction(0)] * self.n_labels)[self.labels[row]] += self.weights[row]
        return sorted(lines.items())

def problem_of(made):
    "The instance as a `Problem` of the package; None if it does not hold such ones."
    truth, family = Truth(made), made['family']
    conditions = sorted({tuple(sorted(condition)) for condition in made['conditions']})
    twice = len(set(map(tuple, family['prefix']))) < len(family['prefix'])
    if not 0 < len(conditions) <= 5 or truth.optimum() is None or twice: return None
    counts = np.zeros((len(truth.labels), truth.n_labels))
    counts[np.arange(len(truth.labels)), truth.labels] = list(map(float, truth.weights))
    covers = np.array([[all(truth.holds[row][j] for j in c) for row in range(len(counts))]
                       for c in conditions])
    antecedents = [tuple(Literal(f'x{j}', '=', True) for j in c) for c in conditions]
    allowed = np.array([[label in truth.allowed(c) for label in range(truth.n_labels)] for c in conditions])
    dataset = Dataset.from_counts(antecedents, BitMatrix.from_bool(covers), counts,
                                  list(range(truth.n_labels)))
    prefix = [conditions.index(tuple(sorted(c))) for c in family['prefix']]
    return Problem(dataset, float(Fraction(family['rule_penalty'])),
                   float(Fraction(family['literal_penalty'])), family['most_rules'], prefix, allowed)

# ------------------------------------------------------------------ evidence

def some_sets(rng, lines, n_labels, n_sets, pairs=False):
    "Sets of units at random, mostly with best labels."
    def unit():
        base = rng.randrange(len(lines))
        best = max(range(n_labels), key=lambda label: (lines[base][1][label], rng.random()))
        return base * n_labels + (best if rng.random() < .85 else rng.randrange(n_labels))
    sets = [[unit() for _ in range(2 if pairs else rng.choice([2, 2, 3, 4]))]
            for _ in range(n_sets if lines else 0)]
    return [units for units in sets if not pairs or len({u % n_labels for u in units}) == 2]

def greedy_prices(rng, truth, lines, conditions, sets, grain, noise):
    "Prices that are raised one after the other until a cost or a loss is used up; with noise, a little more."
    n_labels, scale = truth.n_labels, 2**grain
    loss = [[math.floor((max(sums) - some) * scale) for some in sums] for _, sums in lines]
    room = {(c, label): math.floor(truth.cost(condition) * scale) for c,
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

ALONE = {'counted': 0, 'parent': [-1], 'rule': [-1], 'rest': [0], 'prices': [-1]}  # a claim of nothing

class Reached(Exception):
    "The checker has reached a function."

def given_to(name, work):
    "What the checker gives to one of its functions, at which it is stopped; None if it refuses before."
    with mock.patch.object(checker, name, side_effect=Reached) as function:
        try: work()
        except Reached: return function.call_args.args
        except checker.ProofError: return None

def stage(proof, made):
    "What the checker holds when it reaches the states: prices, free items, most rules; or None."
    found = given_to('_check_states', lambda: checker.check({**proof, 'states': ALONE}, made['columns'],
                                                            made['labels'], made['weights']))
    return found and found[:3]

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

    def lost(rows, label):
        return sum(prices.loss[label][row] for row in checker._bits(rows))

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

# ------------------------------------------------------------------ attacks

def some_proof(rng, made, truth):
    "A proof with random prices, all but its claim, its list and its end."
    family, grain, noise = made['family'], rng.choice([0, 1, 3, 6, 10, 20]), rng.random() < .5
    every = family['conditions'] == 'all'
    conditions = [[j] for j in range(len(made['tests']))] if every else family['conditions']
    lines = truth.base(conditions)
    text = '\n'.join(sorted(' '.join([line, *map(str, sums)]) for line, sums in lines))
    proof = {'format': 'rulebook proof', 'version': 1, 'literals': made['tests'], 'family': family,
             'grain': grain,
             'table': {'rows': truth.n_counted, 'labels': list(range(made['n_labels'])),
                       'label_weights': made['label_weights'],
                       'digest': hashlib.sha256(text.encode()).hexdigest()}}
    if family['conditions'] == 'all':
        every = made['conditions']
        wide = [(''.join('01'[all(line[j] == '1' for j in c)] for c in every), sums) for line, sums in lines]
        sets = some_sets(rng, lines, made['n_labels'], rng.randint(0, 12), True)
        vector = greedy_prices(rng, truth, wide, every, sets, grain, noise and rng.random() < .3)
        conditions = every if rng.random() < .5 else rng.sample(every, rng.randint(0, len(every)))
        proof['conjunctions'] = {'sets': sets, 'prices': vector,
                                 'live': None if rng.random() < .2 else conditions}
        lines = truth.base(conditions)
    sets = some_sets(rng, lines, made['n_labels'], rng.randint(0, 10))
    vectors = [{'unit': 1, 'sets': [], 'values': []}]
    for _ in range(rng.randint(0, 4)):
        vector = greedy_prices(rng, truth, lines, conditions, sets, grain, noise)
        vectors.append(vector | {'unit': rng.choice([1, 1, 2])})
    live = (range(len(conditions)) if rng.random() < .5
            else rng.sample(range(len(conditions)), rng.randint(0, len(conditions))))
    return proof | {'sets': sets, 'prices': vectors, 'live': list(live), 'exclude': []}

def ends(rng, proof, made):
    "Ends of a proof: nothing, states that are exact or changed."
    yield 'nothing', {}
    found = stage(proof, made)
    for counted in (False, True) if found else ():
        states = exact_states(rng, *found, counted)
        yield 'states', {'states': states}
        changed = [rest + (rng.randint(-2, 2**proof['grain']) if rng.random() < .4 else 0)
                   for rest in states['rest']]
        yield 'states', {'states': states | {'rest': changed}}
        yield 'states', {'states': states | {'rest': [2 * 2**proof['grain'], *states['rest'][1:]]}}

def attack(seed, accepted, default=False):
    "Attack with one instance, with a fixed default if asked; `accepted` counts accepted proofs, and holes."
    rng = random.Random(seed)
    made = instance(rng)
    if default: made['family']['default'] = rng.randrange(made['n_labels'])
    truth = Truth(made)
    best = truth.optimum()
    if best is None: return
    lists, proof = [truth.some_list(rng) for _ in range(30)], some_proof(rng, made, truth)
    above = sorted({objective for objective, _ in lists if objective > best})
    claims = [*above[-1:], *rng.sample(above, min(3, len(above))), *above[:1], best]
    if above and rng.random() < .5:
        claims.append(best + (above[-1] - best) * Fraction(rng.randint(1, 99), 100))
    for claim in claims:
        fits = [written for objective, written in lists if objective >= claim]
        if not fits: continue
        proof |= {'list': rng.choice(fits), 'claim': {'bound': str(claim), 'objective': None}, 'exclude': []}
        found = stage(proof, made)
        if found: keep_good(found[0], proof['prices'])
        n_vectors = len(proof['prices'])
        proof['exclude'] = rng.sample(range(n_vectors), rng.randint(0, n_vectors))
        for kind, end in ends(rng, proof, made):
            accepted['checks'] = accepted.get('checks', 0) + 1
            try: checker.check({**proof, **end}, made['columns'], made['labels'], made['weights'])
            except checker.ProofError: continue
            kind += ' of all conjunctions' * (made['family']['conditions'] == 'all')
            accepted[kind] = accepted.get(kind, 0) + 1
            if claim > best:
                accepted['holes'] = accepted.get('holes', 0) + 1
                print('HOLE', seed, claim, best)
                with open(f'hole-{seed}.json', 'w', encoding='utf-8') as file:
                    json.dump({**proof, **end}, file)

def attacked(attack, words, last):
    "Attack with the instances of a range of numbers, and print what was counted; whether there is a hole."
    counts, numbers = Counter(), [*map(int, words[:2])]
    for seed in range(*{0: [last], 1: [*numbers, last]}.get(len(numbers), numbers)):
        attack(seed, counts)
    print(dict(counts))
    return counts['holes'] > 0

def attack_both(seed, accepted):
    "Attack with one instance as it is, and with a fixed default."
    for default in (False, True): attack(seed, accepted, default)


if __name__ == '__main__':
    checker._LONG = int(sys.argv[3]) if len(sys.argv) > 3 else checker._LONG
    sys.exit(attacked(attack_both, sys.argv[1:], 1000))
