"""Learn one certified rule list from five million mixed rows on every engine: writes mixed.csv.

    python -m tools.studies.mixed [rows] [engine ...]

Draws rows (5,000,000: four columns of text, four of numbers, missing cells) at random, writes them to Parquet
in a temporary folder, and takes four steps in pandas, polars, DuckDB, Dask (two workers) and Spark (two
threads and the heap that Spark gives its driver by default), each in a process of its own: literals by
`fit_vocabulary`, groups by `aggregate`, a CORELS list with its certificate, its measures by `score_chunks`. The
environment needs what `pip install "rulebook[dev,engines]"` installs, and Java.

A line has, for each step, seconds on the wall, and CPU seconds of the driver with the processes that it started
(the workers, and Spark's JVM); the seconds on the wall of all steps, without the start of the engine; the load
of the machine; the most memory that the driver had, and that the processes which it started had together, in MB;
and whether literals, groups, list and certificate, and measures are those of pandas.
"""
import os
import pickle
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from .runner import PRICES, ROOT, children_find_the_project, installed, load, renew

BLOCK = 250_000
STEPS = ['vocabulary', 'group', 'fit', 'score']
SAME = ['same_literals', 'same_groups', 'same_list', 'same_certificate', 'same_measures']
COLUMNS = ['engine', 'version', 'rows', 'literals', 'groups', 'rules', 'status',
           *(f'{step}_{unit}' for step in STEPS for unit in ('seconds', 'cpu')),
           'seconds', 'load', 'driver_mb', 'others_mb', *SAME]
PACKAGES = {'pandas': 'pandas', 'polars': 'polars', 'duckdb': 'duckdb', 'dask': 'dask', 'spark': 'pyspark'}


def records(seed, n):
    """A table of `n` people: four columns of text, four of numbers, missing cells in two, and the label."""
    random = np.random.default_rng(seed)

    def text(words, shares):
        return np.array(words, object)[random.choice(len(words), n, p=shares)]

    table = pd.DataFrame({
        'region': text(['coast', 'hills', 'north', 'plain', 'south', 'town', None], [.25, .15, .2, .12, .13, .12, .03]),
        'channel': text(['branch', 'phone', 'shop', 'web'], [.2, .15, .25, .4]),
        'plan': text(['basic', 'family', 'plus'], [.5, .3, .2]),
        'device': text(['desk', 'none', 'old', 'phone', 'tablet'], [.3, .1, .2, .3, .1]),
        'age': random.integers(18, 91, n),
        'income': np.where(random.random(n) < .05, np.nan, np.exp(random.normal(10, .7, n))),
        'score': random.normal(50, 15, n),
        'balance': random.integers(-10**6, 10**7, n)})
    share = np.where(table.score >= 60, .6, .25)
    share = np.where(table.age < 36, .7, share)
    share = np.where(table.income < 14_000, .1, share)
    share = np.where(table.region == 'coast', .85, share)
    return table.assign(bought=np.where(random.random(n) < share, 'yes', 'no'))


