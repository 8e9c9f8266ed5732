"""Randomized benchmarking of a pair: random two-qubit Cliffords, alone and with a CZ behind each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError, InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, least_squares
from labwright.tools.experiments.needs import CZ_GATE, FINE
from labwright.tools.experiments.pair_benchmarking_sequences import clifford_sequence, pair_slots, survival
from labwright.tools.experiments.qubit_pairs import Pair, joint_program, pair_of, reference_slots
from labwright.tools.experiments.two_qubit_cliffords import CZ_PER_CLIFFORD, Layer
from labwright.tools.qpu.cz_gate_operations import cz_slots

ENDS = [Layer((first, second)) for first in ((), ("X180",)) for second in ((), ("X180",))]  # to 00, 01, 10 and 11
FLOOR = 0.25  # of four states, once readout is taken out
LEAST = 0.2  # amplitude of the decay that counts as seen
PRECISE = 0.25  # relative error of the error a Clifford
# What a check that failed means, where neither longer nor shorter sequences can help.
CAUSE = {
    "residuals are noise": "poor_fit",
    "sequences long enough": "sequences_too_short",
    "sequences not too long": "sequences_too_long",
    "error known to 25 %": "error_bar_too_wide",
    "CZ costs something": "cz_costs_nothing",
}


@dataclass(frozen=True, slots=True, eq=False)
class Decay:
    """Survival against the number of Cliffords: every sequence (n_lengths, kinds), means, errors and fit."""

    every: Array
    mean: Array
    error: Array
    fit: Fit | None

    @property
    def loss(self) -> tuple[float, float]:
        """1 - p of A p^m + 1/4, with its error."""
        assert self.fit is not None
        return self.fit["loss"], self.fit.error("loss")


def decay_law(m: Array, amplitude: float, loss: float) -> Array:
    """``1/4 + amplitude (1 - loss)^m``."""
    return np.asarray(FLOOR + amplitude * (1 - loss) ** m)


def decayed(lengths: Array, every: Array, shot_error: Array) -> Decay:
    """Mean of each length with the scatter of its sequences as error, fitted."""
    kinds = every.shape[1]
    shots = np.sqrt((shot_error**2).mean(axis=1) / kinds)
    error = np.maximum(every.std(axis=1, ddof=1) / np.sqrt(kinds), shots)
    mean = every.mean(axis=1)
    start = [max(float(mean[0] - FLOOR), 0.1), 0.03]
    try:
        fit = least_squares(decay_law, ["amplitude", "loss"], (lengths, mean, error), start, ([0, 0], [1.2, 1.0]))
    except FitError:
        fit = None
    return Decay(every, mean, error, fit)


def lengths_of(longest: int, count: int) -> Array:
    """Numbers of Cliffords, from 1, spaced so that the decay is sampled evenly."""
    return np.unique(np.round(np.linspace(1, longest, count))).astype(float)


def require_gate(pair: Pair) -> None:
    """Raise unless the pair has a calibrated CZ.

    Raises:
        InputError: it has none.
    """
    if not pair.settings.calibrated:
        raise InputError(f"{pair.name} has no calibrated CZ gate. Find its siZZle gate parameters first.")


class TwoQubitRb(Experiment):
    """Random two-qubit Clifford sequences that should end in 00, 01, 10 and 11 in turn."""

    name = "two_qubit_rb"
    needs = (*FINE, CZ_GATE)
    arrays = swept("length") | over("series length sequence", "survival", "error")
    results = in_units("", "error_per_clifford", "rb2_error_per_clifford")
    interleaves = False
    summary_instructions = """
    The fit decides: the survival, with readout errors taken out, falls from near 1 towards 1/4 as one
    exponential. A start far below 1 means bad readout references or single-qubit gates.
    """
    causes = causes_of(
        "sequences_too_long", "sequences_too_short", "poor_fit", "error_bar_too_wide",
        no_survival="Even the shortest sequences do not end where they should: readout, pulses or the CZ are bad.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        partner: str,
        max_length: Annotated[int, Quantity("", 3, 200)] = 16,
        lengths: Annotated[int, Quantity("", 3, 20)] = 5,
        kinds: Annotated[int, Quantity("", 4, 60)] = 20,
        shots: Annotated[int, Quantity("", 100, 20000)] = 1000,
        seed: Annotated[int, Quantity("", 0, 2**31)] = 0,
    ) -> None:
        """Two-qubit randomized benchmarking: measures the average error of a two-qubit Clifford of a pair.

        Use it to benchmark a pair of qubits as a whole, single-qubit gates and CZ together (1.5 CZ a Clifford). Random
        Clifford sequences with a closing one that undoes them are played, and the survival is fitted.

        Asked for as: two-qubit randomized benchmarking, two-qubit RB, two-qubit Clifford error, 2Q RB.

        Not for: interleaved, simultaneous, single-qubit.

        Args:
            qubit: name of one qubit of the pair, such as Q1.
            partner: name of the other qubit of the pair, such as Q2.
            max_length: Cliffords in the longest sequence. Default 16.
            lengths: number of sequence lengths. Default 5.
            kinds: random sequences of each length. Default 20.
            shots: repetitions of every sequence. Default 1000.
            seed: of the random sequences. Default 0.

        Raises:
            InputError: an argument is out of bounds, the qubits are not coupled, or the pair has no gate yet.
        """
        self.measure(qubit, partner)

    def measure(self, qubit: str, partner: str) -> None:
        """Acquire and fit with the remembered arguments."""
        self.pair = pair_of(self.bench, qubit, partner)
        self.qubit = self.pair.name
        require_gate(self.pair)
        cz = cz_slots(self.pair.settings, *self.pair.each)
        m = lengths_of(int(self.arguments["max_length"]), int(self.arguments["lengths"]))
        rng = np.random.default_rng(int(self.arguments["seed"]))
        # A leaked qubit reads as 1: only where 0 and 1 are meant alike often does it come to the same floor as noise.
        kinds = int(self.arguments["kinds"])
        sequences = [
            pair_slots([*clifford_sequence(rng, int(length), interleaved), ENDS[k % 4]], self.pair.each, cz)
            for interleaved in ((False, True) if self.interleaves else (False,))
            for length in m
            for k in range(kinds)
        ]
        shots = int(self.arguments["shots"])
        program = joint_program(self.pair.names, reference_slots(self.pair.each) + sequences, shots)
        counts, shots = self.bench.counts(program)
        ends = np.resize(np.arange(kinds, dtype=np.int64) % 4, len(sequences))
        value, error = survival(counts, shots, 2, ends)
        shape = (-1, len(m), kinds)
        self.data = {"length": m, "survival": value.reshape(shape), "error": error.reshape(shape)}
        self.fit()

    def fit(self) -> None:
        """Fit every decay: the reference, and the interleaved one where there is one."""
        m = self.data["length"]
        self.decays = [decayed(m, s, e) for s, e in zip(self.data["survival"], self.data["error"], strict=True)]

    def report(self) -> Report:
        """Error a Clifford."""
        reference = self.decays[0]
        if unseen := no_decay(reference):
            return unseen
        loss, error = reference.loss
        clifford, spread = 0.75 * loss, 0.75 * error
        checks = decay_checks(reference)
        analysis = (
            f"The error per two-qubit Clifford is {100 * clifford:.2f} +- {100 * spread:.2f} %"
            f" ({CZ_PER_CLIFFORD:g} CZ a Clifford)."
        )
        estimates = {"error_per_clifford": Estimate(clifford, spread)}
        variables = {"rb2_error_per_clifford": clifford}
        return judged_decay(checks, analysis, estimates, variables, self.arguments)

    @visual_inspection(
        """
        The figure shows two-qubit randomized benchmarking: survival against the number of two-qubit Cliffords,
        one small point a random sequence, means with error bars and a fitted exponential.
        A good one starts near 1 and falls smoothly towards 1/4. A curve that starts far below 1, is flat, or misses
        its means is a failure; say which.
        """
    )
    def plot(self) -> figures.Figure:
        """Survival against length, with the fit."""
        made, (axis,) = figures.figure(f"Two-qubit randomized benchmarking, {self.pair.name}")
        draw_decay(axis, self.data["length"], self.decays[0], "two-qubit Cliffords", figures.BLUE)
        axis.legend(frameon=False)
        return made


def no_decay(decay: Decay) -> Report | None:
    """What to say when nothing decays; None if something does."""
    if decay.fit is not None and decay.fit["amplitude"] > LEAST:
        return None
    first = float(decay.mean[0])
    checks = (Check("survival seen", False, f"{first:.2f} for the shortest sequences"),)
    words = "sequences do not end where they should; calibrate the single qubits, their readout and the CZ first"
    analysis = f"The shortest sequences survive with {first:.2f}."
    return Report("wrong_setup", words, analysis, checks=checks, cause="no_survival")


def decay_checks(decay: Decay) -> tuple[Check, ...]:
    """Whether one decay is whole and known."""
    assert decay.fit is not None
    loss, error = decay.loss
    left = float((1 - loss) ** decay.fit.x[-1])
    chi = decay.fit.reduced_chi_square
    return (
        Check("residuals are noise", decay.fit.good, f"reduced chi square {chi:.2f}"),
        Check("sequences long enough", left < 0.85, f"{100 * left:.0f} % is left"),
        Check("sequences not too long", left > 0.02, f"{100 * left:.1f} % is left"),
        Check("error known to 25 %", error < PRECISE * loss, f"{100 * error / max(loss, 1e-9):.0f} %"),
    )


def judged_decay(
    checks: tuple[Check, ...], analysis: str, estimates: dict[str, Estimate], variables: dict[str, float],
    arguments: dict[str, float],
) -> Report:  # fmt: skip
    """The report of a decay that was seen: longer, shorter or more sequences, or success."""
    failed = [check.name for check in checks if not check.passed]
    longest = int(arguments["max_length"])
    if "sequences not too long" in failed and longest > 6:
        better, cause = {"max_length": float(max(4, longest // 3))}, "sequences_too_long"
        return Report("adjust", "sequences too long", analysis, estimates, checks, better, cause=cause)
    if "sequences long enough" in failed and longest < 200:
        better, cause = {"max_length": min(200.0, 3.0 * longest)}, "sequences_too_short"
        return Report("adjust", "sequences too short", analysis, estimates, checks, better, cause=cause)
    if failed:
        more, cause = {"kinds": min(60.0, 2.0 * arguments["kinds"])}, CAUSE[failed[0]]
        return Report("bad_data", f"not met: {failed[0]}", analysis, estimates, checks, more, cause=cause)
    return Report("success", "clear exponential decay", analysis, estimates, checks, variables=variables)


def draw_decay(axis: figures.Axes, lengths: Array, decay: Decay, label: str, color: str) -> None:
    """Every sequence, the means and the fit."""
    spread = np.repeat(lengths[:, None], decay.every.shape[1], axis=1)
    axis.plot(spread, decay.every, ".", color=color, markersize=2.5, alpha=0.35)
    figures.data(axis, lengths, decay.mean, decay.error, label, color)
    if decay.fit is not None:
        fine = np.linspace(lengths[0], lengths[-1], 200)
        axis.plot(fine, decay.fit.curve(fine), color=color, linewidth=1.3)
    axis.set_xlabel("number of Cliffords")
    axis.set_ylabel("population where it should end, readout taken out")
