"""The joint search of CORELS against enumeration, on random tables.

    python -m tools.studies.joint_trials [n_instances] [first_seed]

Both engines from the first step on, in several proportions; with prices on sets wherever they can be had; branch
and cut alone, with each of its parts switched off: one line per setting in joint-trials.csv.
"""
import sys
from collections import Counter
from unittest import mock

import numpy as np

from rulebook.corels import engines
from rulebook.corels.branch import Tactics
from rulebook.corels.engines import JointSearch
from rulebook.corels.search import SearchOptions
from rulebook.problem import Problem

from .corels_trials import adviser, instance, worth
from .runner import write

OPTIONS = SearchOptions(beam_width=0, trial=0, loose=np.inf)
SETTINGS = {
    'as it is': ({'_ALONE': engines._ALONE}, Tactics(), SearchOptions()),
    'soon': ({'_ALONE': 0., '_FIRST': 1e6}, Tactics(), OPTIONS),
    'sets at once': ({'_ALONE': 0., '_FIRST': 1e6, '_WORTH': 1e6}, Tactics(), OPTIONS),
    'few states': ({'_ALONE': 0., '_FIRST': 1e6, '_WORTH': 1e6}, Tactics(rounds=1), OPTIONS._replace(patience=0)),
    'cuts ahead': ({'_ALONE': 0., '_FIRST': 1e6, '_FAVOUR': 0., '_MINOR': 1e9}, Tactics(), OPTIONS),
    'states ahead': ({'_ALONE': 0., '_FIRST': 1e6, '_FAVOUR': np.inf}, Tactics(), OPTIONS),
    'resumed': ({'_ALONE': 0., '_FIRST': 1e6, '_WORTH': 1e6}, Tactics(), OPTIONS),
    **{f'cuts without {name}': ({'_ALONE': 0., '_FIRST': 1e6, '_FAVOUR': 0., '_MINOR': 1e9},
                                Tactics(disable=(name,)), OPTIONS)
       for name in ('sets', 'fixing', 'trials', 'rounding', 'number')},
}


def check(problem, name, optimum, seed):
    "Advance step by step; the bound must hold at every one, and the end must be the optimum."
    constants, tactics, options = SETTINGS[name]
    helper = adviser(problem) if seed % 2 else None
    def fresh(): return JointSearch(problem, None, options, (), helper, tactics)
    with mock.patch.multiple(engines, **constants):
        search, finished, before, steps = fresh(), False, 0., 0
        while not finished:
            finished, steps = search.advance(1), steps + 1
            assert before - 1e-9 <= search.lower_bound <= optimum + 1e-12 <= search.objective + 2e-12, 'bound'
            before = search.lower_bound
            if name == 'resumed' and not finished and steps % 7 == 0:
                state, search = search.state(), fresh()
                search.restore(state)
        slack = 1e-5 * problem.regularization if search.by == 'cuts' else 1e-12
    assert abs(search.objective - optimum) <= slack + 1e-12, 'optimum'
    assert abs(worth(problem, search.rules) - search.objective) < 1e-12, 'list'
    return search


def main(n_instances=2000, first_seed=0):
    "Check all settings on all instances."
    runs, cuts, sets = Counter(), Counter(), Counter()
    for seed in range(first_seed, first_seed + n_instances):
        dataset, regularization, longest, options = instance(seed)
        problem = Problem(dataset, regularization, max_rules=longest, **options)
        optimum = problem.enumerate()[0]
        for name in SETTINGS:
            try: search = check(problem, name, optimum, seed)
            except Exception as error: raise SystemExit(f'seed {seed}, {name}: {error!r}') from error
            runs[name] += 1
            cuts[name] += search.by == 'cuts'
            sets[name] += search.repriced
    lines = [{'setting': name, 'runs': runs[name], 'exact': runs[name], 'by_cuts': cuts[name],
              'prices_on_sets': sets[name]} for name in runs]
    write('joint-trials', lines)
    for line in lines: print(*line.values(), sep=', ')


if __name__ == '__main__': main(*map(int, sys.argv[1:]))
