"""Proofs, their questions and their tables, changed at random in one way each: tables of kinds of damage.

A kind has a name and, for patterns of places in `{'p': proof, 't': table}`, what may be done there.  A
pattern is a path: names (several with |), numbers of a list, and * for any.  A table is a dict of columns,
labels and weights (or None).
"""
import gzip
import json
from copy import deepcopy
from fractions import Fraction

from .proof_cases import MEASURES

OPPOSITES = ('<', '>='), ('<=', '>'), ('=', '!='), ('in', 'not in'), ('missing', 'present')
OPPOSITE = dict([*OPPOSITES, *((b, a) for a, b in OPPOSITES)])

def places(value, pattern):
    """Containers and keys of all places of a pattern."""
    first, _, rest = pattern.partition('/')
    if isinstance(value, dict):
        keys = list(value) if first == '*' else [key for key in first.split('|') if key in value]
    elif first == '*': keys = range(len(value))
    else: keys = [int(first)] if first.isdigit() and int(first) < len(value) else []
    for key in keys:
        if not rest: yield value, key
        elif isinstance(value[key], (dict, list)): yield from places(value[key], rest)

def damage(rng, root, kind):
    """Do what a kind says at one place of one of its patterns; IndexError if there is none."""
    for pattern, *ways in rng.sample(kind, len(kind)):
        found = list(places(root, pattern))
        if found: return rng.choice(ways)(rng, *rng.choice(found), root)
    raise IndexError

def changed(rng, proof, table, kind):
    """A mutant: proof and table, which share nothing with the old ones; None if it is the same or cannot be
    made."""
    old = json.dumps({'p': proof, 't': {key: table[key] for key in ('columns', 'labels', 'weights')}})
    root = json.loads(old)
    try:
        damage(rng, root, kind)
        new = json.dumps(root)
    except (IndexError, KeyError, ValueError, TypeError, AttributeError, ZeroDivisionError): return None
    return None if new == old else (root['p'], {**table, **root['t']})

# ------------------------------------------------------------------ what may be done to a value

def by(*steps):
    """Add one of some numbers, or of functions of the old one."""
    def do(rng, box, key, root):
        step = rng.choice(steps)
        box[key] += step(box[key]) if callable(step) else step
    return do

def to(*values):
    """One of some values, or of functions of the random numbers, the old value and all."""
    def do(rng, box, key, root):
        new = rng.choice(values)
        box[key] = new(rng, box[key], root) if callable(new) else deepcopy(new)
    return do

def dropped(rng, box, key, root):
    """Take it out."""
    del box[key]

def doubled(rng, box, key, root):
    """Once more, anywhere."""
    box.insert(rng.randrange(len(box) + 1), deepcopy(box[key]))

def exchanged(rng, box, key, root):
    """Change places with another."""
    other = rng.randrange(len(box))
    box[key], box[other] = box[other], box[key]

def turned(rng, box, key, root):
    """Another order."""
    rng.shuffle(box[key])

