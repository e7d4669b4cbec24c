"""Thousands of damaged proofs, each read by both checkers: writes proof-mutants.csv.

    python -m tools.studies.proof_mutants [how many] [first seed]

Some thirty small proofs of all kinds (prices alone, states, counted states, trees, conjunctions; three labels, weights,
prefixes, directions, stopped searches) are changed at random in one way each.  Changes of the table, the literals, the
family or the list are also tried with the digest, the number of rows and the objective of the list computed
anew, and with the objective itself as the bound, so that nothing but the bound can be wrong.  For these the best
list is searched anew: where a list lies below the claimed bound, the claim is false.  Nothing false may be
accepted; both checkers must agree on each; each must end with a verdict or a reason.
"""
import csv
import gzip
import hashlib
import io
import json
import os
import signal
import sys
import tempfile
from collections import Counter, defaultdict
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
import warnings

from rulebook import CORELSClassifier, Vocabulary, load_dataset
from rulebook.bits import BitMatrix
from rulebook.corels import engines, estimator
from rulebook.corels.branch import Tactics
from rulebook.corels.engines import JointSearch
from rulebook.corels.proof import Table as ProofTable
from rulebook.corels.proof import evidence_of, proof_of
from rulebook.dataset import Dataset
from rulebook.problem import Problem

from .corels_trials import instance
from .joint_trials import OPTIONS, SETTINGS
from .proof_panel import JavaScript, ask_python, has_node, kind_of
from .proof_trials import list_of, may_of, named, run, table_of
from .runner import write

SECONDS = 60  # on the wall for a check; beyond, it hangs
KEPT = os.environ.get('RULEBOOK_KEPT')  # a folder for mutants on which something is wrong

class Case(NamedTuple):
    "A proof and its table."
    name: str
    entry: dict
    columns: dict  # name to cells: texts, '' where missing
    label: str     # column of the labels


# ------------------------------------------------------------------ the proofs

def columns_of(frame):
    "A table as a CSV file has it."
    lines = list(csv.reader(io.StringIO(frame.to_csv(index=False))))
    return dict(zip(lines[0], map(list, zip(*lines[1:]))))

def fitted(name, X, y, weights=None, **options):
    "The case of a fit."
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        model = CORELSClassifier(**{'time_limit': 5, **options}).fit(X, y, sample_weight=weights)
    entry = {'states': None, 'tree': None} | json.loads(json.dumps(model.certificate_.proof.to_dict()))
    frame = pd.concat([X, y] if weights is None else [X, y, weights], axis=1)
    return Case(f'{name}, {kind_of(entry)}', entry, columns_of(frame), entry['table']['label'])

