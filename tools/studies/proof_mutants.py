"""Thousands of damaged proofs, each read by both checkers: writes proof-mutants.csv or
proof-case-mutants.csv.

    python -m tools.studies.proof_mutants [how many] [first seed]
    python -m tools.studies.proof_mutants cases [how many] [first seed]

The first changes some small proofs of all kinds (states, counted states, conjunctions; three labels,
weights, prefixes, directions, stopped searches) at random in one way each (`damage`).  Changes of the table,
the literals, the family or the list are also tried with the digest, the number of rows and the objective of
the list computed anew, and with the objective itself as the bound, so that nothing but the bound can be
wrong.  For these the best list is searched anew: where a list lies below the claimed bound, the claim is
false.

The second changes proofs by cases, with constraints, prices of columns and fixed defaults (`proof_cases`).
Whether the changed claim is true is found by trying all lists; a claim that this cannot judge counts as
false.

Nothing false may be accepted; both checkers must agree on each; each must end with a verdict or a reason.
"""
import csv
import hashlib
import io
import itertools
import json
import os
import random
import signal
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from rulebook import CORELSClassifier, Vocabulary, load_dataset
from rulebook.bits import BitMatrix
from rulebook.corels.search import Search
from rulebook.dataset import Dataset
from rulebook.problem import Problem

from . import damage
from .checkers import JavaScript, Said, ask_python, cpu_limits, has_node, kind_of as parts_of
from .problems import entry_of, random_problem, run, table_of as rows_of
from .proof_cases import MEASURES, Lists, check, prove, question
from .proof_fuzz import Truth
from .runner import FORMER, write

SECONDS = 60  # on the wall for a check; beyond, it hangs
KEPT = os.environ.get('RULEBOOK_KEPT')  # a folder for mutants on which something is wrong

# ------------------------------------------------------------------ proofs of fits and searches

class Case(NamedTuple):
    "A proof and its table."
    name: str
    proof: dict
    table: dict  # columns, labels and weights (or None) as texts of a CSV file

def texts_of(entry, frame):
    "A table as a CSV file has it; the proof names its columns y and w from now on."
    names, *lines = csv.reader(io.StringIO(frame.to_csv(index=False)))
    columns = dict(zip(names, map(list, zip(*lines))))
    weights = columns.pop(entry['table']['weight']) if entry['table'].get('weight') else None
    labels = columns.pop(entry['table']['label'])
    entry['table'] |= {'label': 'y', 'weight': weights and 'w'}
    return {'columns': columns, 'labels': labels, 'weights': weights}

def fitted(name, X, y, weights=None, **options):
    "The case of a fit."
    with warnings.catch_warnings(), cpu_limits():  # a busy machine gives the same proofs
        warnings.simplefilter('ignore')
        model = CORELSClassifier(time_limit=5).set_params(**{**FORMER, **options})
        model.fit(X, y, sample_weight=weights)
    entry = {'states': None} | json.loads(json.dumps(model.certificate_.proof.to_dict()))
    return Case(f'{name}, {parts_of(entry)}', entry, texts_of(entry, pd.concat([X, y, weights], axis=1)))

