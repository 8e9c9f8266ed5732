"""Ramsey fringes: the qubit frequency, and how long its phase lives."""

from __future__ import annotations

from dataclasses import dataclass
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
from labwright.tools.experiments.diagnosis import cause_without_contrast, causes_of, in_units, without_contrast
from labwright.tools.experiments.fits import Fit, fit_cosine, fit_dephasing, shows_signal, swing
from labwright.tools.experiments.gates import grid, program, quarter_turn
from labwright.tools.experiments.labels import over, swept
from labwright.tools.experiments.needs import PULSE, READOUT
from labwright.tools.qpu.program import Delay, Operation
from labwright.tools.qpu.settings import SettingsVersion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CONTRAST = 0.2  # smallest peak-to-peak oscillation of the raw fraction that is trusted
FEWEST, MOST = 2.9, 10.5  # oscillations in the sweep: three to ten, but noise shall not turn either away
FREQUENCY_ERROR = 0.005  # MHz
CONFIRMED = 0.03  # MHz by which a fringe may miss its own offset
OVERLONG, SWEPT_LIVES = 5.0, 2.5  # sweep in dephasing times: when most of it is noise, and what to sweep instead
WANTED = 6.0  # oscillations a proposal aims at
STANDING = 0.58  # mean fraction above which the two pi/2 pulses must have added up to a pi pulse
PRIMARY, ALTERNATIVE, OFFSET = "ramsey_primary", "ramsey_alternative", "ramsey_offset"


@dataclass(frozen=True, slots=True)
class Reading:
    """How a fringe frequency is read as a frequency error (qubit minus drive, MHz)."""

    error: float
    alternative: float
    flipped: bool  # the last update took the wrong sign, and this fringe shows it


def read_fringe(fringe: float, offset: float, last: SettingsVersion | None) -> Reading:
    """The frequency error behind a fringe: ``fringe = |error + offset|`` leaves two candidates.

    The last Ramsey update had two candidates too. Had the other one been right, the fringe would now be
    ``|alternative - primary + offset|``; where it is that and not `offset`, the other one is taken. A fringe at its
    own offset never counts as a flip: after a small correction both candidates foretell it.
    """
    error, alternative = fringe - offset, -fringe - offset
    if last is None or PRIMARY not in last.notes or abs(error) < CONFIRMED:
        return Reading(error, alternative, False)
    missed = last.notes[ALTERNATIVE] - last.notes[PRIMARY]
    if abs(fringe - abs(missed + offset)) < CONFIRMED:
        other = error if abs(missed - alternative) < abs(missed - error) else alternative
        return Reading(alternative if other == error else error, other, True)
    return Reading(error, alternative, False)


