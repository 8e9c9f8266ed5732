"""Process tomography of one single-qubit gate, as it is calibrated: what it does to every state."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import polar

from labwright.tools.errors import InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.cz_process_tomography import product_state
from labwright.tools.experiments.failure_causes import causes_of, in_units, silent_report
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.gates import gate, program
from labwright.tools.experiments.needs import LINE, PULSE
from labwright.tools.experiments.pair_benchmarking_sequences import confusion
from labwright.tools.experiments.tomography_estimation import (
    Matrix,
    average_fidelity,
    effects,
    settings_of,
    transfer_matrix,
    unitary_transfer,
)
from labwright.tools.qpu.cliffords import GATES, ROTATIONS, rotation
from labwright.tools.qpu.program import Operation

CONTRAST = 0.2
PRECISE = 0.02  # error of the gate error, and rad of an angle, above which more shots are asked for
RESAMPLES = 40
PREPARED = {"0": "I", "1": "X180", "+": "Y90", "-": "Y90m", "+i": "X90m", "-i": "X90"}  # from 0 by which gate
MEASURED = {"X": "Y90m", "Y": "X90", "Z": "I"}  # what turns the axis into Z
PAULI = ("I", "X", "Y", "Z")


class GateTomography(Experiment):
    """Six states through the gate and not through it, each measured along three axes."""

    name = "gate_tomography"
    needs = (LINE, PULSE)
    arrays = (
        words("pauli_out", *PAULI)
        | words("pauli_in", *PAULI)
        | over("sequence", "counts")
        | over("pauli_out pauli_in", "transfer", "ideal")
    )
    results = in_units("", "gate_error", "spam_error", "contrast") | in_units("rad", "over_rotation", "axis_error")
    summary_instructions = """
    The Pauli transfer matrix and its error decide. The states are also measured without the gate, so that errors of
    preparation and measurement are known. Errors much smaller than a per cent are for randomized benchmarking.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "error_bar_too_wide",
        other_gate="What the gate does is far from what it is called: its pulse has to be calibrated first.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        gate: str = "X180",
        repetitions: Annotated[int, Quantity("", 1, 41)] = 1,
        shots: Annotated[int, Quantity("", 100, 20000)] = 10000,
        seed: Annotated[int, Quantity("", 0, 2**31)] = 0,
    ) -> None:
        """Single-qubit process tomography: measures the Pauli transfer matrix of one gate as it is calibrated.

        Use it to see what a single-qubit gate really does: how far it turns, about which axis, and what it loses. The
        six cardinal states pass through the gate and are measured along X, Y and Z; the same without the gate takes
        errors of preparation and measurement out. Repeating the gate multiplies its coherent errors.

        Asked for as: gate tomography, single-qubit process tomography, one-qubit process tomography, tomography of a
        gate, single-qubit gate tomography.

        Not for: CZ, pair, state tomography, gate set tomography, gate fidelity below a per cent.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            gate: I, X90, X90m, Y90, Y90m, X180 or Y180. Default X180.
            repetitions: how often the gate is played in a row. Default 1.
            shots: repetitions of every point. Default 10000.
            seed: of the resampling that gives the errors. Default 0.

        Raises:
            InputError: an argument is out of bounds, or there is no such gate.
        """
        if gate not in GATES:
            raise InputError(f"Argument `gate` must be one of {', '.join(GATES)}, but is {gate!r}.")
        middle = [self._played(gate)] * int(repetitions)
        ends = [
            ([self._played(p)], [self._played(m)])
            for p in PREPARED.values()
            for m in (MEASURED[axis] for axis in settings_of(1))
        ]
        references: list[list[Operation]] = [[], [self._played("X180")]]
        sequences = references + [[*a, *middle, *b] for a, b in ends] + [[*a, *b] for a, b in ends]
        counts, self.shots = self.bench.counts(program(qubit, sequences, shots))
        self.data = {"counts": counts}
        self.fit()

    def _played(self, name: str) -> Operation:
        return gate(self.bench.settings(self.qubit or self.arguments["qubit"]), name)

    def fit(self) -> None:
        """Transfer matrices with and without the gate, the gate's own, and errors by resampling."""
        ones = self.data["counts"]
        both = np.stack([self.shots - ones, ones], axis=1)
        self.idle, self.contrast = float(ones[0] / self.shots), float((ones[1] - ones[0]) / self.shots)
        power = np.linalg.matrix_power(rotation(*ROTATIONS[self.arguments["gate"]]), int(self.arguments["repetitions"]))
        self.ideal = unitary_transfer(power)
        self.data |= {"ideal": self.ideal}
        if self.contrast < CONTRAST:
            return
        found = self._process(both)
        self.data["transfer"] = found
        rng = np.random.default_rng(int(self.arguments["seed"]))
        drawn = [rng.multinomial(self.shots, both / self.shots) for _ in range(RESAMPLES)]
        spread = np.std([remaining(self._process(each), self.ideal) for each in drawn], axis=0, ddof=1)
        self.numbers, self.errors_of = remaining(found, self.ideal), spread
        without = transfer_matrix(*self._without(both))
        self.spam = 1 - average_fidelity(without, np.eye(4))

    def _without(self, both: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Matrix], Matrix]:
        states = [product_state((name,)) for name in PREPARED]
        return both[20:].reshape(6, 3, 2), states, effects(1, confusion(both, self.shots, 1))

    def _process(self, both: NDArray[np.int64]) -> Array:
        counts, states, measured = self._without(both)
        with_gate = transfer_matrix(both[2:20].reshape(6, 3, 2), states, measured)
        return np.asarray(with_gate @ np.linalg.inv(transfer_matrix(counts, states, measured)))

    def report(self) -> Report:
        """Average gate error, over-rotation and error of the axis, each with its error."""
        seen = Check("contrast above 0.2", self.contrast > CONTRAST, f"{self.contrast:.3f}")
        contrast = {"contrast": Estimate(self.contrast, float(np.sqrt(0.5 / self.shots)))}
        if not seen.passed:
            words = f"P(1) is {self.idle:.3f} after nothing and {self.idle + self.contrast:.3f} after a pi pulse."
            return silent_report(self.idle, words, contrast, (seen,))
        (error, over_rotation, axis), errors = self.numbers, self.errors_of
        worst = float(max(errors))
        estimates = contrast | {
            "gate_error": Estimate(error, float(errors[0])),
            "over_rotation": Estimate(over_rotation, float(errors[1]), "rad"),
            "axis_error": Estimate(axis, float(errors[2]), "rad"),
            "spam_error": Estimate(self.spam, float(errors[0])),
        }
        checks = (
            seen,
            Check("errors below 0.02", worst < PRECISE, f"{worst:.4f}"),
            Check("the gate is what it is called", error < 0.2, f"error {error:.3f}"),
        )
        label = self._label()
        words = (
            f"{label} on {self.qubit} has an average gate error of {error:.4f} +- {errors[0]:.4f}; it turns"
            f" {over_rotation:+.4f} +- {errors[1]:.4f} rad too far, about an axis {axis:+.4f} +- {errors[2]:.4f} rad"
            f" out of the equator. Preparation and measurement, {self.spam:.4f}, are taken out."
        )
        if not checks[2].passed:
            other = f"{label} does something else; calibrate its pulse first"
            return Report("wrong_setup", other, words, estimates, checks, cause="other_gate")
        if not checks[1].passed:
            more = self.within_bounds(shots=4 * self.arguments["shots"])
            return Report("bad_data", "too few shots", words, estimates, checks, more, cause="error_bar_too_wide")
        return Report("success", "process known", words, estimates, checks, variables={"gate_error": error})

    def _label(self) -> str:
        times = int(self.arguments["repetitions"])
        return f"{self.arguments['gate']}" + (f" x {times}" if times > 1 else "")

    @visual_inspection(
        """
        The figure shows the Pauli transfer matrix of a gate as measured (left) and what is left of it when the ideal
        one is taken away (right), with the number in every square; blue is positive, red negative.
        A good gate has the strong entries of the ideal one, of size near 1, and a right panel that is nearly white.
        Strong entries elsewhere, or a right panel with colours, are failures; say which Paulis they belong to.
        """
    )
    def plot(self) -> figures.Figure:
        """Measured transfer matrix and its deviation from the ideal one."""
        made, axes = figures.figure(f"Process tomography of {self._label()}, {self.qubit}", 1, 2)
        found = self.data.get("transfer", np.zeros((4, 4)))
        left = found - self.ideal if "transfer" in self.data else found
        reach = max(0.05, float(np.abs(left).max()))
        for axis, shown, size, title in (
            (axes[0], found, 1.0, "measured"),
            (axes[1], left, reach, "measured − ideal"),
        ):
            image = axis.imshow(shown, cmap="RdBu", vmin=-size, vmax=size)
            for (row, column), value in np.ndenumerate(shown):
                color = "white" if abs(value) > 0.7 * size else figures.BLACK
                axis.text(column, row, f"{value:.3f}", ha="center", va="center", fontsize=8, color=color)
            axis.set_xticks(range(4), PAULI)
            axis.set_yticks(range(4), PAULI)
            axis.set_title(title, fontsize=10)
            axis.set(xlabel="Pauli operator before", ylabel="Pauli operator after")
            made.colorbar(image, ax=axis, location="bottom", shrink=0.8, label="matrix element")
        return made


def remaining(transfer: Array, ideal: Array) -> tuple[float, float, float]:
    """Average gate error, and the rotation that is left: along the ideal axis and out of the equator, rad.

    The nearest rotation (polar decomposition) to the Bloch part of measured times inverse ideal. The identity has no
    axis: what is left is then its whole angle.
    """
    turn, _ = polar(transfer[1:, 1:] @ ideal[1:, 1:].T)
    angle = float(np.arccos(np.clip((np.trace(turn) - 1) / 2, -1, 1)))
    odd = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
    vector = odd * (angle / np.sin(angle) if angle > 1e-6 else 1.0)
    values, vectors = np.linalg.eig(ideal[1:, 1:])
    axis = vectors[:, int(np.argmin(np.abs(values - 1)))].real
    if np.allclose(ideal, np.eye(4)):
        return 1 - average_fidelity(transfer, ideal), float(np.linalg.norm(vector[:2])), float(vector[2])
    return 1 - average_fidelity(transfer, ideal), float(vector @ axis), float(vector[2])
