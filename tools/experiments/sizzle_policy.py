"""Which drive to try next in a search for siZZle gate parameters, by the empirical knowledge that the field states.

Three regions can work: below both transitions, between them, above both. A success asks for a higher amplitude, or for
a frequency nearer to a transition; a failure for a lower amplitude, or for a retreat. A full drive whose error is more
than its length explains is tried weaker. The transitions to higher levels lie below, so that a drive above both has
little to interact with: that region is looked at where the others fail. Nothing here knows the device: only the
calibrated frequencies and anharmonicities, and what the search has measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol

Region = Literal["below", "between", "above"]
Outcome = Literal["success", "slow", "failed"]
REGIONS: tuple[Region, ...] = ("below", "between", "above")
FIRST: tuple[Region, ...] = ("below", "between")
START = 29.0  # MHz from the nearest transition for a drive of `USUAL`: nearer it would excite the qubit
USUAL = 30.0  # MHz of Rabi rate; a stronger drive keeps off by the square root of its strength
STARTS = 2  # places in a region that may fail before it is left
ASIDE = 6.0  # MHz between two such places
CLEAR = 12.0  # MHz that a drive keeps from both qubits
MIDWAY = 6.0  # MHz that a first drive keeps from the middle between both qubits, where two photons excite both
AT_MIDWAY = 3.0  # MHz from there within which no drive is tried
WELL_CLEAR = 25.0  # MHz from every known transition where there is room
RETREAT = 0.8  # factor on the amplitude after a failure
WEAKER = 0.87  # factor on the amplitude of a drive whose error is more than its length explains: 1.3 times as long
BEYOND = 1.45  # by which that error exceeds the least error a time; half the rest goes to the longer gate
LOWEST = 0.55  # of the largest amplitude; weaker drives take too long
# MHz: approach in large steps, then in small ones. A region whose best is worse than the best of all by more than the
# factor beside the step takes no part in it.
STEPS = ((8.0, 2.0), (4.0, 1.25), (2.0, 1.1))
SLOWER = 1.35  # a drive that takes so much longer than the best cannot win by what it saves in leakage
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

    Frequencies and anharmonicities of (first, second) in MHz; `highest` is the largest amplitude of the first drive,
    `strongest` its Rabi rate in MHz; `only` the one frequency that is asked about, MHz, if it is one.
    """

    frequencies: tuple[float, float]
    anharmonicities: tuple[float, float]
    highest: float
    attempts: tuple[Attempt, ...]
    frequencies_left: int
    acquisitions_left: int
    strongest: float = USUAL
    only: float | None = None

    @property
    def start(self) -> float:
        """MHz from the nearest transition at which a region begins."""
        return START * math.sqrt(self.strongest / USUAL)

    @property
    def low(self) -> float:
        return min(self.frequencies)

    @property
    def high(self) -> float:
        return max(self.frequencies)

    @property
    def middle(self) -> float:
        """Half the sum of both transitions: two photons of it excite both qubits at once."""
        return (self.low + self.high) / 2

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
class Advice:
    """The next drive, frequency in MHz and amplitude of the first qubit's drive; `stop` if nothing is left to try."""

    frequency: float
    amplitude: float
    stop: bool
    reason: str


class Advisor(Protocol):
    """Who says what to try: the rules below, or an agent."""

    def drive(self, now: Situation) -> Advice:
        """The next drive."""
        ...


def next_drive(now: Situation) -> Advice:
    """Another amplitude where the last drive was, if that can help, else another frequency."""
    if now.acquisitions_left < 2:
        return _done("The budget of the search is spent.")
    last = now.only if now.only is not None else now.attempts[-1].frequency if now.attempts else None
    here = _done("") if last is None else next_amplitude(now, last)
    return next_frequency(now) if here.stop and now.only is None else here


def _done(reason: str) -> Advice:
    return Advice(0.0, 0.0, True, reason)


def next_frequency(now: Situation) -> Advice:
    """A region that nobody looked at, else a step from the best drive of a region that can still win."""
    if now.frequencies_left < 1:
        return _done("The budget of the search is spent.")
    for region in FIRST:
        tried = [a for a in now.attempts if now.region(a.frequency) == region]
        failed = all(a.outcome == "failed" for a in tried) and len({a.frequency for a in tried}) < STARTS
        if failed and (start := first_in(now, region)) is not None:
            how = f"Another place {_words(region)}." if tried else f"Nobody has looked {_words(region)} yet."
            return Advice(start, now.highest, False, how)
    if (start := _other_window(now)) is not None:
        return Advice(start, now.highest, False, "The upper qubit's 1-2 transition divides the region; its other part.")
    best = now.best()
    return _without_success(now) if best is None else _step(now, best)


