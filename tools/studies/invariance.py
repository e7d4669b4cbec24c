"""Whether answers depend on the data alone: what nbs/appendix/reliability.ipynb counts and explains.

    python -m tools.studies.invariance [--only=CORELS] [--changes=rows] [--tables=iris] [--dry]

Each estimator is fitted on small tables, and again after a change that should not matter; each row is
predicted alone.  invariance.csv: a line for each estimator, change and table, with what differs; the options
make a part and keep the other lines.  A fault is a difference that is not in `EXCEPTIONS`.
"""
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd

from rulebook import load_dataset
from rulebook.rules import Ball

from .limits import KINDS, TASKS, Data, chosen, model_of
from .runner import FORMER, study

COLUMNS = ['estimator', 'change', 'table', 'objective', 'model', 'labels', 'shares', 'error', 'reason']
DIFFER = COLUMNS[3:7]
SETTINGS = {  # enough for the tables, and quick
    'CORELS': FORMER | {'regularization': .08},
    'RuleSet': FORMER | {'regularization': .08},
    'LIRE': {'n_estimators': 10},
    'RuleFit': {'n_estimators': 10},
    'TURS': {'n_cuts': 5},
}

# ------------------------------------------------------------------ tables

def bundled(name, n=150, columns=8):
    "Some rows and columns of a bundled table; the number is the sum of the ranks of two columns, and noise."
    X, y = load_dataset(name)
    r = np.random.default_rng(len(name))
    rows = np.sort(r.choice(len(X), min(n, len(X)), replace=False))
    X, y = X.iloc[rows, :columns].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)
    ranks = sum(X[column].rank(method='dense').fillna(0) for column in X.columns[:2])
    return Data(X, (ranks + r.normal(size=len(X))).round(2).rename('number'), y)

def random(seed, n, holes=0., texts=0, kinds=2, levels=6):
    "Columns of few values, so that many cuts are as good as each other; noisy labels."
    r = np.random.default_rng(seed)
    X = pd.DataFrame(r.integers(levels, size=(n, 4)) / 2, columns=['b', 'a', 'd', 'c'])
    score = X['b'] + X['a'] * (X['d'] > 1) + r.normal(size=n)
    for k in range(texts):
        X[f'text {k}'] = r.choice(['x', 'y', 'z', 'w'], n)
        score += X[f'text {k}'] == 'y'
    labels = np.array(['no', 'yes', 'perhaps', 'never'])[pd.qcut(score, kinds, labels=False)]
    return Data(X.mask(r.random(X.shape) < holes), score.round(2).rename('score'),
                pd.Series(labels, name='said'))

def even(n=40):
    "Every row with either label once, but for a few: classes and rules tie exactly."
    r = np.random.default_rng(8)
    half = r.integers(3, size=(n, 3))
    X = pd.DataFrame(np.r_[half, half], columns=['u', 'v', 'w'])
    X.iloc[:n // 2, 0] = 1
    side = pd.Series(np.repeat([0, 1], n), name='side')
    return Data(X, side.astype(float), side)

TABLES = {**{name: lambda name=name: bundled(name) for name in
             ('german', 'compas', 'mammographic', 'penguins', 'iris', 'housevotes', 'wine')},
          'ties': lambda: random(1, 90), 'three labels': lambda: random(2, 120, kinds=3),
          'missing cells': lambda: random(3, 120, holes=.2), 'text': lambda: random(4, 120, texts=2),
          'text and missing cells': lambda: random(5, 100, holes=.1, texts=1), 'even classes': even}
_made = {}

def data(table, estimator):
    "Table and target as an estimator takes them."
    if table not in _made: _made[table] = TABLES[table]()
    return _made[table].of(estimator)

# ------------------------------------------------------------------ changes

class Fit(NamedTuple):
    "A fit to be made."
    X: pd.DataFrame
    y: pd.Series
    weights: object = None   # array, or None
    rows: object = None      # where each row of the first fit is in `X`; None: in its own place
    labels: object = None    # new label to old; None: they are the same
    columns: object = None   # new name to old; None: they are the same
    model: object = None     # parameters that are set

def drawn(y, low, high):
    "Whole-number weights; at least one is positive for each label."
    weights = np.random.default_rng(9).integers(low, high, len(y))
    weights[np.unique(y, return_index=True)[1]] = 1
    return weights

def reordered(X, y, r):
    "Rows in another order."
    order = r.permutation(len(X))
    return Fit(X, y), Fit(X.iloc[order].reset_index(drop=True), y.iloc[order].reset_index(drop=True),
                          rows=np.argsort(order))

def relabelled(X, y, swapped):
    "Labels with new names, in the same order or in the opposite one."
    old = np.unique(y)
    new = [f'label {k}' for k in range(len(old))]
    names = dict(zip(old, reversed(new) if swapped else new))
    return Fit(X, y), Fit(X, y.map(names), labels={names[label]: label for label in old})

def renamed_columns(X, y, r):
    "Columns with other names, which sort otherwise."
    names = dict(zip(X.columns, r.permutation([f'column {j}' for j in range(X.shape[1])])))
    return Fit(X, y), Fit(X.rename(columns=names), y, columns={new: old for old, new in names.items()})

def repeated(X, y, r):
    "Weights 1 to 3, or so many copies."
    weights = drawn(y, 1, 4)
    rows = np.repeat(np.arange(len(X)), weights)
    where = np.searchsorted(rows, np.arange(len(X)))
    return Fit(X, y, weights), Fit(X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True),
                                   rows=where)

