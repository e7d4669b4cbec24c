"""Malformed tables and parameters behind nbs/appendix/fuzz.ipynb.

    python -m tools.studies.fuzz [N]

Draws N (5,000) calls of fit, each from a seed of its own, and writes fuzz.csv: how many ended how, per
estimator. `attempt(seed)` is one call; the page makes some of them again.
"""
import datetime
import io
import linecache
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from rulebook.estimator import settings_of
from rulebook.register import ESTIMATORS

from .runner import write

# the machines last, the order in which the stored draws were made
NAMES = sorted((one.name for one in ESTIMATORS if one.task == 'classifier'),
               key=lambda name: not name.endswith('Classifier'))
CLASSES = {one.name: one for one in ESTIMATORS}
SCRATCH = tempfile.mkdtemp()  # where a drawn checkpoint is written
SLOW = 20.  # CPU seconds after which a call counts as one that hangs
COLUMNS = {
    'whole': lambda r, n: r.integers(-3, 4, n),
    'real': lambda r, n: r.normal(size=n),
    'holes': lambda r, n: np.where(r.random(n) < .3, np.nan, r.normal(size=n)),
    'infinite': lambda r, n: np.where(r.random(n) < .2, np.inf, r.normal(size=n)),
    'all missing': lambda r, n: np.full(n, np.nan),
    'all None': lambda r, n: [None] * n,
    'constant': lambda r, n: np.ones(n),
    'flags': lambda r, n: r.random(n) < .5,
    'flags with holes': lambda r, n: pd.array(r.choice([True, False, None], n), dtype='boolean'),
    'text': lambda r, n: r.choice(['a', 'b', '', 'é ∧ "x"'], n).astype(object),
    'text with holes': lambda r, n: r.choice(['a', 'b', None], n),
    'names of rows': lambda r, n: [f'row {i}' for i in range(n)],
    'category': lambda r, n: pd.Categorical(r.choice(['low', 'high'], n), ['low', 'mid', 'high'],
                                            ordered=bool(r.integers(2))),
    'dates': lambda r, n: pd.Timestamp('2026-01-01') + pd.to_timedelta(r.integers(0, 9, n), 'D'),
    'dates of Python': lambda r, n: [datetime.date(2026, 1, 1 + int(i)) for i in r.integers(0, 9, n)],
    'spans': lambda r, n: pd.to_timedelta(r.integers(0, 9, n), 'D'),
    'lists': lambda r, n: [[int(i)] for i in r.integers(0, 3, n)],
    'mixed': lambda r, n: list(r.choice(np.array([1, 'one', 2.5, None], object), n)),
    'numbers as text': lambda r, n: r.integers(0, 4, n).astype(str),
    'bytes': lambda r, n: list(r.choice(np.array([b'a', b'b'], object), n)),
    'complex': lambda r, n: r.normal(size=n) + 1j,
    'huge whole': lambda r, n: [2**70 + int(i) for i in r.integers(0, 3, n)],
    'near the limit': lambda r, n: r.integers(2**62, 2**63 - 1, n),
    'largest': lambda r, n: r.choice([-1.7e308, 1.7e308], n),
    'subnormal': lambda r, n: r.choice([5e-324, 0., -0.], n),
    'objects': lambda r, n: [object() for _ in range(n)],
}
PLAIN = ['whole', 'real', 'holes', 'flags', 'text']
LABELS = {
    'two': lambda r, n: r.choice(['yes', 'no'], n),
    'two numbers': lambda r, n: r.integers(0, 2, n),
    'three': lambda r, n: r.choice(['a', 'b', 'c'], n),
    'flags': lambda r, n: r.random(n) < .5,
    'whole floats': lambda r, n: r.integers(0, 2, n) * 1.,
    'real': lambda r, n: r.normal(size=n),
    'NaN': lambda r, n: r.choice([0., 1., np.nan], n),
    'None': lambda r, n: r.choice(np.array(['yes', None], object), n),
    'one class': lambda r, n: ['same'] * n,
    'mixed': lambda r, n: list(r.choice(np.array([1, 'one'], object), n)),
    'too short': lambda r, n: r.integers(0, 2, max(n - 1, 0)),
    'two columns': lambda r, n: r.integers(0, 2, (n, 2)),
    'one column': lambda r, n: r.integers(0, 2, (n, 1)),
    'dates': lambda r, n: pd.Series(pd.Timestamp('2026-01-01') + pd.to_timedelta(r.integers(0, 2, n), 'D')),
    'category': lambda r, n: pd.Series(pd.Categorical(r.choice(['lo', 'hi'], n), ['lo', 'mid', 'hi'])),
    'all different': lambda r, n: np.arange(n),
    'polars': lambda r, n: pl.Series(r.choice(['y', 'n'], n).tolist()),
    'infinite': lambda r, n: r.choice([0., np.inf], n),
    'nothing': lambda r, n: None,
    'text': lambda r, n: 'yes',
}
WEIGHTS = {
    'none': lambda r, n: None,
    'real': lambda r, n: r.random(n) + .1,
    'whole': lambda r, n: r.integers(0, 4, n),
    'negative': lambda r, n: -r.random(n),
    'zero': lambda r, n: np.zeros(n),
    'NaN': lambda r, n: np.where(r.random(n) < .3, np.nan, 1.),
    'infinite': lambda r, n: np.full(n, np.inf),
    'too long': lambda r, n: np.ones(n + 1),
    'text': lambda r, n: ['heavy'] * n,
    'tiny': lambda r, n: np.full(n, 1e-300),
    'huge': lambda r, n: np.full(n, 1e300),
    'one number': lambda r, n: 2.,
}
VALUES = [0, 1, 2, 3, -1, .5, .1, .01, -.5, 1e-12, 1e300, float('nan'), float('inf'), 10**30, None, True,
          'auto', 'balanced', 'x', '', b'x', [], [1], ['a'], (0, 1), {}, {'a': 1}, {'x0': 'rising'},
          {'no': 2}, [('a', '=', 1)], [['a']], [None], ['a >= 1'], np.float64(.02), np.int64(2),
          np.array([1., 2.]), np.bool_(False), object(), len, pd.NA, 'majority', 'paper', 'conjunction',
          'disjunction', 'cosine', 'rbf', 'precomputed', 'modmod', 'logistic', 'squared', 'exponential',
          'simple', 'breadth_first', 'points', ('lookahead',)]
