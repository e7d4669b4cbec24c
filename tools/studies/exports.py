"""Exported models in every engine against predict: behind nbs/models/3_export.ipynb.

    python -m tools.studies.exports [N]

Fits N (2,000) models of every estimator to small random tables with hostile names, extreme numbers, missing
cells, dates and labels of every kind; scores rows at and beside every cut in Python, JavaScript (where node
is), DuckDB, SQLite and PostgreSQL (where its programs are), in columns of the types that were learnt and of
others; and writes exports.csv: for each estimator and engine how many rows differ from predict.
"""
import datetime
import json
import math
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd

from rulebook.columns import read_table
from rulebook.register import ESTIMATORS
from rulebook.rules import Ball

from .runner import write

CLASSES = {one.name: one for one in ESTIMATORS}
SHORT = [name for name in CLASSES if not name.endswith("CV")]
NAMES = ["age", "a b", 'x"y', "it's", "é", "two\nlines", "select", "prediction", "rule_1", "probability_yes", "fired",
         "coded", "t", "Row", "a.b", "back\\slash", "`tick`", "{x}", "--no", "[br]", "%s", "a" * 40]
TABLES = ["people", "fired", "coded", '"a.b"', '"x""y"', "prediction", "t", '"rule_1"', '"two words"']
MORE = ["rule_1", "rule_2", "prediction", "probability_yes", "fired", "t_2"]  # columns that no model knows
LEVELS = ["a", "b", "", "it's", 'q"x', "two\nlines", "é∧", "true", "10", "NULL", "back\\slash", "%s", " "]


# ------------------------------------------------------------------ tables

def _spread(r, n, low, high): return r.choice([-1, 1], n) * r.random(n) * 10. ** r.integers(low, high, n)


def _days(r, n): return (pd.Timestamp("2020-01-01") + pd.to_timedelta(r.integers(-900, 900, n), "D")).to_numpy()


def _times(r, n):
    step = r.choice(["h", "s", "us"])
    return (pd.Timestamp("2020-02-13") + pd.to_timedelta(r.integers(-40, 40, n), step)).to_numpy()


def _texts(r, n): return r.choice(np.array(LEVELS, object)[r.permutation(len(LEVELS))[:r.integers(2, 5)]], n)


KINDS = {
    "whole": lambda r, n: r.integers(-3, 9, n),
    "large whole": lambda r, n: r.choice([1, 2**53 - 1, 2**53 + 1, 2**60 + 1, 2**62 + 3, -2**61 - 1], n),
    "real": lambda r, n: r.normal(size=n),
    "tenths": lambda r, n: r.integers(-9, 30, n) / 10,
    "tiny": lambda r, n: _spread(r, n, -308, -100),
    "subnormal": lambda r, n: r.integers(-40, 40, n) * 5e-324,
    "huge": lambda r, n: _spread(r, n, 16, 150),
    "infinite": lambda r, n: np.where(r.random(n) < .2, np.inf, r.normal(size=n)),
    "flags": lambda r, n: r.random(n) < .5,
    "text": _texts,
    "days": _days,
    "times": _times,
}
LABELS = {
    "text": lambda r, n: r.choice(r.permutation(np.array(["yes", "no", "it's", "two\nlines", 'é "x"', "YES"], object))[:3], n),
    "two texts": lambda r, n: r.choice(["yes", "no"], n),
    "whole": lambda r, n: r.choice([-5, 7, 10**12], n),
    "flags": lambda r, n: r.random(n) < .5,
    "real": lambda r, n: r.choice([.1, 2.5, 1e-300], n),
}


class Fit(NamedTuple):
    "A model and the rows that it is asked about."
    seed: int
    estimator: str
    model: object         # a RuleList or RuleSet
    kinds: dict           # name of each column: key of KINDS
    table: pd.DataFrame   # the rows, as predict reads them
    labels: list          # what predict says
    shares: object        # what predict_proba says: ndarray, or None
    name: str             # of the table


def _with_holes(values, r):
    "A column with one cell in ten missing, in half of the columns."
    if r.random() < .5: return pd.Series(values)
    holes = r.random(len(values)) < .1
    if values.dtype.kind in "iuf": return pd.Series(np.where(holes, np.nan, values))
    return pd.Series(values).astype(object if values.dtype.kind in "bO" else values.dtype).where(~holes, None)


