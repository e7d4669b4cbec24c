"""The search of the CORELS paper, as the paper has it, with a switch for every bound.

Pages call it; its long runs (corels-ablation.csv, corels-statements.csv, corels-traces.csv) were made once,
at commit 6ba9a49.

Prefixes wait in a queue; each is extended by every antecedent in turn (Algorithms 1 and 5); a map forgets the
worse of two prefixes that hold the same antecedents, or capture the same rows (Algorithm 6).  Two labels.
Only the data structures are not the paper's: rows that no antecedent tells apart are stored once with their
two counts, and a pass over the rows of a prefix counts for all antecedents together.  A run that is done has
CPU seconds, evaluations and insertions; Python stops between slices for a trace.  Nothing here is shared with
the search of the package, so that each can be tried against the other.
"""
import math
import time
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from rulebook.bits import BitMatrix, mixed, trailing_zeros
from rulebook.core import kernel
from rulebook.table import merge_rows
from rulebook.io.datasets import load_dataset

SWITCHES = ['lookahead', 'support', 'accurate', 'net', 'points', 'permutation', 'captured', 'excessive',
            'propagation', 'one rule', 'two rules', 'siblings', 'dominance']
(LOOKAHEAD, SUPPORT, ACCURATE, NET, _, PERMUTATION, CAPTURED, EXCESSIVE, PROPAGATION, ONE, TWO,
 SIBLINGS, DOMINANCE) = (np.int64(1 << i) for i in range(len(SWITCHES)))
POLICIES = ['breadth first', 'lower bound', 'objective', 'curiosity', 'depth first']
PAPER = ('lookahead', 'support', 'accurate', 'points', 'permutation')
HOUSE = ('lookahead', 'net', 'points', 'captured', 'one rule')  # what the package has of them
QUEUED, DONE, DEAD = np.int64(0), np.int64(1), np.int64(2)

STATUS = np.dtype([
    ('penalty', 'f8'),      # of a rule, in rows
    ('upper', 'f8'),        # objective of the best list known, in rows
    ('total', 'f8'),        # rows in all
    ('flags', 'i8'),        # switches that are on, a bit each
    ('policy', 'i8'),       # place in POLICIES
    ('n', 'i8'),            # prefixes stored
    ('heap', 'i8'),         # prefixes in the queue
    ('best', 'i8'),         # prefix whose child is the best list
    ('evaluated', 'i8'),    # children whose bound was evaluated
    ('looked', 'i8'),       # children that were looked at
    ('expanded', 'i8'),     # prefixes that were expanded
    ('longest', 'i8'),      # rules of the longest prefix stored
    ('optimum_at', 'i8'),   # evaluations until the best list was found
    ('best_length', 'i8'),  # rules of the best list
])
NODE = np.dtype([
    ('bound', 'f8'),   # cost and the minorities of the rows left: no list below costs less, in rows
    ('cost', 'f8'),    # errors of the rules and their penalties, in rows
    ('key', 'f8'),     # place in the queue, the lowest first
    ('error', 'i4'),   # rows that the rules have wrong
    ('parent', 'i4'),  # the prefix without its last rule; -1 for the empty one
    ('rule', 'i4'),    # last antecedent
    ('length', 'i4'),  # rules
    ('state', 'i4'),   # QUEUED, DONE or DEAD
    ('left', 'i4'),    # rows that no rule captures
])

class Space(NamedTuple):
    "All tables of a search; prefixes by number, antecedents by number with one more at the end for all rows."
    status: np.ndarray    # one STATUS
    rows: np.ndarray      # counts by distinct row: (rows, label or minority, antecedents + 1)
    covers: np.ndarray    # distinct rows of each antecedent, packed: (antecedents, words)
    shared: np.ndarray    # net counts of rows that two antecedents share: (antecedents, labels, antecedents)
    nodes: np.ndarray     # prefixes, each a NODE
    words: np.ndarray     # distinct rows that a prefix leaves, packed: (prefixes, words)
    used: np.ndarray      # its antecedents, packed: (prefixes, words)
    refused: np.ndarray   # antecedents that were rejected behind it, packed: (prefixes, words)
    heap: np.ndarray      # the queue: numbers of prefixes
    slots: np.ndarray     # the map: half of a hash and a number of a prefix + 1; 0 is empty
    sums: np.ndarray      # counts of what each antecedent captures next: (label or minority, antecedents + 1)
    net: np.ndarray       # the same less the minority: (labels, antecedents + 1)
    children: np.ndarray  # antecedents of the children at hand

