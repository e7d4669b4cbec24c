"""Run the notebooks as on other machines, and note in data/results/elsewhere.csv what passed.

    python -m tools.elsewhere [processor] [busy] [order]       all three without a name

`processor` has neither AVX nor the kernels of a newer BLAS; `busy` is one core on which two loops never rest;
`order` is random: its seed is printed, and ORDER=seed repeats it.  PAGES names some notebooks.
"""
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext
from datetime import date

from tools.runner import ROOT, renew

SUMMARY = re.compile(r'^(?:\d+ \w+, )*\d+ \w+ in [\d.]+s', re.MULTILINE)  # the last line of pytest
SETTINGS = {
    'processor': {'NUMBA_CPU_NAME': 'generic', 'OPENBLAS_CORETYPE': 'Nehalem'},
    'busy': {},
    'order': {'ORDER': os.environ.get('ORDER') or str(int(time.time()))},
}

@contextmanager
def beside_two_loops():
    "Two busy loops, on one core with all that is started meanwhile, where processes can be kept on one."
    everywhere = os.sched_getaffinity(0) if hasattr(os, 'sched_getaffinity') else ()
    if everywhere: os.sched_setaffinity(0, {max(everywhere)})
    loops = [subprocess.Popen([sys.executable, '-c', 'while True: pass'])
             for _ in range(2 if everywhere else 2 * os.cpu_count())]
    try: yield
    finally:
        for loop in loops: loop.kill()
        for loop in loops: loop.wait()
        if everywhere: os.sched_setaffinity(0, everywhere)

def counted(condition):
    "Run the notebooks under a condition: a row of data/results/elsewhere.csv."
    setting = ' '.join(f'{name}={value}' for name, value in SETTINGS[condition].items())
    print(f'== {condition}:', setting, flush=True)
    text = ''
    with subprocess.Popen([sys.executable, ROOT / 'tools' / 'check.py', 'notebooks'], cwd=ROOT,
                          env={**os.environ, **SETTINGS[condition]}, stdout=subprocess.PIPE,
                          encoding='utf-8') as process:
        for line in process.stdout:
            print(line, end='', flush=True)
            text += line
    found = [(int(number), word) for line in SUMMARY.findall(text)
             for number, word in re.findall(r'(\d+) (passed|failed|error)', line)]
    if not found: raise SystemExit(f'no notebook ran under the condition {condition}')
    notebooks = sum(map(int, re.findall(r'^(\d+) notebooks$', text, re.MULTILINE)))
    passed = sum(number for number, word in found if word == 'passed')
    return {'condition': condition, 'date': date.today().isoformat(), 'notebooks': notebooks,
            'passed': passed, 'failed': sum(number for number, _ in found) - passed,
            'compared': 'yes' if 'NOT compared' not in text else 'no', 'setting': setting}

def main(conditions):
    "Run the conditions that are named, all without names; the exit status."
    rows = []
    for condition in conditions or SETTINGS:
        with beside_two_loops() if condition == 'busy' else nullcontext(): rows.append(counted(condition))
        print(*rows[-1].items(), flush=True)
    renew('elsewhere', rows, ['condition'])  # at the end: a page shows the file
    return int(any(row['failed'] for row in rows))


if __name__ == '__main__': sys.exit(main(sys.argv[1:]))
