"""Every search against the oracle on small tables: what a fit says must be true, and its proof must be
accepted.

    python -m tools.trials [draws of each family] [first seed]   counts, failures; status 1 if there are any
    python -m tools.trials one FAMILY SEED                       one draw, in words

A draw is a small table with what hurts, a family of lists, a kind of stop, for every third a setting of the
search.  A failure is a false word, the own proof refused, a proof that is weaker than the word, or a crash.
"""
import json
import math
import re
import sys
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from unittest import mock

try: import resource
except ImportError: resource = None  # Windows

import numpy as np
import pandas as pd

from rulebook import CORELSClassifier, Literal, RuleSetClassifier, Vocabulary, certify
from rulebook.proof.checker import ProofError, check
from rulebook.proof.constraints import RATES, Constraint, Impossible, NoneFound
from rulebook.corels import search as searching
from rulebook.corels import set_prices
from rulebook.corels.search import Search, SearchOptions
from tools.oracle import (
    Ask, Case, NoRow, best_f1, breaks, conditions_of, conjunction, curve, exact, exact_share, least,
    near_optimal, objective_of, predicted, rate_of, row_weights, says)
from rulebook.model.rules import Rule, RuleList

from tools.checkers import JavaScript, csv_text

NEAR = 1e-9        # shares that differ by less are the same
MOST_WORK = 400_000  # states times conditions that the oracle tries

KINDS = 'false', 'refused', 'weaker', 'crashed'

class Failure(NamedTuple):
    "What is wrong with a draw."
    kind: str   # of `KINDS`
    cause: str  # in few words, the same for what is alike
    words: str  # with numbers

class Draw(NamedTuple):
    "A table and what is asked about it."
    columns: dict    # name to cells
    labels: list
    weights: list    # or None
    sets: bool       # whether rule sets are asked for
    params: dict     # of the estimator
    stop: str        # none, nodes, time or antecedents
    more: dict       # what else is asked: epsilon, values, positive
    setting: str = ''  # of the search, a name in `SETTINGS`

# ------------------------------------------------------------------ tables

WEIGHTS = {'none': None, 'whole': [1, 2, 3, 7], 'decimal': [.9, 3.6, .3, 2.5],
           'thirds': [1 / 3, .1 + .2, .7, 1.],
           'zero': [0, 0, 1, 2], 'huge': [1e15, 3e15, 7e14], 'tiny': [1e-9, 3e-9, 1 / 3 * 1e-9],
           'apart': [1e-6, 1., 1e6]}
LABELS = [['no', 'yes', 'maybe', 'other'], [0, 1, 2, 3], [-1, 1, 2, 5], [False, True]]
COLUMNS = 'number', 'binary', 'text', 'truth', 'constant', 'copy', 'opposite', 'number', 'binary', 'text'

def column(rng, kind, before, n):
    "Cells of a column."
    if kind in ('copy', 'opposite') and before:
        old = before[rng.integers(len(before))]
        if kind == 'copy': return list(old)
        two = sorted({cell for cell in old if cell is not None}, key=str)
        if len(two) == 2 and None not in old: return [two[cell == two[0]] for cell in old]
    kinds = {'number': [-3., 0., 1., 2.5, 7.], 'text': ['a', 'b', 'c'], 'truth': [False, True]}
    some = kinds.get(kind, [0, 1])
    if kind == 'constant': return [['k', 3., True, None, 1][rng.integers(5)]] * n
    cells = [some[i] for i in rng.integers(0, len(some), n)]
    if rng.random() < .25: cells = [None if rng.random() < .3 else cell for cell in cells]
    return cells

def table(rng, most_labels):
    "Columns and labels: few kinds of rows, some of them with several labels."
    n, n_kinds = int(rng.integers(5, 13)), int(rng.integers(2, 8))
    columns = []
    for _ in range(rng.integers(1, 5)):
        columns.append(column(rng, COLUMNS[rng.integers(len(COLUMNS))], columns, n_kinds))
    n_labels = min(most_labels, int(rng.choice([2, 2, 2, 3, 4])))
    names = LABELS[rng.integers(len(LABELS) if n_labels == 2 else 3)][:n_labels]
    of_kinds, rows = rng.integers(0, n_labels, n_kinds), rng.integers(0, n_kinds, n)
    noise = rng.random(n) < rng.choice([0, .2, .5])
    labels = [names[i] for i in np.where(noise, rng.integers(0, n_labels, n), of_kinds[rows])]
    return {'abcd'[j]: [cells[row] for row in rows] for j, cells in enumerate(columns)}, labels

def tests(rng, columns):
    "Literals for the columns: some that hold on all rows or on none among them."
    found = []
    for name, cells in columns.items():
        some = sorted({cell for cell in cells if cell is not None}, key=str)
        found += [(name, op, value) for value in some for op in ('=', '!=')]
        if some and not isinstance(some[0], (str, bool)):
            found += [(name, op, value) for value in some for op in ('<', '>=', '<=', '>')]
        if len(some) > 2: found += [(name, op, tuple(some[:2])) for op in ('in', 'not in')]
        found += [(name, op, None) for op in ('missing', 'present')]
    return [found[i] for i in rng.permutation(len(found))[:rng.integers(1, 7)]]

# ------------------------------------------------------------------ what is asked

def literals_of(some):
    "Triples as literals."
    return tuple(Literal(*one) for one in some)

def fits(one):
    "Whether a literal tests an order."
    return one[1] not in ('in', 'not in', '=', '!=') or one[1] in ('=', '!=') and one[2] in (0, 1)

