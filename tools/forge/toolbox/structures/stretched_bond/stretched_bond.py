"""Structures along a bond: one part of a molecule is moved away from the other, both rigid.

Atoms i and j are at each wanted distance in turn; with j move all atoms that hang on it when the bond i-j is cut
(bonds: closer than 1.3 times the sum of covalent radii). In a ring nothing can be cut, which is an error.
Source: covalent radii of Cordero et al., Dalton Trans. 2832 (2008).
"""

import numpy as np
from pydantic import BaseModel, Field
from pyscf.data import elements, radii


class StretchedBondInput(BaseModel, allow_inf_nan=False):
    """A structure, a bond, and distances."""

    symbols: list[str] = Field(min_length=2, description="Element symbols.")
    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")
    fixed_atom: int = Field(ge=0, description="Atom i, whose side stays, counted from 0 (1).")
    moved_atom: int = Field(ge=0, description="Atom j, whose side moves, counted from 0 (1).")
    distances: list[float] = Field(min_length=1, description="Distances of i and j (angstrom).")


class StretchedBondOutput(BaseModel):
    """One structure a distance."""

    structures: list[list[list[float]]] = Field(description="Distances x atoms x 3 (angstrom).")
    moved: list[int] = Field(description="Atoms that move, counted from 0 (1).")


def stretched_bond(given: StretchedBondInput) -> StretchedBondOutput:
    """Stretch the bond of `given`.

    Raises:
        ValueError: shapes or atoms do not fit, a distance is not positive, or the bond lies in a ring.
    """
    points = np.array(given.positions, dtype=float)
    count = len(given.symbols)
    i, j = given.fixed_atom, given.moved_atom
    if points.shape != (count, 3) or i == j or max(i, j) >= count:
        raise ValueError(f"{count} symbols need {count} rows of 3 coordinates and two different atoms below {count}.")
    if min(given.distances) <= 0:
        raise ValueError(f"Distances must be positive, but the smallest is {min(given.distances)} angstrom.")
    side = _side(given.symbols, points, i, j)
    if i in side:
        raise ValueError(f"Atoms {i} and {j} lie in a ring or are held together otherwise: choose another bond.")
    along = points[j] - points[i]
    length = float(np.linalg.norm(along))
    structures = []
    for distance in given.distances:
        moved = points.copy()
        moved[side] += along / length * (distance - length)
        structures.append(moved.tolist())
    return StretchedBondOutput(structures=structures, moved=side)


def _side(symbols: list[str], points: np.ndarray, i: int, j: int) -> list[int]:
    """Atoms connected with j when the bond i-j is cut."""
    sizes = np.array([radii.COVALENT[elements.charge(symbol)] * 0.529177210903 for symbol in symbols])
    near = np.linalg.norm(points[:, None] - points[None], axis=-1) < 1.3 * (sizes[:, None] + sizes[None])
    near[i, j] = near[j, i] = False
    found, waiting = {j}, [j]
    while waiting:
        for other in np.flatnonzero(near[waiting.pop()]).tolist():
            if other not in found:
                found.add(other)
                waiting.append(other)
    return sorted(found)
