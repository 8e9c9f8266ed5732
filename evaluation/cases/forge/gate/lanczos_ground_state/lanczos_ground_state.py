"""Lowest eigenvalues of a large real symmetric sparse matrix by the Lanczos method.

An entry (i, j, value) sets A[i, j] and A[j, i]; the mirrored entry may be given too if it has the same value. Entries that
are not given are zero. The restarted Lanczos method of ARPACK starts from a random vector drawn from the seed. Up to a
size of 40 the matrix is diagonalised densely. Every eigenvalue is checked by its residual |A v - e v|.

Source: R. B. Lehoucq, D. C. Sorensen, C. Yang, ARPACK Users' Guide (SIAM, 1998); SciPy documentation, sparse.linalg.eigsh.
"""

import numpy as np
from pydantic import BaseModel, Field
from scipy.linalg import eigh
from scipy.sparse import coo_array
from scipy.sparse.linalg import eigsh

_DENSE_SIZE = 40
_RESIDUAL = 1e-8


class MatrixEntry(BaseModel, allow_inf_nan=False):
    """One element of the matrix."""

    row: int = Field(ge=0, description="Row, counted from 0.")
    column: int = Field(ge=0, description="Column, counted from 0.")
    value: float = Field(description="Matrix element, in meV.")


class LanczosGroundStateInput(BaseModel, allow_inf_nan=False):
    """Sparse symmetric matrix."""

    size: int = Field(ge=1, description="Number of rows of the matrix.")
    entries: list[MatrixEntry] = Field(min_length=1, description="Non-zero elements, at least one of each mirrored pair.")
    levels: int = Field(ge=1, description="How many of the lowest eigenvalues are wanted, fewer than the size of a large matrix.")
    seed: int = Field(ge=0, description="Seed of the starting vector.")


class LanczosGroundStateOutput(BaseModel):
    """Lowest eigenvalues."""

    eigenvalues: list[float] = Field(description="Lowest eigenvalues with multiplicity, ascending, in meV.")
    residual: float = Field(description="Largest norm of A v - e v over the eigenpairs, in meV.")


def lanczos_ground_state(given: LanczosGroundStateInput) -> LanczosGroundStateOutput:
    """Lowest few eigenvalues of a sparse symmetric matrix."""
    elements: dict[tuple[int, int], float] = {}
    for entry in given.entries:
        place = (min(entry.row, entry.column), max(entry.row, entry.column))
        if place[1] >= given.size:
            raise ValueError(f"entry ({entry.row}, {entry.column}) lies outside a matrix of size {given.size}")
        if place in elements and elements[place] != entry.value:
            raise ValueError(f"entry ({entry.row}, {entry.column}) is given twice with different values")
        elements[place] = entry.value
    upper = np.array(list(elements))
    values = np.array(list(elements.values()))
    off = upper[:, 0] != upper[:, 1]
    rows = np.concatenate([upper[:, 0], upper[off, 1]])
    columns = np.concatenate([upper[:, 1], upper[off, 0]])
    matrix = coo_array((np.concatenate([values, values[off]]), (rows, columns)), shape=(given.size, given.size)).tocsr()
    if given.size <= _DENSE_SIZE:
        if given.levels > given.size:
            raise ValueError(f"levels is {given.levels}, but a matrix of size {given.size} has no more than its size")
        energies, vectors = eigh(matrix.toarray(), subset_by_index=(0, given.levels - 1))
    else:
        if given.levels >= given.size:
            raise ValueError(f"levels is {given.levels}, but the Lanczos method gives fewer than the size {given.size}")
        start = np.random.default_rng(given.seed).normal(size=given.size)
        energies, vectors = eigsh(matrix, k=given.levels, which="SA", v0=start, maxiter=100 * given.size)
    order = np.argsort(energies)
    residual = float(np.max(np.linalg.norm(matrix @ vectors - vectors * energies, axis=0)))
    if residual > _RESIDUAL * np.max(np.abs(values)):
        raise RuntimeError(f"the eigenpairs did not converge: residual {residual:.3g} meV")
    return LanczosGroundStateOutput(eigenvalues=energies[order].tolist(), residual=residual)