def searched(seed, setting, finished=True):
    "The case of a search on a random instance; None if it is not what is wanted."
    problem, columns = random_problem(seed)
    search, steps = run(problem, setting, seed)
    if not finished:
        if steps < 4: return None
        search, _ = run(problem, setting, seed, steps // 2)
        if search.finished: return None
    entry = {'states': None} | entry_of(search, finished)
    columns, labels, weights = rows_of(problem.dataset, columns)
    table = {'columns': {name: list(map(str, cells)) for name, cells in columns.items()},
             'labels': list(map(str, labels)), 'weights': list(map(str, weights))}
    return Case(f'random {seed}, {parts_of(entry)}', entry, table)

class Fit(NamedTuple):
    "A fit of some rows of a table."
    table: str          # bundled
    columns: str        # names, with blanks between them; 'all'
    rows: int           # so many of them
    step: int           # every step-th row
    n_cuts: int         # of a column of numbers; None: the default
    options: dict       # of the estimator
    weigh: bool = False  # rows weigh one half and more
    begin: bool = False  # with the first rule of a list as prefix

    def case(self, name):
        "The `Case`."
        X, y = self.some_rows()
        options, weights = dict(self.options), None
        if self.n_cuts: options['vocabulary'] = Vocabulary(n_cuts=self.n_cuts)
        if self.weigh: weights = pd.Series(.5 + .25 * (np.arange(len(X)) % 4), name='weight')
        if self.begin:
            small = FORMER | {'regularization': .005, 'max_literals': 1, 'max_rules': 1}
            first = CORELSClassifier().set_params(**small).fit(X, y).model_.rules[0]
            options['prefix'] = [first.literals]
        return fitted(name, X, y, weights, **options)

    def some_rows(self):
        "Features and labels; rows with missing cells are left out, except of penguins."
        X, y = load_dataset(f'bundled:{self.table}')
        if self.columns != 'all': X = X[self.columns.split()]
        kept = X.notna().all(axis=1) | (self.table == 'penguins')
        X, y = X[kept].iloc[::self.step][:self.rows], y[kept].iloc[::self.step][:self.rows]
        return X.reset_index(drop=True), y.reset_index(drop=True)

SINGLE, PAIRS = {'max_literals': 1}, {'max_literals': 2}
THREE, CELLS = 'age margin shape', 'top_left middle_middle bottom_right'
FOUR, LOAN = CELLS + ' top_right', 'duration checking_account savings'
PEOPLE, COUPLES = 'age priors sex', 'age education children'
FITS = {
    'iris, all': Fit('iris', 'all', 150, 1, 2, {}),
    'iris, all, more cuts': Fit('iris', 'all', 150, 1, None, {}),
    'iris, pairs': Fit('iris', 'all', 90, 2, 2, PAIRS),
    'penguins, all': Fit('penguins', 'island flipper_length_mm sex', 344, 1, 1, {'regularization': .02}),
    'tic-tac-toe, single': Fit('tic-tac-toe', CELLS, 200, 4, None, SINGLE | {'regularization': .005}),
    'tic-tac-toe, all': Fit('tic-tac-toe', CELLS, 240, 4, None, {'regularization': .005}),
    'tic-tac-toe, four cells': Fit('tic-tac-toe', FOUR, 300, 3, None, {'regularization': .004}),
    'tic-tac-toe, prefix': Fit('tic-tac-toe', CELLS, 240, 4, None, PAIRS | {'regularization': .005},
                               begin=True),
    'mammographic, all': Fit('mammographic', THREE, 300, 2, 1, {'regularization': .004}),
    'mammographic, 2 rules': Fit('mammographic', THREE, 200, 4, 3,
                                 SINGLE | {'max_rules': 2, 'regularization': .002}),
    'mammographic, pairs': Fit('mammographic', THREE, 300, 2, 2, PAIRS | {'regularization': .005}),
    'compas, price of a literal': Fit('compas', PEOPLE, 300, 20, 2,
                                      {'literal_penalty': .004, 'regularization': .004}),
    'compas, direction': Fit('compas', PEOPLE, 300, 20, 2, {'monotonic_cst': {'age': -1, 'priors': 1}}),
    'compas, balanced': Fit('compas', PEOPLE, 200, 20, 2, PAIRS | {'class_weight': {'no': 1, 'yes': 1.5}}),
    'compas, all': Fit('compas', 'age priors', 400, 17, 3, {'regularization': .004}),
    'contraceptive, all': Fit('contraceptive', 'age education', 300, 4, 2, {'regularization': .005}),
    'contraceptive, weights': Fit('contraceptive', COUPLES, 200, 7, 1, PAIRS, weigh=True),
    'german, pairs': Fit('german', LOAN, 250, 4, 2, PAIRS | {'regularization': .008}),
    'vehicle, single': Fit('vehicle', 'circularity scatter_ratio', 200, 4, 2,
                           SINGLE | {'regularization': .02}),
    'housevotes, single': Fit('housevotes', 'crime immigration physician_fee_freeze', 120, 3, None, SINGLE),
}
WANTED = (('sets at once', True, 'states', 3), ('as it is', True, 'counted states', 3),
          ('soon', False, 'states', 2))

def cases():
    "All proofs that are mutated."
    found = []
    for name, fit in FITS.items(): found.append(fit.case(name))
    for setting, finished, kind, n in WANTED:
        some, seed = [], 0
        while len(some) < n and seed < 100:
            seed += 1
            case = searched(seed, setting, finished)
            if case is None or parts_of(case.proof) != kind or size_of(case.proof) < 2: continue
            some.append(case._replace(name=f'{case.name}, {"finished" if finished else "stopped"}'))
        found += some
    return found

def size_of(entry):
    "States."
    return len((entry['states'] or {'rest': ()})['rest'])

# ------------------------------------------------------------------ a second look at their data

MISSING = {'', *('#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a'
                 '|nan|null').split('|')}

def as_number(cell):
    "The number that a text is, or None."
    try: return float(cell)
    except ValueError: return None

def equals(cell, value):
    "Whether the text of a cell is a value."
    if isinstance(value, str): return cell == value
    if isinstance(value, bool) and cell.lower() in ('true', 'false'): return (cell.lower() == 'true') == value
    return as_number(cell) == float(value)

def holds(literal, cell):
    "Whether a literal holds of the text of a cell."
    op, value = literal['op'], literal.get('value')
    if op in ('missing', 'present'): return (cell in MISSING) == (op == 'missing')
    if cell in MISSING: return False
    if op in ('=', 'in'): return any(equals(cell, v) for v in (value if op == 'in' else [value]))
    if op in ('!=', 'not in'): return not any(equals(cell, v) for v in (value if op == 'not in' else [value]))
    number = float(cell)
    return {'<': number < value, '<=': number <= value, '>': number > value, '>=': number >= value}[op]

class Seen(Truth):
    "What a table of texts and the head of a proof come to."
    def __init__(self, entry, table):
        head = entry['table']
        labels = [[equals(cell, value) for value in head['labels']].index(True) for cell in table['labels']]
        family = entry['family'] | {'default': None, 'prefix': entry['family'].get('prefix', [])}
        flags = {j: [holds(test, cell) for cell in table['columns'][test['column']]] for j,
                 test in enumerate(entry['literals'])}
        tests = [{'column': j, 'op': '=', 'value': True} for j in flags]
        super().__init__({'family': family, 'conditions': None, 'labels': labels,
                          'n_labels': len(head['labels']), 'tests': tests,
                          'label_weights': head['label_weights'], 'weights': table['weights'],
                          'columns': flags})
        self.flags = np.array(list(flags.values())).reshape(len(flags), -1)
        self.listed = family['conditions'] != 'all'
        self.conditions = (family['conditions'] if self.listed
                           else self.distinct(len(flags), family['most_literals']))
        rules = [(condition, label) for condition, label in entry['list']['rules']]
        self.objective = self.worth(rules, entry['list']['default'])

    def cover(self, condition):
        "Rows that a condition covers, as flags."
        return np.logical_and.reduce([self.flags[j] for j in condition])

    def distinct(self, n, longest):
        "The conjunctions, one for each set of rows and labels (the shortest)."
        found, longest = {}, n if longest is None else min(n, longest)
        if n > 15 and longest > 2: raise ValueError('too many')
        for length in range(1, longest + 1):
            for condition in itertools.combinations(range(n), length):
                found.setdefault((self.cover(condition).tobytes(), tuple(self.allowed(condition))),
                                 list(condition))
        return list(found.values())

    def digest(self):
        "Of the rows over the conditions."
        lines = self.base(self.conditions if self.listed else [[j] for j in range(len(self.flags))])
        return hashlib.sha256('\n'.join(sorted(' '.join([line, *map(str, sums)]) for line,
                                               sums in lines)).encode()).hexdigest()

    def worth(self, rules, default):
        "The exact objective of a list: conditions with labels, and a default."
        left, paid = self.rows, Fraction(0)
        for condition, label in rules:
            paid += self.cost(condition) + self.wrong(left & self.covers(condition), label)
            left -= self.covers(condition)
        return (paid + self.wrong(left, default)) / self.total

    def problem(self):
        "The problem as a search takes it."
        counts = np.zeros((len(self.labels), self.n_labels))
        counts[np.arange(len(counts)), self.labels] = [float(w) for w in self.weights]
        kept = counts.sum(1) > 0
        bits = BitMatrix.from_bool(np.array([self.cover(c)[kept]
                                             for c in self.conditions]).reshape(len(self.conditions), -1))
        dataset = Dataset.from_counts([[f'{j}' for j in c] for c in self.conditions], bits, counts[kept],
                                      range(self.n_labels))
        sets = [frozenset(c) for c in self.conditions]
        allowed = [[label in self.allowed(c) for label in range(self.n_labels)] for c in self.conditions]
        penalties = [float(Fraction(self.family[key])) for key in ('rule_penalty', 'literal_penalty')]
        return Problem(dataset, *penalties, self.family['most_rules'],
                       [sets.index(frozenset(c)) for c in self.family['prefix']],
                       np.array(allowed).reshape(len(sets), self.n_labels))

    def best(self):
        "The exact objective of the best list that a search finds."
        problem = self.problem()
        search = Search(problem)
        for _ in range(200):
            if search.advance(200): break
        *captured, rest = problem.dataset.captured(search.rules)
        rules = [(self.conditions[rule], max(self.allowed(self.conditions[rule]), key=counts.__getitem__))
                 for rule, counts in zip(search.rules, captured)]
        return min(self.worth(rules, default) for default in range(self.n_labels))

REPAIRS = ('', ', digest anew', ', objective anew', ', bound anew')

def repaired(entry, table, repair):
    "The entry with what follows from the table and the list computed anew."
    if not repair: return entry
    found = Seen(entry, table)
    entry['table'] |= {'rows': len(found.rows), 'digest': found.digest()}
    if repair != REPAIRS[1]: entry['claim']['objective'] = str(found.objective)
    if repair == REPAIRS[3]: entry['claim']['bound'] = str(found.objective)
    return entry

def is_beaten(entry, table):
    "Whether a better list than the bound is known; None if that cannot be told."
    try: return Seen(entry, table).best() < Fraction(entry['claim']['bound'])
    except Exception: return None  # whatever a damaged head makes of it

# ------------------------------------------------------------------ proofs by cases

def proofs(n, first=0):
    """So many instances with what is true of them proved: name, proof, instance."""
    found, seed, kinds = [], first, Counter()
    while len(found) < n:
        rng = random.Random(seed)
        seed += 1
        made = question(rng, MEASURES[seed % 7] if rng.random() < .7 else None)
        alone = made['family']['constraints'] is None and made['family']['asking'] is None
        if alone: made['family']['constraints'] = []
        lists = Lists(made)
        try: feasible = lists.feasible()
        except KeyError: continue
        best, entry = feasible[0] if feasible else (None, None)
        proof = prove(rng, lists, best, entry)
        if alone:
            made['family']['constraints'] = None
            proof = with_default_alone(proof, made)
        kind = kind_of(proof) if proof else None
        if proof and kinds[kind] < 2 + n / 8:
            kinds[kind] += 1
            found.append((kind, proof, made))
    return found

def with_default_alone(proof, made):
    """The proof without cases from one with a single leaf, which says the same about the same weights; or
    None."""
    if proof is None or len(proof['cases']) > 1 or not proof['cases'][0].get('live'): return None
    parts = {key: part for key,
             part in proof['cases'][0].items() if key not in ('multipliers', 'fixing', 'grid')}
    proof = {**proof, **parts, 'family': made['family'], 'cases': None}
    return None if isinstance(check(proof, made), str) else proof

def kind_of(proof):
    """What the cases of a proof have."""
    cases = proof['cases']
    if cases is None: return 'a default alone'
    parts = {'infeasible': proof['list'] is None, 'rows': any('row' in entry for entry in cases),
             'columns': any('column' in entry for entry in cases),
             'leaves': any(entry.get('live') for entry in cases)}
    return ', '.join(name for name, there in parts.items() if there) or 'multipliers alone'

def is_true(proof, made):
    """Whether a claim is true, by trying all lists; None if the question has no meaning."""
    try:
        family = proof['family']
        tests = proof['literals']
        made = {**made, 'family': family, 'tests': tests, 'label_weights': proof['table']['label_weights']}
        every = [list(c) for k in range(1, len(tests) + 1)
                 for c in itertools.combinations(range(len(tests)), k)]
        most = family['most_literals'] or len(tests)
        made['conditions'] = [c for c in every if len(c)
                              <= most] if family['conditions'] == 'all' else family['conditions']
        lists = Lists(made)
        feasible, bound, entry = lists.feasible(), proof['claim']['bound'], proof['list']
        if entry is None: return not feasible and bound is None
        gets, left, paid = {}, set(lists.rows), Fraction(0)
        for condition, label in entry['rules']:
            if sorted(condition) not in map(sorted,
                                            made['conditions']) or label not in lists.allowed(condition):
                return None
            gets |= {row: label for row in left & lists.covers(condition)}
            left -= lists.covers(condition)
            paid += lists.cost(condition)
        gets |= dict.fromkeys(left, entry['default'])
        columns = {lists.tests[j] for condition, _ in entry['rules'] for j in condition}
        if family['default'] not in (None, entry['default']) or not lists.fits(gets): return None
        objective = lists.objective(gets, columns, paid)
        said = proof['claim']['objective']
        return said in (None, str(objective)) and feasible[0][0] >= Fraction(bound)
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError): return None

