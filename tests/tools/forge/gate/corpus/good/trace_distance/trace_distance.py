"""Trace distance of two density matrices.

Source: Nielsen and Chuang, Quantum Computation and Quantum Information, 2010.
"""

import numpy as np

from pydantic import BaseModel, Field


class TraceDistanceInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    first: list[list[list[float]]] = Field(description="A density matrix as [re, im] pairs.")
    second: list[list[list[float]]] = Field(description="Another of the same size.")


class TraceDistanceOutput(BaseModel):
    """What comes out."""

    distance: float = Field(description="Half of the trace norm of the difference.")


def _matrix(pairs: list[list[list[float]]]) -> np.ndarray:
    """Complex array of [re, im] pairs."""
    made = np.asarray(pairs, dtype=float)
    if made.ndim != 3 or made.shape[0] != made.shape[1] or made.shape[2] != 2:
        raise ValueError(f"A matrix must be n x n x 2, but is {made.shape}. Give [re, im] pairs.")
    return made[..., 0] + 1j * made[..., 1]


def trace_distance(given: TraceDistanceInput) -> TraceDistanceOutput:
    """Trace distance of two density matrices."""
    difference = _matrix(given.first) - _matrix(given.second)
    return TraceDistanceOutput(distance=0.5 * float(np.abs(np.linalg.eigvalsh(difference)).sum()))
