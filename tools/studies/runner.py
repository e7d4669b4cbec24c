"""What every study needs: where its results lie, how a stopped run goes on, CPU seconds, and facts of the
machine.

Most studies have one shape, models x tables x folds, and are one call of `panel`.  A line is written as soon
as it is known, so a run that was stopped goes on with the first line that is missing.
"""
import argparse
import csv
import math
import multiprocessing
import os
import platform
import sys
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
# another folder for a repetition
RESULTS = Path(os.environ.get('RULEBOOK_RESULTS', ROOT / 'data' / 'results'))

# what CORELS and rule sets had by default when most results were stored: a price for rules alone, and
# searches
# that end with a proof or a limit; and where no vocabulary is given, all columns
PRICES = {'literal_penalty': 0, 'node_limit': None}
FORMER = PRICES | {'regularization': .01, 'vocabulary': {'significance': None, 'negations': 'auto'}}

# ------------------------------------------------------------------ tables of results

def place_of(name):
    """Path of a table of results."""
    return RESULTS / f'{name}.csv'

def stored(name):
    """A table of results as a data frame."""
    return pd.read_csv(place_of(name))

def write(name, lines, columns=None):
    """Write a whole table of results: dicts, or tuples with the names of their columns."""
    pd.DataFrame(lines, columns=columns).to_csv(place_of(name), index=False)

def renew(name, lines, columns, keys, order):
    """Write lines into a table of results, in place of those with the same keys.

    Parameters
    ----------
    name : str
        Of the file in data/results, without its ending.
    lines : list of dict
    columns : list of str
        In the order of the file.
    keys : list of str
        The columns that tell the lines apart.
    order : iterable
        Values of the keys, in the order in which the lines are sorted.
    """
    old = [stored(name)] if place_of(name).exists() else []
    whole = pd.concat([pd.DataFrame(lines, columns=columns), *old]).drop_duplicates(keys)
    places = {value: place for place, value in enumerate(order)}
    write(name,
          whole.sort_values(keys, key=lambda column: column.map(lambda value: places.get(value, value))),
          columns)

def options(study, **defaults):
    """The parser of a study that can be made in parts: `--only`, the options with a default, `--sample` and
    `--dry`."""
    parser = argparse.ArgumentParser(prog=f'python -m tools.studies.{study}')
    for name, default in {'only': '', **defaults}.items():
        parser.add_argument(f'--{name}', default=default)
    for flag in ('--sample', '--dry'): parser.add_argument(flag, action='store_true')
    return parser

def battery(asked, lines, show, study, columns, keys, order):
    """Print lines about faults as they come, put them into the file of a study unless they are only
    tried, and show them; the exit status is 1 if there is a fault.

    Parameters
    ----------
    asked : argparse.Namespace
        What `options` parsed.
    lines : iterable of dict
    show : callable
        Prints a summary of a list of lines, and gives the number of faults.
    study, columns, keys, order
        As for `renew`.
    """
    made = []
    for line in lines:
        made.append(line)
        print(*(line.get(key) for key in columns), sep=' | ', file=sys.stderr, flush=True)
        if not asked.sample and not asked.dry: renew(study, made, columns, keys, order)
    return 1 if show(made) else 0