def options(rng, columns, labels, literals, sets):
    "Values of the further parameters, each with what it may be; drawn one by one or in pairs."
    def condition():
        return literals_of(literals[i] for i in rng.permutation(len(literals))[:rng.integers(1, 3)])
    def some(values): return values[rng.integers(len(values))]
    names = list(columns)
    ordered = [name for name in names if all(fits(one) for one in literals if one[0] == name)
               and not any(isinstance(cell, str) for cell in columns[name])]
    found = {'max_literals': lambda: some([1, 2, 3]), 'max_rules': lambda: some([1, 2, 3]),
             'min_support': lambda: some([.1, .25, .5, 1 / 3]), 'forbidden': lambda: [some(names)],
             'literal_penalty': lambda: some([.01, .05, 1e-6, .03]), 'start': lambda: [condition()]}
    if not sets: found['prefix'] = lambda: [condition() for _ in range(rng.integers(1, 3))]
    if ordered and len(set(labels)) == 2: found['monotonic_cst'] = lambda: {some(ordered): some([-1, 1])}
    return found

def classes_of(draw):
    "The labels that have a weight, in order."
    return sorted({label for label, w in zip(draw.labels, draw.weights or [1] * len(draw.labels)) if w})

def says_which(draw):
    "Whether the package takes the last label for the positive one, as the oracle does, without being told."
    names = classes_of(draw)
    return len(names) == 2 and names[-1] in (1, 'yes') and draw.params.get('target') is None

def limit(rng, draw):
    "A constraint as a dict; its limit may be what some prediction attains."
    columns, names = draw.columns, classes_of(draw)
    rate, value = list(RATES)[rng.integers(len(RATES))], float(rng.choice([0, 1, .5, .9, 1 / 3, .25, .1, .7]))
    found = {'rate': rate, 'at_least' if rng.random() < .5 else 'at_most': value}
    groups = [name for name, cells in columns.items() if len({*cells} - {None}) > 1]
    if groups and rate != 'precision' and rng.random() < .3:
        between = groups[rng.integers(len(groups))]
        some = sorted({*columns[between]} - {None})
        found = {'rate': rate, 'at_most': value,
                 'between': between} | ({'groups': some[:2]} if len(some) > 2 else {})
    if len(names) > 2 or rng.random() < .2: found['positive'] = names[rng.integers(len(names))]
    if not says_which(draw): found.setdefault('positive', names[-1])
    if rng.random() < .5 and 'between' not in found:
        said, positive = rng.random(len(draw.labels)) < .5, found.get('positive', names[-1])
        weights = map(exact, draw.weights or [1] * len(draw.labels))
        attained = rate_of(rate, [(w, y == positive, p) for w, y, p in zip(weights, draw.labels, said)])
        if attained is not None:
            found[next(name for name in ('at_least', 'at_most') if name in found)] = float(attained)
    return found

STOPS = {'nodes': lambda rng: {'node_limit': int(rng.choice([1, 2, 5, 20, 80]))},
         'time': lambda rng: {'time_limit': float(rng.choice([1e-9, .001, .003]))},
         'antecedents': lambda rng: {'max_antecedents': int(rng.choice([1, 2, 3, 5]))}}

def parameters(rng, columns, labels, sets):
    "Parameters of an estimator, without constraints; and whether its vocabulary is learned."
    literals = tests(rng, columns)
    params = {'regularization': float(rng.choice([.01, .05, .1, .07, .2, 1e-6, 0, .5, .03])),
              'literal_penalty': 0., 'time_limit': None,
              'node_limit': None, 'vocabulary': {'significance': None}}  # few rows show nothing beyond chance
    if rng.random() < .7: params['vocabulary'] = Vocabulary(literals=literals_of(literals))
    if rng.random() < .4: params['class_weight'] = class_weight(rng, labels)
    if sets: params['target'] = [None, *sorted(set(labels))][rng.integers(3)]
    known = options(rng, columns, labels, literals, sets)
    for name in rng.permutation(sorted(known))[:rng.integers(0, 3)]: params[str(name)] = known[name]()
    if 'prefix' in params and 'forbidden' in params: del params['forbidden']
    if 'prefix' in params and params.get('max_rules', 9) < len(params['prefix']): del params['max_rules']
    return params

def class_weight(rng, labels):
    "Weights of the classes."
    if rng.random() < .5: return 'balanced'
    return {label: float(rng.choice([1 / 3, 1, 3, .1, 2.5])) for label in sorted(set(labels))}

def draw(family, seed):
    "The draw of a family, or None if it is too large for the oracle."
    rng = np.random.default_rng([list(FAMILIES).index(family), seed])
    sets, form, setting = 'sets' in family, FAMILIES[family], setting_of(family, seed)
    for _ in range(100):
        columns, labels = table(rng, 2 if sets or form is F1 else 4)
        given = WEIGHTS[rng.choice(['none'] * 4 + list(WEIGHTS))]
        weights = None if given is None else [given[i] for i in rng.integers(0, len(given), len(labels))]
        if len({label for label, w in zip(labels, weights or [1] * len(labels)) if w}) < 2: continue
        params, more = parameters(rng, columns, labels, sets), {}
        # conjunctions are listed, so that it matters
        if setting: params.setdefault('max_literals', 1 + seed % 2)
        stop = str(rng.choice(['none', 'none', 'none', *STOPS]))
        if stop != 'none': params |= STOPS[stop](rng)
        found = Draw(columns, labels, weights, sets, params, stop, more)
        found = form.asked(rng, found)
        if found is not None and work(found) <= MOST_WORK: return found._replace(setting=setting)
    return None

