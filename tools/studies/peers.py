"""What a user would take instead of rulebook, each behind one face: pip install 'rulebook[peers]'

`peers(classes)` gives the rivals that can learn a table with so many classes, by name.  Every rival gets the table as it is and prepares
it here as its package wants it, within the time that is measured: `sees` says how.  `rule_lengths_` is what it asks to be read: the
conditions on the way to each leaf of a tree, the conditions of each rule, one per weighted rule or curve.
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

from rulebook.vocabulary import Vocabulary


# ------------------------------------------------------------------ tables as the packages want them

class Numbers:
    "Words as columns of 0 and 1, holes filled with the median."
    def fit(self, X):
        self.columns, self.medians = pd.get_dummies(X, dummy_na=False).columns, X.median(numeric_only=True)
        return self

    def transform(self, X):
        numbers = pd.get_dummies(X.fillna(self.medians)).reindex(columns=self.columns, fill_value=0).astype(float)
        return numbers.set_axis([f'x{i}' for i in range(numbers.shape[1])], axis=1)


class Literals:
    "The literals of our vocabulary as columns of 0 and 1, one of each pair of opposites (a tree asks both ways)."
    def fit(self, X):
        self.vocabulary = Vocabulary().fit(X)
        columns = self.vocabulary.transform(X)
        seen, self.kept = set(), []
        for k, column in enumerate(np.asarray(columns, dtype=bool).T):
            if column.tobytes() not in seen: self.kept.append(k)
            seen |= {column.tobytes(), (~column).tobytes()}
        return self

    def transform(self, X):
        columns = np.asarray(self.vocabulary.transform(X), dtype=int)[:, self.kept]
        return pd.DataFrame(columns, columns=[f'x{i}' for i in range(columns.shape[1])])


class Same:
    "The table as it is, rows numbered anew."
    def fit(self, X): return self
    def transform(self, X): return X.reset_index(drop=True)


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
    "A rival that answers with the codes of the classes."
    sees = Numbers

    def fit(self, X, y):
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.table_ = self.sees().fit(X)
        with silence(): self.rule_lengths_ = self.learn(self.table_.transform(X), codes)
        return self

    def predict(self, X): return self.classes_[np.asarray(self.answer(self.table_.transform(X))).astype(int)]


class SoftPeer(Peer):
    "A rival that answers with probabilities."
    def predict_proba(self, X):
        shares = np.asarray(self.answer(self.table_.transform(X)), dtype=float)
        return shares / shares.sum(1, keepdims=True)

    def predict(self, X): return self.classes_[self.predict_proba(X).argmax(1)]


def leaf_depths(node, children, depth=0):
    "Depth of each leaf below a node; `children` gives those of a node, or nothing."
    below = children(node)
    return [found for child in below for found in leaf_depths(child, children, depth + 1)] if below else [depth]


def two(node, left, right):
    "Children of a node that is an object."
    return [getattr(node, left), getattr(node, right)] if getattr(node, left, None) is not None else []


# ------------------------------------------------------------------ trees

class CART(SoftPeer):
    "scikit-learn's tree; its leaves chosen by three folds, or grown out."
    def __init__(self, leaves=(4, 8, 16, 32)): self.leaves = leaves

    def learn(self, X, codes):
        tree = DecisionTreeClassifier(random_state=0)
        self.model_ = tree if self.leaves is None else GridSearchCV(tree, {'max_leaf_nodes': self.leaves}, cv=3)
        self.model_.fit(X, codes)
        tree = getattr(self.model_, 'best_estimator_', self.model_).tree_
        return (tree.compute_node_depths() - 1)[tree.children_left < 0].tolist()

    def answer(self, X): return self.model_.predict_proba(X)


class GOSDT(Peer):
    "The optimal sparse tree (gosdt); penalty per leaf as CORELS's per rule."
    sees = Literals
    def __init__(self, regularization=.01): self.regularization = regularization

    def learn(self, X, codes):
        from gosdt import GOSDTClassifier
        self.model_ = GOSDTClassifier(regularization=self.regularization).fit(X, codes)
        return leaf_depths(self.model_.trees_[0].tree, lambda node: two(node, 'left_child', 'right_child'))

    def answer(self, X):
        "By our own walk: gosdt 1.0.4's predict calls scikit-learn by a name that 1.8 removed."
        def walk(node, rows):
            if not hasattr(node, 'feature'): return np.full(len(rows), node.prediction)
            there = rows[:, node.feature] == 1
            found = np.empty(len(rows), int)
            found[there], found[~there] = walk(node.left_child, rows[there]), walk(node.right_child, rows[~there])
            return found
        return walk(self.model_.trees_[0].tree, X.to_numpy())


class STreeD(Peer):
    "The optimal tree of at most so many levels (pystreed)."
    sees = Literals
    def __init__(self, max_depth=3): self.max_depth = max_depth

    def learn(self, X, codes):
        from pystreed import STreeDClassifier
        self.model_ = STreeDClassifier(max_depth=self.max_depth).fit(X, codes)
        return leaf_depths(self.model_.get_tree(), lambda node: two(node, 'left_child', 'right_child'))

    def answer(self, X): return self.model_.predict(X)


class TreeFARMS(Peer):
    "The first tree of the set of near-optimal ones (treefarms)."
    sees = Literals
    def __init__(self, regularization=.01, margin=.01): self.regularization, self.margin = regularization, margin

    def learn(self, X, codes):
        from treefarms import TREEFARMS
        options = {'regularization': self.regularization, 'rashomon_bound_multiplier': self.margin}
        self.model_ = TREEFARMS(options).fit(X, pd.Series(codes, name='class'))[0]
        return leaf_depths(self.model_.source, lambda node: [node[side] for side in ('true', 'false') if side in node])

    def answer(self, X): return self.model_.predict(X)


# ------------------------------------------------------------------ rules

class RIPPER(Peer):
    "RIPPER (wittgenstein), rules for the rarer class; two classes."
    sees = Same

    def learn(self, X, codes):
        from wittgenstein import RIPPER as Ripper
        self.rare_ = int(codes.mean() < .5)
        self.model_ = Ripper(random_state=0)
        self.model_.fit(X, y=codes, pos_class=self.rare_)
        return [len(rule.conds) for rule in self.model_.ruleset_.rules]

    def answer(self, X): return np.where(self.model_.predict(X), self.rare_, 1 - self.rare_)


class CN2(SoftPeer):
    "CN2 (Orange), an ordered list or an unordered set."
    sees = Same
    def __init__(self, ordered=True): self.ordered = ordered

    def learn(self, X, codes):
        from Orange.classification import CN2Learner, CN2UnorderedLearner
        from Orange.data import ContinuousVariable, DiscreteVariable, Domain
        columns = [ContinuousVariable(str(name)) if pd.api.types.is_numeric_dtype(X[name]) and X[name].dtype != bool else
                   DiscreteVariable(str(name), sorted(map(str, X[name].dropna().unique()))) for name in X]
        self.domain_ = Domain(columns, DiscreteVariable('class', list(map(str, range(len(self.classes_))))))
        self.model_ = (CN2Learner if self.ordered else CN2UnorderedLearner)()(self._orange(X, codes))
        return [len(rule.selectors) for rule in self.model_.rule_list if rule.selectors]

    def _orange(self, X, codes=None):
        "The table in Orange's own form."
        from Orange.data import Table
        cells = [X[column.name].to_numpy(float) if column.is_continuous else
                 X[column.name].map({value: k for k, value in enumerate(column.values)} | {True: 1, False: 0}).to_numpy(float)
                 for column in self.domain_.attributes]
        return Table.from_numpy(self.domain_, np.column_stack(cells), np.full(len(X), np.nan) if codes is None else codes.astype(float))

    def answer(self, X): return self.model_(self._orange(X), self.model_.Probs)


class FIGS(SoftPeer):
    "Sums of small trees (imodels)."
    def learn(self, X, codes):
        from imodels import FIGSClassifier
        self.model_ = FIGSClassifier(random_state=0).fit(X, codes)
        return [depth for tree in self.model_.trees_ for depth in leaf_depths(tree, lambda node: two(node, 'left', 'right'))]

    def answer(self, X): return self.model_.predict_proba(X)


class ImodelsRuleFit(SoftPeer):
    "RuleFit (imodels); its linear terms count as one condition each."
    def learn(self, X, codes):
        from imodels import RuleFitClassifier
        self.model_ = RuleFitClassifier(random_state=0).fit(X.to_numpy(), codes)
        kept = self.model_._get_rules()
        return [str(rule).count(' and ') + 1 for rule in kept[kept.coef != 0]['rule']]

    def answer(self, X): return self.model_.predict_proba(X.to_numpy())


# ------------------------------------------------------------------ curves and boosted trees

class FastSparseGAM(SoftPeer):
    "Steps chosen under an L0 penalty (fastsparsegams), the penalty by five folds; two classes."
    sees = Literals

    def learn(self, X, codes):
        import fastsparsegams
        model = fastsparsegams.cvfit(X.to_numpy(float), 2. * codes - 1, loss='Logistic', num_folds=5)
        best = int(np.argmin(model.cv_means[0]))
        self.weights_ = np.asarray(model.coeff(lambda_0=model.lambda_0[0][best]).todense()).ravel()
        return [1] * int((self.weights_[1:] != 0).sum())

    def answer(self, X):
        share = 1 / (1 + np.exp(-self.weights_[0] - X.to_numpy(float) @ self.weights_[1:]))
        return np.column_stack([1 - share, share])


class EBM(SoftPeer):
    "The explainable boosting machine (interpret); its size is the number of curves and surfaces."
    sees = Same

    def learn(self, X, codes):
        from interpret.glassbox import ExplainableBoostingClassifier
        rounds = {} if len(X) > 100 else {'max_rounds': 10}  # so few rows only warm up, and without this limit they take longest
        self.model_ = ExplainableBoostingClassifier(n_jobs=1, random_state=0, **rounds).fit(X, codes)
        return [len(term) for term in self.model_.term_features_]

    def answer(self, X): return self.model_.predict_proba(X)


class LightGBM(SoftPeer):
    "Boosted trees, which nobody reads: the accuracy that is given up."
    def learn(self, X, codes):
        from lightgbm import LGBMClassifier
        self.model_ = LGBMClassifier(n_jobs=1, verbose=-1, random_state=0).fit(X, codes)
        trees = self.model_.booster_.dump_model()['tree_info']
        return [depth for tree in trees for depth in
                leaf_depths(tree['tree_structure'], lambda node: [node[side] for side in ('left_child', 'right_child') if side in node])]

    def answer(self, X): return self.model_.predict_proba(X)


# ------------------------------------------------------------------ the list

PACKAGES = {'CART': 'scikit-learn', 'CART grown out': 'scikit-learn', 'GOSDT': 'gosdt', 'STreeD': 'pystreed', 'TreeFARMS': 'treefarms',
            'RIPPER': 'wittgenstein', 'CN2': 'orange3', 'CN2 unordered': 'orange3', 'FIGS': 'imodels', 'imodels RuleFit': 'imodels',
            'fastsparsegams': 'fastsparsegams', 'EBM': 'interpret-core', 'LightGBM': 'lightgbm'}
TWO_CLASSES = {'RIPPER', 'fastsparsegams', 'imodels RuleFit', 'FIGS', 'TreeFARMS'}


def peers(classes=2):
    "The rivals for a number of classes, by name."
    found = {'CART': CART(), 'CART grown out': CART(leaves=None), 'GOSDT': GOSDT(), 'STreeD': STreeD(), 'TreeFARMS': TreeFARMS(),
             'RIPPER': RIPPER(), 'CN2': CN2(), 'CN2 unordered': CN2(ordered=False), 'FIGS': FIGS(), 'imodels RuleFit': ImodelsRuleFit(),
             'fastsparsegams': FastSparseGAM(), 'EBM': EBM(), 'LightGBM': LightGBM()}
    return {name: model for name, model in found.items() if classes == 2 or name not in TWO_CLASSES}


# A process that is to fit many of them, each in a child of its own, loads the packages once.
_MODULES = ['gosdt', 'pystreed', 'treefarms', 'wittgenstein', 'Orange.classification', 'imodels', 'fastsparsegams',
            'interpret.glassbox', 'lightgbm', *(f'rulebook.{room}' for room in ('corels', 'ssrl', 'dlm', 'turs', 'lire', 'rulefit'))]
for _module in _MODULES if os.environ.get('RULEBOOK_PRELOAD_PEERS') else ():
    with contextlib.suppress(ImportError): importlib.import_module(_module)
