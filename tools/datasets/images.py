"""MNIST, Fashion-MNIST and CIFAR-10 from files that a person has downloaded. Nothing is unpickled."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.checks import check_memory, dataset_of
from labwright.tools.datasets.idx import idx_shape, read_idx
from labwright.tools.datasets.labelled_samples import Dataset
from labwright.tools.errors import InputError

Chosen = NDArray[np.int64]

_DIGITS = tuple("0123456789")
_CLOTHES = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
_CIFAR = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
_PREFIX = {"train": "train", "test": "t10k"}
_BATCHES = {"train": tuple(f"data_batch_{number}.bin" for number in range(1, 6)), "test": ("test_batch.bin",)}
_RECORD = 1 + 3 * 32 * 32  # a CIFAR-10 record: a label, then red, green and blue planes of 32 x 32


def mnist(
    name: str, folder: Path, *, part: Literal["train", "test"], max_samples: int | None, seed: int, memory_mb: float
) -> Dataset:
    """MNIST or Fashion-MNIST from its IDX files, plain or gzipped.

    Args:
        name: ``mnist:FOLDER`` or ``fashion-mnist:FOLDER``.
        folder: holds the files under their official names.
        part: official training or test part.
        max_samples: how many to draw, equally many of each class; None: all.
        seed: of the draw.
        memory_mb: what the samples may use, MB.

    Raises:
        InputError: a file is missing or damaged.
        MemoryLimitError: the images would not fit.
    """
    images_path = _found(folder, f"{_PREFIX[part]}-images", 3)
    labels_path = _found(folder, f"{_PREFIX[part]}-labels", 1)
    count, rows, columns = idx_shape(images_path, 3)
    (n_labels,) = idx_shape(labels_path, 1)
    if n_labels != count:
        raise InputError(f"{images_path.name} has {count} images, but {labels_path.name} has {n_labels} labels.")
    kept = count if max_samples is None else min(count, max_samples)
    # All bytes are read before some of them become numbers of eight bytes.
    check_memory(name, kept + count // 24 + 1, rows * columns, memory_mb)
    labels = read_idx(labels_path, 1)
    chosen = balanced_draw(name, labels, max_samples, seed)
    images = read_idx(images_path, 3)[chosen].reshape(len(chosen), -1)
    names = _CLOTHES if name.startswith("fashion") else _DIGITS
    return dataset_of(name, images, labels[chosen], class_names=names, notes=_notes(part, len(chosen), count))


def cifar10(
    name: str, folder: Path, *, part: Literal["train", "test"], max_samples: int | None, seed: int, memory_mb: float
) -> Dataset:
    """CIFAR-10 from its binary version; arguments and errors as for `mnist`."""
    paths = [_cifar_file(folder, file) for file in _BATCHES[part]]
    count = sum(_records(path) for path in paths)
    kept = count if max_samples is None else min(count, max_samples)
    check_memory(name, kept + count // 24 + 1, _RECORD - 1, memory_mb)
    records = np.concatenate([np.fromfile(path, dtype=np.uint8).reshape(-1, _RECORD) for path in paths])
    chosen = balanced_draw(name, records[:, 0], max_samples, seed)
    return dataset_of(
        name, records[chosen, 1:], records[chosen, 0], class_names=_CIFAR, notes=_notes(part, len(chosen), count)
    )


def balanced_draw(name: str, labels: NDArray[Any], n: int | None, seed: int) -> Chosen:
    """Which samples to keep: n of them, equally many of each class, in the order of the file.

    Args:
        name: of the data set.
        labels: shape (n_samples,).
        n: how many; None: all.
        seed: of the draw.

    Raises:
        InputError: a class has too few.
    """
    if n is None or n >= len(labels):
        return np.arange(len(labels))
    classes = np.unique(labels)
    each = n // len(classes)
    random = np.random.Generator(np.random.Philox(key=[seed, 1]))
    chosen = []
    for one in classes:
        members = np.flatnonzero(labels == one)
        if len(members) < each or not each:
            raise InputError(
                f"{name}: {n} samples of {len(classes)} classes are {each} a class, but class {one} has"
                f" {len(members)}. Ask for another number of samples."
            )
        chosen.append(random.choice(members, each, replace=False))
    return np.sort(np.concatenate(chosen)).astype(np.int64)


def _notes(part: str, kept: int, count: int) -> tuple[str, ...]:
    if kept == count:
        return (f"all {count} images of the official {part} part",)
    return (f"{kept} of the {count} images of the official {part} part, equally many of each class",)


def _found(folder: Path, stem: str, dimensions: int) -> Path:
    """The IDX file under one of its usual names."""
    names = [f"{stem}{mark}idx{dimensions}-ubyte{ending}" for mark in "-." for ending in ("", ".gz")]
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise InputError(f"The folder {folder} has no {names[0]} or {names[1]}. Download the IDX files into it.")


def _cifar_file(folder: Path, name: str) -> Path:
    path = folder / name
    if path.is_file():
        return path
    if (folder / Path(name).stem).is_file():
        raise InputError(
            f"The folder {folder} has the Python version of CIFAR-10, which is pickled and is never opened."
            " Download the binary version (cifar-10-binary.tar.gz)."
        )
    raise InputError(f"The folder {folder} has no {name}. Unpack the binary version of CIFAR-10 into it.")


def _records(path: Path) -> int:
    size = path.stat().st_size
    if not size or size % _RECORD:
        raise InputError(
            f"{path.name} has {size} bytes, which is not a whole number of records of {_RECORD} bytes."
            " It is cut short or another file; download the binary version again."
        )
    return size // _RECORD
