"""What is evaluated: one device, one seed, and what would be right. Cases are data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from labwright.evaluation.runner import Options

FOLDER = Path(__file__).parent / "cases" / "calibration"
QUBIT = "Q1"
REQUEST = f"Calibrate qubit {QUBIT} and benchmark it"


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a system on one simulated device.

    Attributes:
        name: of the case, unique in its suite.
        seed: of the run and of everything random in the device.
        options: which device, and how its controller starts; see `labwright.tools.qpu.starting_settings.choose`.
        request: what is asked for.
    """

    name: str
    seed: int
    options: dict[str, float | str]
    request: str = REQUEST


def seeds_of(options: Options) -> range:
    """``seeds`` of them, from ``first`` on."""
    return range(options["first"], options["first"] + options["seeds"])


def drawn_cases(options: Options, kind: str = "drawn", request: str = REQUEST) -> list[Case]:
    """Devices of one kind; ``drawn`` ones lie around the paper's, with either sign of every offset."""
    return [Case(f"{kind} {seed}", seed, {"device": f"{kind}:{seed}"}, request) for seed in seeds_of(options)]
