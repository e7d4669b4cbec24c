"""The right answer for a small table: every rule list and every rule set is tried, in exact fractions.

Nothing is imported from the package: what the oracle shares with a search it could not find wrong there.
nbs/appendix/oracle.ipynb explains it.
"""
import operator
from fractions import Fraction
from functools import cache
from itertools import count
from math import inf, lcm
from typing import NamedTuple


# ------------------------------------------------------------------ numbers and tests

class Ask(NamedTuple):
    "A table, and which lists may be chosen for it: words as for `CORELSClassifier`."

    columns: dict                # name to a list of cells; None or NaN is missing
    labels: list                 # of the rows
    literals: tuple              # (column, op, value)
    regularization: object       # price of a rule, a share; all numbers are what their decimal text means
    weights: list = None         # of the rows; None: 1 each
    class_weight: object = None  # label to number, 'balanced', or None
    literal_penalty: object = 0  # price of each literal of a rule, a share
    max_literals: int = None     # most literals of a rule, those of the prefix aside; None: no limit
    max_rules: int = None        # most rules; None: no limit
    min_support: object = 0      # least share of the weight that a condition covers, the prefix aside
    forbidden: tuple = ()        # columns
    prefix: tuple = ()           # conditions, each a tuple of literals
    monotonic_cst: dict = {}     # column to 1 or -1
    target: object = None        # the label of all rules of a set, the other one is the default; None: lists
    constraints: tuple = ()      # dicts: rate, at_least or at_most, between, groups, positive
    feature_costs: dict = {}     # column to its price, a share


class Answer(NamedTuple):
    "A list, and its value."

    objective: Fraction  # what it pays, or its F1 less penalties
    rules: tuple         # (literals, label) of each
    default: object      # the label of all other rows


def exact(number):
    "The fraction that the decimal text of a number means."
    return Fraction(str(number))


def exact_share(number):
    """The same for a share, a price, a limit, the weight of a class: the fraction with a denominator
    of at most a million that is this float, if there is one.
    """
    near = Fraction(number).limit_denominator(10**6)
    return near if float(near) == number else exact(number)


def row_weights(ask):
    "The weights of the rows, as given and times those of their labels."
    given = [exact(weight) for weight in ask.weights or [1] * len(ask.labels)]
    if ask.class_weight == 'balanced':
        sums = {
            label: sum(w for w, y in zip(given, ask.labels) if y == label) for label in ask.labels
        }
        n_labels = sum(weight > 0 for weight in sums.values())
        factors = {
            label: sum(given) / (n_labels * weight) for label, weight in sums.items() if weight
        }
    else:
        factors = {label: exact_share(factor) for label, factor in (ask.class_weight or {}).items()}
    return given, [weight * factors.get(label, 1) for weight, label in zip(given, ask.labels)]


_TESTS = {
    '<': operator.lt,
    '<=': operator.le,
    '>': operator.gt,
    '>=': operator.ge,
    '=': operator.eq,
    '!=': operator.ne,
    'in': lambda cell, some: cell in some,
    'not in': lambda cell, some: cell not in some,
}
_WAY = {'<': -1, '<=': -1, '>': 1, '>=': 1, 'missing': 0, 'present': 0}


def is_missing(cell):
    "Whether a cell is None or NaN."
    return cell is None or cell != cell


def holds(literal, columns, row):
    "Whether a row satisfies a test; a missing cell satisfies only `missing`."
    column, op, value = literal
    cell = columns[column][row]
    if op in ('missing', 'present') or is_missing(cell):
        return is_missing(cell) == (op == 'missing')
    return bool(_TESTS[op](cell, value))


def may_predict(ask, literal, labels):
    "The labels that a rule with this test may have; a rule may have what all of its tests allow."
    column, op, value = literal
    way = ask.monotonic_cst.get(column, 0)
    some = frozenset(labels if ask.target is None else [ask.target])
    if way:
        # of a truth value: `= True` and `!= False` are the upper half
        way *= _WAY[op] if op in _WAY else 1 if bool(value) == (op == '=') else -1
    return some - {labels[0]} if way > 0 else some - {labels[1]} if way < 0 else some


