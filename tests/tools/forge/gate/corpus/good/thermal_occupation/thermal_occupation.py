"""Mean occupation of a bosonic mode in thermal equilibrium.

Source: Bose, Z. Phys. 26, 178 (1924).
"""

import math

from pydantic import BaseModel, Field


class ThermalOccupationInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    energy: float = Field(gt=0, description="Energy of a quantum, in 1/cm.")
    temperature: float = Field(gt=0, description="Temperature, in K.")
    boltzmann: float = Field(gt=0, description="Boltzmann constant in the unit of the energy, in 1/cm/K.")


class ThermalOccupationOutput(BaseModel):
    """What comes out."""

    occupation: float = Field(description="Mean number of quanta.")


def thermal_occupation(given: ThermalOccupationInput) -> ThermalOccupationOutput:
    """Mean occupation of a bosonic mode in thermal equilibrium."""
    ratio = given.energy / (given.boltzmann * given.temperature)
    return ThermalOccupationOutput(occupation=1.0 / math.expm1(ratio))
