"""Labelled samples, and their split: what a search may see, and what stays sealed until its end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from labwright.tools.datasets.feature_preparation import Preparation

Samples = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Labelled samples as they came.

    Attributes:
        name: what the person called it.
        X: shape (n_samples, n_raw).
        y: class numbers, shape (n_samples,), 0 .. n_classes - 1.
        classes: what the numbers stand for.
        groups: samples of one group must not be split, such as distortions of one image; shape (n_samples,).
        sha256: of X and y.
        sizes: train, validation and test samples that it is usually split into; None: 60, 20 and 20 %.
        notes: what was done to it before, in plain words.
    """

    name: str
    X: Samples
    y: Labels
    classes: tuple[str, ...]
    groups: Labels | None
    sha256: str
    sizes: tuple[int, int, int] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the samples.

    Attributes:
        X: prepared, shape (n, n_features).
        y: class numbers, shape (n,).
        raw: the same samples as they came, shape (n, n_raw); for methods that prepare them in their own way.
        rows: which samples of the data set these are, shape (n,).
    """

    X: Samples
    y: Labels
    raw: Samples
    rows: Labels


class SealedPart:
    """The test part. It opens once; a search that looks twice has begun to fit it."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._opened = False

    def __len__(self) -> int:
        return len(self._part.y)

    @property
    def rows(self) -> Labels:
        """Which samples of the data set these are; nothing is seen of them."""
        return self._part.rows

    def open(self) -> Part:
        """The test part.

        Raises:
            InputError: it was opened before.
        """
        if self._opened:
            raise InputError("The test part was opened before. Prepare the split anew, for another search.")
        self._opened = True
        return self._part


@dataclass(frozen=True, slots=True)
class Split:
    """What a search works with.

    Attributes:
        name: of the data set.
        train: what is fitted to.
        validation: what candidates are compared by.
        sealed: the test part.
        classes: what the class numbers stand for.
        n_features: principal components kept.
        preparation: as fitted on the training part.
        facts: plain facts for prompts and reports: sizes, explained variance, what the preprocessing was.
        groups: of the training samples: cross-validation must not part a group either; shape (n_train,).
    """

    name: str
    train: Part
    validation: Part
    sealed: SealedPart
    classes: tuple[str, ...]
    n_features: int
    preparation: Preparation
    facts: dict[str, Any] = field(default_factory=dict)
    groups: Labels | None = None
