"""Lower bounds for rule lists under squared loss, as nbs/corels/10_losses.ipynb makes one of them again.

corels-losses.csv was made once at commit 6ba9a49, where the program has the other losses, tables and bounds,
too. A list of conjunctions of at most two literals gives each row a constant.  It costs its loss and a
penalty for each rule. `best_list` looks for a good list; `Stack` is the linear program of the page, which
bounds all lists over these conjunctions.
"""
import itertools
from typing import NamedTuple

import highspy
import numpy as np

from rulebook import Vocabulary
from rulebook.columns import read_table
from rulebook.corels.program import Solver
from rulebook.io.datasets import load_dataset
from rulebook.vocabulary import encode_literals

BATCH = 60  # rules that enter at a time


# ------------------------------------------------------------------ tables

class Sample(NamedTuple):
    """A table as the bounds read it.  Losses are in the square of the unit of the target."""
    covers: np.ndarray  # distinct rows that each conjunction covers: bool, shape (n_rules, n_rows)
    grid: np.ndarray    # constants: float, shape (n_thresholds + 1,)
    losses: np.ndarray  # of each distinct row at each constant: float, shape (n_rows, n_thresholds + 1)
    slip: float         # what the losses may lie below their interpolation on the grid, in all
    sums: np.ndarray    # weight, sum and sum of squares of each distinct row: float, shape (n_rows, 3)

    def loss_of(self, sums):
        """The loss of the best constant, from sums: shape (..., 3)."""
        return sums[..., 2] - sums[..., 1]**2 / np.maximum(sums[..., 0], 1e-12)


def conjunctions(literals):
    """Conjunctions of one and two literals that cover some rows, not all; one of those that cover the
    same."""
    pairs = [one & other for one, other in itertools.combinations(literals, 2)]
    rules = np.unique(np.concatenate([literals, pairs]), axis=0)
    return rules[rules.any(axis=1) & ~rules.all(axis=1)]


def sample(X, y, n_cuts, n_thresholds):
    """A table under the literals of the quantile cuts."""
    literals = encode_literals(Vocabulary(n_cuts=n_cuts, negations=False).fit(X).literals_,
                               read_table(X)).to_bool()
    _, first, row = np.unique(literals, axis=1, return_index=True, return_inverse=True)
    row, y = row.ravel(), np.asarray(y, float)
    means = np.bincount(row, y) / np.bincount(row)
    grid = np.linspace(means.min(), means.max(), n_thresholds + 1)
    losses = np.stack([np.bincount(row, (y - c)**2) for c in grid], axis=1)
    sums = np.stack([np.bincount(row, y**power) for power in range(3)], axis=1)
    return Sample(conjunctions(literals[:, first]), grid, losses, len(y) * (grid[1] - grid[0])**2 / 4, sums)


def penguins():
    """The body mass of penguins, in g."""
    X, _ = load_dataset('penguins')
    X = X[X.notna().all(axis=1)]
    return sample(X.drop(columns='body_mass_g'), X.body_mass_g, 2, 32)


# ------------------------------------------------------------------ good lists

