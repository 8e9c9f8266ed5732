"""CPMG decoupling: how the coherence time grows with the number of refocusing pulses."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units, silent_report
from labwright.tools.experiments.fits import Array, Fit, falling, least_squares, shows_signal
from labwright.tools.experiments.gates import half_turn, program, quarter_turn
from labwright.tools.experiments.needs import LINE, PULSE, READOUT
from labwright.tools.qpu.program import Delay, Operation
from labwright.tools.qpu.settings import QubitSettings

CONTRAST = 0.2
SHORTEST, LONGEST, WANTED = 1.5, 8.0, 3.0  # sweep length in units of the coherence time
PRECISION = 0.1  # relative error of a coherence time above which more shots are asked for
CLEAR = 3.0  # errors by which the last time must exceed the first to be called longer
SHORTER = 2.0  # errors by which it must lie below to be called shorter: a doubt costs a repetition, no more
DOUBT = (
    " Refocusing does not shorten it for noise that is white or falls with frequency. Run it again with more shots, as"
    " T1 may have moved between the sweeps; if it stays, calibrate the pulses (amplitude_pingpong, drag_calibration) or"
    " play fewer."
)


def stretched(t: Array, amplitude: float, time: float, power: float) -> Array:
    """``amplitude exp(-(t / time)^power)``: 1/e at `time` whatever the noise."""
    return np.asarray(amplitude * falling((np.maximum(t, 0.0) / time) ** power))


class Cpmg(Experiment):
    """A superposition under 1, 2, 4, ... equidistant pi pulses about its own axis (Meiboom and Gill)."""

    name = "cpmg"
    needs = (READOUT, LINE, PULSE)
    arrays = swept("pulses") | over("pulses point", "delay", unit="us") | over("pulses point", "difference", "error")
    results = in_units("us", "t2_one_pulse", "t2_cpmg", "t2_cpmg_error") | in_units("", "gain", "scaling", "contrast")
    summary_instructions = """
    The fits decide: for every number of pulses one smooth decay from the readout contrast towards zero, whose 1/e time
    is known to 10 %. Times that grow with the number of pulses mean slow noise, times that stay mean fast noise or
    relaxation; both are results and neither is a fault.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "decay_outside_window", "poor_fit", "error_bar_too_wide",
        pulses_shorten="More pi pulses shorten the coherence: T1 moved between the sweeps, or the pulses add errors.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        pulses: Annotated[int, Quantity("", 2, 64)] = 16,
        stop: Annotated[float, Quantity("us", 0.5, 1400.0)] = 300.0,
        points: Annotated[int, Quantity("", 11, 101)] = 21,
        shots: Annotated[int, Quantity("", 50, 20000)] = 2000,
    ) -> None:
        """CPMG (dynamical decoupling): measures the coherence time against the number of refocusing pi pulses.

        Use it to see which part of the dephasing is slow enough to be refocused, and how fast the noise falls with
        frequency. Plays pi/2, then 1, 2, 4, ... pi pulses about the axis of the state, a quarter turn away from the
        first pulse, with equal waits between them, then a closing pi/2 of either sign. Every sweep after the first is
        sized by the time measured before. Results are the times of the nearest stretched exponentials, t2_one_pulse
        (a Hahn echo) and t2_cpmg at the largest number, their ratio, and the exponent of T2 ~ n^scaling: 2/3 for static
        noise that wanders, about 1/2 for 1/f, 0 for white.

        Asked for as: CPMG, dynamical decoupling, Carr-Purcell, decoupling, T2 against the number of pulses,
        noise spectroscopy.

        Not for: Hahn echo, T2 Ramsey, T1.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            pulses: largest number of pi pulses; the numbers are 1 and its doublings up to this. Default 16.
            stop: longest total wait (stop time) of the first sweep in us. Default 300.
            points: number of waits in each sweep. Default 21.
            shots: repetitions of every point. Default 2000.
        """
        settings = self.bench.settings(qubit)
        numbers = 2 ** np.arange(int(np.log2(pulses)) + 1)
        self.fits: list[Fit] = []
        rows: list[tuple[Array, Array, Array]] = []
        for number in numbers:
            if self.fits:
                stop = self.within_bounds(stop=WANTED * 1.3 * self.fits[-1]["time"])["stop"]
            t = np.linspace(0, stop, points)
            sequences = [train(settings, int(number), float(d), up) for up in (True, False) for d in t]
            fraction, error = self.bench.fractions(program(qubit, sequences, shots))
            high, low = fraction.reshape(2, points)
            self.idle = float(low.min())
            rows.append((t, high - low, np.hypot(*error.reshape(2, points))))
            if not self._fitted(*rows[-1]):
                break
        delay, difference, error = (np.array(part) for part in zip(*rows, strict=True))
        seen = numbers[: len(rows)].astype(float)
        self.data = {"pulses": seen, "delay": delay, "difference": difference, "error": error}

    def expected_acquisitions(self) -> float:
        return float(int(np.log2(self.arguments["pulses"])) + 1)

    def _fitted(self, t: Array, y: Array, sigma: Array) -> bool:
        """Fit one decay and keep it; False where there is none, or one that the sweep does not hold."""
        if not shows_signal(y, sigma):
            return False
        below = t[y < y[0] / np.e]
        guess = float(below[0]) if len(below) else float(t[-1])
        try:
            fit = least_squares(
                stretched, ["amplitude", "time", "power"], (t, y, sigma), [float(y[0]), guess, 1.2],
                ([-1.5, float(t[1]) / 10, 0.5], [1.5, 20 * float(t[-1]), 3.5]),
            )  # fmt: skip
        except FitError:
            return False
        self.fits.append(fit)
        return SHORTEST <= t[-1] / fit["time"] <= LONGEST and fit["amplitude"] > CONTRAST

    def report(self) -> Report:
        """Coherence times, their growth, and the exponent of T2 ~ n^scaling.

        A train of n pulses over the time t passes noise around the frequency n / (2 t) and blocks what lies below
        (Cywinski et al., arXiv:0712.2225), so for noise that is white or falls with frequency T2 does not get shorter
        with n. Where it does by more than two errors, the sweeps did not see the same qubit (T1 moved from one to the
        next), each pulse adds an error or heat (Bylander et al., arXiv:1101.4707), or, rarely, noise peaks there. An
        amplitude that is off does not do it: the pulses turn about the axis of the state, so that the error of each
        is undone by the next (Meiboom and Gill, Rev. Sci. Instrum. 29, 688); one pulse loses more by it than many.
        """
        fits, numbers = self.fits, self.data["pulses"]
        contrast, error = (fits[0]["amplitude"], fits[0].error("amplitude")) if fits else (0.0, 1.0)
        seen = Check("contrast above 0.2", contrast > CONTRAST, f"{contrast:.3f}")
        start = {"contrast": Estimate(contrast, error)}
        begins = float(self.data["difference"][-1, 0])
        if contrast <= CONTRAST or len(fits) < len(numbers):
            words = f"With {numbers[-1]:g} pi pulses the difference begins at {begins:.3f}."
            if begins > CONTRAST:
                less = self.within_bounds(stop=self.arguments["stop"] / 5)
                diagnosis = "decays before the second point, sweep shorter"
                return Report("adjust", diagnosis, words, start, (seen,), less, cause="decay_outside_window")
            return silent_report(self.idle, words, start, (seen,))
        times, errors = (np.array(part) for part in zip(*((f["time"], f.error("time")) for f in fits), strict=True))
        covers = self.data["delay"][:, -1] / times
        worst = int(np.argmax(np.maximum(SHORTEST / covers, covers / LONGEST)))
        pulls = max(fits, key=lambda fit: fit.reduced_chi_square)
        relative = float((errors / times).max())
        checks = (
            seen,
            Check("sweeps cover 1.5 to 8 lifetimes", SHORTEST <= covers[worst] <= LONGEST, f"{covers[worst]:.2f}"),
            Check("residuals are noise", all(f.good for f in fits), f"{pulls.reduced_chi_square:.2f} at worst"),
            Check("coherence times known to 10 %", relative < PRECISION, f"{100 * relative:.1f} %"),
        )
        passed = {check.name: check.passed for check in checks}
        if not passed["sweeps cover 1.5 to 8 lifetimes"]:
            wanted = self.within_bounds(stop=float(f"{WANTED * times[0]:.3g}"))
            words = f"With {numbers[worst]:g} pi pulses T2 is {times[worst]:.3g} +- {errors[worst]:.2g} us."
            diagnosis = f"sweep of {covers[worst]:.2g} lifetimes with {numbers[worst]:g} pulses"
            return Report("adjust", diagnosis, words, start, checks, wanted, cause="decay_outside_window")
        gain = times[-1] / times[0]
        gain_error = gain * float(np.hypot(errors[0] / times[0], errors[-1] / times[-1]))
        slope, slope_error = _slope(np.log(numbers), np.log(times), errors / times)
        estimates = start | {
            "t2_one_pulse": Estimate(float(times[0]), float(errors[0]), "us"),
            "t2_cpmg": Estimate(float(times[-1]), float(errors[-1]), "us"),
            "gain": Estimate(float(gain), gain_error),
            "scaling": Estimate(slope, slope_error),
        }
        words = (
            f"T2 of {self.qubit} is {times[0]:.1f} +- {errors[0]:.1f} us with one pi pulse and {times[-1]:.1f} +-"
            f" {errors[-1]:.1f} us with {numbers[-1]:g}, {gain:.2f} +- {gain_error:.2f} times as long; it grows as"
            f" n^({slope:.2f} +- {slope_error:.2f})."
        )
        if not passed["residuals are noise"]:
            return Report("bad_data", "a decay is not smooth", words, estimates, checks, cause="poor_fit")
        if not passed["coherence times known to 10 %"]:
            more = self.within_bounds(shots=3 * self.arguments["shots"])
            vague = "coherence times not precise enough"
            return Report("bad_data", vague, words, estimates, checks, more, cause="error_bar_too_wide")
        variables = {"t2_cpmg": float(times[-1]), "t2_cpmg_error": float(errors[-1])}
        if 1 - gain > SHORTER * gain_error:
            diagnosis, cause = "more pulses shorten the coherence: repeat it, then check the pulses", "pulses_shorten"
            return Report("success", diagnosis, words + DOUBT, estimates, checks, variables=variables, cause=cause)
        grows = "coherence grows with the pulses" if gain - 1 > CLEAR * gain_error else "pulses do not help"
        return Report("success", grows, words, estimates, checks, variables=variables)

    @visual_inspection(
        """
        Above: how far the fractions read as 1 for both signs of the last pulse lie apart, against the total wait, one
        colour and curve for each number of pi pulses. Below: the 1/e times against the number of pulses
        (logarithmic), with the fitted power law.
        A good one shows curves that start together above 0.2 and fall smoothly to near zero, points on their curves,
        and times that stay or rise along the line. Curves that start lower with more pulses (bad pi pulses), a flat
        curve, or times that jump up and down are failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Decays of every number of pulses, and their 1/e times."""
        made, (above, below) = figures.figure(f"CPMG, {self.qubit}", 2, height_ratios=(1.7, 1))
        shades = figures.shades(len(self.data["pulses"]))
        for row, (number, color) in enumerate(zip(self.data["pulses"], shades, strict=True)):
            t, y, error = (self.data[name][row] for name in ("delay", "difference", "error"))
            figures.data(above, t, y, error, f"n = {number:g}", color)
            if row < len(self.fits):
                figures.fitted(above, self.fits[row], "_", color)
                fit = self.fits[row]
                below.errorbar(number, fit["time"], fit.error("time"), fmt="o", color=color, markersize=4)
        above.set(xlabel=r"total wait ($\mu$s)", ylabel="difference of fractions")
        above.legend(frameon=False, ncols=2, fontsize=8.5)
        below.set(xlabel="number of pi pulses", ylabel=r"T2 ($\mu$s)", xscale="log")
        report = self.report()
        if "scaling" in report.estimates:
            scaling, n = report.estimates["scaling"], self.data["pulses"]
            centre = np.exp(np.mean([np.log(f["time"]) for f in self.fits]) - scaling.value * np.mean(np.log(n)))
            fine = np.geomspace(n[0], n[-1], 101)
            below.plot(fine, centre * fine**scaling.value, "-", color=figures.VERMILION, linewidth=1.2)
            figures.note(below, f"T2 $\\propto n^{{{scaling.value:.2f} \\pm {scaling.error:.2f}}}$", "lower right")
        below.set_xticks(self.data["pulses"], [f"{n:g}" for n in self.data["pulses"]])
        below.minorticks_off()
        return made


def train(settings: QubitSettings, number: int, total: float, upper: bool) -> list[Operation]:
    """pi/2 about x, `number` pi pulses about +-y with half waits at the ends, and pi/2 of either sign; waits in us.

    What relaxes between the pulses is turned by their errors. With the sign of the pi pulses that of the last pulse,
    both curves have as much of it, and their difference has none.
    """
    half, whole = Delay(total / (2 * number)), Delay(total / number)
    refocus: list[Operation] = [half_turn(settings, np.pi / 2 if upper else -np.pi / 2)]
    middle = [half, *refocus, *(number - 1) * [whole, *refocus]]
    # the state lies along y, the axis of the pi pulses: their errors turn it little, and each leaves it there
    last = quarter_turn(settings, 0.0 if upper else np.pi)
    return [quarter_turn(settings), *middle, half, last]


def _slope(x: Array, y: Array, sigma: Array) -> tuple[float, float]:
    """Slope of the weighted straight line through the points, and its error, widened where they are not on it."""
    weight = 1 / sigma**2
    away = x - np.sum(weight * x) / np.sum(weight)
    spread = float(np.sum(weight * away**2))
    slope = float(np.sum(weight * away * y)) / spread
    left = y - np.sum(weight * y) / np.sum(weight) - slope * away
    off = float(np.sum(weight * left**2)) / max(len(x) - 2, 1)
    return slope, float(np.sqrt(max(off, 1.0) / spread))
