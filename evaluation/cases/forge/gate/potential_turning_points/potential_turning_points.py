"""Turning points of a particle in a one-dimensional polynomial potential.

All different real roots of V(x) = E with lower <= x <= upper, ascending. Roots are eigenvalues of the companion matrix. A
complex root counts as real if its real part solves the equation within rounding, 1e-13 (sum |c_k x^k| + |E|), and
neighbouring roots count as one if V(x) = E holds within rounding between them, too: there the energy touches an extremum
of the potential, which the particle reaches as well (a maximum only after infinite time).

Source: L. D. Landau and E. M. Lifshitz, Mechanics, section 11; NumPy documentation, numpy.polynomial.polynomial.polyroots.
"""

import numpy as np
from numpy.polynomial import polynomial
from pydantic import BaseModel, Field

_ROUNDING = 1e-13
_ON_LIMIT = 1e-9


class PotentialTurningPointsInput(BaseModel, allow_inf_nan=False):
    """Potential, energy and interval."""

    coefficients: list[float] = Field(
        min_length=1, description="Coefficients c_k of the potential V(x) = sum c_k x^k, k from 0, in eV/angstrom^k."
    )
    energy: float = Field(description="Energy of the particle, in eV.")
    lower: float = Field(description="Lower end of the interval, in angstrom.")
    upper: float = Field(description="Upper end of the interval, in angstrom.")


class PotentialTurningPointsOutput(BaseModel):
    """Turning points."""

    turning_points: list[float] = Field(description="Positions where the potential equals the energy, ascending, in angstrom.")


def _solves(given: PotentialTurningPointsInput, x: float) -> bool:
    """Whether the potential at x equals the energy within rounding."""
    size = polynomial.polyval(abs(x), np.abs(given.coefficients)) + abs(given.energy)
    return bool(abs(polynomial.polyval(x, given.coefficients) - given.energy) <= _ROUNDING * size)


def potential_turning_points(given: PotentialTurningPointsInput) -> PotentialTurningPointsOutput:
    """All positions in an interval where a polynomial potential equals the energy."""
    if given.lower >= given.upper:
        raise ValueError("lower must be less than upper")
    difference = polynomial.polytrim(polynomial.polysub(given.coefficients, [given.energy]))
    if not np.any(difference):
        raise ValueError("the potential equals the energy everywhere: there are no separate turning points")
    roots = polynomial.polyroots(difference)
    groups: list[list[float]] = []
    for root in sorted(roots, key=lambda root: root.real):
        x = float(root.real)
        if root.imag != 0 and not _solves(given, x):
            continue
        if groups and _solves(given, (groups[-1][-1] + x) / 2):
            groups[-1].append(x)
        else:
            groups.append([x])
    points = [float(np.mean(group)) for group in groups]
    slack = _ON_LIMIT * (given.upper - given.lower)
    kept = [x for x in points if given.lower - slack <= x <= given.upper + slack]
    return PotentialTurningPointsOutput(turning_points=np.clip(kept, given.lower, given.upper).tolist())