class Lists:
    """Lists over the conjunctions of a sample, as tuples of their numbers, at a penalty."""
    def __init__(self, sample, penalty):
        self.sample, self.penalty = sample, penalty
        self.covers = sample.covers.astype(float)

    def items(self, rules):
        """The item that captures each row, and the sums of every item."""
        item = np.full(self.covers.shape[1], len(rules))
        for k in reversed(range(len(rules))): item[self.sample.covers[rules[k]]] = k
        return item, np.stack([self.sample.sums[item == k].sum(axis=0) for k in range(len(rules) + 1)])

    def cost(self, rules):
        """Loss and penalties."""
        return self.sample.loss_of(self.items(rules)[1]).sum() + self.penalty * len(rules)

    def insert(self, rules):
        """The best list with one rule more, and its cost."""
        item, sums = self.items(rules)
        takes = np.stack([self.covers[:, item == k] @ self.sample.sums[item == k] for k in range(len(sums))],
                         axis=1)
        losses, left = self.sample.loss_of(sums), self.sample.loss_of(sums - takes)
        costs = np.stack([losses[:k].sum() + left[:, k:].sum(axis=1)
                          + self.sample.loss_of(takes[:, k:].sum(axis=1))
                          for k in range(len(sums))]) + self.penalty * len(sums)
        place, rule = np.unravel_index(costs.argmin(), costs.shape)
        return costs[place, rule], (*rules[:place], int(rule), *rules[place:])

    def neighbours(self, rules):
        """Costs and lists after the best insertion, every removal and the best replacement of every rule."""
        yield self.insert(rules)
        for k in range(len(rules)):
            without = rules[:k] + rules[k + 1:]
            yield self.cost(without), without
            yield self.insert(without)

    def improve(self, rules):
        """Take the best neighbour until none is better."""
        best = self.cost(rules), rules
        while (new := min(self.neighbours(best[1])))[0] < best[0] - 1e-9: best = new
        return best


def best_list(sample, penalty, n_starts=20):
    """Cost and rules of the best list found, from the empty one and from random rules."""
    lists, rng = Lists(sample, penalty), np.random.default_rng(0)
    starts = [(), *(tuple(rng.integers(0, len(sample.covers), 3).tolist()) for _ in range(n_starts))]
    return min(lists.improve(start) for start in starts)


# ------------------------------------------------------------------ bounds

