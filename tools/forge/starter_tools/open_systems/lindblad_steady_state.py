"""The steady state of a Lindblad equation, 0 = -i [H, rho] + sum_k (C_k rho C_k^dagger - {C_k^dagger C_k, rho} / 2).

hbar = 1; the Hamiltonian is an angular frequency, rates stand inside the collapse operators as square roots. The
eigenvalues of the Liouvillian tell whether the steady state is unique (one eigenvalue zero) and how slowly it is
reached (the one next to it). If it is not unique, the limit depends on the initial state, and there is nothing to
give: an error says so. Source: QuTiP user guide, "Solving for steady-state solutions".
"""

import numpy as np
import qutip
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator


class LindbladSteadyStateInput(BaseModel, allow_inf_nan=False):
    """A generator and what to take expectation values of."""

    class Observable(BaseModel, allow_inf_nan=False):
        """A Hermitian operator with a name."""

        label: str = Field(min_length=1, description="Name, unique.")
        matrix: list[list[list[float]]] = Field(description="Entries as [re, im].")

    hamiltonian: list[list[list[float]]] = Field(description="Entries as [re, im], angular frequency (hbar = 1).")
    collapse: list[list[list[list[float]]]] = Field(
        min_length=1, description="Collapse operators with the root of their rate in them."
    )
    observables: list["LindbladSteadyStateInput.Observable"] = Field(description="What to take expectation values of.")

    @model_validator(mode="after")
    def _sound(self) -> "LindbladSteadyStateInput":
        size = len(self.hamiltonian)
        if size > 40:
            raise ValueError(f"At most 40 levels can be treated here, but there are {size}.")
        _square(self.hamiltonian, size, "hamiltonian", hermitian=True)
        for one in self.collapse:
            _square(one, size, "collapse operator")
        for one in self.observables:
            _square(one.matrix, size, f"observable {one.label}", hermitian=True)
        if len({one.label for one in self.observables}) != len(self.observables):
            raise ValueError("Two observables have one label; give each its own.")
        return self


class LindbladSteadyStateOutput(BaseModel):
    """Where the evolution ends."""

    state: list[list[list[float]]] = Field(description="Density matrix, entries as [re, im].")
    expectations: dict[str, float] = Field(description="Label -> expectation value.")
    slowest_rate: float = Field(description="Smallest decay rate above zero, in inverse units of time.")
    residual: float = Field(description="Largest entry of d rho / dt, in inverse units of time.")


def lindblad_steady_state(given: LindbladSteadyStateInput) -> LindbladSteadyStateOutput:
    """Solve for the steady state after making sure that there is one only."""
    hamiltonian = qutip.Qobj(_complex(given.hamiltonian))
    jumps = [qutip.Qobj(_complex(one)) for one in given.collapse]
    generator = qutip.liouvillian(hamiltonian, jumps)
    eigenvalues = np.linalg.eigvals(generator.full())
    sizes = np.abs(eigenvalues)
    if np.sum(sizes <= 1e-10 * sizes.max()) > 1:
        raise ValueError(
            "The steady state is not unique: the Liouvillian has more than one zero eigenvalue, so the limit depends on"
            " the initial state. Evolve in time instead, or add the missing collapse operators."
        )
    state = qutip.steadystate(generator, method="direct").full()
    change = generator.full() @ state.reshape(-1, order="F")
    return LindbladSteadyStateOutput(
        state=[[[float(cell.real), float(cell.imag)] for cell in row] for row in state],
        expectations={one.label: float(np.sum(_complex(one.matrix) * state.T).real) for one in given.observables},
        slowest_rate=float(np.sort(-eigenvalues.real)[1]),
        residual=float(np.linalg.norm(change, np.inf)),
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
