"""Odd files behind nbs/appendix/odd_files.ipynb.

    python -m tools.studies.odd_files

Makes files as people have them, and some that nobody should have, gives each to a command of `rulebook`, and
writes odd-files.csv: the exit status, what was said, and whether it was what should come. `attempt(name)` is
one of them; the page makes some of them again.
"""
import bz2
import contextlib
import gzip
import io
import lzma
import os
import re
import shlex
import stat
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from rulebook.io.cli import main as rulebook
from rulebook.models.export import load_model

from .runner import write

R = np.random.default_rng(0)
PLAIN = pd.DataFrame({'age': R.integers(18, 80, 80), 'income': R.normal(3e4, 9e3, 80).round(2),
                      'city': R.choice(['Köln', 'Rome', 'Oslo, N', 'Bath "Spa"'], 80)})
PLAIN['y'] = np.where((PLAIN.age < 40) ^ (R.random(80) < .05), 'yes', 'no')
LEARN = 'learn {} --target y --regularization 0.05 --out model.json'
PREDICT = 'predict plain.json {}'


class Odd(NamedTuple):
    "A file, or a way to write one, and what should come of it."
    file: str       # its name
    what: str       # is odd about it
    make: Callable  # writes it, given its path; or its bytes; None if it is not there before
    command: str    # with {} for the file
    wanted: str     # 'same': the model of the plain table; 'answer'; 'sentence'
    word: str = ''  # that must be said


def text(**how):
    "The plain table as text."
    encoding = how.pop('encoding', 'utf-8')
    return PLAIN.to_csv(index=False, lineterminator=how.pop('end', '\n'), **how).encode(encoding)


def lines(*rows):
    "A text of the given lines."
    return ''.join(f'{row}\n' for row in rows).encode()


def edited(old, new):
    "The plain table as text, with a change."
    found = text().decode()
    assert old in found
    return found.replace(old, new).encode()


def frame(**columns):
    "The plain table with other or more columns, in text."
    names = [*columns, *(name for name in PLAIN if name not in columns)]
    return PLAIN.assign(**columns)[names].to_csv(index=False).encode()


def parquet(**columns):
    "The plain table with more columns, in Parquet."
    return lambda path: pq.write_table(pa.table({**columns,
                                                 **{name: PLAIN[name].tolist() for name in PLAIN}}), path)


def pipe(content):
    "A named pipe, into which a thread writes."
    def make(path):
        os.mkfifo(path)
        threading.Thread(target=lambda: Path(path).write_bytes(content), daemon=True).start()
    return make


DEVICES = []


def device(number):
    "A device, by its number: a node of its own for root, who might replace that of the machine, else a link."
    name = {3: 'null', 5: 'zero', 7: 'full'}[number]

    def make(path):
        try: os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, number))
        except PermissionError: os.symlink(f'/dev/{name}', path)
    DEVICES.append(make)
    return make


def sheet(path):
    "A workbook if openpyxl is there, else an empty file."
    try: PLAIN.to_excel(path, index=False)
    except ImportError: Path(path).write_bytes(b'PK\3\4')


def locked(path):
    "A folder in which nobody but root may write."
    Path(path).parent.mkdir(mode=0o555)


def reader(path):
    "A named pipe, from which a thread reads."
    os.mkfifo(path)
    threading.Thread(target=lambda: Path(path).read_bytes(), daemon=True).start()


