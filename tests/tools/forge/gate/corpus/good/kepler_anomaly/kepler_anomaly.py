"""Eccentric anomaly of an orbit from its mean anomaly.

Source: Kepler, Astronomia nova, 1609.
"""

import math

from scipy.optimize import brentq

from pydantic import BaseModel, Field


class KeplerAnomalyInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    mean_anomaly: float = Field(description="Mean anomaly, in rad.")
    eccentricity: float = Field(ge=0, lt=1, description="Eccentricity of the ellipse.")


class KeplerAnomalyOutput(BaseModel):
    """What comes out."""

    eccentric_anomaly: float = Field(description="Solution of E - e sin E = M, in rad.")


def kepler_anomaly(given: KeplerAnomalyInput) -> KeplerAnomalyOutput:
    """Eccentric anomaly of an orbit from its mean anomaly."""
    mean, e = given.mean_anomaly, given.eccentricity
    found = brentq(lambda value: value - e * math.sin(value) - mean, mean - e, mean + e, xtol=1e-14)
    return KeplerAnomalyOutput(eccentric_anomaly=float(found))
