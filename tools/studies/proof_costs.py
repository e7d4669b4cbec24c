"""Files that are made to cost a checker more than they may: the page of the checker reads them.

Each attack makes a proof and a table whose parts multiply: labels and rows, literals and rows, vectors and
items, numbers of many digits, gzip that swells.  At commit ce5eafa both checkers read them in processes of
their own: proof-costs.csv has their sizes, of how many bytes the memory rose for each of theirs, and how it
ended.
"""
import gzip
import json
import random
from pathlib import Path

STATE = {'counted': 0, 'parent': [-1], 'rule': [-1], 'rest': [0], 'prices': [-1]}
LEAF = {'multipliers': [], 'fixing': '0', 'grid': 0, 'grain': 0, 'live': [], 'sets': [], 'prices': [],
        'states': STATE}
FREE = {'unit': 1, 'sets': [], 'values': []}
ALL = {'sets': [], 'prices': FREE, 'live': None}
LIMIT = {'measure': 'error rate', 'positive': 1, 'sense': '<=', 'limit': '1'}

def entry(n_literals=1, listed=False, **parts):
    "A proof that no list is below 0, with other parts, or other entries of parts."
    proof = {'format': 'rulebook proof', 'version': 1, 'table': {'rows': 4, 'label': 'y', 'labels': [0, 1]},
             'literals': [{'column': 'x', 'op': '<', 'value': j} for j in range(n_literals)],
             'family': {'conditions': [[j] for j in range(n_literals)] if listed else [],
                        'rule_penalty': '0.1',
                        'literal_penalty': '0'},
             'list': {'rules': [], 'default': 0}, 'claim': {'bound': '0'}, 'grain': 0, 'live': [], 'sets': [],
             'prices': [], 'states': STATE}
    for key, part in parts.items(): proof[key] = proof[key] | part if key in ('table', 'family') else part
    return proof

def rows(n, n_labels=2):
    "A table with so many different rows."
    return 'x,y\n' + ''.join(f'{i},{i % n_labels}\n' for i in range(n))

def about(proof, n, table=None):
    "The proof as text about so many rows, and the table."
    proof['table']['rows'] = n
    return json.dumps(proof, separators=(',', ':')), table or rows(n)

def json_of(value, n):
    "A file that is a long list."
    return f'{{"format":[{",".join([value] * n)}]}}', rows(4)

def long_fractions(n):
    "Numbers without a common denominator."
    rng = random.Random(0)
    return [f'1/{rng.randrange(10**39, 10**40)}' for _ in range(n)]

def searched(m, n, **parts):
    "A proof with live columns, for a bound that its parts have to prove."
    family = {'rule_penalty': '0.0001'}
    parts = {'live': [*range(m)], 'claim': {'bound': '1/9'}, 'family': family, **parts}
    return about(entry(m, True, **parts), n)

def chain(k, m):
    "Claims, each behind the one before."
    return STATE | {'parent': [-1, *range(k)], 'rule': [-1, *(i % m for i in range(k))],
                    'rest': [0] * (k + 1),
                    'prices': [-1] * (k + 1)}

