"""Records of results.json by meaning: labels compared as a reader would, arrays with their axes checked."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.evaluation.forge.criteria import Missing
from labwright.evaluation.forge.workspace_contents import Workspace
from labwright.tools.forge.tasks.results import Record

Array = NDArray[np.float64]
Label = str | float | int | tuple[str | float | int, ...]
# Units that mean another scale of the same thing; what is not listed is taken as asked for.
SCALES = {
    ("time", "ps"): 1e3,  # to fs, which every task here with a dimension asks for, microseconds apart
    ("distance", "bohr"): 0.529177210903,
    ("energy", "ev"): 1 / 27.211386245988,
    ("energy", "mhartree"): 1e-3,
}


def _plain(value: Any) -> str | float:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return float(value)
    text = re.sub(r"[^a-z0-9+-]", "", str(value).lower())
    try:
        return float(text)
    except ValueError:
        return text


def same(have: Any, wanted: Label) -> bool:
    """Whether two labels mean the same: case, blanks and punctuation aside; numbers within 1e-6."""
    if isinstance(wanted, tuple):
        return any(same(have, one) for one in wanted)
    one, other = _plain(have), _plain(wanted)
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= 1e-6 * max(1.0, abs(other))
    return one == other


def records(workspace: Workspace, quantity: str, /, **labels: Label) -> list[Record]:
    """Records whose labels include all of `labels`, those with the fewest other labels first."""
    if workspace.problem:
        raise Missing(workspace.problem)
    found = [
        one
        for one in workspace.results.records
        if one.quantity == quantity
        and all(name in one.labels and same(one.labels[name], value) for name, value in labels.items())
    ]
    return sorted(found, key=lambda one: len(one.labels))


def one(workspace: Workspace, quantity: str, /, **labels: Label) -> Record:
    """The record that fits best.

    Raises:
        Missing: there is none.
    """
    found = records(workspace, quantity, **labels)
    if not found:
        said = ", ".join(f"{name} {value}" for name, value in labels.items())
        raise Missing(f"no {quantity} with {said}" if said else f"no {quantity}")
    return found[0]


def array(record: Record) -> Array:
    """The value as finite numbers.

    Raises:
        Missing: it is no such array.
    """
    try:
        values = np.array(record.value, dtype=float)
    except (TypeError, ValueError):
        raise Missing(f"{record.quantity} is no array of numbers") from None
    if not np.isfinite(values).all():
        raise Missing(f"{record.quantity} holds values that are not finite")
    return values


def number(workspace: Workspace, quantity: str, /, **labels: Label) -> float:
    """A single number."""
    record = one(workspace, quantity, **labels)
    values = array(record)
    if values.size != 1:
        raise Missing(f"{quantity} is not one number but {values.size}")
    return float(values.reshape(-1)[0]) * SCALES.get((quantity, record.unit.lower()), 1.0)


def curve(workspace: Workspace, quantity: str, axis: str, /, **labels: Label) -> tuple[Array, Array]:
    """Positions and values of a record with one axis."""
    record = one(workspace, quantity, **labels)
    (x,), values = _with_axes(record, [axis])
    return x, values


def surface(workspace: Workspace, quantity: str, axes: list[str], /, **labels: Label) -> tuple[Array, Array, Array]:
    """Positions along both axes and values ``(n_first, n_second)``, in the order of `axes`.

    Also reads the same thing given as one record for each position along the second axis, such as ``site``.
    """
    found = records(workspace, quantity, **labels)
    for record in found:
        if sorted(axis.name for axis in record.axes) == sorted(axes):
            (x, y), values = _with_axes(record, axes)
            return x, y, values
    lines = [(record.labels[axes[1]], record) for record in found if axes[1] in record.labels and len(record.axes) == 1]
    if not lines:
        one(workspace, quantity, **labels)
        raise Missing(f"{quantity} has no axes {axes[0]} and {axes[1]}")
    columns = [(float(str(at)), *_with_axes(record, axes[:1])) for at, record in lines]
    columns.sort(key=lambda column: column[0])
    return columns[0][1][0], np.array([at for at, _, _ in columns]), np.array([values for _, _, values in columns]).T


def _with_axes(record: Record, names: list[str]) -> tuple[list[Array], Array]:
    """Axes and values, in the order of `names`; the shapes must agree."""
    have = [axis.name for axis in record.axes]
    if sorted(have) != sorted(names):
        raise Missing(f"{record.quantity} has the axes {have or 'none'} in place of {names}")
    values = array(record)
    if values.shape != tuple(len(axis.values) for axis in record.axes):
        raise Missing(
            f"{record.quantity}: {values.shape} values do not fit axes of {[len(a.values) for a in record.axes]}"
        )
    order = [have.index(name) for name in names]
    axes = [record.axes[k] for k in order]
    scaled = [np.array(axis.values) * SCALES.get((axis.name, axis.unit.lower()), 1.0) for axis in axes]
    scale = SCALES.get((record.quantity, record.unit.lower()), 1.0)
    return scaled, np.transpose(values, order) * scale


def counts(workspace: Workspace, /, **labels: Label) -> dict[str, float]:
    """Bitstring -> number of shots, bits without blanks."""
    value = one(workspace, "counts", **labels).value
    if not isinstance(value, dict) or not value:
        raise Missing("counts are no table of bitstrings")
    try:
        return {str(bits).replace(" ", ""): float(n) for bits, n in value.items()}
    except (TypeError, ValueError):
        raise Missing("counts are no numbers") from None


def parameter(workspace: Workspace, *names: str) -> Any:
    """A parameter under any of these names, case and underscores aside; None if it is not there."""
    wanted = {_plain(name) for name in names}
    for name, value in workspace.results.parameters.items():
        if _plain(name) in wanted:
            return value
    return None


def label_values(workspace: Workspace, quantity: str, label: str) -> list[str]:
    """The values of a label among the records of a quantity."""
    found: list[str] = []
    for one in workspace.results.records:
        if one.quantity == quantity and label in one.labels:
            value = str(one.labels[label])
            if not any(same(value, other) for other in found):
                found.append(value)
    return found
