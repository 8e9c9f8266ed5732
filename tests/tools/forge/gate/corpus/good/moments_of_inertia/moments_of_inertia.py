"""Principal moments of inertia of a molecule.

Source: Herzberg, Infrared and Raman Spectra, 1945.
"""

import numpy as np

from pydantic import BaseModel, Field


class MomentsOfInertiaInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    masses: list[float] = Field(min_length=1, description="Masses of the atoms, in u.")
    positions: list[list[float]] = Field(description="Cartesian coordinates, in angstrom.")


class MomentsOfInertiaOutput(BaseModel):
    """What comes out."""

    moments: list[float] = Field(description="Principal moments, ascending, in u angstrom^2.")
    centre: list[float] = Field(description="Centre of mass, in angstrom.")


def moments_of_inertia(given: MomentsOfInertiaInput) -> MomentsOfInertiaOutput:
    """Principal moments of inertia of a molecule."""
    masses, positions = np.asarray(given.masses), np.asarray(given.positions)
    if positions.shape != (masses.size, 3):
        raise ValueError(f"{masses.size} atoms need {masses.size} x 3 coordinates, but got {positions.shape}.")
    centre = masses @ positions / masses.sum()
    r = positions - centre
    squares = (r**2).sum(axis=1)
    tensor = (masses * squares).sum() * np.eye(3) - (masses[:, None] * r).T @ r
    return MomentsOfInertiaOutput(moments=np.linalg.eigvalsh(tensor).tolist(), centre=centre.tolist())
