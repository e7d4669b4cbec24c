"""CORELS beside the exact search by SAT for sparse decision lists, at the same objective.

    python -m tools.studies.sparse_lists FOLDER

J. Yu, A. Ignatiev, P. J. Stuckey and P. Le Bodic, Learning optimal decision sets and lists with SAT, JAIR
2021.  FOLDER has their tables (NAME.csv.gz, the label last) and optima.csv, what their program
(jinqiang-yu/dlsat) gave within ten seconds. A list costs its errors and L for each test and each rule, the
default being a rule, L = ceil(lambda rows); rows whose label is not the most frequent one of their cells are
left out before.  sparse-lists.csv gets our lines beside theirs.
"""
import sys
from math import ceil
from pathlib import Path

import pandas as pd

from rulebook import CORELSClassifier, Vocabulary

from .runner import quickest, write


def rows_of(path):
    "The rows without those of the rarer labels of equal cells."
    table = pd.read_csv(path)
    cells, label = list(table.columns[:-1]), table.columns[-1]
    most = table.groupby(cells)[label].agg(lambda labels: labels.mode().min())
    wanted = most.reindex(pd.MultiIndex.from_frame(table[cells]) if len(cells) > 1
                          else table[cells[0]]).to_numpy()
    return table[table[label].to_numpy() == wanted]


def fitted(table, price):
    "A fit at one price for rules and tests, and the CPU seconds of the quickest of three."
    share = price / len(table)
    model = CORELSClassifier(share, literal_penalty=share, vocabulary=Vocabulary(negations=True),
                             options={'node_limit': None})
    return quickest(lambda: model.fit(table.iloc[:, :-1], table.iloc[:, -1]), 3, until=10)


def main(folder):
    "Measure every line of optima.csv."
    lines = []
    for theirs in pd.read_csv(Path(folder, 'optima.csv')).to_dict('records'):
        table = rows_of(Path(folder, f'{theirs["table"]}.csv.gz'))
        price = ceil(theirs['lambda'] * len(table) - 1e-9)
        assert (len(table), price) == (theirs['rows'], theirs['price_per_test_and_rule']), theirs['table']
        model, seconds = fitted(table, price)
        proof = model.certificate_
        ours = {'cost': round(proof.objective * len(table)) + price,
                'bound': round(proof.lower_bound * len(table) + price, 3),
                'rules': len(model.model_), 'cpu': round(seconds, 3)}
        kept = {name: theirs[name]
                for name in ('table', 'lambda', 'rows', 'price_per_test_and_rule', 'sat_cost', 'sat_finished',
                                                'sat_cpu')}
        lines.append({**kept, **ours})
        print(*lines[-1].values(), flush=True)
    write('sparse-lists', lines)


if __name__ == '__main__': main(sys.argv[1])
