"""Lowest bound levels of a particle in a potential on a grid, by finite differences.

Source: Press et al., Numerical Recipes, 2007.
"""

import numpy as np
from scipy.linalg import eigh_tridiagonal

from pydantic import BaseModel, Field


class BoundLevelsInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    potential: list[float] = Field(min_length=5, description="Potential at each grid point, in hartree.")
    spacing: float = Field(gt=0, description="Distance of grid points, in bohr.")
    mass: float = Field(gt=0, description="Mass, in m_e.")
    count: int = Field(ge=1, description="Number of levels.")


class BoundLevelsOutput(BaseModel):
    """What comes out."""

    levels: list[float] = Field(description="Energies, ascending, in hartree.")


def bound_levels(given: BoundLevelsInput) -> BoundLevelsOutput:
    """Lowest bound levels of a particle in a potential on a grid, by finite differences."""
    potential = np.asarray(given.potential)
    if given.count > potential.size:
        raise ValueError(f"{potential.size} grid points hold no {given.count} levels.")
    hop = 1.0 / (2.0 * given.mass * given.spacing**2)
    levels = eigh_tridiagonal(
        potential + 2.0 * hop,
        np.full(potential.size - 1, -hop),
        select="i",
        select_range=(0, given.count - 1),
        eigvals_only=True,
    )
    return BoundLevelsOutput(levels=levels.tolist())
