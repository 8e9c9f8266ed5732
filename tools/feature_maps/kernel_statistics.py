"""What a kernel matrix is like: how well it fits the labels, and whether it has concentrated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.labelled_samples import Labels
from labwright.tools.errors import InputError

_ROWS = 512  # rows that are widened to eight bytes at a time


@dataclass(frozen=True, slots=True)
class KernelStatistics:
    """Of the kernel matrix of one set of samples.

    Attributes:
        alignment: with the labels, centred, -1 .. 1; see `statistics`.
        mean: of the entries off the diagonal.
        std: of the same; near 0 the kernel has concentrated, and no classifier can tell the samples apart.
    """

    alignment: float
    mean: float
    std: float


def statistics(kernel: NDArray[np.floating[Any]], labels: Labels) -> KernelStatistics:
    """Kernel-target alignment and concentration.

    ``A = <K, Y> / (|K| |Y|)`` in Frobenius' product, where ``Y[i, j]`` is 1 for samples of one class and 0 otherwise
    (Cristianini et al., NeurIPS 2001); centred, ``K`` and ``Y`` are ``H K H`` and ``H Y H`` with ``H = 1 - 11^T / n``
    (Cortes, Mohri and Rostamizadeh, JMLR 13, 795, 2012). Only sums are formed, so no copy of K is needed.

    Args:
        kernel: symmetric, shape (n, n).
        labels: class numbers, shape (n,).

    Raises:
        InputError: the shapes do not fit, or there are fewer than two samples.
    """
    n = len(labels)
    if kernel.shape != (n, n) or n < 2:
        raise InputError(f"{n} labels need a kernel of shape ({n}, {n}), n at least 2; it has {kernel.shape}.")
    one_hot = np.equal.outer(labels, np.unique(labels)).astype(np.float64)
    row_sums, squares, by_class = _sums(kernel, one_hot)
    sizes = one_hot.sum(axis=0)
    product = float(np.sum(by_class * one_hot))
    centred_product = product - float(2 / n * np.dot(one_hot @ sizes, row_sums))
    centred_product += float(row_sums.sum() * np.sum(sizes**2)) / n**2
    return KernelStatistics(
        _ratio(centred_product, _centred_norm(squares, row_sums, n) * _centred_labels_norm(sizes, n)),
        *_off_diagonal(kernel, float(row_sums.sum()), squares),
    )


def _sums(
    kernel: NDArray[np.floating[Any]], one_hot: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Sums of the rows, the sum of all squares, and sums of the rows by class; in double precision."""
    row_sums, squares, by_class = np.empty(len(kernel)), 0.0, np.empty(one_hot.shape)
    for start in range(0, len(kernel), _ROWS):
        rows = kernel[start : start + _ROWS].astype(np.float64)
        row_sums[start : start + _ROWS] = rows.sum(axis=1)
        by_class[start : start + _ROWS] = rows @ one_hot
        squares += float(np.vdot(rows, rows))
    return row_sums, squares, by_class


def _centred_norm(squares: float, row_sums: NDArray[np.float64], n: int) -> float:
    """``|H K H|``."""
    square = squares - 2 / n * float(np.dot(row_sums, row_sums)) + float(row_sums.sum() / n) ** 2
    # What is left of a constant kernel is rounding.
    return float(np.sqrt(square)) if square > 1e-9 * squares else 0.0


def _centred_labels_norm(sizes: NDArray[np.float64], n: int) -> float:
    """``|H Y H|`` from the number of samples in each class."""
    return float(np.sqrt(np.sum(sizes**2) - 2 / n * np.sum(sizes**3) + (np.sum(sizes**2) / n) ** 2))


def _off_diagonal(kernel: NDArray[np.floating[Any]], total: float, squares: float) -> tuple[float, float]:
    n = len(kernel)
    diagonal = np.diagonal(kernel).astype(np.float64)
    count = n * (n - 1)
    mean = (total - float(diagonal.sum())) / count
    variance = (squares - float(np.dot(diagonal, diagonal))) / count - mean**2
    return mean, float(np.sqrt(max(variance, 0.0)))


def _ratio(above: float, below: float) -> float:
    return above / below if below > 0 else 0.0
