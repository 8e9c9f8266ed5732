"""Three-level readout: how well one shot tells levels 0, 1 and 2."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.fits import Array
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.experiments.gaussian_mixture import fit_mixture
from labwright.tools.experiments.needs import LINE, PULSE, RESONATOR, Need
from labwright.tools.experiments.thermal_population import second_half_turn

SECOND_LINE = Need(("anharmonicity",), error=5.0)
SNR = 1.0  # distance of every two blobs in units of the noise a quadrature
FILLED = 0.15  # weight that the second pulse must move into the third blob
FIDELITY = 0.5  # mean chance to be read right; guessing makes a third
STEADY = 5.0  # errors by which a prepared mean must move to be seen


class ThreeLevelReadout(Experiment):
    """Single shots after nothing, after a pi pulse, and after another on the second transition."""

    name = "three_level_readout"
    needs = (RESONATOR, LINE, PULSE, SECOND_LINE)
    arrays = (
        words("prepared", "0", "1", "2")
        | words("read", "0", "1", "2")
        | words("level", "0", "1", "2")
        | over("prepared shot", "iq")
        | over("level", "centre")
        | over("read prepared", "assigned")
    )
    results = in_units("", "fidelity", "separation", "reads_0_of_0", "reads_1_of_1", "reads_2_of_2")
    summary_instructions = """
    The blobs decide: three of them, each at least one noise width from the others, and the second pulse fills the
    third. A level that decays during the readout is read as a lower one, which costs fidelity without being a fault.
    """
    causes = causes_of(
        "no_contrast", "readout_unresolved",
        second_pulse_unseen="The second pulse fills no third blob: its frequency or amplitude is off.",
    )  # fmt: skip

    def run(self, qubit: str, shots: Annotated[int, Quantity("", 500, 20000)] = 8000) -> None:
        """Three-level readout: measures how well single shots tell levels 0, 1 and 2, as a 3 x 3 assignment matrix.

        Use it before leakage is measured, or to see whether level 2 hides in another blob. Prepares 0 by doing nothing,
        1 by a pi pulse, 2 by another on the second transition; fits three round blobs to one half of the shots and
        assigns the other half to the nearest centre, so that the matrix is no better than the next shot will be. It
        changes no setting.

        Asked for as: three-level readout, qutrit readout, three-state discrimination, 0/1/2 discrimination, readout of
        level 2, three-level assignment matrix.

        Not for: threshold, readout calibration, leakage of gates, anharmonicity.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            shots: single shots of each prepared level. Default 8000.
        """
        settings = self.bench.settings(qubit)
        pi, second = half_turn(settings), second_half_turn(settings)
        got = self.bench.acquire(program(qubit, [[], [pi], [pi, second]], shots, "shots"))
        assert got.iq is not None
        self.data = {"iq": got.iq}
        self.fit()

    def fit(self) -> None:
        """Blobs from the even shots, the assignment matrix (read, prepared) from the odd ones."""
        ground, excited, second = self.data["iq"][:, ::2]
        self.mixture = fit_mixture(ground, excited, 3, second=second)
        self.matrix = assigned(self.data["iq"][:, 1::2], self.mixture.means)
        self.data |= {"centre": self.mixture.means, "assigned": self.matrix}

    def report(self) -> Report:
        """Assignment fidelity, distances of the blobs, and how full the third one is."""
        iq, mixture = self.data["iq"], self.mixture
        shots = iq.shape[1]
        means = iq.mean(axis=1)
        noise = float(np.sqrt(np.var(iq, axis=1).mean() / shots))
        moves = np.abs(np.diff(means)) / noise
        pairs = [abs(mixture.means[a] - mixture.means[b]) / mixture.sigma for a, b in ((0, 1), (1, 2), (0, 2))]
        filled = float(mixture.weights[2, 2] - mixture.weights[1, 2])
        each = np.diag(self.matrix)
        fidelity, error = float(each.mean()), float(np.sqrt(np.sum(each * (1 - each)) / (shots / 2))) / 3
        shift = abs(means[1] - means[0]) / mixture.sigma
        checks = (
            Check("pi pulse moves the mean IQ point", bool(moves[0] > STEADY), f"{moves[0]:.1f} errors"),
            Check("blobs 0 and 1 apart", bool(pairs[0] > SNR and shift > 0.3), f"{pairs[0]:.2f} noise widths"),
            Check("second pulse fills a third blob", filled > FILLED, f"{100 * filled:.0f} % of the shots"),
            Check("blob 2 apart from the others", bool(min(pairs[1:]) > SNR), f"{min(pairs[1:]):.2f} noise widths"),
            Check("read right more often than not", fidelity > FIDELITY, f"{fidelity:.3f}"),
        )
        estimates = {
            "fidelity": Estimate(fidelity, error),
            "separation": Estimate(float(min(pairs)), float(3 / np.sqrt(shots))),
        }
        for level, value in enumerate(each):
            estimates[f"reads_{level}_of_{level}"] = Estimate(
                float(value), float(np.sqrt(value * (1 - value) / (shots / 2)))
            )
        analysis = (
            f"Levels 0, 1 and 2 are read right in {100 * each[0]:.1f}, {100 * each[1]:.1f} and {100 * each[2]:.1f} % of"
            f" the shots, {fidelity:.4f} +- {error:.4f} on average; the closest blobs are {min(pairs):.2f} noise widths"
            " apart."
        )
        passed = [check.passed for check in checks]
        if not passed[0]:
            still = "pi pulse does not move the signal, so that no states can be told apart; run rabi"
            return Report("wrong_setup", still, analysis, estimates, checks, cause="no_contrast")
        if passed[1] and not passed[2]:
            empty = "second pulse fills no blob; run ef_spectroscopy"
            return Report("wrong_setup", empty, analysis, estimates, checks, cause="second_pulse_unseen")
        if not all(passed):
            blurred = "readout cannot tell the three levels apart"
            return Report("wrong_setup", blurred, analysis, estimates, checks, cause="readout_unresolved")
        variables = {"fidelity": fidelity}
        return Report("success", "three clear levels", analysis, estimates, checks, variables=variables)

    @visual_inspection(
        """
        Left: single shots in the IQ plane, one colour a prepared level, with a circle at each fitted blob and lines
        half way between them. Right: the assignment matrix, prepared to the right and read upwards, with its numbers.
        A good one has three blobs that are each mostly of one colour, and a matrix that is dark on its diagonal; level
        2 and 1 lose some shots to the level below. A third blob that lies on another, colours that mix everywhere, or
        a last column like the second are failures; say which one it is.
        """
    )
    def plot(self) -> figures.Figure:
        """Shots with blobs and borders, and the assignment matrix."""
        from matplotlib.patches import Circle

        made, (plane, matrix) = figures.figure(f"Three-level readout, {self.qubit}", 1, 2, width_ratios=(1.25, 1))
        shown, means, sigma = self.data["iq"][:, :1200], self.mixture.means, self.mixture.sigma
        for level, color in enumerate((figures.BLUE, figures.VERMILION, figures.GREEN)):
            dots = shown[level]
            plane.plot(dots.real, dots.imag, ".", color=color, markersize=2, alpha=0.45, rasterized=True)
            plane.plot([], [], "o", color=color, markersize=5, label=f"prepared {level}")
            centre = (float(means[level].real), float(means[level].imag))
            plane.add_patch(Circle(centre, 2 * sigma, fill=False, color=figures.BLACK, linewidth=1))
            plane.text(*centre, str(level), ha="center", va="center", weight="bold")
        low, high = (shown.real.min(), shown.imag.min()), (shown.real.max(), shown.imag.max())
        x, y = np.meshgrid(np.linspace(low[0], high[0], 240), np.linspace(low[1], high[1], 240))
        nearest = np.argmin(np.abs((x + 1j * y)[..., None] - means), axis=2)
        plane.contour(x, y, nearest, levels=[0.5, 1.5], colors=figures.BLACK, linewidths=0.9, linestyles="--")
        plane.set(xlabel="I (arb. units)", ylabel="Q (arb. units)")
        plane.set_aspect("equal", adjustable="datalim")
        plane.legend(frameon=False, fontsize=8, loc="upper right")
        image = matrix.imshow(self.matrix, cmap="Blues", vmin=0, vmax=1, origin="lower")
        for (read, level), value in np.ndenumerate(self.matrix):
            color = "white" if value > 0.6 else figures.BLACK
            matrix.text(level, read, f"{value:.3f}", ha="center", va="center", color=color)
        matrix.set(xlabel="prepared state", ylabel="state read", xticks=range(3), yticks=range(3))
        matrix.tick_params(top=False, right=False)
        made.colorbar(image, ax=matrix, location="bottom", shrink=0.8, label="fraction of the shots")
        return made


def assigned(iq: NDArray[np.complex128], centres: NDArray[np.complex128]) -> Array:
    """Share of the shots (n_prepared, n_shots) nearest to each centre, (n_centres, n_prepared)."""
    nearest = np.argmax([(iq * np.conj(c)).real - abs(c) ** 2 / 2 for c in centres], axis=0)
    return np.array([(nearest == level).mean(axis=1) for level in range(len(centres))])
