"""Proofs of many fits, written and checked: writes proof-panel.csv and proof-notes.csv.

    python -m tools.studies.proof_panel [bundled] [folder] [made] [notes]

Tables: those of the package and of scikit-learn (`bundled`), those of the folder that RULEBOOK_DATA names
(`folder`), and three made ones on which searches are long (`made`).  Each is fitted under several settings
with a limit of some seconds; the proof of the optimum, or of the bound of a stopped search, is saved.  The checker
in Python and the one in JavaScript (where there is Node) read the proof and the table as a CSV file.  Times are CPU
seconds of one thread, kernels compiled; Python's include reading both files.  `parts` tells where the time of a
long check went.  `notes` fits ten times with the notes for the proof and ten times without (proof-notes.csv).
"""
import cProfile
import json
import os
import pstats
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
import pandas as pd
import sklearn.datasets

from rulebook import CORELSClassifier, list_datasets, load_dataset
from rulebook import checker
from rulebook.corels import journal
from rulebook.models.check import checker_script

from .cuts import lymphography_like, monk2, nursery_like
from .runner import FORMER, Table, timed

FIT, CHECK = 3, 20  # CPU seconds for a fit, and for a check in Python
WAIT = 30            # seconds on the wall for one in JavaScript
PANEL = Table('proof-panel', ['table', 'setting', 'rows', 'status', 'kind', 'fit', 'write', 'bytes', 'python', 'javascript',
                              'bound', 'python_says', 'javascript_says', 'parts'], ['table', 'setting'])
NOTES = Table('proof-notes', ['table', 'setting', 'with_notes', 'without', 'percent'], ['table', 'setting'])

# ------------------------------------------------------------------ settings

def thirds(X):
    "Weights of one to three."
    return pd.Series(1 + np.arange(len(X)) % 3, X.index, name='weight')

def halves(X):
    "Weights from one half on."
    return pd.Series(.5 + .25 * (np.arange(len(X)) % 4), X.index, name='weight')

class Setting(NamedTuple):
    "How a table is fitted."
    options: dict          # of `CORELSClassifier`
    weights: object = None  # a function of the table
    given: str = ''        # a constraint that is made from the table: 'prefix' or 'direction'

SINGLE, PAIRS = {'max_literals': 1}, {'max_literals': 2}
FIRST = {
    'all .02': Setting({'regularization': .02}),
    'all .01': Setting({}),
    'pairs .01': Setting(PAIRS),
    'single .005': Setting(SINGLE | {'regularization': .005}),
}
FURTHER = {
    'all .05': Setting({'regularization': .05}),
    'all .005': Setting({'regularization': .005}),
    'single .02': Setting(SINGLE | {'regularization': .02}),
    'single .001': Setting(SINGLE | {'regularization': .001}),
    'pairs .02': Setting(PAIRS | {'regularization': .02}),
    'pairs .005': Setting(PAIRS | {'regularization': .005}),
    'pairs, 3 rules': Setting(PAIRS | {'max_rules': 3}),
    'all, 2 rules': Setting({'max_rules': 2}),
    'all, price of a literal': Setting({'literal_penalty': .002}),
    'pairs, price of a literal': Setting(PAIRS | {'literal_penalty': .002}),
    'all, balanced': Setting({'class_weight': 'balanced'}),
    'single, balanced': Setting(SINGLE | {'class_weight': 'balanced'}),
    'all, whole weights': Setting({}, thirds),
    'pairs, quarter weights': Setting(PAIRS, halves),
    'single, prefix': Setting(SINGLE, None, 'prefix'),
    'pairs, prefix': Setting(PAIRS | {'regularization': .02}, None, 'prefix'),
    'all, direction': Setting({}, None, 'direction'),
    'single, direction': Setting(SINGLE, None, 'direction'),
}

