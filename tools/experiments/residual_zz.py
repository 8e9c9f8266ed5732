"""Residual ZZ: how fast an undriven pair's target turns with the control in 0 and in 1."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.gates import half_turn, quarter_turn
from labwright.tools.experiments.needs import AMPLITUDE, FREQUENCY, READOUT
from labwright.tools.experiments.qubit_pairs import (
    CONTRAST,
    Pair,
    axis_pulse,
    expectations,
    joint_program,
    pair_of,
    reference_slots,
)
from labwright.tools.experiments.zz_fit import Complex, ZzFit, fit_zz
from labwright.tools.qpu.joint_program import Slot
from labwright.tools.qpu.program import Delay

AXES = ("X", "Y")
TURNS = 0.25  # of the conditional phase that the sweep must hold
REFERENCES = 8  # times that both are played: where zero lies is one error of all points
PRECISE = 0.1  # relative error of the rate


class ResidualZz(Experiment):
    """A joint echo: pi pulses on both qubits halve the wait, so that single-qubit detunings cancel and ZZ stays."""

    name = "residual_zz"
    needs = (READOUT, FREQUENCY, AMPLITUDE)
    arrays = (
        swept("time", "us")
        | words("control_state", "0", "1")
        | words("component", *AXES)
        | over("control_state component time", "target", "error")
        | over("control_state time", "control", "control_error")
        | over("qubit", "contrast", "zero_error")
    )
    results = in_units("MHz", "zz_rate", "static_zz_rate") | in_units("", "turns")
    summary_instructions = """
    The fit decides: both curves must turn at one rate each, and the difference must be known to a tenth. A rate that
    cannot be told from zero within the sweep asks for a longer one.
    """
    causes = causes_of(
        "no_contrast", "sweep_too_short", "poor_fit", "error_bar_too_wide",
        no_phase_signal="Prepared 0 and 1 are told apart, but the target's phase shows nothing.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        partner: str,
        stop: Annotated[float, Quantity("us", 1.0, 400.0)] = 50.0,
        points: Annotated[int, Quantity("", 12, 200)] = 26,
        shots: Annotated[int, Quantity("", 100, 20000)] = 1000,
    ) -> None:
        """Residual ZZ: measures the static ZZ interaction of two coupled qubits that nobody drives.

        Use it to measure the always-on ZZ coupling of a pair. The target's phase is measured against the waiting time
        with the control in 0 and in 1; pi pulses on both qubits in the middle and at the end cancel everything else.

        Asked for as: residual ZZ, static ZZ, always-on ZZ, ZZ coupling, residual ZZ interaction, JAZZ.

        Not for: drive, Stark, siZZle, gate.

        Args:
            qubit: name of one qubit of the pair, such as Q1.
            partner: name of the other qubit of the pair, such as Q2.
            stop: longest waiting time in us. Default 50.
            points: number of waiting times. Default 26.
            shots: repetitions of every point. Default 1000.

        Raises:
            InputError: an argument is out of bounds, or the qubits are not coupled.
        """
        self.pair = pair_of(self.bench, qubit, partner)
        self.qubit = self.pair.name
        t = np.linspace(0, float(stop), int(points))
        sequences = [
            _sequence(self.pair, control, axis, float(time)) for control in (0, 1) for axis in AXES for time in t
        ]
        references = REFERENCES * reference_slots(self.pair.each)
        program = joint_program(self.pair.names, references + sequences, int(shots))
        z = expectations(*self.bench.counts(program), 2, REFERENCES)
        shape = (2, len(AXES), len(t), 2)
        self.data = {
            "time": t,
            "target": z.values.reshape(shape)[..., 1],
            "error": z.errors.reshape(shape)[..., 1],
            # of both axes together: the control does not know which one the target is read along
            "control": z.values.reshape(shape)[..., 0].mean(axis=1),
            "control_error": np.sqrt((z.errors.reshape(shape)[..., 0] ** 2).sum(axis=1)) / 2,
            "contrast": z.contrast,
            "zero_error": z.zero_errors,
        }
        self.fit()

    @property
    def signal(self) -> Complex:
        """The target's <X> + i <Y>, (2, n): control in 0, control in 1."""
        return np.asarray(self.data["target"][:, 0] + 1j * self.data["target"][:, 1])

    def fit(self) -> None:
        """Fit the ZZ rate; `fitted` is None where nothing is to be seen."""
        self.fitted: ZzFit | None = None
        error = np.sqrt((self.data["error"] ** 2).mean(axis=1))
        z, spread, zero = self.data["control"], self.data["control_error"], float(self.data["zero_error"][1])
        with suppress(FitError):
            self.fitted = fit_zz(self.data["time"], self.signal, error, z, spread, zero, "middle")

    def report(self) -> Report:
        """The static ZZ rate."""
        contrast = float(self.data["contrast"].min())
        seen = Check("contrast above 0.2", contrast > CONTRAST, f"{contrast:.3f}")
        if not seen.passed or self.fitted is None:
            words, cause = "the target's phase shows nothing", "no_phase_signal"
            if not seen.passed:
                words, cause = "prepared 0 and 1 look alike", "no_contrast"
            diagnosis = f"{words}; calibrate the single qubits first"
            return Report("wrong_setup", diagnosis, f"{words}.", checks=(seen,), cause=cause)
        rate, error = self.fitted["rate"], self.fitted.error("rate")
        turns = abs(rate) * float(self.data["time"][-1])
        checks = (
            seen,
            Check("one rate explains both curves", self.fitted.r_squared > 0.8, f"{self.fitted.r_squared:.2f}"),
            Check("a quarter turn in the sweep", turns > TURNS, f"{turns:.2f} turns"),
            Check("rate known to a tenth", error < PRECISE * abs(rate), f"{100 * error / max(abs(rate), 1e-9):.0f} %"),
        )
        estimates = {"zz_rate": Estimate(rate, error, "MHz"), "turns": Estimate(turns, 0.0)}
        analysis = f"The static ZZ rate is {1e3 * rate:.2f} +- {1e3 * error:.2f} kHz."
        if all(check.passed for check in checks):
            variables = {"static_zz_rate": rate}
            return Report("success", "static ZZ seen", analysis, estimates, checks, variables=variables)
        stop = float(self.arguments["stop"])
        if checks[1].passed and stop < 400:
            longer = {"stop": min(400.0, 2 * stop)}
            short = "sweep too short for a ZZ so small"
            return Report("adjust", short, analysis, estimates, checks, longer, cause="sweep_too_short")
        unfit = "the target does not turn at one rate; measure again"
        cause = "error_bar_too_wide" if checks[1].passed else "poor_fit"
        return Report("bad_data", unfit, analysis, estimates, checks, cause=cause)

    @visual_inspection(
        """
        The figure shows a residual ZZ measurement: the target's <X> (above) and <Y> (below) against the waiting time
        with the control in 0 and in 1, with the fit.
        A good one has two curves that part smoothly in one of the panels and follow their points. Curves that lie on
        each other all the way, or points off the curves, are failures; say which.
        """
    )
    def plot(self) -> figures.Figure:
        """Both parts of the signal, with the fit."""
        made, axes = figures.figure(f"Residual ZZ, {self.pair.name}", 2, sharex=True)
        t = self.data["time"]
        fine = np.linspace(t[0], t[-1], 300)
        for row, (color, label) in enumerate(((figures.BLUE, "control in 0"), (figures.VERMILION, "control in 1"))):
            for part, axis in enumerate(axes):
                figures.data(axis, t, self.data["target"][row, part], self.data["error"][row, part], label, color)
                if self.fitted is not None:
                    curve = self.fitted.curve(fine)[row]
                    axis.plot(fine, curve.imag if part else curve.real, color=color, linewidth=1.2)
        for axis, name in zip(axes, AXES, strict=True):
            axis.set_ylabel(rf"target $\langle {name}\rangle$")
        axes[1].set_xlabel(r"waiting time ($\mu$s)")
        figures.headroom(axes[0])
        axes[0].legend(frameon=False, ncols=2, loc="upper left", fontsize=8)
        if self.fitted is not None:
            rate, error = 1e3 * self.fitted["rate"], 1e3 * self.fitted.error("rate")
            figures.note(axes[0], f"ZZ rate {rate:.2f} ± {error:.2f} kHz")
        return made


def _sequence(pair: Pair, control: int, axis: str, wait: float) -> list[Slot]:
    """Prepare, wait half, pi on both, wait half, pi on both, turn the target for readout."""
    begin: list[Slot] = [(half_turn(pair.one), None)] if control else []
    both: Slot = (half_turn(pair.one), half_turn(pair.two))
    half: Slot = (Delay(wait / 2), Delay(wait / 2))
    return [*begin, (None, quarter_turn(pair.two)), half, both, half, both, (None, axis_pulse(pair.two, axis))]
