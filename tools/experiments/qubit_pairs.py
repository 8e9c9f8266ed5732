"""What two-qubit experiments share: the pair and its settings, joint programs from lists of slots, expectations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Bench, Check, Report
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.gates import gaussian_area, half_turn, quarter_turn
from labwright.tools.qpu.joint_program import NOTHING, JointOperation, JointProgram, JointReturns, Slot
from labwright.tools.qpu.program import Pulse
from labwright.tools.qpu.settings import PairSettings, QubitSettings, pair_name

DRIVE_LIMIT = 30.0  # MHz of Rabi rate of a Stark drive, unless a lab allows more
TURNS, TRIES, TRIAL_SHOTS = (2, 8), 4, 1000  # pi/2 pulses in a row that are tried, and references and shots for it
CONTRAST = 0.2  # least difference of P(1) between prepared 1 and 0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two coupled qubits in the order of their settings: the first is the control, the second the target."""

    first: str
    second: str
    settings: PairSettings
    one: QubitSettings
    two: QubitSettings

    @property
    def name(self) -> str:
        return pair_name(self.first, self.second)

    @property
    def names(self) -> tuple[str, str]:
        return self.first, self.second

    @property
    def each(self) -> tuple[QubitSettings, QubitSettings]:
        return self.one, self.two

    def driven(self, frequency: float, amplitude: float, edge: float) -> PairSettings:
        """Stark drive settings with equal Rabi rates on both: the second amplitude follows from the pi pulses."""
        second = amplitude * rabi_scale(self.one) / rabi_scale(self.two)
        return replace(
            self.settings, frequency=frequency, amplitude_first=amplitude, amplitude_second=second, phase=0.0, edge=edge
        )

    def amplitude_of(self, rate: float = DRIVE_LIMIT) -> float:
        """Amplitude of the first drive at which its Rabi rate is `rate` MHz, by its calibrated pi pulse."""
        return rate / rabi_scale(self.one)


def rabi_scale(settings: QubitSettings) -> float:
    """Rabi rate in MHz per unit amplitude, as the calibrated pi pulse says."""
    return 0.5 / (settings.amplitude_pi * gaussian_area(settings.pulse_duration))


def pair_of(bench: Bench, qubit: str, partner: str) -> Pair:
    """The coupled pair of two qubits, named in either order.

    Raises:
        InputError: they are not coupled.
    """
    pairs = bench.device.settings.pairs
    names = next((p for p in ((qubit, partner), (partner, qubit)) if p in pairs), None)
    if names is None:
        coupled = ", ".join(pair_name(*p) for p in pairs) or "none"
        raise InputError(f"{qubit} and {partner} are not coupled. Coupled pairs are: {coupled}.")
    settings = bench.pair_settings(pair_name(*names))
    return Pair(*names, settings, bench.settings(names[0]), bench.settings(names[1]))


def joint_program(
    names: Sequence[str], sequences: Sequence[Sequence[Slot]], shots: int, returns: JointReturns = "counts"
) -> JointProgram:
    """A program that plays each list of slots; equal operations share one entry of their qubit's alphabet."""
    alphabets: list[dict[JointOperation, int]] = [{} for _ in names]

    def index(place: int, operation: JointOperation | None) -> int:
        return NOTHING if operation is None else alphabets[place].setdefault(operation, len(alphabets[place]))

    coded = tuple(
        np.array([[index(i, o) for i, o in enumerate(slot)] for slot in sequence], dtype=np.intp).reshape(
            len(sequence), len(names)
        )
        for sequence in sequences
    )
    return JointProgram(tuple(names), tuple(tuple(alphabet) for alphabet in alphabets), coded, int(shots), returns)


def axis_pulse(settings: QubitSettings, axis: str) -> Pulse | None:
    """What to play before readout so that <Z> becomes that of `axis`, "X" or "Y"; nothing for "Z"."""
    if axis == "Z":
        return None
    return quarter_turn(settings, -np.pi / 2) if axis == "X" else quarter_turn(settings)


def look_alike(contrast: float) -> Report:
    """What an experiment reports where one of the qubits reads alike after 0 and after 1."""
    words = "prepared 0 and 1 look alike on one of the qubits; calibrate the single qubits first"
    seen = Check("contrast above 0.2", False, f"{contrast:.3f}")
    return Report("wrong_setup", words, f"P(1|1) - P(1|0) is {contrast:.3f}.", checks=(seen,), cause="no_contrast")


def reference_slots(each: Sequence[QubitSettings]) -> list[list[Slot]]:
    """Sequences that prepare all 0 and all 1."""
    return [[], [tuple(half_turn(settings) for settings in each)]]


def ones(counts: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Shots that each of n qubits reads as 1, (..., n), from joint counts (..., 2^n)."""
    bits = np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1) & 1
    return np.asarray(counts @ bits)


@dataclass(frozen=True, slots=True, eq=False)
class Expectations:
    """<Z> of every qubit and point, with readout taken out by the prepared references.

    Attributes:
        values: (n_points, n_qubits).
        errors: one sigma, shots only.
        contrast: P(1|1) - P(1|0) of each qubit, (n_qubits,).
        zero_errors: of where zero is, by the references' own shots: the same for all points of a qubit, (n_qubits,).
    """

    values: Array
    errors: Array
    contrast: Array
    zero_errors: Array


def expectations(counts: NDArray[np.int64], shots: int, n: int, times: int = 1) -> Expectations:
    """<Z> from joint counts that begin with the references of `reference_slots`, played `times` times."""
    fraction = ones(counts, n) / shots
    low, high = fraction[: 2 * times].reshape(times, 2, n).mean(axis=0)
    safe = np.where(np.abs(high - low) > 0.01, high - low, 0.01)
    spread = np.sqrt((fraction * (1 - fraction) + 1 / (shots + 2)) / shots)
    zero = np.sqrt((spread[: 2 * times] ** 2).sum(axis=0)) / times / np.abs(safe)
    values, errors = 1 - 2 * (fraction - low) / safe, 2 * spread / np.abs(safe)
    return Expectations(values[2 * times :], errors[2 * times :], high - low, zero)


def quarter_turns_off(bench: Bench, pair: Pair) -> float:
    """How far <Z> of either qubit is from where two and eight of its pi/2 pulses belong: 0 for quarter turns.

    A pulse of five quarter turns passes for one wherever it is used alike, and what is measured with it is wrong.
    """
    turns: list[Slot] = [(quarter_turn(pair.one), None), (None, quarter_turn(pair.two))]
    sequences = [[turn] * count for turn in turns for count in TURNS]
    played = joint_program(pair.names, TRIES * reference_slots(pair.each) + sequences, TRIAL_SHOTS)
    z = expectations(*bench.counts(played), 2, TRIES).values.reshape(2, len(TURNS), 2)
    found = np.stack([z[0, :, 0], z[1, :, 1]])
    return float(np.abs(found - [-1.0, 1.0]).max())
