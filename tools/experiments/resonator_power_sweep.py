"""Resonator power sweep: up to which readout amplitude the resonator stays where it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np

from labwright.tools.errors import FitError, InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, least_squares
from labwright.tools.experiments.gates import grid, program
from labwright.tools.experiments.resonator_spectroscopy import fit_line

SHIFTED = 0.25  # of the linewidth: how far the dip may move until a tone counts as too strong
FEWEST = 4  # amplitudes at which the dip must be found
FLAT = 0.1  # of the linewidth: how far the dip may move while the weakest tone grows by half
CLEAR = 3.0  # errors by which the largest shift must stand out to be one


class ResonatorPowerSweep(Experiment):
    """The readout tone is swept in frequency, at ever larger amplitude."""

    name = "resonator_power_sweep"
    needs = ()
    arrays = (
        swept("detuning", "MHz")
        | swept("amplitude", "full scale")
        | over("amplitude detuning", "transmission", "error")
    )
    results = in_units("", "largest_amplitude") | in_units("MHz", "dip", "shift")
    summary_instructions = """
    The dips decide: at small amplitudes they lie at one frequency, at large ones they move towards the bare resonator.
    The chosen amplitude is the largest before the dip has moved by a quarter of its width. A dip that never moves, or
    one that has moved from the first amplitude on, asks for the proposed amplitudes.
    """
    causes = causes_of(
        "no_dip_in_sweep", "dip_at_edge", "no_resonator", "signal_in_noise",
        tones_too_strong="The dip moves from the weakest tone on: sweep weaker ones.",
        every_tone_too_strong="The dip moves at every amplitude that can be played: the line needs attenuation.",
        tones_too_weak="The dip does not move yet: sweep stronger tones.",
        dip_never_moves="The dip does not move up to full scale: no qubit is coupled, or the line attenuates too much.",
    )  # fmt: skip
    writes = ("readout_amplitude",)
    errors: ClassVar[dict[str, str]] = {"readout_amplitude": "largest_amplitude"}

    def run(
        self,
        qubit: str,
        start: Annotated[float, Quantity("full scale", 0.001, 0.9)] = 0.1,
        stop: Annotated[float, Quantity("full scale", 0.01, 1.0)] = 1.0,
        points: Annotated[int, Quantity("", 5, 60)] = 16,
        span: Annotated[float, Quantity("MHz", 1.0, 200.0)] = 16.0,
        step: Annotated[float, Quantity("MHz", 0.01, 2.0)] = 0.4,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        update: bool = False,
    ) -> None:
        """Resonator power sweep (punch-out): finds the largest readout amplitude before the resonator shifts.

        Use it when a readout line is brought up, to see whether a qubit is coupled to the resonator, and to choose the
        readout amplitude. Sweeps the readout tone over the resonator at amplitudes in equal ratios from `start` to
        `stop`, with the qubit in 0. With many photons the dispersive shift dies and the dip moves to the bare
        resonator; the amplitude before that is the variable largest_amplitude.

        Asked for as: resonator power sweep, punch-out, punchout, readout power sweep, readout power, readout amplitude,
        resonator spectroscopy against power, resonator spectroscopy versus power, power dependence of the resonator,
        high power shift, bare resonator.

        Not for: pulse amplitude, drive amplitude, readout frequency, qubit line.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            start: smallest readout amplitude in units of full scale. Default 0.1.
            stop: largest readout amplitude in units of full scale. Default 1.
            points: number of amplitudes. Default 16.
            span: width of the frequency sweep, centred on the present readout frequency, in MHz. Default 16.
            step: step between frequencies (step size) in MHz. Default 0.4.
            shots: repetitions of every point. Default 1000.
            update: whether to write the largest amplitude to the settings; frequency and threshold of the readout have
                to be calibrated anew after it. Default False.

        Raises:
            InputError: an argument is out of bounds, the sweep has fewer than 10 frequencies, or `stop` is not above
                `start`.
        """
        if stop <= start:
            raise InputError(f"Argument `stop` must be above `start` ({start:g}), but is {stop:g}. Raise it.")
        self.settings = self.bench.settings(qubit)
        x, amplitudes = grid(-span / 2, span / 2, step), np.geomspace(start, stop, points)
        frequencies = np.tile(self.settings.readout_frequency + x, points)
        play = program(qubit, [[]] * len(frequencies), shots, "average", readout_frequency=frequencies)
        average, error = self.bench.averages(replace(play, readout_amplitude=np.repeat(amplitudes, len(x))))
        shape = (points, len(x))
        self.data = {
            "detuning": x,
            "amplitude": amplitudes,
            "transmission": np.abs(average.reshape(shape)) / amplitudes[:, None],
            "error": error.reshape(shape) / amplitudes[:, None],
        }
        self.fit()

    def fit(self) -> None:
        """Fit the dip at every amplitude; `shift` is where it lies relative to the weakest tones that show it."""
        x = self.data["detuning"]
        rows = zip(self.data["transmission"], self.data["error"], strict=True)
        fits: list[Fit | None] = [fit_line(x, t, e) for t, e in rows]
        seen = np.array([i for i, fit in enumerate(fits) if fit is not None and fit["height"] < 0], dtype=int)
        dips = [fit for fit in fits if fit is not None and fit["height"] < 0]
        self.seen, self.amplitudes = seen, self.data["amplitude"][seen]
        self.centre = np.array([fit["centre"] for fit in dips])
        self.error = np.array([fit.error("centre") for fit in dips])
        self.widths = np.array([(fit["width"], fit.error("width")) for fit in dips]).reshape(-1, 2)
        self.width = float(np.median(self.widths[:, 0])) if dips else 0.0
        self.plain = _plateau(self.centre, self.error)

    def report(self) -> Report:
        """Where the dip begins to move, and the largest amplitude before it does."""
        if len(self.seen) < FEWEST:
            return self._unseen()
        edge = float(self.arguments["span"]) / 2 - 2 * float(self.arguments["step"])
        moved = np.abs(self.centre - self.plain) / self.width
        beyond = np.flatnonzero(moved > SHIFTED)
        last = int(beyond[0]) - 1 if len(beyond) else len(moved) - 1
        (rest, punched), most, top = self._punched(moved, max(last, 0)), float(moved.max()), int(np.argmax(moved))
        largest, reach = punched.value, float(self.centre[top] - rest.value)
        clear = bool(len(beyond)) and abs(reach) > CLEAR * float(self.error.max())
        weakest, weaker, drift, at_rest = self._rest()
        inside = bool(np.all(np.abs(self.centre) < edge))
        checks = (
            Check("dip seen at four amplitudes or more", True, f"{len(self.seen)} of {len(self.data['amplitude'])}"),
            Check("dip inside the sweep", inside, f"{self.centre.min():+.2f} to {self.centre.max():+.2f} MHz"),
            Check("dip moves by a quarter of its width", clear, f"{most:.2f} of {self.width:.2f} MHz"),
            Check("dip at rest at the weak end", at_rest, f"{drift:+.3f} MHz from {weakest:.3f} to {weaker:.3f}"),
        )
        estimates = {
            "largest_amplitude": punched,
            "dip": replace(rest, value=self.settings.readout_frequency + rest.value),
            "shift": Estimate(reach, float(np.hypot(self.error[top], rest.error)), "MHz"),
        }
        analysis = (
            f"At small amplitudes the dip lies at {rest.value:+.2f} MHz with a width of {self.width:.2f} MHz; at the"
            f" largest ones it has moved by {reach:+.2f} MHz. Up to an amplitude of {largest:.3f} +-"
            f" {punched.error:.3f} it moves by less than a quarter of its width."
        )
        if not inside:
            wider = self.within_bounds(span=2 * self.arguments["span"])
            words = "dip at the edge, sweep more frequencies"
            return Report("adjust", words, analysis, estimates, checks, wider, cause="dip_at_edge")
        if not at_rest or last < 1:
            return self._from_the_start(analysis, estimates, checks)
        if not clear:
            return self._unmoved(analysis, estimates, checks)
        updates, variables = {"readout_amplitude": largest}, {"largest_amplitude": largest}
        words = "resonator punched out; calibrate the readout at the chosen amplitude"
        return Report("success", words, analysis, estimates, checks, updates=updates, variables=variables)

    def _punched(self, moved: Array, last: int) -> tuple[Estimate, Estimate]:
        """Where the dip lies without a tone, and the amplitude that moves it by a quarter of its width; `last` is the
        last one before.

        The pull of the qubit on its resonator dies as 1 / sqrt(1 + n / n_crit) with the photons n, which grow with the
        squared amplitude (Gambetta et al., PRA 74, 042318). Dips that moved twice as far are left out: tones so strong
        may excite the qubit as well. At the answer a `share` of the pull is gone; without a fit it lies somewhere
        between two amplitudes.
        """
        low, high = self.amplitudes[[last, min(last + 1, len(moved) - 1)]]
        near, toward = moved < 2 * SHIFTED, np.sign(self.centre[np.argmax(moved)] - self.plain)
        widths, weight = self.widths[near, 0], self.widths[near, 1] ** -2
        width = float(weight @ widths / weight.sum())
        quarter = toward * SHIFTED * width

        def model(amplitude: Array, rest: float, share: float, largest: float) -> Array:
            photons = ((1 - share) ** -2 - 1) * (amplitude / largest) ** 2  # in units of n_crit
            return np.asarray(rest + quarter / share * (1 - 1 / np.sqrt(1 + photons)))

        begin, bounds = [self.plain, 0.2, (low + high) / 2], ([-np.inf, 0.01, 0.0], [np.inf, 0.99, np.inf])
        data = self.amplitudes[near], self.centre[near], self.error[near]
        try:
            fit = least_squares(model, ["rest", "share", "largest"], data, begin, bounds)
        except FitError:
            between = Estimate(float(low + high) / 2, float(high - low) / np.sqrt(12), "full scale")
            return Estimate(self.plain, float(np.sum(self.error[:3] ** -2.0) ** -0.5), "MHz"), between
        left = 1 - fit["share"]
        by_width = fit["largest"] * fit["share"] / (left - left**3) * weight.sum() ** -0.5 / width
        error = float(np.hypot(fit.error("largest"), by_width))
        return fit.estimate("rest", "MHz"), Estimate(fit["largest"], error, "full scale")

    def _rest(self) -> tuple[float, float, float, bool]:
        """The weakest tone, the next one half as strong again, how far the dip moves between them, and if it rests."""
        other = min(int(np.searchsorted(self.amplitudes, 1.5 * self.amplitudes[0] * (1 - 1e-9))), len(self.centre) - 1)
        drift, noise = self.centre[other] - self.centre[0], 2 * np.hypot(self.error[0], self.error[other])
        rests = bool(abs(drift) - noise < FLAT * self.width)
        return float(self.amplitudes[0]), float(self.amplitudes[other]), float(drift), rests

    def _from_the_start(self, words: str, estimates: dict[str, Estimate], checks: tuple[Check, ...]) -> Report:
        """The weakest tone is too strong already: sweep weaker ones."""
        weaker = self.within_bounds(start=self.arguments["start"] / 4)
        if weaker["start"] < self.arguments["start"]:
            weaker = self.within_bounds(3, **weaker)
            diagnosis = "dip moves from the weakest tone on, sweep weaker"
            return Report("adjust", diagnosis, words, estimates, checks, weaker, cause="tones_too_strong")
        diagnosis = "dip moves at every amplitude; attenuate the line"
        return Report("wrong_setup", diagnosis, words, estimates, checks, cause="every_tone_too_strong")

    def _unmoved(self, words: str, estimates: dict[str, Estimate], checks: tuple[Check, ...]) -> Report:
        """The strongest tone does nothing: sweep stronger ones, or there is nothing to be shifted."""
        top = self.bench.device.limits.readout_amplitude[1]
        stop = min(self.within_bounds(stop=4 * self.arguments["stop"])["stop"], top)
        if stop > self.arguments["stop"]:
            stronger = {"stop": float(f"{stop:.3g}")}
            diagnosis = "dip does not move yet, sweep stronger"
            return Report("adjust", diagnosis, words, estimates, checks, stronger, cause="tones_too_weak")
        diagnosis = "dip does not move up to full scale: no qubit is coupled to it, or the line is attenuated too much"
        return Report("wrong_setup", diagnosis, words, estimates, checks, cause="dip_never_moves")

    def _unseen(self) -> Report:
        """Too few dips to say anything."""
        span = float(self.arguments["span"])
        checks = (Check("dip seen at four amplitudes or more", False, f"{len(self.seen)}"),)
        estimates = {"dips": Estimate(float(len(self.seen)), 0.0)}
        words = (
            f"Within {span / 2:g} MHz of the readout frequency a dip stands out at {len(self.seen)} amplitudes only."
        )
        more = self.within_bounds(shots=4 * self.arguments["shots"])
        if len(self.seen) and more["shots"] > self.arguments["shots"]:
            noisy = "dips drown in noise, more shots"
            return Report("bad_data", noisy, words, estimates, checks, more, cause="signal_in_noise")
        if span < 100:
            unseen, wider = "no dip in the sweep, search wider", self.within_bounds(span=3 * self.arguments["span"])
            return Report("adjust", unseen, words, estimates, checks, wider, cause="no_dip_in_sweep")
        diagnosis = "no resonator found; run resonator_spectroscopy"
        return Report("wrong_setup", diagnosis, words, estimates, checks, cause="no_resonator")

    @visual_inspection(
        """
        The figure shows a resonator power sweep: the transmission, by colour, against readout frequency (to the right)
        and readout amplitude (upwards, logarithmic), with a dot at the fitted dip of every amplitude, and a dashed
        line at the chosen amplitude.
        A good one has a dark vertical band at small amplitudes which bends to one side, to lower or higher frequency,
        towards the top; the dots follow the band, and the dashed line lies where the bend begins. A band that stays
        straight to the top, one that bends from the bottom on, one that leaves the figure, or no band are failures;
        say which one it is.
        A good measurement: Image("resonator_power_sweep_good.png")
        A failed one, the amplitudes are too small to move the dip: Image("resonator_power_sweep_bad.png")
        """
    )
    def plot(self) -> figures.Figure:
        """Transmission against frequency and amplitude, with the dips."""
        made, (axis,) = figures.figure(f"Resonator power sweep, {self.qubit}")
        x, amplitudes = self.data["detuning"], self.data["amplitude"]
        # colours from the middle of the data: the weakest tones are mostly noise
        low, high = np.percentile(self.data["transmission"], [1, 99])
        mesh = axis.pcolormesh(
            x, amplitudes, self.data["transmission"], cmap="viridis", vmin=low, vmax=high, shading="nearest"
        )
        axis.errorbar(
            self.centre, self.amplitudes, xerr=self.error, fmt="o", color="white", markersize=3.5,
            markeredgecolor=figures.BLACK, ecolor="white", label="dip",
        )  # fmt: skip
        report = self.report()
        if report.variables:
            axis.axhline(
                report.variables["largest_amplitude"], color="white", linestyle="--", label="largest amplitude"
            )
        axis.set_yscale("log")
        axis.set_xlim(x[0], x[-1])
        axis.set_xlabel(f"readout frequency − {self.settings.readout_frequency:.3f} MHz (MHz)")
        axis.set_ylabel("readout amplitude (full scale)")
        axis.legend(loc="lower left", fontsize=8.5, facecolor="0.35", labelcolor="white", framealpha=0.9)
        made.colorbar(mesh, ax=axis).set_label("transmission / amplitude (arb. units)")
        return made


def _plateau(centre: Array, error: Array) -> float:
    """Where the dip lies at small amplitudes: weighted mean of the weakest three tones that show it."""
    if not len(centre):
        return 0.0
    weight = 1 / error[:3] ** 2
    return float(np.sum(weight * centre[:3]) / np.sum(weight))
