"""Solve ``angle = W x + b`` and, where there is no solution, say what the angle does instead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.probe_points import SCAN

TOLERANCE = 1e-8  # rad, for angles up to 1; in proportion above
_NOISE = 1e-10  # rad; weights below are rounding of the solution
_DECIMALS = 13  # of weights: an error below 1e-13 rad, and the same text from codes that round differently
_FLOAT32 = 2e-6  # relative; what arithmetic in float32 leaves


@dataclass(frozen=True, slots=True)
class Affine:
    """The solution, and how well it holds.

    Attributes:
        weights: shape (n_angles, n_features), rad.
        offsets: shape (n_angles,), rad.
        residuals: largest deviation of each angle over all probes, shape (n_angles,), rad.
        scales: what the tolerance of each angle is in proportion to, shape (n_angles,), at least 1 rad.
    """

    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]
    residuals: NDArray[np.float64]
    scales: NDArray[np.float64]

    def worst(self) -> int | None:
        """The angle that is furthest from linear; None if all hold."""
        excess = self.residuals / self.scales
        return int(np.argmax(excess)) if excess.size and excess.max() > TOLERANCE else None


def solve(x: NDArray[np.float64], angles: NDArray[np.float64]) -> Affine:
    """The affine map through the probes, by least squares: exact if there is one.

    Args:
        x: probes, shape (n_probes, n_features), more probes than features.
        angles: shape (n_probes, n_angles), rad.
    """
    scales = np.maximum(1.0, np.abs(angles).max(axis=0, initial=0.0))
    design = np.hstack([x - 0.5, np.ones((len(x), 1))])
    inverse = np.linalg.pinv(design)
    solution = inverse @ angles
    solution += inverse @ (angles - design @ solution)  # one refinement takes the rounding to the last digit
    weights = np.round(solution[:-1].T, _DECIMALS)
    weights[np.abs(weights) < _NOISE * scales[:, None]] = 0.0
    offsets = np.round(solution[-1] - 0.5 * weights.sum(axis=1), _DECIMALS)
    offsets[np.abs(offsets) < _NOISE] = 0.0
    residuals = np.abs(x @ weights.T + offsets - angles).max(axis=0, initial=0.0)
    return Affine(weights, offsets, residuals, scales)


def looks_rounded(affine: Affine, angle: int) -> bool:
    """Whether the deviation is as small as float32 arithmetic leaves it."""
    return bool(affine.residuals[angle] < _FLOAT32 * affine.scales[angle])


def explain(scanned: NDArray[np.float64], anchor: float) -> dict[str, Any]:
    """What one angle does when features move one at a time: facts of the rule ``not_affine``.

    Args:
        scanned: the angle at `labwright.tools.feature_maps.probe_points.scans`, shape (n_features, len(SCAN)), rad.
        anchor: the angle at the anchor, rad.
    """
    lines = np.polynomial.polynomial.polyfit(SCAN, scanned.T, 1)
    bend = np.abs(scanned - np.polynomial.polynomial.polyval(SCAN, lines)).max(axis=1)
    moved = np.flatnonzero(np.abs(scanned - anchor).max(axis=1) > TOLERANCE)
    bent = np.flatnonzero(bend > TOLERANCE * max(1.0, abs(anchor)))
    if bent.size:
        feature = int(bent[np.argmax(bend[bent])])
        return _bent(feature, scanned[feature], float(bend[feature]))
    names = ", ".join(f"x[{feature}]" for feature in moved[:6]) + (", ..." if moved.size > 6 else "")
    if moved.size > 1:
        return {
            "seen": f"it is linear in each of {names} alone, but not in them together, as a product or a comparison is",
            "hint": "Do not multiply or compare features; give each its own angle, or add them with weights.",
        }
    return {
        "seen": "it bends or jumps only in a part of the range" + (f" of {names}" if names else ""),
        "hint": "Remove conditions on x, rounding and clipping.",
    }


def _bent(feature: int, values: NDArray[np.float64], bend: float) -> dict[str, Any]:
    shown = ", ".join(f"{value:.4g}" for value in values)
    places = ", ".join(f"{place:.2f}" for place in SCAN)
    seen = f"as x[{feature}] takes {places} it is {shown} rad, {bend:.2g} rad off a straight line"
    square = np.polynomial.polynomial.polyfit(SCAN, values, 2)
    quadratic = np.allclose(np.polynomial.polynomial.polyval(SCAN, square), values, atol=1e-9)
    if quadratic:
        return {"seen": f"{seen}; it has a square", "hint": f"Use x[{feature}] itself in place of its square."}
    return {"seen": seen, "hint": f"Use x[{feature}] itself: no powers, functions, branches, rounding or clipping."}
