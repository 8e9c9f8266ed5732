"""The same short measurement again and again: how T1 and the frequency wander over the hours."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np

from labwright.tools.errors import FitError, InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import (
    Check,
    Estimate,
    Experiment,
    Quantity,
    Report,
    binomial_error,
    visual_inspection,
)
from labwright.tools.experiments.failure_causes import causes_of, in_units, silent_report
from labwright.tools.experiments.fits import Array, fit_decay, shows_signal
from labwright.tools.experiments.gates import half_turn, program, quarter_turn
from labwright.tools.experiments.needs import FREQUENCY, LINE, PULSE, READOUT
from labwright.tools.qpu.device import IdleDevice
from labwright.tools.qpu.program import Acquired, Delay, Operation

CONTRAST = 0.2
LOST = 0.25  # share of the rounds that may give no value
STEADY = 4.0  # sigma of chi square up to which the rounds agree
HOUR = 3600.0


class _Tracking(Experiment):
    """Rounds of one short measurement with the device's clock beside them."""

    summary_instructions = """
    The series decides: nearly every round gives a value, and the errors are small beside the changes that matter. A
    value that wanders by more than its errors is a result, not a fault of the measurement.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "error_bar_too_wide",
        value_unsteady="The value changes from round to round by more than its errors.",
        rounds_lost="Too many of the rounds gave no value.",
    )  # fmt: skip
    symbol: ClassVar[str]
    unit: ClassVar[str]
    result: ClassVar[str]
    precision: ClassVar[float]  # of the median round: a share of the value, or MHz

    @abstractmethod
    def sequences(self) -> list[list[Operation]]:
        """What one round plays, sized by the value of the round before."""

    @abstractmethod
    def value(self, fraction: Array, error: Array) -> tuple[float, float]:
        """Value and error of a round, from what its sequences read.

        Raises:
            FitError: there is none.
        """

    def track(self, qubit: str, rounds: int, interval: float, shots: int) -> None:
        """Play the rounds, `interval` s apart where that is more than a round takes.

        Raises:
            InputError: the device cannot wait.
        """
        device = self.bench.device
        if interval and not isinstance(device, IdleDevice):
            raise InputError("This device cannot wait between rounds. Set `interval` to 0.")
        self.settings = self.bench.settings(qubit)
        rows: list[tuple[float, float, float]] = []
        for number in range(int(rounds)):
            got = self.bench.acquire(program(qubit, self.sequences(), shots))
            rows.append((got.clock + got.seconds / 2, *self._measured(got)))
            if self.contrast < CONTRAST and not np.isfinite(rows[0][1]):
                break
            if number + 1 < rounds and interval > got.seconds and isinstance(device, IdleDevice):
                device.wait(interval - got.seconds, f"{self.bench.key}.wait-{number}")
        time, value, error = np.array(rows).T
        self.data = {"time": time, "value": value, "error": error}

    def expected_acquisitions(self) -> float:
        return float(self.arguments["rounds"])

    def _measured(self, got: Acquired) -> tuple[float, float]:
        assert got.counts is not None
        fraction, self.idle = got.counts / got.shots, float(got.counts.min() / got.shots)
        self.contrast = float(np.ptp(fraction))
        try:
            return self.value(fraction, binomial_error(got.counts, got.shots))
        except FitError:
            return float("nan"), float("nan")

    def report(self) -> Report:
        """Mean, spread and drift of the series, and whether the rounds agree."""
        good = np.isfinite(self.data["value"])
        wanted = int(self.arguments["rounds"])
        lost = 1 - int(good.sum()) / wanted
        checks = [
            Check("contrast above 0.2", self.contrast > CONTRAST, f"{self.contrast:.3f}"),
            Check("three in four rounds give a value", lost <= LOST, f"{int(good.sum())} of {wanted}"),
        ]
        if lost > LOST:
            words = f"{int(good.sum())} of {wanted} rounds gave a value."
            none = {"contrast": Estimate(self.contrast, 0.0)}
            if checks[0].passed:
                advice = "too many rounds without a value; measure it once with its own experiment first"
                return Report("wrong_setup", advice, words, none, tuple(checks), cause="rounds_lost")
            return silent_report(self.idle, words, none, tuple(checks))
        time, value, error = (self.data[name][good] for name in ("time", "value", "error"))
        found, self.agree = summary(time, value, error), agreement(value, error)
        estimates = {
            f"{self.result}_mean": Estimate(*found[0], self.unit),
            f"{self.result}_spread": Estimate(*found[1], self.unit),
            "drift_per_hour": Estimate(*found[2], self.unit),
        }
        scale = abs(found[0][0]) if self.unit == "us" else 1.0
        typical = float(np.median(error)) / scale
        checks.append(Check("a round precise enough", typical < self.precision, f"{typical:.3g} of {self.precision:g}"))
        span = (time[-1] - time[0]) / 60
        words = (
            f"{self.symbol} of {self.qubit} is {found[0][0]:.5g} +- {found[0][1]:.2g} {self.unit} on average over"
            f" {len(value)} rounds in {span:.1f} minutes. It spreads by {found[1][0]:.2g} +- {found[1][1]:.2g}"
            f" {self.unit} beyond the errors and drifts by {found[2][0]:+.2g} +- {found[2][1]:.2g} {self.unit} an hour."
        )
        if not checks[-1].passed:
            more = self.within_bounds(shots=4 * self.arguments["shots"])
            vague = "rounds too imprecise"
            return Report("bad_data", vague, words, estimates, tuple(checks), more, cause="error_bar_too_wide")
        steady = self.agree < STEADY
        variables = {f"{self.result}_mean": found[0][0], f"{self.result}_spread": found[1][0]}
        diagnosis, cause = ("steady within its errors", "") if steady else ("wanders", "value_unsteady")
        return Report("success", diagnosis, words, estimates, tuple(checks), variables=variables, cause=cause)

    @visual_inspection(
        """
        Above: the value of every round against device time, with error bars, the mean as a line and the spread as a
        band. Below: the Allan deviation against averaging time, with a dashed line for measurement errors alone.
        A good one shows a value for every round with errors small beside the axis. Points along the dashed line are a
        steady value; points that leave it upwards are a wandering one, and both are good. Rounds far outside of all
        others, gaps, or errors as large as the axis are failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Series of values, and its Allan deviation."""
        made, (above, below) = figures.figure(
            f"{self.symbol[0].upper()}{self.symbol[1:]} over time, {self.qubit}", 2, height_ratios=(1.6, 1)
        )
        good = np.isfinite(self.data["value"])
        factor, shown = (1.0, r"$\mu$s") if self.unit == "us" else (1e3, "kHz")
        time, value, error = (self.data[n][good] for n in ("time", "value", "error"))
        figures.data(above, time, factor * value, factor * error, "rounds")
        above.set(xlabel="device time (s)", ylabel=f"{self.symbol} ({shown})")
        below.set(xlabel="averaging time (s)", ylabel=f"Allan deviation ({shown})")
        if len(value) > 3:
            (mean, mean_error), (spread, _), _ = summary(time, value, error)
            above.axhline(factor * mean, color=figures.VERMILION, linewidth=1.2, label="mean")
            band = factor * np.array([mean - spread, mean + spread])
            above.axhspan(*band, color=figures.ORANGE, alpha=0.2, linewidth=0, label="spread")
            figures.headroom(above, 0.3)
            figures.note(above, f"mean {factor * mean:.4g} ± {factor * mean_error:.2g}, spread {factor * spread:.2g}")
            above.legend(loc="upper left", ncols=3, frameon=False, fontsize=8.5)
            steps = 2 ** np.arange(int(np.log2(len(value) / 2)) + 1)
            pace = float(np.median(np.diff(time)))
            noise = factor * float(np.sqrt(np.mean(error**2)))
            below.semilogx(steps * pace, [factor * allan(value, int(m)) for m in steps], "o-", color=figures.BLUE)
            below.semilogx(steps * pace, noise / np.sqrt(steps), "--", color="0.5", label="measurement errors")
            below.set_ylim(bottom=0)
            figures.headroom(below, 0.35)
            below.legend(frameon=False, fontsize=8.5, loc="upper right")
        return made


class T1Tracking(_Tracking):
    """T1, again and again."""

    name = "t1_tracking"
    needs = (READOUT, LINE, PULSE)
    arrays = swept("time", "s") | over("time", "value", "error", unit="us")
    results = in_units("us", "t1_mean", "t1_spread", "drift_per_hour") | in_units("", "contrast")
    symbol, unit, result, precision = "T1", "us", "t1", 0.1

    def run(
        self,
        qubit: str,
        rounds: Annotated[int, Quantity("", 8, 400)] = 20,
        interval: Annotated[float, Quantity("s", 0.0, 3600.0)] = 0.0,
        stop: Annotated[float, Quantity("us", 0.5, 1000.0)] = 300.0,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
    ) -> None:
        """T1 tracking: measures how the relaxation time T1 wanders over time, with its spread and drift.

        Use it before T1 is trusted for hours, or to see a defect pass through the qubit's line. Every round measures a
        T1 of eleven delays with and without a pi pulse; the longest delay follows three times the T1 of the round
        before.

        Asked for as: T1 tracking, T1 over time, T1 fluctuations, T1 stability, relaxation over time.

        Not for: T1 once, frequency drift, T2.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            rounds: number of measurements of T1. Default 20.
            interval: from the beginning of a round to that of the next in s. Default 0, one after the other.
            stop: longest delay of the first round in us. Default 300.
            shots: repetitions of every point. Default 1000.

        Raises:
            InputError: an argument is out of bounds, or the device cannot wait.
        """
        self.reach = stop
        self.track(qubit, rounds, interval, shots)

    def sequences(self) -> list[list[Operation]]:
        self.delays = np.linspace(0, self.reach, 11)
        waits = [Delay(float(t)) for t in self.delays]
        pi: list[Operation] = [half_turn(self.settings)]
        return [[*pi, wait] for wait in waits] + [[wait] for wait in waits]

    def value(self, fraction: Array, error: Array) -> tuple[float, float]:
        high, low = fraction.reshape(2, -1)
        sigma = np.hypot(*error.reshape(2, -1))
        if not shows_signal(high - low, sigma):
            raise FitError("There is no decay to be seen.")
        fit = fit_decay(self.delays, high - low, sigma)
        life = 1 / fit["rate"]
        if not 0.1 * self.reach < life < 3 * self.reach:
            raise FitError(f"T1 of {life:.3g} us is outside of the sweep to {self.reach:.3g} us.")
        self.reach = self.within_bounds(stop=3 * life)["stop"]
        return life, fit.error("rate") / fit["rate"] ** 2


class FrequencyTracking(_Tracking):
    """The qubit's frequency by the phase of a superposition, again and again."""

    name = "frequency_tracking"
    needs = (READOUT, FREQUENCY, PULSE)
    arrays = swept("time", "s") | over("time", "value", "error", unit="MHz")
    results = in_units("MHz", "detuning_mean", "detuning_spread", "drift_per_hour") | in_units("", "contrast")
    symbol, unit, result, precision = "detuning", "MHz", "detuning", 0.02

    def run(
        self,
        qubit: str,
        rounds: Annotated[int, Quantity("", 8, 400)] = 20,
        interval: Annotated[float, Quantity("s", 0.0, 3600.0)] = 0.0,
        stop: Annotated[float, Quantity("us", 1.0, 200.0)] = 20.0,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
    ) -> None:
        """Frequency tracking: measures how the qubit frequency wanders over time, with its sign, spread and drift.

        Use it to see drift, jumps and slow noise of the qubit frequency. Every round plays pi/2, a wait and a pi/2
        about four axes, for waits that double from stop / 64 to `stop`: the phase of each wait is unwrapped by the one
        before, so that detunings up to 32 / stop MHz are told with their sign. Values are qubit minus drive frequency;
        no setting is changed.

        Asked for as: frequency tracking, frequency drift, qubit frequency over time, frequency stability, frequency
        fluctuations, frequency noise.

        Not for: frequency calibration, Ramsey once, T1.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            rounds: number of measurements of the frequency. Default 20.
            interval: from the beginning of a round to that of the next in s. Default 0, one after the other.
            stop: longest wait in us; below T2 Ramsey. Default 20.
            shots: repetitions of every point. Default 1000.

        Raises:
            InputError: an argument is out of bounds, or the device cannot wait.
        """
        self.waits = stop / 2.0 ** np.arange(6, -1, -1)
        self.track(qubit, rounds, interval, shots)

    def sequences(self) -> list[list[Operation]]:
        ends = [quarter_turn(self.settings, phase) for phase in np.pi / 2 * np.arange(4)]
        return [[quarter_turn(self.settings), Delay(float(wait)), end] for wait in self.waits for end in ends]

    def value(self, fraction: Array, error: Array) -> tuple[float, float]:
        along, across = (fraction.reshape(-1, 2, 2)[:, 0] - fraction.reshape(-1, 2, 2)[:, 1]).T * [[1], [-1]]
        sigma = np.sqrt((error.reshape(-1, 4) ** 2).sum(axis=1) / 2)
        length = np.hypot(along, across)
        if length[0] < CONTRAST:
            raise FitError("There is no phase to be seen.")
        seen = np.flatnonzero(length > 5 * sigma)
        phase, rate = np.arctan2(across, along), 0.0
        for row, k in enumerate(seen):
            guess = 2 * np.pi * rate * self.waits[k]
            phase[k] = guess + np.angle(np.exp(1j * (phase[k] - guess)))
            if row or self.waits[k] > 0.1:
                rate = phase[k] / (2 * np.pi * self.waits[k])
        if len(seen) < 4:
            raise FitError("The phase is lost before four waits.")
        line, covariance = np.polyfit(self.waits[seen], phase[seen], 1, w=length[seen] / sigma[seen], cov="unscaled")
        return float(line[0]) / (2 * np.pi), float(np.sqrt(covariance[0, 0])) / (2 * np.pi)


