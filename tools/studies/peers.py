"""What a user would take instead of rulebook, each behind one face: pip install 'rulebook[peers]'

`peers(classes)` gives the rivals that can learn a table with so many classes, by name.  Every rival gets the
table as it is and prepares it here as its package wants it, within the time that is measured: `sees` says
how.  `rule_lengths_` is what it asks to be read: the conditions on the way to each leaf of a tree, the
conditions of each rule, one per weighted rule or curve.  Its package is imported when it learns, so that one
that is not installed stops nothing else.
"""
import contextlib
import importlib
import io
import os

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from rulebook.register import ESTIMATORS
from rulebook.vocabulary import Vocabulary

# ------------------------------------------------------------------ tables as the packages want them

class Numbers:
    "Words as columns of 0 and 1, holes filled with the median."
    def fit(self, X):
        "Learn the columns and the medians."
        self.medians = X.median(numeric_only=True)
        self.columns = pd.get_dummies(X, dummy_na=False).columns
        return self

    def transform(self, X):
        "A table in these columns."
        numbers = pd.get_dummies(X.fillna(self.medians)).reindex(columns=self.columns, fill_value=0)
        return numbered(numbers.astype(float))

class Literals:
    "The literals of our vocabulary as columns of 0 and 1, one of each two opposites (a tree asks both ways)."
    def fit(self, X):
        "Learn the vocabulary, and which of its literals are kept."
        self.vocabulary = Vocabulary().fit(X)
        seen, self.kept = set(), []
        for k, column in enumerate(np.asarray(self.vocabulary.transform(X), dtype=bool).T):
            if column.tobytes() not in seen: self.kept.append(k)
            seen |= {column.tobytes(), (~column).tobytes()}
        return self

    def transform(self, X):
        "The literals of a table."
        columns = np.asarray(self.vocabulary.transform(X), dtype=int)[:, self.kept]
        return numbered(pd.DataFrame(columns))

class Same:
    "The table as it is, rows numbered anew."
    def fit(self, X):
        "Nothing to learn."
        return self

    def transform(self, X):
        "The table."
        return X.reset_index(drop=True)

def numbered(table):
    "A table with plain names for its columns."
    return table.set_axis([f'x{i}' for i in range(table.shape[1])], axis=1)

# ------------------------------------------------------------------ one face

@contextlib.contextmanager
def silence():
    "Nothing on the screen, neither from Python nor from what it calls."
    with contextlib.redirect_stdout(io.StringIO()), open(os.devnull, 'w') as nowhere:
        screen = os.dup(1)
        os.dup2(nowhere.fileno(), 1)
        try: yield
        finally:
            os.dup2(screen, 1)
            os.close(screen)

class Peer(ClassifierMixin, BaseEstimator):
    """A rival that answers with the codes of the classes.

    A subclass writes `_learn(X, codes)`, which gives the lengths of its rules, and `_answer(X)`.
    """
    sees = Numbers

    def fit(self, X, y):
        "Prepare the table and learn."
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.table_ = self.sees().fit(X)
        with silence(): self.rule_lengths_ = self._learn(self.table_.transform(X), codes)
        return self

    def predict(self, X):
        "Labels."
        return self.classes_[np.asarray(self._answer(self.table_.transform(X))).astype(int)]

class SoftPeer(Peer):
    "A rival that answers with probabilities."
    def predict_proba(self, X):
        "Probabilities of the classes."
        shares = np.asarray(self._answer(self.table_.transform(X)), dtype=float)
        return shares / shares.sum(1, keepdims=True)

    def predict(self, X):
        "Labels."
        return self.classes_[self.predict_proba(X).argmax(1)]

def leaf_depths(node, children, depth=0):
    "Depth of each leaf below a node; `children` gives those of a node, or nothing."
    below = children(node)
    if not below: return [depth]
    return [found for child in below for found in leaf_depths(child, children, depth + 1)]

def two(node, left, right):
    "Children of a node that is an object."
    return [getattr(node, left), getattr(node, right)] if getattr(node, left, None) is not None else []

def some(node, *sides):
    "Children of a node that is a dict, those that it has."
    return [node[side] for side in sides if side in node]

# ------------------------------------------------------------------ trees

class CART(SoftPeer):
    "scikit-learn's tree; its leaves chosen by three folds, or grown out."
    def __init__(self, leaves=(4, 8, 16, 32)): self.leaves = leaves

    def _learn(self, X, codes):
        tree = DecisionTreeClassifier(random_state=0)
        search = GridSearchCV(tree, {'max_leaf_nodes': self.leaves}, cv=3)
        self.model_ = (tree if self.leaves is None else search).fit(X, codes)
        tree = getattr(self.model_, 'best_estimator_', self.model_).tree_
        return (tree.compute_node_depths() - 1)[tree.children_left < 0].tolist()

    def _answer(self, X): return self.model_.predict_proba(X)