class Table:
    """A CSV file of results that grows line by line.

    Parameters
    ----------
    name : str
        Of the file in data/results, without its ending.
    columns : list of str
        In the order of the file; a line need not have them all.
    keys : list of str
        The columns that tell the lines apart.
    number : str, default '.10g'
        How numbers that are not whole are written.
    """

    def __init__(self, name, columns, keys, number='.10g'):
        self.path = place_of(name)
        self.columns = list(columns)
        self.keys = list(keys)
        self.number = number
        self._seen = None

    def __contains__(self, key):
        """Whether the file has a line with these values of the keys (or with the first of them)."""
        return tuple(map(_mark, key)) in self._begun()

    def append(self, *lines):
        """Add lines, each a dict, at the end of the file."""
        unknown = {name for line in lines for name in line} - set(self.columns)
        if unknown: raise ValueError(f'{self.path.name} has no column {sorted(unknown)[0]!r}.')
        known = self._begun()
        with self.path.open('a', newline='', encoding='utf-8') as file:
            table = csv.DictWriter(file, self.columns, restval='', lineterminator='\n')
            if not file.tell(): table.writeheader()
            table.writerows({name: self._text(value) for name, value in line.items()} for line in lines)
        known.update(*(self._marks(line) for line in lines))

    def _begun(self):
        """The beginnings of the keys of all lines; a last line that was not written to its end is cut off."""
        if self._seen is None:
            self._seen = set()
            if self.path.exists():
                self._cut_half_line()
                with self.path.open(newline='', encoding='utf-8') as file:
                    table = csv.DictReader(file)
                    if table.fieldnames is not None and table.fieldnames != self.columns:
                        raise ValueError(f'{self.path.name} has other columns than this study writes: '
                                         f'{table.fieldnames} instead of {self.columns}.')
                    self._seen.update(*map(self._marks, table))
        return self._seen

    def _cut_half_line(self):
        """Make the file end with a whole line."""
        text = self.path.read_bytes()
        if not text.endswith(b'\n'): self.path.write_bytes(text[:text.rfind(b'\n') + 1])

    def _marks(self, line):
        """The keys of a line, and every beginning of them."""
        marks = tuple(_mark(line.get(name)) for name in self.keys)
        return {marks[:k] for k in range(1, len(marks) + 1)}

    def _text(self, value):
        """A cell of the file."""
        if not isinstance(value, float): return value
        return '' if math.isnan(value) else format(value, self.number)

def _mark(value):
    """A value as a key: numbers by eight digits, however the file writes them; missing ones are empty."""
    if value is None or isinstance(value, bool): return '' if value is None else str(value)
    try: number = float(value)
    except ValueError: return str(value)
    return '' if math.isnan(number) else format(number, '.8g')

def rounded(line, digits=6):
    """A line whose numbers that are not whole have so many decimal places."""
    return {name: round(value, digits) if isinstance(value, float) else value for name, value in line.items()}

# ------------------------------------------------------------------ models x tables x folds

def panel(models, tables, folds, columns, *, name, keys=('dataset', 'fold', 'model'), number='.10g',
          only=None):
    """Measure models on the folds of tables; every line that is missing is added to a table of results.

    The arguments of the command name tables, all without names; with `--quick` the first fold of the first
    table is measured by three models, and the lines are printed and not stored.

    Parameters
    ----------
    models : dict, or callable
        Name to a function of the rows to learn from and the others, each a pair `(X, y)`, which gives what a
        line has beyond its keys; a name may be a tuple, for several keys.  Or a function of the names of
        table and fold and of both parts, which yields all lines of a fold.
    tables : dict
        Name to a function that gives `(X, y)`.
    folds : callable or None
        Of `X` and `y`: pairs of row numbers, or a dict of them by the name of the fold.  None: no folds, and
        every row is in both parts.
    columns : list of str
        Of the file, in its order.
    name : str
        Of the file.
    keys : tuple of str, default ('dataset', 'fold', 'model')
        Columns of the names of table, fold (where there are folds) and model.
    number : str
        As for `Table`.
    only : list of str, default the arguments of the command
    """
    words = sys.argv[1:] if only is None else only
    quick, names = '--quick' in words, [word for word in words if word != '--quick']
    unknown = set(names) - set(tables)
    if unknown: sys.exit(f'there is no table {unknown.pop()!r}; the tables are {", ".join(tables)}')
    results = Table(name, columns, keys, number)
    warnings.simplefilter('ignore')  # searches that limits stop: a line says so where it matters
    for dataset in (names or list(tables))[:1 if quick else None]:
        for line in _of_table(models, dataset, tables[dataset], folds, () if quick else results, keys, quick):
            line = {key: line.get(key, '') for key in columns}
            print(*line.values(), sep=', ', flush=True)
            if not quick: results.append(line)

def _of_table(models, dataset, read, folds, known, keys, quick):
    """The lines of a table that are not known."""
    named = {_tuple(name): model for name, model in models.items()} if isinstance(models, dict) else None
    if named and folds is None and all((dataset, *name) in known for name in named): return
    try:
        X, y = read()
        splits = [(None, None)] if folds is None else folds(X, y)
        splits = splits if isinstance(splits, dict) else dict(enumerate(splits))
    except ValueError as error: return print(dataset, error, flush=True)
    for fold, rows in list(splits.items())[:1 if quick else None]:
        first, both = (dataset,) if folds is None else (dataset, fold), parts(X, y, rows)
        for name, measured in list((named or {}).items())[:3 if quick else None]:
            key = (*first, *name)
            if key not in known: yield dict(zip(keys, key)) | measured(*both)
        if named is None and first not in known:  # all lines of a fold, or none
            yield from [dict(zip(keys, first)) | line for line in models(*first, *both)]

