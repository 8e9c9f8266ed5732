"""Ground-state energy of the transverse-field Ising chain with open ends, by exact diagonalisation.

Source: Pfeuty, Ann. Phys. 57, 79 (1970).
"""

import numpy as np

from pydantic import BaseModel, Field


class IsingGroundEnergyInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    sites: int = Field(ge=2, le=10, description="Number of spins.")
    coupling: float = Field(description="Coupling of neighbours, in J.")
    field: float = Field(description="Transverse field, in J.")


class IsingGroundEnergyOutput(BaseModel):
    """What comes out."""

    energy: float = Field(description="Ground-state energy, in J.")
    gap: float = Field(description="Distance to the next level, in J.")


def ising_ground_energy(given: IsingGroundEnergyInput) -> IsingGroundEnergyOutput:
    """Ground-state energy of the transverse-field Ising chain with open ends, by exact diagonalisation."""
    size = 1 << given.sites
    states = np.arange(size)
    spins = 1 - 2 * ((states[:, None] >> np.arange(given.sites)) & 1)
    hamiltonian = np.diag(-given.coupling * (spins[:, 1:] * spins[:, :-1]).sum(axis=1).astype(float))
    for site in range(given.sites):
        hamiltonian[states, states ^ (1 << site)] -= given.field
    levels = np.linalg.eigvalsh(hamiltonian)
    return IsingGroundEnergyOutput(energy=float(levels[0]), gap=float(levels[1] - levels[0]))
