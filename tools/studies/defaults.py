"""CORELS with its defaults on every table, on rows that were not learned from, beside SSRL and a pruned tree.

    RULEBOOK_DATA=... python -m tools.studies.defaults [--quick] [table ...]

defaults.csv: a line for each table, split (three quarters of the rows are learned from) and model.  Names
choose tables: `bundled:compas`, `folder:adult`.

new     `CORELSClassifier()`
free    the same with a rule at .01 and tests that cost nothing, the default before
ssrl    `SSRLClassifier()`
tree    scikit-learn's tree of at least as many leaves as the list has, their number by three folds

`objective` is what the list costs on the rows that were learned from at the prices of `new`; that of a tree
is not measured. `single` and `union` are, on the line of `new`, what the best single test and a disjunction
of tests cost there.
"""
import time
from functools import partial

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from rulebook import CORELSClassifier, SSRLClassifier
from rulebook.columns import read_table
from rulebook.io.datasets import list_datasets, load_dataset
from rulebook.vocabulary import encode_literals

from .runner import load, panel, stored

NO_TABLE = ('corels-compas-folds', 'turs-magic', 'turs-contracept', 'turs-drybeans')  # folds; doubles
TUNED = ('breast-w', 'votes', 'pima', 'haberman', 'bupa', 'glass', 'credit', 'heart', 'cmc', 'cardio',
         'bank', 'turs-car',
         # prices were chosen on
         'turs-heartcleveland', 'turs-vehicle', 'turs-wine', 'turs-tic-tac-toe', 'compas', 'german')
COLUMNS = ['dataset', 'split', 'model', 'rows', 'columns', 'classes', 'accuracy', 'log_loss', 'auc', 'rules',
           'tests',
           'characters', 'cpu', 'status', 'lower_bound', 'objective', 'price', 'single', 'union', 'load',
           'error']
FREE = {'regularization': .01, 'literal_penalty': 0., 'vocabulary': {'significance': None}}
LEAST = 1e-3  # probability of a label, for the logarithm

def tables():
    "Every bundled table and every table of the folder, the small ones first."
    known = list_datasets()
    known = known[known['where'].ne('public') & ~known['name'].isin(NO_TABLE)]
    size = pd.to_numeric(known['rows']) * pd.to_numeric(known['features'])
    known = known.assign(size=size).sort_values(['size', 'name'], kind='stable')
    return [f'{"folder" if where == "folder" else "bundled"}:{name}' for name,
            where in zip(known['name'], known['where'])]

def splits(X, y):
    """Rows to learn from, and the others."""
    few = pd.Series(y).value_counts().min() < 2
    return [train_test_split(np.arange(len(y)), test_size=.25, random_state=seed,
                             stratify=None if few else y) for seed in range(3)]

def judged(model, X, y):
    "What a model says of new rows."
    chances, classes = np.asarray(model.predict_proba(X)), list(model.classes_)
    own = np.array([chances[i, classes.index(label)] if label in classes else 0. for i,
                    label in enumerate(y)])
    right = float(np.mean(np.asarray(model.predict(X)) == np.asarray(y)))
    two = len(classes) == 2 and len(set(y)) == 2
    area = roc_auc_score([label == classes[1] for label in y], chances[:, 1]) if two else np.nan
    return {'accuracy': right, 'log_loss': float(-np.log(np.clip(own, LEAST, 1)).mean()), 'auc': area}

def list_line(model, rows, price):
    "A fitted list: its size, and what it costs at a price."
    (X, y), (new_X, new_y) = rows
    rules = model.model_.rules
    tests = sum(len(rule.literals) for rule in rules)
    wrong = float(np.mean(np.asarray(model.predict(X)) != np.asarray(y)))
    return {**judged(model, new_X, new_y), 'rules': len(rules), 'tests': tests,
            'characters': len(str(model.model_)), 'objective': wrong + price * (len(rules) + tests)}

