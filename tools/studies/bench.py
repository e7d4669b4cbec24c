"""The benchmarks behind nbs/benchmarks.ipynb: python tools/studies/bench.py [--quick] [machine panel growth startup kernels]

    make bench          # sets up the rivals, runs all parts, executes the page again
    make bench QUICK=1  # a small run of all parts into a temporary folder; the stored results stay

Each part writes bench-PART.csv beside this file.  A panel that was stopped goes on from bench-panel.part.csv; the other parts take some
minutes and start anew.  Times are CPU seconds of one thread, so that other work on the machine stretches them less than it stretches the
clock; the load that they were measured beside is stored with them.  A rival that is not installed fails in its line and stops nothing.
"""
import os
os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')
os.environ.setdefault('NUMBA_NUM_THREADS', '1')
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
from sklearn.base import clone

sys.path.append(str(Path(__file__).parent))
import rulebook
from peers import PACKAGES, peers
from rulebook.io.compare import compare
from rulebook.io.datasets import load_dataset
from rulebook.vocabulary import Vocabulary

HERE = Path(__file__).parent
TABLES = ['housevotes', 'mammographic', 'compas', 'tic-tac-toe', 'penguins', 'wdbc', 'vehicle']
FOLDS, CPU_LIMIT, MEMORY_GB = 3, 10, 8
OURS = {'CORELS': 'CORELSClassifier', 'SSRL': 'SSRLClassifier', 'DLM': 'DecisionListMachine', 'SCM': 'SetCoveringMachine',
        'TURS': 'TURSClassifier', 'LIRE': 'LIREClassifier', 'RuleFit': 'RuleFitClassifier'}
RANDOM = {'DLM', 'SCM', 'LIRE', 'RuleFit'}


def ours(classes=2, text=False):
    "Our models with their defaults, for so many classes; where there is text, the machines take literals."
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

def _compile(models, X, y, limit):
    "Fit our models once, so that no fit of the panel has to compile; what is refused is refused in the panel too."
    for name in OURS.keys() & models.keys():
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            try: clone(models[name]).set_params(time_limit=3 * limit).fit(X, y)
            except ValueError: continue

def panel(quick, path):
    "Our models and the rivals on the same folds, each fit in a process of its own."
    os.environ['RULEBOOK_PRELOAD_PEERS'] = 'yes'
    os.environ['PYTHONPATH'] = os.pathsep.join([str(HERE.resolve()), *filter(None, [os.environ.get('PYTHONPATH')])])
    memory = MEMORY_GB * 2**30
    resource.setrlimit(resource.RLIMIT_AS, (memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    for name in TABLES[:1] if quick else TABLES:
        X, y = panel_table(name, quick)
        models = {**ours(y.nunique(), len(X.select_dtypes('number').columns) < X.shape[1]), **peers(y.nunique())}
        folds, limit = (2, 5) if quick else (FOLDS, CPU_LIMIT)
        _compile(models, X, y, limit)
        compare(models, {name: (X, y)}, folds=folds, path=path, verbose=0, isolate=True, cpu_limit=limit)
        print(f'panel: {name} is done', flush=True)


# ------------------------------------------------------------------ growth

BASE = {'rows': 1000, 'features': 16, 'classes': 2}
SIZES = {'rows': (500, 1000, 2000, 4000), 'features': (8, 16, 32, 64), 'classes': (2, 3, 4, 8), 'penalty': (4., 2., 1., .5, .25)}
PENALTIES = {'CORELS': ('regularization', .01), 'SSRL': ('regularization', 5.), 'DLM': ('penalty_positive', 2.), 'SCM': ('penalty', 2.),
             'LIRE': ('regularization', .001), 'RuleFit': ('regularization', .003)}

def synthetic(rows, features, classes, seed=0):
    "Columns of 0 and 1; the class by a list of rules of two conditions each, one row in ten drawn anew."
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features))
    y = np.full(rows, classes - 1)
    for k in range(classes - 1): y[(y == classes - 1) & (X[:, k % features] == 1) & (X[:, (k + 3) % features] == 0)] = k
    noisy = rng.random(rows) < .1
    return pd.DataFrame(X, columns=[f'x{i}' for i in range(features)]), np.where(noisy, rng.integers(0, classes, rows), y)

def _growth_models(name, axis, value, limit):
    "The model at a point of an axis; None where it cannot."
    model = ours()[name].set_params(time_limit=limit)
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
    lines, limit = [], 5 if quick else 20
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
                stopped = any('ConvergenceWarning' in said.category.__name__ and 'limit' in str(said.message) for said in heard)
                lines.append((name, axis, value, round(seconds, 4), len(model.model_), stopped))
                if stopped: break
        print(f'growth: {name} is done', flush=True)
    return pd.DataFrame(lines, columns=['model', 'axis', 'value', 'cpu_seconds', 'rules', 'stopped'])


# ------------------------------------------------------------------ start-up

