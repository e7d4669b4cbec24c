"""What a user would take instead of rulebook, each behind one face: pip install 'rulebook[peers]'

`rival(name)` gives one as an estimator.  Every rival gets the table as it is and prepares it here as its
package wants it, within the time that is measured: `sees` says how.  `rule_lengths_` is what it asks to be
read: the conditions on the way to each leaf of a tree, the conditions of each rule, one per weighted rule or
curve.  Packages are imported when they are needed, so that one that is not installed stops nothing else.
"""
import contextlib
import io
import os
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.metaestimators import available_if

from rulebook.literals.vocabulary import Vocabulary

# ------------------------------------------------------------------ tables as the packages want them

def numbers(X):
    "Words as columns of 0 and 1, holes filled with the median."
    medians, columns = X.median(numeric_only=True), pd.get_dummies(X, dummy_na=False).columns
    def flags(X): return pd.get_dummies(X.fillna(medians)).reindex(columns=columns, fill_value=0)
    return lambda X: numbered(flags(X).astype(float))

def literals(X):
    "The literals of our vocabulary as columns of 0 and 1, one of each two opposites (a tree asks both ways)."
    vocabulary, seen, kept = Vocabulary().fit(X), set(), []
    for k, column in enumerate(np.asarray(vocabulary.transform(X), dtype=bool).T):
        if column.tobytes() not in seen: kept.append(k)
        seen |= {column.tobytes(), (~column).tobytes()}
    return lambda X: numbered(pd.DataFrame(np.asarray(vocabulary.transform(X), dtype=int)[:, kept]))

def same(X):
    "The table as it is, rows numbered anew."
    return lambda X: X.reset_index(drop=True)

def numbered(table):
    "A table with plain names for its columns."
    return table.set_axis([f'x{i}' for i in range(table.shape[1])], axis=1)

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

# ------------------------------------------------------------------ rivals

class Rival(NamedTuple):
    "How a rival learns and answers, and what has to be read of it."
    package: str               # on the package index
    learn: Callable            # of a table and codes of classes: a fitted model
    lengths: Callable          # of the model: conditions of each rule
    sees: Callable = numbers   # of rows to learn from: what makes a table as it wants it
    answer: Callable = lambda model, X: model.predict_proba(X)  # probabilities, or codes if it is not soft
    soft: bool = True          # whether it answers with probabilities
    many: bool = True          # whether it takes more than two classes

def learned(path, **options):
    "A function that imports a class of a package and fits it."
    module, _, name = path.rpartition('.')
    return lambda X, codes: getattr(import_module(module), name)(**options).fit(X, codes)

def depths(node, *sides, depth=0):
    "Depth of each leaf below a node, an object or a dict, whose children have these names."
    found = [node.get(side) if isinstance(node, dict) else getattr(node, side, None) for side in sides]
    below = [child for child in found if child is not None]
    return [leaf for child in below for leaf in depths(child, *sides, depth=depth + 1)] if below else [depth]

def leaves(model):
    "Depths of the leaves of scikit-learn's tree."
    tree = getattr(model, 'best_estimator_', model).tree_
    return (tree.compute_node_depths() - 1)[tree.children_left < 0].tolist()

def codes_of(model, X):
    "Codes of classes."
    return model.predict(X)

def walk(node, rows):
    "GOSDT's answers, by our own walk: predict of gosdt 1.0.4 calls scikit-learn by a name that is gone."
    if not hasattr(node, 'feature'): return np.full(len(rows), node.prediction)
    there, found = rows[:, node.feature] == 1, np.empty(len(rows), int)
    found[there], found[~there] = walk(node.left_child, rows[there]), walk(node.right_child, rows[~there])
    return found

def treefarms(X, codes):
    "The first tree of the set of near-optimal ones."
    from treefarms import TREEFARMS
    options = {'regularization': .01, 'rashomon_bound_multiplier': .01}
    return TREEFARMS(options).fit(X, pd.Series(codes, name='class'))[0]

def ripper(X, codes):
    "Rules for the rarer class."
    from wittgenstein import RIPPER
    model = RIPPER(random_state=0)
    model.rare = int(codes.mean() < .5)
    model.fit(X, y=codes, pos_class=model.rare)
    return model

class Orange:
    "A learner of Orange, which has tables of its own."
    def __init__(self, learner, X, codes):
        from Orange.classification import rules
        from Orange.data import ContinuousVariable, DiscreteVariable, Domain
        def column(name):
            values = X[name]
            number = pd.api.types.is_numeric_dtype(values) and values.dtype != bool
            if number: return ContinuousVariable(str(name))
            return DiscreteVariable(str(name), sorted(map(str, values.dropna().unique())))
        label = DiscreteVariable('class', list(map(str, range(codes.max() + 1))))
        self.domain = Domain([column(name) for name in X], label)
        self.model = getattr(rules, learner)()(self.table(X, codes.astype(float)))

    def table(self, X, codes):
        "The table in Orange's own form."
        from Orange.data import Table
        def cells(column):
            if column.is_continuous: return X[column.name].to_numpy(float)
            places = {value: k for k, value in enumerate(column.values)} | {True: 1, False: 0}
            return X[column.name].map(places).to_numpy(float)
        return Table.from_numpy(self.domain, np.column_stack([*map(cells, self.domain.attributes)]), codes)

    def predict_proba(self, X):
        "Probabilities of the classes."
        return self.model(self.table(X, np.full(len(X), np.nan)), self.model.Probs)

    def lengths(self):
        "Conditions of each rule."
        return [len(rule.selectors) for rule in self.model.rule_list if rule.selectors]

