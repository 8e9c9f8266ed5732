"""State of a chip's calibration: a plan in rounds, and one lane a qubit or coupler. Small and JSON-plain."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from labwright.graphs.lab_calibration.state import CalibrationState

LaneStatus = Literal["waiting", "running", "complete", "failed", "refused", "stopped"]
Kind = Literal["calibrate", "maintain", "couple"]


class Lane(TypedDict):
    """One qubit's or one coupler's way through the run."""

    name: str  # Q3, "Q3-alone" for what is repeated with nobody beside it, Q1-Q2 for a coupler
    qubit: str  # or the coupler
    kind: Kind
    request: str  # what it is for, in words for people
    plan: dict[str, Any]  # its own plan; empty for upkeep, which makes one for each calibration
    run_dir: str  # a part of the run, with its own log, actions, data and report
    status: LaneStatus
    cause: str
    awaits: str  # key of the acquisition that comes next; empty if none
    state: dict[str, Any]  # a CalibrationState; empty before it begins and after it ended


def waiting_lane(name: str, qubit: str, kind: Kind, request: str, plan: dict[str, Any], run_dir: str) -> Lane:
    """A lane that has not begun."""
    return {
        "name": name, "qubit": qubit, "kind": kind, "request": request, "plan": plan, "run_dir": run_dir,
        "status": "waiting", "cause": "", "awaits": "", "state": {},
    }  # fmt: skip


class LaneState(CalibrationState, total=False):
    """What the nodes of a lane work on: a calibration that can wait for the device."""

    awaits: str


class Plan(TypedDict):
    """Who is worked on when.

    Attributes:
        rounds: names of the lanes of each round.
        at: index of the round under way.
        reasons: why qubits were kept apart: {first, second, reason}.
        places: qubit -> row and column in a drawing.
        couplers: pairs of coupled qubits.
        chosen: names of the couplers whose gate is calibrated behind the qubits.
    """

    rounds: list[list[str]]
    at: int
    reasons: list[dict[str, str]]
    places: dict[str, list[int]]
    couplers: list[list[str]]
    chosen: list[str]


def merged(old: dict[str, Lane], new: dict[str, Lane]) -> dict[str, Lane]:
    """Lanes that come back one by one replace their former selves."""
    return {**old, **new}


class Spent(TypedDict):
    """Device time, s: what the chip was busy for, what its qubits would have taken one by one, and acquisitions."""

    together: float
    one_by_one: float
    acquisitions: int


class ChipInput(TypedDict, total=False):
    """What the calibration hands over."""

    request: str
    choices: dict[str, Any]
    run_dir: str
    branch: str


class ChipOutput(TypedDict, total=False):
    """How it ended."""

    phase: str
    status: str
    cause: str


class ChipState(ChipInput, ChipOutput, total=False):
    """What the nodes of the chip read and write."""

    plan: Plan
    lanes: Annotated[dict[str, Lane], merged]
    step: int  # acquisitions played together so far
    spent: Spent
    repeat: str  # key of a step that a person wants played although its outcome is unknown