def removed(X, y, r):
    "Weights 0 and 1, or only the latter."
    weights = drawn(y, 0, 3).clip(max=1)
    rows = np.flatnonzero(weights)
    where = np.where(weights > 0, np.cumsum(weights) - 1, -1)
    return Fit(X, y, weights), Fit(X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True),
                                   rows=where)

def scaled(X, y, r, weights):
    "Some weights, or those times .37."
    return Fit(X, y, weights), Fit(X, y, (1 if weights is None else weights) * np.full(len(y), .37))

CHANGES = {
    'rows': reordered,
    'columns': lambda X, y, r: (Fit(X, y), Fit(X[r.permutation(X.columns)], y)),
    'labels': lambda X, y, r: relabelled(X, y, swapped=False),
    'swapped labels': lambda X, y, r: relabelled(X, y, swapped=True),
    'names': renamed_columns, 'weights or copies': repeated, 'weight 0': removed,
    'all weights .37': lambda X, y, r: scaled(X, y, r, None),
    'weights times .37': lambda X, y, r: scaled(X, y, r, drawn(y, 1, 4)),
    'constant column': lambda X, y, r: (Fit(X, y), Fit(X.assign(constant=1.), y)),
    'copy of a column': lambda X, y, r: (
        Fit(X, y), Fit(X.assign(copy=X[X.columns[0]]), y, columns={'copy': X.columns[0]})),
    'one row at a time': None}
SHARES = {'shares'}
EXCEPTIONS = {  # (part of the name of an estimator, change): what may differ, and why
    ('CORELS', 'swapped labels'): ({'labels', *SHARES},
                                   'of several lists with the same objective the first that the search meets '
                                   'is kept, and it goes through labels in their order; the objective stays'),
    ('CORELS', 'weights times .37'): ({'labels', *SHARES},
                                      'weights that are not whole are rounded in the 15th digit, which may '
                                      'choose another list with the same objective; and probabilities are '
                                      'drawn to those of all rows by a prior worth five rows, while weights '
                                      'say how many rows there are'),
    ('CORELS', 'all weights .37'): ({'labels', *SHARES}, 'as for weights times .37'),
    ('RuleSet', 'weights times .37'): ({'labels', *SHARES}, 'as for CORELS'),
    ('RuleSet', 'all weights .37'): ({'labels', *SHARES}, 'as for CORELS'),
    ('SSRL', 'weights times .37'): (SHARES,
                                    'as for CORELS. (Its default penalty is counted in rows, of which there '
                                    'are then fewer; it is tried with a penalty that is a share of them.)'),
    ('SSRL', 'all weights .37'): (SHARES, 'as for weights times .37'),
    ('TURS', 'weights times .37'): ({'objective', *SHARES, 'labels'},
                                    'the description length counts rows, so weights are scaled to one a row '
                                    'and made whole, which changes each by up to one row'),
    **{('RankingList', change): ({'objective', 'model', 'labels', *SHARES},
                                 'the description length counts rows, and these weights are fewer')
       for change in ('all weights .37', 'weights times .37')},
    ('Machine', 'copy of a column'): ({'objective', *SHARES, 'labels'},
                                      'the distance counts the column twice, so that it weighs more'),
    **{(name, 'weights times .37'): ({'objective', *SHARES, 'labels'},
                                     'weights say how many rows there are, of which there are then '
                                     'fewer, and the default penalties and ridges are counted in rows; the '
                                     'trees stay, and under '
                                     'penalties that are given and without a ridge so do the answers')
       for name in ('LIRE', 'RuleFit')}}

