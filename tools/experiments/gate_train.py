"""Trains of one gate: every target's phase after n gates, and what it says about the gate and its length."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import FitError
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.gates import half_turn, quarter_turn
from labwright.tools.experiments.qubit_pairs import (
    Expectations,
    Pair,
    axis_pulse,
    expectations,
    joint_program,
    reference_slots,
)
from labwright.tools.experiments.zz_fit import ZzFit, fit_zz
from labwright.tools.qpu.cz_gate_operations import echoed
from labwright.tools.qpu.joint_program import Slot
from labwright.tools.qpu.program import Pulse
from labwright.tools.qpu.settings import PairSettings

AXES = ("X", "Y")
CHANGE = 0.04  # of the duration, between the two trains that give the slope of the conditional phase
ERROR_OF_DECAY = 0.8  # average gate error over decay of the targets' coherence a gate, for noise of T1 and T2


def counts_of(longest: int) -> Array:
    """How many gates: all to 8, so that no phase is ambiguous, then every fourth, for a long lever."""
    return np.array([*range(min(longest, 8) + 1), *range(12, longest + 1, 4)], dtype=float)


def train_sequences(pair: Pair, gate: Sequence[Slot], counts: Array) -> list[list[Slot]]:
    """Target second, then first; control in 0, then 1; X, then Y; every count."""
    return [
        _sequence(pair, gate, role, control, axis, int(n))
        for role in (1, 0)
        for control in (0, 1)
        for axis in AXES
        for n in counts
    ]


def _sequence(pair: Pair, gate: Sequence[Slot], target: int, control: int, axis: str, n: int) -> list[Slot]:
    own, other = pair.each[target], pair.each[1 - target]
    begin: list[Slot] = [_slot(target, None, half_turn(other))] if control else []
    middle = [slot for _ in range(n) for slot in gate]
    return [*begin, _slot(target, quarter_turn(own), None), *middle, _slot(target, axis_pulse(own, axis), None)]


def _slot(target: int, own: Pulse | None, other: Pulse | None) -> Slot:
    return (other, own) if target else (own, other)


@dataclass(frozen=True, slots=True, eq=False)
class Train:
    """What a train of gates gave, for target second (row 0) and first (row 1).

    Attributes:
        counts: numbers of gates, (n,).
        target: <X>, <Y> of the target, (2 targets, 2 controls, 2 axes, n).
        target_error: their one-sigma errors.
        control: <Z> of the control, (2, 2, n).
        control_error: its error.
        fits: one a target, in turns a gate instead of MHz; None where nothing oscillates.
    """

    counts: Array
    target: Array
    target_error: Array
    control: Array
    control_error: Array
    fits: tuple[ZzFit | None, ZzFit | None]

    @property
    def whole(self) -> tuple[ZzFit, ZzFit] | None:
        """Both fits, if both are there and describe the data."""
        one, two = self.fits
        return (one, two) if one and two and min(one.r_squared, two.r_squared) > 0.8 else None

    @property
    def conditional_phase(self) -> tuple[float, float]:
        """Of one gate in turns from 0 to 1, with its error: 0.5 for a CZ."""
        assert self.whole is not None
        phases = np.array([fit["rate"] % 1 for fit in self.whole])
        weights = np.array([1 / fit.error("rate") ** 2 for fit in self.whole])
        apart = (phases - phases[0] + 0.5) % 1 - 0.5
        mean = phases[0] + float((apart * weights).sum() / weights.sum())
        return float(mean % 1), float(weights.sum() ** -0.5)

    @property
    def turns(self) -> tuple[float, float]:
        """Virtual Z (rad) behind the gate that leave (first, second) alone while the other is in 0."""
        assert self.whole is not None
        second, first = (2 * np.pi * (fit["common"] - fit["rate"] / 2) for fit in self.whole)
        return tuple(float((angle + np.pi) % (2 * np.pi) - np.pi) for angle in (first, second))  # type: ignore[return-value]

    @property
    def error_per_gate(self) -> tuple[float, float]:
        """Estimate of the average gate error from the decay of the targets' coherence, with its statistical error."""
        assert self.whole is not None
        decays = [fit["decay"] for fit in self.whole]
        spread = [fit.error("decay") for fit in self.whole]
        return ERROR_OF_DECAY * float(np.mean(decays)), ERROR_OF_DECAY * float(np.hypot(spread[0], spread[1])) / 2


def read_train(counts: Array, got: Expectations) -> Train:
    """The train from <Z> of both qubits, (n_points, 2), in the order of `train_sequences`."""
    shape = (2, 2, len(AXES), len(counts), 2)
    z, sigma = got.values.reshape(shape), got.errors.reshape(shape)
    target = np.stack([z[0, ..., 1], z[1, ..., 0]])
    target_error = np.stack([sigma[0, ..., 1], sigma[1, ..., 0]])
    control = np.stack([z[0, ..., 0], z[1, ..., 1]]).mean(axis=2)
    control_error = np.sqrt((np.stack([sigma[0, ..., 0], sigma[1, ..., 1]]) ** 2).sum(axis=2)) / 2
    fits: list[ZzFit | None] = [None, None]
    for row in (0, 1):
        error = np.sqrt((target_error[row] ** 2).mean(axis=1))
        along, zero = target[row, :, 0] + 1j * target[row, :, 1], float(got.zero_errors[1 - row])
        with suppress(FitError):
            fits[row] = fit_zz(counts, along, error, control[row], control_error[row], zero, "each")
    return Train(counts, target, target_error, control, control_error, (fits[0], fits[1]))


def trains(counts: Array, got: NDArray[np.int64], shots: int) -> tuple[Train, Array]:
    """Train and contrast from joint counts whose first two points are the references."""
    z = expectations(got, shots, 2)
    return read_train(counts, z), z.contrast


def measured_trains(
    bench: Bench, pair: Pair, gate: PairSettings, durations: Sequence[float], gates: int, shots: int
) -> tuple[list[Train], Array]:
    """A train of the echoed `gate` at every one of `durations` (us), in one acquisition; the references' contrast."""
    counts = counts_of(gates)
    sequences = [s for d in durations for s in train_sequences(pair, list(echoed(gate, pair.one, pair.two, d)), counts)]
    got, shots = bench.counts(joint_program(pair.names, reference_slots(pair.each) + sequences, shots))
    parts = np.split(got[2:], len(durations))
    read = [trains(counts, np.concatenate([got[:2], part]), shots) for part in parts]
    return [train for train, _ in read], read[0][1]


def durations_about(gate: PairSettings) -> list[float]:
    """A slightly shorter Stark pulse and the gate's own, us."""
    return [max(2 * gate.edge, (1 - CHANGE) * gate.duration), gate.duration]


def corrected(durations: Sequence[float], measured: Sequence[Train]) -> tuple[float, float]:
    """Slope of the conditional phase (turns a us of one pulse) and the duration at which it is half a turn."""
    phases = [train.conditional_phase[0] for train in measured]
    slope = ((phases[1] - phases[0] + 0.5) % 1 - 0.5) / (durations[1] - durations[0])
    return slope, durations[1] + (0.5 - phases[1]) / slope


def retimed(gate: PairSettings, train: Train, duration: float) -> PairSettings:
    """The gate with another duration and the virtual Z that go with it.

    The virtual Z were measured with `train`; what this missed of half a turn comes from both qubits in equal parts.
    """
    missing = 0.5 - train.conditional_phase[0]
    first, second = (turn - np.pi * missing for turn in train.turns)
    return replace(gate, duration=duration, z_first=first, z_second=second)
