"""The assignment matrix of one qubit: what the readout says for what was prepared."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, words
from labwright.tools.experiments.assignment_matrix import assignment_matrix, condition_number
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.failure_causes import (
    CANNOT_TELL,
    cause_without_contrast,
    causes_of,
    in_units,
    without_contrast,
)
from labwright.tools.experiments.gates import half_turn, program
from labwright.tools.experiments.needs import HOUR, LINE, PULSES, READOUT, Need

CONTRAST = 0.2
PRECISION = 0.01  # of a matrix entry
STEADY = 4.0  # errors by which the two halves of the run may differ


class ReadoutMitigation(Experiment):
    """Counts after nothing and after a pi pulse, in two interleaved halves."""

    name = "readout_mitigation"
    needs = (READOUT, LINE, Need(PULSES, HOUR, 0.02, relative=True))  # 2 % leave 0.1 % of the qubits in 0
    arrays = (
        words("half", "first", "second") | words("prepared", "0", "1") | over("half prepared", "halves", "half_error")
    )
    results = in_units("", "reads_1_of_0", "reads_1_of_1", "contrast", "condition_number")
    summary_instructions = """
    The matrix decides: both columns known to 0.01, a contrast above 0.2, and two halves of the run that agree. A
    matrix without contrast cannot be inverted: the readout or the pi pulse has to be calibrated first.
    """
    causes = causes_of("no_response", "readout_unresolved", "signal_moved", "error_bar_too_wide")

    def run(self, qubit: str, shots: Annotated[int, Quantity("", 100, 10000)] = 10000) -> None:
        """Readout error mitigation: measures the assignment matrix that corrects counts for misread shots.

        Use it before tomography, or whenever populations instead of raw fractions are wanted. Counts how often 1 is
        read after nothing and after a pi pulse, with the discriminator as it is calibrated; it changes no setting. The
        results are the variables reads_1_of_0 and reads_1_of_1; the matrix of several qubits is the tensor product of
        theirs. What the preparation gets wrong (thermal population, a bad pi pulse) is in the matrix, too.

        Asked for as: readout error mitigation, readout mitigation, measurement error mitigation, assignment matrix,
        confusion matrix, readout correction matrix, mitigation matrix, readout errors.

        Not for: calibrate readout, readout calibration, threshold, discriminator, resonator, tomography.

        Args:
            qubit: name of the qubit (the dut), such as Q1.
            shots: repetitions of each of the two preparations in each half. Default 10000.
        """
        pulse = half_turn(self.bench.settings(qubit))
        halves, error = self.bench.fractions(program(qubit, [[], [pulse], [], [pulse]], shots))
        self.data = {"halves": halves.reshape(2, 2), "half_error": error.reshape(2, 2)}
        self.fit()

    def fit(self) -> None:
        """The matrix, its condition number, and the errors of its second row."""
        self.reads = self.data["halves"].mean(axis=0)
        self.entry_errors = np.hypot(*self.data["half_error"]) / 2
        self.matrix = assignment_matrix(float(self.reads[0]), float(self.reads[1]))

    def report(self) -> Report:
        """The assignment matrix and its condition number, judged."""
        ground, excited = (float(value) for value in self.reads)
        contrast, worst = excited - ground, float(self.entry_errors.max())
        first, second = self.data["halves"]
        jump = float(np.max(np.abs(first - second) / np.hypot(*self.data["half_error"])))
        checks = (
            Check("contrast above 0.2", contrast > CONTRAST, f"{contrast:.3f}"),
            Check("both halves of the run agree", jump < STEADY, f"{jump:.1f} errors apart"),
            Check("entries known to 0.01", worst < PRECISION, f"{worst:.4f}"),
        )
        estimates = {
            "reads_1_of_0": Estimate(ground, float(self.entry_errors[0])),
            "reads_1_of_1": Estimate(excited, float(self.entry_errors[1])),
            "contrast": Estimate(contrast, float(np.hypot(*self.entry_errors))),
        }
        zero, one = self.entry_errors
        words = f"P(1|0) is {ground:.4f} +- {zero:.4f} and P(1|1) {excited:.4f} +- {one:.4f}."
        if contrast <= CONTRAST:
            diagnosis, cause = without_contrast(ground), cause_without_contrast(ground)
            if ground > excited + worst:  # the discriminator is upside down
                diagnosis, cause = CANNOT_TELL, "readout_unresolved"
            words = f"{words} Without contrast there is no inverse."
            return Report("wrong_setup", diagnosis, words, estimates, checks, cause=cause)
        condition = condition_number(self.matrix)
        words += f" The assignment matrix has a condition number of {condition:.2f}."
        by_ground = condition_number(assignment_matrix(ground + zero, excited)) - condition
        by_excited = condition_number(assignment_matrix(ground, excited - one)) - condition
        estimates["condition_number"] = Estimate(condition, float(np.hypot(by_ground, by_excited)))
        if jump >= STEADY:
            drifted = "readout drifted during the run; measure again"
            return Report("bad_data", drifted, words, estimates, checks, cause="signal_moved")
        if worst >= PRECISION:
            more = self.within_bounds(shots=4 * self.arguments["shots"])
            vague = "matrix not precise enough, more shots"
            return Report("adjust", vague, words, estimates, checks, more, cause="error_bar_too_wide")
        variables = {"reads_1_of_0": ground, "reads_1_of_1": excited}
        return Report("success", "assignment matrix known", words, estimates, checks, variables=variables)

    @visual_inspection(
        """
        The figure shows an assignment matrix as four squares: what was prepared to the right, what was read upwards,
        each with its probability in it, and a colour bar.
        A good one is dark on the diagonal, where 0 is read as 0 and 1 as 1, and clearly lighter off it; readout decay
        makes the square "prepared 1, read 0" larger than its opposite. Four squares of nearly the same colour, or a
        diagonal lighter than the rest, are failures; say which one it is.
        A good measurement: Image("readout_mitigation_good.png")
        A failed one, the readout cannot tell the states apart: Image("readout_mitigation_bad.png")
        """
    )
    def plot(self) -> figures.Figure:
        """The matrix with its numbers."""
        made, (axis,) = figures.figure(f"Assignment matrix, {self.qubit}")
        image = axis.imshow(self.matrix, cmap="Blues", vmin=0, vmax=1, origin="lower")
        for read in (0, 1):
            for prepared in (0, 1):
                value, error = self.matrix[read, prepared], self.entry_errors[prepared]
                color = "white" if value > 0.6 else figures.BLACK
                axis.text(prepared, read, f"{value:.4f}\n± {error:.4f}", ha="center", va="center", color=color)
        axis.set(xlabel="prepared state", ylabel="state read", xticks=(0, 1), yticks=(0, 1))
        axis.tick_params(top=False, right=False)
        bar = made.colorbar(image, ax=axis)
        bar.set_label("fraction of the shots")
        return made
