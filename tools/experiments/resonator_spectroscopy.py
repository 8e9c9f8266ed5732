"""Resonator spectroscopy: where the readout resonator is, and where it tells 0 from 1 best."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, Model, least_squares, shows_signal
from labwright.tools.experiments.gates import grid, half_turn, program
from labwright.tools.experiments.qubit_spectroscopy import along_axis_error
from labwright.tools.qpu.program import Operation

EXPLAINED = 0.95  # of what a straight line leaves, by a dip whose residuals are more than noise
UNSEEN_SHIFT = 0.125  # of the width: a dispersive shift that is not seen, as one sigma
SEEN = 6.0  # errors by which dip and contrast must stand out


def lorentzian(x: Array, base: float, height: float, centre: float, width: float) -> Array:
    """A Lorentzian line of full width at half maximum `width`, MHz, on a flat base."""
    return base + height / (1 + (2 * (x - centre) / width) ** 2)


def squared_lorentzian(x: Array, base: float, height: float, centre: float, width: float) -> Array:
    """The power of the difference of two resonances much closer than their width: a Lorentzian squared."""
    return base + height / (1 + (2 * (x - centre) / width) ** 2) ** 2


def tilted_lorentzian(x: Array, base: float, height: float, centre: float, width: float, tilt: float) -> Array:
    """A Lorentzian line on a level that changes by `tilt` a MHz, as cables and amplifiers make it."""
    return lorentzian(x, base, height, centre, width) + tilt * x


class ResonatorSpectroscopy(Experiment):
    """The readout tone is swept, once with the qubit in 0 and once after a pi pulse.

    `dip` and `width` are those of the Lorentzian nearest to the power that passes a qubit at rest, with the few shots
    in which it is or becomes excited.
    """

    name = "resonator_spectroscopy"
    needs = ()
    arrays = swept("detuning", "MHz") | over(
        "detuning", "ground", "excited", "magnitude", "error", "contrast", "contrast_error"
    )
    results = in_units("MHz", "dip", "width", "readout_frequency")
    summary_instructions = """
    The fit decides: one dip inside the sweep. Where the pi pulse is calibrated well enough to move the dip, the
    frequency of the best contrast between 0 and 1 is taken, else the dip itself. No dip asks for the proposed sweep.
    """
    causes = causes_of(
        "no_dip_in_sweep", "dip_at_edge", "no_resonator", "poor_fit",
        pi_pulse_unseen="The pi pulse does not move the dip yet, so the readout frequency is that of the dip.",
    )  # fmt: skip
    writes = ("readout_frequency",)

    def run(
        self,
        qubit: str,
        start: Annotated[float, Quantity("MHz", -200.0, 200.0)] = -10.0,
        stop: Annotated[float, Quantity("MHz", -200.0, 200.0)] = 10.0,
        step: Annotated[float, Quantity("MHz", 0.01, 2.0)] = 0.2,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        update: bool = True,
    ) -> None:
        """Resonator spectroscopy: finds the readout resonator and the readout frequency of best contrast.

        Use it to find the readout (cavity, resonator) frequency when a qubit is brought up, or to re-tune the readout
        frequency. Sweeps the readout tone with the qubit in 0 and, again, after a pi pulse; the dip is fitted, and the
        readout frequency set to where the two answers differ most, or to the dip if the pi pulse does nothing yet.

        Asked for as: resonator spectroscopy, resonator scan, readout resonator, readout resonance, readout
        frequency, readout tone, cavity frequency, resonator dip, one-tone, one-tone spectroscopy.

        Not for: readout fidelity, qubit line, two-tone.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            start: lowest frequency, relative to the present readout frequency, in MHz. Default -10.
            stop: highest frequency, relative to the present readout frequency, in MHz. Default 10.
            step: step between frequencies (step size) in MHz. Default 0.2.
            shots: repetitions of every point. Default 1000.
            update: whether to write the readout frequency to the settings. Default True.

        Raises:
            InputError: an argument is out of bounds, or the sweep has fewer than 10 points.
        """
        self.settings = self.bench.settings(qubit)
        x = grid(start, stop, step)
        sequences: list[list[Operation]] = [[]] * len(x) + [[half_turn(self.settings)]] * len(x)
        tones = np.tile(self.settings.readout_frequency + x, 2)
        average, error = self.bench.averages(program(qubit, sequences, shots, "average", readout_frequency=tones))
        (ground, excited), (first, second) = average.reshape(2, -1), error.reshape(2, -1)
        self.data = {
            "detuning": x, "ground": ground, "excited": excited,
            "magnitude": np.abs(ground), "error": first,
            "contrast": np.abs(excited - ground), "contrast_error": np.hypot(first, second),
        }  # fmt: skip
        self.fit()

    def fit(self) -> None:
        """Fit the dip of the transmitted power, and the contrast if there is any; None where nothing is seen."""
        x, data = self.data["detuning"], self.data
        self.dip = fit_dip(x, data["magnitude"], data["error"])
        along = along_axis_error(data["contrast_error"])
        self.contrast = fit_line(x, data["contrast"], along, squared_lorentzian)

    def report(self) -> Report:
        """Frequency and width of the dip, and the readout frequency of best contrast."""
        start, stop, step = (float(self.arguments[name]) for name in ("start", "stop", "step"))
        if self.dip is None:
            return self._unseen()
        dip = self.dip
        inside = start + 2 * step < dip["centre"] < stop - 2 * step
        share = explained(dip)
        checks = (
            Check("dip stands out of the noise", True, f"{abs(dip['height']) / dip.error('height'):.0f} errors"),
            Check("signal falls at resonance", dip["height"] < 0, f"{dip['height']:.3g}"),
            Check("dip follows a Lorentzian", dip.good or share > EXPLAINED, f"{100 * share:.0f} % of it explained"),
            Check("dip inside the sweep", inside, f"{dip['centre']:+.3f} MHz"),
        )
        base = self.settings.readout_frequency
        best = self.contrast if self.contrast is not None and self.contrast["height"] > 0 else None
        chosen = best if best is not None and start < best["centre"] < stop else dip
        frequency = base + chosen["centre"]
        # the best contrast lies within the dispersive shift of the dip, which nothing has shown yet
        unseen = UNSEEN_SHIFT * dip["width"] if chosen is dip else 0.0
        how = "of best contrast between 0 and 1" if chosen is not dip else "of the dip (the pi pulse does not move it)"
        analysis = (
            f"The dip lies at {base + dip['centre']:.3f} +- {dip.error('centre'):.3f} MHz with a width of"
            f" {dip['width']:.2f} MHz. The readout frequency {how} is {frequency:.3f} MHz."
        )
        estimates = {
            "dip": Estimate(base + dip["centre"], dip.error("centre"), "MHz"),
            "width": dip.estimate("width", "MHz"),
            "readout_frequency": Estimate(frequency, float(np.hypot(chosen.error("centre"), unseen)), "MHz"),
        }
        if all(check.passed for check in checks):
            updates = {"readout_frequency": frequency}
            cause = "pi_pulse_unseen" if chosen is dip else ""
            return Report("success", "one clear dip", analysis, estimates, checks, updates=updates, cause=cause)
        if not inside:
            half = (stop - start) / 2
            moved = self.within_bounds(start=dip["centre"] - half, stop=dip["centre"] + half)
            edge = "dip at the edge, shift the sweep"
            return Report("adjust", edge, analysis, estimates, checks, moved, cause="dip_at_edge")
        louder = self.within_bounds(shots=3 * self.arguments["shots"])
        unfit = "the signal is not one dip; measure again"
        return Report("bad_data", unfit, analysis, estimates, checks, louder, cause="poor_fit")

    def _unseen(self) -> Report:
        start, stop = float(self.arguments["start"]), float(self.arguments["stop"])
        checks = (Check("dip stands out of the noise", False, "no line fits"),)
        words = f"Between {start:+g} and {stop:+g} MHz the transmission shows no dip that stands out of the noise."
        estimates = {"mean_magnitude": Estimate(float(self.data["magnitude"].mean()), float(self.data["error"].mean()))}
        wider = self.within_bounds(start=2 * start - stop, stop=2 * stop - start)
        if stop - start < 200:
            unseen = "no dip in the sweep, search wider"
            return Report("adjust", unseen, words, estimates, checks, wider, cause="no_dip_in_sweep")
        nowhere = "no resonator found: check the readout line"
        return Report("wrong_setup", nowhere, words, estimates, checks, cause="no_resonator")

    @visual_inspection(
        """
        The figure shows resonator spectroscopy. Above: the magnitude of the transmitted signal against the readout
        frequency for the qubit in 0 and after a pi pulse, with a fitted dip. Below: the distance of the two in the IQ
        plane, with a vertical line at the chosen readout frequency.
        A good one has a single dip, well inside the sweep, drawn by many points that follow the curve, and below it a
        peak near the dip. No dip, a dip cut off at the edge, or only scatter are failures; say which one it is. A
        flat lower panel is no failure: the pi pulse may not be calibrated yet.
        A good measurement: Image("resonator_spectroscopy_good.png")
        A failed one, the dip lies outside the sweep: Image("resonator_spectroscopy_bad.png")
        """
    )
    def plot(self) -> figures.Figure:
        """Transmission against readout frequency, and the distance of the two states' answers."""
        made, (above, below) = figures.figure(
            f"Resonator spectroscopy, {self.qubit}", 2, sharex=True, height_ratios=(1.6, 1)
        )
        x = self.data["detuning"]
        figures.data(above, x, self.data["magnitude"], self.data["error"], "qubit in 0")
        excited = np.abs(self.data["excited"])
        figures.data(above, x, excited, self.data["error"], r"after $\pi$ pulse", figures.ORANGE, "s")
        above.set_ylabel("transmission (arb. units)")
        below.set_xlabel(f"readout frequency − {self.settings.readout_frequency:.3f} MHz (MHz)")
        below.set_ylabel("IQ distance\n(arb. units)")
        figures.data(below, x, self.data["contrast"], self.data["contrast_error"], "distance", figures.GREEN)
        fine = np.linspace(x[0], x[-1], 601)
        if self.dip is not None:
            above.plot(fine, np.sqrt(np.clip(self.dip.curve(fine), 0, None)), color=figures.VERMILION, label="fit")
            centre, error = self.dip["centre"], self.dip.error("centre")
            figures.note(
                above, f"dip {centre:+.3f} ± {error:.3f} MHz\nwidth {self.dip['width']:.2f} MHz", "lower right"
            )
        if self.contrast is not None:
            below.plot(fine, np.sqrt(np.clip(self.contrast.curve(fine), 0, None)), color=figures.VERMILION)
        report = self.report()
        if report.updates:
            chosen = report.updates["readout_frequency"] - self.settings.readout_frequency
            below.axvline(chosen, color=figures.BLACK, linestyle=":", label="chosen")
        below.legend(frameon=False, loc="upper right", fontsize=8.5)
        above.legend(frameon=False, loc="lower left", fontsize=8.5)
        return made


