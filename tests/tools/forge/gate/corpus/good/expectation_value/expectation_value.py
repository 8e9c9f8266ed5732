"""Expectation value of an operator in a pure state.

Source: Nielsen and Chuang, Quantum Computation and Quantum Information, 2010.
"""

import numpy as np

from pydantic import BaseModel, Field


class ExpectationValueInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    state: list[list[float]] = Field(min_length=1, description="Amplitudes as [re, im] pairs.")
    operator: list[list[list[float]]] = Field(description="Matrix of the operator as [re, im] pairs.")


class ExpectationValueOutput(BaseModel):
    """What comes out."""

    value: list[float] = Field(description="Expectation value as [re, im].")
    norm: float = Field(description="Norm of the state.")


def _matrix(pairs: list[list[list[float]]]) -> np.ndarray:
    """Complex array of [re, im] pairs."""
    made = np.asarray(pairs, dtype=float)
    if made.ndim != 3 or made.shape[0] != made.shape[1] or made.shape[2] != 2:
        raise ValueError(f"A matrix must be n x n x 2, but is {made.shape}. Give [re, im] pairs.")
    return made[..., 0] + 1j * made[..., 1]


def expectation_value(given: ExpectationValueInput) -> ExpectationValueOutput:
    """Expectation value of an operator in a pure state."""
    pairs = np.asarray(given.state, dtype=float)
    psi = pairs[:, 0] + 1j * pairs[:, 1]
    operator = _matrix(given.operator)
    if operator.shape[0] != psi.size:
        raise ValueError(f"The operator acts on {operator.shape[0]} levels, but the state has {psi.size}.")
    value = psi.conj() @ operator @ psi
    return ExpectationValueOutput(value=[value.real, value.imag], norm=float(np.linalg.norm(psi)))