def setting_of(family, seed):
    "The name of the setting of a draw; two of three have none."
    rng = np.random.default_rng([list(FAMILIES).index(family), seed, len('setting')])
    return str(rng.choice(list(SETTINGS))) if rng.random() < 1 / 3 else ''

# ------------------------------------------------------------------ settings

class Setting(NamedTuple):
    "How a search goes about its work; the answer is the same."
    options: dict         # of `SearchOptions`
    constants: dict = {}  # of its module
    program: dict = {}    # constants of the module that prices sets
    again: bool = False   # whether new searches go on from its state, again and again

BARE = {'beam_width': 0, 'trial': 0}
PRICED_SOON, SETS = BARE | {'loose': inf}, {'_SHARE': inf, '_WORTH': 1}
PROGRAMS = {'one round': {'_ROUNDS': 1}, 'hardly any pivots': {'_PIVOTS': 1},
            'cuts that go when slack': {'_AGE': 0}, 'no patience': {'_IDLE': 0}, 'no stall': {'_STALL': -inf}}
SETTINGS = {
    'prices on sets': Setting(PRICED_SOON, SETS),
    'prices on sets, at last': Setting(PRICED_SOON | {'patience': 0}, {'_WORTH': 1}),
    'few states': Setting(PRICED_SOON | {'patience': 0}, SETS, {'_ROUNDS': 1}),
    'no prices on sets': Setting(PRICED_SOON, {'_WORTH': 0}),
    'resumed': Setting(PRICED_SOON, SETS, again=True),
    **{f'sets with {name}': Setting(PRICED_SOON, SETS, program) for name, program in PROGRAMS.items()},
    'without prices': Setting({'beam_width': 0, 'prices': ''}),
    'few buckets': Setting(BARE | {'n_buckets': 16}),
    'prices everywhere': Setting(PRICED_SOON | {'patience': 0}),
    'prices for few states': Setting(PRICED_SOON | {'patience': 1.1e-8}),
    'rules by slack': Setting(PRICED_SOON, {'_FEW': 0}),
    'local search': Setting(BARE)}

PIECES = [7 * 2**i for i in range(30)]  # steps after which a search is resumed

@contextmanager
def under(name):
    """Searches over listed conditions that begin here, wherever a fit needs one, have a setting, and advance
    step by step."""
    if not name: return (yield)
    setting, begin, advance = SETTINGS[name], Search.__init__, Search.advance
    def begin_so(self, problem, budget=None, options=SearchOptions(), start=(), adviser=None):
        changed = options._replace(**setting.options) if options.listing is None else options
        self.fresh, self.steps = (problem, budget, changed, start, adviser), 0
        begin(self, *self.fresh)
    def advance_so(self, n_steps):
        finished, self.steps = advance(self, 1), self.steps + 1
        if not setting.again or not finished and self.steps not in PIECES: return finished
        state = self.state()  # at the end, too
        begin(self, *self.fresh)
        self.restore(state)
        return finished
    with (mock.patch.multiple(Search, __init__=begin_so, advance=advance_so),
          mock.patch.multiple(searching, **{'_WORTH': searching._WORTH} | setting.constants),
          mock.patch.multiple(set_prices, **{'_AGE': set_prices._AGE} | setting.program)): yield

# ------------------------------------------------------------------ the two sides

def data_of(draw):
    "What a fit is given: the table, the labels and their weights."
    weights = None if draw.weights is None else np.array(draw.weights, float)
    return pd.DataFrame(draw.columns), draw.labels, weights

def estimator(draw):
    "The estimator that is fitted."
    params = dict(draw.params)
    if 'constraints' in params: params['constraints'] = [Constraint(**one) for one in params['constraints']]
    return (RuleSetClassifier if draw.sets else CORELSClassifier)().set_params(**params)

def plain(literals):
    "Literals as the oracle reads them."
    return tuple((one.column, one.op, one.value) for one in literals)

def rules_of(model):
    "The rules and the default of a list as the oracle reads them."
    return tuple((plain(rule.literals), rule.prediction) for rule in model.rules), model.default.prediction

def needs_list(params):
    """Whether conjunctions are listed, of two literals unless their number is given: for a prefix, a
    support, free rules."""
    free = not params['regularization'] + params.get('literal_penalty', 0)
    return bool(params.get('prefix') or params.get('min_support') or free)

def vocabulary_of(draw):
    "The literals that are given, or learned without limits."
    given = draw.params['vocabulary']
    if isinstance(given, Vocabulary): return plain(given.literals)
    kept = {'vocabulary', 'max_literals', 'prefix', 'min_support', 'regularization', 'literal_penalty',
            'class_weight', 'target'}
    model = (RuleSetClassifier if draw.sets else CORELSClassifier)(options={'node_limit': 1})
    model.set_params(**{name: value for name, value in draw.params.items() if name in kept})
    return plain(quiet(model.fit, *data_of(draw)).vocabulary_.literals_)

def quiet(function, *arguments, **named):
    "Call without warnings of a search that was stopped."
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return function(*arguments, **named)

def ask_of(draw, literals, target=None):
    "What the oracle is asked."
    params = draw.params
    names = ('regularization', 'literal_penalty', 'max_literals', 'max_rules', 'min_support', 'class_weight',
             'monotonic_cst', 'constraints', 'feature_costs')
    asked = {name: params[name] for name in names if params.get(name) is not None}
    if needs_list(params): asked.setdefault('max_literals', 2)
    return Ask(draw.columns, draw.labels, tuple(literals), weights=draw.weights, target=target,
               forbidden=tuple(params.get('forbidden') or ()),
               prefix=tuple(map(plain, params.get('prefix') or ())), **asked)