def explained(dip: Fit) -> float:
    """The share of the variance about the best straight line that the dip explains."""
    flat = dip.y - np.polyval(np.polyfit(dip.x, dip.y, 1), dip.x)
    return float(1 - np.sum((dip.y - dip.curve(dip.x)) ** 2) / np.sum(flat**2))


def fit_dip(x: Array, magnitude: Array, error: Array) -> Fit | None:
    """A Lorentzian dip of the power on a level that may be tilted; None where none stands out.

    The ends of the sweep tell the tilt to begin with, so that its lowest end is not taken for a dip.
    """
    ends, y = max(len(x) // 8, 2), magnitude**2
    tilt = float((np.median(y[-ends:]) - np.median(y[:ends])) / (x[-1] - x[0]))
    return fit_line(x, magnitude, error, tilted_lorentzian, tilt) or fit_line(x, magnitude, error)


def fit_line(x: Array, magnitude: Array, error: Array, line: Model = lorentzian, *tilt: float) -> Fit | None:
    """A line of the power at its largest excursion from the edges' level; None where none stands out.

    Noise with `error` a quadrature adds to the power of every point, and the power's error grows with the power. That
    is taken from a first fit with all points alike: taken from the points it gives those too low too much weight.
    """
    y = magnitude**2 - 2 * error**2

    def sigma(power: Array) -> Array:
        return np.asarray(2 * error * np.sqrt(np.maximum(power, 0) + error**2))

    if not shows_signal(y, sigma(magnitude**2)):
        return None
    level = y - sum(tilt) * x
    base, spacing, span = float(np.median(level)), float(x[1] - x[0]), float(x[-1] - x[0])
    top = int(np.argmax(np.abs(level - base)))
    start = [base, float(level[top] - base), float(x[top]), max(span / 8, 2 * spacing), *tilt]
    infinite = [np.inf for _ in tilt]
    low = [-np.inf, -np.inf, float(x[0]) - span, spacing, *np.negative(infinite)]
    high = [np.inf, np.inf, float(x[-1]) + span, 2 * span, *infinite]
    names = ["base", "height", "centre", "width", "tilt"][: len(start)]
    try:
        fit = least_squares(line, names, (x, y, sigma(np.full(len(x), y.mean()))), start, (low, high))
        fit = least_squares(line, names, (x, y, sigma(fit.curve(x))), list(fit.values), (low, high))
    except FitError:
        return None
    return fit if abs(fit["height"]) > SEEN * fit.error("height") else None
