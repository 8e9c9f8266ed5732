"""Power Rabi: the amplitudes at which the calibrated pulse turns the qubit by pi and by pi/2."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Judgement, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units, silent_report
from labwright.tools.experiments.fits import Array, Fit, least_squares, shows_signal, strongest_cosine
from labwright.tools.experiments.gates import program
from labwright.tools.experiments.needs import LINE, READOUT
from labwright.tools.qpu.program import Pulse

CONTRAST = 0.2
FEWEST, MOST, WANTED = 0.7, 3.5, 1.1  # oscillations in the sweep
BEND = 0.12  # how much of the angle of a pi pulse a drive may lose to compression
MODEL = 0.0015  # relative error of both amplitudes that level 2 leaves in the model
NEAR = 1.0  # MHz that the drive may be off resonance
PULLED = 0.003  # relative error of both amplitudes a MHz off resonance
# A drive that is off by d turns the axis of two quarter turns in a row by 2 pi d times this share of a pulse's length.
EXPOSED = 1.145
PRECISION = 0.02  # relative error of the amplitude above which more shots are asked for


def turned(a: Array, offset: float, depth: float, pi_amplitude: float, bend: float) -> Array:
    """Fraction after a pulse of amplitude `a` that turns by pi x (1 - bend (x^2 - 1)), x = a / pi_amplitude.

    `bend` is the third-order compression of the drive; `depth` is half of peak to peak.
    """
    x = a / pi_amplitude
    return np.asarray(offset - depth * np.cos(np.pi * x * (1 - bend * (x**2 - 1))))


class PowerRabi(Experiment):
    """The calibrated pulse at growing amplitude."""

    name = "power_rabi"
    needs = (READOUT, LINE)
    arrays = (
        swept("amplitude", "full scale")
        | over("amplitude", "fraction", "error")
        | words("second", "+y", "-y")
        | over("second", "crossed")
    )
    results = in_units("MHz", "drive_offset") | in_units(
        "", "amplitude_pi", "amplitude_pi2", "compression", "contrast", "oscillations"
    )
    summary_instructions = """
    The fit decides: one oscillation against amplitude that begins at its trough with a contrast above 0.2, and holds
    between 0.7 and 3.5 periods. No oscillation means that the drive does not reach the qubit or that the readout
    cannot tell the states apart.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "poor_fit", "error_bar_too_wide", "too_few_oscillations",
        "too_many_oscillations", "drive_too_weak", "frequency_off",
    )  # fmt: skip
    writes = ("amplitude_pi", "amplitude_pi2")

    def run(
        self,
        qubit: str,
        stop: Annotated[float, Quantity("full scale", 0.0, 1.0)] = 0.0,
        points: Annotated[int, Quantity("", 15, 201)] = 51,
        shots: Annotated[int, Quantity("", 50, 20000)] = 2000,
        update: bool = True,
    ) -> None:
        """Power Rabi (amplitude Rabi): measures the amplitudes of the pi and pi/2 pulses at the duration of the gates.

        Use it to calibrate the amplitude of the gate pulse itself, with its shape and DRAG, where rabi sweeps the
        length of a square pulse and computes the amplitude from the area. Plays the calibrated pulse once at amplitudes
        from 0 to `stop` and fits the oscillation, with the compression of a drive that saturates. Two quarter turns
        about crossed axes then tell how far the drive is off resonance, which would bend the oscillation unseen.

        Asked for as: power Rabi, amplitude Rabi, Rabi against amplitude, Rabi amplitude sweep, pulse amplitude sweep,
        pi pulse amplitude sweep.

        Not for: Rabi rate, pulse length, time Rabi, fine amplitude, ping-pong.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            stop: largest pulse amplitude in units of full scale. Default 0, 1.8 times the present pi amplitude.
            points: number of amplitudes. Default 51.
            shots: repetitions of every point. Default 2000.
            update: whether to write the amplitudes of the pi and pi/2 pulses to the settings. Default True.
        """
        self.settings = settings = self.bench.settings(qubit)
        self.top = self.bench.device.limits.amplitude[1]
        self.reach = stop if stop > 0 else min(1.8 * settings.amplitude_pi, self.top)
        a = np.linspace(0, self.reach, points)
        pulses = [[Pulse(float(each), settings.pulse_duration, drag=settings.drag)] for each in a]
        fraction, error = self.bench.fractions(program(qubit, pulses, shots))
        self.data = {"amplitude": a, "fraction": fraction, "error": error}
        self.fit()
        self.offset = Estimate(0.0, 0.0, "MHz")
        if self.fitted is not None and 2 * self.fitted["depth"] > CONTRAST:
            self._resonance(min(_turn(self.fitted, 0.5, MODEL).value, self.top))

    def _resonance(self, half: float) -> None:
        """How far the drive is above the qubit: a quarter turn about x, then one about y of either sign.

        On resonance both leave the state in the equator, and the fractions are the same.
        """
        assert self.fitted is not None
        length, drag = self.settings.pulse_duration, self.settings.drag
        turns = [Pulse(half, length, phase=phase, drag=drag) for phase in (0.0, np.pi / 2, -np.pi / 2)]
        pairs = program(self.qubit, [[turns[0], end] for end in turns[1:]], self.arguments["shots"])
        (pair, noise), contrast = self.bench.fractions(pairs), 2 * self.fitted["depth"]
        self.data["crossed"] = pair
        angle = float(np.arcsin(np.clip((pair[0] - pair[1]) / contrast, -1, 1)))
        error = float(np.hypot(*noise)) / contrast
        scale = 2 * np.pi * EXPOSED * length
        self.offset = Estimate(angle / scale, error / scale, "MHz")

    def fit(self) -> None:
        """Fit the oscillation from its trough at amplitude 0; `fitted` is None where there is none."""
        a, y, sigma = self.data["amplitude"], self.data["fraction"], self.data["error"]
        self.fitted: Fit | None = None
        if not shows_signal(y, sigma):
            return
        offset, depth, frequency, _ = strongest_cosine(a, y)
        names, low, high = ["offset", "depth", "pi_amplitude", "bend"], [0.0, 0.0, 0.0, -BEND], [1.0, 0.5, 20.0, BEND]
        # folded into half a sweep or less the strongest cosine is a poor guess, so that three are tried
        for guess in 0.5 / frequency * np.array([1.0, 1.3, 0.8]):
            start = [np.clip(offset, 0.05, 0.95), np.clip(depth, 0.05, 0.45), guess, 0.01]
            try:
                found = least_squares(turned, names, (a, y, sigma), start, (low, high))
            except FitError:
                continue
            if self.fitted is None or found.reduced_chi_square < self.fitted.reduced_chi_square:
                self.fitted = found

    def report(self) -> Report:
        """Amplitudes of the pi and pi/2 pulses, compression and contrast, judged."""
        contrast = 2 * self.fitted["depth"] if self.fitted else 0.0
        if self.fitted is None or contrast < CONTRAST:
            seen, idle = (Check("contrast above 0.2", False, f"{contrast:.3f}"),), float(self.data["fraction"][0])
            said = f"The contrast is {contrast:.3f}, below {CONTRAST:g}; without a pulse {idle:.3f} read 1."
            none = {"contrast": Estimate(contrast, float(self.data["error"].mean()))}
            return silent_report(idle, said, none, seen)
        fit = self.fitted
        full, half = self._turns()
        count = self.reach / (2 * full.value)
        checks = (
            Check("contrast above 0.2", True, f"{contrast:.3f}"),
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("between 0.7 and 3.5 oscillations", FEWEST <= count <= MOST, f"{count:.2f}"),
            Check("pi pulse within the hardware's limit", full.value <= self.top, f"{full.value:.4f} of {self.top:g}"),
            Check("drive within 1 MHz of the qubit", abs(self.offset.value) < NEAR, f"{self.offset.value:+.2f} MHz"),
            Check("pi amplitude known to 2 %", full.error < PRECISION * full.value, f"{full.error:.4f}"),
        )
        judged = self._judge({check.name: check.passed for check in checks}, full.value, count)
        estimates = {
            "amplitude_pi": full,
            "amplitude_pi2": half,
            "drive_offset": self.offset,
            "compression": fit.estimate("bend"),
            "contrast": Estimate(contrast, 2 * fit.error("depth")),
            "oscillations": Estimate(count, count * full.error / full.value),
        }
        analysis = (
            f"A pulse of {self.settings.pulse_duration:g} us turns by pi at {full.value:.4f} +- {full.error:.4f} and by"
            f" pi/2 at {half.value:.4f} +- {half.error:.4f}; the sweep to {self.reach:.3g} holds {count:.2f}"
            f" oscillations with a contrast of {contrast:.3f}."
        )
        updates = {"amplitude_pi": full.value, "amplitude_pi2": half.value} if judged.verdict == "success" else {}
        return judged.report(analysis, estimates, checks, updates)

    def _turns(self) -> tuple[Estimate, Estimate]:
        """Amplitudes of half and a quarter turn; what a drive off resonance leaves in the model is in their errors."""
        assert self.fitted is not None
        model = float(np.hypot(MODEL, PULLED * np.hypot(self.offset.value, self.offset.error)))
        return _turn(self.fitted, 1.0, model), _turn(self.fitted, 0.5, model)

    def _judge(self, passed: dict[str, bool], full: float, count: float) -> Judgement:
        wanted = float(f"{min(2 * WANTED * full, self.top):.3g}")
        if count > MOST:
            return Judgement("adjust", "too many oscillations", "too_many_oscillations", {"stop": wanted})
        if count < FEWEST and wanted > 1.05 * self.reach:
            return Judgement("adjust", "too few oscillations", "too_few_oscillations", {"stop": wanted})
        if count < FEWEST or not passed["pi pulse within the hardware's limit"]:
            return Judgement("wrong_setup", "drive too weak for a pi pulse of this duration", "drive_too_weak")
        if not passed["residuals are noise"]:
            return Judgement("bad_data", "not one oscillation from its trough; measure again", "poor_fit")
        if not passed["drive within 1 MHz of the qubit"]:
            off = f"the drive is {self.offset.value:+.1f} MHz off the qubit; calibrate the frequency first"
            return Judgement("wrong_setup", off, "frequency_off")
        if not passed["pi amplitude known to 2 %"]:
            more = self.within_bounds(shots=3 * self.arguments["shots"])
            return Judgement("bad_data", "amplitude not precise enough; more shots", "error_bar_too_wide", more)
        return Judgement("success", "clear oscillation against amplitude")

    @visual_inspection(
        """
        The figure shows a power Rabi experiment: the fraction of shots read as 1 against the amplitude of the gate
        pulse, with error bars, a fitted curve, dashed lines at the amplitudes of the pi/2 and pi pulses, and residuals
        below in units of their error.
        A good one begins at its trough, holds about one oscillation at least 0.2 high, and the curve follows every
        point. A flat line, less than half an oscillation, or points that leave the curve at large amplitude are
        failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Fraction read as 1 against pulse amplitude, with fit and residuals."""
        title, label = f"Power Rabi, {self.qubit}", "pulse amplitude (full scale)"
        made, main, below = figures.with_residuals(title, label, "fraction read as 1")
        figures.data(main, self.data["amplitude"], self.data["fraction"], self.data["error"])
        if self.fitted is not None:
            figures.fitted(main, self.fitted)
            figures.residuals(below, self.fitted)
            full, half = self._turns()
            for place, text in ((half, r" $\pi/2$"), (full, r" $\pi$")):
                main.axvline(place.value, color="0.5", linestyle="--", linewidth=1)
                main.annotate(text, (place.value, 0.03), xycoords=("data", "axes fraction"), fontsize=10)
            figures.headroom(main)
            lines = ((r"$\pi$", full), (r"$\pi/2$", half))
            figures.note(main, "\n".join(f"{name} at {turn.value:.4f} ± {turn.error:.4f}" for name, turn in lines))
        main.legend(loc="upper left", ncols=2, frameon=False)
        return made


def _turn(fit: Fit, part: float, model: float) -> Estimate:
    """Amplitude of `part` of a half turn: x (1 - bend (x^2 - 1)) = part, iterated; `model` is in the error."""
    full, bend, x = fit["pi_amplitude"], fit["bend"], part
    for _ in range(20):
        x = part / (1 - bend * (x**2 - 1))
    slopes = np.array([0, 0, x, full * part * (part**2 - 1)])  # by pi_amplitude and, to first order, by bend
    return Estimate(x * full, float(np.hypot(np.sqrt(slopes @ fit.covariance @ slopes), model * x * full)))
