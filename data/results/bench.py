"""The benchmarks behind nbs/benchmarks.ipynb: python data/results/bench.py [--quick] [machine panel growth startup kernels]

    make bench          # sets up the rivals, runs all parts, executes the page again
    make bench QUICK=1  # a small run of all parts into a temporary folder; the stored results stay

Each part writes bench-PART.csv beside this file.  The panel goes on where it was stopped; the other parts take a minute or two and
start anew.  Times are CPU seconds of one thread, so that other work on the machine stretches them less than it stretches the clock; the
load that they were measured beside is stored with them.  A rival that is not installed fails in its line and stops nothing.
"""
import os
for _name in ('OMP', 'OPENBLAS', 'MKL', 'NUMBA'): os.environ.setdefault(f'{_name}_NUM_THREADS', '1')
os.environ['RULEBOOK_PRELOAD_PEERS'] = 'yes'
os.environ['PYTHONPATH'] = os.pathsep.join([os.path.dirname(os.path.abspath(__file__)), *filter(None, [os.environ.get('PYTHONPATH')])])
import platform
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.append(str(Path(__file__).parent))
import rulebook
from peers import PACKAGES, peers
from rulebook.compare import compare
from rulebook.datasets import load_dataset
from rulebook.vocabulary import Vocabulary

HERE = Path(__file__).parent
TABLES = ['housevotes', 'wdbc', 'mammographic', 'tic-tac-toe', 'compas', 'penguins', 'contraceptive', 'vehicle']
FOLDS, CPU_LIMIT, MEMORY_GB = 3, 15, 8
OURS = {'CORELS': 'CORELSClassifier', 'SSRL': 'SSRLClassifier', 'DLM': 'DecisionListMachine', 'SCM': 'SetCoveringMachine',
        'TURS': 'TURSClassifier', 'LIRE': 'LIREClassifier', 'RuleFit': 'RuleFitClassifier'}
RANDOM = {'DLM', 'SCM', 'LIRE', 'RuleFit'}


def ours(classes=2, text=False):
    "Our models with their defaults, those that can learn so many classes; where there is text, the machines of balls learn from literals."
    found = {name: getattr(rulebook, kind)(**({'random_state': 0} if name in RANDOM else {})) for name, kind in OURS.items()}
    for name in ('DLM', 'SCM') if text else (): found[name].set_params(vocabulary=Vocabulary())
    return {name: model for name, model in found.items() if classes == 2 or model.__sklearn_tags__().classifier_tags.multi_class}


# ------------------------------------------------------------------ machine

def _first(path, field):
    "The first line of a file of the system that begins with a field."
    try: lines = Path(path).read_text().splitlines()
    except OSError: return ''
    return next((line.partition(':')[2].strip() for line in lines if line.startswith(field)), '')

def _version(package):
    try: return version(package)
    except PackageNotFoundError: return 'not installed'

def machine(quick):
    "What the results were made on."
    packages = ['rulebook', 'numpy', 'scipy', 'pandas', 'numba', *dict.fromkeys(PACKAGES.values())]
    facts = {'processor': _first('/proc/cpuinfo', 'model name') or platform.processor(), 'cores': os.cpu_count(),
             'memory': _first('/proc/meminfo', 'MemTotal'), 'system': platform.system(), 'Python': platform.python_version(),
             'load at the start': round(os.getloadavg()[0], 2), **{name: _version(name) for name in packages}}
    return pd.DataFrame({'what': list(facts), 'value': list(facts.values())})


# ------------------------------------------------------------------ panel

def panel_table(name, quick=False):
    "A table as it is, rows in a random order (a fit to the first rows should see all kinds)."
    X, y = load_dataset(name)
    rows = np.random.default_rng(0).permutation(len(y))[:200 if quick else None]
    return X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)

def panel(quick, path):
    "Our models and the rivals on the same folds, each fit in a process of its own."
    limit = MEMORY_GB * 2**30
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
    for name in TABLES[:1] if quick else TABLES:
        X, y = panel_table(name, quick)
        models = {**ours(y.nunique(), len(X.select_dtypes('number').columns) < X.shape[1]), **peers(y.nunique())}
        compare(models, {name: (X, y)}, folds=2 if quick else FOLDS, path=path, isolate=True, cpu_limit=5 if quick else CPU_LIMIT, verbose=0)
        print(f'panel: {name} is done', flush=True)


# ------------------------------------------------------------------ growth

