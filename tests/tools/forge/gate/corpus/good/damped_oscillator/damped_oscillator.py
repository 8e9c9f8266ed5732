"""Displacement of a damped oscillator over time, by integrating its equation of motion.

Source: Landau and Lifshitz, Mechanics, 1976.
"""

import numpy as np
from scipy.integrate import solve_ivp

from pydantic import BaseModel, Field


class DampedOscillatorInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    frequency: float = Field(gt=0, description="Undamped angular frequency, in rad/s.")
    damping: float = Field(ge=0, description="Rate of damping of the amplitude, in 1/s.")
    displacement: float = Field(description="Displacement at time zero, in m.")
    times: list[float] = Field(min_length=2, description="Times, ascending from 0, in s.")


class DampedOscillatorOutput(BaseModel):
    """What comes out."""

    displacements: list[float] = Field(description="Displacement at each time, in m.")


def damped_oscillator(given: DampedOscillatorInput) -> DampedOscillatorOutput:
    """Displacement of a damped oscillator over time, by integrating its equation of motion."""
    if given.times[0] != 0 or np.any(np.diff(given.times) <= 0):
        raise ValueError("The times must begin with 0 and ascend.")

    def motion(_: float, state: np.ndarray) -> list[float]:
        return [state[1], -(given.frequency**2) * state[0] - 2 * given.damping * state[1]]

    done = solve_ivp(motion, (0, given.times[-1]), [given.displacement, 0.0], t_eval=given.times, rtol=1e-9, atol=1e-12)
    if not done.success:
        raise RuntimeError(f"The integration failed: {done.message}")
    return DampedOscillatorOutput(displacements=done.y[0].tolist())
