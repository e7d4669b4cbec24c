"""SSRL beside its rivals under ten-fold cross-validation: writes ssrl-rivals.csv.

    RULEBOOK_DATA=<folder> .venv-bench/bin/python -m tools.studies.ssrl_rivals [dataset ...]

SSRL's penalty and the tree's leaves are chosen by three folds inside each training part; the others keep
their defaults. CORELS* is the paper's: CORELS on the thirty literals (deciles) that matter most to a random
forest of depth 10, conjunctions of up to four with a support of at least 0.001, stopped after NODES states.
RIPPER is wittgenstein's, which `make .venv-bench/installed` installs; it, CORELS* and LIRE are for two
classes. Lines that are there are not computed again.
"""
import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from rulebook.corels.estimator import CORELSClassifier
from rulebook.ensembles.lire import LIREClassifier
from rulebook.io.compare import compare
from rulebook.io.datasets import load_dataset
from rulebook.ssrl.estimator import SSRLClassifier
from rulebook.turs.estimator import TURSClassifier
from rulebook.vocabulary import Vocabulary

from . import runner
from .peers import RIPPER

DATASETS = ['iris', 'housevotes', 'mammographic', 'wdbc']
NODES = 20_000


class OneHot(TransformerMixin, BaseEstimator):
    """Text columns as columns of 0 and 1; numbers as they are."""
    def fit(self, X, y=None):
        """Learn the columns."""
        self.columns_ = pd.get_dummies(X).columns
        return self

    def transform(self, X):
        """The columns of a table."""
        return pd.get_dummies(X).reindex(columns=self.columns_, fill_value=0)


class ForestLiterals(TransformerMixin, BaseEstimator):
    """The literals that matter most to a random forest, as columns of False and True."""
    def __init__(self, n_literals=30): self.n_literals = n_literals

    def fit(self, X, y):
        """Grow the forest and choose."""
        self.vocabulary_ = Vocabulary(n_cuts=9).fit(X, y)
        forest = RandomForestClassifier(max_depth=10, random_state=0).fit(self.vocabulary_.transform(X), y)
        self.kept_ = np.sort(np.argsort(-forest.feature_importances_, kind='stable')[:self.n_literals])
        return self

    def transform(self, X):
        """The literals of a table."""
        columns = np.asarray(self.vocabulary_.transform(X), bool)[:, self.kept_]
        return pd.DataFrame(columns, columns=self.vocabulary_.get_feature_names_out()[self.kept_])


def search(estimator, **grid):
    """The best of a grid by three folds."""
    return GridSearchCV(estimator, grid, cv=3)


def models(classes):
    """The estimators for a number of classes."""
    tree = search(DecisionTreeClassifier(random_state=0), max_leaf_nodes=[4, 8, 16, 32])
    found = {'SSRL': search(SSRLClassifier(5., search='paper', default='majority'), regularization=[.5, 1, 5, 10]),
             'CART': make_pipeline(OneHot(), tree), 'TURS': TURSClassifier(search='chapter')}
    if classes > 2: return found
    corels = CORELSClassifier(.01, max_literals=4, literal_penalty=0, min_support=.001, max_antecedents=40_000, node_limit=NODES,
                              vocabulary=Vocabulary(negations=False), time_limit=None)
    return {**found, 'LIRE': LIREClassifier(.001, shrinkage=None), 'CORELS*': make_pipeline(ForestLiterals(), corels),
            'RIPPER': RIPPER()}


def run(names, path=None, **options):
    """Compare on some datasets, and keep the lines in a file; the table."""
    warnings.simplefilter('ignore')
    path = path or runner.place_of('ssrl-rivals')
    tables = {name: load_dataset(name) for name in names}
    return pd.concat([compare(models(y.nunique()), {name: (X, y)}, cv=10, path=path, verbose=0, **options)
                      for name, (X, y) in tables.items()])


def stored():
    """The table as far as it is there, fits without an error; of a line that was made again, the last."""
    table = runner.stored('ssrl-rivals').drop(columns='complete')
    table = table[table['error'].isna() & table['accuracy'].notna()]
    return table.drop_duplicates(['dataset', 'model', 'repeat', 'fold'], keep='last').reset_index(drop=True)


def first_fold(name, chosen):
    """Accuracy of some models on the first fold of a dataset."""
    X, y = load_dataset(name)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=1, random_state=0)
    train, test = next(folds.split(X, y))
    found = models(y.nunique())
    return {model: found[model].fit(X.iloc[train], y.iloc[train]).score(X.iloc[test], y.iloc[test])
            for model in chosen}


if __name__ == '__main__':
    table = run(sys.argv[1:] or DATASETS)
    print(table.groupby(['dataset', 'model'])[['accuracy', 'rules', 'literals']].mean())
