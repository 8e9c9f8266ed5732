"""``results.json``: what a task's scripts found, in one form that evaluators and graders can read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pint
from pydantic import BaseModel, Field, ValidationError
from scipy.optimize import least_squares

from labwright.tools.chemistry.quantities import registry
from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.expressions import ExpressionError, value
from labwright.tools.specifications.task import Named

EXTREMA = frozenset({"max", "min", "where_max", "where_min"})
OF_CURVES = EXTREMA | {"mean", "crossing"}  # functions of an expression under `named`
Value = float | int | str | bool | None | list[Any] | dict[str, Any]


class Axis(BaseModel, extra="forbid"):
    """One axis of an array."""

    name: str = Field(description="Such as time, site, distance.")
    values: list[float] = Field(description="One for each position along the axis.")
    unit: str = ""


class Record(BaseModel, extra="forbid"):
    """One quantity with what tells it from its like.

    `value` is a number, a text, a dict such as counts, or nested lists with one level for each axis, the
    first axis outside.
    """

    quantity: str
    labels: dict[str, str | float | int | bool] = Field(default_factory=dict)
    axes: list[Axis] = Field(default_factory=list)
    value: Value
    unit: str = ""
    uncertainty: float | None = Field(default=None, description="Largest error of the value, in its unit.")


class Results(BaseModel, extra="forbid"):
    """All that the scripts of a task found.

    Attributes:
        parameters: what was used, by name: the task's numbers and the conventions that were chosen.
        records: what came out.
    """

    parameters: dict[str, Any] = Field(default_factory=dict)
    records: list[Record] = Field(default_factory=list)

    def find(self, quantity: str, **labels: str | float | int | bool) -> list[Record]:
        """Records of a quantity whose labels include `labels`; numbers are compared within 1e-9."""
        return [one for one in self.records if one.quantity == quantity and _fits(one.labels, labels)]

    def one(self, quantity: str, **labels: str | float | int | bool) -> Record:
        """The only such record.

        Raises:
            InputError: there is none, or there are several.
        """
        found = self.find(quantity, **labels)
        if len(found) != 1:
            raise InputError(f"results.json must hold one {quantity!r} with {labels}, but holds {len(found)}.")
        return found[0]


def picked(results: Results, name: str, of: str, labels: dict[str, Any], at: dict[str, float]) -> Record:
    """The only record of the quantity `of` with these labels, at positions along its axes, under the name `name`.

    A list without an axis has the axis ``index``, which counts from 0.

    Raises:
        InputError: there is none or several, or no such point; says what there is.
    """
    found = [one for one in results.records if one.quantity == of and _fits(one.labels, labels)]
    found = [one if one.axes or "index" not in at else _indexed(one) for one in found]
    runs = [one for one in found if set(at) <= {axis.name for axis in one.axes}]
    if found and not runs:
        there = sorted({" and ".join(map(_axis_told, one.axes)) or "no axis (one number)" for one in found})
        raise InputError(f"{name}: {of} does not run along {', '.join(at)}, but along {'; or '.join(there)}.")
    found = runs
    exact = [one for one in found if set(one.labels) == set(labels)]  # of a sweep the curve, whose points have a label
    found = exact if len(exact) == 1 else found
    if len(found) != 1:
        there = sorted({f"{one.quantity} {one.labels}" for one in results.records if one.quantity == of})
        known = sorted({one.quantity for one in results.records})
        raise InputError(f"{name} must be one result, but {len(found)} fit. There are {', '.join(there[:9] or known)}.")
    value, axes = found[0].value, []
    for axis in found[0].axes:
        if axis.name not in at:
            axes.append(axis)
            continue
        places = [number for number, each in enumerate(axis.values) if same(each, at[axis.name])]
        if not places:
            near = ", ".join(f"{one:g}" for one in sorted(axis.values, key=lambda one: abs(one - at[axis.name]))[:2])
            told = f"{name}: {of} has no point at {axis.name} = {at[axis.name]}. Put it on the grid"
            raise InputError(f"{told}: it runs along {_axis_told(axis)}; the nearest points are {near}.")
        value = _taken(value, len(axes), places[0])
    return found[0].model_copy(update={"quantity": name, "axes": axes, "value": value})


def quantities(results: Results) -> dict[str, Record]:
    """Each quantity by its name: its only result, or that without labels, else the numbers of all cases in a row.

    The row is along the only label, if that is a number, else along ``index``.
    """
    made: dict[str, Record] = {}
    for name in dict.fromkeys(one.quantity for one in results.records):
        found = [one for one in results.records if one.quantity == name]
        found = [one for one in found if not one.labels] or found
        numbers = [one for one in found if isinstance(one.value, int | float)]
        if len(found) == 1:
            made[name] = found[0]
        elif numbers and len({(one.unit, frozenset(one.labels)) for one in numbers}) == 1:
            error = max(one.uncertainty or 0.0 for one in numbers)
            one = numbers[0].model_copy(update={"value": [one.value for one in numbers], "uncertainty": error})
            made[name] = _indexed(one)
            for label in one.labels if len(one.labels) == 1 else ():
                places: Any = [each.labels[label] for each in numbers]
                if not any(isinstance(each, str) for each in places):
                    made[name] = one.model_copy(update={"axes": [Axis(name=label, values=places)]})
    return made


def between(axis: Axis) -> bool:
    """Whether something lies between the points of an axis: not where it counts cases, sites or sizes."""
    return bool(axis.unit) or any(one != int(one) for one in axis.values)


def slack(x: Any, y: Any, sign: int) -> tuple[float, float]:
    """How far the extremum of a smooth curve may lie from that of its points: in place, and in value.

    At most half a step away, and higher by what the curvature of the three points around it makes of that; where an end
    is largest (`sign` 1) or smallest (-1), a step and the difference to the next point.
    """
    if len(x) < 2 or np.shape(x) != np.shape(y):
        return 0.0, 0.0
    best = int(np.argmax(sign * np.asarray(y)))
    near = [k for k in (best - 1, best + 1) if 0 <= k < len(x)]
    steps = [abs(x[k] - x[best]) for k in near]
    if len(near) < 2:
        return float(steps[0]), float(abs(y[near[0]] - y[best]))
    slopes = [abs(y[k] - y[best]) / step for k, step in zip(near, steps, strict=True)]
    return max(steps) / 2, float(sum(slopes) / sum(steps) * (max(steps) / 2) ** 2)


def computed(name: str, expression: str, known: Mapping[str, Record]) -> Record:
    """What an expression of other results is worth: numbers, or curves along one axis; its error follows from theirs.

    Beside the functions of cards it may use ``max``, ``min`` and ``mean`` of a curve, ``where_max`` and ``where_min``,
    the point of its axis, and ``crossing(curve, level)``, the first one, on straight lines between the points. The
    error of an extremum holds what may lie between its points.

    Raises:
        InputError: it cannot be computed; says why.
    """
    words = set(re.findall(r"[A-Za-z_]\w*", expression)) - {*OF_CURVES}
    used = {one: record for one, record in known.items() if one in words}
    curves = [one.axes for one in used.values() if isinstance(one.value, list)]
    if curves and (len(curves[0]) != 1 or any(one != curves[0] for one in curves)):
        raise InputError(f"{name} combines curves along different axes. Pick points of them by `at`.")
    x = np.array(curves[0][0].values if curves else [])

    def crossing(y: Any, level: float) -> float:
        off = np.asarray(y) - level
        place = next(iter(np.flatnonzero(off[:-1] * off[1:] <= 0)), None)
        if place is None:
            raise ExpressionError(f"The curve never crosses {level:g}. Look at its values.")
        (a, b), (low, high) = off[place : place + 2], x[place : place + 2]
        return float(low if a == 0 else low - a * (high - low) / (b - a))

    functions = {
        "max": np.max, "min": np.min, "mean": np.mean, "crossing": crossing,
        "where_max": lambda y: x[np.argmax(y)], "where_min": lambda y: x[np.argmin(y)],
    }  # fmt: skip
    moving: dict[str, Any] = {}
    if curves and between(curves[0][0]):
        for word, k, sign in (("max", 1, 1), ("min", 1, -1), ("where_max", 0, 1), ("where_min", 0, -1)):
            moving[word] = lambda y, of=functions[word], k=k, sign=sign: (
                of(y) + slack(x, y, sign)[k] * (sign if k else 1)
            )
    try:
        numbers = {one: np.asarray(record.value, dtype=float)[()] for one, record in used.items()}
        found = np.real(value(expression, {**functions, **numbers}))
        moved: list[dict[str, Any]] = [
            {one: numbers[one] + (record.uncertainty or 0.0)} for one, record in used.items()
        ]
        moved += [{word: function} for word, function in moving.items() if word in expression]
        error = sum(float(np.abs(value(expression, {**functions, **numbers, **one}) - found).max()) for one in moved)
    except (ExpressionError, TypeError, ValueError) as wrong:
        raise InputError(f"{name} cannot be computed: {wrong} There are {', '.join(known)}.") from wrong
    axes = curves[0] if np.ndim(found) else []
    return Record(quantity=name, axes=axes, value=np.asarray(found).tolist(), uncertainty=error)


def fitted(record: Record, name: str, how: Named) -> Record:
    """The number `name` of a formula that fits a curve best, by least squares; its standard error is the uncertainty.

    Raises:
        InputError: it does not fit; says why.
    """
    if len(record.axes) != 1:
        raise InputError(f"{name}: a fit needs a curve along one axis, not {len(record.axes)}. Pick it by `at`.")
    x, y = np.array(record.axes[0].values), np.array(record.value, dtype=float)
    low, high = how.window or (x.min(), x.max())
    x, y = x[(low <= x) & (x <= high)], y[(low <= x) & (x <= high)]
    if len(x) <= len(how.guess) or not np.ptp(y):
        raise InputError(f"{name}: {len(x)} points of range {np.ptp(y):g}; a fit needs more, and a curve that changes.")

    def left(numbers: Any) -> Any:
        found = value(how.fit, {**dict(zip(how.guess, map(float, numbers), strict=True)), "x": x})
        return (np.broadcast_to(np.real(found), x.shape) - y) / np.ptp(y)

    def safe(numbers: Any) -> Any:
        try:
            return left(numbers)
        except ExpressionError:  # an overflow on the way is a bad step, not a bad formula
            return np.full(len(x), 1e6)

    begin = list(how.guess.values())
    try:
        left(begin)
    except (ExpressionError, ValueError) as wrong:
        raise InputError(f"{name} cannot be fitted: {wrong}") from wrong
    found = least_squares(safe, begin, method="lm", x_scale="jac", max_nfev=20_000, xtol=1e-12, ftol=1e-14, gtol=1e-14)
    off = float(np.sqrt(np.mean(found.fun**2)))
    if not found.success or off > how.tolerance:
        raise InputError(
            f"{name}: the fit misses the curve by {100 * off:.3g} % of its range. Change guess, formula or window."
        )
    sizes = np.linalg.norm(found.jac, axis=0)
    if not sizes.all() or np.linalg.svd(found.jac / sizes, compute_uv=False)[-1] < 1e-7:
        raise InputError(f"{name}: the curve does not fix every number of {how.fit!r}. Take out one.")
    spread = np.linalg.inv(found.jac.T @ found.jac) * (found.fun @ found.fun) / (len(x) - len(begin))
    place = list(how.guess).index(name)
    return Record(quantity=name, value=float(found.x[place]), uncertainty=float(spread[place, place] ** 0.5))


def in_unit(record: Record, unit: str) -> Record:
    """A record in another unit; energies, wavenumbers, frequencies (E = h f) and wavelengths are alike, per mole too.

    Raises:
        InputError: they measure different things.
    """
    units, values = registry(), np.asarray(record.value, dtype=float)[()]
    told = f"{record.quantity} is in {record.unit or '1'}, which is not told in {unit}."
    try:
        given, wanted = units.Quantity(values, record.unit or "1"), units(unit)
        rates = ["Hz" not in str(one) and units(one).is_compatible_with("1/s") for one in (record.unit or "1", unit)]
        if rates[0] != rates[1]:  # 1/s may be rad/s, and the factor 2 pi is nobody's guess
            raise ValueError(told)
        moles: list[Any] = [one.dimensionality.get("[substance]", 0) for one in (given, wanted)]
        found = (given * units.avogadro_constant ** (moles[0] - moles[1])).to(unit, "spectroscopy").magnitude
    except (pint.PintError, TypeError, ValueError, AttributeError) as wrong:
        raise InputError(told) from wrong
    more = {"value": np.asarray(found).tolist(), "unit": unit}
    if record.uncertainty is not None:
        largest = float(np.abs(np.asarray(record.value, dtype=float)).max()) or 1.0
        more["uncertainty"] = record.uncertainty / largest * float(np.abs(found).max())
    return record.model_copy(update=more)


def _axis_told(axis: Axis) -> str:
    """Such as ``delay (0 to 6 us, 121 points)``."""
    unit = f" {axis.unit}" if axis.unit else ""
    return f"{axis.name} ({min(axis.values):g} to {max(axis.values):g}{unit}, {len(axis.values)} points)"


def _indexed(record: Record) -> Record:
    if not isinstance(record.value, list):
        return record
    places = [float(number) for number in range(len(record.value))]
    return record.model_copy(update={"axes": [Axis(name="index", values=places, unit="")]})


def _taken(value: Any, depth: int, place: int) -> Any:
    """`value` with one place taken on the axis at `depth`."""
    return value[place] if depth == 0 else [_taken(each, depth - 1, place) for each in value]


def _fits(have: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return all(name in have and same(have[name], value) for name, value in wanted.items())


def same(one: Any, other: Any) -> bool:
    """Whether two values of a label or an axis are one; numbers within 1e-9."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= 1e-9 * max(1.0, abs(one), abs(other))
    return bool(one == other)


