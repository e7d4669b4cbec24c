"""Every classifier with its defaults on every table: what nbs/guides/which_model.ipynb says which model by.

    RULEBOOK_DATA=... python -m tools.studies.which_model [--models LIRE TURS] [--time-limit 10] [table ...]
    python -m tools.studies.which_model --regressors

A quarter of the rows is kept aside (at least one row of each class stays on either side), and each model
learns from the others with its defaults, but for `random_state=0` and, where it has one, a shorter
`time_limit`.  Beside ours stand two rivals: scikit-learn's tree with its leaves chosen by three folds, and
its gradient boosting.  Each fit has a process of its own, forked from one in which all kernels are warm; one
that takes more memory or CPU seconds than allowed is ended.  A line is written as soon as it is known, so a
run that was stopped goes on.  `--again` measures the models named anew and keeps the lines of the others.

which-model.csv: a line for each table and model.  which-regressor.csv: the regressors, by three folds, on
scikit-learn's diabetes and where a numeric column of a bundled table is the target.
"""
import argparse
import multiprocessing
import os
import resource
import time
import warnings

os.environ.setdefault('NUMBA_NUM_THREADS', '1')  # before numba is imported
os.environ.setdefault('OMP_NUM_THREADS', '1')

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.tree import DecisionTreeRegressor

from rulebook.io.compare import compare
from rulebook.io.datasets import load_dataset
from rulebook.register import ESTIMATORS

from .bench import OURS, THEN
from .defaults import tables
from .peers import CART, Numbers, SoftPeer
from .runner import Table, peak_mb, stored, write

MEASURES = ['accuracy', 'balanced_accuracy', 'auc', 'log_loss', 'calibration_error', 'said']
COLUMNS = ['dataset', 'model', 'rows', 'columns', 'classes', 'rarest', 'shares_accuracy', 'shares_log_loss',
           *MEASURES, 'rules', 'literals', 'rules_per_row', 'seconds', 'peak_mb', 'outcome', 'note']
RESULTS = Table('which-model', COLUMNS, ['dataset', 'model'], number='.6g')
OTHERS = 'tree', 'boosting'
RARE = 20  # rows that a class must have


class Boosting(SoftPeer):
    "scikit-learn's gradient boosting."
    def _learn(self, X, codes):
        self.model_ = HistGradientBoostingClassifier(random_state=0).fit(X, codes)
        return []

    def _answer(self, X): return self.model_.predict_proba(X)


def model_of(name, time_limit):
    "A model with its defaults."
    if name in OTHERS: return {'tree': CART, 'boosting': Boosting}[name]()
    model = OURS[name].load()(**THEN.get(name, {}))
    parameters = model.get_params(deep=False)
    if 'random_state' in parameters: model.set_params(random_state=0)
    if 'time_limit' in parameters: model.set_params(time_limit=time_limit)
    return model


# ------------------------------------------------------------------ regressors

TARGETS = {'penguins': 'body_mass_g', 'german': 'amount', 'compas': 'age', 'contraceptive': 'age',
           'mammographic': 'age', 'wine': 'alcohol', 'vehicle': 'gyration_radius', 'wdbc': 'worst concavity'}


def numbers(name):
    "A bundled table with a numeric column as the target."
    X, _ = load_dataset(name)
    X = X[X[TARGETS[name]].notna()].reset_index(drop=True)
    return X.drop(columns=TARGETS[name]), X[TARGETS[name]].astype(float)


class Coded(RegressorMixin, BaseEstimator):
    "A regressor of scikit-learn on words as columns of 0 and 1."
    def __init__(self, inner): self.inner = inner

    def fit(self, X, y):
        "Prepare the table and learn."
        self.table_ = Numbers().fit(X)
        self.model_ = clone(self.inner).fit(self.table_.transform(X), y)
        return self

    def predict(self, X):
        "Numbers."
        return self.model_.predict(self.table_.transform(X))


def regressors():
    "Every regressor with its defaults, and two rivals."
    ours = {one.name: one.load()().set_params(random_state=0) for one in ESTIMATORS if one.task == 'regressor'}
    tree = GridSearchCV(DecisionTreeRegressor(random_state=0), {'max_leaf_nodes': (4, 8, 16, 32)}, cv=3)
    rivals = {'tree': Coded(tree), 'boosting': Coded(HistGradientBoostingRegressor(random_state=0))}
    data = {'diabetes': load_diabetes(return_X_y=True, as_frame=True), **{name: numbers(name) for name in TARGETS}}
    found = compare({**ours, **rivals}, data, cv=3, verbose=0)
    columns = ['dataset', 'model', 'fold', 'r2', 'rules', 'literals', 'fit_seconds', 'error']
    write('which-regressor', found.reset_index().reindex(columns=columns).round(4).to_dict('records'))


# ------------------------------------------------------------------ one fit

def divided(name):
    "Training and test rows of a table; rows of labels that are rarer than `RARE` are left out."
    X, y = load_dataset(name)
    X, y = X.reset_index(drop=True), y.reset_index(drop=True)
    kept = y.map(y.value_counts()) >= min(RARE, y.value_counts().iloc[1])
    return train_test_split(X[kept], y[kept], test_size=.25, random_state=0, stratify=y[kept])


def calibration_error(right, share, bins=10):
    "Mean distance of the share that a model gives its answer from how often that is right, by equal bins."
    order = np.argsort(share, kind='stable')
    parts = np.array_split(order, min(bins, len(order)))
    return sum(abs(right[part].sum() - share[part].sum()) for part in parts) / len(order)


