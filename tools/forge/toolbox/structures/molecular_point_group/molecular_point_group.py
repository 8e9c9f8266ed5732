"""The point group of a molecule in Schoenflies' symbols, and the symmetry number of its rotations.

Every axis and plane that a molecule can have goes through its centre of mass and through an atom, midway between two
equal atoms, along the normal of three equal ones, or along a principal axis; each of these is tried. An operation
counts if it brings every atom within `tolerance` of an equal one. Linear molecules are Coov or Dooh (written so), an
atom is SO3.
Source: Cotton, Chemical Applications of Group Theory (1990), chapter 3; Beruski and Vidal, J. Comput. Chem. 2014.
"""

import itertools
import math

import numpy as np
from pydantic import BaseModel, Field


class MolecularPointGroupInput(BaseModel, allow_inf_nan=False):
    """A structure, and how exactly it has to be symmetric."""

    symbols: list[str] = Field(min_length=1, description="Element symbols.")
    positions: list[list[float]] = Field(description="Cartesian coordinates, atoms x 3 (angstrom).")
    tolerance: float = Field(gt=0, description="How far an image may lie from an equal atom, such as 0.05 (angstrom).")


class MolecularPointGroupOutput(BaseModel):
    """The group."""

    point_group: str = Field(description="Schoenflies symbol, such as C2v, Td, Coov.")
    symmetry_number: int = Field(description="Proper rotations, the identity among them; 1 for an atom (1).")
    deviation: float = Field(
        description="Largest distance of an image from an equal atom in the operations (angstrom)."
    )


def molecular_point_group(given: MolecularPointGroupInput) -> MolecularPointGroupOutput:
    """Find the point group of `given`.

    Raises:
        ValueError: symbols and positions do not fit.
    """
    points = np.array(given.positions, dtype=float)
    if points.shape != (len(given.symbols), 3):
        raise ValueError(f"{len(given.symbols)} symbols need as many rows of 3 coordinates, not {points.shape}.")
    points = points - points.mean(axis=0)
    body = _Body([name.capitalize() for name in given.symbols], points, given.tolerance)
    if len(points) == 1:
        return MolecularPointGroupOutput(point_group="SO3", symmetry_number=1, deviation=0.0)
    spread = np.linalg.svd(points, compute_uv=False)
    if spread[1] < given.tolerance:
        centred = body.keeps(-np.eye(3))
        name, number = ("Dooh", 2) if centred else ("Coov", 1)
        return MolecularPointGroupOutput(point_group=name, symmetry_number=number, deviation=body.worst)
    name, number = _classified(body)
    return MolecularPointGroupOutput(point_group=name, symmetry_number=number, deviation=body.worst)


class _Body:
    """Labelled points that operations are tried on."""

    def __init__(self, names: list[str], points: np.ndarray, tolerance: float) -> None:
        self.points, self.tolerance, self.worst = points, tolerance, 0.0
        self.unlike = np.array([[a != b for b in names] for a in names])
        self.kinds: dict[str, list[int]] = {}
        for atom, name in enumerate(names):
            self.kinds.setdefault(name, []).append(atom)

    def keeps(self, operation: np.ndarray) -> bool:
        """Whether the operation brings every atom to an equal one."""
        images = self.points @ operation.T
        distances = np.linalg.norm(images[:, None] - self.points[None], axis=-1)
        distances[self.unlike] = np.inf
        nearest = distances.argmin(axis=1)
        far = float(distances[np.arange(len(nearest)), nearest].max())
        if far > self.tolerance or len(set(nearest.tolist())) < len(nearest):
            return False
        self.worst = max(self.worst, far)
        return True

    def directions(self) -> list[np.ndarray]:
        """Every direction that can be an axis or the normal of a plane."""
        found = list(np.linalg.svd(self.points)[2])
        found += list(self.points)
        for atoms in self.kinds.values():
            for a, b in itertools.combinations(atoms, 2):
                if abs(np.linalg.norm(self.points[a]) - np.linalg.norm(self.points[b])) < 2 * self.tolerance:
                    found += [self.points[a] + self.points[b], self.points[a] - self.points[b]]
                    found.append(np.cross(self.points[a], self.points[b]))
        smallest = min(self.kinds.values(), key=lambda atoms: (len(atoms) < 3, len(atoms)))
        for a, b, c in itertools.islice(itertools.combinations(smallest, 3), 5000):
            found.append(np.cross(self.points[b] - self.points[a], self.points[c] - self.points[a]))
        return _distinct([one / np.linalg.norm(one) for one in found if np.linalg.norm(one) > 0.1])


def _distinct(directions: list[np.ndarray]) -> list[np.ndarray]:
    kept: list[np.ndarray] = []
    for one in directions:
        if not kept or np.abs(np.array(kept) @ one).max() < math.cos(math.radians(0.5)):
            kept.append(one)
    return kept


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def _mirror(normal: np.ndarray) -> np.ndarray:
    return np.eye(3) - 2 * np.outer(normal, normal)


def _classified(body: _Body) -> tuple[str, int]:
    """Schoenflies symbol and number of proper rotations, by the usual flow chart."""
    directions = body.directions()
    orders = [
        (max([1, *(n for n in range(2, 9) if body.keeps(_turn(one, 2 * math.pi / n)))]), one) for one in directions
    ]
    axes = [(order, one) for order, one in orders if order > 1]
    mirrors = [one for one in directions if body.keeps(_mirror(one))]
    centre = body.keeps(-np.eye(3))
    rotations = 1 + sum(order - 1 for order, _ in axes)
    if sum(order >= 3 for order, _ in axes) > 1:
        return _cubic(max(order for order, _ in axes), centre, bool(mirrors)), rotations
    if not axes:
        return ("Cs" if mirrors else "Ci" if centre else "C1"), 1
    n, main = max(axes, key=lambda pair: (pair[0], _mirrors_across(mirrors, pair[1])))
    across = sum(order == 2 and abs(one @ main) < 0.1 for order, one in axes)
    level = any(abs(one @ main) > 0.99 for one in mirrors)
    upright = sum(abs(one @ main) < 0.1 for one in mirrors)
    if across:
        return (f"D{n}h" if level else f"D{n}d" if upright else f"D{n}"), rotations
    if level:
        return f"C{n}h", rotations
    if upright:
        return f"C{n}v", rotations
    double = body.keeps(_mirror(main) @ _turn(main, math.pi / n))
    return (f"S{2 * n}" if double else f"C{n}"), rotations


def _mirrors_across(mirrors: list[np.ndarray], axis: np.ndarray) -> int:
    """Mirrors that hold the axis: in D2d the main axis is the one with two."""
    return sum(abs(one @ axis) < 0.1 for one in mirrors)


def _cubic(highest: int, centre: bool, mirrors: bool) -> str:
    letter = {3: "T", 4: "O", 5: "I"}[highest]
    if letter == "T":
        return "Th" if centre else "Td" if mirrors else "T"
    return letter + ("h" if centre else "")