Measured = tuple[float, float]


def summary(time: Array, value: Array, error: Array) -> tuple[Measured, Measured, Measured]:
    """Mean, spread beyond the errors and change an hour of a series, each with its error. `time` in s."""
    n = len(value)
    mean, total, noise = float(value.mean()), float(value.var(ddof=1)), float(np.mean(error**2))
    spread = float(np.sqrt(max(total - noise, 0.0)))
    # the variance of a sample variance is 2 v^2 / (n - 1)
    unsure = float(total * np.sqrt(2 / (n - 1)))
    away = time - time.mean()
    drift = float(np.sum(away * value) / np.sum(away**2))
    left = float(np.sqrt(total / np.sum(away**2)))
    half = unsure / (2 * spread) if spread**2 > unsure else float(np.sqrt(unsure))
    return (mean, float(np.sqrt(total / n))), (spread, half), (drift * HOUR, left * HOUR)


def agreement(value: Array, error: Array) -> float:
    """How many of its own sigma chi square of a constant is too large."""
    weight = 1 / error**2
    chi_square = float(np.sum(weight * (value - np.sum(weight * value) / np.sum(weight)) ** 2))
    return (chi_square - len(value) + 1) / float(np.sqrt(2 * (len(value) - 1)))


def allan(value: Sequence[float] | Array, m: int) -> float:
    """Overlapping Allan deviation of equidistant values averaged over `m` of them."""
    means = np.convolve(value, np.full(m, 1 / m), mode="valid")
    return float(np.sqrt(np.mean((means[m:] - means[:-m]) ** 2) / 2))
