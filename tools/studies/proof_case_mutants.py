"""Thousands of damaged proofs by cases, each read by both checkers: writes proof-case-mutants.csv.

    python -m tools.studies.proof_case_mutants [how many] [first seed]

Small proofs with constraints, prices of columns and fixed defaults (`proof_cases`) are changed at random in one way
each: a number of a case, a division, the question, the table.  Whether the changed claim is true is found by trying
all lists.  Nothing false may be accepted, and nothing that trying all lists cannot judge; both checkers must agree.
"""
import csv
import io
import itertools
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from copy import deepcopy
from fractions import Fraction
from pathlib import Path

from .proof_cases import MEASURES, Lists, check, prove, question
from .proof_panel import JavaScript, ask_python, has_node
from .runner import write

SECONDS = 60


# ------------------------------------------------------------------ the proofs

def proofs(n, first=0):
    """So many instances with what is true of them proved: name, proof, instance."""
    found, seed, kinds = [], first, Counter()
    while len(found) < n:
        rng = random.Random(seed)
        seed += 1
        made = question(rng, MEASURES[seed % 7] if rng.random() < .7 else None)
        alone = made["family"]["constraints"] is None and made["family"]["asking"] is None
        if alone:
            made["family"]["constraints"] = []
        lists = Lists(made)
        try:
            feasible = lists.feasible()
        except KeyError:
            continue
        best, entry = feasible[0] if feasible else (None, None)
        proof = prove(rng, lists, best, entry)
        if alone:
            made["family"]["constraints"] = None
            proof = with_default_alone(proof, made)
        kind = kind_of(proof) if proof else None
        if proof and kinds[kind] < 2 + n / 8:
            kinds[kind] += 1
            found.append((kind, proof, made))
    return found


def with_default_alone(proof, made):
    """The proof without cases from one with a single leaf, which says the same about the same weights; or None."""
    if proof is None or len(proof["cases"]) > 1 or not proof["cases"][0].get("live"):
        return None
    parts = {key: part for key, part in proof["cases"][0].items() if key not in ("multipliers", "fixing", "grid")}
    proof = {**proof, **parts, "family": made["family"], "cases": None}
    return None if isinstance(check(proof, made), str) else proof


def kind_of(proof):
    """What the cases of a proof have."""
    cases = proof["cases"]
    if cases is None:
        return "a default alone"
    parts = {"infeasible": proof["list"] is None, "rows": any("row" in entry for entry in cases),
             "columns": any("column" in entry for entry in cases),
             "leaves": any(entry.get("live") for entry in cases)}
    return ", ".join(name for name, there in parts.items() if there) or "multipliers alone"


# ------------------------------------------------------------------ whether a claim is true

def is_true(proof, made):
    """Whether a claim is true, by trying all lists; None if the question has no meaning."""
    try:
        family = proof["family"]
        tests = proof["literals"]
        made = {**made, "family": family, "tests": tests, "label_weights": proof["table"]["label_weights"]}
        every = [list(c) for k in range(1, len(tests) + 1) for c in itertools.combinations(range(len(tests)), k)]
        most = family["most_literals"] or len(tests)
        made["conditions"] = [c for c in every if len(c) <= most] if family["conditions"] == "all" else family["conditions"]
        lists = Lists(made)
        feasible, bound, entry = lists.feasible(), proof["claim"]["bound"], proof["list"]
        if entry is None:
            return not feasible and bound is None
        gets, left, paid = {}, set(lists.rows), Fraction(0)
        for condition, label in entry["rules"]:
            if sorted(condition) not in map(sorted, made["conditions"]) or label not in lists.allowed(condition):
                return None
            gets |= {row: label for row in left & lists.covers(condition)}
            left -= lists.covers(condition)
            paid += lists.cost(condition)
        gets |= dict.fromkeys(left, entry["default"])
        columns = {lists.tests[j] for condition, _ in entry["rules"] for j in condition}
        if family["default"] not in (None, entry["default"]) or not lists.fits(gets):
            return None
        objective = lists.objective(gets, columns, paid)
        said = proof["claim"]["objective"]
        return said in (None, str(objective)) and feasible[0][0] >= Fraction(bound)
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError):
        return None


# ------------------------------------------------------------------ changes

def leaf(rng, p, part=None):
    """A leaf, with some part."""
    cases = [p] if p["cases"] is None else [entry for entry in p["cases"] if "grid" in entry]
    return rng.choice([entry for entry in cases if part is None or entry.get(part)])


def division(rng, p, key):
    """A division by a row or a column."""
    return rng.choice([entry for entry in p["cases"] if key in entry])


def other(rng, text):
    """Another fraction."""
    value = Fraction(text)
    return str(max(0, rng.choice([value / 2, value * 2, value + 1, value - Fraction(1, 10), Fraction(0), value * 10 + 7])))


def multiplier_changed(rng, p, t):
    """Another multiplier."""
    some = leaf(rng, p, "multipliers")["multipliers"]
    i = rng.randrange(len(some))
    some[i] = other(rng, some[i])

