"""All Clebsch-Gordan coefficients <j1 m1 j2 m2 | J M> of two spins.

Condon-Shortley phases: real, and <j1 j1 j2 J-j1 | J J> > 0. Every row has M = m1 + m2 and |j1 - j2| <= J <= j1 + j2;
coefficients that vanish by accident (as <1 0 1 0 | 1 0>) are listed as 0, those that vanish by M = m1 + m2 are not. All
quantum numbers are given as twice their value. Rows are sorted by 2m1, 2m2, 2J, from above.

Source: A. R. Edmonds, Angular Momentum in Quantum Mechanics, section 3.6; SymPy documentation, physics.wigner.clebsch_gordan.
"""

from pydantic import BaseModel, Field
from sympy import Rational
from sympy.physics.wigner import clebsch_gordan


class ClebschGordanTableInput(BaseModel, allow_inf_nan=False):
    """Two spins."""

    two_j1: int = Field(ge=0, le=40, description="Twice the first spin.")
    two_j2: int = Field(ge=0, le=40, description="Twice the second spin.")


class ClebschGordanTableOutput(BaseModel):
    """Table of coefficients."""

    rows: list[list[float]] = Field(description="Rows of 2m1, 2m2, 2J, 2M and the coefficient.")


def clebsch_gordan_table(given: ClebschGordanTableInput) -> ClebschGordanTableOutput:
    """Table of all Clebsch-Gordan coefficients of two spins."""
    a, b = given.two_j1, given.two_j2
    rows = []
    for m1 in range(a, -a - 1, -2):
        for m2 in range(b, -b - 1, -2):
            for total in range(a + b, abs(a - b) - 1, -2):
                m = m1 + m2
                if abs(m) <= total:
                    value = clebsch_gordan(*(Rational(twice, 2) for twice in (a, b, total, m1, m2, m)))
                    rows.append([m1, m2, total, m, float(value)])
    return ClebschGordanTableOutput(rows=rows)