def model_of(setting, X, y, seconds=FIT):
    "The estimator of a setting; None if the table does not go with it."
    options = dict(setting.options)
    if setting.given == 'direction':
        numeric = [name for name in X.select_dtypes('number') if X[name].nunique() > 2]
        if y.nunique() != 2 or not numeric: return None
        options['monotonic_cst'] = {name: 1 - 2 * (i % 2) for i, name in enumerate(numeric[:2])}
    if setting.given == 'prefix':
        small = FORMER | {'regularization': .005, 'max_literals': 1, 'max_rules': 1}
        first = CORELSClassifier(**small, time_limit=seconds).fit(X, y).model_.rules
        if not first: return None
        options['prefix'] = [first[0].literals]
    return CORELSClassifier(**FORMER | options, time_limit=seconds)

# ------------------------------------------------------------------ tables

SLOW = 'vehicle', 'german', 'contraceptive'
MADE = {'monk2': monk2, 'nursery-like': nursery_like, 'lymphography-like': lymphography_like}

def part_of_digits(n):
    "Handwritten digits of which two are told apart; all ten of the first n rows if n is not 0."
    X, y = sklearn.datasets.load_digits(return_X_y=True, as_frame=True)
    kept = y.isin([3, 8]) if not n else np.arange(len(y)) < n
    return X[kept].reset_index(drop=True), y[kept].reset_index(drop=True).rename('digit')

def bundled():
    "Names of the tables that come with the package or with scikit-learn, and functions that read them."
    names = [name for name in list_datasets()['name'] if name != 'compas-two-years']
    here = {name: lambda name=name: load_dataset(f'bundled:{name}') for name in names}
    return here | {'digits 3 8': lambda: part_of_digits(0), 'digits 500': lambda: part_of_digits(500)}

def folder():
    "Those of the folder of the papers' tables that have one label."
    catalogue = pd.read_csv(Path(os.environ['RULEBOOK_DATA']) / 'catalogue.csv')
    kept = catalogue[catalogue['classes'].notna() & (catalogue['rows'] < 50_000)]
    return {f'folder:{name}': lambda name=name: load_dataset(f'folder:{name}') for name in kept['name']}

# ------------------------------------------------------------------ both checkers

NODE = '''
const fs = require('fs'), checker = RulebookChecker();
async function check([proof, table, label]) {
  const began = process.cpuUsage();
  let said;
  try {
    const read = name => new Uint8Array(fs.readFileSync(name));
    const found = await checker.runCheck({proof: read(proof), table: read(table), label: label || undefined}, () => {});
    said = {verdict: 'proved', bound: found.bound, objective: found.objective, optimal: found.optimal};
  } catch (error) {
    const {refused, place, message} = checker.plainError(error);
    said = {verdict: refused ? 'refused' : 'CRASH', reason: message, stack: refused ? undefined : error.stack};
  }
  const {user, system} = process.cpuUsage(began);
  console.log(JSON.stringify({...said, seconds: (user + system) / 1e6}));
}
let last = Promise.resolve();
require('readline').createInterface({input: process.stdin}).on('line', line => {
  last = last.then(() => check(JSON.parse(line)));
});
'''

class Said(NamedTuple):
    "What a checker said of a proof."
    verdict: str   # 'proved', 'refused', 'CRASH' or 'HANG'
    bound: str     # a fraction, where it is proved
    objective: str
    reason: str    # where it is not
    seconds: float

def ask_python(proof, table, label=None, seconds=CHECK):
    "What the checker in Python says of two files, as `python checker.py` would."
    start = time.process_time()
    def said(*words): return Said(*words, time.process_time() - start)
    try:
        entry, columns = checker.read_proof(proof), checker.read_table(table)
        if label is None and isinstance(entry, dict) and isinstance(entry.get('table'), dict):
            label = entry['table'].get('label')
        labels = columns.get(label) if isinstance(label, str) else None
        if labels is None: return said('refused', '', '', 'table, label')
        with cpu_limits(): found = checker.check(entry, columns, labels, seconds=seconds)
    except checker.ProofError as error: return said('refused', '', '', str(error))
    except Exception as error: return said('CRASH', '', '', repr(error))
    return said('proved', str(found.bound), str(found.objective), '')

