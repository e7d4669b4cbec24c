"""Whether Ctrl-C is answered at any moment: what nbs/appendix/reliability.ipynb stores and explains.

    python -m tools.interrupts [--only=CORELS] [--trials=4] [--kinds=warm,cold]

A parent process sends SIGINT at a random moment to a child that makes a call.  'warm': all kernels are
loaded; 'cold': there is an empty folder of kernels; 'handler' and 'ignored': the program has a handler of its
own, or ignores the signal.  The delay until the call ended is the smaller one of the seconds on the wall and
of the processor.  The options choose a part.
"""
import os
import pickle
import random
import select
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context, set_start_method
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

import rulebook

from tools.limits import KINDS, Data, chosen, classes, model_of, wide
from tools.runner import FORMER, battery, children_find_the_project, rounded

SLOWEST = 1.     # seconds that an answer may take
PATIENCE = 600.  # seconds after which a child that never answers is ended
LONGEST = 1.5    # seconds that an undisturbed call may take: its time limit
COLD = 8.        # seconds within which a signal comes while kernels are compiled
COLUMNS = ['call', 'kind', 'old', 'trial', 'moment', 'outcome', 'delay', 'fault']

# ------------------------------------------------------------------ what is interrupted

class Case(NamedTuple):
    "A call, and what it is about."
    call: Callable            # returns its result
    rows: object = None       # that a fitted estimator has to predict
    model: object = None      # the estimator that is fitted; None: the call fits copies
    early: Callable = None    # fits `model` on other rows
    file: Path = None         # written by the call

def said_by(result, rows=None):
    "What must be as in an undisturbed call: for an estimator, a table, a list of points, or another result."
    if hasattr(result, 'model_'):
        pickle.loads(pickle.dumps(result)).predict(rows)
        proof = result.certificate_
        if proof.lower_bound > proof.objective + 1e-9:
            raise AssertionError('the lower bound is above the objective')
        return {'': f'{proof.objective:.9f} {result.model_}'}
    if isinstance(result, pd.DataFrame) and 'dataset' in (lines := result.reset_index()):  # without times
        names = [name for name in lines if not name.endswith(('seconds', '_mb', 'load'))]
        return {' '.join(str(line[key]) for key in ('dataset', 'model', 'repeat', 'fold')):
                str([line[name] if isinstance(line[name], str) else f'{line[name]:.9g}' for name in names])
                for line in lines.to_dict('records')}
    if isinstance(result, pd.DataFrame):
        return {str(key): f'{objective:.9f}' for key, objective in result['objective'].items()}
    if isinstance(result, list):
        return {str(point[0]): f'{point.certificate.objective:.9f}' for point in result}
    # what `certify` says; the bound grows with the time
    if hasattr(result, 'certificate'): return {'': f'{result.certificate.objective:.9f}'}
    if isinstance(result, tuple):  # near-optimal lists, where they are all
        return {'': f'{result[2].objective:.9f} {len(result[0])}'} if result[1] else {}
    return {'': str(result)}

def table(name):
    "A table with both kinds of targets."
    if name != 'german': return classes() if name == 'letters' else wide(400, 150)
    X, y = rulebook.load_dataset('german')
    return Data(X, (X['duration'] + X['age'] / 10).to_numpy(), y.to_numpy())

def one_fit(kind):
    "`fit` of one estimator, of a size that takes some seconds."
    name = 'german' if kind in ('CORELSClassifier', 'RuleSetClassifier') else 'letters'
    name = 'wide' if kind == 'LIRERegressor' else name
    X, y = table(name).of(kind)
    long = name == 'letters' or 'CORELS' in kind or kind == 'RuleSetClassifier'
    model = model_of(kind, time_limit=LONGEST if long else None)  # the others are quick
    return Case(lambda: model.fit(X, y), X[:50], model, lambda: model.fit(X[::9], y[::9]))

def several_fits(method, penalty, *arguments, time_limit=3):
    "A method of CORELS as it was by default when most was measured."
    X, y = table('german').of('CORELSClassifier')
    model = model_of('CORELSClassifier', max_literals=2, time_limit=time_limit)
    model.set_params(**FORMER | {'regularization': penalty})
    return Case(lambda: getattr(model, method)(X[:300], y[:300], *arguments))

def one_path(kind, name, *arguments, **given):
    "`fit_path` of an estimator."
    X, y = table(name).of(kind)
    model = model_of(kind, time_limit=LONGEST, **given)
    return Case(lambda: model.fit_path(X[:4000], y[:4000], *arguments), None, model,
                lambda: model.fit(X[::9], y[::9]))

