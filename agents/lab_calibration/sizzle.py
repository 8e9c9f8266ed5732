"""The agent of a siZZle search: it proposes the next drive, frequency and amplitude, from what was measured before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall
from labwright.tools.experiments.sizzle_policy import CLEAR, SAME, Advice, Attempt, Situation, next_drive

FARTHEST = 150.0  # MHz from both transitions, beyond which nothing happens


class Tried(BaseModel):
    """One drive that was tried; 0 where a number is not known."""

    frequency: float = Field(description="MHz")
    amplitude: float = Field(description="of the first qubit's drive, full scale")
    outcome: Literal["success", "slow", "failed"]
    reason: str
    zz_rate: float = Field(description="MHz")
    duration: float = Field(description="of one Stark pulse of a CZ, us")
    gate_error: float = Field(description="benchmarked error of that CZ")
    gate_error_std: float


class DriveIn(BaseModel):
    """Where a search stands."""

    frequencies: list[float] = Field(description="Transition frequencies of both qubits, MHz.")
    anharmonicities: list[float] = Field(description="MHz, negative.")
    highest: float = Field(description="Largest amplitude of the first qubit's drive.")
    strongest: float = Field(description="Its Rabi rate, MHz.")
    only: float | None = Field(description="The one drive frequency that is asked about, MHz; null if it is open.")
    attempts: list[Tried]
    frequencies_left: int
    acquisitions_left: int


class DriveOut(BaseModel):
    """The next drive."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One to three sentences: what the attempts say, and why this drive.")
    stop: bool = Field(description="True if nothing worth trying is left.")
    frequency: float = Field(description="MHz; 0 if `stop`.")
    amplitude: float = Field(description="Of the first qubit's drive, full scale; 0 if `stop`.")


def by_rules(given: DriveIn) -> DriveOut:
    """Regions that nobody looked at, then steps from the best drives; up after success, down after failure."""
    attempts = tuple(Attempt(**attempt.model_dump()) for attempt in given.attempts)
    one, two = zip(given.frequencies, given.anharmonicities, strict=True)
    left = (given.frequencies_left, given.acquisitions_left)
    advice = next_drive(
        Situation((one[0], two[0]), (one[1], two[1]), given.highest, attempts, *left, given.strongest, given.only)
    )
    return DriveOut(analysis=advice.reason, stop=advice.stop, frequency=advice.frequency, amplitude=advice.amplitude)


def check(given: DriveIn, answer: DriveOut) -> list[str]:
    """A new drive within the limits, off both transitions, near enough to them that something happens."""
    if answer.stop:
        return [] if given.attempts or given.acquisitions_left < 2 else ["Nothing was tried yet; propose a drive."]
    found = []
    near = min(abs(answer.frequency - f) for f in given.frequencies)
    gap = abs(given.frequencies[0] - given.frequencies[1])
    closest = min(CLEAR, gap / 3)
    if given.only is not None and abs(answer.frequency - given.only) > SAME:
        found.append(f"`frequency` must be {given.only:g} MHz, the one that is asked about.")
    elif given.only is None and near < closest - 0.05:
        found.append(f"{answer.frequency:g} MHz is {near:.1f} MHz from a transition; keep {closest:.0f} MHz away.")
    elif (
        given.only is None
        and near > FARTHEST
        and not min(given.frequencies) < answer.frequency < max(given.frequencies)
    ):
        found.append(f"{answer.frequency:g} MHz is {near:.0f} MHz from both transitions, where nothing happens.")
    if not 0.0 < answer.amplitude <= given.highest * 1.0001:
        found.append(f"`amplitude` must be above 0 and at most {given.highest:.4f}, but is {answer.amplitude:g}.")
    here = [a for a in given.attempts if abs(a.frequency - answer.frequency) < SAME]
    if any(abs(a.amplitude - answer.amplitude) < 0.02 * given.highest for a in here):
        found.append(f"{answer.amplitude:g} at {answer.frequency:g} MHz was tried already; propose another drive.")
    if given.acquisitions_left < 2 or (given.frequencies_left < 1 and not here):
        found.append("The budget is spent; `stop` must be true.")
    return found


DRIVE = AgentCall(
    "lab_calibration.sizzle_drive_advise",
    "lab_calibration/sizzle_drive_advise.md",
    DriveIn,
    DriveOut,
    by_rules,
    check,
    "reasoning",
)


class Agents:
    """The advisor of a search that asks the agent; where it asks or refuses, the rules answer."""

    def __init__(self, ask: Callable[..., object]) -> None:
        self._ask = ask

    def drive(self, now: Situation) -> Advice:
        """What the agent proposes."""
        answer = self._ask(DRIVE, told(now))
        if isinstance(answer, DriveOut):
            return Advice(answer.frequency, answer.amplitude, answer.stop, answer.analysis)
        return next_drive(now)


def told(now: Situation) -> DriveIn:
    """The situation as the agent reads it, rounded to what was measured."""
    digits = {"frequency": 2, "amplitude": 6, "zz_rate": 4, "duration": 5, "gate_error": 5, "gate_error_std": 5}
    return DriveIn(
        frequencies=[round(f, 3) for f in now.frequencies],
        anharmonicities=list(now.anharmonicities),
        highest=float(f"{now.highest:.6g}"),
        strongest=now.strongest,
        only=now.only,
        attempts=[Tried(**asdict(a) | {n: round(getattr(a, n), d) for n, d in digits.items()}) for a in now.attempts],
        frequencies_left=now.frequencies_left,
        acquisitions_left=now.acquisitions_left,
    )
