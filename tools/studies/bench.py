"""The benchmarks behind nbs/benchmarks.ipynb.

    python -m tools.studies.bench [--quick] [machine panel startup]

Each part writes bench-PART.csv; a panel that was stopped goes on from bench-panel.part.csv.  Times are CPU
seconds of one thread.  A rival that is not installed fails in its line and stops nothing.
"""
import os
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

from rulebook.core import Budget
from rulebook.estimator import with_seconds
from rulebook.io.compare import compare
from rulebook.io.datasets import load_dataset
from rulebook.register import ESTIMATORS

from . import runner
from .peers import PACKAGES, peers

TABLES = ['housevotes', 'mammographic', 'compas', 'tic-tac-toe', 'penguins', 'wdbc', 'vehicle']
FOLDS, CPU_LIMIT, MEMORY_GB = 3, 10, 8
STOP = .8 * CPU_LIMIT  # seconds for those of our models that stop by themselves, but later than the panel

def short(one):
    "Short name of an estimator: its command, in the capitals of the class if it begins that way."
    begins = one.name.lower().startswith(one.command)
    return one.name[:len(one.command)] if begins else one.command.upper()

ELSEWHERE = 'RuleSetClassifier', 'RankingListClassifier'  # have tables of their own
OURS = {short(one): one for one in ESTIMATORS
        if one.task == 'classifier' and one.name not in ELSEWHERE}

THEN = {'CORELS': runner.FORMER}  # the defaults when it was measured

def ours(classes=2):
    "Our models with their defaults, for so many classes."
    found = {name: one.load()().set_params(**THEN.get(name, {})) for name, one in OURS.items()}
    for model in found.values():
        parameters = model.get_params(deep=False)
        if 'random_state' in parameters: model.set_params(random_state=0)
        if seconds_of(model) > STOP: with_seconds(model, STOP)
    return {name: model for name, model in found.items() if classes == 2 or takes_many(model)}

def seconds_of(model):
    "The seconds that a model may take, 0 without a limit."
    return Budget(model.time_limit).time_limit or 0

def takes_many(model):
    "Whether a model can learn more than two classes."
    return model.__sklearn_tags__().classifier_tags.multi_class

def machine(quick):
    "What the results were made on, and with which versions."
    facts = {'processor': fact('/proc/cpuinfo', 'model name') or platform.processor(),
             'cores': os.cpu_count(),
             'memory': fact('/proc/meminfo', 'MemTotal'),
             'system': platform.system(),
             'Python': platform.python_version(),
             'load at the start': round(os.getloadavg()[0], 2)}  # processes, in the mean of a minute
    for name in ('rulebook', 'numpy', 'scipy', 'pandas', 'numba', *dict.fromkeys(PACKAGES.values())):
        try: facts[name] = version(name)
        except PackageNotFoundError: facts[name] = 'not installed'
    return pd.DataFrame(facts.items(), columns=['what', 'value'])

def fact(path, field):
    "What the first line of a file of the system that begins with a field says."
    try: lines = Path(path).read_text().splitlines()
    except OSError: return ''
    return next((line.partition(':')[2].strip() for line in lines if line.startswith(field)), '')

# ------------------------------------------------------------------ panel

def panel_table(name, quick=False):
    "A table as it is, rows in a random order (a fit to the first rows should see all kinds)."
    X, y = load_dataset(name)
    rows = np.random.default_rng(0).permutation(len(y))[:200 if quick else None]
    return X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)

def compile_ours(models, X, y, limit):
    "Fit our models once, so that no fit of the panel has to compile; what is refused is refused there too."
    for name in OURS.keys() & models.keys():
        try: with_seconds(clone(models[name]), seconds_of(models[name]) or 3 * limit).fit(X, y)
        except ValueError: continue

def panel(quick, path):
    "Our models and the rivals on the same folds, each fit in a process of its own."
    os.environ['RULEBOOK_PRELOAD_PEERS'] = 'yes'
    runner.children_find_the_project()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_GB * 2**30, resource.getrlimit(resource.RLIMIT_AS)[1]))
    folds, limit = (2, 5) if quick else (FOLDS, CPU_LIMIT)
    for name in TABLES[:1] if quick else TABLES:
        X, y = panel_table(name, quick)
        models = {**ours(y.nunique()), **peers(y.nunique())}
        compile_ours(models, X, y, limit)
        compare(models, {name: (X, y)}, cv=folds, path=path, verbose=0, isolate=True, cpu_limit=limit)
        print(f'panel: {name} is done', flush=True)

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

def startup(quick):
    "Fresh processes: an empty cache, then the cache that the first one left."
    lines = []
    for name, one in [(name, OURS[name]) for name in list(OURS)[:1 if quick else None]]:
        command = [sys.executable, '-W', 'ignore', '-c', START.format(kind=one.name)]
        with tempfile.TemporaryDirectory() as cache:
            for state in ('cold', 'cached'):
                own = {**os.environ, 'NUMBA_CACHE_DIR': cache}
                done = subprocess.run(command, env=own, capture_output=True, text=True, check=True)
                lines.append((name, state, *(round(float(x), 4) for x in done.stdout.split())))
    return pd.DataFrame(lines, columns=['model', 'cache', 'import_sklearn', 'import_rulebook', 'import_model',
                                        'first_fit', 'second_fit'])

# ------------------------------------------------------------------ all parts

PARTS = {'machine': machine, 'panel': panel, 'startup': startup}

def run(names, folder, quick):
    "Make the parts."
    warnings.simplefilter('ignore')
    for name in names:
        path, start = Path(folder) / f'bench-{name}.csv', time.time()
        unfinished = path.with_suffix('.part.csv')
        if name == 'panel': panel(quick, unfinished)
        else: PARTS[name](quick).to_csv(unfinished, index=False)
        unfinished.replace(path)
        print(f'{name}: {path.name} after {time.time() - start:.0f} seconds', flush=True)

def main(words):
    "Run the named parts, all without names."
    names = [word for word in words if word != '--quick'] or [*PARTS]
    if unknown := {*names} - {*PARTS}: sys.exit(f'there is no {unknown.pop()}; parts are {", ".join(PARTS)}')
    if '--quick' not in words: return run(names, runner.RESULTS, False)
    with tempfile.TemporaryDirectory() as folder:
        run(names, folder, True)
        table = Path(folder, 'bench-panel.csv')
        shown = ['accuracy', 'rules', 'fit_seconds', 'peak_mb']
        if table.exists(): print(pd.read_csv(table).groupby('model', sort=False)[shown].first().to_string())


if __name__ == '__main__': main(sys.argv[1:])