def excused(estimator, change):
    "What may differ, and why."
    return next((found for (name, what),
                 found in EXCEPTIONS.items() if name in estimator and what == change), ((), ''))

# ------------------------------------------------------------------ comparison

class Answer(NamedTuple):
    "What a fitted model says, in the terms of the first fit."
    objective: float     # of the certificate
    conditions: tuple    # of the rules, sorted
    labels: np.ndarray   # prediction for each row; for regressors all the same
    shares: np.ndarray   # probability of each label, or the predicted number

def settings(estimator):
    "Parameters under which an estimator is tried."
    found = next((given for name, given in SETTINGS.items() if KINDS[estimator][0].startswith(name)), {})
    return {'time_limit': None, **found}

def fitted(estimator, fit):
    "A model, without a limit on the time."
    model = model_of(estimator, **settings(estimator), **(fit.model or {}))
    return model.fit(fit.X, fit.y, sample_weight=fit.weights)

def spoken(model, X):
    "Labels and shares of a table."
    said = model.predict(X)
    if hasattr(model, 'classes_'): return said, model.predict_proba(X)
    return np.zeros(len(said)), said[:, None]

def number(value):
    "A value of a condition, but for its last digits."
    if isinstance(value, tuple): return tuple(sorted(map(str, value)))
    return f'{value:.7g}' if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)

def condition(literal, columns):
    "A literal, or a ball, under the first names of the columns."
    if isinstance(literal, Ball):
        center = zip((columns.get(name, name) for name in literal.columns), map(number, literal.center))
        kept = sorted(pair for pair in center if pair[0] != 'constant')
        return f'{kept} {literal.op} {literal.radius:.7g}'
    return f'{columns.get(literal.column, literal.column)} {literal.op} {number(literal.value)}'

def answer(model, fit, n):
    "What a model says of the `n` rows of the first fit; rows that it has not seen are left out."
    columns, labels = fit.columns or {}, fit.labels or {}
    rules = (sorted(condition(literal, columns) for literal in rule.literals) for rule in model.model_.rules)
    said, shares = spoken(model, fit.X)
    if labels:
        said = np.array([labels[label] for label in said])
        shares = shares[:, np.argsort([labels[label] for label in model.classes_])]
    rows = np.arange(n) if fit.rows is None else fit.rows
    return Answer(model.certificate_.objective, tuple(sorted(map(tuple, rules))), said[rows], shares[rows])

def tolerance(estimator):
    "How far numbers may be apart: sums of weights are fitted until they hardly change, shares are counted."
    return 1e-3 if 'LIRE' in estimator or 'RuleFit' in estimator else 1e-8

def differences(estimator, one, other, seen, other_order):
    "Whether objective, conditions, labels and shares differ."
    near = tolerance(estimator)
    objective = abs(one.objective - other.objective) > near * max(1., abs(one.objective))
    apart = np.abs(one.shares - other.shares)[seen].max() > near * max(1., np.abs(one.shares).max())
    said = one.labels != other.labels
    # of shares that tie, the first in the order of labels is said
    if (near > 1e-6 or other_order) and one.shares.shape[1] > 1:
        largest = np.sort(one.shares, 1)[:, -2:]
        said &= largest[:, 1] - largest[:, 0] > 2 * near
    return objective, one.conditions != other.conditions, said[seen].any(), apart

