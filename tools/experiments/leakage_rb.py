"""Leakage benchmarking: how often a gate throws the qubit out of levels 0 and 1, and how fast it comes back."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, least_squares
from labwright.tools.experiments.gates import gate
from labwright.tools.experiments.gaussian_mixture import fit_mixture
from labwright.tools.experiments.needs import LINE, PULSE, RESONATOR
from labwright.tools.experiments.single_qubit_rb import random_sequence
from labwright.tools.experiments.thermal_population import second_half_turn
from labwright.tools.experiments.three_level_readout import SECOND_LINE, assigned
from labwright.tools.qpu.cliffords import GATES, GATES_PER_CLIFFORD
from labwright.tools.qpu.coherence_limit import EXCITED, EXCITED_ERROR
from labwright.tools.qpu.program import Program

REFERENCES = 12  # how often each of the three levels is prepared: their matrix enters every point
TOLD = 0.15  # how much more often 2 must be read of level 2 than of level 1
PURE = 0.03  # relative error of the leakage: what is prepared as 2 is 2 in 94 to 97 % of the shots
PRECISION, SMALL = 0.35, 1e-5  # relative error of the leakage, and absolute one a Clifford, of which one has to be met


def leaked(m: Array, zero: float, filled: float, leakage: float, seepage: float) -> Array:
    """Population of level 2 behind `m` Cliffords (Wood and Gambetta, PRA 97, 032306), as it is read.

    The first half of `m` begins in 0, without any of level 2, the second half in 2, with `filled`. What the references
    say of 0 and 1 has an error, which shifts all points alike: `zero`.
    """
    rate = leakage + seepage
    left = np.exp(m * np.log1p(-min(rate, 0.999)))
    begins = np.repeat([0.0, filled], [len(m) // 2, len(m) - len(m) // 2])
    return np.asarray(zero + leakage / max(rate, 1e-12) * (1 - left) + begins * left)


class LeakageRb(Experiment):
    """Random Clifford sequences from 0 and from 2, read with three levels."""

    name = "leakage_rb"
    needs = (RESONATOR, LINE, PULSE, SECOND_LINE)
    arrays = (
        swept("length")
        | words("read", "0", "1", "2")
        | words("prepared", "0", "1", "2")
        | over("read prepared", "assignment")
        | words("begins", "0", "2")
        | over("begins length sequence", "leaked")
        | over("begins length", "mean", "error", "shot_noise")
    )
    results = in_units(
        "", "leakage_per_clifford", "leakage_std", "leakage_per_gate", "seepage_per_clifford", "saturates_at"
    )
    summary_instructions = """
    The fit decides: the population of level 2 rises from near zero, or falls from near one, to one level. Leakage is
    the first slope of the rise, seepage that of the fall. A slope below its error is an upper limit, which is a result;
    level 2 must be read as 2 clearly more often than level 1 is.
    """
    causes = causes_of(
        "readout_unresolved", "poor_fit", "error_bar_too_wide",
        leakage_unseen="The leakage is below twice its error: only an upper limit is known.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        max_length: Annotated[int, Quantity("", 16, 8192)] = 2048,
        lengths: Annotated[int, Quantity("", 5, 20)] = 8,
        kinds: Annotated[int, Quantity("", 2, 40)] = 8,
        shots: Annotated[int, Quantity("", 500, 20000)] = 2000,
        seed: Annotated[int, Quantity("", 0, 2**31)] = 0,
    ) -> None:
        """Leakage randomized benchmarking (leakage RB): measures leakage and seepage per Clifford of a qubit's gates.

        Use it to see how much of the gate error leaves the qubit's two levels, which benchmarking hardly shows. Plays
        random Clifford sequences from 0 and from 2, and references in 0, 1 and 2; every shot is assigned to the nearest
        of three blobs, and the assignment matrix of the references turns counts into populations. Heating of the
        transmon counts as leakage, too, and its relaxation as seepage.

        Asked for as: leakage RB, leakage benchmarking, leakage randomized benchmarking, leakage per gate, leakage rate,
        seepage.

        Not for: gate fidelity, purity, two-qubit.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            max_length: Cliffords in the longest sequence. Default 2048.
            lengths: number of sequence lengths. Default 8.
            kinds: random sequences of each length. Default 8.
            shots: repetitions of every sequence. Default 2000.
            seed: of the random sequences. Default 0.
        """
        settings = self.bench.settings(qubit)
        counts = np.concatenate([[1, 1], np.linspace(1, int(max_length), int(lengths)).round().astype(int)])
        rng = np.random.default_rng(seed)
        pi, second = GATES.index("X180"), len(GATES)
        prepared = [np.array(each, dtype=np.intp) for each in ([], [pi], [pi, second])]
        alphabet = (*(gate(settings, name) for name in GATES), second_half_turn(settings))
        # half of them end in 1: levels 0 and 1 then share alike at all lengths, and how often 2 is read of them, which
        # is known from few references, shifts all points alike
        kinds = 2 * (kinds // 2)
        random = [
            np.concatenate([start, random_sequence(rng, int(m), bool(kind % 2))])
            for start in (prepared[0], prepared[2])
            for m in counts
            for kind in range(kinds)
        ]
        got = self.bench.acquire(Program(qubit, alphabet, (*REFERENCES * prepared, *random), int(shots), "shots"))
        assert got.iq is not None
        known = got.iq[: 3 * REFERENCES].reshape(REFERENCES, 3, -1)
        ground, excited, third = known[:2].swapaxes(0, 1).reshape(3, -1)
        centres = fit_mixture(ground, excited, 3, second=third).means
        self.matrix = assigned(known.swapaxes(0, 1).reshape(3, -1), centres)
        self.told = float(self.matrix[2, 2] - self.matrix[2, 1])
        read = assigned(got.iq[3 * REFERENCES :], centres)
        weights = np.linalg.pinv(self.matrix)[2]
        self.data = {"length": counts.astype(float), "assignment": self.matrix}
        shape = (2, len(counts), kinds)
        self.data["leaked"] = (weights @ read).reshape(shape)
        noise = np.sqrt((weights**2 @ read - (weights @ read) ** 2) / shots)
        self.data["shot_noise"] = noise.reshape(shape).mean(axis=2)
        self.fitted: Fit | None = None
        self.fit()

    def fit(self) -> None:
        """Fit the rise of level 2; the errors are the scatter of the sequences about their means."""
        leak = self.data["leaked"]
        mean = leak.mean(axis=2)
        self.data["mean"] = mean
        # sequences scatter by their shots, and by one factor more for all of a start: few of a length tell it poorly
        noise = self.data["shot_noise"]
        more = np.maximum(1.0, np.mean(leak.var(axis=2, ddof=1) / noise**2, axis=1, keepdims=True))
        self.data["error"] = noise * np.sqrt(more / leak.shape[2])
        if self.told < TOLD:
            return
        m = np.tile(self.data["length"], 2)
        longest = float(m.max())
        low, high = [-0.2, 0.5, 0.0, 0.02 / longest], [0.2, 1.3, 0.2, 0.9]
        start = [float(np.clip(mean[0, 0], -0.1, 0.1)), 1.0, max(float(mean[0].max()) / longest, 1e-6), 2 / longest]
        try:
            points = (m, mean.ravel(), self.data["error"].ravel())
            names = ["zero", "filled", "leakage", "seepage"]
            self.fitted = least_squares(leaked, names, points, start, (low, high))
        except FitError:
            return

    def report(self) -> Report:
        """Leakage and seepage per Clifford, and the population that is reached in the end."""
        told = Check("2 is read of 2 more than of 1", self.told > TOLD, f"{self.told:.3f}")
        fit = self.fitted
        if fit is None:
            words = (
                f"Of level 2, 2 is read in {self.matrix[2, 2]:.3f} of the shots, of level 1 in {self.matrix[2, 1]:.3f}."
            )
            none = {"saturates_at": Estimate(float(self.data["mean"][0, -1]), float(self.data["error"][0, -1]))}
            if told.passed:
                return Report("bad_data", "level 2 does not rise", words, none, (told,), cause="poor_fit")
            blurred = "readout cannot tell the three levels apart; run three_level_readout"
            return Report("wrong_setup", blurred, words, none, (told,), cause="readout_unresolved")
        leakage = Estimate(fit["leakage"], float(np.hypot(fit.error("leakage"), PURE * fit["leakage"])))
        # Heat takes 2 to 3 at 3 n / T1, and 3 is read as 2 more often than 2 is, at most always. By half to all of
        # `most` - 1 it counts too much, and the fall of 2, at 2 / T1, seems slower by 3 n / 2 of that.
        most = float(np.linalg.pinv(self.matrix)[2, 2])
        heat = 1.5 * EXCITED * 0.75 * (most - 1)
        heat_error = heat * float(np.hypot(0.5 / 0.75 / 12**0.5, EXCITED_ERROR / EXCITED))
        back = (1 + heat) * fit["seepage"]
        seepage = Estimate(back, float(np.hypot((1 + heat) * fit.error("seepage"), heat_error * back)))
        rate, error = leakage.value, leakage.error
        known = error < max(PRECISION * rate, SMALL)
        checks = (
            told,
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("leakage known to 35 % or 1e-5", known, f"{rate:.1e} +- {error:.1e}"),
        )
        total = rate + fit["seepage"]
        slopes = np.array([0, 0, fit["seepage"], -rate]) / total**2
        estimates = {
            "leakage_per_clifford": leakage,
            "leakage_per_gate": Estimate(rate / GATES_PER_CLIFFORD, error / GATES_PER_CLIFFORD),
            "seepage_per_clifford": seepage,
            "saturates_at": Estimate(rate / total, float(np.sqrt(slopes @ fit.covariance @ slopes))),
        }
        words = (
            f"The gates of {self.qubit} leak {rate:.2e} +- {error:.1e} a Clifford and seep {seepage.value:.2e} +-"
            f" {seepage.error:.1e}; level 2 holds {100 * rate / total:.2f} % in the end."
        )
        if not checks[1].passed:
            return Report("bad_data", "no simple rise", words, estimates, checks, cause="poor_fit")
        if not known:
            more = self.within_bounds(shots=2 * self.arguments["shots"], kinds=2 * self.arguments["kinds"])
            vague = "leakage not precise enough"
            return Report("bad_data", vague, words, estimates, checks, more, cause="error_bar_too_wide")
        variables = {"leakage_per_clifford": rate, "leakage_std": error}
        unseen = rate < 2 * error
        diagnosis = f"leakage below {rate + 2 * error:.1e} a Clifford" if unseen else "leakage known"
        cause = "leakage_unseen" if unseen else ""
        return Report("success", diagnosis, words, estimates, checks, variables=variables, cause=cause)

    @visual_inspection(
        """
        The figure shows leakage benchmarking: the population of level 2 against the number of Cliffords, for sequences
        that begin in 0 (above) and in 2 (below), small points for single random sequences, larger ones with error bars
        for their means, and one fit of both.
        A good one begins near zero above and near one below, and both follow their curves towards one level. A
        population far from zero at the shortest sequences above, means off the curve, or single sequences far from all
        others are failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Population of level 2 against sequence length for both starts, with the fit."""
        title = f"Leakage benchmarking, {self.qubit}"
        made, (first, second) = figures.figure(title, 2, sharex=True)
        m = self.data["length"]
        for row, axis in enumerate((first, second)):
            leak = self.data["leaked"][row]
            axis.plot(np.repeat(m, leak.shape[1]), leak.ravel(), ".", color="0.65", markersize=4, label="sequences")
            figures.data(axis, m, self.data["mean"][row], self.data["error"][row], f"from {2 * row}")
            if self.fitted is not None:
                fine = np.linspace(m[0], m[-1], 401)
                curve = self.fitted.curve(np.tile(fine, 2)).reshape(2, -1)[row]
                axis.plot(fine, curve, "-", color=figures.VERMILION, linewidth=1.4, label="fit", zorder=3)
            axis.set_ylabel("population of level 2")
            figures.headroom(axis, 0.35)
            axis.legend(frameon=False, loc="upper left" if row == 0 else "upper right", ncols=3, fontsize=8.5)
        second.set_xlabel("number of Cliffords")
        if self.fitted is not None:
            value, error = 1e5 * self.fitted["leakage"], 1e5 * self.fitted.error("leakage")
            figures.note(first, f"leakage ({value:.2f} ± {error:.2f}) × 10$^{{-5}}$ a Clifford")
        return made
