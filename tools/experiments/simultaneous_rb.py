"""Simultaneous randomized benchmarking: what two qubits' gates lose when they are played at the same time."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import Bench, Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit
from labwright.tools.experiments.gates import gate
from labwright.tools.experiments.needs import FINE
from labwright.tools.experiments.qubit_pairs import joint_program, ones
from labwright.tools.experiments.single_qubit_rb import (
    CONTRAST,
    DEEPEST,
    SHALLOWEST,
    difference_of_ends,
    fit_power_law,
    random_sequence,
    sequence_lengths,
)
from labwright.tools.qpu.cliffords import GATES, GATES_PER_CLIFFORD
from labwright.tools.qpu.joint_program import Slot
from labwright.tools.qpu.settings import QubitSettings, pair_name

PRECISE = 0.15  # error of what is added, relative to the error alone
SEEN = 3.0  # sigma
ENDS = ((0, 0), (0, 1), (1, 0), (1, 1))  # of every group of four sequences
PARTS = ("alone", "beside")


class SimultaneousRb(Experiment):
    """The same random sequences on each of two qubits, the other at rest and the other driven as well."""

    name = "simultaneous_rb"
    needs = FINE
    arrays = (
        swept("length")
        | over("sequence qubit", "ends")
        | over("qubit length sequence", "alone", "beside")
        | over("length sequence", "parity")
    )
    results = in_units(
        "",
        "error_per_gate_first",
        "error_per_gate_first_beside",
        "added_first",
        "error_per_gate_second",
        "error_per_gate_second_beside",
        "added_second",
        "correlated",
    )
    summary_instructions = """
    The four decays decide: each one exponential, seen over a good part of its way, and the difference between together
    and alone known to a fraction of the error alone. How large that difference is, is the result, not a failure.
    """
    causes = causes_of(
        "no_contrast", "sequences_too_long", "sequences_too_short", "poor_fit", "error_bar_too_wide",
        crosstalk_seen="At least one qubit's gates are worse while the other is driven.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        partner: str,
        max_length: Annotated[int, Quantity("", 8, 4096)] = 1024,
        lengths: Annotated[int, Quantity("", 4, 20)] = 6,
        kinds: Annotated[int, Quantity("", 4, 40)] = 8,
        shots: Annotated[int, Quantity("", 50, 20000)] = 2000,
        seed: Annotated[int, Quantity("", 0, 2**31)] = 0,
    ) -> None:
        """Simultaneous randomized benchmarking: measures the crosstalk between two qubits from gate errors.

        Use it to see how much worse the single-qubit gates of two qubits become when both are driven at the same time
        (addressability). Random Clifford sequences are played on each qubit alone and then, the same ones, on both
        together (Gambetta et al., PRL 109, 240504); how much faster both decay together than the product of
        the two tells correlated errors. The qubits need not be coupled.

        Asked for as: simultaneous RB, simultaneous randomized benchmarking, crosstalk by simultaneous RB,
        addressability.

        Not for: readout crosstalk, flux crosstalk, two-qubit RB, interleaved, ZZ crosstalk.

        Args:
            qubit: name of one qubit, such as Q1.
            partner: name of the other qubit, such as Q2.
            max_length: Cliffords in the longest sequence. Default 1024.
            lengths: number of sequence lengths. Default 6.
            kinds: random sequences of each length, a multiple of 4. Default 8.
            shots: repetitions of every sequence. Default 2000.
            seed: of the random sequences. Default 0.

        Raises:
            InputError: an argument is out of bounds, or both names are the same.
        """
        if qubit == partner:
            raise InputError(f"Simultaneous RB needs two different qubits, but got {qubit} twice. Name another.")
        self.names = (qubit, partner)
        self.qubit = pair_name(qubit, partner)
        each = tuple(self.bench.settings(name) for name in self.names)
        m = sequence_lengths(int(max_length), int(lengths))
        ends = np.array(ENDS * max(1, int(kinds) // len(ENDS)))
        rng = np.random.default_rng(int(seed))
        drawn = [[random_sequence(rng, int(length), bool(end)) for end in row] for length in m for row in ends]
        played = ((True, False), (False, True), (True, True))
        sequences = [_slots(each, row, active) for active in played for row in drawn]
        self.planned = len(sequences)
        counts = _joint_counts(self.bench, self.names, sequences, int(shots))
        self._keep(counts.reshape(len(played), len(m), len(ends), 4), m.astype(float), ends)
        self.fit()

    def expected_acquisitions(self) -> float:
        """As many as the device's points ask for."""
        return max(1.0, self.planned / self.bench.device.limits.points[1])

    def _keep(self, counts: NDArray[np.int64], m: Array, ends: NDArray[np.int64]) -> None:
        """Fractions read as 1, (alone or beside, qubit, length, sequence), and the parity of both played together."""
        shots = int(self.arguments["shots"])
        fraction = ones(counts, 2) / shots
        self.data = {
            "length": m,
            "ends": ends,
            "alone": np.stack([fraction[0, ..., 0], fraction[1, ..., 1]]),
            "beside": np.moveaxis(fraction[2], -1, 0),
            "parity": counts[2] @ np.array([1, -1, -1, 1]) / shots,
        }

    def fit(self) -> None:
        """Fit ``A p^m`` to each qubit alone, beside the other, and to the parity; None where there is no decay."""
        m, ends, shots = self.data["length"], self.data["ends"], int(self.arguments["shots"])
        self.decays: dict[tuple[str, int], Fit | None] = {}
        for part in PARTS:
            for place in (0, 1):
                difference, sigma, _ = difference_of_ends(self.data[part][place], ends[:, place] == 1, shots)
                self.decays[part, place] = fit_power_law(m, difference, sigma)
        signed = self.data["parity"] * (1 - 2 * ends[:, 0]) * (1 - 2 * ends[:, 1])
        # four ends at a time: the offsets of unequal readout errors cancel within a group
        groups = signed.reshape(len(m), -1, len(ENDS)).mean(axis=2)
        spread = groups.std(axis=1, ddof=1) / np.sqrt(groups.shape[1]) if groups.shape[1] > 1 else 0.0
        shot = np.sqrt(np.clip(1 - self.data["parity"] ** 2, 1 / shots, 1).mean(axis=1) / (shots * signed.shape[1]))
        self.decays["together", 0] = fit_power_law(m, groups.mean(axis=1), np.maximum(shot, spread))

    @property
    def estimates(self) -> dict[str, Estimate]:
        """Errors per gate of each qubit alone and beside the other, what is added, and the correlated decay."""
        found: dict[str, Estimate] = {}
        for place, name in enumerate(("first", "second")):
            alone, beside = (_per_gate(self.decays[part, place]) for part in PARTS)
            found[f"error_per_gate_{name}"], found[f"error_per_gate_{name}_beside"] = alone, beside
            found[f"added_{name}"] = Estimate(beside.value - alone.value, float(np.hypot(alone.error, beside.error)))
        both = self.decays["together", 0]
        if both is not None:
            p = [_decay_rate(self.decays["beside", place]) for place in (0, 1)]
            joint = _decay_rate(both)
            error = np.sqrt(joint[1] ** 2 + (p[0][0] * p[1][1]) ** 2 + (p[1][0] * p[0][1]) ** 2)
            found["correlated"] = Estimate(joint[0] - p[0][0] * p[1][0], float(error))
        return found

    def report(self) -> Report:
        """What is added to each qubit's error per gate by playing on the other."""
        unseen = [
            f"{self.names[place]} {part}"
            for (part, place), fit in self.decays.items()
            if part in PARTS and (fit is None or fit["amplitude"] < CONTRAST)
        ]
        if unseen:
            check = Check("contrast above 0.2", False, f"not so for {', '.join(unseen)}")
            words = "sequences that end in 0 and in 1 read alike; calibrate the single qubits first"
            analysis = f"No decay is seen of {', '.join(unseen)}."
            return Report("wrong_setup", words, analysis, checks=(check,), cause="no_contrast")
        estimates, checks = self.estimates, self._checks()
        seen = [
            name
            for name, key in zip(self.names, ("added_first", "added_second"), strict=True)
            if estimates[key].value > SEEN * estimates[key].error
        ]
        words = f"crosstalk seen on {' and '.join(seen)}" if seen else "no crosstalk seen within the error"
        failed = [check.name for check in checks if not check.passed]
        if failed:
            return self._judged(failed[0], words, estimates, checks)
        keys = ("added_first", "added_second")
        variables = {f"crosstalk_{key}": estimates[key].value for key in keys}
        analysis, cause = self._words(estimates), "crosstalk_seen" if seen else ""
        return Report("success", words, analysis, estimates, checks, variables=variables, cause=cause)

    def _words(self, estimates: dict[str, Estimate]) -> str:
        parts = []
        for name, key in zip(self.names, ("first", "second"), strict=True):
            alone, beside = estimates[f"error_per_gate_{key}"], estimates[f"error_per_gate_{key}_beside"]
            added = estimates[f"added_{key}"]
            parts.append(
                f"{name}: error per gate {alone.value:.3e} +- {alone.error:.1e} alone, {beside.value:.3e} +-"
                f" {beside.error:.1e} beside the other, {added.value:.1e} +- {added.error:.1e} more."
            )
        if (both := estimates.get("correlated")) is not None:
            parts.append(f"Correlated part of the decay a Clifford: {both.value:.1e} +- {both.error:.1e}.")
        return " ".join(parts)

    def _checks(self) -> tuple[Check, ...]:
        fits = [fit for (part, _), fit in self.decays.items() if part in PARTS and fit is not None]
        left = [float((1 - fit["loss"]) ** self.data["length"][-1]) for fit in fits]
        chi = max(fit.reduced_chi_square for fit in fits)
        keys = ("first", "second")
        known = max(self.estimates[f"added_{k}"].error / self._scale(k) for k in keys)
        return (
            Check("contrast above 0.2", True, f"{min(fit['amplitude'] for fit in fits):.3f}"),
            Check("residuals are noise", all(fit.good for fit in fits), f"reduced chi square up to {chi:.2f}"),
            Check("sequences long enough", min(left) < SHALLOWEST, f"{100 * min(left):.0f} % is left"),
            Check("sequences not too long", min(left) > DEEPEST, f"{100 * min(left):.2g} % is left"),
            Check("what is added known to 15 %", known < PRECISE, f"{100 * known:.0f} % of the error beside the other"),
        )

    def _scale(self, key: str) -> float:
        return max(self.estimates[f"error_per_gate_{key}_beside"].value, 1e-9)

    def _judged(self, failed: str, words: str, estimates: dict[str, Estimate], checks: tuple[Check, ...]) -> Report:
        analysis, arguments = self._words(estimates), self.arguments
        fastest = max(fit["loss"] for fit in self.decays.values() if fit is not None)
        best = float(self.within_bounds(max_length=round(1.2 / max(fastest, 1e-6)))["max_length"])
        if failed == "sequences not too long" and best < arguments["max_length"]:
            better, cause = {"max_length": best}, "sequences_too_long"
            return Report("adjust", "sequences too long", analysis, estimates, checks, better, cause=cause)
        if failed == "sequences long enough" and best > arguments["max_length"]:
            better, cause = {"max_length": best}, "sequences_too_short"
            return Report("adjust", "sequences too short", analysis, estimates, checks, better, cause=cause)
        if failed == "residuals are noise":
            words = "a decay is not one exponential; measure again"
            return Report("bad_data", words, analysis, estimates, checks, cause="poor_fit")
        more = self.within_bounds(shots=3 * arguments["shots"])
        words = f"{words}, but the error bar is large; take more shots"
        return Report("bad_data", words, analysis, estimates, checks, more, cause="error_bar_too_wide")

    @visual_inspection(
        """
        The figure shows simultaneous randomized benchmarking, one panel a qubit: the difference between sequences that
        end in 1 and in 0 against the number of Cliffords, alone in one colour and beside the other qubit in another,
        with fitted exponentials.
        A good one has points on their curves, which fall to between a tenth and two thirds of where they began; the
        two curves may lie on each other (no crosstalk) or part (crosstalk). Points off the curves, or a flat or dead
        difference, are failures; say which.
        """
    )
    def plot(self) -> figures.Figure:
        """Both decays of both qubits."""
        made, axes = figures.figure(f"Simultaneous randomized benchmarking, {' and '.join(self.names)}", 2, sharex=True)
        for place, axis in enumerate(axes):
            for part, color in zip(PARTS, (figures.BLUE, figures.VERMILION), strict=True):
                label = f"{self.names[place]} " + ("alone" if part == "alone" else f"beside {self.names[1 - place]}")
                _draw(axis, self.decays[part, place], label, color)
            axis.set_ylabel("difference of fractions")
            figures.headroom(axis)
            axis.legend(frameon=False, loc="upper left", ncols=2, fontsize=8)
            if all(self.decays[part, place] is not None for part in PARTS):
                added = self.estimates["added_second" if place else "added_first"]
                figures.note(axis, f"added per gate ({1e4 * added.value:.2f} ± {1e4 * added.error:.2f}) × 10$^{{-4}}$")
        axes[1].set_xlabel("number of Cliffords")
        return made


