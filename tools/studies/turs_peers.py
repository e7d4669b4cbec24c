"""CN2 (Orange), RIPPER (wittgenstein) and our own other models, with their defaults, on the folds of turs-run.py, behind
nbs/papers/turs.ipynb; one line per dataset, fold and method.

Run from the root of the project, in the environment of `make bench`, with the papers' data at hand:

    RULEBOOK_DATA=/folder/with/catalogue.csv python tools/studies/turs_peers.py data/results/turs-peers.csv [dataset ...]

`wine:SSRL` is one method on one dataset. Lines that the file has already are not computed again. A fit that needs more than LIMIT seconds
of CPU time is stopped; its line has no score, and the other folds of that dataset are left out. RIPPER learns two classes only and
answers with a class, not a probability.
"""
import csv
import itertools
import multiprocessing
import resource
import runpy
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from rulebook.ensembles.lire import LIREClassifier
from rulebook.ensembles.rulefit import RuleFitClassifier
from rulebook.ssrl.estimator import SSRLClassifier

HERE = Path(__file__).parent
RUN, PEERS = (runpy.run_path(str(HERE / name)) for name in ('turs-run.py', 'peers.py'))
OURS = {'SSRL': SSRLClassifier(), 'LIRE': LIREClassifier(random_state=0), 'RuleFit': RuleFitClassifier(random_state=0)}
METHODS, LIMIT = ['CN2 unordered', 'RIPPER', *OURS], 60
COLUMNS = ['dataset', 'fold', 'method', 'auc', 'rules', 'literals', 'cpu_seconds']


def fit_line(method, X, y, train, test):
    "Fit and measure one fold."
    classes = np.unique(y)
    start = time.process_time()
    model = (OURS if method in OURS else PEERS['peers'](len(classes)))[method].fit(X.iloc[train], y.iloc[train])
    seconds, new = time.process_time() - start, X.iloc[test]
    shares = model.predict_proba(new) if hasattr(model, 'predict_proba') else model.predict(new)[:, None] == model.classes_
    auc = RUN['macro_auc'](y.iloc[test].to_numpy(), np.asarray(shares, float), model.classes_)
    lengths = [len(rule.literals) for rule in model.model_.rules] if method in OURS else model.rule_lengths_
    return {'auc': auc, 'rules': len(lengths), 'literals': sum(lengths), 'cpu_seconds': seconds}


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


def run(path, names):
    "Append the lines that are missing in the file."
    if not Path(path).exists(): Path(path).write_text(','.join(COLUMNS) + '\n')
    stored = pd.read_csv(path)
    done = {tuple(line) for line in stored[['dataset', 'fold', 'method']].astype(str).to_numpy()}
    stopped = {tuple(line) for line in stored[stored.auc.isna()][['dataset', 'method']].to_numpy()}
    for name, _, only in (name.partition(':') for name in names):
        X, y = RUN['chapter_table'](name)
        for method in METHODS:
            if only not in ('', method) or method == 'RIPPER' and y.nunique() > 2: continue
            for fold, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=2).split(X, y)):
                if (name, str(fold), method) in done or (name, method) in stopped: continue
                line = fit_limited(method, X, y, train, test)
                if 'auc' not in line: stopped.add((name, method))
                rounded = {key: float(f'{value:.6g}') for key, value in line.items()}
                with open(path, 'a', newline='') as lines:
                    writer = csv.DictWriter(lines, COLUMNS, lineterminator='\n')
                    writer.writerow({'dataset': name, 'fold': fold, 'method': method, **rounded})
        print(name, flush=True)


if __name__ == '__main__':
    warnings.simplefilter('ignore')
    for model, classes in itertools.product(OURS.values(), (2, 3)):  # compile before the clock runs
        model.fit(np.random.default_rng(0).random((200, 2)), np.arange(200) % classes)
    everything = sorted({*RUN['ADBENCH'], *RUN['OTHERS']} - {'backdoor'})  # a table of 95,329 rows that CN2 will not finish
    run(sys.argv[1], sys.argv[2:] or everything)
