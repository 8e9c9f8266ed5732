"""Results as a notebook shows them: a table, labelled arrays and HTML. pandas and xarray are imported when used."""

from __future__ import annotations

import base64
import importlib
import json
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path, PosixPath
from typing import TYPE_CHECKING, Any

from labwright.tools.errors import InputError
from labwright.tools.qpu.settings import SETTING_UNITS

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset, DataTree

    from labwright.graphs.results import Calibrated, Designed, Ended, Searched

MISSING = "`.data` needs the package xarray: pip install 'labwright[export]'. `.table` and `.result` work without it."


class Figure(PosixPath):
    """The file of a figure; a notebook shows the picture."""

    def _repr_png_(self) -> bytes:
        return self.read_bytes()


def short(ended: Ended) -> str:
    """One line: what it is, how it ended, and which run it was."""
    why = f": {ended.reason}" if ended.reason else ""
    if ended.questions:
        why = f", waits for an answer: {ended.questions[0]['title']}"
    return f"<{type(ended).__name__} {ended.status}{why} ({ended.run_id})>"


def html(ended: Ended) -> str:
    """How it ended, the table, and the last figure."""
    parts = [f"<p><b>{type(ended).__name__}</b> {escape(ended.status)} <code>{escape(ended.run_id)}</code></p>"]
    said = [ended.reason, *(str(each["title"]) for each in ended.questions)]
    parts += [f"<p>{escape(line)}</p>" for line in said if line]
    if not (table := ended.table).empty:
        parts.append(table.to_html(border=0, max_rows=20, na_rep="", float_format=lambda value: f"{value:.6g}"))
    for path in ended.figures[-1:]:
        picture = base64.b64encode(path.read_bytes()).decode()
        parts.append(f'<img style="max-width: 720px" src="data:image/png;base64,{picture}" alt="{escape(path.stem)}">')
    return "\n".join(parts)


def frame(rows: Iterable[dict[str, Any]], index: list[str]) -> DataFrame:
    """`rows` as a table with the columns `index` in front, without columns that say nothing; empty without rows."""
    from pandas import DataFrame

    made = DataFrame(list(rows)).dropna(axis="columns", how="all")
    return made if made.empty else made.set_index(index)


def calibration_rows(ended: Calibrated) -> Iterator[dict[str, Any]]:
    """Every estimate with its standard error, and every setting that changed with what it was before."""
    for qubit, found in ended.qubits.items():
        for name, one in found.measured.items():
            yield {"qubit": qubit, "quantity": name, "value": one.value, "error": one.error, "unit": one.unit}
        for name, value in found.after.items():
            if value != found.before.get(name):
                unit = SETTING_UNITS.get(name, "")
                row = {"qubit": qubit, "quantity": name, "value": value, "before": found.before.get(name)}
                yield row | {"unit": unit}


def search_rows(ended: Searched) -> Iterator[dict[str, Any]]:
    """The map that was found, then every kernel that it is compared with; `p` is corrected for their number."""
    if ended.accuracy:
        yield {"kernel": ended.name, "validation": ended.accuracy.validation, "test": ended.accuracy.test}
    for name, one in ended.result.get("baselines", {}).items():
        row = {"kernel": name, "validation": one.get("validation_accuracy"), "test": one.get("test_accuracy")}
        yield row | {"p": one.get("p_adjusted"), "the map is": one.get("verdict", "")}


