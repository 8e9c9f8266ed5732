"""Conditional Stark shift of a repeated gate: phase and error of one siZZle gate, edges included."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.conditional_stark import RESTLESS
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.gate_train import Train, counts_of, train_sequences, trains
from labwright.tools.experiments.needs import FINE
from labwright.tools.experiments.qubit_pairs import CONTRAST, joint_program, look_alike, pair_of, reference_slots
from labwright.tools.qpu.cz_gate_operations import echoed

LOST = 0.15  # error a gate beyond which it is no gate


class ConditionalStarkRepeatedGate(Experiment):
    """n echoed siZZle gates in a row, each qubit as target in turn."""

    name = "conditional_stark_repeated_gate"
    needs = FINE
    arrays = (
        swept("counts")
        | words("role", "second qubit is the target", "first qubit is the target")
        | words("control_state", "0", "1")
        | words("component", "X", "Y")
        | over("role control_state component counts", "target", "target_error")
        | over("role control_state counts", "control")
    )
    results = in_units("rad", "conditional_phase") | in_units("", "error_per_gate", "control_scatter")
    summary_instructions = """
    The fit decides: the target's phase grows by the same step with every gate, one step with the control in 0 and
    another with the control in 1, and their difference is the conditional phase of the gate. The decay a gate says how
    good it is. Scatter that no steady rotation explains means leakage, or a drive that excites a qubit.
    """
    causes = causes_of(
        "no_contrast", "no_steady_rotation", "control_unsteady",
        gate_loses_state="The gate is steady, but its error is too large for a gate.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        partner: str,
        frequency: Annotated[float, Quantity("MHz", 4000.0, 6000.0)],
        amplitude: Annotated[float, Quantity("full scale", 0.0, 1.0)],
        duration: Annotated[float, Quantity("us", 0.01, 10.0)],
        edge: Annotated[float, Quantity("us", 0.004, 0.2)] = 0.08,
        gates: Annotated[int, Quantity("", 4, 200)] = 40,
        shots: Annotated[int, Quantity("", 100, 20000)] = 2000,
    ) -> None:
        """Conditional Stark shift, repeated gate: measures the conditional phase and the error of one siZZle gate.

        Use it after the continuous measurement, to see what the gate does with its rising and falling edges. The
        echoed gate is played 0 to `gates` times; the target's phase is measured with the control in 0 and in 1, for
        either qubit as target.

        Asked for as: conditional Stark shift repeated gate, repeated gate, repeated gate tomography, repeated siZZle
        gate, conditional phase per gate, ZZ per gate.

        Not for: continuous.

        Args:
            qubit: name of one qubit of the pair, such as Q1.
            partner: name of the other qubit of the pair, such as Q2.
            frequency: of the Stark drive on both qubits, in MHz.
            amplitude: of the drive on the pair's first qubit, in full scale units.
            duration: of one of the two Stark pulses of a gate, in us, edges included.
            edge: cosine edge of a Stark pulse in us. Default 0.08.
            gates: longest train of gates. Default 40.
            shots: repetitions of every point. Default 2000.

        Raises:
            InputError: an argument is out of bounds, or the qubits are not coupled.
        """
        self.pair = pair_of(self.bench, qubit, partner)
        self.qubit = self.pair.name
        drive = self.pair.driven(float(frequency), float(amplitude), float(edge))
        gate = echoed(drive, self.pair.one, self.pair.two, float(duration))
        counts = counts_of(int(gates))
        sequences = reference_slots(self.pair.each) + train_sequences(self.pair, gate, counts)
        played = joint_program(self.pair.names, sequences, int(shots))
        self.train, self.contrast = trains(counts, *self.bench.counts(played))
        self.data = {"counts": counts, **{n: getattr(self.train, n) for n in ("target", "target_error", "control")}}

    def report(self) -> Report:
        """Conditional phase, error a gate and the control's steadiness."""
        contrast = float(self.contrast.min())
        if contrast < CONTRAST:
            return look_alike(contrast)
        unrest = restlessness(self.train)
        steady = Check("control is steady", unrest < RESTLESS, f"<Z> scatters by {unrest:.3f} beyond noise")
        if self.train.whole is None:
            words = "no steady rotation a gate; lower the amplitude or move away"
            unclear = Check("one step a gate explains all", False, "no fit")
            why = "The targets' phases do not grow by one step a gate."
            return Report("wrong_setup", words, why, checks=(unclear, steady), cause="no_steady_rotation")
        return self._fitted(steady, unrest)

    def _fitted(self, steady: Check, unrest: float) -> Report:
        phase, phase_error = self.train.conditional_phase
        error, spread = self.train.error_per_gate
        estimates = {
            "conditional_phase": Estimate(2 * np.pi * phase, 2 * np.pi * phase_error, "rad"),
            "error_per_gate": Estimate(error, spread),
            "control_scatter": Estimate(unrest, 0.0),
        }
        small = Check("error a gate below 15 %", error < LOST, f"{100 * error:.2f} %")
        checks = (Check("one step a gate explains all", True, "both targets"), steady, small)
        analysis = (
            f"The conditional phase is {phase:.4f} +- {phase_error:.4f} turns a gate, and coherence decays as if a gate"
            f" erred by {100 * error:.2f} +- {100 * spread:.2f} %."
        )
        variables = {"conditional_phase": 2 * np.pi * phase}
        if all(check.passed for check in checks):
            return Report("success", "steady steps, steady control", analysis, estimates, checks, variables=variables)
        words, cause = "the gate loses the state", "gate_loses_state"
        if not steady.passed:
            words, cause = "the control qubit is not steady", "control_unsteady"
        words = f"{words}; lower the amplitude or move away"
        return Report("wrong_setup", words, analysis, estimates, checks, cause=cause)

    @visual_inspection(
        """
        The figure shows trains of one siZZle gate. Left: the target's <X> against the number of gates with the control
        in 0 and in 1, with the fitted rotation; one panel for each qubit as target. Right: the control's <Z>.
        A good one has points on both curves, which oscillate and shrink slowly, and a control that stays near +1 or
        returns slowly from -1. Points off the curves, or a control that jumps, are failures; say which.
        """
    )
    def plot(self) -> figures.Figure:
        """Both targets' signals with their fits, and the controls."""
        made, axes = figures.figure(f"Repeated siZZle gate, {self.pair.name}", 2, 2, sharex=True)
        draw_train(axes, self.train, self.pair.names)
        return made


