"""Try large tables on real engines: `make test-engines`, or `python tools/engines.py [duckdb] [spark] ...`.

Four engines repeat what nbs/io/2_engines.ipynb tries, against the same table in pandas: a line for each
check, status 1 if one failed; with --record the lines go to data/results/engines.csv.
"""
import os
import shutil
import sys
import tempfile
import warnings
from decimal import Decimal
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from rulebook import CORELSClassifier, TURSClassifier, Vocabulary, load_dataset
from rulebook.io.compare import compare
from rulebook.io.engines import (aggregate, aggregate_sql, fit_vocabulary, predict_chunks, predict_table,
                                 read_groups, score_chunks)
from tools.runner import children_find_the_project, write

# said at every call, and in the guide: narwhals will move its Dask support, PySpark does not promise pandas 3
for message in ('Dask support is moving', 'PySpark does not yet fully support'):
    warnings.filterwarnings('ignore', message=message)

TARGET = 'two_year_recid'
SIZES = 'income', 'number'  # columns of many values, which the groups leave out

def people():
    "The bundled COMPAS table with a Boolean column, times, Decimals, numbers of all sizes and missing cells."
    X, y = load_dataset('compas')
    random, n = np.random.default_rng(0), len(X)
    seen = np.datetime64('2020-02-13', 'us') + random.integers(0, 2**44, n).astype('timedelta64[us]')
    amount = [Decimal(int(cents)) / 100 if cents % 9 else None for cents in random.integers(0, 90_000, n)]
    return X.assign(young=X.age < 25, priors=X.priors.where(np.arange(n) % 11 > 0), seen=seen, amount=amount,
                    income=np.where(random.random(n) < .1, np.nan, np.exp(random.normal(10, 3, n))),
                    number=random.integers(-2**62, 2**62, n), mass=random.integers(1, 4, n), **{TARGET: y})

def stored_people():
    "The table in a Parquet file of the folder in which the checks run."
    path = Path('people.parquet').resolve()
    if not path.exists():
        pq.write_table(pa.Table.from_pandas(people(), preserve_index=False), path, row_group_size=2000)
    return str(path)

def equal(one, other):
    "Whether two results of `aggregate` are the same table."
    return all(pd.DataFrame(a).equals(pd.DataFrame(b)) for a, b in zip(one, other))

class Rows(NamedTuple):
    "The table in pandas, and what was made of it: what an engine has to reproduce."
    rows: pd.DataFrame          # with the label
    X: pd.DataFrame             # without it
    vocabulary: Vocabulary      # three cuts a column
    grouped: tuple              # the groups of the rows
    lists: CORELSClassifier     # fitted to the rows
    sets: TURSClassifier        # fitted to the groups

def in_pandas():
    "What is made of the table in pandas."
    rows = people()
    few = [name for name in rows if name not in (*SIZES, 'mass', TARGET)]
    X, vocabulary = rows[few], fit_vocabulary(rows, TARGET, Vocabulary(n_cuts=3), columns=few)
    grouped = aggregate(rows, vocabulary, TARGET)
    lists = CORELSClassifier(.01, literal_penalty=0, vocabulary=vocabulary, time_limit=None,
                             options={'node_limit': None}).fit(X, rows[TARGET])
    return Rows(rows, X, vocabulary, grouped, lists, TURSClassifier(vocabulary=vocabulary).fit(*grouped))

def same_literals(ours, frame, weight=None, n_cuts=3):
    "Whether the literals of an engine's frame are those that `Vocabulary.fit` learns of the rows."
    names = [name for name in ours.rows if name not in ('mass', TARGET)]
    found = fit_vocabulary(frame, TARGET, Vocabulary(n_cuts=n_cuts), weight, names)
    mass = None if weight is None else ours.rows[weight]
    direct = Vocabulary(n_cuts=n_cuts).fit(ours.rows[names], sample_weight=mass)
    return list(map(repr, found.literals_)) == list(map(repr, direct.literals_))

