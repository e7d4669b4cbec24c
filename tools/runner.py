"""What studies need: where results lie, how a part is made again, CPU seconds, processes."""
import argparse
import io
import os
import sys
import time
from multiprocessing import get_context
from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
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
    """Put lines into a table of results, in place of those with the same keys, which are columns; sorted by
    the keys, whose values have an order or are sorted as texts."""
    def read(source): return pd.read_csv(source, dtype=str, keep_default_na=False)
    new = read(io.StringIO(pd.DataFrame(lines, columns=columns).to_csv(index=False)))
    old = [read(place_of(name))] if place_of(name).exists() else []
    whole, places = pd.concat([new, *old]).drop_duplicates(keys), {v: f'{i:9}' for i, v in enumerate(order)}
    write(name, whole.sort_values(keys, key=lambda column: column.map(lambda v: places.get(v, v))))

def battery(name, columns, lines, **defaults):
    """The command of a battery, of which `--only` and the options that `defaults` names choose parts.

    `lines` makes dicts of what is asked for.  They are printed as they come; in the end those with a fault
    are printed again, and the status is 1 if there is one.
    """
    parser = argparse.ArgumentParser(prog=f'python -m tools.{name}')
    for option, default in {'only': '', **defaults}.items():
        parser.add_argument(f'--{option}', default=default)
    made = []
    for line in lines(parser.parse_args()):
        made.append(line)
        print(*(line.get(key) for key in columns), sep=' | ', file=sys.stderr, flush=True)
    found = [line for line in made if line['fault']]
    if found: print(pd.DataFrame(found, columns=columns).to_string(index=False))
    print(f'{len(made)} lines, {len(found)} faults')
    sys.exit(bool(found))

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

def apart(function, *arguments):
    """What a function returns, called in a copy of this process that ends then.

    Numba looks records up by their shape: where a page defines a class of the package again, every call of a
    kernel takes the slow way.  So the opening example of such a page runs apart.
    """
    with get_context('fork').Pool(1) as pool: return pool.apply(function, arguments)

def children_find_the_project():
    "Put the root of the project on the path of every Python that is started from here on."
    path = os.environ.get('PYTHONPATH')
    os.environ['PYTHONPATH'] = os.pathsep.join([str(ROOT), *([path] if path else [])])