START = '''
import time
import numpy as np, pandas as pd, sklearn.base
imported_before = time.process_time()
import rulebook
front = time.process_time()
from rulebook import {kind} as Model
room = time.process_time()
X = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (500, 6))).add_prefix('x')
y = X['x0'] & X['x1'] | (X['x2'] & (X.index % 5 > 0))
loaded = time.process_time()
Model().fit(X, y)
first = time.process_time()
Model().fit(X, y)
second = time.process_time()
print(imported_before, front - imported_before, room - front, first - loaded, second - first)
'''

def startup(quick):
    "Fresh processes: an empty cache, then the cache that the first one left."
    lines = []
    for name, kind in list(OURS.items())[:1 if quick else None]:
        with tempfile.TemporaryDirectory() as cache:
            for state in ('cold', 'cached'):
                command, own = [sys.executable, '-W', 'ignore', '-c', START.format(kind=kind)], {**os.environ, 'NUMBA_CACHE_DIR': cache}
                done = subprocess.run(command, env=own, capture_output=True, text=True, check=True)
                lines.append((name, state, *(round(float(x), 4) for x in done.stdout.split())))
    return pd.DataFrame(lines, columns=['model', 'cache', 'import_sklearn', 'import_rulebook', 'import_model', 'first_fit', 'second_fit'])


# ------------------------------------------------------------------ kernels

def _per_second(work, arguments, amount, least=.15, runs=5):
    "Amount per CPU second, the best of some runs; `work(n, *arguments)` does it n times."
    work(1, *arguments)
    n = 1
    while True:
        start = time.process_time()
        work(n, *arguments)
        if time.process_time() - start > least / 5: break
        n *= 2
    best = np.inf
    for _ in range(runs):
        start = time.process_time()
        work(n, *arguments)
        best = min(best, (time.process_time() - start) / n)
    return amount / best

def _loops():
    "Plain loops as the machine's limits, and loops that call our kernels; each does its work n times."
    import numba
    from rulebook import bits, lire_search, ssrl_search
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
        for i in range(a.size): total += bits.popcount(a[i])
        return total

    @numba.njit
    def sum_weights(a, b, out, weights):
        total = 0.
        for i in range(weights.size): total += weights[i]
        return total

    calls = {'plain sum of words': sum_words, 'plain count of ones': count_ones, 'plain sum of weights': sum_weights,
             '_count': numba.njit(lambda a, b, out, weights: bits._count(a)),
             'SSRL _count_and_at': numba.njit(lambda a, b, out, weights: ssrl_search._count_and_at(a, zero, b, zero, np.int64(b.size))),
             '_weighted_count': numba.njit(lambda a, b, out, weights: bits._weighted_count(a, weights)),
             'LIRE _line_sum': numba.njit(lambda a, b, out, weights: lire_search._line_sum(a, weights, zero, np.int64(a.size)))}
    return {name: loop(call) for name, call in calls.items()}

def _copies(n, out, a):
    for _ in range(n): np.copyto(out, a)

BYTES = {'SSRL _count_and_at': 16}  # read and written per word; 8 otherwise
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
            rate = _per_second(work, (a[:few], b[:few], out[:few], weights), few) / 1e9
            rows = {'plain sum of weights': 64}.get(name, 32) if name in WEIGHTED else np.nan
            lines.append((place, name, few, rate, rate * BYTES.get(name, 8), rate * rows))
        rate = _per_second(_copies, (out, a), size) / 1e9
        lines.append((place, 'NumPy copy', size, rate, 16 * rate, np.nan))
    return pd.DataFrame(lines, columns=['place', 'kernel', 'words', 'billion_words', 'GB', 'billion_rows']).round(4)


# ------------------------------------------------------------------ all parts

PARTS = {'machine': machine, 'panel': panel, 'growth': growth, 'startup': startup, 'kernels': kernels}

def run(names, folder, quick):
    "Make the parts, and say what each cost."
    warnings.simplefilter('ignore')
    for name in names:
        path, start = Path(folder) / f'bench-{name}.csv', time.time()
        if name == 'panel':
            unfinished = path.with_suffix('.part.csv')
            panel(quick, unfinished)
            unfinished.replace(path)
        else: PARTS[name](quick).to_csv(path, index=False)
        print(f'{name}: {path.name} after {time.time() - start:.0f} seconds', flush=True)

def main(arguments):
    "Run the named parts, all without names."
    quick, names = '--quick' in arguments, [name for name in arguments if name != '--quick']
    unknown = set(names) - set(PARTS)
    if unknown: sys.exit(f'unknown part {unknown.pop()}; the parts are {", ".join(PARTS)}')
    if not quick: return run(names or PARTS, HERE, False)
    with tempfile.TemporaryDirectory() as folder:
        run(names or PARTS, folder, True)
        table = Path(folder, 'bench-panel.csv')
        shown = ['accuracy', 'rules', 'fit_seconds', 'peak_mb']
        if table.exists(): print(pd.read_csv(table).groupby('model', sort=False)[shown].first().to_string())


if __name__ == '__main__': main(sys.argv[1:])