N = len(PLAIN)
DAYS = pd.Series(pd.Timestamp('2020-01-01') + pd.to_timedelta(PLAIN.age * 10, 'D'))
CENTS = PLAIN.income.map('{:.2f}'.format)
THOUSANDS = PLAIN.income.map('{:,.2f}'.format)
ARROW_DECIMALS = pa.array(PLAIN.age.astype(str).tolist()).cast(pa.decimal128(9, 2))
NAMES = frame(name=[f'n{i * i}' for i in range(N)])
ODD = (
    # separators, marks and encodings
    Odd('semicolons.csv', 'semicolons', text(sep=';'), LEARN, 'same', "separator ';'"),
    Odd('tabs.tsv', 'tabs', text(sep='\t'), LEARN, 'same', 'separator tab'),
    Odd('tabs.txt', 'tabs, called .txt', text(sep='\t'), LEARN, 'same', 'separator tab'),
    Odd('bars.csv', 'vertical bars', text(sep='|'), LEARN, 'same', "separator '|'"),
    Odd('blanks.txt', 'blanks between cells', text(sep=' '), LEARN, 'same', 'separator blank'),
    Odd('excel.csv', 'as Excel writes it in German',
        text(sep=';', decimal=',', end='\r\n', encoding='cp1252'), LEARN, 'same',
        "separator ';', decimal comma, windows-1252"),
    Odd('sep.csv', 'a first line sep=;', b'sep=;\r\n' + text(sep=';', end='\r\n'), LEARN, 'same',
        "separator ';'"),
    Odd('quoted.csv', 'decimal commas in quotes', text(decimal=',', quoting=0), LEARN, 'same',
        'decimal comma'),
    Odd('asked.csv', 'a separator that is named', text(sep='^'), LEARN + ' --separator ^', 'same'),
    Odd('wrong.csv', 'a separator that is named wrongly', text(), LEARN + ' --separator ;', 'sentence',
        '--separator'),
    Odd('latin.csv', 'windows-1252', text(encoding='cp1252'), LEARN, 'same', 'windows-1252'),
    Odd('mark.csv', 'UTF-8 with a byte order mark', text(encoding='utf-8-sig'), LEARN, 'same'),
    Odd('wide.csv', 'UTF-16', text(encoding='utf-16'), LEARN, 'same', 'utf-16'),
    Odd('unmarked.csv', 'UTF-16 without a mark', text(encoding='utf-16-le'), LEARN, 'sentence',
        '--encoding utf-16-le'),
    Odd('named.csv', 'UTF-16 without a mark, named', text(encoding='utf-16-le'),
        LEARN + ' --encoding utf-16-le', 'same'),
    Odd('sjis.csv', 'Shift JIS', edited('Rome', 'ローマ').decode().replace('Köln', 'K').encode('shift_jis'),
        LEARN, 'sentence',
        '--encoding'),
    # lines and cells
    Odd('cr.csv', 'lines that end with CR only', text(end='\r'), LEARN, 'same'),
    Odd('crlf.csv', 'lines that end with CR and LF', text(end='\r\n'), LEARN, 'same'),
    Odd('breaks.csv', 'line breaks within cells', edited('Rome', 'Ro\nme').replace(b'Ro\nme', b'"Ro\nme"'),
        LEARN, 'answer'),
    Odd('all quotes.csv', 'every cell in quotes, a blank in the name', text(quoting=1), LEARN, 'same'),
    Odd('long line.csv', 'a cell of a million letters', frame(note=['x' * 10**6] + ['x'] * (N - 1)), LEARN,
        'answer'),
    Odd('long.csv', 'a line with too many cells', edited('\n', ',1\n').replace(b',1\n', b'\n', 5), LEARN,
        'sentence', 'line 6'),
    Odd('all long.csv', 'a number before each line, but not in the header', b'age,income,city,y\n' +
        PLAIN.to_csv(header=False).encode(), LEARN, 'sentence', 'more cells'),
    Odd('short.csv', 'a line with too few cells', text() + b'30,1.5\n', LEARN, 'sentence',
        f'line {N + 2} has 2 cells'),
    Odd('cut.csv', 'cut in the middle of a quote', text() + b'30,1.5,"Ro', LEARN, 'sentence', 'never closed'),
    Odd('nul.csv', 'a NUL', text() + b'30,1.5,R\0me,no\n', LEARN, 'sentence', 'NUL'),
    Odd('twice.csv', 'two columns y', edited('age,', 'y,'), LEARN, 'sentence',
        "columns 1 and 4 are both called 'y'"),
    Odd('unnamed.csv', 'a column without a name', PLAIN.to_csv().encode(), LEARN, 'answer',
        'column 1 has no name'),
    Odd('empty.csv', 'nothing in it', b'', LEARN, 'sentence', 'empty'),
    Odd('header.csv', 'a header only', text().splitlines(keepends=True)[0], LEARN, 'sentence', 'no rows'),
    Odd('one.csv', 'one column, the label', lines('y', *PLAIN.y), LEARN, 'sentence', 'no column left'),
    Odd('one row.csv', 'one row', b'age,y\n30,yes\n', LEARN, 'answer', 'one class'),
    Odd('more columns.csv', 'more columns than rows',
        pd.DataFrame({**{f'x{j}': R.normal(size=9).round(3) for j in range(40)},
        'y': list('aabbaabba')}).to_csv(index=False).encode(), LEARN, 'answer'),
    # what the cells hold
    Odd('dates.csv', 'dates', frame(age=DAYS.dt.strftime('%Y-%m-%d')), LEARN, 'answer', 'age < 2021'),
    Odd('times.csv', 'dates with times and zones', frame(age=DAYS.dt.strftime('%Y-%m-%dT%H:%M:00+02:00')),
        LEARN, 'answer',
        'age < 2021'),
    Odd('german dates.csv', 'dates like 13.02.2020', frame(seen=DAYS.dt.strftime('%d.%m.%Y')), LEARN,
        'answer', '2020-02-13'),
    Odd('thousands.csv', 'thousands separators', frame(income=THOUSANDS), LEARN, 'answer',
        'written like 1234.5'),
    Odd('percent.csv', 'percent signs', frame(income=CENTS + ' %'), LEARN, 'answer', 'written like 1234.5'),
    Odd('gaps.csv', 'n/a in a column of numbers', frame(income=['n/a', *CENTS[1:]]), LEARN, 'answer',
        "'n/a' in row 1"),
    Odd('missing.csv', 'a column without any cell', frame(nothing=None), LEARN, 'answer'),
    Odd('holes.csv', 'a label that is missing', frame(y=[None, *PLAIN.y[1:]]), LEARN, 'sentence',
        'first is row 1'),
    Odd('constant.csv', 'one label', frame(y='yes'), LEARN, 'answer', 'one class'),
    Odd('booleans.csv', 'labels True and False', frame(y=PLAIN.y == 'yes'), LEARN, 'answer'),
    Odd('codes.csv', 'labels 0 and 1', frame(y=(PLAIN.y == 'yes') * 1), LEARN, 'answer'),
    Odd('amounts.csv', 'a continuous target', frame(y=PLAIN.income), LEARN, 'sentence',
        '--model lire-regressor'),
    Odd('words.csv', 'a regressor for labels', text(), LEARN + ' --model lire-regressor', 'sentence',
        '--model corels'),
    Odd('big.csv', 'whole numbers above 2^63', frame(age=[2**63 + 10**6 * int(age) for age in PLAIN.age]),
        LEARN, 'sentence', 'another number'),
    Odd('huge.csv', 'whole numbers that are one float', frame(number=[2**63 + i for i in range(N)]), LEARN,
        'sentence', 'number'),
    Odd('levels.csv', 'a name in each row', NAMES, LEARN, 'answer', 'names the rows'),
    Odd('numbers.csv', 'a number of each row', frame(number=range(N)), LEARN, 'answer', 'numbered the rows'),
    Odd('units.csv', 'units', frame(income=CENTS + ' kg'), LEARN, 'answer', 'written like 1234.5'),
    Odd('clock.csv', 'clock times', frame(at=PLAIN.age.map('{:02d}:30'.format)),
        LEARN, 'answer', 'written like'),
    Odd('word.csv', 'a word for missing', frame(city=['none', *PLAIN.city[1:]]),
        LEARN, 'answer', '--missing none'),
    Odd('declared.csv', 'the same, declared', frame(city=['none', *PLAIN.city[1:]]),
        LEARN + ' --missing none',
        'answer'),
    Odd('code.csv', 'a code for missing', frame(age=[999, *PLAIN.age[1:]]), LEARN, 'answer', '--missing 999'),
    Odd('ends.csv', 'blanks at the ends of cells', text().replace(b',yes', b',yes '),
        LEARN, 'same', 'taken off'),
    Odd('after.csv', 'blanks after the commas', text().replace(b',', b', '), LEARN, 'same'),
    Odd('case.csv', 'a label in two spellings', frame(y=['Yes', *PLAIN.y[1:]]),
        LEARN, 'answer', 'case or blanks'),
    Odd('trailing.csv', 'a separator too many in the header', edited(',y\n', ',y,\n'),
        LEARN, 'same', 'no name'),
    Odd('title.csv', 'a title', b'"Survey of spring",,,\n,,,\n' + text(), LEARN, 'same', 'line 3'),
    Odd('two.csv', 'two lines of names', edited(',y\n', ',y\nHow old?,How much?,Where?,Bought?\n'),
        LEARN, 'same',
        'second header'),
    Odd('foot.csv', 'a note below', text() + b'Total: 80 rows\n', LEARN, 'same', 'note'),
    Odd('end.csv', 'lines without a cell at the end', text() + b',,,\n,,,\n', LEARN, 'same', 'no cell'),
    Odd('headless.csv', 'no header', text().partition(b'\n')[2],
        LEARN.replace('--target y', '--target no'), 'answer',
        'looks like a row'),
    Odd('prices.csv', 'whole numbers as the target', frame(y=(100 * PLAIN.income).round().astype(int)),
        LEARN, 'sentence',
        '--model lire-regressor'),
    Odd('ignored.csv', 'the target ignored', text(), LEARN + ' --ignore y', 'sentence', "--ignore names 'y'"),
    # other kinds
    Odd('plain.csv.gz', 'gzip', gzip.compress(text(), mtime=0), LEARN, 'same'),
    Odd('plain.csv.bz2', 'bzip2', bz2.compress(text()), LEARN, 'same'),
    Odd('plain.csv.xz', 'xz', lzma.compress(text()), LEARN, 'same'),
    Odd('plain.tsv.zst', 'Zstandard', pa.compress(text(sep='\t'), 'zstd', asbytes=True), LEARN, 'same'),
    Odd('fake.csv.gz', 'called .gz, and is not', text(), LEARN, 'sentence', 'gzip'),
    Odd('torn.csv.gz', 'gzip, cut', gzip.compress(text(), mtime=0)[:-20], LEARN, 'sentence', 'ended'),
    Odd('plain.parquet', 'Parquet', parquet(), LEARN, 'same'),
    Odd('decimals.parquet', 'Decimals in Parquet', parquet(dec=ARROW_DECIMALS), LEARN, 'answer'),
    Odd('days.parquet', 'dates in Parquet', parquet(day=pa.array(DAYS.dt.date.tolist())), LEARN, 'answer'),
    Odd('lists.parquet', 'lists in Parquet', parquet(parts=pa.array([[1, 2]] * N)), LEARN, 'sentence',
        'parts'),
    Odd('broken.parquet', 'broken Parquet', b'PAR1 and then nothing', LEARN, 'sentence', 'arquet'),
    Odd('hidden.csv', 'Parquet, called .csv', parquet(), LEARN, 'sentence', '.parquet'),
    Odd('plain.arrow', 'Arrow', lambda path: PLAIN.to_feather(path), LEARN, 'same'),
    Odd('plain.jsonl', 'lines of JSON',
        PLAIN.to_json(orient='records', lines=True, double_precision=15).encode(), LEARN,
        'same'),
    Odd('sheet.xlsx', 'Excel', sheet, LEARN, 'answer or sentence'),
    Odd('torn.xlsx', 'Excel, broken', b'PK\3\4 and then nothing', LEARN, 'sentence', 'xlsx'),
    Odd('data.dat', 'an unknown ending', text(), LEARN, 'sentence', '.csv'),
    Odd('a folder', 'a folder', lambda path: Path(path).mkdir(), LEARN, 'sentence', 'folder'),
    Odd('nowhere.csv', 'no such file', None, LEARN, 'sentence', 'No such file'),
    Odd('compass', 'a dataset with a typing error', None, LEARN, 'sentence', "Did you mean 'compas'"),
    Odd('zero', 'a device that never ends', device(5), LEARN, 'sentence', 'device'),
    Odd('pipe', 'a named pipe', pipe(text()), LEARN, 'same'),
    Odd('-', 'the standard input', text(sep=';'), LEARN, 'same', "the standard input: separator ';'"),
    Odd('-', 'Parquet on the standard input', None, LEARN, 'same'),
    # where results go
    Odd('out.parquet', 'predictions in Parquet', None, 'predict plain.json plain.csv --out {}', 'answer'),
    Odd('out.tsv.gz', 'predictions in gzip', None, 'predict plain.json plain.csv --out {}', 'answer'),
    Odd('out.dat', 'predictions with an unknown ending', None, 'predict plain.json plain.csv --out {}',
        'sentence', '.csv'),
    Odd('model.csv', 'a model called .csv', None, 'learn plain.csv --target y --out {}', 'sentence',
        'ending'),
    Odd('.', 'a folder as output', None, 'learn plain.csv --target y --out {}', 'sentence', 'folder'),
    Odd('no/m.json', 'a folder that is not there', None, 'learn plain.csv --target y --out {}', 'sentence',
        'does not exist'),
    Odd('locked/m.json', 'a folder without the right to write', locked,
        'learn plain.csv --target y --out {}', 'answer or sentence'),
    Odd('plain.csv', 'the table itself as output', text(), 'predict plain.json {} --out {}', 'sentence',
        'twice'),
    Odd('full', 'a full device', device(7), 'learn plain.csv --target y --regularization 0.05 --out {}',
        'sentence', 'No space'),
    Odd('full', 'a full device for predictions', device(7), 'predict plain.json plain.csv --out {}',
        'sentence', 'No space'),
    Odd('null', 'the device that swallows all', device(3),
        'learn plain.csv --target y --regularization 0.05 --out {}', 'answer'),
    Odd('reader', 'a named pipe as output', reader, 'predict plain.json plain.csv --out {}', 'answer'),
    Odd('-', 'the model to the standard output', None,
        'learn plain.csv --target y --regularization 0.05 --out {}', 'answer'),
    # models and other columns
    Odd('other.csv', 'a table without the columns of the model', b'a,b\n1,2\n', PREDICT, 'sentence', 'age'),
    Odd('typed.csv', 'text where the model has numbers', frame(age='old'), PREDICT, 'sentence', 'age'),
    Odd('holes too.csv', 'missing cells to predict', frame(age=None), PREDICT, 'answer'),
    Odd('plain.csv', 'a table where a model should be', text(), 'show {}', 'sentence', 'not a model file'),
    Odd('plain.json', 'a table of SQL with a quote in its name', None, "export {} --to sql --table 'a\"b'",
        'sentence', 'a"b'),
)


