"""Smooth pulse shapes on time slots: constant, sine-squared and Gaussian pulses for several controls.

A shape is evaluated in the middle of each slot. Two Gaussian pulses, the Stokes pulse before the pump pulse, are the
counter-intuitive order of stimulated Raman adiabatic passage (STIRAP): the system follows a dark state that never
occupies the level in between, if the pulse areas are large against pi.

Source: Bergmann, Theuer and Shore, Rev. Mod. Phys. 70, 1003 (1998).
"""

from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator


class ShapedPulsesInput(BaseModel, allow_inf_nan=False):
    """Time grid and one shape for each control."""

    model_config = ConfigDict(extra="forbid")

    class Shape(BaseModel, allow_inf_nan=False):
        """One control's pulse."""

        model_config = ConfigDict(extra="forbid")
        kind: Literal["constant", "sine_squared", "gaussian"] = Field(description="Its form.")
        peak: float = Field(description="Largest amplitude, with sign (1).")
        centre: float = Field(default=0.5, description="Centre of a Gaussian as fraction of the duration (1).")
        width: float = Field(default=0.15, gt=0, description="Standard deviation of a Gaussian as fraction (1).")

    duration: float = Field(gt=0, description="Length of the pulses (time).")
    slots: int = Field(ge=1, description="Number of equal time slots (1).")
    shapes: list[Shape] = Field(min_length=1, description="One for each control, in order.")

    @model_validator(mode="after")
    def _centred(self) -> "ShapedPulsesInput":
        if any(one.kind == "gaussian" and not 0 <= one.centre <= 1 for one in self.shapes):
            raise ValueError("The centre of a Gaussian is a fraction of the duration and must lie in 0..1.")
        return self


class ShapedPulsesOutput(BaseModel):
    """The pulses on the grid."""

    times: list[float] = Field(description="Middle of each slot (time).")
    amplitudes: list[list[float]] = Field(description="Amplitudes, slots (rows) x controls (columns) (1).")
    areas: list[float] = Field(description="Integral of each pulse over time (time).")


def shaped_pulses(given: ShapedPulsesInput) -> ShapedPulsesOutput:
    """Amplitudes of smooth pulses in each slot.

    Args:
        given: duration, slots and the shape of each control.

    Returns:
        Amplitudes and pulse areas.
    """
    at = (np.arange(given.slots) + 0.5) / given.slots
    columns = [_shape(one, at) for one in given.shapes]
    step = given.duration / given.slots
    return ShapedPulsesOutput(
        times=(at * given.duration).tolist(),
        amplitudes=np.array(columns).T.tolist(),
        areas=[float(column.sum() * step) for column in columns],
    )


def _shape(shape: ShapedPulsesInput.Shape, at: np.ndarray) -> np.ndarray:
    if shape.kind == "gaussian":
        return shape.peak * np.exp(-((at - shape.centre) ** 2) / (2 * shape.width**2))
    if shape.kind == "sine_squared":
        return shape.peak * np.sin(np.pi * at) ** 2
    return np.full(len(at), shape.peak)
