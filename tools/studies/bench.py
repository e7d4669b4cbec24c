"""The benchmarks behind nbs/benchmarks.ipynb.

    make bench          # sets up the rivals, runs all parts, executes the page again
    make bench QUICK=1  # a small run of all parts into a temporary folder; the stored results stay
    python -m tools.studies.bench [--quick] [--only=CORELS,SSRL] [machine panel growth startup kernels]

Each part writes bench-PART.csv.  A panel that was stopped goes on from bench-panel.part.csv; the other parts
take some minutes and start anew.  Times are CPU seconds of one thread, so that other work on the machine
stretches them less than it stretches the clock; the load that they were measured beside is stored with them.
A rival that is not installed fails in its line and stops nothing.  `--only` measures some of our models again
and keeps the stored lines of all others, which needs no rival and no second environment.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from sklearn.base import clone

from rulebook import bits
from rulebook.ensembles import lire_search
from rulebook.io.compare import compare
from rulebook.io.datasets import load_dataset
from rulebook.register import ESTIMATORS
from rulebook.ssrl import search as ssrl_search

from . import runner
from .peers import PACKAGES, peers

TABLES = ['housevotes', 'mammographic', 'compas', 'tic-tac-toe', 'penguins', 'wdbc', 'vehicle']
FOLDS, CPU_LIMIT, MEMORY_GB = 3, 10, 8
STOP = .8 * CPU_LIMIT  # seconds for those of our models that stop by themselves, but later than the panel


def short(one):
    "Short name of an estimator: its command, in the capitals of the class if it begins that way."
    begins = one.name.lower().startswith(one.command)
    return one.name[:len(one.command)] if begins else one.command.upper()

ELSEWHERE = 'RuleSetClassifier',  # measured by `rule_sets`
OURS = {short(one): one for one in ESTIMATORS
        if one.task == 'classifier' and one.name not in ELSEWHERE}


THEN = {'CORELS': runner.FORMER}  # the defaults when it was measured


def ours(classes=2):
    "Our models with their defaults, for so many classes."
    found = {name: one.load()(**THEN.get(name, {})) for name, one in OURS.items()}
    for model in found.values():
        parameters = model.get_params(deep=False)
        if 'random_state' in parameters: model.set_params(random_state=0)
        if (parameters.get('time_limit') or 0) > STOP: model.set_params(time_limit=STOP)
    return {name: model for name, model in found.items() if classes == 2 or takes_many(model)}


def takes_many(model):
    "Whether a model can learn more than two classes."
    return model.__sklearn_tags__().classifier_tags.multi_class


def machine(quick):
    "What the results were made on."
    packages = ['rulebook', 'numpy', 'scipy', 'pandas', 'numba', *dict.fromkeys(PACKAGES.values())]
    return pd.DataFrame(runner.machine(packages).items(), columns=['what', 'value'])


# ------------------------------------------------------------------ panel

def panel_table(name, quick=False):
    "A table as it is, rows in a random order (a fit to the first rows should see all kinds)."
    X, y = load_dataset(name)
    rows = np.random.default_rng(0).permutation(len(y))[:200 if quick else None]
    return X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)

def compile_ours(models, X, y, limit):
    "Fit our models once, so that no fit of the panel has to compile; what is refused is refused there too."
    for name in OURS.keys() & models.keys():
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            try: clone(models[name]).set_params(time_limit=models[name].time_limit or 3 * limit).fit(X, y)
            except ValueError: continue

def panel(quick, path, only=()):
    "Our models and the rivals on the same folds, each fit in a process of its own."
    if not only: os.environ['RULEBOOK_PRELOAD_PEERS'] = 'yes'
    runner.children_find_the_project()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_GB * 2**30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    folds, limit = (2, 5) if quick else (FOLDS, CPU_LIMIT)
    for name in TABLES[:1] if quick else TABLES:
        X, y = panel_table(name, quick)
        models = {**ours(y.nunique()), **peers(y.nunique())}
        models = {model: models[model] for model in only or models if model in models}
        compile_ours(models, X, y, limit)
        compare(models, {name: (X, y)}, cv=folds, path=path, verbose=0, isolate=True, cpu_limit=limit)
        print(f'panel: {name} is done', flush=True)


# ------------------------------------------------------------------ growth

BASE = {'rows': 1000, 'features': 16, 'classes': 2}
SIZES = {'rows': (500, 1000, 2000, 4000), 'features': (8, 16, 32, 64), 'classes': (2, 3, 4, 8),
         'penalty': (4., 2., 1., .5, .25)}
PENALTIES = ('regularization', 'penalty', 'penalty_positive', 'penalty_negative')  # where there are such

def synthetic(rows, features, classes, seed=0):
    "Columns of 0 and 1; the class by a list of rules of two conditions each, one row in ten drawn anew."
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features))
    y = np.full(rows, classes - 1)
    for k in range(classes - 1):
        y[(y == classes - 1) & (X[:, k % features] == 1) & (X[:, (k + 3) % features] == 0)] = k
    noisy = rng.random(rows) < .1
    y = np.where(noisy, rng.integers(0, classes, rows), y)
    return pd.DataFrame(X, columns=[f'x{i}' for i in range(features)]), y

def growth_model(name, axis, value, limit):
    "The model at a point of an axis; None where it cannot."
    model = ours()[name].set_params(time_limit=limit)
    if axis == 'classes' and value > 2 and not takes_many(model): return None
    if axis != 'penalty': return model
    penalties = {key: default for key, default in model.get_params(deep=False).items() if key in PENALTIES}
    if penalties.get('regularization', 0.) in ('auto', None):  # what it comes to on the table of the base
        if hasattr(model, 'regularization_unit'): model.set_params(regularization_unit='share')
        proof = ours()[name].fit(*synthetic(**BASE)).certificate_
        penalties['regularization'] = proof.regularization or proof.family.literal_penalty
    return model.set_params(**{key: penalty * value for key,
                               penalty in penalties.items()}) if penalties else None

def stopped_fit(model, table):
    "CPU seconds of a warm fit, the least of two if they are few, and whether a limit stopped it."
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter('always')
        _, seconds = runner.quickest(lambda: model.fit(*table), 2, until=.5)
    stopped = any('ConvergenceWarning' in said.category.__name__ and 'limit' in str(said.message)
                  for said in heard)
    return seconds, stopped

def growth_lines(name, axis, values, limit):
    "The points of one axis, until a fit is stopped."
    for value in values:
        model = growth_model(name, axis, value, limit)
        if model is None: continue
        table = synthetic(**{**BASE, **({axis: value} if axis in BASE else {})})
        seconds, stopped = stopped_fit(model, table)
        yield {'model': name, 'axis': axis, 'value': value, 'cpu_seconds': round(seconds, 4),
               'rules': len(model.model_), 'stopped': stopped}
        if stopped: return

def growth(quick, only=()):
    "CPU seconds of warm fits along one axis at a time; a fit that the limit stopped is marked."
    lines = []
    for name in only or OURS:
        ours()[name].fit(*synthetic(200, 5, 2))  # compiles
        for axis, values in SIZES.items():
            lines += growth_lines(name, axis, values[:2] if quick else values, 5 if quick else 20)
        print(f'growth: {name} is done', flush=True)
    return pd.DataFrame(lines).astype({'value': float})


# ------------------------------------------------------------------ start-up

START = """
import time
import numpy as np, pandas as pd, sklearn.base
imported_before = time.process_time()
import rulebook
front = time.process_time()
from rulebook import {kind} as Model
module = time.process_time()
X = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (500, 6))).add_prefix('x')
y = X['x0'] & X['x1'] | (X['x2'] & (X.index % 5 > 0))
loaded = time.process_time()
Model().fit(X, y)
first = time.process_time()
Model().fit(X, y)
second = time.process_time()
print(imported_before, front - imported_before, module - front, first - loaded, second - first)
"""

def startup(quick, only=()):
    "Fresh processes: an empty cache, then the cache that the first one left."
    lines = []
    for name, one in [(name, OURS[name]) for name in only or list(OURS)[:1 if quick else None]]:
        command = [sys.executable, '-W', 'ignore', '-c', START.format(kind=one.name)]
        with tempfile.TemporaryDirectory() as cache:
            for state in ('cold', 'cached'):
                own = {**os.environ, 'NUMBA_CACHE_DIR': cache}
                done = subprocess.run(command, env=own, capture_output=True, text=True, check=True)
                lines.append((name, state, *(round(float(x), 4) for x in done.stdout.split())))
    return pd.DataFrame(lines, columns=['model', 'cache', 'import_sklearn', 'import_rulebook', 'import_model',
                                        'first_fit', 'second_fit'])


# ------------------------------------------------------------------ kernels

def per_second(work, arguments, amount, least=.15, runs=5):
    "Amount per CPU second, the best of some runs; `work(n, *arguments)` does it n times."
    work(1, *arguments)
    n = 1
    while runner.timed(work, n, *arguments)[1] <= least / 5: n *= 2
    return amount * n / runner.quickest(lambda: work(n, *arguments), runs)[1]

@numba.njit
def sum_words(a, b, weights):
    "Plain sum of words."
    total = np.uint64(0)
    for i in range(a.size): total += a[i]
    return total

@numba.njit
def count_ones(a, b, weights):
    "Plain count of ones."
    total = 0
    for i in range(a.size): total += bits.popcount(a[i])
    return total

@numba.njit
def sum_weights(a, b, weights):
    "Plain sum of weights."
    total = 0.
    for i in range(weights.size): total += weights[i]
    return total

def kernel_calls():
    "Plain loops as the machine's limits, and our kernels, by their names in the results."
    zero = np.int64(0)
    return {
        'plain sum of words': sum_words,
        'plain count of ones': count_ones,
        'plain sum of weights': sum_weights,
        '_count': numba.njit(lambda a, b, weights: bits._count(a)),
        'SSRL _count_and_at': numba.njit(
            lambda a, b, weights: ssrl_search._count_and_at(a, zero, b, zero, np.int64(b.size))),
        '_weighted_count': numba.njit(lambda a, b, weights: bits._weighted_count(a, weights)),
        'LIRE _line_sum': numba.njit(
            lambda a, b, weights: lire_search._line_sum(a, weights, zero, np.int64(a.size))),
    }

def loop(call):
    "A function that makes a call n times, on data that change in between."
    @numba.njit
    def many(n, a, b, weights):
        total = 0.
        for _ in range(n):
            total += call(a, b, weights)
            a[0] ^= np.uint64(1)
            weights[0] = -weights[0]
        return total
    return many

def copies(n, out, a):
    "NumPy's copy, n times."
    for _ in range(n): np.copyto(out, a)

BYTES = {'SSRL _count_and_at': 16}  # read and written per word; 8 otherwise
WEIGHTED = ('plain sum of weights', '_weighted_count', 'LIRE _line_sum')

def kernel_line(place, name, call, a, b):
    "One line of the table; what sums weights is measured by the rows that it adds."
    weighted = name in WEIGHTED
    few = a.size // 16 if weighted else a.size
    weights = np.ones(64 * few if weighted else 1)
    rate = per_second(loop(call), (a[:few], b[:few], weights), few) / 1e9
    rows = {'plain sum of weights': 64}.get(name, 32) if weighted else np.nan
    return place, name, few, rate, rate * BYTES.get(name, 8), rate * rows

def kernels(quick):
    """Words, or rows, per CPU second where all data are near the processor (8 kB a line), and far (512 MB).

    Lines of words hold half of the rows.  What sums weights takes fewer words, since a word's weights take 64
    times its space.
    """
    lines = []
    for place, size in (('near', 1024), ('far', 2**20 if quick else 2**26)):
        rng = np.random.default_rng(0)
        a, b = (rng.integers(0, 2**64 - 1, size, dtype=np.uint64) for _ in range(2))
        lines += [kernel_line(place, name, call, a, b) for name, call in kernel_calls().items()]
        rate = per_second(copies, (np.empty_like(a), a), size) / 1e9
        lines.append((place, 'NumPy copy', size, rate, 16 * rate, np.nan))
    columns = ['place', 'kernel', 'words', 'billion_words', 'GB', 'billion_rows']
    return pd.DataFrame(lines, columns=columns).round(4)


# ------------------------------------------------------------------ all parts

PARTS = {'machine': machine, 'panel': panel, 'growth': growth, 'startup': startup, 'kernels': kernels}

def some_lines(only, fresh, path):
    "Put new lines for some models into the stored table of a part, in the places of the old ones."
    def text(place): return pd.read_csv(place, dtype=str, keep_default_na=False)
    old, new = text(path), text(fresh)
    keys = [key for key in ('dataset', 'model', 'axis') if key in old]
    places = old.assign(place=np.arange(len(old))).groupby(keys, as_index=False)['place'].min()
    new = new.merge(places, on=keys, how='left')
    kept = old.assign(place=np.arange(len(old)))[~old['model'].isin(only)]
    whole = pd.concat([kept, new]).sort_values('place', kind='stable')
    whole[list(old)].to_csv(path, index=False)
    fresh.unlink()

def run(names, folder, quick, only=()):
    "Make the parts, and say what each cost."
    warnings.simplefilter('ignore')
    for name in names:
        path, start = Path(folder) / f'bench-{name}.csv', time.time()
        unfinished = path.with_suffix('.part.csv')
        chosen = (only,) if only else ()
        if name == 'panel': panel(quick, unfinished, *chosen)
        else: PARTS[name](quick, *chosen).to_csv(unfinished, index=False)
        if only: some_lines(only, unfinished, path)
        else: unfinished.replace(path)
        print(f'{name}: {path.name} after {time.time() - start:.0f} seconds', flush=True)

BY_MODEL = ('panel', 'growth', 'startup')  # parts whose lines belong to a model

def chosen_models(arguments):
    "Our models that `--only` names, and what is left of the arguments."
    named = [name for name in arguments if name.startswith('--only=')]
    only = tuple(model for name in named for model in name.removeprefix('--only=').split(','))
    unknown = set(only) - set(OURS)
    if unknown: sys.exit(f'--only names {unknown.pop()}; our models are {", ".join(OURS)}')
    return only, [name for name in arguments if name not in named]

def main(arguments):
    "Run the named parts, all without names."
    only, arguments = chosen_models(arguments)
    quick, names = '--quick' in arguments, [name for name in arguments if name != '--quick']
    unknown = set(names) - set(PARTS)
    if unknown: sys.exit(f'unknown part {unknown.pop()}; the parts are {", ".join(PARTS)}')
    if only and set(names) - set(BY_MODEL) or only and quick:
        sys.exit(f'--only goes with {", ".join(BY_MODEL)}, and not with --quick')
    if not quick: return run(names or (BY_MODEL if only else PARTS), runner.RESULTS, False, only)
    with tempfile.TemporaryDirectory() as folder:
        run(names or PARTS, folder, True)
        table = Path(folder, 'bench-panel.csv')
        shown = ['accuracy', 'rules', 'fit_seconds', 'peak_mb']
        if table.exists(): print(pd.read_csv(table).groupby('model', sort=False)[shown].first().to_string())


if __name__ == '__main__': main(sys.argv[1:])
