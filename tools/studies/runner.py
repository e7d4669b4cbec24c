"""What studies need: where results lie, how a part is made again, CPU seconds, and facts of the machine."""
import argparse
import io
import math
import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(os.environ.get('RULEBOOK_RESULTS', ROOT / 'data' / 'results'))  # another for a repetition

# what CORELS and rule sets had by default when most results were stored: a price for rules alone, searches
# that end with a proof or a limit, and all columns where no vocabulary is given
PRICES = {'literal_penalty': 0, 'node_limit': None}
FORMER = PRICES | {'regularization': .01, 'vocabulary': {'significance': None, 'negations': 'auto'}}

# ------------------------------------------------------------------ tables of results

def place_of(name):
    "Path of a table of results."
    return RESULTS / f'{name}.csv'

def stored(name):
    "A table of results as a data frame."
    return pd.read_csv(place_of(name))

def write(name, lines, columns=None):
    "Write a whole table of results: dicts, or tuples with the names of their columns."
    pd.DataFrame(lines, columns=columns).to_csv(place_of(name), index=False)

def renew(name, lines, keys, columns=None, order=()):
    """Put lines into a table of results, in place of those with the same keys, sorted by the keys.

    Parameters
    ----------
    name : str
        Of the file in data/results, without its ending.
    lines : list of dict
    keys : list of str
        The columns that tell lines apart.
    columns : list of str, default those of the lines
        In the order of the file.
    order : iterable, default ()
        Values of keys in their order; other values are sorted as texts.
    """
    def read(source): return pd.read_csv(source, dtype=str, keep_default_na=False)
    new = read(io.StringIO(pd.DataFrame(lines, columns=columns).to_csv(index=False)))
    old = [read(place_of(name))] if place_of(name).exists() else []
    whole, places = pd.concat([new, *old]).drop_duplicates(keys), {v: f'{i:9}' for i, v in enumerate(order)}
    write(name, whole.sort_values(keys, key=lambda column: column.map(lambda v: places.get(v, v))))

def study(name, columns, keys, order, lines, faulty=lambda made: made[made['fault'] != ''], **defaults):
    """The command of a study that can be made in parts: prints lines as they come, puts them into its table,
    and ends with those that have a fault, and with status 1 if there is one.

    Parameters
    ----------
    name, columns, keys, order
        As for `renew`.
    lines : callable
        Of what is asked for, by `--only` and the options that `defaults` names: yields dicts.
    faulty : callable
        Lines with a fault, of a data frame.
    """
    parser = argparse.ArgumentParser(prog=f'python -m tools.studies.{name}')
    for option, default in {'only': '', **defaults}.items():
        parser.add_argument(f'--{option}', default=default)
    parser.add_argument('--dry', action='store_true', help='write nothing')
    asked, made = parser.parse_args(), []
    for line in lines(asked):
        made.append(line)
        print(*(line.get(key) for key in columns), sep=' | ', file=sys.stderr, flush=True)
        if not asked.dry: renew(name, made, keys, columns, order)
    found = faulty(pd.DataFrame(made, columns=columns))
    if len(found): print(found.to_string(index=False))
    print(f'{len(made)} lines, {len(found)} faults')
    sys.exit(bool(len(found)))

def rounded(line, digits=6):
    "A line whose numbers that are not whole have so many decimal places."
    return {name: round(value, digits) if isinstance(value, float) else value for name, value in line.items()}

# ------------------------------------------------------------------ folds, time and memory

def parts(X, y, split):
    "The rows to learn from and the others, each a pair `(X, y)`; None in place of row numbers: all."
    def taken(cells, rows):
        return cells if rows is None else cells.iloc[rows] if hasattr(cells, 'iloc') else cells[rows]
    return [(taken(X, rows), taken(y, rows)) for rows in split]

def timed(work, *arguments):
    "The result of a function, and the CPU seconds that it took."
    start = time.process_time()
    result = work(*arguments)
    return result, time.process_time() - start

REFERENCE = 1.05  # CPU seconds that `import sklearn.base` took where the goals for seconds were set

# ------------------------------------------------------------------ the machine

def machine(packages=()):
    "What results were made on: a dict of facts and versions."
    return {'processor': _first('/proc/cpuinfo', 'model name') or platform.processor(),
            'cores': os.cpu_count(),
            'memory': _first('/proc/meminfo', 'MemTotal'),
            'system': platform.system(),
            'Python': platform.python_version(),
            'load at the start': round(load(), 2),
            **{name: installed(name) for name in packages}}

def load():
    "How many processes have wanted the processor in the last minute, in the mean; NaN on Windows."
    return os.getloadavg()[0] if hasattr(os, 'getloadavg') else math.nan

def installed(package):
    "The version of a package, or that there is none."
    try: return version(package)
    except PackageNotFoundError: return 'not installed'

def _first(path, field):
    "What the first line of a file of the system that begins with a field says."
    try: lines = Path(path).read_text().splitlines()
    except OSError: return ''
    return next((line.partition(':')[2].strip() for line in lines if line.startswith(field)), '')

def children_find_the_project():
    "Put the root of the project on the path of every Python that is started from here on."
    path = os.environ.get('PYTHONPATH')
    os.environ['PYTHONPATH'] = os.pathsep.join([str(ROOT), *([path] if path else [])])