# ------------------------------------------------------------------ rates

_COUNTED = {  # of label and prediction, both as "is it the positive one": what is counted, among what
    'selection rate': (lambda y, p: p, lambda y, p: True),
    'recall': (lambda y, p: y and p, lambda y, p: y),
    'false negative rate': (lambda y, p: y and not p, lambda y, p: y),
    'false positive rate': (lambda y, p: p and not y, lambda y, p: not y),
    'specificity': (lambda y, p: not y and not p, lambda y, p: not y),
    'precision': (lambda y, p: y and p, lambda y, p: p),
}


class NoRow(ValueError):
    "A rate is asked for that counts no row."


def rate_of(name, rows):
    "A rate of rows (weight, label is positive, prediction is positive, ...); None if it is about no row."
    counted, among = _COUNTED[name]
    total = sum(weight for weight, y, p, *_ in rows if among(y, p))
    return sum(weight for weight, y, p, *_ in rows if counted(y, p)) / total if total else None


def is_kept(constraint, rows):
    "Whether rows (weight, label is positive, prediction is positive, group) keep a limit on a rate."
    name = constraint.get('rate')
    between = constraint.get('between')
    most = constraint.get('at_most')
    # a missing cell is of no group
    groups = constraint.get('groups') or {group for *_, group in rows if not is_missing(group)}
    parts = [[row for row in rows if row[3] == group] for group in groups] if between else [rows]
    rates = [rate_of(name, part) for part in parts]
    if name == 'precision' and None in rates:
        return True  # nothing is predicted positive
    if None in rates:
        raise NoRow(f'{name}: no row is counted.')
    if between:
        return max(rates) - min(rates) <= exact_share(most)
    if most is not None:
        return rates[0] <= exact_share(most)
    return rates[0] >= exact_share(constraint.get('at_least'))


# ------------------------------------------------------------------ rows and conditions

def distinct(ask, literals, weights):
    """Lists of the rows that have a weight and that neither tests nor the groups of constraints
    tell apart.
    """
    between = [one['between'] for one in ask.constraints if one.get('between')]
    found = {}
    for row, weight in enumerate(weights):
        line = [holds(literal, ask.columns, row) for literal in literals]
        # as text, since NaN is not equal to itself
        line += [str(ask.columns[name][row]) for name in between]
        if weight:
            found.setdefault(tuple(line), []).append(row)
    return list(found.values())


def in_units(ask, weights):
    """What is 1 in whole units, and in these the shares of rows and the prices of rules, literals
    and columns.
    """
    prices = [
        *map(exact_share, (ask.regularization, ask.literal_penalty, *ask.feature_costs.values()))
    ]
    shares = [weight / sum(weights) for weight in weights]
    unit = lcm(*(amount.denominator for amount in (*shares, *prices)))
    return unit, [int(share * unit) for share in shares], [int(price * unit) for price in prices]