class Ramsey(Experiment):
    """Two pi/2 pulses with a growing delay between them."""

    name = "ramsey"
    needs = (READOUT, PULSE)
    arrays = swept("delay", "us") | over("delay", "fraction", "error")
    results = (
        in_units("MHz", "fringe_frequency", "frequency_error")
        | in_units("", "contrast", "oscillations")
        | in_units("us", "t2_ramsey", "t2_ramsey_error")
    )
    summary_instructions = """
    The fit decides. The run counts as a success only if the oscillation is clear (contrast above 0.2), between 3
    and 10 oscillations are seen, and the fringe shows its own offset, which means that the drive is on resonance.
    A fringe elsewhere means that the frequency was just corrected: repeat to confirm. Fewer than 3 oscillations ask
    for a sweep three to four times longer, more than 10 for a shorter one.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "poor_fit", "error_bar_too_wide", "too_few_oscillations",
        "too_many_oscillations", "frequency_off",
        frequency_corrected="The frequency was corrected by so large a step that another run has to confirm it.",
        wrong_sign_corrected="The last correction went the wrong way and was taken back; another run has to confirm.",
        frequency_imprecise="The sweep is too short to tell the frequency to 5 kHz.",
        fringes_decay_within_sweep="The sweep is much longer than the fringes live.",
        fringe_stands_still="No fringe, as if the frequency error cancelled the offset: another offset is needed.",
    )  # fmt: skip
    writes = ("frequency",)
    errors: ClassVar[dict[str, str]] = {"frequency": "frequency_error"}

    def run(
        self,
        qubit: str,
        start: Annotated[float, Quantity("us", 0.0, 100.0)] = 0.0,
        stop: Annotated[float, Quantity("us", 0.05, 1000.0)] = 1.0,
        step: Annotated[float, Quantity("us", 0.0, 50.0)] = 0.0,
        offset: Annotated[float, Quantity("MHz", 0.001, 50.0)] = 10.0,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
        update: bool = True,
    ) -> None:
        """Ramsey experiment: measures the qubit frequency to a few kHz and corrects the drive frequency.

        Use it for frequency calibration, to find or fine-tune the drive frequency or detuning of a qubit, to check
        that the drive is on resonance. Plays pi/2, a
        free-evolution delay, and a second pi/2 whose phase advances at the set offset, so that a drive on
        resonance shows fringes at exactly that offset.

        Asked for as: Ramsey, Ramsey fringes, qubit frequency, frequency calibration, drive frequency,
        precise frequency, detuning.

        Not for: coarse frequency, spectroscopy, readout frequency, Rabi frequency, resonator, echo, T2*, dephasing
        time.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            start: first delay (start time) in us. Default 0.
            stop: last delay (stop time, sweep length) in us. Default 1.
            step: step between delays (step size, time resolution) in us. Default 0, which chooses it: twelve points
                to a period of the offset, between 101 and 401 points.
            offset: set offset, the artificial frequency offset or detuning of the fringes, in MHz. Default 10.
            shots: repetitions of every point. Default 1000.
            update: whether to write the corrected frequency to the settings. Default True.

        Raises:
            InputError: an argument is out of bounds, or `step` is too coarse for `offset`.
        """
        self.remember(qubit=qubit, start=start, stop=stop, step=step, offset=offset, shots=shots, update=update)
        self.offset = offset
        self.settings = self.bench.settings(qubit)
        self.last = self._last_update()
        t = grid(start, stop, _step(start, stop, step, offset))
        first = quarter_turn(self.settings)
        # the second pulse's phase runs ahead, as if the drive were detuned; the pulses themselves stay on resonance
        sequences: list[list[Operation]] = [
            [first, Delay(float(d)), quarter_turn(self.settings, 2 * np.pi * offset * float(d))] for d in t
        ]
        got = self.bench.acquire(program(qubit, sequences, shots))
        assert got.counts is not None
        self.data = {"delay": t, "fraction": got.counts / got.shots, "error": binomial_error(got.counts, got.shots)}
        self.fit()

    def fit(self) -> None:
        """Fit a decaying cosine; `fitted` is None where the data show no oscillation."""
        t, y, sigma = self.data["delay"], self.data["fraction"], self.data["error"]
        self.fitted: Fit | None = None
        if not shows_signal(y, sigma):
            return
        try:
            self.fitted = fit_cosine(t, y, sigma)
            if self.fitted["rate"] * (t[-1] - t[0]) > 0.5:
                self.fitted = fit_dephasing(t, y, sigma)
        except FitError:
            return

    @text_inspection
    def report(self) -> Report:
        """Frequency, contrast, number of oscillations and T2*, judged."""
        if self.fitted is None or 2 * self.fitted["amplitude"] < CONTRAST:
            return self._unseen()
        fit = self.fitted
        fringe, error = fit["frequency"], fit.error("frequency")
        span = float(self.data["delay"][-1] - self.data["delay"][0])
        count = fringe * span
        reading = read_fringe(fringe, self.offset, self.last)
        own = abs(fringe - self.offset) < CONFIRMED
        checks: tuple[Check, ...] = (
            Check("contrast above 0.2", True, f"{2 * fit['amplitude']:.3f}"),
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("between 3 and 10 oscillations", FEWEST <= count < MOST, f"{count:.2f}"),
            Check("frequency known to 5 kHz", error <= FREQUENCY_ERROR, f"{error * 1e3:.2f} kHz"),
            Check("fringe at its own offset", own, f"{fringe:.4f} MHz, offset {self.offset:g} MHz"),
        )
        if not self.arguments["update"]:
            checks = checks[:-1]  # nothing is corrected, so a repeat would only show the same fringe
        # below three oscillations only a fringe that the last update's other candidate foretold is trusted
        known = fit.good and (count >= FEWEST or reading.flipped)
        updates = {"frequency": self.settings.frequency + reading.error} if known and abs(reading.error) > error else {}
        judged = self._judge(checks, reading, bool(updates), count, error)
        analysis = (
            f"The set offset is {self.offset:g} MHz, the measured oscillation {fringe:.4f} +- {error:.4f} MHz with a"
            f" peak-to-peak contrast of {2 * fit['amplitude']:.3f}. The sweep of {span:g} us holds {count:.2f}"
            f" oscillations. The frequency error (qubit minus drive) reads {reading.error:+.4f} MHz."
        )
        notes = {PRIMARY: reading.error, ALTERNATIVE: reading.alternative, OFFSET: self.offset}
        estimates = {
            "fringe_frequency": Estimate(fringe, error, "MHz"),
            "frequency_error": Estimate(reading.error, error, "MHz"),
            "contrast": Estimate(2 * fit["amplitude"], 2 * fit.error("amplitude")),
            "oscillations": Estimate(count, error * span),
        }
        life = self._t2_ramsey()
        variables = {} if life is None else {"t2_ramsey": life.value, "t2_ramsey_error": life.error}
        estimates |= {} if life is None else {"t2_ramsey": life}
        variables |= {} if self.arguments["update"] else {"frequency_error": reading.error}
        return Report(
            judged.verdict, judged.diagnosis, analysis, estimates, checks, judged.proposal, updates,
            notes if updates else {}, variables, judged.cause,
        )  # fmt: skip

    def _judge(
        self, checks: tuple[Check, ...], reading: Reading, corrected: bool, count: float, error: float
    ) -> Judgement:
        """Verdict, cause and proposed parameters, the first reason first."""
        start, stop = self.arguments["start"], self.arguments["stop"]
        passed = {check.name: check.passed for check in checks}
        if not passed["residuals are noise"]:
            return Judgement("bad_data", "the oscillation is not a single decaying cosine; measure again", "poor_fit")
        if corrected and not passed.get("fringe at its own offset", True):
            sign = "the last correction had the wrong sign; " if reading.flipped else ""
            diagnosis = f"{sign}frequency corrected by {reading.error:+.3f} MHz, confirm with another run"
            cause = "wrong_sign_corrected" if reading.flipped else "frequency_corrected"
            return Judgement("adjust", diagnosis, cause, self._sweep_for_offset(error))
        if count < FEWEST:
            longer = (stop - start) * float(np.clip(WANTED / max(count, 1e-9), 3, 4))
            few = "too few oscillations, sweep longer"
            return Judgement("adjust", few, "too_few_oscillations", self._swept(start + longer))
        if count >= MOST:
            shorter = self._swept(start + (stop - start) * WANTED / count)
            return Judgement("adjust", "too many oscillations, sweep shorter", "too_many_oscillations", shorter)
        if error > FREQUENCY_ERROR:
            return self._imprecise(start, stop, count)
        if corrected and "fringe at its own offset" not in passed and abs(reading.error) >= CONFIRMED:
            found = f"drive is off: frequency error {reading.error:+.3f} MHz, or {reading.alternative:+.3f} MHz"
            return Judgement("success", f"{found} if it exceeds the offset; not corrected, as asked", "frequency_off")
        return Judgement("success", "clear fringes at the set offset")

    def _imprecise(self, start: float, stop: float, count: float) -> Judgement:
        """What makes the frequency more precise: a sweep that fits the fringes' life, a longer one, or more shots."""
        if (life := self._envelope()) < (stop - start) / OVERLONG:
            diagnosis = f"fringes decay within the sweep, dephasing time near {life:.2g} us"
            return Judgement("adjust", diagnosis, "fringes_decay_within_sweep", self._shrunk(life))
        if 2 * count < MOST:
            longer = self._swept(start + 2 * (stop - start))
            return Judgement("adjust", "frequency not precise enough, sweep longer", "frequency_imprecise", longer)
        more: dict[str, float] = {"shots": min(20000, 3 * self.arguments["shots"])}
        return Judgement("adjust", "frequency not precise enough, more shots", "error_bar_too_wide", more)

    def _envelope(self) -> float:
        """About how long the fringes live, us; infinite if they do not decay."""
        assert self.fitted is not None
        fit = self.fitted
        decay = fit["rate"] + (fit["width"] if "width" in fit.names else 0.0)
        return 1 / decay if decay > 0 else np.inf

    def _shrunk(self, life: float) -> dict[str, float]:
        """A sweep over what lives, with an offset that puts the wanted oscillations into it and a step to match."""
        bounds = quantities(Ramsey)
        span = SWEPT_LIVES * life
        proposal = {"stop": self.arguments["start"] + span, "offset": WANTED / span}
        proposal |= {"step": 0.0} if self.arguments["step"] else {}
        return {name: float(f"{bounds[name].clip(value):.3g}") for name, value in proposal.items()}

    def _sweep_for_offset(self, error: float) -> dict[str, float]:
        """The sweep for the next run, whose fringe is expected at the offset: kept if it holds 3 to 10 of them."""
        start, stop = self.arguments["start"], self.arguments["stop"]
        expected = self.offset * (stop - start)
        if FEWEST + 0.3 <= expected < MOST and error <= FREQUENCY_ERROR:
            return {}
        span = WANTED / self.offset if not FEWEST + 0.3 <= expected < MOST else 2 * (stop - start)
        return self._swept(start + min(span, (MOST - 1) / self.offset))

    def _swept(self, stop: float) -> dict[str, float]:
        """A new stop time, and the step that keeps the number of points where the caller set one."""
        bounds = quantities(Ramsey)
        stop = float(f"{bounds['stop'].clip(stop):.4g}")
        if not self.arguments["step"]:
            return {"stop": stop}
        scale = (stop - self.arguments["start"]) / (self.arguments["stop"] - self.arguments["start"])
        finest = 0.4 / (2 * self.offset)  # five points to a period of the offset
        step = bounds["step"].clip(min(self.arguments["step"] * scale, finest))
        return {"stop": stop, "step": float(f"{step:.3g}")}

    def _unseen(self) -> Report:
        """What to say when there is no oscillation worth the name."""
        y = self.data["fraction"]
        contrast = 0.0 if self.fitted is None else 2 * self.fitted["amplitude"]
        checks = (Check("contrast above 0.2", False, f"{contrast:.3f}"),)
        estimates = {"contrast": Estimate(contrast, float(2 * self.data["error"].mean() / np.sqrt(len(y) / 2)))}
        if shows_signal(y, self.data["error"]) and swing(y) > CONTRAST:
            longer = self._swept(4 * self.arguments["stop"] - 3 * self.arguments["start"])
            words = f"The fraction changes by {swing(y):.2f} over the sweep, less than half an oscillation."
            few, cause = "too few oscillations, sweep longer", "too_few_oscillations"
            return Report("adjust", few, words, estimates, checks, longer, cause=cause)
        if y.mean() > STANDING and y.std() < 0.1:
            # two pi/2 pulses in phase make a pi pulse: the fringe stands still because the error cancels the offset
            larger = quantities(Ramsey)["offset"].clip(1.7 * self.offset)
            words = f"No fringe, but the mean fraction is {y.mean():.2f}: the frequency error may cancel the offset."
            return Report(
                "adjust", "fringe stands still, change the offset", words, estimates, checks, {"offset": larger},
                cause="fringe_stands_still",
            )  # fmt: skip
        idle = float(y.mean() if self.fitted is None else self.fitted["offset"] - self.fitted["amplitude"])
        words = f"The contrast is {contrast:.3f}, below {CONTRAST:g}; the mean fraction is {y.mean():.3f}."
        diagnosis, cause = without_contrast(idle), cause_without_contrast(idle)
        return Report("wrong_setup", diagnosis, words, estimates, checks, cause=cause)

    def _t2_ramsey(self) -> Estimate | None:
        """1/e time of the envelope, if the sweep is long enough to show it to 25 %."""
        assert self.fitted is not None
        fit = self.fitted
        rate, width = fit["rate"], fit["width"] if "width" in fit.names else 0.0
        if rate <= 0 and width <= 0:
            return None
        # rate t + (width t)^2 / 2 = 1
        t = 2 / (rate + np.sqrt(rate**2 + 2 * width**2))
        slope = rate + width**2 * t
        gradient = np.zeros(len(fit.values))
        gradient[fit.names.index("rate")] = -t / slope
        if width:
            gradient[fit.names.index("width")] = -width * t**2 / slope
        error = float(np.sqrt(gradient @ fit.covariance @ gradient))
        return Estimate(float(t), error, "us") if error < 0.25 * t else None

    def _last_update(self) -> SettingsVersion | None:
        """The last change of this qubit's frequency, if a Ramsey run other than this one made it."""
        own = f"{self.bench.key}.update"
        changes = [
            v for v in self.bench.device.settings.history(self.qubit) if "frequency" in v.changes and v.key != own
        ]
        return changes[-1] if changes else None

    @visual_inspection(
        """
        The figure shows a Ramsey measurement: the fraction of shots read as 1 against the delay between two pi/2
        pulses, with error bars, a fitted decaying cosine, and the residuals below in units of their error.
        Judge in this order. Are there regular oscillations of one frequency, with a peak-to-peak height of at
        least 0.2? Does the curve go through the points everywhere, with residuals that scatter about zero and show
        no wave? Are there at least three and at most about ten oscillations? Too few, too many, a flat line, a
        beat between two frequencies or points that jump are all failures; say which one it is.
        A good measurement: Image("ramsey_good.png")
        A failed one, too short to tell the frequency: Image("ramsey_bad.png")
        """
    )
    def plot(self) -> Figure:
        """Fraction read as 1 against delay, with fit and residuals."""
        title = f"Ramsey, {self.qubit}, offset {self.offset:g} MHz"
        x, y, error = self.data["delay"], self.data["fraction"], self.data["error"]
        return figures.oscillation(title, r"delay ($\mu$s)", x, y, error, self.fitted, "fringe", 4)


def _step(start: float, stop: float, step: float, offset: float) -> float:
    """The step to play: the caller's, or twelve points to a period of the offset.

    Raises:
        InputError: the sweep is empty, or the step would alias a fringe at the offset.
    """
    if stop <= start:
        raise InputError(f"Argument `stop` must be above `start` ({start:g} us), but is {stop:g}. Lengthen the sweep.")
    if step == 0:
        points = int(np.clip(np.ceil(12 * offset * (stop - start)), 100, 400))
        return (stop - start) / points
    if step > 0.4 / offset:
        raise InputError(
            f"Argument `step` must be at most {0.4 / offset:.4g} us for an offset of {offset:g} MHz, but is {step:g}:"
            " the fringes would be aliased. Choose a smaller step or a smaller offset."
        )
    return step
