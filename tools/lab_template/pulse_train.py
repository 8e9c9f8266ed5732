"""pulse_train.py: whether many pi pulses in a row still flip the qubit."""

from typing import Annotated

import numpy as np
from matplotlib.figure import Figure

from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over
from labwright.tools.experiments.base import (
    Check,
    Estimate,
    Experiment,
    Quantity,
    Report,
    visual_inspection,
)
from labwright.tools.experiments.failure_causes import cause_without_contrast, causes_of, without_contrast
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.experiments.needs import LINE, PULSE, READOUT


class PulseTrain(Experiment):
    """0, 1, 2, ... pi pulses in a row; every second one must bring the qubit back."""

    name = "pulse_train"
    needs = (READOUT, LINE, PULSE)
    arrays = over("pulses", "fraction", "error")
    summary_instructions = "The kept contrast decides. Where it is lost, the pulse amplitude has to be tuned."
    causes = causes_of(
        "no_response",
        "readout_unresolved",
        contrast_lost="Late trains keep less contrast than the first pulse makes: the pulse amplitude is off.",
    )

    def run(
        self,
        qubit: str,
        pulses: Annotated[int, Quantity("", 3, 101)] = 21,
        shots: Annotated[int, Quantity("", 50, 20000)] = 1000,
    ) -> None:
        """Pulse train: plays growing numbers of pi pulses and tells how much contrast the last ones keep.

        Use it as a quick check of the pi pulse between two calibrations; it changes nothing.

        Asked for as: pulse train, train of pi pulses, row of pi pulses.

        Not for: ping-pong, Rabi.

        Args:
            qubit: name of the qubit, such as Q1.
            pulses: largest number of pulses in a row. Default 21.
            shots: repetitions of every train. Default 1000.
        """
        pulse = half_turn(self.bench.settings(qubit))
        fraction, error = self.bench.fractions(program(qubit, [[pulse] * n for n in range(pulses + 1)], shots))
        self.data = {"fraction": fraction, "error": error}

    def report(self) -> Report:
        """How much of the first flip's contrast the last flip has."""
        fraction, error = self.data["fraction"], float(self.data["error"].mean())
        contrast = float(fraction[1] - fraction[0])
        if contrast < 0.2:
            checks = (Check("contrast above 0.2", False, f"{contrast:.3f}"),)
            words = f"One pulse raises the fraction by {contrast:.3f} only."
            found = {"contrast": Estimate(contrast, error)}
            idle = float(fraction[0])
            diagnosis, cause = without_contrast(idle), cause_without_contrast(idle)
            return Report("wrong_setup", diagnosis, words, found, checks, cause=cause)
        half = contrast / 2
        # +1 where a train ends as it should, -1 where it ends in the other state
        right = np.where(np.arange(len(fraction)) % 2, 1, -1) * (fraction - fraction[0] - half) / half
        late = right[len(right) // 2 :]
        kept = float(late.mean())
        passed = kept > 0.8
        return Report(
            verdict="success" if passed else "wrong_setup",
            diagnosis="pulses flip to the end" if passed else "contrast lost; tune the pulse amplitude",
            analysis=f"The second half of the trains keeps {kept:.2f} of the contrast of {contrast:.3f}.",
            estimates={"kept_contrast": Estimate(kept, error / half / len(late) ** 0.5)},
            checks=(Check("more than 0.8 of the contrast kept", passed, f"{kept:.2f}"),),
            variables={"kept_contrast": kept},
            cause="" if passed else "contrast_lost",
        )

    @visual_inspection(
        """
        The figure shows pulse trains: the fraction of shots read as 1 against the number of pi pulses in a row.
        In a good one the points jump between two levels to the very end. Points that close in on the middle, and points
        that do not jump at all, are failures; say which one it is.
        """
    )
    def plot(self) -> Figure:
        """Fraction read as 1 against the number of pulses."""
        made, (axis,) = figures.figure(f"Pulse train, {self.qubit}")
        figures.data(axis, np.arange(float(len(self.data["fraction"]))), self.data["fraction"], self.data["error"])
        axis.set(xlabel="number of pi pulses", ylabel="fraction read as 1", ylim=(0, 1))
        return made
