"""Lowest levels of an atom in a cavity in the rotating-wave approximation.

Source: Jaynes and Cummings, Proc. IEEE 51, 89 (1963).
"""

import qutip

from pydantic import BaseModel, Field


class JaynesCummingsLevelsInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    cavity: float = Field(gt=0, description="Frequency of the cavity, in GHz.")
    atom: float = Field(gt=0, description="Frequency of the atom, in GHz.")
    coupling: float = Field(description="Coupling, in GHz.")
    photons: int = Field(ge=2, description="Largest photon number kept.")
    count: int = Field(ge=1, description="Number of levels.")


class JaynesCummingsLevelsOutput(BaseModel):
    """What comes out."""

    levels: list[float] = Field(description="Levels above the lowest one, ascending, in GHz.")


def jaynes_cummings_levels(given: JaynesCummingsLevelsInput) -> JaynesCummingsLevelsOutput:
    """Lowest levels of an atom in a cavity in the rotating-wave approximation."""
    if given.count > 2 * given.photons:
        raise ValueError(f"{given.photons} photons hold no {given.count} levels that can be trusted.")
    a = qutip.tensor(qutip.destroy(given.photons + 1), qutip.qeye(2))
    lower = qutip.tensor(qutip.qeye(given.photons + 1), qutip.basis(2, 1) * qutip.basis(2, 0).dag())
    exchange = a.dag() * lower
    energy = given.cavity * a.dag() * a + given.atom * lower.dag() * lower
    levels = (energy + given.coupling * (exchange + exchange.dag())).eigenenergies()
    return JaynesCummingsLevelsOutput(levels=(levels - levels[0])[: given.count].tolist())