def _tuple(name): return name if isinstance(name, tuple) else (name,)

def parts(X, y, split):
    """The rows to learn from and the others, each a pair `(X, y)`; None in place of row numbers: all."""
    def taken(cells, rows):
        return cells if rows is None else cells.iloc[rows] if hasattr(cells, 'iloc') else cells[rows]
    return [(taken(X, rows), taken(y, rows)) for rows in split]

# ------------------------------------------------------------------ time and memory

def timed(work, *arguments):
    """The result of a function, and the CPU seconds that it took."""
    start = time.process_time()
    result = work(*arguments)
    return result, time.process_time() - start

def quickest(work, runs, until=math.inf):
    """The result of the quickest of some runs and its CPU seconds.

    Parameters
    ----------
    work : callable
    runs : int
        Largest number of runs.
    until : float, default inf
        No further run after one that took so many seconds.
    """
    best = result = None
    for _ in range(runs):
        found, seconds = timed(work)
        if best is None or seconds < best: result, best = found, seconds
        if seconds >= until: break
    return result, best

def peak_mb():
    """The most memory that this process has had, in MB; NaN on Windows."""
    try:
        import resource  # not on Windows
    except ImportError: return math.nan
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)

REFERENCE = 1.05  # CPU seconds that `import sklearn.base` took where the goals for seconds were set

def in_a_child(work, *arguments, cpu=math.inf, memory_gb=math.inf, clock=False):
    """What a function gives in a process of its own, forked from this one.

    Parameters
    ----------
    work : callable
    *arguments
        Of the function.
    cpu, memory_gb : float
        Seconds of the processor and memory that it may have; a process that takes more is ended.
    clock : bool, default False
        Whether the clock of budgets is that of the processor there.

    Returns
    -------
    result : object
        None if the process was ended.
    status : int
        Of the process.
    """
    context = multiprocessing.get_context('fork')
    mine, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_limited, args=(theirs, cpu, memory_gb, clock, work, arguments))
    process.start()
    theirs.close()
    result = None
    try:
        if mine.poll(None if cpu == math.inf else 60 + 10 * cpu): result = mine.recv()
        else: process.kill()
    except EOFError: pass
    process.join()
    return result, process.exitcode

def _limited(pipe, cpu, memory_gb, clock, work, arguments):
    """What the child does."""
    import resource  # not on Windows

    if memory_gb < math.inf: resource.setrlimit(resource.RLIMIT_AS, (int(memory_gb * 2**30),) * 2)
    if cpu < math.inf: resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + cpu) + 1,) * 2)
    if clock: time.perf_counter = time.process_time
    pipe.send(work(*arguments))

# ------------------------------------------------------------------ the machine

def machine(packages=()):
    """What results were made on: a dict of facts and versions."""
    return {'processor': _first('/proc/cpuinfo', 'model name') or platform.processor(),
            'cores': os.cpu_count(),
            'memory': _first('/proc/meminfo', 'MemTotal'),
            'system': platform.system(),
            'Python': platform.python_version(),
            'load at the start': round(load(), 2),
            **{name: installed(name) for name in packages}}

def load():
    """How many processes have wanted the processor in the last minute, in the mean; NaN on Windows."""
    return os.getloadavg()[0] if hasattr(os, 'getloadavg') else math.nan

def installed(package):
    """The version of a package, or that there is none."""
    try: return version(package)
    except PackageNotFoundError: return 'not installed'

def _first(path, field):
    """What the first line of a file of the system that begins with a field says."""
    try: lines = Path(path).read_text().splitlines()
    except OSError: return ''
    return next((line.partition(':')[2].strip() for line in lines if line.startswith(field)), '')

def children_find_the_project():
    """Put the root of the project on the path of every Python that is started from here on."""
    path = os.environ.get('PYTHONPATH')
    os.environ['PYTHONPATH'] = os.pathsep.join([str(ROOT), *([path] if path else [])])
