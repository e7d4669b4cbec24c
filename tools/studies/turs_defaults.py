"""TURS by default, by the chapter's search, and with one parameter changed, beside a tree and boosting.

    RULEBOOK_DATA=/folder/with/catalogue.csv python -m tools.studies.turs_defaults [dataset ...]

writes turs-defaults.csv, one line per table and form.  Each learns three quarters of a table (as in
`which_model`) and is measured on the others.  The tree has the number of leaves, up to 128, that three folds
prefer; boosting is scikit-learn's with its defaults; `chapter, prior` is the chapter's set with our prior; a
bag is the mean of twenty models by TURS, each of rows drawn with replacement.  The bag, and TURS with another
parameter, are run where the default took less than SLOW seconds.  Lines that the file has already are not
computed again.

turs-rare.csv has the tables of two classes of which one has less than a tenth of the rows: TURS as it is, and
with the rows of the rare class repeated (a whole `sample_weight`) until both classes weigh about the same.
`found` is the share of the rare rows that `predict` finds; `ranked` is the share of rare rows among the rows
with the highest probability, as many as there are rare ones.
"""
import sys
import warnings
from dataclasses import replace

import numpy as np
from sklearn.ensemble import BaggingClassifier

from rulebook.rules import class_prior
from rulebook.turs.estimator import TURSClassifier

from .defaults import tables
from .peers import CART
from .runner import Table, stored, timed
from .which_model import Boosting, about, divided, scores, size

FORMS = {'default': {}, 'chapter': {'search': 'chapter'}, 'chapter, prior': {'search': 'chapter'},
         'n_cuts=100': {'n_cuts': 100}, 'beam_width=50': {'beam_width': 50}, 'k_stop=20': {'k_stop': 20},
         'local_test=False': {'local_test': False}}
OTHERS = {'bag': lambda: BaggingClassifier(TURSClassifier(), 20, random_state=0),
          'tree': lambda: CART((4, 8, 16, 32, 64, 128)), 'boosting': Boosting}
ALWAYS = 'default', 'chapter', 'chapter, prior', 'tree', 'boosting'
SLOW = 1.5
LEFT_OUT = ('corels-compas-antecedents', 'lire-adult', 'sqf2014',  # doubles of others, or raw
            'turs-aloi', 'turs-backdoor', 'sqf-cpw-2012-2016')  # large
TABLE = Table('turs-defaults', ['dataset', 'form', 'rows', 'columns', 'classes', 'rarest', 'shares_log_loss',
                                'auc', 'log_loss', 'calibration_error', 'never', 'bits', 'rules', 'literals',
                                'cpu_seconds'], ['dataset', 'form'], '.6g')
RARE = Table('turs-rare', ['dataset', 'rows', 'rarest', 'form', 'found', 'ranked', 'auc', 'log_loss',
                           'balanced_accuracy', 'rules'], ['dataset', 'form'], '.6g')


def of_table(table, line):
    """What of a line a table has columns for."""
    return {key: value for key, value in line.items() if key in table.columns}


def shares_of(model, X, labels):
    """The probability of each row's label in `labels`."""
    return model.predict_proba(X)[np.arange(len(labels)), np.searchsorted(model.classes_, np.asarray(labels))]


def line(form, X, X_test, y, y_test):
    """Fit one form and measure it."""
    model = OTHERS[form]() if form in OTHERS else TURSClassifier(**FORMS[form])
    _, seconds = timed(model.fit, X, y)
    if form == 'chapter, prior':
        model.model_ = replace(model.model_, prior=class_prior(y.value_counts().sort_index()))
    found = scores(model, X_test, y_test) | {'cpu_seconds': seconds}
    if form != 'bag': found |= size(model, X_test)
    if form in FORMS:
        never = float((shares_of(model, X_test, y_test) == 0).mean())
        found |= {'bits': model.mdl_score_.total, 'never': never}
    return of_table(TABLE, found)


def rare_lines(facts, X, X_test, y, y_test):
    """What becomes of a rare class, as it is and with its rows repeated."""
    label, rare = y.value_counts().idxmin(), (y_test == y.value_counts().idxmin()).to_numpy()
    times = np.where(y == label, round((y != label).sum() / (y == label).sum()), 1)
    for form, weights in (('default', None), ('repeated', times)):
        model = TURSClassifier().fit(X, y, weights)
        first = np.argsort(-shares_of(model, X_test, [label] * len(y_test)), kind='stable')[:rare.sum()]
        found = {'form': form, 'found': float((model.predict(X_test) == label)[rare].mean()),
                 'ranked': float(rare[first].mean()), 'rules': len(model.model_)}
        yield of_table(RARE, facts | found | scores(model, X_test, y_test))


def is_quick(name):
    """Whether the default takes less than SLOW seconds on a table, by its line in the file."""
    lines = stored('turs-defaults')
    return lines[(lines.dataset == name) & (lines.form == 'default')].cpu_seconds.iloc[0] < SLOW


def one_table(name):
    """The lines of a table that are missing."""
    short, parts = name.split(':')[1], divided(name)
    facts = {'dataset': short, 'columns': parts[0].shape[1], **about(*parts[2:])}
    for form in (*FORMS, *OTHERS):
        if (short, form) in TABLE or form not in ALWAYS and not is_quick(short): continue
        TABLE.append({**of_table(TABLE, facts), 'form': form, **line(form, *parts)})
    rare = facts['classes'] == 2 and facts['rarest'] < .1
    if rare and (short,) not in RARE: RARE.append(*rare_lines(facts, *parts))
    print(short, flush=True)


def main(names):
    """Run the tables that are named, or all but those left out; of two of one name, the first."""
    warnings.simplefilter('ignore')
    TURSClassifier().fit(np.random.default_rng(0).random((200, 2)), np.arange(200) % 2)  # compiles
    for name in tables():
        short = name.split(':')[1]
        if short not in names if names else short in LEFT_OUT: continue
        try: one_table(name)
        except ValueError as error: print(name, error, flush=True)


if __name__ == '__main__': main(sys.argv[1:])
