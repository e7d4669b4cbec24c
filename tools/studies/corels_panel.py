"""CORELS beside other methods on ten folds of the paper's two tables: writes corels-panel.csv.

    RULEBOOK_DATA=... python -m tools.studies.corels_panel [propublica] [nyclu]

Folds, features and resampling are those of corels_trie.  CORELS takes the antecedents; the others take the
single literals, with their packages' defaults, and what the paper varies in Figures 11 and 12.  RIPPER is
that of wittgenstein; SBRL, which takes the antecedents too, that of pysbrl (needs the library GSL, and
pyfim), one and ten thousand steps; C4.5 that of imodels, which does not prune: the setting is its
`max_rules`, which it does not keep strictly.  A package that is not there leaves its lines out.  Lines that
are there are not computed again.
"""
import sys
import tempfile
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
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
from .runner import PRICES, Table

PENALTIES = {'propublica': (.02, .01, .005), 'nyclu': (.04, .01, .0025)}
COMPLEXITY = (.1, .03, .01, .003, .001)
KEYS = ['data', 'fold', 'method', 'setting']
PANEL = Table('corels-panel', [*KEYS, 'size', 'train_accuracy', 'accuracy', 'tpr', 'fpr', 'seconds', 'rules'],
              KEYS, '.8g')


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
    return CORELSClassifier(regularization=regularization, max_literals=1, vocabulary=vocabulary,
                            time_limit=None, **PRICES)

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

def run_ripper(part):
    "RIPPER; its size counts the default."
    import wittgenstein  # only where it is installed
    X = singles(part.literals).astype(int)
    tables = [X.iloc[rows].reset_index(drop=True) for rows in (part.train, part.test)]
    start, model = time.process_time(), wittgenstein.RIPPER(random_state=part.fold)
    model.fit(tables[0], y=part.y[part.train], pos_class=1)
    guesses = [np.array(model.predict(table)).astype(int) for table in tables]
    return line(part, 'RIPPER', np.nan, len(model.ruleset_) + 1, guesses, time.process_time() - start)

def sbrl_file(path, names, lines):
    "Sets of rows in the form that pysbrl reads."
    body = [f'{{{name}}} ' + ' '.join(map(str, row)) for name, row in zip(names, lines.astype(int))]
    path.write_text('\n'.join([f'n_items: {len(lines)}', f'n_samples: {lines.shape[1]}', *body, '']))
    return str(path)

def run_sbrl(part, steps):
    "Scalable Bayesian rule lists on CORELS's antecedents: prior lengths 9 and 3, 11 chains."
    from pysbrl import train_sbrl  # only where it is installed
    X = antecedents(part.data, part.literals, part.train).to_numpy()
    start, known = time.process_time(), part.y[part.train]
    with tempfile.TemporaryDirectory() as folder:
        rules = sbrl_file(Path(folder) / 'rules', [f'r{i}' for i in range(X.shape[1])], X[part.train].T)
        names = ['label=0', 'label=1']
        labels = sbrl_file(Path(folder) / 'labels', names, np.array([known == 0, known == 1]))
        order, chances, _ = train_sbrl(rules, labels, 9, 3, int(steps), 11, 1, part.fold + 1)
    seconds, chosen = time.process_time() - start, [int(rule) - 1 for rule in order if rule > 0]
    first = np.column_stack([X[:, chosen], np.ones(len(X), bool)]).argmax(axis=1)
    guess = np.asarray(chances).argmax(axis=1)[first]
    return line(part, 'SBRL', steps, len(chosen) + 1, [guess[part.train], guess[part.test]], seconds)

def run_c45(part, splits):
    "C4.5; its size counts leaves."
    from imodels import C45TreeClassifier  # only where it is installed
    X = singles(part.literals).to_numpy().astype(float)
    start = time.process_time()
    model = C45TreeClassifier(max_rules=int(splits)).fit(X[part.train], part.y[part.train])
    seconds = time.process_time() - start
    return line(part, 'C4.5', splits, model.complexity_ + 1, guessed(model, X, part), seconds)

def run_compas(part, extras):
    "The scores: medium and high are positive."
    guess = (extras.decile_score > 4).to_numpy().astype(int)
    return line(part, 'COMPAS', np.nan, np.nan, [guess[part.train], guess[part.test]], 0)


# ------------------------------------------------------------------ all of them

def rivals():
    "Method, setting, function and arguments of what other packages do, where they are installed."
    if find_spec('wittgenstein'): yield 'RIPPER', np.nan, run_ripper, ()
    if find_spec('pysbrl'): yield from (('SBRL', steps, run_sbrl, (steps,)) for steps in (1000., 10000.))
    if find_spec('imodels'): yield from (('C4.5', splits, run_c45, (splits,)) for splits in (4., 8., 16.))

def jobs(data, y, extras):
    "Fold, method and setting of every line of a table; the function and arguments that make it of a part."
    for fold in range(10):
        for value in PENALTIES[data]:
            if value >= .005: yield (fold, 'CORELS', value), run_corels, (value,)
        if data == 'propublica':
            yield (fold, 'COMPAS', np.nan), run_compas, (extras,)
            yield from (((fold, method, setting), run, more) for method, setting, run, more in rivals())
        for method, setting, model in estimators(data, .5 if data == 'nyclu' else y.mean()):
            if data == 'nyclu' and method == 'SVM' and fold > 0: continue  # slow
            yield (fold, method, setting), run_other, (method, setting, model)
    if data == 'nyclu': yield (0, 'CORELS', .0025), run_corels, (.0025,)  # minutes

def main(names):
    "Run what is not in the table yet."
    warnings.simplefilter('ignore')
    for data in names:
        literals, y, extras = trie.propublica() if data == 'propublica' else (*trie.nyclu(), None)
        for (fold, *what), run, arguments in jobs(data, y, extras):
            if (data, fold, *what) in PANEL: continue
            found = run(part(data, literals, y, fold), *arguments)
            PANEL.append(found[0] if run is run_corels else found)


if __name__ == '__main__': main(sys.argv[1:] or list(PENALTIES))
