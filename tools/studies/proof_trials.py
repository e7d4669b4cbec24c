"""Proofs of many random problems, checked: writes proof-trials.csv.

    python -m tools.studies.proof_trials [how many] [first seed]

The instances and the settings of the search are those of corels_trials and joint_trials: prefixes, directions, few
rules, prices of literals, weights, three labels.  Every search is also stopped at a random step, and the proof of the
bound that it had by then is checked.  `lost` is the largest part of a bound that a proof of a stopped search did not
keep, in penalties.
"""
import json
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np

from rulebook.checker import check
from rulebook.corels import engines
from rulebook.corels.engines import JointSearch
from rulebook.corels.proof import Table, evidence_of, proof_of
from rulebook.problem import Problem
from rulebook.rules import Literal

from .corels_trials import adviser, instance
from .joint_trials import SETTINGS
from .runner import write


def named(dataset):
    "A dataset whose antecedents are made of literals of their own, and the columns of its rows."
    covers, antecedents, columns = dataset.bits.to_bool(), [], {}
    for i, antecedent in enumerate(dataset.antecedents):
        names = [f'c{i}', *(f'c{i}_{j}' for j in range(1, len(antecedent)))]
        antecedents.append(tuple(Literal(name, '=', 1) for name in names))
        columns |= {name: np.ones(len(covers[i]), int) for name in names}
        columns[names[0]] = covers[i].astype(int)
    return replace(dataset, antecedents=tuple(antecedents)), columns

def table_of(dataset, columns):
    "Rows, one for each distinct row and label: columns, labels, weights."
    row, label = np.nonzero(dataset.counts)
    weights = [Fraction(weight) for weight in dataset.counts[row, label].tolist()]
    labels = [dataset.classes[k].item() for k in label]
    return {name: values[row].tolist() for name, values in columns.items()}, labels, weights

def list_of(problem, rules):
    "Literals and label of each rule of the best list with some antecedents, and its default."
    *captured, rest = problem.dataset.captured(rules)
    labels = [int(np.where(may, counts, -1).argmax()) for may, counts in zip(problem.allowed[rules], captured)]
    return [(problem.dataset.antecedents[rule], label) for rule, label in zip(rules, labels)], int(rest.argmax())

def check_search(search, columns, finished):
    "Write the proof of a search and check it: the verdict, and the bytes of the file."
    items, default = list_of(search.problem, search.rules)
    proof = proof_of(evidence_of(search, finished), items, default, finished, Table('y', 'w', None))
    proof.claim = proof.claim._replace(may=may_of(search.problem))
    entry = proof.to_dict()
    entry['table']['rows'] = int(np.count_nonzero(search.problem.dataset.counts))
    text = json.dumps(entry)
    return check(json.loads(text), *table_of(search.problem.dataset, columns)), len(text)

def may_of(problem):
    "Labels that a rule with each literal may have: those of its antecedent."
    return [np.flatnonzero(may).tolist() for may, antecedent in zip(problem.allowed, problem.dataset.antecedents)
            for _ in antecedent]

def run(problem, columns, name, seed, stop=None):
    "Search, to the end or for some steps: the search."
    constants, tactics, options = SETTINGS[name]
    helper = adviser(problem) if seed % 2 else None
    with mock.patch.multiple(engines, **constants):
        search, steps = JointSearch(problem, None, options, (), helper, tactics), 0
        while not search.advance(1) and (stop is None or steps < stop): steps += 1
    return search, steps

def main(n_instances=500, first_seed=0):
    "Check all settings on all instances."
    proved, stopped, lost, size = Counter(), Counter(), Counter(), Counter()
    names = [name for name in SETTINGS if name != 'resumed']  # a resumed search has lost its notes
    for seed in range(first_seed, first_seed + n_instances):
        dataset, regularization, longest, options = instance(seed)
        dataset, columns = named(dataset)
        problem = Problem(dataset, regularization, max_rules=longest, **options)
        for name in names:
            try:
                search, steps = run(problem, columns, name, seed)
                verdict, length = check_search(search, columns, True)
                proved[name, search.by] += 1
                size[name] = max(size[name], length)
                assert verdict.bound >= verdict.objective * (1 - Fraction(1, 10**6)), 'bound'
                if steps < 2: continue
                search, _ = run(problem, columns, name, seed, np.random.default_rng(seed).integers(1, steps))
                if search.finished: continue
                verdict, _ = check_search(search, columns, False)
                stopped[name] += 1
                gone = search.lower_bound - float(verdict.bound)
                lost[name] = max(lost[name], gone / (regularization or 1.))
            except Exception as error: raise SystemExit(f'seed {seed}, {name}: {error!r}') from error
    lines = [{'setting': name, 'proved_by_states': proved[name, 'states'], 'proved_by_cuts': proved[name, 'cuts'],
              'stopped': stopped[name], 'lost': f'{lost[name]:.2g}', 'largest_bytes': size[name]} for name in names]
    write('proof-trials', lines)
    for line in lines: print(*line.values(), sep=', ')


if __name__ == '__main__': main(*map(int, sys.argv[1:]))