def scores(model, X, y):
    "What a fitted model scores on rows that it has not seen."
    shares, classes, said = np.asarray(model.predict_proba(X)), np.asarray(model.classes_), model.predict(X)
    truth = np.asarray(y)[:, None] == classes
    curves = [1] if len(classes) == 2 else range(len(classes))
    return {'accuracy': accuracy_score(y, said), 'balanced_accuracy': balanced_accuracy_score(y, said),
            'auc': float(np.mean([roc_auc_score(truth[:, k], shares[:, k]) for k in curves])),
            'log_loss': log_loss(y, shares, labels=classes),
            'calibration_error': calibration_error(np.asarray(said) == np.asarray(y), shares.max(1)),
            'said': len(np.unique(said))}


def size(model, X):
    "Rules, literals, and rules that are looked at for one row; the rules of a tree are its leaves."
    if not hasattr(model, 'model_') or not hasattr(model.model_, 'rules'):
        lengths = model.rule_lengths_
        return {'rules': len(lengths) or np.nan, 'literals': sum(lengths) or np.nan}
    fired, rules = model.model_.fired(X), model.model_.rules
    looked = np.minimum(fired + 1, len(rules)) if fired.ndim == 1 else fired.sum(1)
    return {'rules': len(rules), 'literals': sum(len(rule.literals) for rule in rules),
            'rules_per_row': looked.mean()}


def fitted_line(name, time_limit, X, X_test, y, y_test):
    "A line about one fit: 'ok', 'trivial' where there is no rule, 'refused' with what was said."
    model, start = model_of(name, time_limit), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try: model.fit(X, y)
        except (ValueError, TypeError) as error: return {'outcome': 'refused', 'note': str(error)[:300]}
        seconds, sizes = time.process_time() - start, size(model, X_test)
        notes = [note for note in getattr(model.model_, 'notes', ()) if note.startswith('no ')]
        return {**scores(model, X_test, y_test), **sizes, 'seconds': seconds, 'peak_mb': peak_mb(),
                'outcome': 'trivial' if sizes['rules'] == 0 else 'ok', 'note': '; '.join(notes)[:300]}


# ------------------------------------------------------------------ processes

def forked(asked, *work):
    "A line made in a process of its own; how that ended if it gave none."
    context = multiprocessing.get_context('fork')
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(theirs, asked.memory_gb, asked.cpu_limit, *work))
    process.start()
    theirs.close()
    try: line = mine.recv()
    except EOFError: line = None
    process.join()
    return line or {'outcome': 'ended', 'note': f'status {process.exitcode}'}


def _child(pipe, memory_gb, cpu_limit, *work):
    "What a process does: limits, then a fit."
    resource.setrlimit(resource.RLIMIT_AS, (int(memory_gb * 2**30),) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + cpu_limit) + 1,) * 2)
    try: pipe.send(fitted_line(*work))
    except MemoryError: pipe.send({'outcome': 'ended', 'note': f'more than {memory_gb:g} GB'})


def about(y, y_test):
    "What holds for a table whatever the model, the class shares as a model among it."
    shares = y.value_counts(normalize=True).sort_index()
    said = np.tile(shares.to_numpy(), (len(y_test), 1))
    return {'rows': len(y) + len(y_test), 'classes': len(shares), 'rarest': shares.min(),
            'shares_accuracy': (y_test == shares.idxmax()).mean(),
            'shares_log_loss': log_loss(y_test, said, labels=shares.index)}


def one_table(name, models, asked):
    "The lines of a table that are missing."
    missing = [model for model in models if (name, model) not in RESULTS]
    if not missing: return
    try: X, X_test, y, y_test = divided(name)
    except ValueError as error: return print(name, error, flush=True)
    facts = {'dataset': name, 'columns': X.shape[1], **about(y, y_test)}
    for model in missing:
        line = {**facts, 'model': model, **forked(asked, model, asked.time_limit, X, X_test, y, y_test)}
        RESULTS.append(line)
        shown = [line.get(key, '-') for key in ('accuracy', 'log_loss', 'rules', 'seconds', 'outcome')]
        print(name, model, *(f'{value:.3g}' if isinstance(value, float) else value for value in shown),
              flush=True)


def forget(models):
    "Take the lines of some models out of the table of results."
    lines = stored('which-model')
    lines[~lines['model'].isin(models)].to_csv(RESULTS.path, index=False)


def warm(models):
    "Compile, or load, what the fits need, once for all forks."
    for name in ('mammographic', 'penguins', 'german'):
        parts = divided(name)
        for model in models: fitted_line(model, 5, *parts)


def main():
    "Measure what is missing."
    parser = argparse.ArgumentParser(prog='python -m tools.studies.which_model')
    parser.add_argument('tables', nargs='*')
    parser.add_argument('--models', nargs='+', choices=[*OURS, *OTHERS], default=[*OURS, *OTHERS])
    parser.add_argument('--again', action='store_true')
    parser.add_argument('--regressors', action='store_true')
    parser.add_argument('--time-limit', type=float, default=10)
    parser.add_argument('--cpu-limit', type=float, default=120)
    parser.add_argument('--memory-gb', type=float, default=10)
    asked = parser.parse_args()
    if asked.regressors: return regressors()
    if asked.again: forget(asked.models)
    warm(asked.models)
    for name in tables():
        if not asked.tables or name in asked.tables: one_table(name, asked.models, asked)


if __name__ == '__main__': main()