BASE = {'rows': 1000, 'features': 10, 'classes': 2}
SIZES = {'rows': (500, 1000, 2000, 4000, 8000), 'features': (5, 10, 20, 40), 'classes': (2, 4, 8), 'penalty': (4., 2., 1., .5, .25)}
PENALTIES = {'CORELS': ('regularization', .01), 'SSRL': ('penalty', 5.), 'DLM': ('penalty_positive', 2.), 'SCM': ('penalty', 2.),
             'LIRE': ('regularization', .001), 'RuleFit': ('regularization', .003)}

def synthetic(rows, features, classes, seed=0):
    "Normal numbers; the class by a list of rules of one and two conditions, one cell in five drawn anew."
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features)).round(2)
    y = np.full(rows, classes - 1)
    for k in range(classes - 1):
        free = y == classes - 1
        y[free & (X[:, k % features] > .8) & (X[:, (k + 1) % features] < 1.)] = k
    noisy = rng.random(rows) < .2
    return pd.DataFrame(X, columns=[f'x{i}' for i in range(features)]), np.where(noisy, rng.integers(0, classes, rows), y)

def _growth_models(name, axis, value, limit):
    "The model at a point of an axis; None where it cannot."
    model = ours()[name].set_params(time_limit=limit)
    if name == 'CORELS': model.set_params(max_antecedents=10**6)
    if axis == 'classes' and value > 2 and not model.__sklearn_tags__().classifier_tags.multi_class: return None
    if axis != 'penalty': return model
    if name not in PENALTIES: return None
    parameter, standard = PENALTIES[name]
    both = {'penalty_negative': standard * value} if name == 'DLM' else {}
    return model.set_params(**{parameter: standard * value}, **both)

def _cpu(model, X, y):
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start

def growth(quick):
    "CPU seconds of warm fits along one axis at a time; a fit that the limit stopped is marked."
    lines, limit = [], 2 if quick else 8
    for name in OURS:
        _cpu(ours()[name], *synthetic(200, 5, 2))
        for axis, values in SIZES.items():
            for value in values[:2] if quick else values:
                model = _growth_models(name, axis, value, limit)
                if model is None: continue
                table = synthetic(**{**BASE, **({axis: value} if axis in BASE else {})})
                with warnings.catch_warnings(record=True) as heard:
                    warnings.simplefilter('always')
                    seconds = _cpu(model, *table)
                    if seconds < .5: seconds = min(seconds, _cpu(model, *table))
                stopped = any('ConvergenceWarning' in said.category.__name__ for said in heard) and seconds > .8 * limit
                lines.append((name, axis, value, round(seconds, 4), len(model.model_), stopped))
                if stopped: break
        print(f'growth: {name} is done', flush=True)
    return pd.DataFrame(lines, columns=['model', 'axis', 'value', 'cpu_seconds', 'rules', 'stopped'])


# ------------------------------------------------------------------ start-up

START = '''
import time
from sklearn.datasets import load_breast_cancer
imported_before = time.process_time()
import rulebook
front = time.process_time()
from rulebook import {kind} as Model
room = time.process_time()
X, y = load_breast_cancer(return_X_y=True, as_frame=True)
loaded = time.process_time()
Model().fit(X.iloc[:, :8], y)
first = time.process_time()
Model().fit(X.iloc[:, :8], y)
second = time.process_time()
print(imported_before, front - imported_before, room - front, first - loaded, second - first)
'''

def startup(quick):
    "Fresh processes: an empty cache, then the cache that the first one left."
    lines = []
    for name, kind in list(OURS.items())[:1 if quick else None]:
        with tempfile.TemporaryDirectory() as cache:
            for state in ('cold', 'cached'):
                done = subprocess.run([sys.executable, '-W', 'ignore', '-c', START.format(kind=kind)], capture_output=True, text=True, check=True,
                                      env={**os.environ, 'NUMBA_CACHE_DIR': cache})
                lines.append((name, state, *(round(float(x), 4) for x in done.stdout.split())))
    return pd.DataFrame(lines, columns=['model', 'cache', 'import_sklearn', 'import_rulebook', 'import_model', 'first_fit', 'second_fit'])


# ------------------------------------------------------------------ kernels

def _per_second(work, amount, least=.15, runs=5):
    "Amount per CPU second, the best of some runs; `work(n)` does it n times."
    n = 1
    while True:
        start = time.process_time()
        work(n)
        if time.process_time() - start > least / 5: break
        n *= 2
    best = np.inf
    for _ in range(runs):
        start = time.process_time()
        work(n)
        best = min(best, (time.process_time() - start) / n)
    return amount / best

