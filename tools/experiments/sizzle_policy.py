"""Where to drive next in a search for siZZle gate parameters, by the empirical knowledge that the field states.

Three regions can work: below both transitions, between them, above both. A success asks for a higher amplitude, or for
a frequency nearer to a transition; a failure for a lower amplitude, or for a retreat. Nothing here knows the device:
only the calibrated frequencies and anharmonicities, and what the search has measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

Region = Literal["below", "between", "above"]
Outcome = Literal["success", "slow", "failed"]
REGIONS: tuple[Region, ...] = ("below", "between", "above")
START = 32.0  # MHz from the nearest transition: about the drive's Rabi rate, nearer it would excite the qubit
CLEAR = 12.0  # MHz that a drive keeps from both qubits
WELL_CLEAR = 25.0  # MHz from every known transition where there is room
GENTLE = 0.75  # of the largest amplitude: the first look at a region
RETREAT = 0.8  # factor on the amplitude after a failure
LOWEST = 0.55  # of the largest amplitude; weaker drives take too long
STEPS = (8.0, 4.0, 2.0)  # MHz: approach in large steps, then in small ones
SLOWER = 1.35  # a drive that takes so much longer than the best cannot win by what it saves in leakage
RIVAL = 1.5  # a region whose best is worse than the best of all by more than this factor is left alone
SAME = 0.5  # MHz


@dataclass(frozen=True, slots=True)
class Attempt:
    """One drive that was tried.

    Attributes:
        frequency: MHz.
        amplitude: of the first qubit's drive, full scale.
        outcome: ``success`` (clear lines, steady control), ``slow`` (too little ZZ to see), ``failed``.
        reason: a few words.
        zz_rate: MHz; 0 where none was found.
        duration: of one Stark pulse of a CZ at this drive, us; 0 where it is not known.
        gate_error: benchmarked error of that CZ; 0 where it was not benchmarked.
        gate_error_std: its one-sigma error.
    """

    frequency: float
    amplitude: float
    outcome: Outcome
    reason: str
    zz_rate: float = 0.0
    duration: float = 0.0
    gate_error: float = 0.0
    gate_error_std: float = 0.0


@dataclass(frozen=True, slots=True)
class Situation:
    """What is known in the middle of a search: the qubits, the limits, and every attempt so far.

    Frequencies and anharmonicities of (first, second) in MHz; `highest` is the largest amplitude of the first drive.
    """

    frequencies: tuple[float, float]
    anharmonicities: tuple[float, float]
    highest: float
    attempts: tuple[Attempt, ...]
    frequencies_left: int
    acquisitions_left: int

    @property
    def low(self) -> float:
        return min(self.frequencies)

    @property
    def high(self) -> float:
        return max(self.frequencies)

    @property
    def lines(self) -> tuple[float, ...]:
        """Known transitions, MHz: 0-1, two-photon 0-2, and 1-2 of both qubits."""
        pairs = tuple(zip(self.frequencies, self.anharmonicities, strict=True))
        return tuple(f + part * a for f, a in pairs for part in (0.0, 0.5, 1.0))

    def region(self, frequency: float) -> Region:
        """In which region a drive frequency lies."""
        return "below" if frequency < self.low else "above" if frequency > self.high else "between"

    def best(self, region: Region | None = None) -> Attempt | None:
        """The benchmarked attempt with the smallest error, in one region or of all."""
        judged = [a for a in self.attempts if a.gate_error > 0 and region in (None, self.region(a.frequency))]
        return min(judged, key=lambda a: a.gate_error, default=None)

    def at(self, frequency: float) -> list[Attempt]:
        """The attempts at one frequency."""
        return [a for a in self.attempts if abs(a.frequency - frequency) < SAME]


@dataclass(frozen=True, slots=True)
class FrequencyAdvice:
    """Where to drive next; `stop` if nothing is left to try."""

    frequency: float
    stop: bool
    reason: str


@dataclass(frozen=True, slots=True)
class AmplitudeAdvice:
    """How strongly to drive; `stop` if this frequency is done."""

    amplitude: float
    stop: bool
    reason: str


class Advisor(Protocol):
    """Who says what to try: the rules below, or agents."""

    def frequency(self, now: Situation) -> FrequencyAdvice:
        """Where to drive next."""
        ...

    def amplitude(self, now: Situation, frequency: float) -> AmplitudeAdvice:
        """How strongly to drive there."""
        ...


def next_frequency(now: Situation) -> FrequencyAdvice:
    """A region that nobody looked at, else a step from the best drive of a region that can still win."""
    if now.frequencies_left < 1 or now.acquisitions_left < 2:
        return FrequencyAdvice(0.0, True, "The budget of the search is spent.")
    seen = {now.region(a.frequency) for a in now.attempts}
    for region in REGIONS:
        if region not in seen and (start := first_in(now, region)) is not None:
            return FrequencyAdvice(start, False, f"Nobody has looked {_words(region)} yet.")
    best = now.best()
    if best is None:
        return _without_success(now)
    rivals = [a for region in REGIONS if (a := now.best(region)) and a.gate_error < RIVAL * best.gate_error]
    for step in STEPS:
        for centre in sorted(rivals, key=lambda a: a.gate_error):
            for frequency in sorted(
                (centre.frequency - step, centre.frequency + step), key=lambda f: _distance(now, f)
            ):
                if _open(now, frequency):
                    how = "nearer to" if _distance(now, frequency) < _distance(now, centre.frequency) else "away from"
                    why = f"{centre.frequency:.1f} MHz is the best so far with {100 * centre.gate_error:.2f} %"
                    return FrequencyAdvice(frequency, False, f"{why}; {step:g} MHz {how} the transition.")
    return FrequencyAdvice(0.0, True, "Every step from the best drives has been tried.")


def next_amplitude(now: Situation, frequency: float) -> AmplitudeAdvice:
    """Gentle at first in a new region; up after success, down after failure; done when neither can help."""
    tried = now.at(frequency)
    if now.acquisitions_left < 2:
        return AmplitudeAdvice(0.0, True, "The budget of the search is spent.")
    if not tried:
        known = any(now.region(a.frequency) == now.region(frequency) and a.gate_error for a in now.attempts)
        level = 1.0 if known else GENTLE
        return AmplitudeAdvice(level * now.highest, False, "A full drive." if known else "A gentle first look.")
    good = [a for a in tried if a.outcome != "failed"]
    bad = [a for a in tried if a.outcome == "failed"]
    if bad and not good:
        lower = RETREAT * min(a.amplitude for a in bad)
        if lower >= LOWEST * now.highest and len(bad) < 2:
            return AmplitudeAdvice(lower, False, "The drive disturbed the qubits; less of it.")
        return AmplitudeAdvice(0.0, True, "Even a weaker drive disturbs the qubits.")
    strongest = max(good, key=lambda a: a.amplitude)
    if not bad and strongest.amplitude < 0.999 * now.highest and _promising(now, strongest):
        return AmplitudeAdvice(now.highest, False, "It worked; more amplitude makes it faster.")
    return AmplitudeAdvice(0.0, True, "This frequency is settled.")


def worth_benchmarking(now: Situation, attempt: Attempt) -> bool:
    """Whether a drive that works may beat the best one: it must be about as fast, and as strong as it gets."""
    best = now.best()
    weaker_failed = any(a.outcome == "failed" and a.amplitude > attempt.amplitude for a in now.at(attempt.frequency))
    full = attempt.amplitude > 0.999 * now.highest or weaker_failed
    return full and (best is None or attempt.duration < SLOWER * best.duration)


def first_in(now: Situation, region: Region) -> float | None:
    """Where to begin in a region: near `START` from a transition, clear of the others; None if there is no room."""
    if region == "between":
        gap = now.high - now.low
        wanted, low, high = now.low + min(START, gap / 2), now.low + min(CLEAR, gap / 3), now.high - min(CLEAR, gap / 3)
    elif region == "below":
        wanted, low, high = now.low - START, now.low - 70.0, now.low - 15.0
    else:
        wanted, low, high = now.high + START, now.high + 15.0, now.high + 70.0
    choices = [low + shift for shift in range(int(high - low) + 1)] + [wanted]
    inside = [f for f in choices if low <= f <= high]
    best = max(inside, key=lambda f: min(_clearance(now, f), WELL_CLEAR) - 0.1 * abs(f - wanted), default=None)
    return None if best is None else round(best, 1)


def _without_success(now: Situation) -> FrequencyAdvice:
    """No drive has worked: retreat further from the transitions, region by region."""
    for retreat in (12.0, 24.0):
        for region in REGIONS:
            start = first_in(now, region)
            if start is None:
                continue
            away = start - retreat if region == "below" else start + retreat
            if now.region(away) == region and _open(now, away):
                return FrequencyAdvice(
                    away, False, f"Nothing worked yet; further from the transitions {_words(region)}."
                )
    return FrequencyAdvice(0.0, True, "No drive has worked in any region.")


def _promising(now: Situation, attempt: Attempt) -> bool:
    """Whether full amplitude could make this drive as fast as the best: ZZ grows with the square of the amplitude."""
    best = now.best()
    if attempt.outcome == "slow" or attempt.duration <= 0:
        return best is None and attempt.duration > 0
    faster = attempt.duration * (attempt.amplitude / now.highest) ** 2
    return best is None or faster < SLOWER * best.duration


def _open(now: Situation, frequency: float) -> bool:
    """Whether a frequency is allowed and untried."""
    near = min(abs(frequency - f) for f in now.frequencies)
    return near >= CLEAR and all(abs(a.frequency - frequency) > 1.5 for a in now.attempts)


def _distance(now: Situation, frequency: float) -> float:
    return min(abs(frequency - f) for f in now.frequencies)


def _clearance(now: Situation, frequency: float) -> float:
    return min(abs(frequency - line) for line in now.lines)


def _words(region: Region) -> str:
    return {"below": "below both transitions", "between": "between the transitions", "above": "above both"}[region]
