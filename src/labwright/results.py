"""Record what a script found: ``results.json``, in the one form that evaluators and reports read.

    from labwright.results import parameter, record

    parameter(rabi=1.3)
    record("population", p, unit="1", axes={"time": (times, "us")}, labels={"state": "e"}, uncertainty=1e-8)

It needs nothing but this file. Each script keeps its records in ``results/<script>.json`` of the folder in which it was
started, and begins anew when it is run again; ``results.json`` holds those of all scripts. Writing takes at most a
twentieth of the time; what is left is written when the script ends.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["parameter", "record"]
_folder = Path.cwd()  # a script may change it later
_own: dict[str, Any] = {"parameters": {}, "records": []}
_when = {"next": 0.0}  # clock from which it is written again


def parameter(**values: Any) -> None:
    """Record numbers of the task and conventions that were chosen, by name.

    Raises:
        TypeError, ValueError: as for `record`.
    """
    _own["parameters"].update({name: _plain(value, f"parameter {name}") for name, value in values.items()})
    _write()


def record(
    quantity: str,
    value: Any,
    *,
    unit: str = "",
    axes: Mapping[str, Any] | None = None,
    labels: Mapping[str, str | float | int | bool] | None = None,
    uncertainty: float | None = None,
) -> None:
    """Record one quantity; a later record of the same quantity and labels replaces it.

    Args:
        quantity: named as the task says.
        value: number, text, dict such as counts, or array with one dimension for each axis, the first axis outside.
        unit: of the value.
        axes: name -> positions along it, or (positions, unit).
        labels: what tells it from its like.
        uncertainty: largest numerical error of the value, in its unit.

    Raises:
        TypeError: a complex number or an object without a JSON form.
        ValueError: not finite, or the shape of `value` is not that of `axes`.
    """
    made = {
        "quantity": quantity,
        "labels": _plain(dict(labels or {}), f"labels of {quantity!r}"),
        "axes": [_axis(name, given) for name, given in (axes or {}).items()],
        "value": _plain(value, repr(quantity)),
        "unit": unit,
        "uncertainty": None if uncertainty is None else _plain(float(uncertainty), f"uncertainty of {quantity!r}"),
    }
    wanted = tuple(len(axis["values"]) for axis in made["axes"])
    if wanted and _shape(made["value"])[: len(wanted)] != wanted:
        raise ValueError(f"{quantity!r} has the shape {_shape(made['value'])}, but its axes have the lengths {wanted}.")
    kept = [one for one in _own["records"] if (one["quantity"], one["labels"]) != (quantity, made["labels"])]
    _own["records"] = [*kept, made]
    _write()


def _axis(name: str, given: Any) -> dict[str, Any]:
    values, unit = given if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str) else (given, "")
    return {"name": name, "values": _plain(values, f"axis {name!r}"), "unit": unit}


def _plain(value: Any, what: str) -> Any:
    """The value as JSON has it; arrays become lists."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(one, what) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(one, what) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{what} is {value}. Find where the number is lost; what was not computed is not recorded.")
    if isinstance(value, complex):
        raise TypeError(f"{what} is complex. Record real and imaginary part as two quantities, or its absolute value.")
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"{what} is a {type(value).__name__}. Give numbers, texts, lists, arrays or dicts of these.")


def _shape(value: Any) -> tuple[int, ...]:
    return (len(value), *(_shape(value[0]) if value else ())) if isinstance(value, list) else ()


def _write() -> None:
    begun = time.monotonic()
    if begun >= _when["next"]:
        _write_now()
        _when["next"] = begun + 20 * (time.monotonic() - begun)


def _write_now() -> None:
    parts = _folder / "results"
    parts.mkdir(exist_ok=True)
    _replace(parts / f"{Path(sys.argv[0] or 'console').stem}.json", _own)
    whole: dict[str, Any] = {"parameters": {}, "records": []}
    for path in sorted(parts.glob("*.json")):
        part = json.loads(path.read_text(encoding="utf-8"))
        whole["parameters"] |= part["parameters"]
        whole["records"] += part["records"]
    _replace(_folder / "results.json", whole)


def _replace(path: Path, content: dict[str, Any]) -> None:
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    temporary.replace(path)


@atexit.register
def _last() -> None:
    if _own["records"] or _own["parameters"]:
        _write_now()