# ------------------------------------------------------------------ the queue

@kernel
def before(nodes, i, j):
    "Whether prefix i leaves the queue before prefix j."
    return nodes[i].key < nodes[j].key or (nodes[i].key == nodes[j].key and i < j)

@kernel
def push(space, node):
    "Put a prefix into the queue."
    heap, nodes, at = space.heap, space.nodes, space.status[0].heap
    space.status[0].heap += 1
    while at and before(nodes, node, heap[(at - 1) >> 1]):
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = node

@kernel
def pop(space):
    "Take the first prefix from the queue; -1 if it is empty."
    heap, nodes = space.heap, space.nodes
    if not space.status[0].heap: return np.int64(-1)
    space.status[0].heap -= 1
    n, at = space.status[0].heap, 0
    first, last = np.int64(heap[0]), np.int64(heap[n])
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and before(nodes, heap[child + 1], heap[child]): child += 1
        if before(nodes, last, heap[child]): break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return first

@kernel
def deleted(nodes, node):
    "Whether the prefix, or one that it starts with, was replaced by a better one."
    while node >= 0:
        if nodes[node].state == DEAD: return True
        node = np.int64(nodes[node].parent)
    return False

# ------------------------------------------------------------------ the map

MARK, NUMBER = np.uint64(0xFFFFFFFF00000000), np.uint64(0xFFFFFFFF)

@kernel
def mark_of(line):
    "64 well-mixed bits of a line of words."
    mark = np.uint64(0)
    for w in range(line.size):
        mark = mixed(mark ^ line[w])
    return mark

@kernel
def find(keys, slots, line, mark):
    "The slot of the prefix with this key, or the empty one where it belongs."
    mask = np.uint64(slots.size - 1)
    at = mark & mask
    while slots[at]:
        if not (slots[at] ^ mark) & MARK:
            known, same = keys[np.int64(slots[at] & NUMBER) - 1], True
            for w in range(line.size): same &= known[w] == line[w]
            if same: break
        at = (at + np.uint64(1)) & mask
    return np.int64(at)

@kernel
def refill(keys, slots, numbers):
    "Enter prefixes by their numbers into an empty map."
    for i in range(numbers.size):
        mark = mark_of(keys[numbers[i]])
        slots[find(keys, slots, keys[numbers[i]], mark)] = (mark & MARK) | np.uint64(numbers[i] + 1)

# ------------------------------------------------------------------ one prefix and its children

@kernel
def count_rows(space, node):
    """Rows of each label that every antecedent captures next, and of the minority label of each distinct row.

    Last stand the rows that are left, all of them.  Without equivalent points no minority is known, and net
    counts are plain counts.
    """
    sums, words = space.sums, space.words[node]
    sums[:] = 0
    for w in range(words.size):
        left = words[w]
        while left:
            row = space.rows[64 * w + trailing_zeros(left)]
            left &= left - np.uint64(1)
            for k in range(3):
                for r in range(row.shape[1]): sums[k, r] += row[k, r]
    for r in range(space.net.shape[1]):
        space.net[0, r], space.net[1, r] = sums[0, r] - sums[2, r], sums[1, r] - sums[2, r]

@kernel
def rejected(status, sums, net, r):
    "Theorems 10, 11 and 21, and the net accurate support."
    flags, small, last = status.flags, status.penalty - 1e-9, net.shape[1] - 1
    captured, left = sums[0, r] + sums[1, r], sums[0, last] + sums[1, last]
    return ((flags & SUPPORT and captured < small) or
            (flags & ACCURATE and max(sums[0, r], sums[1, r]) < small) or
            (flags & NET and max(net[0, r], net[1, r]) < small) or
            (flags & EXCESSIVE and left - captured < small))

