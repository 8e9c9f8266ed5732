"""A Bloch vector that turns about one axis: the three rates of the turning, from all three components."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from labwright.tools.errors import FitError
from labwright.tools.experiments.fits import Array

TRIALS_PER_POINT = 8


@dataclass(frozen=True, slots=True, eq=False)
class Turning:
    """``exp(-G t) R(2 pi W t) r0``: a right-handed rotation about W, of a vector that starts anywhere.

    Attributes:
        rates: W, (3,) in MHz: parts of the turning about x, y and z.
        covariance: of `rates`, (3, 3), from the data's errors.
        start: r0, (3,).
        decay: G, 1/us.
        reduced_chi_square: 1 for a true model.
        r_squared: share of the data's power that the model explains.
    """

    rates: Array
    covariance: Array
    start: Array
    decay: float
    reduced_chi_square: float
    r_squared: float

    @property
    def speed(self) -> float:
        """Turns a us."""
        return float(np.linalg.norm(self.rates))

    def curve(self, t: Array) -> Array:
        """(3, n): x, y and z."""
        return turned(self.rates, self.start, self.decay, t)


def turned(rates: Array, start: Array, decay: float, t: Array) -> Array:
    """The vector `start` at the times `t` (us), (3, n) (Rodrigues)."""
    speed = max(float(np.linalg.norm(rates)), 1e-12)
    axis = rates / speed
    along, across = axis * (axis @ start), np.cross(axis, start)
    angle = 2 * np.pi * speed * t
    around = np.outer(start - along, np.cos(angle)) + np.outer(across, np.sin(angle))
    return np.asarray((along[:, None] + around) * np.exp(-np.clip(decay * t, -20, 50)))


def fit_turning(t: Array, vector: Array, error: Array) -> Turning:
    """Fit x, y and z against time, (3, n), with their one-sigma errors (3, n).

    Raises:
        FitError: nothing turns.
    """
    rates, start = _guess(t, vector, error)

    def pulls(values: Array) -> Array:
        return np.asarray(((turned(values[:3], values[3:6], values[6], t) - vector) / error).ravel())

    scale = [0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 0.05]
    found = least_squares(pulls, [*rates, *start, 0.02], x_scale=scale, method="trf", max_nfev=300)
    values = found.x
    covariance = np.linalg.pinv(found.jac.T @ found.jac)
    rest = float(((turned(values[:3], values[3:6], values[6], t) - vector) ** 2).sum())
    share = 1 - rest / float((vector**2).sum())
    chi = float(2 * found.cost / (vector.size - len(values)))
    return Turning(values[:3], covariance[:3, :3], values[3:6], float(values[6]), chi, share)


def _guess(t: Array, vector: Array, error: Array) -> tuple[Array, Array]:
    """Rates and start: of all speeds up to Nyquist the one whose circle lies nearest to the points."""
    spacing, whole = float(np.diff(t).min()), float(t[-1] - t[0])
    best: tuple[float, float, Array] | None = None
    for speed in np.linspace(0.15 / whole, 0.5 / spacing, TRIALS_PER_POINT * len(t)):
        angle = 2 * np.pi * speed * t
        basis = np.stack([np.ones_like(t), np.cos(angle), np.sin(angle)], axis=1)
        parts, *_ = np.linalg.lstsq(basis, vector.T, rcond=None)
        misfit = float(((basis @ parts - vector.T) ** 2 / error.T**2).sum())
        if best is None or misfit < best[0]:
            best = misfit, float(speed), parts
    assert best is not None
    _, speed, (middle, cosine, sine) = best
    axis = np.cross(cosine, sine)
    if np.linalg.norm(cosine) < 3 * float(np.median(error)) / np.sqrt(len(t)) or not axis.any():
        raise FitError("The vector does not turn. Drive harder, take a longer sweep, or more shots.")
    return speed * axis / np.linalg.norm(axis), middle + cosine
