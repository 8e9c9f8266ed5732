"""Integrated autocorrelation time of a series by the self-consistent window.

C(t) = sum_i (x_i - mean)(x_{i+t} - mean) / (N - t), tau(W) = 1/2 + sum_{t=1}^{W} C(t)/C(0); the window W is the smallest for
which W >= factor * tau(W). The error is tau sqrt(2 (2 W + 1) / N). Times are counted in steps of the series; an uncorrelated
series has tau = 1/2, and the error of the mean of the series is sqrt(2 tau C(0) / N).

Source: A. D. Sokal, Monte Carlo Methods in Statistical Mechanics (1989), section 3; N. Madras and A. D. Sokal,
J. Stat. Phys. 50, 109 (1988).
"""

import math

import numpy as np
from pydantic import BaseModel, Field
from scipy.signal import correlate


class AutocorrelationTimeInput(BaseModel, allow_inf_nan=False):
    """Series."""

    series: list[float] = Field(min_length=4, description="Values of the quantity at equal steps.")
    window_factor: float = Field(default=6.0, gt=0, description="Smallest window divided by the autocorrelation time.")


class AutocorrelationTimeOutput(BaseModel):
    """Autocorrelation time."""

    autocorrelation_time: float = Field(description="Integrated autocorrelation time, counted by steps of the series.")
    time_error: float = Field(description="Standard error of the autocorrelation time, counted by steps of the series.")
    window: int = Field(description="Window of the sum, counted by steps of the series.")


def autocorrelation_time(given: AutocorrelationTimeInput) -> AutocorrelationTimeOutput:
    """Integrated autocorrelation time with self-consistent window and error."""
    size = len(given.series)
    if min(given.series) == max(given.series):
        raise ValueError("the series is constant and has no autocorrelation time")
    centred = np.array(given.series) - np.mean(given.series)
    covariance = correlate(centred, centred, mode="full")[size - 1 :] / (size - np.arange(size))
    times = 0.5 + np.cumsum(covariance[1:] / covariance[0])
    windows = np.arange(1, size)
    closed = np.flatnonzero(windows >= given.window_factor * times)
    # Beyond half of the series the estimate of the mean alone brings the sum down.
    if closed.size == 0 or windows[closed[0]] > size // 2:
        raise RuntimeError("the series is too short for its autocorrelation time: no window closes within its first half")
    window = int(windows[closed[0]])
    time = float(times[closed[0]])
    if time <= 0:
        raise RuntimeError("the sum over the window is not positive: the series is too strongly anticorrelated")
    return AutocorrelationTimeOutput(
        autocorrelation_time=time, time_error=time * math.sqrt(2 * (2 * window + 1) / size), window=window
    )
