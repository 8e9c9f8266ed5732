"""Ground-state energy of non-interacting fermions on a ring.

Source: Ashcroft and Mermin, Solid State Physics, 1976.
"""

import numpy as np

from pydantic import BaseModel, Field


class TightBindingEnergyInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    sites: int = Field(ge=3, description="Number of sites.")
    particles: int = Field(ge=0, description="Number of fermions.")
    hopping: float = Field(description="Hopping matrix element, in eV.")
    flux: float = Field(description="Phase gathered around the ring, in rad.")


class TightBindingEnergyOutput(BaseModel):
    """What comes out."""

    energy: float = Field(description="Sum of the lowest levels, in eV.")
    levels: list[float] = Field(description="All levels, ascending, in eV.")


def tight_binding_energy(given: TightBindingEnergyInput) -> TightBindingEnergyOutput:
    """Ground-state energy of non-interacting fermions on a ring."""
    if given.particles > given.sites:
        raise ValueError(f"{given.sites} sites hold at most {given.sites} fermions, not {given.particles}.")
    momenta = (2 * np.pi * np.arange(given.sites) + given.flux) / given.sites
    levels = np.sort(-2 * given.hopping * np.cos(momenta))
    return TightBindingEnergyOutput(energy=float(levels[: given.particles].sum()), levels=levels.tolist())
