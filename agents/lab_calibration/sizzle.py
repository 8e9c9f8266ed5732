"""The two agents of a siZZle search: one proposes drive frequencies, one amplitudes, from what was measured before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.tools.experiments.sizzle_policy import (
    CLEAR,
    AmplitudeAdvice,
    Attempt,
    FrequencyAdvice,
    Situation,
    next_amplitude,
    next_frequency,
)


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


class SearchIn(BaseModel):
    """Where a search stands."""

    frequencies: list[float] = Field(description="Transition frequencies of both qubits, MHz.")
    anharmonicities: list[float] = Field(description="MHz, negative.")
    highest: float = Field(description="Largest amplitude of the first qubit's drive.")
    attempts: list[Tried]
    frequencies_left: int
    acquisitions_left: int


class AmplitudeIn(SearchIn):
    """Where a search stands, at one drive frequency."""

    frequency: float = Field(description="The drive frequency to choose an amplitude for, MHz.")


class FrequencyOut(BaseModel):
    """The next drive frequency."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One to three sentences: what the attempts say, and why this frequency.")
    stop: bool = Field(description="True if nothing worth trying is left.")
    frequency: float = Field(description="MHz; 0 if `stop`.")


class AmplitudeOut(BaseModel):
    """The next amplitude."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One or two sentences: what the attempts at this frequency say.")
    stop: bool = Field(description="True if this frequency is settled.")
    amplitude: float = Field(description="Full scale; 0 if `stop`.")


def situation_of(given: SearchIn) -> Situation:
    """The search as the rules know it."""
    return Situation(
        (given.frequencies[0], given.frequencies[1]),
        (given.anharmonicities[0], given.anharmonicities[1]),
        given.highest,
        tuple(Attempt(**attempt.model_dump()) for attempt in given.attempts),
        given.frequencies_left,
        given.acquisitions_left,
    )


def frequency_by_rules(given: SearchIn) -> FrequencyOut:
    """Regions that nobody looked at, then steps from the best drives."""
    advice = next_frequency(situation_of(given))
    return FrequencyOut(analysis=advice.reason, stop=advice.stop, frequency=advice.frequency)


def amplitude_by_rules(given: AmplitudeIn) -> AmplitudeOut:
    """Up after success, down after failure."""
    advice = next_amplitude(situation_of(given), given.frequency)
    return AmplitudeOut(analysis=advice.reason, stop=advice.stop, amplitude=advice.amplitude)


def check_frequency(given: SearchIn, answer: FrequencyOut) -> list[str]:
    """A new frequency, off both transitions, near enough to them that something happens."""
    if answer.stop:
        looked = given.attempts or given.acquisitions_left < 2
        return [] if looked else ["Nothing was tried yet; propose a frequency."]
    found = []
    near = min(abs(answer.frequency - f) for f in given.frequencies)
    gap = abs(given.frequencies[0] - given.frequencies[1])
    closest = min(CLEAR, gap / 3)
    if near < closest - 0.05:
        found.append(f"{answer.frequency:g} MHz is {near:.1f} MHz from a transition; keep {closest:.0f} MHz away.")
    if near > 150.0 and not min(given.frequencies) < answer.frequency < max(given.frequencies):
        found.append(f"{answer.frequency:g} MHz is {near:.0f} MHz from both transitions, where nothing happens.")
    if any(abs(a.frequency - answer.frequency) < 0.5 for a in given.attempts):
        found.append(f"{answer.frequency:g} MHz was tried already; propose another frequency.")
    if given.frequencies_left < 1 or given.acquisitions_left < 2:
        found.append("The budget is spent; `stop` must be true.")
    return found


def check_amplitude(given: AmplitudeIn, answer: AmplitudeOut) -> list[str]:
    """An amplitude within the limit that was not tried at this frequency; at least one is tried."""
    here = [a for a in given.attempts if abs(a.frequency - given.frequency) < 0.5]
    if answer.stop:
        return [] if here or given.acquisitions_left < 2 else ["Nothing was tried at this frequency; propose one."]
    found = []
    if not 0.0 < answer.amplitude <= given.highest * 1.0001:
        found.append(f"`amplitude` must be above 0 and at most {given.highest:.4f}, but is {answer.amplitude:g}.")
    if any(abs(a.amplitude - answer.amplitude) < 0.02 * given.highest for a in here):
        found.append(f"Amplitude {answer.amplitude:g} was tried at this frequency; propose another, or stop.")
    if given.acquisitions_left < 2:
        found.append("The budget is spent; `stop` must be true.")
    return found


FREQUENCY = AgentCall(
    "lab_calibration.sizzle_frequency_advise",
    "lab_calibration/sizzle_frequency_advise.md",
    SearchIn,
    FrequencyOut,
    frequency_by_rules,
    check_frequency,
    "reasoning",
)
AMPLITUDE = AgentCall(
    "lab_calibration.sizzle_amplitude_advise",
    "lab_calibration/sizzle_amplitude_advise.md",
    AmplitudeIn,
    AmplitudeOut,
    amplitude_by_rules,
    check_amplitude,
    "general",
)


class Agents:
    """The advisor of a search that asks the two agents; where one asks or refuses, the rules answer."""

    def __init__(self, ask: Callable[..., object]) -> None:
        self._ask = ask

    def frequency(self, now: Situation) -> FrequencyAdvice:
        """What the frequency agent proposes."""
        answer = self._ask(FREQUENCY, SearchIn.model_validate(_fields(now)))
        if isinstance(answer, FrequencyOut):
            return FrequencyAdvice(answer.frequency, answer.stop, answer.analysis)
        return next_frequency(now)

    def amplitude(self, now: Situation, frequency: float) -> AmplitudeAdvice:
        """What the amplitude agent proposes."""
        answer = self._ask(AMPLITUDE, AmplitudeIn.model_validate({**_fields(now), "frequency": frequency}))
        if isinstance(answer, AmplitudeOut):
            return AmplitudeAdvice(answer.amplitude, answer.stop, answer.analysis)
        return next_amplitude(now, frequency)


def _fields(now: Situation) -> dict[str, object]:
    """The situation as the agents read it, rounded to what was measured."""
    attempts = [
        Tried(
            frequency=round(a.frequency, 2),
            amplitude=float(f"{a.amplitude:.6g}"),
            outcome=a.outcome,
            reason=a.reason,
            zz_rate=round(a.zz_rate, 4),
            duration=round(a.duration, 5),
            gate_error=round(a.gate_error, 5),
            gate_error_std=round(a.gate_error_std, 5),
        )
        for a in now.attempts
    ]
    return {
        "frequencies": [round(f, 3) for f in now.frequencies],
        "anharmonicities": list(now.anharmonicities),
        "highest": float(f"{now.highest:.6g}"),
        "attempts": attempts,
        "frequencies_left": now.frequencies_left,
        "acquisitions_left": now.acquisitions_left,
    }
