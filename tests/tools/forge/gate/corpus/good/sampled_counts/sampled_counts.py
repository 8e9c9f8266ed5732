"""Counts of measurement outcomes drawn from probabilities.

Source: Nielsen and Chuang, Quantum Computation and Quantum Information, 2010.
"""

import numpy as np

from pydantic import BaseModel, Field


class SampledCountsInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    probabilities: list[float] = Field(min_length=1, description="Probability of each outcome.")
    shots: int = Field(ge=1, description="Number of measurements.")
    seed: int = Field(description="Seed of the generator.")


class SampledCountsOutput(BaseModel):
    """What comes out."""

    counts: list[int] = Field(description="How often each outcome came.")


def sampled_counts(given: SampledCountsInput) -> SampledCountsOutput:
    """Counts of measurement outcomes drawn from probabilities."""
    weights = np.asarray(given.probabilities)
    if weights.min() < 0 or abs(weights.sum() - 1) > 1e-9:
        raise ValueError(f"The probabilities must be positive and add up to 1, but add up to {weights.sum():.6g}.")
    counts = np.random.default_rng(given.seed).multinomial(given.shots, weights)
    return SampledCountsOutput(counts=counts.tolist())
