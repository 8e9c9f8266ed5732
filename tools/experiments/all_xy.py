"""AllXY: 21 pairs of pulses whose staircase shows which calibration is off."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.allxy_model import IDEAL, NAMES, PAIRS, pattern, staircase
from labwright.tools.experiments.array_labels import over
from labwright.tools.experiments.base import Check, Estimate, Experiment, Judgement, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units, silent_report
from labwright.tools.experiments.fits import Array, Fit, least_squares
from labwright.tools.experiments.gates import gate, program
from labwright.tools.experiments.needs import LINE, PULSE, READOUT

CONTRAST = 0.2
LARGEST = 0.03  # deviation of a step, in populations, that a calibrated qubit may show
CERTAIN = 3.0  # errors by which a parameter must differ from zero to be blamed
COARSE = 0.1  # amplitude error above which ping-pong cannot be trusted
SHORT = {"I": "I", "X90": "x", "Y90": "y", "X180": "X", "Y180": "Y"}
NEXT = {
    "amplitude": "amplitude_pingpong",
    "detuning": "ramsey",
    "shift": "drag_calibration",
}
CAUSE = {"amplitude": "amplitude_off", "detuning": "frequency_off", "shift": "drag_off"}
SPOKEN = {"amplitude": "pulse amplitude", "detuning": "drive frequency", "shift": "DRAG coefficient"}


class AllXY(Experiment):
    """All pairs of X and Y pulses that should end in 0, half-way, or in 1."""

    name = "all_xy"
    needs = (READOUT, LINE, PULSE)
    arrays = over("repetition pulses", "fraction", "error")
    results = in_units("", "amplitude_error", "deviation") | in_units("MHz", "detuning", "drag_shift")
    summary_instructions = """
    The fit of the pattern decides: a staircase of three flat steps whose deviations stay below 0.03 is a success. A
    deviation names its cause (pulse amplitude, drive frequency or DRAG coefficient) and the experiment that mends it.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "poor_fit", "amplitude_far_off", "frequency_off",
        amplitude_off="The pulse amplitude is off, by little enough for ping-pong.",
        drag_off="The DRAG coefficient is off.",
        cause_uncertain="The steps are bent, but it takes more shots to tell by what.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        repetitions: Annotated[int, Quantity("", 1, 20)] = 2,
        shots: Annotated[int, Quantity("", 100, 20000)] = 2000,
    ) -> None:
        """AllXY: plays 21 pairs of pulses and tells from their staircase which gate parameter is wrong.

        Use it as a quick check of the single-qubit gates after a calibration, or to diagnose gates that benchmark
        badly. Every pair of I, X90, Y90, X180 and Y180 that should end in 0, in the middle or in 1 is played; errors of
        amplitude, frequency and DRAG coefficient each bend the staircase in their own way. It changes nothing and
        names the experiment that has to come next. A drive three times too strong makes three half turns and looks
        right here; rabi tells it.

        Asked for as: AllXY, all XY, allxy staircase, XY staircase, gate error diagnosis, diagnose gate errors,
        gate check, gate syndrome.

        Not for: randomized benchmarking, ping-pong, DRAG calibration.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            repetitions: number of times that every pair is played in one run. Default 2.
            shots: repetitions (shots) of every point. Default 2000.
        """
        self.settings = self.bench.settings(qubit)
        pairs = [[gate(self.settings, first), gate(self.settings, second)] for first, second in PAIRS]
        fraction, error = self.bench.fractions(program(qubit, pairs * repetitions, shots))
        self.data = {"fraction": fraction.reshape(repetitions, -1), "error": error.reshape(repetitions, -1)}
        self.fit()

    def fit(self) -> None:
        """Fit levels and the three errors to all points; `fitted` is None where there is no staircase."""
        index = np.tile(np.arange(float(len(PAIRS))), len(self.data["fraction"]))
        y, sigma = self.data["fraction"].ravel(), self.data["error"].ravel()
        mean = self.data["fraction"].mean(axis=0)
        low, high = float(mean[IDEAL == 0].mean()), float(mean[IDEAL == 1].mean())
        self.fitted: Fit | None = None
        self.low, self.contrast = low, high - low
        if self.contrast < CONTRAST:
            return
        try:
            start = [low, self.contrast, 0.0, 0.0, 0.0]
            limits = ([-0.5, CONTRAST / 2, -0.5, -0.2, -0.2], [1.0, 1.5, 0.5, 0.2, 0.2])
            self.fitted = least_squares(pattern, NAMES, (index, y, sigma), start, limits)
        except FitError:
            return

    def report(self) -> Report:
        """The three errors that explain the staircase, and what they make of it."""
        if self.fitted is None:
            return self._unseen()
        fit, length = self.fitted, self.settings.pulse_duration
        bent = self._bent()
        largest = max(bent.values())
        worst = float(np.abs(self._whole() - IDEAL).max())
        checks = (
            Check("contrast above 0.2", True, f"{fit['contrast']:.3f}"),
            Check("three errors explain the pattern", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("steps flat to 0.03", worst < LARGEST, f"{worst:.4f} of the contrast"),
        )
        scale = {"amplitude": (1.0, ""), "detuning": (1 / length, "MHz"), "shift": (1 / length, "MHz")}
        estimates = {
            {"amplitude": "amplitude_error", "shift": "drag_shift"}.get(name, name): Estimate(
                fit[name] * factor, fit.error(name) * factor, unit
            )
            for name, (factor, unit) in scale.items()
        }
        estimates["deviation"] = Estimate(worst, float(self.data["error"].mean() / fit["contrast"]))
        analysis = (
            f"The steps deviate by up to {worst:.4f} of the contrast of {fit['contrast']:.3f}. The pattern reads as an"
            f" amplitude error of {100 * fit['amplitude']:+.2f} +- {100 * fit.error('amplitude'):.2f} %, a detuning of"
            f" {fit['detuning'] / length:+.3f} +- {fit.error('detuning') / length:.3f} MHz and a shift under drive of"
            f" {fit['shift'] / length:+.3f} +- {fit.error('shift') / length:.3f} MHz, of which the largest bends a step"
            f" by {largest:.4f}."
        )
        return self._judge(checks, bent).report(analysis, estimates, checks)

    def _judge(self, checks: tuple[Check, ...], bent: dict[str, float]) -> Judgement:
        """Verdict, cause and proposed parameters, the first reason first."""
        assert self.fitted is not None
        if not checks[1].passed:
            diagnosis = "no error of amplitude, frequency or DRAG explains the pattern; measure again"
            return Judgement("bad_data", diagnosis, "poor_fit")
        if checks[2].passed:
            return Judgement("success", "staircase of three flat steps")
        culprit = max(bent, key=lambda name: bent[name])
        if abs(self.fitted[culprit]) < CERTAIN * self.fitted.error(culprit):
            more = self.within_bounds(shots=4 * self.arguments["shots"])
            diagnosis = "steps bent, but the cause is not certain; more shots"
            return Judgement("adjust", diagnosis, "cause_uncertain", more)
        far = culprit == "amplitude" and abs(self.fitted[culprit]) > COARSE
        cure, cause = ("rabi", "amplitude_far_off") if far else (NEXT[culprit], CAUSE[culprit])
        return Judgement("wrong_setup", f"{SPOKEN[culprit]} is off; run {cure}", cause)

    def _whole(self) -> Array:
        assert self.fitted is not None
        return staircase(self.fitted["amplitude"], self.fitted["detuning"], self.fitted["shift"], 1.0)

    def _bent(self) -> dict[str, float]:
        """Largest deviation of a step that each error causes alone, in populations."""
        assert self.fitted is not None
        alone = {name: {"amplitude": 0.0, "detuning": 0.0, "shift": 0.0, name: self.fitted[name]} for name in NEXT}
        return {name: float(np.abs(staircase(**values, duration=1.0) - IDEAL).max()) for name, values in alone.items()}

    def _unseen(self) -> Report:
        """No staircase: nothing turns the qubit, or the readout cannot tell."""
        checks = (Check("contrast above 0.2", False, f"{self.contrast:.3f}"),)
        estimates = {"contrast": Estimate(self.contrast, float(self.data["error"].mean() / 2))}
        words = f"Between the pairs that should end in 0 and in 1 the fraction rises by {self.contrast:.3f}."
        return silent_report(self.low, words, estimates, checks)

    @visual_inspection(
        """
        The figure shows AllXY: the fraction of shots read as 1 for 21 pairs of pulses, in the order of the field, with
        error bars, a grey staircase of three steps (five pairs low, twelve in the middle, four high), a fitted curve,
        and the deviation of each pair from its step below, in units of its error.
        A good one has all points of a step on one level, within their error bars. Points of the middle step that
        alternate or split, a first or last step that is not flat, or points without any step are failures; say which
        one it is.
        A good measurement: Image("all_xy_good.png")
        A failed one, the drive frequency is off: Image("all_xy_bad.png")
        """
    )
    def plot(self) -> figures.Figure:
        """Fraction read as 1 of every pair, with the ideal staircase and the fitted pattern."""
        made, main, below = figures.with_residuals(
            f"AllXY, {self.qubit}", "pair of pulses (first, second; capitals: π)", "fraction read as 1"
        )
        x = np.arange(float(len(PAIRS)))
        fit = self.fitted
        low, contrast = (fit["low"], fit["contrast"]) if fit is not None else (self.low, self.contrast)
        main.step(x, low + contrast * IDEAL, where="mid", color="0.6", linewidth=1.2, label="ideal")
        below.axhspan(-2, 2, color="0.92", zorder=0)
        for row, (fraction, error) in enumerate(zip(self.data["fraction"], self.data["error"], strict=True)):
            figures.data(main, x, fraction, error, "" if row else "data")
            below.plot(x, (fraction - low - contrast * IDEAL) / error, "o", color=figures.BLUE, markersize=2.8)
        if fit is not None:
            main.plot(x, low + contrast * self._whole(), color=figures.VERMILION, linewidth=1.2, label="fit")
            note = f"amplitude {100 * fit['amplitude']:+.2f} %, "
            note += f"detuning {fit['detuning'] / self.settings.pulse_duration:+.3f} MHz, "
            note += f"shift {fit['shift'] / self.settings.pulse_duration:+.3f} MHz"
            figures.note(main, note, "lower right")
        figures.headroom(main, 0.1)
        below.set_ylabel("off the step / $\\sigma$")
        below.set_xticks(x, [SHORT[first] + SHORT[second] for first, second in PAIRS], fontsize=7)
        main.legend(loc="upper left", frameon=False)
        return made