def _joint_counts(bench: Bench, names: tuple[str, str], sequences: list[list[Slot]], shots: int) -> NDArray[np.int64]:
    """Joint counts of all sequences, in as many acquisitions as the device's points ask for."""
    most = bench.device.limits.points[1]
    counts = []
    for begin in range(0, len(sequences), int(most)):
        counts.append(bench.counts(joint_program(names, sequences[begin : begin + int(most)], shots))[0])
    return np.concatenate(counts)


def _slots(each: tuple[QubitSettings, ...], gates: list[NDArray[np.intp]], active: tuple[bool, bool]) -> list[Slot]:
    """Both qubits' gates side by side, one a slot; the shorter sequence begins later, both end at the readout."""
    longest = max(len(own) for own, plays in zip(gates, active, strict=True) if plays)
    columns = []
    for settings, own, plays in zip(each, gates, active, strict=True):
        operations = [gate(settings, GATES[k]) for k in own] if plays else []
        columns.append([None] * (longest - len(operations)) + operations)
    return list(zip(*columns, strict=True))


def _decay_rate(fit: Fit | None) -> tuple[float, float]:
    """p of A p^m, with its error."""
    assert fit is not None
    return 1 - fit["loss"], fit.error("loss")


def _per_gate(fit: Fit | None) -> Estimate:
    """Error per gate of a single qubit's decay, r = (1 - p) / 2 a Clifford."""
    assert fit is not None
    return Estimate(fit["loss"] / (2 * GATES_PER_CLIFFORD), fit.error("loss") / (2 * GATES_PER_CLIFFORD))


def _draw(axis: figures.Axes, fit: Fit | None, label: str, color: str) -> None:
    if fit is not None:
        figures.data(axis, fit.x, fit.y, fit.sigma, label, color)
        fine = np.linspace(fit.x.min(), fit.x.max(), 300)
        axis.plot(fine, fit.curve(fine), color=color, linewidth=1.2)
