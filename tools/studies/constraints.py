"""What limits on errors cost on three tables: the best rule list that keeps each, and a bound for all that do.

    RULEBOOK_DATA=... python -m tools.studies.constraints

COMPAS (groups of race, African-American and Caucasian; positive: arrested again), adult (sex; positive: more than 50K)
and German credit (sex, read from the column `personal_status`; positive: bad).  The column of the groups is given,
but forbidden for the rules, in the fits without a limit too.

constraints.csv: a line for each table, family of lists (rules of any conjunction, or of one condition on few
columns) and limit, and one without a limit.  Each fit may take 60 seconds of the wall clock; `cpu_seconds` is what it got of them.  The
`gap_in_rules` is the gap divided by the penalty, `rate` what the limited rate is for the list (for groups their
difference), `proof` whether the independent checker accepted it.
"""
import os
import time
import warnings
from itertools import product

os.environ.setdefault('NUMBA_NUM_THREADS', '1')  # before numba is imported
os.environ.setdefault('OMP_NUM_THREADS', '1')

from rulebook import Constraint, CORELSClassifier, load_dataset
from rulebook.checker import check
from rulebook.columns import plain_cells, read_table

from .runner import FORMER, Table

SECONDS = 60
FAMILIES = {'any': None, 'one': 1}
FEW = {'german': ['checking_account', 'duration', 'savings', 'credit_history'],  # of which rules are of one condition
       'adult': ['age', 'education-num', 'hours-per-week', 'capital-gain']}  # on COMPAS all
DIFFERENCES, RECALLS = (.05, .02), (.9, .95, .99)
TABLE = Table('constraints', ['table', 'groups', 'conditions', 'penalty', 'limit', 'status', 'objective', 'lower_bound',
                              'gap_in_rules', 'errors', 'rate', 'rules', 'cpu_seconds', 'proof'],
              ['table', 'conditions', 'limit'])


def compas():
    "COMPAS with the race of each person: table, labels, penalties, columns forbidden, groups, positive class."
    X, y, extras = load_dataset('compas', return_extras=True)
    groups = {'between': 'race', 'groups': ('African-American', 'Caucasian')}
    return X.assign(race=extras.race), y, {'any': .01, 'one': .01}, ['race'], groups, 'yes'


def adult():
    "Adult, as `compas`."
    X, y = load_dataset('folder:adult')
    return X, y, {'any': .02, 'one': .02}, ['sex'], {'between': 'sex'}, '>50K'


def german():
    "German credit, as `compas`; no rule of one condition is worth .02.  One column says sex and marriage: both are forbidden."
    X, y = load_dataset('german')
    sex = X.personal_status.str.split(',').str[0]
    return X.assign(sex=sex), y, {'any': .02, 'one': .01}, ['sex', 'personal_status'], {'between': 'sex'}, 'bad'


def limits(groups, positive):
    "The constraints by name; None is none."
    rate = 'false positive rate'
    named = {'none': None}
    named |= {f'{rate}s differ by at most {most}': Constraint(rate, at_most=most, positive=positive, **groups)
              for most in DIFFERENCES}
    return named | {f'sensitivity at least {least}': Constraint('recall', at_least=least, positive=positive)
                    for least in RECALLS}


def accepted(proof, X, y):
    "What the checker says to a proof: 'accepted', or why not; it gets all columns, as from a file."
    columns = {name: plain_cells(cells) for name, cells in read_table(X).items()}
    try: check(proof.proof.to_dict(), columns, y.tolist())
    except ValueError as error: return str(error)
    return 'accepted'


def measure(name, family, limit, data):
    "The line of one table, family and limit."
    X, y, penalties, forbidden, groups, positive = data
    penalty = penalties[family]
    if family == 'one' and name in FEW: X = X[[*FEW[name], groups['between']]]
    constraint, line = limits(groups, positive)[limit], {'table': name, 'groups': groups['between'],
                                                         'conditions': family, 'penalty': penalty, 'limit': limit}
    named = [column for column in forbidden if column in X]
    given, longest = None if constraint is None else [constraint], FAMILIES[family]
    asked = {'regularization': penalty, 'max_literals': longest, 'forbidden': named, 'constraints': given}
    model = CORELSClassifier(**FORMER | asked, time_limit=SECONDS)
    began = time.process_time()
    try: model.fit(X, y)
    except ValueError as error: return line | {'status': str(error)}
    spent, proof = time.process_time() - began, model.certificate_
    rate = float('nan') if constraint is None else float(model.rates_.rate.max())
    return line | {'status': proof.status, 'objective': proof.objective, 'lower_bound': proof.lower_bound,
                   'gap_in_rules': round(proof.gap / penalty, 6), 'errors': round((1 - model.score(X, y)) * len(X)), 'rate': rate,
                   'rules': len(model.model_), 'cpu_seconds': round(spent, 1), 'proof': accepted(proof, X, y)}


def main():
    "Measure."
    warnings.simplefilter('ignore')  # stopped searches: the table says so
    for make in (compas, german, adult):
        data, name = make(), make.__name__
        for family, limit in product(FAMILIES, limits(*data[-2:])):
            if (name, family, limit) not in TABLE: TABLE.append(measure(name, family, limit, data))


if __name__ == '__main__': main()
