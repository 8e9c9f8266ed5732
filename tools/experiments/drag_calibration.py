"""DRAG calibration: the derivative that keeps a short pulse from twisting the phase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from labwright.tools.errors import FitError, InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.base import (
    Check,
    Estimate,
    Experiment,
    Judgement,
    Quantity,
    Report,
    binomial_error,
    quantities,
    text_inspection,
    visual_inspection,
)
from labwright.tools.experiments.diagnosis import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, least_squares
from labwright.tools.experiments.gates import half_turn, program, quarter_turn
from labwright.tools.experiments.labels import over, swept, words
from labwright.tools.experiments.needs import AMPLITUDE, FREQUENCY
from labwright.tools.qpu.program import Operation
from labwright.tools.qpu.settings import QubitSettings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRECISION = 0.03
STEEPEST = 0.12  # change of the raw fraction over half the sweep below which the lines cannot be told apart


class DragCalibration(Experiment):
    """Two pulse trains that a phase error drives apart, against the DRAG coefficient."""

    name = "drag_calibration"
    needs = (FREQUENCY, AMPLITUDE)
    arrays = swept("drag") | words("train", "+Y", "-Y") | over("train drag", "fraction", "error")
    results = in_units("", "optimum", "slope_1", "slope_2")
    summary_instructions = """
    The fit decides: two straight lines with clearly different slopes, whose crossing, the optimal DRAG coefficient,
    lies in the central half of the sweep. A crossing nearer the edge or outside asks for the proposed sweep.
    """
    causes = causes_of(
        "no_contrast", "poor_fit", "error_bar_too_wide",
        optimum_outside_sweep="The lines cross outside the central half of the sweep.",
        lines_curved="The lines are curved: the trains amplify too much, or the sweep is too wide.",
        sweep_too_narrow="The lines do not part in a sweep so narrow.",
    )  # fmt: skip
    writes = ("drag",)
    errors: ClassVar[dict[str, str]] = {"drag": "optimum"}

    def run(
        self,
        qubit: str,
        start: Annotated[float, Quantity("", -10.0, 10.0)] = -0.5,
        stop: Annotated[float, Quantity("", -10.0, 10.0)] = 2.0,
        points: Annotated[int, Quantity("", 7, 201)] = 21,
        repetitions: Annotated[int, Quantity("", 1, 20)] = 1,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        update: bool = True,
    ) -> None:
        """DRAG calibration: finds the DRAG coefficient that removes phase errors of the single-qubit gate pulses.

        Use it to calibrate or optimise the DRAG parameter (derivative removal by adiabatic gate, quadrature
        correction, alpha or beta) after frequency and amplitude are calibrated. Sweeps the coefficient in two pulse
        trains whose populations follow lines of opposite slope; the lines cross at the optimum.

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
        self.remember(
            qubit=qubit, start=start, stop=stop, points=points, repetitions=repetitions, shots=shots, update=update
        )
        if stop <= start:
            raise InputError(f"Argument `stop` must be above `start` ({start:g}), but is {stop:g}. Widen the sweep.")
        self.settings = self.bench.settings(qubit)
        swept = np.linspace(start, stop, points)
        sequences = [_train(self.settings, float(d), phase, repetitions) for phase in (0.5, 1.5) for d in swept]
        got = self.bench.acquire(program(qubit, sequences, shots))
        assert got.counts is not None
        fraction = (got.counts / got.shots).reshape(2, points)
        self.data = {
            "drag": swept,
            "fraction": fraction,
            "error": binomial_error(got.counts, got.shots).reshape(2, points),
        }
        self.fit()

    def fit(self) -> None:
        """Fit two lines through a common point; `fitted` is None where they are parallel."""
        x, y, sigma = self.data["drag"], self.data["fraction"], self.data["error"]
        self.fitted: Fit | None = None
        slopes, levels = np.polyfit(x, y.T, 1)
        if slopes[0] == slopes[1]:
            return
        crossing = (levels[1] - levels[0]) / (slopes[0] - slopes[1])
        # the first half of the abscissa belongs to the first line, the second half, shifted, to the second
        both = np.concatenate([x, x + _shift(x)])
        start = [levels[0] + slopes[0] * crossing, crossing, slopes[0], slopes[1]]
        shift, top = _shift(x), x[-1]

        def lines(at: Array, level: float, optimum: float, first: float, second: float) -> Array:
            on_first = at <= top
            drag = np.where(on_first, at, at - shift)
            return level + np.where(on_first, first, second) * (drag - optimum)

        try:
            names = ["level", "optimum", "slope_1", "slope_2"]
            self.fitted = least_squares(lines, names, (both, y.ravel(), sigma.ravel()), start)
        except FitError:
            return

    @text_inspection
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
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("optimum in the sweep's central half", abs(optimum - middle) <= quarter, f"{optimum:.3f}"),
            Check("optimum known to 0.03", error < PRECISION, f"{error:.3f}"),
        )
        judged = self._judge(checks, optimum)
        where = "within" if checks[2].passed else "outside"
        analysis = (
            f"The lines cross at a DRAG coefficient of {optimum:.4f} +- {error:.4f}, {where} the central half of the"
            f" sweep from {start:g} to {stop:g}. Their slopes are {fit['slope_1']:.3f} and {fit['slope_2']:.3f}."
        )
        estimates = {name: fit.estimate(name) for name in ("optimum", "slope_1", "slope_2")}
        updates = {"drag": optimum} if judged.verdict == "success" else {}
        return Report(
            judged.verdict, judged.diagnosis, analysis, estimates, checks, judged.proposal, updates, cause=judged.cause
        )

    def _judge(self, checks: tuple[Check, ...], optimum: float) -> Judgement:
        passed = {check.name: check.passed for check in checks}
        arguments = self.arguments
        start, stop = float(arguments["start"]), float(arguments["stop"])
        if not passed["optimum in the sweep's central half"]:
            # a crossing far outside is extrapolated, so the sweep moves by its own length at most
            centre = float(np.clip(optimum, start - (stop - start) / 2, stop + (stop - start) / 2))
            bounds = quantities(DragCalibration)
            half = (stop - start) / 2
            proposal = {
                "start": round(bounds["start"].clip(centre - half), 3),
                "stop": round(bounds["stop"].clip(centre + half), 3),
            }
            diagnosis = "optimum outside the central half of the sweep, shift it"
            return Judgement("adjust", diagnosis, "optimum_outside_sweep", proposal)
        if not passed["residuals are noise"] and not self._bent():
            return Judgement("bad_data", "the points scatter more than their shots explain; measure again", "poor_fit")
        if not passed["residuals are noise"]:
            half = (stop - start) / 3
            if arguments["repetitions"] > 1:
                fewer: dict[str, float] = {"repetitions": int(arguments["repetitions"]) // 2}
                return Judgement("adjust", "the lines are curved, amplify less", "lines_curved", fewer)
            proposal = {"start": round(optimum - half, 3), "stop": round(optimum + half, 3)}
            return Judgement("adjust", "the lines are curved, sweep a narrower range", "lines_curved", proposal)
        if not passed["optimum known to 0.03"]:
            more: dict[str, float] = {"shots": min(20000, 3 * arguments["shots"])}
            return Judgement("bad_data", "optimum not precise enough, more shots", "error_bar_too_wide", more)
        return Judgement("success", "lines cross in the central half of the sweep")

    def _bent(self) -> bool:
        """Whether the points swing about their lines, as curves do; what only scatters is noise of the set-up."""
        assert self.fitted is not None
        return self.fitted.follows_on > 3

    def _parallel(self, rise: float) -> Report:
        """Lines that do not part: no response, a sweep far too narrow, or one so wide that they oscillate."""
        name = "lines of different slope"
        checks = (Check(name, False, f"fractions part by {rise:.3f} over half the sweep"),)
        words = f"The two lines part by {rise:.3f} over half the sweep, less than {STEEPEST:g}."
        estimates = {"rise": Estimate(rise, float(self.data["error"].mean()))}
        diagnosis = (
            "the lines do not part: the qubit does not respond, or readout cannot tell the states apart; run ramsey,"
            " rabi and readout_calibration first"
        )
        start, stop = float(self.arguments["start"]), float(self.arguments["stop"])
        if stop - start < 1:
            bounds, middle = quantities(DragCalibration), (start + stop) / 2
            wider = {"start": bounds["start"].clip(middle - 1.25), "stop": bounds["stop"].clip(middle + 1.25)}
            narrow = "sweep too narrow, widen it"
            return Report("adjust", narrow, words, estimates, checks, wider, cause="sweep_too_narrow")
        return Report("wrong_setup", diagnosis, words, estimates, checks, cause="no_contrast")

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
    def plot(self) -> Figure:
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
            figures.headroom(main, 0.2)
            if start <= optimum <= stop:
                main.axvline(optimum, color=figures.BLACK, linestyle=":", linewidth=1.2)
            figures.note(
                main,
                f"optimum {optimum:.3f} ± {error:.3f}\nreduced $\\chi^2$ {self.fitted.reduced_chi_square:.2f}",
            )
        main.legend(loc="upper left", ncols=2, frameon=False)
        return made


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
