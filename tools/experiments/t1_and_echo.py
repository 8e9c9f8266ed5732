"""The two lifetimes: T1 by relaxation, T2 by Hahn echo."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from typing import Annotated, ClassVar

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import Check, Estimate, Experiment, Judgement, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units, silent_report
from labwright.tools.experiments.fits import Fit, fit_decay
from labwright.tools.experiments.gates import half_turn, program, quarter_turn
from labwright.tools.experiments.needs import LINE, PULSE, READOUT
from labwright.tools.qpu.program import Delay, Operation

CONTRAST = 0.2
SHORTEST, LONGEST, WANTED = 2.5, 8.0, 4.0  # sweep length in units of the lifetime
PRECISION = 0.05  # relative error above which more shots are asked for


class _Lifetime(Experiment):
    """Prepare, wait, read out; the delay is swept and an exponential fitted."""

    needs = (READOUT, LINE, PULSE)
    causes = causes_of(
        "no_response", "readout_unresolved", "decay_outside_window", "poor_fit", "error_bar_too_wide",
    )  # fmt: skip
    arrays = swept("delay", "us") | over("delay", "high", "low", "difference", "error")
    variable: ClassVar[str]
    symbol: ClassVar[str]

    @abstractmethod
    def sequence(self, delay: float, upper: bool) -> list[Operation]:
        """What is played for one delay (us); the curve that starts high if `upper`, else the one that starts low."""

    def measure(self, qubit: str, stop: float, points: int, shots: int) -> None:
        """Sweep the delay from 0 to `stop` us, twice, and fit the difference.

        Both curves end at the same level, so the difference decays to zero: there is no floor to be guessed, and
        leakage and thermal population drop out.
        """
        self.settings = self.bench.settings(qubit)
        t = np.linspace(0, stop, points)
        sequences = [self.sequence(float(d), upper) for upper in (True, False) for d in t]
        fraction, error = self.bench.fractions(program(qubit, sequences, shots))
        (high, low), error = fraction.reshape(2, points), np.hypot(*error.reshape(2, points))
        self.data = {"delay": t, "high": high, "low": low, "difference": high - low, "error": error}
        self.fit()

    def fit(self) -> None:
        """Fit an exponential; `fitted` is None where the data determine none."""
        self.fitted: Fit | None = None
        with suppress(FitError):
            self.fitted = fit_decay(self.data["delay"], self.data["difference"], self.data["error"])

    def report(self) -> Report:
        """The lifetime, judged by contrast, residuals and the coverage of the sweep."""
        if self.fitted is None or abs(self.fitted["amplitude"]) < CONTRAST:
            return self._unseen()
        fit, stop = self.fitted, float(self.arguments["stop"])
        if fit["rate"] * stop < 1 and fit["rate"] < 2 * fit.error("rate"):
            return self._undecayed(fit, stop)
        life, error = 1 / fit["rate"], fit.error("rate") / fit["rate"] ** 2
        cover = stop / life
        checks = (
            Check("contrast above 0.2", True, f"{abs(fit['amplitude']):.3f}"),
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("sweep covers 2.5 to 8 lifetimes", SHORTEST <= cover <= LONGEST, f"{cover:.2f}"),
            Check("lifetime known to 5 %", error < PRECISION * life, f"{100 * error / life:.1f} %"),
        )
        judged = self._judge(checks, life, cover)
        variables = {self.variable: life, f"{self.variable}_error": error} if judged.verdict == "success" else {}
        analysis = (
            f"{self.symbol} of {self.qubit} is {life:.2f} +- {error:.2f} us. The sweep of {stop:g} us covers"
            f" {cover:.1f} lifetimes, with a contrast of {abs(fit['amplitude']):.3f}."
        )
        estimates = {
            self.variable: Estimate(life, error, "us"),
            "contrast": Estimate(abs(fit["amplitude"]), fit.error("amplitude")),
        }
        return judged.report(analysis, estimates, checks, variables=variables)

    def _judge(self, checks: tuple[Check, ...], life: float, cover: float) -> Judgement:
        passed = {check.name: check.passed for check in checks}
        if not passed["sweep covers 2.5 to 8 lifetimes"]:
            # a lifetime read from a short sweep is a guess, so the sweep grows by four at most
            wanted = self.within_bounds(3, stop=min(WANTED * life, 4 * self.arguments["stop"]))
            if wanted["stop"] != self.arguments["stop"]:
                word = "short" if cover < SHORTEST else "long"
                diagnosis = f"sweep too {word} for a lifetime of {life:.3g} us"
                return Judgement("adjust", diagnosis, "decay_outside_window", wanted)
        if not passed["residuals are noise"]:
            return Judgement("bad_data", "the decay is not one exponential; measure again", "poor_fit")
        if not passed["lifetime known to 5 %"]:
            more = self.within_bounds(shots=3 * self.arguments["shots"])
            return Judgement("bad_data", "lifetime not precise enough", "error_bar_too_wide", more)
        return Judgement("success", "clear exponential decay")

    def _undecayed(self, fit: Fit, stop: float) -> Report:
        longer = self.within_bounds(stop=4 * stop)
        words = f"The curves stay {fit['amplitude']:.3f} apart for the {stop:g} us of the sweep."
        checks = (Check("decay within the sweep", False, f"{fit['rate'] * stop:.3f} lifetimes"),)
        estimates, cause = {"contrast": fit.estimate("amplitude")}, "decay_outside_window"
        return Report("adjust", "no decay yet, sweep longer", words, estimates, checks, longer, cause=cause)

    def _unseen(self) -> Report:
        contrast = 0.0 if self.fitted is None else abs(self.fitted["amplitude"])
        checks = (Check("contrast above 0.2", False, f"{contrast:.3f}"),)
        y, stop = self.data["difference"], self.arguments["stop"]
        estimates = {"contrast": Estimate(contrast, float(self.data["error"].mean()))}
        words = (
            f"The contrast of the decay is {contrast:.3f}, below {CONTRAST:g}; it goes from {y[0]:.3f} to {y[-1]:.3f}."
        )
        high = abs(y[0] - y[len(y) // 2 :].mean()) > CONTRAST
        if high:
            shorter = self.within_bounds(stop=stop / 5)
            return Report(
                "adjust", "decays before the second point, sweep shorter", words, estimates, checks, shorter,
                cause="decay_outside_window",
            )  # fmt: skip
        idle = float(self.data["low"].min())
        return silent_report(idle, words, estimates, checks)

    def draw(self) -> figures.Figure:
        """Difference of the two curves against delay, with fit and residuals."""
        title, y_label = f"{self.symbol}, {self.qubit}", "difference of fractions read as 1"
        points, text, fit = (self.data["delay"], self.data["difference"], self.data["error"]), "", self.fitted
        if fit is not None:
            life, error = 1 / fit["rate"], fit.error("rate") / fit["rate"] ** 2
            text = f"{life:.1f} ± {error:.1f} $\\mu$s\nreduced $\\chi^2$ {fit.reduced_chi_square:.2f}"
        return figures.curve(title, r"delay ($\mu$s)", y_label, points, fit, text, 0.2)


class T1(_Lifetime):
    """Excite, wait, read out.

    A bath at finite temperature makes the difference no exact exponential: level 1 is refilled from 0 and lost to 2.
    `t1` is the constant of the exponential nearest to it, shorter than the lifetime of level 1 in a cold bath by about
    half the thermal population.
    """

    name = "t1"
    results = in_units("us", "t1", "t1_error") | in_units("", "contrast")
    variable, symbol = "t1", "T1"
    summary_instructions = """
    The fit decides: one exponential that falls from the readout contrast towards zero, over 2.5 to eight
    lifetimes. A shorter or longer sweep asks for the proposed stop time.
    """

    def run(
        self,
        qubit: str,
        stop: Annotated[float, Quantity("us", 0.5, 1400.0)] = 400.0,
        points: Annotated[int, Quantity("", 11, 401)] = 61,
        shots: Annotated[int, Quantity("", 50, 20000)] = 2000,
    ) -> None:
        """T1 experiment: measures the energy relaxation time (lifetime) of the excited state.

        Use it to measure T1, the relaxation or decay time, or to characterise coherence. Plays a pi pulse, waits, and
        reads out; the delay is swept with and without the pi pulse, and an exponential fitted to the difference. The
        result is the variable t1 in us.

        Asked for as: T1, relaxation, energy relaxation, energy decay, lifetime, excited state decay.

        Not for: T2, resonator.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            stop: longest delay (stop time) in us; three to five times T1 is best. Default 400.
            points: number of delays from 0 to stop. Default 61.
            shots: repetitions of every point. Default 2000.
        """
        self.measure(qubit, stop, points, shots)

    def sequence(self, delay: float, upper: bool) -> list[Operation]:
        """pi - delay, and the delay alone."""
        return [half_turn(self.settings), Delay(delay)] if upper else [Delay(delay)]

    @visual_inspection(
        """
        The figure shows energy relaxation: how far the fractions read as 1 with and without a pi pulse lie apart,
        against the delay, with error bars, a fitted exponential, and residuals below in units of their error.
        A good one starts above 0.2, falls smoothly, comes near zero within the sweep, and does not spend most of
        the sweep there; the curve follows the points and the residuals scatter about zero. A flat line, a
        sweep that ends on the slope, oscillations, or a step are failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Difference of the two curves against delay, with fit and residuals."""
        return self.draw()


class SpinEcho(_Lifetime):
    """pi/2, wait, pi, wait, pi/2."""

    name = "spin_echo"
    results = in_units("us", "t2_echo", "t2_echo_error") | in_units("", "contrast")
    variable, symbol = "t2_echo", "T2 echo"
    summary_instructions = """
    The fit decides: one exponential that falls from the readout contrast towards zero, over 2.5 to eight lifetimes. A
    shorter or longer sweep asks for the proposed stop time.
    """

    def run(
        self,
        qubit: str,
        stop: Annotated[float, Quantity("us", 0.5, 1400.0)] = 400.0,
        points: Annotated[int, Quantity("", 11, 401)] = 61,
        shots: Annotated[int, Quantity("", 50, 20000)] = 2000,
    ) -> None:
        """Spin echo (Hahn echo) experiment: measures the echo coherence time T2 (T2 echo, T2E).

        Use it to measure the coherence time without slow frequency noise, or to characterise coherence together with
        t1. Plays pi/2, half the delay, a refocusing pi pulse, the other half, and a closing pi/2; the delay is swept
        for both signs of the last pulse, and an exponential fitted to the difference. The result is the variable
        t2_echo in us.

        Asked for as: spin echo, Hahn echo, T2 echo, T2E, echo coherence time, echo, dephasing with echo,
        refocusing pulse, T2 time.

        Not for: Ramsey, T2*, T1.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            stop: longest total delay (stop time) in us; three to five times T2 is best. Default 400.
            points: number of delays from 0 to stop. Default 61.
            shots: repetitions of every point. Default 2000.
        """
        self.measure(qubit, stop, points, shots)

    def sequence(self, delay: float, upper: bool) -> list[Operation]:
        """pi/2 about x - delay/2 - pi about y - delay/2 - pi/2; the last one about x brings the state to 1.

        The pi pulse changes its sign with the last one: what it makes of a qubit that has relaxed meanwhile, which is
        in proportion to its error and no echo, is the same in both curves and drops out of their difference.
        """
        half, sign = Delay(delay / 2), 1 if upper else -1
        refocus = half_turn(self.settings, sign * np.pi / 2)
        return [quarter_turn(self.settings), half, refocus, half, quarter_turn(self.settings, 0.0 if upper else np.pi)]

    @visual_inspection(
        """
        The figure shows a Hahn echo: how far the fractions read as 1 for both signs of the last pulse lie apart,
        against the total delay, with error bars, a fitted exponential, and residuals below in units of their error.
        A good one starts above 0.2, falls smoothly to near zero and covers 2.5 to eight lifetimes; the curve follows
        the points and the residuals scatter about zero. A flat line, a sweep that
        ends on the slope, or an oscillation are failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Difference of the two curves against delay, with fit and residuals."""
        return self.draw()