def target_of(draw):
    "The label of the rules of a set: the given one, or that with less weight."
    if not draw.sets: return None
    if draw.params.get('target') is not None: return draw.params['target']
    case = Case(ask_of(draw, ()))
    first, second = case.labels  # what it costs to predict the other one is its weight
    return second if case.wrong(case.everything, second) >= case.wrong(case.everything, first) else first

def work(draw):
    "About how much the oracle tries."
    try: ask = ask_of(draw, vocabulary_of(draw), target_of(draw))
    except ValueError: return 0  # refused by the estimator, which is looked at later
    case = Case(ask)
    kinds = 2 if draw.sets or not (ask.constraints
                                   or 'positive' in draw.more) else 2 + len(set(case.positives) or {1})
    return kinds**len(case.first) * len(conditions_of(case)) * 2**len(case.costs)

# ------------------------------------------------------------------ proofs

NODE_PROCESS = JavaScript()

def normal(words):
    "Words with what differs between draws taken out."
    return re.sub(r"'[^']*'|[0-9][0-9.e/+-]*", '*', words)[:90]

def proof_failures(draw, certificate, best, objective):
    "What is wrong with the proof of a certificate; `objective` is that of its list, exactly, or None."
    proof, claims = certificate.proof, certificate.is_optimal
    if proof is None or proof.reason:
        if claims and 'proof' not in ' '.join(certificate.lines()):
            yield Failure('weaker', f'optimal without a proof, unsaid: {proof and proof.reason}', '')
        return
    try: text = json.dumps(proof.to_dict())
    except Exception as error:
        yield Failure('crashed', f'to_dict: {type(error).__name__} {normal(str(error))}', str(error))
        return
    weights = None if draw.weights is None else [float(weight) for weight in draw.weights]
    try: verdict = check(json.loads(text), draw.columns, draw.labels, weights)
    except ProofError as error:
        yield Failure('refused', normal(str(error)), str(error))
        return
    if verdict.bound > best: yield Failure('false', 'checker accepts a bound above the best',
                                           f'{verdict.bound} > {best}')
    if objective is not None and verdict.objective != objective:
        yield Failure('false', 'the objective in the proof', f'{verdict.objective} instead of {objective}')
    if claims and float(verdict.bound) != certificate.lower_bound:
        yield Failure('weaker', 'the proof has another bound',
                      f'bound {float(verdict.bound)} of {certificate.lower_bound}')
    if float(verdict.bound) < certificate.lower_bound - NEAR:
        yield Failure('weaker', f'a proof of less ({certificate.status})',
                      f'{float(verdict.bound)} < {certificate.lower_bound}')
    there = NODE_PROCESS.ask_texts(text, csv_text(draw.columns, draw.labels, weights, weight='sample_weight'))
    if there and there.verdict != 'proved':
        yield Failure('refused', f'in JavaScript: {normal(there.reason)}', there.reason)
    elif there and [there.bound, there.objective] != [str(verdict.bound), str(verdict.objective)]:
        yield Failure('false', 'JavaScript says otherwise',
                      f'{there.bound}, {there.objective}; {verdict[1:3]}')

# ------------------------------------------------------------------ what is judged

class Outcome(NamedTuple):
    "What came of a draw."
    # optimal, stopped, heuristic, impossible, none found, invalid (what is asked), error, answered
    status: str
    proofs: int       # that were written
    failures: list    # of `Failure`
    said: str = ''    # what was answered, in words

REFUSALS = re.compile('row to count|has no (positive|negative) row|no (positive|negative) row satisfies|one '
                      'class|groups, must have|has no cell|regularization == 0 with|opposite directions|no '
                      'rule can be worth it')

ROUNDED = {'stopped without a limit', 'none found, without a limit', 'the model is the best, unsaid',
           'a family that is none', 'a family is missing', 'the number of orders',
           'the model breaks constraints',
           'the model breaks min_support', 'an F1 where there is no list',
           'the target where two classes weigh the same'}  # ties, and what is true but for the last digit

def has_unit(draw):
    """Whether the weights are whole multiples of a unit, so few that floats add them up; see the page on
    exact numbers."""
    words = SimpleNamespace(weights=draw.weights, labels=draw.labels,
                            class_weight=draw.params.get('class_weight'))
    for weights in row_weights(words):
        below = math.lcm(*(weight.denominator for weight in weights))
        unit = math.gcd(*(int(weight * below) for weight in weights))
        if sum(weights) * below > 2**39 * unit: return False
    return True

def guarded(judge):
    "A judge of a draw, whose errors are judged too; weights without a unit are judged but for rounding."
    def judged(draw):
        with under(draw.setting): found = answered(judge, draw)
        if not found.failures or has_unit(draw): return found
        return found._replace(failures=[failure for failure in found.failures
                                        if failure.cause not in ROUNDED])
    return judged

def answered(judge, draw):
    "The outcome of a draw, also of one that ends in an error."
    try: return judge(draw)
    except NoRow as error: return judge_without_rows(draw, error)
    except NoneFound as error: return judge_none_found(draw, error)
    except ValueError as error:
        return Outcome('invalid', 0, [], str(error)) if REFUSALS.search(str(error)) else crash(error)
    except Exception as error: return crash(error)

