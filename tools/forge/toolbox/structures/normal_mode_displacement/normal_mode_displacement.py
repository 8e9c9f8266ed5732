"""A structure moved along one of its vibrations, to leave a saddle point.

Adds `size` times the Cartesian displacement of the mode (not mass-weighted), scaled so that the atom that moves most
moves by `size`.
Source: Wilson, Decius and Cross, Molecular Vibrations (1955), chapter 2.
"""

import numpy as np
from pydantic import BaseModel, Field


class NormalModeDisplacementInput(BaseModel, allow_inf_nan=False):
    """A structure, a mode, and how far to go."""

    positions: list[list[float]] = Field(min_length=1, description="Cartesian coordinates, atoms x 3 (angstrom).")
    mode: list[list[float]] = Field(description="Displacement of each atom in the mode, atoms x 3 (1).")
    size: float = Field(description="How far the atom that moves most is moved; the sign is the direction (angstrom).")


class NormalModeDisplacementOutput(BaseModel):
    """The moved structure."""

    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")


def normal_mode_displacement(given: NormalModeDisplacementInput) -> NormalModeDisplacementOutput:
    """Move the structure of `given` along its mode.

    Raises:
        ValueError: structure and mode have different shapes, or the mode moves nothing.
    """
    positions, mode = np.array(given.positions), np.array(given.mode)
    if positions.shape != mode.shape or positions.ndim != 2 or positions.shape[1] != 3:
        raise ValueError(f"Positions {positions.shape} and mode {mode.shape} must both be atoms x 3.")
    longest = np.linalg.norm(mode, axis=1).max()
    if longest < 1e-12:
        raise ValueError("The mode moves no atom: give a mode of `harmonic_frequencies`.")
    return NormalModeDisplacementOutput(positions=(positions + given.size * mode / longest).tolist())