def same_list(ours, frame):
    "Whether a rule list that is fitted to an engine's groups is that of the rows, and as certain."
    groups = aggregate(frame, ours.vocabulary, TARGET)
    found = clone(ours.lists).fit(*groups)
    return (str(found.model_) == str(ours.lists.model_)
            and found.certificate_.lower_bound == ours.lists.certificate_.lower_bound)

def same_table(ours, frame):
    "Whether predictions that are appended in the engine are those of the rows."
    table = predict_table(ours.sets, frame)
    if hasattr(table, 'read_pandas'):  # of a source that is not on a cluster: a stream of arrow batches
        return (table.read_pandas().prediction.to_numpy() == ours.sets.predict(ours.X)).all()
    found = table.compute() if hasattr(table, 'compute') else table.toPandas()
    return (type(table) is type(frame) and (found.prediction.to_numpy() == ours.sets.predict(ours.X)).all()
            and np.allclose(found.filter(like='probability_'), ours.sets.predict_proba(ours.X)))

def same_chunks(ours, frame):
    "Whether predictions by chunks are those of the rows."
    found = list(predict_chunks(ours.lists, frame, chunk_rows=1000))
    return (np.concatenate(found) == ours.lists.predict(ours.X)).all()

def same_scores(ours, frame, model):
    "Whether measures of a model are those of the rows."
    one, other = score_chunks(model, frame, TARGET), score_chunks(model, ours.rows, TARGET)
    return one.confusion.equals(other.confusion) and np.allclose(one.measures.value, other.measures.value)

def tables(frame):
    "The checks of an engine's frame: a sentence, and a function that gives whether it holds, or a note."
    ours = in_pandas()
    checks = {
        'fit_vocabulary gives the literals of the rows': lambda: same_literals(ours, frame),
        'the same with weights, and twenty cuts in a column': lambda: same_literals(ours, frame, 'mass', 20),
        'aggregate gives the groups of the rows':
            lambda: equal(aggregate(frame, ours.vocabulary, TARGET), ours.grouped),
        'the same with weights': lambda: equal(*(aggregate(one, ours.vocabulary, TARGET, 'mass')
                                                 for one in (frame, ours.rows))),
        'the rule list and its certificate are those of the rows': lambda: same_list(ours, frame),
        'predict_table predicts the same': lambda: same_table(ours, frame),
        'predict_chunks predicts the same': lambda: same_chunks(ours, frame),
        'score_chunks gives the same measures, of a rule list': lambda: same_scores(ours, frame, ours.lists),
        'score_chunks gives the same measures, of a rule set': lambda: same_scores(ours, frame, ours.sets)}
    yield from checks.items()

def folds(backend, **options):
    "The checks of a joblib backend."
    X, y = load_dataset('tic-tac-toe')
    machine = CORELSClassifier(.02, max_literals=1, literal_penalty=0, time_limit=None,
                               options={'node_limit': None})
    models = {'CORELS': machine, 'TURS': TURSClassifier(beam_width=2)}

    def cross_validated():
        with joblib.parallel_config(backend, **options):
            found = cross_val_score(machine, X, y, cv=4, n_jobs=2)
        return np.array_equal(found, cross_val_score(machine, X, y, cv=4))

    def compared():
        tables, names = {'tic-tac-toe': (X, y)}, ['model', 'fold', 'accuracy', 'rules', 'log_loss']
        with joblib.parallel_config(backend, **options):
            found = compare(models, tables, cv=3, n_jobs=2, verbose=0)
        return found[names].equals(compare(models, tables, cv=3, verbose=0)[names])

    yield f"cross_val_score under joblib's {backend} backend gives the same scores", cross_validated
    yield f"compare under joblib's {backend} backend gives the same table", compared

