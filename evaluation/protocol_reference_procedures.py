"""Procedures as evaluation compares them: plain steps, from a reference written by hand or from a robot's file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from labwright.tools.chemistry.chemical_table import Chemical, lookup
from labwright.tools.liquid_handler.protocol_steps import Protocol
from labwright.tools.plain_yaml import read_yaml

CASES = Path(__file__).parent / "cases" / "protocols" / "experiments"
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
    """A description in words and as a specification, and the procedure that a chemist worked out by hand for it."""

    name: str
    text: str
    protocol: str  # YAML
    reference: Procedure
    answers: dict[str, str]  # words of a question, in lower case, to what the author meant


def load_experiments() -> list[Experiment]:
    """The experiments with references, in their order."""
    return [read_experiment(path.read_text(encoding="utf-8")) for path in sorted(CASES.glob("*.yaml"))]


def read_experiment(text: str) -> Experiment:
    """An experiment from its YAML file."""
    plain = read_yaml(text)
    steps = tuple(_reference(step) for step in plain["steps"])
    return Experiment(plain["name"], plain["text"], plain["protocol"], steps, plain.get("answers", {}))


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
    """What a chemical's name stands for, however it is written; a stock's own name in small letters."""
    found = lookup(name)
    return found.name if isinstance(found, Chemical) else name.casefold()
