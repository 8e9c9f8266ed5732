"""Two results of a suite, case by case: who is right where, and whether the difference may be chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from labwright.evaluation.arena import suite as arena
from labwright.evaluation.runner import OUTCOMES, Row, frame
from labwright.evaluation.scoring import bootstrap
from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import read_json

Key = tuple[str, int, int]  # case, seed, and which of several rows with both
NAMES, SEEDS = ("case", "task", "say"), ("seed", "repeat")  # older results have no `case`
ORIGIN = ("suite", "backend", "answered_by", "date", "commit", "n", "score")


def read_result(path: Path) -> dict[str, Any]:
    """A result with rows: as the runner writes it, or as ``--json`` wraps it.

    Raises:
        InputError: there is no such file, or no rows in it.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}. Name two results of `labwright eval SUITE --out DIR`.")
    plain = read_json(path, "Make it anew with `labwright eval SUITE --out DIR`.")
    found: dict[str, Any] = plain.get("result", plain)
    if not found.get("rows"):
        raise InputError(f"{path} is not the result of a suite: it has no rows.")
    return found


def compare(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that is known of the pairs: counts, p-value, difference B minus A with interval, numbers, changes.

    Pairs with a crash are listed and left out. Several seeds of a case count as independent pairs in the p-value; in
    the intervals of numbers they are one, their mean.
    """
    name = _name_of([*a["rows"], *b["rows"]])
    ours, theirs = keyed(a["rows"], name), keyed(b["rows"], name)
    shared = [key for key in ours if key in theirs]
    crashed = [key for key in shared if "crashed" in (outcome(ours[key]), outcome(theirs[key]))]
    pairs = {key: (ours[key], theirs[key]) for key in shared if key not in crashed}
    right = Counter((bool(one["passed"]), bool(other["passed"])) for one, other in pairs.values())
    table = {
        "both": right[True, True],
        "only_a": right[True, False],
        "only_b": right[False, True],
        "neither": right[False, False],
    }
    difference, interval = paired_difference(**table)
    return {
        "a": {name: a[name] for name in ORIGIN if name in a},
        "b": {name: b[name] for name in ORIGIN if name in b},
        "n": len(pairs),
        **table,
        "p": mcnemar(table["only_a"], table["only_b"]),
        "difference": difference,
        "interval": interval,
        "numbers": numbers(pairs),
        "changed": [
            {"case": key[0], "seed": key[1], "a": outcome(one), "b": outcome(other)}
            for key, (one, other) in pairs.items()
            if outcome(one) != outcome(other)
        ],
        "crashed": [key[0] for key in crashed],
        "unpaired": {"a": [key[0] for key in ours if key not in theirs], "b": [k[0] for k in theirs if k not in ours]},
    }


def joined(older: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """One result of two runs of a suite: `newer` with the rows of the cases that only `older` has, in its order.

    Every row says of which ``commit`` and ``date`` it is; the result's own commit is that of `newer`.

    Raises:
        InputError: they are results of different suites.
    """
    if older["suite"] != newer["suite"]:
        raise InputError(f"{older['suite']!r} and {newer['suite']!r} are different suites. Join results of one.")
    rows: dict[str, list[Row]] = {}
    for result in (older, newer):
        name = _name_of(result["rows"])
        origin = {column: result[column] for column in ("commit", "date") if column in result}
        for case in {str(row[name]): None for row in result["rows"]}:
            rows[case] = [{**origin, **row} for row in result["rows"] if row[name] == case]
    every = [row for case in rows.values() for row in case]
    seconds = round(older.get("seconds", 0.0) + newer.get("seconds", 0.0), 1)
    good = all(row["passed"] for row in every)
    again = {"table": arena.table(every)} if older["suite"].startswith("arena") else {}
    return {**newer, **frame(every), **again, "seconds": seconds, "passed": good, "rows": every}


def _name_of(rows: Sequence[Row]) -> str:
    """The column that names the cases of all rows.

    Raises:
        InputError: rows do not say of which case they are, or whether it passed.
    """
    for name in NAMES:
        if all(name in row and "passed" in row for row in rows):
            return name
    raise InputError(f"Rows must have a case and say whether it passed, but have {', '.join(rows[0])}.")


def keyed(rows: Sequence[Row], name: str = "case") -> dict[Key, Row]:
    """Rows by case and seed; `name` is the column of the case."""
    seen: Counter[tuple[str, int]] = Counter()
    found: dict[Key, Row] = {}
    for row in rows:
        seed = next((int(row[column]) for column in SEEDS if row.get(column) is not None), 0)
        case = str(row[name])
        found[case, seed, seen[case, seed]] = row
        seen[case, seed] += 1
    return found


def outcome(row: Row) -> str:
    """``right``, ``crashed``, or how it is not right."""
    if row.get("status") == "crashed" or row.get("outcome") in OUTCOMES:
        return str(row.get("outcome", "crashed"))
    return "right" if row["passed"] else "not right"


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided p-value of McNemar's test: the cases that differ fall to either side like a coin."""
    n = only_a + only_b
    tail: int = sum(math.comb(n, k) for k in range(min(only_a, only_b) + 1))
    return min(1.0, 2.0 * tail / 2.0**n)


def paired_difference(both: int, only_a: int, only_b: int, neither: int) -> tuple[float, tuple[float, float]]:
    """Share right of B minus that of A, with its 95 % interval.

    The interval is the adjusted one of Wald for paired shares (Bonett and Price, J. Educ. Behav. Stat. 37, 479, 2012).
    """
    n = both + only_a + only_b + neither
    if n == 0:
        return 0.0, (-1.0, 1.0)
    a, b = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    half = 1.96 * math.sqrt((a + b - (b - a) ** 2) / (n + 2))
    return (only_b - only_a) / n, (round(max(-1.0, b - a - half), 4), round(min(1.0, b - a + half), 4))


def numbers(pairs: Mapping[Key, tuple[Row, Row]]) -> dict[str, dict[str, Any]]:
    """Each number that both rows of a pair have: means, and the mean of B minus A with its bootstrap interval."""
    names = dict.fromkeys(name for one, _ in pairs.values() for name in one if name not in SEEDS)
    table = {}
    for name in names:
        known: dict[str, list[tuple[float, float]]] = {}
        for key, (one, other) in pairs.items():
            if _is_number(one.get(name)) and _is_number(other.get(name)):
                known.setdefault(key[0], []).append((float(one[name]), float(other[name])))
        if known:
            means = [(mean(x for x, _ in values), mean(y for _, y in values)) for values in known.values()]
            apart = [y - x for x, y in means]
            table[name] = {
                "n": len(means),
                "a": mean(x for x, _ in means),
                "b": mean(y for _, y in means),
                "difference": mean(apart),
                "interval": bootstrap(apart),
            }
    return table


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