class GOSDT(Peer):
    "The optimal sparse tree (gosdt); penalty per leaf as CORELS's per rule."
    sees = Literals
    def __init__(self, regularization=.01): self.regularization = regularization

    def _learn(self, X, codes):
        from gosdt import GOSDTClassifier
        self.model_ = GOSDTClassifier(regularization=self.regularization).fit(X, codes)
        return leaf_depths(self.model_.trees_[0].tree, lambda node: two(node, 'left_child', 'right_child'))

    def _answer(self, X):
        "By our own walk: gosdt 1.0.4's predict calls scikit-learn by a name that 1.8 removed."
        def walk(node, rows):
            if not hasattr(node, 'feature'): return np.full(len(rows), node.prediction)
            there = rows[:, node.feature] == 1
            found = np.empty(len(rows), int)
            found[there] = walk(node.left_child, rows[there])
            found[~there] = walk(node.right_child, rows[~there])
            return found
        return walk(self.model_.trees_[0].tree, X.to_numpy())

class STreeD(Peer):
    "The optimal tree of at most so many levels (pystreed)."
    sees = Literals
    def __init__(self, max_depth=3): self.max_depth = max_depth

    def _learn(self, X, codes):
        from pystreed import STreeDClassifier
        self.model_ = STreeDClassifier(max_depth=self.max_depth).fit(X, codes)
        return leaf_depths(self.model_.get_tree(), lambda node: two(node, 'left_child', 'right_child'))

    def _answer(self, X): return self.model_.predict(X)

class TreeFARMS(Peer):
    "The first tree of the set of near-optimal ones (treefarms)."
    sees = Literals
    def __init__(self, regularization=.01, margin=.01):
        self.regularization, self.margin = regularization, margin

    def _learn(self, X, codes):
        from treefarms import TREEFARMS
        options = {'regularization': self.regularization, 'rashomon_bound_multiplier': self.margin}
        self.model_ = TREEFARMS(options).fit(X, pd.Series(codes, name='class'))[0]
        return leaf_depths(self.model_.source, lambda node: some(node, 'true', 'false'))

    def _answer(self, X): return self.model_.predict(X)

# ------------------------------------------------------------------ rules

class RIPPER(Peer):
    "RIPPER (wittgenstein), rules for the rarer class; two classes."
    sees = Same

    def _learn(self, X, codes):
        from wittgenstein import RIPPER as Ripper
        self.rare_ = int(codes.mean() < .5)
        self.model_ = Ripper(random_state=0)
        self.model_.fit(X, y=codes, pos_class=self.rare_)
        return [len(rule.conds) for rule in self.model_.ruleset_.rules]

    def _answer(self, X): return np.where(self.model_.predict(X), self.rare_, 1 - self.rare_)

class CN2(SoftPeer):
    "CN2 (Orange), an ordered list or an unordered set."
    sees = Same
    def __init__(self, ordered=True): self.ordered = ordered

    def _learn(self, X, codes):
        from Orange.classification import CN2Learner, CN2UnorderedLearner
        from Orange.data import ContinuousVariable, DiscreteVariable, Domain
        def column(name):
            values = X[name]
            number = pd.api.types.is_numeric_dtype(values) and values.dtype != bool
            if number: return ContinuousVariable(str(name))
            return DiscreteVariable(str(name), sorted(map(str, values.dropna().unique())))
        label = DiscreteVariable('class', list(map(str, range(len(self.classes_)))))
        self.domain_ = Domain([column(name) for name in X], label)
        self.model_ = (CN2Learner if self.ordered else CN2UnorderedLearner)()(self._orange(X, codes))
        return [len(rule.selectors) for rule in self.model_.rule_list if rule.selectors]

    def _orange(self, X, codes=None):
        "The table in Orange's own form."
        from Orange.data import Table
        def cells(column):
            if column.is_continuous: return X[column.name].to_numpy(float)
            places = {value: k for k, value in enumerate(column.values)} | {True: 1, False: 0}
            return X[column.name].map(places).to_numpy(float)
        columns = [cells(column) for column in self.domain_.attributes]
        labels = np.full(len(X), np.nan) if codes is None else codes.astype(float)
        return Table.from_numpy(self.domain_, np.column_stack(columns), labels)

    def _answer(self, X): return self.model_(self._orange(X), self.model_.Probs)

class FIGS(SoftPeer):
    "Sums of small trees (imodels)."
    def _learn(self, X, codes):
        from imodels import FIGSClassifier
        self.model_ = FIGSClassifier(random_state=0).fit(X, codes)
        def children(node): return two(node, 'left', 'right')
        return [depth for tree in self.model_.trees_ for depth in leaf_depths(tree, children)]

    def _answer(self, X): return self.model_.predict_proba(X)

