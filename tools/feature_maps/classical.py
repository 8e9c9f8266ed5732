"""Classical kernels, and the rank-weighted RBF that a graded quantum map must be compared with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float64]


def scale_gamma(samples: Samples) -> float:
    """``1 / (n_features Var(X))``, what scikit-learn calls gamma="scale"; of the training samples."""
    variance = float(samples.var())
    return 1.0 / (samples.shape[1] * variance) if variance else 1.0


def linear(samples: Samples, others: Samples) -> Samples:
    """``x . y``, shape (n_samples, n_others)."""
    return samples @ others.T


def polynomial(samples: Samples, others: Samples, *, degree: int, gamma: float, coef0: float) -> Samples:
    """``(gamma x . y + coef0)^degree``, shape (n_samples, n_others)."""
    found: Samples = (gamma * (samples @ others.T) + coef0) ** degree
    return found


def sigmoid(samples: Samples, others: Samples, *, gamma: float, coef0: float) -> Samples:
    """``tanh(gamma x . y + coef0)``, shape (n_samples, n_others); not positive semidefinite everywhere."""
    found: Samples = np.tanh(gamma * (samples @ others.T) + coef0)
    return found


def rbf(samples: Samples, others: Samples, *, gamma: float) -> Samples:
    """``exp(-gamma |x - y|^2)``, shape (n_samples, n_others)."""
    distances = (samples**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)[None, :] - 2 * (samples @ others.T)
    found: Samples = np.exp(-gamma * np.maximum(distances, 0.0))
    return found


def rank_weights(n_features: int, block: int, decay: float) -> Samples:
    """``decay^b`` for the features of block b, which hold `block` components each in the order of their rank."""
    ranks = np.arange(n_features) // block
    return np.power(decay, ranks, dtype=np.float64)
