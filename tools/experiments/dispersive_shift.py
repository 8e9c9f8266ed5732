"""Dispersive shift: how far the qubit pulls its resonator, and how much of level 1 is lost while that is measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import FitError, InputError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array, Fit, least_squares
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.experiments.needs import LINE, PULSE, RESONATOR
from labwright.tools.qpu.program import Operation

SEEN = 8.0  # errors by which the shift must stand out
NARROWEST, WIDEST, WANTED = 3.0, 12.0, 6.0  # width of the sweep in linewidths
PRECISION = 0.1  # relative error of the shift
NAMES = ("gain", "angle", "depth", "centre", "width", "shift", "in_1_of_0", "in_0_of_1")


def hanger(x: Array, centre: float, width: float, depth: float) -> NDArray[np.complex128]:
    """Transmission past a resonator of full width `width`: a circle of diameter `depth` in the IQ plane."""
    return np.asarray(1 - depth / (1 + 2j * (x - centre) / width))


def both_traces(
    x: Array, gain: float, angle: float, depth: float, centre: float, width: float, shift: float,
    in_1_of_0: float, in_0_of_1: float,
) -> Array:  # fmt: skip
    """I and Q after 0, then I and Q after 1, (4 n,), for `x` the detunings four times over.

    Both pure responses lie on one circle; a qubit that is now and then in the other level gives a point on the chord
    between them, inside the circle. So what is lost can be told from a smaller shift.
    """
    x = x[: len(x) // 4]
    zero, one = (hanger(x, centre + side * shift / 2, width, depth) for side in (-1, 1))
    rows = [(1 - p) * own + p * other for p, own, other in ((in_1_of_0, zero, one), (in_0_of_1, one, zero))]
    turned = gain * np.exp(1j * angle) * np.array(rows)
    return _parts(turned)


def _parts(signal: NDArray[np.complex128]) -> Array:
    """Real and imaginary parts of both traces (2, n), as they stand in a fit, (4 n,)."""
    return np.stack([signal.real, signal.imag], axis=1).ravel()


class DispersiveShift(Experiment):
    """The readout tone is swept over the resonator with the qubit in 0 and in 1; one fit of both traces."""

    name = "dispersive_shift"
    needs = (RESONATOR, LINE, PULSE)
    arrays = swept("detuning", "MHz") | words("prepared", "0", "1") | over("prepared detuning", "signal", "error")
    results = in_units("MHz", "chi", "chi_error", "linewidth", "resonator") | in_units("", "in_1_of_0", "in_0_of_1")
    summary_instructions = """
    The fit decides: two traces of one resonator that differ by a shift, both followed within their errors. The shift
    must stand out of its error; a sweep that is much wider or narrower than the line asks for the proposed span.
    """
    causes = causes_of(
        "no_resonator", "poor_fit", "dip_at_edge", "error_bar_too_wide",
        shift_unseen="The resonator does not move with the qubit: the pi pulse or the readout frequency is off.",
        span_unfit="The sweep is too narrow or too wide for the line.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        span: Annotated[float, Quantity("MHz", 1.0, 100.0)] = 14.0,
        points: Annotated[int, Quantity("", 21, 401)] = 81,
        shots: Annotated[int, Quantity("", 50, 20000)] = 5000,
    ) -> None:
        """Dispersive shift experiment: measures chi, half the shift of the resonator between qubit levels 0 and 1.

        Use it to know the coupling of qubit and readout, and with the linewidth how well they can match. Sweeps the
        readout tone with the qubit in 0 and after a pi pulse, and fits both complex traces together: one resonator, two
        frequencies, and the share of either trace that was in the other level, by relaxation or thermal population.
        Negative chi means that level 1 lowers the resonator. It holds for the readout amplitude that is set: with more
        photons the shift falls.

        Asked for as: dispersive shift, chi, dispersive coupling, resonator shift, qubit-resonator shift, chi shift.

        Not for: readout frequency, punch-out, readout fidelity, ZZ.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            span: width of the sweep, centred on the present readout frequency, in MHz. Default 14.
            points: number of frequencies. Default 81.
            shots: repetitions of every point. Default 5000.
        """
        if span <= 0 or points < 2:
            raise InputError("A sweep needs a width and two points. Raise `span` and `points`.")
        self.settings = self.bench.settings(qubit)
        x = np.linspace(-span / 2, span / 2, int(points))
        sequences: list[list[Operation]] = [[]] * len(x) + [[half_turn(self.settings)]] * len(x)
        tones = np.tile(self.settings.readout_frequency + x, 2)
        signal, error = self.bench.averages(program(qubit, sequences, shots, "average", readout_frequency=tones))
        self.data = {"detuning": x, "signal": signal.reshape(2, -1), "error": error.reshape(2, -1)}
        self.fit()

    def fit(self) -> None:
        """Fit both traces; `fitted` is None where they are not those of a resonator.

        Shots scatter along the chord of both answers by the state, and by the amplifier alike in both directions.
        """
        x, signal = self.data["detuning"], self.data["signal"]
        far = signal[:, [0, 1, -2, -1]].mean()
        dip = np.abs(signal[0] / far)
        centre, depth = float(x[int(np.argmin(dip))]), float(np.clip(1 - dip.min(), 0.1, 1.0))
        inside = float(np.sum(1 - np.clip(dip**2, 0, 1)) * (x[1] - x[0]))  # area of a Lorentzian: pi/2 width
        width = float(np.clip(inside / (np.pi / 2 * depth), 3 * (x[1] - x[0]), np.ptp(x) / 2))
        flat, sigma = _parts(signal), np.repeat(self.data["error"], 2, axis=0).ravel()
        turn, quiet = np.exp(-1j * np.angle(signal[1] - signal[0])), np.full(signal.shape, self.data["error"].min())
        weights = np.stack([np.sqrt(2 * self.data["error"] ** 2 - quiet**2), quiet], axis=1).ravel()

        def along(x: Array, *values: float) -> Array:
            both = both_traces(x, *values).reshape(2, 2, -1)
            return _parts((both[:, 0] + 1j * both[:, 1]) * turn)

        low = [0.0, -10.0, 0.0, x[0], 0.0, -np.ptp(x) / 2, 0.0, 0.0]
        high = [np.inf, 10.0, 1.2, x[-1], 2 * np.ptp(x), np.ptp(x) / 2, 0.5, 0.6]
        self.fitted: Fit | None = None
        for shift in (-0.2 * width, 0.2 * width):
            start = [abs(far), float(np.angle(far)), depth, centre - shift / 2, width, shift, 0.02, 0.15]
            start = list(np.clip(start, np.array(low) + 1e-9, np.array(high) - 1e-9))
            try:
                found = least_squares(along, NAMES, (np.tile(x, 4), _parts(signal * turn), weights), start, (low, high))
            except FitError:
                continue
            found = replace(found, model=both_traces, y=flat, sigma=sigma)
            if self.fitted is None or found.reduced_chi_square < self.fitted.reduced_chi_square:
                self.fitted = found

    def report(self) -> Report:
        """chi, linewidth, resonator frequency and what the traces hold of the other level."""
        fit, span = self.fitted, float(self.arguments["span"])
        apart = np.abs(np.diff(self.data["signal"], axis=0)[0]) / np.hypot(*self.data["error"])
        strength = fit["depth"] / fit.error("depth") if fit else 0.0
        moved = float(np.sqrt(np.mean(apart**2)))
        if fit is None or strength < SEEN:
            unseen = (Check("a resonator in the sweep", False, f"{strength:.1f} errors"),)
            none = {"in_1_of_0": Estimate(0.0, 1.0)}
            words = f"In {span:g} MHz about the readout frequency no resonator stands out ({strength:.1f} errors)."
            diagnosis = "no resonator seen, states cannot be told apart; run resonator_spectroscopy"
            return Report("wrong_setup", diagnosis, words, none, unseen, cause="no_resonator")
        chi, error = fit["shift"] / 2, fit.error("shift") / 2
        cover = span / fit["width"]
        edge = abs(fit["centre"]) < span / 2 - fit["width"]
        seen = moved > 2.0 and abs(chi) > SEEN * error / 2
        checks = (
            Check("a resonator in the sweep", True, f"{strength:.0f} errors"),
            Check("line inside the sweep", edge, f"{fit['centre']:+.2f} MHz"),
            Check("sweep of 3 to 12 linewidths", NARROWEST <= cover <= WIDEST, f"{cover:.1f}"),
            Check("traces of 0 and 1 differ", seen, f"{moved:.1f} errors apart, chi {abs(chi) / error:.1f} errors"),
            Check("residuals are noise", fit.good, f"reduced chi square {fit.reduced_chi_square:.2f}"),
            Check("chi known to 10 %", error < PRECISION * abs(chi), f"{100 * error / abs(chi):.1f} %"),
        )
        estimates = {
            "chi": Estimate(chi, error, "MHz"),
            "linewidth": fit.estimate("width", "MHz"),
            "resonator": Estimate(self.settings.readout_frequency + fit["centre"], fit.error("centre"), "MHz"),
            "in_1_of_0": fit.estimate("in_1_of_0"),
            "in_0_of_1": fit.estimate("in_0_of_1"),
        }
        analysis = (
            f"Level 1 moves the resonator of {self.qubit} by 2 chi = {2 * chi:+.4f} +- {2 * error:.4f} MHz at a readout"
            f" amplitude of {self.settings.readout_amplitude:g}; its line is {fit['width']:.3f} MHz wide. Of the shots"
            f" after a pi pulse {100 * fit['in_0_of_1']:.0f} % were seen in 0."
        )
        passed = {check.name: check.passed for check in checks}
        wanted = self.within_bounds(span=float(f"{WANTED * fit['width']:.3g}"))
        if not passed["traces of 0 and 1 differ"]:
            still = "the resonator looks the same after 0 and 1, they cannot be told apart; calibrate the pi pulse"
            return Report("wrong_setup", still, analysis, estimates, checks, cause="shift_unseen")
        if not passed["line inside the sweep"]:
            off = "line at the edge of the sweep; run resonator_spectroscopy"
            return Report("wrong_setup", off, analysis, estimates, checks, cause="dip_at_edge")
        if not passed["sweep of 3 to 12 linewidths"]:
            unfit = f"a sweep of {cover:.1f} linewidths"
            return Report("adjust", unfit, analysis, estimates, checks, wanted, cause="span_unfit")
        if not passed["residuals are noise"]:
            return Report("bad_data", "not one resonator", analysis, estimates, checks, cause="poor_fit")
        if not passed["chi known to 10 %"]:
            vague, more = "chi too imprecise", self.within_bounds(shots=4 * self.arguments["shots"])
            return Report("bad_data", vague, analysis, estimates, checks, more, cause="error_bar_too_wide")
        variables = {"chi": chi, "chi_error": error}
        return Report("success", "dispersive shift known", analysis, estimates, checks, variables=variables)

    @visual_inspection(
        """
        Left: both traces in the IQ plane, 0 and 1 in two colours, with the fit. Right: the magnitude of the
        transmission of both against the frequency of the readout tone, with the fit and dashed lines at the resonator
        for 0 and for 1.
        A good one shows two arcs of one circle, the second slightly inside, and two dips of one shape that are shifted
        against each other; the curves follow the points. One dip for both colours, no dip, or curves beside the points
        are failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Both traces in the IQ plane and as magnitude, with the fit."""
        made, (plane, magnitude) = figures.figure(f"Dispersive shift, {self.qubit}", 1, 2, width_ratios=(1, 1.25))
        x, signal = self.data["detuning"], self.data["signal"]
        fine = np.linspace(x[0], x[-1], 401)
        for row, color, marker in ((0, figures.BLUE, "o"), (1, figures.VERMILION, "^")):
            plane.plot(signal[row].real, signal[row].imag, marker, color=color, markersize=2.5, label=f"level {row}")
            figures.data(magnitude, x, np.abs(signal[row]), self.data["error"][row], f"level {row}", color, marker)
            if self.fitted is not None:
                parts = self.fitted.curve(np.tile(fine, 4)).reshape(2, 2, -1)[row]
                plane.plot(*parts, "-", color=color, linewidth=1)
                magnitude.plot(fine, np.hypot(*parts), "-", color=color, linewidth=1.2)
                side = self.fitted["centre"] + (row - 0.5) * self.fitted["shift"]
                magnitude.axvline(side, color=color, linestyle="--", linewidth=0.9)
        plane.set(xlabel="I (arb. units)", ylabel="Q (arb. units)")
        plane.set_aspect("equal", adjustable="datalim")
        label = f"readout frequency − {self.settings.readout_frequency:.2f} MHz (MHz)"
        magnitude.set(xlabel=label, ylabel="transmission (arb. units)")
        if self.fitted is not None:
            figures.headroom(magnitude, 0.25)
            chi, error = 1e3 * self.fitted["shift"] / 2, 1e3 * self.fitted.error("shift") / 2
            figures.note(magnitude, f"$\\chi$ {chi:.1f} ± {error:.1f} kHz\n$\\kappa$ {self.fitted['width']:.3f} MHz")
        magnitude.legend(frameon=False, loc="upper left", fontsize=8.5)
        return made
