"""Branch and cut against enumeration, on random tables.

    python -m tools.studies.branch_trials [n_instances] [first_seed]

The engine is forced, from the default alone or from nothing: with every tactic switched off in turn, few rounds
of cuts, few candidates, nearly no pivots, and restored from its own state again and again. One line per setting
in branch-trials.csv. The instances are those of corels_trials.
"""
import sys
from collections import Counter

from rulebook.corels.branch import BranchSearch, Tactics, covering_of
from rulebook.corels.search import Search
from rulebook.problem import Problem

from .corels_trials import instance, worth
from .runner import write

SWITCHES = 'sets', 'fixing', 'trials', 'rounding', 'number'
SETTINGS = {'as it is': {}, **{f'without {name}': {'disable': (name,)} for name in SWITCHES},
            'without any': {'disable': SWITCHES}, 'no rounds': {'rounds': 0, 'first_rounds': 0},
            'one round': {'rounds': 1, 'first_rounds': 1}, 'one candidate': {'candidates': 1, 'reliable': 0},
            'trials of one pivot': {'pivots': 1, 'reliable': 100}, 'every slack cut goes': {'age': 0},
            'few starts': {'starts': 2, 'leap': 100.}, 'restored': {'rounds': 1, 'candidates': 2}}


def begin(search, problem, seed, setting):
    """The engine for a problem that `Search` has reduced, from the default alone or from nothing."""
    most = None if problem.max_rules is None else problem.max_rules - len(problem.prefix)
    upper = search.upper if seed % 2 else 2**60
    return BranchSearch(covering_of(search.reduced, most), upper, tactics=Tactics(**setting))


def check(problem, seed, name, optimum):
    """Advance by one; the bound must hold at every step, and the end must be the optimum."""
    search = Search(problem)
    share, make = search.grains.share, lambda: begin(search, problem, seed, SETTINGS[name])
    engine, finished, before, n_steps = make(), False, 0, 0
    while not finished:
        finished = engine.advance(1)
        n_steps += 1
        assert before <= engine.lower, 'the bound fell'
        assert share(engine.lower) <= optimum + 1e-12, 'bound'
        assert optimum <= share(engine.upper) + 1e-12, 'list'
        before = engine.lower
        if name == 'restored' and not finished and n_steps % 15 == 0:
            state, engine = engine.state(), make()
            engine.restore(state)
    assert engine.lower == engine.upper and abs(share(engine.upper) - optimum) < 1e-12, 'optimum'
    if engine.rules is None: assert engine.upper == search.upper, 'no list'
    rules = [*problem.prefix, *search.kept[engine.rules or []].tolist()]
    assert abs(worth(problem, rules) - optimum) < 1e-12, 'evaluated'
    assert problem.max_rules is None or len(rules) <= problem.max_rules, 'too long'
    return engine, n_steps


def main(n_instances=2200, first_seed=0):
    """Check all settings on all instances."""
    runs, nodes, steps = Counter(), Counter(), Counter()
    for seed in range(first_seed, first_seed + n_instances):
        dataset, regularization, longest, options = instance(seed)
        problem = Problem(dataset, regularization, max_rules=longest, **options)
        optimum = problem.enumerate()[0]
        for name in SETTINGS:
            try: engine, n_steps = check(problem, seed, name, optimum)
            except Exception as error: raise SystemExit(f'seed {seed}, {name}: {error!r}') from error
            runs[name] += 1
            nodes[name] += engine.nodes
            steps[name] += n_steps
    lines = [{'setting': name, 'runs': runs[name], 'exact': runs[name], 'nodes': nodes[name],
              'programs': steps[name]} for name in runs]
    write('branch-trials', lines)
    for line in lines: print(*line.values(), sep=', ')


if __name__ == '__main__': main(*map(int, sys.argv[1:]))