def judge_none_found(draw, error):
    "A search that says it found nothing; without a limit it should find what there is."
    there_is = (draw.stop == 'none' and 'values' not in draw.more
                and least(ask_of(draw, vocabulary_of(draw), target_of(draw))))
    return Outcome('none found', 0, [Failure('weaker', 'none found, without a limit', str(error))]
                   if there_is else [], str(error))

def judge_without_rows(draw, error):
    "A rate that counts no row has to be refused."
    try: quiet(estimator(draw).fit, *data_of(draw))
    except ValueError as refusal: return Outcome('invalid', 0, [], str(refusal))
    return Outcome('answered', 0, [Failure('false', 'an answer where a rate counts no row', str(error))])

def crash(error):
    "The outcome of an error that is not documented."
    ours = [step for step in traceback.extract_tb(error.__traceback__)
            if 'rulebook' in Path(step.filename).parts]
    name = f'{Path(ours[-1].filename).stem}.{ours[-1].name}' if ours else 'the harness'
    return Outcome('error', 0, [Failure('crashed', f'{type(error).__name__} in {name}: {normal(str(error))}',
                                        str(error))])

def unequal(cause, said, true):
    "A false number."
    if abs(said - true) > NEAR: yield Failure('false', cause, f'{said} instead of {float(true)}')

def impossible(error, best):
    "The outcome where it is said that there is no list; `best` is the oracle's answer or None."
    false = best and Failure('false', 'impossible', f'{float(best.objective)}: {best.rules} {best.default}')
    return Outcome('impossible', 0, [false] if best else [], str(error))

def another_target(said, ask):
    "The failure that the rules of a set have another label than they should."
    return Failure('false', 'the target where two classes weigh the same', f'{said} instead of {ask.target}')

def model_failures(ask, model, certificate, best):
    "What is wrong with what a certificate says about its model; `best` is the oracle's answer or None."
    rules, default = rules_of(model)
    yield from unequal('objective of the model', certificate.objective, objective_of(ask, rules, default))
    broken = breaks(ask, rules, default)
    if broken: yield Failure('false', f'the model breaks {", ".join(broken)}', str(rules))
    yield from certificate_failures(certificate, best)

def certificate_failures(certificate, best):
    "What is wrong with the bound of a certificate, and with its word; `best` is the oracle's answer or None."
    least_one, found = inf if best is None else best.objective, []
    if certificate.lower_bound > least_one + NEAR:
        found.append(Failure('false', f'lower bound ({certificate.status})',
                             f'{certificate.lower_bound} > {float(least_one)}'))
    if certificate.is_optimal and certificate.objective > least_one + NEAR:
        found.append(Failure('false', 'optimal',
                             f'{certificate.objective}, but {float(least_one)}: {best.rules} {best.default}'))
    return found

def judge_fit(draw):
    "A fit, its certificate and its proof."
    ask = ask_of(draw, vocabulary_of(draw), target_of(draw))
    best = least(ask)
    try: model = quiet(estimator(draw).fit, *data_of(draw))
    except Impossible as error: return impossible(error, best)
    failures = []
    if draw.sets and model.target_ != ask.target:
        failures = [another_target(model.target_, ask)]
        ask = ask._replace(target=model.target_)
        best = least(ask)
    failures += model_failures(ask, model.model_, model.certificate_, best)
    proof = model.certificate_.proof
    if best is not None:
        failures += proof_failures(draw, model.certificate_, best.objective,
                                   objective_of(ask, *rules_of(model.model_)))
    if draw.stop == 'none' and not model.certificate_.is_optimal:
        failures.append(Failure('weaker', 'stopped without a limit', str(model.certificate_)))
    if draw.stop == 'nodes': failures += repeat_failures(draw, model)
    written = int(proof is not None and not proof.reason)
    return Outcome(model.certificate_.status, written, failures, f'{model.model_}\n{model.certificate_}')

def repeat_failures(draw, model):
    "Work decides where a search is stopped, so the same fit gives the same words."
    again = quiet(estimator(draw).fit, *data_of(draw))
    if again.certificate_.lines() != model.certificate_.lines():
        yield Failure('false', 'the same fit says otherwise', f'{again.certificate_.lines()}')

class Form(NamedTuple):
    "A kind of question."
    asked: object   # what it adds to a draw
    judge: object   # the outcome of a draw

def under_limits(rng, draw):
    "With one or two constraints."
    draw.params.pop('prefix', None)
    draw.params['constraints'] = [limit(rng, draw) for _ in range(rng.integers(1, 3))]
    return draw

def with_costs(rng, draw):
    "With prices for columns, and at times a constraint."
    draw.params.pop('prefix', None)
    some = rng.permutation(list(draw.columns))[:2]
    draw.params['feature_costs'] = {str(name): float(rng.choice([.01, .05, .2, 1e-6, 0])) for name in some}
    return under_limits(rng, draw) if rng.random() < .3 else draw

# ------------------------------------------------------------------ near-optimal lists

def near(rng, draw):
    "With a margin; without a direction, under which rules of the same rows are listed for each label."
    for name in ('monotonic_cst', 'start'): draw.params.pop(name, None)
    draw.params['max_literals'] = int(rng.integers(1, 4))
    draw.more.update(epsilon=float(rng.choice([0, .01, .05, draw.params['regularization'] / 2])),
                     limit=int(rng.choice([3, 1000, 1000])))
    return draw

