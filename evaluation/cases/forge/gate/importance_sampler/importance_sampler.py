"""Mean of a polynomial over a normal distribution by importance sampling.

E[f(x)] for x ~ N(mean, width^2) is estimated from draws of the shifted proposal N(mean + shift, width^2) with the weights
w = target / proposal: estimate = sum w f / n (unbiased), standard error = std(w f) / sqrt(n) with n - 1 in the variance,
effective sample size = (sum w)^2 / sum w^2.

Source: A. B. Owen, Monte Carlo theory, methods and examples (2013), chapter 9.
"""

import numpy as np
from numpy.polynomial import polynomial
from pydantic import BaseModel, Field


class ImportanceSamplerInput(BaseModel, allow_inf_nan=False):
    """Polynomial, target, proposal and draws."""

    coefficients: list[float] = Field(min_length=1, description="Coefficients of 1, x, x^2 and so on, of the polynomial f.")
    mean: float = Field(description="Mean of the target distribution.")
    width: float = Field(gt=0, description="Standard deviation of target and proposal.")
    shift: float = Field(description="Mean of the proposal less that of the target.")
    samples: int = Field(ge=2, le=10_000_000, description="Number of draws.")
    seed: int = Field(ge=0, description="Seed of the random numbers.")


class ImportanceSamplerOutput(BaseModel):
    """Estimate with its error."""

    estimate: float = Field(description="Estimated mean of the polynomial over the target.")
    standard_error: float = Field(description="Standard error of the estimate.")
    effective_samples: float = Field(description="Effective sample size of the weights.")


def importance_sampler(given: ImportanceSamplerInput) -> ImportanceSamplerOutput:
    """Mean of a polynomial over a normal distribution from draws of a shifted normal."""
    z = np.random.default_rng(given.seed).normal(size=given.samples)
    x = given.mean + given.shift + given.width * z
    step = given.shift / given.width
    weights = np.exp(-step * z - step**2 / 2)
    if not np.sum(weights**2) > 0:
        raise RuntimeError("all weights vanish: the shift is too many widths away from the target")
    terms = weights * polynomial.polyval(x, given.coefficients)
    return ImportanceSamplerOutput(
        estimate=float(np.mean(terms)),
        standard_error=float(np.std(terms, ddof=1) / np.sqrt(given.samples)),
        effective_samples=float(np.sum(weights) ** 2 / np.sum(weights**2)),
    )
