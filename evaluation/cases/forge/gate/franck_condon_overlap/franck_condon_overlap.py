"""Franck-Condon factors |<v|0>|^2 of displaced harmonic oscillators of different frequencies.

|0> is the ground state of an oscillator of angular frequency w1 at the origin, |v> the state v of one of w2 displaced by d, of
the same mass. The displacement is given as D = d sqrt(m w1 / hbar) (for w1 = w2 the Huang-Rhys factor is D^2/2). With
r = (w2 - w1)/(w2 + w1) and g = D sqrt(2 w1 w2)/(w1 + w2) the overlaps obey

<0|0> = (2 sqrt(w1 w2)/(w1 + w2))^(1/2) exp(-D^2 w2 / (2 (w1 + w2)))
sqrt(v + 1) <v+1|0> = r sqrt(v) <v-1|0> - g <v|0>.

Source: C. Manneback, Physica 17, 1001 (1951); E. Hutchisson, Phys. Rev. 36, 410 (1930).
"""

import math

from pydantic import BaseModel, Field

_SMALLEST = 1e-300


class FranckCondonOverlapInput(BaseModel, allow_inf_nan=False):
    """Two oscillators."""

    first_wavenumber: float = Field(gt=0, description="Wavenumber of the oscillator whose ground state is taken, in 1/cm.")
    second_wavenumber: float = Field(gt=0, description="Wavenumber of the displaced oscillator, in 1/cm.")
    displacement: float = Field(description="Displacement times the root of mass times first angular frequency over hbar.")
    highest_state: int = Field(ge=0, description="Highest state v of the displaced oscillator.")


class FranckCondonOverlapOutput(BaseModel):
    """Franck-Condon factors."""

    overlap_squared: list[float] = Field(description="Squared overlap with each state v, from 0 to the highest.")
    total: float = Field(description="Sum of the squared overlaps, which tends to 1 with more states.")


def franck_condon_overlap(given: FranckCondonOverlapInput) -> FranckCondonOverlapOutput:
    """Squared overlaps of a vibrational ground state with the states of a displaced oscillator."""
    w1, w2, shift = given.first_wavenumber, given.second_wavenumber, given.displacement
    squeeze = (w2 - w1) / (w2 + w1)
    push = shift * math.sqrt(2 * w1 * w2) / (w1 + w2)
    overlaps = [math.sqrt(2 * math.sqrt(w1 * w2) / (w1 + w2)) * math.exp(-(shift**2) * w2 / (2 * (w1 + w2)))]
    if overlaps[0] < _SMALLEST:
        raise ValueError("displacement is too large: the overlap of the ground states is below 1e-300")
    before = 0.0
    for v in range(given.highest_state):
        following = (squeeze * math.sqrt(v) * before - push * overlaps[v]) / math.sqrt(v + 1)
        before = overlaps[v]
        overlaps.append(following)
    factors = [overlap**2 for overlap in overlaps]
    return FranckCondonOverlapOutput(overlap_squared=factors, total=math.fsum(factors))