class JavaScript:
    "The checker in JavaScript, in Node: a process that checks files one after another."
    def __init__(self, seconds=WAIT):
        self.seconds = seconds
        self.process = None
        self.folder = tempfile.mkdtemp()
        self.script = Path(self.folder) / 'checker.js'
        self.script.write_text(checker_script() + NODE)

    def ask(self, proof, table, label=None):
        "What it says of two files; a process that takes too long is ended."
        if self.process is None:
            command = ['node', '--max-old-space-size=4096', self.script]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, text=True)
        self.process.stdin.write(json.dumps([str(proof), str(table), label or '']) + '\n')
        self.process.stdin.flush()
        line = self._line()
        if line is None: return Said('HANG', '', '', f'more than {self.seconds} s', self.seconds)
        if not line:
            self.end()
            return Said('CRASH', '', '', 'the process ended', 0.)
        said = json.loads(line)
        return Said(said['verdict'], str(said.get('bound', '')), str(said.get('objective', '')), said.get('reason', ''),
                    said['seconds'])

    def _line(self):
        "The answer, or None if it takes too long."
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.process.stdout, selectors.EVENT_READ)
            if waiting.select(self.seconds): return self.process.stdout.readline()
        self.end()

    def end(self):
        "End the process."
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
        self.process = None

def has_node():
    "Whether Node is installed."
    return shutil.which('node') is not None

# ------------------------------------------------------------------ panel

def kind_of(entry):
    "What a proof is made of."
    words = ['conjunctions'] * (entry['conjunctions'] is not None)
    if entry.get('states'): words.append('counted states' if entry['states']['counted'] else 'states')
    return ' + '.join(words) or 'prices'

def parts_of(proof, table, label):
    "The five functions of the checker that take the most time."
    profile = cProfile.Profile()
    profile.runcall(ask_python, proof, table, label, 6)
    stats = pstats.Stats(profile).stats
    own = sorted(((entry[3], name[2]) for name, entry in stats.items() if 'checker' in name[0]), reverse=True)
    return '; '.join(f'{name} {seconds:.1f}' for seconds, name in own[:6])

def cpu_limits():
    "Limits of fits count CPU seconds, so that other work on the machine does not stop them sooner."
    return mock.patch.multiple(time, perf_counter=time.process_time, monotonic=time.process_time)

def measure(name, setting_name, setting, X, y, place, node):
    "Fit, write, check: a line of the panel."
    warnings.simplefilter('ignore')
    model = model_of(setting, X, y)
    if model is None: return None
    weights = None if setting.weights is None else setting.weights(X)
    with cpu_limits(): _, fit = timed(lambda: model.fit(X, y, sample_weight=weights))
    line = {'table': name, 'setting': setting_name, 'rows': len(X), 'status': model.certificate_.status, 'fit': round(fit, 4)}
    proof, csv = place / 'proof.json', place / 'table.csv'
    try: _, line['write'] = timed(model.certificate_.save_proof, proof)
    except ValueError as error: return line | {'python_says': f'NOT WRITTEN: {error}'}
    pd.concat([X, y] if weights is None else [X, y, weights], axis=1).to_csv(csv, index=False)
    entry = json.loads(proof.read_text())
    here = ask_python(proof, csv)
    there = node.ask(proof, csv) if node and 'not decided' not in here.reason else None
    if node: node.end()
    line |= {'write': round(line['write'], 4), 'bytes': proof.stat().st_size, 'kind': kind_of(entry),
             'bound': model.certificate_.lower_bound, 'python': round(here.seconds, 4),
             'python_says': said_of(here, model.certificate_)}
    if there: line |= {'javascript': round(there.seconds, 4), 'javascript_says': said_of(there, model.certificate_)}
    if there and here.verdict == there.verdict == 'proved' and here[:3] != there[:3]: line['javascript_says'] += ' DISAGREE'
    if here.seconds > 1.5: line['parts'] = parts_of(proof, csv, None)
    bad = here.verdict != 'proved' or there and there[:3] != here[:3] or line['python'] > max(1, 10 * line['fit'])
    if bad or (there and there.seconds > max(1, 10 * fit)): keep(proof, csv, f'{name} {setting_name}')
    return line

