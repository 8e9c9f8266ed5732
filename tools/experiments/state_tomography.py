"""State tomography: a named state prepared with calibrated gates, and its most likely density matrix."""

from __future__ import annotations

import re
from typing import Annotated, Any

import numpy as np

from labwright.tools.errors import InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over
from labwright.tools.experiments.base import Bench, Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.named_state_circuits import prepared
from labwright.tools.experiments.needs import CZ_GATE, FINE
from labwright.tools.experiments.pair_benchmarking_sequences import confusion
from labwright.tools.experiments.qubit_pairs import (
    CONTRAST,
    axis_pulse,
    joint_program,
    look_alike,
    ones,
    reference_slots,
)
from labwright.tools.experiments.thermal_population import POINTS as THERMAL_POINTS
from labwright.tools.experiments.thermal_population import thermal_population
from labwright.tools.experiments.tomography_estimation import (
    Counts,
    Matrix,
    effects,
    fidelity,
    most_likely_state,
    resampled,
    settings_of,
)
from labwright.tools.qpu.joint_program import Slot

RESAMPLES = 24
REFERENCES = 8  # runs of the prepared all-0 and all-1: readout errors must not be the largest of the fidelity's
PRECISE = 0.03
UNKNOWN = 0.05  # error of a thermal population that readout does not see
FAITHFUL = 0.5  # fidelity above which a Bell or GHZ state is entangled


