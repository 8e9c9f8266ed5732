"""Fit of one Gaussian on a constant background to points with error bars.

y(x) = background + height exp(-(x - centre)^2 / (2 width^2)); width is the standard deviation (FWHM / 2.3548), height may
be negative (a dip). Weighted least squares with the given standard deviations of the points, which are taken as absolute:
the errors are the roots of the diagonal of the covariance matrix and are not scaled by chi squared.

Source: P. R. Bevington and D. K. Robinson, Data Reduction and Error Analysis, chapter 8; SciPy documentation, curve_fit.
"""

import numpy as np
from pydantic import BaseModel, Field
from scipy.optimize import curve_fit

_PARAMETERS = 4


class GaussianPeakFitInput(BaseModel, allow_inf_nan=False):
    """Measured points."""

    x: list[float] = Field(min_length=5, description="Positions of the points, in any order, in nm.")
    y: list[float] = Field(min_length=5, description="Measured signal at each position, in mV.")
    y_error: list[float] = Field(min_length=5, description="Standard deviation of each measured signal, in mV.")


class GaussianPeakFitOutput(BaseModel):
    """Fitted peak."""

    centre: float = Field(description="Position of the peak, in nm.")
    width: float = Field(description="Standard deviation of the Gaussian, in nm.")
    height: float = Field(description="Height above the background, negative for a dip, in mV.")
    background: float = Field(description="Constant background, in mV.")
    centre_error: float = Field(description="Standard error of the centre, in nm.")
    width_error: float = Field(description="Standard error of the width, in nm.")
    height_error: float = Field(description="Standard error of the height, in mV.")
    background_error: float = Field(description="Standard error of the background, in mV.")
    reduced_chi_squared: float = Field(description="Chi squared per degree of freedom.")


def _peak(x: np.ndarray, centre: float, width: float, height: float, background: float) -> np.ndarray:
    return background + height * np.exp(-0.5 * ((x - centre) / width) ** 2)


def _linear_part(x: np.ndarray, y: np.ndarray, error: np.ndarray, centre: float, width: float) -> tuple[float, np.ndarray]:
    """Chi squared and the best (height, background) of a Gaussian of given centre and width."""
    design = np.column_stack([_peak(x, centre, width, 1.0, 0.0), np.ones_like(x)])
    best = np.linalg.lstsq(design / error[:, None], y / error, rcond=None)[0]
    return float(np.sum(((y - design @ best) / error) ** 2)), best


def gaussian_peak_fit(given: GaussianPeakFitInput) -> GaussianPeakFitOutput:
    """Weighted least-squares fit of a Gaussian on a constant background."""
    if not len(given.x) == len(given.y) == len(given.y_error):
        raise ValueError("x, y and y_error must have the same length")
    x, y, error = np.array(given.x), np.array(given.y), np.array(given.y_error)
    if np.min(error) <= 0:
        raise ValueError("every y_error must be positive")
    if np.unique(x).size < _PARAMETERS:
        raise ValueError("x needs at least four different positions for four parameters")
    # The start is the best of a coarse grid of centres and widths.
    grid = [(c, w) for c in np.linspace(x.min(), x.max(), 41) for w in np.ptp(x) / np.array([40, 20, 10, 5, 2])]
    centre, width = min(grid, key=lambda place: _linear_part(x, y, error, *place)[0])
    start = [centre, width, *_linear_part(x, y, error, centre, width)[1]]
    best, covariance = curve_fit(_peak, x, y, p0=start, sigma=error, absolute_sigma=True, maxfev=20_000)
    if not np.all(np.isfinite(covariance)):
        raise RuntimeError("the fit does not determine all four parameters")
    errors = np.sqrt(np.diag(covariance))
    chi_squared = np.sum(((y - _peak(x, *best)) / error) ** 2)
    return GaussianPeakFitOutput(
        centre=float(best[0]),
        width=float(abs(best[1])),
        height=float(best[2]),
        background=float(best[3]),
        centre_error=float(errors[0]),
        width_error=float(errors[1]),
        height_error=float(errors[2]),
        background_error=float(errors[3]),
        reduced_chi_squared=float(chi_squared / (x.size - _PARAMETERS)),
    )