def said_of(said, certificate):
    "The verdict, and how far the proved bound lies below that of the fit."
    if said.verdict != 'proved': return f'{said.verdict}: {said.reason}'
    less = certificate.lower_bound - float(Fraction(said.bound))
    optimal = said.bound == said.objective
    words = 'optimal' if optimal else 'bound'
    if certificate.is_optimal and not optimal: words += f' {less:.2g} less'
    elif not certificate.is_optimal and less > 1e-9: words += f' {less:.2g} less'
    return words

KEPT = os.environ.get('RULEBOOK_KEPT')

def keep(proof, csv, name):
    "Files of a line that is not as it should be, in the folder that RULEBOOK_KEPT names."
    if not KEPT: return
    stem = Path(KEPT) / ''.join(c if c.isalnum() or c == '.' else '-' for c in name)
    shutil.copy(proof, f'{stem}.json')
    shutil.copy(csv, f'{stem}.table.csv')

def warm():
    "Have the kernels compiled."
    for X, y in (load_dataset('bundled:penguins'), load_dataset('bundled:mammographic'), load_dataset('bundled:tic-tac-toe')):
        for options in ({}, PAIRS, SINGLE, PAIRS | {'max_rules': 3}):
            with warnings.catch_warnings(), cpu_limits():
                warnings.simplefilter('ignore')
                CORELSClassifier(**FORMER | options, time_limit=1).fit(X, y)

def panel(tables, settings):
    "All settings on all tables."
    node = JavaScript() if has_node() else None
    with tempfile.TemporaryDirectory() as place:
        for name, read in tables.items():
            if all((name, setting) in PANEL for setting in settings): continue
            X, y = read()
            if y.isna().any() or y.nunique() > 40: continue
            X, y = X.reset_index(drop=True), y.reset_index(drop=True)
            X.columns = list(map(str, X.columns))
            for setting in settings:
                if (name, setting) in PANEL: continue
                line = measure(name, setting, settings[setting], X, y, Path(place), node)
                if line is None: continue
                PANEL.append(line)
                print(*line.values(), sep=', ', flush=True)

# ------------------------------------------------------------------ what the notes cost

def without_notes():
    "Searches keep no notes."
    begin = journal.Journal.__init__
    return mock.patch.object(journal.Journal, '__init__', lambda self, most=0: begin(self, 0))

def notes(pairs=3):
    "The same fits with and without notes, in turn: the least CPU seconds of each."
    lines = pd.read_csv(PANEL.path)
    slow = lines[(lines['status'] == 'optimal') & (lines['fit'] > .4)].sort_values('fit', ascending=False)
    tables = bundled() | MADE
    slow = slow[slow['table'].isin(tables)]
    for name, setting in list(slow[['table', 'setting']].itertuples(index=False))[:12]:
        if (name, setting) in NOTES: continue
        X, y = tables[name]()
        model = model_of((FIRST | FURTHER)[setting], X, y, 60)
        weigh, noted, bare = (FIRST | FURTHER)[setting].weights, [], []
        weights = None if weigh is None else weigh(X)
        for _ in range(pairs):
            noted.append(timed(model.fit, X, y, weights)[1])
            with without_notes(): bare.append(timed(model.fit, X, y, weights)[1])
        line = {'table': name, 'setting': setting, 'with_notes': min(noted), 'without': min(bare),
                'percent': round(100 * (min(noted) / min(bare) - 1), 2)}
        NOTES.append(line)
        print(*line.values(), sep=', ', flush=True)

def main(parts):
    "The named parts, all without names."
    warm()
    tables = bundled()
    slow = {name: tables.pop(name) for name in SLOW}  # last
    for settings in (FIRST, FURTHER):
        if 'bundled' in parts: panel(tables, settings)
        if 'made' in parts: panel(MADE, settings)
    for settings in (FIRST, FURTHER):
        if 'bundled' in parts: panel(slow, settings)
    if 'folder' in parts and os.environ.get('RULEBOOK_DATA'): panel(folder(), FIRST)
    if 'notes' in parts: notes()


if __name__ == '__main__': main(sys.argv[1:] or ['bundled', 'made', 'folder', 'notes'])