def restlessness(train: Train) -> float:
    """Scatter of the controls' <Z> about straight lines, beyond shot noise."""
    worst = 0.0
    for z, sigma in zip(train.control.reshape(4, -1), train.control_error.reshape(4, -1), strict=True):
        line = np.polyval(np.polyfit(train.counts, z, 2, w=1 / sigma), train.counts)
        worst = max(worst, float(np.mean((z - line) ** 2 - sigma**2)))
    return float(np.sqrt(worst))


def draw_train(axes: list[figures.Axes], train: Train, names: tuple[str, str]) -> None:
    """Four panels: for each target its signal and its control."""
    for row, target in enumerate((names[1], names[0])):
        signal, control = axes[2 * row], axes[2 * row + 1]
        fit = train.fits[row]
        for c, color in enumerate((figures.BLUE, figures.VERMILION)):
            error = train.target_error[row, c, 0]
            figures.data(signal, train.counts, train.target[row, c, 0], error, f"control in {c}", color)
            if fit is not None:
                fine = np.linspace(0, train.counts[-1], 1200)
                signal.plot(fine, fit.curve(fine)[c].real, color=color, linewidth=0.7, alpha=0.7)
            figures.data(control, train.counts, train.control[row, c], train.control_error[row, c], "", color)
        signal.set_ylabel(rf"{target} $\langle X\rangle$")
        control.set_ylabel(rf"{names[row]} $\langle Z\rangle$")
        control.set_ylim(-1.3, 1.3)
    for axis in axes[2:]:
        axis.set_xlabel("number of gates")
    figures.headroom(axes[0], 0.3)
    axes[0].legend(frameon=False, ncols=2, fontsize=8, loc="upper left")