# ------------------------------------------------------------------ for pages

CHANGES = tuple(damage.CASES)

def changed(rng, proof, made, kind):
    """A mutant by a kind of `CHANGES`: proof and instance; None if it is the same or cannot be made."""
    return damage.changed(rng, proof, made, damage.CASES[kind])

def csv_of(table):
    """A table as the text of a CSV file."""
    columns = {**table['columns'], 'y': table['labels'],
               **({'w': table['weights']} if table['weights'] else {})}
    lines = io.StringIO()
    csv.writer(lines, lineterminator='\n').writerows([[*columns], *zip(*columns.values())])
    return lines.getvalue()

def table_of(proof, made):
    """The table as the text of a CSV file; the proof names its columns then."""
    proof['table'] |= {'label': 'y', 'weight': 'w' if made['weights'] else None}
    return csv_of(made)

# ------------------------------------------------------------------ asking

class Hang(Exception):
    "A check that does not end."

def late(number, frame):
    "What an alarm does."
    raise Hang

class Study:
    "Counts by kind of change."
    def __init__(self, folder):
        self.files = Path(folder) / 'proof.json', Path(folder) / 'table.csv'
        self.node = JavaScript(SECONDS) if has_node() else None
        self.counts = defaultdict(Counter)
        self.slowest = Counter()
        self.n_kept = Counter()
        signal.signal(signal.SIGALRM, late)

    def said(self):
        "What both checkers say; Python is interrupted if it does not end."
        signal.alarm(2 * SECONDS)
        try: here = ask_python(*self.files, None, SECONDS)
        except BaseException as error: here = Said('HANG', '', '', repr(error), 2 * SECONDS)
        finally: signal.alarm(0)
        return here, self.node.ask(*self.files) if self.node else here

    def ask(self, kind, data, table, false=None):
        "Ask both about a file and a table; `false` says whether what they say is false."
        for place, content in zip(self.files, (data, table)):
            if content is not None: place.write_bytes(content)
        here, there = self.said()
        verdicts, seconds = {here.verdict, there.verdict}, max(here.seconds, there.seconds)
        found = {'mutants': 1, 'refused': here.verdict != 'proved', 'proved': here.verdict == 'proved',
                 'false': bool(false),
                 'accepted_false': bool(false) and 'proved' in verdicts, 'agreed': here[:3] == there[:3],
                 'crashed': not verdicts <= {'proved', 'refused'}}
        self.counts[kind].update({name: int(value) for name, value in found.items()})
        self.slowest[kind] = max(self.slowest[kind], seconds)
        wrong = [name for name in ('accepted_false', 'crashed')
                 if found[name]] + ['disagree'] * (not found['agreed'])
        wrong += ['no reason'] * (here.verdict == 'refused' and not here.reason) + ['slow'] * (seconds > 5)
        if wrong: self.keep(kind, wrong, here, there)

    def keep(self, kind, wrong, here, there):
        "Write a case down."
        self.n_kept[kind] += 1
        print('!!', kind, wrong, '| python:', here[:4], '| javascript:', there[:4], flush=True)
        for place in self.files if KEPT and self.n_kept[kind] <= 5 else ():
            name = f"{'-'.join([*wrong, kind, str(self.n_kept[kind])]).replace(' ', '_')}{place.suffix}"
            if place.stat().st_size < 2**20: (Path(KEPT) / name).write_bytes(place.read_bytes())

    def store(self, name, columns):
        "End Node.js, print the counts and write them."
        if self.node: self.node.end()
        lines = [{'change': kind, **count, 'slowest': round(self.slowest[kind], 2)} for kind,
                 count in self.counts.items()]
        write(name, [{key: line[key] for key in columns} for line in lines])
        for line in lines: print(*line.values(), sep=', ')
        print(dict(sum((Counter(count) for count in self.counts.values()), Counter())))

