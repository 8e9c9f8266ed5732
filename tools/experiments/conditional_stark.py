"""Conditional Stark shift tomography: how fast a driven pair's target turns with the control in 0 and in 1."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.gates import half_turn, quarter_turn
from labwright.tools.experiments.needs import AMPLITUDE, FREQUENCY, READOUT
from labwright.tools.experiments.qubit_pairs import (
    CONTRAST,
    Pair,
    axis_pulse,
    expectations,
    joint_program,
    look_alike,
    pair_of,
    reference_slots,
)
from labwright.tools.experiments.zz_fit import Complex, Echo, ZzFit, fit_zz
from labwright.tools.qpu.cz_gate_operations import echoed, stark_pulses
from labwright.tools.qpu.joint_program import Slot
from labwright.tools.qpu.settings import PairSettings

DIFFERENCE = 0.25  # of the largest Fourier line, which ground and excited must differ by
RESTLESS = 0.05  # scatter of the control's <Z> beyond shot noise
MOVED = 0.2  # change of the control's <Z> over the sweep
ROUNDS = 0.5  # of the conditional phase that the sweep must hold
ELSEWHERE = "lower the amplitude or move away"
AXES = ("X", "Y")


class ConditionalStarkContinuous(Experiment):
    """Stark drive of varying length on both qubits, control in 0 and in 1, target in a superposition."""

    name = "conditional_stark_continuous"
    needs = (READOUT, FREQUENCY, AMPLITUDE)
    arrays = (
        swept("time", "us")
        | words("control_state", "0", "1")
        | words("component", *AXES)
        | over("control_state component time", "target", "target_error")
        | over("control_state time", "control", "control_error")
        | over("qubit", "contrast", "zero_error")
    )
    results = (
        in_units("", "difference", "control_moved", "control_scatter")
        | in_units("MHz", "zz_rate")
        | in_units("us", "gate_time")
    )
    summary_instructions = """
    The spectra and the control decide: the Fourier lines of the target with the control in 0 and in 1 must differ by
    more than a quarter of the largest line, and the control's <Z> must stay where it was prepared. Lines on top of each
    other mean no ZZ interaction within the sweep; a control that moves means that the drive excites it. One fit to both
    curves gives the ZZ rate with its sign.
    """
    causes = causes_of(
        "no_contrast", "sweep_too_short", "control_moved", "control_unsteady", "no_steady_rotation",
        no_interaction="No ZZ interaction is seen at this frequency, even in a long sweep.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        partner: str,
        frequency: Annotated[float, Quantity("MHz", 4000.0, 6000.0)],
        amplitude: Annotated[float, Quantity("full scale", 0.0, 1.0)],
        stop: Annotated[float, Quantity("us", 0.5, 40.0)] = 3.0,
        points: Annotated[int, Quantity("", 12, 200)] = 30,
        edge: Annotated[float, Quantity("us", 0.004, 0.2)] = 0.08,
        echo: bool = True,
        shots: Annotated[int, Quantity("", 100, 20000)] = 400,
    ) -> None:
        """Conditional Stark shift, continuous: measures the ZZ interaction of a pair under an off-resonant drive.

        Use it to measure the ZZ rate of a siZZle drive at one frequency and amplitude, and to see whether the drive
        leaves the control qubit alone. Both qubits are driven at one frequency for a varying time, with equal Rabi
        rates: the partner's amplitude follows from the single-qubit calibrations. The target's phase is measured with
        the control in 0 and in 1, and its Fourier transform shows a line for each.

        Asked for as: conditional Stark shift, continuous conditional Stark shift, conditional Stark tomography,
        siZZle Hamiltonian tomography, driven ZZ rate, ZZ rate under a Stark drive.

        Not for: repeated gate, residual ZZ, static ZZ.

        Args:
            qubit: name of one qubit of the pair, such as Q1.
            partner: name of the other qubit of the pair, such as Q2.
            frequency: of the Stark drive on both qubits, in MHz.
            amplitude: of the drive on the pair's first qubit, in full scale units.
            stop: longest total drive time in us. Default 3.
            points: number of drive times. Default 30.
            edge: cosine edge of a Stark pulse in us. Default 0.08.
            echo: whether a pi pulse on both qubits halves the drive and another ends it. Default True.
            shots: repetitions of every point. Default 400.

        Raises:
            InputError: an argument is out of bounds, or the qubits are not coupled.
        """
        self.pair = pair_of(self.bench, qubit, partner)
        self.qubit = self.pair.name
        drive = self.pair.driven(float(frequency), float(amplitude), float(edge))
        pulses = 2 if echo else 1
        t = np.linspace(2 * pulses * float(edge), float(stop), int(points))
        sequences = [
            _sequence(self.pair, drive, control, axis, float(time) / pulses, bool(echo))
            for control in (0, 1)
            for axis in AXES
            for time in t
        ]
        program = joint_program(self.pair.names, reference_slots(self.pair.each) + sequences, int(shots))
        z = expectations(*self.bench.counts(program), 2)
        shape = (2, len(AXES), len(t), 2)
        values, errors = z.values.reshape(shape), z.errors.reshape(shape)
        self.data = {
            "time": t,
            "target": values[..., 1],
            "target_error": errors[..., 1],
            "control": values[..., 0].mean(axis=1),
            "control_error": np.sqrt((errors[..., 0] ** 2).sum(axis=1)) / 2,
            "contrast": z.contrast,
            "zero_error": z.zero_errors,
        }
        self.fit()

    @property
    def signal(self) -> Complex:
        """The target's <X> + i <Y>, (2, n): control in 0, control in 1."""
        return np.asarray(self.data["target"][:, 0] + 1j * self.data["target"][:, 1])

    def fit(self) -> None:
        """Fit the ZZ rate; `fitted` is None where nothing oscillates. Also the spectra and the control's drift."""
        error = np.sqrt((self.data["target_error"] ** 2).mean(axis=1))
        self.fitted: ZzFit | None = None
        with suppress(FitError):
            z, spread, zero = self.data["control"], self.data["control_error"], float(self.data["zero_error"][1])
            echo: Echo = "middle" if self.arguments["echo"] else "none"
            self.fitted = fit_zz(self.data["time"], self.signal, error, z, spread, zero, echo)
        self.lines = spectrum(self.data["time"], self.signal)
        self.moved, self.restless = steadiness(self.data["time"], self.data["control"], self.data["control_error"])

    @property
    def difference(self) -> float:
        """How much the two spectra differ where they differ most, relative to the largest line."""
        _, lines = self.lines
        return float(np.abs(lines[0] - lines[1]).max() / lines.max())

    def report(self) -> Report:
        """ZZ rate, length of a CZ at this drive, and whether the control stays."""
        contrast = float(self.data["contrast"].min())
        if contrast < CONTRAST:
            return look_alike(contrast)
        checks = self._checks()
        estimates = {
            "difference": Estimate(self.difference, 0.0),
            "control_moved": Estimate(self.moved, 0.0),
            "control_scatter": Estimate(self.restless, 0.0),
        }
        analysis = f"The spectra differ by {100 * self.difference:.0f} % of the largest line."
        variables: dict[str, float] = {}
        if self.fitted is not None:
            rate = self.fitted["rate"]
            estimates["zz_rate"] = Estimate(rate, self.fitted.error("rate"), "MHz")
            estimates["gate_time"] = Estimate(self.fitted.time_of(0.5), 0.5 * self.fitted.error("rate") / rate**2, "us")
            analysis += f" The ZZ rate is {1e3 * rate:.1f} +- {1e3 * self.fitted.error('rate'):.1f} kHz."
            variables = {"zz_rate": rate}
        analysis += (
            f" The control's <Z> moves by {self.moved:.2f} and scatters by {self.restless:.3f} beyond its noise."
        )
        failed = [check.name for check in checks if not check.passed]
        if not failed:
            return Report("success", "clear lines, steady control", analysis, estimates, checks, variables=variables)
        return self._judged(failed[0], analysis, estimates, checks)

    def _checks(self) -> tuple[Check, ...]:
        fit = self.fitted
        good = fit is not None and (fit.r_squared > 0.85 or fit.reduced_chi_square < 2)
        turns = abs(fit["rate"]) * float(self.data["time"][-1]) if fit else 0.0
        quality = f"R squared {fit.r_squared:.2f}, reduced chi square {fit.reduced_chi_square:.2f}" if fit else "no fit"
        return (
            Check("control keeps its state", self.moved < MOVED, f"<Z> moves by {self.moved:.2f}"),
            Check("control is steady", self.restless < RESTLESS, f"<Z> scatters by {self.restless:.3f} beyond noise"),
            Check("lines differ by 25 %", self.difference > DIFFERENCE, f"{100 * self.difference:.0f} %"),
            Check("one rate explains both curves", good, quality),
            Check("half a turn of conditional phase", turns > ROUNDS, f"{turns:.2f} turns in the sweep"),
        )

    def _judged(self, failed: str, analysis: str, estimates: dict[str, Estimate], checks: tuple[Check, ...]) -> Report:
        stop = float(self.arguments["stop"])
        if failed in ("half a turn of conditional phase", "lines differ by 25 %") and stop < 20:
            words, proposal = "interaction too slow for this sweep", {"stop": min(20.0, 3 * stop)}
            return Report("adjust", words, analysis, estimates, checks, proposal, cause="sweep_too_short")
        cause, words = {
            "control keeps its state": ("control_moved", "the drive moves the control qubit; " + ELSEWHERE),
            "control is steady": ("control_unsteady", "the control qubit is not steady; " + ELSEWHERE),
            "one rate explains both curves": (
                "no_steady_rotation", "the target does not turn at one rate; " + ELSEWHERE,
            ),
        }.get(failed, ("no_interaction", "no ZZ interaction to be seen; try another frequency"))  # fmt: skip
        return Report("wrong_setup", words, analysis, estimates, checks, cause=cause)

    @visual_inspection(
        """
        The figure shows a conditional Stark shift. Top left: the target's phase signal with the control in 0 and in 1
        against the drive time, with fits. Top right: its Fourier transform, one colour for each state of the control.
        Bottom: the control's <Z> against the drive time, prepared in 0 (above) and in 1 (below).
        A good one has one clear line for each state of the control, mirrored about a common centre and apart by more
        than their width, and two flat curves below, the lower one perhaps rising slowly by relaxation. Lines on top
        of each other, several lines of one colour, noise without a line, or a control that moves or scatters are
        failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Signal with fit, spectra, and the control."""
        made = figures.canvas(
            f"Conditional Stark shift, {self.pair.name}, {self.arguments['frequency']:g} MHz,"
            f" amplitude {self.arguments['amplitude']:.4g}"
        )
        panels = made.subplot_mosaic([["signal", "lines"], ["control", "control"]], height_ratios=(1.6, 1))
        t, signal = self.data["time"], self.signal
        for row, (color, label) in enumerate(((figures.BLUE, "control in 0"), (figures.VERMILION, "control in 1"))):
            error = self.data["target_error"][row, 0]
            figures.data(panels["signal"], t, signal[row].real, error, label, color)
            if self.fitted is not None:
                fine = np.linspace(t[0], t[-1], 400)
                panels["signal"].plot(fine, self.fitted.curve(fine)[row].real, color=color, linewidth=1.2)
            frequencies, lines = self.lines
            panels["lines"].plot(frequencies, lines[row], color=color, label=label)
            figures.data(panels["control"], t, self.data["control"][row], self.data["control_error"][row], label, color)
        panels["signal"].set(xlabel=r"drive time ($\mu$s)", ylabel=r"target $\langle X\rangle$")
        panels["lines"].set(xlabel="frequency (MHz)", ylabel=r"Fourier part of $\langle X\rangle + i\langle Y\rangle$")
        panels["control"].set(xlabel=r"drive time ($\mu$s)", ylabel=r"control $\langle Z\rangle$", ylim=(-1.4, 1.4))
        panels["control"].legend(frameon=False, loc="center right", fontsize=8)
        if self.fitted is not None:
            rate, error = self.fitted["rate"], self.fitted.error("rate")
            reach = max(5 / float(t[-1]), 3 * (abs(self.fitted["common"]) + abs(rate)))
            panels["lines"].set_xlim(-min(reach, self.lines[0][-1]), min(reach, self.lines[0][-1]))
            figures.headroom(panels["lines"], 0.35)
            figures.note(panels["lines"], f"ZZ rate {1e3 * rate:.1f} ± {1e3 * error:.1f} kHz")
        return made


def _sequence(pair: Pair, drive: PairSettings, control: int, axis: str, length: float, echo: bool) -> list[Slot]:
    """Prepare, drive for `length` us a pulse, turn the target for readout."""
    flip = half_turn(pair.one) if control else None
    driven = echoed(drive, pair.one, pair.two, length) if echo else [stark_pulses(drive, length)]
    begin: list[Slot] = [(flip, None)] if control else []
    return [*begin, (None, quarter_turn(pair.two)), *driven, (None, axis_pulse(pair.two, axis))]


def spectrum(t: Array, signal: Complex) -> tuple[Array, Array]:
    """Frequencies (MHz) and Fourier amplitudes (2, n_frequencies) of the target's signal."""
    reach = 0.5 / float(np.median(np.diff(t)))
    trial = np.linspace(-reach, reach, 401)
    lines = np.abs(np.exp(-2j * np.pi * np.outer(trial, t)) @ signal.T).T / len(t)
    return trial, lines


def steadiness(t: Array, control: Array, error: Array) -> tuple[float, float]:
    """How far the control's <Z> (2, n) drifts over the sweep, beyond relaxation of the 1, and its scatter beyond noise.

    Levels off a straight line count as scatter. A 1 may relax by a tenth a us.
    """
    moved, excess = [], []
    for row, (z, sigma, wanted) in enumerate(zip(control, error, (1.0, -1.0), strict=True)):
        slope, level = np.polyfit(t, z, 1, w=1 / sigma)
        line = slope * t + level
        allowed = 0.1 * float(t[-1]) if row else 0.03 * float(t[-1])
        moved.append(max(0.0, abs(float(line[-1]) - wanted) - allowed))
        excess.append(max(0.0, float(np.mean((z - line) ** 2 - sigma**2))))
    return float(max(moved)), float(np.sqrt(max(excess)))
