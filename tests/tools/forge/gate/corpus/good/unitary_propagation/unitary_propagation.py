"""Populations of a closed system over time by diagonalising its Hamiltonian.

Source: Sakurai, Modern Quantum Mechanics, 2011.
"""

import numpy as np

from pydantic import BaseModel, Field


class UnitaryPropagationInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    hamiltonian: list[list[float]] = Field(description="Real symmetric Hamiltonian over hbar, in rad/us.")
    start: int = Field(ge=0, description="Index of the initial level.")
    times: list[float] = Field(min_length=1, description="Times, in us.")


class UnitaryPropagationOutput(BaseModel):
    """What comes out."""

    populations: list[list[float]] = Field(description="Population of each level, one row for each time.")


def unitary_propagation(given: UnitaryPropagationInput) -> UnitaryPropagationOutput:
    """Populations of a closed system over time by diagonalising its Hamiltonian."""
    hamiltonian = np.asarray(given.hamiltonian)
    if hamiltonian.ndim != 2 or not np.allclose(hamiltonian, hamiltonian.T):
        raise ValueError("The Hamiltonian must be square and symmetric.")
    if given.start >= len(hamiltonian):
        raise ValueError(f"There is no level {given.start} among {len(hamiltonian)}.")
    energies, vectors = np.linalg.eigh(hamiltonian)
    phases = np.exp(-1j * np.outer(given.times, energies))
    amplitudes = (phases * vectors[given.start]) @ vectors.T
    return UnitaryPropagationOutput(populations=(np.abs(amplitudes) ** 2).tolist())
