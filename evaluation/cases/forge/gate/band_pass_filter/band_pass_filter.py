"""Part of a uniformly sampled real signal between two frequencies, by FFT.

The discrete Fourier components with low <= |f| <= high are kept, all others are set to zero (a sharp, zero-phase filter;
the signal is taken as periodic). low = 0 keeps the mean. A frequency that lies on a limit within 1e-9 bins is kept.

Source: W. H. Press et al., Numerical Recipes, chapter 13; NumPy documentation, numpy.fft.
"""

import numpy as np
from pydantic import BaseModel, Field

_ON_LIMIT = 1e-9


class BandPassFilterInput(BaseModel, allow_inf_nan=False):
    """Signal and pass band."""

    signal: list[float] = Field(min_length=2, description="Samples of the signal, equally spaced in time, in V.")
    sample_rate: float = Field(gt=0, description="Samples per time, in Hz.")
    low: float = Field(ge=0, description="Lower limit of the pass band, in Hz.")
    high: float = Field(ge=0, description="Upper limit of the pass band, at most half the sample rate, in Hz.")


class BandPassFilterOutput(BaseModel):
    """Filtered signal."""

    filtered: list[float] = Field(description="Samples of the filtered signal, in V.")
    kept_bins: int = Field(description="Number of non-negative frequencies that were kept.")


def band_pass_filter(given: BandPassFilterInput) -> BandPassFilterOutput:
    """Keep the part of a signal between two frequencies."""
    if given.low > given.high:
        raise ValueError("low must not exceed high")
    if given.high > given.sample_rate / 2:
        raise ValueError("high must not exceed half the sample rate")
    size = len(given.signal)
    bins = np.arange(size // 2 + 1)
    per_bin = given.sample_rate / size
    kept = (bins >= given.low / per_bin - _ON_LIMIT) & (bins <= given.high / per_bin + _ON_LIMIT)
    if not np.any(kept):
        raise ValueError(f"no frequency of the transform lies in the band: they are {per_bin:.6g} Hz apart")
    filtered = np.fft.irfft(np.where(kept, np.fft.rfft(given.signal), 0.0), n=size)
    return BandPassFilterOutput(filtered=filtered.tolist(), kept_bins=int(np.sum(kept)))
