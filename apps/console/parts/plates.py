"""A protocol's record as plates of wells, steps and sources: what stands in every well, with units."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from labwright.tools.liquid_handler.platform import well_name

Content = dict[str, tuple[float, str]]  # source -> amount and unit
_WELL = re.compile(r"([A-Z])(\d{1,2})")
LARGEST = (32, 48)  # rows and columns of a plate that is drawn


@dataclass(frozen=True, slots=True)
class Well:
    """One vial. `told` says everything about it; `fill` is the share of the plate's largest amount, 0 .. 1."""

    name: str
    content: Content
    told: str
    amount: str = ""
    fill: float = 0.0
    marked: bool = False  # a finding names it


@dataclass(frozen=True, slots=True)
class Plate:
    """An array of vials with the wells row by row; `unit` is that of the amounts shown."""

    name: str
    vial: float  # uL
    rows: list[list[Well]]
    unit: str = ""
    most: float = 0.0


@dataclass
class ProtocolRecord:
    """``protocol.json`` or ``proposal.json``, looked up by plate and well."""

    record: dict[str, Any]
    contents: dict[tuple[str, str], Content] = field(init=False)
    vials: dict[tuple[str, str], dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.vials = {(str(vial["plate"]), str(vial["well"])): vial for vial in self.record.get("vials", [])}
        self.contents = _added(self.record.get("steps", []))
        for place, vial in self.vials.items():
            self.contents[place] = {
                str(name): (float(one["amount"]), str(one["unit"])) for name, one in vial["contents"].items()
            }

    @property
    def sources(self) -> list[str]:
        """What is dispensed, in the order of the steps."""
        steps = [step for step in self.record.get("steps", []) if step["action"] == "Add"]
        return list(dict.fromkeys(str(step["subject"]) for step in steps))

    def most_telling(self) -> str:
        """The source whose amounts differ most from well to well; empty if nothing is dispensed."""

        def kinds(source: str) -> int:
            return len({content[source] for content in self.contents.values() if source in content})

        return max(self.sources, key=kinds, default="")

    def plates(self, source: str) -> list[Plate]:
        """Every plate, its wells showing the amount of `source`."""
        marked = {str(well) for finding in self.record.get("findings", []) for well in finding.get("wells", [])}
        return [self._plate(plate, source, marked) for plate in self.record.get("plates", [])]

    def _plate(self, plate: dict[str, Any], source: str, marked: set[str]) -> Plate:
        name = str(plate["name"])
        rows, columns = (min(int(plate[key]), most) for key, most in zip(("rows", "columns"), LARGEST, strict=True))
        amounts = [
            content[source] for place, content in self.contents.items() if place[0] == name and source in content
        ]
        most = max((amount for amount, _ in amounts), default=0.0)
        wells = [
            [self._well(name, well_name(row, column), source, most, marked) for column in range(columns)]
            for row in range(rows)
        ]
        return Plate(name, float(plate["vial_uL"]), wells, amounts[0][1] if amounts else "", most)

    def _well(self, plate: str, well: str, source: str, most: float, marked: set[str]) -> Well:
        content = self.contents.get((plate, well), {})
        amount = content.get(source)
        shown = f"{amount[0]:.4g}" if amount else ""
        fill = amount[0] / most if amount and most > 0 else 0.0
        found = well in marked or f"{plate} {well}" in marked
        return Well(well, content, self._told(plate, well, content, found), shown, round(fill, 3), found)

    def _told(self, plate: str, well: str, content: Content, found: bool) -> str:
        if not content:
            return f"{well}, {plate}: empty"
        parts = [f"{name} {amount:.5g} {unit}" for name, (amount, unit) in content.items()]
        vial = self.vials.get((plate, well))
        of = ""
        if vial:
            levels = "".join(f"{factor} {level}, " for factor, level in vial.get("levels", {}).items())
            of = f". Group {vial.get('group', '')}, {levels}replicate {vial.get('replicate', 1)}"
            of += "".join(
                f". {one['volume_uL']:g} uL from {one['plate']} {one['well']}" for one in vial.get("from", [])
            )
            of += "".join(f". {one['minutes']:g} min at {one['degC']:g} degC" for one in vial.get("hot", []))
        return f"{well}, {plate}: {', '.join(parts)}{of}{'. A finding names this well' if found else ''}"


def spans(wells: list[str]) -> str:
    """Well names with neighbours of a row drawn together: ``A1-A6, B1``. Other names come last as they are."""
    places = sorted((match[1], int(match[2])) for name in wells if (match := _WELL.fullmatch(name)))
    runs: list[tuple[str, int, int]] = []
    for row, column in places:
        if runs and runs[-1][0] == row and runs[-1][2] == column - 1:
            runs[-1] = (row, runs[-1][1], column)
        else:
            runs.append((row, column, column))
    named = [f"{row}{first}" if first == last else f"{row}{first}-{row}{last}" for row, first, last in runs]
    return ", ".join([*named, *(name for name in wells if not _WELL.fullmatch(name))])


def amounts_of(step: dict[str, Any]) -> str:
    """The amounts of a step: one number, or from least to most, with the unit."""
    values = [float(value) for value in step.get("amounts", {}).values()]
    if not values:
        return ""
    least, most = min(values), max(values)
    span = f"{most:.4g}" if least == most else f"{least:.4g} to {most:.4g}"
    return f"{span} {step.get('unit', '')}".strip()


def _added(steps: list[dict[str, Any]]) -> dict[tuple[str, str], Content]:
    """What the steps put into each well; for plates that the vials do not tell of."""
    found: dict[tuple[str, str], Content] = {}
    for step in steps:
        if step["action"] not in ("Add", "Transfer"):
            continue
        name = str(step["subject"]) if step["action"] == "Add" else f"from {step['subject']}"
        for well, amount in step.get("amounts", {}).items():
            content = found.setdefault((str(step["plate"]), str(well)), {})
            content[name] = (content.get(name, (0.0, ""))[0] + float(amount), str(step.get("unit", "")))
    return found
