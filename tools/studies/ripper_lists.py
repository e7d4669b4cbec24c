"""The rule sets of RIPPER (wittgenstein) on five bundled tables, as it prints them: writes ripper-lists.csv.

    python -m tools.studies.ripper_lists

in an environment with wittgenstein, such as that of `make bench`.  Each table has a line: the text of the rule
set with the label that it is for, and how many rows the package itself gets wrong, so that a reader of the text
can be compared with it.
"""
import warnings
from importlib.metadata import version

import numpy as np

from rulebook.io.datasets import load_dataset

from .runner import write

TABLES = ["housevotes", "tic-tac-toe", "mammographic", "german", "compas"]


def line(name):
    "Learn the rules for the rarer label of a table."
    from wittgenstein import RIPPER
    X, y = load_dataset(name)
    rare = y.value_counts().index[-1]
    model = RIPPER(max_rules=8, random_state=0)
    model.fit(X, y=y, pos_class=rare)
    said = np.asarray(model.predict(X), dtype=bool)
    return {"table": name, "rules": f"{model.ruleset_} then {rare}", "n_rules": len(model.ruleset_.rules),
            "n_conditions": model.ruleset_.count_conds(), "wrong": int((said != (y == rare)).sum()),
            "wittgenstein": version("wittgenstein")}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    write("ripper-lists", [line(name) for name in TABLES])