def read_results(path: Path) -> Results:
    """The results in `path`.

    Raises:
        InputError: the file is missing or not of this form; says where.
    """
    if not path.is_file():
        raise InputError(f"{path.name} is missing: the scripts left no results.")
    return parsed_results(path.name, path.read_bytes())


def parsed_results(name: str, content: bytes) -> Results:
    """The results in a file of this name.

    Raises:
        InputError: it is not of this form; says where.
    """
    try:
        return Results.model_validate_json(content)
    except ValidationError as wrong:
        first = wrong.errors()[0]
        raise InputError(f"{name}: {'.'.join(map(str, first['loc']))}: {first['msg']}.") from wrong


def merged(parts: list[Results]) -> Results:
    """Several parts as one; later parameters of the same name win."""
    parameters = {name: value for part in parts for name, value in part.parameters.items()}
    return Results(parameters=parameters, records=[record for part in parts for record in part.records])


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
    words = [{one.quantity, *" ".join(map(str, one.labels.values())).split()} for one in along]
    fitting = [one for one, said in zip(along, words, strict=True) if said.issuperset(name.split())]
    if len(fitting) == 1 and isinstance(fitting[0].value, list):
        return fitting[0].value
    there = sorted({" ".join([one.quantity, *map(str, one.labels.values())]) for one in fitting or along})
    return f"{name!r} must be one result along {axis.name}, but {len(fitting)} fit; there are: {', '.join(there[:9])}"