@kernel
def one_more_rule(net, shared, r):
    "Least errors beyond the minorities of one rule, of either label, behind rule r."
    last, best = net.shape[1] - 1, np.int64(1) << 60
    for a in range(2):
        for q in range(last):
            missed = max(0, net[a, last] - net[a, r] - net[a, q])
            wrong = max(0, net[1 - a, q] - min(net[1 - a, r], shared[r, 1 - a, q]))
            best = min(best, missed + wrong)
    return best

@kernel
def two_rules_may_pay(net, shared, allowed):
    "Whether some two rules and a default may make fewer than `allowed` errors beyond the minorities."
    last = net.shape[1] - 1
    for a in range(2):
        b = 1 - a  # the default's label
        for r in range(last):
            for q in range(last):
                both = max(net[b, r], net[b, q], net[b, r] + net[b, q] - shared[r, b, q])
                missed = max(0, net[a, last] - net[a, r] - net[a, q])
                if net[b, r] < allowed and both + missed < allowed: return True
                guarded = max(0, net[b, q] - min(net[b, r], shared[r, b, q]))
                missed = max(net[a, r], net[a, last] - net[a, q])
                if net[a, r] < allowed and missed + guarded < allowed: return True
    return False

@kernel
def beaten(space, node, errors, r, n):
    "Whether another child captures all that r captures, with no more errors."
    words, covers = space.words[node], space.covers
    for i in range(n):
        q = space.children[i]
        if q == r or errors[q] > errors[r]: continue
        inside, same = True, True
        for w in range(words.size):
            inside &= not words[w] & covers[r, w] & ~covers[q, w]
            same &= not words[w] & covers[q, w] & ~covers[r, w]
        if inside and (not same or errors[q] < errors[r] or q < r): return True
    return False

@kernel
def dominated(space, node):
    "Whether another prefix costs no more even if all rows that it alone leaves are added to its errors."
    nodes, words, rows = space.nodes, space.words, space.rows
    last = space.net.shape[1] - 1
    for i in range(space.status[0].n):
        excess = nodes[i].bound - nodes[node].bound
        if i == node or excess > 1e-9 or (excess > -1e-9 and i > node): continue
        for w in range(words.shape[1]):
            left = words[i, w] & ~words[node, w]
            while left and excess <= 1e-9:
                row = rows[64 * w + trailing_zeros(left)]
                left &= left - np.uint64(1)
                excess += abs(np.int64(row[0, last]) - row[1, last])
            if excess > 1e-9: break
        if excess <= 1e-9: return True
    return False

@kernel
def replaces(space, cost):
    "Whether the map knows no prefix that is as good as the next one; one that is worse is dead from now on."
    status, nodes, n = space.status[0], space.nodes, space.status[0].n
    keys = space.words if status.flags & CAPTURED else space.used
    mark = mark_of(keys[n])
    slot = find(keys, space.slots, keys[n], mark)
    if space.slots[slot]:
        known = np.int64(space.slots[slot] & NUMBER) - 1
        if nodes[known].cost <= cost + 1e-9: return False
        nodes[known].state = DEAD
    space.slots[slot] = (mark & MARK) | np.uint64(n + 1)
    return True

