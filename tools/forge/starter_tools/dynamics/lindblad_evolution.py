"""Open evolution of a few levels by the Lindblad equation, with QuTiP's ``mesolve``.

d rho/dt = -i [H(t), rho] + sum_k (C_k rho C_k^dagger - {C_k^dagger C_k, rho} / 2), hbar = 1, with H(t) = H + sum_k
A_k cos(omega_k t + phi_k). Rates stand inside the collapse operators, C = sqrt(rate) * operator. Hamiltonians are
angular frequencies, in radian per unit of time; rates are in inverse units of time. Index 0 is the first basis state;
for qubits built as in QuTiP it has Z = +1. Source: G. Lindblad, Commun. Math. Phys. 48, 119 (1976); QuTiP user guide,
"Lindblad master equation solver".
"""

import math
from collections.abc import Callable

import numpy as np
import qutip
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator


class LindbladEvolutionInput(BaseModel, allow_inf_nan=False):
    """A Hamiltonian, where it begins and what to record."""

    class Drive(BaseModel, allow_inf_nan=False):
        """A part of the Hamiltonian that oscillates: matrix * cos(frequency t + phase)."""

        matrix: list[list[list[float]]] = Field(
            description="Entries as [re, im], amplitude included, angular frequency."
        )
        frequency: float = Field(description="Angular frequency, radian per unit of time.")
        phase: float = Field(default=0.0, description="Phase at t = 0, in radian.")

    class Observable(BaseModel, allow_inf_nan=False):
        """A Hermitian operator with a name."""

        label: str = Field(min_length=1, description="Name, unique.")
        matrix: list[list[list[float]]] = Field(description="Entries as [re, im].")

    hamiltonian: list[list[list[float]]] = Field(description="Entries as [re, im], angular frequency (hbar = 1).")
    drives: list["LindbladEvolutionInput.Drive"] = Field(default=[], description="Oscillating parts.")
    collapse: list[list[list[list[float]]]] = Field(
        description="Collapse operators with the root of their rate in them."
    )
    initial_state: list[list[list[float]]] = Field(description="Density matrix at the first time, entries as [re, im].")
    times: list[float] = Field(min_length=2, description="Rising times at which to record; the first is the start.")
    observables: list["LindbladEvolutionInput.Observable"] = Field(description="What to take expectation values of.")
    keep_states: bool = Field(default=False, description="Whether to give the density matrix at every time.")

    @model_validator(mode="after")
    def _sound(self) -> "LindbladEvolutionInput":
        size = len(self.hamiltonian)
        _square(self.hamiltonian, size, "hamiltonian", hermitian=True)
        for one in self.drives:
            _square(one.matrix, size, "drive", hermitian=True)
        for one in self.observables:
            _square(one.matrix, size, f"observable {one.label}", hermitian=True)
        if len({one.label for one in self.observables}) != len(self.observables):
            raise ValueError("Two observables have one label; give each its own.")
        if any(b <= a for a, b in zip(self.times, self.times[1:], strict=False)):
            raise ValueError("Times must rise.")
        for one in self.collapse:
            _square(one, size, "collapse operator")
        _square(self.initial_state, size, "initial state", hermitian=True)
        start = _complex(self.initial_state)
        if abs(np.trace(start) - 1) > 1e-9 or np.linalg.eigvalsh(start)[0] < -1e-9:
            raise ValueError("The initial state must be a density matrix: trace one and no negative eigenvalue.")
        return self


class LindbladEvolutionOutput(BaseModel):
    """What was recorded."""

    times: list[float] = Field(description="As given.")
    expectations: dict[str, list[float]] = Field(description="Label -> expectation value at each time.")
    final_state: list[list[list[float]]] = Field(description="Density matrix at the end, entries as [re, im].")
    states: list[list[list[list[float]]]] = Field(description="Density matrix at each time if asked for, else empty.")
    trace_error: float = Field(description="Largest deviation of the trace from one.")
    lowest_eigenvalue: float = Field(description="Smallest eigenvalue of any recorded density matrix.")


def lindblad_evolution(given: LindbladEvolutionInput) -> LindbladEvolutionOutput:
    """Integrate the Lindblad equation and take expectation values."""
    start = qutip.Qobj(_complex(given.initial_state))
    jumps = [qutip.Qobj(_complex(one)) for one in given.collapse]
    # with neither jumps nor a mixed generator mesolve would fall back to sesolve; the zero jump keeps its equation
    jumps = jumps or [qutip.Qobj(np.zeros((len(given.hamiltonian),) * 2))]
    solved = qutip.mesolve(_system(given), start, given.times, jumps, options=_options(given))
    states = np.array([state.full() for state in solved.states])
    traces = np.einsum("tii->t", states)
    return LindbladEvolutionOutput(
        times=given.times,
        expectations={
            one.label: np.einsum("ij,tji->t", _complex(one.matrix), states).real.tolist() for one in given.observables
        },
        final_state=_pairs(states[-1]),
        states=[_pairs(rho) for rho in states] if given.keep_states else [],
        trace_error=float(np.abs(traces - 1).max()),
        lowest_eigenvalue=float(np.linalg.eigvalsh(states).min()),
    )


def _square(matrix: list[list[list[float]]], size: int, name: str, hermitian: bool = False) -> None:
    if len(matrix) != size or any(len(row) != size or any(len(cell) != 2 for cell in row) for row in matrix):
        raise ValueError(f"The {name} must have {size} x {size} entries, each as [re, im].")
    array = _complex(matrix)
    if hermitian and np.abs(array - array.conj().T).max() > 1e-9 * max(1.0, float(np.abs(array).max())):
        raise ValueError(f"The {name} is not Hermitian; check signs and complex conjugates.")


def _complex(values: list) -> NDArray[np.complex128]:
    pairs = np.asarray(values, dtype=float)
    return pairs[..., 0] + 1j * pairs[..., 1]


def _pairs(matrix: NDArray[np.complex128]) -> list[list[list[float]]]:
    return [[[float(cell.real), float(cell.imag)] for cell in row] for row in matrix]


def _system(given: LindbladEvolutionInput) -> qutip.Qobj | qutip.QobjEvo:
    """The Hamiltonian, time-dependent if there are drives."""
    static = qutip.Qobj(_complex(given.hamiltonian))
    if not given.drives:
        return static
    parts = [[qutip.Qobj(_complex(one.matrix)), _wave(one.frequency, one.phase)] for one in given.drives]
    return qutip.QobjEvo([static, *parts])


def _wave(frequency: float, phase: float) -> Callable[[float], float]:
    return lambda t: math.cos(frequency * t + phase)


def _options(given: LindbladEvolutionInput) -> dict[str, object]:
    """Tolerances well below what a plot shows, and steps that cannot jump over a period of a drive."""
    eighths = [math.pi / (4 * abs(one.frequency)) for one in given.drives if one.frequency]
    return {
        "atol": 1e-11,
        "rtol": 1e-9,
        "nsteps": 1_000_000,
        "max_step": min(eighths) if eighths else 0.0,  # QuTiP's word for no limit is zero
        "store_states": True,
        "progress_bar": "",
    }
