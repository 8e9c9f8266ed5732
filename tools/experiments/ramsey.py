"""Ramsey fringes: the qubit frequency, and how long its phase lives."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, ClassVar

import numpy as np

from labwright.tools.errors import FitError, InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Judgement, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units, silent_report
from labwright.tools.experiments.fits import shows_signal, swing
from labwright.tools.experiments.fringes import Fringes, delays, fit_fringes, played
from labwright.tools.experiments.gates import program
from labwright.tools.experiments.needs import PULSE, READOUT

CONTRAST = 0.2  # smallest peak-to-peak oscillation of the raw fraction that is trusted
FEWEST, MOST = 2.9, 10.5  # oscillations in the sweep: three to ten, but noise shall not turn either away
KNOWN = 1.0  # oscillations from which on the frequency is known well enough to be corrected
FREQUENCY_ERROR = 0.005  # MHz
CONFIRMED = 0.03  # MHz by which a fringe may miss its own offset
CERTAIN = 25.0  # of chi square: by how much every other frequency has to be worse
OVERLONG, SWEPT_LIVES = 5.0, 2.5  # sweep in dephasing times: when most of it is noise, and what to sweep instead
WANTED = 6.0  # oscillations a proposal aims at
GOLDEN = 0.618  # ratio of two offsets whose fringes and steps have no alias in common
LONG = 10.0  # us; a confirming sweep is made longer up to here, else shorter


class Ramsey(Experiment):
    """Two pi/2 pulses with a growing delay between them, the second one about X and about Y."""

    name = "ramsey"
    needs = (READOUT, PULSE)
    arrays = swept("delay", "us") | words("quadrature", "X", "Y") | over("quadrature delay", "fraction", "error")
    results = (
        in_units("MHz", "fringe_frequency", "frequency_error")
        | in_units("", "contrast", "oscillations")
        | in_units("us", "t2_ramsey", "t2_ramsey_error")
    )
    summary_instructions = """
    The fit decides. The run counts as a success only if the oscillation is clear (contrast above 0.2), between 3
    and 10 oscillations are seen, no other frequency explains both quadratures nearly as well, and the fringe shows
    its own offset, which means that the drive is on resonance. A fringe elsewhere means that the frequency was just
    corrected: confirm with the proposed other offset. Fewer than 3 oscillations ask for a longer sweep, more than 10
    for a shorter one.
    """
    causes = causes_of(
        "no_response", "readout_unresolved", "poor_fit", "error_bar_too_wide", "too_few_oscillations",
        "too_many_oscillations", "frequency_off",
        frequency_corrected="The frequency was corrected by so large a step that another run has to confirm it.",
        frequency_ambiguous="Another frequency explains the fringes nearly as well: another offset has to tell.",
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
        that the drive is on resonance. Plays pi/2, a free-evolution delay, and a second pi/2 whose phase advances at
        the set offset, so that a drive on resonance shows fringes at exactly that offset. The second pulse is played
        about X and about Y, which tells the sign; a few short delays tell a fringe from its aliases.

        Asked for as: Ramsey, Ramsey fringes, qubit frequency, frequency calibration, drive frequency,
        precise frequency, detuning.

        Not for: coarse frequency, spectroscopy, readout frequency, Rabi frequency, resonator, echo, T2*, dephasing
        time.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            start: first delay (start time) in us. Default 0.
            stop: last delay (stop time, sweep length) in us. Default 1.
            step: step between delays (step size, time resolution) in us. Default 0, which chooses it: eight points
                to a period of the offset, between 61 and 201 points.
            offset: set offset, the artificial frequency offset or detuning of the fringes, in MHz. Default 10.
            shots: repetitions of every point. Default 1000.
            update: whether to write the corrected frequency to the settings. Default True.

        Raises:
            InputError: an argument is out of bounds, or `step` is too coarse for `offset`.
        """
        self.offset = offset
        self.settings = self.bench.settings(qubit)
        self.step = _step(start, stop, step, offset)
        t = delays(start, stop, self.step)
        fraction, error = self.bench.fractions(program(qubit, played(self.settings, t, offset), shots))
        self.data = {"delay": t, "fraction": fraction.reshape(2, -1), "error": error.reshape(2, -1)}
        self.fit()

    def fit(self) -> None:
        """Fit decaying fringes; `fringes` is None where the data show none."""
        t, y, sigma = self.data["delay"], self.data["fraction"], self.data["error"]
        self.fringes: Fringes | None = None
        if shows_signal(y.ravel(), sigma.ravel()):
            with suppress(FitError):
                self.fringes = fit_fringes(t, y, sigma, self.step, self.offset)
        self.fitted = self.fringes.fit if self.fringes else None

    def report(self) -> Report:
        """Frequency, contrast, number of oscillations and T2*, judged."""
        if self.fringes is None or 2 * self.fringes.fit["amplitude"] < CONTRAST or self._stands_still():
            return self._unseen()
        fit = self.fringes.fit
        fringe, error = fit["frequency"], fit.error("frequency")
        span = float(self.data["delay"][-1] - self.data["delay"][0])
        count, off = abs(fringe) * span, fringe - self.offset
        certain = self.fringes.margin >= CERTAIN
        own = abs(fringe - self.offset) < CONFIRMED
        checks: tuple[Check, ...] = (
            Check("contrast above 0.2", True, f"{2 * fit['amplitude']:.3f}"),
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("no other frequency fits", certain, f"worse by {self.fringes.margin:.3g} of chi square"),
            Check("between 3 and 10 oscillations", FEWEST <= count < MOST, f"{count:.2f}"),
            Check("frequency known to 5 kHz", error <= FREQUENCY_ERROR, f"{error * 1e3:.2f} kHz"),
            Check("fringe at its own offset", own, f"{fringe:.4f} MHz, offset {self.offset:g} MHz"),
        )
        if not self.arguments["update"]:
            checks = checks[:-1]  # nothing is corrected, so a repeat would only show the same fringe
        known = fit.good and count >= KNOWN and certain
        seen = abs(off) > error * (1 if error <= FREQUENCY_ERROR else 3)  # what is imprecise has to stand out
        updates = {"frequency": self.settings.frequency + off} if known and seen else {}
        judged = self._judge(checks, off, bool(updates), count, error)
        analysis = (
            f"The set offset is {self.offset:g} MHz, the measured oscillation {fringe:+.4f} +- {error:.4f} MHz with a"
            f" peak-to-peak contrast of {2 * fit['amplitude']:.3f}. The sweep of {span:g} us holds {count:.2f}"
            f" oscillations. The frequency error (qubit minus drive) reads {off:+.4f} MHz; any other is worse by"
            f" {self.fringes.margin:.3g} of chi square."
        )
        estimates = {
            "fringe_frequency": Estimate(fringe, error, "MHz"),
            "frequency_error": Estimate(off, error, "MHz"),
            "contrast": Estimate(2 * fit["amplitude"], 2 * fit.error("amplitude")),
            "oscillations": Estimate(count, error * span),
        }
        life = self._t2_ramsey()
        variables = {} if life is None else {"t2_ramsey": life.value, "t2_ramsey_error": life.error}
        estimates |= {} if life is None else {"t2_ramsey": life}
        variables |= {} if self.arguments["update"] else {"frequency_error": off}
        return judged.report(analysis, estimates, checks, updates, variables)

    def _judge(self, checks: tuple[Check, ...], off: float, corrected: bool, count: float, error: float) -> Judgement:
        """Verdict, cause and proposed parameters, the first reason first."""
        start, stop = self.arguments["start"], self.arguments["stop"]
        passed = {check.name: check.passed for check in checks}
        said = {check.name: check.detail for check in checks}
        if not passed["residuals are noise"]:
            diagnosis = f"not a single decaying oscillation, {said['residuals are noise']}; measure another sweep"
            return Judgement("bad_data", diagnosis, "poor_fit", self._confirming())
        if not passed["no other frequency fits"]:
            assert self.fringes is not None
            diagnosis = (
                f"fringe {self.fringes.fit['frequency']:+.3f} MHz or {self.fringes.other:+.3f} MHz,"
                f" {said['no other frequency fits']} (needs {CERTAIN:g})"
            )
            return Judgement("adjust", diagnosis, "frequency_ambiguous", self._confirming())
        if corrected and not passed.get("fringe at its own offset", True):
            diagnosis = f"frequency corrected by {off:+.3f} MHz, confirm with another offset"
            return Judgement("adjust", diagnosis, "frequency_corrected", self._confirming())
        if count < FEWEST:
            longer = (stop - start) * float(np.clip(WANTED / max(count, 1e-9), 3, 4))
            few = f"too few oscillations, {count:.2f}, sweep longer"
            return Judgement("adjust", few, "too_few_oscillations", self._swept(start + longer))
        if count >= MOST:
            shorter = self._swept(start + (stop - start) * WANTED / count)
            many = f"too many oscillations, {count:.1f}, sweep shorter"
            return Judgement("adjust", many, "too_many_oscillations", shorter)
        if error > FREQUENCY_ERROR:
            return self._imprecise(start, stop, count, error)
        if corrected and "fringe at its own offset" not in passed and abs(off) >= CONFIRMED:
            found = f"drive is off: frequency error {off:+.3f} MHz; not corrected, as asked"
            return Judgement("success", found, "frequency_off")
        return Judgement("success", "clear fringes at the set offset")

    def _imprecise(self, start: float, stop: float, count: float, error: float) -> Judgement:
        """What makes the frequency more precise: a sweep that fits the fringes' life, a longer one, or more shots."""
        wide = f"frequency known to {1e3 * error:.1f} kHz, not to {1e3 * FREQUENCY_ERROR:g}"
        if (life := self._envelope()) < (stop - start) / OVERLONG:
            diagnosis = f"fringes decay within the sweep, dephasing time near {life:.2g} us"
            return Judgement("adjust", diagnosis, "fringes_decay_within_sweep", self._shrunk(life))
        if 2 * count < MOST:
            longer = self._swept(start + 2 * (stop - start))
            return Judgement("adjust", f"{wide}, sweep longer", "frequency_imprecise", longer)
        more = self.within_bounds(shots=3 * self.arguments["shots"])
        return Judgement("adjust", f"{wide}, more shots", "error_bar_too_wide", more)

    def _envelope(self) -> float:
        """About how long the fringes live, us; infinite if they do not decay."""
        assert self.fitted is not None
        fit = self.fitted
        decay = fit["rate"] + (fit["width"] if "width" in fit.names else 0.0)
        return 1 / decay if decay > 0 else np.inf

    def _shrunk(self, life: float) -> dict[str, float]:
        """A sweep over what lives, with an offset that puts the wanted oscillations into it and a step to match."""
        return self._holding_wanted(SWEPT_LIVES * life, 3)

    def _holding_wanted(self, span: float, digits: int) -> dict[str, float]:
        """A sweep of `span` us with the offset that puts the wanted oscillations into it."""
        step = {"step": 0.0} if self.arguments["step"] else {}
        return self.within_bounds(digits, stop=self.arguments["start"] + span, offset=WANTED / span, **step)

    def _confirming(self) -> dict[str, float]:
        """A sweep at another offset, incommensurate with this one, that holds the wanted oscillations."""
        longer = WANTED / (GOLDEN * self.offset) <= LONG
        offset = self.within_bounds(offset=self.offset * (GOLDEN if longer else 1 / GOLDEN))["offset"]
        return self._holding_wanted(min(WANTED / offset, SWEPT_LIVES * self._envelope()), 4)

    def _swept(self, stop: float) -> dict[str, float]:
        """A new stop time, and the step that keeps the number of points where the caller set one."""
        stopped = self.within_bounds(4, stop=stop)
        if not self.arguments["step"]:
            return stopped
        scale = (stopped["stop"] - self.arguments["start"]) / (self.arguments["stop"] - self.arguments["start"])
        finest = 0.4 / (2 * self.offset)  # five points to a period of the offset
        return stopped | self.within_bounds(3, step=min(self.arguments["step"] * scale, finest))

    def _stands_still(self) -> bool:
        """Whether the quadratures stay where they are, one of them beside the middle: the error cancels the offset."""
        y, apart = self.data["fraction"], self._apart()
        return apart > CONTRAST / 4 and max(map(swing, y)) < apart

    def _apart(self) -> float:
        """How far the mean fractions of the two quadratures lie from their middle."""
        y = self.data["fraction"]
        return float(np.hypot(*(y.mean(axis=1) - y.mean())))

    def _unseen(self) -> Report:
        """What to say when there is no oscillation worth the name."""
        y, error = self.data["fraction"], self.data["error"]
        contrast = 0.0 if self.fitted is None else 2 * self.fitted["amplitude"]
        estimates = {"contrast": Estimate(contrast, float(2 * error.mean() / np.sqrt(y.size / 2)))}
        if self._stands_still():
            apart = self._apart()
            checks: tuple[Check, ...] = (
                Check("fringes move", False, f"quadratures stand {apart:.3f} from their mean"),
            )
            larger = self.within_bounds(offset=self.offset / GOLDEN)
            said = f"No fringe, but the quadratures stand {apart:.2f} from their mean: the error cancels the offset."
            still = "fringe stands still, change the offset"
            return Report("adjust", still, said, estimates, checks, larger, cause="fringe_stands_still")
        checks = (Check("contrast above 0.2", False, f"{contrast:.3f}"),)
        if (most := max(map(swing, y))) > CONTRAST:
            longer = self._swept(4 * self.arguments["stop"] - 3 * self.arguments["start"])
            said = f"The fraction changes by {most:.2f} over the sweep, less than half an oscillation."
            few, cause = "too few oscillations, sweep longer", "too_few_oscillations"
            return Report("adjust", few, said, estimates, checks, longer, cause=cause)
        idle = float(y.mean() if self.fitted is None else self.fitted["offset"] - self.fitted["amplitude"])
        said = f"The contrast is {contrast:.3f}, below {CONTRAST:g}; the mean fraction is {y.mean():.3f}."
        return silent_report(idle, said, estimates, checks)

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

    @visual_inspection(
        """
        The figure shows a Ramsey measurement: the fraction of shots read as 1 against the delay between two pi/2
        pulses, the second one about X and about Y, in two colours, with error bars, fitted decaying cosines, and the
        residuals below in units of their error. A few points stand close together at the shortest delays.
        Judge in this order. Are there regular oscillations of one frequency, with a peak-to-peak height of at least
        0.2, the two colours a quarter of a period apart? Do the curves go through the points everywhere, with
        residuals that scatter about zero and show no wave? Are there at least three and at most about ten
        oscillations? Too few, too many, flat lines, a beat between two frequencies or points that jump are all
        failures; say which one it is.
        A good measurement: Image("ramsey_good.png")
        A failed one, too short to tell the frequency: Image("ramsey_bad.png")
        """
    )
    def plot(self) -> figures.Figure:
        """Both quadratures against delay, with fits and residuals."""
        made, main, below = figures.with_residuals(
            f"Ramsey, {self.qubit}, offset {self.offset:g} MHz", r"delay ($\mu$s)", "fraction read as 1"
        )
        t, looks = self.data["delay"], ((figures.BLUE, "o"), (figures.ORANGE, "s"))
        for row, (color, marker) in enumerate(looks):
            y, error = self.data["fraction"][row], self.data["error"][row]
            figures.data(main, t, y, error, f"about {'XY'[row]}", color, marker)
            if self.fringes is not None:
                fine = np.linspace(t[0], t[-1], 801)
                main.plot(fine, self.fringes.curve(fine, row), color=color, linewidth=1.4)
                below.plot(t, self.fringes.fit.pulls.reshape(2, -1)[row], marker, color=color, markersize=2.8)
        if self.fringes is not None:
            fit = self.fringes.fit
            below.axhspan(-2, 2, color="0.92", zorder=0)
            reach = max(4.0, 1.15 * float(np.abs(fit.pulls).max()))
            below.set_ylim(-reach, reach)
            figures.headroom(main)
            figures.note(
                main,
                f"fringe {fit['frequency']:+.4f} ± {fit.error('frequency'):.4f} MHz\n"
                f"contrast {2 * fit['amplitude']:.3f}, reduced $\\chi^2$ {fit.reduced_chi_square:.2f}",
            )
        main.legend(loc="upper left", ncols=2, frameon=False)
        return made


def _step(start: float, stop: float, step: float, offset: float) -> float:
    """The step to play: the caller's, or eight points to a period of the offset.

    Raises:
        InputError: the sweep is empty, or the step would alias a fringe at the offset.
    """
    if stop <= start:
        raise InputError(f"Argument `stop` must be above `start` ({start:g} us), but is {stop:g}. Lengthen the sweep.")
    if step == 0:
        points = int(np.clip(np.ceil(8 * offset * (stop - start)), 60, 200))
        return (stop - start) / points
    if step > 0.4 / offset:
        raise InputError(
            f"Argument `step` must be at most {0.4 / offset:.4g} us for an offset of {offset:g} MHz, but is {step:g}:"
            " the fringes would be aliased. Choose a smaller step or a smaller offset."
        )
    return step
