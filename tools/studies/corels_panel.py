"""CORELS and methods of scikit-learn on ten folds of the paper's two tables, as nbs/papers/corels.ipynb
repeats them.

Folds, features and resampling are those of corels_trie.  CORELS takes the antecedents; the others take the
single literals, with their packages' defaults, and what the paper varies in Figures 11 and 12.
corels-panel.csv was made once, with RIPPER, SBRL and C4.5 of other packages, by this program as it was at
commit 6ba9a49.
"""
import time
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from rulebook.corels.estimator import CORELSClassifier
from rulebook.vocabulary import Vocabulary

from . import corels_trie as trie
from .runner import PRICES

COMPLEXITY = (.1, .03, .01, .003, .001)


class Part(NamedTuple):
    "One fold of a table."
    data: str               # propublica or nyclu
    fold: int               # from 0 to 9
    literals: pd.DataFrame  # of bool, all rows
    y: np.ndarray           # labels 0 and 1, all rows
    train: np.ndarray       # rows, resampled where the paper resamples
    test: np.ndarray        # rows


def part(data, literals, y, fold):
    "A fold of a table."
    train, test = trie.folds(len(y))[fold]
    return Part(data, fold, literals, y, trie.balanced(train, y, fold) if data == 'nyclu' else train, test)

def antecedents(data, literals, train):
    "What CORELS takes: mined pairs on the training part, or the single literals with negations."
    if data == 'nyclu': return literals
    names, columns = list(trie.mined(literals.iloc[train])), literals.to_numpy()
    place = {name: i for i, name in enumerate(literals)}
    covers = [columns[:, [place[literal] for literal in name.split(' and ')]].all(axis=1) for name in names]
    return pd.DataFrame(np.column_stack(covers), columns=names)

def singles(literals):
    "What the others take: literals without negations."
    return literals[[name for name in literals if '!=' not in name]]

def rates(truth, guess):
    "Accuracy, true and false positive rate."
    return {'accuracy': (truth == guess).mean(), 'tpr': guess[truth == 1].mean(),
            'fpr': guess[truth == 0].mean()}

def line(part, method, setting, size, guesses, seconds, rules=''):
    "One line of the table; the guesses are those for the training and for the test rows."
    pairs = zip((part.train, part.test), guesses)
    trained, tested = (rates(part.y[rows], guess) for rows, guess in pairs)
    return {'data': part.data, 'fold': part.fold, 'method': method, 'setting': setting, 'size': size,
            'train_accuracy': trained['accuracy'], **tested, 'seconds': round(seconds, 2), 'rules': rules}

def guessed(model, X, part):
    "What a model says about the training and about the test rows of a table or an array."
    pick = X.iloc.__getitem__ if hasattr(X, 'iloc') else X.__getitem__
    return [np.asarray(model.predict(pick(rows))).astype(int) for rows in (part.train, part.test)]


# ------------------------------------------------------------------ methods

def corels(regularization):
    "CORELS on columns that are antecedents already."
    vocabulary = Vocabulary(negations=False)
    model = CORELSClassifier(regularization, max_literals=1, vocabulary=vocabulary, time_limit=None)
    return model.set_params(**PRICES)

def run_corels(part, regularization):
    "A line, and the model."
    X = antecedents(part.data, part.literals, part.train)
    start = time.process_time()
    model = corels(regularization).fit(X.iloc[part.train], part.y[part.train])
    seconds = time.process_time() - start
    assert model.certificate_.is_optimal
    rules = '; '.join(f'{rule.literals[0].column} -> {rule.prediction}' for rule in model.model_.rules)
    guesses = guessed(model, X, part)
    return line(part, 'CORELS', regularization, len(model.model_) + 1, guesses, seconds, rules), model

def estimators(data, root_error):
    "Name, setting and estimator of the methods of scikit-learn."
    yield 'GLM', np.nan, LogisticRegression()
    yield 'AdaBoost', np.nan, AdaBoostClassifier(random_state=0)
    yield 'random forest', np.nan, RandomForestClassifier(random_state=0)
    for complexity in COMPLEXITY:
        yield 'CART', complexity, DecisionTreeClassifier(ccp_alpha=complexity * root_error, random_state=0)
    yield 'SVM', np.nan, SVC()

def grouped_rows(X, y):
    "Distinct rows with their labels and how often they occur."
    frame = pd.DataFrame(np.column_stack([X, y])).value_counts().reset_index()
    return frame.iloc[:, :-2].to_numpy(), frame.iloc[:, -2].to_numpy(), frame['count'].to_numpy()

def run_other(part, method, setting, model):
    "A line for an estimator of scikit-learn, fitted to distinct rows with weights."
    X = singles(part.literals).to_numpy().astype(float)
    start = time.process_time()
    rows, labels, times = grouped_rows(X[part.train], part.y[part.train])
    model.fit(rows, labels, sample_weight=times)
    seconds = time.process_time() - start
    size = model.get_n_leaves() if method == 'CART' else np.nan
    return line(part, method, setting, size, guessed(model, X, part), seconds)
