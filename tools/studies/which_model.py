"""Every classifier with its defaults on every table: what nbs/guides/which_model.ipynb says which model by.

    RULEBOOK_DATA=... python -m tools.studies.which_model [--quick] [table ...]

A quarter of the rows is kept aside (at least one row of each class stays on either side), and each model
learns from the others with its defaults, but for `random_state=0` and, where it has one, `time_limit=10`.
Beside ours stand two rivals: scikit-learn's tree with its leaves chosen by three folds, and its gradient
boosting.  Each fit has a process of its own, forked from one in which all kernels are warm; one that takes
more memory or CPU seconds than allowed is ended.

which-model.csv: a line for each table and model; to measure a model anew, take its lines out.
"""
import time
import warnings
from functools import partial

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split

from rulebook.io.datasets import load_dataset

from .bench import OURS, THEN
from .defaults import tables
from .peers import CART, SoftPeer
from .runner import in_a_child, panel, peak_mb

MEASURES = ['accuracy', 'balanced_accuracy', 'auc', 'log_loss', 'calibration_error', 'said']
COLUMNS = ['dataset', 'model', 'rows', 'columns', 'classes', 'rarest', 'shares_accuracy', 'shares_log_loss',
           *MEASURES, 'rules', 'literals', 'rules_per_row', 'seconds', 'peak_mb', 'outcome', 'note']
MODELS = *OURS, 'tree', 'boosting'
SECONDS, CPU, GB = 10, 120, 10  # limits of a search, and of its process
RARE = 20  # rows that a class must have

class Boosting(SoftPeer):
    "scikit-learn's gradient boosting."
    def _learn(self, X, codes):
        self.model_ = HistGradientBoostingClassifier(random_state=0).fit(X, codes)
        return []

    def _answer(self, X): return self.model_.predict_proba(X)

def model_of(name, time_limit=SECONDS):
    "A model with its defaults."
    if name not in OURS: return {'tree': CART, 'boosting': Boosting}[name]()
    model = OURS[name].load()().set_params(**THEN.get(name, {}))
    parameters = model.get_params(deep=False)
    if 'random_state' in parameters: model.set_params(random_state=0)
    if 'time_limit' in parameters: model.set_params(time_limit=time_limit)
    return model

# ------------------------------------------------------------------ one fit

def divided(X, y):
    "Training and test rows of a table; rows of labels that are rarer than `RARE` are left out."
    counts = y.reset_index(drop=True).map(y.value_counts())
    kept = np.flatnonzero(counts >= min(RARE, y.value_counts().iloc[1]))
    return train_test_split(kept, test_size=.25, random_state=0, stratify=y.iloc[kept])

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

def fitted_line(name, time_limit, train, test):
    "A line about one fit: 'ok', 'trivial' where there is no rule, 'refused' with what was said."
    (X, y), (X_test, y_test), model, start = train, test, model_of(name, time_limit), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try: model.fit(X, y)
        except (ValueError, TypeError) as error: return {'outcome': 'refused', 'note': str(error)[:300]}
        seconds, sizes = time.process_time() - start, size(model, X_test)
        notes = [note for note in getattr(model.model_, 'notes', ()) if note.startswith('no ')]
        return {**scores(model, X_test, y_test), **sizes, 'seconds': seconds, 'peak_mb': peak_mb(),
                'outcome': 'trivial' if sizes['rules'] == 0 else 'ok', 'note': '; '.join(notes)[:300]}

def about(y, y_test):
    "What holds for a table whatever the model, the class shares as a model among it."
    shares = y.value_counts(normalize=True).sort_index()
    said = np.tile(shares.to_numpy(), (len(y_test), 1))
    return {'rows': len(y) + len(y_test), 'classes': len(shares), 'rarest': shares.min(),
            'shares_accuracy': (y_test == shares.idxmax()).mean(),
            'shares_log_loss': log_loss(y_test, said, labels=shares.index)}

def line(name, data, _):
    "The line of a model."
    X, y = data
    train, test = ((X.iloc[rows], y.iloc[rows]) for rows in divided(X, y))
    found, status = in_a_child(fitted_line, name, SECONDS, train, test, cpu=CPU, memory_gb=GB)
    return {'columns': X.shape[1], **about(train[1], test[1]),
            **(found or {'outcome': 'ended', 'note': f'status {status}'})}

def warm():
    "Compile, or load, what the fits need, once for all forks."
    for X, y in map(load_dataset, ('mammographic', 'penguins', 'german')):
        train, test = divided(X, y)
        for name in MODELS: fitted_line(name, 5, (X.iloc[train], y.iloc[train]), (X.iloc[test], y.iloc[test]))


if __name__ == '__main__':
    warm()
    panel({name: partial(line, name) for name in MODELS},
          {name: partial(load_dataset, name) for name in tables()},
          None, COLUMNS, name='which-model', keys=('dataset', 'model'), number='.6g')
