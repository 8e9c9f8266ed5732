"""Smoothing of noisy data by a least-squares polynomial, with its first derivative.

A polynomial of given degree is fitted to all points with equal weights in the basis of Chebyshev polynomials on the range of
the times (well conditioned, the result is the same as in powers of t). Values and derivative are given at the data points, in
their order.

Source: J. C. Mason and D. C. Handscomb, Chebyshev Polynomials (2003); NumPy documentation, numpy.polynomial.Chebyshev.fit.
"""

import numpy as np
from numpy.polynomial import Chebyshev
from pydantic import BaseModel, Field


class ChebyshevSmoothingInput(BaseModel, allow_inf_nan=False):
    """Noisy data and degree."""

    times: list[float] = Field(min_length=2, description="Times of the points, in any order, in s.")
    values: list[float] = Field(min_length=2, description="Measured value at each time, in V.")
    degree: int = Field(ge=0, description="Degree of the polynomial.")


class ChebyshevSmoothingOutput(BaseModel):
    """Smoothed data."""

    smoothed: list[float] = Field(description="Value of the polynomial at each time, in V.")
    derivative: list[float] = Field(description="First derivative of the polynomial at each time, in V/s.")


def chebyshev_smoothing(given: ChebyshevSmoothingInput) -> ChebyshevSmoothingOutput:
    """Least-squares polynomial through noisy data and its derivative."""
    if len(given.times) != len(given.values):
        raise ValueError("times and values must have the same length")
    different = len(set(given.times))
    if different < max(2, given.degree + 1):
        raise ValueError(f"a polynomial of degree {given.degree} is not determined by {different} different times")
    times = np.array(given.times)
    fit = Chebyshev.fit(times, given.values, given.degree)
    return ChebyshevSmoothingOutput(smoothed=fit(times).tolist(), derivative=fit.deriv()(times).tolist())
