"""Try the large-table room against real engines: `python tools/engines.py [spark] [dask] [ray]`, or `make test-engines`.

Starts a local Spark session (Java 17 or newer is needed), a Dask cluster of two processes, and, where it is installed, Ray; repeats on
them what nbs/io/2_engines.ipynb tries on DuckDB and polars, against the same table in pandas; prints one line for each check and ends with
status 1 if one failed.  With --record the lines go to data/results/engines.csv, which the guide on large tables shows.
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

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import joblib
import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_score

from rulebook import CORELSClassifier, TURSClassifier, Vocabulary, load_dataset
from rulebook.io.compare import compare
from rulebook.io.engines import aggregate, aggregate_sql, fit_vocabulary, predict_chunks, predict_table, read_groups, score_chunks

# said at every call, and told in the guide: narwhals will move its Dask support, PySpark does not promise pandas 3 yet
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


def tables(frame):
    """The checks of one engine's frame: pairs of a sentence and a function that returns whether it holds."""
    rows, seen = people(), {}
    X = rows.drop(columns=TARGET)
    vocabulary = fit_vocabulary(rows, TARGET, Vocabulary(n_cuts=3))
    grouped = aggregate(rows, vocabulary, TARGET)
    lists = CORELSClassifier(regularization=.01, vocabulary=vocabulary).fit(X, rows[TARGET])
    sets = TURSClassifier(vocabulary=vocabulary).fit(*grouped)

    def by_quantiles():
        cuts = {literal for literal in fit_vocabulary(frame, TARGET, Vocabulary(n_cuts=3), max_values=2).literals_}
        seen["note"] = f"{len(cuts & set(vocabulary.literals_))} of {len(vocabulary.literals_)} literals are the same"
        return {literal.column for literal in cuts} == {literal.column for literal in vocabulary.literals_}

    def fitted():
        ours = CORELSClassifier(regularization=.01, vocabulary=vocabulary).fit(*aggregate(frame, vocabulary, TARGET))
        return str(ours.model_) == str(lists.model_) and ours.certificate_.lower_bound == lists.certificate_.lower_bound

    def appended():
        table = predict_table(sets, frame)
        found = table.compute() if hasattr(table, "compute") else table.toPandas()
        return type(table) is type(frame) and (found.prediction.to_numpy() == sets.predict(X)).all() and np.allclose(
            found.filter(like="probability_"), sets.predict_proba(X))

    def scored(model):
        one, other = score_chunks(model, frame, TARGET), score_chunks(model, rows, TARGET)
        return one.confusion.equals(other.confusion) and np.allclose(one.measures.value, other.measures.value)

    yield "fit_vocabulary gives the literals of the pandas table", lambda: (
        fit_vocabulary(frame, TARGET, Vocabulary(n_cuts=3)).literals_ == vocabulary.literals_), seen
    yield "fit_vocabulary cuts at the engine's quantiles", by_quantiles, seen
    yield "aggregate gives the groups of the pandas table", lambda: equal(aggregate(frame, vocabulary, TARGET), grouped), seen
    yield "the rule list and its certificate are those of the rows", fitted, seen
    yield "predict_table stays in the engine and predicts the same", appended, seen
    yield "predict_chunks predicts the same", lambda: (
        np.concatenate(list(predict_chunks(lists, frame, chunk_rows=1000))) == lists.predict(X)).all(), seen
    yield "score_chunks gives the same measures, of a rule list", lambda: scored(lists), seen
    yield "score_chunks gives the same measures, of a rule set", lambda: scored(sets), seen


def folds(backend, **options):
    """The checks of a joblib backend."""
    X, y = load_dataset("tic-tac-toe")
    machine, seen = CORELSClassifier(regularization=.02, max_literals=1), {}
    models = {"CORELS": machine, "TURS": TURSClassifier(beam_width=2)}

    def cross_validated():
        with joblib.parallel_config(backend, **options): found = cross_val_score(machine, X, y, cv=4, n_jobs=2)
        return np.array_equal(found, cross_val_score(machine, X, y, cv=4))

    def compared():
        tables, names = {"tic-tac-toe": (X, y)}, ["model", "fold", "accuracy", "rules", "log_loss"]
        with joblib.parallel_config(backend, **options): found = compare(models, tables, folds=3, n_jobs=2, verbose=0)
        return found[names].equals(compare(models, tables, folds=3, verbose=0)[names])

    yield f"cross_val_score under joblib's {backend} backend gives the same scores", cross_validated, seen
    yield f"compare under joblib's {backend} backend gives the same table", compared, seen


def spark():
    """Checks in a local Spark session of two threads."""
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")): sys.exit("Spark needs Java 17 or newer, and no java is on the PATH.")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession
    session = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "4")
               .config("spark.driver.host", "127.0.0.1").config("spark.ui.showConsoleProgress", "false").getOrCreate())
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
    import dask.dataframe
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster):
        yield from tables(dask.dataframe.from_pandas(people(), npartitions=4))
        yield from folds("dask")


def ray():
    """Checks on Ray, through joblib; only where it is installed."""
    import ray
    from ray.util.joblib import register_ray
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
        print(f"{name} {version(package)}: FAILED with {type(error).__name__}: {str(error)[:300]}", flush=True)
        lines.append([name, version(package), "runs to the end", "NO", f"{type(error).__name__}"])
    return lines


def main():
    """Run the checks of the engines that are named, or of all."""
    engines, lines, absent = {"spark": (spark, "pyspark"), "dask": (dask, "dask"), "ray": (ray, "ray")}, [], 0
    for name in [name for name in sys.argv[1:] if name in engines] or engines:
        make, package = engines[name]
        if find_spec(package): lines += checked(name, make, package)
        else:
            print(f"{name}: not installed, skipped", flush=True)
            absent += name != "ray"  # Ray is no part of the extra
    if "--record" in sys.argv:
        with open(ROOT / "data" / "results" / "engines.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([["engine", "version", "check", "holds", "note"], *lines])
    failed = absent + sum(line[3] == "NO" for line in lines)
    print(f"{len(lines)} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:  # what the engines write beside them goes away
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        os.chdir(scratch)
        sys.exit(main())