class Case:
    """An `Ask` in whole numbers, `unit` of which are an objective of 1; equal rows are one, sets
    are masks.
    """

    def __init__(self, ask):
        given, weights = row_weights(ask)
        unit, shares, (rule, literal, *costs) = in_units(ask, weights)
        self.ask = ask
        self.unit = unit
        self.rule = rule  # price of a rule
        self.literal = literal  # and of each of its literals
        self.costs = {name: cost for name, cost in zip(ask.feature_costs, costs) if cost}
        self.support = exact_share(ask.min_support or 0) * unit
        self.free = tuple(dict.fromkeys(one for one in ask.literals if one[0] not in ask.forbidden))
        self.literals = tuple(
            dict.fromkeys((*self.free, *(one for some in ask.prefix for one in some)))
        )
        rows = distinct(ask, self.literals, weights)
        self.first = [some[0] for some in rows]  # row of the table
        self.everything = (1 << len(rows)) - 1
        self.masks = {
            one: sum(1 << u for u, row in enumerate(self.first) if holds(one, ask.columns, row))
            for one in self.literals
        }  # the rows on which each literal holds
        self.labels = sorted({ask.labels[row] for some in rows for row in some})
        self.defaults = [label for label in self.labels if label != ask.target]  # behind rules
        # without
        self.alone = [*self.defaults, *(label for label in self.labels if label == ask.target)]
        self.positives = [
            self.labels[-1] if one.get('positive') is None else one['positive']
            for one in ask.constraints
        ]  # what each constraint means by it

        def sums(of):
            return [
                {
                    label: sum(of[row] for row in some if ask.labels[row] == label)
                    for label in self.labels
                }
                for some in rows
            ]

        # for each row the weight of each label, without that of classes
        self.given = sums(given)
        self.shares = sums(shares)
        self.weight = cache(self.weight)
        self.wrong = cache(self.wrong)
        self.prefix = [conjunction(self, some) for some in ask.prefix]

    def rows(self, mask):
        "The numbers of the rows of a set."
        return [u for u in range(len(self.first)) if mask >> u & 1]

    def weight(self, mask):
        "What a set of rows weighs."
        return sum(sum(self.shares[u].values()) for u in self.rows(mask))

    def wrong(self, mask, label):
        "What it costs to predict a label for a set of rows."
        return sum(sum(self.shares[u].values()) - self.shares[u][label] for u in self.rows(mask))


class Antecedent(NamedTuple):
    "A conjunction as lists see it: of those that are alike in all but the literals, one of the shortest."

    rows: int           # mask
    columns: frozenset  # that it tests, of those that have a price
    labels: frozenset   # that a rule with it may predict
    literals: tuple     # of the conjunction


def conjunction(case, literals):
    "The `Antecedent` of some literals."
    found = Antecedent(case.everything, frozenset(), frozenset(case.labels), ())
    for literal in literals:
        found = _extended(case, found, literal)
    return found


def _extended(case, condition, literal):
    "The condition with one literal more."
    rows, columns, labels, literals = condition
    return Antecedent(
        rows & case.masks[literal],
        columns | {literal[0]} & case.costs.keys(),
        labels & may_predict(case.ask, literal, case.labels),
        (*literals, literal),
    )


def conditions_of(case):
    "All conditions that cover enough, and some row: shortest first, and of those alike the first."
    found = {}
    last = [conjunction(case, ())]
    length = 0
    while last and length != case.ask.max_literals:
        now = {}
        for new in (_extended(case, old, literal) for old in last for literal in case.free):
            # what a longer one of the same rows, columns and labels costs is no less
            if new[:3] not in found:
                now.setdefault(new[:3], new)
        found = found | now
        last = list(now.values())
        length = length + 1
    return [
        some
        for some in found.values()
        if some.rows and some.labels and case.weight(some.rows) >= case.support
    ]


# ------------------------------------------------------------------ all lists

def with_label(labels, said, rows, label):
    "Masks, one for each of some labels, with more rows for one of them."
    return tuple(mask | rows * (label == one) for mask, one in zip(said, labels))


def states(case, watched, best):
    """Every state that rules of a list can leave, short lists first; the least cost of such rules, and they.

    A state is the rows that are left, the rows for which each label that is watched was predicted, and the
    columns that are paid: what follows depends on nothing else. Rules that cost `best[0]` or more are not
    followed; the reader may lower it.
    """
    every = conditions_of(case)
    known = {}
    now = {(case.everything, (0,) * len(watched), frozenset()): (0, ())}
    for length in count():
        given = case.prefix[length : length + 1]
        if length >= len(case.prefix):
            yield from now.items()
            known |= now
        if not now or length == case.ask.max_rules:
            return
        after = {}
        for (left, said, paid), (cost, rules) in now.items():
            for rows, columns, labels, literals in given or every:
                price = case.rule + case.literal * len(literals)
                price += sum(case.costs[name] for name in columns - paid)
                # a rule that takes no row is of no use, but a prefix may ask for it
                for label in labels if left & rows or given else ():
                    state = (
                        left & ~rows,
                        with_label(watched, said, left & rows, label),
                        paid | columns,
                    )
                    value = cost + price + case.wrong(left & rows, label)
                    # the rest of a list depends on the state alone: its cheapest rules are enough
                    if value < min(
                        best[0], *(some.get(state, (inf,))[0] for some in (after, known))
                    ):
                        after[state] = value, (*rules, (literals, label))
        now = after


