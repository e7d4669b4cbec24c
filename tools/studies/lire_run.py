"""Ten-fold results of LIRE on the five tables of its paper: writes lire-folds.csv.

    RULEBOOK_DATA=folder python -m tools.studies.lire_run [--quick] [table ...]

Folds as in the authors' code: ten, stratified, in the order of the rows.  All that is chosen is chosen by
three-fold cross-validated log-loss inside each training part, on forests that have not seen what they are
judged on: gamma, lambda / gamma, and whether the weights of the rules found are fitted again by logistic
regression with an L1 penalty (RuleFit on these rules), and with which penalty.  The last part is what the
page compares with lire-marks.csv, which was made once.
"""
import time
from functools import partial

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from rulebook.columns import read_table
from rulebook.core import Budget
from rulebook.ensembles.forest import cover_rules, rules_of_trees, tree_matrix
from rulebook.penalty import cross_validate
from rulebook.ensembles.lire import LIREClassifier, empty_fit
from rulebook.ensembles.lire_search import LocalSearch
from rulebook.ensembles.rulefit import RuleFitClassifier
from rulebook.io.datasets import load_dataset

from .runner import panel, rounded, timed

GAMMAS, RATIOS, SHRINK = (.005, .002, .001, .0005, .0002, .0001), (2., 20.), (0., .0003, .001)
GRID = [{'regularization': gamma, 'local_regularization': ratio * gamma, 'shrink': shrink}
        for ratio in RATIOS for gamma in GAMMAS for shrink in SHRINK]
COLUMNS = ['data', 'fold', 'method', 'accuracy', 'F1', 'AUC', 'rules', 'speak', 'CPU seconds',
           'regularization',
           'local_regularization', 'shrink']


def path(X, y, weights, rules, settings):
    """One model per setting, whose `shrink` vary fastest; 0 leaves the weights as the search fits them."""
    penalties = [{name: one[name] for name in ('regularization', 'local_regularization')} for one in settings]
    distinct = list({tuple(one.values()): one for one in penalties}.values())
    found, machine = {}, LIREClassifier(rules=rules, options={'max_weight': 12.}, shrinkage=None)
    for point in machine.fit_path(X, y, distinct, sample_weight=weights):
        found[tuple(point.settings.values())] = point.model
    for one, penalty in zip(settings, penalties):
        model = found[tuple(penalty.values())]
        if one['shrink'] and len(model):
            model = RuleFitClassifier(one['shrink'], rules=model).fit(X, y, sample_weight=weights).model_
        yield model


def forest_rules(X, y, weights, fold):
    """Candidates of a forest grown on these rows, in the order of rows and columns of the recorded runs."""
    table = read_table(X)
    matrix, columns = tree_matrix(table)
    cells = [table[column.name] if column.kind == 'number' else line for line,
             column in zip(matrix.T, columns)]
    matrix = np.column_stack([*cells, y]).astype(float)
    first, group = distinct_rows(matrix)
    forest = RandomForestClassifier(100, max_depth=3, random_state=fold)
    forest.fit(matrix[first, :-1], np.asarray(y)[first], sample_weight=np.bincount(group, weights))
    return cover_rules(rules_of_trees(forest, table, columns), table)[0]


def distinct_rows(matrix):
    """A row of each group of equal rows, in an order by their contents, and the group of each row."""
    bits = (matrix + 0.).view(np.uint64)
    keys = np.random.default_rng(0).integers(0, 2**63, (2, bits.shape[1]), dtype=np.uint64)
    mixed = bits ^ (bits >> np.uint64(29))
    low, high = (mixed * key for key in keys * np.uint64(2) + np.uint64(1))
    hashes = (low ^ (low >> np.uint64(32))).sum(1), (high ^ (high >> np.uint64(32))).sum(1)
    order = np.lexsort(hashes)
    new = np.logical_or.reduce([np.diff(one[order], prepend=~one[order[0]]) != 0 for one in hashes])
    group = np.empty(len(order), np.int64)
    group[order] = new.cumsum() - 1
    return order[new], group


