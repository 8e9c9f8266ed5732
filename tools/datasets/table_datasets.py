"""A person's own data: NumPy archives and CSV tables. Arrays of objects, which are pickled, are refused."""

from __future__ import annotations

import csv
import zipfile
import zlib
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from labwright.tools.datasets.checks import check_memory, dataset_of
from labwright.tools.datasets.labelled_samples import Dataset
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

_PAIRS = (("X", "y"), ("x", "y"), ("data", "target"), ("features", "labels"), ("images", "labels"), ("X", "labels"))
_LABEL_COLUMNS = ("label", "target", "class", "y")
_SAMPLE_LINES = 200  # lines from which the size of a CSV table is estimated


def from_npz(path: Path, memory_mb: float) -> Dataset:
    """Samples and labels of a ``.npz`` archive: keys X and y, or data and target, features and labels; maybe groups.

    Args:
        path: of the file.
        memory_mb: what the samples may use, MB.

    Raises:
        InputError: not such an archive.
        MemoryLimitError: the header promises more than fits.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            headers = {Path(name).stem: _header(path, archive, name) for name in archive.namelist()}
        pair = _keys(path, set(headers))
        used = [key for key in (*pair, "groups") if key in headers]
        for key in used:
            shape, kind = headers[key]
            check_memory(f"{path.name}, array {key},", prod(shape), max(1, kind.itemsize // 8), memory_mb)
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in used}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as wrong:
        raise InputError(f"{path.name} is not a readable .npz file: {wrong} Save it again with numpy.savez.") from wrong
    return _dataset(path, arrays[pair[0]], arrays[pair[1]], arrays.get("groups"))


def from_csv(path: Path, memory_mb: float) -> Dataset:
    """Samples of a CSV table with a header; the labels stand in `label`, `target`, `class` or `y`, or the last column.

    Args:
        path: of the file, UTF-8; cells are separated by commas, semicolons or tabs.
        memory_mb: what the samples may use, MB.

    Raises:
        InputError: not such a table; the message names the line.
        MemoryLimitError: the table promises more than fits.
    """
    rows, labels = _csv(path, memory_mb, None)
    if not rows:
        raise InputError(f"{path.name} has a header but no samples. Give a table that is not empty.")
    return dataset_of(path.name, np.array(rows), _numbers_or_text(labels))


def unlabelled(path: Path, n_features: int, memory_mb: float = 4096.0) -> tuple[NDArray[np.float64], list[str] | None]:
    """Samples of a table or an archive for a model of `n_features`, and their labels if it has one column more.

    Args:
        path: a ``.csv`` with a header, or a ``.npz`` with X, and maybe y.
        n_features: numbers in a sample.
        memory_mb: what the samples may use, MB.

    Raises:
        InputError: it cannot be read, or has another number of columns.
    """
    if path.suffix.lower() == ".npz":
        found = from_npz(path, memory_mb) if _has_labels(path) else None
        samples = found.X if found else np.load(path, allow_pickle=False)["X"].astype(np.float64)
        labels = [found.classes[one] for one in found.y] if found else None
    else:
        rows, labels = _csv(path, memory_mb, n_features)
        samples = np.array(rows).reshape(len(rows), -1)
    if samples.ndim != 2 or samples.shape[1] != n_features or not len(samples):
        raise InputError(
            f"{path.name} has samples of shape {samples.shape}, but the model takes {n_features} features."
            " Give the columns of the data set that it was made from, with or without the label."
        )
    if not np.isfinite(samples).all():
        raise InputError(f"{path.name} holds a number that is not finite. Remove these samples or fill the gaps.")
    return samples, _names(labels) if labels else None


def _names(labels: list[str]) -> list[str]:
    """Labels as a data set names its classes."""
    whole = all(_is_number(one) and float(one).is_integer() for one in labels)
    return [str(int(float(one))) for one in labels] if whole else labels


def _has_labels(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        present = {Path(name).stem for name in archive.namelist()}
    return any({one, other} <= present for one, other in _PAIRS)


def _header(path: Path, archive: zipfile.ZipFile, name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of one array, read without its data."""
    with archive.open(name) as stream:
        major, _ = npy.read_magic(stream)
        read = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
        shape, _, kind = read(stream)
    if kind.hasobject:
        raise InputError(
            f"{path.name} holds an array of objects ({Path(name).stem}). It is pickled, could run code, and is never"
            " opened. Save numbers, and labels as whole numbers or text."
        )
    return shape, kind


