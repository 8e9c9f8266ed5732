"""Undoing what the readout misreads: assignment matrices of one and of several qubits.

A matrix A maps the probabilities of what was prepared to those of what is read, ``read = A @ prepared``; its columns
sum to 1. Where every qubit is read out on its own, the matrix of several qubits is the tensor product of theirs, the
first qubit being the most significant bit (Bravyi et al., PRA 103, 042605). How much inverting it amplifies the noise
of the counts is its condition number.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from labwright.tools.errors import InputError

Array = NDArray[np.float64]
SINGULAR = 1e6  # condition number from which on counts say nothing about populations


def assignment_matrix(reads_1_of_0: float, reads_1_of_1: float) -> Array:
    """Matrix (2, 2) of one qubit: entry (r, p) is the probability to read r after preparing p.

    Raises:
        InputError: an argument is no probability.
    """
    for name, value in (("reads_1_of_0", reads_1_of_0), ("reads_1_of_1", reads_1_of_1)):
        if not 0 <= value <= 1:
            raise InputError(f"Argument `{name}` must be between 0 and 1, but is {value:g}. Measure it anew.")
    return np.array([[1 - reads_1_of_0, 1 - reads_1_of_1], [reads_1_of_0, reads_1_of_1]])


def joint_matrix(matrices: Sequence[Array]) -> Array:
    """Matrix (2^n, 2^n) of qubits that are read independently, from their own; the first is the most significant bit.

    Raises:
        InputError: there is none.
    """
    if not matrices:
        raise InputError("Argument `matrices` must hold at least one matrix, but is empty. Measure one for each qubit.")
    return reduce(lambda left, right: np.asarray(np.kron(left, right)), matrices)


def condition_number(matrix: Array) -> float:
    """Largest over smallest singular value: 1 for a perfect readout, without bound for one that tells nothing."""
    return float(np.linalg.cond(matrix))


def mitigated(read: Array, matrix: Array) -> Array:
    """Populations (..., 2^n) behind the fractions `read` (..., 2^n): least squares among probability distributions.

    Plain inversion may give negative populations; these are shared out as non-negative least squares does it, and each
    distribution is normed to 1. Where the inverse is a distribution already, it is the answer.

    Raises:
        InputError: shapes do not match, or the matrix is singular.
    """
    read, matrix = np.asarray(read, dtype=float), np.asarray(matrix, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or read.shape[-1:] != matrix.shape[1:]:
        raise InputError(
            f"Argument `read` must have {matrix.shape[-1]} fractions in its last axis, but its shape is {read.shape}."
        )
    if condition_number(matrix) > SINGULAR:
        raise InputError("Argument `matrix` is singular: the readout tells no states apart. Calibrate the readout.")
    flat = np.array([nnls(matrix, row)[0] for row in read.reshape(-1, read.shape[-1])])
    return np.asarray((flat / flat.sum(axis=1, keepdims=True)).reshape(read.shape))