def prepare(odd):
    "Make the file in this folder; return the bytes for the standard input."
    Path('plain.csv').write_bytes(text())
    if 'plain.json' in odd.command + odd.file:
        called('learn plain.csv --target y --regularization 0.05 --out plain.json')
    content = odd.make
    if odd.what == 'Parquet on the standard input':
        parquet()('in.parquet')
        content = Path('in.parquet').read_bytes()
    if odd.file == '-': return content or b''
    if odd.file == 'plain.json': content = None
    if callable(content): content(odd.file)
    elif content is not None: Path(odd.file).write_bytes(content)
    return b''


def called(line, stdin=b''):
    "Exit status of a command line, what it said on its two outputs, and whether there was a traceback."
    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = rulebook(shlex.split(line))
    except BaseException:  # what a terminal would show as a traceback
        return -1, out.getvalue(), traceback.format_exc(), True
    finally: sys.stdin = before
    return status, out.getvalue(), err.getvalue(), False


def judged(odd, status, said, same):
    "Whether an attempt ended as it should."
    if odd.word not in said: return f'{odd.word!r} is not said'
    if 'sentence' in odd.wanted and status == 1 and said.count('rulebook: error:') == 1: return 'as it should'
    if 'answer' in odd.wanted and status == 0: return 'as it should'
    if odd.wanted == 'same' and status == 0: return 'as it should' if same else 'another model'
    return f'exit status {status}'