def comparison():
    "`compare` with a file."
    X, y = table('german').of('CORELSClassifier')
    corels = model_of('CORELSClassifier', **FORMER | {'regularization': .03}, max_literals=2)
    models = {'ours': model_of('SSRLClassifier'), 'corels': corels,
              'tree': DecisionTreeClassifier(max_depth=3, random_state=0),
              'sums': model_of('RuleFitClassifier')}
    tables = {'credit': (X.select_dtypes('number')[:400], pd.Series(y[:400]))}
    file = Path(tempfile.mkdtemp()) / 'lines.csv'
    return Case(lambda: rulebook.compare(models, tables, path=file, verbose=0), file=file)

def cross_validation():
    "`cross_val_score` of scikit-learn."
    X, y = table('german').of('LIREClassifier')
    return Case(lambda: cross_val_score(model_of('LIREClassifier', n_estimators=40), X, y))

def certification():
    "`certify` of a foreign list."
    X, y = table('german').of('SSRLClassifier')
    model = model_of('SSRLClassifier').fit(X, y)
    return Case(lambda: rulebook.certify(model, X, y, regularization=.02, max_literals=2, time_limit=LONGEST))

CASES = {**{kind: partial(one_fit, kind) for kind in KINDS},
         'path': partial(several_fits, 'path', .01, (.05, .04, .03)),
         'leave_out': partial(several_fits, 'leave_out', .03),
         'near_optimal': partial(several_fits, 'near_optimal', .02, .02, time_limit=LONGEST),
         'LIRE fit_path': partial(one_path, 'LIREClassifier', 'german',
                                  [{'max_rules': k} for k in range(2, 30)], shrinkage=3.),
         'RuleFit fit_path': partial(one_path, 'RuleFitClassifier', 'letters'),
         'compare': comparison, 'cross_val_score': cross_validation, 'certify': certification}

# ------------------------------------------------------------------ the child

class End(NamedTuple):
    "How a call ended in the child."
    outcome: str   # 'returned', 'raised', or what went wrong
    warned: bool
    said: dict     # of the result
    wall: float    # on the clock of the machine
    cpu: float     # of this process
    wrong: str     # what is not as it should be afterwards
    heard: int     # how often the handler of the program was called

def state(model):
    "What an estimator knows, as text."
    return ('' if model is None
            else f'{sorted(vars(model))} {model.get_params()} {getattr(model, "model_", "")}')

def run(case, old, handler, ready):
    "Make the call; how it ended."
    if old: case.early()
    before, heard, result = state(case.model), [], None
    own = {'handler': lambda *_: heard.append(1), 'ignored': signal.SIG_IGN}
    mine = own.get(handler, signal.default_int_handler)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        signal.signal(signal.SIGINT, mine)
        outcome = 'raised'
        ready()
        try:
            result = case.call()
            wall, cpu, outcome = time.monotonic(), time.process_time(), 'returned'
        except KeyboardInterrupt: wall, cpu = time.monotonic(), time.process_time()
        except Exception as error:
            wall, cpu = time.monotonic(), time.process_time()
            outcome = f'{type(error).__name__}: {error}'[:120]
        kept = signal.signal(signal.SIGINT, signal.SIG_IGN) is mine
    warned = any(issubclass(one.category, (ConvergenceWarning, RuntimeWarning)) for one in caught)
    wrong, said = '' if kept else 'another handler', {}
    if outcome == 'raised' and state(case.model) != before: wrong = 'the estimator changed'
    if outcome == 'returned':
        try: said = said_by(result, case.rows)
        except Exception as error: wrong = f'the result: {type(error).__name__}: {error}'[:100]
    return End(outcome, warned, said, wall, cpu, wrong, len(heard))

def forked(case, old=False, handler='', delay=None):
    """`run` in a child, with a SIGINT after `delay` seconds; when that was sent, in seconds of wall and
    processor."""
    mine, theirs = os.pipe()
    child = os.fork()
    if not child: _child(mine, theirs, case, old, handler)
    os.close(theirs)
    sent = None
    with os.fdopen(mine, 'rb') as pipe:
        if pipe.read(1) and delay is not None:
            time.sleep(delay)
            sent = time.monotonic(), spent(child)
            os.kill(child, signal.SIGINT)
        answers = select.select([pipe], [], [], PATIENCE)[0]
        if not answers: os.kill(child, signal.SIGKILL)
        text = pipe.read()
    os.waitpid(child, 0)
    return (pickle.loads(text) if text else None), sent

def _child(mine, theirs, case, old, handler):
    "What a child does; it does not return."
    os.close(mine)
    try:
        with open(os.devnull, 'w', encoding='ascii') as nothing, os.fdopen(theirs, 'wb') as pipe:
            os.dup2(nothing.fileno(), 2)

            def ready():
                pipe.write(b'.')
                pipe.flush()

            pipe.write(pickle.dumps(run(case, old, handler, ready)))
    finally: os._exit(0)

def spent(process):
    "Seconds of the processor that another process has had."
    fields = Path(f'/proc/{process}/stat').read_text(encoding='ascii').rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

# ------------------------------------------------------------------ verdicts

