"""A design from a table with one row a vial, as a chemist keeps it in a spreadsheet (CSV).

    # title: salts in water
    # heat: 50 degC, 20 min, stir 300 rpm
    vial, sodium chloride (mg), caffeine from 1 mg/mL in methanol (uL), water (uL), total (mL), note
    A,    10,                   100,                                    rest,       1,

A column's unit stands in its head; every number of the design stands in a cell or a head. What cannot be read is
refused with its line and column, never guessed.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from labwright.tools.chemistry.quantities import Quantity, canonical_unit, dimension, parse_quantity
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import MAX_VIALS, ExperimentDesign

MAX_CHARACTERS = 1_000_000
NOTES = ("note", "notes", "comment")  # columns for people; nothing is computed from them
REST = "rest"
_FIRST = re.compile(r'\s*"?vial"?\s*([,;\t])', re.IGNORECASE)
_HEAD = re.compile(r"(?P<name>.+?)\s*\(\s*(?P<unit>[^()]*?)\s*\)")
_STOCK = re.compile(r"(?P<solute>.+?) from (?P<strength>.+?)(?:\s+(?P<basis>w/w|w/v|v/v))? in (?P<solvent>.+)")
_BASIS = re.compile(r"%\s*(w/w|w/v|v/v)")
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DIRECTIVE = re.compile(r"#\s*(?P<key>\w+)\s*:\s*(?P<value>.*)")
_PART = re.compile(r"(?P<amount>[\d.]+)\s*(?P<unit>[^\s\d,]+)|(?P<word>[a-z]+)", re.IGNORECASE)
KINDS = {"mass": "mass", "volume": "volume", "moles": "moles", "molarity": "molarity", "density": "fraction"}
_CONDITIONS = ("mix", "heat", "cool", "wait")


@dataclass(frozen=True, slots=True)
class _Column:
    """A chemical or stock, and what its numbers count. A stock's solute is dosed unless a volume is given."""

    name: str
    unit: str
    kind: str
    basis: str | None
    stock: dict[str, Any] | None

    def dose(self, value: str) -> dict[str, Any]:
        """The dose of a cell."""
        if value.lower() == REST:
            return {"substance": self.name, "kind": "remainder"}
        amount = {"value": float(value), "unit": self.unit}
        if self.stock is None or self.kind == "volume":
            return {"substance": self.name, "kind": self.kind, "amount": amount, "basis": self.basis}
        solute, via = self.stock["solute"], self.name
        return {"substance": solute, "kind": self.kind, "amount": amount, "basis": self.basis, "via": via}


@dataclass
class _Table:
    """What has been read so far."""

    columns: dict[int, _Column] = field(default_factory=dict)
    notes: set[int] = field(default_factory=set)
    total: int | None = None
    total_unit: str = ""
    groups: list[dict[str, Any]] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=lambda: {"conditions": []})


def is_spreadsheet(text: str) -> bool:
    """Whether a request is such a table: the first line that is no remark begins with a column `vial`."""
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip(' ,;\t"')]
    heads = [line for line in lines if not line.lstrip(' "').startswith("#")]
    return len(heads) > 1 and _FIRST.match(heads[0]) is not None


def read_spreadsheet(text: str) -> ExperimentDesign:
    """The design that a table states.

    Raises:
        InputError: something in it does not read; the message names line and column.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"The table has {len(text)} characters; at most {MAX_CHARACTERS} are read.")
    table, head = _Table(), False
    for line, cells in _rows(text.removeprefix("\ufeff")):
        if cells[0].startswith("#"):
            _directive(line, ", ".join(filter(None, cells)), table)
        elif not head:
            _heads(line, cells, table)
            head = True
        else:
            _vial(line, cells, table)
    if not table.groups:
        raise InputError("The table has no vials. Write a row a vial below the column heads.")
    return _design(table)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not empty, with their number; the separator is what follows the head `vial`."""
    head = next((line for line in text.splitlines() if _FIRST.match(line)), None)
    if head is None:
        raise InputError("The table has no column `vial`. Begin the line of column heads with it.")
    separator = _FIRST.match(head)
    assert separator is not None
    reader = csv.reader(text.splitlines(), delimiter=separator[1], skipinitialspace=True, strict=True)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise InputError(f"Line {reader.line_num} of the table is not readable CSV: {error}.") from error