def mutated(study, rng, known, kind, ways, repair, false):
    "Change a random proof once by a kind; whether that could be done."
    case = rng.choice(known)
    try:
        proof, table = damage.changed(rng, case.proof, case.table, ways)
        proof = repaired(proof, table, repair)
        data = json.dumps(proof).encode()
    except (IndexError, KeyError, ValueError, TypeError, AttributeError, ZeroDivisionError): return False
    study.ask(kind + repair, data, csv_of(table).encode(), false(proof, table))
    return True

def many(study, rng, known, kinds, n, false):
    "Mutants of all kinds in turn, each tried on up to four proofs."
    done = 0
    for kind, ways, repair in itertools.cycle(kinds):
        if done >= n: return
        if callable(ways):
            case = rng.choice(known)
            data, table = json.dumps(case.proof, separators=(',', ':')).encode(), csv_of(case.table).encode()
            if ways is damage.table_bytes: table = ways(rng, table)
            else: data = ways(rng, data)
            study.ask(kind, data, table)
            done += 1
        else: done += any(mutated(study, rng, known, kind, ways, repair, false) for _ in range(4))

def by_cases(first_seed):
    "Proofs by cases, kinds of damage, and a function of a proof and a table: whether it is false."
    known = [Case(kind, proof, made) for kind, proof, made in proofs(60, 10**6 * first_seed)]
    for case in known: table_of(case.proof, case.table)
    return known, [(kind, ways, '') for kind,
                   ways in damage.CASES.items()], lambda proof, made: is_true(proof, made) is not True

