"""A mixture of round Gaussian blobs in the IQ plane, fitted by expectation maximisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from labwright.tools.experiments.fits import Array, Fit, least_squares

BINS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Blobs of one common width, ordered 0, 1, 2, with a weight in each of the preparations.

    Attributes:
        means: complex centres, (n_blobs,).
        sigma: width a quadrature.
        weights: (n_preparations, n_blobs), each row sums to 1.
        bayes_criterion: -2 log likelihood + parameters log(points); the smaller the better.
    """

    means: NDArray[np.complex128]
    sigma: float
    weights: NDArray[np.float64]
    bayes_criterion: float

    @property
    def separation(self) -> float:
        """Distance of blobs 0 and 1."""
        return float(abs(self.means[1] - self.means[0]))

    @property
    def off_axis(self) -> float:
        """Distance of the third blob from the line through the first two, in units of `sigma`."""
        along = (self.means[1] - self.means[0]) / (self.separation + 1e-12)
        return float(abs(((self.means[2] - self.means[0]) * np.conj(along)).imag) / self.sigma)


def fit_mixture(
    ground: NDArray[np.complex128], excited: NDArray[np.complex128], blobs: int, rounds: int = 80,
    second: NDArray[np.complex128] | None = None,
) -> Mixture:  # fmt: skip
    """Fit `blobs` blobs to shots of both preparations, (n_shots,) each, and of level 2 where that is prepared, too.

    The noise of a readout chain is the same in both quadratures and for every state, hence one width. The start is
    the two preparations' means, moved apart; a third blob starts off their axis, where the most distant shots lie, or
    where those of level 2 lie that are far from both.
    Shots are first gathered into small squares, each of which counts as its shots' mean: a few hundred points
    instead of thousands, and no bias of the centres.
    """
    prepared = [ground, excited] if second is None else [ground, excited, second]
    points, counts, spread_inside = _gathered(prepared)
    number = counts.sum()
    means = _start(ground, excited, blobs, second)
    sigma = 0.7 * float(np.sqrt(np.var(np.concatenate([ground, excited])) / 2))
    weights = np.full((len(prepared), blobs), 1 / blobs)
    likelihood = -np.inf
    for _ in range(rounds):
        distance = np.abs(points[:, None] - means) ** 2
        density = np.exp(-distance / (2 * sigma**2)) / (2 * np.pi * sigma**2)
        parts = density[None] * weights[:, None, :] + 1e-300  # (n_preparations, n_points, n_blobs)
        total = parts.sum(axis=2)
        share = parts / total[..., None] * counts[..., None]
        before, likelihood = likelihood, float(np.sum(counts * np.log(total)))
        both = share.sum(axis=0)
        mass = both.sum(axis=0) + 1e-9
        means = (both * points[:, None]).sum(axis=0) / mass
        distance = np.abs(points[:, None] - means) ** 2
        sigma = float(np.sqrt((np.sum(both * distance) + spread_inside) / (2 * number)))
        weights = share.sum(axis=1) / counts.sum(axis=1, keepdims=True)
        if abs(likelihood - before) < 1e-7 * number:
            break
    order = [int(np.argmax(weights[0]))]
    order += sorted(set(range(blobs)) - set(order), key=lambda i: -(weights[1, i] - weights[0, i]))
    if second is not None:  # blob 2 is where the second pulse moves most
        order[1:] = sorted(order[1:], key=lambda i: float(weights[2, i] - weights[1, i]))
    parameters = 2 * blobs + 1 + 2 * (blobs - 1)
    criterion = -2 * likelihood + parameters * np.log(number)
    return Mixture(means[order], sigma, weights[:, order], float(criterion))


def fit_jumps(projected: Array, start: Mixture, angle: float) -> Fit:
    """Fit histograms of shots of both preparations, projected along `angle`, (2, n_shots); parameters low, sigma, snr.

    A qubit that jumps during readout leaves its shot between the blobs, which a mixture takes for wider blobs closer
    together. Here those that jump while the resonator fills have a share `early` of the window behind them, and those
    that relax in the rest of it lie anywhere between the blobs.

    Raises:
        FitError: the blobs overlap so far that the data do not determine all this.
    """
    edges = np.linspace(projected.min(), projected.max(), BINS + 1)
    counts = np.concatenate([np.histogram(row, edges)[0] for row in projected])
    middles, scale = (edges[1:] + edges[:-1]) / 2, projected.shape[1] * (edges[1] - edges[0]) / np.sqrt(2 * np.pi)

    def model(
        _x: Array, low: float, sigma: float, snr: float, early: float, excited: float, decayed: float, late: float
    ) -> Array:
        z = (middles - low) / sigma
        zero, one, up, down = (np.exp(-((z - snr * at) ** 2) / 2) for at in (0, 1, 1 - early, early))
        between = np.sqrt(2 * np.pi) * (ndtr(z) - ndtr(z - snr)) / snr
        first = (1 - excited) * zero + excited * up
        second = (1 - decayed - late) * one + decayed * down + late * between
        return np.asarray(np.concatenate([first, second]) * scale / sigma)

    names = ["low", "sigma", "snr", "early", "excited", "decayed", "late"]
    low = float((start.means[0] * np.exp(-1j * angle)).real)
    begin = [low, start.sigma, start.separation / start.sigma, 0.05, start.weights[0, 1], start.weights[1, 0], 0.02]
    x = np.arange(2.0 * BINS)
    fit = least_squares(model, names, (x, counts, np.full(2 * BINS, np.sqrt(counts.mean()))), begin)
    return least_squares(model, names, (x, counts, np.sqrt(np.maximum(fit.curve(x), 0.5))), list(fit.values))


def _gathered(
    prepared: list[NDArray[np.complex128]], squares: int = 40
) -> tuple[NDArray[np.complex128], NDArray[np.float64], float]:
    """Mean shot of every occupied square, counts of the preparations (k, n), and the squared spread lost inside."""
    shots = np.concatenate(prepared)
    row = np.repeat(np.arange(len(prepared)), [len(each) for each in prepared])
    low = shots.real.min() + 1j * shots.imag.min()
    side = max(np.ptp(shots.real), np.ptp(shots.imag)) * (1 + 1e-9) / squares
    place = ((shots - low).real / side).astype(int) * squares + ((shots - low).imag / side).astype(int)
    occupied, index = np.unique(place, return_inverse=True)
    counts = np.stack([np.bincount(index[row == r], minlength=len(occupied)) for r in range(len(prepared))]).astype(
        float
    )
    number = counts.sum(axis=0)
    means = (np.bincount(index, shots.real) + 1j * np.bincount(index, shots.imag)) / number
    return means, counts, float(np.sum(np.abs(shots - means[index]) ** 2))


def _start(
    ground: NDArray[np.complex128], excited: NDArray[np.complex128], blobs: int,
    second: NDArray[np.complex128] | None,
) -> NDArray[np.complex128]:  # fmt: skip
    low, shift = ground.mean(), excited.mean() - ground.mean()
    means = [low, low + 1.4 * shift]
    if second is not None:
        away = np.min(np.abs(second[:, None] - np.array(means)), axis=1)
        means.append(second[away > np.quantile(away, 0.8)].mean())
    elif blobs == 3:
        points = np.concatenate([ground, excited])
        away = np.abs(((points - low) * np.conj(shift)).imag) / (abs(shift) + 1e-12)
        means.append(points[away > np.quantile(away, 0.995)].mean())
    return np.array(means)
