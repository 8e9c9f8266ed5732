"""Trying siZZle drives: each one measured continuously, and benchmarked as a gate where that is worth it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.conditional_stark import ConditionalStarkContinuous
from labwright.tools.experiments.gate_train import corrected, durations_about, measured_trains, retimed
from labwright.tools.experiments.pair_benchmarking_sequences import layered_sequence, pair_slots, survival
from labwright.tools.experiments.qubit_pairs import DRIVE_LIMIT, Pair, joint_program, reference_slots
from labwright.tools.experiments.sizzle_policy import (
    Advice,
    Advisor,
    Attempt,
    Situation,
    next_drive,
    worth_benchmarking,
)
from labwright.tools.qpu.cz_gate_operations import cz_slots
from labwright.tools.qpu.settings import PairSettings

LENGTHS = (1, 16)  # CZ gates of the benchmark's short and long sequences
KINDS = 30  # random sequences of each length, the same for every drive, so that drives compare well
SHOTS = 1000
LOOK_SHOTS = 1000  # of a look, which has to time a gate to a per cent
TRAIN = 12  # gates of a train that times a drive
OFF = 0.2  # of its length by which a drive may be mistimed
LEAST = 2  # acquisitions of a drive: a look and a benchmark
LONGEST = 4.0  # us of one Stark pulse; a slower gate is no gate


class Rules:
    """The stated empirical knowledge as an advisor."""

    def drive(self, now: Situation) -> Advice:
        """See `sizzle_policy.next_drive`."""
        return next_drive(now)


@dataclass
class Trials:
    """A pair on the bench, and every drive that was tried on it.

    Attributes:
        bench: where acquisitions are played.
        pair: the two qubits.
        edge: of every Stark pulse, us.
        most_frequencies: how many drive frequencies may be tried.
        most_acquisitions: how many acquisitions may be played.
        advisor: who says what to try.
        thorough: whether every drive that works is benchmarked, not only those that can win.
        strongest: largest Rabi rate of a drive, MHz.
        only: the one drive frequency of an attempt, MHz.
        played: acquisitions that had been played after each attempt.
    """

    bench: Bench
    pair: Pair
    edge: float
    most_frequencies: int
    most_acquisitions: int
    advisor: Advisor = field(default_factory=Rules)
    thorough: bool = False
    strongest: float = DRIVE_LIMIT
    only: float | None = None
    attempts: list[Attempt] = field(default_factory=list)
    played: list[int] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    @property
    def now(self) -> Situation:
        """What an advisor is told."""
        tried = {round(a.frequency, 1) for a in self.attempts}
        return Situation(
            (self.pair.one.frequency, self.pair.two.frequency),
            (self.pair.one.anharmonicity, self.pair.two.anharmonicity),
            self.pair.amplitude_of(self.strongest),
            tuple(self.attempts),
            self.most_frequencies - len(tried),
            self.most_acquisitions - self.bench.acquisitions,
            self.strongest,
            self.only,
        )

    def search(self) -> None:
        """Try what the advisor says until it stops, or the budget is spent."""
        while (now := self.now).acquisitions_left >= LEAST:
            advice = self.advisor.drive(now)
            self.reasons.append(advice.reason)
            if advice.stop or (now.frequencies_left < 1 and not now.at(advice.frequency)):
                return
            attempt = self._looked(advice.frequency, min(advice.amplitude, now.highest))
            if attempt.outcome == "success" and (self.thorough or worth_benchmarking(now, attempt)):
                attempt = self.benchmarked(attempt)
            self.attempts.append(attempt)
            self.played.append(self.bench.acquisitions)

    def _looked(self, frequency: float, amplitude: float) -> Attempt:
        """One continuous conditional Stark shift."""
        look = ConditionalStarkContinuous(self.bench)
        look.run(self.pair.first, self.pair.second, frequency, amplitude, edge=self.edge, shots=LOOK_SHOTS)
        report = look.report()
        if report.verdict == "adjust" and look.fitted is not None:
            return Attempt(frequency, amplitude, "slow", report.diagnosis, look.fitted["rate"])
        if report.verdict != "success" or look.fitted is None:
            return Attempt(frequency, amplitude, "failed", report.diagnosis)
        duration = look.fitted.time_of(0.5) / 2
        if not 2 * self.edge < duration < LONGEST:
            return Attempt(frequency, amplitude, "slow", "no CZ in a useful time", look.fitted["rate"])
        return Attempt(frequency, amplitude, "success", report.diagnosis, look.fitted["rate"], duration)

    def gate(self, attempt: Attempt) -> PairSettings:
        """The CZ that an attempt stands for. The echo leaves a quarter turn on each, against the ZZ's sign."""
        turn = -float(np.sign(attempt.zz_rate)) * np.pi / 2
        drive = self.pair.driven(attempt.frequency, attempt.amplitude, self.edge)
        return replace(drive, duration=attempt.duration, z_first=turn, z_second=turn)

    def benchmarked(self, attempt: Attempt) -> Attempt:
        """The attempt with the error of its CZ, as long as the look said; every drive gets the same sequences."""
        error, spread = self.error_of(self.gate(attempt), KINDS, seed=0)
        return replace(attempt, gate_error=error, gate_error_std=spread)

    def error_of(self, gate: PairSettings, kinds: int, seed: int) -> tuple[float, float]:
        """Error of a CZ and its sigma: survival of long layered sequences against that of short ones."""
        rng = np.random.default_rng(seed)
        cz = cz_slots(gate, *self.pair.each)
        sequences = [
            pair_slots(layered_sequence(rng, length), self.pair.each, cz) for length in LENGTHS for _ in range(kinds)
        ]
        played = joint_program(self.pair.names, reference_slots(self.pair.each) + sequences, SHOTS)
        value, _ = survival(*self.bench.counts(played), 2)
        return layered_error(value)

    def timed(self, gate: PairSettings) -> PairSettings | None:
        """A CZ with the length and the virtual Z that trains of it ask for; None if it is no gate."""
        durations = durations_about(gate)
        measured, _ = measured_trains(self.bench, self.pair, gate, durations, TRAIN, SHOTS)
        if not all(train.whole for train in measured):
            return None
        _, duration = corrected(durations, measured)
        if abs(duration / gate.duration - 1) > OFF or duration < 2 * self.edge:
            return None
        return retimed(gate, measured[-1], duration)


def layered_error(value: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, float]:
    """Error of one layer and its one-sigma error, from the survival of short, then of as many long sequences."""
    short, long = value.reshape(len(LENGTHS), -1) - 0.25
    start, end = float(short.mean()), max(float(long.mean()), 0.01)
    spreads = [float(part.std(ddof=1)) / np.sqrt(len(part)) for part in (short, long)]
    span = LENGTHS[1] - LENGTHS[0]
    kept = min(end / max(start, 0.01), 1.0) ** (1 / span)
    error = 0.75 * (1 - kept)
    return max(error, 1e-5), float(0.75 * kept / span * np.hypot(spreads[0] / max(start, 0.01), spreads[1] / end))
