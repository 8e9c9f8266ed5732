"""Unitary evolution of a pure state of a few levels, by QuTiP's ``sesolve``.

d|psi>/dt = -i H(t) |psi>, hbar = 1, with H(t) = H + sum_k A_k cos(omega_k t + phi_k). Hamiltonians are angular
frequencies, in radian per unit of time. Index 0 is the first basis state; for qubits that are built as in QuTiP it
has Z = +1. Source: QuTiP user guide, "Time evolution"; J. R. Johansson et al., Comput. Phys. Commun. 184, 1234
(2013).
"""

import math
from collections.abc import Callable

import numpy as np
import qutip
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator


class UnitaryEvolutionInput(BaseModel, allow_inf_nan=False):
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
    drives: list["UnitaryEvolutionInput.Drive"] = Field(default=[], description="Oscillating parts.")
    initial_state: list[list[float]] = Field(
        description="Amplitudes [re, im] of the normalised state at the first time."
    )
    times: list[float] = Field(min_length=2, description="Rising times at which to record; the first is the start.")
    observables: list["UnitaryEvolutionInput.Observable"] = Field(description="What to take expectation values of.")
    keep_states: bool = Field(default=False, description="Whether to give the density matrix at every time.")

    @model_validator(mode="after")
    def _sound(self) -> "UnitaryEvolutionInput":
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
        if len(self.initial_state) != size or any(len(pair) != 2 for pair in self.initial_state):
            raise ValueError(f"The initial state must have {size} amplitudes, each as [re, im].")
        if abs(sum(re * re + im * im for re, im in self.initial_state) - 1) > 1e-9:
            raise ValueError("The initial state is not normalised; divide its amplitudes by its norm.")
        return self


class UnitaryEvolutionOutput(BaseModel):
    """What was recorded."""

    times: list[float] = Field(description="As given.")
    expectations: dict[str, list[float]] = Field(description="Label -> expectation value at each time.")
    final_state: list[list[list[float]]] = Field(description="Density matrix at the end, entries as [re, im].")
    states: list[list[list[list[float]]]] = Field(description="Density matrix at each time if asked for, else empty.")
    norm_error: float = Field(description="Largest deviation of the norm from one.")


def unitary_evolution(given: UnitaryEvolutionInput) -> UnitaryEvolutionOutput:
    """Integrate Schroedinger's equation and take expectation values."""
    start = qutip.Qobj(_complex(given.initial_state).reshape(-1, 1))
    solved = qutip.sesolve(_system(given), start, given.times, options={**_options(given), "normalize_output": False})
    states = np.array([state.full()[:, 0] for state in solved.states])
    operators = {one.label: _complex(one.matrix) for one in given.observables}
    norms = np.linalg.norm(states, axis=1)
    return UnitaryEvolutionOutput(
        times=given.times,
        expectations={
            label: np.einsum("ti,ij,tj->t", states.conj(), matrix, states).real.tolist()
            for label, matrix in operators.items()
        },
        final_state=_pairs(np.outer(states[-1], states[-1].conj())),
        states=[_pairs(np.outer(psi, psi.conj())) for psi in states] if given.keep_states else [],
        norm_error=float(np.abs(norms - 1).max()),
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


def _system(given: UnitaryEvolutionInput) -> qutip.Qobj | qutip.QobjEvo:
    """The Hamiltonian, time-dependent if there are drives."""
    static = qutip.Qobj(_complex(given.hamiltonian))
    if not given.drives:
        return static
    parts = [[qutip.Qobj(_complex(one.matrix)), _wave(one.frequency, one.phase)] for one in given.drives]
    return qutip.QobjEvo([static, *parts])


def _wave(frequency: float, phase: float) -> Callable[[float], float]:
    return lambda t: math.cos(frequency * t + phase)


def _options(given: UnitaryEvolutionInput) -> dict[str, object]:
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
