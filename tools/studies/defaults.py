"""CORELS with its defaults on every table, on rows that were not learned from, beside SSRL and a pruned tree.

    RULEBOOK_DATA=... python -m tools.studies.defaults [--workers 2] [--splits 3] [name ...]

A line for each table, split (three quarters of the rows are learned from) and model goes to defaults.csv as soon as it is
known, so a run that was stopped goes on.  Names choose tables: `bundled:compas`, `folder:adult`.

new     `CORELSClassifier()`
free    the same with a rule at .01 and tests that cost nothing, the default before
ssrl    `SSRLClassifier()`
tree    scikit-learn's tree of at least as many leaves as the list has, their number by three folds

`objective` is what the list costs on the rows that were learned from at the prices of `new`; that of a tree is not measured.
`single` and `union` are, on the line of `new`, what the best single test and a disjunction of tests cost there.
"""
import argparse
import time
import warnings
from multiprocessing import get_context

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from rulebook import CORELSClassifier, SSRLClassifier
from rulebook.columns import read_table
from rulebook.io.datasets import list_datasets, load_dataset
from rulebook.vocabulary import encode_literals

from .runner import Table, load, stored

NO_TABLE = ('corels-compas-folds', 'turs-magic', 'turs-contracept', 'turs-drybeans')  # folds; doubles
TUNED = ('breast-w', 'votes', 'pima', 'haberman', 'bupa', 'glass', 'credit', 'heart', 'cmc', 'cardio', 'bank', 'turs-car',
         'turs-heartcleveland', 'turs-vehicle', 'turs-wine', 'turs-tic-tac-toe', 'compas', 'german')  # prices were chosen on
COLUMNS = ['dataset', 'split', 'model', 'rows', 'columns', 'classes', 'accuracy', 'log_loss', 'auc', 'rules', 'tests',
           'characters', 'cpu', 'status', 'lower_bound', 'objective', 'price', 'single', 'union', 'load', 'error']
RESULTS = Table('defaults', COLUMNS, ['dataset', 'split', 'model'])
FREE = {'regularization': .01, 'literal_penalty': 0., 'vocabulary': {'significance': None}}
LEAST = 1e-3  # probability of a label, for the logarithm


def tables():
    "Every bundled table and every table of the folder, the small ones first."
    known = list_datasets()
    known = known[known['where'].ne('public') & ~known['name'].isin(NO_TABLE)]
    size = pd.to_numeric(known['rows']) * pd.to_numeric(known['features'])
    known = known.assign(size=size).sort_values(['size', 'name'], kind='stable')
    return [f'{"folder" if where == "folder" else "bundled"}:{name}' for name, where in zip(known['name'], known['where'])]


def split_of(y, seed):
    "Rows to learn from, and the others."
    few = pd.Series(y).value_counts().min() < 2
    return train_test_split(np.arange(len(y)), test_size=.25, random_state=seed, stratify=None if few else y)


def judged(model, X, y):
    "What a model says of new rows."
    chances, classes = np.asarray(model.predict_proba(X)), list(model.classes_)
    own = np.array([chances[i, classes.index(label)] if label in classes else 0. for i, label in enumerate(y)])
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
    return {**judged(model, new_X, new_y), 'rules': len(rules), 'tests': tests, 'characters': len(str(model.model_)),
            'objective': wrong + price * (len(rules) + tests)}


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


def tree_line(numbers, y, parts, leaves):
    "A tree of at least so many leaves."
    train, test = parts
    folds = StratifiedKFold(3) if pd.Series(y[train]).value_counts().min() >= 3 else 3
    sizes = sorted({max(leaves, 2), max(2 * leaves, 8), max(4 * leaves, 16)})
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {'max_leaf_nodes': sizes}, cv=folds)
    best = search.fit(numbers[train], y[train]).best_estimator_
    return {**judged(best, numbers[test], y[test]), 'rules': best.get_n_leaves() - 1, 'tests': best.get_n_leaves() - 1}


def lines(dataset, seed):
    "The lines of a table and a split."
    warnings.simplefilter('ignore')
    X, y = load_dataset(dataset)
    y = np.asarray(y)
    train, test = split_of(y, seed)
    rows = (X.iloc[train], y[train]), (X.iloc[test], y[test])
    known = {'dataset': dataset, 'split': seed, 'rows': len(y), 'columns': X.shape[1], 'classes': len(set(y))}
    price, leaves = np.nan, 2
    for name, model in (('new', CORELSClassifier()), ('free', CORELSClassifier(**FREE)), ('ssrl', SSRLClassifier())):
        began, line = time.process_time(), {**known, 'model': name, 'load': round(load(), 2)}
        try:
            model.fit(*rows[0])
            line['cpu'] = time.process_time() - began
            if name == 'new': price, leaves = model.regularization_, len(model.model_.rules) + 1
            line |= {**list_line(model, rows, price), 'price': price}
            if name == 'new': line |= at_hand(model, *rows[0], price)
            if name != 'ssrl': line |= {'status': model.certificate_.status, 'lower_bound': model.certificate_.lower_bound}
        except Exception as error: line['error'] = ' '.join(repr(error).split())[:200]  # a refusal is a result
        yield line
    began = time.process_time()
    line = tree_line(in_numbers(X), y, (train, test), leaves)
    yield {**known, 'model': 'tree', **line, 'cpu': time.process_time() - began, 'load': round(load(), 2)}


def measured(task):
    "The lines of a task; what goes wrong with the table is a line too."
    try: return list(lines(*task))
    except Exception as error:
        return [{'dataset': task[0], 'split': task[1], 'model': 'tree', 'error': ' '.join(repr(error).split())[:200]}]


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


def main():
    "Measure what is missing."
    parser = argparse.ArgumentParser(prog='python -m tools.studies.defaults')
    parser.add_argument('names', nargs='*')
    parser.add_argument('--workers', type=int, default=2)
    parser.add_argument('--splits', type=int, default=3)
    asked = parser.parse_args()
    names = [name for name in tables() if not asked.names or name in asked.names]
    tasks = [(name, seed) for seed in range(asked.splits) for name in names if (name, seed, 'tree') not in RESULTS]
    with get_context('spawn').Pool(asked.workers, maxtasksperchild=8) as pool:
        for found in pool.imap(measured, tasks):
            RESULTS.append(*({name: line.get(name, '') for name in COLUMNS} for line in found))
            print(found[0]['dataset'], found[0]['split'], *(f'{line.get("accuracy", np.nan):.3f}' for line in found), flush=True)


if __name__ == '__main__': main()
