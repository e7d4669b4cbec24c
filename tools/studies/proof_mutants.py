"""Proofs by cases, changed at random in one way each, and whether what they then claim is true.

Proofs with constraints, prices of columns and fixed defaults (`proof_cases`) are changed by a kind of damage:
patterns of places in `{'p': proof, 't': table}`, and what may be done there.  A pattern is a path: names
(several with |), numbers of a list, and * for any.  Whether the changed claim is true is found by trying all
lists; a claim that this cannot judge counts as false.  Nothing false may be accepted, and both checkers must
agree: the pages of proofs and of the check in a browser try that.

At commit 6ba9a49 proofs of fits, the bytes of files and tables, and packed giants were changed too:
proof-mutants.csv and proof-case-mutants.csv are what was counted there.
"""
import csv
import io
import itertools
import json
import random
from collections import Counter
from copy import deepcopy
from fractions import Fraction

from .proof_cases import MEASURES, Lists, check, prove, question

OPPOSITES = ('<', '>='), ('<=', '>'), ('=', '!='), ('in', 'not in'), ('missing', 'present')
OPPOSITE = dict([*OPPOSITES, *((b, a) for a, b in OPPOSITES)])

def places(value, pattern):
    "Containers and keys of all places of a pattern."
    first, _, rest = pattern.partition('/')
    if isinstance(value, dict):
        keys = list(value) if first == '*' else [key for key in first.split('|') if key in value]
    elif first == '*': keys = range(len(value))
    else: keys = [int(first)] if first.isdigit() and int(first) < len(value) else []
    for key in keys:
        if not rest: yield value, key
        elif isinstance(value[key], (dict, list)): yield from places(value[key], rest)

def damage(rng, root, kind):
    "Do what a kind says at one place of one of its patterns; IndexError if there is none."
    for pattern, *ways in rng.sample(kind, len(kind)):
        found = list(places(root, pattern))
        if found: return rng.choice(ways)(rng, *rng.choice(found), root)
    raise IndexError

def changed(rng, proof, made, kind):
    """A mutant by a kind of `CHANGES`: proof and instance, which share nothing with the old ones; None if it
    is the same or cannot be made."""
    old = json.dumps({'p': proof, 't': {key: made[key] for key in ('columns', 'labels', 'weights')}})
    root = json.loads(old)
    try:
        damage(rng, root, CASES[kind])
        new = json.dumps(root)
    except (IndexError, KeyError, ValueError, TypeError, AttributeError, ZeroDivisionError): return None
    return None if new == old else (root['p'], {**made, **root['t']})

# ------------------------------------------------------------------ what may be done to a value

def by(*steps):
    "Add one of some numbers, or of functions of the old one."
    def do(rng, box, key, root):
        step = rng.choice(steps)
        box[key] += step(box[key]) if callable(step) else step
    return do

def to(*values):
    "One of some values, or of functions of the random numbers, the old value and all."
    def do(rng, box, key, root):
        new = rng.choice(values)
        box[key] = new(rng, box[key], root) if callable(new) else deepcopy(new)
    return do

def dropped(rng, box, key, root):
    "Take it out."
    del box[key]

def doubled(rng, box, key, root):
    "Once more, anywhere."
    box.insert(rng.randrange(len(box) + 1), deepcopy(box[key]))

def exchanged(rng, box, key, root):
    "Change places with another."
    other = rng.randrange(len(box))
    box[key], box[other] = box[other], box[key]

def turned(rng, box, key, root):
    "Another order."
    rng.shuffle(box[key])