def endings(case, watched, best=(inf,)):
    "Every state with every default: cost, rules, default, the rows of each label that is watched."
    for (left, said, _), (cost, rules) in states(case, watched, best):
        for default in case.defaults if rules else case.alone:
            yield (
                cost + case.wrong(left, default),
                rules,
                default,
                with_label(watched, said, left, default),
            )


def keeps(case, said):
    "Whether predictions keep all constraints: for each of them the rows that are predicted positive."
    for constraint, positive, mask in zip(case.ask.constraints, case.positives, said):
        cells = case.ask.columns.get(constraint.get('between'), case.ask.labels)
        rows = [
            (weight, label == positive, bool(mask >> u & 1), cells[row])
            for u, row in enumerate(case.first)
            for label, weight in case.given[u].items()
            if weight
        ]
        if not is_kept(constraint, rows):
            return False
    return True


def least(ask):
    "The best list or set, an `Answer`; None if there is none."
    case = Case(ask)
    best = [inf]
    found = None
    for cost, rules, default, said in endings(case, case.positives, best):
        if cost < best[0] and keeps(case, said):
            best[0] = cost
            found = (rules, default)
    return found and Answer(Fraction(best[0], case.unit), *found)


def curve(ask, values, which=0):
    "The best answer for each value of the limit of one constraint."
    given = list(ask.constraints)
    name = 'at_most' if given[which].get('at_most') is not None else 'at_least'

    def limited(value):
        return (*given[:which], {**given[which], name: value}, *given[which + 1 :])

    return {value: least(ask._replace(constraints=limited(value))) for value in values}


def best_f1(ask, positive):
    """The list with the largest F1 less penalties, (2 TP - C) / (2 TP + FP + FN) with C its price
    in weight: an `Answer` with that for its objective; None if there is no list.
    """
    case = Case(ask)
    found = None
    for cost, rules, default, (said, *limited) in endings(case, [positive, *case.positives]):
        if not keeps(case, limited):
            continue
        hit = sum(case.shares[u][positive] for u in case.rows(said))
        missed = sum(case.shares[u][positive] for u in case.rows(~said))
        wrong = missed + case.weight(said) - hit
        # what a state costs beyond its errors is the price of its rules
        value = Fraction(2 * hit - (cost - wrong), 2 * hit + wrong)
        if found is None or value > found.objective:
            found = Answer(value, rules, default)
    return found


# ------------------------------------------------------------------ nearly as good lists

def best_label(case, rows, labels):
    "The label that costs least for a set of rows, the first of equals."
    return min(sorted(labels), key=lambda label: case.wrong(rows, label))


def untied(case, every):
    "The rows whose labels are not tied: a mask; rows that no condition tells apart count as one."
    kinds = {}
    for u in case.rows(case.everything):
        line = tuple(some.rows >> u & 1 for some in every)
        kinds[line] = kinds.get(line, 0) | 1 << u
    return sum(
        mask
        for mask in kinds.values()
        if len({case.wrong(mask, label) for label in case.labels}) > 1
    )