def _estimator(name, r):
    "An estimator with limits for small tables."
    options, wanted = {}, {"time_limit": 2., "node_limit": 3000, "n_estimators": 6, "max_rules": 12}
    known = CLASSES[name].load()().get_params(deep=False)
    options = {key: value for key, value in wanted.items() if key in known}
    if "regularization" in known: options["regularization"] = float(r.choice([.01, .03]))
    if "metric" in known: options["metric"] = str(r.choice(["euclidean", "manhattan", "chebyshev"]))
    return CLASSES[name].load()(**options)


def _cuts(model, name):
    "The values that the model compares a column with."
    for rule in model.rules:
        for one in rule.literals:
            if isinstance(one, Ball):
                yield from (cell for column, cell in zip(one.columns, one.center) if column == name)
            elif one.column == name: yield from (one.value if isinstance(one.value, tuple) else (one.value,))
    yield from (end for term in getattr(model, "linear", ()) if term.column == name for end in (term.low, term.high))


def _beside(value, kind):
    "A value and its neighbours."
    if value is None or isinstance(value, (bool, str)): return [value]
    if isinstance(value, datetime.date):
        second = datetime.timedelta(microseconds=1)
        moment = pd.Timestamp(value)
        return [moment, moment + datetime.timedelta(1)] if kind == "days" else [moment - second, moment, moment + second]
    if kind in ("whole", "large whole"):
        near = [math.floor(value) - 1, math.floor(value), math.ceil(value), math.ceil(value) + 1] if math.isfinite(value) else []
        return [int(one) for one in near if abs(one) < 2**63]
    return [value, math.nextafter(value, -math.inf), math.nextafter(value, math.inf)]


