"""Area and rotation angle of a sampled pulse by the trapezoid rule.

Source: Allen and Eberly, Optical Resonance and Two-Level Atoms, 1987.
"""

import numpy as np

from pydantic import BaseModel, Field


class PulseAreaInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    times: list[float] = Field(min_length=2, description="Times, ascending, in ns.")
    amplitudes: list[float] = Field(description="Rabi frequency at each time, in rad/ns.")


class PulseAreaOutput(BaseModel):
    """What comes out."""

    area: float = Field(description="Integral of the amplitude, in rad.")
    flip_probability: float = Field(description="Probability to find the other level after it.")


def pulse_area(given: PulseAreaInput) -> PulseAreaOutput:
    """Area and rotation angle of a sampled pulse by the trapezoid rule."""
    times, amplitudes = np.asarray(given.times), np.asarray(given.amplitudes)
    if times.size != amplitudes.size:
        raise ValueError(f"There are {times.size} times, but {amplitudes.size} amplitudes.")
    if np.any(np.diff(times) <= 0):
        raise ValueError("The times must ascend.")
    area = float(np.trapezoid(amplitudes, times))
    return PulseAreaOutput(area=area, flip_probability=float(np.sin(area / 2) ** 2))
