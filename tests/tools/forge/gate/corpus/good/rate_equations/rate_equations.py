"""Populations of a Markov process over time by the exponential of its rate matrix.

Source: van Kampen, Stochastic Processes in Physics and Chemistry, 2007.
"""

import numpy as np
from scipy.linalg import expm

from pydantic import BaseModel, Field


class RateEquationsInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    rates: list[list[float]] = Field(
        description="Rate from level j (column) to level i (row); the diagonal is ignored, in 1/ns."
    )
    initial: list[float] = Field(description="Populations at time zero.")
    time: float = Field(ge=0, description="Time, in ns.")


class RateEquationsOutput(BaseModel):
    """What comes out."""

    populations: list[float] = Field(description="Populations then.")


def rate_equations(given: RateEquationsInput) -> RateEquationsOutput:
    """Populations of a Markov process over time by the exponential of its rate matrix."""
    rates, start = np.array(given.rates), np.asarray(given.initial)
    if rates.shape != (start.size, start.size):
        raise ValueError(f"The rates are {rates.shape}, but there are {start.size} levels.")
    np.fill_diagonal(rates, 0.0)
    if rates.min() < 0:
        raise ValueError("A rate is negative.")
    generator = rates - np.diag(rates.sum(axis=0))
    return RateEquationsOutput(populations=(expm(generator * given.time) @ start).tolist())
