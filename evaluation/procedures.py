"""Procedures as evaluation compares them: plain steps, from a reference written by hand or from a robot's file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from labwright.agents.protocol_design.grammar.amounts import find_amounts
from labwright.agents.protocol_design.names import find_chemicals
from labwright.tools.chemistry.chemicals import Chemical, lookup
from labwright.tools.chemistry.quantities import Quantity
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.steps import Protocol

CASES = Path(__file__).parent / "cases" / "protocols" / "experiments"
WORDINGS = CASES.parent / "wordings.yaml"
Well = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """One step.

    Attributes:
        subject: the chemical or stock of an Add, the parameter of a Set, the plate that a Transfer takes from.
        amounts: mg, uL or the parameter's unit, by well (row and column from 0).
        origins: of a Transfer: where each well is filled from.
        moves: a Transfer of whole vials.
        free: of a reference: another value would be as good.
    """

    action: Literal["Add", "Set", "Transfer"]
    subject: str
    plate: str
    unit: str
    amounts: dict[Well, float]
    origins: dict[Well, Well] = field(default_factory=dict)
    moves: bool = False
    free: bool = False


Procedure = tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A description, and the procedure that a chemist worked out by hand for it."""

    name: str
    text: str
    reference: Procedure
    assumptions: tuple[str, ...]
    arguable: tuple[str, ...]
    answers: dict[str, str]  # words of a question, in lower case, to what the author meant


def load_experiments(wording: str = "first") -> list[Experiment]:
    """The experiments with references, in their order, in one of the wordings that there are.

    Raises:
        InputError: there is no such wording.
    """
    found = [read_experiment(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.yaml"))]
    if wording == "first":
        return found
    others = yaml.safe_load(WORDINGS.read_text(encoding="utf-8"))
    if wording not in others:
        raise InputError(f"There is no wording {wording!r}. Choose one of: first, {', '.join(others)}.")
    return [replace(one, text=text) for one, text in zip(found, others[wording], strict=True)]


def read_experiment(text: str) -> Experiment:
    """An experiment from its YAML file."""
    plain = yaml.safe_load(text)
    steps = tuple(_reference(step) for step in plain["steps"])
    return Experiment(
        name=plain["name"],
        text=plain["text"],
        reference=steps,
        assumptions=tuple(plain["assumptions"]),
        arguable=tuple(plain["arguable"]),
        answers=plain.get("answers", {}),
    )


def _reference(step: dict[str, Any]) -> Entry:
    amounts: dict[Well, float] = {}
    for where, value in step["amounts"].items():
        block = wells(where)
        values = value if isinstance(value, list) else [value] * len(block)
        amounts.update(zip(block, map(float, values), strict=True))
    origins = dict(zip(amounts, wells(step["origins"]), strict=True)) if "origins" in step else {}
    moves = step["do"] == "Transfer" and not step["unit"]
    return Entry(
        step["do"], step["what"], step["plate"], step["unit"], amounts, origins, moves, bool(step.get("free", False))
    )


def wells(where: str) -> list[Well]:
    """``A1-B3`` as its wells, row by row; ``A1`` alone is one."""
    first, _, last = where.partition("-")
    top, left = _well(first)
    bottom, right = _well(last or first)
    return [(row, column) for row in range(top, bottom + 1) for column in range(left, right + 1)]


def _well(name: str) -> Well:
    found = re.fullmatch(r"([A-H])(\d+)", name)
    if found is None:
        raise ValueError(f"{name!r} is no well; wells are named like B3.")
    return ord(found[1]) - ord("A"), int(found[2]) - 1


def procedure_of(protocol: Protocol) -> Procedure:
    """The steps of a protocol, such as one that was read back from a robot's file."""
    return tuple(
        Entry(
            step.action, step.subject, step.plate, step.unit, step.amounts, step.origins, moves="MoveVial" in step.tags
        )
        for step in protocol.steps
    )


def identity(name: str) -> str:
    """What a chemical's or stock's name stands for, however it is written: ``ammonia (28 %)``, ``methanol``."""
    found = lookup(name)
    if isinstance(found, Chemical):
        return found.name
    chemicals = [chemical for chemical, _, _ in find_chemicals(name)]
    if not chemicals:
        return name.casefold()
    strengths = [str(Quantity(item.values[0], item.unit)) for item in find_amounts(name) if item.unit]
    return f"{chemicals[0]} ({strengths[0]})" if strengths else chemicals[0]