def multipliers_exchanged(rng, p, t):
    """Multipliers in another order, or one more."""
    some = leaf(rng, p, "multipliers")["multipliers"]
    some.reverse() if rng.random() < .5 else some.append("0")

def fixing_changed(rng, p, t):
    """Another price of labels that the context forbids."""
    some = leaf(rng, p)
    some["fixing"] = other(rng, some["fixing"])

def grid_or_grain_changed(rng, p, t):
    """Other parts of 1."""
    some, key = leaf(rng, p), rng.choice(["grid", "grain"])
    some[key] = rng.choice([0, 1, 2, 5, 12, 20, 30, some[key] + 1])

def case_dropped(rng, p, t):
    """One entry less."""
    del p["cases"][rng.randrange(len(p["cases"]))]

def case_doubled(rng, p, t):
    """One entry twice."""
    i = rng.randrange(len(p["cases"]))
    p["cases"].insert(rng.randrange(len(p["cases"]) + 1), deepcopy(p["cases"][i]))

def cases_exchanged(rng, p, t):
    """Two entries for each other."""
    i, j = rng.sample(range(len(p["cases"])), 2)
    p["cases"][i], p["cases"][j] = p["cases"][j], p["cases"][i]

def row_changed(rng, p, t):
    """A division by another row or label."""
    some, key = division(rng, p, "row"), rng.choice(["row", "label"])
    some[key] = rng.randrange(5 if key == "row" else len(p["table"]["labels"]) + 1)

def column_changed(rng, p, t):
    """A division by another column."""
    division(rng, p, "column")["column"] = rng.choice([test["column"] for test in p["literals"]] + ["x9"])

def divided_again(rng, p, t):
    """One more division, at the beginning."""
    entry = {"row": rng.randrange(3), "label": rng.randrange(2)}
    if p["family"]["asking"] and rng.random() < .5: entry = {"column": rng.choice([*p["family"]["asking"]])}
    p["cases"] = [entry, *p["cases"], *(deepcopy(p["cases"]) if rng.random() < .5 else [])]

def evidence_changed(rng, p, t):
    """Another number in the sections of a leaf."""
    some = leaf(rng, p, "live")
    states = some.get("states")
    vector = rng.choice(some["prices"])
    kind = rng.choice(["price", "rest", "live", "set"])
    if kind == "price": vector["values"][rng.randrange(len(vector["values"]))] += rng.choice([1, 50, 2**20])
    elif kind == "rest": states["rest"][rng.randrange(len(states["rest"]))] += rng.choice([-1, 1, 1000])
    elif kind == "live": del some["live"][rng.randrange(len(some["live"]))]
    else: rng.choice(some["sets"])[0] += 1

def ends_left_out(rng, p, t):
    """A leaf without its states."""
    leaf(rng, p, "live")["states"] = None

def default_changed(rng, p, t):
    """Another default of the family."""
    p["family"]["default"] = rng.choice([None, *range(len(p["table"]["labels"]))])

def constraint_changed(rng, p, t):
    """Another measure, label, group, side or limit."""
    some = rng.choice(p["family"]["constraints"])
    key = rng.choice(["measure", "positive", "sense", "limit", "limit", "of", "minus"])
    new = {"measure": rng.choice(MEASURES), "positive": rng.randrange(len(p["table"]["labels"])),
           "sense": ">=" if some["sense"] == "<=" else "<=", "limit": other(rng, some["limit"])}
    some[key] = new[key] if key in new else rng.choice([None, *p["literals"]])

def constraint_dropped(rng, p, t):
    """One constraint less."""
    some = p["family"]["constraints"]
    del some[rng.randrange(len(some))]
    for entry in p["cases"] if rng.random() < .7 else ():
        if "grid" in entry: entry["multipliers"] = entry["multipliers"][:len(some)]

def asking_changed(rng, p, t):
    """Another price of a column, or none."""
    some = p["family"]["asking"]
    name = rng.choice([*some, rng.choice(p["literals"])["column"]])
    if rng.random() < .3: some.pop(name, None)
    else: some[name] = other(rng, some.get(name, "0.1"))

def penalty_changed(rng, p, t):
    """Another penalty."""
    key = rng.choice(["rule_penalty", "rule_penalty", "literal_penalty"])
    p["family"][key] = other(rng, p["family"][key])

def family_changed(rng, p, t):
    """Other labels, another number of rules, or a condition less."""
    family, key = p["family"], rng.choice(["may", "most_rules", "conditions"])
    if key == "may": family["may"] = rng.choice([None, [sorted({0, rng.randrange(2)}) for _ in p["literals"]]])
    elif key == "most_rules": family["most_rules"] = rng.choice([None, 1, 2, 3])
    else: del family["conditions"][rng.randrange(len(family["conditions"]))]

