"""Suite `inspection`: whether a result is good, and if not, what is wrong with it and what to do.

The generators (`paper_cases`, `harder_sweeps`, `harder_pictures`) were committed before the inspector was tuned. The
development half may be looked at; the sealed half has other seeds and other values, and is run to report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from labwright.evaluation.inspection import harder_drag_readout, harder_sweeps, paper_cases
from labwright.evaluation.inspection.baseline import numbers_of, of, scores
from labwright.evaluation.inspection.case import Kind, Measured, measured, met, right_number, trusted
from labwright.evaluation.inspection.methods import BLIND, METHODS, judge
from labwright.evaluation.inspection.random_case_numbers import Draw, Split
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.evaluation.scoring import wilson

PAPER, HARDER = paper_cases.KINDS, harder_sweeps.KINDS + harder_drag_readout.KINDS
SETS: dict[str, Sequence[Kind]] = {"paper": PAPER, "harder": HARDER}


@dataclass(frozen=True, slots=True)
class Case:
    """One result to be inspected: which generator, and the number of its draw."""

    name: str
    set: str
    kind: str
    number: int
    seed: int = 0


def drawn(options: Options) -> list[Case]:
    """The cases of both sets; a `share` of each kind, one at least."""
    return [
        Case(f"{kind.name} {number}", name, kind.name, number)
        for name, kinds in SETS.items()
        for kind in kinds
        for number in range(max(1, round(options["share"] * kind.number)))
    ]


def facts_of(case: Case, split: Split) -> tuple[Measured, Row]:
    """The case after its experiment ran, and what a judge has no part in."""
    [kind] = [one for one in SETS[case.set] if one.name == case.kind]
    found = measured(kind, case.number, Draw(split, kind.name, case.number))
    good = kind.status == "success"
    return found, {
        "set": case.set,
        "kind": kind.name,
        "experiment": kind.experiment,
        "expected": kind.status if case.set == "harder" else "good" if good else "not good",
        "good": good,
        **numbers_of(found),
    }


def inspect(case: Case, context: Context) -> Row:
    """One result, judged by every method that the mind is able to."""
    found, row = facts_of(case, context.options["split"])
    mind, kind = context.mind, found.kind
    methods = METHODS if mind.sees_images else BLIND
    told = {str(method): judge(mind, found, method, context.folder) for method in methods}
    best = "combined" if "combined" in told else "fit only"
    actions = found.made.actions
    return {
        **row,
        "passed": _right(case.set, kind, told[best].status),
        "said": told[best].status or "unclear",
        "methods": {
            name: {
                "right": _right(case.set, kind, one.status),
                "good_or_not": _right("paper", kind, one.status),
            }
            for name, one in told.items()
        },
        **({"number": {"trusted": trusted(found), "right": right_number(found)}} if found.made.truth else {}),
        **({"action": met(actions, told[best].proposal, found.experiment.arguments)} if actions else {}),
    }


def _right(name: str, kind: Kind, status: str) -> bool:
    """Of the paper's cases good or not; of the harder ones the status itself."""
    if name == "paper":
        return (status == "success") == (kind.status == "success") and status != ""
    return status == kind.status


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Both sets by method, baseline, reliability of fits and actions, and a table by kind."""
    parts = {}
    for name in SETS:
        training = rows
        if context.options["split"] != "dev":
            training = [facts_of(case, "dev")[1] for case in drawn(context.options) if case.set == name]
        parts[name] = _part(of(rows, set=name), of(training, set=name))
    return {
        **parts,
        "table": [_of_kind(of(rows, kind=kind.name)) for kind in PAPER + HARDER],
        "notes": [_line(name, parts[name]) for name in parts],
    }


def _part(rows: Sequence[Row], training: Sequence[Row]) -> dict[str, Any]:
    passed = sum(row["passed"] for row in rows)
    known = [row["number"] for row in rows if "number" in row]
    return {
        "n": len(rows),
        "passed": passed,
        "score": passed / len(rows),
        "interval": wilson(passed, len(rows)),
        "methods": {method: _method([row["methods"][method] for row in rows]) for method in rows[0]["methods"]},
        "baseline": scores(training, rows),
        "reliability": {
            word: _count([one["right"] for one in known if one["trusted"] == held])
            for word, held in (("given on", True), ("held back", False))
        },
        "actions": _count([row["action"] for row in rows if "action" in row]),
    }


def _method(told: Sequence[Row]) -> dict[str, Any]:
    passed = sum(one["right"] for one in told)
    return {
        "score": passed / len(told),
        "interval": wilson(passed, len(told)),
        "good_or_not": sum(one["good_or_not"] for one in told) / len(told),
    }


def _count(right: Sequence[bool]) -> dict[str, int]:
    return {"n": len(right), "right": sum(right)}


def _of_kind(rows: Sequence[Row]) -> Row:
    words = Counter(row["said"] for row in rows)
    return {
        **{name: rows[0][name] for name in ("set", "kind", "experiment", "expected")},
        **_count([row["passed"] for row in rows]),
        "said": ", ".join(f"{word} {words[word]}" for word in sorted(words)),
    }


def _line(name: str, part: dict[str, Any]) -> str:
    methods = ", ".join(f"{method} {table['score']:.3f}" for method, table in part["methods"].items())
    baseline = ", ".join(f"{number} {value:.3f}" for number, value in part["baseline"].items())
    actions = part["actions"]
    said = f"{name} set: {methods}; one threshold, good or not: {baseline}"
    return f"{said}; right proposals {actions['right']} of {actions['n']}" if actions["n"] else said


SUITE = Suite(
    name="inspection",
    doc="The paper's four synthetic cases and a harder set of results to inspect, development half",
    cases=drawn,
    run=inspect,
    options={"mind": "rules", "split": "dev", "share": 1.0},
    summarise=summarise,
    chooses=("share",),
    columns=("set", "kind", "expected", "right", "n", "said"),
)
SEALED = replace(
    SUITE,
    name="inspection-sealed",
    doc="Results to inspect with other seeds and other values, run to report",
    options={**SUITE.options, "split": "sealed"},
)
