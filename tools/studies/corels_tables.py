"""The paper's tables for CORELS: its features of the recidivism table, mined pairs, folds, distinct rows."""
import numpy as np
import pandas as pd
from sklearn.model_selection import KFold

from rulebook.bits import BitMatrix
from rulebook.io.datasets import load_dataset
from rulebook.table import merge_rows

AGES = {'18-20': (18, 20), '21-22': (21, 22), '23-25': (23, 25), '26-45': (26, 45), '>45': (46, 999)}
PRIORS = {'= 0': (0, 0), '= 1': (1, 1), '= 2-3': (2, 3), '> 3': (4, 999)}
RACES = ['African-American', 'Caucasian', 'Hispanic']

def propublica(race=False):
    """The paper's features (Table 7) of the recidivism table, with `race` those of Feature Set B: literals,
    labels, and the columns race and decile_score."""
    X, y, extras = load_dataset('bundled:compas', return_extras=True)
    flags = {'sex = male': X.sex == 'Male', 'sex = female': X.sex == 'Female'}
    for name, (low, high) in AGES.items(): flags[f'age = {name}'] = X.age.between(low, high)
    for column in ('juvenile_felonies', 'juvenile_misdemeanors', 'juvenile_crimes'):
        name = column.replace('_', ' ')
        flags[f'{name} = 0'], flags[f'{name} > 0'] = X[column] == 0, X[column] > 0
    for name, (low, high) in PRIORS.items(): flags[f'priors {name}'] = X.priors.between(low, high)
    if race:
        for name in RACES: flags[f'race = {name}'] = extras.race == name
        flags['race = Other'] = ~extras.race.isin(RACES)
    return pd.DataFrame(flags), (y == 'yes').to_numpy().astype(int), extras

def mined(literals, support=.005):
    "Literals and pairs that hold for a share between `support` and 1 - `support` of the rows, by name."
    columns, n = literals.to_numpy(), literals.shape[1]
    sets = [(i,) for i in range(n)] + [(i, j) for j in range(n) for i in range(j)]
    names = [' and '.join(literals.columns[i] for i in items) for items in sets]
    covers = [columns[:, items].all(axis=1) for items in sets]
    return {name: rows for name, rows in zip(names, covers) if support <= rows.mean() <= 1 - support}

def folds(n):
    "Ten folds of n rows, drawn at random once: training and test rows of each."
    return list(KFold(10, shuffle=True, random_state=0).split(np.zeros(n)))

def grouped(covers, y):
    "Distinct rows of `covers` (rules by rows) and how often each label occurs in them."
    bits, counts = merge_rows(BitMatrix.from_bool(covers), np.eye(2)[y])
    return bits.to_bool(), counts
