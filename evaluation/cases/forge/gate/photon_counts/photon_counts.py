"""Counts of a photon counter per time bin, their mean and the Mandel Q parameter.

Bin i holds the clicks with start + i*width <= t < start + (i+1)*width. The variance is the unbiased one over the bins
(divided by bins - 1), and Q = (variance - mean) / mean: 0 for Poissonian light, -1 for equal counts in all bins.
Clicks outside the bins are not counted; their number is given.

Source: L. Mandel, Opt. Lett. 4, 205 (1979).
"""

import numpy as np
from pydantic import BaseModel, Field


class PhotonCountsInput(BaseModel, allow_inf_nan=False):
    """Click times and the time bins."""

    click_times: list[float] = Field(min_length=1, description="Times of the clicks, in any order, in s.")
    start: float = Field(description="Beginning of the first bin, in s.")
    bin_width: float = Field(gt=0, description="Width of each bin, in s.")
    bins: int = Field(ge=2, description="Number of bins.")


class PhotonCountsOutput(BaseModel):
    """Histogram and statistics of the counts."""

    counts: list[int] = Field(description="Number of clicks in each bin, in order of time.")
    occurrences: list[int] = Field(description="Number of bins that hold exactly k clicks, for k = 0, 1, 2 and so on.")
    outside: int = Field(description="Number of clicks outside all bins.")
    mean: float = Field(description="Mean number of clicks per bin.")
    variance: float = Field(description="Unbiased variance of the number of clicks per bin.")
    mandel_q: float = Field(description="Mandel Q parameter of the counts.")


def photon_counts(given: PhotonCountsInput) -> PhotonCountsOutput:
    """Histogram of clicks per time bin, mean and Mandel Q parameter."""
    edges = given.start + given.bin_width * np.arange(given.bins + 1)
    if not np.all(np.diff(edges) > 0):
        raise ValueError("bin_width is too small beside start: the edges of the bins fall together")
    times = np.array(given.click_times)
    inside = times[(times >= edges[0]) & (times < edges[-1])]
    if inside.size == 0:
        raise ValueError("no click lies within the bins: the Mandel parameter is not defined for a mean of zero")
    counts = np.histogram(inside, bins=edges)[0]
    mean = float(np.mean(counts))
    variance = float(np.var(counts, ddof=1))
    return PhotonCountsOutput(
        counts=counts.tolist(),
        occurrences=np.bincount(counts).tolist(),
        outside=int(times.size - inside.size),
        mean=mean,
        variance=variance,
        mandel_q=(variance - mean) / mean,
    )
