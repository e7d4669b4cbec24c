"""TURS with its defaults, the chapter's search, and one parameter changed at a time, beside a tree and boosting.

    RULEBOOK_DATA=/folder/with/catalogue.csv python -m tools.studies.turs_defaults [dataset ...]

writes turs-defaults.csv, one line per table and form.  Each learns three quarters of a table (as in
`which_model`) and is measured on the others.  The tree has the number of leaves, up to 128, that three folds
prefer; boosting is scikit-learn's with its defaults.  The forms of TURS with another parameter are run where the
default took less than SLOW seconds.  Lines that the file has already are not computed again.
"""
import sys
import warnings

import numpy as np

from rulebook.turs.estimator import TURSClassifier

from .defaults import tables
from .peers import CART
from .runner import Table, timed
from .which_model import Boosting, about, divided, scores, size

FORMS = {'default': {}, 'chapter': {'search': 'chapter'}, 'n_cuts=100': {'n_cuts': 100},
         'beam_width=50': {'beam_width': 50}, 'k_stop=20': {'k_stop': 20},
         'local_test=False': {'local_test': False}}
RIVALS = {'tree': lambda: CART((4, 8, 16, 32, 64, 128)), 'boosting': Boosting}
SLOW = 1.5
LARGE = ['corels-compas-antecedents', 'lire-adult', 'turs-aloi', 'turs-backdoor', 'sqf-cpw-2012-2016', 'gas']
TABLE = Table('turs-defaults', ['dataset', 'form', 'rows', 'columns', 'classes', 'rarest', 'shares_log_loss', 'auc',
                                'log_loss', 'calibration_error', 'never', 'bits', 'rules', 'literals',
                                'cpu_seconds'], ['dataset', 'form'], '.6g')


def never(model, X, y):
    """Share of the rows whose own label has probability zero."""
    shares = model.predict_proba(X)[np.arange(len(y)), np.searchsorted(model.classes_, np.asarray(y))]
    return float((shares == 0).mean())


def line(form, X, X_test, y, y_test):
    """Fit one form and measure it."""
    model = RIVALS[form]() if form in RIVALS else TURSClassifier(**FORMS[form])
    _, seconds = timed(model.fit, X, y)
    found = scores(model, X_test, y_test) | size(model, X_test) | {'cpu_seconds': seconds}
    if form in FORMS: found |= {'bits': model.mdl_score_.total, 'never': never(model, X_test, y_test)}
    return {key: value for key, value in found.items() if key in TABLE.columns}


def one_table(name):
    """The lines of a table that are missing."""
    short = name.split(':')[1]
    if all((short, form) in TABLE for form in ('default', *RIVALS)): return
    parts = divided(name)
    facts = {'dataset': short, 'columns': parts[0].shape[1], **about(*parts[2:])}
    facts = {key: value for key, value in facts.items() if key in TABLE.columns}
    quick = True
    for form in (*FORMS, *RIVALS):
        if (short, form) in TABLE or not quick and form not in ('default', 'chapter', *RIVALS): continue
        found = line(form, *parts)
        if form == 'default': quick = found['cpu_seconds'] < SLOW
        TABLE.append({**facts, 'form': form, **found})
    print(short, flush=True)


def main(names):
    """Run the tables that are named, or all but the largest; of two of one name, the first."""
    warnings.simplefilter('ignore')
    TURSClassifier().fit(np.random.default_rng(0).random((200, 2)), np.arange(200) % 2)  # compiles
    for name in tables():
        short = name.split(':')[1]
        if short not in names if names else short in LARGE: continue
        try: one_table(name)
        except ValueError as error: print(name, error, flush=True)


if __name__ == '__main__': main(sys.argv[1:])
