"""Least-squares fits with starting points that come from the data, and what a fit is worth."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeWarning, curve_fit

from labwright.tools.errors import FitError
from labwright.tools.experiments.base import Estimate

Array = NDArray[np.float64]
Model = Callable[..., Array]


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A model fitted to data with known errors.

    Attributes:
        model: ``model(x, *values)``.
        names: the model's parameters, in order.
        values: best values, (n_parameters,).
        covariance: (n_parameters, n_parameters), from the data's errors.
        x: abscissa, (n_points,).
        y: data, (n_points,).
        sigma: one-sigma error of the data, (n_points,).
    """

    model: Model
    names: tuple[str, ...]
    values: Array
    covariance: Array
    x: Array
    y: Array
    sigma: Array

    def __getitem__(self, name: str) -> float:
        return float(self.values[self.names.index(name)])

    def error(self, name: str) -> float:
        """One-sigma error of a parameter."""
        index = self.names.index(name)
        return float(np.sqrt(self.covariance[index, index]))

    def estimate(self, name: str, unit: str = "") -> Estimate:
        """Value and error of a parameter."""
        return Estimate(self[name], self.error(name), unit)

    def curve(self, x: Array) -> Array:
        """The fitted model at `x`."""
        return self.model(x, *self.values)

    @property
    def pulls(self) -> Array:
        """Residuals in units of the data's errors, (n_points,)."""
        return (self.y - self.curve(self.x)) / self.sigma

    @property
    def reduced_chi_square(self) -> float:
        """Sum of squared pulls per degree of freedom; 1 for a true model."""
        return float(np.sum(self.pulls**2) / max(len(self.y) - len(self.values), 1))

    @property
    def r_squared(self) -> float:
        """Fraction of the data's variance that the fit explains."""
        spread = np.sum((self.y - self.y.mean()) ** 2)
        return float(1 - np.sum((self.y - self.curve(self.x)) ** 2) / spread) if spread > 0 else 0.0

    @property
    def follows_on(self) -> float:
        """How alike neighbouring pulls are, in sigma: far above 0 where the data swing about the curve, 0 for noise."""
        pulls = self.pulls
        return float(np.sqrt(len(pulls)) * np.sum(pulls[1:] * pulls[:-1]) / max(np.sum(pulls**2), 1e-12))

    @property
    def good(self) -> bool:
        """Whether the residuals are noise: reduced chi square below 1 + 5 of its own sigma.

        A tenth is allowed for what every model leaves out, and a fit that explains 99.5 % of the variance passes
        however small its error bars are. Residuals that swing to one side and the other are a signal already at half
        that excess.
        """
        sigma = np.sqrt(2 / max(len(self.y) - len(self.values), 1))
        excess = (self.reduced_chi_square - 1.1) / sigma
        swings = excess > 2.5 and self.follows_on > 3
        return bool(self.r_squared > 0.995 or (excess < 5 and not swings))


