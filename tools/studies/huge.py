"""Fit a certified rule list to 10^8 rows in Parquet: adds a line to huge.csv.

    python -m tools.studies.huge [rows] [folder]

Writes rows (100,000,000) of synthetic records, some GB of Parquet, into a temporary folder (inside `folder`,
if one is named), a million rows a file; learns the vocabulary, groups and fits, with DuckDB on two threads
and 3 GB; compares; removes the files. The line has

rows, groups, literals, seconds (on the wall) and CPU seconds of each step, load (of the machine, mean of the
last minute when the fit was done), peak resident memory of the process, DuckDB's included, in MB, and whether
list, counts and certificate of the fit equal those of a weighted fit on the groups that DuckDB gives for the
printed SQL statement, and those of a fit on groups that were counted with numpy, a million rows at a time, by
the literals' own `holds` (`same_as_numpy`, only up to 10^7 rows: it takes longer than all else).
"""
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from rulebook import CORELSClassifier, Vocabulary
from rulebook.io.engines import Grouped, aggregate, aggregate_sql, fit_vocabulary, read_groups

from .runner import PRICES, ROOT, Table, load, peak_mb

BLOCK = 1_000_000
TABLE = Table('huge', ['rows', 'parquet_mb', 'groups', 'literals', 'vocabulary_seconds', 'vocabulary_cpu',
                       'group_seconds', 'group_cpu', 'fit_seconds', 'fit_cpu', 'sql_seconds', 'sql_cpu',
                       'load', 'peak_mb', 'rules', 'status', 'objective', 'same_as_sql', 'same_as_numpy'],
              ['rows'])


def records(seed, n):
    """A table of `n` people: numbers of few and of many values, text, a Boolean, missing cells, the label."""
    random = np.random.default_rng(seed)
    age, visits = random.integers(18, 91, n), random.poisson(2.5, n)
    income = np.round(np.exp(random.normal(10, .7, n)), 2)
    score = np.where(random.random(n) < .1, np.nan, random.normal(50, 15, n))
    region = random.choice(np.array(['coast', 'hills', 'north', 'plain', 'south', 'town']), n)
    member = random.random(n) < .3
    back = np.where(score >= 65, .6, .25)
    back = np.where((age < 30) & (visits >= 3), .8, np.where(member & (income < 15000), .7, back))
    return pa.table({'age': age.astype(np.int16), 'income': income, 'visits': visits.astype(np.int16),
                     'score': pa.array(score, from_pandas=True), 'region': region, 'member': member,
                     'came_back': np.where(random.random(n) < back, 'yes', 'no')})


def write(folder, rows):
    """Write the Parquet files."""
    for k in range(0, rows, BLOCK):
        pq.write_table(records(k // BLOCK, min(BLOCK, rows - k)), f'{folder}/{k // BLOCK:04}.parquet')


def step(line, name, function):
    """The result of a function; its seconds go into `line`."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = function()
    line[f'{name}_seconds'] = round(time.perf_counter() - wall, 1)
    line[f'{name}_cpu'] = round(time.process_time() - cpu, 1)
    line['peak_mb'] = peak_mb()
    return result


def count_by_numpy(folder, vocabulary):
    """The groups without an engine: the literals decide, block by block, and a dictionary counts."""
    files = sorted(Path(folder).glob('*.parquet'))
    parts = [aggregate(pq.read_table(path), vocabulary, 'came_back') for path in files]
    lines = pd.concat([part.X.assign(came_back=part.y, mass=part.sample_weight) for part in parts])
    names = [name for name in lines if name != 'mass']
    sums = lines.groupby(names, dropna=False, as_index=False)['mass'].sum()
    return Grouped(sums[vocabulary.feature_names_in_], sums.came_back, sums.mass.to_numpy())


def same(one, other):
    """Whether two fits are the same list with the same counts and certificate."""
    a, b = one.certificate_, other.certificate_
    return (str(one.model_) == str(other.model_)
            and (a.objective, a.lower_bound, a.status, a.statement)
            == (b.objective, b.lower_bound, b.status, b.statement))


def grouped_by_sql(connection, folder, vocabulary):
    """The groups that DuckDB gives for the printed statement."""

    connection.execute(f"CREATE VIEW people AS FROM '{folder}/*.parquet'")
    statement = aggregate_sql('people', vocabulary, 'came_back')
    return lambda: read_groups(connection.sql(statement).df(), vocabulary, 'came_back')


def measure(folder, rows):
    """One line of the table of results, and the model."""

    settings = {'memory_limit': '3GB', 'threads': 2, 'temp_directory': f'{folder}/spill'}
    connection = duckdb.connect(config=settings)
    source, line = connection.read_parquet(f'{folder}/*.parquet'), {'rows': rows}
    vocabulary = step(line, 'vocabulary', lambda: fit_vocabulary(source, 'came_back', Vocabulary(n_cuts=4)))
    groups = step(line, 'group', lambda: aggregate(source, vocabulary, 'came_back'))
    def machine():
        return CORELSClassifier(regularization=.005, max_literals=2, vocabulary=vocabulary, time_limit=None, **PRICES)
    model = step(line, 'fit', lambda: machine().fit(*groups))
    line['load'] = round(load(), 1)
    line.update(groups=len(groups.X), literals=len(vocabulary.literals_), rules=len(model.model_),
                status=model.certificate_.status, objective=round(model.certificate_.objective, 8))
    by_sql = step(line, 'sql', grouped_by_sql(connection, folder, vocabulary))
    line['same_as_sql'] = same(model, machine().fit(*by_sql))
    if rows <= 10**7: line['same_as_numpy'] = same(model, machine().fit(*count_by_numpy(folder, vocabulary)))
    return line, model


def main(rows='1e8', place=None):
    """Write, measure, remove, and keep the line."""
    rows = int(float(rows))
    with TemporaryDirectory(prefix='rulebook-huge-', dir=place) as folder:
        # a process of its own writes, so that its memory is not counted
        writes = f'from tools.studies import huge; huge.write({folder!r}, {rows})'
        subprocess.run([sys.executable, '-c', writes], check=True, cwd=ROOT)
        size = round(sum(path.stat().st_size for path in Path(folder).glob('*.parquet')) / 1e6)
        line, model = measure(folder, rows)
    TABLE.append({**line, 'parquet_mb': size})
    print({**line, 'parquet_mb': size}, model.model_, sep='\n')


if __name__ == '__main__': main(*sys.argv[1:])