def _rows(model, X, kinds, r, n=40):
    "Rows of cells that were seen, that lie at and beside cuts, or are missing."
    columns = {}
    for name in X:
        seen = [one for one in X[name].tolist() if not pd.isna(one)]
        near = [one for cut in _cuts(model, name) for one in _beside(cut, kinds[name])]
        pool = seen + near * (1 + len(seen) // max(1, len(near)))
        cells = pd.Series([pool[k] for k in r.integers(0, len(pool), n)] if pool else [None] * n, dtype=object)
        columns[name] = _typed(cells.where(r.random(n) > .1, None), kinds[name])
    return pd.DataFrame(columns)


def _typed(cells, kind):
    "Cells as a column of the type that was learnt, with missing ones."
    if kind in ("days", "times"): return pd.to_datetime(cells).astype("datetime64[us]")
    if kind in ("flags", "text"): return cells
    if kind in ("whole", "large whole") and cells.notna().all(): return cells.astype("int64")
    return pd.Series([math.nan if one is None else float(one) for one in cells])


def draw(seed):
    "A fitted model and rows for it; None where the estimator refuses the table."
    r = np.random.default_rng(seed)
    estimator = (SHORT if seed % 8 else list(CLASSES))[seed % len(SHORT if seed % 8 else CLASSES)]
    n, k = int(r.integers(24, 60)), int(r.integers(1, 5))
    picked = [str(one) for one in r.choice(list(KINDS), k)]
    names = [str(one) for one in r.permutation(NAMES)[:k]]
    kinds = dict(zip(names, picked))
    X = pd.DataFrame({name: _with_holes(KINDS[kind](r, n), r) for name, kind in kinds.items()})
    is_number = CLASSES[estimator].task == "regressor"
    y = _spread(r, n, -2, 3) if is_number else LABELS[str(r.choice(list(LABELS)))](r, n)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try: model = _estimator(estimator, r).fit(X, y).model_
        except (ValueError, TypeError): return None
        table = _rows(model, X, kinds, r)
        labels = model.predict(table).tolist()
        shares = model.predict_proba(table) if model.classes else None
    return Fit(seed, estimator, model, kinds, table, labels, shares, TABLES[seed % len(TABLES)])


# ------------------------------------------------------------------ engines

class Refused(Exception):
    "An export that was refused, in a sentence."


def exported(write_, *args, **options):
    "What an export gives, or its refusal."
    try: return write_(*args, **options)
    except ValueError as error: raise Refused(str(error)) from None


def cells(fit, name):
    "The cells of a column as plain values, None for missing; dates as datetime."
    column = fit.table[name]
    if fit.kinds[name] in ("days", "times"): return [None if pd.isna(one) else one.to_pydatetime() for one in column]
    values = [None if one is None or one != one else one for one in column.tolist()]
    return values


def plain_number(value):
    "Whether SQLite reads the text of a number as this number."
    return isinstance(value, int) and abs(value) < 2**53 or len(repr(value)) <= 6


def _extra(fit):
    "Columns of the table that the model does not know."
    known = {name.lower() for name in fit.table}
    return [name for name in MORE if name.lower() not in known]


class Sql:
    "An engine that holds a table and runs the exported statement: types by kind of column, and drifted ones."
    dialect = ""
    types = {}
    drifted = {}  # kind of column: [(type, how a cell is stored)]

    def answers(self, fit, drift):
        r, columns = np.random.default_rng(fit.seed), {}
        for name, kind in fit.kinds.items():
            others = self.drifted.get(kind, []) if drift else []
            columns[name] = others[r.integers(len(others))] if others else self.types[kind]
        statement = exported(fit.model.to_sql_query, fit.name, self.dialect, pretty=bool(fit.seed % 2))
        if drift and not all(plain_number(one) for name, kind in fit.kinds.items() if kind not in ("days", "times", "text")
                             for one in cells(fit, name) if one is not None): columns = {
            name: self.types[kind] for name, kind in fit.kinds.items()}
        stored = [[None if one is None else columns[name][1](one) for one in cells(fit, name)] for name in fit.kinds]
        extra = _extra(fit)
        stored += [[7] * len(fit.table)] * len(extra)
        names = [*fit.kinds, *extra]
        types = [*(columns[name][0] for name in fit.kinds), *["INTEGER"] * len(extra)]
        self.fill(fit.name, names, types, list(zip(*stored)))
        rows = self.run(statement)
        n_known = len(fit.model.classes)
        ends = [row[-n_known - 1:] for row in rows]
        return [row[0] for row in ends], np.array([row[1:] for row in ends], float) if n_known else None

    def fill(self, table, names, types, rows):
        quoted = ['"' + name.replace('"', '""') + '"' for name in names]
        self.execute(f"DROP TABLE IF EXISTS {table}")
        self.execute(f"CREATE TABLE {table} ({', '.join(map(' '.join, zip(quoted, types)))})")
        self.insert(table, quoted, rows)


def same(value): return value


def iso(value): return value.isoformat(" ")


def iso_t(value): return value.isoformat()


def iso_day(value): return value.date().isoformat()


def is_day(value): return value == value.replace(hour=0, minute=0, second=0, microsecond=0)


class DuckDB(Sql):
    dialect = "duckdb"
    types = {"whole": ("BIGINT", same), "large whole": ("BIGINT", same), "flags": ("BOOLEAN", same), "text": ("VARCHAR", same),
             "days": ("DATE", same), "times": ("TIMESTAMP", same)}
    types |= {kind: ("DOUBLE", same) for kind in KINDS if kind not in types}
    drifted = {"whole": [("VARCHAR", str), ("DOUBLE", same), ("INTEGER", same), ("DECIMAL(9,2)", same)],
               "tenths": [("VARCHAR", str), ("DECIMAL(9,3)", same)], "flags": [("VARCHAR", str), ("VARCHAR", lambda one: str(one).lower())],
               "days": [("TIMESTAMP", same), ("VARCHAR", iso_day), ("VARCHAR", iso)], "times": [("VARCHAR", iso), ("VARCHAR", iso_t)]}

    def __init__(self): self.base = duckdb.connect()

    def execute(self, text): self.base.execute(text)

    def insert(self, table, quoted, rows):
        marks = ", ".join("?" * len(quoted))
        self.base.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def run(self, statement): return self.base.execute(statement).fetchall()


class SQLite(Sql):
    dialect = "sqlite"
    types = {"whole": ("INTEGER", same), "large whole": ("INTEGER", same), "flags": ("BOOLEAN", same), "text": ("TEXT", same),
             "days": ("DATE", iso_day), "times": ("TEXT", iso)}
    types |= {kind: ("REAL", same) for kind in KINDS if kind not in types}
    drifted = {"whole": [("TEXT", str), ("TEXT", same), ("", str), ("REAL", same), ("BLOB", same)],
               "real": [("TEXT", same)], "tenths": [("TEXT", str), ("", same), ("TEXT", same)],
               "flags": [("TEXT", str), ("TEXT", same), ("", lambda one: str(one).lower()), ("REAL", same)],
               "days": [("TEXT", iso), ("", iso_t)], "times": [("TEXT", iso_t), ("", iso)]}

    def __init__(self): self.base = sqlite3.connect(":memory:")

    def execute(self, text): self.base.execute(text)

    def insert(self, table, quoted, rows):
        self.base.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(quoted))})", rows)

    def run(self, statement): return self.base.execute(statement).fetchall()