def _fail(line: int, column: int, cell: str, what: str) -> InputError:
    return InputError(f"Line {line}, column {column + 1} of the table ({cell!r}): {what}")


def _heads(line: int, cells: list[str], table: _Table) -> None:
    seen: set[str] = set()
    for index, cell in enumerate(cells):
        if cell.lower() in NOTES:
            table.notes.add(index)
        if index == 0 or not cell or index in table.notes:
            continue  # a cell below an empty head is refused
        matched = _HEAD.fullmatch(cell)
        if matched is None:
            mend = "Write it as `name (mg)`; put a name with a comma in quotation marks."
            raise _fail(line, index, cell, f"the column has no unit. {mend}")
        if cell.lower() in seen:
            raise _fail(line, index, cell, "there are two such columns. Add them up.")
        seen.add(cell.lower())
        name, (unit, basis) = matched["name"], _unit(line, index, cell, matched["unit"])
        if name.lower() == "total":
            if dimension(unit) != "volume":
                raise _fail(line, index, cell, "the total is a volume. Give it in uL, mL or L.")
            table.total, table.total_unit = index, unit
        else:
            table.columns[index] = _column(line, index, name, unit, basis)


def _unit(line: int, index: int, cell: str, written: str) -> tuple[str, str | None]:
    """The unit, and of what a percentage is."""
    basis = _BASIS.fullmatch(written)
    if basis is not None:
        return "%", basis[1]
    try:
        unit = canonical_unit(written)
    except InputError as error:
        raise _fail(line, index, cell, str(error)) from error
    if dimension(unit) == "fraction":
        raise _fail(line, index, cell, "a percentage needs its basis. Write `% v/v` or `% w/v`.")
    if dimension(unit) not in KINDS:
        raise _fail(line, index, cell, f"a {dimension(unit)} is no amount. Use mg, uL, mmol, mM or mg/mL.")
    return unit, None


def _column(line: int, index: int, name: str, unit: str, basis: str | None) -> _Column:
    kind = "fraction" if basis else KINDS[dimension(unit)]
    matched = _STOCK.fullmatch(name)
    if matched is None:
        return _Column(name, unit, kind, basis or ("w/v" if kind == "fraction" else None), None)
    strength = _quantity(line, index, name, matched["strength"])
    found = {"molarity": "M", "density": "w/v"}.get(dimension(strength.unit), matched["basis"])
    if found is None or dimension(strength.unit) not in {"molarity", "density", "fraction"}:
        raise _fail(line, index, name, "the stock needs a strength such as `1 M`, `5 mg/mL` or `28 % w/w`.")
    stock = {"name": name, "solute": matched["solute"], "solvent": matched["solvent"], "basis": found}
    stock["concentration"] = {"value": strength.value, "unit": strength.unit}
    return _Column(name, unit, kind, basis or ("w/v" if kind == "fraction" else None), stock)


def _quantity(line: int, index: int, cell: str, text: str) -> Quantity:
    try:
        return parse_quantity(text)
    except InputError as error:
        raise _fail(line, index, cell, str(error)) from error


def _vial(line: int, cells: list[str], table: _Table) -> None:
    if len(table.groups) >= MAX_VIALS:
        raise InputError(f"Line {line} of the table: more than {MAX_VIALS} vials, which two plates hold. Split it.")
    name = cells[0] or f"vial {len(table.groups) + 1}"
    if any(group["name"] == name for group in table.groups):
        raise _fail(line, 0, name, "there are two vials of this name. Name them apart.")
    group: dict[str, Any] = {"name": name, "doses": []}
    for index, cell in enumerate(cells[1:], start=1):
        if index == table.total:
            group["total_volume"] = {"value": _number(line, index, cell), "unit": table.total_unit} if cell else None
        elif index in table.columns and cell:
            column = table.columns[index]
            _demand_amount(line, index, cell, column)
            if cell.lower() == REST or float(cell) > 0:
                group["doses"].append(column.dose(cell))
        elif cell and index not in table.notes:
            raise _fail(line, index, cell, "no column has this head. Name the column, or empty the cell.")
    if not group["doses"]:
        raise InputError(f"Line {line} of the table: the vial {name!r} gets nothing. Give it an amount.")
    _demand_total(line, group, table)
    table.groups.append(group)