def attempt(odd):
    "Make a file in a folder of its own and call the command: a dict of what came."
    before = os.getcwd()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        try:
            stdin = prepare(odd)
            line = odd.command.replace('{}', shlex.quote(odd.file))
            status, out, err, failed = called(line, stdin)
            replaced = odd.make in DEVICES and not Path(odd.file).is_char_device()
            same = odd.wanted == 'same' and status == 0 and model_is_plain()
        finally: os.chdir(before)
    said = re.sub(r'\d+\.\d+ s\b', '- s', err.replace(folder, '').strip())
    ended = 'traceback' if failed else judged(odd, status, f'{err}\n{out}', same)
    if replaced: ended = 'a device was replaced'
    return {'file': odd.file, 'odd': odd.what, 'command': f'rulebook {line}', 'wanted': odd.wanted,
            'exit': status,
            'said': ' / '.join(said.splitlines()) if not failed else said.splitlines()[-1], 'ended': ended}


def model_is_plain():
    "Whether the model that was just learnt is that of the plain table."
    called('learn plain.csv --target y --regularization 0.05 --out again.json')
    return load_model('model.json')[0] == load_model('again.json')[0]


def main():
    "Try them all, print what did not end as it should, and write the table."
    found = [attempt(odd) for odd in ODD]
    for line in found:
        if line['ended'] != 'as it should': print(line['ended'], line['odd'], line['command'], line['said'],
                                                  sep=' | ')
    write('odd-files', found)
    print(f"{len(found)} attempts, {sum(line['ended'] == 'as it should' for line in found)} as it should")


if __name__ == '__main__': main()