class Postgres(Sql):
    dialect = "postgres"
    types = {"whole": ("BIGINT", same), "large whole": ("BIGINT", same), "flags": ("BOOLEAN", same), "text": ("TEXT", same),
             "days": ("DATE", same), "times": ("TIMESTAMP", same)}
    types |= {kind: ("DOUBLE PRECISION", same) for kind in KINDS if kind not in types}
    drifted = {"whole": [("INTEGER", same), ("DOUBLE PRECISION", same), ("NUMERIC", same), ("REAL", same), ("SMALLINT", same)],
               "tenths": [("NUMERIC", lambda one: Decimal(repr(one)))], "text": [("VARCHAR(99)", same)], "days": [("TIMESTAMP", same)]}

    def __init__(self, connection): self.base = connection

    def execute(self, text): self.base.execute(text)

    def insert(self, table, quoted, rows):
        with self.base.cursor().copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows: copy.write_row(row)

    def run(self, statement): return self.base.execute(statement).fetchall()


class Python:
    "The exported function, on rows of what rows really hold."

    def answers(self, fit, drift):
        exec(exported(fit.model.to_python, text_cells=drift), module := {})
        r = np.random.default_rng(fit.seed)
        columns = {name: [as_text(one) if drift else disguised(one, r) for one in cells(fit, name)] for name in fit.kinds}
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        shares = [list(module["predict_proba"](row).values()) for row in rows] if fit.model.classes else None
        return [module["predict"](row) for row in rows], None if shares is None else np.array(shares)


def as_text(one):
    "A cell as a file of text holds it; an empty text as None, since it would be missing."
    return one if one is None or one == "" else str(one)


def disguised(one, r):
    "A cell as another library would give it."
    if one is None: return [None, math.nan, pd.NA, pd.NaT, np.float32("nan"), Decimal("NaN")][r.integers(6)]
    if isinstance(one, bool): return [one, np.bool_(one), int(one)][r.integers(3)]
    if isinstance(one, str): return [one, np.str_(one)][r.integers(2)]
    if isinstance(one, datetime.datetime):
        forms = [one, pd.Timestamp(one), np.datetime64(one), one.replace(tzinfo=datetime.timezone.utc)]
        return [*forms, one.date() if is_day(one) else one][r.integers(5)]
    if isinstance(one, int): return [one, np.int64(one), Decimal(one), float(one) if abs(one) < 2**53 else one][r.integers(4)]
    return [one, np.float64(one), Decimal(repr(one))][r.integers(3)]


NODE = """
import { readFileSync } from "node:fs";
const jobs = JSON.parse(readFileSync(process.argv[2])), said = [];
for (const job of jobs) {
  const model = await import(job.module), rows = (await import(job.rows)).default;
  said.push(rows.map(row => [model.predict(row), model.predictProba ? [...model.predictProba(row).values()] : null]));
}
console.log(JSON.stringify(said, (key, value) => typeof value === "number" && !Number.isFinite(value) ? String(value) : value));
"""