def by_fits(first_seed):
    "The same of fits and searches."
    kinds = [(kind, ways, '') for kind, ways in (damage.PROOF | damage.STRUCTURE).items()]
    kinds += [(kind, ways, repair) for kind, ways in damage.ASKED.items() for repair in REPAIRS]
    kinds += [(kind, way, '') for kind, way in (damage.BYTES | {'table bytes': damage.table_bytes}).items()]
    return cases(), kinds, is_beaten

def main(words):
    "Make mutants, ask, and store the counts."
    of_cases = words[:1] == ['cases']
    n, first_seed = [*map(int, words[of_cases:]), *(2000 if of_cases else 10_000, 0)[len(words) - of_cases:]]
    rng = random.Random(first_seed)
    known, kinds, false = (by_cases if of_cases else by_fits)(first_seed)
    with tempfile.TemporaryDirectory() as folder:
        study = Study(folder)
        for case in known:
            study.ask('as it is', json.dumps(case.proof).encode(), csv_of(case.table).encode(),
                      false(case.proof, case.table))
        print(*Counter(case.name for case in known).items(), sep='\n', flush=True)
        many(study, rng, known, kinds, n, false)
        for name, data in damage.giants() if n > 2000 and not of_cases else ():
            study.ask('giant: ' + name, data, None)
        study.store(*(('proof-case-mutants', COLUMNS[:-1]) if of_cases else ('proof-mutants', COLUMNS)))

COLUMNS = ['change', 'mutants', 'refused', 'proved', 'false', 'accepted_false', 'agreed', 'crashed',
           'slowest']


if __name__ == '__main__': main(sys.argv[1:])
