"""Readout optimization: the power, and the length, at which one shot tells 0 from 1 best."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units, silent_report
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.experiments.needs import LINE, PULSE, RESONATOR
from labwright.tools.experiments.readout_calibration import best_threshold
from labwright.tools.qpu.program import Operation

CONTRAST = 0.2  # of the best readout
CONFIRM = 4  # how many times the shots of a sweep's point the chosen readout is measured with


class ReadoutOptimization(Experiment):
    """Single shots of 0 and 1 against readout amplitude, then against the length of the window."""

    name = "readout_optimization"
    needs = (RESONATOR, LINE, PULSE)
    arrays = (
        swept("amplitude", "full scale")
        | over("amplitude", "fidelity", "error")
        | swept("length", "us")
        | over("length", "length_fidelity", "length_error")
        | words("tone", "chosen", "present")
        | over("tone", "confirmed", "confirmed_error")
    )
    results = in_units("", "best_amplitude", "fidelity", "present_fidelity", "readout_threshold") | in_units(
        "us", "best_length"
    )
    results |= in_units("rad", "readout_angle")
    summary_instructions = """
    The assignment fidelity decides, each point's line fitted to one half of its shots and judged by the other. It rises
    with power until the tone itself makes the qubit jump, and with length until the qubit relaxes. The chosen amplitude
    is measured again with fresh shots beside the present one.
    """
    causes = causes_of(
        "no_response", "readout_unresolved",
        best_at_edge="The fidelity is best at the end of the sweep of amplitudes.",
    )  # fmt: skip
    writes = ("readout_amplitude", "readout_angle", "readout_threshold")
    errors: ClassVar[dict[str, str]] = {"readout_amplitude": "best_amplitude"}

    def run(
        self,
        qubit: str,
        start: Annotated[float, Quantity("full scale", 0.01, 0.9)] = 0.1,
        stop: Annotated[float, Quantity("full scale", 0.02, 1.0)] = 0.7,
        points: Annotated[int, Quantity("", 5, 60)] = 13,
        longest: Annotated[float, Quantity("us", 0.5, 20.0)] = 15.0,
        shots: Annotated[int, Quantity("", 400, 20000)] = 3000,
        update: bool = True,
    ) -> None:
        """Readout optimization: finds readout amplitude and window length of the best assignment fidelity.

        Use it after the readout frequency is found, to choose the power: a stronger tone separates the blobs, and from
        some power on makes the qubit jump. Takes single shots after nothing and after a pi pulse at amplitudes from
        `start` to `stop`, sets the best one with its angle and threshold, then varies the length of the window at that
        amplitude. The length is reported as best_length; it is a setting of the hardware and not written.

        Asked for as: readout optimization, readout optimisation, optimize the readout, readout power optimization,
        readout length, best readout amplitude.

        Not for: punch-out, resonator dip, readout frequency, threshold alone.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            start: smallest readout amplitude in units of full scale. Default 0.1.
            stop: largest readout amplitude in units of full scale. Default 0.7.
            points: number of amplitudes. Default 13.
            longest: longest window in us. Default 15.
            shots: single shots of each level at each point. Default 3000.
            update: whether to write amplitude, angle and threshold to the settings. Default True.
        """
        settings = self.bench.settings(qubit)
        self.pulse = half_turn(settings)
        amplitudes = np.geomspace(min(start, stop), max(start, stop), int(points))
        fidelity, error = self._swept(amplitudes, None)
        self.best = float(amplitudes[_top(np.log(amplitudes), fidelity, error)])
        lengths = np.geomspace(longest / 30, longest, 11)
        length_fidelity, length_error = self._swept(np.full(11, self.best), lengths)
        self.length = float(lengths[_top(np.log(lengths), length_fidelity, length_error)])
        self.spacing = float(np.log(amplitudes[1] / amplitudes[0])), float(np.log(lengths[1] / lengths[0]))
        many = int(min(20000, CONFIRM * shots))
        iq = self._shots(np.array([self.best, settings.readout_amplitude]), None, many)
        self.cut, self.idle = _line(iq[0]), float(1 - _judged(iq[0])[1])
        # from eighths of the shots; the place of a flat maximum improves as the cube root of their number
        parts = np.std([_line(part) for part in np.array_split(iq[0], 8, axis=1)], axis=0, ddof=1)
        self.cut_error = float(parts[0] / np.sqrt(8)), float(parts[1] / 2)
        judged = [_judged(each)[0] for each in iq]
        self.data = {
            "amplitude": amplitudes, "fidelity": fidelity, "error": error,
            "length": lengths, "length_fidelity": length_fidelity, "length_error": length_error,
            "confirmed": np.array(judged), "confirmed_error": np.array([_error(f, many // 2) for f in judged]),
        }  # fmt: skip

    def expected_acquisitions(self) -> float:
        return 1.0 + (11 + 2 * CONFIRM) / float(self.arguments["points"])

    def _shots(self, amplitudes: Array, lengths: Array | None, shots: int) -> NDArray[np.complex128]:
        """Single shots (point, prepared, shot)."""
        pair: list[list[Operation]] = [[], [self.pulse]]
        play = program(self.qubit, pair * len(amplitudes), shots, "shots")
        windows = None if lengths is None else np.repeat(lengths, 2)
        got = self.bench.acquire(
            replace(play, readout_amplitude=np.repeat(amplitudes, 2), readout_duration=windows)
        )  # fmt: skip
        assert got.iq is not None
        return got.iq.reshape(len(amplitudes), 2, -1)

    def _swept(self, amplitudes: Array, lengths: Array | None) -> tuple[Array, Array]:
        shots = int(self.arguments["shots"])
        fidelity = np.array([_judged(each)[0] for each in self._shots(amplitudes, lengths, shots)])
        return fidelity, np.array([_error(f, shots // 2) for f in fidelity])

    def report(self) -> Report:
        """The best amplitude and length, and what they are worth beside the present readout."""
        (chosen, present), (error, present_error) = self.data["confirmed"], self.data["confirmed_error"]
        ends = self.data["amplitude"][[0, -1]]
        inside = bool(ends[0] < self.best < ends[1])
        gain, gain_error = chosen - present, float(np.hypot(error, present_error))
        checks = (
            Check("contrast above 0.2", 2 * chosen - 1 > CONTRAST, f"{2 * chosen - 1:.3f}"),
            Check("best amplitude inside the sweep", inside, f"{self.best:.3f} of {ends[0]:.3g} to {ends[1]:.3g}"),
        )
        angle, threshold = self.cut
        noise = self.cut_error
        estimates = {
            "best_amplitude": Estimate(self.best, self.best * self.spacing[0], "full scale"),
            "best_length": Estimate(self.length, self.length * self.spacing[1], "us"),
            "fidelity": Estimate(float(chosen), float(error)),
            "present_fidelity": Estimate(float(present), float(present_error)),
            "readout_angle": Estimate(angle, noise[0], "rad"),
            "readout_threshold": Estimate(threshold, noise[1]),
        }
        beyond = "at least " if self.length == self.data["length"][-1] else ""
        analysis = (
            f"At an amplitude of {self.best:.3f} a shot is read right in {100 * chosen:.2f} +- {100 * error:.2f} %, at"
            f" the present one in {100 * present:.2f} +- {100 * present_error:.2f} %. The best window is"
            f" {beyond}{self.length:.2g} us."
        )
        if not checks[0].passed:
            return silent_report(self.idle, analysis, estimates, checks)
        if not inside:
            low = self.best <= ends[0]
            new = max(0.01, float(ends[0]) / 3) if low else min(1.0, 1.5 * float(ends[1]))
            wider = {"start" if low else "stop": float(f"{new:.3g}")}
            edge = "best amplitude at the end of the sweep"
            if abs(new - ends[0 if low else 1]) > 1e-6:
                return Report("adjust", edge, analysis, estimates, checks, wider, cause="best_at_edge")
            return Report("wrong_setup", edge, analysis, estimates, checks, cause="best_at_edge")
        better = gain > gain_error
        # the line is written even where the power may stay: what is set may have been of another tone
        updates = {"readout_amplitude": self.best, "readout_angle": angle, "readout_threshold": threshold}
        variables = {"best_amplitude": self.best, "best_length": self.length}
        words = f"fidelity {gain:+.3f} better" if better else "best amplitude as good as the present one"
        return Report("success", words, analysis, estimates, checks, updates=updates, variables=variables)

    @visual_inspection(
        """
        The figure shows the assignment fidelity, with error bars: to the left against the readout amplitude with a
        dashed line at the chosen one and a diamond for its second measurement, to the right against the length of the
        window at that amplitude. The length is logarithmic.
        A good one rises from about one half, has a maximum inside the left panel, and falls behind it; the diamond lies
        on the curve. A flat line at one half, a maximum at the edge, or points that jump are failures; say which.
        """
    )
    def plot(self) -> figures.Figure:
        """Assignment fidelity against amplitude and against length."""
        made, (left, right) = figures.figure(f"Readout optimization, {self.qubit}", 1, 2, sharey=True)
        for axis, name, values, errors, best, label in (
            (left, "amplitude", "fidelity", "error", self.best, "readout amplitude (full scale)"),
            (right, "length", "length_fidelity", "length_error", self.length, r"length of the window ($\mu$s)"),
        ):
            figures.data(axis, self.data[name], self.data[values], self.data[errors], "sweep")
            axis.plot(self.data[name], self.data[values], "-", color=figures.BLUE, linewidth=0.8, alpha=0.5)
            axis.axvline(best, color="0.5", linestyle="--", linewidth=1, label=f"best {best:.3g}")
            axis.set_xlabel(label)
        right.set_xscale("log")
        chosen, error = self.data["confirmed"][0], self.data["confirmed_error"][0]
        left.errorbar(self.best, chosen, error, fmt="D", color=figures.VERMILION, markersize=5, label="measured again")
        left.set_ylabel("assignment fidelity")
        figures.headroom(left, 0.2)
        for axis in (left, right):
            axis.legend(frameon=False, fontsize=8.5, loc="upper left", ncols=2)
        return made


def _line(pair: NDArray[np.complex128]) -> tuple[float, float]:
    """Angle and threshold that part the shots of 0 and 1, (2, n)."""
    means = pair.mean(axis=1)
    angle = float(np.angle(means[1] - means[0]))
    return angle, best_threshold(*(pair * np.exp(-1j * angle)).real)


def _judged(pair: NDArray[np.complex128]) -> tuple[float, float]:
    """Assignment fidelity, and how often 0 is read as 0: the line from the even shots, the verdict from the odd."""
    angle, threshold = _line(pair[:, ::2])
    ground, excited = ((pair[:, 1::2] * np.exp(-1j * angle)).real > threshold).mean(axis=1)
    return float(1 + excited - ground) / 2, float(1 - ground)


def _error(fidelity: float, shots: int) -> float:
    return float(np.sqrt(fidelity * (1 - fidelity) / (2 * shots)))


def _top(x: Array, y: Array, error: Array) -> int:
    """The point nearest to the top of a parabola through those near the largest value; its place if there is none."""
    top = int(np.argmax(y))
    near = np.flatnonzero(np.abs(np.arange(len(x)) - top) <= 3)
    curve = np.polyfit(x[near], y[near], 2, w=1 / error[near])
    if curve[0] >= 0 or top in (0, len(x) - 1):
        return top
    return int(np.argmin(np.abs(x - np.clip(-curve[1] / (2 * curve[0]), x[0], x[-1]))))