def _demand_amount(line: int, index: int, cell: str, column: _Column) -> None:
    if cell.lower() != REST:
        _number(line, index, cell)
    elif column.kind != "volume":
        raise _fail(line, index, cell, f"{column.name!r} is not given as a volume, so it cannot fill up.")


def _number(line: int, index: int, cell: str) -> float:
    if not _NUMBER.fullmatch(cell):
        raise _fail(line, index, cell, f"not a number. Write digits with a point, `{REST}`, or leave it empty.")
    return float(cell)


def _demand_total(line: int, group: dict[str, Any], table: _Table) -> None:
    if group.get("total_volume"):
        if group["total_volume"]["value"] <= 0:
            raise InputError(f"Line {line} of the table: the total of {group['name']!r} must be above 0.")
        return
    needing = [dose["substance"] for dose in group["doses"] if dose["kind"] in {"remainder", "molarity", "fraction"}]
    if needing:
        text = f"{needing[0]!r} in vial {group['name']!r} needs the vial's total volume"
        raise InputError(f"Line {line} of the table: {text}. Fill in a column `total (mL)`.")


def _directive(line: int, text: str, table: _Table) -> None:
    """`# heat: 50 degC, 20 min`; a line without a colon is a remark."""
    matched = _DIRECTIVE.fullmatch(text)
    if matched is None:
        return
    key, value = matched["key"].lower(), matched["value"].strip()
    if key == "title":
        table.settings["title"] = value
    elif key == "cap" and value.lower() in {"yes", "no"}:
        table.settings["cap"] = value.lower() == "yes"
    elif key == "vial":
        size = _quantity(line, 0, text, value)
        table.settings["vial_volume"] = {"value": size.value, "unit": size.unit}
    elif key in _CONDITIONS:
        table.settings["conditions"].append({"kind": key, **_condition(line, text, value)})
    else:
        known = "`title`, `vial` (its volume), `cap: yes`, `cap: no`, `mix`, `heat`, `cool`, `wait`"
        raise _fail(line, 0, text, f"not understood. Known are {known}.")


def _condition(line: int, text: str, value: str) -> dict[str, Any]:
    """Temperature, time and speed in any order, and how the vials are moved."""
    found: dict[str, Any] = {}
    if left := _PART.sub("", value).strip(" ,;"):
        raise _fail(line, 0, text, f"{left!r} is not understood.")
    for part in _PART.finditer(value):
        if part["word"]:
            what, stated = "by", part["word"].lower()
            if stated not in {"vortex", "stir"}:
                raise _fail(line, 0, text, f"{part['word']!r} is not understood. Known are vortex and stir.")
        else:
            quantity = _quantity(line, 0, text, part.group())
            what = {"temperature": "temperature", "time": "time", "rate": "speed"}.get(dimension(quantity.unit), "")
            stated = {"value": quantity.value, "unit": quantity.unit}
        if not what or what in found:
            raise _fail(line, 0, text, f"{part.group()!r} does not fit here.")
        found[what] = stated
    return found


def _design(table: _Table) -> ExperimentDesign:
    stocks = [column.stock for column in table.columns.values() if column.stock]
    names = [c.name for c in table.columns.values() if not c.stock]
    names += [str(stock[part]) for stock in stocks for part in ("solute", "solvent")]
    document = {
        **table.settings,
        "chemicals": [{"name": name} for name in dict.fromkeys(names)],
        "stocks": list({stock["name"]: stock for stock in stocks}.values()),
        "groups": table.groups,
    }
    try:
        return ExperimentDesign.model_validate(document)
    except ValidationError as error:
        raise InputError(f"The table makes no design: {error.errors()[0]['msg']}.") from error