class JavaScript:
    "The exported module, run by node."

    def __init__(self):
        self.node = shutil.which("node")

    def answers(self, fit, drift):
        source = exported(fit.model.to_javascript, text_cells=True)
        columns = {name: [as_script(one, drift) for one in cells(fit, name)] for name in fit.kinds}
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        with tempfile.TemporaryDirectory() as folder:
            parts = {"model.mjs": source, "rows.mjs": f"export default {json.dumps(rows)};", "run.mjs": NODE,
                     "jobs.json": json.dumps([{"module": "./model.mjs", "rows": "./rows.mjs"}])}
            for name, text in parts.items(): Path(folder, name).write_text(text, encoding="utf-8")
            ran = subprocess.run([self.node, "run.mjs", "jobs.json"], cwd=folder, capture_output=True, text=True)
        if ran.returncode: raise RuntimeError(ran.stderr[-600:])
        said = json.loads(ran.stdout)[0]
        return [label for label, _ in said], np.array([shares for _, shares in said], float) if fit.model.classes else None


def as_script(one, drift):
    "A cell as JSON has it."
    if isinstance(one, datetime.datetime): return one.isoformat()
    return as_text(one) if drift else one


# ------------------------------------------------------------------ comparison

class Line(NamedTuple):
    "A line of the table of results."
    estimator: str
    engine: str
    fits: int
    rows: int
    differing: int
    refused: int


def differing(fit, labels, shares):
    "How many rows are answered in another way than by predict."
    if fit.model.classes:
        wrong = np.array([not same_label(one, other) for one, other in zip(labels, fit.labels, strict=True)])
        if shares is not None: wrong |= ~np.isclose(shares, fit.shares, rtol=1e-12, atol=1e-15).all(1)
        return int(wrong.sum())
    return int((~np.isclose(np.array(labels, float), fit.labels, rtol=1e-12, atol=0, equal_nan=True)).sum())


def same_label(one, other): return one == other and (isinstance(one, str) == isinstance(other, str))


def is_sentence(text): return text.rstrip().endswith(".") and len(text.split()) > 5


def compare(fit, engine, drift):
    "Rows that differ, or the refusal of one model in one engine."
    try: return differing(fit, *engine.answers(fit, drift)), ""
    except Refused as error: return 0 if is_sentence(str(error)) else len(fit.table), str(error)


def measure(seeds, engines, loud=False):
    "Lines of the table of results; with `loud` what went wrong is printed."
    seen = Counter()
    for seed in seeds:
        fit = draw(seed)
        if fit is None: continue
        for name, engine in engines.items():
            try: wrong, refusal = compare(fit, engine, drift=seed % 3 == 0)
            except Exception as error: wrong, refusal = len(fit.table), ""; note = f"{type(error).__name__}: {str(error)[:300]}"
            else: note = refusal
            if loud and wrong: print(seed, fit.estimator, name, wrong, note, sorted(set(fit.kinds.values())), flush=True)
            seen[fit.estimator, name, "fits"] += 1
            seen[fit.estimator, name, "rows"] += 0 if refusal else len(fit.table)
            seen[fit.estimator, name, "differing"] += wrong
            seen[fit.estimator, name, "refused"] += bool(refusal)
    order = [(estimator, name) for estimator in CLASSES for name in engines if seen[estimator, name, "fits"]]
    return [Line(*key, *(seen[*key, what] for what in Line._fields[2:])) for key in order]


def main(n=2000):
    "Measure in all engines that are here, and write the table."
    from tools import postgres  # a module beside this folder
    with ExitStack() as stack:
        engines = {"Python": Python(), "DuckDB": DuckDB(), "SQLite": SQLite()}
        if shutil.which("node"): engines["JavaScript"] = JavaScript()
        if not postgres.absent(): engines["PostgreSQL"] = Postgres(stack.enter_context(postgres.server()))
        for name in ("JavaScript", "PostgreSQL"):
            if name not in engines: print(f"{name} is not here and left out")
        lines = measure(range(n), engines, loud=True)
    write("exports", [line._asdict() for line in lines])
    for line in lines: print(*line, sep=", ")
    print(f"{sum(line.rows for line in lines)} rows, {sum(line.differing for line in lines)} differ")


if __name__ == "__main__": main(*map(int, sys.argv[1:]))
