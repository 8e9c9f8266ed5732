"""Suite `checks`: right plans with one thing changed by code, and whether that is stopped or shown.

A mutant is *stopped* if the checks of the plan name a problem, *shown* if the read-back that a person is given differs
from that of the right plan in a line of its own, and *silent* otherwise. Mutants that compile to the plan of the right
one are the same plan and do not count. Right plans are drawn from the cards (a case each), and those of
`evaluation/cases/cover`, which another author wrote beside words.
"""

from __future__ import annotations

import copy
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from labwright.evaluation.benchmarks.random_short_forms import Draw, document, paper_lab, shipped
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.evaluation.scoring import wilson
from labwright.tools.errors import InputError
from labwright.tools.plain_yaml import read_yaml
from labwright.tools.qpu.chip_grid import neighbours
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.catalogue import places, updates
from labwright.tools.specifications.plan_completion import Completed, Lab, complete
from labwright.tools.specifications.plan_to_sentences import read_back
from labwright.tools.specifications.yaml_files import read_document, to_yaml
from labwright.tools.units import UNITS

PAIRS = Path(__file__).parent / "cases" / "cover" / "pairs.yaml"
REQUIRED = 0.95
GRID = tuple(f"Q{number}" for number in range(1, 17))
NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)(\s*)([A-Za-zµμ%°]*)")  # of a value that code wrote
Plain = dict[str, Any]
Mutants = Iterator[tuple[str, Plain]]  # (what was changed, plan)


@dataclass(frozen=True)
class Case:
    """A right plan: drawn from the cards with the seed, or named in `PAIRS`."""

    name: str
    seed: int = 0


def cases_of(options: Options) -> list[Case]:
    """Drawn plans by seed, and every plan of `PAIRS`."""
    return [*(Case("drawn", seed) for seed in range(options["seeds"])), *(Case(name) for name in _written())]


@cache
def _written() -> dict[str, Plain]:
    """Right plans by their id."""
    return {each["id"]: read_document(each["plan"]).data for each in read_yaml(PAIRS.read_text("utf-8"))}


def lab_of(case: Case) -> Lab:
    """Where the plan of a case is at home."""
    if case.name == "drawn":
        return paper_lab(strict_units=True)
    pairs = ["-".join(pair) for pair in neighbours()] + _written()[case.name].get("couplers", [])
    return Lab(shipped(), GRID, tuple(pairs), strict_units=True)


def right_plan(case: Case) -> Plain:
    """The plan of a case, as a document."""
    plain = document(Draw(case.seed, units=True).orders()) if case.name == "drawn" else _written()[case.name]
    return read_document(to_yaml(plain)).data


def run(case: Case, context: Context) -> Row:
    """Every mutant of one plan, and what became of it."""
    lab, plain = lab_of(case), right_plan(case)
    right = complete(copy.deepcopy(plain), lab)
    if right.problems:
        return {"passed": False, "faults": f"not right: {right.problems[0].sentence()}", "mutants": []}
    found = [[kind, said, _fate(mutant, right, lab)] for kind, said, mutant in mutants(plain, lab, case.seed)]
    found = [each for each in found if each[2] != "same"]
    silent = [f"{kind} ({said})" for kind, said, fate in found if fate == "silent"]
    return {"passed": not silent, "faults": "; ".join(silent), "mutants": found, "plan": plain if silent else None}


def _fate(mutant: Plain, right: Completed, lab: Lab) -> str:
    """``stopped``, ``shown``, ``silent``, or ``same``."""
    try:
        done = complete(copy.deepcopy(mutant), lab)
    except (SpecificationError, InputError):
        return "stopped"
    if done.problems:
        return "stopped"
    if done.plan == right.plan:
        return "same"
    return "shown" if shown(done, lab) != shown(right, lab) else "silent"


def shown(done: Completed, lab: Lab) -> list[str]:
    """What a person reads of a plan, without its cost, and what was assumed."""
    lines = read_back(done.plan, lab.catalogue, lambda _call: None).splitlines()
    return [line for line in lines if not line.startswith("Device time")] + done.assumptions


def mutants(plain: Plain, lab: Lab, seed: int) -> Iterator[tuple[str, str, Plain]]:
    """(kind, what was changed, plan), every place once."""
    rng = random.Random(seed)
    for kind, change in KINDS.items():
        for said, mutant in change(plain, lab, rng):
            yield kind, said, mutant


def _steps(plain: Plain) -> Iterator[tuple[int, Plain]]:
    return ((number, step) for number, step in enumerate(plain.get("steps", [])) if isinstance(step, dict))


