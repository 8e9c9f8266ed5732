"""Results as a CSV table: one row for each place along an axis, or one row for each number.

A column that is asked for is found by its words: those of the axis, of the quantity, of the labels and their values,
with the usual symbols. A column that nothing fits is missing, and said to be.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labwright.tools.forge.results import Axis, Record, Results

MOST_COLUMNS = 200
# symbols and other names of what records are called
_MEANINGS: dict[str, tuple[str, ...]] = {
    "t": ("time",),
    "time": ("time",),
    "r": ("distance",),
    "separation": ("distance",),
    "bond": ("distance",),
    "bondlength": ("distance", "bond_length"),
    "length": ("distance", "bond_length"),
    "beta": ("beta",),
    "temp": ("temperature",),
    "kelvin": ("temperature",),
    "p": ("population", "probability"),
    "prob": ("population", "probability"),
    "probability": ("population", "probability"),
    "occupation": ("population", "occupation"),
    "dh": ("reaction_enthalpy", "enthalpy"),
    "dg": ("reaction_gibbs", "gibbs"),
    "de": ("reaction_energy",),
    "ds": ("reaction_entropy",),
    "h": ("enthalpy",),
    "g": ("gibbs",),
    "e": ("energy",),
    "e0": ("energy",),
    "s": ("entropy",),
    "cp": ("heat_capacity",),
    "cv": ("heat_capacity",),
    "k": ("equilibrium_constant",),
    "free": ("gibbs",),
    "rhf": ("hf",),
    "uhf": ("hf",),
    "hartree-fock": ("hf",),
    "exact": ("fci", "exact"),
    "magnetization": ("magnetisation",),
    "mz": ("magnetisation", "z"),
    "mx": ("magnetisation", "x"),
    "f": ("fidelity", "oscillator_strength"),
    "error": ("error", "vqe_error"),
    "wavenumber": ("frequencies",),
    "frequency": ("frequencies",),
    "dipole": ("dipole",),
    "concurrence": ("concurrence",),
    "specific": ("heat_capacity",),
    "heat": ("heat_capacity",),
    "doublons": ("double_occupancy",),
}
_COUNTED = frozenset({"root", "state"})  # axes that only number what a calculation found
_SMALL = frozenset("the a an of in for and at per with each value values number mean average its".split())


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its heading and its numbers, one a row."""

    name: str
    values: Sequence[object]
    words: frozenset[str] = frozenset()
    quantity: str = ""


def csv_of(results: Results, wanted: Sequence[str]) -> tuple[str, list[str]]:
    """The table as text, and the wanted columns that no record fits.

    Args:
        wanted: headings in the words of the task; empty for all records along the axis that most of them share.
    """
    tables = [_along(axis, results) for axis in _axes(results)]
    if not tables:
        return _text(_listed(results)), []
    if not wanted:
        run = [one for one in tables if one[0].quantity not in _COUNTED]
        return _text(max(run, key=len) if run else _listed(results)), []
    best: tuple[int, list[Column], list[str]] | None = None
    for columns in tables:
        chosen = [_fitting(columns, one) for one in wanted]
        found = [Column(name, column.values) for name, column in zip(wanted, chosen, strict=True) if column is not None]
        missing = [name for name, column in zip(wanted, chosen, strict=True) if column is None]
        if best is None or len(missing) < best[0]:
            best = (len(missing), found, missing)
    assert best is not None
    return _text(best[1]), best[2]


def _axes(results: Results) -> list[Axis]:
    """The different first axes of records, in order."""
    found: list[Axis] = []
    for one in results.records:
        if one.axes and not any(_same(one.axes[0], other) for other in found):
            found.append(one.axes[0])
    return found


def _same(one: Axis, other: Axis) -> bool:
    return one.name == other.name and one.values == other.values


def _along(axis: Axis, results: Results) -> list[Column]:
    """The axis and every record along it; further axes are spread over columns."""
    columns = [Column(_headed(axis.name, axis.unit), axis.values, _words(axis.name), axis.name)]
    for one in results.records:
        if one.axes and _same(one.axes[0], axis) and isinstance(one.value, list):
            columns += list(_spread(one, one.axes[1:], one.value, ""))[:MOST_COLUMNS]
    return columns


def _spread(record: Record, axes: Sequence[Axis], value: list[object], told: str) -> Iterator[Column]:
    if not axes:
        labels = ", ".join(f"{name}={text}" for name, text in record.labels.items())
        name = " ".join(part for part in (record.quantity, f"[{labels}]" if labels else "", told) if part)
        words = _words(" ".join([record.quantity, *map(str, record.labels), *map(str, record.labels.values()), told]))
        yield Column(_headed(name, record.unit), value, words, record.quantity)
        return
    for place, at in enumerate(axes[0].values):
        rows = [row[place] if isinstance(row, list) and len(row) > place else None for row in value]
        yield from _spread(record, axes[1:], rows, f"{told} {axes[0].name} {at:g}".strip())


def _listed(results: Results) -> list[Column]:
    """One row for each number that lies along no axis."""
    rows = [one for one in results.records if not one.axes and isinstance(one.value, int | float | str)]
    names = list(dict.fromkeys(name for one in rows for name in one.labels))
    return [
        Column("quantity", [one.quantity for one in rows]),
        *(Column(name, [one.labels.get(name, "") for one in rows]) for name in names),
        Column("value", [one.value for one in rows]),
        Column("unit", [one.unit for one in rows]),
    ]


def _headed(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit and unit != "1" else name


def _words(text: str) -> frozenset[str]:
    plain = text.lower().replace("_", " ")
    return frozenset([*re.findall(r"[a-z0-9.()+-]+", plain), *re.findall(r"[a-z0-9]+", plain), text.lower()])


def _fitting(columns: Sequence[Column], wanted: str) -> Column | None:
    """The column that fits all words of a heading best; None if a word fits none."""
    bare = re.sub(r"[(\[][^)\]]*[)\]]\s*$|\s+in\s+\S+$|\s*/\s*\S+$", "", wanted).strip()
    plain = "temperature" if bare == "T" else bare.lower()
    tokens = [one for one in re.findall(r"[a-z0-9.+-]+", plain.replace("_", " ")) if one not in _SMALL]
    scored = []
    for column in columns:
        hits = [_hits(column, token) for token in tokens or [plain]]
        if all(hits):
            scored.append((sum(hits) - 3 * _untold(column, tokens) - len(column.words) / 100, column))
    return max(scored, key=lambda one: one[0])[1] if scored else None


def _untold(column: Column, tokens: Sequence[str]) -> int:
    """Words of a column's quantity that the heading does not say: an energy is no variance of the energy."""
    said = {*tokens, *(word for token in tokens for name in _MEANINGS.get(token, ()) for word in name.split("_"))}
    return sum(word not in said for word in column.quantity.lower().split("_") if word not in _SMALL)


def _hits(column: Column, token: str) -> int:
    """How well a word fits a column: 2 for its own words, 1 for what the word means."""
    if token in column.words:
        return 2
    meant = _MEANINGS.get(token, ())
    return int(any(one in column.words or set(one.split("_")) <= column.words for one in meant))


def _text(columns: Sequence[Column]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([one.name for one in columns])
    writer.writerows(zip(*(one.values for one in columns), strict=False))
    return out.getvalue()
