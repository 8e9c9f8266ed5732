"""Stark echo tune-up: the length of a siZZle CZ and its virtual Z, from trains of the echoed gate."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.errors import InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.gate_train import (
    Train,
    corrected,
    counts_of,
    durations_about,
    measured_trains,
    retimed,
)
from labwright.tools.experiments.needs import FINE, STARK
from labwright.tools.experiments.qubit_pairs import CONTRAST, pair_of
from labwright.tools.experiments.repeated_sizzle_gate import draw_train

FAR = 0.12  # turns of conditional phase a gate; further off, the settings' duration is not that of a CZ
FIRST_GATES = 12  # longest of the trains that give the duration
GOOD = 0.003  # turns: costs 5e-5 of the gate's fidelity


class StarkEchoTuneup(Experiment):
    """Trains of the gate at two lengths give the slope of the conditional phase; trains at the right length confirm."""

    name = "stark_echo_tuneup"
    needs = (*FINE, STARK)
    arrays = (
        swept("counts_#")
        | words("role", "second qubit is the target", "first qubit is the target")
        | words("control_state", "0", "1")
        | words("component", "X", "Y")
        | over("role control_state component counts_#", "target_#", "target_error_#")
        | over("role control_state counts_#", "control_#", "control_error_#")
    )
    results = (
        in_units("us", "duration", "gate_time", "cz_gate_time")
        | in_units("rad", "conditional_phase")
        | in_units("MHz", "zz_rate")
        | in_units("", "error_per_gate")
    )
    summary_instructions = """
    The fits decide: both targets' phases must grow by one step a gate. The first trains give the length at which the
    conditional phase is half a turn, the last ones confirm it to a few thousandths of a turn and give the virtual Z.
    """
    causes = causes_of(
        "no_contrast", "no_steady_rotation",
        phase_not_settled="The conditional phase is not half a turn yet, or not known to 0.003 turns.",
    )  # fmt: skip
    writes = ("duration", "z_first", "z_second")

    def run(
        self,
        qubit: str,
        partner: str,
        gates: Annotated[int, Quantity("", 4, 200)] = 32,
        shots: Annotated[int, Quantity("", 100, 20000)] = 1000,
        update: bool = True,
    ) -> None:
        """Stark echo tune-up: sets the duration and the virtual Z of a pair's siZZle CZ gate.

        Use it after the siZZle drive was found, to time the CZ gate. Trains of the echoed gate are measured at two
        durations; from the conditional phase a gate follows the duration at which it is half a turn, which trains at
        that duration confirm. The echo pulses cancel the single-qubit phases; what is left goes into virtual Z.

        Asked for as: Stark echo tune-up, Stark echo tuneup, time the CZ gate, CZ timing, CZ gate timing, CZ tune-up,
        siZZle gate timing, tune up the CZ gate.

        Not for: search, benchmarking.

        Args:
            qubit: name of one qubit of the pair, such as Q1.
            partner: name of the other qubit of the pair, such as Q2.
            gates: longest train of gates. Default 32.
            shots: repetitions of every point. Default 1000.
            update: whether to write duration and virtual Z to the pair's settings. Default True.

        Raises:
            InputError: an argument is out of bounds, the qubits are not coupled, or no drive was found for them yet.
        """
        self.pair = pair_of(self.bench, qubit, partner)
        self.qubit = self.pair.name
        if not self.pair.settings.calibrated:
            raise InputError(f"{self.pair.name} has no siZZle drive yet. Search for its drive first.")
        self.durations = durations_about(self.pair.settings)
        measured, self.contrast = self._measured(self.durations, FIRST_GATES)
        self.trains: list[Train] = measured
        self.slope, self.duration = 0.0, self.pair.settings.duration
        if all(train.whole for train in measured):
            self.slope, self.duration = corrected(self.durations, measured)
            final, self.contrast = self._measured([self.duration], int(gates))
            self.trains = measured + final
        self.fit()

    def expected_acquisitions(self) -> float:
        """Short trains at two durations, then long ones at one."""
        return 1 + len(counts_of(int(self.arguments["gates"]))) / (2 * len(counts_of(FIRST_GATES)))

    def _measured(self, durations: list[float], gates: int) -> tuple[list[Train], Array]:
        """Trains at one or two durations, in one acquisition; the contrast of the references."""
        shots = int(self.arguments["shots"])
        return measured_trains(self.bench, self.pair, self.pair.settings, durations, gates, shots)

    def fit(self) -> None:
        """The correction that the last trains still ask for; data for the figure."""
        self.final = self.trains[-1] if len(self.trains) == 3 and self.trains[-1].whole else None
        if self.final is not None:
            phase, _ = self.final.conditional_phase
            self.missing = 0.5 - phase
            self.tuned = self.duration + self.missing / self.slope
        names = ("counts", "target", "target_error", "control", "control_error")
        self.data = {f"{name}_{k}": getattr(t, name) for k, t in enumerate(self.trains) for name in names}

    def report(self) -> Report:
        """Duration, conditional phase and virtual Z."""
        contrast = float(self.contrast.min())
        seen = Check("contrast above 0.2", contrast > CONTRAST, f"{contrast:.3f}")
        if not seen.passed or self.final is None:
            words, cause = "the gate does not turn the targets steadily", "no_steady_rotation"
            if not seen.passed:
                words, cause = "prepared 0 and 1 look alike", "no_contrast"
            diagnosis = f"{words}; search for the drive anew"
            return Report("wrong_setup", diagnosis, f"{words}.", checks=(seen,), cause=cause)
        phase, spread = self.final.conditional_phase
        error, error_spread = self.final.error_per_gate
        settings = retimed(self.pair.settings, self.final, self.tuned)
        near = Check("conditional phase half a turn", abs(self.missing) < FAR, f"{phase:.4f} turns at the last trains")
        known = Check("phase known to 0.003 turns", spread < GOOD, f"{spread:.5f} turns")
        long_enough = Check("pulse longer than its edges", self.tuned > 2 * settings.edge, f"{1e3 * self.tuned:.1f} ns")
        estimates = {
            "duration": Estimate(self.tuned, spread / abs(self.slope), "us"),
            "conditional_phase": Estimate(2 * np.pi * phase, 2 * np.pi * spread, "rad"),
            "zz_rate": Estimate(self.slope / 2, 0.0, "MHz"),
            "error_per_gate": Estimate(error, error_spread),
            "gate_time": Estimate(2 * (self.tuned + self.pair.one.pulse_duration), 0.0, "us"),
        }
        analysis = (
            f"A Stark pulse of {1e3 * self.tuned:.1f} ns makes the conditional phase half a turn (it was {phase:.4f} +-"
            f" {spread:.4f} at {1e3 * self.duration:.1f} ns); the gate takes {estimates['gate_time'].value:.3f} us."
        )
        checks = (seen, near, known, long_enough)
        if not all(check.passed for check in checks):
            words = "conditional phase not settled; measure again"
            return Report("bad_data", words, analysis, estimates, checks, cause="phase_not_settled")
        updates = {name: float(getattr(settings, name)) for name in self.writes}
        variables = {"cz_gate_time": estimates["gate_time"].value}
        return Report("success", "CZ timed", analysis, estimates, checks, updates=updates, variables=variables)

    @visual_inspection(
        """
        The figure shows trains of a siZZle CZ gate at its final duration. Left: the target's <X> against the number of
        gates with the control in 0 and in 1, and the fitted rotation; one row for each qubit as target. Right: the
        control's <Z>.
        A good one has points on both curves, which shrink slowly, and a control that stays near +1 or returns slowly
        from -1. Points off the curves, or a control that jumps, are failures; say which.
        """
    )
    def plot(self) -> figures.Figure:
        """The last trains with their fits."""
        title = f"Stark echo tune-up, {self.pair.name}, pulses of {1e3 * self.duration:.1f} ns"
        made, axes = figures.figure(title, 2, 2, sharex=True)
        draw_train(axes, self.trains[-1], self.pair.names)
        return made