LIMITS = {'time_limit': 1., 'node_limit': 2000}  # where the estimator has them; the draw may replace them


def draw_table(r):
    "A table of 10 to 60 rows (seldom fewer) in some container, its number of rows and what it is."
    n = int(r.choice([r.integers(3), 5 * r.integers(2, 13)], p=[.03, .97]))
    k = int(r.choice(5, p=[.01, .25, .34, .2, .2]))
    kinds = [str(r.choice(list(COLUMNS) if r.random() < .15 else PLAIN)) for _ in range(k)]
    names = [str(r.choice(['age', 'é ∧ "x"', 'a >= 1', '', 'line\nbreak', 'if'])) + f'{j}' for j in range(k)]
    columns = [COLUMNS[kind](r, n) for kind in kinds]
    container = str(r.choice(list(CONTAINERS) if r.random() < .2 else USUAL))
    frame = pd.DataFrame(dict(zip(names, columns)), index=range(n))
    table, container = contained(frame, container, r)
    return table, n, f'{container} [{", ".join(kinds)}]'


USUAL = ['pandas', 'pandas', 'numpy', 'lists', 'polars', 'arrow']


def contained(frame, container, r):
    "The table in its container, and the name of that."
    if container == 'pandas': return frame, container
    if container == 'numpy': return frame.to_numpy(), container
    if container == 'lists': return frame.to_numpy().tolist(), container
    if container in CONTAINERS: return CONTAINERS[container](frame, r), container
    try: return (pl.from_pandas(frame) if container == 'polars' else pa.Table.from_pandas(frame)), container
    except Exception: return frame, 'pandas'  # that library refuses to hold it


SPARSE = pd.SparseDtype(int, 0)
CONTAINERS = {
    'dict': lambda f, r: f.to_dict('list'),
    'names twice': lambda f, r: pd.DataFrame(f.to_numpy(), columns=['same'] * f.shape[1]),
    'numbers as names': lambda f, r: f.set_axis(range(f.shape[1]), axis=1),
    'names of mixed types': lambda f, r: f.set_axis([0, 'b', None, 2.5][:f.shape[1]], axis=1),
    'levels of names': lambda f, r: pd.concat({'top': f}, axis=1),
    'index twice': lambda f, r: f.set_axis([7] * len(f), axis=0),
    'sparse': lambda f, r: sparse.csr_matrix(r.integers(0, 2, f.shape)),
    'three axes': lambda f, r: r.normal(size=(len(f), 2, 2)),
    'one axis': lambda f, r: r.normal(size=len(f)),
    'ragged lists': lambda f, r: [[1] * (1 + i % 2) for i in range(len(f))],
    'float16': lambda f, r: r.normal(size=f.shape).astype(np.float16),
    'read only': lambda f, r: np.frombuffer(r.normal(size=f.shape).tobytes()).reshape(f.shape),
    'structured': lambda f, r: np.zeros(len(f), [('a', float), ('b', int)]),
    'masked': lambda f, r: np.ma.masked_less(r.normal(size=f.shape), 0),
    'matrix of text': lambda f, r: r.choice(['1', 'x'], f.shape),
    'nothing': lambda f, r: None,
    'text': lambda f, r: 'table',
    'generator': lambda f, r: ([i, 1] for i in range(len(f))),
    'series': lambda f, r: pd.Series(r.normal(size=len(f))),
    'sparse columns': lambda f, r: pd.DataFrame(r.integers(0, 2, (len(f), 2))).astype(SPARSE),
    'arrow types': lambda f, r: pd.DataFrame({'a': r.integers(0, 2, len(f))}).astype('int64[pyarrow]'),
}