def _step(now: Situation, best: Attempt) -> Advice:
    """The largest step from the best drive of a region that nobody has taken."""
    leaders = sorted(filter(None, map(now.best, REGIONS)), key=lambda a: a.gate_error)
    for step, factor in STEPS:
        for centre in leaders:
            both = (centre.frequency - step, centre.frequency + step)
            for frequency in sorted(both, key=lambda f: _distance(now, f)):
                if centre.gate_error < factor * best.gate_error and _open(now, frequency):
                    how = "nearer to" if _distance(now, frequency) < _distance(now, centre.frequency) else "away from"
                    why = f"{centre.frequency:.1f} MHz is the best so far with {100 * centre.gate_error:.2f} %"
                    return Advice(frequency, centre.amplitude, False, f"{why}; {step:g} MHz {how} the transition.")
    return _done("Every step from the best drives has been tried.")


def next_amplitude(now: Situation, frequency: float) -> Advice:
    """As strong as may be; down after failure, up after success, down where strength does harm; else done."""

    def try_(amplitude: float, reason: str) -> Advice:
        return Advice(frequency, amplitude, False, reason)

    tried = now.at(frequency)
    if not tried:
        return try_(now.highest, "A full drive is the fastest.")
    good = [a for a in tried if a.outcome != "failed"]
    bad = [a for a in tried if a.outcome == "failed"]
    if bad and not good:
        lower = RETREAT * min(a.amplitude for a in bad)
        if lower >= LOWEST * now.highest and len(bad) < 2:
            return try_(lower, "The drive disturbed the qubits; less of it.")
        return _done("Even a weaker drive disturbs the qubits.")
    strongest = max(good, key=lambda a: a.amplitude)
    if not bad and strongest.amplitude < 0.999 * now.highest and _promising(now, strongest):
        return try_(now.highest, "It worked; more amplitude makes it faster.")
    if len(tried) == 1 and _harmed(now, strongest):
        return try_(WEAKER * strongest.amplitude, "Its error is more than its length explains; less of it.")
    return _done("This frequency is settled.")


def _harmed(now: Situation, attempt: Attempt) -> bool:
    """Whether a drive errs by more than its length explains, and a weaker, longer one could be the best of all."""
    judged = [a for a in now.attempts if a.gate_error > 0]
    best = now.best()
    if best is None or len(judged) < 3 or attempt.gate_error <= 0:
        return False
    rate = min(a.gate_error / a.duration for a in judged)
    longer = rate * attempt.duration / WEAKER**2
    return (
        attempt.gate_error - 2 * attempt.gate_error_std > BEYOND * rate * attempt.duration and longer < best.gate_error
    )


def worth_benchmarking(now: Situation, attempt: Attempt) -> bool:
    """Whether a drive that works may beat the best one: it must be about as fast."""
    best = now.best()
    return best is None or attempt.duration < SLOWER * best.duration


def first_in(now: Situation, region: Region) -> float | None:
    """Where to begin in a region: near `start` from a transition, clear of the others and of what was tried.

    None if there is no room.
    """
    if region == "between":
        gap = now.high - now.low
        wanted, low, high = (
            now.low + min(now.start, gap / 2),
            now.low + min(CLEAR, gap / 3),
            now.high - min(CLEAR, gap / 3),
        )
    elif region == "below":
        wanted, low, high = now.low - now.start, now.low - 70.0, now.low - 15.0
    else:
        wanted, low, high = now.high + now.start, now.high + 15.0, now.high + 70.0
    choices = [low + shift for shift in range(int(high - low) + 1)] + [wanted]
    inside = [f for f in choices if low <= f <= high and all(abs(a.frequency - f) >= ASIDE for a in now.attempts)]
    best = max(inside, key=lambda f: _room(now, f) - 0.1 * abs(f - wanted), default=None)
    return None if best is None else round(best, 1)


def _other_window(now: Situation) -> float | None:
    """Where to begin in a part of "between" that the upper qubit's 1-2 line cuts off; None if all are known."""
    line = now.high + now.anharmonicities[now.frequencies.index(now.high)]
    for low, high in ((now.low, line), (line, now.high)):
        inside = [a for a in now.attempts if low < a.frequency < high]
        if now.low < line < now.high and not inside and high - low > 2 * CLEAR:
            return round(low + min(now.start, (high - low) / 2), 1)
    return None


def _without_success(now: Situation) -> Advice:
    """No drive has worked: the region that was tried least, at the best place that is left in it."""
    counts = {region: sum(now.region(a.frequency) == region for a in now.attempts) for region in REGIONS}
    for region in sorted(REGIONS, key=counts.__getitem__):
        if (place := first_in(now, region)) is not None:
            return Advice(place, now.highest, False, f"Nothing worked yet; another place {_words(region)}.")
    return _done("No drive has worked in any region.")


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
    apart = near >= CLEAR and abs(frequency - now.middle) >= AT_MIDWAY
    return apart and all(abs(a.frequency - frequency) > 1.5 for a in now.attempts)


def _distance(now: Situation, frequency: float) -> float:
    return min(abs(frequency - f) for f in now.frequencies)


def _room(now: Situation, frequency: float) -> float:
    """MHz to the nearest known line, as far as they matter; less beside the middle between both qubits."""
    clear = min(abs(frequency - line) for line in now.lines)
    return min(clear, WELL_CLEAR) - max(0.0, MIDWAY - abs(frequency - now.middle))


def _words(region: Region) -> str:
    return {"below": "below both transitions", "between": "between the transitions", "above": "above both"}[region]
