"""The tables of Sokolova et al. (2002), and the errors of lists of balls under many penalties and lengths."""
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from rulebook.balls.estimator import Gaps, _examples_of
from rulebook.fit.estimator import TrainingSet
from rulebook.balls.search import TYPES, BallSearch, NumericTable
from rulebook.balls.search import order_examples, prefix_bounds, prefix_counts
from rulebook.io.datasets import load_dataset
from tools.runner import place_of

FORMS = {'DLM': ('simple', 'complex'), 'SCM': ('conjunction', 'disjunction')}
MOST = 20  # balls

# ------------------------------------------------------------------ the tables

# name in the folder of tables, number of rows, positive labels
TABLES = {'breast-w': ('breast-w', 683, ['malignant']), 'votes-52': ('votes', 52, ['democrat']),
          'votes-232': ('votes', 232, ['democrat']), 'pima': ('pima', 768, [1]),
          'haberman': ('haberman', 294, [2]), 'bupa': ('bupa', 345, [2]),
          'glass-float': ('glass', 214, [1, 3]), 'glass-2': ('glass', 214, [2]),
          'credit': ('credit', 653, ['+'])}

def paper_table(dataset):
    """The rows of a table without unknown cells as the paper has them: numbers, categories as integers in
    alphabetical order, nothing scaled; and labels 0 and 1."""
    name, n_rows, positive = TABLES[dataset]
    X, y = load_dataset(name)
    keep = X.notna().all(axis=1) & (np.arange(len(X)) < (100 if dataset == 'votes-52' else len(X)))
    if dataset == 'haberman':  # twelve rows whose values occur with both labels
        keep &= y.groupby([X[column] for column in X]).transform('nunique') == 1
    X, y = X[keep], y[keep]
    assert len(y) == n_rows
    cells = [X[c] if X[c].dtype.kind in 'if' else np.unique(X[c], return_inverse=True)[1] for c in X]
    return np.column_stack(cells).astype(float), y.isin(positive).to_numpy(int)

def folds(X, seed=0, n_splits=10):
    "Training and test rows of each fold of a shuffle."
    return list(KFold(n_splits, shuffle=True, random_state=seed).split(X))

# ------------------------------------------------------------------ the machines

class Fold:
    "Training rows with sorted distances, for many penalties; and the rows on which the lists are tried."
    def __init__(self, form, X, y, train, test):
        machine = SimpleNamespace(metric='euclidean')
        cells = NumericTable(X[train], (None,) * X.shape[1])
        n_rows = len(train)
        data = TrainingSet({}, y[train], np.ones(n_rows), np.arange(n_rows))
        self.form = form
        self.examples = _examples_of(machine, cells, data)
        self.class_rows, self.codes, self.values = np.bincount(y[train], minlength=2), y[test], X[test]
        self.gaps, n = Gaps(machine, self.examples), len(self.examples.labels)
        self.order = order_examples(np.arange(n), n, self.gaps, slack=self.gaps.slack, n_columns=X.shape[1])

    def run(self, penalty, most=MOST):
        "The balls for penalties on an error of the negative and the positive class."
        labels, weights = self.examples.labels, self.examples.weights
        search = BallSearch(self.order.copy(), np.arange(len(labels)), labels, weights, penalty,
                            TYPES[self.form], most, self.examples)
        while not search.advance(len(labels)): pass
        return search.steps

    def counts(self, steps):
        "What the bounds need to know of 0, 1, 2, ... of the balls."
        return prefix_counts(steps, self.examples.labels, self.class_rows)

    def errors(self, steps, most=MOST):
        "Errors on the test rows for 1 to so many balls."
        if not steps: return np.full(most, (self.codes != self.class_rows.argmax()).sum())
        far = self.gaps.to_rows([step.center for step in steps], self.values)
        radii = np.array([self.gaps.radius(step) for step in steps])[:, None]
        inside = np.array([step.kind[-1] == 'i' for step in steps])[:, None]
        holds = np.where(inside, far < radii, far > radii)
        fired = np.where(holds.any(0), holds.argmax(0), len(steps))
        says = np.array([step.speaks for step in steps])[np.minimum(fired, len(steps) - 1)]
        wrong = [(np.where(fired < r, says, step.default) != self.codes).sum()
                 for r, step in enumerate(steps, 1)]
        return padded(wrong, most)

def padded(values, most=MOST):
    "The first values; a run that ended early stays as it is."
    return np.pad(values[:most], (0, max(0, most - len(values))), mode='edge')

def grid_of(form, X, y, penalties, splits=(), bounds=prefix_bounds):
    """A line for each setting: errors in training and on the test rows of all splits, and the bounds.

    A conjunction or disjunction takes one penalty. `bounds` is a function with the parameters of
    `prefix_bounds`. The columns of the penalties and `max_rules` are first."""
    everyone = np.arange(len(y))
    whole, parts = Fold(form, X, y, everyone, everyone), [Fold(form, X, y, *split) for split in splits]
    pairs = product(penalties, repeat=2) if form in FORMS['DLM'] else zip(penalties, penalties)
    lines = []
    for penalty in pairs:
        steps = whole.run(penalty)
        counts, first = whole.counts(steps), min(1, len(steps))
        columns = {'training_errors': counts.errors.sum(1), **bounds(counts, whole.class_rows, form)}
        on_tests = {'cv_errors': sum(part.errors(part.run(penalty)) for part in parts)} if parts else {}
        lines.append(pd.DataFrame({'penalty_negative': penalty[0], 'penalty_positive': penalty[1],
                                   'max_rules': np.arange(1, MOST + 1), **on_tests,
                                   **{name: padded(values[first:]) for name, values in columns.items()}}))
    return pd.concat(lines, ignore_index=True).assign(form=form)

def least(grids, column):
    "The line of several grids with the least value of a column: of equals the first."
    lines = pd.concat(grids, ignore_index=True)
    return lines.loc[lines[column].idxmin()]

def tried(setting, X, y, train, test):
    "Errors on the test rows of the list of a setting, and its balls."
    fold = Fold(setting.form, X, y, train, test)
    steps = fold.run((setting.penalty_negative, setting.penalty_positive), int(setting.max_rules))
    return int(fold.errors(steps, int(setting.max_rules))[-1]), len(steps)

def chosen(forms, X, y, penalties, by, n_splits=0, bounds=prefix_bounds):
    """Errors on ten folds of the lists that are chosen on the nine others, and how many balls they have.

    A list for each column of `by`: the one with the least value there, of those of all forms, penalties and
    lengths. `cv_errors` needs `n_splits` folds within the nine."""
    wrong, balls = dict.fromkeys(by, 0), dict.fromkeys(by, 0)
    for train, test in folds(X):
        inner = folds(train, n_splits=n_splits) if n_splits else ()
        grids = [grid_of(form, X[train], y[train], penalties, inner, bounds) for form in forms]
        for column in by:
            errors, n_balls = tried(least(grids, column), X, y, train, test)
            wrong[column] += errors
            balls[column] += n_balls
    return [{'chosen by': column, 'errors': wrong[column], 'balls': balls[column] / 10} for column in by]

def older_lines(name):
    "The datasets of a stored table with lines that older code has made, for each machine, in one text."
    table = pd.read_csv(place_of(name), dtype=str)
    if 'machine' not in table: table['machine'] = 'DLM'
    older = table[table.code == 'older'].groupby('machine', sort=False).dataset.unique()
    return '; '.join(f"{machine}: {', '.join(names)}" for machine, names in older.items()) or 'none'
