"""What limits on errors cost on three tables: the best rule list that keeps each, and a bound for all that
do.

    RULEBOOK_DATA=... python -m tools.studies.constraints [--quick] [table ...]

COMPAS (groups of race, African-American and Caucasian; positive: arrested again), adult (sex; positive: more
than 50K) and German credit (sex, read from the column `personal_status`; positive: bad).  The column of the
groups is given, but forbidden for the rules, in the fits without a limit too.

constraints.csv: a line for each table, family of lists (rules of any conjunction, or of one condition on few
columns) and limit, and one without a limit.  Each fit may take 60 seconds of the wall clock; `cpu_seconds` is
what it got of them.  The `gap_in_rules` is the gap divided by the penalty, `rate` what the limited rate is
for the list (for groups their difference), `proof` whether the independent checker accepted it.
"""
import sys
import time
from functools import partial
from itertools import product

from rulebook import Constraint, CORELSClassifier, load_dataset
from rulebook.checker import check
from rulebook.columns import plain_cells, read_table

from .runner import FORMER, panel

SECONDS = 60
FAMILIES = {'any': None, 'one': 1}
# of which rules are of one condition
FEW = {'german': ['checking_account', 'duration', 'savings', 'credit_history'],
       'adult': ['age', 'education-num', 'hours-per-week', 'capital-gain']}  # on COMPAS all
DIFFERENCES, RECALLS = (.05, .02), (.9, .95, .99)
COLUMNS = ['table', 'groups', 'conditions', 'penalty', 'limit', 'status', 'objective', 'lower_bound',
           'gap_in_rules', 'errors',
           'rate', 'rules', 'cpu_seconds', 'proof']


def compas():
    """COMPAS with the race of each person."""
    X, y, extras = load_dataset('compas', return_extras=True)
    return X.assign(race=extras.race), y


def german():
    """German credit with the sex of each person."""
    X, y = load_dataset('german')
    return X.assign(sex=X.personal_status.str.split(',').str[0]), y


TABLES = {'compas': compas, 'german': german, 'adult': lambda: load_dataset('folder:adult')}
RACES = {'between': 'race', 'groups': ('African-American', 'Caucasian')}
ABOUT = {  # penalties, columns that are forbidden, groups, positive class
    'compas': ({'any': .01, 'one': .01}, ['race'], RACES, 'yes'),
    # no rule of one condition is worth .02; one column says sex and marriage, and both are forbidden
    'german': ({'any': .02, 'one': .01}, ['sex', 'personal_status'], {'between': 'sex'}, 'bad'),
    'adult': ({'any': .02, 'one': .02}, ['sex'], {'between': 'sex'}, '>50K')}


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


def measure(table, family, limit, train, _):
    """What a line says about one table, family and limit."""
    (X, y), (penalties, forbidden, groups, positive) = train, ABOUT[table]
    penalty = penalties[family]
    if family == 'one' and table in FEW: X = X[[*FEW[table], groups['between']]]
    constraint, line = limits(groups, positive)[limit], {'groups': groups['between'], 'penalty': penalty}
    asked = {'regularization': penalty, 'max_literals': FAMILIES[family],
             'forbidden': [name for name in forbidden if name in X],
             'constraints': None if constraint is None else [constraint]}
    model = CORELSClassifier(time_limit=SECONDS).set_params(**FORMER | asked)
    began = time.process_time()
    try: model.fit(X, y)
    except ValueError as error: return line | {'status': str(error)}
    spent, proof = time.process_time() - began, model.certificate_
    rate = float('nan') if constraint is None else float(model.rates_.rate.max())
    return line | {'status': proof.status, 'objective': proof.objective, 'lower_bound': proof.lower_bound,
                   'gap_in_rules': round(proof.gap / penalty, 6),
                   'errors': round((1 - model.score(X, y)) * len(X)),
                   'rate': rate, 'rules': len(model.model_), 'cpu_seconds': round(spent, 1),
                   'proof': accepted(proof, X, y)}


if __name__ == '__main__':
    for table, about in ABOUT.items():
        models = {one: partial(measure, table, *one) for one in product(FAMILIES, limits(*about[2:]))}
        if not set(sys.argv[1:]) - {'--quick'} or table in sys.argv:
            panel(models, {table: TABLES[table]}, None, COLUMNS, name='constraints',
                  keys=('table', 'conditions', 'limit'),
                  only=['--quick'] if '--quick' in sys.argv else [])
