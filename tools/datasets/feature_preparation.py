"""What a feature map is given instead of the raw samples: principal components in a common range. One fitted object."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import PCA
from sklearn.utils.validation import check_is_fitted, validate_data

from labwright.tools.errors import InputError

Scaling = Literal["min-max", "standardise", "whiten", "none"]
SCALINGS: tuple[Scaling, ...] = get_args(Scaling)

_NO_VARIANCE = 1e-6  # of the largest singular value; the covariance squares it, so rounding noise is about 1e-8
_ARRAYS = ("mean_", "raw_scale_", "components_", "low_", "span_", "explained_variance_ratio_")
_COUNTS = ("n_features_in_", "n_constant_", "n_empty_")
_WORDS: dict[Scaling, str] = {
    "min-max": "each scaled to 0 .. 1 by its smallest and largest value in the training part",
    "standardise": "of raw features with mean 0 and variance 1; all divided by one number and centred at 0.5",
    "whiten": "each scaled to variance 1, then all divided by one number and centred at 0.5",
    "none": "all divided by one number and centred at 0.5, so that they keep their ratios",
}


class Preparation(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Principal components in a common range: ``(V ((x - mean) / raw_scale) - low) / span``.

    The widest component of the training samples spans 1. With ``min-max`` every component does; with ``whiten`` all
    have one variance; with ``standardise`` and ``none`` they keep their ratios, and only one number scales them all.
    Values that the training samples do not reach are not clipped.

    Args:
        scaling: one of `SCALINGS`. ``standardise`` divides the raw features by their standard deviations first.
        features: how many components to keep; a fraction keeps that share of the variance; None keeps all.

    Attributes:
        mean_: of the raw features, shape (n_raw,).
        raw_scale_: standard deviations of the raw features, or ones, shape (n_raw,).
        components_: V, shape (n_features, n_raw); zero where the training samples do not vary.
        low_: of each component, shape (n_features,).
        span_: what each component is divided by, shape (n_features,).
        explained_variance_ratio_: share of the variance in each component, shape (n_features,).
        n_constant_: how many raw features do not vary in the training samples.
        n_empty_: how many of the components do not vary there either; they are constant for every sample.
    """

    def __init__(self, scaling: str = "min-max", features: float | None = None) -> None:
        self.scaling = scaling
        self.features = features

    def fit(self, X: Any, y: Any = None) -> Preparation:  # noqa: N803 (scikit-learn's letters)
        """Fit to training samples, shape (n_train, n_raw).

        Raises:
            InputError: there is no such scaling, or there are not so many components.
        """
        if self.scaling not in SCALINGS:
            raise InputError(f"There is no scaling {self.scaling!r}. Choose one of {', '.join(SCALINGS)}.")
        samples = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        varies = np.ptp(samples, axis=0) > 0
        deviations = samples.std(axis=0)
        divides = self.scaling == "standardise"
        self.raw_scale_ = np.where(varies & (deviations > 0), deviations, 1.0) if divides else np.ones(len(varies))
        self.n_constant_ = int(np.count_nonzero(~varies))
        self._rotate(samples)
        self._place(self._projected(samples))
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:  # noqa: N803 (scikit-learn's letters)
        """The prepared samples, shape (n_samples, n_features)."""
        check_is_fitted(self)
        samples = validate_data(self, X, dtype=np.float64, reset=False)
        prepared: NDArray[np.float64] = (self._projected(samples) - self.low_) / self.span_
        return prepared

    def to_dict(self) -> dict[str, Any]:
        """The fitted preparation as plain data; `from_dict` reads it back to the last bit."""
        check_is_fitted(self)
        arrays = {name: getattr(self, name).tolist() for name in _ARRAYS}
        counts = {name: int(getattr(self, name)) for name in _COUNTS}
        return {"scaling": self.scaling, "features": self.features, **arrays, **counts}

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Preparation:
        """The preparation that `to_dict` wrote.

        Raises:
            InputError: an entry is missing, or the shapes do not fit.
        """
        try:
            found = cls(plain["scaling"], plain["features"])
            for name in _ARRAYS:
                setattr(found, name, np.array(plain[name], dtype=np.float64))
            for name in _COUNTS:
                setattr(found, name, int(plain[name]))
        except (KeyError, TypeError, ValueError) as wrong:
            raise InputError(f"This is not a saved preparation: {wrong!r}. Save the pipeline again.") from wrong
        kept, raw = (len(found.low_), found.n_features_in_)
        shapes = [getattr(found, name).shape for name in _ARRAYS]
        if shapes != [(raw,), (raw,), (kept, raw), (kept,), (kept,), (kept,)]:
            raise InputError(f"The arrays of a saved preparation have shapes that do not fit: {shapes}.")
        return found

    def describe(self) -> str:
        """What is done to a sample, in words."""
        return (
            f"{len(self.low_)} principal components in order of falling variance, {_WORDS[self.scaling]}; fitted on the"  # type: ignore[index]  # checked by fit
            " training part only; no clipping, so that validation and test values may lie a little outside 0 .. 1"
        )

    def _rotate(self, samples: NDArray[np.float64]) -> None:
        scaled = samples / self.raw_scale_
        n_train, n_raw = scaled.shape
        most = min(n_train, n_raw)
        wanted = most if self.features is None or 0 < self.features < 1 else self.features
        if wanted != int(wanted) or not 1 <= wanted <= most:
            raise InputError(
                f"{wanted} principal components cannot be had from {n_train} training samples of {n_raw} features."
                f" Choose between 1 and {most}, or a share of the variance below 1."
            )
        # Many more samples than features: the covariance is small, and much the faster way to the same components.
        solver = "covariance_eigh" if n_train >= 2 * n_raw else "full"
        pca = PCA(n_components=int(wanted), svd_solver=solver).fit(scaled)
        kept = self._kept(pca.explained_variance_ratio_)
        # A component without variance is rounding noise, which scaling would blow up; it becomes constant.
        empty = pca.singular_values_[:kept] <= _NO_VARIANCE * pca.singular_values_[0]
        self.mean_ = pca.mean_ * self.raw_scale_
        self.components_ = np.where(empty[:, None], 0.0, pca.components_[:kept])
        self.explained_variance_ratio_ = np.nan_to_num(pca.explained_variance_ratio_[:kept])
        self.n_empty_ = int(np.count_nonzero(empty))

    def _kept(self, ratio: NDArray[np.float64]) -> int:
        """How many components hold the wanted share of the variance."""
        if self.features is None or self.features >= 1:
            return len(ratio)
        return min(len(ratio), 1 + int(np.searchsorted(np.cumsum(ratio), self.features - 1e-12)))

    def _projected(self, samples: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = ((samples - self.mean_) / self.raw_scale_) @ self.components_.T
        return found

    def _place(self, projected: NDArray[np.float64]) -> None:
        low, range_ = projected.min(axis=0), np.ptp(projected, axis=0)
        range_ = np.where(self.components_.any(axis=1) & (range_ > 0), range_, 0.0)
        if self.scaling == "min-max":
            self.low_, self.span_ = np.where(range_ > 0, low, 0.0), np.where(range_ > 0, range_, 1.0)
            return
        own = np.where(range_ > 0, projected.std(axis=0), 1.0) if self.scaling == "whiten" else np.ones(len(range_))
        widest = float((range_ / own).max()) or 1.0
        self.span_ = own * widest
        # The middle of the training samples is the zero of the components; it becomes 0.5.
        self.low_ = -0.5 * self.span_