def cn2(learner):
    "CN2 of Orange."
    return Rival('orange3', lambda X, codes: Orange(learner, X, codes), Orange.lengths, same)

def rulefit_lengths(model):
    "Conditions of the rules of imodels' RuleFit; a linear term counts as one."
    kept = model._get_rules()
    return [str(rule).count(' and ') + 1 for rule in kept[kept.coef != 0]['rule']]

def steps(X, codes):
    "Weights of steps chosen under an L0 penalty, the penalty by five folds."
    import fastsparsegams
    model = fastsparsegams.cvfit(X.to_numpy(float), 2. * codes - 1, loss='Logistic', num_folds=5)
    best = int(np.argmin(model.cv_means[0]))
    return np.asarray(model.coeff(lambda_0=model.lambda_0[0][best]).todense()).ravel()

def of_steps(weights, X):
    "Probabilities under weights of steps."
    share = 1 / (1 + np.exp(-weights[0] - X.to_numpy(float) @ weights[1:]))
    return np.column_stack([1 - share, share])

def fasterrisk(X, codes):
    "FasterRisk's best score of five terms."
    from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer
    optimizer = RiskScoreOptimizer(X.to_numpy(float), 2. * codes - 1, k=5)
    optimizer.optimize()
    multiplier, intercept, points = optimizer.get_models(model_index=0)
    return RiskScoreClassifier(multiplier, intercept, points)

def of_score(model, X):
    "Probabilities under FasterRisk's score."
    share = model.predict_prob(X.to_numpy(float))
    return np.column_stack([1 - share, share])

def ebm(X, codes):
    "The explainable boosting machine; a few rows only warm it up, and would take longest unlimited."
    rounds = {} if len(X) > 100 else {'max_rounds': 10}
    path = 'interpret.glassbox.ExplainableBoostingClassifier'
    return learned(path, n_jobs=1, random_state=0, **rounds)(X, codes)

def pruned(X, codes):
    "scikit-learn's tree, its leaves chosen by three folds."
    tree = DecisionTreeClassifier(random_state=0)
    return GridSearchCV(tree, {'max_leaf_nodes': (4, 8, 16, 32)}, cv=3).fit(X, codes)

RIVALS = {
    'CART': Rival('scikit-learn', pruned, leaves),
    'CART grown out': Rival('scikit-learn', learned('sklearn.tree.DecisionTreeClassifier', random_state=0),
                            leaves),
    # the optimal sparse tree; penalty per leaf as CORELS's per rule
    'GOSDT': Rival('gosdt', learned('gosdt.GOSDTClassifier', regularization=.01),
                   lambda model: depths(model.trees_[0].tree, 'left_child', 'right_child'), literals,
                   lambda model, X: walk(model.trees_[0].tree, X.to_numpy()), soft=False),
    # the optimal tree of at most three levels
    'STreeD': Rival('pystreed', learned('pystreed.STreeDClassifier', max_depth=3),
                    lambda model: depths(model.get_tree(), 'left_child', 'right_child'), literals, codes_of,
                    soft=False),
    'TreeFARMS': Rival('treefarms', treefarms, lambda model: depths(model.source, 'true', 'false'), literals,
                       codes_of, soft=False, many=False),
    'RIPPER': Rival('wittgenstein', ripper,
                    lambda model: [len(rule.conds) for rule in model.ruleset_.rules], same,
                    lambda model, X: np.where(model.predict(X), model.rare, 1 - model.rare), soft=False,
                    many=False),
    'CN2': cn2('CN2Learner'),
    'CN2 unordered': cn2('CN2UnorderedLearner'),
    # sums of small trees
    'FIGS': Rival('imodels', learned('imodels.FIGSClassifier', random_state=0), lambda model: [
        depth for tree in model.trees_ for depth in depths(tree, 'left', 'right')], many=False),
    'imodels RuleFit': Rival('imodels', lambda X, codes: learned('imodels.RuleFitClassifier', random_state=0)(
        X.to_numpy(), codes), rulefit_lengths, answer=lambda model, X: model.predict_proba(X.to_numpy()),
        many=False),
    'fastsparsegams': Rival('fastsparsegams', steps, lambda weights: [1] * int((weights[1:] != 0).sum()),
                            literals, of_steps, many=False),
    # its size is the number of curves and surfaces
    'EBM': Rival('interpret-core', ebm, lambda model: [len(term) for term in model.term_features_], same),
    # boosted trees, which nobody reads: the accuracy that is given up
    'LightGBM': Rival('lightgbm', learned('lightgbm.LGBMClassifier', n_jobs=1, verbose=-1, random_state=0),
                      lambda model: [depth for tree in model.booster_.dump_model()['tree_info'] for depth
                                     in depths(tree['tree_structure'], 'left_child', 'right_child')]),
}
PACKAGES = {name: rival.package for name, rival in RIVALS.items()}
# whole points of five terms: compared on a page of their own, and not in the panel; fasterrisk 0.1.10 asks
# for scikit-learn 1.2.0, and runs with today's: pip install --no-deps fasterrisk
SCORES = {
    'FasterRisk': Rival('fasterrisk', fasterrisk, lambda model: [1] * np.count_nonzero(model.coefficients),
                        literals, of_score, many=False),
    'FastRiskScore': Rival('imodels', learned('imodels.FastRiskScoreClassifier', k=5),
                           lambda model: [1] * len(model.points_), many=False),
}
ALL = RIVALS | SCORES

