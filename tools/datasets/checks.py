"""What every data set must be, wherever it came from."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.labelled_samples import Dataset, Labels, Samples
from labwright.tools.errors import InputError, MemoryLimitError

_LARGEST = 1e100  # its square times a million samples is still far from the largest double
COPIES = 3  # the samples as loaded, their parts, and what principal components are computed from


def check_memory(name: str, samples: int, features: int, memory_mb: float) -> None:
    """Refuse a data set that would not fit, before it is loaded.

    Args:
        name: of the data set.
        samples: number of samples that would be kept.
        features: numbers in a sample.
        memory_mb: what may be used, MB (1e6 bytes).

    Raises:
        MemoryLimitError: it would not fit.
    """
    needed = samples * features * 8 * COPIES / 1e6
    if needed > memory_mb:
        raise MemoryLimitError(
            f"The data set {name} with {samples} samples of {features} numbers",
            needed,
            memory_mb,
            "Use fewer samples, or allow more memory.",
        )


def dataset_of(
    name: str,
    samples: NDArray[Any],
    labels: NDArray[Any],
    *,
    groups: NDArray[Any] | None = None,
    class_names: tuple[str, ...] | None = None,
    sizes: tuple[int, int, int] | None = None,
    notes: tuple[str, ...] = (),
) -> Dataset:
    """A checked data set.

    Args:
        name: what the person called it.
        samples: numbers, shape (n_samples, n_raw).
        labels: of any kind that can be sorted, shape (n_samples,).
        groups: samples of one group stay together, shape (n_samples,).
        class_names: what labels 0, 1, ... stand for, if that is known.
        sizes: of the usual split.
        notes: what was done to it before.

    Raises:
        InputError: see the functions below.
    """
    _check_lengths(name, samples, labels, groups)
    values = np.ascontiguousarray(samples, dtype=np.float64)
    _check_finite(name, values)
    _check_range(name, values)
    y, classes = _classes(name, labels, class_names)
    numbers = None if groups is None else np.unique(groups, return_inverse=True)[1].astype(np.int64).reshape(-1)
    return Dataset(name, values, y, classes, numbers, fingerprint(values, y), sizes, notes)


def fingerprint(samples: Samples, labels: Labels) -> str:
    """64 hex digits that name samples and labels."""
    text = hashlib.sha256(f"{samples.shape}".encode())
    text.update(np.ascontiguousarray(samples, dtype="<f8").tobytes())
    text.update(np.ascontiguousarray(labels, dtype="<i8").tobytes())
    return text.hexdigest()


def _check_lengths(name: str, samples: NDArray[Any], labels: NDArray[Any], groups: NDArray[Any] | None) -> None:
    if samples.ndim != 2 or labels.ndim != 1:
        raise InputError(
            f"{name}: X must have shape (n_samples, n_features) and y shape (n_samples,),"
            f" but they have {samples.shape} and {labels.shape}."
        )
    n_samples, n_features = samples.shape
    if not n_samples or not n_features:
        raise InputError(f"{name} has {n_samples} samples of {n_features} features. Give a data set that is not empty.")
    if len(labels) != n_samples:
        raise InputError(f"{name} has {n_samples} samples but {len(labels)} labels. Give one label a sample.")
    if groups is not None and groups.shape != labels.shape:
        raise InputError(f"{name} has {n_samples} samples but `groups` has shape {groups.shape}. Give each a group.")


def _check_finite(name: str, samples: Samples) -> None:
    bad = ~np.isfinite(samples)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"{name} has {int(bad.sum())} numbers that are NaN or infinite, the first in sample {row},"
            f" feature {column} (from 0). Remove these samples or fill the gaps."
        )


def _check_range(name: str, samples: Samples) -> None:
    """Principal components square the samples: neither overflow nor underflow may come of it."""
    largest = float(np.abs(samples).max())
    if largest > _LARGEST:
        raise InputError(f"{name} has numbers up to {largest:.0e}, too large to be squared. Give them another unit.")
    spread = float(np.ptp(samples, axis=0).max())
    if spread == 0:
        raise InputError(f"Every feature of {name} is constant: nothing tells the classes apart. Check the file.")
    if spread < 1 / _LARGEST:
        raise InputError(f"The samples of {name} differ by {spread:.0e} at most, too close. Give them another unit.")


def _classes(name: str, labels: NDArray[Any], class_names: tuple[str, ...] | None) -> tuple[Labels, tuple[str, ...]]:
    """Class numbers 0, 1, ... in the order of the sorted labels, and what they stand for."""
    if labels.dtype.kind == "f":
        if not np.isfinite(labels).all():
            raise InputError(f"{name} has labels that are NaN or infinite. Give every sample a class.")
        if (labels != np.round(labels)).any():
            raise InputError(
                f"{name} has labels such as {labels[labels != np.round(labels)][0]:g}. Give classes, not measurements."
            )
        labels = labels.astype(np.int64)
    if labels.dtype.kind not in "biuUS":
        raise InputError(f"{name} has labels of type {labels.dtype}. Give whole numbers or text.")
    found, y = np.unique(labels, return_inverse=True)
    if len(found) < 2:
        raise InputError(f"All labels of {name} are {found[0]!s}. A classifier needs at least two classes.")
    if class_names is not None and int(found[-1]) >= len(class_names):
        raise InputError(f"{name} has the label {found[-1]}, but only {len(class_names)} classes. The file is damaged.")
    if class_names is not None:
        return y.astype(np.int64).reshape(-1), tuple(class_names[int(one)] for one in found)
    names = tuple(one.decode() if isinstance(one, bytes) else str(one) for one in found)
    return y.astype(np.int64).reshape(-1), names
