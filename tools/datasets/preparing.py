"""Principal components scaled to 0 .. 1: what a feature map is given instead of the raw samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.base import Samples
from labwright.tools.errors import InputError

_NO_VARIANCE = 1e-6  # of the largest singular value; the covariance squares it, so rounding noise is about 1e-8


@dataclass(frozen=True, slots=True)
class Preparation:
    """``(V (x - mean) - low) / (high - low)``, as fitted on a training part.

    Attributes:
        mean: of the raw features, shape (n_raw,).
        components: V, shape (n_features, n_raw).
        low: smallest value of each component in the training part, shape (n_features,).
        high: largest value.
        explained_variance_ratio: share of the variance in each component, shape (n_features,).
        constant: how many raw features do not vary in the training part.
        empty: how many of the components do not vary there either; they are 0 for every sample.
    """

    mean: NDArray[np.float64]
    components: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    explained_variance_ratio: NDArray[np.float64]
    constant: int
    empty: int

    def apply(self, samples: Samples) -> Samples:
        """The prepared samples, shape (n_samples, n_features); values that train does not reach are not clipped."""
        projected: Samples = (samples - self.mean) @ self.components.T
        return (projected - self.low) / (self.high - self.low)


def fit_preparation(train: Samples, n_features: int, name: str) -> Preparation:
    """Fit the preparation to a training part.

    Args:
        train: raw samples, shape (n_train, n_raw).
        n_features: principal components to keep.
        name: of the data set, for messages.

    Raises:
        InputError: the samples do not have so many components.
    """
    from sklearn.decomposition import PCA

    n_train, n_raw = train.shape
    if not 1 <= n_features <= min(n_train, n_raw):
        raise InputError(
            f"{n_features} principal components cannot be had from {n_train} training samples of {n_raw} features"
            f" ({name}). Choose between 1 and {min(n_train, n_raw)}."
        )
    # Many more samples than features: the covariance is small, and much the faster way to the same components.
    solver = "covariance_eigh" if n_train >= 2 * n_raw else "full"
    pca = PCA(n_components=n_features, svd_solver=solver).fit(train)
    # A component without variance is rounding noise, which scaling to 0 .. 1 would blow up; it becomes 0 everywhere.
    empty = pca.singular_values_ <= _NO_VARIANCE * pca.singular_values_[0]
    components = np.where(empty[:, None], 0.0, pca.components_)
    projected = (train - pca.mean_) @ components.T
    constant = int(np.count_nonzero(np.ptp(train, axis=0) == 0))
    return Preparation(
        pca.mean_,
        components,
        projected.min(axis=0),
        np.where(empty, 1.0, projected.max(axis=0)),
        pca.explained_variance_ratio_,
        constant,
        int(np.count_nonzero(empty)),
    )
