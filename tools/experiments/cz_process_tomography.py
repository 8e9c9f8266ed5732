"""Process tomography of a pair's CZ gate: Pauli transfer matrix and chi matrix."""

from __future__ import annotations

from itertools import product
from typing import Annotated

import numpy as np

from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.gates import half_turn, quarter_turn
from labwright.tools.experiments.needs import CZ_GATE, FINE
from labwright.tools.experiments.pair_benchmarking_sequences import confusion
from labwright.tools.experiments.qubit_pairs import CONTRAST, axis_pulse, joint_program, ones, pair_of, reference_slots
from labwright.tools.experiments.tomography_estimation import (
    Matrix,
    average_fidelity,
    chi_of,
    choi_of,
    effects,
    kron,
    pauli_names,
    physical,
    resampled,
    settings_of,
    transfer_matrix,
    unitary_transfer,
)
from labwright.tools.experiments.two_qubit_rb import require_gate
from labwright.tools.qpu.cz_gate_operations import cz_slots
from labwright.tools.qpu.joint_program import Slot
from labwright.tools.qpu.program import Pulse
from labwright.tools.qpu.settings import QubitSettings

CZ: Matrix = np.diag([1, 1, 1, -1]).astype(complex)
PREPARATIONS = ("0", "1", "+", "-", "+i", "-i")
BLOCH = {"0": (0, 0, 1), "1": (0, 0, -1), "+": (1, 0, 0), "-": (-1, 0, 0), "+i": (0, 1, 0), "-i": (0, -1, 0)}
RESAMPLES = 40
PRECISE = 0.01