def choices(results):
    """Places in the grid of the least log-loss, and of the smallest model within one standard error of it.

    A model is small that has few rules and few that speak for a row, each as a share of what the best has.
    """
    best = results['loss'].idxmin()
    near = results[results['loss'] <= results.loc[best, 'loss'] + results.loc[best, 'standard_error']]
    size = near['rules'] / results.loc[best, 'rules'] + near['speak'] / results.loc[best, 'speak']
    return {'LIRE': best, 'LIRE, one standard error': size.idxmin()}


def measured(model, X, truth):
    """What a model is worth on the rows held out."""
    chance, fired = model.predict_proba(X)[:, 1], model.fired(X)
    return {'accuracy': (truth == (chance > .5)).mean(), 'F1': f1_score(truth, chance > .5),
            'AUC': roc_auc_score(truth, chance), 'rules': fired.shape[1], 'speak': fired.sum(1).mean()}


def searched(X, y, weights, fold):
    """What cross-validation says of the whole grid, and the rules of the forest on all rows."""
    class Paths(LIREClassifier):
        """Has the models of the study under each setting."""
        classes_, _kept, _of_classes = np.unique(y), np.arange(len(y)), None

        def _models(self, settings, table, target, rest, _budget):
            rows = pd.DataFrame(table)
            rules = forest_rules(rows, target, rest, fold)
            return ((model, False) for model in path(rows, target, rest, rules, settings))

    results = cross_validate(Paths(), GRID, read_table(X), y, weights, Budget(), 3)
    return results, forest_rules(X, y, weights, fold)


def lines(data, fold, train, test):
    """One line per method."""
    (rows, y), codes = train, (test[1] == test[1].max()).to_numpy()
    known, weights = (y == y.max()).to_numpy().astype(int), np.ones(len(y))
    began = time.process_time()
    results, rules = searched(rows, known, weights, fold)
    before = time.process_time() - began
    for name, place in choices(results).items():
        model, seconds = timed(lambda at=place: next(path(rows, known, weights, rules, [GRID[at]])))
        yield rounded({'method': name, **measured(model, test[0], codes),
                       'CPU seconds': seconds + (before if name == 'LIRE' else 0.), **GRID[place]})
    fitted, seconds = timed(lambda: RuleFitClassifier(.003, rules=rules).fit(rows, known))
    yield rounded({'method': 'RuleFit', **measured(fitted.model_, test[0], codes), 'CPU seconds': seconds,
                   'regularization': .003})


def ten(X, y):
    """The folds."""
    return list(StratifiedKFold(10).split(X, y))


# ------------------------------------------------------------------ the search alone, on the authors' forest

def part(data, fold):
    """Training and test part of a fold."""
    X, y = load_dataset(f'lire-{data}')
    train, test = ten(X, y)[fold]
    return X.iloc[train], y.iloc[train], X.iloc[test], y.iloc[test]


def authors_rules(X, y, fold):
    """The rules of the authors' forest."""
    table = read_table(X)
    matrix, columns = tree_matrix(table)
    forest = RandomForestClassifier(100, max_depth=3, random_state=fold).fit(matrix, y)
    return rules_of_trees(forest, table, columns)


def prepared(X, y, rules, max_weight=46.):
    """The problem of the search: candidate rules without a support yet."""
    codes, weights = (y == y.max()).to_numpy().astype(int), np.ones(len(y))
    estimator = LIREClassifier(rules=rules, shrinkage=None)
    estimator.classes_ = np.unique(y)
    candidates = estimator._candidate_rules(read_table(X), codes, weights, Budget())
    return empty_fit(estimator, candidates, codes, weights, max_weight)


def solved(X, y, rules, regularization, local_regularization):
    """Objective, loss and rules of the search, seconds to prepare it and to run it."""
    began = time.process_time()
    fit = prepared(X, y, rules)
    ready = time.process_time()
    search = LocalSearch(fit, regularization, local_regularization)
    while not search.advance(100):
        pass
    return {'objective': search.objective, 'loss': fit.loss, 'rules': len(fit.support),
            'seconds to prepare': ready - began, 'seconds to solve': time.process_time() - ready}


if __name__ == '__main__':
    panel(lines, {data: partial(load_dataset, f'lire-{data}')
                  for data in ('compas', 'heart', 'bank', 'fico', 'adult')}, ten, COLUMNS,
          name='lire-folds', keys=COLUMNS[:3])
