"""Readout calibration: how single shots of 0 and 1 lie in the IQ plane, and where to cut."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.experiments.gaussian_mixture import Mixture, fit_jumps, fit_mixture
from labwright.tools.experiments.needs import LINE, PULSE, RESONATOR

SNR = 1.0  # distance of the blobs in units of the noise a quadrature
CONTRAST = 0.2
THIRD = 0.01  # weight of a third blob that is worth a word
MAJOR = 0.1  # weight of a third blob beyond which the two-level discriminator means nothing
MOVED = 0.5  # noise widths by which the mean of a tenth of the shots may miss that of all
DRAWS = 60  # of the shots with replacement, for the error of the cut
TOP = 0.3  # of the gain of a cut: how far from the best it is smoothed
OFF_AXIS = 1.0  # its distance from the line through 0 and 1, in noise widths: what lies on it are jumps in the window


class ReadoutCalibration(Experiment):
    """Single shots after nothing and after a pi pulse."""

    name = "readout_calibration"
    needs = (RESONATOR, LINE, PULSE)
    arrays = words("prepared", "0", "1") | over("prepared shot", "iq")
    results = in_units(
        "", "snr", "fidelity", "reads_1_of_0", "reads_1_of_1", "third_blob", "readout_threshold"
    ) | in_units("rad", "readout_angle")
    summary_instructions = """
    The mixture decides: two blobs at least one noise width apart, the first prepared by doing nothing and the second
    by a pi pulse. Below that the readout cannot tell the states apart, and nothing measured with it is worth anything.
    A third blob that holds a tenth of the shots or more means a higher level, and a signal that moves during the run
    has to be measured again.
    """
    causes = causes_of(
        "signal_moved", "no_contrast", "readout_unresolved",
        third_blob="A third blob holds so many of the shots that the discriminator means nothing.",
        slight_leakage="A third blob holds a few of the shots; the discriminator is good all the same.",
    )  # fmt: skip
    writes = ("readout_angle", "readout_threshold")

    def run(
        self,
        qubit: str,
        shots: Annotated[int, Quantity("", 200, 20000)] = 4000,
        update: bool = True,
    ) -> None:
        """Readout calibration: fits single-shot IQ data and sets the angle and threshold that tell 0 from 1.

        Use it to calibrate readout, state discrimination or measurement, to measure the readout (assignment) fidelity
        or signal-to-noise ratio (SNR), or to look at IQ blobs. Takes single shots after nothing and after a pi pulse,
        fits a Gaussian mixture (GMM) to them, and looks for a third blob, which means leakage to level 2.

        Asked for as: readout calibration, single-shot readout, state discriminator, state discrimination,
        readout threshold, readout angle, readout fidelity, assignment fidelity, IQ blobs, IQ clouds, Gaussian
        mixture, GMM, readout GMM.

        Not for: readout frequency, resonator.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            shots: single shots of each prepared state. Default 4000.
            update: whether to write angle and threshold of the discriminator to the settings. Default True.
        """
        self.settings = self.bench.settings(qubit)
        got = self.bench.acquire(program(qubit, [[], [half_turn(self.settings)]], shots, "shots"))
        assert got.iq is not None
        self.data = {"iq": got.iq}
        self.fit()

    def fit(self) -> None:
        """Fit mixtures of two and of three round blobs of equal width; take the third if it pays for itself."""
        ground, excited = self.data["iq"]
        two = fit_mixture(ground, excited, 2)
        three = fit_mixture(ground, excited, 3)
        self.third = (
            three.bayes_criterion < two.bayes_criterion - 10
            and three.weights[:, 2].max() > THIRD
            and three.off_axis > OFF_AXIS
        )
        self.mixture: Mixture = three if self.third else two
        self.angle = float(np.angle(self.mixture.means[1] - self.mixture.means[0]))
        self.projected = (self.data["iq"] * np.exp(-1j * self.angle)).real
        self.threshold = best_threshold(self.projected[0], self.projected[1])
        self.reads_one = (self.projected > self.threshold).mean(axis=1)
        self.snr = self._snr()

    def _snr(self) -> Estimate:
        """Distance of the blobs in noise widths, jumps during readout apart; that of the mixture where they overlap."""
        with suppress(FitError):
            fit = fit_jumps(self.projected, self.mixture, self.angle)
            if not self.third and fit.error("snr") < SNR / 4:
                return fit.estimate("snr")
        return Estimate(self.mixture.separation / self.mixture.sigma, float(2 / np.sqrt(len(self.projected[0]))))

    def _angle_error(self) -> float:
        """Of the line through both blobs, rad: that of a slope across it against the share of blob 1 in every shot."""
        blobs, middle = self.mixture, (self.mixture.means[:2].mean() * np.exp(-1j * self.angle)).real
        odds = np.log(np.maximum(blobs.weights[:, 1], 1e-12) / np.maximum(blobs.weights[:, 0], 1e-12))[:, None]
        share = expit(odds + (self.projected - middle) * blobs.separation / blobs.sigma**2)
        return float(blobs.sigma / blobs.separation / np.sqrt(share.size * np.var(share)))

    def _threshold_error(self) -> float:
        """From the cuts of shots drawn anew from these (bootstrap)."""
        rng, shots = np.random.default_rng(0), self.projected.shape[1]
        drawn = (np.take_along_axis(self.projected, rng.integers(0, shots, (2, shots)), axis=1) for _ in range(DRAWS))
        return float(np.std([best_threshold(*each) for each in drawn], ddof=1))

    def report(self) -> Report:
        """Signal-to-noise ratio, fidelity, angle, threshold and a third blob, judged."""
        shots = self.data["iq"].shape[1]
        ground, excited = (float(part) for part in self.reads_one)
        contrast = excited - ground
        error = float(np.sqrt((ground * (1 - ground) + excited * (1 - excited)) / shots))
        shift = abs(self.data["iq"][1].mean() - self.data["iq"][0].mean())
        noise = np.sqrt(sum(np.var(part) / 2 for part in self.data["iq"]) / shots)
        responds = shift > 5 * noise
        # with overlapping blobs a mixture finds structure in noise, so the mean shift has the say as well
        apart = self.mixture.separation > SNR * self.mixture.sigma and shift > 0.3 * SNR * self.mixture.sigma
        third = float(self.mixture.weights[:, 2].max()) if self.third else 0.0
        moved = wandered(self.data["iq"]) / self.mixture.sigma
        checks = (
            Check("pi pulse moves the mean IQ point", bool(responds), f"{shift / noise:.1f} errors"),
            Check(
                "signal-to-noise ratio above 1",
                bool(apart),
                f"{self.snr.value:.2f}; mean shift {shift / self.mixture.sigma:.2f}",
            ),
            Check("contrast above 0.2", contrast > CONTRAST, f"{contrast:.3f}"),
            Check("signal stays where it is", moved < MOVED, f"{moved:.2f} noise widths between parts of the run"),
            Check("two blobs hold nine tenths of the shots", third < MAJOR, f"{100 * third:.1f} % lie in a third"),
        )
        fidelity = (1 + contrast) / 2
        estimates = {
            "snr": self.snr,
            "fidelity": Estimate(fidelity, error / 2),
            "reads_1_of_0": Estimate(ground, float(np.sqrt(ground * (1 - ground) / shots))),
            "reads_1_of_1": Estimate(excited, float(np.sqrt(excited * (1 - excited) / shots))),
            "third_blob": Estimate(third, 1 / np.sqrt(shots)),
            "readout_angle": Estimate(self.angle, self._angle_error(), "rad"),
            "readout_threshold": Estimate(self.threshold, self._threshold_error()),
        }
        blob = f" A third blob holds {100 * estimates['third_blob'].value:.1f} % of the shots." if self.third else ""
        analysis = (
            f"The blobs of 0 and 1 lie {self.snr.value:.2f} +- {self.snr.error:.2f} noise widths apart. P(1|0)"
            f" is {ground:.3f} and P(1|1) {excited:.3f}, an assignment fidelity of {fidelity:.3f} +- {error / 2:.3f}."
            f"{blob}"
        )
        if moved >= MOVED:
            diagnosis = "the signal moved during the measurement: an unlocked oscillator or a jump; measure again"
            return Report("bad_data", diagnosis, analysis, estimates, checks, cause="signal_moved")
        if not responds:
            diagnosis = (
                "pi pulse does not move the signal: it does not excite the qubit, or readout cannot tell the states"
                " apart; run resonator_spectroscopy, qubit_spectroscopy and rabi"
            )
            return Report("wrong_setup", diagnosis, analysis, estimates, checks, cause="no_contrast")
        if not apart or contrast <= CONTRAST:
            diagnosis = "readout cannot tell the states apart"
            return Report("wrong_setup", diagnosis, analysis, estimates, checks, cause="readout_unresolved")
        if third >= MAJOR:
            diagnosis = "a third blob holds many of the shots: the pulse or too strong a tone excites a higher level"
            return Report("wrong_setup", diagnosis, analysis, estimates, checks, cause="third_blob")
        updates = {"readout_angle": self.angle, "readout_threshold": self.threshold}
        words = "two clear blobs and a third, leakage" if self.third else "two clear blobs"
        cause = "slight_leakage" if self.third else ""
        return Report("success", words, analysis, estimates, checks, updates=updates, cause=cause)

    @visual_inspection(
        """
        The figure shows single readout shots. The two upper panels hold the IQ plane after nothing and after a pi
        pulse, each with circles at the fitted blobs and the line that separates 0 from 1. Below: histograms of both,
        projected across that line, with the threshold.
        A good one has two blobs whose centres lie well outside each other's width; the left panel fills one of them,
        the right panel mostly the other. Readout decay leaves some shots of the second in the first: no failure.
        A third blob with a few per cent of the shots is no failure, either.
        Blobs on top of each other, the same picture left and right, a line that does not pass between them, a third
        blob with many of the shots, or smeared and doubled blobs are failures; say which one it is.
        A good measurement: Image("readout_calibration_good.png")
        A failed one, the states cannot be told apart: Image("readout_calibration_bad.png")
        """
    )
    def plot(self) -> figures.Figure:
        """IQ plane of both preparations, and their projections with the threshold."""
        made = figures.canvas(f"Readout calibration, {self.qubit}")
        panels = made.subplot_mosaic([["zero", "one"], ["histogram", "histogram"]], height_ratios=(1.9, 1))
        for row, (name, color, title) in enumerate(
            (("zero", figures.BLUE, "prepared 0"), ("one", figures.VERMILION, r"prepared 1 ($\pi$ pulse)"))
        ):
            self._draw_plane(panels[name], row, color, title)
            bins = [float(b) for b in np.linspace(self.projected.min(), self.projected.max(), 70)]
            panels["histogram"].hist(self.projected[row], bins, histtype="step", color=color, label=title)
        bottom = panels["histogram"]
        bottom.axvline(self.threshold, color=figures.BLACK, linestyle="--", linewidth=1, label="threshold")
        bottom.set_xlabel("projected signal (arb. units)")
        bottom.set_ylabel("shots")
        bottom.legend(frameon=False, fontsize=8)
        figures.headroom(bottom, 0.3)
        zero, one = self.reads_one
        figures.note(bottom, f"SNR {self.snr.value:.2f}, P(1|0) {zero:.3f}, P(1|1) {one:.3f}", "upper left")
        return made

    def _draw_plane(self, axis: figures.Axes, row: int, color: str, title: str) -> None:
        from matplotlib.patches import Circle

        shown = self.data["iq"][row][:1500]
        axis.plot(shown.real, shown.imag, ".", color=color, markersize=1.6, alpha=0.5, rasterized=True)
        for index, mean in enumerate(self.mixture.means):
            circle = Circle(
                (mean.real, mean.imag), 2 * self.mixture.sigma, fill=False, color=figures.BLACK, linewidth=1
            )
            axis.add_patch(circle)
            axis.text(mean.real, mean.imag, str(index), ha="center", va="center", fontsize=9, weight="bold")
        foot = self.threshold * np.exp(1j * self.angle)
        along = 1j * np.exp(1j * self.angle) * 4 * self.mixture.sigma
        axis.plot(
            [(foot - along).real, (foot + along).real], [(foot - along).imag, (foot + along).imag], "k--", linewidth=1
        )
        both = self.data["iq"]
        centre, reach = both.mean(), 0.8 * max(np.ptp(both.real), np.ptp(both.imag)) / 2 + self.mixture.sigma
        axis.set_xlim(centre.real - reach, centre.real + reach)
        axis.set_ylim(centre.imag - reach, centre.imag + reach)
        axis.set_aspect("equal", adjustable="box")
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("I (arb. units)")
        axis.set_ylabel("Q (arb. units)")


def wandered(iq: NDArray[np.complex128], parts: int = 10) -> float:
    """How far the mean of a part of the run lies from that of all, beyond what its shots explain, in signal units.

    The larger of both preparations; their shots come in the order in which they were taken.
    """
    found = 0.0
    for row in iq:
        size = len(row) // parts
        means = row[: parts * size].reshape(parts, size).mean(axis=1)
        noise = 4 * float(np.std(row)) / np.sqrt(size)
        found = max(found, float(np.abs(means - row.mean()).max()) - noise)
    return max(found, 0.0)


def best_threshold(ground: NDArray[np.float64], excited: NDArray[np.float64]) -> float:
    """The cut above which most of `excited` and fewest of `ground` lie.

    Near its top the gain is smoothed by a polynomial, so that no chance grouping of shots decides.
    """
    everything = np.sort(np.concatenate([ground, excited]))
    cuts = np.linspace(everything[len(everything) // 100], everything[-len(everything) // 100], 400)
    gain = np.searchsorted(np.sort(ground), cuts) / len(ground) - np.searchsorted(np.sort(excited), cuts) / len(excited)
    top = gain >= gain.max() - TOP * np.ptp(gain)
    smooth = np.polynomial.Polynomial.fit(cuts[top], gain[top], min(4, int(top.sum()) - 1))(cuts[top])
    return float(cuts[top][np.argmax(smooth)])