def key_of(case, model):
    "A list as the oracle names its family."
    rules, default = rules_of(model)
    rows = [(conjunction(case, literals).rows, label) for literals, label in rules]
    return frozenset(rows), tuple(predicted(case, rules, default)[label] for label in case.labels)

def judge_near(draw):
    "The families within a margin, and the certificate of the best one."
    ask, epsilon = ask_of(draw, vocabulary_of(draw), target_of(draw)), draw.more['epsilon']
    X, y, weights = data_of(draw)
    lists, complete, certificate = quiet(estimator(draw).near_optimal, X, y, epsilon, draw.more['limit'],
                                         weights)
    if draw.sets and len(lists) and len(lists.model[0]) and lists.model[0].default.prediction == ask.target:
        ask = ask._replace(target=target_said(lists.model[0]))
    best, case = least(ask), Case(ask)
    failures = certificate_failures(certificate, best)
    listed = {key_of(case, model): (value, orders) for value, orders,
              model in zip(lists.objective, lists.orders, lists.model)}
    if len(listed) < len(lists): failures.append(Failure('false', 'a family twice', ''))
    for value, model in zip(lists.objective, lists.model):
        failures += unequal('objective of a listed one', value, objective_of(ask, *rules_of(model)))
    if certificate.is_optimal: failures += family_failures(near_optimal(ask, epsilon), listed, complete)
    if certificate.is_optimal and len(lists):
        # of several best lists any is proved
        failures += proof_failures(draw, certificate, best.objective, None)
    return Outcome(certificate.status, int(certificate.proof is not None), failures,
                   f'complete: {complete}\n{lists}')

def family_failures(families, listed, complete):
    "What is listed and should not be, or is missing."
    strange = [key for key in listed if key not in families]
    missing = [key for key in families if key not in listed] if complete else []
    if strange:
        yield Failure('false', 'a family that is none', f'{len(strange)} of {len(listed)}: {strange[0]}')
    if missing: yield Failure('false', 'a family is missing',
                              f'{len(missing)} of {len(families)}: {missing[0]}, {families[missing[0]]}')
    orders = [key for key in listed if key in families and families[key][1] != listed[key][1]]
    if orders:
        yield Failure('false', 'the number of orders',
                      f'{listed[orders[0]]} instead of {families[orders[0]]}')

def target_said(model):
    "The label of the rules of a set, by its default."
    return next(label for label in model.classes if label != model.default.prediction)

# ------------------------------------------------------------------ the best F1

def for_f1(rng, draw):
    "Without what does not go with F1, at times under limits."
    for name in ('class_weight', 'min_support', 'prefix'): draw.params.pop(name, None)
    names = classes_of(draw)
    draw.more['positive'] = [None if says_which(draw) else names[-1], *names][rng.integers(3)]
    return under_limits(rng, draw) if rng.random() < .2 else draw

def f1_of(ask, rules, default, positive):
    "F1 of a list, and F1 less penalties, row by row."
    weights, _ = row_weights(ask)
    rows = [(w, y == positive, says(ask, rules, default, row) == positive) for row,
            (w, y) in enumerate(zip(weights, ask.labels)) if w]
    hit, wrong = 2 * sum(w for w, y, p in rows if y and p), sum(w for w, y, p in rows if y != p)
    prices = exact_share(ask.regularization), exact_share(ask.literal_penalty)
    paid = sum(prices[0] + prices[1] * len(literals) for literals, _ in rules) * sum(weights)
    return hit / (hit + wrong), (hit - paid) / (hit + wrong)

def judge_f1(draw):
    "The best F1, and the bound on all others."
    positive, (X, y, weights) = draw.more['positive'], data_of(draw)
    ask = ask_of(draw, vocabulary_of(draw), target_of(draw))
    case = Case(ask)
    positive = case.labels[1] if positive is None else positive
    best = best_f1(ask, positive)
    try: found = quiet(estimator(draw).best_f1, X, y, draw.more['positive'], weights)
    except Impossible as error: return impossible(error, best)
    if best is None:
        return Outcome('answered', 0, [Failure('false', 'an F1 where there is no list', str(found))])
    rules, default = rules_of(found.model.model_)
    f1, value = f1_of(ask, rules, default, positive)
    lightest = min(w for w, y in zip(row_weights(ask)[0], draw.labels) if w and y == positive)
    floor = lightest / (lightest + sum(row_weights(ask)[0]))  # below it nothing is told from 0
    best = max(best.objective, floor)
    failures = [*unequal('F1 of the model', found.f1, f1),
                *unequal('F1 less penalties of the model', found.objective, value)]
    if found.upper_bound < best - NEAR and best > floor:
        failures.append(Failure('false', 'upper bound of F1', f'{found.upper_bound} < {float(best)}'))
    if found.is_optimal and max(found.objective, floor) < best - NEAR:
        failures.append(Failure('false', 'optimal F1', f'{found.objective}, but {float(best)}'))
    broken = breaks(ask, rules, default)
    if broken: failures.append(Failure('false', f'the model breaks {", ".join(broken)}', str(rules)))
    return Outcome('optimal' if found.is_optimal else 'stopped', 0, failures, str(found))

# ------------------------------------------------------------------ curves of a limit

def for_curve(rng, draw):
    "Under limits, the first of which takes several values."
    draw = under_limits(rng, draw)
    draw.more['values'] = sorted({float(rng.integers(0, 11) / 10) for _ in range(3)} | {1 / 3})
    return draw

