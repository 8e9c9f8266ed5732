"""Order of a reaction of one reactant: 0, 1 or 2, from concentrations at several times.

The integrated laws of dc/dt = -k c^n are fitted by least squares in the concentration, with equal weights:
n = 0: c0 - k t; n = 1: c0 exp(-k t); n = 2: c0 / (1 + c0 k t). c0 and k are free. The order with the smallest residual, the
root of the sum of squared deviations over (points - 2), is taken. The error of k is its standard error, scaled by that
residual. Residuals are compared in the concentration itself, since those of the straightened laws (ln c, 1/c) have different
units.

Source: P. Atkins and J. de Paula, Physical Chemistry, chapter on chemical kinetics; SciPy documentation, curve_fit.
"""

import numpy as np
from pydantic import BaseModel, Field
from scipy.optimize import curve_fit


class ReactionOrderInput(BaseModel, allow_inf_nan=False):
    """Measured concentrations."""

    times: list[float] = Field(min_length=3, description="Times of the measurements, counted from the start, in s.")
    concentrations: list[float] = Field(min_length=3, description="Concentration of the reactant at each time, in mol/L.")


class ReactionOrderOutput(BaseModel):
    """Order and rate constant."""

    order: int = Field(description="Order with the smallest residual: 0, 1 or 2.")
    rate_constant: float = Field(description="Rate constant for the order n found, in (mol/L)^(1-n)/s.")
    rate_constant_error: float = Field(description="Standard error of the rate constant, in (mol/L)^(1-n)/s.")
    initial_concentration: float = Field(description="Concentration at time zero for the order found, in mol/L.")
    residuals: list[float] = Field(description="Residual standard deviations for order 0, 1 and 2, in mol/L.")


def _zeroth(t: np.ndarray, c0: float, k: float) -> np.ndarray:
    return c0 - k * t


def _first(t: np.ndarray, c0: float, k: float) -> np.ndarray:
    return c0 * np.exp(-k * t)


def _second(t: np.ndarray, c0: float, k: float) -> np.ndarray:
    return c0 / (1 + c0 * k * t)


def reaction_order(given: ReactionOrderInput) -> ReactionOrderOutput:
    """Decide between order 0, 1 and 2 by least squares on the integrated laws."""
    if len(given.times) != len(given.concentrations):
        raise ValueError("times and concentrations must have the same length")
    t, c = np.array(given.times), np.array(given.concentrations)
    if np.min(t) < 0:
        raise ValueError("times must not be negative")
    if np.min(c) <= 0:
        raise ValueError("concentrations must be positive")
    if np.unique(t).size < 3:
        raise ValueError("three different times or more are needed")
    # Straight lines through c, ln c and 1/c give the starts of the fits.
    slopes = [np.polyfit(t, straight, 1)[0] for straight in (c, np.log(c), 1 / c)]
    if slopes[0] >= 0:
        raise ValueError("the concentration does not fall with time")
    starts = [(c.max(), -slopes[0]), (c.max(), abs(slopes[1])), (c.max(), abs(slopes[2]))]
    fits = [curve_fit(law, t, c, p0=start) for law, start in zip((_zeroth, _first, _second), starts, strict=True)]
    laws = [law(t, *fit[0]) for law, fit in zip((_zeroth, _first, _second), fits, strict=True)]
    residuals = [float(np.sqrt(np.sum((c - law) ** 2) / (t.size - 2))) for law in laws]
    order = int(np.argmin(residuals))
    best, covariance = fits[order]
    if not np.all(np.isfinite(covariance)):
        raise RuntimeError("the fit does not determine the rate constant")
    return ReactionOrderOutput(
        order=order,
        rate_constant=float(best[1]),
        rate_constant_error=float(np.sqrt(covariance[1, 1])),
        initial_concentration=float(best[0]),
        residuals=residuals,
    )
