"""CPU seconds of RuleFit at small penalties, the candidates given: writes rulefit-speed.csv.

    RULEBOOK_DATA=... python -m tools.studies.rulefit_speed

rulefit-speed-before.csv holds what the same calls gave with the version of this package before Cholesky
factors and softmax (commit f59b458); only two of them were made with it.
"""
import time
import warnings

from rulebook.ensembles.rulefit import RuleFitClassifier
from rulebook.io.datasets import load_dataset

from .runner import rounded, write

CASES = [('german', 1e-3), ('german', 1e-4), ('german', 1e-5), ('compas', 1e-4), ('fico', 1e-3), ('fico', 2e-4),
         ('wdbc', 1e-4), ('wdbc', 1e-5)]


def lines():
    "One line for each table and penalty."
    for name, penalty in CASES:
        X, y = load_dataset(name)
        rules = RuleFitClassifier(1., random_state=0).fit(X, y).rules_
        start = time.process_time()
        fitted = RuleFitClassifier(penalty, rules=rules).fit(X, y)
        seconds = time.process_time() - start
        yield rounded({'table': name, 'penalty': penalty, 'candidates': len(rules), 'rules': len(fitted.model_),
                       'objective': fitted.certificate_.objective, 'gap': fitted.certificate_.gap,
                       'newton steps': fitted.n_iter_, 'seconds': round(seconds, 2)}, 9)


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    RuleFitClassifier(.05, n_estimators=5).fit(*load_dataset('compas'))  # compiles
    write('rulefit-speed', lines())