def verdict(end, sent, handler, whole):
    "Outcome, delay and fault of a signal; `whole`: the end of an undisturbed call."
    if end is None: return 'no answer', PATIENCE, 'no answer'
    delay = max(0., min(end.wall - sent[0], end.cpu - sent[1]))
    late = end.wall < sent[0]  # it had ended by itself
    if handler or late: delay = 0.
    faults = [end.wrong] * bool(end.wrong) + ['slow'] * (delay > SLOWEST)
    if end.outcome not in ('returned', 'raised'):
        return 'error', delay, ', '.join([end.outcome, *faults])
    if end.outcome == 'raised':
        return 'raised', delay, ', '.join(faults + ['raised in spite of the handler'] * bool(handler))
    # an undisturbed call that its time limit ends is not always the same
    same = whole.warned or end.said == whole.said
    if handler == 'handler' and not late and not end.heard:
        faults.append('the handler was not called')
    if end.warned and not whole.warned and handler: faults.append('stopped in spite of the handler')
    if not end.warned and not same: faults.append('another result without a warning')
    sound = same or len(end.said) < 2 or end.said.items() <= whole.said.items()
    if not sound and len(whole.said) > 1: faults.append('a part is not as in the whole')
    finished = late or not end.warned or bool(handler)
    return 'finished' if finished else 'warned', delay, ', '.join(faults)

def file_of(case):
    "Lines of the file that a comparison wrote; it is taken away."
    if case.file is None or not case.file.exists(): return {}
    text = case.file.read_text(encoding='utf-8')
    lines = said_by(pd.read_csv(case.file)) if text.count('\n') > 1 else {}
    case.file.unlink()
    return lines if text.endswith('\n') else {**lines, 'half a line': text[-50:]}

# ------------------------------------------------------------------ all of them

def trials_of(name, kind, trials, seed=0):
    "Lines about some signals to one call."
    draw = random.Random(f'{name} {kind} {seed}')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        whole, seconds, lines = known(name) if kind != 'cold' else (None, COLD, None)
        case = CASES[name]()
    handler, made = kind if kind in ('handler', 'ignored') else '', []
    for trial in range(trials if not handler else 1):
        if kind == 'cold':
            for found in Path(os.environ['NUMBA_CACHE_DIR']).iterdir(): shutil.rmtree(found, True)
        old = bool(case.early) and kind == 'warm' and trial % 2 == 1
        moment = draw.uniform(0, seconds)
        end, sent = forked(case, old, handler, moment)
        # nobody has made a cold call undisturbed: a result without a warning counts as finished
        line = line_of(name, kind, old, trial, moment, verdict(
            end, sent, handler, whole or end and end._replace(warned=False)))
        written = file_of(case)  # which takes the file away
        if whole and not written.items() <= lines.items(): line['fault'] += ' the file has other lines'
        made.append(line)
    return made

def line_of(name, kind, old, trial, moment, found):
    "A line of the table; `found` is what `verdict` gives."
    return rounded({'call': name, 'kind': kind, 'old': old, 'trial': trial, 'moment': moment,
                    **dict(zip(COLUMNS[5:], found))}, 2)

@cache
def known(name):
    "The end of an undisturbed call in this process, which loads the kernels; how long it takes; its file."
    case, before, began = CASES[name](), signal.getsignal(signal.SIGINT), time.monotonic()
    whole = run(case, False, '', lambda: None)
    signal.signal(signal.SIGINT, before)
    if whole.wrong or whole.outcome != 'returned':
        raise RuntimeError(f'undisturbed it ends so: {whole.outcome} {whole.wrong}')
    return whole, min(whole.wall - began, LONGEST), file_of(case)

def measured(name, kind, trials):
    "Lines about the signals of a kind to a call; of 'cold' from a new process with its own kernels."
    try:
        if kind != 'cold': return trials_of(name, kind, trials)
        children_find_the_project()
        # a new process takes over the method of this one, which joblib calls 'loky', and knows no such
        set_start_method('spawn', force=True)
        with (tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
              mock.patch.dict(os.environ, NUMBA_CACHE_DIR=folder),
              ProcessPoolExecutor(1, get_context('spawn')) as process):
            return process.submit(trials_of, name, 'cold', trials).result()
    except Exception as error:  # a call that fails undisturbed
        return [{'call': name, 'kind': kind, 'old': False, 'trial': 0, 'outcome': 'error', 'delay': 0.,
                 'fault': f'{type(error).__name__}: {error}'}]

def measured_lines(asked):
    "Lines about what is asked for."
    times = {'warm': 4, 'cold': 2}
    return (line for kind in asked.kinds.split(',') for name in chosen(asked.only, CASES)
            for line in measured(name, kind, int(asked.trials or times.get(kind, 1))))


if __name__ == '__main__':
    battery('interrupts', COLUMNS, measured_lines, kinds='warm,handler,ignored,cold', trials='')
