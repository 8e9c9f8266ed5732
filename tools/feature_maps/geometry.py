"""Where a quantum kernel could matter: how far its geometry is from classical kernels, and how simple it finds labels.

Definitions of Huang et al., "Power of data in quantum machine learning", Nature Communications 12, 2631 (2021),
arXiv:2011.01938. Kernels are scaled to trace N, the number of samples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.labelled_samples import Labels, Samples
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.classical import linear, rbf, scale_gamma

Real = NDArray[np.float64]
Kernel = NDArray[np.floating[Any]]
Spectrum = tuple[Real, Real]  # eigenvalues in growing order, and the eigenvectors as columns
REGULARISATIONS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # that are tried, in units of the mean eigenvalue of a kernel
REGULARISATION = 1e-3
MOST_SAMPLES = 250  # that a search takes for it; the cost grows with their cube
WIDTHS = {"RBF, gamma/4": 0.25, "RBF": 1.0, "RBF, 4 gamma": 4.0}  # of scikit-learn's gamma="scale"


@dataclass(frozen=True, slots=True)
class Geometry:
    """A quantum kernel beside the nearest of several classical ones.

    The error of a classical machine is bounded by that of the quantum one times ``g + g_training``, whatever the
    labels. So the classical kernel and the regularisation are taken for which this sum is smallest.

    Attributes:
        difference: g, from about 1 up to the square root of the number of samples.
        training_difference: its part for errors on training samples.
        nearest: the classical kernel.
        complexity: s / N of the quantum kernel for the labels; the error is bounded by a multiple of its square root.
            With its training part, and at the best regularisation.
        classical_complexity: the smallest of the classical kernels.
        samples: how many it was computed with.
    """

    difference: float
    training_difference: float
    nearest: str
    complexity: float
    classical_complexity: float
    samples: int


def geometric_difference(
    classical: Spectrum, quantum: Kernel, regularisation: float = REGULARISATION
) -> tuple[float, float]:
    """``g(K_C || K_Q)`` and its training part.

    ``g = sqrt(|sqrt(K_Q) sqrt(K_C) (K_C + l)^-2 sqrt(K_C) sqrt(K_Q)|)`` in the spectral norm, which for l = 0 is
    ``sqrt(|sqrt(K_Q) K_C^-1 sqrt(K_Q)|)``; the training part is ``l sqrt(|sqrt(K_Q) (K_C + l)^-2 sqrt(K_Q)|)``.

    Args:
        classical: `spectrum` of the classical kernel.
        quantum: shape (n, n).
        regularisation: l, in units of the mean eigenvalue; 0 only where no eigenvalue is.
    """
    values, vectors = classical
    inside = vectors.T @ _scaled(quantum) @ vectors
    weights = np.sqrt(values) / (values + regularisation)
    training = regularisation / (values + regularisation)
    return _root_norm(weights[:, None] * inside * weights), _root_norm(training[:, None] * inside * training)


def model_complexity(kernel: Spectrum, labels: Labels, regularisation: float = REGULARISATION) -> tuple[float, float]:
    """``s_K / N`` and its training part: ``|sqrt(K) (K + l)^-1 y|^2 / N`` and ``|l (K + l)^-1 y|^2 / N``.

    For l = 0 the first is ``y^T K^-1 y / N``. y is 1 and -1; with more than two classes the mean over y = 1 for one
    class and -1 for the others.
    """
    values, vectors = kernel
    classes = np.unique(labels)
    signs = np.where(np.equal.outer(classes[1:] if len(classes) == 2 else classes, labels), 1.0, -1.0)
    projected = ((signs @ vectors) ** 2).mean(axis=0) / len(labels)
    weights = 1 / (values + regularisation) ** 2
    return float(projected @ (values * weights)), float(projected @ weights) * regularisation**2


def _simplest(kernel: Spectrum, labels: Labels) -> float:
    """The complexity with its training part at the best regularisation."""
    both = [model_complexity(kernel, labels, each) for each in REGULARISATIONS]
    return min(float((own**0.5 + training**0.5) ** 2) for own, training in both)


def engineered_labels(classical: Kernel, quantum: Kernel) -> Labels:
    """Labels 0 and 1, equally many, that the quantum kernel finds simplest where the classical one finds them hardest.

    ``y = sqrt(K_Q) v`` with the top eigenvector v of the matrix whose norm is g squared, so that
    ``s_C = g^2 s_Q``; cut at its median.
    """
    values, vectors = spectrum(classical)
    weights = np.sqrt(values) / (values + REGULARISATION)
    root_values, root_vectors = spectrum(quantum)
    root = (root_vectors * np.sqrt(root_values)) @ root_vectors.T
    half = (weights[:, None] * vectors.T) @ root
    _, directions = np.linalg.eigh(half.T @ half)
    y = root @ directions[:, -1]
    return np.asarray(y > np.median(y), dtype=np.int64)


def classical_kernels(samples: Samples) -> dict[str, Kernel]:
    """The kernels that a quantum one is compared with: RBF of three widths, and the linear one."""
    gamma = scale_gamma(samples)
    centred = samples - samples.mean(axis=0)
    found: dict[str, Kernel] = {name: rbf(samples, samples, gamma=factor * gamma) for name, factor in WIDTHS.items()}
    return {**found, "linear": linear(centred, centred) + 1.0}


def geometry(quantum: Kernel, classical: Mapping[str, Kernel], labels: Labels) -> Geometry:
    """A quantum kernel beside classical ones, all of shape (n, n)."""
    spectra = {name: spectrum(kernel) for name, kernel in classical.items()}
    found = {
        (name, each): geometric_difference(own, quantum, each)
        for name, own in spectra.items()
        for each in REGULARISATIONS
    }
    nearest = min(found, key=lambda place: sum(found[place]))
    simplest = min(_simplest(own, labels) for own in spectra.values())
    return Geometry(*found[nearest], nearest[0], _simplest(spectrum(quantum), labels), simplest, len(labels))


def spread(n: int, most: int = MOST_SAMPLES) -> NDArray[np.int64]:
    """At most so many of n places, evenly spread."""
    return np.linspace(0, n - 1, min(n, most)).astype(np.int64)


def two_qubit_depth(circuit: Circuit) -> int:
    """The longest chain of gates on two or more wires that share wires."""
    return replace(circuit, gates=tuple(gate for gate in circuit.gates if len(gate.wires) > 1)).size()["depth"]


def pareto(points: Sequence[tuple[float, float, float]]) -> list[bool]:
    """Which points no other beats: (accuracy, geometric difference, two-qubit depth), the last better where smaller."""
    signed = np.array([(a, g, -depth) for a, g, depth in points]).reshape(-1, 3)
    return [not any((other >= own).all() and (other > own).any() for other in signed) for own in signed]


def _scaled(kernel: Kernel) -> Real:
    wide = np.asarray(kernel, dtype=np.float64)
    trace = float(np.trace(wide))
    if wide.ndim != 2 or wide.shape[0] != wide.shape[1] or trace <= 0:
        raise InputError(f"A kernel must be square with a positive trace; its shape is {wide.shape}.")
    return np.asarray((wide + wide.T) * (0.5 * len(wide) / trace))


def spectrum(kernel: Kernel) -> Spectrum:
    """Of the kernel scaled to trace N; rounding leaves no eigenvalue below 0."""
    values, vectors = np.linalg.eigh(_scaled(kernel))
    return np.maximum(values, 0.0), vectors


def _root_norm(matrix: Real) -> float:
    return float(np.sqrt(max(np.linalg.eigvalsh(matrix)[-1], 0.0)))