def spark_session():
    "A local Spark session of two threads, with the heap that it has by default."
    from pyspark.sql import SparkSession  # only where it is installed
    os.environ.setdefault('PYSPARK_PYTHON', sys.executable)  # its workers need our packages
    builder = SparkSession.builder.master('local[2]')
    for name, value in {'ui.enabled': 'false', 'sql.shuffle.partitions': '4', 'driver.host': '127.0.0.1',
                        'ui.showConsoleProgress': 'false'}.items():
        builder = builder.config(f'spark.{name}', value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel('ERROR')
    return session

def spark():
    "Checks in a local Spark session of two threads."
    if not (shutil.which('java') or os.environ.get('JAVA_HOME')):
        sys.exit('Spark needs Java 17 or newer, and no java is on the PATH.')
    session = spark_session()
    frame = session.read.parquet(stored_people())
    yield from tables(frame)

    def statement():
        ours = in_pandas()
        frame.createOrReplaceTempView('people')
        found = session.sql(aggregate_sql('people', ours.vocabulary, TARGET, dialect='spark')).toPandas()
        return equal(read_groups(found, ours.vocabulary, TARGET), ours.grouped)

    yield 'the printed SQL, run in Spark, gives the same groups', statement
    session.stop()

def duckdb():
    "Checks on a DuckDB relation."
    import duckdb as engine  # the name is this function's
    yield from tables(engine.connect().read_parquet(stored_people()))

def postgres():
    "The checks of exported SQL on a private PostgreSQL server."
    from tools import exports  # only for this engine

    def battery(fits=150):
        with exports.postgres() as connection:
            found = exports.measure(fits, {'PostgreSQL': exports.Postgres(connection)})
            release = connection.info.server_version // 10_000
        note = f"{found.rows.sum()} rows of {fits} fits, server {release}; the version is the driver's"
        return not found.differing.any() and note

    yield 'predictions and probabilities in exported SQL are those of predict', battery

def dask():
    "Checks on a Dask cluster of two processes."
    import dask.dataframe  # only where it is installed
    from distributed import Client, LocalCluster  # likewise
    settings = {'n_workers': 2, 'threads_per_worker': 1, 'processes': True, 'dashboard_address': None}
    with LocalCluster(**settings) as cluster, Client(cluster):
        yield from tables(dask.dataframe.read_parquet(stored_people(), split_row_groups=True))
        yield from folds('dask')

def checked(name, make, package):
    "Run the checks of one engine and print each; give their lines, and how many failed."
    lines = []
    try:
        for sentence, check in make():
            good = check()
            note = good if isinstance(good, str) else ''
            lines.append([name, version(package), sentence, 'yes' if good else 'NO', note])
            print(name, version(package), 'ok' if good else 'FAILED', sentence, note, flush=True)
    except Exception as error:  # an engine that does not start, or a check that raises
        kind = type(error).__name__
        print(f'{name} {version(package)}: FAILED with {kind}: {str(error)[:300]}', flush=True)
        lines.append([name, version(package), 'runs to the end', 'NO', kind])
    return lines

ENGINES = {'duckdb': (duckdb, 'duckdb'), 'spark': (spark, 'pyspark'), 'dask': (dask, 'dask'),
           'postgres': (postgres, 'psycopg')}

def main():
    "Run the checks of the engines that are named, or of all."
    lines, absent = [], 0
    for name in [name for name in sys.argv[1:] if name in ENGINES] or ENGINES:
        make, package = ENGINES[name]
        if find_spec(package): lines += checked(name, make, package)
        else:
            print(f'{name}: not installed, skipped', flush=True)
            absent += 1
    if '--record' in sys.argv: write('engines', lines, ['engine', 'version', 'check', 'holds', 'note'])
    failed = absent + sum(line[3] == 'NO' for line in lines)
    print(f'{len(lines)} checks, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as scratch:  # what the engines write beside them goes away
        children_find_the_project()
        os.chdir(scratch)
        sys.exit(main())
