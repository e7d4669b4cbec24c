"""Try large tables on real engines: `make test-engines`, or `python tools/engines.py [spark] [dask] [ray]`.

Starts a local Spark session (Java 17 or newer is needed), a Dask cluster of two processes, and, where it is
installed, Ray; repeats on them what nbs/io/2_engines.ipynb tries on DuckDB and polars, against the same table
in pandas; prints one line for each check and ends with status 1 if one failed.  With --record the lines go to
data/results/engines.csv, which the guide on large tables shows.
"""
import csv
import os
import shutil
import sys
import tempfile
import warnings
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import joblib
import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from rulebook import CORELSClassifier, TURSClassifier, Vocabulary, load_dataset
from rulebook.io.compare import compare
from rulebook.io.engines import (aggregate, aggregate_sql, fit_vocabulary, predict_chunks, predict_table,
                                 read_groups, score_chunks)

# said at every call, and in the guide: narwhals will move its Dask support, PySpark does not promise pandas 3
for message in ("Dask support is moving", "PySpark does not yet fully support"):
    warnings.filterwarnings("ignore", message=message)

ROOT = Path(__file__).resolve().parent.parent
TARGET = "two_year_recid"


def people():
    """The bundled COMPAS table with a Boolean column and missing cells."""
    X, y = load_dataset("compas")
    return X.assign(young=X.age < 25, priors=X.priors.where(np.arange(len(X)) % 11 > 0), **{TARGET: y})


def equal(one, other):
    """Whether two results of `aggregate` are the same table."""
    return all(pd.DataFrame(a).equals(pd.DataFrame(b)) for a, b in zip(one, other))


class Rows(NamedTuple):
    """The table in pandas, and what was made of it: what an engine has to reproduce."""
    rows: pd.DataFrame          # with the label
    X: pd.DataFrame             # without it
    vocabulary: Vocabulary      # three cuts a column
    grouped: tuple              # the groups of the rows
    lists: CORELSClassifier     # fitted to the rows
    sets: TURSClassifier        # fitted to the groups


def in_pandas():
    """What is made of the table in pandas."""
    rows = people()
    X, vocabulary = rows.drop(columns=TARGET), fit_vocabulary(rows, TARGET, Vocabulary(n_cuts=3))
    grouped = aggregate(rows, vocabulary, TARGET)
    lists = CORELSClassifier(regularization=.01, vocabulary=vocabulary, time_limit=None).fit(X, rows[TARGET])
    return Rows(rows, X, vocabulary, grouped, lists, TURSClassifier(vocabulary=vocabulary).fit(*grouped))


def same_literals(ours, frame):
    """Whether the vocabulary of an engine's frame is that of the rows."""
    return fit_vocabulary(frame, TARGET, Vocabulary(n_cuts=3)).literals_ == ours.vocabulary.literals_


def same_columns(ours, frame, seen):
    """Whether cuts at the engine's own quantiles are in the same columns; how many are the same is noted."""
    found = fit_vocabulary(frame, TARGET, Vocabulary(n_cuts=3), max_values=2).literals_
    known = ours.vocabulary.literals_
    seen["note"] = f"{len(set(found) & set(known))} of {len(known)} literals are the same"
    return {literal.column for literal in found} == {literal.column for literal in known}


def same_list(ours, frame):
    """Whether a rule list that is fitted to an engine's groups is that of the rows, and as certain."""
    groups = aggregate(frame, ours.vocabulary, TARGET)
    found = clone(ours.lists).fit(*groups)
    return (str(found.model_) == str(ours.lists.model_)
            and found.certificate_.lower_bound == ours.lists.certificate_.lower_bound)


def same_table(ours, frame):
    """Whether predictions that are appended in the engine are those of the rows."""
    table = predict_table(ours.sets, frame)
    found = table.compute() if hasattr(table, "compute") else table.toPandas()
    return (type(table) is type(frame)
            and (found.prediction.to_numpy() == ours.sets.predict(ours.X)).all()
            and np.allclose(found.filter(like="probability_"), ours.sets.predict_proba(ours.X)))


def same_chunks(ours, frame):
    """Whether predictions by chunks are those of the rows."""
    found = list(predict_chunks(ours.lists, frame, chunk_rows=1000))
    return (np.concatenate(found) == ours.lists.predict(ours.X)).all()


def same_scores(ours, frame, model):
    """Whether measures of a model are those of the rows."""
    one, other = score_chunks(model, frame, TARGET), score_chunks(model, ours.rows, TARGET)
    return one.confusion.equals(other.confusion) and np.allclose(one.measures.value, other.measures.value)