class StateTomography(Experiment):
    """A state by name, measured along X, Y and Z of every qubit."""

    name = "state_tomography"
    needs = (*FINE, CZ_GATE)
    arrays = (
        over("prepared outcome", "references")
        | over("setting outcome", "counts")
        | over("row column", "density_matrix")
    )
    results = in_units("", "fidelity", "purity", "state_fidelity", "state_fidelity_std")
    summary_instructions = """
    The fidelity and its error decide: the most likely density matrix must be known to 3 %, and an entangled state must
    have a fidelity above one half. A low fidelity with a small error means bad gates, not bad tomography.
    """
    causes = causes_of(
        "no_contrast", "error_bar_too_wide",
        state_unfaithful="The state that was prepared is not the one that was asked for: the gates are bad.",
    )  # fmt: skip

    def run(
        self,
        qubits: str,
        state: str = "ghz",
        shots: Annotated[int, Quantity("", 100, 20000)] = 20000,
        seed: Annotated[int, Quantity("", 0, 2**31)] = 0,
    ) -> None:
        """State tomography: prepares a GHZ, Bell or product state and measures its density matrix.

        Use it to prepare an entangled state of up to three qubits and to measure its fidelity. It is made of calibrated
        single-qubit and CZ gates; all 3^n settings are measured, readout errors are taken out, thermal population is
        told from them, and the density matrix of largest likelihood is found. It is drawn as a city plot, with the
        fidelity and its error.

        Asked for as: state tomography, quantum state tomography, multi-qubit state tomography, density matrix,
        prepare a GHZ state, GHZ state, GHZ tomography, prepare a Bell state, Bell state, Bell pair, entangled state,
        city plot.

        Not for: process tomography, Hamiltonian tomography.

        Args:
            qubits: names of the qubits, separated by commas, such as Q2,Q1,Q8.
            state: ghz, bell, plus, zero or one. Default ghz.
            shots: repetitions of every setting. Default 20000.
            seed: of the resampling that gives the error. Default 0.

        Raises:
            InputError: an argument is out of bounds, the qubits are not coupled, or a pair has no gate yet.
        """
        self.names = named_qubits(qubits, self.bench)
        self.qubit = "-".join(self.names)
        circuit = prepared(str(state).lower(), self.names, self.bench.device.settings.pairs)
        self.psi = ideal_state(str(state).lower(), circuit.state())
        each = [self.bench.settings(name) for name in self.names]
        begin = circuit.slots(self.bench)
        last: list[Slot] = [
            tuple(axis_pulse(s, axis) for s, axis in zip(each, setting, strict=True))
            for setting in settings_of(len(self.names))
        ]
        sequences = REFERENCES * reference_slots(each) + [[*begin, turn] for turn in last]
        counts, self.shots = self.bench.counts(joint_program(self.names, sequences, int(shots)))
        references = counts[: 2 * REFERENCES].reshape(REFERENCES, 2, -1).sum(axis=0)
        self.data = {"references": references, "counts": counts[2 * REFERENCES :]}
        warm = [thermal_population(self.bench, name, self.shots) for name in self.names]
        # what cannot be measured is 0 with an error that covers it
        self.thermal = [w or Estimate(0.0, UNKNOWN) for w in warm]
        self.fit()

    def expected_acquisitions(self) -> float:
        """The settings, and a short one for the thermal population of each qubit."""
        n = len(self.names)
        return 1 + n * THERMAL_POINTS / (2 * REFERENCES + len(settings_of(n)))

    def fit(self) -> None:
        """The most likely density matrix, its fidelity, and the error of that by resampling."""
        n, counts, references = len(self.names), self.data["counts"], self.data["references"]
        prepared_shots = REFERENCES * self.shots
        fractions = ones(references, n) / prepared_shots
        self.contrast: Array = fractions[1] - fractions[0]
        self.rho: Matrix | None = None
        if float(self.contrast.min()) < CONTRAST:
            return
        warm = np.array([[t.value, t.error] for t in self.thermal]).T
        rng = np.random.default_rng(int(self.arguments["seed"]))
        rho = most_likely_state(counts, effects(n, confusion(references, prepared_shots, n, _allowed(warm[0]))))

        def again(drawn: Counts) -> float:
            populations = _allowed(warm[0] + warm[1] * rng.standard_normal(n))
            measured = effects(n, confusion(drawn[:2] * REFERENCES, prepared_shots, n, populations))
            return fidelity(most_likely_state(drawn[2:], measured, 400, 1e-5, rho), self.psi)

        # The references are drawn with one run's shots and count less than they do: the error is on the safe side.
        both = np.concatenate([references // REFERENCES, counts])
        _, self.spread = resampled(both, again, RESAMPLES, rng)
        self.rho = rho
        self.data["density_matrix"] = rho

    def report(self) -> Report:
        """Fidelity with error, purity, and what they are worth."""
        contrast = float(self.contrast.min())
        seen = Check("contrast above 0.2", contrast > CONTRAST, f"{contrast:.3f}")
        if self.rho is None:
            return look_alike(contrast)
        f, purity = fidelity(self.rho, self.psi), float(np.trace(self.rho @ self.rho).real)
        state = str(self.arguments["state"]).lower()
        known = Check("fidelity known to 3 %", self.spread < PRECISE, f"{100 * self.spread:.2f} %")
        floor = FAITHFUL if len(self.names) > 1 and state in ("ghz", "bell") else 0.8
        good = Check(f"fidelity above {floor:g}", f > floor, f"{f:.3f}")
        analysis = (
            f"The {state.upper() if state == 'ghz' else state} state of {', '.join(self.names)} has a fidelity of"
            f" {100 * f:.2f} +- {100 * self.spread:.2f} % and a purity of {purity:.3f}; the"
            f" thermal populations, {', '.join(f'{100 * t.value:.1f}' for t in self.thermal)} %, are part of the state."
        )
        estimates = {"fidelity": Estimate(f, self.spread), "purity": Estimate(purity, 2 * self.spread)}
        estimates |= {f"thermal_population_{q}": t for q, t in zip(self.names, self.thermal, strict=True)}
        variables = {"state_fidelity": f, "state_fidelity_std": self.spread}
        checks = (seen, known, good)
        if not good.passed:
            words = "the state is not what was asked for; calibrate the gates first"
            return Report("wrong_setup", words, analysis, estimates, checks, cause="state_unfaithful")
        if not known.passed:
            more = self.within_bounds(shots=4 * self.arguments["shots"])
            return Report("adjust", "too few shots", analysis, estimates, checks, more, cause="error_bar_too_wide")
        return Report("success", "state prepared and measured", analysis, estimates, checks, variables=variables)

    @visual_inspection(
        """
        The figure is a city plot: real and imaginary part of a density matrix as bars over the basis states.
        A good GHZ or Bell state has four tall bars of the real part, at the corners, and nothing much else; an
        imaginary part of more than a few per cent, or tall bars on the diagonal between the corners, are failures; say
        which.
        """
    )
    def plot(self) -> figures.Figure:
        """City plot of the density matrix."""
        state = str(self.arguments["state"]).lower()
        made = figures.canvas(f"{state.upper() if state == 'ghz' else state} state of {', '.join(self.names)}")
        rho = np.zeros((2, 2)) if self.rho is None else self.rho
        for place, (part, title) in enumerate(((rho.real, r"Re $\rho$"), (rho.imag, r"Im $\rho$"))):
            axis = made.add_subplot(1, 2, place + 1, projection="3d")
            city(axis, part)
            axis.set_title(title, fontsize=10, pad=-4)
        if self.rho is not None:
            f = fidelity(self.rho, self.psi)
            made.text(0.5, 0.03, f"fidelity {100 * f:.2f} ± {100 * self.spread:.2f} %", ha="center", fontsize=10)
        return made


def _allowed(populations: Array) -> list[float]:
    """Thermal populations from 0 to a third."""
    return [float(value) for value in np.clip(populations, 0.0, 1 / 3)]


def city(axis: Any, part: Array) -> None:
    """Bars of one part of a matrix on a 3d axis, basis states on both sides."""
    d = len(part)
    labels = [f"{k:0{max(1, int(np.log2(d)))}b}" for k in range(d)]
    row, column = (grid.ravel() for grid in np.meshgrid(np.arange(d), np.arange(d), indexing="ij"))
    height = part.ravel()
    colors = np.where(height >= 0, figures.BLUE, figures.VERMILION)
    axis.bar3d(
        row - 0.35, column - 0.35, np.minimum(height, 0.0), 0.7, 0.7, np.abs(height), color=list(colors), shade=True
    )
    axis.set_zlim(-0.55, 0.55) if d > 2 else axis.set_zlim(-1, 1)
    axis.set_xticks(range(d), labels, fontsize=6, rotation=60)
    axis.set_yticks(range(d), labels, fontsize=6, rotation=-30)
    axis.tick_params(axis="z", labelsize=7)
    axis.view_init(28, -55)


def ideal_state(state: str, made: Matrix) -> Matrix:
    """The state that `state` names; the circuit's own global phase does not matter."""
    d = len(made)
    if state in ("ghz", "bell"):
        psi = np.zeros(d, dtype=complex)
        psi[[0, -1]] = np.sqrt(0.5)
        return psi
    return made


def named_qubits(text: str, bench: Bench) -> tuple[str, ...]:
    """The qubits in a list separated by commas, spaces or "and".

    Raises:
        InputError: one of them is not on the device.
    """
    names = tuple(part for part in re.split(r"[\s,;+-]+|\band\b", text) if part)
    for name in names:
        if name not in bench.device.qubits:
            raise InputError(f"The device has no qubit {name!r}. It has: {', '.join(bench.device.qubits)}.")
    return names
