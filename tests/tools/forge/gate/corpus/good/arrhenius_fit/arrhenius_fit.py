"""Activation energy and prefactor from rates at several temperatures.

Source: Arrhenius, Z. Phys. Chem. 4, 226 (1889).
"""

import numpy as np

from pydantic import BaseModel, Field


class ArrheniusFitInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    temperatures: list[float] = Field(min_length=2, description="Temperatures, in K.")
    rates: list[float] = Field(description="Rate at each temperature, in 1/s.")
    gas_constant: float = Field(gt=0, description="Gas constant in the unit of the energy, in kJ/mol/K.")


class ArrheniusFitOutput(BaseModel):
    """What comes out."""

    activation_energy: float = Field(description="Activation energy, in kJ/mol.")
    prefactor: float = Field(description="Rate at infinite temperature, in 1/s.")


def arrhenius_fit(given: ArrheniusFitInput) -> ArrheniusFitOutput:
    """Activation energy and prefactor from rates at several temperatures."""
    temperatures, rates = np.asarray(given.temperatures), np.asarray(given.rates)
    if temperatures.size != rates.size:
        raise ValueError("Give one rate for each temperature.")
    if temperatures.min() <= 0 or rates.min() <= 0:
        raise ValueError("Temperatures and rates must be positive.")
    slope, intercept = np.polyfit(1.0 / temperatures, np.log(rates), 1)
    return ArrheniusFitOutput(activation_energy=float(-slope * given.gas_constant), prefactor=float(np.exp(intercept)))
