"""Occupation of fermionic levels in thermal equilibrium.

Source: Fermi, Z. Phys. 36, 902 (1926).
"""

import numpy as np
from scipy.special import expit

from pydantic import BaseModel, Field


class FermiOccupationInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    levels: list[float] = Field(min_length=1, description="Energies of the levels, in eV.")
    chemical_potential: float = Field(description="Chemical potential, in eV.")
    thermal_energy: float = Field(gt=0, description="Boltzmann constant times temperature, in eV.")


class FermiOccupationOutput(BaseModel):
    """What comes out."""

    occupations: list[float] = Field(description="Occupation of each level.")
    number: float = Field(description="Sum of the occupations.")


def fermi_occupation(given: FermiOccupationInput) -> FermiOccupationOutput:
    """Occupation of fermionic levels in thermal equilibrium."""
    shifted = (np.asarray(given.levels) - given.chemical_potential) / given.thermal_energy
    occupations = expit(-shifted)
    return FermiOccupationOutput(occupations=occupations.tolist(), number=float(occupations.sum()))
