"""Purity benchmarking: the part of the gate error that no calibration can take away."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Fit, least_squares
from labwright.tools.experiments.gates import gate
from labwright.tools.experiments.needs import LINE, PULSE
from labwright.tools.experiments.single_qubit_rb import power_law, random_sequence, sequence_lengths
from labwright.tools.qpu.cliffords import GATES, GATES_PER_CLIFFORD
from labwright.tools.qpu.program import Program

CONTRAST = 0.2
PRECISION = 0.1  # relative error of the incoherent error
SHALLOWEST, DEEPEST = 0.75, 0.005  # what may be left of the purity after the longest sequences
# Both signs of the quarter turns about y and x, and both ends: the three axes with whatever offset taken out.
ENDS = (("Y90",), ("Y90m",), ("X90",), ("X90m",), ("X180",), ("I",))


class PurityRb(Experiment):
    """Random Clifford sequences; the length of the Bloch vector behind them, whatever its direction."""

    name = "purity_rb"
    needs = (LINE, PULSE)
    arrays = swept("length") | over("length sequence", "squared") | over("length", "purity", "error")
    results = in_units(
        "", "incoherent_error_per_gate", "incoherent_error_std", "unitarity", "coherent_share", "contrast"
    )
    summary_instructions = """
    The fit decides: the squared length of the Bloch vector falls as one exponential from the squared readout contrast
    to well below it. What it loses is decoherence; a benchmarking error above it is wrong angles, which a calibration
    can mend.
    """
    causes = causes_of("no_contrast", "sequences_too_long", "sequences_too_short", "poor_fit", "error_bar_too_wide")

    def run(
        self,
        qubit: str,
        max_length: Annotated[int, Quantity("", 8, 4096)] = 1024,
        lengths: Annotated[int, Quantity("", 4, 20)] = 8,
        kinds: Annotated[int, Quantity("", 2, 40)] = 10,
        shots: Annotated[int, Quantity("", 50, 20000)] = 2000,
        seed: Annotated[int, Quantity("", 0, 2**31)] = 0,
        error_per_gate: Annotated[float, Quantity("", 0.0, 0.5)] = 0.0,
    ) -> None:
        """Purity randomized benchmarking (purity RB): measures the incoherent part of the error per gate.

        Use it to tell decoherence from miscalibration: the purity that random sequences leave falls only by what no
        calibration can undo (unitarity; Wallman et al., New J. Phys. 17, 113020). Plays random Clifford sequences and
        measures along X, Y and Z, each with both signs. With error_per_gate of a randomized benchmarking the coherent
        share of that error is given.

        Asked for as: purity RB, purity benchmarking, purity randomized benchmarking, unitarity, incoherent error,
        coherent and incoherent errors.

        Not for: gate fidelity alone, leakage, two-qubit.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            max_length: Cliffords in the longest sequence. Default 1024.
            lengths: number of sequence lengths. Default 8.
            kinds: random sequences of each length. Default 10.
            shots: repetitions of every sequence along every axis. Default 2000.
            seed: of the random sequences. Default 0.
            error_per_gate: measured by single_qubit_rb, for the coherent share. Default 0, not known.
        """
        settings = self.bench.settings(qubit)
        counts = sequence_lengths(int(max_length), int(lengths))
        rng = np.random.default_rng(seed)
        ends = [np.array([GATES.index(name) for name in end], dtype=np.intp) for end in ENDS]
        random = [random_sequence(rng, int(m), False) for m in counts for _ in range(int(kinds))]
        sequences = tuple(np.concatenate([each, end]) for each in random for end in ends)
        got = self.bench.acquire(Program(qubit, tuple(gate(settings, name) for name in GATES), sequences, int(shots)))
        assert got.counts is not None
        fraction = (got.counts / got.shots).reshape(len(counts), int(kinds), 3, 2)
        bloch, noise = fraction[..., 0] - fraction[..., 1], (fraction * (1 - fraction)).sum(axis=-1) / got.shots
        # the square of a noisy number is too large by its variance
        self.data = {"length": counts.astype(float), "squared": (bloch**2 - noise).sum(axis=-1)}
        self.idle = float(fraction[0].min())
        self.fit()

    def fit(self) -> None:
        """Fit ``A u^m`` to the mean squared length; `fitted` is None where there is none."""
        squared, kinds = self.data["squared"], self.data["squared"].shape[1]
        mean = squared.mean(axis=1)
        # the scatter of few sequences is a poor guess of their own error, so all lengths share one that grows with the
        # signal as the noise of a square does
        size = np.sqrt(np.clip(mean, 0, None) + 1 / self.arguments["shots"])
        scatter = float(np.sqrt(np.mean(((squared - mean[:, None]) / size[:, None]) ** 2) * kinds / (kinds - 1)))
        self.data |= {"purity": mean, "error": scatter * size / np.sqrt(kinds)}
        self.fitted: Fit | None = None
        try:
            start = [max(float(mean[0]), 0.05), 1 / float(self.data["length"].mean())]
            points = (self.data["length"], mean, self.data["error"])
            self.fitted = least_squares(power_law, ["amplitude", "loss"], points, start, ([0.0, 1e-7], [1.5, 1.0]))
        except FitError:
            return

    def report(self) -> Report:
        """Incoherent error per gate, unitarity, and the coherent share where the whole error is known."""
        contrast = float(np.sqrt(max(self.fitted["amplitude"] if self.fitted else 0.0, 0.0)))
        if self.fitted is None or contrast < CONTRAST:
            first = float(self.data["purity"][0])
            seen = (Check("contrast above 0.2", False, f"{contrast:.3f}"),)
            words = f"The squared length of the Bloch vector begins at {first:.4f}."
            diagnosis = "prepared states cannot be told apart; calibrate pulses and readout first"
            none = {"contrast": Estimate(contrast, float(self.data["error"][0]))}
            return Report("wrong_setup", diagnosis, words, none, seen, cause="no_contrast")
        fit = self.fitted
        root = float(np.sqrt(1 - fit["loss"]))
        per_gate = (1 - root) / 2 / GATES_PER_CLIFFORD
        error = fit.error("loss") / (4 * root * GATES_PER_CLIFFORD)
        left = float((1 - fit["loss"]) ** self.data["length"][-1])
        checks = (
            Check("contrast above 0.2", True, f"{contrast:.3f}"),
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("sequences long enough", left < SHALLOWEST, f"{100 * left:.0f} % of the purity is left"),
            Check("sequences not too long", left > DEEPEST, f"{100 * left:.2g} % of the purity is left"),
            Check("error known to 10 %", error < PRECISION * per_gate, f"{100 * error / per_gate:.1f} %"),
        )
        estimates = {
            "incoherent_error_per_gate": Estimate(per_gate, error),
            "unitarity": Estimate(1 - fit["loss"], fit.error("loss")),
            "contrast": Estimate(contrast, fit.error("amplitude") / (2 * contrast)),
        }
        words = (
            f"The purity falls by {fit['loss']:.3e} +- {fit.error('loss'):.1e} a Clifford: an incoherent error per gate"
            f" of {per_gate:.3e} +- {error:.1e}."
        )
        if whole := float(self.arguments["error_per_gate"]):
            share = 1 - per_gate / whole
            estimates["coherent_share"] = Estimate(share, error / whole)
            words += f" Of {whole:.3e} measured in all, {100 * share:.1f} +- {100 * error / whole:.1f} % are coherent."
        variables = {"incoherent_error_per_gate": per_gate, "incoherent_error_std": error}
        passed = {check.name: check.passed for check in checks}
        best = self.within_bounds(max_length=round(1.2 / fit["loss"]))
        if not passed["sequences not too long"]:
            long = "sequences too long, no purity is left"
            return Report("adjust", long, words, estimates, checks, best, cause="sequences_too_long")
        if not passed["sequences long enough"] and best["max_length"] > self.arguments["max_length"]:
            short = "sequences too short for errors this small"
            return Report("adjust", short, words, estimates, checks, best, cause="sequences_too_short")
        if not passed["residuals are noise"]:
            return Report("bad_data", "not one exponential", words, estimates, checks, cause="poor_fit")
        if not passed["error known to 10 %"]:
            more = self.within_bounds(shots=3 * self.arguments["shots"])
            wide = "error bar too large, take more shots"
            return Report("bad_data", wide, words, estimates, checks, more, cause="error_bar_too_wide")
        return Report("success", "clear exponential decay", words, estimates, checks, variables=variables)

    @visual_inspection(
        """
        The figure shows purity benchmarking: the squared length of the Bloch vector against the number of Cliffords,
        small points for single random sequences, larger ones with error bars for their means, and a fitted exponential.
        A good one begins clearly above zero and falls smoothly along the curve to between one and three quarters of
        where it began, or lower; single sequences scatter evenly about it. A flat line near zero, points that leave the
        curve, or a length lost at the second point are failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Squared length of the Bloch vector against sequence length, with its fit and residuals."""
        title = f"Purity benchmarking, {self.qubit}"
        made, main, below = figures.with_residuals(title, "number of Cliffords", "purity (contrast squared)")
        m, squared = self.data["length"], self.data["squared"]
        main.plot(np.repeat(m, squared.shape[1]), squared.ravel(), ".", color="0.65", markersize=4, label="sequences")
        figures.data(main, m, self.data["purity"], self.data["error"], "mean")
        if self.fitted is not None:
            figures.fitted(main, self.fitted, r"$A\,u^m$")
            figures.residuals(below, self.fitted)
            if "incoherent_error_per_gate" in (found := self.report().estimates):
                each = found["incoherent_error_per_gate"]
                text = f"({1e4 * each.value:.2f} ± {1e4 * each.error:.2f}) × 10$^{{-4}}$"
                figures.note(main, f"incoherent error per gate {text}")
        main.legend(frameon=False, loc="lower left")
        return made