def least_squares(
    model: Model,
    names: Sequence[str],
    data: tuple[Array, Array, Array],
    start: Sequence[float],
    bounds: tuple[Sequence[float], Sequence[float]] | None = None,
) -> Fit:
    """Fit `model` to ``data = (x, y, sigma)``, weighted by the errors.

    Raises:
        FitError: no convergence, or the data do not determine a parameter.
    """
    x, y, sigma = (np.asarray(part, dtype=float) for part in data)
    if len(y) <= len(names):
        raise FitError(f"{len(y)} points do not determine {len(names)} parameters. Measure more points.")
    limits = bounds or (-np.inf, np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("error", OptimizeWarning)
        try:
            values, covariance = curve_fit(
                model, x, y, p0=list(start), sigma=sigma, absolute_sigma=True, bounds=limits, maxfev=2000
            )
        except (RuntimeError, ValueError, OptimizeWarning) as error:
            raise FitError(f"The fit of {', '.join(names)} does not converge: {error}. Change the sweep.") from error
    return Fit(model, tuple(names), values, covariance, x, y, sigma)


def fit_within(
    model: Model,
    names: Sequence[str],
    data: tuple[Array, Array, Array],
    start: Sequence[float],
    bounds: tuple[Sequence[float] | Array, Sequence[float] | Array],
) -> Fit:
    """`least_squares` within bounds; without them it is five times faster, and mostly they are not needed.

    Raises:
        FitError: no convergence, or the data do not determine a parameter.
    """
    low, high = (np.asarray(side, dtype=float) for side in bounds)
    try:
        free = least_squares(model, names, data, start)
        if np.all((free.values >= low) & (free.values <= high)):
            return free
    except FitError:
        pass
    return least_squares(model, names, data, start, (list(low), list(high)))


def constant_chi_square(y: Array, sigma: Array) -> float:
    """Reduced chi square of the best constant: about 1 where the data show nothing at all."""
    weight = 1 / sigma**2
    mean = np.sum(weight * y) / np.sum(weight)
    return float(np.sum(weight * (y - mean) ** 2) / max(len(y) - 1, 1))


def shows_signal(y: Array, sigma: Array) -> bool:
    """Whether the data differ from a constant by more than five sigma of chi square."""
    return bool(constant_chi_square(y, sigma) > 1 + 5 * np.sqrt(2 / max(len(y) - 1, 1)))


def swing(y: Array) -> float:
    """How far `y` goes from low to high, smoothed over five points so that noise does not count."""
    smooth = np.convolve(y, np.full(5, 0.2), mode="valid")
    return float(smooth.max() - smooth.min())


# --- oscillations -----------------------------------------------------------------------------------------------


def falling(x: Array) -> Array:
    """``exp(-x)``, cut off where a trial value far from the data would overflow."""
    return np.asarray(np.exp(-np.maximum(x, -50.0)))


def damped_cosine(t: Array, offset: float, amplitude: float, frequency: float, phase: float, rate: float) -> Array:
    """``offset + amplitude exp(-rate t) cos(2 pi frequency t + phase)``."""
    return offset + amplitude * falling(rate * t) * np.cos(2 * np.pi * frequency * t + phase)


def strongest_cosine(t: Array, y: Array) -> tuple[float, float, float, float]:
    """Offset, amplitude, frequency and phase of the cosine that explains most of `y`; the start of a fit.

    Solves a linear least-squares problem at every trial frequency between a quarter of an oscillation in the sweep
    and the Nyquist frequency (Lomb's periodogram with a floating mean), so that it holds for a sweep of less than
    one period too.
    """
    span = t[-1] - t[0]
    trial = np.arange(0.25, 0.5 * (len(t) - 1), 0.2) / span
    angle = 2 * np.pi * trial[:, None] * (t - t[0])
    basis = np.stack([np.ones_like(angle), np.cos(angle), np.sin(angle)], axis=1)
    normal = basis @ basis.transpose(0, 2, 1) + 1e-6 * np.eye(3)
    right = basis @ y
    solution = np.linalg.solve(normal, right[..., None])[..., 0]
    best = int(np.argmax(np.sum(solution * right, axis=1)))
    offset, c, s = solution[best]
    phase = np.arctan2(-s, c) - 2 * np.pi * trial[best] * t[0]
    return float(offset), float(np.hypot(c, s)), float(trial[best]), float(phase)


def fit_cosine(t: Array, y: Array, sigma: Array) -> Fit:
    """Fit an oscillation; parameters offset, amplitude (half of peak to peak), frequency, phase, rate of decay.

    Raises:
        FitError: the data do not determine an oscillation.
    """
    start = strongest_cosine(t, y)
    span = float(t[-1] - t[0])
    slack = 0.6 / span
    # a rate a little below zero is what noise makes of no decay; one much faster than the sweep is no oscillation
    low = np.array([-0.5, 0.0, max(start[2] - slack, 0.02 / span), -np.inf, -0.5 / span])
    high = np.array([1.5, 0.5, start[2] + slack, np.inf, 12 / span])
    first = [float(np.clip(start[0], -0.4, 1.4)), float(np.clip(start[1], 0.005, 0.45)), start[2], start[3], 0.1 / span]
    names = ["offset", "amplitude", "frequency", "phase", "rate"]
    return fit_within(damped_cosine, names, (t, y, sigma), first, (low, high))


# --- decays -----------------------------------------------------------------------------------------------------


def decay(t: Array, amplitude: float, rate: float) -> Array:
    """``amplitude exp(-rate t)``, without a floor: for differences of two preparations."""
    return amplitude * falling(rate * t)


def fit_decay(t: Array, y: Array, sigma: Array) -> Fit:
    """Fit an exponential decay; parameters amplitude, rate.

    Raises:
        FitError: the data do not determine a decay.
    """
    span = t[-1] - t[0]
    top = y[: max(len(y) // 16, 1)].mean()
    below = np.flatnonzero(y * np.sign(top) < abs(top) / np.e)
    guess = 1 / max(t[below[0]] - t[0], 0.02 * span) if len(below) else 0.5 / span
    return least_squares(decay, ["amplitude", "rate"], (t, y, sigma), [top, guess])


# --- lines in frequency -----------------------------------------------------------------------------------------


def gaussian_peak(x: Array, base: float, height: float, centre: float, width: float) -> Array:
    """A Gaussian line of standard deviation `width` on a flat base."""
    return base + height * np.exp(-((x - centre) ** 2) / (2 * width**2))


def fit_peak(x: Array, y: Array, sigma: Array) -> Fit:
    """Fit a Gaussian line at the largest excursion from the median; parameters base, height, centre, width."""
    base = float(np.median(y))
    top = int(np.argmax(np.abs(y - base)))
    spacing = float(np.min(np.diff(x)))
    span = float(x[-1] - x[0])
    start = [base, float(y[top] - base), float(x[top]), 1.5 * spacing]
    low = [-np.inf, -np.inf, float(x[0]) - spacing, 0.3 * spacing]
    high = [np.inf, np.inf, float(x[-1]) + spacing, span / 4]
    return least_squares(gaussian_peak, ["base", "height", "centre", "width"], (x, y, sigma), start, (low, high))
