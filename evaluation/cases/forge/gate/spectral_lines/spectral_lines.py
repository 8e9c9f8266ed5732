"""Frequencies and amplitudes of the strongest lines of a real, uniformly sampled signal.

The mean is taken off, a periodic Hann window is applied, and the local maxima of the magnitude of the FFT between zero and half
the sample rate are taken as lines. Between bins k and k +- 1 (the larger neighbour) the ratio a = |X_{k+-1}|/|X_k| gives the
offset d = (2 a - 1)/(a + 1) towards the neighbour, exact for one line, and the amplitude
4 |X_k| / N * (1 - d^2) / sinc(d), with sinc(d) = sin(pi d)/(pi d). A line A cos(2 pi f t + phase) has the amplitude A. Lines
should be at least four bins from each other, from zero and from half the sample rate; side lobes of a strong line may count
as weak lines.

Source: T. Grandke, IEEE Trans. Instrum. Meas. 32, 350 (1983); F. J. Harris, Proc. IEEE 66, 51 (1978).
"""

import numpy as np
from pydantic import BaseModel, Field
from scipy.signal.windows import hann


class SpectralLinesInput(BaseModel, allow_inf_nan=False):
    """Signal."""

    signal: list[float] = Field(min_length=16, description="Samples of the signal, equally spaced in time, in V.")
    sample_rate: float = Field(gt=0, description="Samples per time, in Hz.")
    lines: int = Field(ge=1, description="How many of the strongest lines are wanted.")


class SpectralLinesOutput(BaseModel):
    """Lines."""

    frequencies: list[float] = Field(description="Frequencies of the lines, the strongest first, in Hz.")
    amplitudes: list[float] = Field(description="Amplitudes of the lines, half from peak to peak, descending, in V.")


def spectral_lines(given: SpectralLinesInput) -> SpectralLinesOutput:
    """Frequencies and amplitudes of the strongest lines of a signal."""
    size = len(given.signal)
    magnitude = np.abs(np.fft.rfft((np.array(given.signal) - np.mean(given.signal)) * hann(size, sym=False)))
    inner = magnitude[1:-1]
    peaks = 1 + np.flatnonzero((inner > magnitude[:-2]) & (inner >= magnitude[2:]))
    if peaks.size < given.lines:
        raise RuntimeError(f"the spectrum has only {peaks.size} maxima, but {given.lines} lines are wanted")
    side = np.where(magnitude[peaks + 1] > magnitude[peaks - 1], 1, -1)
    ratio = magnitude[peaks + side] / magnitude[peaks]
    offset = (2 * ratio - 1) / (ratio + 1)
    amplitudes = 4 * magnitude[peaks] / size * (1 - offset**2) / np.sinc(offset)
    frequencies = (peaks + side * offset) * given.sample_rate / size
    strongest = np.argsort(-amplitudes, kind="stable")[: given.lines]
    return SpectralLinesOutput(
        frequencies=frequencies[strongest].tolist(), amplitudes=amplitudes[strongest].tolist()
    )
