"""Evolution of a closed few-level system under piecewise constant pulses, slot by slot with QuTiP's Schroedinger solver.

H(t) = H_0 + sum_j u_j(t) H_j with hbar = 1 and u_j constant in each of equal time slots: the independent check of pulses
that an optimiser found. Populations are recorded at the ends of slots. A state is compared with the target by
F = |<target|psi>|^2, a gate by the process fidelity F = |Tr(V^dag U) / d|^2 and the average gate fidelity
(d F + Tr(M M^dag) / d) / (d + 1) with M = V^dag U, which is (d F + 1) / (d + 1) where nothing leaks; V has a column for
each of the d levels on which the gate is wanted, and U is what they become. Global phases do not count.

Source: QuTiP (arXiv:2412.04705), SESolver; Pedersen et al., Phys. Lett. A 367, 47 (2007) for the average gate fidelity.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from qutip import Qobj, QobjEvo, SESolver, qeye


class EvolveUnderPulsesInput(BaseModel, allow_inf_nan=False):
    """System, pulses, and what they should do."""

    model_config = ConfigDict(extra="forbid")
    drift: list[list[list[float]]] = Field(description="H_0, rows x columns x [re, im] (rad / time).")
    controls: list[list[list[list[float]]]] = Field(
        min_length=1, description="H_j, each rows x columns x [re, im] (rad / time for an amplitude of one)."
    )
    amplitudes: list[list[float]] = Field(min_length=1, description="Amplitudes, slots x controls (1).")
    duration: float = Field(gt=0, description="Length of all slots together (time).")
    goal: Literal["state", "gate"] = Field(description="Whether a state is transferred or a gate is made.")
    initial: list[list[float]] = Field(
        description="Initial state as [re, im] amplitudes; for a gate the state whose populations are followed (1)."
    )
    target: list[list[list[float]]] = Field(
        description="Target state (a matrix of one column) or gate, rows x columns x [re, im] (1)."
    )
    subspace: list[int] = Field(
        default=[], description="Levels from 0 on which a gate is wanted, one for each of its columns; empty: all (1)."
    )

    @model_validator(mode="after")
    def _consistent(self) -> "EvolveUnderPulsesInput":
        size = len(self.drift)
        for name, matrix in [("drift", self.drift), *(("control", one) for one in self.controls)]:
            array = _array(matrix)
            if array.shape != (size, size) or not np.allclose(array, array.conj().T, atol=1e-10):
                raise ValueError(f"The {name} must be a Hermitian matrix of {size} x {size} [re, im] entries.")
        columns = 1 if self.goal == "state" else len(self.subspace) or size
        if not set(self.subspace) <= set(range(size)) or len(set(self.subspace)) != len(self.subspace):
            raise ValueError(f"`subspace` must be different levels below {size}.")
        if _array(self.target).shape != (size, columns):
            raise ValueError(f"The target must be {size} x {columns}.")
        if len(self.initial) != size or abs(np.linalg.norm(self.initial) - 1) > 1e-8:
            raise ValueError(f"The initial state needs {size} amplitudes [re, im] of norm 1.")
        if any(len(row) != len(self.controls) for row in self.amplitudes):
            raise ValueError(f"Each slot needs {len(self.controls)} amplitudes.")
        return self


class EvolveUnderPulsesOutput(BaseModel):
    """Where the pulses lead."""

    times: list[float] = Field(description="Beginning of the first and end of each slot (time).")
    populations: list[list[float]] = Field(description="Occupation of each level (columns) at each time (rows) (1).")
    final_state: list[list[float]] = Field(description="State at the end as [re, im] amplitudes (1).")
    fidelity: float = Field(description="Squared overlap with the target; of a gate, |Tr(V^dag U) / d|^2 (1).")
    average_gate_fidelity: float | None = Field(description="Mean over initial states; None for a state transfer (1).")
    norm_error: float = Field(description="Largest deviation of the sum of populations from one (1).")


def evolve_under_pulses(given: EvolveUnderPulsesInput) -> EvolveUnderPulsesOutput:
    """Solve the Schroedinger equation under given pulses and compare the end with the target.

    Args:
        given: Hamiltonians, amplitudes in each slot, initial state, target.

    Returns:
        Populations in time and fidelities.
    """
    slots, size = len(given.amplitudes), len(given.drift)
    times = np.linspace(0.0, given.duration, slots + 1)
    parts = [[Qobj(_array(one)), _held(f"u{j}")] for j, one in enumerate(given.controls)]
    first = {f"u{j}": 0.0 for j in range(len(given.controls))}
    options = {"method": "dop853", "atol": 1e-10, "rtol": 1e-8, "nsteps": 100000}
    solver = SESolver(QobjEvo([Qobj(_array(given.drift)), *parts], args=first), options=options)
    # the propagator is evolved, and restarted at each edge: no step of the integration crosses one
    solver.start(qeye(size), times[0])
    propagators = [np.eye(size, dtype=complex)]
    for row, end in zip(given.amplitudes, times[1:], strict=True):
        held = {f"u{j}": value for j, value in enumerate(row)}
        propagators.append(solver.step(end, args=held).full())
    states = np.array(propagators) @ np.array([complex(*one) for one in given.initial])
    populations = np.abs(states) ** 2
    average = None
    if given.goal == "gate":
        levels = given.subspace or list(range(size))
        made, d = _array(given.target).conj().T @ propagators[-1][:, levels], len(levels)
        fidelity = abs(np.trace(made) / d) ** 2
        average = float((d * fidelity + np.linalg.norm(made) ** 2 / d) / (d + 1))
    else:
        fidelity = abs(np.vdot(_array(given.target), states[-1])) ** 2
    return EvolveUnderPulsesOutput(
        times=times.tolist(),
        populations=populations.tolist(),
        final_state=[[float(one.real), float(one.imag)] for one in states[-1]],
        fidelity=float(fidelity),
        average_gate_fidelity=average,
        norm_error=float(np.abs(populations.sum(axis=1) - 1).max()),
    )


def _held(name: str) -> Callable[..., float]:
    """The amplitude of the present slot, whatever the time."""

    def amplitude(_time: float, **args: float) -> float:
        return args[name]

    return amplitude


def _array(rows: list[list[list[float]]]) -> np.ndarray:
    """Rows of [re, im] pairs as a complex array."""
    if len({len(row) for row in rows}) != 1 or any(len(entry) != 2 for row in rows for entry in row):
        raise ValueError("Matrices must be rows of equal length with [re, im] entries.")
    return np.array([[complex(re, im) for re, im in row] for row in rows])
