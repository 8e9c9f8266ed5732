"""Results as a CSV table: one row for each place along an axis."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from labwright.tools.forge.results import Axis, Record, Results


def csv_of(results: Results, columns: Sequence[str]) -> tuple[str, list[str]]:
    """The table as text, and what is wrong with the columns that it lacks.

    A column is the name of the axis, or a quantity, or a quantity with values of its labels: ``concurrence A``. It must
    fit exactly one record. The axis is the one along which most of the columns are found.
    """
    axes = [one.axes[0] for one in results.records if len(one.axes) == 1]
    tables = [[_column(results, axis, name) for name in columns] for axis in axes]
    if not tables:
        return "", [f"{name!r}: no result runs along an axis" for name in columns]
    best = max(tables, key=lambda table: sum(isinstance(one, list) for one in table))
    found = {name: one for name, one in zip(columns, best, strict=True) if isinstance(one, list)}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(found)
    writer.writerows(zip(*found.values(), strict=True))
    return out.getvalue(), [one for one in best if isinstance(one, str)]


def _column(results: Results, axis: Axis, name: str) -> list[float] | str:
    """The numbers of a column along `axis`, or why there are none."""
    if name == axis.name:
        return axis.values
    along = [one for one in results.records if one.axes == [axis] and isinstance(one.value, list)]
    fitting = [one for one in along if _told(one).issuperset(name.split())]
    if len(fitting) == 1 and isinstance(fitting[0].value, list):
        return fitting[0].value
    there = sorted({" ".join([one.quantity, *map(str, one.labels.values())]) for one in fitting or along})
    return f"{name!r} must be one result along {axis.name}, but {len(fitting)} fit; there are: {', '.join(there[:9])}"


def _told(record: Record) -> set[str]:
    return {record.quantity, *(word for value in record.labels.values() for word in str(value).split())}
