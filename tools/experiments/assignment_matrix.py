"""What the readout misreads: the assignment matrix of a qubit.

A matrix A maps the probabilities of what was prepared to those of what is read, ``read = A @ prepared``; its columns
sum to 1. How much inverting it amplifies the noise of the counts is its condition number.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError

Array = NDArray[np.float64]


def assignment_matrix(reads_1_of_0: float, reads_1_of_1: float) -> Array:
    """Matrix (2, 2) of one qubit: entry (r, p) is the probability to read r after preparing p.

    Raises:
        InputError: an argument is no probability.
    """
    for name, value in (("reads_1_of_0", reads_1_of_0), ("reads_1_of_1", reads_1_of_1)):
        if not 0 <= value <= 1:
            raise InputError(f"Argument `{name}` must be between 0 and 1, but is {value:g}. Measure it anew.")
    return np.array([[1 - reads_1_of_0, 1 - reads_1_of_1], [reads_1_of_0, reads_1_of_1]])


def condition_number(matrix: Array) -> float:
    """Largest over smallest singular value: 1 for a perfect readout, without bound for one that tells nothing."""
    return float(np.linalg.cond(matrix))