def near_optimal(ask, epsilon):
    """All families of lists whose objective is at most that of the best one plus `epsilon`.

    Every rule, except those of the prefix, covers some row that rules before it have left and whose labels
    are not tied. It predicts the best label that it may, the first of equals; its condition covers some rows,
    in a list not all. Lists of the same rules with the same predictions are one family.

    A dict from (rules as pairs of a mask and a label, rows of each label) to (objective, number of orders).
    """
    # without a rule that covers less, the list would be better than the best one
    worth = (
        exact_share(ask.regularization) + exact_share(ask.literal_penalty) - exact_share(epsilon)
    )
    case = Case(ask._replace(min_support=max(exact_share(ask.min_support or 0), worth)))
    ceiling = (least(ask).objective + exact_share(epsilon)) * case.unit
    every = {}
    found = {}
    for some in conditions_of(case):
        if ask.target is None and some.rows == case.everything:
            continue
        every.setdefault(some.rows, some)  # the shortest of the same rows
    useful = untied(case, [*every.values(), *case.prefix])
    now = {(frozenset(), (0,) * len(case.labels)): (0, 1)}
    for length in count():
        given = case.prefix[length : length + 1]
        after = {}
        for (rules, said), (cost, orders) in now.items():
            left = case.everything & ~sum(said)
            # of equals that of all sets, so that one table has one answer
            default = min(
                case.defaults if rules else case.alone, key=lambda label: case.wrong(left, label)
            )
            value = cost + case.wrong(left, default)
            if length >= len(case.prefix) and value <= ceiling:
                key = rules, with_label(case.labels, said, left, default)
                found[key] = Fraction(value, case.unit), orders
            for rows, _, labels, literals in (
                given or every.values() if length != ask.max_rules else ()
            ):
                if not left & rows & useful and not given:
                    continue
                label = best_label(case, left & rows, labels)
                value = (
                    cost + case.rule + case.literal * len(literals) + case.wrong(left & rows, label)
                )
                key = rules | {(rows, label)}, with_label(case.labels, said, left & rows, label)
                if value <= ceiling:
                    after[key] = value, after.get(key, (0, 0))[1] + orders
        if not after:
            return found
        now = after


# ------------------------------------------------------------------ any list

def says(ask, rules, default, row):
    "What a list predicts for a row of the table."
    fires = (label for some, label in rules if all(holds(one, ask.columns, row) for one in some))
    return next(fires, default)


def objective_of(ask, rules, default):
    "The objective of any list, row by row: errors, rules, literals and columns."
    weights = row_weights(ask)[1]
    wrong = sum(
        w
        for row, w in enumerate(weights)
        if w and says(ask, rules, default, row) != ask.labels[row]
    )
    tested = {literal[0] for some, _ in rules for literal in some}
    per_rule = exact_share(ask.regularization)
    per_literal = exact_share(ask.literal_penalty)
    paid = sum(per_rule + per_literal * len(some) for some, _ in rules)
    return (
        wrong / sum(weights)
        + paid
        + sum(exact_share(ask.feature_costs.get(name, 0)) for name in tested)
    )


def predicted(case, rules, default):
    "The rows for which a list predicts each label: a dict of masks."
    left = case.everything
    said = dict.fromkeys(case.labels, 0)
    for some, label in [*rules, ((), default)]:
        rows = left & conjunction(case, some).rows
        left = left & ~rows
        said[label] = said[label] | rows
    return said


def breaks(ask, rules, default):
    "What keeps a list out of the family that is asked for, in words; nothing if it is one of it."
    case = Case(ask)
    # the literals of a condition may come in any order
    prefix = list(map(frozenset, ask.prefix))
    if not {literal for some, _ in rules for literal in some} <= {*case.literals}:
        return ['literals']
    every = [(conjunction(case, some), label) for some, label in rules]
    free = [some for some, _ in every if frozenset(some.literals) not in prefix]
    said = predicted(case, rules, default)
    head = [frozenset(some.literals) for some, _ in every[: len(prefix)]]
    most_rules = inf if ask.max_rules is None else ask.max_rules  # 0 is a limit
    most_literals = ask.max_literals or inf
    defaults = case.defaults if rules else case.alone
    is_allowed = all(label in some.labels for some, label in every) and default in defaults
    found = {
        'prefix': head != prefix,
        'max_rules': len(rules) > most_rules,
        'max_literals': any(len(some.literals) > most_literals for some in free),
        'forbidden': any(literal not in case.free for some in free for literal in some.literals),
        'min_support': any(case.weight(some.rows) < case.support for some in free),
        'label': not is_allowed,
        'constraints': not keeps(case, [said[label] for label in case.positives]),
    }
    return [name for name, broken in found.items() if broken]