def at_hand(model, X, y, price):
    "What the best single test costs, and the best disjunction that grows by one test at a time."
    covers = encode_literals(model.vocabulary_.literals_, read_table(X)).to_bool()
    found = {'single': np.nan, 'union': np.nan}
    for label in model.classes_ if len(model.classes_) == 2 and len(covers) else ():
        wanted, union = np.asarray(y) == label, np.zeros(len(y), bool)
        for n in range(1, 11):
            errors = ((covers | union) != wanted).mean(axis=1)
            union = union | covers[int(errors.argmin())]
            name = 'single' if n == 1 else 'union'
            found[name] = np.fmin(found[name], errors.min() + 2 * n * price)
    return found

def in_numbers(X):
    "Words as columns of 0 and 1, numbers as they are, -1 for missing cells."
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    flags = pd.get_dummies(X[words].astype(str), dtype=np.float32) if words else X[[]]
    return pd.concat([X.drop(columns=words).astype(np.float32), flags], axis=1).fillna(-1).to_numpy()

def tree_line(train, test, leaves):
    """A tree of at least so many leaves."""
    numbers = in_numbers(pd.concat([train[0], test[0]]))
    learn, new = (numbers[:len(train[1])], train[1]), (numbers[len(train[1]):], test[1])
    folds = StratifiedKFold(3) if pd.Series(train[1]).value_counts().min() >= 3 else 3
    sizes = sorted({max(leaves, 2), max(2 * leaves, 8), max(4 * leaves, 16)})
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {'max_leaf_nodes': sizes}, cv=folds)
    best = search.fit(*learn).best_estimator_
    return {**judged(best, *new), 'rules': best.get_n_leaves() - 1, 'tests': best.get_n_leaves() - 1}

def lines(dataset, split, train, test):
    """The lines of a table and a split."""
    y = [*train[1], *test[1]]
    known = {'rows': len(y), 'columns': train[0].shape[1], 'classes': len(set(y))}
    price, leaves = np.nan, 2
    for name, model in (('new', CORELSClassifier()), ('free', CORELSClassifier().set_params(**FREE)),
                        ('ssrl', SSRLClassifier()), ('tree', None)):
        began, line = time.process_time(), {**known, 'model': name, 'load': round(load(), 2)}
        try:
            if name != 'tree': model.fit(*train)
            line['cpu'] = time.process_time() - began
            if name == 'new': price, leaves = model.regularization_, len(model.model_.rules) + 1
            if name == 'tree': line |= tree_line(train, test, leaves)
            else: line |= {**list_line(model, (train, test), price), 'price': price}
            if name == 'new': line |= at_hand(model, *train, price)
            if name in ('new', 'free'):
                line |= {'status': model.certificate_.status, 'lower_bound': model.certificate_.lower_bound}
            if name == 'tree': line['cpu'] = time.process_time() - began
        # a refusal is a result
        except Exception as error: line['error'] = ' '.join(repr(error).split())[:200]
        yield line

def read(name):
    """A table, its labels as an array."""
    X, y = load_dataset(name)
    return X, np.asarray(y)

# ------------------------------------------------------------------ what the pages show

def means(only=None):
    "Means over tables, of which each counts once, for each model; `only` names some tables."
    found = stored('defaults')
    found = found[found.groupby(['dataset', 'split'])['accuracy'].transform('count') == 4]
    if only is not None: found = found[found['dataset'].isin(only)]
    found = found.assign(proved=found['status'].eq('optimal').astype(float))
    measures = ['accuracy', 'log_loss', 'auc', 'rules', 'tests', 'cpu', 'proved']
    each = found.groupby(['dataset', 'model'])[measures].mean()
    return each.groupby('model').mean().loc[['new', 'free', 'ssrl', 'tree']], each


if __name__ == '__main__':
    panel(lines, {name: partial(read, name) for name in tables()}, splits, COLUMNS, name='defaults',
          keys=COLUMNS[:3])
