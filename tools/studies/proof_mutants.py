"""Thousands of damaged proofs, each read by both checkers: writes proof-mutants.csv.

    python -m tools.studies.proof_mutants [how many] [first seed]

Some small proofs of all kinds (states, counted states, conjunctions; three labels, weights, prefixes,
directions, stopped searches) are changed at random in one way each.  Changes of the table, the literals, the
family or the list are also tried with the digest, the number of rows and the objective of the list computed
anew, and with the objective itself as the bound, so that nothing but the bound can be wrong.  For these the
best list is searched anew: where a list lies below the claimed bound, the claim is false.  Nothing false may
be accepted; both checkers must agree on each; each must end with a verdict or a reason.
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
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import warnings

from rulebook import CORELSClassifier, Vocabulary, load_dataset
from rulebook.bits import BitMatrix
from rulebook.corels.search import Search
from rulebook.dataset import Dataset
from rulebook.problem import Problem

from .proof_panel import JavaScript, ask_python, has_node, kind_of
from .problems import entry_of, random_problem, run, table_of
from .runner import FORMER, write

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
        model = CORELSClassifier(**{'time_limit': 5, **FORMER, **options}).fit(X, y, sample_weight=weights)
    entry = {'states': None} | json.loads(json.dumps(model.certificate_.proof.to_dict()))
    frame = pd.concat([X, y] if weights is None else [X, y, weights], axis=1)
    return Case(f'{name}, {kind_of(entry)}', entry, columns_of(frame), entry['table']['label'])

def searched(seed, setting, finished=True):
    "The case of a search on a random instance; None if it is not what is wanted."
    problem, columns = random_problem(seed)
    search, steps = run(problem, setting, seed)
    if not finished:
        if steps < 4: return None
        search, _ = run(problem, setting, seed, steps // 2)
        if search.finished: return None
    entry = {'states': None} | entry_of(search, finished)
    columns, labels, weights = table_of(problem.dataset, columns)
    columns = {**columns, 'y': labels, 'w': weights}
    table = {name: list(map(str, cells)) for name, cells in columns.items()}
    return Case(f'random {seed}, {kind_of(entry)}', entry, table, 'y')

class Fit(NamedTuple):
    "A fit of some rows of a table."
    table: str          # bundled
    columns: str        # names, with blanks between them; 'all'
    rows: int           # so many of them
    step: int           # every step-th row
    n_cuts: int         # of a column of numbers; None: the default
    options: dict       # of the estimator
    weigh: bool = False  # rows weigh one half and more
    begin: bool = False  # with the first rule of a list as prefix

    def case(self, name):
        "The `Case`."
        X, y = self.some_rows()
        options, weights = dict(self.options), None
        if self.n_cuts: options['vocabulary'] = Vocabulary(n_cuts=self.n_cuts)
        if self.weigh: weights = pd.Series(.5 + .25 * (np.arange(len(X)) % 4), name='weight')
        if self.begin:
            small = FORMER | {'regularization': .005, 'max_literals': 1, 'max_rules': 1}
            first = CORELSClassifier(**small).fit(X, y).model_.rules[0]
            options['prefix'] = [first.literals]
        return fitted(name, X, y, weights, **options)

    def some_rows(self):
        "Features and labels; rows with missing cells are left out, except of penguins."
        X, y = load_dataset(f'bundled:{self.table}')
        if self.columns != 'all': X = X[self.columns.split()]
        kept = X.notna().all(axis=1) | (self.table == 'penguins')
        X, y = X[kept].iloc[::self.step][:self.rows], y[kept].iloc[::self.step][:self.rows]
        return X.reset_index(drop=True), y.reset_index(drop=True)

SINGLE, PAIRS = {'max_literals': 1}, {'max_literals': 2}
THREE, CELLS = 'age margin shape', 'top_left middle_middle bottom_right'
FOUR, LOAN = CELLS + ' top_right', 'duration checking_account savings'
PEOPLE, COUPLES = 'age priors sex', 'age education children'
FITS = {
    'iris, all': Fit('iris', 'all', 150, 1, 2, {}),
    'iris, all, more cuts': Fit('iris', 'all', 150, 1, None, {}),
    'iris, pairs': Fit('iris', 'all', 90, 2, 2, PAIRS),
    'penguins, all': Fit('penguins', 'island flipper_length_mm sex', 344, 1, 1, {'regularization': .02}),
    'tic-tac-toe, single': Fit('tic-tac-toe', CELLS, 200, 4, None, SINGLE | {'regularization': .005}),
    'tic-tac-toe, all': Fit('tic-tac-toe', CELLS, 240, 4, None, {'regularization': .005}),
    'tic-tac-toe, four cells': Fit('tic-tac-toe', FOUR, 300, 3, None, {'regularization': .004}),
    'tic-tac-toe, prefix': Fit('tic-tac-toe', CELLS, 240, 4, None, PAIRS | {'regularization': .005}, begin=True),
    'mammographic, all': Fit('mammographic', THREE, 300, 2, 1, {'regularization': .004}),
    'mammographic, 2 rules': Fit('mammographic', THREE, 200, 4, 3, SINGLE | {'max_rules': 2, 'regularization': .002}),
    'mammographic, pairs': Fit('mammographic', THREE, 300, 2, 2, PAIRS | {'regularization': .005}),
    'compas, price of a literal': Fit('compas', PEOPLE, 300, 20, 2, {'literal_penalty': .004, 'regularization': .004}),
    'compas, direction': Fit('compas', PEOPLE, 300, 20, 2, {'monotonic_cst': {'age': -1, 'priors': 1}}),
    'compas, balanced': Fit('compas', PEOPLE, 200, 20, 2, PAIRS | {'class_weight': {'no': 1, 'yes': 1.5}}),
    'compas, all': Fit('compas', 'age priors', 400, 17, 3, {'regularization': .004}),
    'contraceptive, all': Fit('contraceptive', 'age education', 300, 4, 2, {'regularization': .005}),
    'contraceptive, weights': Fit('contraceptive', COUPLES, 200, 7, 1, PAIRS, weigh=True),
    'german, pairs': Fit('german', LOAN, 250, 4, 2, PAIRS | {'regularization': .008}),
    'vehicle, single': Fit('vehicle', 'circularity scatter_ratio', 200, 4, 2, SINGLE | {'regularization': .02}),
    'housevotes, single': Fit('housevotes', 'crime immigration physician_fee_freeze', 120, 3, None, SINGLE),
}
WANTED = (('sets at once', True, 'states', 3), ('as it is', True, 'counted states', 3),
          ('soon', False, 'states', 2))

def cases():
    "All proofs that are mutated."
    found = []
    for name, fit in FITS.items(): found.append(fit.case(name))
    for setting, finished, kind, n in WANTED:
        some, seed = [], 0
        while len(some) < n and seed < 100:
            seed += 1
            case = searched(seed, setting, finished)
            if case is None or kind_of(case.entry) != kind or size_of(case.entry) < 2: continue
            some.append(case._replace(name=f'{case.name}, {"finished" if finished else "stopped"}'))
        found += some
    return found

def size_of(entry):
    "States."
    return len((entry['states'] or {'rest': ()})['rest'])


# ------------------------------------------------------------------ a second look at the data

MISSING = {'', *('#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a'
                 '|nan|null').split('|')}

def as_number(cell):
    "The number that a text is, or None."
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

def facts(entry, columns):
    "The `Facts`; an error of any kind if there are none."
    table, family = entry['table'], entry['family']
    labels = columns[table['label']]
    codes = [[equals(cell, value) for value in table['labels']].index(True) for cell in labels]
    given = columns[table['weight']] if table['weight'] else ['1'] * len(codes)
    weights = [Fraction(weight) for weight in given]
    factors = [Fraction(f) for f in table['label_weights'] or ['1'] * len(table['labels'])]
    weights = [weight * factors[code] for weight, code in zip(weights, codes)]
    tests = [(literal, columns[literal['column']]) for literal in entry['literals']]
    literals = [np.array([holds(literal, cell) for cell in cells], bool) for literal, cells in tests]
    may = family['may'] or [list(range(len(table['labels'])))] * len(literals)
    def cover(condition): return np.logical_and.reduce([literals[j] for j in condition])
    def allowed(condition): return sorted(set.intersection(*[set(may[j]) for j in condition]))
    rule, literal = Fraction(family['rule_penalty']), Fraction(family['literal_penalty'])
    conditions, longest = family['conditions'], family['most_literals']
    if conditions == 'all': conditions = distinct(len(literals), longest, cover, allowed)
    base = [[j] for j in range(len(literals))] if family['conditions'] == 'all' else conditions
    lines = np.array([cover(c) for c in base]).reshape(len(base), -1)
    digest = digest_of(lines, weights, codes, len(factors))
    rules = [(cover(tests), label, rule + literal * len(tests)) for tests, label in entry['list']['rules']]
    objective = worth(rules, entry['list']['default'], weights, codes)
    covers = np.array([cover(c) for c in conditions]).reshape(len(conditions), -1)
    costs, rows = [rule + literal * len(c) for c in conditions], sum(w > 0 for w in weights)
    labels = [allowed(c) for c in conditions]
    found = Facts(rows, digest, objective, None, costs, covers, weights, codes, labels)
    return found._replace(problem=problem_of(entry, conditions, found))

def distinct(n, longest, cover, allowed):
    "The conjunctions, one for each set of rows and labels (the shortest)."
    found = {}
    longest = n if longest is None else min(n, longest)
    if n > 15 and longest > 2: raise ValueError('too many')
    for length in range(1, longest + 1):
        for condition in combinations(range(n), length):
            found.setdefault((cover(condition).tobytes(), tuple(allowed(condition))), list(condition))
    return list(found.values())

def digest_of(covers, weights, codes, n_labels):
    "The digest of rows over conditions."
    sums = defaultdict(lambda: [Fraction(0)] * n_labels)
    for i, (weight, code) in enumerate(zip(weights, codes)):
        if not weight: continue
        line = ''.join('01'[int(cell)] for cell in covers[:, i])
        sums[line] = [s + weight * (label == code) for label, s in enumerate(sums[line])]
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
    bits = BitMatrix.from_bool(found.covers[:, kept])
    dataset = Dataset.from_counts(antecedents, bits, counts[kept], range(n_labels))
    sets = [frozenset(c) for c in conditions]
    prefix = [sets.index(frozenset(c)) for c in family.get('prefix', ())]
    allowed = [[label in some for label in range(n_labels)] for some in found.may]
    allowed = np.array(allowed).reshape(len(conditions), n_labels)
    penalties = [float(Fraction(family[key])) for key in ('rule_penalty', 'literal_penalty')]
    return Problem(dataset, *penalties, family['most_rules'], prefix, allowed)

def best(found):
    "The exact objective of the best list that a search finds."
    search = Search(found.problem)
    for _ in range(200):
        if search.advance(200): break
    *captured, rest = found.problem.dataset.captured(search.rules)
    rules = []
    for rule, counts in zip(search.rules, captured):
        label = max(found.may[rule], key=counts.__getitem__)
        rules.append((found.covers[rule], label, found.costs[rule]))
    defaults = range(found.problem.dataset.counts.shape[1])
    return min(worth(rules, default, found.weights, found.codes) for default in defaults)


# ------------------------------------------------------------------ changes of a proof

def pick(rng, some):
    "One of some things."
    return some[int(rng.integers(len(some)))]

def vectors(e):
    "All vectors of prices."
    return [*e.get('prices', ()), *([e['conjunctions']['prices']] if e['conjunctions'] else [])]

def sets_of(e):
    "The lists of sets that are not empty."
    return [s for s in (e['sets'], (e['conjunctions'] or {'sets': []})['sets']) if s]

def price_raised(rng, e, t):
    "One price more."
    v = pick(rng, [v for v in vectors(e) if v['values']])
    i = rng.integers(len(v['values']))
    v['values'][i] += pick(rng, [1, 2, 1000, v['values'][i] // 100 + 1, v['values'][i] + 1])

def price_lowered(rng, e, t):
    "One price less."
    v = pick(rng, [v for v in vectors(e) if v['values']])
    i = rng.integers(len(v['values']))
    v['values'][i] -= min(v['values'][i], pick(rng, [1, 1000, v['values'][i] // 100 + 1, v['values'][i]]))

def price_dropped(rng, e, t):
    "A set without its price."
    v = pick(rng, [v for v in vectors(e) if v['values']])
    i = rng.integers(len(v['values']))
    del v['values'][i], v['sets'][i]

def exchange_two(rng, some):
    "Two members of a list for each other."
    i, j = rng.choice(len(some), 2, replace=False)
    some[i], some[j] = some[j], some[i]

def prices_exchanged(rng, e, t):
    "Two prices for each other."
    exchange_two(rng, pick(rng, [v for v in vectors(e) if len(set(v['values'])) > 1])['values'])

def vectors_exchanged(rng, e, t):
    "Two vectors for each other."
    exchange_two(rng, e['prices'])

def unit_changed(rng, e, t):
    "Another unit of the prices."
    v = pick(rng, vectors(e))
    v['unit'] = pick(rng, [2, 3, 2 * v['unit'], v['unit'] + 1])

def set_changed(rng, e, t):
    "Another unit in a set, one more or one less."
    s = pick(rng, pick(rng, sets_of(e)))
    largest = max(max(map(max, some)) for some in sets_of(e)) + 2
    kind = rng.integers(4)
    if kind == 0: s[rng.integers(len(s))] = int(rng.integers(largest))
    elif kind == 1: s.append(int(rng.integers(largest)))
    elif kind == 2 and len(s) > 2: del s[rng.integers(len(s))]
    else: s[rng.integers(len(s))] ^= 1

def claim_loosened(rng, e, t):
    "A state costs more than it does."
    rest = e['states']['rest']
    i = rng.integers(len(rest))
    rest[i] += pick(rng, [1, 1000, rest[i] // 1000 + 1, rest[i] // 2 + 1])

def state_dropped(rng, e, t):
    "One state less."
    states = e['states']
    i = int(rng.integers(1, len(states['rest'])))
    repair = rng.random() < .8
    for key in ('parent', 'rule', 'rest', 'prices'): del states[key][i]
    if repair: states['parent'] = [p - (p > i) for p in states['parent']]

def state_changed(rng, e, t):
    "Another parent, rule or vector of a state, or rules counted."
    states = e['states']
    i = int(rng.integers(len(states['rest'])))
    key = pick(rng, ['parent', 'rule', 'prices', 'counted'])
    if key == 'counted': states['counted'] = 1 - states['counted']
    elif key == 'parent': states['parent'][i] = int(rng.integers(-1, len(states['rest'])))
    elif key == 'rule': states['rule'][i] = pick(rng, e['live'])
    else: states['prices'][i] = int(rng.integers(-1, len(e['prices'])))

def states_left_out(rng, e, t):
    "No states."
    if not e['states']: raise IndexError
    e['states'] = None

def live_dropped(rng, e, t):
    "One live column less."
    live = pick(rng, [some for some in (e['live'], (e['conjunctions'] or {}).get('live')) if some])
    del live[rng.integers(len(live))]

def exclusion_dropped(rng, e, t):
    "One exclusion less."
    del e['exclude'][rng.integers(len(e['exclude']))]

def exclusion_changed(rng, e, t):
    "Exclusions in another order, or by another vector."
    if rng.random() < .5 and len(e['exclude']) > 1: rng.shuffle(e['exclude'])
    else: e['exclude'][rng.integers(len(e['exclude']))] = int(rng.integers(len(e['prices']) + 1))

def objective_lowered(rng, e, t):
    "The list costs less than it does."
    less = pick(rng, [Fraction(1, 10**9), Fraction(1, 100), Fraction(1, 10**15)])
    e['claim']['objective'] = str(Fraction(e['claim']['objective']) * (1 - less))
    if rng.random() < .5: e['claim']['bound'] = e['claim']['objective']

def bound_raised(rng, e, t):
    "A bound that is higher, or the objective."
    bound, objective = Fraction(e['claim']['bound']), Fraction(e['claim']['objective'] or '1')
    more = [bound + Fraction(1, 10**15), bound * Fraction(1001, 1000), bound + Fraction(1, e['table']['rows'])]
    e['claim']['bound'] = str(pick(rng, [*more, objective]))
    if rng.random() < .3: e['claim']['objective'] = None

def grain_changed(rng, e, t):
    "Other grains."
    e['grain'] = max(0, e['grain'] + pick(rng, [-30, -1, 1, 2, 10, 300]))

PROOF = (price_raised, price_lowered, price_dropped, prices_exchanged, vectors_exchanged, unit_changed,
         set_changed, claim_loosened, state_dropped, state_changed, states_left_out, live_dropped,
         exclusion_dropped, exclusion_changed,
         objective_lowered, bound_raised, grain_changed)


# ------------------------------------------------------------------ changes of what is asked

OPPOSITES = ('<', '>='), ('<=', '>'), ('=', '!='), ('in', 'not in'), ('missing', 'present')
OPPOSITE = dict([*OPPOSITES, *((b, a) for a, b in OPPOSITES)])

def literal_changed(rng, e, t):
    "The opposite of a literal, another column or another value."
    literal = pick(rng, e['literals'])
    kind = rng.integers(3)
    if kind == 0: literal['op'] = OPPOSITE[literal['op']]
    elif kind == 1: literal['column'] = pick(rng, e['literals'])['column']
    elif literal['op'] in ('=', '!='): literal['value'] = pick(rng, t[literal['column']])
    elif isinstance(literal['value'], list): del literal['value'][0]
    else: literal['value'] += pick(rng, [-1, 1, .5, 1e-9])

def literal_exchanged(rng, e, t):
    "Two literals for each other."
    i, j = rng.choice(len(e['literals']), 2, replace=False)
    e['literals'][i], e['literals'][j] = e['literals'][j], e['literals'][i]

def row_altered(rng, e, t):
    "Cells of a column have what other rows have."
    column = t[pick(rng, e['literals'])['column']]
    for _ in range(pick(rng, [1, 3, len(column) // 4 + 1])):
        column[rng.integers(len(column))] = pick(rng, column)

def row_dropped(rng, e, t):
    "A row less, or one twice."
    n = len(t[e['table']['label']])
    i, again = int(rng.integers(n)), rng.random() < .5
    for column in t.values():
        if again: column.append(column[i])
        else: del column[i]

def label_flipped(rng, e, t):
    "Some rows have another label."
    column = t[e['table']['label']]
    for _ in range(pick(rng, [1, 3, len(column) // 4 + 1])):
        column[rng.integers(len(column))] = pick(rng, column)

def labels_exchanged(rng, e, t):
    "Two labels for each other."
    labels = e['table']['labels']
    i, j = rng.choice(len(labels), 2, replace=False)
    labels[i], labels[j] = labels[j], labels[i]

def weight_changed(rng, e, t):
    "Another weight of a row or of the labels."
    table, kind = e['table'], rng.integers(2)
    if table['weight'] and kind:
        column = t[table['weight']]
        column[rng.integers(len(column))] = pick(rng, ['0', '1', '2', '1/3', '.5', '0.5', '1e1', '-1'])
    else: table['label_weights'] = [pick(rng, ['1', '2', '0.5', '4/3', '0']) for _ in table['labels']]

def penalty_changed(rng, e, t):
    "Another penalty."
    key = pick(rng, ['rule_penalty', 'literal_penalty'])
    old = Fraction(e['family'][key])
    new = pick(rng, [old / 2, old * 2, old * Fraction(99, 100), old + Fraction(1, 1000), Fraction(0)])
    e['family'][key] = str(new)

def family_changed(rng, e, t):
    "Another family of lists."
    family = e['family']
    key = pick(rng, ['most_rules', 'most_literals', 'prefix', 'may', 'conditions'])
    if key == 'most_rules': family[key] = pick(rng, [None, 0, 1, 2, 3, (family[key] or 1) + 1])
    elif key == 'most_literals': family[key] = pick(rng, [None, 1, 2, 3])
    elif key == 'prefix':
        if family['prefix']: family['prefix'].pop()
        else: family['prefix'] = [pick(rng, family['conditions'])] if family['conditions'] != 'all' else [[0]]
    elif key == 'may':
        n = len(e['table']['labels'])
        def some(): return sorted(rng.choice(n, rng.integers(n + 1), replace=False).tolist())
        family['may'] = [some() for _ in e['literals']]
        if rng.random() < .4: family['may'] = None
    elif family['conditions'] == 'all': family['conditions'] = [[j] for j in range(len(e['literals']))]
    elif rng.random() < .5: del family['conditions'][rng.integers(len(family['conditions']))]
    else: family['conditions'].append(sorted(set(rng.integers(len(e['literals']), size=2).tolist())))

def list_changed(rng, e, t):
    "Another list."
    rules, kind = e['list']['rules'], rng.integers(4)
    if kind == 0 or not rules: e['list']['default'] = int(rng.integers(len(e['table']['labels'])))
    elif kind == 1: del rules[rng.integers(len(rules))]
    elif kind == 2: pick(rng, rules)[1] = int(rng.integers(len(e['table']['labels'])))
    else: rng.shuffle(rules)

ASKED = (literal_changed, literal_exchanged, row_altered, row_dropped, label_flipped, labels_exchanged,
         weight_changed, penalty_changed, family_changed, list_changed)
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

HOSTILE = [None, True, -1, 0, 1, 2**53 - 1, 2**53, -2**53, 10**30, 1.5, 1e308, '', 'x', '1', '1/0', '-1', '1e5',
           [], [[]], {}, {'x': 1}, [0, 0], [-1], [None], 'all', '9' * 41, '0.' + '1' * 41, '\ud800', [0.5], ['0'],
           [10**18]]

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
    "A part of a JSON value."
    for key in path: entry = entry[key]
    return entry

def value_replaced(rng, e, t):
    "Something hostile in place of a value."
    *path, last = place_of(rng, e)
    at(e, path)[last] = deepcopy(pick(rng, HOSTILE))

def value_removed(rng, e, t):
    "A value is left out."
    *path, last = place_of(rng, e)
    del at(e, path)[last]

def value_moved(rng, e, t):
    "A value from another place."
    *path, last = place_of(rng, e)
    at(e, path)[last] = deepcopy(at(e, place_of(rng, e)))

def key_added(rng, e, t):
    "A key that is unknown."
    where = pick(rng, [(), ('table',), ('family',), ('claim',), ('list',)])
    at(e, where)[pick(rng, ['x', 'comment', 'Table', 'states2', ''])] = pick(rng, HOSTILE)

STRUCTURE = (value_replaced, value_removed, value_moved, key_added)

def bytes_flipped(rng, data):
    "Some bits are different."
    data = bytearray(data)
    for _ in range(pick(rng, [1, 1, 3, 20])): data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    return bytes(data)

def cut_off(rng, data):
    "Only the beginning."
    return data[:rng.integers(len(data))]

def piece_cut_out(rng, data):
    "Some bytes are missing."
    i = rng.integers(len(data))
    return data[:i] + data[i + rng.integers(1, 50):]

def piece_doubled(rng, data):
    "Some bytes stand twice."
    i = rng.integers(len(data))
    j = i + rng.integers(1, 50)
    return data[:j] + data[i:]

def key_doubled(rng, data):
    "A key stands twice."
    key = pick(rng, [b'"grain":1', b'"format":"rulebook proof"', b'"exclude":[]'])
    return data[:-1] + b',' + key + b'}'

def number_mangled(rng, data):
    "A digit becomes what is no number of the format."
    places = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    i = pick(rng, places)
    new = [b'NaN', b'Infinity', b'-', b'1e999', b'9' * 400, b'0x1', b'1_0', b'00', b'1.0', b'1e0', '٣'.encode()]
    return data[:i] + pick(rng, new) + data[i + 1:]

def coding_changed(rng, data):
    "Other codings, and something before or behind."
    return pick(rng, [b'\xef\xbb\xbf' + data, data.decode().encode('utf-16'), data + b'\xff', data + b'{}',
                      b' \n' + data + b'\t\r\n ', data.replace(b':', b': '), data + b'\0'])

def packing_damaged(rng, data):
    "Packed, and damaged."
    packed = gzip.compress(data, mtime=0)
    return pick(rng, [packed, bytes_flipped(rng, packed), cut_off(rng, packed), packed + b'x', packed + packed,
                      gzip.compress(packed, mtime=0), b'\x1f\x8b' + data])

BYTES = (bytes_flipped, cut_off, piece_cut_out, piece_doubled, key_doubled, number_mangled, coding_changed,
         packing_damaged)

def table_bytes(rng, data):
    "A damaged table."
    lines = data.split(b'\n')
    i = int(rng.integers(len(lines) - 1))
    return pick(rng, [bytes_flipped(rng, data), cut_off(rng, data), b'\xef\xbb\xbf' + data, gzip.compress(data),
                      b'\n'.join([*lines[:i], lines[i] + b',1', *lines[i + 1:]]), data.replace(b'\n', b'\r\n'),
                      data + b'\n\n', data.replace(b',', b';'), data.replace(b'\n', b'\r'), data + b'"', b'',
                      lines[0], data.replace(b',', b',"', 1), b'\n'.join([lines[0], *lines[:0:-1]]),
                      data.rstrip(b'\n'), b'\n'.join([*lines[:i], b'', *lines[i:]])])

def giants():
    "Files that are too large, too deep or swell: names and bytes."
    mb = 2**20
    yield 'nested lists', b'[' * 100_000 + b']' * 100_000
    yield 'nested objects', b'{"a":' * 100_000 + b'1' + b'}' * 100_000
    yield 'nested, not closed', b'[' * 10_000_000
    yield 'nested literals', b'{"format":"rulebook proof","literals":' + b'[' * 100_000 + b']' * 100_000 + b'}'
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

def ask_both(node, proof, table):
    "What both checkers say; Python is interrupted if it does not end."
    def late(number, frame): raise Hang
    signal.signal(signal.SIGALRM, late)
    signal.alarm(2 * SECONDS)
    try: here = ask_python(proof, table, None, SECONDS)
    except BaseException as error: here = None, '', '', repr(error), 2 * SECONDS
    finally: signal.alarm(0)
    there = node.ask(proof, table) if node else None
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

    def try_files(self, kind, data, table, problem=None):
        "Ask both about two files; `problem` is (entry, columns) where the best list is to be searched."
        proof, csv_file = self.folder / 'proof.json', self.folder / 'table.csv'
        proof.write_bytes(data)
        if table is not None: csv_file.write_bytes(table)
        here, there = ask_both(self.node, proof, csv_file)
        count, proved = self.counts[kind], here.verdict == 'proved'
        count['mutants'] += 1
        count['proved' if proved else 'refused'] += 1
        self.slowest[kind] = max(self.slowest[kind], here.seconds, there.seconds if there else 0)
        claim = self.is_false(problem) if problem else None
        wrong = []
        if claim: count['false'] += 1
        if claim and (proved or there and there.verdict == 'proved'): wrong.append('FALSE-ACCEPTED')
        bad = ('CRASH', 'HANG')
        if here.verdict in bad or there and there.verdict in bad: wrong.append('CRASH')
        if here.verdict == 'refused' and not here.reason: wrong.append('NO-REASON')
        if there and here[:3] != there[:3]: wrong.append('DISAGREE')
        else: count['agreed'] += 1
        if 'CRASH' in wrong: count['crashed'] += 1
        if 'FALSE-ACCEPTED' in wrong: count['accepted_false'] += 1
        if max(here.seconds, there.seconds if there else 0) > 5: wrong.append('SLOW')
        if wrong: self.keep(kind, wrong, proof, csv_file, here, there)

    def is_false(self, problem):
        "Whether a better list than the bound is known: None if that cannot be told."
        entry, columns = problem
        try:
            parts = [entry[part] for part in ('table', 'literals', 'family')]
            key = json.dumps([*parts, entry['claim']['bound'], sorted(columns.items())])
            if key not in self.known:
                found = facts(entry, columns)
                self.known[key] = best(found) < Fraction(entry['claim']['bound'])
            return self.known[key]
        except Exception: return None

    def keep(self, kind, wrong, proof, table, here, there):
        "Write a case down."
        self.n_kept[kind] += 1
        print('!!', kind, wrong, '| python:', here[:4], '| javascript:', there and there[:4], flush=True)
        if not KEPT or self.n_kept[kind] > 5: return
        stem = f"{'-'.join(wrong)}-{kind.replace(' ', '_').replace(',', '')}-{self.n_kept[kind]}"
        if proof.stat().st_size < 2**20: (Path(KEPT) / f'{stem}.json').write_bytes(proof.read_bytes())
        if table.stat().st_size < 2**20: (Path(KEPT) / f'{stem}.csv').write_bytes(table.read_bytes())
        (Path(KEPT) / f'{stem}.txt').write_text(f'python {here}\njavascript {there}\n')

    def mutate(self, kind, change, rng, case, repair=''):
        "Change a proof or its question once; whether that could be done."
        entry, columns = deepcopy(case.entry), deepcopy(case.columns)
        try:
            change(rng, entry, columns)
            entry = repaired(entry, columns, repair)
            data = json.dumps(entry).encode()
        except (IndexError, KeyError, ValueError, TypeError, AttributeError, ZeroDivisionError): return False
        if data == json.dumps(case.entry).encode() and columns == case.columns: return False
        self.try_files(kind + repair, data, csv_of(columns), (entry, columns))
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
            data, problem = json.dumps(case.entry).encode(), (case.entry, case.columns)
            study.try_files('as it is', data, csv_of(case.columns), problem)
            print(case.name, len(data), 'bytes', flush=True)
        kinds = [*((change, '') for change in PROOF + STRUCTURE), *product(ASKED, REPAIRS),
                 *((change, None) for change in BYTES + (table_bytes,))]
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
            if change is table_bytes: study.try_files(kind, data, change(rng, table))
            else: study.try_files(kind, change(rng, data), table)
            done += 1
        for name, data in giants() if n > 2000 else ():
            study.try_files('giant: ' + name, data, None)
        if study.node: study.node.end()
    names = 'mutants', 'refused', 'proved', 'false', 'accepted_false', 'agreed', 'crashed'
    lines = [{'change': kind, **{key: count[key] for key in names}, 'slowest': round(study.slowest[kind], 2)}
             for kind, count in study.counts.items()]
    write('proof-mutants', lines)
    for line in lines: print(*line.values(), sep=', ')
    total = sum((Counter(count) for count in study.counts.values()), Counter())
    print(dict(total))


if __name__ == '__main__': main(*map(int, sys.argv[1:]))
