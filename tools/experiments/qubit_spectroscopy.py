"""Qubit spectroscopy: where the qubit's line is."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, fit_peak, shows_signal
from labwright.tools.experiments.gates import gaussian_area, grid, program
from labwright.tools.experiments.needs import RESONATOR
from labwright.tools.qpu.program import Pulse

COARSE = 0.5  # of the inverse length of the probe, which is about the line's width: points farther apart may miss it
WEAK, WANTED = 0.12, 0.25  # turns of the probe on resonance, as far as the pi pulse is known: too few, and enough
HEIGHT = 6.0  # of the line, in units of its error


class QubitSpectroscopy(Experiment):
    """A long weak pulse of swept frequency."""

    name = "qubit_spectroscopy"
    needs = (RESONATOR,)
    arrays = swept("detuning", "MHz") | over("detuning", "signal", "error")
    results = in_units("MHz", "frequency", "detuning", "width")
    summary_instructions = """
    The fit decides: one line that stands six error bars above the base and lies well inside the sweep. No line asks
    for the proposed wider sweep.
    """
    causes = causes_of(
        "no_line_in_sweep", "line_at_edge", "line_saturated", "poor_fit", "step_too_coarse",
        probe_too_weak="No line is seen in the widest sweep with a probe so weak: probe more strongly.",
        no_line_anywhere="No line is seen in the widest sweep: drive or readout does not reach the qubit.",
    )  # fmt: skip
    writes = ("frequency",)

    def run(
        self,
        qubit: str,
        start: Annotated[float, Quantity("MHz", -500.0, 500.0)] = -60.0,
        stop: Annotated[float, Quantity("MHz", -500.0, 500.0)] = 60.0,
        step: Annotated[float, Quantity("MHz", 0.05, 5.0)] = 1.0,
        amplitude: Annotated[float, Quantity("full scale", 0.0005, 0.5)] = 0.01,
        duration: Annotated[float, Quantity("us", 0.05, 2.0)] = 0.4,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        update: bool = True,
    ) -> None:
        """Qubit spectroscopy (two-tone spectroscopy): finds the qubit's transition frequency from far away.

        Use it to find or search for the qubit when its frequency is not known to a few MHz, or when Ramsey and Rabi
        show no oscillation. Plays one long, weak pulse at every frequency and reads out; the line is fitted and its
        centre becomes the drive frequency. Fine frequency calibration is the work of ramsey.

        Asked for as: qubit spectroscopy, two-tone, two-tone spectroscopy, pulsed spectroscopy, qubit line, qubit
        transition, coarse frequency, coarse search for the qubit frequency.

        Not for: fine frequency, Ramsey, resonator.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            start: lowest frequency, relative to the present drive frequency, in MHz. Default -60.
            stop: highest frequency, relative to the present drive frequency, in MHz. Default 60.
            step: step between frequencies (step size) in MHz. Default 1.
            amplitude: drive amplitude (amp) of the probe pulse in units of full scale. Default 0.01.
            duration: length of the probe pulse in us; a longer pulse gives a narrower line. Default 0.4.
            shots: repetitions of every point. Default 1000.
            update: whether to write the frequency to the settings. Default True.

        Raises:
            InputError: an argument is out of bounds, or the sweep has fewer than 10 points.
        """
        self.settings = self.bench.settings(qubit)
        detuning = grid(start, stop, step)
        sequences = [[Pulse(amplitude, duration, "gaussian", detuning=float(d))] for d in detuning]
        average, error = self.bench.averages(program(qubit, sequences, shots, "average"))
        scale = float(np.median(error))
        self.data = {
            "detuning": detuning,
            "signal": along_main_axis(average) / scale,
            "error": along_axis_error(error) / scale,
        }
        self.fit()

    def fit(self) -> None:
        """Fit a Gaussian line; `fitted` is None where there is none."""
        x, y, sigma = self.data["detuning"], self.data["signal"], self.data["error"]
        self.fitted: Fit | None = None
        if shows_signal(y, sigma):
            try:
                self.fitted = fit_peak(x, y, sigma)
            except FitError:
                return

    def report(self) -> Report:
        """Position, height and width of the line, judged."""
        start, stop, step = (float(self.arguments[name]) for name in ("start", "stop", "step"))
        height = 0.0 if self.fitted is None else abs(self.fitted["height"]) / self.fitted.error("height")
        if self.fitted is None or height < HEIGHT:
            return self._unseen(height)
        fit = self.fitted
        # a line between two points is not exactly Gaussian: what the residuals show is added to the error
        centre, error = fit["centre"], fit.error("centre") * max(1.0, float(np.sqrt(fit.reduced_chi_square)))
        inside = start + 2 * step < centre < stop - 2 * step
        narrow = fit["width"] < (stop - start) / 8
        checks = (
            Check("line six errors above the base", True, f"{height:.1f}"),
            Check("residuals small against the line", fit.r_squared > 0.7, f"R^2 {fit.r_squared:.3f}"),
            Check("line inside the sweep", inside, f"{centre:+.3f} MHz"),
            Check("line narrow against the sweep", narrow, f"{fit['width']:.2f} MHz"),
        )
        frequency = self.settings.frequency + centre
        analysis = (
            f"The line lies at {frequency:.3f} +- {error:.3f} MHz, {centre:+.3f} MHz from the present drive frequency,"
            f" {height:.0f} errors high and {fit['width']:.2f} MHz wide (standard deviation)."
        )
        estimates = {
            "frequency": Estimate(frequency, error, "MHz"),
            "detuning": Estimate(centre, error, "MHz"),
            "width": fit.estimate("width", "MHz"),
        }
        if all(check.passed for check in checks):
            # a line where the drive already is must not undo what Ramsey measured a hundred times better
            updates = {"frequency": frequency} if abs(centre) > 3 * error else {}
            return Report("success", "one clear line", analysis, estimates, checks, updates=updates)
        if not inside:
            half = (stop - start) / 2
            moved = self.within_bounds(start=centre - half, stop=centre + half)
            edge = "line at the edge, shift the sweep"
            return Report("adjust", edge, analysis, estimates, checks, moved, cause="line_at_edge")
        if not narrow:
            weaker = self.within_bounds(amplitude=self.arguments["amplitude"] / 3)
            broad = "line too broad, probe more weakly"
            return Report("adjust", broad, analysis, estimates, checks, weaker, cause="line_saturated")
        louder = self.within_bounds(shots=3 * self.arguments["shots"])
        unfit = "more than one line, or none that fits"
        return Report("bad_data", unfit, analysis, estimates, checks, louder, cause="poor_fit")

    def _unseen(self, height: float) -> Report:
        """No line: search wider, as far as bounds and a fine enough step allow."""
        start, stop = float(self.arguments["start"]), float(self.arguments["stop"])
        checks = (Check("line six errors above the base", False, f"{height:.1f}"),)
        estimates = {"height": Estimate(height, 1.0)}
        words = f"The largest excursion between {start:+g} and {stop:+g} MHz is {height:.1f} errors high."
        step, finest = float(self.arguments["step"]), COARSE / float(self.arguments["duration"])
        if step > 1.01 * finest:
            words += f" Its points are {step:g} MHz apart, where the line of this probe is {2 * finest:.2g} MHz wide."
            finer = self.within_bounds(3, step=0.8 * finest)
            coarse = "no line, step more finely"
            return Report("adjust", coarse, words, estimates, checks, finer, cause="step_too_coarse")
        wider = self.within_bounds(start=2 * start - stop, stop=2 * stop - start)
        if stop - start < 300:
            unseen = "no line in the sweep, search wider"
            return Report("adjust", unseen, words, estimates, checks, wider, cause="no_line_in_sweep")
        if (turns := self._turns()) < WEAK and self.arguments["amplitude"] < 0.02:
            stronger = self.within_bounds(3, amplitude=min(0.02, self.arguments["amplitude"] * WANTED / turns))
            weak, words = "no line, probe more strongly", f"{words} The probe turns the qubit by about {turns:.2f}."
            return Report("adjust", weak, words, estimates, checks, stronger, cause="probe_too_weak")
        diagnosis = "no line anywhere: drive or readout does not reach the qubit; run resonator_spectroscopy"
        return Report("wrong_setup", diagnosis, words, estimates, checks, cause="no_line_anywhere")

    def _turns(self) -> float:
        """Of the probe on resonance, by the pi pulse that is set."""
        pi_pulse = self.settings.amplitude_pi * gaussian_area(self.settings.pulse_duration)
        return float(self.arguments["amplitude"] * gaussian_area(self.arguments["duration"]) / (2 * pi_pulse))

    @visual_inspection(
        """
        The figure shows qubit spectroscopy: the readout signal in units of its error against the drive frequency, with
        a fitted line and residuals below. A good one has a single line that stands well above a flat base and lies
        inside the sweep, drawn by at least three points, and the curve meets its top and its flanks. No line, several
        lines, one cut off at the edge, or a single stray point are failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Readout signal against drive frequency, with fit and residuals."""
        x_label = f"drive frequency − {self.settings.frequency:.3f} MHz (MHz)"
        points, text, fit = (self.data["detuning"], self.data["signal"], self.data["error"]), "", self.fitted
        if fit is not None:
            text = f"line at {fit['centre']:+.3f} ± {fit.error('centre'):.3f} MHz\nwidth {fit['width']:.2f} MHz"
        y_label = "readout signal (units of its error)"
        return figures.curve(f"Qubit spectroscopy, {self.qubit}", x_label, y_label, points, fit, text, 0.2)


def along_main_axis(points: NDArray[np.complex128]) -> Array:
    """IQ points projected on the line along which they vary most, (n_points,), zero at their median.

    Needs no calibrated readout angle. The sign is chosen so that the largest excursion is positive.
    """
    centred = points - np.median(points.real) - 1j * np.median(points.imag)
    angle = np.angle(np.sum(centred**2)) / 2
    projected = np.asarray((centred * np.exp(-1j * angle)).real)
    return np.asarray(projected * np.sign(projected[np.argmax(np.abs(projected))]))


def along_axis_error(error: Array) -> Array:
    """Errors of mean IQ points along the line between the states' answers, from those a quadrature.

    These hold the amplifier's noise, alike in both quadratures, and half of the scatter of the shots between the
    answers, which is all along that line. Noise alone is taken to be the least that is seen.
    """
    return np.asarray(np.sqrt(2 * error**2 - error.min() ** 2))
