"""Random tables, every policy, every bound switched off, per-literal prices, given first rules, restricted labels: search against referee.

python corels-trials.py [n_instances] [first_seed] writes one line per setting to corels-trials.csv beside this file.
"""
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from rulebook.bits import BitMatrix
from rulebook.certificate import enumerate_rule_lists
from rulebook.corels.search import BOUNDS, POLICIES, Search
from rulebook.dataset import Dataset
from rulebook.rules import Literal


def instance(seed):
    "A dataset, a regularization, a largest length, and options that change what is optimal."
    rng = np.random.default_rng(seed)
    n_rules, n_labels, n_rows = rng.integers(1, 7), rng.choice([2, 2, 3, 4]), rng.integers(2, 30)
    covers = rng.random((n_rules, n_rows)) < rng.choice([.2, .5, .8])
    if rng.random() < .3: covers[rng.integers(n_rules)] = covers[rng.integers(n_rules)]
    planted = np.eye(n_labels)[covers.argmax(axis=0) % n_labels]
    pure, noisy = np.eye(n_labels)[rng.integers(0, n_labels, n_rows)], rng.random((n_rows, n_labels)) < .1
    planted = planted * rng.integers(1, 5, (n_rows, 1)) + noisy
    counts = [rng.integers(0, 4, (n_rows, n_labels)), pure, rng.random((n_rows, n_labels)), planted][rng.integers(4)]
    counts = counts + np.eye(n_rows)[0][:, None]
    antecedents = [[Literal(f'x{i}{j}', '=', True) for j in range(rng.integers(1, 4))] for i in range(n_rules)]
    dataset = Dataset.from_counts(antecedents, BitMatrix.from_bool(covers), counts, range(n_labels))
    regularization = float(rng.choice([0, .1, .5, 1, 2]) / counts.sum() if rng.random() < .6 else rng.choice([0, .001, .01, .03]))
    options = {}
    if rng.random() < .5: options['literal_penalty'] = float(rng.choice([.2, .5, 1]) / counts.sum())
    if rng.random() < .3: options['first'] = tuple(map(int, rng.permutation(n_rules)[:rng.integers(1, 3)]))
    if rng.random() < .3: options['allowed'] = rng.random((n_rules, n_labels)) < .7
    for rule in options.get('first', ()):
        if 'allowed' in options: options['allowed'][rule, 0] = True
    longest = None if rng.random() < .6 else int(rng.integers(max(1, len(options.get('first', ()))), 4))
    return dataset, regularization, longest, options


def settings(seed):
    "Every policy, every bound alone, a random set of them, no bound at all."
    some = tuple(name for name in BOUNDS if np.random.default_rng(seed).random() < .5)
    yield from ((f'policy {policy}', dict(policy=policy)) for policy in POLICIES)
    yield from ((f'without {name}', dict(disable=(name,), beam_width=0, trial=0)) for name in BOUNDS)
    yield 'without some', dict(disable=some, policy=POLICIES[seed % len(POLICIES)], beam_width=0, trial=0, n_buckets=16)
    yield 'without any', dict(disable=BOUNDS, beam_width=0)
    yield 'prices everywhere', dict(trial=0, beam_width=0, patience=0, loose=np.inf)


def check(dataset, regularization, longest, options, setting, optimum):
    "Advance by one; the bound must hold at every step, the end must be the optimum, and the list must be worth it."
    search = Search(dataset, regularization, longest, **options, **setting)
    finished, before = False, 0.
    while not finished:
        finished = search.advance(1)
        assert before - 1e-12 <= search.lower_bound <= optimum + 1e-12 <= search.objective + 2e-12, 'bound'
        before = search.lower_bound
    assert abs(search.objective - optimum) < 1e-12 and abs(search.lower_bound - optimum) < 1e-12, 'optimum'
    allowed = options.get('allowed', np.ones((len(dataset.bits), len(dataset.classes)), bool))
    captured = dataset.captured(search.rules)
    right = sum(np.where(allowed[r], c, 0).max() for r, c in zip(search.rules, captured)) + captured[-1].max()
    paid = sum(regularization + options.get('literal_penalty', 0.) * len(dataset.antecedents[r]) for r in search.rules)
    assert abs(1 - right / dataset.total + paid - optimum) < 1e-12, 'list'
    assert tuple(search.rules[:len(options.get('first', ()))]) == options.get('first', ())
    return search


def main(n_instances=2000, first_seed=0):
    runs, programs = Counter(), Counter()
    for seed in range(first_seed, first_seed + n_instances):
        dataset, regularization, longest, options = instance(seed)
        optimum = enumerate_rule_lists(dataset, regularization, longest, **options)[0]
        for name, setting in settings(seed):
            try: search = check(dataset, regularization, longest, options, setting, optimum)
            except Exception as error: raise SystemExit(f'seed {seed}, {name}: {error!r}') from error
            runs[name] += 1
            programs[name] += search.programs
    table = pd.DataFrame({'setting': list(runs), 'runs': list(runs.values()), 'exact': list(runs.values()),
                          'price_programs': [programs[name] for name in runs]})
    table.to_csv(Path(__file__).with_suffix('.csv'), index=False)
    print(table.to_string(index=False))


if __name__ == '__main__': main(*map(int, sys.argv[1:]))
