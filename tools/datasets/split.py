"""Train, validation and test parts, and their preparation: principal components, scaled, fitted on train only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.checks import fingerprint
from labwright.tools.datasets.labelled_samples import Dataset, Labels, Part, SealedPart, Split
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from labwright.tools.datasets.feature_preparation import Preparation

Rows = NDArray[np.int64]
Sizes = tuple[float, float, float]

SHARES = (0.6, 0.2, 0.2)
FEWEST = 5  # independent samples a class: three to train on, one to validate, one to test


def prepare_split(
    dataset: Dataset,
    n_features: float | None,
    seed: int,
    sizes: Sizes | None = None,
    *,
    test: Dataset | None = None,
    scaling: str = "min-max",
) -> Split:
    """Split a data set by class and group, and prepare its parts.

    The parts have the same share of each class as far as whole samples allow. Samples of one group go to one part.

    Args:
        dataset: what to split.
        n_features: principal components to keep, the share of the variance that they hold, or None for all.
        seed: of the split.
        sizes: of train, validation and test, as shares that add up to at most 1 or as numbers of samples; None: what
            the data set says, else 60, 20 and 20 %. The test part may have 0.
        test: takes the place of the test part, such as the official test images of MNIST; the third part of the split
            is then trained on.
        scaling: of the components, one of `preparation.SCALINGS`.

    Raises:
        InputError: the data cannot be split so, or have fewer components; the message says which.
    """
    from labwright.tools.datasets.feature_preparation import Preparation  # scikit-learn takes a second to import

    shares, counts = _counted(sizes or dataset.sizes or SHARES, dataset)
    if test is not None:  # what the test part would have taken is trained on
        shares = (shares[0] + shares[2], shares[1], 0)
        counts = counts and (counts[0] + counts[2], counts[1], 0)
    rows = _rows(dataset, seed, shares, counts)
    train = rows[0]
    preparation = Preparation(scaling, n_features).fit(dataset.X[train])
    parts = [_part(dataset, preparation, one) for one in rows[:2]]
    if test is not None:
        _check_alike(dataset, test)
        parts.append(_part(test, preparation, np.arange(len(test.y))))
    else:
        parts.append(_part(dataset, preparation, rows[2]))
    facts = {**_facts(dataset, preparation, seed, parts, rows), "test_from": (test or dataset).name}
    groups = None if dataset.groups is None else dataset.groups[train]
    sealed, kept = SealedPart(parts[2]), parts[0].X.shape[1]
    return Split(dataset.name, parts[0], parts[1], sealed, dataset.classes, kept, preparation, facts, groups)


def _counted(sizes: Sizes, dataset: Dataset) -> tuple[Sizes, tuple[int, int, int] | None]:
    """The shares of the three parts, and how many samples each has if numbers were asked for."""
    if len(sizes) != 3 or min(sizes[:2]) <= 0 or sizes[2] < 0:
        raise InputError(f"`sizes` must be three numbers: train and validation above 0, and test; it is {sizes}.")
    total = sum(sizes)
    if all(isinstance(size, int) or float(size).is_integer() for size in sizes):
        if total > len(dataset.y):
            raise InputError(f"{dataset.name} has {len(dataset.y)} samples; the parts need {total:g}. Ask for fewer.")
        return (sizes[0] / total, sizes[1] / total, sizes[2] / total), (int(sizes[0]), int(sizes[1]), int(sizes[2]))
    if total > 1 + 1e-9:
        raise InputError(f"The shares {sizes} add up to {total:g}. They may add up to 1 at most.")
    return sizes, None


def _rows(dataset: Dataset, seed: int, shares: Sizes, counts: tuple[int, int, int] | None) -> tuple[Rows, Rows, Rows]:
    """Which samples go to which part."""
    groups = np.arange(len(dataset.y)) if dataset.groups is None else dataset.groups
    names, first = np.unique(groups, return_index=True)
    label = dataset.y[first]  # a group is counted under the class of its first sample
    _check_classes(dataset, label)
    random = np.random.Generator(np.random.Philox(key=[seed, 2]))
    whole = counts if counts is not None and dataset.groups is None else None
    parts = _stratified(label, whole or _shared(len(names), shares), random)
    found = []
    for number, part in enumerate(parts):
        rows = np.flatnonzero(np.isin(groups, names[part]))
        if counts is not None and dataset.groups is not None:
            rows = _thinned(dataset, rows, counts[number], random)
        if shares[number]:
            _check_part(dataset, rows)
        found.append(rows)
    return found[0], found[1], found[2]


def _shared(n: int, shares: Sizes) -> tuple[int, int, int]:
    """Whole numbers of n in these shares; what is left over goes to train if the shares add up to 1."""
    validation, test = round(n * shares[1]), round(n * shares[2])
    train = n - validation - test if sum(shares) > 1 - 1e-9 else round(n * shares[0])
    return train, validation, test


def _stratified(label: Labels, sizes: tuple[int, int, int], random: np.random.Generator) -> list[Rows]:
    """Disjoint draws of these sizes, each with the same share of each class as far as whole numbers allow."""
    queues = [random.permutation(np.flatnonzero(label == one)) for one in range(int(label.max()) + 1)]
    shares = np.array([len(queue) for queue in queues]) / len(label)
    left = np.array([len(queue) for queue in queues])
    parts = []
    for size in sizes:
        take = _apportioned(size * shares, size, left)
        parts.append(np.sort(np.concatenate([queue[:n] for queue, n in zip(queues, take, strict=True)])))
        queues = [queue[n:] for queue, n in zip(queues, take, strict=True)]
        left = left - take
    return parts


def _apportioned(ideal: NDArray[np.float64], total: int, most: NDArray[Any]) -> NDArray[np.int64]:
    """Whole numbers near the ideal ones, with this total and none above its most (largest remainders first)."""
    take: NDArray[np.int64] = np.minimum(np.floor(ideal).astype(np.int64), most)
    while take.sum() < total:
        short = np.where(take < most, ideal - take, -np.inf)
        take[int(np.argmax(short))] += 1
    return take


def _thinned(dataset: Dataset, rows: Rows, count: int, random: np.random.Generator) -> Rows:
    """As many of these samples as asked for, stratified."""
    if count > len(rows):
        raise InputError(
            f"{dataset.name}: a part should have {count} samples, but its groups hold {len(rows)}. Ask for fewer."
        )
    kept, _, _ = _stratified(dataset.y[rows], (count, 0, 0), random)
    return rows[kept]


def _check_classes(dataset: Dataset, label: Labels) -> None:
    counts = np.bincount(label, minlength=len(dataset.classes))
    fewest = int(np.argmin(counts))
    if counts[fewest] < FEWEST:
        kind = "samples" if dataset.groups is None else "groups of samples"
        raise InputError(
            f"Class {dataset.classes[fewest]!r} of {dataset.name} has only {counts[fewest]} {kind}; a split needs at"
            f" least {FEWEST}. Add samples or leave the class out."
        )


def _check_part(dataset: Dataset, rows: Rows) -> None:
    missing = np.flatnonzero(np.bincount(dataset.y[rows], minlength=len(dataset.classes)) == 0)
    if len(missing):
        raise InputError(
            f"A part of {len(rows)} samples of {dataset.name} has none of class {dataset.classes[missing[0]]!r}."
            " Make the parts larger or leave the class out."
        )


def _check_alike(dataset: Dataset, test: Dataset) -> None:
    if test.X.shape[1] != dataset.X.shape[1] or test.classes != dataset.classes:
        raise InputError(
            f"{test.name} has {test.X.shape[1]} features and the classes {', '.join(test.classes)}; {dataset.name} has"
            f" {dataset.X.shape[1]} and {', '.join(dataset.classes)}. Test on data of the same kind."
        )
    if test.sha256 == dataset.sha256:
        raise InputError(f"{test.name} is the data set that is trained on. Test on other samples.")


def _part(dataset: Dataset, preparation: Preparation, rows: Rows) -> Part:
    X = preparation.transform(dataset.X[rows]) if len(rows) else np.empty((0, len(preparation.low_)))  # noqa: N806
    return Part(X, dataset.y[rows], dataset.X[rows], rows)


def _facts(
    dataset: Dataset, preparation: Preparation, seed: int, parts: list[Part], rows: tuple[Rows, Rows, Rows]
) -> dict[str, Any]:
    train = parts[0]
    ratio = preparation.explained_variance_ratio_
    return {
        "data_set": dataset.name,
        "data_set_sha256": dataset.sha256,
        "notes": list(dataset.notes),
        "seed": seed,
        "n_train": len(train.y),
        "n_validation": len(parts[1].y),
        "n_test": len(parts[2].y),
        "n_raw_features": dataset.X.shape[1],
        "n_constant_features": preparation.n_constant_,
        "n_empty_components": preparation.n_empty_,
        "n_features": len(ratio),
        "n_classes": len(dataset.classes),
        "classes": list(dataset.classes),
        "train_class_counts": dict(zip(dataset.classes, np.bincount(train.y).tolist(), strict=True)),
        "explained_variance": round(float(ratio.sum()), 6),
        "explained_variance_ratio": [round(float(one), 6) for one in ratio],
        "feature_std": [round(float(one), 6) for one in train.X.std(axis=0)],
        "scaling": preparation.scaling,
        "preprocessing": preparation.describe(),
        "train_sha256": fingerprint(train.X, train.y),
        "disjoint_groups": dataset.groups is None or _disjoint([dataset.groups[one] for one in rows]),
    }


def _disjoint(parts: list[Labels]) -> bool:
    return sum(len(np.unique(part)) for part in parts) == len(np.unique(np.concatenate(parts)))
