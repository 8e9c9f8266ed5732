"""A mixture of round Gaussian blobs in the IQ plane, fitted by expectation maximisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Blobs of one common width, ordered 0, 1, 2, with a weight in each of the two preparations.

    Attributes:
        means: complex centres, (n_blobs,).
        sigma: width a quadrature.
        weights: (2, n_blobs), each row sums to 1.
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


def fit_mixture(
    ground: NDArray[np.complex128], excited: NDArray[np.complex128], blobs: int, rounds: int = 60
) -> Mixture:
    """Fit `blobs` blobs to shots of both preparations, (n_shots,) each.

    The noise of a readout chain is the same in both quadratures and for every state, hence one width. The start is
    the two preparations' means, moved apart; a third blob starts off their axis, where the most distant shots lie.
    """
    points = np.concatenate([ground, excited])
    rows = np.repeat([0, 1], [len(ground), len(excited)])
    means = _start(ground, excited, blobs)
    spread = float(np.sqrt(np.var(points) / 2))
    sigma = 0.7 * spread
    weights = np.full((2, blobs), 1 / blobs)
    likelihood = -np.inf
    for _ in range(rounds):
        exponent = -(np.abs(points[:, None] - means) ** 2) / (2 * sigma**2) + np.log(weights[rows] + 1e-12)
        top = exponent.max(axis=1, keepdims=True)
        share = np.exp(exponent - top)
        total = share.sum(axis=1, keepdims=True)
        share /= total
        before, likelihood = likelihood, float(np.sum(top + np.log(total)) - len(points) * np.log(2 * np.pi * sigma**2))
        mass = share.sum(axis=0) + 1e-9
        means = (share * points[:, None]).sum(axis=0) / mass
        sigma = float(np.sqrt(np.sum(share * np.abs(points[:, None] - means) ** 2) / (2 * len(points))))
        weights = np.stack([share[rows == row].mean(axis=0) for row in (0, 1)])
        if abs(likelihood - before) < 1e-6 * len(points):
            break
    order = [int(np.argmax(weights[0]))]
    order += sorted(set(range(blobs)) - set(order), key=lambda i: -(weights[1, i] - weights[0, i]))
    parameters = 2 * blobs + 1 + 2 * (blobs - 1)
    criterion = -2 * likelihood + parameters * np.log(len(points))
    return Mixture(means[order], sigma, weights[:, order], float(criterion))


def _start(ground: NDArray[np.complex128], excited: NDArray[np.complex128], blobs: int) -> NDArray[np.complex128]:
    low, shift = ground.mean(), excited.mean() - ground.mean()
    means = [low, low + 1.4 * shift]
    if blobs == 3:
        points = np.concatenate([ground, excited])
        away = np.abs(((points - low) * np.conj(shift)).imag) / (abs(shift) + 1e-12)
        means.append(points[away > np.quantile(away, 0.995)].mean())
    return np.array(means)