def _keys(path: Path, present: set[str]) -> tuple[str, str]:
    for samples, labels in _PAIRS:
        if {samples, labels} <= present:
            return samples, labels
    raise InputError(f"{path.name} has the keys {', '.join(sorted(present)) or '(none)'}. Name the arrays X and y.")


def _dataset(path: Path, samples: NDArray[Any], labels: NDArray[Any], groups: NDArray[Any] | None) -> Dataset:
    if samples.dtype.kind not in "biuf":
        raise InputError(f"The samples in {path.name} are of type {samples.dtype}. Give real numbers.")
    flat = samples.reshape(len(samples), prod(samples.shape[1:])) if samples.ndim > 2 else samples
    return dataset_of(path.name, flat, labels, groups=groups)


def _csv(path: Path, memory_mb: float, n_features: int | None) -> tuple[list[NDArray[np.float64]], list[str]]:
    """Samples and labels; with `n_features` there are labels only if the table has one column more."""
    check_memory(path.name, path.stat().st_size // 24, 1, memory_mb)  # the text alone; it may be a single line
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            header, separator = _csv_header(path, stream.readline())
            check_memory(path.name, *_csv_size(path, len(header)), memory_mb)
            label = _label_column(header) if n_features is None or len(header) == n_features + 1 else None
            return _csv_rows(path, csv.reader(stream, delimiter=separator), header, label)
    except (UnicodeDecodeError, csv.Error) as wrong:
        raise InputError(f"{path.name} is not a CSV table in UTF-8 ({wrong}). Save it as plain CSV.") from wrong


def _csv_header(path: Path, line: str) -> tuple[list[str], str]:
    """Names of the columns, and what separates cells."""
    if not line.strip():
        raise InputError(f"{path.name} is empty or begins with an empty line. Begin with the names of the columns.")
    separator = max(",;\t", key=line.count)
    names = [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
    if len(names) < 2:
        raise InputError(f"{path.name} has one column. Give features and a label, separated by commas.")
    if all(_is_number(name) for name in names):
        raise InputError(f"The first line of {path.name} holds numbers. Begin with the names of the columns.")
    return names, separator


def _csv_size(path: Path, columns: int) -> tuple[int, int]:
    """About how many samples, and how many features: from the size of the file and of its first lines."""
    with path.open("rb") as stream:
        next(stream)
        sizes = [len(line) for _, line in zip(range(_SAMPLE_LINES), stream, strict=False)]
    typical = max(1.0, float(np.mean(sizes))) if sizes else 1.0
    return int(path.stat().st_size / typical), columns - 1


def _label_column(header: list[str]) -> int:
    small = [name.lower() for name in header]
    return next((small.index(name) for name in _LABEL_COLUMNS if name in small), len(header) - 1)


def _csv_rows(
    path: Path, lines: CsvReader, header: list[str], label: int | None
) -> tuple[list[NDArray[np.float64]], list[str]]:
    rows, labels = [], []
    for cells in lines:
        number = lines.line_num + 1  # the header was read before
        if not cells:  # an empty line, often the last
            continue
        if len(cells) != len(header):
            raise InputError(f"Line {number} of {path.name} has {len(cells)} cells, but the header has {len(header)}.")
        if label is not None:
            labels.append(cells[label].strip())
        if label is not None and not labels[-1]:
            raise InputError(f"Line {number} of {path.name} has no label (column {header[label]}). Give it a class.")
        numbers = [_number(path, number, header[i], cell) for i, cell in enumerate(cells) if i != label]
        rows.append(np.array(numbers))  # a list of Python floats would take four times the space
    return rows, labels


def _number(path: Path, line: int, column: str, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError(
            f"Line {line} of {path.name}, column {column}: {cell.strip()!r} is not a number."
            " Give features as numbers, and turn categories into columns of 0 and 1."
        ) from None


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers_or_text(labels: list[str]) -> NDArray[Any]:
    """Labels as numbers if all are, so that 2 comes before 10."""
    return np.array([float(one) for one in labels]) if all(map(_is_number, labels)) else np.array(labels)
