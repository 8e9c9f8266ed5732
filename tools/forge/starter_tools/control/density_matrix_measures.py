"""What density matrices are worth: purity, entropy, coherence, fidelity, concurrence, entropy of a part.

purity = Tr rho^2; entropy = -Tr rho log2 rho; coherence = (sum over i != j of |rho_ij|) / 2, so for a qubit |rho_01|;
fidelity with a pure target <target|rho|target>; concurrence = max(0, l1 - l2 - l3 - l4) with the falling roots l of
the eigenvalues of rho (Y Y) rho* (Y Y). Sources: Baumgratz, Cramer, Plenio, PRL 113, 140401 (2014); Wootters, PRL 80,
2245 (1998).
"""

import math

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, model_validator


class DensityMatrixMeasuresInput(BaseModel, allow_inf_nan=False):
    """States of one system."""

    states: list[list[list[list[float]]]] = Field(min_length=1, description="Density matrices, entries as [re, im].")
    dims: list[int] = Field(min_length=1, description="Number of levels of each subsystem, leftmost first.")
    target: list[list[float]] = Field(default=[], description="Amplitudes [re, im] of a pure target, or empty.")

    @model_validator(mode="after")
    def _sound(self) -> "DensityMatrixMeasuresInput":
        size = math.prod(self.dims)
        for one in self.states:
            if len(one) != size or any(len(row) != size or any(len(cell) != 2 for cell in row) for row in one):
                raise ValueError(f"Each state must have {size} x {size} entries, each as [re, im].")
        array = _complex(self.states)
        if np.abs(array - array.conj().transpose(0, 2, 1)).max() > 1e-6:
            raise ValueError("A state is not Hermitian, so it is no density matrix.")
        if np.abs(np.einsum("tii->t", array) - 1).max() > 1e-6:
            raise ValueError("A state's trace is not one, so it is no density matrix.")
        if self.target and (len(self.target) != size or any(len(pair) != 2 for pair in self.target)):
            raise ValueError(f"The target must have {size} amplitudes, each as [re, im].")
        if self.target and abs(sum(re * re + im * im for re, im in self.target) - 1) > 1e-6:
            raise ValueError("The target is not normalised; divide its amplitudes by its norm.")
        return self


class DensityMatrixMeasuresOutput(BaseModel):
    """One number for each state."""

    purity: list[float] = Field(description="Tr rho^2, between 1/d and 1.")
    entropy: list[float] = Field(description="Von Neumann entropy, in bits.")
    coherence: list[float] = Field(description="Half the sum of the magnitudes of the elements off the diagonal.")
    populations: list[list[float]] = Field(description="The diagonals.")
    fidelity: list[float] = Field(description="<target|rho|target>; empty without a target.")
    concurrence: list[float] = Field(description="Of two qubits; empty for other systems.")
    reduced_entropy: list[float] = Field(description="Entropy of the first subsystem, in bits; empty for a single one.")


def density_matrix_measures(given: DensityMatrixMeasuresInput) -> DensityMatrixMeasuresOutput:
    """Evaluate every state."""
    states = _complex(given.states)
    off = np.abs(states).sum(axis=(1, 2)) - np.abs(np.einsum("tii->ti", states)).sum(axis=1)
    parts = [] if len(given.dims) == 1 else [_entropy(_first(rho, given.dims[0])) for rho in states]
    target = np.array([complex(*pair) for pair in given.target])
    return DensityMatrixMeasuresOutput(
        purity=np.einsum("tij,tji->t", states, states).real.tolist(),
        entropy=[_entropy(rho) for rho in states],
        coherence=(off / 2).tolist(),
        populations=np.einsum("tii->ti", states).real.tolist(),
        fidelity=[float((target.conj() @ rho @ target).real) for rho in states] if given.target else [],
        concurrence=[_concurrence(rho) for rho in states] if given.dims == [2, 2] else [],
        reduced_entropy=parts,
    )


def _first(rho: NDArray[np.complex128], levels: int) -> NDArray[np.complex128]:
    rest = len(rho) // levels
    return np.einsum("ajbj->ab", rho.reshape(levels, rest, levels, rest))


def _entropy(rho: NDArray[np.complex128]) -> float:
    weights = np.linalg.eigvalsh(rho)
    weights = weights[weights > 1e-15]
    return float(abs(np.sum(weights * np.log2(weights))))


def _concurrence(rho: NDArray[np.complex128]) -> float:
    flip = np.fliplr(np.diag([-1.0, 1.0, 1.0, -1.0]))
    squares = np.linalg.eigvals(rho @ flip @ rho.conj() @ flip).real
    roots = np.sort(np.sqrt(np.clip(squares, 0.0, None)))
    return float(max(0.0, roots[3] - roots[2] - roots[1] - roots[0]))


def _complex(values: list) -> NDArray[np.complex128]:
    pairs = np.asarray(values, dtype=float)
    return pairs[..., 0] + 1j * pairs[..., 1]