def write_rows(folder, rows):
    """Write the Parquet files."""
    for k in range(0, rows, BLOCK):
        table = records(k // BLOCK, min(BLOCK, rows - k))
        table.to_parquet(f'{folder}/{k // BLOCK:04}.parquet', index=False)


# ------------------------------------------------------------------ processes

def _tree(pid):
    """The processes that a process has started, and those that they have, from /proc."""
    found = [pid]
    for one in found:
        for path in Path(f'/proc/{one}/task').glob('*/children'):
            try:
                found += [int(child) for child in path.read_text().split()]
            except OSError:
                continue
    return found


def cpu_seconds():
    """CPU seconds of this process and of all that it has started."""
    ticks = 0
    for pid in _tree(os.getpid()):
        try:
            fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf('SC_CLK_TCK')


def peak_mb(pids):
    """The most memory that processes have had, added up, in MB."""
    total = 0
    for pid in pids:
        lines = Path(f'/proc/{pid}/status').read_text().splitlines()
        total += sum(int(line.split()[1]) for line in lines if line.startswith('VmHWM'))
    return round(total / 1000)


# ------------------------------------------------------------------ engines

@contextmanager
def opened(engine, folder):
    """The rows as a frame of an engine."""
    files = f'{folder}/*.parquet'
    if engine == 'pandas':
        yield pd.read_parquet(folder)
    elif engine == 'polars':
        import polars
        yield polars.scan_parquet(files)
    elif engine == 'duckdb':
        import duckdb
        yield duckdb.connect(config={'threads': 2}).read_parquet(files)
    elif engine == 'dask':
        import dask.dataframe
        from distributed import Client, LocalCluster
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
            yield dask.dataframe.read_parquet(folder)
    else:
        from tools.engines import spark_session  # starts what the others need not
        session = spark_session()
        yield session.read.parquet(folder)
        session.stop()


def measure(engine, folder):
    """The line of an engine, and what it came to; run in a process of its own."""
    from rulebook import CORELSClassifier, Vocabulary
    from rulebook.io.engines import aggregate, fit_vocabulary, score_chunks
    line = {'engine': engine, 'version': installed(PACKAGES[engine])}

    def step(name, function):
        wall, cpu = time.perf_counter(), cpu_seconds()
        result = function()
        line[f'{name}_seconds'] = round(time.perf_counter() - wall, 1)
        line[f'{name}_cpu'] = round(cpu_seconds() - cpu, 1)
        return result

    with opened(engine, folder) as frame:
        vocabulary = step('vocabulary', lambda: fit_vocabulary(frame, 'bought', Vocabulary(n_cuts=3)))
        groups = step('group', lambda: aggregate(frame, vocabulary, 'bought'))
        machine = CORELSClassifier(.01, max_literals=1, vocabulary=vocabulary, time_limit=None, **PRICES)
        model = step('fit', lambda: machine.fit(*groups))
        score = step('score', lambda: score_chunks(model, frame, 'bought'))
        own, *others = _tree(os.getpid())
        line |= {'load': round(load(), 1), 'driver_mb': peak_mb([own]), 'others_mb': peak_mb(others)}
    certificate = model.certificate_
    line |= {'rows': int(groups.sample_weight.sum()), 'literals': len(vocabulary.literals_), 'groups': len(groups.X),
             'rules': len(model.model_), 'status': certificate.status,
             'seconds': round(sum(line[f'{name}_seconds'] for name in STEPS), 1)}
    found = [list(map(repr, vocabulary.literals_)), groups, str(model.model_),
             (certificate.objective, certificate.lower_bound, certificate.status, certificate.statement),
             score.measures.value.round(12).tolist()]
    return line, dict(zip(SAME, found))


def agree(one, other):
    """Whether two results are the same."""
    if not isinstance(one, tuple) or not isinstance(one[0], pd.DataFrame):
        return one == other
    return all(pd.DataFrame(part).equals(pd.DataFrame(twin)) for part, twin in zip(one, other))


def in_process(engine, folder):
    """What `measure` gives, from a process of its own."""
    place = Path(folder).parent / f'{engine}.pickle'
    code = (f'import pickle; from tools.studies import mixed; '
            f'pickle.dump(mixed.measure({engine!r}, {folder!r}), open({str(place)!r}, "wb"))')
    own = {'OMP_NUM_THREADS': '1', 'POLARS_MAX_THREADS': '2', 'PYSPARK_PYTHON': sys.executable, 'PYTHONWARNINGS': 'ignore'}
    subprocess.run([sys.executable, '-c', code], check=True, cwd=ROOT, env={**os.environ, **own})
    return pickle.loads(place.read_bytes())


def main(rows='5e6', *engines):
    """Write the rows, measure every engine against pandas, and keep the lines."""
    children_find_the_project()
    lines, known = [], None
    with TemporaryDirectory(prefix='rulebook-mixed-') as place:
        folder = str(Path(place) / 'rows')
        os.mkdir(folder)
        write_rows(folder, int(float(rows)))
        for engine in dict.fromkeys(['pandas', *(engines or PACKAGES)]):
            line, found = in_process(engine, folder)
            known = known or found
            lines.append({**line, **{name: agree(known[name], found[name]) for name in SAME}})
            print(lines[-1], flush=True)
    renew('mixed', lines, COLUMNS, ['engine'], PACKAGES)


if __name__ == '__main__':
    main(*sys.argv[1:])
