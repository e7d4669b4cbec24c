"""CORELS beside other methods on ten folds of the paper's two tables: writes corels-panel.csv beside this file.

RULEBOOK_DATA=... python tools/studies/corels_panel.py propublica nyclu

Folds, features and resampling are those of corels_trie.py.  CORELS takes the antecedents; the others take the single literals, with
their packages' defaults, and what the paper varies in Figures 11 and 12.  RIPPER is that of wittgenstein; SBRL, which takes the
antecedents too, that of pysbrl (needs the library GSL, and pyfim), one and ten thousand steps; C4.5 that of imodels, which does not
prune: the setting is its `max_rules`, which it does not keep strictly. A package that is not there leaves its lines out.
Lines that are there are not computed again.
"""
import os
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
import importlib.util
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

sys.path.append(str(Path(__file__).parent))
import corels_trie as trie
from rulebook.corels.estimator import CORELSClassifier
from rulebook.vocabulary import Vocabulary

PENALTIES = {'propublica': (.02, .01, .005), 'nyclu': (.04, .01, .0025)}
COMPLEXITY = (.1, .03, .01, .003, .001)


def corels(regularization):
    "CORELS on columns that are antecedents already."
    return CORELSClassifier(regularization=regularization, max_literals=1, vocabulary=Vocabulary(negations=False))

def antecedents(data, literals, train):
    "What CORELS takes: mined pairs on the training part, or the single literals with negations."
    if data == 'nyclu': return literals
    names, columns, place = list(trie.mined(literals.iloc[train])), literals.to_numpy(), {name: i for i, name in enumerate(literals)}
    covers = [columns[:, [place[literal] for literal in name.split(' and ')]].all(axis=1) for name in names]
    return pd.DataFrame(np.column_stack(covers), columns=names)

def singles(literals):
    "What the others take: literals without negations."
    return literals[[name for name in literals if '!=' not in name]]

def cart(complexity, root_error): return DecisionTreeClassifier(ccp_alpha=complexity * root_error, random_state=0)

def methods(data, root_error):
    "Name, setting and estimator of each method but CORELS and RIPPER."
    yield 'GLM', np.nan, LogisticRegression()
    yield 'AdaBoost', np.nan, AdaBoostClassifier(random_state=0)
    yield 'random forest', np.nan, RandomForestClassifier(random_state=0)
    for complexity in COMPLEXITY: yield 'CART', complexity, cart(complexity, root_error)
    yield 'SVM', np.nan, SVC()

def rates(truth, guess):
    "Accuracy, true and false positive rate."
    return {'accuracy': (truth == guess).mean(), 'tpr': guess[truth == 1].mean(), 'fpr': guess[truth == 0].mean()}

def grouped_rows(X, y):
    "Distinct rows with their labels and how often they occur."
    frame = pd.DataFrame(np.column_stack([X, y])).value_counts().reset_index()
    return frame.iloc[:, :-2].to_numpy(), frame.iloc[:, -2].to_numpy(), frame['count'].to_numpy()

def line(data, fold, method, setting, size, truths, guesses, seconds, rules=''):
    "One line of the table."
    trained, tested = (rates(*pair) for pair in zip(truths, guesses))
    return {'data': data, 'fold': fold, 'method': method, 'setting': setting, 'size': size, 'train_accuracy': trained['accuracy'],
            **tested, 'seconds': round(seconds, 2), 'rules': rules}

def part(data, literals, y, fold):
    "Training rows (resampled where the paper resamples) and test rows."
    train, test = trie.folds(len(y))[fold]
    return (trie.balanced(train, y, fold) if data == 'nyclu' else train), test

def run_corels(data, literals, y, fold, regularization):
    "A line, and the model."
    train, test = part(data, literals, y, fold)
    X, start = antecedents(data, literals, train), time.process_time()
    model = corels(regularization).fit(X.iloc[train], y[train])
    assert model.certificate_.is_optimal
    seconds, guesses = time.process_time() - start, [model.predict(X.iloc[rows]) for rows in (train, test)]
    rules = '; '.join(f'{rule.literals[0].column} -> {rule.prediction}' for rule in model.model_.rules)
    return line(data, fold, 'CORELS', regularization, len(model.model_) + 1, [y[train], y[test]], guesses, seconds, rules), model

def run_other(data, literals, y, fold, method, setting, model):
    "A line for an estimator of scikit-learn, fitted to distinct rows with weights."
    train, test = part(data, literals, y, fold)
    X, start = singles(literals).to_numpy().astype(float), time.process_time()
    rows, labels, times = grouped_rows(X[train], y[train])
    model.fit(rows, labels, sample_weight=times)
    size = model.get_n_leaves() if method == 'CART' else np.nan
    seconds, guesses = time.process_time() - start, [model.predict(X[part_]) for part_ in (train, test)]
    return line(data, fold, method, setting, size, [y[train], y[test]], guesses, seconds)

