"""Strongest frequency of an evenly sampled signal, refined by a parabola through three bins.

Source: Press et al., Numerical Recipes, 2007.
"""

import numpy as np

from pydantic import BaseModel, Field


class DominantFrequencyInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    signal: list[float] = Field(min_length=8, description="Samples.")
    spacing: float = Field(gt=0, description="Time between samples, in s.")


class DominantFrequencyOutput(BaseModel):
    """What comes out."""

    frequency: float = Field(description="Strongest frequency, in Hz.")
    resolution: float = Field(description="Distance of two bins, in Hz.")


def dominant_frequency(given: DominantFrequencyInput) -> DominantFrequencyOutput:
    """Strongest frequency of an evenly sampled signal, refined by a parabola through three bins."""
    signal = np.asarray(given.signal)
    centred = signal - signal.mean()
    if np.abs(centred).max() == 0:
        raise ValueError("The signal is constant and has no frequency.")
    power = np.abs(np.fft.rfft(centred * np.hanning(signal.size))) ** 2
    peak = int(power[1:-1].argmax()) + 1
    left, middle, right = np.log(power[peak - 1 : peak + 2])
    shift = 0.5 * (left - right) / (left - 2 * middle + right)
    resolution = 1.0 / (signal.size * given.spacing)
    return DominantFrequencyOutput(frequency=float((peak + shift) * resolution), resolution=resolution)