class ProcessTomography(Experiment):
    """36 product states through the gate and not through it, each measured along nine axes."""

    name = "process_tomography"
    needs = (*FINE, CZ_GATE)
    arrays = (
        over("sequence outcome", "counts")
        | over("pauli_out pauli_in", "transfer")
        | over("pauli_left pauli_right", "chi")
    )
    results = in_units("", "cz_error", "spam_error", "cz_error_tomography")
    summary_instructions = """
    The fidelity and its error decide. The same states are also measured without the gate, so that errors of
    preparation and measurement are known; the gate's own error is the difference of the two.
    """
    causes = causes_of(
        "no_contrast", "error_bar_too_wide",
        gate_is_no_cz="What the gate does is too far from a CZ: it has to be tuned up first.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        partner: str,
        shots: Annotated[int, Quantity("", 100, 20000)] = 4000,
        seed: Annotated[int, Quantity("", 0, 2**31)] = 0,
    ) -> None:
        """Process tomography of the CZ gate: measures the chi matrix and the Pauli transfer matrix of a pair's gate.

        Use it to see what a two-qubit gate really does, and which errors it makes. The six cardinal states of both
        qubits are sent through the gate and measured along X, Y and Z of both; the same without the gate, for errors of
        preparation and measurement.

        Asked for as: process tomography, quantum process tomography, gate tomography, chi matrix, Pauli transfer
        matrix, PTM.

        Not for: state tomography, Hamiltonian tomography, gate set tomography.

        Args:
            qubit: name of one qubit of the pair, such as Q1.
            partner: name of the other qubit of the pair, such as Q2.
            shots: repetitions of every point. Default 4000.
            seed: of the resampling that gives the error. Default 0.

        Raises:
            InputError: an argument is out of bounds, the qubits are not coupled, or the pair has no gate yet.
        """
        self.pair = pair_of(self.bench, qubit, partner)
        self.qubit = self.pair.name
        require_gate(self.pair)
        gate = cz_slots(self.pair.settings, *self.pair.each)
        begins = [_prepare(self.pair.each, names) for names in product(PREPARATIONS, repeat=2)]
        turns: list[Slot] = [
            tuple(axis_pulse(s, axis) for s, axis in zip(self.pair.each, setting, strict=True))
            for setting in settings_of(2)
        ]
        sequences = [[begin, *middle, turn] for middle in (gate, []) for begin in begins for turn in turns]
        played = joint_program(self.pair.names, reference_slots(self.pair.each) + sequences, int(shots))
        counts, self.shots = self.bench.counts(played)
        self.data = {"counts": counts}
        self.fit()

    def fit(self) -> None:
        """Transfer matrices with and without the gate, the gate's own, and errors by resampling."""
        counts = self.data["counts"]
        fractions = ones(counts[:2], 2) / self.shots
        self.contrast = float((fractions[1] - fractions[0]).min())
        self.transfer, self.chi = np.zeros((16, 16)), np.zeros((16, 16), np.complex128)
        if self.contrast < CONTRAST:
            return
        measured = effects(2, confusion(counts, self.shots, 2))
        states = [product_state(names) for names in product(PREPARATIONS, repeat=2)]
        ideal = unitary_transfer(CZ)
        both = counts[2:].reshape(2, len(states), len(settings_of(2)), 4)

        def error(drawn: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> float:
            with_gate, without = (transfer_matrix(part, states, measured) for part in drawn)
            return 1 - average_fidelity(with_gate @ np.linalg.inv(without), ideal)

        with_gate, without = (transfer_matrix(part, states, measured) for part in both)
        self.transfer = with_gate @ np.linalg.inv(without)
        self.spam = 1 - average_fidelity(without, np.eye(16))
        self.error = 1 - average_fidelity(self.transfer, ideal)
        _, self.spread = resampled(both, error, RESAMPLES, np.random.default_rng(int(self.arguments["seed"])))
        self.chi = chi_of(physical(choi_of(self.transfer)))
        self.data |= {"transfer": self.transfer, "chi": self.chi}

    def report(self) -> Report:
        """Average gate error with its error, and that of preparation and measurement."""
        seen = Check("contrast above 0.2", self.contrast > CONTRAST, f"{self.contrast:.3f}")
        if not seen.passed:
            words = "prepared 0 and 1 look alike on one of the qubits; calibrate the single qubits first"
            analysis = f"P(1|1) - P(1|0) is {self.contrast:.3f}."
            return Report("wrong_setup", words, analysis, checks=(seen,), cause="no_contrast")
        known = Check("error known to 1 %", self.spread < PRECISE, f"{100 * self.spread:.2f} %")
        is_cz = Check("the gate is a CZ", self.error < 0.3, f"error {100 * self.error:.1f} %")
        analysis = (
            f"Process tomography gives a CZ error of {100 * self.error:.2f} +- {100 * self.spread:.2f} %, with"
            f" {100 * self.spam:.2f} % of preparation and measurement taken out."
        )
        estimates = {"cz_error": Estimate(self.error, self.spread), "spam_error": Estimate(self.spam, self.spread)}
        checks = (seen, known, is_cz)
        if not is_cz.passed:
            words = "the gate is no CZ; tune it up first"
            return Report("wrong_setup", words, analysis, estimates, checks, cause="gate_is_no_cz")
        if not known.passed:
            more = self.within_bounds(shots=4 * self.arguments["shots"])
            return Report("adjust", "too few shots", analysis, estimates, checks, more, cause="error_bar_too_wide")
        variables = {"cz_error_tomography": self.error}
        return Report("success", "process known", analysis, estimates, checks, variables=variables)

    @visual_inspection(
        """
        The figure shows the Pauli transfer matrix of a gate (left) and the magnitude of its chi matrix (right).
        A good CZ has exactly sixteen strong entries in the transfer matrix, one a row, of size near 1 (blue positive,
        red negative), and in chi four strong rows and columns at II, IZ, ZI and ZZ. Further strong entries are
        failures; say which Paulis they belong to.
        """
    )
    def plot(self) -> figures.Figure:
        """Transfer matrix and chi matrix."""
        made, axes = figures.figure(f"Process tomography of the CZ, {self.pair.name}", 1, 2)
        names = pauli_names(2)
        for axis, shown, title, low, high, shades in (
            (axes[0], self.transfer, "Pauli transfer matrix", -1.0, 1.0, "RdBu"),
            (axes[1], np.abs(self.chi), r"$|\chi|$", 0.0, 0.3, "Blues"),
        ):
            image = axis.imshow(shown, cmap=shades, vmin=low, vmax=high)
            axis.set_xticks(range(16), names, fontsize=6, rotation=90)
            axis.set_yticks(range(16), names, fontsize=6)
            axis.set_title(title, fontsize=9)
            axis.set_xlabel("Pauli operator")
            axis.set_ylabel("Pauli operator")
            made.colorbar(image, ax=axis, shrink=0.55, label="matrix element")
        return made


def _prepare(each: tuple[QubitSettings, QubitSettings], names: tuple[str, ...]) -> Slot:
    return tuple(_pulse(settings, name) for settings, name in zip(each, names, strict=True))


def _pulse(settings: QubitSettings, name: str) -> Pulse | None:
    """The pulse that prepares a cardinal state from 0."""
    if name in ("0", "1"):
        return half_turn(settings) if name == "1" else None
    phase = {"+": np.pi / 2, "-": -np.pi / 2, "+i": np.pi, "-i": 0.0}[name]
    return quarter_turn(settings, phase)


def product_state(names: tuple[str, ...]) -> Matrix:
    """The density matrix of qubits that are each in a cardinal state."""
    bloch = (BLOCH[name] for name in names)
    return kron(np.array([[1 + z, x - 1j * y], [x + 1j * y, 1 - z]], np.complex128) / 2 for x, y, z in bloch)