class TreeLearner(NamedTuple):
    "A package that looks for the best tree at a price per leaf, over columns of 0 and 1."
    learn: Callable   # of columns, codes and the price: a fitted model, after at most ten seconds
    leaves: Callable  # of the model: their number

def priced(path, price_name, **options):
    "A function that imports a class of a package and fits it under a price."
    return lambda X, codes, price: learned(path, **options, **{price_name: price})(X, codes)

# all but the two last look at trees of any depth
PRICED_TREES = {
    'FastSmallTree': TreeLearner(priced('imodels.FastSmallTreeClassifier', 'regularization', time_limit=10),
                                 lambda model: model.n_leaves_),
    'GOSDT': TreeLearner(priced('gosdt.GOSDTClassifier', 'regularization', time_limit=10),
                         lambda model: len(depths(model.trees_[0].tree, 'left_child', 'right_child'))),
    'STreeD': TreeLearner(priced('pystreed.STreeDClassifier', 'cost_complexity', time_limit=10, max_depth=4,
                                 optimization_task='cost-complex-accuracy'),
                          lambda model: len(depths(model.get_tree(), 'left_child', 'right_child'))),
    'ConTree': TreeLearner(priced('pycontree.ConTree', 'complexity_cost', time_limit=10, max_depth=4),
                           lambda model: model.get_num_leaf_nodes()),
}

class TreeCounter(NamedTuple):
    "A package that counts all trees that are nearly as good as the best one."
    package: str      # on the package index
    count: Callable   # of a table as it wants it, codes, the price of a leaf, a budget: a fitted model
    sees: Callable    # as that of a rival

def counted(path, levels, **options):
    "A function that counts the trees of at most so many levels; exact, as each of them is looked ahead."
    module, _, name = path.rpartition('.')
    options |= {'depth_budget': levels, 'lookahead_k': levels - 1, 'key_mode': 'exact'}
    def count(X, codes, price, **budget):
        model = getattr(import_module(module), name)()
        model.fit(X, codes, lambda_reg=price, **options, **budget)
        return model
    return count

# a level less for the second, which tries every cut of the numbers
ALL_TREES = {
    'PRAXIS': TreeCounter('tree-praxis', counted('praxis.PRAXIS', 5), literals),
    'ArborEnum': TreeCounter('arborenum', counted('arborenum.ArborEnum', 4, proxy_mode='continuous'),
                             numbers),
}

class Peer(ClassifierMixin, BaseEstimator):
    "A rival by its name, as an estimator."
    def __init__(self, name='CART'): self.name = name

    def fit(self, X, y):
        "Prepare the table and learn."
        rival, (self.classes_, codes) = ALL[self.name], np.unique(np.asarray(y), return_inverse=True)
        self.table_ = rival.sees(X)
        with silence():
            self.model_ = rival.learn(self.table_(X), codes)
            self.rule_lengths_ = rival.lengths(self.model_)
        return self

    def _answer(self, X): return np.asarray(ALL[self.name].answer(self.model_, self.table_(X)))

    @available_if(lambda self: ALL[self.name].soft)
    def predict_proba(self, X):
        "Probabilities of the classes."
        shares = self._answer(X).astype(float)
        return shares / shares.sum(1, keepdims=True)

    def predict(self, X):
        "Labels."
        soft = ALL[self.name].soft
        return self.classes_[self.predict_proba(X).argmax(1) if soft else self._answer(X).astype(int)]

NAMES = {'scikit-learn': 'sklearn', 'orange3': 'Orange', 'interpret-core': 'interpret.glassbox'}

def rival(name):
    "A rival as an estimator; ModuleNotFoundError if its package is not installed."
    package = ALL[name].package
    import_module(NAMES.get(package, package))  # here: no fit waits for it, or keeps quiet about it
    return Peer(name)
