"""What a check looks at, and what it says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol_steps import Protocol, Step, Well
from labwright.tools.liquid_handler.simulate import Run, simulate
from labwright.tools.liquid_handler.vial_amounts import Amounts
from labwright.tools.liquid_handler.well_arrangement import Layout

TOLERANCE = 1e-3  # relative: amounts in the file may differ by their rounding, never by more


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault or a doubt. An error blocks the file, a warning does not; `step` counts from 1, None for the whole.

    `person`: a named person must accept it before the file is written.
    """

    code: str
    severity: Literal["error", "warning"]
    step: int | None
    wells: tuple[str, ...]
    message: str
    mend: str
    person: bool = False

    def rest(self) -> dict[str, Any]:
        """All but the code, as the files of a protocol hold it."""
        return {
            "severity": self.severity, "step": self.step, "wells": list(self.wells),
            "message": self.message, "mend": self.mend,
        }  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A protocol as read back from its file, beside what was asked."""

    design: ExperimentDesign
    amounts: Amounts
    layout: Layout
    protocol: Protocol

    @cached_property
    def run(self) -> Run:
        """The simulated run."""
        return simulate(self.protocol, self.amounts.cupboard.materials)

    @cached_property
    def settings(self) -> list[dict[tuple[str, str], float]]:
        """Before each step: what each (plate, parameter) was set to last."""
        found: list[dict[tuple[str, str], float]] = []
        now: dict[tuple[str, str], float] = {}
        for step in self.protocol.steps:
            found.append(now)
            if step.action == "Set" and step.amounts:
                now = {**now, (step.plate, step.subject): max(step.amounts.values())}
        return found

    def steps(self) -> Iterable[tuple[int, Step]]:
        """Steps with their number from 1."""
        return enumerate(self.protocol.steps, start=1)


def names(wells: Iterable[Well]) -> tuple[str, ...]:
    """Well names in order."""
    return tuple(well_name(*well) for well in sorted(wells))


def error(code: str, step: int | None, wells: Iterable[Well], message: str, mend: str) -> Finding:
    """A finding that blocks the file."""
    return Finding(code, "error", step, names(wells), message, mend)


def warning(code: str, step: int | None, wells: Iterable[Well], message: str, mend: str) -> Finding:
    """A finding that a person should read."""
    return Finding(code, "warning", step, names(wells), message, mend)


def differs(found: float, wanted: float, smallest: float = 2e-3) -> bool:
    """Whether two amounts differ by more than rounding allows."""
    return abs(found - wanted) > max(TOLERANCE * abs(wanted), smallest)