def judge_curve(draw):
    "The best lists for several values of a limit."
    ask = ask_of(draw, vocabulary_of(draw), target_of(draw))
    truth = curve(ask, draw.more['values'])
    X, y, weights = data_of(draw)
    lines = quiet(estimator(draw).constraint_curve, X, y, draw.more['values'], 0, weights)
    failures, name = [], lines.index.name
    for value, objective, lower_bound, model in zip(lines.index, lines.objective, lines.lower_bound,
                                                    lines.model):
        best, limited = truth[value], ({**ask.constraints[0], name: value}, *ask.constraints[1:])
        here = ask._replace(constraints=limited)
        if model is None:
            failures += impossible(value, best).failures
            continue
        if draw.sets and model.target_ != ask.target:
            return Outcome('answered', 0, [another_target(model.target_, ask)])
        certificate = replace(model.certificate_, objective=objective, lower_bound=lower_bound, status=(
            'optimal' if objective - lower_bound <= NEAR else 'stopped'))
        failures += model_failures(here, model.model_, certificate, best)
    return Outcome('optimal' if (lines.objective - lines.lower_bound <= NEAR).all() else 'stopped', 0,
                   failures, str(lines))

# ------------------------------------------------------------------ certify

def to_certify(rng, draw):
    "A model and the family around it: made up and in words of `certify`, or that of a fit, at times edited."
    of_fit, params = draw.params, {name: draw.params[name] for name in (*FAMILY, 'vocabulary')
                                   if name in draw.params}
    params['regularization'] = params['regularization'] or .02
    draw, literals, labels = draw._replace(params=params), tests(rng, draw.columns), classes_of(draw)
    target = labels[rng.integers(len(labels))]
    def rule(): return ([literals[i] for i in rng.permutation(len(literals))[:rng.integers(1, 3)]],
                        target if draw.sets else labels[rng.integers(len(labels))])
    draw.more.update(rules=[rule() for _ in range(rng.integers(0, 4))],
                     way=str(rng.choice(['made', 'made', 'fitted', 'edited'])),
                     default=next(label for label in labels if label != target),
                     vocabulary=str(rng.choice(['own', 'learned', 'given'])))
    if rng.random() < .3: under_limits(rng, draw)
    if rng.random() < .3:
        draw.params['feature_costs'] = {str(list(draw.columns)[0]): float(rng.choice([.01, .05, 1e-6]))}
    return draw if draw.more['way'] == 'made' else draw._replace(params=of_fit)

# words of `certify`
FAMILY = 'regularization', 'literal_penalty', 'max_rules', 'max_literals', 'constraints', 'feature_costs'

def made_model(draw):
    "A list or set that was made up."
    rules = [Rule(literals_of(some), label) for some, label in draw.more['rules']]
    return RuleList(rules, Rule((), draw.more['default']), classes_of(draw), list(draw.columns), 'y',
                    ordered=not draw.sets)

def edited(draw, fitted):
    "The list of a fit with its last rule left out, or with one more where it has none."
    model = fitted.model_
    rules, default = model.rules[:-1], model.default
    if not model.rules:
        label = fitted.target_ if draw.sets else target_said(model)
        rules = [Rule(literals_of(some), label) for some, _ in draw.more['rules'][:1]]
        # a set that answers its target without rules has the other default with one
        if draw.sets: default = Rule((), next(one for one in model.classes if one != label))
    return RuleList(rules, default, model.classes, model.feature_names, model.target,
                    ordered=model.ordered)

NEGATED = {'<': '>=', '>=': '<', '>': '<=', '<=': '>', '=': '!=', '!=': '=', 'in': 'not in', 'not in': 'in',
           'missing': 'present', 'present': 'missing'}

def certified_literals(draw, model):
    "The literals of the family."
    own = [one for rule in model.rules for one in plain(rule.literals)]
    if draw.more['vocabulary'] == 'own':
        return [side for one in own for side in (one, (one[0], NEGATED[one[1]], one[2]))]
    given = draw.params['vocabulary']
    if draw.more['vocabulary'] == 'given' and isinstance(given, Vocabulary): return plain(given.literals)
    return [*plain(Vocabulary().fit(*data_of(draw)).literals_), *own]

def judge_certify(draw):
    "A list and the family around it, stated or that of a fit."
    limits = {'nodes': {'node_limit': 5}, 'time': {'time_limit': .002}}.get(draw.stop, {'time_limit': None})
    if draw.more['way'] != 'made':
        fitted = quiet(estimator(draw).fit, *data_of(draw))
        ask = ask_of(draw, vocabulary_of(draw), fitted.target_ if draw.sets else None)
        if draw.more['way'] == 'fitted': return judged_model(draw, ask, fitted.model_, fitted, limits)
        return judged_model(draw, ask, *[edited(draw, fitted)] * 2, limits | {'estimator': fitted})
    model, stated = made_model(draw), {name: draw.params[name] for name in FAMILY
                                       if draw.params.get(name) is not None}
    ask = ask_of(draw, certified_literals(draw, model), target_said(model) if draw.sets else None)
    if 'constraints' in stated: stated['constraints'] = [Constraint(**one) for one in stated['constraints']]
    how = draw.more['vocabulary']
    if how == 'given':
        how = draw.params['vocabulary'] if isinstance(draw.params['vocabulary'], Vocabulary) else 'learned'
    return judged_model(draw, ask, model, model, limits | stated | {'vocabulary': how})

