"""DRAG calibration: the derivative that keeps a short pulse from twisting the phase."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np

from labwright.tools.errors import FitError, InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Judgement, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, least_squares, shows_signal
from labwright.tools.experiments.fringes import detuning, quarters
from labwright.tools.experiments.gates import half_turn, program, quarter_turn
from labwright.tools.experiments.needs import HOUR, PULSES, Need
from labwright.tools.qpu.program import Operation
from labwright.tools.qpu.settings import QubitSettings

START, STOP = -0.5, 2.0
PRECISION = 0.03
DETUNED = 0.05  # MHz of the drive that move the crossing by about 0.025
ALIAS = 0.05  # of the raw fraction by which single pairs may part where amplified trains cross
DELAYS = (0.01, 0.03, 0.1, 0.4, 1.6)  # us; the first two tell detunings up to 25 MHz
STEEPEST = 0.12  # change of the raw fraction over half the sweep below which the lines cannot be told apart


class DragCalibration(Experiment):
    """Two pulse trains that a phase error drives apart, against the DRAG coefficient, and pulses apart in time.

    A detuned drive turns the qubit during the pulses as a wrong coefficient does; it also turns it between them.
    """

    name = "drag_calibration"
    # 0.1 MHz moves the optimum by 0.03, twice its own error; 5 % of amplitude by nothing that is seen
    needs = (Need(("frequency",), HOUR, 0.05), Need(PULSES, HOUR, 0.05, relative=True))
    arrays = (
        swept("drag")
        | words("train", "+Y", "-Y")
        | over("train drag", "fraction", "error")
        | swept("delay", "us")
        | words("phase", "X", "Y", "-X", "-Y")
        | over("delay phase", "control", "control_error")
        | swept("coarse")
        | over("train coarse", "single", "single_error")
    )
    results = in_units("", "optimum", "slope_1", "slope_2") | in_units("MHz", "detuning")
    summary_instructions = """
    The fit decides: two straight lines with clearly different slopes, whose crossing, the optimal DRAG coefficient,
    lies in the central half of the sweep, on a drive that is on resonance to 50 kHz. A crossing nearer the edge or
    outside asks for the proposed sweep; a detuned drive for ramsey.
    """
    causes = causes_of(
        "no_contrast", "poor_fit", "error_bar_too_wide",
        optimum_outside_sweep="The lines cross outside the central half of the sweep.",
        lines_curved="The lines are curved: the trains amplify too much, or the sweep is too wide.",
        sweep_too_narrow="The lines do not part in a sweep so narrow.",
        detuned_drive="The drive is off resonance, which looks like a wrong coefficient: ramsey comes first.",
        wrong_crossing="The lines cross turns away from the optimum.",
    )  # fmt: skip
    writes = ("drag",)
    errors: ClassVar[dict[str, str]] = {"drag": "optimum"}

    def run(
        self,
        qubit: str,
        start: Annotated[float, Quantity("", -10.0, 10.0)] = START,
        stop: Annotated[float, Quantity("", -10.0, 10.0)] = STOP,
        points: Annotated[int, Quantity("", 7, 201)] = 21,
        repetitions: Annotated[int, Quantity("", 1, 20)] = 1,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        update: bool = True,
    ) -> None:
        """DRAG calibration: finds the DRAG coefficient that removes phase errors of the single-qubit gate pulses.

        Use it to calibrate or optimise the DRAG parameter (derivative removal by adiabatic gate, quadrature
        correction, alpha or beta) after frequency and amplitude are calibrated. Sweeps the coefficient in two pulse
        trains whose populations follow lines of opposite slope; the lines cross at the optimum. Two pi/2 pulses some
        time apart tell whether the drive is detuned, which would move the crossing; then nothing is written.

        Asked for as: DRAG, DRAG calibration, DRAG coefficient, DRAG parameter, derivative removal, leakage and
        phase errors of the pulses.

        Not for: randomized benchmarking.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            start: smallest DRAG coefficient of the sweep, dimensionless. Default -0.5.
            stop: largest DRAG coefficient of the sweep, dimensionless. Default 2.
            points: number of coefficients (num). Default 21.
            repetitions: number N of repeated pulse pairs, which amplify the error. Default 1.
            shots: repetitions of every point. Default 1000.
            update: whether to write the DRAG coefficient to the settings. Default True.

        Raises:
            InputError: an argument is out of bounds, or `stop` is not above `start`.
        """
        if stop <= start:
            raise InputError(f"Argument `stop` must be above `start` ({start:g}), but is {stop:g}. Widen the sweep.")
        self.settings = self.bench.settings(qubit)
        swept = np.linspace(start, stop, points)
        coarse = np.linspace(start, stop, 3) if repetitions > 1 else np.empty(0)
        trains = [_train(self.settings, float(d), phase, repetitions) for phase in (0.5, 1.5) for d in swept]
        single = [_train(self.settings, float(d), phase, 1) for phase in (0.5, 1.5) for d in coarse]
        played = program(qubit, [*trains, *single, *quarters(self.settings, DELAYS)], shots)
        parts = (2 * points, 2 * points + len(single))
        read, errors = self.bench.fractions(played)
        fraction, one, control = np.split(read, parts)
        error, one_error, control_error = np.split(errors, parts)
        self.data = {
            "drag": swept,
            "fraction": fraction.reshape(2, points),
            "error": error.reshape(2, points),
            "delay": np.array(DELAYS),
            "control": control.reshape(-1, 4),
            "control_error": control_error.reshape(-1, 4),
        }
        if repetitions > 1:
            self.data |= {"coarse": coarse, "single": one.reshape(2, -1), "single_error": one_error.reshape(2, -1)}
        self.fit()

    def fit(self) -> None:
        """Fit two nearly straight lines through a common point; `fitted` is None where they are parallel."""
        x, y, sigma = self.data["drag"], self.data["fraction"], self.data["error"]
        control, control_error = self.data["control"].ravel(), self.data["control_error"].ravel()
        self.detuning = Estimate(*detuning(control, control_error, DELAYS)[:2], "MHz")
        self.fitted: Fit | None = None
        slopes, levels = np.polyfit(x, y.T, 1)
        if slopes[0] == slopes[1]:
            return
        crossing = (levels[1] - levels[0]) / (slopes[0] - slopes[1])
        # the first half of the abscissa belongs to the first line, the second half, shifted, to the second
        both = np.concatenate([x, x + _shift(x)])
        start = [levels[0] + slopes[0] * crossing, crossing, slopes[0], slopes[1], 0.0]
        shift, top = _shift(x), x[-1]

        def lines(at: Array, level: float, optimum: float, first: float, second: float, bend: float) -> Array:
            on_first = at <= top
            drag = np.where(on_first, at, at - shift) - optimum
            square = (
                bend * drag**2
            )  # sin(k d) / k with k^2 = bend, as a population follows a turn; also for bend near 0
            return level + np.where(on_first, first, second) * drag * (1 - square / 6 + square**2 / 120)

        try:
            names = ["level", "optimum", "slope_1", "slope_2", "bend"]
            self.fitted = least_squares(lines, names, (both, y.ravel(), sigma.ravel()), start)
        except FitError:
            return

    def report(self) -> Report:
        """The optimal DRAG coefficient, where it lies in the sweep, and how well the lines fit."""
        start, stop = float(self.arguments["start"]), float(self.arguments["stop"])
        rise = 0.0 if self.fitted is None else abs(self.fitted["slope_1"] - self.fitted["slope_2"]) * (stop - start) / 2
        if self.fitted is None or rise < STEEPEST:
            return self._parallel(rise)
        fit = self.fitted
        optimum, error = fit["optimum"], fit.error("optimum")
        middle, quarter = (start + stop) / 2, (stop - start) / 4
        checks = (
            Check("lines of different slope", True, f"{fit['slope_1']:.3f} and {fit['slope_2']:.3f}"),
            Check("drive on resonance to 50 kHz", abs(self.detuning.value) < DETUNED, _in_khz(self.detuning)),
            Check("detuning known to 25 kHz", self.detuning.error < DETUNED / 2, _in_khz(self.detuning)),
            Check("lines cross where the optimum is", *self._at_optimum(fit)),
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("optimum in the sweep's central half", abs(optimum - middle) <= quarter, f"{optimum:.3f}"),
            Check("optimum known to 0.03", error < PRECISION, f"{error:.3f}"),
        )
        judged = self._judge(checks, optimum)
        where = "within" if abs(optimum - middle) <= quarter else "outside"
        analysis = (
            f"The lines cross at a DRAG coefficient of {optimum:.4f} +- {error:.4f}, {where} the central half of the"
            f" sweep from {start:g} to {stop:g}. Their slopes are {fit['slope_1']:.3f} and {fit['slope_2']:.3f}."
            f" The drive is {_in_khz(self.detuning)} off resonance."
        )
        estimates = {name: fit.estimate(name) for name in ("optimum", "slope_1", "slope_2")}
        estimates["detuning"] = self.detuning
        updates = {"drag": optimum} if judged.verdict == "success" else {}
        return judged.report(analysis, estimates, checks, updates)

    def _judge(self, checks: tuple[Check, ...], optimum: float) -> Judgement:
        assert self.fitted is not None
        passed = {check.name: check.passed for check in checks}
        arguments, scatter = self.arguments, f"reduced chi square {self.fitted.reduced_chi_square:.2f}"
        start, stop = float(arguments["start"]), float(arguments["stop"])
        if not passed["drive on resonance to 50 kHz"]:
            diagnosis = f"drive is {_in_khz(self.detuning)} off resonance, which shifts the crossing; run ramsey first"
            return Judgement("wrong_setup", diagnosis, "detuned_drive")
        if not passed["residuals are noise"] and self._bent() and arguments["repetitions"] > 1:
            fewer: dict[str, float] = {"repetitions": int(arguments["repetitions"]) // 2}
            return Judgement("adjust", f"the lines are curved, {scatter}, amplify less", "lines_curved", fewer)
        if not passed["lines cross where the optimum is"]:
            said = next(check.detail for check in checks if not check.passed)
            usual = {"start": START, "stop": STOP, "repetitions": 1}
            hopeless = all(arguments[name] == value for name, value in usual.items())
            return Judgement(
                "wrong_setup" if hopeless else "adjust", f"the lines cross turns away from the optimum: {said}",
                "wrong_crossing", {} if hopeless else usual,
            )  # fmt: skip
        if not passed["optimum in the sweep's central half"]:
            # a crossing far outside is extrapolated, so the sweep moves by its own length at most
            centre = float(np.clip(optimum, start - (stop - start) / 2, stop + (stop - start) / 2))
            half = (stop - start) / 2
            moved = self.within_bounds(start=centre - half, stop=centre + half)
            proposal = {name: round(value, 3) for name, value in moved.items()}
            diagnosis = f"optimum {optimum:.3f} outside the central half of the sweep, shift it"
            return Judgement("adjust", diagnosis, "optimum_outside_sweep", proposal)
        if not passed["residuals are noise"] and not self._bent():
            diagnosis = f"the points scatter more than their shots explain, {scatter}"
            return Judgement("bad_data", diagnosis, "poor_fit", self._more_shots())
        if not passed["residuals are noise"]:
            half = (stop - start) / 3
            proposal = {"start": round(optimum - half, 3), "stop": round(optimum + half, 3)}
            narrower = f"the lines are curved, {scatter}, sweep a narrower range"
            return Judgement("adjust", narrower, "lines_curved", proposal)
        if not passed["optimum known to 0.03"]:
            diagnosis = f"optimum known to {self.fitted.error('optimum'):.3f}, not to {PRECISION:g}, more shots"
            return Judgement("bad_data", diagnosis, "error_bar_too_wide", self._more_shots())
        if not passed["detuning known to 25 kHz"]:
            diagnosis = f"detuning of the drive, {_in_khz(self.detuning)}, not known well enough, more shots"
            return Judgement("bad_data", diagnosis, "error_bar_too_wide", self._more_shots())
        return Judgement("success", "lines cross in the central half of the sweep")

    def _more_shots(self) -> dict[str, float]:
        return self.within_bounds(shots=3 * self.arguments["shots"])

    def _at_optimum(self, fit: Fit) -> tuple[bool, str]:
        """Whether the trains cross the right way round, and single pairs cross there too, with the number that tells.

        A train turns through whole circles as the coefficient goes on: every half circle it crosses again.
        """
        steep = (fit["slope_1"] - fit["slope_2"]) * -np.sign(self.settings.anharmonicity)
        if steep < 0 or "coarse" not in self.data:
            return bool(steep > 0), f"slopes {fit['slope_1']:.3f} and {fit['slope_2']:.3f}"
        apart = float(np.mean(self.data["single"][0] - self.data["single"][1]))
        slope = (fit["slope_1"] - fit["slope_2"]) / self.arguments["repetitions"]
        apart -= slope * float(np.mean(self.data["coarse"]) - fit["optimum"])
        error = float(np.sqrt(np.sum(self.data["single_error"] ** 2))) / len(self.data["coarse"])
        return abs(apart) < max(ALIAS, 4 * error), f"single pairs part by {apart:+.3f} +- {error:.3f} there"

    def _bent(self) -> bool:
        """Whether the points swing about their lines, as curves do; what only scatters is noise of the set-up."""
        assert self.fitted is not None
        return self.fitted.follows_on > 3

    def _parallel(self, rise: float) -> Report:
        """Lines that do not part: no response, a sweep far too narrow, or one so wide that they oscillate."""
        name = "lines of different slope"
        checks = (Check(name, False, f"fractions part by {rise:.3f} over half the sweep"),)
        said = f"The two lines part by {rise:.3f} over half the sweep, less than {STEEPEST:g}."
        estimates = {"rise": Estimate(rise, float(self.data["error"].mean()))}
        if abs(self.detuning.value) > DETUNED and self.detuning.error < DETUNED / 2:
            diagnosis = f"the lines do not part on a drive {_in_khz(self.detuning)} off resonance; run ramsey first"
            estimates["detuning"] = self.detuning
            return Report("wrong_setup", diagnosis, said, estimates, checks, cause="detuned_drive")
        trains = zip(self.data["fraction"], self.data["error"], strict=True)
        if self.arguments["repetitions"] > 1 and all(shows_signal(*train) for train in trains):
            fewer: dict[str, float] = {"repetitions": int(self.arguments["repetitions"]) // 2}
            turns = "the trains turn to and fro over the sweep, amplify less"
            return Report("adjust", turns, said, estimates, checks, fewer, cause="lines_curved")
        diagnosis = (
            "the lines do not part: the qubit does not respond, or readout cannot tell the states apart; run ramsey,"
            " rabi and readout_calibration first"
        )
        start, stop = float(self.arguments["start"]), float(self.arguments["stop"])
        if stop - start < 1:
            middle = (start + stop) / 2
            wider = self.within_bounds(start=middle - 1.25, stop=middle + 1.25)
            narrow = "sweep too narrow, widen it"
            return Report("adjust", narrow, said, estimates, checks, wider, cause="sweep_too_narrow")
        return Report("wrong_setup", diagnosis, said, estimates, checks, cause="no_contrast")

    @visual_inspection(
        """
        The figure shows a DRAG calibration: the fraction of shots read as 1 against the DRAG coefficient for two pulse
        trains in two colours, with error bars, a fitted line each, and residuals below. A dotted vertical line marks
        the crossing, a grey band the central half of the sweep.
        Judge in this order. Does one line rise and the other fall? Do the points follow their lines, without bending?
        Do the lines cross inside the grey band? Parallel lines, bent curves, wide scatter or a crossing outside the
        band are failures; say which one it is.
        A good measurement: Image("drag_calibration_good.png")
        A failed one, the crossing lies at the edge: Image("drag_calibration_bad.png")
        """
    )
    def plot(self) -> figures.Figure:
        """Both trains against the coefficient, with lines, crossing and residuals."""
        made, main, below = figures.with_residuals(
            f"DRAG calibration, {self.qubit}", "DRAG coefficient", "fraction read as 1"
        )
        x, start, stop = self.data["drag"], self.data["drag"][0], self.data["drag"][-1]
        quarter = (stop - start) / 4
        main.axvspan(start + quarter, stop - quarter, color="0.94", zorder=0)
        for row, (color, marker, name) in enumerate(((figures.BLUE, "o", "+Y"), (figures.ORANGE, "s", "−Y"))):
            figures.data(main, x, self.data["fraction"][row], self.data["error"][row], f"{name} start", color, marker)
            if self.fitted is not None:
                at = x + row * _shift(x)
                main.plot(x, self.fitted.curve(at), color=color, linewidth=1.4)
                below.plot(x, self.fitted.pulls.reshape(2, -1)[row], marker, color=color, markersize=2.8)
        if self.fitted is not None:
            optimum, error = self.fitted["optimum"], self.fitted.error("optimum")
            below.axhspan(-2, 2, color="0.92", zorder=0)
            reach = max(4.0, 1.15 * float(np.abs(self.fitted.pulls).max()))
            below.set_ylim(-reach, reach)
            figures.headroom(main, 0.36)
            if start <= optimum <= stop:
                main.axvline(optimum, color=figures.BLACK, linestyle=":", linewidth=1.2)
            figures.note(
                main,
                f"optimum {optimum:.3f} ± {error:.3f}\nreduced $\\chi^2$ {self.fitted.reduced_chi_square:.2f}\n"
                f"drive {_in_khz(self.detuning).replace('+-', '±')} off",
            )
        main.legend(loc="upper left", ncols=2, frameon=False)
        return made


def _in_khz(detuning: Estimate) -> str:
    return f"{1e3 * detuning.value:+.0f} +- {1e3 * detuning.error:.0f} kHz"


def _shift(x: Array) -> float:
    return float(2 * (x[-1] - x[0]))


def _train(settings: QubitSettings, drag: float, phase: float, repetitions: int) -> list[Operation]:
    """A pi/2 about +-Y, then (pi, -pi) about X `repetitions` times, all with this coefficient.

    A pi pulse and its reverse cancel an amplitude error, but what a wrong coefficient adds, a small turn about Y, is
    added twice; the first pulse puts the state where that turn changes the population to first order.
    """
    changed = settings.changed({"drag": drag})
    pair: list[Operation] = [half_turn(changed, 0.0), half_turn(changed, np.pi)]
    return [quarter_turn(changed, phase * np.pi), *(pair * int(repetitions))]
