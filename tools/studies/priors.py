"""How many rows the prior of a counted model should have: log loss against that of the class shares.

    RULEBOOK_DATA=... python -m tools.studies.priors

SSRL and TURS learn three quarters of each table of at most 16,000 rows, CORELS those of at most 2,000 in at
most five seconds each; the probabilities of the same model are then smoothed by priors of several weights.
priors.csv: a line for each table, model and weight.
"""
import warnings
from dataclasses import replace

from sklearn.metrics import log_loss

from rulebook.io.datasets import list_datasets
from rulebook.rules import class_prior

from .defaults import tables
from .runner import write
from .which_model import about, divided, model_of

WEIGHTS = .25, .5, 1., 2., 3., 5., 10., 20., 40.
MOST = {'CORELS': 2000, 'SSRL': 16000, 'TURS': 16000}  # rows


def lines_of(name):
    "The lines of one table."
    X, X_test, y, y_test = divided(name)
    least = about(y, y_test)['shares_log_loss']
    for model in [model for model, most in MOST.items() if len(X) + len(X_test) <= most]:
        fitted = model_of(model, 5).fit(X, y)
        counts = [(y == label).sum() for label in fitted.classes_]
        for weight in WEIGHTS:
            shares = replace(fitted.model_, prior=class_prior(counts, weight)).predict_proba(X_test)
            loss = log_loss(y_test, shares, labels=fitted.classes_) / least
            yield {'dataset': name, 'model': model, 'prior': weight, 'loss': round(loss, 4)}


def main():
    "Measure."
    warnings.simplefilter('ignore')
    rows = list_datasets().set_index('name')['rows'].astype(float)
    names = [name for name in tables() if rows[name.split(':')[1]].min() <= max(MOST.values())]
    found = []
    for name in names:
        try: found += lines_of(name)
        except ValueError as error: print(name, error)
    write('priors', found)


if __name__ == '__main__': main()