def sibling(rng, box, key, root):
    "What some others have there."
    for _ in range(rng.choice([1, 3, len(box) // 4 + 1])): box[rng.randrange(len(box))] = rng.choice(box)

def longer(*values):
    "One of some values more."
    def do(rng, box, key, root): box[key].append(rng.choice(values))
    return do

def label(rng, old, root):
    "The number of a label, or one beyond."
    return rng.randrange(len(root['p']['table']['labels']) + (rng.random() < .1))

def fraction(rng, old, root):
    "Another fraction."
    v = Fraction(old)
    more = [v / 2, v * 2, v + 1, v - Fraction(1, 10), Fraction(0), v * 10 + 7, v * Fraction(99, 100),
            v + Fraction(1, 1000)]
    return str(max(0, rng.choice(more)))

def literal(rng, old, root):
    "A literal of the proof."
    return deepcopy(rng.choice(root['p']['literals']))

def may(rng, old, root):
    "Labels for each literal."
    labels = range(len(root['p']['table']['labels']))
    return [[one for one in labels if rng.random() < .6] for _ in root['p']['literals']]

def prefix(rng, old, root):
    "Another prefix."
    conditions = root['p']['family']['conditions']
    return old[:-1] if old else [[0]] if conditions == 'all' else [rng.choice(conditions)]

def conditions(rng, old, root):
    "One condition more, or the literals in place of all conjunctions."
    literals = range(len(root['p']['literals']))
    return [[j] for j in literals] if old == 'all' else [*old, sorted({*rng.choices(literals, k=2)})]

def bound(rng, old, root):
    "A higher bound, or the objective."
    claim = root['p']['claim']
    if rng.random() < .3: claim['objective'] = None
    more = [Fraction(1, 10**15), Fraction(1, 10**9), Fraction(old) / 1000, Fraction(1, 50),
            Fraction(1, len(root['t']['labels']))]
    return str(rng.choice([*(Fraction(old) + one for one in more), Fraction(claim['objective'] or '1')]))

def divided_again(rng, box, key, root):
    "One more division, at the beginning."
    entry, asking = {'row': rng.randrange(3), 'label': rng.randrange(2)}, root['p']['family']['asking']
    if asking and rng.random() < .5: entry = {'column': rng.choice([*asking])}
    box[key] = [entry, *box[key], *(deepcopy(box[key]) if rng.random() < .5 else [])]

def ends_left_out(rng, box, key, root):
    "A leaf without its states."
    leaf = rng.choice([entry for entry in box[key] if entry.get('live')])
    leaf['states'] = None

def constraint_dropped(rng, box, key, root):
    "One constraint less, and mostly its multipliers."
    del box[key]
    for entry in root['p']['cases'] if rng.random() < .7 else ():
        if 'multipliers' in entry: entry['multipliers'] = entry['multipliers'][:len(box)]

def no_list(rng, box, key, root):
    "The claim that there is no list."
    box['list'], box['claim'] = None, {'objective': None, 'bound': None}

# ------------------------------------------------------------------ kinds

CASES = {
    'multiplier changed': [('p/cases/*/multipliers/*', to(fraction))],
    'multipliers exchanged': [('p/cases/*/multipliers', turned, longer('0'))],
    'fixing changed': [('p/cases/*/fixing', to(fraction))],
    'grid or grain changed': [('p/cases/*/grid|grain', to(0, 1, 2, 5, 12, 20, 30), by(1)),
                              ('p/grain', by(1, 5))],
    'case dropped': [('p/cases/*', dropped)],
    'case doubled': [('p/cases/*', doubled)],
    'cases exchanged': [('p/cases/*', exchanged)],
    'row changed': [('p/cases/*/row', to(0, 1, 2, 3, 4)), ('p/cases/*/label', to(label))],
    'column changed': [('p/cases/*/column',
                        to(lambda rng, old, root: literal(rng, old, root)['column'], 'x9'))],
    'divided again': [('p/cases', divided_again)],
    'evidence changed': [('p/cases/*/prices/*/values/*', by(1, 50, 2**20)),
                         ('p/cases/*/states/rest/*', by(-1, 1, 1000)),
                         ('p/cases/*/live/*', dropped), ('p/cases/*/sets/*/0', by(1)),
                         ('p/prices/*/values/*', by(1, 50, 2**20))],
    'ends left out': [('p/cases', ends_left_out)],
    'default changed': [('p/family/default', to(None, label))],
    'constraint changed': [('p/family/constraints/*/measure', to(*MEASURES)),
                           ('p/family/constraints/*/positive', to(label)),
                           ('p/family/constraints/*/sense', to('<=', '>=')),
                           ('p/family/constraints/*/limit', to(fraction)),
                           ('p/family/constraints/*/of|minus', to(None, literal))],
    'constraint dropped': [('p/family/constraints/*', constraint_dropped)],
    'asking changed': [('p/family/asking/*', to(fraction), to(fraction), dropped)],
    'penalty changed': [('p/family/rule_penalty', to(fraction)), ('p/family/literal_penalty', to(fraction))],
    'family changed': [('p/family/most_rules', to(None, 0, 1, 2, 3)),
                       ('p/family/most_literals', to(None, 1, 2, 3)), ('p/family/prefix', to(prefix)),
                       ('p/family/may', to(None, may)), ('p/family/conditions', to(conditions)),
                       ('p/family/conditions/*', dropped)],
    'list changed': [('p/list/default', to(label)), ('p/list/rules/*', dropped),
                     ('p/list/rules/*/1', to(label)), ('p/list/rules', turned)],
    'no list': [('p/list', no_list)],
    'bound raised': [('p/claim/bound', to(bound))],
    'literal changed': [('p/literals/*/op', to(lambda rng, old, root: OPPOSITE[old]))],
    'label flipped': [('t/labels/*', sibling)],
    'cells exchanged': [('t/columns/*/*', exchanged)],
    'version changed': [('p/version', to(1, 3)), ('p/family/constraints|asking', to(None))],
}

CHANGES = tuple(CASES)

# ------------------------------------------------------------------ proofs, and what is true

def proofs(n, first=0):
    "So many instances with what is true of them proved: name, proof, instance."
    found, seed, kinds = [], first, Counter()
    while len(found) < n:
        rng = random.Random(seed)
        seed += 1
        made = question(rng, MEASURES[seed % 7] if rng.random() < .7 else None)
        alone = made['family']['constraints'] is None and made['family']['asking'] is None
        if alone: made['family']['constraints'] = []
        lists = Lists(made)
        try: feasible = lists.feasible()
        except KeyError: continue
        best, entry = feasible[0] if feasible else (None, None)
        proof = prove(rng, lists, best, entry)
        if alone:
            made['family']['constraints'] = None
            proof = with_default_alone(proof, made)
        kind = kind_of(proof) if proof else None
        if proof and kinds[kind] < 2 + n / 8:
            kinds[kind] += 1
            found.append((kind, proof, made))
    return found

def with_default_alone(proof, made):
    """The proof without cases from one with a single leaf, which says the same about the same weights; or
    None."""
    if proof is None or len(proof['cases']) > 1 or not proof['cases'][0].get('live'): return None
    parts = {key: part for key,
             part in proof['cases'][0].items() if key not in ('multipliers', 'fixing', 'grid')}
    proof = {**proof, **parts, 'family': made['family'], 'cases': None}
    return None if isinstance(check(proof, made), str) else proof

def kind_of(proof):
    "What the cases of a proof have."
    cases = proof['cases']
    if cases is None: return 'a default alone'
    parts = {'infeasible': proof['list'] is None, 'rows': any('row' in entry for entry in cases),
             'columns': any('column' in entry for entry in cases),
             'leaves': any(entry.get('live') for entry in cases)}
    return ', '.join(name for name, there in parts.items() if there) or 'multipliers alone'

def is_true(proof, made):
    "Whether a claim is true, by trying all lists; None if the question has no meaning."
    try:
        family = proof['family']
        tests = proof['literals']
        made = {**made, 'family': family, 'tests': tests, 'label_weights': proof['table']['label_weights']}
        every = [list(c) for k in range(1, len(tests) + 1)
                 for c in itertools.combinations(range(len(tests)), k)]
        most = family['most_literals'] or len(tests)
        made['conditions'] = [c for c in every if len(c)
                              <= most] if family['conditions'] == 'all' else family['conditions']
        lists = Lists(made)
        feasible, bound, entry = lists.feasible(), proof['claim']['bound'], proof['list']
        if entry is None: return not feasible and bound is None
        gets, left, paid = {}, set(lists.rows), Fraction(0)
        for condition, label in entry['rules']:
            if sorted(condition) not in map(sorted,
                                            made['conditions']) or label not in lists.allowed(condition):
                return None
            gets |= {row: label for row in left & lists.covers(condition)}
            left -= lists.covers(condition)
            paid += lists.cost(condition)
        gets |= dict.fromkeys(left, entry['default'])
        columns = {lists.tests[j] for condition, _ in entry['rules'] for j in condition}
        if family['default'] not in (None, entry['default']) or not lists.fits(gets): return None
        objective = lists.objective(gets, columns, paid)
        said = proof['claim']['objective']
        return said in (None, str(objective)) and feasible[0][0] >= Fraction(bound)
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError): return None

def csv_of(table):
    "A table as the text of a CSV file."
    columns = {**table['columns'], 'y': table['labels'],
               **({'w': table['weights']} if table['weights'] else {})}
    lines = io.StringIO()
    csv.writer(lines, lineterminator='\n').writerows([[*columns], *zip(*columns.values())])
    return lines.getvalue()

def table_of(proof, made):
    "The table as the text of a CSV file; the proof names its columns then."
    proof['table'] |= {'label': 'y', 'weight': 'w' if made['weights'] else None}
    return csv_of(made)