def draw_estimator(r):
    "An estimator, by name, with none to two parameters replaced by anything."
    name = str(r.choice(NAMES))
    kind = CLASSES[name].load()
    model, options = kind(), {}
    known = settings_of(model)
    options.update({key: value for key, value in LIMITS.items() if key in known})
    if 'n_estimators' in known: options['n_estimators'] = 5
    for _ in range(r.choice([0, 1, 2], p=[.6, .3, .1])):
        key = str(r.choice([key for key in known if key != 'verbose']))
        value = VALUES[r.integers(len(VALUES))]
        if key != 'n_estimators' or not isinstance(value, int | float) or value < 9: options[key] = value
    return name, kind().set_params(**options), options


def use(model, X, n, y):
    "What is wrong with a fitted model, or nothing."
    said, shares = model.predict(X), model.predict_proba(X)
    known = set(said.tolist()) <= set(model.classes_.tolist())
    if len(said) != n or not known: return 'predict gives other labels'
    if shares.shape != (n, len(model.classes_)): return 'shares are wrong'
    if not np.allclose(shares.sum(1), 1) or (shares < 0).any(): return 'shares are wrong'
    if model.classes_[shares.argmax(1)].tolist() != said.tolist(): return 'they differ'
    if not str(model.model_): return 'no text'
    return ''


def on_purpose(error):
    "Whether an error was raised by a `raise` of rulebook or of scikit-learn's checks, and says something."
    trace = error.__traceback__
    while trace.tb_next: trace = trace.tb_next
    path = trace.tb_frame.f_code.co_filename
    line = linecache.getline(path, trace.tb_lineno)
    ours = 'rulebook' in Path(path).parts or 'sklearn' in Path(path).parts
    return ours and 'raise ' in line and len(str(error).split()) > 2


def judge(model, X, n, y, weights):
    "Kind of outcome and its text, for one call of fit."
    try: model.fit(X, y, sample_weight=weights)
    except (ValueError, TypeError, MemoryError) as error:
        text = f'{type(error).__name__}: {error}'
        meant = on_purpose(error) or isinstance(error, MemoryError)
        return ('refused' if meant else 'error by accident'), text
    except Exception as error: return 'wrong kind of error', f'{type(error).__name__}: {error}'
    try: wrong = use(model, X, n, y)
    except Exception as error: return 'fitted, fails later', f'{type(error).__name__}: {error}'
    return ('wrong answer', wrong) if wrong else ('fitted', '')


def draw_call(r):
    "An estimator, a table, labels and weights: what they are, and the arguments of `judge`."
    X, n, table = draw_table(r)
    labels = str(r.choice(list(LABELS) if r.random() < .2 else ['two', 'two numbers', 'flags']))
    weighted = str(r.choice(list(WEIGHTS))) if r.random() < .15 else 'none'
    y, weights = LABELS[labels](r, n), WEIGHTS[weighted](r, n)
    name, model, options = draw_estimator(r)
    about = {'estimator': name, 'options': repr(options), 'table': table}
    return {**about, 'labels': labels, 'weights': weighted}, (model, X, n, y, weights)


def attempt(seed):
    "One random call: a dict of what was drawn and how it ended."
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        warnings.simplefilter('ignore')
        about, call = draw_call(np.random.default_rng(seed))
        start, before = time.process_time(), os.getcwd()
        os.chdir(SCRATCH)
        try: outcome, text = judge(*call)
        finally: os.chdir(before)
        seconds = time.process_time() - start
    if seconds > SLOW: outcome = 'slow'
    return {'seed': seed, **about, 'outcome': outcome, 'text': text, 'seconds': seconds}


def main(n=5000):
    "Make n calls, print what is not allowed, and write the table of outcomes, every hundred calls anew."
    counts, slowest = Counter(), 0.
    for seed in range(n):
        drawn = attempt(seed)
        counts[drawn['estimator'], drawn['outcome']] += 1
        slowest = max(slowest, drawn['seconds'])
        if drawn['outcome'] not in ('fitted', 'refused'): print(*drawn.values(), sep=' | ', flush=True)
        if (seed + 1) % 100 and seed + 1 < n: continue
        lines = [(*ended, calls) for ended, calls in sorted(counts.items())]
        write('fuzz', lines, ['estimator', 'outcome', 'calls'])
    for line in lines: print(*line, sep=', ')
    print(f'slowest: {slowest:.1f} CPU seconds')


if __name__ == '__main__': main(*map(int, sys.argv[1:]))
