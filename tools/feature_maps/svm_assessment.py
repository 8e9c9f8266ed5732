"""How good a feature map is: a support vector machine on its kernel, validated, cross-validated and timed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.labelled_samples import Labels, Part, Split
from labwright.tools.errors import InputError, MemoryLimitError
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.geometry import Geometry, classical_kernels, geometry, spread
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.kernel_statistics import statistics
from labwright.tools.feature_maps.simulate import Precision

Kernel = NDArray[np.floating[Any]]

FOLDS = 3


@dataclass(frozen=True, slots=True)
class Scores:
    """Of predicted against true classes, 0 .. 1; precision, recall and F1 are means over the classes (macro).

    Attributes:
        accuracy: share of right predictions.
        precision: of what was called a class, the share that is.
        recall: of what is a class, the share that was called so.
        f1: harmonic mean of the two, class by class.
    """

    accuracy: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a support vector machine makes of a kernel.

    Attributes:
        validation: of the validation part.
        cross_validation: mean accuracy over the folds of the training part.
        selection: what candidates are compared by; see `selection_score`.
        seconds: of fitting and predicting.
    """

    validation: Scores
    cross_validation: float
    selection: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an evaluation of a feature map finds.

    Attributes:
        validation: scores of the validation part.
        cross_validation: mean accuracy over the folds of the training part.
        selection: what candidates are compared by; see `selection_score`.
        alignment: centred kernel-target alignment of the training kernel.
        concentration: standard deviation of the training kernel off its diagonal; near 0 it has concentrated.
        kernel_seconds: on the clock, for both kernels.
        training_seconds: on the clock, for fitting and predicting.
        mean_kernel: mean of the training kernel off its diagonal.
        geometry: the training kernel beside classical ones; see `geometry`.
    """

    validation: Scores
    cross_validation: float
    selection: float
    alignment: float
    concentration: float
    kernel_seconds: float
    training_seconds: float
    mean_kernel: float = 0.0
    geometry: Geometry | None = None


def assess(
    circuit: Circuit,
    split: Split,
    *,
    C: float = 1.0,  # noqa: N803 (the field's letter)
    folds: int = FOLDS,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
    seed: int = 0,
) -> Assessment:
    """Evaluate a feature map on the training and validation parts; the test part stays sealed.

    The training kernel is computed once; folds are taken from it by index.

    Args:
        circuit: the feature map.
        split: prepared data with as many components as the map has features.
        C: penalty of the support vector machine.
        folds: of cross-validation.
        precision: of the states.
        memory_mb: what kernels and classifier may use, MB.
        seed: of the folds.

    Raises:
        InputError: the map is for another number of features, or a class has fewer samples than there are folds.
        MemoryLimitError: the kernels would not fit.
    """
    check_kernel_memory(split, len(split.validation.y), memory_mb)
    started = time.perf_counter()
    train, validation = kernels(circuit, split.train, split.validation, precision=precision, memory_mb=memory_mb)
    kernel_seconds = time.perf_counter() - started
    judged = judge(train, validation, split, C=C, folds=folds, seed=seed)
    found, nearest = statistics(train, split.train.y), _geometry(train, split.train)
    scored = (judged.validation, judged.cross_validation, judged.selection)
    return Assessment(*scored, found.alignment, found.std, kernel_seconds, judged.seconds, found.mean, nearest)


def selection_of(
    circuit: Circuit,
    split: Split,
    *,
    C: float = 1.0,  # noqa: N803 (the field's letter)
    folds: int = FOLDS,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
    seed: int = 0,
) -> float:
    """Only what candidates are compared by, for a search over many; the geometry takes longer than the kernels.

    See `assess`.
    """
    check_kernel_memory(split, len(split.validation.y), memory_mb)
    train, validation = kernels(circuit, split.train, split.validation, precision=precision, memory_mb=memory_mb)
    return judge(train, validation, split, C=C, folds=folds, seed=seed).selection


def _geometry(kernel: Kernel, train: Part) -> Geometry:
    rows = spread(len(train.y))
    return geometry(kernel[np.ix_(rows, rows)], classical_kernels(train.X[rows]), train.y[rows])


def kernels(
    circuit: Circuit, train: Part, other: Part, *, precision: Precision, memory_mb: float
) -> tuple[Kernel, Kernel]:
    """Training kernel, shape (n_train, n_train), and that of another part against it, shape (n_other, n_train)."""
    return (
        kernel_matrix(circuit, train.X, precision=precision, memory_mb=memory_mb),
        kernel_matrix(circuit, other.X, train.X, precision=precision, memory_mb=memory_mb),
    )


def judge(
    train: Kernel,
    validation: Kernel,
    split: Split,
    *,
    C: float = 1.0,  # noqa: N803 (the field's letter)
    folds: int = FOLDS,
    seed: int = 0,
) -> Judgement:
    """Validate and cross-validate a support vector machine on precomputed kernels.

    Args:
        train: shape (n_train, n_train).
        validation: shape (n_validation, n_train).
        split: that they were computed from.
        C: penalty.
        folds: of cross-validation.
        seed: of the folds.
    """
    started = time.perf_counter()
    machine = fitted(train, split.train.y, C)
    found = scores(split.validation.y, machine.predict(validation))
    crossed = cross_validated(train, split, C, folds, seed)
    return Judgement(
        found,
        crossed,
        selection_score(found.accuracy, len(split.validation.y), crossed, len(split.train.y)),
        time.perf_counter() - started,
    )


def selection_score(validation: float, n_validation: int, cross_validation: float, n_train: int) -> float:
    """Mean of the two accuracies, weighted by the samples that each was measured on.

    Every sample of both parts is then predicted once by a machine that has not seen it. The validation part alone is
    small, and a search that compares many maps by it soon fits its noise.
    """
    return (n_validation * validation + n_train * cross_validation) / (n_validation + n_train)


def scores(true: Labels, predicted: Labels) -> Scores:
    """Accuracy and macro precision, recall and F1; a class that was never predicted has precision 0."""
    from sklearn.metrics import precision_recall_fscore_support

    precision, recall, f1, _ = precision_recall_fscore_support(
        true, predicted, labels=np.unique(true), average="macro", zero_division=0.0
    )
    return Scores(float(np.mean(true == predicted)), float(precision), float(recall), float(f1))


def fitted(kernel: Kernel, labels: Labels, C: float) -> Any:  # noqa: N803 (the field's letter)
    """A support vector machine fitted to a precomputed kernel of shape (n, n)."""
    from sklearn.svm import SVC

    return SVC(C=C, kernel="precomputed").fit(kernel, labels)


def cross_validated(
    kernel: Kernel,
    split: Split,
    C: float,  # noqa: N803 (the field's letter)
    folds: int,
    seed: int,
) -> float:
    """Mean accuracy over stratified folds of the training part; groups stay whole."""
    y = split.train.y
    fewest = int(np.bincount(y)[np.unique(y)].min())
    if not 2 <= folds <= fewest:
        raise InputError(
            f"{folds} folds cannot be had: the smallest class has {fewest} training samples."
            " Ask for between 2 folds and that many."
        )
    right = 0
    for fit, held in folds_of(split, folds, seed):
        machine = fitted(kernel[np.ix_(fit, fit)], y[fit], C)
        right += int(np.sum(machine.predict(kernel[np.ix_(held, fit)]) == y[held]))
    return right / len(y)


def check_kernel_memory(split: Split, n_other: int, memory_mb: float) -> None:
    """Refuse kernels that would not fit, before they are computed.

    The classifier widens the training kernel to eight bytes, and a fold copies part of it.

    Raises:
        MemoryLimitError: they would not fit.
    """
    n = len(split.train.y)
    needed = (n * n * (8 + 8 + 4) + n * n_other * (8 + 8)) / 1e6
    if needed > memory_mb:
        raise MemoryLimitError(
            f"A kernel of {n} training samples", needed, memory_mb, "Use fewer samples, or allow more memory."
        )


def folds_of(split: Split, folds: int = FOLDS, seed: int = 0) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Stratified folds of the training part as (kept, held out) rows; groups stay whole."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if split.groups is None else StratifiedGroupKFold
    drawn = kind(n_splits=folds, shuffle=True, random_state=seed)
    return list(drawn.split(np.zeros(len(split.train.y)), split.train.y, split.groups))