class Stack:
    """Prices on pairs of rows at thresholds, which respect every rule with every constant.

    Interval t lies between the constants t and t + 1 of the grid.  A row whose least loss is at constant t or
    before is low there, the others are high; constant j is low on the intervals from j on.
    """
    def __init__(self, sample, penalty):
        self.covers, self.penalty = sample.covers, penalty
        self.weights = abs(np.diff(sample.losses, axis=1))
        self.place = sample.losses.argmin(axis=1)
        self.n, self.n_thresholds = self.weights.shape
        self.pairs = np.zeros((0, 3), int)    # low row, high row, interval
        self.columns = np.zeros((0, 2), int)  # rule, constant
        self.known = set()                    # pairs and columns as tuples
        self.bound = 0.
        self.program = Solver()
        self.program.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self._add_rows(self.weights.ravel(), [[]] * self.weights.size)

    def _add_rows(self, most, members):
        """Capacities, and the pairs that take them."""
        starts = np.cumsum([0, *map(len, members)])[:-1].astype(np.int32)
        members = np.concatenate([np.asarray(line, np.int32) for line in members])
        self.program.addRows(len(most), np.full(len(most), -np.inf), np.asarray(most, float), len(members),
                             starts,
                             members, np.ones(len(members)))

    def add_pairs(self, pairs):
        """Let lines (low row, high row, interval) have prices."""
        members = []
        for u, v, t in pairs:
            in_u, in_v = self.covers[self.columns[:, 0], u], self.covers[self.columns[:, 0], v]
            apart = np.where(self.columns[:, 1] <= t, in_u & ~in_v, in_v & ~in_u)
            members.append(np.r_[(u * self.n_thresholds + t, v * self.n_thresholds + t),
                                 self.n * self.n_thresholds + np.flatnonzero(apart)].astype(np.int32))
        n, starts = len(pairs), np.cumsum([0, *map(len, members)])[:-1].astype(np.int32)
        members = np.concatenate(members)
        self.program.addCols(n, np.ones(n), np.zeros(n), np.full(n, np.inf), len(members), starts, members,
                             np.ones(len(members)))
        self.pairs = np.concatenate([self.pairs, pairs])

    def add_columns(self, columns):
        """Make prices respect lines (rule, constant)."""
        u, v, t = self.pairs.T
        members = []
        for rule, constant in columns:
            in_u, in_v = self.covers[rule, u], self.covers[rule, v]
            members.append(np.flatnonzero(np.where(constant <= t, in_u & ~in_v, in_v & ~in_u)))
        self._add_rows(np.full(len(columns), self.penalty), members)
        self.columns = np.concatenate([self.columns, columns])

    def sides(self, t):
        """The low and the high rows that lose something on interval t."""
        loses = self.weights[:, t] > 1e-12
        return np.flatnonzero(loses & (self.place <= t)), np.flatnonzero(loses & (self.place > t))

    def violated(self, errors, use):
        """Pairs whose inequality fails most: for every row at every threshold its worst partner."""
        found = []
        for t in range(self.n_thresholds):
            low, high = self.sides(t)
            if not len(low) or not len(high): continue
            left = errors[low, t][:, None] + errors[high, t]
            below = self.columns[:, 1] <= t
            for takes, is_low in ((below & (use > 1e-12), True), (~below & (use > 1e-12), False)):
                covers, weight = self.covers[self.columns[takes, 0]].astype(np.float32), use[takes, None]
                in_low, in_high = covers[:, low], covers[:, high]
                left += ((in_low * weight).T @ (1 - in_high) if is_low
                         else ((1 - in_low) * weight).T @ in_high)
            for i, j in ((np.arange(len(low)), left.argmin(axis=1)),
                         (left.argmin(axis=0), np.arange(len(high)))):
                bad = left[i, j] < 1 - 1e-6
                found.append(np.column_stack([low[i], high[j], np.full(len(i), t)])[bad])
        return self._new(np.unique(np.concatenate(found), axis=0)) if found else self.pairs[:0]

    def _new(self, lines):
        """Those that are not in the program; they will be."""
        new = [line for line in lines.tolist() if tuple(line) not in self.known]
        self.known.update(map(tuple, new))
        return np.array(new, int).reshape(-1, lines.shape[1])

    def separated(self, prices):
        """Sum of the prices that each rule separates with each constant: shape (n_rules, n_thresholds +
        1)."""
        low_side, high_side = np.zeros((2, len(self.covers), self.n_thresholds))
        for t in range(self.n_thresholds):
            at = (self.pairs[:, 2] == t) & (prices > 0)
            if not at.any(): continue
            (low, i), (high, j) = (np.unique(self.pairs[at, side], return_inverse=True) for side in (0, 1))
            price = np.zeros((len(low), len(high)), np.float32)
            price[i, j] = prices[at]
            in_low, in_high = self.covers[:, low].astype(np.float32), self.covers[:, high].astype(np.float32)
            low_side[:, t] = (in_low @ price * (1 - in_high)).sum(axis=1)
            high_side[:, t] = (in_high @ price.T * (1 - in_low)).sum(axis=1)
        nothing = np.zeros((len(self.covers), 1))
        return (np.hstack([nothing, high_side.cumsum(axis=1)])
                + np.hstack([low_side[:, ::-1].cumsum(axis=1)[:, ::-1], nothing]))

    def solution(self):
        """Prices of the pairs; errors and use of the columns are their duals."""
        self.program.run()
        solution = self.program.getSolution()
        duals = np.array(solution.row_dual)
        return (np.maximum(solution.col_value, 0), duals[:self.weights.size].reshape(self.weights.shape),
                duals[self.weights.size:])

    def advance(self):
        """A round: pairs, prices, the bound that they give, columns that they exceed.  True at the end."""
        prices, errors, use = self.solution()
        pairs = self.violated(errors, use)
        if len(pairs):
            self.add_pairs(pairs)
            prices, errors, use = self.solution()
        values = self.separated(prices)
        scale = max(1, values.max() / self.penalty)
        self.bound = max(self.bound, prices.sum() / scale)
        constant = values.argmax(axis=1)
        worst = np.argsort(-values.max(axis=1))[:BATCH]
        worst = worst[values.max(axis=1)[worst] > self.penalty * (1 + 1e-6)]
        columns = self._new(np.column_stack([worst, constant[worst]]))
        if len(columns): self.add_columns(columns)
        return not len(pairs) and not len(columns)
