"""Ground and excited energies by quantum subspace expansion, every matrix element simulated with CUDA-Q.

The Hamiltonian is diagonalised in the space of a reference determinant and its single and double excitations, which
keep the numbers of alpha (even) and beta (odd) electrons. Diagonal elements are energies of determinants; the others
come from energies of superpositions, H_ij = <+_ij|H|+_ij> - (H_ii + H_jj) / 2 with |+_ij> = (|i> + |j>) / sqrt(2), so
that every number is an expectation value of a prepared state. Determinants are orthonormal: no overlap matrix.
Source: McClean et al., Phys. Rev. A 95, 042308 (2017); CUDA-Q documentation, `cudaq.observe`.
"""

from itertools import combinations

import cudaq
import numpy as np
from pydantic import BaseModel, Field


class QuantumSubspaceExpansionInput(BaseModel, allow_inf_nan=False):
    """A real Hamiltonian of spin orbitals on qubits and the reference."""

    words: list[str] = Field(min_length=1, description="Pauli words over I, X, Y, Z, qubit 0 on the left.")
    coefficients: list[float] = Field(description="Coefficient of each word (hartree).")
    filled: list[int] = Field(min_length=1, description="Qubits that are |1> in the reference determinant.")
    max_rank: int = Field(default=2, ge=1, le=2, description="1: single excitations, 2: also double ones (1).")
    n_roots: int = Field(ge=1, description="Energies to return (1).")


class QuantumSubspaceExpansionOutput(BaseModel):
    """Energies in rising order."""

    energies: list[float] = Field(description="Lowest eigenvalues in the expansion (hartree).")
    excitation_energies: list[float] = Field(description="Energies above the lowest (eV).")
    reference_energy: float = Field(description="Energy of the reference determinant (hartree).")
    dimension: int = Field(description="Determinants in the expansion (1).")
    n_expectations: int = Field(description="Expectation values that were simulated (1).")


def quantum_subspace_expansion(given: QuantumSubspaceExpansionInput) -> QuantumSubspaceExpansionOutput:
    """Expand the Hamiltonian of `given` and diagonalise it.

    Raises:
        ValueError: words, coefficients and reference do not fit, or the Hamiltonian is not real.
    """
    size = len(given.words[0])
    if len(given.words) != len(given.coefficients) or any(len(word) != size for word in given.words):
        raise ValueError("Each word needs one coefficient, and all words must have the same length.")
    if any(set(word) - set("IXYZ") or word.count("Y") % 2 for word in given.words):
        raise ValueError("Words must be of I, X, Y, Z with an even number of Y: the Hamiltonian must be real.")
    if sorted(set(given.filled)) != sorted(given.filled) or not all(0 <= k < size for k in given.filled):
        raise ValueError(f"`filled` must be different qubits below {size}, but is {given.filled}.")
    basis = _determinants(size, tuple(sorted(given.filled)), given.max_rank)
    if given.n_roots > len(basis):
        raise ValueError(f"The expansion has {len(basis)} determinants: ask for at most so many roots.")
    operator = sum(
        value * cudaq.SpinOperator.from_word(word) for word, value in zip(given.words, given.coefficients, strict=True)
    )
    matrix = np.empty((len(basis), len(basis)))
    for i, filled in enumerate(basis):
        matrix[i, i] = _energy(operator, size, sorted(filled), None, [])
    for i, j in combinations(range(len(basis)), 2):
        only, other = list(basis[i] - basis[j]), list(basis[j] - basis[i])
        # the pivot is empty in i and filled in j; where it is |1>, all that differs is flipped
        flipped = [*only, *other[1:]]
        plus = _energy(operator, size, sorted(basis[i]), other[0], flipped)
        matrix[i, j] = matrix[j, i] = plus - (matrix[i, i] + matrix[j, j]) / 2
    energies = np.linalg.eigvalsh(matrix)[: given.n_roots]
    return QuantumSubspaceExpansionOutput(
        energies=energies.tolist(),
        excitation_energies=((energies - energies[0]) * 27.211386245988).tolist(),
        reference_energy=float(matrix[0, 0]),
        dimension=len(basis),
        n_expectations=len(basis) * (len(basis) + 1) // 2,
    )


def _energy(operator: cudaq.SpinOperator, size: int, ones: list[int], pivot: int | None, flipped: list[int]) -> float:
    """Energy of a determinant or, with a pivot, of its equal superposition with another."""
    kernel = cudaq.make_kernel()
    register = kernel.qalloc(size)
    for k in ones:
        kernel.x(register[k])
    if pivot is not None:
        kernel.h(register[pivot])
        for k in flipped:
            kernel.cx(register[pivot], register[k])
    return float(cudaq.observe(kernel, operator).expectation())


def _determinants(size: int, filled: tuple[int, ...], rank: int) -> list[frozenset[int]]:
    """The reference first, then its excitations that keep both spins' numbers (spin is the qubit's parity)."""
    empty = [k for k in range(size) if k not in filled]
    found = [frozenset(filled)]
    for count in range(1, rank + 1):
        for leave in combinations(filled, count):
            for enter in combinations(empty, count):
                if sum(k % 2 for k in leave) == sum(k % 2 for k in enter):
                    found.append(frozenset(filled) - set(leave) | set(enter))
    return found
