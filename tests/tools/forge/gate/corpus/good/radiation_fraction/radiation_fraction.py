"""Fraction of black-body power that is emitted below a wavelength.

Source: Planck, Ann. Phys. 309, 553 (1901).
"""

import math

from scipy.integrate import quad

from pydantic import BaseModel, Field


class RadiationFractionInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    ratio: float = Field(gt=0, description="Photon energy at the wavelength over Boltzmann constant times temperature.")


class RadiationFractionOutput(BaseModel):
    """What comes out."""

    fraction: float = Field(description="Power below the wavelength over all power.")


def radiation_fraction(given: RadiationFractionInput) -> RadiationFractionOutput:
    """Fraction of black-body power that is emitted below a wavelength."""
    value, _ = quad(lambda x: x**3 / math.expm1(x), given.ratio, max(given.ratio, 1.0) + 60.0, epsabs=1e-13)
    return RadiationFractionOutput(fraction=15.0 * value / math.pi**4)
