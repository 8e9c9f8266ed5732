"""Where to look at a feature map, so that angles that are not linear in x show.

Every probe moves all features at once: then any two probes differ in every feature, and a branch on any interval of
any one feature that is wider than 1/n_probes is met for certain (a Latin hypercube, McKay et al. 1979). Corner probes
meet what happens only near the edges of several features; a few probes outside [0, 1] meet clipping.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CHECKS = 72  # probes beyond those that determine W and b
FEWEST = 168  # interior probes, however few the features: 1.2 % of one feature then is met for certain
CORNERS = 16
OUTSIDE = 4
REPEATED = 5  # probes that a second process runs again, besides the anchor
SCAN = np.array([0.02, 0.27, 0.5, 0.73, 0.98])  # where one feature is moved to when a fault is looked for


@dataclass(frozen=True, slots=True)
class Probes:
    """Inputs at which the map is run.

    Attributes:
        x: shape (n_probes, n_features); the first row is interior, the last `OUTSIDE` rows leave [0, 1].
        repeated: rows that a second process runs again, last first.
    """

    x: NDArray[np.float64]
    repeated: tuple[int, ...]


def choose_probes(source: str, n_features: int, seed: int) -> Probes:
    """Probes that depend on the seed and on the code itself, so that the code cannot know them beforehand."""
    digest = hashlib.sha256(f"{seed}\n{source}".encode()).digest()
    random = np.random.default_rng(int.from_bytes(digest[:16], "big"))
    interior = _latin_hypercube(max(n_features + CHECKS, FEWEST), n_features, random)
    near = 0.08 * random.random((CORNERS, n_features)) * random.integers(0, 2, (CORNERS, n_features))
    side = random.integers(0, 2, (CORNERS, n_features))
    side[0], side[1] = 0, 1
    corners = np.where(side, 1.0 - near, near)
    beyond = 0.05 + 0.3 * random.random((OUTSIDE, n_features))
    above = (
        random.permuted(np.arange(OUTSIDE)[:, None].repeat(n_features, axis=1), axis=0) % 2
    )  # every feature both ways
    outside = np.where(above, 1.0 + beyond, -beyond)
    anchor = 0.3 + 0.4 * random.random((1, n_features))
    x = np.vstack([anchor, interior, corners, outside])
    again = random.choice(len(x) - OUTSIDE, size=REPEATED, replace=False)
    return Probes(x, (0, *(int(row) for row in again)))


def scans(anchor: NDArray[np.float64]) -> NDArray[np.float64]:
    """The anchor with one feature moved to each place of `SCAN`, shape (n_features * len(SCAN), n_features)."""
    moved = np.repeat(anchor[None], len(anchor) * len(SCAN), axis=0)
    rows = np.arange(len(moved))
    moved[rows, rows // len(SCAN)] = np.tile(SCAN, len(anchor))
    return moved


def packed(x: NDArray[np.float64]) -> str:
    """Base64 of float64, row by row: exact, and ten times faster than decimal text."""
    return base64.b64encode(np.ascontiguousarray(x, dtype=np.float64).tobytes()).decode()


def _latin_hypercube(n: int, n_features: int, random: np.random.Generator) -> NDArray[np.float64]:
    columns = [random.permutation(n) for _ in range(n_features)]
    found: NDArray[np.float64] = (np.stack(columns, axis=1) + random.random((n, n_features))) / n
    return found
