"""Hamiltonian tomography of a cross-resonance drive: which two-qubit terms it makes, and how fast each turns."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import numpy as np

from labwright.tools.errors import FitError
from labwright.tools.experiments import figures
from labwright.tools.experiments.array_labels import over, swept, words
from labwright.tools.experiments.base import Check, Estimate, Experiment, Quantity, Report, visual_inspection
from labwright.tools.experiments.bloch_rotation_fit import Turning, fit_turning
from labwright.tools.experiments.conditional_stark import MOVED, RESTLESS, steadiness
from labwright.tools.experiments.failure_causes import causes_of, in_units
from labwright.tools.experiments.gates import half_turn
from labwright.tools.experiments.needs import FINE
from labwright.tools.experiments.qubit_pairs import (
    CONTRAST,
    Pair,
    axis_pulse,
    expectations,
    joint_program,
    pair_of,
    reference_slots,
)
from labwright.tools.qpu.joint_program import JointOperation, Slot, Stark

AXES = ("X", "Y", "Z")
WEAKER = "lower the amplitude, or drive the other qubit"
TERMS = ("IX", "IY", "IZ", "ZX", "ZY", "ZZ")
ROUNDS = 0.5  # turns that each curve has to make
CROWDED = 0.35  # turns from point to point, beyond which a faster turning looks like a slower one
PRECISE = 0.1  # error of the ZX rate, relative to the fastest turning
LONGEST = 40.0  # us


class HamiltonianTomography(Experiment):
    """Rabi oscillations of the target with the control, which alone is driven, in 0 and in 1."""

    name = "hamiltonian_tomography"
    needs = FINE
    arrays = (
        swept("time", "us")
        | words("control_state", "0", "1")
        | words("component", *AXES)
        | over("control_state component time", "target", "target_error")
        | over("control_state time", "control", "control_error")
        | over("qubit", "contrast")
    )
    results = in_units("MHz", "ix_rate", "iy_rate", "iz_rate", "zx_rate", "zy_rate", "zz_rate")
    summary_instructions = """
    The two fits decide: with the control in 0 and in 1 the target's Bloch vector must turn about one axis each, by half
    a turn or more, and the control must keep its state. The half sum of the two turnings gives IX, IY, IZ, the half
    difference ZX, ZY, ZZ.
    """
    causes = causes_of(
        "no_contrast", "sweep_too_short", "points_too_far_apart", "error_bar_too_wide", "control_moved",
        "control_unsteady", "no_steady_rotation",
        turning_too_slow="The target turns too slowly even for the longest sweep: the drive is too weak.",
    )  # fmt: skip

    def run(
        self,
        qubit: str,
        partner: str,
        amplitude: Annotated[float, Quantity("full scale", 0.0, 1.0)] = 0.3,
        stop: Annotated[float, Quantity("us", 0.5, LONGEST)] = 8.0,
        points: Annotated[int, Quantity("", 12, 200)] = 40,
        edge: Annotated[float, Quantity("us", 0.004, 0.2)] = 0.04,
        phase: Annotated[float, Quantity("rad", -6.3, 6.3)] = 0.0,
        shots: Annotated[int, Quantity("", 100, 20000)] = 500,
    ) -> None:
        """Hamiltonian tomography: measures the effective IX, IY, IZ, ZX, ZY, ZZ rates of a cross-resonance drive.

        Use it to see which two-qubit Hamiltonian a cross-resonance (CR) drive makes. The control is driven at the
        target's frequency for a varying time; the target's X, Y and Z are measured with the control in 0 and in 1
        (Sheldon et al., PRA 93, 060302). Rates are those of H/h = (IX IX + ... + ZZ ZZ) / 2: a target under IX alone
        makes that many turns a us.

        Asked for as: Hamiltonian tomography, cross-resonance Hamiltonian, effective Hamiltonian, ZX rate, ZX
        interaction.

        Not for: siZZle, Stark, residual ZZ, state tomography, process tomography, CNOT.

        Args:
            qubit: name of the control, which is driven, such as Q2.
            partner: name of the target, whose frequency the drive has, such as Q1.
            amplitude: of the drive on the control, in full scale units. Default 0.3.
            stop: longest drive time in us. Default 8.
            points: number of drive times. Default 40.
            edge: cosine edge of the drive in us. Default 0.04.
            phase: of the drive in rad; a quarter turn makes ZX into ZY. Default 0.
            shots: repetitions of every point. Default 500.

        Raises:
            InputError: an argument is out of bounds, or the qubits are not coupled.
        """
        self.pair = pair_of(self.bench, qubit, partner)
        self.qubit, self.control = self.pair.name, qubit
        control, target = self.pair.names.index(qubit), self.pair.names.index(partner)
        t = np.linspace(2 * float(edge), float(stop), int(points))
        drive = [
            Stark(self.pair.each[target].frequency, float(amplitude), float(time), float(edge), float(phase))
            for time in t
        ]
        sequences = [
            _sequence(self.pair, control, state, axis, pulse) for state in (0, 1) for axis in AXES for pulse in drive
        ]
        program = joint_program(self.pair.names, reference_slots(self.pair.each) + sequences, int(shots))
        z = expectations(*self.bench.counts(program), 2)
        shape = (2, len(AXES), len(t), 2)
        values, errors = z.values.reshape(shape), z.errors.reshape(shape)
        self.data = {
            "time": t,
            "target": values[..., target],
            "target_error": errors[..., target],
            "control": values[..., control].mean(axis=1),
            "control_error": np.sqrt((errors[..., control] ** 2).sum(axis=1)) / len(AXES),
            "contrast": z.contrast,
        }
        self.fit()

    def fit(self) -> None:
        """Fit both turnings; `turnings` is None where the target does not turn. Also the control's drift."""
        self.turnings: tuple[Turning, Turning] | None = None
        t = self.data["time"] - self.data["time"][0]  # of the flat top
        with suppress(FitError):
            first, second = (
                fit_turning(t, vector, error)
                for vector, error in zip(self.data["target"], self.data["target_error"], strict=True)
            )
            self.turnings = first, second
        self.moved, self.restless = steadiness(self.data["time"], self.data["control"], self.data["control_error"])

    @property
    def rates(self) -> dict[str, Estimate]:
        """Term -> its rate in MHz."""
        assert self.turnings is not None
        zero, one = self.turnings
        values = np.concatenate([zero.rates + one.rates, zero.rates - one.rates]) / 2
        errors = np.sqrt(np.diag(zero.covariance) + np.diag(one.covariance)) / 2
        return {
            term: Estimate(float(value), float(error), "MHz")
            for term, value, error in zip(TERMS, values, [*errors, *errors], strict=True)
        }

    def report(self) -> Report:
        """The six rates, and whether the control stays."""
        contrast = float(self.data["contrast"].min())
        seen = Check("contrast above 0.2", contrast > CONTRAST, f"{contrast:.3f}")
        if not seen.passed:
            words = "prepared 0 and 1 look alike on one of the qubits; calibrate the single qubits first"
            return Report("wrong_setup", words, f"{words}.", checks=(seen,), cause="no_contrast")
        if self.turnings is None:
            still = Check("the target turns", False, "it does not")
            return self._slower("target does not turn in this sweep", "The target does not turn.", {}, (seen, still))
        estimates = {f"{term.lower()}_rate": rate for term, rate in self.rates.items()}
        checks = (seen, *self._checks())
        analysis = (
            "In H/h = (IX IX + ... + ZZ ZZ) / 2: "
            + ", ".join(f"{term} {1e3 * r.value:.1f} +- {1e3 * r.error:.1f}" for term, r in self.rates.items())
            + f" kHz. The control's <Z> moves by {self.moved:.2f}."
        )
        if failed := [check.name for check in checks if not check.passed]:
            return self._judged(failed[0], analysis, estimates, checks)
        variables = {name: estimates[name].value for name in ("ix_rate", "zx_rate")}
        return Report("success", "turning of the target seen", analysis, estimates, checks, variables=variables)

    def _checks(self) -> tuple[Check, ...]:
        assert self.turnings is not None
        t = self.data["time"]
        turns = [turning.speed * float(t[-1] - t[0]) for turning in self.turnings]
        step = max(turns) / (len(t) - 1)
        share = min(turning.r_squared for turning in self.turnings)
        chi = max(turning.reduced_chi_square for turning in self.turnings)
        zx = self.rates["ZX"].error / max(turning.speed for turning in self.turnings)
        return (
            Check("control keeps its state", self.moved < MOVED, f"<Z> moves by {self.moved:.2f}"),
            Check("control is steady", self.restless < RESTLESS, f"<Z> scatters by {self.restless:.3f} beyond noise"),
            Check(
                "one axis explains each", share > 0.9 or chi < 2, f"R squared {share:.2f}, reduced chi square {chi:.2f}"
            ),
            Check("half a turn each", min(turns) > ROUNDS, f"{turns[0]:.2f} and {turns[1]:.2f} turns"),
            Check("points close enough", step < CROWDED, f"{step:.2f} turns from point to point"),
            Check("ZX known to a tenth of the turning", zx < PRECISE, f"{100 * zx:.1f} %"),
        )

    def _judged(self, failed: str, analysis: str, estimates: dict[str, Estimate], checks: tuple[Check, ...]) -> Report:
        arguments = self.arguments
        if failed == "half a turn each":
            return self._slower("sweep too short for this drive", analysis, estimates, checks)
        if failed == "points close enough":
            shorter = {"stop": max(0.5, float(arguments["stop"]) / 3)}
            words, cause = "turning too fast for these points", "points_too_far_apart"
            return Report("adjust", words, analysis, estimates, checks, shorter, cause=cause)
        if failed == "ZX known to a tenth of the turning":
            more = self.within_bounds(shots=3 * arguments["shots"])
            words, cause = "rates not known well enough; take more shots", "error_bar_too_wide"
            return Report("bad_data", words, analysis, estimates, checks, more, cause=cause)
        cause, words = {
            "control keeps its state": ("control_moved", "the drive moves the control; " + WEAKER),
            "control is steady": ("control_unsteady", "the control is not steady; " + WEAKER),
        }.get(failed, ("no_steady_rotation", "the target does not turn about one axis; lower the amplitude"))
        return Report("wrong_setup", words, analysis, estimates, checks, cause=cause)

    def _slower(self, words: str, analysis: str, estimates: dict[str, Estimate], checks: tuple[Check, ...]) -> Report:
        """Ask for a longer sweep, or give up where it is as long as it can be."""
        stop = float(self.arguments["stop"])
        if stop < LONGEST:
            longer = {"stop": min(LONGEST, 3 * stop)}
            return Report("adjust", words, analysis, estimates, checks, longer, cause="sweep_too_short")
        words = f"{words}; raise the amplitude"
        return Report("wrong_setup", words, analysis, estimates, checks, cause="turning_too_slow")

    @visual_inspection(
        """
        The figure shows Hamiltonian tomography: the target's <X>, <Y> and <Z> against the drive time with the control
        in 0 and in 1, with fits, and below the control's <Z>, prepared in 0 and in 1.
        A good one has smooth oscillations whose points lie on their curves, different for the two states of the
        control, and two flat curves below. Points off the curves, curves that hardly turn, several periods between
        two points, or a control that moves are failures; say which.
        """
    )
    def plot(self) -> figures.Figure:
        """The target's three components with their fits, and the control."""
        made, axes = figures.figure(
            f"Hamiltonian tomography, {self.control} drives {self.arguments['partner']},"
            f" amplitude {self.arguments['amplitude']:.3g}",
            4,
            sharex=True,
        )
        t, fine = self.data["time"], np.linspace(self.data["time"][0], self.data["time"][-1], 400)
        for row, (color, label) in enumerate(((figures.BLUE, "control in 0"), (figures.VERMILION, "control in 1"))):
            for part, axis in enumerate(axes[:3]):
                figures.data(
                    axis, t, self.data["target"][row, part], self.data["target_error"][row, part], label, color
                )
                if self.turnings is not None:
                    axis.plot(fine, self.turnings[row].curve(fine - t[0])[part], color=color, linewidth=1.2)
            figures.data(axes[3], t, self.data["control"][row], self.data["control_error"][row], label, color)
        for axis, name in zip(axes, AXES, strict=False):
            axis.set_ylabel(rf"target $\langle {name}\rangle$", fontsize=8)
            axis.set_ylim(-1.25, 1.25)
        axes[3].set(xlabel=r"drive time ($\mu$s)", ylim=(-1.4, 1.4))
        axes[3].set_ylabel(r"control $\langle Z\rangle$", fontsize=8)
        figures.headroom(axes[0], 0.5)
        axes[0].legend(frameon=False, ncols=2, loc="upper left", fontsize=8)
        if self.turnings is not None:
            zx = self.rates["ZX"]
            figures.note(axes[0], f"ZX {1e3 * zx.value:.1f} ± {1e3 * zx.error:.1f} kHz")
        return made


def _sequence(pair: Pair, control: int, state: int, axis: str, drive: Stark) -> list[Slot]:
    """Prepare the control, drive it at the target's frequency, turn the target for readout."""
    target = 1 - control
    flip: list[Slot] = [_beside(control, half_turn(pair.each[control]))] if state else []
    turn = axis_pulse(pair.each[target], axis)
    read: list[Slot] = [] if turn is None else [_beside(target, turn)]
    return [*flip, _beside(control, drive), *read]


def _beside(place: int, operation: JointOperation) -> Slot:
    """A slot of two qubits in which one is played on."""
    return (operation, None) if place == 0 else (None, operation)
