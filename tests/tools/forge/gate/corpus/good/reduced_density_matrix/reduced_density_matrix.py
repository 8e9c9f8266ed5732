"""Density matrix of the first of two subsystems of a pure state.

Source: Nielsen and Chuang, Quantum Computation and Quantum Information, 2010.
"""

import numpy as np

from pydantic import BaseModel, Field


class ReducedDensityMatrixInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    state: list[list[float]] = Field(
        min_length=1, description="Amplitudes as [re, im] pairs, the second subsystem running fastest."
    )
    first_dimension: int = Field(ge=1, description="Dimension of the first subsystem.")


class ReducedDensityMatrixOutput(BaseModel):
    """What comes out."""

    rho: list[list[list[float]]] = Field(description="Density matrix of the first subsystem as [re, im] pairs.")
    purity: float = Field(description="Trace of its square.")


def reduced_density_matrix(given: ReducedDensityMatrixInput) -> ReducedDensityMatrixOutput:
    """Density matrix of the first of two subsystems of a pure state."""
    pairs = np.asarray(given.state, dtype=float)
    psi = pairs[:, 0] + 1j * pairs[:, 1]
    if psi.size % given.first_dimension:
        raise ValueError(f"{psi.size} amplitudes do not divide into {given.first_dimension} rows.")
    if abs(np.linalg.norm(psi) - 1) > 1e-9:
        raise ValueError("The state is not normalised. Divide it by its norm.")
    block = psi.reshape(given.first_dimension, -1)
    rho = block @ block.conj().T
    purity = float(np.real(np.trace(rho @ rho)))
    return ReducedDensityMatrixOutput(rho=np.stack([rho.real, rho.imag], axis=-1).tolist(), purity=purity)