def alone(X, model):
    "Whether predictions of single rows differ from those of the table."
    said, shares = spoken(model, X)
    ones = [spoken(model, X.iloc[row:row + 1]) for row in range(0, len(X), 4)]
    labels = any(one[0] != label for (one, _), label in zip(ones, said[::4]))
    return False, False, labels, any(np.abs(share[0] - whole).max() > 1e-9 for (_, share),
                                     whole in zip(ones, shares[::4]))

def compared(estimator, change, table, base):
    "What differs for an estimator under a change of a table: objective, conditions, labels, shares."
    X, y = data(table, estimator)
    if change == 'one row at a time': return alone(X, base)
    first, second = CHANGES[change](X, y, np.random.default_rng(7))
    # a conjunction is a disjunction of opposites
    if estimator == 'SetCoveringMachine' and change == 'swapped labels':
        second = second._replace(model={'model_type': 'disjunction'})
    # of even classes the last one is chosen
    if estimator == 'RuleSetClassifier' and change == 'swapped labels':
        names = {old: new for new, old in second.labels.items()}
        second = second._replace(model={'target': names[base.target_]})
    if estimator == 'SSRLClassifier' and '.37' in change:  # its default penalty is in rows
        given = {'regularization': .02, 'options': {'regularization_unit': 'share'}}
        first, second = first._replace(model=given), second._replace(model=given)
    one = answer(base if first.weights is None and not first.model else fitted(estimator, first), first,
                 len(X))
    other = answer(fitted(estimator, second), second, len(X))
    seen = np.ones(len(X), bool) if second.rows is None else second.rows >= 0
    return differences(estimator, one, other, seen, other_order=change == 'swapped labels')

def lines_of(estimator, table, changes):
    "A line for each change of a table."
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try: base = fitted(estimator, Fit(*data(table, estimator)))
        except Exception as error:
            yield {'estimator': estimator, 'change': changes[0], 'table': table,
                   'error': f'{type(error).__name__}: {error}'[:100]}
            return
        for change in changes:
            if 'labels' in change and TASKS[KINDS[estimator][0]] == 'regressor': continue
            line = {'estimator': estimator, 'change': change, 'table': table, 'error': '',
                    'reason': excused(estimator, change)[1]}
            try:
                found = compared(estimator, change, table, base)
                line.update(zip(DIFFER, map(int, found)))
            except Exception as error: line['error'] = f'{type(error).__name__}: {error}'[:100]
            yield line

# ------------------------------------------------------------------ all of them

SAMPLE = [('SSRLClassifier', 'even classes'), ('RuleFitClassifier', 'missing cells'),
          ('DecisionListMachine', 'text')]

def sample():
    "Lines about a few quick pairs."
    return pd.DataFrame([line for pair in SAMPLE for line in lines_of(*pair, list(CHANGES))], columns=COLUMNS)

def counts(table):
    """For each estimator and change, how many tables differ: in the objective, the model, the labels, the
    shares."""
    table = table.assign(error=table['error'].fillna('') != '')
    sums = table.groupby(['estimator', 'change'], sort=False)[[*DIFFER, 'error']].sum().astype(int)
    text = sums.apply(lambda row: '/'.join(map(str, row[:4])) + f'!{row["error"]}' * bool(row['error'])
                      if row.any() else '.', axis=1)
    return text.unstack().reindex(columns=[change for change in CHANGES
                                           if change in set(table['change'])]).fillna('')

def faults(table):
    "Lines that say that something differs without a reason."
    def faulty(line):
        differs = {name for name in ('objective', 'labels', 'shares') if line[name]
                   == 1} | ({'error'} if line['error'] else set())
        return bool(differs - set(excused(line['estimator'], line['change'])[0]))

    return table[[faulty(line) for line in table.fillna({'error': ''}).to_dict('records')]]

def measured_lines(asked):
    "Lines about what is asked for."
    return (line for name in chosen(asked.only, KINDS) for table in asked.tables.split(',')
            for line in lines_of(name, table, asked.changes.split(',')))


if __name__ == '__main__':
    study('invariance', COLUMNS, COLUMNS[:3], [*KINDS, *CHANGES, *TABLES], measured_lines, faults,
          changes=','.join(CHANGES), tables=','.join(TABLES))
