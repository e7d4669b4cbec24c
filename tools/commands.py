"""What the pages of the command line share: commands in this process or in a copy of it, and examples."""
import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import traceback
from pathlib import Path

import pandas as pd


def shell_of(main):
    """Two functions that run a command line, text or words, by `main`.

    `shell` prints what it prints and returns its exit status; `heard` returns what one prints that succeeds.
    """
    def shell(line, stdin=None):
        words = line.split() if isinstance(line, str) else line
        out, err, before = io.StringIO(), io.StringIO(), sys.stdin
        if stdin is not None: sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err): status = main(words[1:])
        finally: sys.stdin = before
        print(re.sub(r'\d+\.\d+ s\b', '- s', out.getvalue() + err.getvalue()).rstrip())
        return status

    def heard(line, stdin=None):
        with contextlib.redirect_stdout(io.StringIO()) as said: assert shell(line, stdin) == 0
        return said.getvalue()

    return shell, heard

def forked(main, *words):
    """Exit status, standard output and error output of a command in a copy of this process.

    It has streams of its own and nothing to import: a fresh process would import and load for two seconds.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            status = 1
            try:
                for number, stream in (1, out), (2, err): os.dup2(stream.fileno(), number)
                with open(os.devnull) as sys.stdin, open(1, 'w') as sys.stdout, open(2, 'w') as sys.stderr:
                    try: status = main(words)
                    except BaseException: traceback.print_exc()
            finally: os._exit(status)  # else the copy would go on with the page
        _, ended = os.waitpid(child, 0)
        said = []
        for stream in out, err:
            stream.seek(0)
            said.append(stream.read().decode())
        return os.waitstatus_to_exitcode(ended), *said

def toy_table():
    "Four rows of two columns and a label, also as toy.csv; and as new.csv two rows without it."
    toy = pd.DataFrame({'age': [20, 21, 40, 50], 'name': ['Ann', None, 'Nia', 'Eve'],
                        'bought': ['yes', 'yes', 'no', 'no']})
    toy.to_csv('toy.csv', index=False)
    pd.DataFrame({'age': [18, 99]}).to_csv('new.csv', index=False)
    return toy

def examples(parser):
    "Every example in the help of the commands, without what is said beside it."
    commands = next(action for action in parser._actions if hasattr(action, 'choices') and action.choices)
    for command in commands.choices.values():
        for line in command.epilog.splitlines():
            if ' rulebook ' in f' {line}': yield re.split(r'  +', line.strip())[0]

def words_of(line):
    "The words of an example as a shell would give them, and what would be fed to it."
    feeder, _, command = line.rpartition('| rulebook ')
    fed = Path(shlex.split(feeder)[-1]).read_bytes() if feeder else b''
    return shlex.split(re.split(r' [|>] ', command.removeprefix('rulebook '))[0]), feeder, fed
