"""The search of CORELS against enumeration, on random tables.

    python -m tools.studies.corels_trials [n_instances] [first_seed]

Every policy, every bound switched off, the sparse price program forced, lists from a local search; prices per
literal, rules given first, labels that are not allowed: one line per setting in corels-trials.csv.
"""
import sys
from collections import Counter

import numpy as np

from rulebook.bits import BitMatrix
from rulebook.corels.lists import ListSearch
from rulebook.corels.search import BOUNDS, POLICIES, Search, SearchOptions
from rulebook.dataset import Dataset
from rulebook.problem import Problem
from rulebook.rules import Literal

from .runner import write


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


def settings(seed):
    "Every policy, every bound alone, a random set of them, no bound at all."
    alone = {'beam_width': 0, 'trial': 0}
    some = tuple(name for name in BOUNDS if np.random.default_rng(seed).random() < .5)
    for policy in POLICIES: yield f'policy {policy}', {'policy': policy}
    for name in BOUNDS: yield f'without {name}', {'disable': (name,), **alone}
    policy = POLICIES[seed % len(POLICIES)]
    yield 'without some', {'disable': some, 'policy': policy, **alone, 'n_buckets': 16}
    yield 'without any', {'disable': BOUNDS, 'beam_width': 0}
    yield 'prices everywhere', {**alone, 'patience': 0, 'loose': np.inf}
    yield 'prices for few states', {**alone, 'patience': 1.1e-6, 'loose': np.inf}
    yield 'sparse program', {**alone, 'dense': 0, 'loose': np.inf}
    yield 'sparse programs everywhere', {**alone, 'dense': 0, 'patience': 0, 'loose': np.inf}
    yield 'local search', {**alone, 'dense': 0}


def adviser(problem):
    "A local search over the same lists, where it can be asked."
    if problem.prefix or problem.literal_penalty or not problem.regularization: return None
    return ListSearch(problem, 1)


def check(problem, name, setting, optimum):
    "Advance by one; the bound must hold at every step, and the end must be the optimum."
    helper = adviser(problem) if name == 'local search' else None
    search = Search(problem, options=SearchOptions(**setting), adviser=helper)
    finished, before = False, 0.
    while not finished:
        finished = search.advance(1)
        assert before - 1e-12 <= search.lower_bound <= optimum + 1e-12 <= search.objective + 2e-12, 'bound'
        before = search.lower_bound
    assert abs(search.objective - optimum) < 1e-12 and abs(search.lower_bound - optimum) < 1e-12, 'optimum'
    assert abs(worth(problem, search.rules) - optimum) < 1e-12, 'list'
    assert tuple(search.rules[:len(problem.prefix)]) == problem.prefix
    return search


def worth(problem, rules):
    "The objective of a list, counted anew."
    captured = problem.dataset.captured(rules)
    right = sum(np.where(problem.allowed[r], c, 0).max() for r, c in zip(rules, captured)) + captured[-1].max()
    return 1 - right / problem.dataset.total + sum(problem.costs[r] for r in rules)


def main(n_instances=2000, first_seed=0):
    "Check all settings on all instances."
    runs, programs = Counter(), Counter()
    for seed in range(first_seed, first_seed + n_instances):
        dataset, regularization, longest, options = instance(seed)
        problem = Problem(dataset, regularization, max_rules=longest, **options)
        optimum = problem.enumerate()[0]
        for name, setting in settings(seed):
            try: search = check(problem, name, setting, optimum)
            except Exception as error: raise SystemExit(f'seed {seed}, {name}: {error!r}') from error
            runs[name] += 1
            programs[name] += search.programs
    lines = [{'setting': name, 'runs': runs[name], 'exact': runs[name], 'price_programs': programs[name]}
             for name in runs]
    write('corels-trials', lines)
    for line in lines: print(*line.values(), sep=', ')


if __name__ == '__main__': main(*map(int, sys.argv[1:]))
