"""Spectroscopy of the second transition: the anharmonicity."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Judgement, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, fit_peak, shows_signal
from labwright.tools.experiments.gates import grid, half_turn, program
from labwright.tools.experiments.needs import LINE, PULSE, RESONATOR
from labwright.tools.experiments.qubit_spectroscopy import COARSE, along_axis_error, along_main_axis
from labwright.tools.qpu.program import Operation, Pulse

HEIGHT = 6.0  # of a line, in units of its error
PRECISION = 0.5  # MHz
WIDEST = 200.0  # MHz of sweep; a transmon whose second line is farther off than half of this is none
STRONG = 20.0  # errors of the second line at which a first line so poor has been turned around by too strong a probe
FRACTION_OF_SPAN = 1 / 8  # a broader line is saturated


class EfSpectroscopy(Experiment):
    """A weak pulse of swept frequency from level 1, and the same from level 0 for reference."""

    name = "ef_spectroscopy"
    needs = (RESONATOR, LINE, PULSE)
    arrays = (
        swept("detuning", "MHz")
        | words("half", "second", "first")
        | over("detuning", "second", "first")
        | over("half detuning", "error")
    )
    results = in_units("MHz", "anharmonicity", "first_line", "width")
    summary_instructions = """
    The fit decides: one line in each half, six error bars high, well inside the sweep. The distance of the two lines
    is the anharmonicity, whatever the drive frequency is. No second line asks for the proposed wider sweep; no first
    line means that the qubit is not where the drive is.
    """
    causes = causes_of(
        "no_line_in_sweep", "line_at_edge", "line_saturated", "signal_in_noise", "error_bar_too_wide",
        "step_too_coarse",
        sweep_beside_lines="The sweep leaves out the frequencies where the lines are expected.",
        no_first_line="No line at the qubit frequency: the qubit is elsewhere, or the readout cannot tell.",
        no_second_line="No second line in the widest sweep: the pi pulse does not excite the qubit.",
        wrong_transition="The line that was found cannot be the second transition of a transmon.",
    )  # fmt: skip
    writes = ("anharmonicity",)

    def run(
        self,
        qubit: str,
        start: Annotated[float, Quantity("MHz", -150.0, 150.0)] = -30.0,
        stop: Annotated[float, Quantity("MHz", -150.0, 150.0)] = 30.0,
        step: Annotated[float, Quantity("MHz", 0.05, 5.0)] = 1.0,
        amplitude: Annotated[float, Quantity("full scale", 0.0005, 0.2)] = 0.01,
        duration: Annotated[float, Quantity("us", 0.05, 2.0)] = 0.4,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        update: bool = True,
    ) -> None:
        """Spectroscopy of the ef transition (f12): finds the second line of the transmon and sets the anharmonicity.

        Use it after frequency and pi pulse are calibrated, to measure the anharmonicity or where level 2 lies. Excites
        the qubit, plays one long, weak pulse around the expected second transition, and brings what is left in
        level 1 back to 0, so that level 2 stands out. The first transition is swept alike from level 0, and the
        anharmonicity is the distance of the two lines: an error of the drive frequency cancels.

        Asked for as: ef spectroscopy, f12 spectroscopy, f12, ef transition, ef line, second-transition, anharmonicity,
        transmon nonlinearity, second excited state.

        Not for: qubit line, resonator, readout, punch-out.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            start: lowest frequency, relative to each expected line, in MHz. Default -30.
            stop: highest frequency, relative to each expected line, in MHz. Default 30.
            step: step between frequencies (step size) in MHz. Default 1.
            amplitude: drive amplitude (amp) of the probe pulse in units of full scale. Default 0.01.
            duration: length of the probe pulse in us; a longer pulse gives a narrower line. Default 0.4.
            shots: repetitions of every point. Default 1000.
            update: whether to write the anharmonicity to the settings. Default True.

        Raises:
            InputError: an argument is out of bounds, or the sweep has fewer than 10 points.
        """
        self.settings = self.bench.settings(qubit)
        x, pi = grid(start, stop, step), half_turn(self.settings)
        second = self.settings.anharmonicity
        from_one: list[list[Operation]] = [
            [pi, Pulse(amplitude, duration, "gaussian", detuning=second + float(d)), pi] for d in x
        ]
        from_zero: list[list[Operation]] = [[Pulse(amplitude, duration, "gaussian", detuning=float(d))] for d in x]
        average, error = self.bench.averages(program(qubit, from_one + from_zero, shots, "average"))
        scale = float(np.median(error))
        upper, lower = average.reshape(2, -1)
        self.data = {
            "detuning": x,
            "second": along_main_axis(upper) / scale,
            "first": along_main_axis(lower) / scale,
            "error": along_axis_error(error).reshape(2, -1) / scale,
        }
        self.fit()

    def fit(self) -> None:
        """Fit a Gaussian line to each half; None where there is none."""
        error = self.data["error"]
        self.second = _line(self.data["detuning"], self.data["second"], error[0])
        self.first = _line(self.data["detuning"], self.data["first"], error[1])

    def report(self) -> Report:
        """Both lines and their distance, judged."""
        if self.first is None or self.second is None:
            return self._unseen()
        start, stop, step = (float(self.arguments[name]) for name in ("start", "stop", "step"))
        shift = self.second["centre"] - self.first["centre"]
        error = float(np.hypot(_error(self.second), _error(self.first)))
        anharmonicity = self.settings.anharmonicity + shift
        inside = all(start + 2 * step < line["centre"] < stop - 2 * step for line in (self.first, self.second))
        broadest = max(self.first["width"], self.second["width"])
        shaped = all(line.good or line.r_squared > 0.7 for line in (self.first, self.second))
        worst = max(self.first.reduced_chi_square, self.second.reduced_chi_square)
        checks = (
            Check("both lines six errors high", True, f"{_height(self.second):.0f} and {_height(self.first):.0f}"),
            Check("lines have their shape", shaped, f"reduced chi square {worst:.2f}"),
            Check("lines inside the sweep", inside, f"{self.second['centre']:+.2f}, {self.first['centre']:+.2f} MHz"),
            Check("lines narrow", broadest < (stop - start) * FRACTION_OF_SPAN, f"{broadest:.2f} MHz"),
            Check("anharmonicity negative, as a transmon's", anharmonicity < 0, f"{anharmonicity:.1f} MHz"),
            Check("anharmonicity known to 0.5 MHz", error < PRECISION, f"{error:.3f} MHz"),
        )
        judged = self._judge(checks, inside)
        analysis = (
            f"The second line lies {-anharmonicity:.3f} +- {error:.3f} MHz below the first, {shift:+.3f} MHz from the"
            f" expected anharmonicity of {self.settings.anharmonicity:.3f} MHz. The first line lies"
            f" {self.first['centre']:+.3f} MHz from the drive frequency."
        )
        estimates = {
            "anharmonicity": Estimate(anharmonicity, error, "MHz"),
            "first_line": Estimate(self.first["centre"], _error(self.first), "MHz"),
            "width": self.second.estimate("width", "MHz"),
        }
        updates = {"anharmonicity": anharmonicity} if judged.verdict == "success" else {}
        return judged.report(analysis, estimates, checks, updates)

    def _judge(self, checks: tuple[Check, ...], inside: bool) -> Judgement:
        """Verdict, cause and proposed parameters, the first reason first."""
        failed = [check.name for check in checks if not check.passed]
        if not failed:
            return Judgement("success", "one clear line in each half")
        if not inside:
            return Judgement("adjust", "line at the edge, sweep wider", "line_at_edge", self._wider())
        assert self.first is not None
        assert self.second is not None
        around = _error(self.first) > PRECISION and _height(self.second) > STRONG
        if around or {"lines narrow", "lines have their shape"} & set(failed):
            weaker = self.within_bounds(3, amplitude=self.arguments["amplitude"] / 3)
            return Judgement("adjust", "lines saturated, probe more weakly", "line_saturated", weaker)
        if "anharmonicity negative, as a transmon's" in failed:
            diagnosis = "the line is not the second transition; check the qubit frequency"
            return Judgement("wrong_setup", diagnosis, "wrong_transition")
        more = self.within_bounds(shots=3 * self.arguments["shots"])
        return Judgement("bad_data", "anharmonicity not precise enough, more shots", "error_bar_too_wide", more)

    def _wider(self) -> dict[str, float]:
        """A sweep half as wide again on both sides and, so that the line stays drawn, a step as fine."""
        start, stop = self.arguments["start"], self.arguments["stop"]
        half = (stop - start) / 2
        return self.within_bounds(start=start - half, stop=stop + half)

    def _unseen(self) -> Report:
        """A missing line: the qubit is elsewhere, or the sweep is too narrow."""
        heights = [np.abs(self.data[name]).max() for name in ("second", "first")]
        checks = (
            Check("first line six errors high", self.first is not None, f"{heights[1]:.1f}"),
            Check("second line six errors high", self.second is not None, f"{heights[0]:.1f}"),
        )
        estimates = {"height": Estimate(float(heights[0]), 1.0)}
        start, stop = float(self.arguments["start"]), float(self.arguments["stop"])
        words = (
            f"Between {start:+g} and {stop:+g} MHz the largest excursion is {heights[0]:.1f} errors around the second"
            f" transition and {heights[1]:.1f} around the first."
        )
        step, finest = float(self.arguments["step"]), COARSE / float(self.arguments["duration"])
        if step > 1.01 * finest:
            words += f" The points are {step:g} MHz apart, where the lines of this probe are {2 * finest:.2g} MHz wide."
            finer = self.within_bounds(3, step=0.8 * finest)
            coarse = "a line is missing, step more finely"
            return Report("adjust", coarse, words, estimates, checks, finer, cause="step_too_coarse")
        if self.first is None and not start < 0 < stop:
            around = {"start": min(start, -30.0), "stop": max(stop, 30.0)}
            beside = "sweep leaves out the expected lines"
            return Report("adjust", beside, words, estimates, checks, around, cause="sweep_beside_lines")
        if self.first is None and self.second is not None:
            more = self.within_bounds(shots=4 * self.arguments["shots"])
            noisy = "first line drowns in noise, more shots"
            return Report("bad_data", noisy, words, estimates, checks, more, cause="signal_in_noise")
        if self.first is None:
            diagnosis = (
                "no line at the qubit frequency: the drive does not reach the qubit, or readout cannot tell the states"
                " apart; run qubit_spectroscopy"
            )
            return Report("wrong_setup", diagnosis, words, estimates, checks, cause="no_first_line")
        if stop - start < WIDEST:
            unseen = "no second line in the sweep, search wider"
            return Report("adjust", unseen, words, estimates, checks, self._wider(), cause="no_line_in_sweep")
        diagnosis = "no second line anywhere: the pi pulse does not excite the qubit; run rabi"
        return Report("wrong_setup", diagnosis, words, estimates, checks, cause="no_second_line")

    @visual_inspection(
        """
        The figure shows spectroscopy of a transmon's second transition. Above: the readout signal, in units of its
        error, against the probe frequency around the expected second transition, starting from level 1. Below: the
        same around the drive frequency, starting from level 0. Each has a fitted line.
        A good one has a single line in both panels, well above a flat base, drawn by at least three points and inside
        the sweep, and the curve meets top and flanks. A panel without a line, a line cut off at the edge, several
        lines, or a stray point are failures; say which one it is.
        A good measurement: Image("ef_spectroscopy_good.png")
        A failed one, the lines lie outside the sweep: Image("ef_spectroscopy_bad.png")
        """
    )
    def plot(self) -> figures.Figure:
        """Signal around both transitions, with the fitted lines."""
        made, axes = figures.figure(f"ef spectroscopy, {self.qubit}", 2, sharex=True)
        rows = (
            ("second", self.second, figures.BLUE, f"second transition, −{-self.settings.anharmonicity:.1f} MHz"),
            ("first", self.first, figures.GREEN, "first transition"),
        )
        for row, (axis, (name, line, color, label)) in enumerate(zip(axes, rows, strict=True)):
            figures.data(axis, self.data["detuning"], self.data[name], self.data["error"][row], label, color)
            axis.set_ylabel("readout signal\n(units of its error)")
            if line is not None:
                figures.fitted(axis, line)
                figures.note(axis, f"line at {line['centre']:+.2f} ± {_error(line):.2f} MHz")
            figures.headroom(axis, 0.35)
            axis.legend(loc="upper left", frameon=False, fontsize=8.5)
        axes[-1].set_xlabel("probe frequency − expected line (MHz)")
        return made


def _line(x: Array, y: Array, sigma: Array) -> Fit | None:
    """A Gaussian line that stands out of the noise, or None."""
    if not shows_signal(y, sigma):
        return None
    try:
        fit = fit_peak(x, y, sigma)
    except FitError:
        return None
    return fit if _height(fit) > HEIGHT else None


def _height(line: Fit) -> float:
    return abs(line["height"]) / line.error("height")


def _error(line: Fit) -> float:
    """One sigma of the centre; what the residuals show is added, since a pulsed line is not exactly Gaussian."""
    return line.error("centre") * max(1.0, float(np.sqrt(line.reduced_chi_square)))