def tables(frame):
    """The checks of an engine's frame: a sentence, a function that gives whether it holds, what it notes."""
    ours, seen = in_pandas(), {}
    checks = {
        "fit_vocabulary gives the literals of the pandas table": lambda: same_literals(ours, frame),
        "fit_vocabulary cuts at the engine's quantiles": lambda: same_columns(ours, frame, seen),
        "aggregate gives the groups of the pandas table":
            lambda: equal(aggregate(frame, ours.vocabulary, TARGET), ours.grouped),
        "the rule list and its certificate are those of the rows": lambda: same_list(ours, frame),
        "predict_table stays in the engine and predicts the same": lambda: same_table(ours, frame),
        "predict_chunks predicts the same": lambda: same_chunks(ours, frame),
        "score_chunks gives the same measures, of a rule list": lambda: same_scores(ours, frame, ours.lists),
        "score_chunks gives the same measures, of a rule set": lambda: same_scores(ours, frame, ours.sets)}
    for sentence, check in checks.items():
        yield sentence, check, seen


def folds(backend, **options):
    """The checks of a joblib backend."""
    X, y = load_dataset("tic-tac-toe")
    machine, seen = CORELSClassifier(regularization=.02, max_literals=1, time_limit=None), {}
    models = {"CORELS": machine, "TURS": TURSClassifier(beam_width=2)}

    def cross_validated():
        with joblib.parallel_config(backend, **options):
            found = cross_val_score(machine, X, y, cv=4, n_jobs=2)
        return np.array_equal(found, cross_val_score(machine, X, y, cv=4))

    def compared():
        tables, names = {"tic-tac-toe": (X, y)}, ["model", "fold", "accuracy", "rules", "log_loss"]
        with joblib.parallel_config(backend, **options):
            found = compare(models, tables, cv=3, n_jobs=2, verbose=0)
        return found[names].equals(compare(models, tables, cv=3, verbose=0)[names])

    yield f"cross_val_score under joblib's {backend} backend gives the same scores", cross_validated, seen
    yield f"compare under joblib's {backend} backend gives the same table", compared, seen


def spark():
    """Checks in a local Spark session of two threads."""
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        sys.exit("Spark needs Java 17 or newer, and no java is on the PATH.")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession  # only where it is installed
    builder = SparkSession.builder.master("local[2]")
    for name, value in {"ui.enabled": "false", "sql.shuffle.partitions": "4", "driver.host": "127.0.0.1",
                        "ui.showConsoleProgress": "false"}.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    rows = people()
    frame = session.createDataFrame(rows.astype({"priors": object}).where(rows.notna(), None))
    yield from tables(frame)

    def statement():
        vocabulary = fit_vocabulary(rows, TARGET, Vocabulary(n_cuts=3))
        frame.createOrReplaceTempView("people")
        found = session.sql(aggregate_sql("people", vocabulary, TARGET, dialect="spark")).toPandas()
        return equal(read_groups(found, vocabulary, TARGET), aggregate(rows, vocabulary, TARGET))

    yield "the printed SQL, run in Spark, gives the same groups", statement, {}
    session.stop()


def dask():
    """Checks on a Dask cluster of two processes."""
    import dask.dataframe  # only where it is installed
    from distributed import Client, LocalCluster  # likewise
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**settings) as cluster, Client(cluster):
        yield from tables(dask.dataframe.from_pandas(people(), npartitions=4))
        yield from folds("dask")


def ray():
    """Checks on Ray, through joblib; only where it is installed."""
    import ray  # only where it is installed
    from ray.util.joblib import register_ray  # likewise
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    register_ray()
    yield from folds("ray")
    ray.shutdown()


def checked(name, make, package):
    """Run the checks of one engine and print each; give their lines, and how many failed."""
    lines = []
    try:
        for sentence, check, seen in make():
            good = bool(check())
            lines.append([name, version(package), sentence, "yes" if good else "NO", seen.pop("note", "")])
            note = f" ({lines[-1][-1]})" if lines[-1][-1] else ""
            print(f"{name} {version(package)}: {'ok    ' if good else 'FAILED'} {sentence}{note}", flush=True)
    except Exception as error:  # an engine that does not start, or a check that raises
        kind = type(error).__name__
        print(f"{name} {version(package)}: FAILED with {kind}: {str(error)[:300]}", flush=True)
        lines.append([name, version(package), "runs to the end", "NO", kind])
    return lines


ENGINES = {"spark": (spark, "pyspark"), "dask": (dask, "dask"), "ray": (ray, "ray")}


def main():
    """Run the checks of the engines that are named, or of all."""
    lines, absent = [], 0
    for name in [name for name in sys.argv[1:] if name in ENGINES] or ENGINES:
        make, package = ENGINES[name]
        if find_spec(package):
            lines += checked(name, make, package)
        else:
            print(f"{name}: not installed, skipped", flush=True)
            absent += name != "ray"  # Ray is no part of the extra
    if "--record" in sys.argv:
        with open(ROOT / "data" / "results" / "engines.csv", "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerows([["engine", "version", "check", "holds", "note"], *lines])
    failed = absent + sum(line[3] == "NO" for line in lines)
    print(f"{len(lines)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:  # what the engines write beside them goes away
        # the processes that they start find the package
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        os.chdir(scratch)
        sys.exit(main())