def _with(plain: Plain, number: int, **fields: Any) -> Plain:
    """The plan with other fields in one step; None takes one out."""
    mutant = copy.deepcopy(plain)
    step = mutant["steps"][number] | fields
    mutant["steps"][number] = {name: value for name, value in step.items() if value is not None}
    return mutant


def roles(plain: Plain, lab: Lab, rng: random.Random) -> Mutants:
    """Control and target, qubit and partner exchanged; another qubit; the qubits of the plan."""
    for number, step in _steps(plain):
        qubits = step.get("qubits", [])
        qubits = [qubits] if isinstance(qubits, str) else qubits
        card = lab.catalogue.card(step.get("experiment", ""), step.get("procedure", ""))
        if len(qubits) > 1 and card is not None and places(card) is not None:
            yield f"steps.{number}: roles exchanged", _with(plain, number, qubits=qubits[::-1])
        others = [name for name in lab.qubits if name not in qubits]
        if qubits and others:
            yield f"steps.{number}: another qubit", _with(plain, number, qubits=[rng.choice(others), *qubits[1:]])
    given = plain.get("for")
    names = [given] if isinstance(given, str) and given not in ("all", "pairs") else given
    if isinstance(names, list):
        others = [name for name in lab.qubits if name not in names]
        yield "for: another qubit", {**copy.deepcopy(plain), "for": [rng.choice(others), *names[1:]]}
        yield "for: all", {**copy.deepcopy(plain), "for": "all"}


def _values(plain: Plain, change: Callable[[str], str | None]) -> Mutants:
    """Each value of a step's parameters, changes and conditions, as text, with `change` where it gives one."""
    for number, step in _steps(plain):
        for name, value in step.get("parameters", {}).items():
            if isinstance(value, bool | dict):
                continue
            new = change(str(value))
            if new is not None and new != str(value):
                yield (
                    f"steps.{number}.parameters.{name}: {value} to {new}",
                    _with(plain, number, parameters=step["parameters"] | {name: _plain(new, value)}),
                )
        for place, rule in enumerate(step.get("on", [])):
            rules = copy.deepcopy(step["on"])
            new = change(rule["if"]) if "if" in rule and any(sign in rule["if"] for sign in "<>") else None
            if new is not None and new != rule["if"]:
                rules[place]["if"] = new
                yield f"steps.{number}.on.{place}.if: {rule['if']} to {new}", _with(plain, number, on=rules)


def _plain(text: str, like: Any) -> Any:
    if isinstance(like, int | float):
        return type(like)(float(text))
    return text


def signs(plain: Plain, lab: Lab, rng: random.Random) -> Mutants:
    """A number with the other sign; the direction of a sum or of a comparison."""
    turned = str.maketrans("+-<>", "-+><")

    def other(text: str) -> str | None:
        if any(sign in text for sign in "+<>") or " - " in text:
            return text.translate(turned)
        return text[1:] if text.startswith("-") else f"-{text}" if NUMBER.match(text) else None

    yield from _values(plain, other)


def switches(plain: Plain, lab: Lab, rng: random.Random) -> Mutants:
    """A truth value turned round; what may be written; when a person is asked; the mode."""
    for number, step in _steps(plain):
        for name, value in step.get("parameters", {}).items():
            if isinstance(value, bool):
                changed = step["parameters"] | {name: not value}
                yield f"steps.{number}.parameters.{name}: {not value}", _with(plain, number, parameters=changed)
        card = lab.catalogue.card(step.get("experiment", ""), step.get("procedure", ""))
        if card is None or step.get("procedure") or updates(card, step.get("parameters", {})):
            other = "settings" if step.get("writes") == "none" else "none"
            yield f"steps.{number}.writes: {other}", _with(plain, number, writes=other)
    for policy in ("before writing settings", "before every measurement", "as the run says"):
        if policy != plain.get("approval", "as the run says"):
            yield f"approval: {policy}", {**copy.deepcopy(plain), "approval": policy}
    other = "calibrate" if plain.get("mode") == "maintain" else "maintain"
    yield f"mode: {other}", {**copy.deepcopy(plain), "mode": other}


def units(plain: Plain, lab: Lab, rng: random.Random) -> Mutants:
    """The unit beside: MHz for GHz, ns for us; or none."""

    def other(text: str) -> str | None:
        found = NUMBER.search(text)
        unit = found.group(3) if found else ""
        unit = {"µs": "us", "μs": "us", "°": "deg"}.get(unit, unit)
        if found is None or not unit or unit not in UNITS:
            return None
        near = [name for name, (kind, _) in UNITS.items() if kind == UNITS[unit][0] and name not in (unit, "")]
        new = rng.choice([*near, ""])
        return text[: found.start(3)] + new + text[found.end(3) :]

    yield from _values(plain, other)


