"""Distances of all pairs of atoms, and the shortest one.

Source: Leach, Molecular Modelling: Principles and Applications, 2001.
"""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from pydantic import BaseModel, Field


class InteratomicDistancesInput(BaseModel, allow_inf_nan=False):
    """What is given."""

    positions: list[list[float]] = Field(min_length=2, description="Cartesian coordinates of the atoms, in angstrom.")


class InteratomicDistancesOutput(BaseModel):
    """What comes out."""

    distances: list[list[float]] = Field(description="Distance of each pair, in angstrom.")
    shortest: float = Field(description="Smallest distance of two atoms, in angstrom.")


def interatomic_distances(given: InteratomicDistancesInput) -> InteratomicDistancesOutput:
    """Distances of all pairs of atoms, and the shortest one."""
    positions = np.asarray(given.positions)
    if positions.ndim != 2 or positions.shape[1] != 3:
        raise ValueError(f"Positions must be n x 3, but are {positions.shape}.")
    pairs = pdist(positions)
    return InteratomicDistancesOutput(distances=squareform(pairs).tolist(), shortest=float(pairs.min()))