def forged_rows(records: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every number that was computed; of a curve its length stands there, and `.data` has it."""
    labels = dict.fromkeys(name for one in records for name in one["labels"])
    for one in records:
        value = one["value"]
        if one["axes"]:
            value = f"{' x '.join(str(len(axis['values'])) for axis in one['axes'])} values"
        row = {"quantity": one["quantity"], **labels, **one["labels"], "value": value}
        yield row | {"uncertainty": one["uncertainty"], "unit": one["unit"]}


def vial_rows(ended: Designed) -> Iterator[dict[str, Any]]:
    """What every vial gets."""
    for vial in ended.vials:
        amounts = {f"{name} ({amount.unit})": amount.value for name, amount in vial.contents.items()}
        yield {"plate": vial.plate, "well": vial.well, **amounts}


def records_of(folder: Path) -> list[dict[str, Any]]:
    """The results that a computation recorded; empty if it has not come so far."""
    path = folder / "results.json"
    return list(json.loads(path.read_text(encoding="utf-8"))["records"]) if path.is_file() else []


def measured(folder: Path) -> DataTree:
    """Every measurement of a run; see `labwright.tools.runs.export.measurements`."""
    from labwright.tools.runs.export import measurements
    from labwright.tools.runs.run import load_run

    _xarray()
    return measurements(load_run(folder))


def computed(records: Iterable[dict[str, Any]]) -> DataTree:
    """The records of numbers, a group for each quantity: labels and axes are its dimensions.

    A list without axes gets ``index``, ``index_2``, ...; an error that was recorded is the variable ``uncertainty``.
    Where a quantity was recorded over several kinds of axes, the later ones have groups such as ``purity_over_time``.

    Raises:
        InputError: xarray is missing, or there are none.
    """
    xarray = _xarray()
    groups: dict[str, dict[tuple[str, ...], Any]] = {}
    for one in (each for each in records if not isinstance(each["value"], dict)):  # nor are counts of outcomes
        try:
            array = _array(xarray, one)
        except ValueError:  # rows of different lengths are no array; the table has them
            continue
        dims, shapes = tuple(map(str, array[one["quantity"]].dims)), groups.setdefault(one["quantity"], {})
        shapes[dims] = shapes[dims].combine_first(array) if dims in shapes else array
    if not groups:
        raise InputError("This run has recorded no numbers, so there are no arrays. `.reason` may say why.")
    named = {}
    for quantity, shapes in groups.items():
        for n, (dims, array) in enumerate(shapes.items()):
            named[f"/{quantity}_over_{'_'.join(dims)}" if n else f"/{quantity}"] = array
    tree: DataTree = xarray.DataTree.from_dict(named)
    return tree


def _array(xarray: Any, one: dict[str, Any]) -> Any:
    attrs = {"units": one["unit"] or "1"}
    axes: dict[str, Any] = {
        axis["name"]: (axis["name"], axis["values"], {"units": axis["unit"] or "1"}) for axis in one["axes"]
    }
    if not axes and isinstance(one["value"], list):
        sizes = enumerate(xarray.DataArray(one["value"]).shape, 1)
        axes = {f"index_{n}" if n > 1 else "index": range(size) for n, size in sizes}
    found = {one["quantity"]: xarray.DataArray(one["value"], axes, list(axes), attrs=attrs)}
    if one["uncertainty"] is not None:
        found["uncertainty"] = xarray.DataArray(one["uncertainty"], attrs=attrs)
    return xarray.Dataset(found).expand_dims({name: [at] for name, at in one["labels"].items() if name not in axes})


def amounts(ended: Designed) -> Dataset:
    """Substance -> its amount in every vial, 0 where it gets none; plate and well name a vial."""
    xarray, vials = _xarray(), ended.vials
    units = {name: amount.unit for vial in vials for name, amount in vial.contents.items()}
    columns = {
        name: ("vial", [vial.contents[name].value if name in vial.contents else 0.0 for vial in vials], {"units": unit})
        for name, unit in units.items()
    }
    places = {"vial": [f"{vial.plate} {vial.well}" for vial in vials]}
    made: Dataset = xarray.Dataset(columns, places)
    return made


def candidates(ended: Searched) -> Dataset:
    """Every feature map that was evaluated, in order: its trial, its accuracy and how it was selected."""
    tried = [one for one in ended.result.get("tried", []) if one["outcome"] == "evaluated"]
    columns = {
        name: ("candidate", [one[name] for one in tried], {"units": "1"})
        for name in ("trial", "validation", "selection")
    }
    made: Dataset = _xarray().Dataset(columns, {"candidate": [one["name"] for one in tried]})
    return made


def _xarray() -> Any:
    try:
        return importlib.import_module("xarray")
    except ImportError as missing:
        raise InputError(MISSING) from missing
