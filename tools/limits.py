"""Whether every estimator keeps its limits: what nbs/appendix/reliability.ipynb stores and explains.

    python -m tools.limits [--only=CORELS] [--tables=wide] [--limits=2,memory]

Each fit has a process of its own, in which a tiny fit has loaded the kernels, and in which the clock is that
of the processor, so that a busy machine is not blamed and the limit is time in which the fit can work.  A fit
is ended after 60 s.  The options choose a part.
"""
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

import rulebook
from rulebook.ground.core import Budget, MemoryLimit
from rulebook.register import ESTIMATORS

from tools.runner import battery, rounded

TASKS = {one.name: one.task for one in ESTIMATORS if one.name in rulebook.__all__}
LISTED = 'CORELSClassifier of two literals'  # which lists its conjunctions before it searches
KINDS = {**{name: (name, {}) for name in TASKS}, LISTED: ('CORELSClassifier', {'max_literals': 2})}
LIMITS = {'.01': {'time_limit': .01}, '2': {'time_limit': 2.},
          'memory': {'time_limit': 2., 'memory_limit': 100}}
CAP = 60  # seconds of the processor after which a fit is ended
COLUMNS = ['estimator', 'table', 'limit', 'outcome', 'status', 'rules', 'warned', 'seconds', 'overrun',
           'growth_mb', 'fault']

def model_of(kind, **changes):
    "An estimator as constructed by default, but for `random_state` and some parameters."
    name, given = KINDS[kind]
    model = getattr(rulebook, name)(**given)
    if 'random_state' in model.get_params(deep=False): model.set_params(random_state=0)
    return model.set_params(**changes)

def takes_two(kind):
    "Whether an estimator tells two labels apart, no more."
    tags = get_tags(model_of(kind))
    return tags.classifier_tags is not None and not tags.classifier_tags.multi_class

def chosen(only, names):
    "The name that `only` is, or those of which one of its parts between commas is a part."
    return ([only] if only in names
            else [name for name in names if any(part in name for part in only.split(','))])

# ------------------------------------------------------------------ tables

class Data(NamedTuple):
    "A table with both kinds of targets."
    X: object        # DataFrame or array
    numbers: object  # for regressors
    labels: object   # for classifiers

    def of(self, kind):
        "Table and target as an estimator takes them."
        if TASKS[KINDS[kind][0]] == 'regressor': return self.X, self.numbers
        return self.X, halves(self.labels) if takes_two(kind) else self.labels

def wide(n=1000, m=2000):
    "Many numbers, eight of which matter."
    r = np.random.default_rng(1)
    X = r.normal(size=(n, m))
    score = X[:, :4].sum(1) + 2 * (X[:, 4] > .5) - 2 * (X[:, 5] < -.5) + X[:, 6] * X[:, 7]
    return Data(X, score, (score > 0).astype(int))

def mixed(n=200_000):
    "Six numbers (one with missing cells), four texts of 3 to 40 levels, two Booleans."
    r = np.random.default_rng(2)
    numbers = r.normal(size=(n, 6)).round(3)
    texts = {f'text_{k}': r.integers(k, size=n) for k in (3, 8, 20, 40)}
    flags = {f'flag_{k}': r.random(n) < k / 5 for k in (1, 2)}
    score = (numbers[:, 0] + 1.5 * (texts['text_8'] < 2) + 2 * flags['flag_1'] * (numbers[:, 1] > 0)
             - (texts['text_40'] % 5 == 0) + r.normal(0, .5, n))
    numbers[r.random(n) < .2, 5] = np.nan
    columns = {f'number_{j}': column for j, column in enumerate(numbers.T)}
    columns |= {name: np.array([f'level {k}' for k in range(40)])[codes] for name, codes in texts.items()}
    return Data(pd.DataFrame({**columns, **flags}), score, np.where(score > .3, 'yes', 'no'))

def classes(n=20_000, k=26):
    "Sixteen columns of whole numbers 0 to 15, and as many labels as there are letters."
    r = np.random.default_rng(3)
    centres = r.integers(2, 14, size=(k, 16))
    codes = r.integers(k, size=n)
    X = (centres[codes] + r.normal(0, 1.5, (n, 16))).round().clip(0, 15).astype(int)
    return Data(pd.DataFrame(X, columns=[f'x{j}' for j in range(16)]), X[:, 0] + X[:, 1] * (X[:, 2] > 7),
                np.array([chr(65 + code) for code in range(k)])[codes])

