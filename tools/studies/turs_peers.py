"""CN2 (Orange), RIPPER (wittgenstein) and our own other models, with their defaults, on the folds of
turs_run: writes turs-peers.csv, one line per dataset, fold and method.

    RULEBOOK_DATA=/folder/with/catalogue.csv .venv-bench/bin/python -m tools.studies.turs_peers [dataset ...]

in the environment of `make bench`.  `wine:SSRL` is one method on one dataset.  Lines that the file has
already are not computed again.  A fit that needs more than LIMIT seconds of CPU time is stopped; its line has
no score, and the other folds of that dataset are left out.  RIPPER learns two classes only and answers with a
class, not a probability.
"""
import itertools
import multiprocessing
import resource
import sys
import time
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from rulebook.ensembles.lire import LIREClassifier
from rulebook.ensembles.rulefit import RuleFitClassifier
from rulebook.ssrl.estimator import SSRLClassifier

from .peers import peers
from .runner import Table, stored, timed
from .turs_run import ADBENCH, OTHERS, chapter_folds, chapter_table, macro_auc

FOREST = RandomForestClassifier(100, max_depth=3, random_state=0)
OURS = {'SSRL': SSRLClassifier(5., search='paper', default='majority'),  # each as in its paper
        'LIRE': LIREClassifier(.001, shrinkage=None, random_state=0),
        'RuleFit': RuleFitClassifier(.003, multi_class='ovr', rules=FOREST)}
METHODS, LIMIT = ['CN2 unordered', 'RIPPER', *OURS], 60
TABLE = Table('turs-peers', ['dataset', 'fold', 'method', 'auc', 'rules', 'literals', 'cpu_seconds'],
              ['dataset', 'fold', 'method'], '.6g')


def fit_line(method, X, y, train, test):
    "Fit and measure one fold."
    model = OURS[method] if method in OURS else peers(y.nunique())[method]
    _, seconds = timed(model.fit, X.iloc[train], y.iloc[train])
    new = X.iloc[test]
    if hasattr(model, 'predict_proba'): shares = np.asarray(model.predict_proba(new), float)
    else: shares = (model.predict(new)[:, None] == model.classes_).astype(float)
    ours = method in OURS
    lengths = [len(rule.literals) for rule in model.model_.rules] if ours else model.rule_lengths_
    return {'auc': macro_auc(y.iloc[test].to_numpy(), shares, model.classes_), 'rules': len(lengths),
            'literals': sum(lengths), 'cpu_seconds': seconds}


def limited(task, sender):
    "In a process of its own: send the line, or die at the limit."
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + LIMIT, used + LIMIT + 1))
    warnings.simplefilter('ignore')
    sender.send(fit_line(*task))


def fit_limited(*task):
    "The line of one fit, or one with nothing but the limit."
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context('fork').Process(target=limited, args=(task, sender))
    process.start()
    sender.close()
    try: return receiver.recv()
    except EOFError:
        process.join()
        if process.exitcode >= 0: raise RuntimeError(f'{task[0]} failed; its message stands above') from None
        return {'cpu_seconds': LIMIT}
    finally: process.join()


def stopped_before():
    "Datasets and methods of which a fold was stopped."
    if not TABLE.path.exists(): return set()
    lines = stored('turs-peers')
    return set(map(tuple, lines[lines.auc.isna()][['dataset', 'method']].to_numpy().tolist()))


def tasks(names):
    "Dataset, method, table, labels and folds of everything that is asked for."
    for name, _, only in (name.partition(':') for name in names):
        X, y = chapter_table(name)
        for method in METHODS:
            if only in ('', method) and (method != 'RIPPER' or y.nunique() == 2): yield name, method, X, y
        print(name, flush=True)


def run(names):
    "Append the lines that are missing in the file."
    stopped = stopped_before()
    for name, method, X, y in tasks(names):
        for fold, (train, test) in enumerate(chapter_folds(X, y)):
            if (name, fold, method) in TABLE or (name, method) in stopped: continue
            line = fit_limited(method, X, y, train, test)
            if 'auc' not in line: stopped.add((name, method))
            TABLE.append({'dataset': name, 'fold': fold, 'method': method, **line})


def main(names):
    "Run the datasets that are named, or all."
    warnings.simplefilter('ignore')
    for model, classes in itertools.product(OURS.values(), (2, 3)):  # compile before the clock runs
        model.fit(np.random.default_rng(0).random((200, 2)), np.arange(200) % classes)
    # backdoor has 95,329 rows, which CN2 will not finish
    run(names or sorted({*ADBENCH, *OTHERS} - {'backdoor'}))


if __name__ == '__main__': main(sys.argv[1:])
