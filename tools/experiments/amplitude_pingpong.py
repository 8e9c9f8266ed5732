"""Repeated gates: the amplitudes of the pi and the pi/2 pulse to a part in a few thousand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import detuning_check, figures
from labwright.tools.experiments.array_labels import over
from labwright.tools.experiments.base import Check, Estimate, Experiment, Judgement, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import cause_without_contrast, causes_of, in_units, without_contrast
from labwright.tools.experiments.fits import Array, Fit, least_squares
from labwright.tools.experiments.gates import half_turn, program, quarter_turn
from labwright.tools.experiments.needs import HOUR, PULSE, READOUT, Need
from labwright.tools.qpu.program import Operation
from labwright.tools.qpu.settings import QubitSettings

CONTRAST = 0.2
FIRST, GROWTH = 4, 3  # gates in the first iteration's longest train, and how fast trains grow
CONVERGED = 0.001  # relative amplitude error of the last iteration
PRECISION = 0.0005
# Shares of a pi pulse, then of a pi/2 pulse, that pulses of many half turns too much do not turn as they should: five
# half turns pass at a third and two thirds, seven at none but a fifth, and a pi/2 pulse a turn too strong at no half.
SHARES = ((1 / 3, 2 / 3, 1 / 5), (1 / 2,))
EXPECTED = np.sin(np.pi / 2 * np.array([*SHARES[0], SHARES[1][0] / 2])) ** 2  # excited
COARSE = 0.25  # distance from the expected population that these may show
LEVELS = 4  # references: nothing and a pi pulse, twice each
DETUNED = 0.5  # MHz: makes a pi/2 pulse of 30 ns 0.2 % too weak


@dataclass(frozen=True, slots=True)
class Iteration:
    """One round: what was played and what it said."""

    amplitude_pi: float
    amplitude_pi2: float
    fit: Fit


class AmplitudePingpong(Experiment):
    """Trains of equal gates, in which an amplitude error adds up."""

    name = "amplitude_pingpong"
    needs = (READOUT, Need(("frequency",), HOUR, 0.3), PULSE)  # 0.3 MHz moves the amplitudes by 0.06 %
    arrays = over("place_#", "fraction_#", "error_#") | over("pulses_#", "halves_#", "quarters_#")
    results = in_units("", "amplitude_pi", "amplitude_pi2", "error_pi", "error_pi2") | in_units("MHz", "detuning")
    summary_instructions = """
    The numbers decide: the correction of the last iteration must be below 0.1 % for both pulses, and known to
    0.05 %. In the figure the amplitudes settle after one or two iterations. An amplitude that is far off, or no
    contrast, sends back to rabi.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "amplitude_far_off", "drive_too_weak", "poor_fit", "error_bar_too_wide",
        "frequency_off",
        not_converged="The amplitudes have not settled, or the trains are still too short to tell.",
    )  # fmt: skip
    writes = ("amplitude_pi", "amplitude_pi2")

    def run(
        self,
        qubit: str,
        iterations: Annotated[int, Quantity("", 1, 10)] = 6,
        points: Annotated[int, Quantity("", 6, 40)] = 12,
        repetitions: Annotated[int, Quantity("", 4, 400)] = 96,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        update: bool = True,
    ) -> None:
        """Ping-pong (pingpong) experiment: fine calibration of the amplitudes of the pi and pi/2 pulses.

        Use it for fine amplitude calibration or fine tuning of the single-qubit gate pulses (X, X90) after rabi, and
        once more after drag_calibration. Plays trains of repeated gates, so that a small over- or under-rotation is
        amplified; measures the error of both pulses, corrects, and repeats with longer trains until it converges.

        Asked for as: ping-pong, fine amplitude calibration, fine-tune the amplitude, fine-tune the pi pulse,
        error amplification, pulse trains,
        pulse amplitude, amplitude calibration, gate amplitude.

        Not for: coarse amplitude, Rabi, DRAG.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            iterations: rounds (iteration) of measuring and correcting, at most. Default 6.
            points: trains of each kind in a round. Default 12.
            repetitions: number of repeated gates in the longest train. Default 96.
            shots: repetitions of every point. Default 1000.
            update: whether to write both amplitudes to the settings. Default True.
        """
        settings = self.settings = self.bench.settings(qubit)
        self.history: list[Iteration] = []
        self.levels, self.coarse, self.detuning = (0.0, 0.0), np.zeros(len(EXPECTED)), Estimate(0.0, 0.0, "MHz")
        longest = min(FIRST, repetitions)
        for _ in range(iterations):
            if not self._round(settings, longest, points, shots):
                return
            settings = self._corrected(settings)
            top = self.bench.device.limits.amplitude[1]
            if max(settings.amplitude_pi, settings.amplitude_pi2) > top or self._settled(longest, repetitions):
                return
            longest = min(longest * GROWTH, repetitions)

    def expected_acquisitions(self) -> float:
        """One round for every length of the trains; longer trains are more sequences."""
        longest, repetitions = min(FIRST, self.arguments["repetitions"]), self.arguments["repetitions"]
        rounds: list[int] = []
        for _ in range(self.arguments["iterations"]):
            rounds.append(len(_trains(self.settings, _lengths(longest, self.arguments["points"]), not rounds)[0]))
            if longest >= repetitions:
                break
            longest = min(longest * GROWTH, repetitions)
        return sum(rounds) / rounds[0]

    def _round(self, settings: QubitSettings, longest: int, points: int, shots: int) -> bool:
        """Measure and fit one iteration; False where there is nothing to go on with."""
        turns = _lengths(longest, points)
        first = not self.history
        sequences, quarters, halves = _trains(settings, turns, first)
        fraction, error = self.bench.fractions(program(self.qubit, sequences, shots))
        low, high = fraction[:2].mean(), fraction[2:LEVELS].mean()
        self.levels = (float(low), float(high))
        if high - low < CONTRAST:
            return False
        begin = LEVELS
        if first:
            begin = LEVELS + len(EXPECTED) + len(detuning_check.NAMES)
            self.coarse = (fraction[LEVELS : LEVELS + len(EXPECTED)] - low) / (high - low)
            pairs = slice(LEVELS + len(EXPECTED), begin)
            self.detuning = detuning_check.detuning(fraction[pairs], error[pairs], float(high - low), settings)
            if not self._coarsely_right or not self._resonant.passed:
                return False
        try:
            self.fit(quarters, halves, fraction[begin:], error[begin:])
        except FitError:
            return False
        self.history.append(Iteration(settings.amplitude_pi, settings.amplitude_pi2, self.fitted))
        number = len(self.history)
        self.data |= {f"fraction_{number}": fraction, f"error_{number}": error, f"halves_{number}": halves}
        self.data[f"quarters_{number}"] = quarters
        return True

    @property
    def _coarsely_right(self) -> bool:
        return not np.any(np.abs(self.coarse - EXPECTED) > COARSE)

    @property
    def _resonant(self) -> Check:
        return detuning_check.on_resonance(self.detuning, DETUNED)

    def fit(self, quarters: Array, halves: Array, fraction: Array, error: Array) -> None:
        """Fit mean level and both relative errors to trains of `quarters` pi/2 and `halves` pi pulses, (n,) each.

        A train ends on the equator: ``fraction = middle + s (high - low)/2 sin(x)``, where
        ``x = pi/2 quarters e2 + pi halves e1`` adds up the errors and the sign s = +-1 alternates with the train.
        """
        swing = (self.levels[1] - self.levels[0]) / 2
        sign = np.sin(np.pi / 2 * quarters + np.pi * halves)

        def model(index: Array, middle: float, error_pi: float, error_pi2: float) -> Array:
            x = np.pi / 2 * quarters * error_pi2 + np.pi * halves * error_pi
            wave: Array = middle + swing * sign * np.sin(x)
            return np.asarray(wave[index.astype(int)])

        data = (np.arange(len(fraction), dtype=float), fraction, error)
        start = [float(np.mean(self.levels)), 0.0, 0.0]
        self.fitted = least_squares(model, ["middle", "error_pi", "error_pi2"], data, start)

    def _corrected(self, settings: QubitSettings) -> QubitSettings:
        return replace(
            settings,
            amplitude_pi=settings.amplitude_pi / (1 + self.fitted["error_pi"]),
            amplitude_pi2=settings.amplitude_pi2 / (1 + self.fitted["error_pi2"]),
        )

    def _settled(self, longest: int, repetitions: int) -> bool:
        """The longest trains were played and asked for no correction worth another round."""
        fit = self.fitted
        return longest >= repetitions and max(abs(fit["error_pi"]), abs(fit["error_pi2"])) < CONVERGED

    def report(self) -> Report:
        """Both amplitudes and the error that was left in the last iteration, judged."""
        contrast = self.levels[1] - self.levels[0]
        if contrast < CONTRAST or not self.history:
            return self._unusable(contrast)
        last = self.history[-1]
        fit = last.fit
        amplitudes = {
            "amplitude_pi": last.amplitude_pi / (1 + fit["error_pi"]),
            "amplitude_pi2": last.amplitude_pi2 / (1 + fit["error_pi2"]),
        }
        worst = max(abs(fit["error_pi"]), abs(fit["error_pi2"]))
        sigma = max(fit.error("error_pi"), fit.error("error_pi2"))
        top = self.bench.device.limits.amplitude[1]
        checks = (
            Check("contrast above 0.2", True, f"{contrast:.3f}"),
            self._resonant,
            Check("trains follow the model", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("last correction below 0.1 %", worst < CONVERGED, f"{100 * worst:.3f} %"),
            Check("errors known to 0.05 %", sigma < PRECISION, f"{100 * sigma:.3f} %"),
            Check("within the hardware's limit", max(amplitudes.values()) <= top, f"{max(amplitudes.values()):.4f}"),
        )
        judged = self._judge(checks)
        estimates = {
            "amplitude_pi": Estimate(amplitudes["amplitude_pi"], amplitudes["amplitude_pi"] * fit.error("error_pi")),
            "amplitude_pi2": Estimate(
                amplitudes["amplitude_pi2"], amplitudes["amplitude_pi2"] * fit.error("error_pi2")
            ),
            "error_pi": fit.estimate("error_pi"),
            "error_pi2": fit.estimate("error_pi2"),
            "detuning": self.detuning,
        }
        analysis = (
            f"After {len(self.history)} iterations the last relative errors are {100 * fit['error_pi']:+.3f} % (pi) and"
            f" {100 * fit['error_pi2']:+.3f} % (pi/2), known to {100 * sigma:.3f} %. The pi amplitude is"
            f" {amplitudes['amplitude_pi']:.5f}, the pi/2 amplitude {amplitudes['amplitude_pi2']:.5f}."
        )
        updates = amplitudes if judged.verdict == "success" else {}
        return judged.report(analysis, estimates, checks, updates)

    def _judge(self, checks: tuple[Check, ...]) -> Judgement:
        passed = {check.name: check.passed for check in checks}
        arguments, played = self.arguments, len(self.history)
        longer: dict[str, float] = {"iterations": min(10, arguments["iterations"] + 2)}
        if not passed["within the hardware's limit"]:
            return Judgement("wrong_setup", "drive too weak for a pi pulse of this duration", "drive_too_weak")
        if not passed["trains follow the model"]:
            shorter = {"repetitions": max(FIRST, arguments["repetitions"] // 2)}
            return Judgement("bad_data", "trains do not follow the model; try shorter ones", "poor_fit", shorter)
        if not passed["errors known to 0.05 %"]:
            if played == arguments["iterations"] and FIRST * GROWTH ** (played - 1) < arguments["repetitions"]:
                return Judgement("adjust", "trains still short, iterate more", "not_converged", longer)
            more = self.within_bounds(shots=3 * arguments["shots"])
            return Judgement("bad_data", "error bars too large, take more shots", "error_bar_too_wide", more)
        if not passed["last correction below 0.1 %"]:
            return Judgement("adjust", "not converged, iterate more", "not_converged", longer)
        return Judgement("success", "amplitudes converged")

    def _unusable(self, contrast: float) -> Report:
        checks = [Check("contrast above 0.2", contrast >= CONTRAST, f"{contrast:.3f}")]
        words = f"Without pulse {self.levels[0]:.3f} of the shots read 1, after a pi pulse {self.levels[1]:.3f}."
        diagnosis, cause = without_contrast(self.levels[0]), cause_without_contrast(self.levels[0])
        if contrast >= CONTRAST and not self._coarsely_right:
            seen, wanted = (" ".join(f"{share:.2f}" for share in shares) for shares in (self.coarse, EXPECTED))
            checks.append(
                Check("shares of a pi and a pi/2 pulse excite what they should", False, f"{seen}, not {wanted}")
            )
            diagnosis = "pulse amplitude far off, more than repeated gates can tell; run rabi first"
            cause = "amplitude_far_off"
            words += f" Parts of both pulses excite {seen}, where right ones excite {wanted}."
        elif contrast >= CONTRAST:
            checks.append(self._resonant)
            diagnosis, cause = f"drive off by {self._resonant.detail}; run ramsey first", "frequency_off"
            words += f" The order of two pi/2 pulses tells the drive from the qubit by {self._resonant.detail}."
            if self._resonant.passed:
                diagnosis, cause = "trains do not follow the model; run rabi first", "amplitude_far_off"
        estimates = {"contrast": Estimate(contrast, float(1 / np.sqrt(2 * self.arguments["shots"])))}
        estimates |= {"detuning": self.detuning} if self.detuning.error else {}
        return Report("wrong_setup", diagnosis, words, estimates, tuple(checks), cause=cause)

    @visual_inspection(
        """
        The figure has two panels. Left: relative change of the pi and the pi/2 amplitude against the iteration, with
        error bars. Right: the last iteration's deviation from the middle level against the number of gates in the
        train, with its fit. In a good run both amplitudes settle, their last steps small against the first, and the
        deviations on the right scatter about a line close to zero. Amplitudes that keep moving, or a right panel
        with a large slope or a wave, mean that it has not converged.
        """
    )
    def plot(self) -> figures.Figure:
        """Amplitudes against iteration, and the last iteration's trains."""
        made, (left, right) = figures.figure(f"Amplitude ping-pong, {self.qubit}", 1, 2)
        left.set_xlabel("iteration")
        left.set_ylabel("amplitude correction (%)")
        right.set_xlabel("gates in the train")
        right.set_ylabel("deviation from the middle level")
        if self.history:
            self._draw(left, right)
        return made

    def _draw(self, left: figures.Axes, right: figures.Axes) -> None:
        number = np.arange(1.0, len(self.history) + 1)
        # side by side, so that neither hides the other
        for name, color, marker, aside in (("pi", figures.BLUE, "o", -0.06), ("pi2", figures.ORANGE, "s", 0.06)):
            played = np.array([getattr(i, f"amplitude_{name}") for i in self.history])
            found = played / (1 + np.array([i.fit[f"error_{name}"] for i in self.history]))
            bars = 100 * np.array([i.fit.error(f"error_{name}") for i in self.history])
            label = r"$\pi$" if name == "pi" else r"$\pi/2$"
            before = getattr(self.settings, f"amplitude_{name}")
            figures.data(left, number + aside, 100 * (found / before - 1), bars, label, color, marker)
        left.set_xticks(number)
        left.axhline(0, color=figures.BLACK, linewidth=0.8)
        figures.headroom(left)
        left.legend(frameon=False, loc="upper right", ncols=2)
        fit, last = self.history[-1].fit, len(self.history)
        quarters, halves = self.data[f"quarters_{last}"], self.data[f"halves_{last}"]
        sign = np.sin(np.pi / 2 * quarters + np.pi * halves)
        swing, curve = self.levels[1] - self.levels[0], fit.curve(fit.x)
        for chosen, color, marker, label, aside in (
            (halves > 0, figures.BLUE, "o", r"$\pi/2$ then $\pi$", -0.4),
            (halves == 0, figures.ORANGE, "s", r"$\pi/2$ only", 0.4),
        ):
            gates = (quarters + halves)[chosen] + aside
            scaled = (sign * (fit.y - fit["middle"]) / swing)[chosen]
            figures.data(right, gates, scaled, fit.sigma[chosen] / swing, label, color, marker)
            right.plot(gates, (sign * (curve - fit["middle"]) / swing)[chosen], "-", color=color, linewidth=1.2)
        right.axhline(0, color=figures.BLACK, linewidth=0.8)
        figures.headroom(right)
        right.legend(frameon=False, loc="upper left", fontsize=8.5)


def _lengths(longest: int, points: int) -> Array:
    """About `points` train lengths up to `longest`, in neighbouring pairs: signs alternate, which fixes the middle."""
    starts = np.linspace(0, longest - 1, max(points // 2, 2)).round()
    return np.unique(np.concatenate([starts, starts + 1]))


def _trains(settings: QubitSettings, turns: Array, checked: bool) -> tuple[list[list[Operation]], Array, Array]:
    """References, control points if asked for, trains of odd numbers of pi/2 pulses, and of a pi/2 and pi pulses."""
    x180, x90 = half_turn(settings), quarter_turn(settings)
    sequences: list[list[Operation]] = [[], [], [x180], [x180]]
    if checked:
        sequences += [
            [replace(pulse, amplitude=pulse.amplitude * share)]
            for pulse, shares in zip((x180, x90), SHARES, strict=True)
            for share in shares
        ]
        sequences += detuning_check.orders(settings)
    odd = np.unique(2 * (turns // 2) + 1 + 2 * (turns % 2))
    sequences += [[x90] * int(n) for n in odd]
    sequences += [[x90, *([x180] * int(n))] for n in turns if n > 0]
    pulses = turns[turns > 0]
    quarters = np.concatenate([odd, np.ones(len(pulses))])
    halves = np.concatenate([np.zeros(len(odd)), pulses])
    return sequences, quarters, halves