def sibling(rng, box, key, root):
    """What some others have there."""
    for _ in range(rng.choice([1, 3, len(box) // 4 + 1])): box[rng.randrange(len(box))] = rng.choice(box)

def longer(*values):
    """One of some values more."""
    def do(rng, box, key, root): box[key].append(rng.choice(values))
    return do

def aligned(*names):
    """Take the same place out of several lists; where they name parents, the names of later ones move up."""
    def do(rng, box, key, root):
        lists = box[key]
        i = rng.randrange('parent' in names, len(lists[names[0]]))
        for name in names: del lists[name][i]
        if 'parent' in names and rng.random() < .8: lists['parent'] = [p - (p > i) for p in lists['parent']]
    return do

def index(rng, old, root):
    """A number of a row, a vector, a column or a label."""
    return rng.randrange(-1, max(len(root['p'].get('prices') or ()), len(root['p'].get('live') or ()), 4) + 1)

def label(rng, old, root):
    """The number of a label, or one beyond."""
    return rng.randrange(len(root['p']['table']['labels']) + (rng.random() < .1))

def fraction(rng, old, root):
    """Another fraction."""
    v = Fraction(old)
    more = [v / 2, v * 2, v + 1, v - Fraction(1, 10), Fraction(0), v * 10 + 7, v * Fraction(99, 100),
            v + Fraction(1, 1000)]
    return str(max(0, rng.choice(more)))

def literal(rng, old, root):
    """A literal of the proof."""
    return deepcopy(rng.choice(root['p']['literals']))

def may(rng, old, root):
    """Labels for each literal."""
    labels = range(len(root['p']['table']['labels']))
    return [[one for one in labels if rng.random() < .6] for _ in root['p']['literals']]

def some_weights(rng, old, root):
    """Weights of the labels."""
    return [rng.choice(['1', '2', '0.5', '4/3', '0']) for _ in root['p']['table']['labels']]

def prefix(rng, old, root):
    """Another prefix."""
    conditions = root['p']['family']['conditions']
    return old[:-1] if old else [[0]] if conditions == 'all' else [rng.choice(conditions)]

def conditions(rng, old, root):
    """One condition more, or the literals in place of all conjunctions."""
    literals = range(len(root['p']['literals']))
    return [[j] for j in literals] if old == 'all' else [*old, sorted({*rng.choices(literals, k=2)})]

def other_value(rng, old, root):
    """Another value of a literal."""
    if isinstance(old, list): return old[1:]
    if isinstance(old, (int, float)): return old + rng.choice([-1, 1, .5, 1e-9])
    return rng.choice([*root['t']['columns'].values()])[0]

def bound(rng, old, root):
    """A higher bound, or the objective."""
    claim = root['p']['claim']
    if rng.random() < .3: claim['objective'] = None
    more = [Fraction(1, 10**15), Fraction(1, 10**9), Fraction(old) / 1000, Fraction(1, 50),
            Fraction(1, len(root['t']['labels']))]
    return str(rng.choice([*(Fraction(old) + one for one in more), Fraction(claim['objective'] or '1')]))

def objective(rng, old, root):
    """The list costs less than it does."""
    less = str(Fraction(old) * (1 - Fraction(1, rng.choice([10**9, 100, 10**15]))))
    if rng.random() < .5: root['p']['claim']['bound'] = less
    return less

def row_dropped(rng, box, key, root):
    """A row less, or one twice."""
    table = root['t']
    i, way = rng.randrange(len(table['labels'])), rng.choice([lambda cells, i: cells.append(cells[i]),
                                                              list.pop])
    for cells in [*table['columns'].values(), table['labels'],
                  *([table['weights']] if table['weights'] else [])]:
        way(cells, i)

def divided_again(rng, box, key, root):
    """One more division, at the beginning."""
    entry, asking = {'row': rng.randrange(3), 'label': rng.randrange(2)}, root['p']['family']['asking']
    if asking and rng.random() < .5: entry = {'column': rng.choice([*asking])}
    box[key] = [entry, *box[key], *(deepcopy(box[key]) if rng.random() < .5 else [])]

def ends_left_out(rng, box, key, root):
    """A leaf without its states."""
    leaf = rng.choice([entry for entry in box[key] if entry.get('live')])
    leaf['states'] = None

def constraint_dropped(rng, box, key, root):
    """One constraint less, and mostly its multipliers."""
    del box[key]
    for entry in root['p']['cases'] if rng.random() < .7 else ():
        if 'multipliers' in entry: entry['multipliers'] = entry['multipliers'][:len(box)]

def no_list(rng, box, key, root):
    """The claim that there is no list."""
    box['list'], box['claim'] = None, {'objective': None, 'bound': None}

# ------------------------------------------------------------------ anything anywhere

HOSTILE = [None, True, -1, 0, 1, 2**53 - 1, 2**53, -2**53, 10**30, 1.5, 1e308, '', 'x', '1', '1/0', '-1',
           '1e5',
           [], [[]], {}, {'x': 1}, [0, 0], [-1], [None], 'all', '9' * 41, '0.' + '1' * 41, '\ud800', [0.5],
           ['0'],
           [10**18]]

def anywhere(rng, root):
    """Container and key of a random place of the proof: all depths alike."""
    box, key = root, 'p'
    while isinstance(box[key], (dict, list)) and box[key] and (box is root or rng.random() < .75):
        box = box[key]
        key = rng.choice(list(box) if isinstance(box, dict) else range(len(box)))
    return box, key

def replaced(rng, _, __, root):
    """Something hostile in place of a value."""
    box, key = anywhere(rng, root)
    box[key] = deepcopy(rng.choice(HOSTILE))

def removed(rng, _, __, root):
    """A value is left out."""
    box, key = anywhere(rng, root)
    del box[key]

def moved(rng, _, __, root):
    """A value from another place."""
    (box, key), (other, there) = anywhere(rng, root), anywhere(rng, root)
    box[key] = deepcopy(other[there])

def key_added(rng, box, key, root):
    """A key that is unknown."""
    box[key][rng.choice(['x', 'comment', 'Table', 'states2', ''])] = rng.choice(HOSTILE)

# ------------------------------------------------------------------ kinds

raised = by(1, 2, 1000, lambda v: v // 100 + 1, lambda v: v + 1)
lowered = by(lambda v: -min(v, 1), lambda v: -min(v, 1000), lambda v: -min(v, v // 100 + 1), lambda v: -v)
opposite = to(lambda rng, old, root: OPPOSITE[old])
VECTORS, CONJUNCTIONS = 'p/prices/*', 'p/conjunctions/prices'
NUMBERS = to(index)

PROOF = {  # the evidence
    'price raised': [(VECTORS + '/values/*', raised), (CONJUNCTIONS + '/values/*', raised)],
    'price lowered': [(VECTORS + '/values/*', lowered), (CONJUNCTIONS + '/values/*', lowered)],
    'price dropped': [(VECTORS, aligned('values', 'sets')), (CONJUNCTIONS, aligned('values', 'sets'))],
    'prices exchanged': [(VECTORS + '/values/*', exchanged), (CONJUNCTIONS + '/values/*', exchanged)],
    'vectors exchanged': [(VECTORS, exchanged)],
    'unit changed': [(VECTORS + '/unit', by(1, lambda v: v), to(2, 3)),
                     (CONJUNCTIONS + '/unit', by(1, lambda v: v))],
    'set changed': [('p/sets/*/*', NUMBERS, by(1, -1), dropped),
                    ('p/conjunctions/sets/*/*', NUMBERS, by(1, -1)),
                    ('p/sets/*', longer(0, 1, 2, 5))],
    'claim loosened': [('p/states/rest/*', by(1, 1000, lambda v: v // 1000 + 1, lambda v: v // 2 + 1))],
    'state dropped': [('p/states', aligned('parent', 'rule', 'rest', 'prices'))],
    'state changed': [('p/states/parent|rule|prices/*', NUMBERS),
                      ('p/states/counted', to(lambda rng, old, root: 1 - old))],
    'states left out': [('p/states', to(None))],
    'live dropped': [('p/live/*', dropped), ('p/conjunctions/live/*', dropped)],
    'exclusion dropped': [('p/exclude/*', dropped)],
    'exclusion changed': [('p/exclude', turned), ('p/exclude/*', NUMBERS)],
    'objective lowered': [('p/claim/objective', to(objective))],
    'bound raised': [('p/claim/bound', to(bound))],
    'grain changed': [('p/grain', by(lambda v: -min(v, 30), lambda v: -min(v, 1), 1, 2, 10, 300))],
}
STRUCTURE = {'value replaced': [('p', replaced)], 'value removed': [('p', removed)],
             'value moved': [('p', moved)],
             'key added': [('p', key_added), ('p/table|family|claim|list', key_added)]}
ASKED = {  # the question and the table
    'literal changed': [('p/literals/*/op', opposite), ('p/literals/*/value', to(other_value)),
                        ('p/literals/*/column',
                         to(lambda rng, old, root: literal(rng, old, root)['column']))],
    'literal exchanged': [('p/literals/*', exchanged)],
    'row altered': [('t/columns/*/*', sibling)],
    'row dropped': [('t/labels', row_dropped)],
    'label flipped': [('t/labels/*', sibling)],
    'labels exchanged': [('p/table/labels/*', exchanged)],
    'weight changed': [('p/table/label_weights', to(some_weights)),
                       ('t/weights/*', to('0', '1', '2', '1/3', '.5', '0.5', '1e1', '-1'))],
    'penalty changed': [('p/family/rule_penalty', to(fraction)), ('p/family/literal_penalty', to(fraction))],
    'family changed': [('p/family/most_rules', to(None, 0, 1, 2, 3)),
                       ('p/family/most_literals', to(None, 1, 2, 3)),
                       ('p/family/prefix', to(prefix)), ('p/family/may', to(None, may)),
                       ('p/family/conditions', to(conditions)), ('p/family/conditions/*', dropped)],
    'list changed': [('p/list/default', to(label)), ('p/list/rules/*', dropped),
                     ('p/list/rules/*/1', to(label)),
                     ('p/list/rules', turned)],
}
CASES = {  # proofs by cases
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
    **{name: ASKED[name] for name in ('penalty changed', 'family changed', 'list changed')},
    'no list': [('p/list', no_list)],
    'bound raised': PROOF['bound raised'],
    'literal changed': [('p/literals/*/op', opposite)],
    'label flipped': ASKED['label flipped'],
    'cells exchanged': [('t/columns/*/*', exchanged)],
    'version changed': [('p/version', to(1, 3)), ('p/family/constraints|asking', to(None))],
}

# ------------------------------------------------------------------ files that are no proofs

def flipped(rng, data):
    """Some bits are different."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 3, 20])): data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)

def mangled(rng, data):
    """A digit becomes what is no number of the format."""
    i = rng.choice([i for i, byte in enumerate(data) if 48 <= byte <= 57])
    new = [b'NaN', b'Infinity', b'-', b'1e999', b'9' * 400, b'0x1', b'1_0', b'00', b'1.0', b'1e0',
           '٣'.encode()]
    return data[:i] + rng.choice(new) + data[i + 1:]

def spliced(rng, data, way):
    """Some bytes are missing, or stand twice."""
    i, n = rng.randrange(len(data)), rng.randrange(1, 50)
    return data[:i] + data[i + n:] if way == 'out' else data[:i + n] + data[i:]

def cut(rng, data):
    """Only the beginning."""
    return data[:rng.randrange(len(data))]

def packed(rng, data):
    """Packed, and damaged."""
    zipped = gzip.compress(data, mtime=0)
    return rng.choice([zipped, flipped(rng, zipped), cut(rng, zipped), zipped + b'x', zipped + zipped,
                       gzip.compress(zipped, mtime=0), b'\x1f\x8b' + data])

KEYS_TWICE = b'"grain":1', b'"format":"rulebook proof"', b'"exclude":[]'
BYTES = {
    'bytes flipped': flipped, 'cut off': cut, 'number mangled': mangled, 'packing damaged': packed,
    'piece cut out': lambda rng, data: spliced(rng, data, 'out'),
    'piece doubled': lambda rng, data: spliced(rng, data, 'twice'),
    'key doubled': lambda rng, data: data[:-1] + b',' + rng.choice(KEYS_TWICE) + b'}',
    'coding changed': lambda rng, data: rng.choice([
        b'\xef\xbb\xbf' + data, data.decode().encode('utf-16'), data + b'\xff', data + b'{}',
        b' \n' + data + b'\t\r\n ',
        data.replace(b':', b': '), data + b'\0'])}

def table_bytes(rng, data):
    """A damaged table."""
    lines = data.split(b'\n')
    i = rng.randrange(len(lines) - 1)
    return rng.choice([flipped(rng, data), cut(rng, data), b'\xef\xbb\xbf' + data, gzip.compress(data),
                       b'\n'.join([*lines[:i], lines[i] + b',1', *lines[i + 1:]]),
                       data.replace(b'\n', b'\r\n'),
                       data + b'\n\n', data.replace(b',', b';'), data.replace(b'\n', b'\r'), data + b'"', b'',
                       lines[0], data.replace(b',', b',"', 1), b'\n'.join([lines[0], *lines[:0:-1]]),
                       data.rstrip(b'\n'), b'\n'.join([*lines[:i], b'', *lines[i:]])])

def giants():
    """Files that are too large, too deep or swell: names and bytes."""
    mb, zipped = 2**20, gzip.compress(b' ' * 2**30, 6)
    nested = b'[' * 100_000 + b']' * 100_000
    yield 'nested lists', nested
    yield 'nested objects', b'{"a":' * 100_000 + b'1' + b'}' * 100_000
    yield 'nested, not closed', b'[' * 10_000_000
    yield 'nested literals', b'{"format":"rulebook proof","literals":' + nested + b'}'
    yield '100 MB of spaces', b' ' * (100 * mb)
    yield '100 MB of zeros', b'[' + b'0,' * (50 * mb) + b'0]'
    yield '60 MB of digits', b'{"grain":' + b'1' * (60 * mb) + b'}'
    yield '60 MB of prices', b'{"format":"rulebook proof","prices":[' + b'0,' * (30 * mb) + b'0]}'
    yield '60 MB of text', b'{"format":"' + b'x' * (60 * mb) + b'"}'
    yield 'gzip of 1 GB', zipped
    yield 'gzip of gzip of 1 GB', gzip.compress(zipped, 6)
    yield 'many keys', b'{' + b','.join(b'"k%d":0' % i for i in range(1_000_000)) + b'}'
    yield 'nothing', b''
    yield 'null', b'null'
    yield 'a number', b'1e400'
