"""Randomized benchmarking of the single-qubit gates."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import Check, Estimate, Experiment, Judgement, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, least_squares
from labwright.tools.experiments.gates import gate
from labwright.tools.experiments.needs import FINE
from labwright.tools.qpu.cliffords import GATES, GATES_PER_CLIFFORD, clifford_group
from labwright.tools.qpu.coherence_limit import EXCITED, EXCITED_ERROR, coherence_limit
from labwright.tools.qpu.program import Program

CONTRAST = 0.2
PRECISION = 0.05  # of the error per gate, relative
# Random sequences of good gates differ by little more than shot noise; those of gates with wrong angles by far more,
# and no number of shots fixes that.
COHERENT = 3.0
SHALLOWEST, DEEPEST = 0.75, 0.01  # what may be left of the difference after the longest sequences


class SingleQubitRb(Experiment):
    """Random Clifford sequences; half of them end in 0, half in 1."""

    name = "single_qubit_rb"
    needs = FINE
    arrays = (
        swept("length")
        | over("length sequence", "fraction")
        | over("sequence", "ends_in_one")
        | over("length", "difference", "error")
    )
    results = in_units(
        "",
        "error_per_clifford",
        "error_per_gate",
        "contrast",
        "statistical_error_per_gate",
        "scatter",
        "limit_error_per_gate",
        "rb_error_per_gate",
        "rb_error_std",
        "limit_error_std",
    )
    summary_instructions = """
    The fit decides: an exponential that starts at the readout contrast and falls well below it within the sweep, known
    to 5 %. Where T1 and T2 echo were given, the error per gate is compared with what they alone would cause; well
    above that the gates are miscalibrated, and the calibration has to be done again.
    """
    causes = causes_of(
        "no_contrast", "sequences_too_long", "sequences_too_short", "poor_fit", "error_bar_too_wide",
        "gates_miscalibrated",
        coherent_errors="Sequences of one length differ by far more than shot noise: the pulses turn wrong angles.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        max_length: Annotated[int, Quantity("", 8, 8192)] = 2048,
        lengths: Annotated[int, Quantity("", 4, 40)] = 12,
        kinds: Annotated[int, Quantity("", 2, 40)] = 10,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        seed: Annotated[int, Quantity("", 0, 2**31)] = 0,
        t1: Annotated[float, Quantity("us", 0.0, 10000.0)] = 0.0,
        t2_echo: Annotated[float, Quantity("us", 0.0, 10000.0)] = 0.0,
        t1_error: Annotated[float, Quantity("us", 0.0, 10000.0)] = 0.0,
        t2_echo_error: Annotated[float, Quantity("us", 0.0, 10000.0)] = 0.0,
        tolerance: Annotated[float, Quantity("", 1.0, 100.0)] = 1.25,
    ) -> None:
        """Randomized benchmarking (RB): measures the average error per single-qubit gate, the gate fidelity.

        Use it to benchmark a qubit, to measure the single-qubit gate fidelity, infidelity or error rate, or to judge a
        calibration. Plays random sequences of Clifford gates with a closing gate that undoes them; half of the
        sequences end in 0 and half in 1, and the difference of the two is fitted as A p^m; (1 - p) / 2 per Clifford
        misses half of the leakage by heat, for which 1.75 % are added. With t1 and t2_echo given, the error is compared
        with the coherence limit.

        Asked for as: randomized benchmarking, RB, single-qubit RB, gate fidelity, gate error, gate errors,
        error per gate, error per Clifford, random Clifford sequences.

        Not for: two-qubit, interleaved, leakage.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            max_length: Cliffords in the longest sequence (seq_length, sequence length). Default 2048.
            lengths: number of sequence lengths. Default 12.
            kinds: random sequences of each length; half end in 0, half in 1. Default 10.
            shots: repetitions of every sequence. Default 1000.
            seed: of the random sequences. Default 0.
            t1: measured relaxation time in us, for the coherence limit. Default 0, not known.
            t2_echo: measured echo time in us, for the coherence limit. Default 0, not known.
            t1_error: one-sigma error of t1 in us. Default 0.
            t2_echo_error: one-sigma error of t2_echo in us. Default 0.
            tolerance: multiple of the coherence limit that passes. Default 1.25.
        """
        self.settings = self.bench.settings(qubit)
        counts = sequence_lengths(int(max_length), int(lengths))
        ends = np.arange(2 * (int(kinds) // 2)) % 2
        rng = np.random.default_rng(seed)
        sequences = tuple(random_sequence(rng, int(m), bool(end)) for m in counts for end in ends)
        alphabet = tuple(gate(self.settings, name) for name in GATES)
        fraction, _ = self.bench.fractions(Program(qubit, alphabet, sequences, int(shots)))
        self.data = {"length": counts.astype(float), "fraction": fraction.reshape(-1, len(ends)), "ends_in_one": ends}
        self.fit()

    def fit(self) -> None:
        """Fit ``A p^m`` to the difference; `fitted` is None where there is none. Errors hold the sequences' scatter."""
        m, fraction, one = self.data["length"], self.data["fraction"], self.data["ends_in_one"] == 1
        difference, sigma, self.scatter = difference_of_ends(fraction, one, int(self.arguments["shots"]))
        self.data |= {"difference": difference, "error": sigma}
        self.fitted = fit_power_law(m, difference, sigma)

    def report(self) -> Report:
        """Error per Clifford and per gate, beside the coherence limit where that is known."""
        if self.fitted is None or self.fitted["amplitude"] < CONTRAST:
            return self._unseen()
        fit = self.fitted
        gates, error = self._error_per_gate()
        left = float((1 - fit["loss"]) ** self.data["length"][-1])
        limit = self._limit()
        demanded = max(gates, limit.value) if limit else gates
        checks = [
            Check("contrast above 0.2", True, f"{fit['amplitude']:.3f}"),
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("sequences long enough", left < SHALLOWEST, f"{100 * left:.0f} % is left of the difference"),
            Check("sequences not too long", left > DEEPEST, f"{100 * left:.2g} % is left of the difference"),
            Check("error known to 5 %", error <= PRECISION * demanded, f"{100 * error / demanded:.1f} %"),
        ]
        estimates = {
            "error_per_clifford": Estimate(gates * GATES_PER_CLIFFORD, error * GATES_PER_CLIFFORD),
            "error_per_gate": Estimate(gates, error),
            "contrast": fit.estimate("amplitude"),
            "statistical_error_per_gate": Estimate((1 + EXCITED) * fit.error("loss") / (2 * GATES_PER_CLIFFORD), 0.0),
            "scatter": Estimate(self.scatter, 0.0),
        }
        analysis = (
            f"The error per Clifford is {gates * GATES_PER_CLIFFORD:.3e} +- {error * GATES_PER_CLIFFORD:.1e}, per gate"
            f" {gates:.3e} +- {error:.1e} ({GATES_PER_CLIFFORD:g} gates a Clifford, {self.arguments['shots']} shots)."
        )
        variables = {"rb_error_per_gate": gates, "rb_error_std": error}
        if limit:
            ratio = gates / limit.value
            ratio_error = ratio * float(np.hypot(error / gates, limit.error / limit.value))
            tolerance = float(self.arguments["tolerance"])
            near = ratio - 2 * ratio_error <= tolerance
            checks.append(Check("near the coherence limit", near, f"{ratio:.2f} +- {ratio_error:.2f} times the limit"))
            estimates |= {"limit_error_per_gate": limit, "ratio_to_limit": Estimate(ratio, ratio_error)}
            analysis += f" T1 and T2 echo alone cause {_known_to(limit, '.3e', '.1e', '+-')}; the ratio is {ratio:.2f}."
            variables |= {"limit_error_per_gate": limit.value, "limit_error_std": limit.error}
        judged = self._judge(tuple(checks), estimates)
        return judged.report(analysis, estimates, tuple(checks), variables=variables if fit.good else {})

    def _judge(self, checks: tuple[Check, ...], estimates: dict[str, Estimate]) -> Judgement:
        passed = {check.name: check.passed for check in checks}
        fit, arguments = self.fitted, self.arguments
        assert fit is not None
        best = int(self.within_bounds(max_length=round(1.2 / fit["loss"]))["max_length"])
        if not passed["sequences not too long"]:
            long = "sequences too long, the difference has died away"
            return Judgement("adjust", long, "sequences_too_long", {"max_length": best})
        if not passed["residuals are noise"]:
            return Judgement("bad_data", "the decay is not one exponential; measure again", "poor_fit")
        if not passed.get("near the coherence limit", True):
            worse = f"gate error {estimates['ratio_to_limit'].value:.2f} times the coherence limit"
            return Judgement("wrong_setup", f"{worse}: gates are miscalibrated", "gates_miscalibrated")
        if not passed["sequences long enough"] and best > arguments["max_length"]:
            short = "sequences too short for errors this small"
            return Judgement("adjust", short, "sequences_too_short", {"max_length": best})
        if not passed["error known to 5 %"] and self.scatter > COHERENT:
            excess = f"sequences of one length differ {self.scatter:.1f} times more than their shots explain"
            return Judgement("wrong_setup", f"{excess}: coherent errors; calibrate the gates first", "coherent_errors")
        if not passed["error known to 5 %"]:
            more = self.within_bounds(shots=3 * arguments["shots"])
            return Judgement("bad_data", "error bar too large, take more shots", "error_bar_too_wide", more)
        return Judgement("success", "clear exponential decay")

    def _error_per_gate(self) -> tuple[float, float]:
        """Error per gate and its one-sigma error: shots, scatter of the sequences, and leakage that stays unseen.

        A gate that leaks to level 2 is wrong altogether, but only half of it shows in the decay, since a leaked qubit
        reads the same for both ends. A qubit with the share n of 1 at rest is heated out of 1 at 2 n / T1, half the
        time, so that a gate of length t leaks n t / T1 beside an error of t / (6 T1) + t / (3 T2): about n of the error
        is missed, and added.
        """
        assert self.fitted is not None
        per = 2 * GATES_PER_CLIFFORD / (1 + EXCITED)  # r = (1 - p)/2 per Clifford of a qubit
        gates = self.fitted["loss"] / per
        return gates, float(np.hypot(self.fitted.error("loss") / per, EXCITED_ERROR * gates))

    def _limit(self) -> Estimate | None:
        """The coherence limit with the errors of T1 and T2 echo carried through; None where they are not known."""
        t1, t2 = float(self.arguments["t1"]), float(self.arguments["t2_echo"])
        if not (t1 > 0 and t2 > 0):
            return None
        t = self.settings.pulse_duration
        by_t1 = t / t1**2 * np.exp(-t / t1) / 6 * self.arguments["t1_error"]
        by_t2 = t / t2**2 * np.exp(-t / t2) / 3 * self.arguments["t2_echo_error"]
        return Estimate(coherence_limit(t1, t2, t), float(np.hypot(by_t1, by_t2)))

    def _unseen(self) -> Report:
        """What to say when 0 and 1 cannot be told apart after the sequences."""
        first, error = float(self.data["difference"][0]), float(self.data["error"][0])
        checks = (Check("contrast above 0.2", False, f"{first:.3f} for the shortest sequences"),)
        estimates = {"contrast": Estimate(first, error)}
        words = f"The shortest sequences that end in 1 and in 0 differ by {first:.3f} +- {error:.3f}."
        shorter = max(8, int(self.arguments["max_length"]) // 8)
        if first > CONTRAST / 2 and shorter < self.arguments["max_length"]:
            long = "the difference dies away at once, sequences too long"
            return Report("adjust", long, words, estimates, checks, {"max_length": shorter}, cause="sequences_too_long")
        diagnosis = "gates do not prepare 0 and 1, or readout cannot tell them apart; calibrate the qubit first"
        return Report("wrong_setup", diagnosis, words, estimates, checks, cause="no_contrast")

    @visual_inspection(
        """
        The figure shows randomized benchmarking. Above: the fraction of shots read as 1 against the number of
        Cliffords, sequences that end in 1 in one colour and those that end in 0 in another, one small point a random
        sequence. Below: the difference of their means, with error bars and a fitted exponential.
        A good one starts with the two colours clearly apart and closes smoothly; the difference follows its curve
        and falls to between about a tenth and two thirds of where it began. Colours that overlap from the start, a
        flat difference, a curve that misses points, or single sequences far from the others are failures; say which.
        """
    )
    def plot(self) -> figures.Figure:
        """Every sequence, and the difference of the two ends with its fit."""
        made, (above, below) = figures.figure(
            f"Randomized benchmarking, {self.qubit}", 2, sharex=True, height_ratios=(1, 1.25)
        )
        m, fraction, one = self.data["length"], self.data["fraction"], self.data["ends_in_one"] == 1
        for chosen, color, marker, label in (
            (one, figures.VERMILION, "^", "ends in 1"),
            (~one, figures.BLUE, "v", "ends in 0"),
        ):
            spread = np.repeat(m[:, None], chosen.sum(), axis=1)
            above.plot(spread, fraction[:, chosen], marker, color=color, markersize=3, alpha=0.6)
            above.plot([], [], marker, color=color, label=label)
            above.plot(m, fraction[:, chosen].mean(axis=1), "-", color=color, linewidth=1)
        above.set_ylabel("fraction read as 1")
        figures.headroom(above)
        above.legend(frameon=False, loc="upper right", ncols=2)
        below.set_xlabel("number of Cliffords")
        below.set_ylabel("difference of fractions")
        figures.data(below, m, self.data["difference"], self.data["error"], "ends in 1 − ends in 0", figures.BLACK)
        if self.fitted is not None:
            figures.fitted(below, self.fitted, r"$A\,p^m$")
            gates, error = self._error_per_gate()
            limit = self._limit()
            power = int(np.floor(np.log10(gates)))
            scale = f"× 10$^{{{power}}}$"
            text = f"error per gate ({gates / 10.0**power:.3f} ± {error / 10.0**power:.3f}) {scale}"
            if limit:
                scaled = Estimate(limit.value / 10.0**power, limit.error / 10.0**power)
                text += f"\ncoherence limit ({_known_to(scaled, '.3f', '.3f', '±')}) {scale}"
            figures.note(below, text)
        below.legend(frameon=False, loc="lower left")
        below.set_ylim(bottom=min(0.0, float((self.data["difference"] - 2 * self.data["error"]).min())))
        return made


def _known_to(limit: Estimate, form: str, error_form: str, sign: str) -> str:
    """The limit, with its error only where the errors of T1 and T2 echo were given: no error is not an error of 0."""
    return f"{limit.value:{form}}" + (f" {sign} {limit.error:{error_form}}" if limit.error > 0 else "")


def power_law(m: Array, amplitude: float, loss: float) -> Array:
    """``amplitude (1 - loss)^m``."""
    return np.asarray(amplitude * np.exp(m * np.log1p(-min(loss, 1 - 1e-12))))


def sequence_lengths(longest: int, number: int) -> NDArray[np.int64]:
    """Numbers of Cliffords: a third of the points at the short end, which fixes A, the rest spread to the longest."""
    short = max(number // 3, 2)
    early = np.linspace(1, max(longest / 32, 1), short)
    late = np.linspace(longest / 3, longest, number - short)
    return np.unique(np.concatenate([early, late]).round().astype(np.int64))


def random_sequence(rng: np.random.Generator, length: int, ends_in_one: bool) -> NDArray[np.intp]:
    """Indices into `GATES` of `length` random Cliffords and the one that brings the state to 0 or to 1."""
    group, padded = clifford_group(), _padded()
    elements = rng.integers(0, 24, length)
    total = elements
    while len(total) > 1:  # associative, hence multiplied in pairs
        odd = total[-1:] if len(total) % 2 else total[:0]
        total = np.concatenate([group.product[total[: len(total) // 2 * 2 : 2], total[1::2]], odd])
    closing = int(group.inverse[total[0]])
    if ends_in_one:
        closing = int(group.product[closing, group.element("X180")])
    gates = padded[np.append(elements, closing)].ravel()
    return np.ascontiguousarray(gates[gates >= 0])


def _padded() -> NDArray[np.intp]:
    """(24, 3) gates of every Clifford, filled up with -1."""
    rows = [[GATES.index(name) for name in names] for names in clifford_group().decompositions]
    widest = max(map(len, rows))
    return np.array([row + [-1] * (widest - len(row)) for row in rows], dtype=np.intp)


def difference_of_ends(fraction: Array, one: NDArray[np.bool_], shots: int) -> tuple[Array, Array, float]:
    """Difference of the mean fractions (n_lengths,), its error, and the sequences' scatter in units of shot noise.

    Sequences of one length and end scatter by shot noise, and by more where errors are coherent; the error bars
    are widened by what is seen over all lengths, never narrowed.
    """
    difference = fraction[:, one].mean(axis=1) - fraction[:, ~one].mean(axis=1)
    variance = np.zeros(len(fraction))
    seen, freedom = 0.0, 0
    for chosen in (one, ~one):
        part = fraction[:, chosen]
        mean = part.mean(axis=1, keepdims=True)
        shot = (mean * (1 - mean) + 0.25 / shots) / shots
        seen += float(np.sum((part - mean) ** 2 / shot))
        freedom += part.size - len(part)
        variance += shot[:, 0] / part.shape[1]
    scatter = max(1.0, float(np.sqrt(seen / freedom))) if freedom else 1.0
    return difference, np.sqrt(variance) * scatter, scatter


def fit_power_law(m: Array, difference: Array, sigma: Array) -> Fit | None:
    """Fit ``amplitude (1 - loss)^m``, from where the difference has fallen to 1/e; None where there is no decay."""
    below = np.flatnonzero(difference < difference[0] / np.e)
    where = float(m[below[0]] if len(below) else 2 * m[-1])
    start = [max(float(difference[0]), 0.05), float(np.clip(1 / max(where, 2.0), 1e-6, 0.5))]
    try:
        return least_squares(power_law, ["amplitude", "loss"], (m, difference, sigma), start, ([0, 1e-7], [1.5, 1.0]))
    except FitError:
        return None