def _loops():
    "Plain loops as the machine's limits, and loops that call our kernels; each does its work n times."
    import numba
    from rulebook import bits, lire_search, ssrl
    zero, one = np.int64(0), np.uint64(1)

    def loop(call):
        @numba.njit
        def many(n, a, b, out, weights):
            total = 0.
            for _ in range(n):
                total += call(a, b, out, weights)
                a[0] ^= one
                weights[0] = -weights[0]
            return total
        return many

    @numba.njit
    def sum_words(a, b, out, weights):
        total = np.uint64(0)
        for i in range(a.size): total += a[i]
        return total

    @numba.njit
    def count_ones(a, b, out, weights):
        total = 0
        for i in range(a.size): total += bits._popcount(a[i])
        return total

    @numba.njit
    def sum_weights(a, b, out, weights):
        total = 0.
        for i in range(weights.size): total += weights[i]
        return total

    calls = {'plain sum of words': sum_words, 'plain count of ones': count_ones, 'plain sum of weights': sum_weights,
             '_count': numba.njit(lambda a, b, out, weights: bits._count(a)),
             '_count_and': numba.njit(lambda a, b, out, weights: bits._count_and(a, b)),
             '_and_into': numba.njit(lambda a, b, out, weights: bits._and_into(a, b, out)),
             'SSRL _count_and_at': numba.njit(lambda a, b, out, weights: ssrl._count_and_at(a, zero, b, zero, np.int64(b.size))),
             '_weighted_count': numba.njit(lambda a, b, out, weights: bits._weighted_count(a, weights)),
             'LIRE _line_sum': numba.njit(lambda a, b, out, weights: lire_search._line_sum(a, weights, zero, np.int64(a.size)))}
    return {name: loop(call) for name, call in calls.items()}

BYTES = {'_count_and': 16, '_and_into': 24, 'SSRL _count_and_at': 16}  # read and written per word; 8 otherwise
WEIGHTED = ('plain sum of weights', '_weighted_count', 'LIRE _line_sum')

def kernels(quick):
    """Words, or rows, per CPU second where all data are near the processor (8 kB a line), and where they are far (512 MB a line).

    Lines of words hold half of the rows.  What sums weights is measured by the rows that it adds, on fewer words, since a word's weights
    take 64 times its room.
    """
    lines = []
    for place, size in (('near', 1024), ('far', 2**20 if quick else 2**26)):
        rng = np.random.default_rng(0)
        a, b = (rng.integers(0, 2**64 - 1, size, dtype=np.uint64) for _ in range(2))
        out = np.empty_like(a)
        for name, work in _loops().items():
            few = size // 16 if name in WEIGHTED else size
            weights = np.ones(64 * few if name in WEIGHTED else 1)
            work(1, a[:few], b[:few], out[:few], weights)
            rate = _per_second(lambda n: work(n, a[:few], b[:few], out[:few], weights), few) / 1e9
            rows = {'plain sum of weights': 64}.get(name, 32) if name in WEIGHTED else np.nan
            lines.append((place, name, few, rate, rate * BYTES.get(name, 8), rate * rows))
        rate = _per_second(lambda n: [np.copyto(out, a) for _ in range(n)], size) / 1e9
        lines.append((place, 'NumPy copy', size, rate, 16 * rate, np.nan))
    return pd.DataFrame(lines, columns=['place', 'kernel', 'words', 'billion_words', 'GB', 'billion_rows']).round(4)


# ------------------------------------------------------------------ all parts

PARTS = {'machine': machine, 'panel': panel, 'growth': growth, 'startup': startup, 'kernels': kernels}

def run(names, folder, quick):
    "Make the parts, and say what each cost."
    warnings.simplefilter('ignore')
    for name in names:
        path, start = Path(folder) / f'bench-{name}.csv', sum(os.times()[:4])
        made = panel(quick, path) if name == 'panel' else PARTS[name](quick)
        if made is not None: made.to_csv(path, index=False)
        print(f'{name}: {sum(os.times()[:4]) - start:.0f} CPU seconds, {path.name}', flush=True)

def main(arguments):
    "Run the named parts, all without names."
    quick, names = '--quick' in arguments, [name for name in arguments if name != '--quick']
    unknown = set(names) - set(PARTS)
    if unknown: sys.exit(f'unknown part {unknown.pop()}; the parts are {", ".join(PARTS)}')
    if not quick: return run(names or PARTS, HERE, False)
    with tempfile.TemporaryDirectory() as folder:
        run(names or PARTS, folder, True)
        table = Path(folder, 'bench-panel.csv')
        if table.exists(): print(pd.read_csv(table).groupby('model', sort=False)[['accuracy', 'rules', 'fit_seconds', 'peak_mb', 'error']].first())


if __name__ == '__main__': main(sys.argv[1:])
