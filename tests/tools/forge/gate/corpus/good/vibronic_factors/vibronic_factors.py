"""Franck-Condon factors of two displaced harmonic wells of one frequency, from the ground level.

Source: Huang and Rhys, Proc. R. Soc. A 204, 406 (1950).
"""

import numpy as np
from scipy.special import gammaln

from pydantic import BaseModel, Field


class VibronicFactorsInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    huang_rhys: float = Field(gt=0, description="Huang-Rhys factor.")
    count: int = Field(ge=1, description="Number of factors.")


class VibronicFactorsOutput(BaseModel):
    """What comes out."""

    factors: list[float] = Field(description="Overlap squared with level 0, 1, ....")
    mean_level: float = Field(description="Mean level reached.")


def vibronic_factors(given: VibronicFactorsInput) -> VibronicFactorsOutput:
    """Franck-Condon factors of two displaced harmonic wells of one frequency, from the ground level."""
    n = np.arange(given.count)
    factors = np.exp(n * np.log(given.huang_rhys) - given.huang_rhys - gammaln(n + 1))
    if factors.sum() < 0.5:
        raise ValueError(f"{given.count} levels hold only {factors.sum():.2g} of the intensity. Ask for more.")
    return VibronicFactorsOutput(factors=factors.tolist(), mean_level=float((n * factors).sum() / factors.sum()))