def halves(label):
    "Two labels out of many: whether one is in the first half of them."
    labels, codes = np.unique(label, return_inverse=True)
    if len(labels) == 2: return label
    return pd.Series(codes < len(labels) / 2, name='half')

TABLES = {'wide': wide, 'mixed': mixed, 'classes': classes}
SIZES = {'wide': (200, 12), 'mixed': (400,), 'classes': (800, 5)}  # for fits that load the kernels

@cache
def made(name, tiny):
    "A table, which is made once."
    return TABLES[name](*SIZES[name] if tiny else ())

# ------------------------------------------------------------------ one fit

def memory_mb(field):
    "What /proc says of this process: VmRSS now, VmHWM at its highest; in MB."
    with open('/proc/self/status', encoding='ascii') as file:
        return next(int(line.split()[1]) * 1024 / 1e6 for line in file if line.startswith(field + ':'))

def forget_peak():
    "Let VmHWM begin anew."
    with open('/proc/self/clear_refs', 'w', encoding='ascii') as file: file.write('5')

def warm(estimator, table):
    "A tiny fit."
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        model_of(estimator, time_limit=5).fit(*made(table, True).of(estimator))

def measured(estimator, table, limit):
    "A fit in this process: a dict of what came of it."
    X, y = made(table, False).of(estimator)
    warm(estimator, table)
    model = model_of(estimator, **LIMITS[limit])
    forget_peak()
    before, compiled = memory_mb('VmRSS'), Budget()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        began = time.process_time()
        try:
            model.fit(X, y)
            found = {'outcome': 'fitted', 'status': model.certificate_.status, 'rules': len(model.model_),
                     'due': model.certificate_.seconds >= model.time_limit}  # a warning; work may end a fit
        except Exception as error:
            kind = 'MemoryLimit' if isinstance(error, MemoryLimit) else 'error'
            found = {'outcome': kind, 'status': f'{type(error).__name__}: {error}'[:150]}
        seconds = time.process_time() - began - compiled.compiling
    warned = any(issubclass(one.category, ConvergenceWarning) for one in caught)
    return {**found, 'warned': warned, 'seconds': seconds, 'growth_mb': memory_mb('VmHWM') - before}

def fault(line):
    "What is wrong with a measurement, or nothing."
    limits, wrong = LIMITS[line['limit']], []
    if line['outcome'] == 'MemoryLimit' and 'memory_limit' in limits:
        return 'memory' if line['growth_mb'] > limits['memory_limit'] else ''
    if line['outcome'] != 'fitted': return line['outcome']
    # .01 s are too short to read a table once, by what that and a few tests take
    allowed = max(.1 * limits['time_limit'], .3) if line['limit'] != '.01' else CAP
    if line['overrun'] > allowed: wrong.append('overrun')
    if line['rules'] == 0 and limits['time_limit'] >= 2: wrong.append('no rule')
    if line['due'] and not line['warned']: wrong.append('no warning')
    if line['growth_mb'] > limits.get('memory_limit', np.inf): wrong.append('memory')
    return ', '.join(wrong)

def limited():
    "In the process of a fit: no more than `CAP` seconds, and a clock that is the processor's."
    import resource  # not on Windows
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + CAP) + 1,) * 2)
    time.perf_counter = time.process_time

def line_of(estimator, table, limit):
    "A line about one fit."
    try:
        with ProcessPoolExecutor(1, get_context('fork'), limited) as child:
            found = child.submit(measured, estimator, table, limit).result()
    except Exception: found = None  # it was ended, or the tiny fit failed
    line = {'estimator': estimator, 'table': table, 'limit': limit,
            **(found or {'outcome': 'ended', 'seconds': float(CAP)})}
    line['overrun'] = max(0., line['seconds'] - LIMITS[limit]['time_limit'])
    return rounded({**line, 'fault': fault(line)}, 2)

# ------------------------------------------------------------------ all of them

def measured_lines(asked):
    "Lines about what is asked for."
    for name in chosen(asked.only, KINDS):
        for table in asked.tables.split(','):
            made(table, False)  # for all forks
            yield from (line_of(name, table, limit) for limit in asked.limits.split(','))


if __name__ == '__main__':
    battery('limits', COLUMNS, measured_lines, tables=','.join(TABLES), limits=','.join(LIMITS))
