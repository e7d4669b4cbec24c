"""Small random problems and the settings of their searches, for pages."""
from contextlib import ExitStack
from unittest import mock

import numpy as np

from rulebook.bits import BitMatrix
from rulebook.corels import search as searching
from rulebook.corels import set_prices
from rulebook.corels.lists import ListSearch
from rulebook.corels.search import Search, SearchOptions
from rulebook.table import Dataset
from rulebook.rules import Literal

def random_counts(rng, covers, n_labels):
    "Counts of labels per row: random, pure, fractions, or a planted list with noise."
    n_rows = covers.shape[1]
    planted = np.eye(n_labels)[covers.argmax(axis=0) % n_labels]
    pure, noisy = np.eye(n_labels)[rng.integers(0, n_labels, n_rows)], rng.random((n_rows, n_labels)) < .1
    planted = planted * rng.integers(1, 5, (n_rows, 1)) + noisy
    kinds = [rng.integers(0, 4, (n_rows, n_labels)), pure, rng.random((n_rows, n_labels)), planted]
    return kinds[rng.integers(4)]

def instance(seed):
    "A dataset, a regularization, a largest length, and options that change what is optimal."
    rng = np.random.default_rng(seed)
    n_rules, n_labels, n_rows = rng.integers(1, 7), rng.choice([2, 2, 3, 4]), rng.integers(2, 30)
    covers = rng.random((n_rules, n_rows)) < rng.choice([.2, .5, .8])
    if rng.random() < .3: covers[rng.integers(n_rules)] = covers[rng.integers(n_rules)]
    counts = random_counts(rng, covers, n_labels)
    counts = counts + np.eye(len(counts))[0][:, None]
    lengths = [rng.integers(1, 4) for _ in range(n_rules)]
    antecedents = [[Literal(f'x{i}{j}', '=', True) for j in range(n)] for i, n in enumerate(lengths)]
    dataset = Dataset.from_counts(antecedents, BitMatrix.from_bool(covers), counts, range(n_labels))
    few = rng.random() < .6
    regularization = rng.choice([0, .1, .5, 1, 2]) / counts.sum() if few else rng.choice([0, .001, .01, .03])
    options = random_options(rng, dataset, counts.sum())
    longest = None if rng.random() < .6 else int(rng.integers(max(1, len(options.get('prefix', ()))), 4))
    return dataset, float(regularization), longest, options

def random_options(rng, dataset, total):
    "A price per literal, rules that are given first, labels that are not allowed."
    options, n_rules = {}, len(dataset.bits)
    if rng.random() < .5: options['literal_penalty'] = float(rng.choice([.2, .5, 1]) / total)
    if rng.random() < .3: options['prefix'] = tuple(map(int, rng.permutation(n_rules)[:rng.integers(1, 3)]))
    if rng.random() < .3: options['allowed'] = rng.random((n_rules, len(dataset.classes))) < .7
    for rule in options.get('prefix', ()):
        if 'allowed' in options: options['allowed'][rule, 0] = True
    return options

OPTIONS = SearchOptions(beam_width=0, trial=0, loose=np.inf)
# sets are priced as soon as pairs are, and their prices used if no worse
AT_ONCE = {'_SHARE': np.inf, '_WORTH': 1}
SETTINGS = {  # constants of the search, rounds of cuts, options
    'as it is': ({}, set_prices._ROUNDS, SearchOptions()),
    'pairs alone': ({}, set_prices._ROUNDS, OPTIONS._replace(prices='pairs')),
    'soon': ({'_SHARE': np.inf}, set_prices._ROUNDS, OPTIONS),
    'sets at once': (AT_ONCE, set_prices._ROUNDS, OPTIONS),
    'few states': (AT_ONCE, 1, OPTIONS._replace(patience=0)),
}

def adviser(problem, seed):
    "For every second seed a local search over the same lists, where it can be asked."
    if problem.prefix or problem.literal_penalty or not problem.regularization or not seed % 2: return None
    return ListSearch(problem, 1)

def search_of(problem, name, helper=None):
    "A search under a setting, whose constants are not set."
    return Search(problem, None, SETTINGS[name][2], (), helper)

def under(name):
    "A context in which the constants of a setting hold."
    changes, rounds, _ = SETTINGS[name]
    found = ExitStack()
    found.enter_context(mock.patch.multiple(searching, **{'_WORTH': searching._WORTH} | changes))
    found.enter_context(mock.patch.object(set_prices, '_ROUNDS', rounds))
    return found

def run(problem, name, seed, stop=None):
    "Search, to the end or for some steps: the search and its steps."
    with under(name):
        search, steps = search_of(problem, name, adviser(problem, seed)), 0
        while not search.advance(1) and (stop is None or steps < stop): steps += 1
    return search, steps
