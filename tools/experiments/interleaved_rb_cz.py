"""Interleaved randomized benchmarking of a pair's CZ gate."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.experiments import figures
from labwright.tools.experiments.base import Check, Estimate, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.two_qubit_rb import TwoQubitRb, decay_checks, draw_decay, judged_decay, no_decay

D = 4  # dimension of two qubits


class InterleavedRbCz(TwoQubitRb):
    """Two-qubit Clifford sequences without and with a CZ behind every Clifford, in one acquisition."""

    name = "interleaved_rb_cz"
    results = in_units("", "cz_error", "error_per_clifford", "coherent_bound", "cz_error_std")
    interleaves = True
    summary_instructions = """
    Two fits decide: both survivals fall as one exponential each, and the one with a CZ behind every Clifford falls
    faster. The ratio of the two is the error of the CZ. The bound says how far a coherent error could move it.
    """
    causes = TwoQubitRb.causes | causes_of(
        cz_costs_nothing="Sequences with a CZ behind every Clifford decay more slowly than those without."
    )

    def run(
        self,
        qubit: str,
        partner: str,
        max_length: Annotated[int, Quantity("", 3, 200)] = 16,
        lengths: Annotated[int, Quantity("", 3, 20)] = 5,
        kinds: Annotated[int, Quantity("", 4, 60)] = 24,
        shots: Annotated[int, Quantity("", 100, 20000)] = 4000,
        seed: Annotated[int, Quantity("", 0, 2**31)] = 0,
    ) -> None:
        """Interleaved randomized benchmarking of the CZ gate: measures the error of a pair's two-qubit gate.

        Use it to verify a two-qubit gate, to measure the CZ (siZZle gate) fidelity, infidelity or error. Random
        two-qubit Clifford sequences are compared with the same kind of sequences with a CZ behind every Clifford.

        Asked for as: interleaved randomized benchmarking, interleaved RB, two-qubit interleaved RB, CZ fidelity, CZ
        error, CZ gate error, two-qubit gate fidelity, two-qubit gate error, siZZle gate fidelity.

        Not for: single-qubit, process tomography.

        Args:
            qubit: name of one qubit of the pair, such as Q1.
            partner: name of the other qubit of the pair, such as Q2.
            max_length: Cliffords in the longest sequence. Default 16.
            lengths: number of sequence lengths. Default 5.
            kinds: random sequences of each length and kind. Default 24.
            shots: repetitions of every sequence. Default 4000.
            seed: of the random sequences. Default 0.

        Raises:
            InputError: an argument is out of bounds, the qubits are not coupled, or the pair has no gate yet.
        """
        self.measure(qubit, partner)

    def report(self) -> Report:
        """Error of the CZ from the ratio of the two decays, with the bound for coherent errors."""
        reference, interleaved = self.decays
        if unseen := no_decay(reference) or no_decay(interleaved):
            return unseen
        error, spread = self.gate_error()
        (loss, _), bound = reference.loss, self.bound()
        slower = Check("CZ costs something", error > -2 * spread, f"{100 * error:.2f} %")
        checks = (*decay_checks(reference), *decay_checks(interleaved), slower)
        analysis = (
            f"Interleaved benchmarking gives a CZ error of {100 * error:.2f} +- {100 * spread:.2f} %"
            f" (within {100 * bound:.2f} % if errors are coherent); a Clifford errs by {75 * loss:.2f} %."
        )
        estimates = {
            "cz_error": Estimate(error, spread),
            "error_per_clifford": Estimate(0.75 * loss, 0.75 * reference.loss[1]),
            "coherent_bound": Estimate(bound, 0.0),
        }
        variables = {"cz_error": error, "cz_error_std": spread}
        return judged_decay(checks, analysis, estimates, variables, self.arguments)

    def gate_error(self) -> tuple[float, float]:
        """(1 - 1/d) (1 - p_interleaved / p_reference) and its one-sigma error."""
        (slow, slow_error), (fast, fast_error) = (decay.loss for decay in self.decays)
        ratio = (1 - fast) / (1 - slow)
        spread = ratio * float(np.hypot(fast_error / (1 - fast), slow_error / (1 - slow)))
        return (1 - 1 / D) * (1 - ratio), (1 - 1 / D) * spread

    def bound(self) -> float:
        """How far the true error may lie from the estimate, whatever its kind (Magesan et al., PRL 109, 080505)."""
        (slow, _), (fast, _) = (decay.loss for decay in self.decays)
        p, q = 1 - slow, (1 - fast) / (1 - slow)
        first = (D - 1) * (abs(p - q) + (1 - p)) / D
        second = 2 * (D**2 - 1) * (1 - p) / (p * D**2) + 4 * np.sqrt(1 - p) * np.sqrt(D**2 - 1) / p
        return float(min(first, second))

    @visual_inspection(
        """
        The figure shows interleaved randomized benchmarking of a CZ: survival against the number of two-qubit
        Cliffords, one colour for the reference and one for sequences with a CZ behind every Clifford, with fits.
        A good one has two smooth exponentials from near 1 towards 1/4, the interleaved one faster. Curves that cross,
        start far below 1 or miss their means are failures; say which.
        """
    )
    def plot(self) -> figures.Figure:
        """Both survivals with their fits."""
        made, (axis,) = figures.figure(f"Interleaved randomized benchmarking, {self.pair.name}")
        draw_decay(axis, self.data["length"], self.decays[0], "reference", figures.BLUE)
        draw_decay(axis, self.data["length"], self.decays[1], "with CZ", figures.VERMILION)
        axis.legend(frameon=False, loc="upper right")
        if all(decay.fit is not None for decay in self.decays):
            error, spread = self.gate_error()
            figures.note(axis, f"CZ error {100 * error:.2f} ± {100 * spread:.2f} %", "lower left")
        return made