def run_ripper(data, literals, y, fold):
    "RIPPER; its size counts the default."
    import wittgenstein
    train, test = part(data, literals, y, fold)
    X, start = singles(literals).astype(int), time.process_time()
    model = wittgenstein.RIPPER(random_state=fold)
    model.fit(X.iloc[train].reset_index(drop=True), y=y[train], pos_class=1)
    guesses = [np.array(model.predict(X.iloc[rows].reset_index(drop=True))).astype(int) for rows in (train, test)]
    return line(data, fold, 'RIPPER', np.nan, len(model.ruleset_) + 1, [y[train], y[test]], guesses, time.process_time() - start)

def sbrl_file(path, names, lines):
    "Sets of rows in the form that pysbrl reads."
    body = [f'{{{name}}} ' + ' '.join(map(str, row)) for name, row in zip(names, lines.astype(int))]
    path.write_text('\n'.join([f'n_items: {len(lines)}', f'n_samples: {lines.shape[1]}', *body, '']))
    return str(path)

def run_sbrl(data, literals, y, fold, steps):
    "Scalable Bayesian rule lists on CORELS's antecedents: prior lengths 9 and 3, 11 chains; its size counts the default."
    from pysbrl import train_sbrl
    train, test = part(data, literals, y, fold)
    X, start = antecedents(data, literals, train).to_numpy(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        rules = sbrl_file(Path(folder) / 'rules', [f'r{i}' for i in range(X.shape[1])], X[train].T)
        labels = sbrl_file(Path(folder) / 'labels', ['label=0', 'label=1'], np.array([y[train] == 0, y[train] == 1]))
        order, chances, _ = train_sbrl(rules, labels, 9, 3, int(steps), 11, 1, fold + 1)
    seconds, chosen = time.process_time() - start, [int(rule) - 1 for rule in order if rule > 0]
    first = np.column_stack([X[:, chosen], np.ones(len(X), bool)]).argmax(axis=1)
    guess = np.asarray(chances).argmax(axis=1)[first]
    return line(data, fold, 'SBRL', steps, len(chosen) + 1, [y[train], y[test]], [guess[train], guess[test]], seconds)

def run_c45(data, literals, y, fold, splits):
    "C4.5; its size counts leaves."
    from imodels import C45TreeClassifier
    train, test = part(data, literals, y, fold)
    X, start = singles(literals).to_numpy().astype(float), time.process_time()
    model = C45TreeClassifier(max_rules=int(splits)).fit(X[train], y[train])
    seconds, guesses = time.process_time() - start, [np.asarray(model.predict(X[rows])).astype(int) for rows in (train, test)]
    return line(data, fold, 'C4.5', splits, model.complexity_ + 1, [y[train], y[test]], guesses, seconds)

def run_compas(literals, y, extras, fold):
    "The scores: medium and high are positive."
    train, test = part('propublica', literals, y, fold)
    guess = (extras.decile_score > 4).to_numpy().astype(int)
    return line('propublica', fold, 'COMPAS', np.nan, np.nan, [y[train], y[test]], [guess[train], guess[test]], 0)

def load(data):
    "Literals, labels, extras."
    return trie.propublica() if data == 'propublica' else (*trie.nyclu(), None)

def jobs(data, literals, y, extras):
    "Data, fold, method and setting of every line of a table, and what makes it."
    for fold in range(10):
        for value in PENALTIES[data]:
            if value >= .005: yield (data, fold, 'CORELS', value), run_corels, (data, literals, y, fold, value)
        if data == 'propublica':
            yield (data, fold, 'COMPAS', np.nan), run_compas, (literals, y, extras, fold)
            others = [('RIPPER', np.nan, run_ripper, 'wittgenstein'), *(('SBRL', steps, run_sbrl, 'pysbrl') for steps in (1000., 10000.)),
                      *(('C4.5', splits, run_c45, 'imodels') for splits in (4., 8., 16.))]
            for method, setting, function, package in others:
                if importlib.util.find_spec(package):
                    yield (data, fold, method, setting), function, (data, literals, y, fold) + (setting,) * (setting == setting)
        for method, setting, model in methods(data, .5 if data == 'nyclu' else y.mean()):
            if data == 'nyclu' and method == 'SVM' and fold > 0: continue  # slow
            yield (data, fold, method, setting), run_other, (data, literals, y, fold, method, setting, model)
    if data == 'nyclu': yield (data, 0, 'CORELS', .0025), run_corels, (data, literals, y, 0, .0025)  # minutes

def main(names):
    warnings.simplefilter('ignore')
    have = {(*key, str(setting)) for *key, setting in trie.known('corels-panel.csv', ['data', 'fold', 'method', 'setting'])}
    for data in names:
        for (*key, setting), function, arguments in jobs(data, *load(data)):
            if (*key, str(setting)) in have: continue
            found = function(*arguments)
            trie.append('corels-panel.csv', [found[0] if isinstance(found, tuple) else found])


if __name__ == '__main__': main(sys.argv[1:] or list(PENALTIES))