def list_changed(rng, p, t):
    """Another list."""
    rules = p["list"]["rules"]
    if rng.random() < .4: p["list"]["default"] = rng.randrange(len(p["table"]["labels"]))
    elif rules and rng.random() < .5: del rules[rng.randrange(len(rules))]
    else: rng.choice(rules)[1] = rng.randrange(len(p["table"]["labels"]))

def no_list(rng, p, t):
    """The claim that there is no list."""
    p["list"], p["claim"] = None, {"objective": None, "bound": None}

def bound_raised(rng, p, t):
    """A higher bound."""
    bound = Fraction(p["claim"]["bound"])
    p["claim"]["bound"] = str(bound + rng.choice([Fraction(1, 10**9), Fraction(1, 50), Fraction(1, len(t["labels"]))]))

def literal_changed(rng, p, t):
    """The opposite of a test."""
    opposite = {"<": ">=", ">=": "<", "<=": ">", ">": "<=", "=": "!=", "!=": "=", "in": "not in", "not in": "in",
                "missing": "present", "present": "missing"}
    some = rng.choice(p["literals"])
    some["op"] = opposite[some["op"]]

def label_flipped(rng, p, t):
    """Another label of a row."""
    t["labels"][rng.randrange(len(t["labels"]))] = rng.randrange(len(p["table"]["labels"]))

def cells_exchanged(rng, p, t):
    """Two cells of a column for each other."""
    column = rng.choice([*t["columns"].values()])
    i, j = rng.sample(range(len(column)), 2)
    column[i], column[j] = column[j], column[i]

def version_changed(rng, p, t):
    """Another version, or less of what belongs to it."""
    if rng.random() < .5: p["version"] = rng.choice([1, 3])
    else: p["family"][rng.choice(["constraints", "asking"])] = None

CHANGES = (multiplier_changed, multipliers_exchanged, fixing_changed, grid_or_grain_changed, case_dropped, case_doubled,
           cases_exchanged, row_changed, column_changed, divided_again, evidence_changed, ends_left_out,
           default_changed, constraint_changed, constraint_dropped, asking_changed, penalty_changed, family_changed,
           list_changed, no_list, bound_raised, literal_changed, label_flipped, cells_exchanged, version_changed)


def changed(rng, proof, made, change):
    """A mutant: proof and instance; None if it is the same or cannot be made.  Often the bound is the list's objective."""
    p, t = deepcopy(proof), deepcopy({key: made[key] for key in ("columns", "labels", "weights", "n_labels")})
    p = json.loads(json.dumps(p))  # nothing is shared
    try:
        change(rng, p, t)
    except (IndexError, KeyError, ValueError, TypeError, AttributeError):
        return None
    return None if json.dumps([p, t]) == json.dumps([proof, {key: made[key] for key in t}]) else (p, t)


def table_of(proof, made):
    """The table as the text of a CSV file; the proof names its columns then."""
    proof["table"] |= {"label": "y", "weight": "w" if made["weights"] else None}
    columns = {**made["columns"], "y": made["labels"]}
    if made["weights"]: columns["w"] = made["weights"]
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows([[*columns], *zip(*columns.values())])
    return lines.getvalue()


# ------------------------------------------------------------------ asking

def main(n=2000, first_seed=0):
    """Many mutants of some proofs."""
    rng, counts = random.Random(first_seed), defaultdict(Counter)
    known, node = proofs(60, 10**6 * first_seed), JavaScript(SECONDS) if has_node() else None
    print(*Counter(kind for kind, *_ in known).items(), sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        place, table = Path(folder) / "proof.json", Path(folder) / "table.csv"
        def ask(kind, p, t):
            table.write_text(table_of(p, t))
            place.write_text(json.dumps(p))
            truth, here = is_true(p, t), ask_python(place, table, None, SECONDS)
            there = node.ask(place, table) if node else here
            count, proved = counts[kind], here.verdict == "proved"
            count.update(mutants=1, refused=not proved, proved=proved, false=truth is not True)
            count.update(accepted_false=truth is not True and "proved" in (here.verdict, there.verdict))
            bad = {here.verdict, there.verdict} - {"proved", "refused"}
            count.update(agreed=here[:3] == there[:3], crashed=len(bad) > 0)
            if truth is not True and proved or here[:3] != there[:3]:
                print("!!", kind, truth, here[:4], there[:4], flush=True)
        for _, proof, made in known: ask("as it is", deepcopy(proof), made)
        done, turn = 0, 0
        while done < n:
            change, (_, proof, made) = CHANGES[turn % len(CHANGES)], rng.choice(known)
            found = changed(rng, proof, made, change)
            turn += found is not None or rng.random() < .02
            if found: ask(change.__name__.replace("_", " "), *found)
            done += found is not None
    if node: node.end()
    names = "mutants", "refused", "proved", "false", "accepted_false", "agreed", "crashed"
    lines = [{"change": kind, **{key: count[key] for key in names}} for kind, count in counts.items()]
    write("proof-case-mutants", lines)
    for line in lines: print(*line.values(), sep=", ")
    print(dict(sum((Counter(count) for count in counts.values()), Counter())))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