def judged_model(draw, ask, model, given, said):
    "What `certify` says about a list, and how true it is; `given` is the list or what fitted it."
    best, (X, y, weights) = least(ask), data_of(draw)
    try: found = quiet(certify, given, X, y, sample_weight=weights, **said)
    except Impossible as error: return impossible(error, best)
    if draw.sets and found.family.sets_for != ask.target:
        return Outcome('answered', 0, [another_target(found.family.sets_for, ask)])
    objective = objective_of(ask, *rules_of(model))
    own = {one for some, _ in rules_of(model)[0] for one in some}
    failures = [*model_failures(ask, found.best, found.found, best),
                *unequal('objective of the judged model', found.objective, objective)]
    kept = 'constraints' not in breaks(ask._replace(literals=(*ask.literals, *own)), *rules_of(model))
    if found.keeps_limits != kept:
        failures.append(Failure('false', 'whether the model keeps limits', f'{found.keeps_limits}'))
    if best is not None:
        failures += verdict_failures(found, objective, best, kept)
        failures += proof_failures(draw, found.found, best.objective,
                                   objective_of(ask, *rules_of(found.best)))
    return Outcome(found.status, int(found.found.proof is not None), failures, str(found))

def verdict_failures(found, objective, best, kept):
    "What is wrong with the word about the judged model."
    if found.lower_bound > best.objective + NEAR and kept:
        yield Failure('false', f'lower bound of the model ({found.status})',
                      f'{found.lower_bound} > {float(best.objective)}')
    if found.status == 'optimal' and (objective > best.objective + NEAR or not kept):
        yield Failure('false', 'the model is called optimal',
                      f'{float(objective)}, best {float(best.objective)}, keeps limits: {kept}')
    if found.status == 'heuristic' and objective <= best.objective + NEAR and kept:
        yield Failure('weaker', 'the model is the best, unsaid', f'{float(objective)}')

FIT, LIMITED, PRICED = (Form(asked, guarded(judge_fit))
                        for asked in (lambda rng, draw: draw, under_limits, with_costs))
F1, CURVE = Form(for_f1, guarded(judge_f1)), Form(for_curve, guarded(judge_curve))
LISTING, CERTIFY = Form(near, guarded(judge_near)), Form(to_certify, guarded(judge_certify))

FORMS = {'': FIT, ' under limits': LIMITED, ' with costs': PRICED, ' near the best': LISTING, ' for F1': F1,
         ' along a limit': CURVE, ' certified': CERTIFY}
FAMILIES = {f'{kind}{name}': form for name, form in FORMS.items() for kind in ('lists', 'sets')}

# ------------------------------------------------------------------ runs

def shown(draw):
    "A draw in one line of Python."
    params = {name: value for name, value in draw.params.items() if value is not None}
    given = params.get('vocabulary')
    if isinstance(given, Vocabulary): params['vocabulary'] = [str(one) for one in given.literals]
    setting = f', setting={draw.setting!r}' if draw.setting else ''
    return f'{draw.columns}, {draw.labels}, weights={draw.weights}, {params}{setting}'

def one(family, seed):
    "One draw in words."
    found = draw(family, seed)
    if found is None: return print('too large')
    print(shown(found).replace('}, [', '},\n[').replace('], weights', '],\nweights'))
    outcome = FAMILIES[family].judge(found)
    print(outcome.status, outcome.said, *outcome.failures, sep='\n')
    NODE_PROCESS.end()

COLUMNS_OF_COUNTS = 'draws', 'optimal', 'stopped', 'impossible', 'proofs', *KINDS

class Found(NamedTuple):
    "A failure of a draw."
    family: str      # of the draw
    seed: int        # of the draw
    failure: object  # a `Failure`

def trials(family, n_draws, first=0):
    """Draws of a family: how many there were of each kind, and a list of `Found`.

    Ends and proofs are counted of draws that no clock stops, so that the counts are always the same.
    """
    counts, found = Counter(), []
    for seed in range(first, first + n_draws):
        asked = draw(family, seed)
        if asked is None: continue
        outcome = FAMILIES[family].judge(asked)
        counts['draws'] += 1
        if asked.stop != 'time': counts.update({outcome.status: 1, 'proofs': outcome.proofs})
        counts.update({failure.kind for failure in outcome.failures})
        found += [Found(family, seed, failure) for failure in outcome.failures]
    return {'family': family} | {name: counts[name] for name in COLUMNS_OF_COUNTS}, found

def report(found):
    "Every kind of failure with its smallest draw, the most frequent first."
    alike = {}
    for some in found: alike.setdefault((some.family, *some.failure[:2]), []).append(some)
    for (family, kind, cause), some in sorted(alike.items(), key=lambda item: -len(item[1])):
        least_one = min(some, key=lambda one: len(shown(draw(family, one.seed))))
        yield (f'{kind}: {cause} ({len(some)} times)\n  python -m tools.trials one {family!r} '
               f'{least_one.seed}\n'
               f'  {least_one.failure.words}\n  {shown(draw(family, least_one.seed))}')

def main(n_draws=100, first=0, *families):
    "Run; print counts and failures; whether there were some."
    n_failures = 0
    spare_memory()
    for family in families or FAMILIES:
        line, found = trials(family, int(n_draws), int(first))
        n_failures += len(found)
        print(', '.join(map(str, line.values())), *report(found), sep='\n\n' if found else '', flush=True)
    NODE_PROCESS.end()
    return n_failures > 0

def spare_memory(most=4 * 2**30):
    "Let a fit that wants too much memory end with an error, where the system can."
    if resource is not None: resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == '__main__':
    if sys.argv[1:2] == ['one']: one(sys.argv[2], int(sys.argv[3]))
    else: sys.exit(main(*sys.argv[1:]))