def searched(seed, setting, finished=True):
    "The case of a search on a random instance; None if it is not what is wanted."
    dataset, regularization, longest, options = instance(seed)
    dataset, columns = named(dataset)
    problem = Problem(dataset, regularization, max_rules=longest, **options)
    search, steps = run(problem, columns, setting, seed)
    if not finished:
        if steps < 4: return None
        search, _ = run(problem, columns, setting, seed, steps // 2)
        if search.finished: return None
    items, default = list_of(problem, search.rules)
    proof = proof_of(evidence_of(search, finished), items, default, finished, ProofTable('y', 'w', None))
    proof.claim = proof.claim._replace(may=may_of(problem))
    entry = {'states': None, 'tree': None} | json.loads(json.dumps(proof.to_dict()))
    columns, labels, weights = table_of(dataset, columns)
    entry['table']['rows'] = len(labels)
    table = {name: list(map(str, cells)) for name, cells in {**columns, 'y': labels, 'w': weights}.items()}
    return Case(f'random {seed}, {kind_of(entry)}', entry, table, 'y')

def some_columns(name, columns, rows, step=1):
    X, y = load_dataset(f'bundled:{name}')
    kept = X[columns].notna().all(axis=1) if name != 'penguins' else slice(None)
    X, y = X.loc[kept, columns].iloc[::step][:rows], y.loc[kept].iloc[::step][:rows]
    return X.reset_index(drop=True), y.reset_index(drop=True)

FITS = {
    'iris all': lambda: (*some_columns('iris', ['petal length (cm)', 'petal width (cm)'], 150), None,
                         {'vocabulary': Vocabulary(n_cuts=2)}),
    'iris pairs': lambda: (*some_columns('iris', ['petal length (cm)', 'sepal width (cm)'], 150), None,
                           {'max_literals': 2, 'vocabulary': Vocabulary(n_cuts=2)}),
    'penguins all': lambda: (*some_columns('penguins', ['island', 'flipper_length_mm', 'sex'], 344), None,
                             {'vocabulary': Vocabulary(n_cuts=1), 'regularization': .02}),
    'tic-tac-toe single': lambda: (*some_columns('tic-tac-toe', ['top_middle', 'middle_middle', 'bottom_right'], 200, 4), None,
                                   {'max_literals': 1, 'regularization': .005}),
    'tic-tac-toe all': lambda: (*some_columns('tic-tac-toe', ['top_left', 'middle_middle', 'bottom_right'], 240, 4), None,
                                {'regularization': .005}),
    'mammographic all': lambda: (*some_columns('mammographic', ['age', 'margin', 'shape'], 300, 2), None,
                                 {'vocabulary': Vocabulary(n_cuts=1), 'regularization': .004}),
    'mammographic, 2 rules': lambda: (*some_columns('mammographic', ['age', 'margin', 'shape'], 200, 4), None,
                                      {'max_literals': 1, 'max_rules': 2, 'regularization': .002, 'vocabulary': Vocabulary(n_cuts=3)}),
    'compas price of a literal': lambda: (*some_columns('compas', ['age', 'priors', 'sex'], 300, 20), None,
                                          {'literal_penalty': .004, 'regularization': .004, 'vocabulary': Vocabulary(n_cuts=2)}),
    'compas direction': lambda: (*some_columns('compas', ['age', 'priors', 'sex'], 300, 20), None,
                                 {'monotonic_cst': {'age': -1, 'priors': 1}, 'regularization': .01,
                                  'vocabulary': Vocabulary(n_cuts=2)}),
    'compas balanced': lambda: (*some_columns('compas', ['age', 'priors', 'sex'], 200, 20), None,
                                {'class_weight': {'no': 1, 'yes': 1.5}, 'max_literals': 2, 'vocabulary': Vocabulary(n_cuts=2)}),
    'compas all': lambda: (*some_columns('compas', ['age', 'priors'], 400, 17), None,
                           {'regularization': .004, 'vocabulary': Vocabulary(n_cuts=3)}),
    'tic-tac-toe, all behind': lambda: (*some_columns('tic-tac-toe', ['top_left', 'middle_middle', 'bottom_right', 'top_right'], 300, 3), None,
                                        {'regularization': .004}),
    'contraceptive all': lambda: (*some_columns('contraceptive', ['age', 'education'], 300, 4), None,
                                  {'vocabulary': Vocabulary(n_cuts=2), 'regularization': .005}),
    'contraceptive weights': lambda: weighted(*some_columns('contraceptive', ['age', 'education', 'children'], 200, 7),
                                              {'vocabulary': Vocabulary(n_cuts=1), 'max_literals': 2, 'regularization': .01}),
    'german all': lambda: (*some_columns('german', ['duration', 'checking_account', 'savings'], 250, 4), None,
                           {'max_literals': 2, 'regularization': .008, 'vocabulary': Vocabulary(n_cuts=2)}),
    'vehicle single': lambda: (*some_columns('vehicle', ['circularity', 'scatter_ratio', 'hollows_ratio', 'major_variance'], 200, 4), None,
                               {'max_literals': 1, 'regularization': .02, 'vocabulary': Vocabulary(n_cuts=1)}),
    'housevotes, 2 literals': lambda: (*some_columns('housevotes', ['crime', 'immigration', 'water_project', 'physician_fee_freeze'], 120, 3), None,
                                       {'max_literals': 1, 'regularization': .005}),
    'monotone prefix': lambda: prefixed(*some_columns('tic-tac-toe', ['top_left', 'middle_middle', 'bottom_right'], 240, 4)),
}

def weighted(X, y, options):
    return X, y, pd.Series(.5 + .25 * (np.arange(len(X)) % 4), name='weight'), options

def prefixed(X, y):
    first = CORELSClassifier(.005, max_literals=1, max_rules=1).fit(X, y).model_.rules
    return X, y, None, {'max_literals': 2, 'prefix': [first[0].literals], 'regularization': .005}

def small(name, columns, rows, step, n_cuts=2, **options):
    "The parts of a fit to some columns and rows."
    return *some_columns(name, columns, rows, step), None, options | {'vocabulary': Vocabulary(n_cuts=n_cuts)}

CONTRACEPTIVE = 'contraceptive', ['age', 'education', 'children'], 300, 4
BRANCHED = {
    'contraceptive pairs by branching': (('fixing', 'sets', 'trials'), lambda: small(*CONTRACEPTIVE, max_literals=2, regularization=.005)),
    'contraceptive single by branching': (('sets', 'rounding'), lambda: small(*CONTRACEPTIVE, max_literals=1, regularization=.005)),
    'german single by branching': (('sets', 'rounding'), lambda: small(
        'german', ['duration', 'checking_account', 'savings'], 250, 4, max_literals=1, regularization=.005)),
    'vehicle by branching, stopped': (('sets', 'rounding'), lambda: small(
        'vehicle', ['circularity', 'scatter_ratio'], 120, 6, max_literals=2, regularization=.005, node_limit=400)),
    'tic-tac-toe by branching': ((), lambda: small(
        'tic-tac-toe', ['top_middle', 'middle_middle', 'bottom_right'], 160, 6, max_literals=2, regularization=.01)),
}

def branch_and_cut(disable):
    "A `JointSearch` that leaves all to branch and cut as soon as it can."
    class Cuts(JointSearch):
        def __init__(self, problem, budget, options, start=(), adviser=None):
            super().__init__(problem, budget, OPTIONS, start, adviser, Tactics(disable=disable))
        def advance(self, n_steps):
            if self.cuts is not None: self.full = self.sharpened = True
            return super().advance(n_steps)
    return mock.patch.multiple(engines, **SETTINGS['cuts ahead'][0]), mock.patch.object(estimator, 'JointSearch', Cuts)

WANTED = (('cuts ahead', True, 'tree', 2), ('states ahead', True, 'states', 2), ('as it is', True, 'states', 2),
          ('as it is', True, 'counted states', 2), ('soon', False, 'states', 2))

def cases():
    "All proofs that are mutated."
    found = []
    for name, make in FITS.items():
        X, y, weights, options = make()
        found.append(fitted(name, X, y, weights, **options))
    for name, (disable, make) in BRANCHED.items():
        X, y, weights, options = make()
        first, second = branch_and_cut(disable)
        with first, second: found.append(fitted(name, X, y, weights, **options))
    for setting, finished, kind, n in WANTED:
        some, seed = [], 0
        while len(some) < n and seed < 100:
            seed += 1
            case = searched(seed, setting, finished)
            if case is None or kind_of(case.entry) != kind: continue
            if case.name in {other.name for other in found} or size_of(case.entry) < 2: continue
            some.append(case._replace(name=f'{case.name}, {"finished" if finished else "stopped"}'))
        found += some
    return found

def size_of(entry): return len(entry['tree'] or ()) or len((entry['states'] or {'rest': ()})['rest'])


# ------------------------------------------------------------------ a second look at the data

MISSING = set('|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null'.split('|'))

def as_number(cell):
    try: return float(cell)
    except ValueError: return None

def equals(cell, value):
    "Whether the text of a cell is a value."
    if isinstance(value, str): return cell == value
    if isinstance(value, bool) and cell.lower() in ('true', 'false'): return (cell.lower() == 'true') == value
    return as_number(cell) == float(value)

def holds(literal, cell):
    "Whether a literal holds of the text of a cell."
    op, value = literal['op'], literal.get('value')
    if op in ('missing', 'present'): return (cell in MISSING) == (op == 'missing')
    if cell in MISSING: return False
    if op in ('=', 'in'): return any(equals(cell, v) for v in (value if op == 'in' else [value]))
    if op in ('!=', 'not in'): return not any(equals(cell, v) for v in (value if op == 'not in' else [value]))
    number = float(cell)
    return {'<': number < value, '<=': number <= value, '>': number > value, '>=': number >= value}[op]

class Facts(NamedTuple):
    "What a table and the head of a proof come to."
    rows: int              # rows with weight
    digest: str            # of the table over the conditions
    objective: Fraction    # of the list
    problem: object        # the best list of the family, as a search has it
    costs: list            # of each condition, exact: shares
    covers: object         # bool, shape (n_conditions, n_rows)
    weights: list          # of each row as its label: exact
    codes: object          # label of each row
    may: list              # of each condition: labels

def facts(entry, columns, most=3000):
    "The `Facts`; an error of any kind if there are none."
    table, family = entry['table'], entry['family']
    labels = columns[table['label']]
    codes = [[equals(cell, value) for value in table['labels']].index(True) for cell in labels]
    weights = [Fraction(w) for w in (columns[table['weight']] if table['weight'] else ['1'] * len(codes))]
    factors = [Fraction(f) for f in table['label_weights'] or ['1'] * len(table['labels'])]
    weights = [weight * factors[code] for weight, code in zip(weights, codes)]
    literals = [np.array([holds(literal, cell) for cell in columns[literal['column']]], bool) for literal in entry['literals']]
    may = family['may'] or [list(range(len(table['labels'])))] * len(literals)
    def cover(condition): return np.logical_and.reduce([literals[j] for j in condition])
    def allowed(condition): return sorted(set.intersection(*[set(may[j]) for j in condition]))
    rule, literal = Fraction(family['rule_penalty']), Fraction(family['literal_penalty'])
    if family['conditions'] == 'all': conditions = distinct(len(literals), family['most_literals'], cover, allowed, literal, most)
    else: conditions = family['conditions']
    base = [[j] for j in range(len(literals))] if family['conditions'] == 'all' else conditions
    digest = digest_of(np.array([cover(c) for c in base]).reshape(len(base), -1), weights, codes, len(factors))
    rules = [(cover(tests), label, rule + literal * len(tests)) for tests, label in entry['list']['rules']]
    objective = worth(rules, entry['list']['default'], weights, codes)
    covers = np.array([cover(c) for c in conditions]).reshape(len(conditions), -1)
    found = Facts(sum(w > 0 for w in weights), digest, objective, None, [rule + literal * len(c) for c in conditions], covers,
                  weights, codes, [allowed(c) for c in conditions])
    return found._replace(problem=problem_of(entry, conditions, found))

def distinct(n, longest, cover, allowed, literal, most):
    "The conjunctions, one for each set of rows and labels (the shortest)."
    found = {}
    longest = n if longest is None else min(n, longest)
    if sum(1 for _ in range(1)) and 2**min(n, 30) > 40_000 and longest > 2: raise ValueError('too many')
    for length in range(1, longest + 1):
        for condition in combinations(range(n), length):
            found.setdefault((cover(condition).tobytes(), tuple(allowed(condition))), list(condition))
    return list(found.values())

def digest_of(covers, weights, codes, n_labels):
    sums = defaultdict(lambda: [Fraction(0)] * n_labels)
    for i, (weight, code) in enumerate(zip(weights, codes)):
        if not weight: continue
        line = ''.join('01'[int(cell)] for cell in covers[:, i])
        sums[line] = [s + weight * (l == code) for l, s in enumerate(sums[line])]
    texts = [' '.join([line, *map(str, some)]) for line, some in sums.items()]
    return hashlib.sha256('\n'.join(sorted(texts)).encode()).hexdigest()

def worth(rules, default, weights, codes):
    "The exact objective of a list: rules as rows, label, cost."
    left, wrong, total = np.ones(len(codes), bool), Fraction(0), sum(weights)
    for rows, label, _ in [*rules, (np.ones(len(codes), bool), default, 0)]:
        for i in np.flatnonzero(left & rows): wrong += weights[i] * (codes[i] != label)
        left &= ~rows
    return wrong / total + sum(cost for *_, cost in rules)

def problem_of(entry, conditions, found):
    "The problem as a search takes it."
    family, n_labels = entry['family'], len(entry['table']['labels'])
    counts = np.zeros((len(found.codes), n_labels))
    counts[np.arange(len(found.codes)), found.codes] = [float(w) for w in found.weights]
    kept = counts.sum(1) > 0
    antecedents = [[f'{j}' for j in c] for c in conditions]
    dataset = Dataset.from_counts(antecedents, BitMatrix.from_bool(found.covers[:, kept]), counts[kept], range(n_labels))
    sets = [frozenset(c) for c in conditions]
    prefix = [sets.index(frozenset(c)) for c in family.get('prefix', ())]
    allowed = np.array([[l in some for l in range(n_labels)] for some in found.may]).reshape(len(conditions), n_labels)
    return Problem(dataset, float(Fraction(family['rule_penalty'])), float(Fraction(family['literal_penalty'])),
                   family['most_rules'], prefix, allowed)

def best(found):
    "The exact objective of the best list that a search finds."
    search = JointSearch(found.problem)
    for _ in range(200):
        if search.advance(200): break
    *captured, rest = found.problem.dataset.captured(search.rules)
    rules = []
    for rule, counts in zip(search.rules, captured):
        label = max(found.may[rule], key=lambda l: counts[l])
        rules.append((found.covers[rule], label, found.costs[rule]))
    return min(worth(rules, default, found.weights, found.codes) for default in range(found.problem.dataset.counts.shape[1]))


# ------------------------------------------------------------------ changes of a proof

def pick(rng, some): return some[int(rng.integers(len(some)))]

def vectors(e): return [*e.get('prices', ()), *([e['conjunctions']['prices']] if e['conjunctions'] else [])]

def sets_of(e): return [s for s in (e['sets'], (e['conjunctions'] or {'sets': []})['sets']) if s]

def price_raised(rng, e, t):
    v = pick(rng, [v for v in vectors(e) if v['values']])
    i = rng.integers(len(v['values']))
    v['values'][i] += pick(rng, [1, 2, 1000, v['values'][i] // 100 + 1, v['values'][i] + 1])

def price_lowered(rng, e, t):
    v = pick(rng, [v for v in vectors(e) if v['values']])
    i = rng.integers(len(v['values']))
    v['values'][i] -= min(v['values'][i], pick(rng, [1, 1000, v['values'][i] // 100 + 1, v['values'][i]]))

def price_dropped(rng, e, t):
    v = pick(rng, [v for v in vectors(e) if v['values']])
    i = rng.integers(len(v['values']))
    del v['values'][i], v['sets'][i]

def prices_exchanged(rng, e, t):
    v = pick(rng, [v for v in vectors(e) if len(set(v['values'])) > 1])
    i, j = rng.choice(len(v['values']), 2, replace=False)
    v['values'][i], v['values'][j] = v['values'][j], v['values'][i]

def vectors_exchanged(rng, e, t):
    i, j = rng.choice(len(e['prices']), 2, replace=False)
    e['prices'][i], e['prices'][j] = e['prices'][j], e['prices'][i]

def count_or_ray(rng, e, t):
    v = pick(rng, vectors(e))
    kind = rng.integers(3)
    if kind == 0: v['count'] = v.get('count', 0) + pick(rng, [1, -1, 10**6, -10**9, v['values'][0] if v['values'] else 5])
    elif kind == 1: v['ray'] = 1 - v.get('ray', 0)
    else: v['unit'] = pick(rng, [2, 3, 2 * v['unit'], v['unit'] + 1])

def set_changed(rng, e, t):
    s = pick(rng, pick(rng, sets_of(e)))
    largest = max(max(map(max, some)) for some in sets_of(e)) + 2
    kind = rng.integers(4)
    if kind == 0: s[rng.integers(len(s))] = int(rng.integers(largest))
    elif kind == 1: s.append(int(rng.integers(largest)))
    elif kind == 2 and len(s) > 2: del s[rng.integers(len(s))]
    else: s[rng.integers(len(s))] ^= 1

def claim_loosened(rng, e, t):
    rest = e['states']['rest']
    i = rng.integers(len(rest))
    rest[i] += pick(rng, [1, 1000, rest[i] // 1000 + 1, rest[i] // 2 + 1])

def state_dropped(rng, e, t):
    states = e['states']
    i = int(rng.integers(1, len(states['rest'])))
    repair = rng.random() < .8
    for key in ('parent', 'rule', 'rest', 'prices'): del states[key][i]
    if repair: states['parent'] = [p - (p > i) for p in states['parent']]

def state_changed(rng, e, t):
    states = e['states']
    i = int(rng.integers(len(states['rest'])))
    key = pick(rng, ['parent', 'rule', 'prices', 'counted'])
    if key == 'counted': states['counted'] = 1 - states['counted']
    elif key == 'parent': states['parent'][i] = int(rng.integers(-1, len(states['rest'])))
    elif key == 'rule': states['rule'][i] = pick(rng, e['live'])
    else: states['prices'][i] = int(rng.integers(-1, len(e['prices'])))

def states_left_out(rng, e, t):
    if not e['states']: raise IndexError
    e['states'] = None

def live_dropped(rng, e, t):
    live = pick(rng, [some for some in (e['live'], (e['conjunctions'] or {}).get('live')) if some])
    del live[rng.integers(len(live))]

def tree_dropped(rng, e, t): del e['tree'][rng.integers(len(e['tree']))]

def tree_exchanged(rng, e, t):
    i, j = rng.choice(len(e['tree']), 2, replace=False)
    e['tree'][i], e['tree'][j] = e['tree'][j], e['tree'][i]

def tree_changed(rng, e, t):
    entry = pick(rng, e['tree'])
    if rng.random() < .2: entry[0] = pick(rng, ['fix', 'close', 'rule', 'number', 'error'])
    else: entry[rng.integers(1, len(entry))] = int(rng.integers(max(len(e['prices']), len(e['live']), 4)))

def exclusion_dropped(rng, e, t): del e['exclude'][rng.integers(len(e['exclude']))]

def exclusion_changed(rng, e, t):
    if rng.random() < .5 and len(e['exclude']) > 1: rng.shuffle(e['exclude'])
    else: e['exclude'][rng.integers(len(e['exclude']))] = int(rng.integers(len(e['prices']) + 1))

def objective_lowered(rng, e, t):
    value = Fraction(e['claim']['objective'])
    e['claim']['objective'] = str(value * (1 - pick(rng, [Fraction(1, 10**9), Fraction(1, 100), Fraction(1, 10**15)])))
    if rng.random() < .5: e['claim']['bound'] = e['claim']['objective']

def bound_raised(rng, e, t):
    bound, objective = Fraction(e['claim']['bound']), Fraction(e['claim']['objective'] or '1')
    more = [bound + Fraction(1, 10**15), bound * Fraction(1001, 1000), objective, bound + Fraction(1, e['table']['rows'])]
    e['claim']['bound'] = str(pick(rng, more))
    if rng.random() < .3: e['claim']['objective'] = None

def grain_changed(rng, e, t): e['grain'] = max(0, e['grain'] + pick(rng, [-30, -1, 1, 2, 10, 300]))

PROOF = (price_raised, price_lowered, price_dropped, prices_exchanged, vectors_exchanged, count_or_ray, set_changed, claim_loosened,
         state_dropped, state_changed, states_left_out, live_dropped, tree_dropped, tree_exchanged, tree_changed,
         exclusion_dropped, exclusion_changed, objective_lowered, bound_raised, grain_changed)


# ------------------------------------------------------------------ changes of what is asked

def literal_changed(rng, e, t):
    literal = pick(rng, e['literals'])
    kind = rng.integers(3)
    if kind == 0: literal['op'] = {'<': '>=', '>=': '<', '<=': '>', '>': '<=', '=': '!=', '!=': '=', 'in': 'not in', 'not in': 'in',
                                   'missing': 'present', 'present': 'missing'}[literal['op']]
    elif kind == 1: literal['column'] = pick(rng, e['literals'])['column']
    elif literal['op'] in ('=', '!='): literal['value'] = pick(rng, t[literal['column']])
    elif isinstance(literal['value'], list): del literal['value'][0]
    else: literal['value'] += pick(rng, [-1, 1, .5, 1e-9])

def literal_exchanged(rng, e, t):
    i, j = rng.choice(len(e['literals']), 2, replace=False)
    e['literals'][i], e['literals'][j] = e['literals'][j], e['literals'][i]

def row_altered(rng, e, t):
    column = t[pick(rng, e['literals'])['column']]
    for _ in range(pick(rng, [1, 3, len(column) // 4 + 1])): column[rng.integers(len(column))] = pick(rng, column)

def row_dropped(rng, e, t):
    n = len(t[e['table']['label']])
    i, again = int(rng.integers(n)), rng.random() < .5
    for column in t.values():
        if again: column.append(column[i])
        else: del column[i]

def label_flipped(rng, e, t):
    column = t[e['table']['label']]
    for _ in range(pick(rng, [1, 3, len(column) // 4 + 1])): column[rng.integers(len(column))] = pick(rng, column)

def labels_exchanged(rng, e, t):
    labels = e['table']['labels']
    i, j = rng.choice(len(labels), 2, replace=False)
    labels[i], labels[j] = labels[j], labels[i]

def weight_changed(rng, e, t):
    table, kind = e['table'], rng.integers(2)
    if table['weight'] and kind:
        column = t[table['weight']]
        column[rng.integers(len(column))] = pick(rng, ['0', '1', '2', '1/3', '.5', '0.5', '1e1', '-1'])
    else: table['label_weights'] = [pick(rng, ['1', '2', '0.5', '4/3', '0']) for _ in table['labels']]

def penalty_changed(rng, e, t):
    key = pick(rng, ['rule_penalty', 'literal_penalty'])
    old = Fraction(e['family'][key])
    e['family'][key] = str(pick(rng, [old / 2, old * 2, old * Fraction(99, 100), old + Fraction(1, 1000), Fraction(0)]))

def family_changed(rng, e, t):
    family = e['family']
    key = pick(rng, ['most_rules', 'most_literals', 'prefix', 'may', 'conditions'])
    if key == 'most_rules': family[key] = pick(rng, [None, 0, 1, 2, 3, (family[key] or 1) + 1])
    elif key == 'most_literals': family[key] = pick(rng, [None, 1, 2, 3])
    elif key == 'prefix':
        if family['prefix']: family['prefix'].pop()
        else: family['prefix'] = [pick(rng, family['conditions'])] if family['conditions'] != 'all' else [[0]]
    elif key == 'may':
        n = len(e['table']['labels'])
        family['may'] = [sorted(rng.choice(n, rng.integers(n + 1), replace=False).tolist()) for _ in e['literals']]
        if rng.random() < .4: family['may'] = None
    elif family['conditions'] == 'all': family['conditions'] = [[j] for j in range(len(e['literals']))]
    elif rng.random() < .5: del family['conditions'][rng.integers(len(family['conditions']))]
    else: family['conditions'].append(sorted({int(rng.integers(len(e['literals']))) for _ in range(2)}))

def list_changed(rng, e, t):
    rules, kind = e['list']['rules'], rng.integers(4)
    if kind == 0 or not rules: e['list']['default'] = int(rng.integers(len(e['table']['labels'])))
    elif kind == 1: del rules[rng.integers(len(rules))]
    elif kind == 2: pick(rng, rules)[1] = int(rng.integers(len(e['table']['labels'])))
    else: rng.shuffle(rules)

ASKED = (literal_changed, literal_exchanged, row_altered, row_dropped, label_flipped, labels_exchanged, weight_changed, penalty_changed,
         family_changed, list_changed)
REPAIRS = ('', ', digest anew', ', objective anew', ', bound anew')

def repaired(entry, columns, repair):
    "The entry with what follows from the table and the list computed anew."
    if not repair: return entry
    found = facts(entry, columns)
    entry['table'] |= {'rows': found.rows, 'digest': found.digest}
    if repair != REPAIRS[1]: entry['claim']['objective'] = str(found.objective)
    if repair == REPAIRS[3]: entry['claim']['bound'] = str(found.objective)
    return entry


# ------------------------------------------------------------------ files that are no proofs

HOSTILE = [None, True, -1, 0, 1, 2**53 - 1, 2**53, -2**53, 10**30, 1.5, 1e308, '', 'x', '1', '1/0', '-1', '1e5', [], [[]], {}, {'x': 1},
           [0, 0], [-1], [None], 'all', '9' * 41, '0.' + '1' * 41, '\ud800', [0.5], ['0'], [10**18]]

def places(value, path=()):
    "Every place in a JSON value."
    if path: yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts: yield from places(part, (*path, key))

def place_of(rng, entry):
    "A random place: all depths alike."
    value, path = entry, []
    while isinstance(value, (dict, list)) and value and (not path or rng.random() < .75):
        path.append(pick(rng, list(value) if isinstance(value, dict) else range(len(value))))
        value = value[path[-1]]
    return path

def at(entry, path):
    for key in path: entry = entry[key]
    return entry

def value_replaced(rng, e, t):
    *path, last = place_of(rng, e)
    at(e, path)[last] = deepcopy(pick(rng, HOSTILE))

def value_removed(rng, e, t):
    *path, last = place_of(rng, e)
    del at(e, path)[last]

def value_moved(rng, e, t):
    *path, last = place_of(rng, e)
    at(e, path)[last] = deepcopy(at(e, place_of(rng, e)))

def key_added(rng, e, t):
    where = pick(rng, [(), ('table',), ('family',), ('claim',), ('list',)])
    at(e, where)[pick(rng, ['x', 'comment', 'Table', 'states2', ''])] = pick(rng, HOSTILE)

STRUCTURE = (value_replaced, value_removed, value_moved, key_added)

def bytes_flipped(rng, data):
    data = bytearray(data)
    for _ in range(pick(rng, [1, 1, 3, 20])): data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    return bytes(data)

def cut_off(rng, data): return data[:rng.integers(len(data))]

def piece_cut_out(rng, data):
    i = rng.integers(len(data))
    return data[:i] + data[i + rng.integers(1, 50):]

def piece_doubled(rng, data):
    i = rng.integers(len(data))
    j = i + rng.integers(1, 50)
    return data[:j] + data[i:]

def key_doubled(rng, data):
    key = pick(rng, [b'"grain":1', b'"format":"rulebook proof"', b'"exclude":[]', b'"tree":null'])
    return data[:-1] + b',' + key + b'}'

def number_mangled(rng, data):
    places = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    i = pick(rng, places)
    return data[:i] + pick(rng, [b'NaN', b'Infinity', b'-', b'1e999', b'9' * 400, b'0x1', b'1_0', b'00', b'1.0', b'1e0', '٣'.encode()]) + data[i + 1:]

def coding_changed(rng, data):
    return pick(rng, [lambda: b'\xef\xbb\xbf' + data, lambda: data.decode().encode('utf-16'), lambda: data + b'\xff', lambda: data + b'{}',
                      lambda: b' \n' + data + b'\t\r\n ', lambda: data.replace(b':', b': '), lambda: data + b'\0'])()

def packing_damaged(rng, data):
    packed = gzip.compress(data, mtime=0)
    return pick(rng, [lambda: packed, lambda: bytes_flipped(rng, packed), lambda: cut_off(rng, packed), lambda: packed + b'x',
                      lambda: packed + packed, lambda: gzip.compress(packed, mtime=0), lambda: b'\x1f\x8b' + data])()

BYTES = (bytes_flipped, cut_off, piece_cut_out, piece_doubled, key_doubled, number_mangled, coding_changed, packing_damaged)

def table_bytes(rng, data):
    "A damaged table."
    lines = data.split(b'\n')
    i = int(rng.integers(len(lines) - 1))
    return pick(rng, [lambda: bytes_flipped(rng, data), lambda: cut_off(rng, data), lambda: b'\n'.join([*lines[:i], lines[i] + b',1', *lines[i + 1:]]),
                      lambda: b'\xef\xbb\xbf' + data, lambda: data.replace(b'\n', b'\r\n'), lambda: data + b'\n\n', lambda: data.replace(b',', b';'),
                      lambda: data.replace(b'\n', b'\r'), lambda: gzip.compress(data), lambda: data + b'"', lambda: b'', lambda: lines[0],
                      lambda: data.replace(b',', b',"', 1), lambda: b'\n'.join([lines[0], *lines[:0:-1]]),
                      lambda: data.rstrip(b'\n'), lambda: b'\n'.join([*lines[:i], b'', *lines[i:]])])()

def giants():
    "Files that are too large, too deep or swell: names and bytes."
    mb = 2**20
    yield 'nested lists', b'[' * 100_000 + b']' * 100_000
    yield 'nested objects', b'{"a":' * 100_000 + b'1' + b'}' * 100_000
    yield 'nested, not closed', b'[' * 10_000_000
    yield 'a literal nested', b'{"format":"rulebook proof","version":1,"literals":' + b'[' * 100_000 + b']' * 100_000 + b'}'
    yield '100 MB of spaces', b' ' * (100 * mb)
    yield '100 MB of zeros', b'[' + b'0,' * (50 * mb) + b'0]'
    yield '60 MB of digits', b'{"grain":' + b'1' * (60 * mb) + b'}'
    yield '60 MB of prices', b'{"format":"rulebook proof","prices":[' + b'0,' * (30 * mb) + b'0]}'
    yield '60 MB of text', b'{"format":"' + b'x' * (60 * mb) + b'"}'
    yield 'gzip of 1 GB', gzip.compress(b' ' * (1024 * mb), 6)
    yield 'gzip of gzip of 1 GB', gzip.compress(gzip.compress(b' ' * (1024 * mb), 6), 6)
    yield 'many keys', b'{' + b','.join(b'"k%d":0' % i for i in range(1_000_000)) + b'}'
    yield 'nothing', b''
    yield 'null', b'null'
    yield 'a number', b'1e400'


# ------------------------------------------------------------------ asking

class Hang(Exception):
    "A check that does not end."

def ask_both(node, proof, table, label):
    "What both checkers say; Python is interrupted if it does not end."
    def late(number, frame): raise Hang
    signal.signal(signal.SIGALRM, late)
    signal.alarm(2 * SECONDS)
    try: here = ask_python(proof, table, label, SECONDS)
    except BaseException as error: here = None, '', '', repr(error), 2 * SECONDS
    finally: signal.alarm(0)
    there = node.ask(proof, table, label) if node else None
    return here if hasattr(here, 'verdict') else type(there)('HANG', '', '', here[3], 2 * SECONDS), there

class Study:
    "Counts by kind of change."
    def __init__(self, folder):
        self.folder = Path(folder)
        self.node = JavaScript(SECONDS) if has_node() else None
        self.counts = defaultdict(Counter)
        self.slowest = Counter()
        self.known = {}
        self.n_kept = Counter()

    def try_files(self, kind, data, table, label=None, problem=None):
        "Ask both about two files; `problem` is (entry, columns) where the best list is to be searched."
        proof, csv_file = self.folder / 'proof.json', self.folder / 'table.csv'
        proof.write_bytes(data)
        if table is not None: csv_file.write_bytes(table)
        here, there = ask_both(self.node, proof, csv_file, label)
        count, proved = self.counts[kind], here.verdict == 'proved'
        count['mutants'] += 1
        count['proved' if proved else 'refused'] += 1
        self.slowest[kind] = max(self.slowest[kind], here.seconds, there.seconds if there else 0)
        claim = self.is_false(problem) if problem else None
        wrong = []
        if claim: count['false'] += 1
        if claim and (proved or there and there.verdict == 'proved'): wrong.append('FALSE-ACCEPTED')
        if here.verdict in ('CRASH', 'HANG') or there and there.verdict in ('CRASH', 'HANG'): wrong.append('CRASH')
        if here.verdict == 'refused' and not here.reason: wrong.append('NO-REASON')
        if there and here[:3] != there[:3]: wrong.append('DISAGREE')
        else: count['agreed'] += 1
        if 'CRASH' in wrong: count['crashed'] += 1
        if 'FALSE-ACCEPTED' in wrong: count['accepted_false'] += 1
        if max(here.seconds, there.seconds if there else 0) > 5: wrong.append('SLOW')
        if wrong: self.keep(kind, wrong, proof, csv_file, here, there, label)

    def is_false(self, problem):
        "Whether a better list than the bound is known: None if that cannot be told."
        entry, columns = problem
        try:
            key = json.dumps([entry['table'], entry['literals'], entry['family'], entry['claim']['bound'], sorted(columns.items())])
            if key not in self.known:
                found = facts(entry, columns)
                self.known[key] = best(found) < Fraction(entry['claim']['bound'])
            return self.known[key]
        except Exception: return None

    def keep(self, kind, wrong, proof, table, here, there, label):
        "Write a case down."
        self.n_kept[kind] += 1
        print('!!', kind, wrong, '| python:', here[:4], '| javascript:', there and there[:4], flush=True)
        if not KEPT or self.n_kept[kind] > 5: return
        stem = f"{'-'.join(wrong)}-{kind.replace(' ', '_').replace(',', '')}-{self.n_kept[kind]}"
        if proof.stat().st_size < 2**20: (Path(KEPT) / f'{stem}.json').write_bytes(proof.read_bytes())
        if table.stat().st_size < 2**20: (Path(KEPT) / f'{stem}.csv').write_bytes(table.read_bytes())
        (Path(KEPT) / f'{stem}.txt').write_text(f'label {label}\npython {here}\njavascript {there}\n')

    def mutate(self, kind, change, rng, case, repair=''):
        "Change a proof or its question once; whether that could be done."
        entry, columns = deepcopy(case.entry), deepcopy(case.columns)
        try:
            change(rng, entry, columns)
            entry = repaired(entry, columns, repair)
            data = json.dumps(entry).encode()
        except (IndexError, KeyError, ValueError, TypeError, AttributeError, ZeroDivisionError): return False
        if data == json.dumps(case.entry).encode() and columns == case.columns: return False
        text = csv_of(columns)
        self.try_files(kind + repair, data, text, None if change in STRUCTURE else case.label, (entry, columns))
        return True

def csv_of(columns):
    "A table as the bytes of a CSV file."
    lines = io.StringIO()
    csv.writer(lines, lineterminator='\n').writerows([list(columns), *zip(*columns.values())])
    return lines.getvalue().encode()

def main(n=10_000, first_seed=0):
    "Many mutants of all proofs."
    rng, known = np.random.default_rng(first_seed), cases()
    with tempfile.TemporaryDirectory() as folder:
        study = Study(folder)
        for case in known:
            study.try_files('as it is', json.dumps(case.entry).encode(), csv_of(case.columns), case.label, (case.entry, case.columns))
            print(case.name, len(json.dumps(case.entry)), 'bytes', flush=True)
        kinds = [*[(change, '') for change in PROOF + STRUCTURE], *[(change, repair) for change in ASKED for repair in REPAIRS], *[(change, None) for change in BYTES + (table_bytes,)]]
        done, turn = 0, 0
        while done < n:
            (change, repair), case = kinds[turn % len(kinds)], pick(rng, known)
            turn += 1
            kind = change.__name__.replace('_', ' ')
            if repair is not None:
                for _ in range(4):
                    if study.mutate(kind, change, rng, case, repair):
                        done += 1
                        break
                    case = pick(rng, known)
                continue
            data, table = json.dumps(case.entry, separators=(',', ':')).encode(), csv_of(case.columns)
            if change is table_bytes: study.try_files(kind, data, change(rng, table), case.label)
            else: study.try_files(kind, change(rng, data), table, case.label)
            done += 1
        for name, data in giants() if n > 2000 else ():
            study.try_files('giant: ' + name, data, None, case.label)
        if study.node: study.node.end()
    lines = [{'change': kind, **{key: count[key] for key in ('mutants', 'refused', 'proved', 'false', 'accepted_false', 'agreed', 'crashed')},
              'slowest': round(study.slowest[kind], 2)} for kind, count in study.counts.items()]
    write('proof-mutants', lines)
    for line in lines: print(*line.values(), sep=', ')
    total = sum((Counter(count) for count in study.counts.values()), Counter())
    print(dict(total))


if __name__ == '__main__': main(*map(int, sys.argv[1:]))