def halves(plain: Plain, lab: Lab, rng: random.Random) -> Mutants:
    """Half for total and total for half, of a value; a range that begins or ends elsewhere; once for twice."""

    def other(factor: float) -> Callable[[str], str | None]:
        def changed(text: str) -> str | None:
            found = NUMBER.search(text)
            if found is None:
                return None
            number = f"{float(found.group(1)) * factor:.12g}"
            return text[: found.start(1)] + number + text[found.end(1) :]

        return changed

    yield from _values(plain, other(2))
    yield from _values(plain, other(0.5))
    for number, step in _steps(plain):
        if step.get("repeats") is not None:
            yield f"steps.{number}.repeats", _with(plain, number, repeats=2 * step["repeats"] + 1)
            yield f"steps.{number}.repeats left out", _with(plain, number, repeats=None)
        for name in step.get("parameters", {}):
            rest = {key: value for key, value in step["parameters"].items() if key != name}
            yield f"steps.{number}.parameters.{name} left out", _with(plain, number, parameters=rest)


Change = Callable[[list[Any], int], None]


def orders(plain: Plain, lab: Lab, rng: random.Random) -> Mutants:
    """Neighbouring steps exchanged, one left out, one twice; what follows exchanged, left out or turned."""
    for number in range(len(plain.get("steps", []))):
        moves: dict[str, Change] = {"left out": _without, "twice": _twice, "exchanged": _exchanged}
        for said, change in moves.items():
            mutant = copy.deepcopy(plain)
            change(mutant["steps"], number)
            if mutant["steps"] and mutant["steps"] != plain["steps"]:
                yield f"steps.{number} {said}", mutant
    for number, step in _steps(plain):
        for place in range(len(step.get("on", []))):
            changes: dict[str, Change] = {"left out": _without, "exchanged": _exchanged, "turned": _turned}
            for said, change in changes.items():
                rules = copy.deepcopy(step["on"])
                change(rules, place)
                if rules != step["on"]:
                    yield f"steps.{number}.on.{place} {said}", _with(plain, number, on=rules)


def _without(items: list[Any], place: int) -> None:
    del items[place]


def _twice(items: list[Any], place: int) -> None:
    items.insert(place, copy.deepcopy(items[place]))


def _exchanged(items: list[Any], place: int) -> None:
    items[place : place + 2] = items[place : place + 2][::-1]


def _turned(rules: list[Plain], place: int) -> None:
    goal = rules[place].get("go")
    rules[place]["go"] = "FAILED" if goal != "FAILED" else "next"


KINDS: dict[str, Callable[[Plain, Lab, random.Random], Mutants]] = {
    "role": roles,
    "sign": signs,
    "switch": switches,
    "unit": units,
    "half or total": halves,
    "order": orders,
}


def summarise(rows: list[Row], context: Context) -> Plain:
    """Stopped, shown and silent by kind; the score is the share that is not silent."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        for kind, _, fate in row["mutants"]:
            counts[kind][fate] += 1
            counts["all"][fate] += 1
    table = [
        {
            "kind": kind,
            "n": sum(fates.values()),
            **{fate: fates[fate] for fate in ("stopped", "shown", "silent")},
            "stopped_or_shown": 1 - fates["silent"] / sum(fates.values()),
        }
        for kind, fates in counts.items()
    ]
    total = counts["all"]
    n = sum(total.values())
    low, high = wilson(n - total["silent"], n)
    notes = [f"{n - total['silent']} of {n} stopped or shown (95 %: {low:.3f} to {high:.3f})"]
    return {
        "table": table,
        "notes": notes,
        "score": 1 - total["silent"] / n,
        "interval": [low, high],
        "silent": [f"{row['case']} {row['seed']}: {row['faults']}" for row in rows if row["faults"]],
        "rows": [{key: value for key, value in row.items() if key != "mutants"} for row in rows],
    }


SUITE = Suite(
    name="checks",
    doc="Right plans with one thing changed by code: what the checks stop, what the read-back shows",
    cases=cases_of,
    run=run,
    options={"seeds": 20},
    summarise=summarise,
    columns=("kind", "n", "stopped", "shown", "silent", "stopped_or_shown"),
    required=REQUIRED,
)
