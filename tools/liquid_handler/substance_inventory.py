"""The laboratory's list of its substances, as a CSV file: what is read from it goes into the specification.

    name,synonyms,cas,state,molar mass,density,strength,solvent,location
    ammonia,aqueous ammonia,7664-41-7,solution,,0.90 g/mL,28 wt%,water,acids cabinet
    compound 7,C7,,solid,180.16 g/mol,,,,freezer 2

Commas, semicolons or tabs separate; only `name` is needed. A `solution` needs a strength; its density is the
solution's. Every number has its unit. A row that does not read is refused with its line and what would be right.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labwright.tools.chemistry.chemical_table import Unknown, lookup, normal_name
from labwright.tools.chemistry.quantities import dimension, parse_quantity
from labwright.tools.chemistry.stated_substance_data import is_cas
from labwright.tools.errors import InputError

STATES = ("solid", "liquid", "solution")
COLUMNS = ("name", "synonyms", "cas", "state", "molar mass", "density", "strength", "solvent", "location")
MEASURES = {"molar mass": ("molar mass",), "density": ("density",), "strength": ("fraction", "molarity", "density")}
EXAMPLE = {"molar mass": "180.16 g/mol", "density": "0.97 g/mL", "strength": "28 wt% or 4 M"}
FIELDS = {"molar mass": "molar_mass"}  # a column's field in the specification, where it has another name
MOST_CHARACTERS = 5_000_000


@dataclass(frozen=True, slots=True)
class Bottle:
    """One row: its place in the file, the names it goes by, and its data as fields of the specification."""

    line: int
    names: tuple[str, ...]
    data: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Inventory:
    """The rows of one file."""

    file: str
    bottles: tuple[Bottle, ...]

    def data_of(self, *names: str) -> tuple[dict[str, str], str]:
        """Data of a substance by any of its names, and where they stand; nothing where rows contradict each other."""
        wanted = {normal_name(each) for each in names if each}
        rows = [each for each in self.bottles if wanted & set(each.names)]
        fields = dict.fromkeys(name for row in rows for name in row.data)
        agreed = {name: _one([row.data[name] for row in rows if name in row.data]) for name in fields}
        where = " and ".join(str(row.line) for row in rows)
        return {name: value for name, value in agreed.items() if value}, f"{self.file} line {where}"


def read_inventory(path: Path) -> Inventory:
    """The inventory in a file.

    Raises:
        InputError: it is not there, or a row does not read; says the line and the cure.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as wrong:
        raise InputError(f"The inventory {path} cannot be read ({wrong}). Set LABWRIGHT_INVENTORY.") from wrong
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"The inventory {path} has {len(text)} characters; at most {MOST_CHARACTERS} are read.")
    return Inventory(path.name, tuple(_bottles(path.name, text)))


def _bottles(file: str, text: str) -> Iterator[Bottle]:
    first = text.partition("\n")[0]
    rows = csv.reader(text.splitlines(), delimiter=max(",;\t", key=first.count))
    heads = [head.strip().lower().replace("_", " ") for head in next(rows, [])]
    if strange := [head for head in heads if head not in COLUMNS] or ["name"] * ("name" not in heads):
        raise InputError(f"{file}, line 1: {strange[0]!r}. The columns are {', '.join(COLUMNS)}; `name` is needed.")
    if len(set(heads)) < len(heads):
        raise InputError(f"{file}, line 1: a column stands there twice. Leave one out.")
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        where = f"{file}, line {rows.line_num}"
        if len(row) > len(heads):
            raise InputError(f"{where} has {len(row)} cells for {len(heads)} columns. Quote a cell that has a comma.")
        yield _bottle(where, rows.line_num, {head: cell.strip() for head, cell in zip(heads, row, strict=False)})


def _bottle(where: str, line: int, row: dict[str, str]) -> Bottle:
    if not row["name"]:
        raise InputError(f"{where} has no name. Name the substance, or delete the row.")
    for column, kinds in MEASURES.items():
        if (said := row.get(column, "")) and not _is(said, kinds):
            raise InputError(f"{where}: the {column} {said!r} is none. Write it with its unit: {EXAMPLE[column]}.")
    if (cas := row.get("cas", "")) and not is_cas(cas):
        raise InputError(f"{where}: {cas!r} is no CAS number; its check digit does not fit. Correct it.")
    state = row.get("state", "").lower()
    if state and state not in STATES:
        raise InputError(f"{where}: the state {state!r} is none of {', '.join(STATES)}. A gas is dosed as a solution.")
    if (state == "solution") != bool(row.get("strength")):
        raise InputError(
            f"{where}: a `solution` needs a strength, and only a solution has one. Write both, or neither."
        )
    data = {FIELDS.get(name, name): row[name] for name in COLUMNS[4:] if row.get(name)}
    data |= {"state": state} if state in ("solid", "liquid") else {}
    if cas and isinstance(lookup(row["name"]), Unknown):
        data["identity"] = cas
    synonyms = row.get("synonyms", "").replace("|", ";").split(";")
    names = (row["name"], cas, *synonyms)
    return Bottle(line, tuple(normal_name(each) for each in names if each.strip()), data)


def _is(said: str, kinds: tuple[str, ...]) -> bool:
    try:
        return dimension(parse_quantity(said).unit) in kinds
    except InputError:
        return False


def _one(values: list[str]) -> str:
    return values[0] if len(set(values)) == 1 else ""


def filled(data: dict[str, Any], inventory: Inventory | None) -> dict[str, Any]:
    """A specification with the data that the inventory has and nobody stated, each substance with its source."""
    if inventory is None or not isinstance(data.get("chemicals"), list):
        return data
    return {**data, "chemicals": [_filled(each, inventory) for each in data["chemicals"]]}


def _filled(chemical: Any, inventory: Inventory) -> Any:
    if not isinstance(chemical, dict) or not isinstance(chemical.get("name"), str):
        return chemical
    found, where = inventory.data_of(chemical["name"], str(chemical.get("identity") or ""))
    if "strength" in found and {"state", "density"} & set(chemical):  # the person says what there is
        found = {name: each for name, each in found.items() if name not in ("strength", "solvent", "density")}
    new = {name: each for name, each in found.items() if chemical.get(name) in (None, "")}
    if not new:
        return chemical
    names = ", ".join(name.replace("_", " ") for name in new)
    before = f"{chemical['source']}; " if chemical.get("source") else ""
    return {**chemical, **new, "source": f"{before}{where}: {names}"}
