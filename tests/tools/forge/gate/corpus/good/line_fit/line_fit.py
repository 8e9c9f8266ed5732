"""Straight line through points by least squares, with standard errors.

Source: Bevington and Robinson, Data Reduction and Error Analysis, 2003.
"""

import numpy as np

from pydantic import BaseModel, Field


class LineFitInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    x: list[float] = Field(min_length=3, description="Abscissae.")
    y: list[float] = Field(min_length=3, description="Ordinates.")


class LineFitOutput(BaseModel):
    """What comes out."""

    slope: float = Field(description="Slope.")
    intercept: float = Field(description="Value at zero.")
    slope_error: float = Field(description="Standard error of the slope.")


def line_fit(given: LineFitInput) -> LineFitOutput:
    """Straight line through points by least squares, with standard errors."""
    x, y = np.asarray(given.x), np.asarray(given.y)
    if x.size != y.size:
        raise ValueError(f"There are {x.size} abscissae, but {y.size} ordinates.")
    spread = ((x - x.mean()) ** 2).sum()
    if spread == 0:
        raise ValueError("All abscissae are equal: no slope is determined.")
    slope = ((x - x.mean()) * y).sum() / spread
    intercept = y.mean() - slope * x.mean()
    residual = y - slope * x - intercept
    error = np.sqrt((residual**2).sum() / (x.size - 2) / spread)
    return LineFitOutput(slope=float(slope), intercept=float(intercept), slope_error=float(error))
