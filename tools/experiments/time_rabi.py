"""Rabi oscillations: how strongly the drive turns the qubit, and the pulse amplitudes that follow."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import detuning_check, figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Judgement, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import CANNOT_TELL, causes_of, in_units, silent_report
from labwright.tools.experiments.fits import Array, Fit, fit_cosine, least_squares, shows_signal, swing
from labwright.tools.experiments.gates import gaussian_area, grid, half_turn, program
from labwright.tools.experiments.needs import LINE, READOUT
from labwright.tools.qpu.program import Operation, Pulse

CONTRAST = 0.2
FEWEST, MOST, WANTED = 3.0, 8.0, 5.0  # oscillations in the sweep
SHORTEST_STEP = 0.001  # us; the sample of a drive pulse
FEW = "too few oscillations, sweep longer or drive harder"
COARSE = 12.0  # points to an oscillation above which it cannot be a faster one, seen at too few points
FEWEST_SHOTS = 1000  # of the Gaussian pulses: few points have to give the amplitudes to 3 %
PULSES = np.linspace(0, 1.5, 25)  # amplitudes of Gaussian pulses that are tried, in those of the foretold pi pulse
ASTRAY = 0.3  # rad by which an oscillation may miss the phase of a qubit that starts in 0


LEAST_TURN, MOST_TURN = 0.7, 1.35  # of the foretold amplitude: what compression, 25 % at full scale, may ask for
TURNS = np.linspace(LEAST_TURN, MOST_TURN, 14)  # where the fit may begin
KEPT = 0.8  # of the contrast of the square pulses: a short pulse reaches farther off resonance, never less far
POOR = 3.0  # reduced chi square of one turn above which it is another curve
DETUNED = 2.0  # MHz: makes a pi pulse of 30 ns 0.7 % too weak
RESONANT = f"drive within {DETUNED:g} MHz of the qubit"


def one_turn(a: Array, low: float, contrast: float, amplitude_pi: float, amplitude_pi2: float) -> Array:
    """Fraction after a pulse of amplitude `a` that turns by k a - m a^3: pi and pi/2 at the two amplitudes."""
    m = (np.pi / amplitude_pi2 / 2 - np.pi / amplitude_pi) / (amplitude_pi**2 - amplitude_pi2**2)
    k = np.pi / amplitude_pi + m * amplitude_pi**2
    return np.asarray(low + contrast * (1 - np.cos(k * a - m * a**3)) / 2)


class Rabi(Experiment):
    """A square pulse of growing length; then the Gaussian pulses that follow from it, of growing amplitude."""

    name = "rabi"
    needs = (READOUT, LINE)
    arrays = (
        swept("duration", "us")
        | over("duration", "fraction", "error")
        | swept("pulse_amplitude", "full scale")
        | over("pulse_amplitude", "pulse_fraction", "pulse_error")
        | words("pair_of_pulses", *detuning_check.NAMES)
        | over("pair_of_pulses", "pair_fraction", "pair_error")
    )
    results = in_units("MHz", "rabi_rate", "detuning") | in_units(
        "", "contrast", "oscillations", "amplitude_pi", "amplitude_pi2"
    )
    summary_instructions = """
    The fit decides. A success shows a clear, regular oscillation (contrast above 0.2) with about five oscillations,
    three to eight, in the sweep; Gaussian pulses of the amplitudes that follow from it have to turn the qubit once, on
    resonance. Too many or too few oscillations ask for the proposed sweep, and so do points too few to exclude a faster
    oscillation. No oscillation, or pulses that disagree, mean that the drive is off resonance or far too weak: find the
    qubit first.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "poor_fit", "error_bar_too_wide", "too_few_oscillations",
        "too_many_oscillations", "points_too_far_apart", "drive_too_weak", "frequency_off",
        pulses_disagree="Gaussian pulses do not turn the qubit as far as the square ones foretell.",
    )  # fmt: skip
    writes = ("amplitude_pi", "amplitude_pi2")
    errors: ClassVar[dict[str, str]] = {"amplitude_pi2": "amplitude_pi"}

    def run(
        self,
        qubit: str,
        amplitude: Annotated[float, Quantity("full scale", 0.001, 1.0)] = 0.2,
        start: Annotated[float, Quantity("us", 0.002, 1.0)] = 0.01,
        stop: Annotated[float, Quantity("us", 0.01, 2.0)] = 0.3,
        step: Annotated[float, Quantity("us", 0.001, 0.1)] = 0.002,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        update: bool = True,
    ) -> None:
        """Rabi experiment: measures the Rabi rate of the drive and sets the amplitudes of the pi and pi/2 pulses.

        Use it for a first, rough amplitude calibration of the single-qubit gate pulses, to find the Rabi frequency or
        drive strength, or to see whether the qubit can be driven at all. Plays one square pulse of fixed amplitude
        and sweeps its length (pulse width, time Rabi); then Gaussian pulses up to one and a half times the amplitude
        that follows, which the drive may compress, and pairs of pulses that show a detuned drive. Fine calibration is
        the work of amplitude_pingpong.

        Asked for as: Rabi, Rabi oscillations, length Rabi, time Rabi, Rabi rate, Rabi frequency, Rabi flopping,
        pi pulse amplitude, coarse amplitude, coarse pulse amplitude calibration, drive strength, pulse amplitude,
        amplitude calibration, gate amplitude.

        Not for: amplitude Rabi, power Rabi, fine amplitude, ping-pong, error amplification.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            amplitude: drive amplitude (amp) of the square pulse in units of full scale. Default 0.2.
            start: shortest pulse (start time) in us. Default 0.01.
            stop: longest pulse (stop time) in us. Default 0.3.
            step: step between pulse lengths (step size) in us. Default 0.002.
            shots: repetitions of every point. Default 1000.
            update: whether to write the amplitudes of the pi and pi/2 pulses to the settings. Default True.

        Raises:
            InputError: an argument is out of bounds, or the sweep has fewer than 10 points.
        """
        self.settings = self.bench.settings(qubit)
        t = grid(start, stop, step, "us")
        squares: list[list[Operation]] = [[Pulse(amplitude, float(d), "square")] for d in t]
        fraction, error = self.bench.fractions(program(qubit, squares, shots))
        self.data = {"duration": t, "fraction": fraction, "error": error}
        self.fit()
        top = self.bench.device.limits.amplitude[1]
        if self.fitted is not None and self._judge(self._square_checks(self.fitted)).verdict == "success":
            self._try_pulses(min(self._foretold(self.fitted), top / PULSES[-1]))
            self.fit()

    def _try_pulses(self, amplitude: float) -> None:
        """Gaussian pulses up to and beyond `amplitude`, and pairs of pi/2 pulses in both orders."""
        amplitudes = amplitude * PULSES
        plain = half_turn(self.settings)
        powers: list[list[Operation]] = [[replace(plain, amplitude=float(a))] if a else [] for a in amplitudes]
        pairs = detuning_check.orders(self.settings.changed({"amplitude_pi2": amplitude / 2}))
        shots = max(int(self.arguments["shots"]), FEWEST_SHOTS)
        fraction, error = self.bench.fractions(program(self.qubit, powers + pairs, shots))
        self.data |= {"pulse_amplitude": amplitudes, "pulse_fraction": fraction[: len(PULSES)]}
        self.data |= {"pulse_error": error[: len(PULSES)], "pair_fraction": fraction[len(PULSES) :]}
        self.data["pair_error"] = error[len(PULSES) :]

    def expected_acquisitions(self) -> float:
        """The square pulses, then a sweep of Gaussian ones and the pairs."""
        points = (self.arguments["stop"] - self.arguments["start"]) / self.arguments["step"]
        return float(1 + (len(PULSES) + len(detuning_check.NAMES)) / points)

    def fit(self) -> None:
        """Fit a decaying cosine to the square pulses, and one turn to the Gaussian ones; None where nothing is seen."""
        t, y, sigma = self.data["duration"], self.data["fraction"], self.data["error"]
        self.fitted: Fit | None = None
        self.pulses: Fit | None = None
        if not shows_signal(y, sigma):
            return
        try:
            self.fitted = fit_cosine(t, y, sigma)
            if "pulse_amplitude" in self.data:
                a = self.data["pulse_amplitude"]
                y, error = self.data["pulse_fraction"], self.data["pulse_error"]
                data, height = (a, y, error), float(np.ptp(y)) * (1 if y[0] < y.mean() else -1)
                tried = [[y[0], height, turn, 0.49 * turn] for turn in float(a[-1] / PULSES[-1]) * TURNS]
                start = min(tried, key=lambda values: float((((y - one_turn(a, *values)) / error) ** 2).sum()))
                names = ["low", "contrast", "amplitude_pi", "amplitude_pi2"]
                self.pulses = least_squares(one_turn, names, data, start)
        except FitError:
            return

    def _foretold(self, fit: Fit) -> float:
        """The amplitude of a Gaussian pi pulse if the drive were linear."""
        return float(self.arguments["amplitude"]) / (2 * fit["frequency"] * gaussian_area(self.settings.pulse_duration))

    def report(self) -> Report:
        """Rabi rate, contrast, number of oscillations and the pulse amplitudes they ask for, judged."""
        if self.fitted is None or 2 * self.fitted["amplitude"] < CONTRAST:
            return self._unseen()
        fit = self.fitted
        rate, error = fit["frequency"], fit.error("frequency")
        count = self._count(fit)
        foretold = self._foretold(fit)
        estimates = {
            "rabi_rate": Estimate(rate, error, "MHz"),
            "contrast": Estimate(2 * fit["amplitude"], 2 * fit.error("amplitude")),
            "oscillations": Estimate(count, count * error / rate),
        }
        analysis = (
            f"At amplitude {self.arguments['amplitude']:g} the Rabi rate is {rate:.4f} +- {error:.4f} MHz, or"
            f" {rate / self.arguments['amplitude']:.2f} MHz per full scale, with a contrast of"
            f" {2 * fit['amplitude']:.3f}. The sweep holds {count:.2f} oscillations. A linear drive would need"
            f" {foretold:.4f} for a Gaussian pi pulse of {self.settings.pulse_duration:g} us."
        )
        checks = self._square_checks(fit)
        updates = {}
        if "pulse_amplitude" in self.data:
            found, more = self._pulse_checks(fit, foretold)
            checks, estimates = checks + more, estimates | found
            updates = {name: found[name].value for name in self.writes if name in found}
            analysis += "".join(
                f" {name} is {e.value:.4f} +- {e.error:.4f} {e.unit}".rstrip() + "." for name, e in found.items()
            )
        judged = self._judge(checks)
        updates = updates if judged.verdict == "success" else {}
        return judged.report(analysis, estimates, checks, updates)

    @staticmethod
    def _count(fit: Fit) -> float:
        return fit["frequency"] * float(fit.x[-1] - fit.x[0])

    def _square_checks(self, fit: Fit) -> tuple[Check, ...]:
        """What the square pulses have to show before Gaussian ones are tried."""
        count, share, foretold = self._count(fit), fit.error("frequency") / fit["frequency"], self._foretold(fit)
        top = self.bench.device.limits.amplitude[1]
        return (
            Check("contrast above 0.2", True, f"{2 * fit['amplitude']:.3f}"),
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("between 3 and 8 oscillations", FEWEST <= count <= MOST, f"{count:.2f}"),
            Check("Rabi rate known to 1 %", share < 0.01, f"{100 * share:.2f} %"),
            Check("points close enough", not self._folded(fit), f"{self._points_a_period(fit):.1f} an oscillation"),
            Check("pi pulse within the hardware's limit", foretold <= top, f"{foretold:.4f} of {top:g}"),
        )

    def _pulse_checks(self, fit: Fit, foretold: float) -> tuple[dict[str, Estimate], tuple[Check, ...]]:
        """What the Gaussian pulses say: their amplitudes and the drive's detuning, and whether both can be trusted."""
        found: dict[str, Estimate] = {}
        pulses = self.pulses
        agrees = False
        detail = "no turn fits"
        if pulses is not None and pulses["contrast"] > 0:
            share, kept = pulses["amplitude_pi"] / foretold, pulses["contrast"] / (2 * fit["amplitude"])
            sound = pulses.reduced_chi_square < POOR or pulses.r_squared > 0.98
            agrees = LEAST_TURN < share < MOST_TURN and kept > KEPT and sound
            detail = (
                f"pi at {share:.2f} of the foretold amplitude, {kept:.2f} of the contrast, reduced chi square"
                f" {pulses.reduced_chi_square:.1f}"
            )
            # where the cubic leaves something out, and the residuals show it, that is added to the errors
            shown = pulses.reduced_chi_square > 1 + 2 * np.sqrt(2 / (len(pulses.y) - len(pulses.values)))
            more = pulses.reduced_chi_square**0.5 if shown else 1.0
            found = {name: Estimate(pulses[name], more * pulses.error(name)) for name in self.writes}
        checks = [Check("Gaussian pulses turn as foretold", agrees, detail)]
        if agrees and pulses is not None:
            worst = max(e.error / e.value for e in found.values())
            checks.append(Check("amplitudes known to 3 %", worst < 0.03, f"{100 * worst:.2f} %"))
        contrast = 2 * fit["amplitude"] if pulses is None else pulses["contrast"]
        found["detuning"] = detuning_check.detuning(
            self.data["pair_fraction"], self.data["pair_error"], contrast, self.settings
        )
        return found, (*checks, detuning_check.on_resonance(found["detuning"], DETUNED))

    def _judge(self, checks: tuple[Check, ...]) -> Judgement:
        """Verdict, cause and proposed parameters, the first reason first."""
        assert self.fitted is not None
        passed = {check.name: check.passed for check in checks}
        rate, count = self.fitted["frequency"], self._count(self.fitted)
        if not passed["residuals are noise"]:
            return Judgement("bad_data", "the oscillation is not a single decaying cosine; measure again", "poor_fit")
        if not passed["points close enough"]:
            diagnosis = "points too far apart, the oscillation may be a faster one; step more finely"
            return Judgement("adjust", diagnosis, "points_too_far_apart", self._finer())
        if count > MOST:
            shorter = self._swept(rate)
            return Judgement("adjust", "too many oscillations, sweep shorter", "too_many_oscillations", shorter)
        if count < FEWEST:
            return Judgement("adjust", FEW, "too_few_oscillations", self._swept(rate))
        if not passed["pi pulse within the hardware's limit"]:
            if self._points_a_period(self.fitted) < COARSE:
                slow = "too slow for a pi pulse within the limit, or a faster one between few points; step more finely"
                return Judgement("adjust", slow, "points_too_far_apart", self._finer())
            return Judgement("wrong_setup", "drive too weak for a pi pulse of this duration", "drive_too_weak")
        if not passed["Rabi rate known to 1 %"]:
            more = self.within_bounds(shots=3 * self.arguments["shots"])
            return Judgement("bad_data", "Rabi rate not precise enough; take more shots", "error_bar_too_wide", more)
        if self.pulses is not None and self.pulses["contrast"] < 0:
            return Judgement("wrong_setup", f"a qubit at rest reads 1: {CANNOT_TELL}", "readout_unresolved")
        detail = {check.name: check.detail for check in checks}
        if not passed.get(RESONANT, True):
            off = f"drive off by {detail[RESONANT]}; run ramsey or qubit_spectroscopy first"
            return Judgement("wrong_setup", off, "frequency_off")
        if not passed.get("Gaussian pulses turn as foretold", True):
            finer = self._finer() if self._points_a_period(self.fitted) < COARSE else {}
            disagree = f"Gaussian pulses disagree with the square ones: {detail['Gaussian pulses turn as foretold']}"
            return Judgement("adjust" if finer else "wrong_setup", disagree, "pulses_disagree", finer)
        if not passed.get("amplitudes known to 3 %", True):
            more = self.within_bounds(shots=4 * self.arguments["shots"])
            return Judgement("bad_data", "amplitudes not precise enough; take more shots", "error_bar_too_wide", more)
        return Judgement("success", "clear Rabi oscillations")

    @staticmethod
    def _points_a_period(fit: Fit) -> float:
        return 1 / (fit["frequency"] * float(np.min(np.diff(fit.x))))

    def _folded(self, fit: Fit) -> bool:
        """Whether the oscillation may be a faster one that the points are too few to show.

        Near two points a period nobody can tell. With a few more, a folded oscillation betrays itself by its phase: the
        qubit starts in 0, so that the true one is at its trough for a pulse of no length.
        """
        points = self._points_a_period(fit)
        astray = abs(float(np.angle(-np.exp(1j * fit["phase"]))))
        return points < 3 or (points < COARSE and astray > ASTRAY + 4 * fit.error("phase"))

    def _finer(self) -> dict[str, float]:
        """A quarter of the step, and half the sweep so that the points do not become too many."""
        start, step = self.arguments["start"], max(SHORTEST_STEP, round(self.arguments["step"] / 4, 4))
        stop = start + (self.arguments["stop"] - start) / 2
        return self.within_bounds(step=step) | self.within_bounds(4, stop=stop)

    def _swept(self, rate: float) -> dict[str, float]:
        """Five oscillations in about 100 points; a weaker or stronger drive where the pulse length cannot do it."""
        start, span = self.arguments["start"], WANTED / rate
        stop = self.within_bounds(stop=start + span)["stop"]
        if span < 30 * SHORTEST_STEP or stop < start + span:
            gain = (self.arguments["stop"] - start) * rate / WANTED
            return self.within_bounds(4, amplitude=self.arguments["amplitude"] / gain)
        step = self.within_bounds(step=max(SHORTEST_STEP, round(span / 100, 3)))
        return self.within_bounds(4, stop=stop) | step

    def _unseen(self) -> Report:
        """What to say when there is no oscillation worth the name."""
        contrast = 0.0 if self.fitted is None else 2 * self.fitted["amplitude"]
        checks = (Check("contrast above 0.2", False, f"{contrast:.3f}"),)
        y = self.data["fraction"]
        error = float(2 * self.data["error"].mean() / np.sqrt(len(y) / 2))
        estimates = {"contrast": Estimate(contrast, error)}
        if shows_signal(y, self.data["error"]) and swing(y) > CONTRAST:
            slow = 0.25 / (self.arguments["stop"] - self.arguments["start"])  # a quarter of an oscillation, a guess
            words = f"The fraction changes by {swing(y):.2f} over the sweep, less than half an oscillation."
            cause, longer = "too_few_oscillations", self._swept(slow)
            return Report("adjust", FEW, words, estimates, checks, longer, cause=cause)
        idle = float(y.mean() if self.fitted is None else self.fitted["offset"] - self.fitted["amplitude"])
        words = f"The contrast is {contrast:.3f}, below {CONTRAST:g}; the mean fraction is {y.mean():.3f}."
        return silent_report(idle, words, estimates, checks)

    @visual_inspection(
        """
        The figure shows Rabi oscillations: the fraction of shots read as 1 against the length of a square drive
        pulse, with error bars, a fitted cosine, and residuals below in units of their error.
        Judge in this order. Is there one regular oscillation that starts near its minimum, at least 0.2 high from
        trough to crest? Does the curve follow the points from the first to the last, with residuals that scatter
        about zero? Are there roughly five oscillations, three to eight? A flat line, a fraction of an oscillation,
        or so many that the points no longer draw each one are failures; say which one it is.
        A good measurement: Image("rabi_good.png")
        A failed one, the drive does not reach the qubit: Image("rabi_bad.png")
        """
    )
    def plot(self) -> figures.Figure:
        """Fraction read as 1 against pulse length, with fit and residuals."""
        title = f"Rabi, {self.qubit}, amplitude {self.arguments['amplitude']:g}"
        points, text, fit = (self.data["duration"], self.data["fraction"], self.data["error"]), "", self.fitted
        if fit is not None:
            text = f"Rabi rate {fit['frequency']:.3f} ± {fit.error('frequency'):.3f} MHz\n"
            text += f"contrast {2 * fit['amplitude']:.3f}, reduced $\\chi^2$ {fit.reduced_chi_square:.2f}"
        return figures.curve(title, r"pulse length ($\mu$s)", "fraction read as 1", points, fit, text, 0.28)