ATTACKS = {  # of a size: 1 for the study
    'empty lists': lambda k: json_of('[]', int(8e6 * k)),
    'empty objects': lambda k: json_of('{}', int(8e6 * k)),
    'numbers': lambda k: json_of('300', int(6e6 * k)),
    'short texts': lambda k: json_of('"ab"', int(5e6 * k)),
    'nested lists': lambda k: ('[' * int(2e7 * k), rows(4)),
    'labels and rows': lambda k: about(entry(table={'labels': [*range(int(2e4 * k))]}), int(2e4 * k)),
    'labels, few rows': lambda k: about(entry(table={'labels': [*range(int(2e5 * k))]}), 4),
    'labels and conditions': lambda k: about(entry(int(5e3 * k), True,
                                                   table={'labels': [*range(int(2e4 * k))]}), 4),
    'labels, all conjunctions': lambda k: about(entry(int(300 * k), family={'conditions': 'all'},
                                                      conjunctions=ALL,
                                                      table={'labels': [*range(int(5e3 * k))]}),
                                                int(300 * k)),
    'labels that tests may have': lambda k: about(entry(int(5e3 * k), table={'labels': [*range(300)]},
                                                        family={'may': [[*range(300)]] * int(5e3 * k)}), 4),
    'literals and rows': lambda k: about(entry(int(2e4 * k)), int(2e4 * k)),
    'conditions and rows': lambda k: about(entry(400, family={'conditions': [[i % 400]
                                                                             for i in range(int(1e5 * k))]}),
                                           int(2e4 * k)),
    'values of a literal': lambda k: about(entry() | {'literals': [
        {'column': 'x', 'op': 'in', 'value': [*range(j, int(4e5 * k), 2)]} for j in range(8)]}, int(2e5 * k)),
    'vectors and items': lambda k: searched(int(3e3 * k), int(4e3 * k), prices=[FREE] * int(2e4 * k),
                                            exclude=[*range(int(2e4 * k))]),
    'sets of units': lambda k: searched(
        int(2e3 * k), int(4e3 * k), sets=[[i % 999, i % 999 + 1] for i in range(int(1e5 * k))],
        prices=[FREE | {'sets': [*range(int(1e5 * k))], 'values': [0] * int(1e5 * k)}] * 3,
        exclude=[0, 1, 2]),
    'claims and rows': lambda k: searched(int(3e3 * k), int(2e4 * k), claim={'bound': '0'},
                                          states=chain(int(1e5 * k), int(3e3 * k))),
    'all conjunctions': lambda k: about(entry(int(3e3 * k), family={'conditions': 'all'}, conjunctions=ALL),
                                        int(2e4 * k)),
    'a long prefix': lambda k: about(entry(2000, True) | {
        'family': entry(2000, True)['family'] | {'prefix': [[j % 2000] for j in range(int(5e4 * k))]},
        'list': {'rules': [[[j % 2000], 0] for j in range(int(5e4 * k))], 'default': 0}}, int(5e3 * k)),
    'a long list': lambda k: about(entry(int(2e4 * k), True) | {
        'list': {'rules': [[[j], 0] for j in range(int(2e4 * k))], 'default': 0}}, int(5e3 * k)),
    'constraints and rows': lambda k: about(entry(family={'constraints': [LIMIT] * int(5e3 * k)}, cases=[
        LEAF | {'multipliers': ['0'] * int(5e3 * k)}]), int(5e3 * k)),
    'deep cases': lambda k: about(entry(int(3e3 * k), True, cases=[
        {'row': i % int(1e3 * k), 'label': i % 2} for i in range(int(1e5 * k))]) | {
        'family': entry(int(3e3 * k), True)['family'] | {'asking': {}}}, int(3e3 * k)),
    'prices of columns': lambda k: about(entry(cases=[LEAF], family={'asking': {
        f'c{i}': price for i, price in enumerate(long_fractions(int(2e4 * k)))}}), 4),
    'weights without a common denominator': lambda k: about(
        entry(table={'weight': 'w'}), int(2e4 * k),
        'x,y,w\n' + ''.join(f'{i},{i % 2},{w}\n' for i, w in enumerate(long_fractions(int(2e4 * k))))),
    'weights with exponents': lambda k: about(
        entry(table={'weight': 'w'}), int(2e5 * k),
        'x,y,w\n' + ''.join(f'{i % 7},{i % 2},{i}e{i % 999}\n' for i in range(1, int(2e5 * k) + 1))),
    'a table of commas': lambda k: about(entry(), 4, ',' * int(1.2e7 * k) + 'x,y\n'),
    'a header of names': lambda k: about(entry(), 4,
                                         ','.join(f'{i:x}' for i in range(int(3e5 * k))) + ',x,y\n'),
    'many columns, few rows': lambda k: about(entry(), 4, '\n'.join([
        ','.join([*(f'{i:x}' for i in range(int(2e5 * k))), 'x,y']),
        *[','.join(['ab'] * (int(2e5 * k) + 2))] * 30])),
    'different cells': lambda k: about(entry(), int(3e6 * k), 'x,y\n' + ''.join(
        f'{i:x},0\n' for i in range(int(3e6 * k)))),
    'a quote that does not end': lambda k: about(entry(), 4, 'x,y\n"' + '\n",' * int(1e7 * k)),
    'a long cell': lambda k: about(entry(), 4, 'x,y\n' + 'a' * int(6e7 * k)),
}

def write_files(folder, name, size=1.):
    "The packed files of an attack: their names, and their bytes when they are unpacked."
    texts, names = ATTACKS[name](size), [str(Path(folder) / place)
                                         for place in ('proof.json.gz', 'table.csv.gz')]
    for place, text in zip(names, texts): Path(place).write_bytes(gzip.compress(text.encode(), 6, mtime=0))
    return names, sum(len(text.encode()) for text in texts)
