"""The decision list machine with its defaults, beside other distances for mixed tables, other lengths and
balanced classes.

    RULEBOOK_DATA=folder python -m tools.studies.dlm_defaults

writes dlm-defaults.csv: means over three stratified folds of each table, at most 3,000 rows of it drawn at
random.  The distances were chosen on the tables marked `tune` and checked on the others. About four minutes
of CPU; lines that are there are not computed again.
"""
import warnings

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from rulebook.balls.distance import read_cells
from rulebook.balls.estimator import DecisionListMachine
from rulebook.columns import read_table
from rulebook.io.datasets import load_dataset

from .runner import Table, rounded, timed

TUNE = ['german', 'heart', 'credit', 'mammographic', 'tic-tac-toe', 'penguins', 'vehicle', 'pima']
BUNDLED = ['compas', 'contraceptive', 'housevotes', 'wdbc', 'wine', 'iris']
FOLDER = ['adult', 'bank', 'turs-car', 'turs-chess', 'haberman', 'bupa', 'page-blocks', 'sqf-2014', 'fico',
          'pendigits', 'dry-bean', 'turs-avila', 'cardio', 'turs-waveform', 'turs-mammography']
MOST = 3000
VARIANTS = ['default', 'ten balls', 'balanced', 'gower', 'heom', 'standardised']
LINES = Table('dlm-defaults', ['dataset', 'use', 'variant', 'rows', 'classes', 'rarest', 'accuracy',
                               'majority', 'balanced_accuracy', 'log_loss', 'shares_log_loss', 'balls',
                               'seconds'],
              ['dataset', 'variant'])


# ------------------------------------------------------------------ distances that do not look at the labels

def columns_of(cells, train):
    "Coordinates of every column: numbers between 0 and 1 on the training rows, or levels as indicators."
    for values, levels in zip(cells.values.T, cells.levels):
        missing = np.isnan(values)
        if levels is None:
            seen = values[train][~missing[train]]
            yield values, np.ptp(seen) if len(seen) else 0., np.std(seen) if len(seen) else 0., missing
        else:
            codes = np.where(missing, len(levels), values).astype(int)
            yield np.eye(len(levels) + 1)[codes], None, None, missing


def gower(cells, train):
    "Gower (1971), without the weights of missing cells: a missing cell is 1 from any that is there."
    return distances(cells, train, 'cityblock', lambda spread, deviation: spread)


def heom(cells, train):
    "The heterogeneous euclidean-overlap metric of Wilson and Martinez (1997)."
    return distances(cells, train, 'euclidean', lambda spread, deviation: spread)


def standardised(cells, train):
    "Euclidean; numbers divided by their standard deviations, levels as indicators."
    return distances(cells, train, 'euclidean', lambda spread, deviation: deviation)


def distances(cells, train, metric, scale):
    "All distances of a table, with scales from the training rows."
    parts = []
    for values, spread, deviation, missing in columns_of(cells, train):
        if spread is None:
            parts.append(values * (.5 if metric == 'cityblock' else .5 ** .5))
        elif scale(spread, deviation):
            numbers = np.where(missing, np.nanmean(values[train]), values) / scale(spread, deviation)
            parts += [numbers[:, None], missing[:, None].astype(float)]
    points = np.hstack(parts)
    return cdist(points, points, metric)


# ------------------------------------------------------------------ one table

def table_of(name):
    "At most `MOST` rows of a table, classes with at least ten rows."
    X, y = load_dataset(name)
    X, y = X.reset_index(drop=True), pd.Series(np.asarray(y).astype(str))
    drawn = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST])
    X, y = X.iloc[drawn].reset_index(drop=True), y.iloc[drawn].reset_index(drop=True)
    kept = y.map(y.value_counts()) >= 10
    return X[kept].reset_index(drop=True), y[kept].reset_index(drop=True)


def machine_of(variant):
    "The machine of a variant."
    changed = {'ten balls': {'max_rules': 10}, 'balanced': {'class_weight': 'balanced'}}
    metric = {} if variant in ('default', *changed) else {'metric': 'precomputed'}
    return DecisionListMachine(random_state=0, **changed.get(variant, {}), **metric)


def fold_line(variant, X, y, train, test):
    "What one fold says."
    machine, rows = machine_of(variant), X
    if machine.metric == 'precomputed':
        away = {'gower': gower, 'heom': heom, 'standardised': standardised}[variant]
        rows = pd.DataFrame(away(read_cells(read_table(X)), train)[:, train])
        rows.columns = rows.columns.astype(str)
    _, seconds = timed(machine.fit, rows.iloc[train], y.iloc[train])
    chances, said = machine.predict_proba(rows.iloc[test]), machine.predict(rows.iloc[test])
    shares = y.iloc[train].value_counts(normalize=True).reindex(machine.classes_)
    labels, truth = list(machine.classes_), y.iloc[test]
    return {'accuracy': (said == truth).mean(), 'majority': (truth == shares.idxmax()).mean(),
            'balanced_accuracy': balanced_accuracy_score(truth, said),
            'log_loss': log_loss(truth, chances, labels=labels),
            'shares_log_loss': log_loss(truth, np.tile(shares, (len(test), 1)), labels=labels),
            'balls': len(machine.model_), 'seconds': seconds}


def line_of(name, variant):
    "The line of a table and a variant."
    X, y = table_of(name)
    splits = StratifiedKFold(3, shuffle=True, random_state=0).split(X, y)
    folds = pd.DataFrame([fold_line(variant, X, y, *split) for split in splits]).mean()
    return rounded({'dataset': name, 'use': 'tune' if name in TUNE else 'check', 'variant': variant,
                    'rows': len(y), 'classes': y.nunique(),
                    'rarest': float(y.value_counts(normalize=True).min()), **folds}, 4)


def main():
    "Run what is not in the table yet."
    warnings.simplefilter('ignore')
    for name in (*TUNE, *BUNDLED, *FOLDER):
        for variant in VARIANTS:
            if (name, variant) not in LINES: LINES.append(line_of(name, variant))
        print(name, flush=True)


if __name__ == '__main__': main()