class ImodelsRuleFit(SoftPeer):
    "RuleFit (imodels); its linear terms count as one condition each."
    def _learn(self, X, codes):
        from imodels import RuleFitClassifier
        self.model_ = RuleFitClassifier(random_state=0).fit(X.to_numpy(), codes)
        kept = self.model_._get_rules()
        return [str(rule).count(' and ') + 1 for rule in kept[kept.coef != 0]['rule']]

    def _answer(self, X): return self.model_.predict_proba(X.to_numpy())

# ------------------------------------------------------------------ curves and boosted trees

class FastSparseGAM(SoftPeer):
    "Steps chosen under an L0 penalty (fastsparsegams), the penalty by five folds; two classes."
    sees = Literals

    def _learn(self, X, codes):
        import fastsparsegams
        model = fastsparsegams.cvfit(X.to_numpy(float), 2. * codes - 1, loss='Logistic', num_folds=5)
        best = int(np.argmin(model.cv_means[0]))
        self.weights_ = np.asarray(model.coeff(lambda_0=model.lambda_0[0][best]).todense()).ravel()
        return [1] * int((self.weights_[1:] != 0).sum())

    def _answer(self, X):
        share = 1 / (1 + np.exp(-self.weights_[0] - X.to_numpy(float) @ self.weights_[1:]))
        return np.column_stack([1 - share, share])

class EBM(SoftPeer):
    "The explainable boosting machine (interpret); its size is the number of curves and surfaces."
    sees = Same

    def _learn(self, X, codes):
        from interpret.glassbox import ExplainableBoostingClassifier
        # a few rows only warm it up, and would take longest without this limit
        rounds = {} if len(X) > 100 else {'max_rounds': 10}
        self.model_ = ExplainableBoostingClassifier(n_jobs=1, random_state=0, **rounds).fit(X, codes)
        return [len(term) for term in self.model_.term_features_]

    def _answer(self, X): return self.model_.predict_proba(X)

class LightGBM(SoftPeer):
    "Boosted trees, which nobody reads: the accuracy that is given up."
    def _learn(self, X, codes):
        from lightgbm import LGBMClassifier
        self.model_ = LGBMClassifier(n_jobs=1, verbose=-1, random_state=0).fit(X, codes)
        trees = self.model_.booster_.dump_model()['tree_info']
        def children(node): return some(node, 'left_child', 'right_child')
        return [depth for tree in trees for depth in leaf_depths(tree['tree_structure'], children)]

    def _answer(self, X): return self.model_.predict_proba(X)

# ------------------------------------------------------------------ the list

PACKAGES = {'CART': 'scikit-learn', 'CART grown out': 'scikit-learn', 'GOSDT': 'gosdt', 'STreeD': 'pystreed',
            'TreeFARMS': 'treefarms', 'RIPPER': 'wittgenstein', 'CN2': 'orange3', 'CN2 unordered': 'orange3',
            'FIGS': 'imodels', 'imodels RuleFit': 'imodels', 'fastsparsegams': 'fastsparsegams',
            'EBM': 'interpret-core', 'LightGBM': 'lightgbm'}
TWO_CLASSES = {'RIPPER', 'fastsparsegams', 'imodels RuleFit', 'FIGS', 'TreeFARMS'}

def peers(classes=2):
    "The rivals for a number of classes, by name."
    found = {'CART': CART(), 'CART grown out': CART(leaves=None), 'GOSDT': GOSDT(), 'STreeD': STreeD(),
             'TreeFARMS': TreeFARMS(), 'RIPPER': RIPPER(), 'CN2': CN2(), 'CN2 unordered': CN2(ordered=False),
             'FIGS': FIGS(), 'imodels RuleFit': ImodelsRuleFit(), 'fastsparsegams': FastSparseGAM(),
             'EBM': EBM(), 'LightGBM': LightGBM()}
    return {name: model for name, model in found.items() if classes == 2 or name not in TWO_CLASSES}

# ------------------------------------------------------------------ loading them beforehand

MODULES = ['gosdt', 'pystreed', 'treefarms', 'wittgenstein', 'Orange.classification', 'imodels',
           'fastsparsegams', 'interpret.glassbox', 'lightgbm',
           *dict.fromkeys(f'rulebook.{one.module}' for one in ESTIMATORS)]

def preload():
    "Import all packages and our own modules, as far as they are installed."
    for module in MODULES:
        with contextlib.suppress(ImportError): importlib.import_module(module)

# a process that is to fit many of them, each in a child of its own, loads them once
if os.environ.get('RULEBOOK_PRELOAD_PEERS'): preload()