@kernel
def enter(space, node, r, cost, bound, value):
    "Insert the child, unless the map knows a prefix that is no worse; replace one that is."
    status, nodes, n = space.status[0], space.nodes, space.status[0].n
    for w in range(space.words.shape[1]): space.words[n, w] = space.words[node, w] & ~space.covers[r, w]
    for w in range(space.used.shape[1]): space.used[n, w] = space.used[node, w]
    for w in range(space.used.shape[1]): space.refused[n, w] = space.refused[node, w]
    space.used[n, r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    if status.flags & (PERMUTATION | CAPTURED) and not replaces(space, cost): return
    length = nodes[node].length + 1
    left = nodes[node].left - space.sums[0, r] - space.sums[1, r]
    nodes[n].bound = bound
    nodes[n].cost = cost
    nodes[n].error = nodes[node].error + min(space.sums[0, r], space.sums[1, r])
    nodes[n].parent = node
    nodes[n].rule = r
    nodes[n].length = length
    nodes[n].state = QUEUED
    nodes[n].left = left
    keys = (np.float64(length), bound, value, bound / max(1e-9, 1 - left / status.total), -np.float64(length))
    nodes[n].key = keys[status.policy]
    status.n += 1
    status.longest = max(status.longest, length)
    push(space, n)

# ------------------------------------------------------------------ the search

@kernel
def look(space, node, errors):
    "Evaluate the children: improve the best list, write down those that may follow, return how many."
    status, sums, net = space.status[0], space.sums, space.net
    last, n = net.shape[1] - 1, 0
    base = space.nodes[node].cost + status.penalty
    for r in range(last):
        bit = np.uint64(1) << np.uint64(r & 63)
        if (space.used[node, r >> 6] | space.refused[node, r >> 6]) & bit: continue
        status.looked += 1
        if rejected(status, sums, net, r):
            if status.flags & PROPAGATION: space.refused[node, r >> 6] |= bit
            continue
        status.evaluated += 1
        errors[r] = min(sums[0, r], sums[1, r])
        rest = min(sums[0, last] - sums[0, r], sums[1, last] - sums[1, r])
        if base + errors[r] + rest < status.upper - 1e-9:
            status.upper = base + errors[r] + rest
            status.best = node
            status.best_length = space.nodes[node].length + 1
            status.optimum_at = status.evaluated
        space.children[n] = r
        n += 1
    return n

@kernel
def expand(space, node, errors):
    "All children of a prefix."
    status, sums, net = space.status[0], space.sums, space.net
    count_rows(space, node)
    n, last = look(space, node, errors), net.shape[1] - 1
    penalty, flags = status.penalty, status.flags
    ahead = penalty if flags & LOOKAHEAD else 0.
    behind, cost = sums[2, last], space.nodes[node].cost
    if flags & TWO and cost + behind + 3 * penalty >= status.upper - 1e-9:
        if not two_rules_may_pay(net, space.shared, status.upper - cost - behind - 2 * penalty): return
    for i in range(n):
        r = space.children[i]
        child = cost + penalty + errors[r]
        bound = child + behind - sums[2, r]
        if bound + ahead >= status.upper - 1e-9: continue
        if flags & ONE:
            more = min(np.float64(one_more_rule(net, space.shared, r)), penalty)
            if bound + penalty + more >= status.upper - 1e-9: continue
        if flags & SIBLINGS and beaten(space, node, errors, r, n): continue
        rest = min(sums[0, last] - sums[0, r], sums[1, last] - sums[1, r])
        enter(space, node, r, child, bound, child + rest)

@kernel
def advance(space, errors, n_looks):
    "Expand prefixes until so many more children were looked at; 0: go on, 1: finished, 2: tables are full."
    status, nodes, end = space.status[0], space.nodes, space.status[0].looked + n_looks
    while status.looked < end:
        if status.n + space.sums.shape[1] > nodes.size: return 2
        node = pop(space)
        if node < 0: return 1
        nodes[node].state = max(nodes[node].state, DONE)
        ahead = status.penalty if status.flags & LOOKAHEAD else 0.
        if nodes[node].bound + ahead >= status.upper - 1e-9 or deleted(nodes, node): continue
        if status.flags & DOMINANCE and dominated(space, node): continue
        status.expanded += 1
        expand(space, node, errors)
    return 0

def first_space(status, covers, counts, points):
    "Tables with the empty prefix alone; `points`: whether minorities of distinct rows are known."
    flags = covers.to_bool()
    n_rules, n_rows = flags.shape
    weights = np.column_stack([counts, counts.min(axis=1) * points])
    node, used = np.zeros(1, NODE), np.zeros((1, -(-n_rules // 64)), np.uint64)
    node[0] = (weights[:, 2].sum(), 0, 0, 0, -1, -1, 0, QUEUED, status['total'][0])
    width = -(-(n_rules + 1) // 16) * 16
    return Space(
        status=status,
        rows=counted_rows(flags, weights, width, 64 * covers.words.shape[1]),
        covers=covers.words,
        shared=shared_counts(flags, weights[:, :2] - weights[:, 2:]),
        nodes=node,
        words=BitMatrix.from_bool(np.ones((1, n_rows), bool)).words.copy(),
        used=used,
        refused=used.copy(),
        heap=np.zeros(1, np.int32),
        slots=np.zeros(2, np.uint64),
        sums=np.zeros((3, width), np.int32),
        net=np.zeros((2, n_rules + 1), np.int32),
        children=np.zeros(n_rules, np.int32))

def counted_rows(flags, weights, width, n_words):
    "What a distinct row adds to the sums of each antecedent, and of all rows behind the last one."
    n_rules, n_rows = flags.shape
    rows = np.zeros((n_words, 3, width), np.int16 if weights.max() < 2**15 else np.int32)
    holds = np.append(flags, np.ones((1, n_rows), bool), axis=0).T
    rows[:n_rows, :, :n_rules + 1] = weights[:, :, None] * holds[:, None]
    return rows

def shared_counts(flags, net):
    "Net counts of either label in the rows that two antecedents share."
    each, net = flags.astype(float), net.astype(float)
    return np.rint(np.einsum('ru,uk,qu->rkq', each, net, each, optimize=True)).astype(np.int32)

class Trie:
    """A search over prefixes.

    Parameters
    ----------
    covers : ndarray of bool, shape (n_rules, n_distinct)
    counts : ndarray of int, shape (n_distinct, 2)
    regularization : float
    switches : iterable of str, default PAPER
        Bounds and maps that are on; see SWITCHES.
    policy : str, default 'lower bound'
        Which prefix is next; see POLICIES.
    upper : float, default None
        Objective of a list that is known beforehand.
    """
    def __init__(self, covers, counts, regularization, switches=PAPER, policy='lower bound', upper=None):
        bits = BitMatrix.from_bool(np.asarray(covers, bool))
        covers, counts = merge_rows(bits, np.asarray(counts, np.int64))[:2]
        self.counts = counts.astype(np.int64)
        self.total = int(counts.sum())
        self.n_rules = len(covers)
        self.penalty = regularization * counts.sum()
        status = np.zeros(1, STATUS)
        status['flags'] = sum(1 << SWITCHES.index(name) for name in switches)
        status['policy'] = POLICIES.index(policy)
        status['total'] = self.total
        status['penalty'] = self.penalty
        start = min(self.counts.sum(axis=0))
        status['upper'] = start if upper is None else min(start, upper * self.total + 1e-6)
        status['best'] = -1
        status['n'] = 1
        self.space = first_space(status, covers, self.counts, 'points' in switches)
        self.seconds = 0.
        self.finished = False
        self._errors = np.zeros(self.n_rules, np.int32)
        self._enlarge(4096)
        push(self.space, 0)

    def _enlarge(self, n):
        "Room for n prefixes."
        def longer(table):
            return np.concatenate([table, np.zeros((n - len(table), *table.shape[1:]), table.dtype)])
        space = self.space
        keys = space.words if space.status['flags'][0] & CAPTURED else space.used
        slots = np.zeros(2 ** int(np.ceil(np.log2(2 * n))), np.uint64)
        refill(keys, slots, np.flatnonzero(space.nodes['state'][:space.status['n'][0]] != DEAD))
        grown = {name: longer(getattr(space, name)) for name in ('nodes', 'words', 'used', 'refused', 'heap')}
        self.space = space._replace(slots=slots, **grown)

    def advance(self, n_looks):
        "Look at about so many more children; True when the queue is empty."
        start, code = time.process_time(), 2
        goal = int(self.space.status['looked'][0]) + n_looks
        while code == 2:
            code = advance(self.space, self._errors, max(1, goal - int(self.space.status['looked'][0])))
            if code == 2: self._enlarge(2 * len(self.space.nodes))
        self.finished = code == 1
        self.seconds += time.process_time() - start
        return self.finished

    def waiting(self):
        "The prefixes that are waiting, may lead below the best list, and were not replaced."
        status = self.space.status[0]
        nodes = self.space.nodes[self.space.heap[:status['heap']]]
        ahead = self.penalty * bool(status['flags'] & LOOKAHEAD)
        return nodes[(nodes['state'] == QUEUED) & (nodes['bound'] + ahead < status['upper'] - 1e-9)]

    def snapshot(self):
        "Where the search stands: best list, bound, prefixes waiting."
        waiting, status = self.waiting(), self.space.status[0]
        bound = status['upper']
        if len(waiting): bound = min(waiting['bound'].min() + self.penalty, bound)
        return {'objective': status['upper'] / self.total, 'lower_bound': bound / self.total,
                'waiting': len(waiting)}

    def trace(self, first=1000, growth=1.3, most=np.inf, seconds=np.inf):
        "Run to the end, or until `most` prefixes are stored or the time is over; a snapshot per slice."
        seen, slice_ = [self.snapshot()], first
        while not self.finished and self.space.status['n'][0] < most and self.seconds < seconds:
            self.advance(int(slice_))
            seen.append(self.snapshot())
            slice_ *= growth
        return seen

    def summary(self, seen=()):
        "One line about the run."
        status = self.space.status[0]
        return {'finished': self.finished,
                'seconds': round(self.seconds, 2),
                'objective': status['upper'] / self.total,
                'length': int(status['best_length']),
                'looked': int(status['looked']),
                'evaluated': int(status['evaluated']),
                'to_optimum': int(status['optimum_at']),
                'expanded': int(status['expanded']),
                'inserted': int(status['n']),
                'longest': int(status['longest']),
                'most_waiting': max([line['waiting'] for line in seen], default=0)}

def permutations_up_to(m, k):
    "Ordered choices of at most k out of m."
    return sum(math.perm(m, j) for j in range(min(k, m) + 1))

# ------------------------------------------------------------------ the paper's tables

AGES = {'18-20': (18, 20), '21-22': (21, 22), '23-25': (23, 25), '26-45': (26, 45), '>45': (46, 999)}
PRIORS = {'= 0': (0, 0), '= 1': (1, 1), '= 2-3': (2, 3), '> 3': (4, 999)}
RACES = ['African-American', 'Caucasian', 'Hispanic']

def propublica(race=False):
    """The paper's features (Table 7) of the recidivism table, with `race` those of Feature Set B.

    Returns
    -------
    literals : DataFrame of bool
    y : ndarray of int
    extras : DataFrame with race and decile_score
    """
    X, y, extras = load_dataset('bundled:compas', return_extras=True)
    flags = {'sex = male': X.sex == 'Male', 'sex = female': X.sex == 'Female'}
    for name, (low, high) in AGES.items(): flags[f'age = {name}'] = X.age.between(low, high)
    for column in ('juvenile_felonies', 'juvenile_misdemeanors', 'juvenile_crimes'):
        name = column.replace('_', ' ')
        flags[f'{name} = 0'], flags[f'{name} > 0'] = X[column] == 0, X[column] > 0
    for name, (low, high) in PRIORS.items(): flags[f'priors {name}'] = X.priors.between(low, high)
    if race:
        for name in RACES: flags[f'race = {name}'] = extras.race == name
        flags['race = Other'] = ~extras.race.isin(RACES)
    return pd.DataFrame(flags), (y == 'yes').to_numpy().astype(int), extras

def mined(literals, support=.005):
    "Literals and pairs that hold for a share between `support` and 1 - `support` of the rows, by name."
    columns, n = literals.to_numpy(), literals.shape[1]
    sets = [(i,) for i in range(n)] + [(i, j) for j in range(n) for i in range(j)]
    names = [' and '.join(literals.columns[i] for i in items) for items in sets]
    covers = [columns[:, items].all(axis=1) for items in sets]
    return {name: rows for name, rows in zip(names, covers) if support <= rows.mean() <= 1 - support}

def folds(n):
    "Ten folds of n rows, drawn at random once: training and test rows of each."
    return list(KFold(10, shuffle=True, random_state=0).split(np.zeros(n)))

def grouped(covers, y):
    "Distinct rows of `covers` (rules by rows) and how often each label occurs in them."
    bits, counts = merge_rows(BitMatrix.from_bool(covers), np.eye(2)[y])
    return bits.to_bool(), counts
