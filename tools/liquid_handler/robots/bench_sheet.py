"""The bench sheet: the protocol for hands, to be printed, with stocks to prepare, tables shaped like plates, and boxes.

`sheet_moves` reads the printed numbers back, so that a sheet can be checked like any other output.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined
from lxml import html

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.chemical_lookup import hazards_of
from labwright.tools.liquid_handler.deck_sources import unknown
from labwright.tools.liquid_handler.planner_decisions import decisions
from labwright.tools.liquid_handler.platform import DEAD_VOLUME, well_name
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.protocol_steps import Plate, Step
from labwright.tools.liquid_handler.report import step_text
from labwright.tools.liquid_handler.robots.volume_tracker import Move
from labwright.tools.liquid_handler.solutions import solutions
from labwright.tools.liquid_handler.vial_histories import clock, histories, hot_text, note_text, origin_text

PRINTED = 2  # decimals of uL and mg; a sum of ten such numbers is still right to 0.05 uL
ROUNDED = 0.5 * 10**-PRINTED  # uL


@dataclass(frozen=True, slots=True)
class Grid:
    """A step's amounts in the shape of its plate; a cell is empty, an amount, or a well and an amount."""

    plate: str
    subject: str
    source: bool  # whether the subject is a source, not a plate
    unit: str
    columns: tuple[int, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def bench_sheet(made: Made) -> str:
    """The sheet as one HTML file."""
    taken = decisions(made.design, made.amounts, made.layout)
    text: str = _template().render(
        title=made.protocol.title,
        vials=len(made.amounts.vials),
        hours=f"{made.case.run.minutes / 60:.1f}",
        warnings=[f"{one.message} {one.mend}" for one in made.findings],
        by_hand=[*made.design.facts, *made.design.by_hand],
        stocks=list(_stocks(made)),
        loads=list(_loads(made)),
        dead_volume=DEAD_VOLUME,
        plates=[(plate.name, plate.rows, plate.columns, f"{plate.vial / 1000:g}") for plate in made.protocol.plates],
        steps=list(_steps(made)),
        sources=made.protocol.sources,
        table=list(_vials(made)),
        assumptions=[f"{one.about}: {one.text} {one.consequence}".strip() for one in taken],
    )
    return text


@cache
def _template() -> Any:
    text = resources.files("labwright.tools.liquid_handler.robots.templates").joinpath("bench_sheet.html")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(text.read_text("utf-8"))


def amount(value: float) -> str:
    """A printed amount."""
    return f"{value:.{PRINTED}f}".rstrip("0").rstrip(".")


def large(value: float, unit: str) -> str:
    """mg or uL as g or mL where that is shorter."""
    names = {"mg": ("mg", "g"), "uL": ("µL", "mL")}[unit]
    return f"{value / 1000:.4g} {names[1]}" if value >= 1000 else f"{value:.4g} {names[0]}"


def _stocks(made: Made) -> Iterator[dict[str, str]]:
    """What to weigh and what to fill up with, for the volume that is loaded."""
    loads = {source.name: source.load for source in made.protocol.sources}
    for stock in solutions(made.design):
        if stock.name not in loads:
            continue
        volume, material = loads[stock.name], made.amounts.cupboard.materials[stock.name]
        known = {n: mass for n, mass in material.composition.items() if not material.estimated or n != stock.solvent}
        parts = [f"{large(mass * volume, 'mg')} {name}" for name, mass in known.items()]
        basis = "" if stock.concentration.unit in ("M", "mM", "uM") else f" {stock.basis}"
        weighed = [_weighed(one.solute, material.composition[one.solute] * volume, made) for one in stock.solutes]
        how = f"{' and '.join(weighed)} into {stock.solvent}; fill up to {large(volume, 'uL')}."
        if unknown(stock, made.amounts.cupboard):
            how = f"{large(volume, 'uL')} of the solution as prepared."
        elif stock.solvent is None or stock.basis == "w/w" or stock.name == stock.solute:
            how = f"{large(volume, 'uL')} of the solution as bought or prepared; it holds {' and '.join(parts)}."
        yield {"name": stock.name, "strength": f"{stock.concentration}{basis}", "how": how}


def _weighed(name: str, mass: float, made: Made) -> str:
    """What to weigh or measure of a solute."""
    solute = made.amounts.cupboard.species[name]
    measured = f" ({large(mass / solute.density, 'uL')})" if solute.state == "liquid" and solute.density else ""
    return f"{large(mass, 'mg')}{measured} of {name}"


def _loads(made: Made) -> Iterator[dict[str, str]]:
    for source in made.protocol.sources:
        species = made.amounts.cupboard.species
        held = [species[name] for name in made.amounts.cupboard.materials[source.name].composition if name in species]
        yield {
            "position": str(source.position),
            "name": source.name,
            "used": f"{amount(made.case.run.drawn.get(source.name, 0.0))} {source.unit.replace('uL', 'µL')}",
            "load": large(source.load, source.unit),
            "hazards": hazards_of(held),
        }


def _steps(made: Made) -> Iterator[dict[str, Any]]:
    for number, (step, moment) in enumerate(zip(made.protocol.steps, made.case.run.moments, strict=True), start=1):
        plate = made.protocol.plate(step.plate)
        shown = plate is not None and (step.action != "Set" or len(set(step.amounts.values())) > 1)
        grid = _grid(step, plate) if plate is not None and shown else None
        note = "" if step.action == "Transfer" else step.note  # a transfer's stands in its text
        text = step_text(step).replace(" uL", " µL").replace(" degC", " °C")
        yield {"number": number, "time": clock(moment.begins), "text": text, "note": note, "grid": grid}


def _grid(step: Step, plate: Plate) -> Grid:
    rows = sorted({row for row, _ in step.amounts})
    columns = range(max(column for _, column in step.amounts) + 1)
    cells = tuple(
        (well_name(row, 0)[:-1], tuple(_cell(step, (row, column), plate) for column in columns)) for row in rows
    )
    unit = "vial" if "MoveVial" in step.tags else step.unit.replace("uL", "µL")
    return Grid(plate.name, step.subject, step.action == "Add", unit, tuple(c + 1 for c in columns), cells)


def _cell(step: Step, well: tuple[int, int], plate: Plate) -> tuple[str, str]:
    """Where a portion comes from, and how much; both empty where nothing is done."""
    if well not in step.amounts:
        return "", ""
    origin = well_name(*step.origins.get(well, well)) if step.action == "Transfer" else ""
    return origin, "" if "MoveVial" in step.tags else amount(step.amounts[well])


def _vials(made: Made) -> Iterator[dict[str, Any]]:
    for place, one in histories(made).items():
        received = made.case.run.received.get(place, {})
        recipe = one.recipe
        levels = ", ".join(f"{name} {level}" for name, level in recipe.levels.items()) if recipe else ""
        yield {
            "place": f"{place[0]} {well_name(*place[1])}",
            "what": " ".join(filter(None, [recipe.group if recipe else "", levels])),
            "origin": ", ".join(filter(None, [origin_text(one), note_text(one)])),
            "hot": hot_text(one).replace(" degC", " °C"),
            "amounts": [amount(received[s.name]) if s.name in received else "" for s in made.protocol.sources],
            "volume": amount(made.case.run.vials[place].volume),
        }


def sheet_moves(sheet: str) -> list[Move]:
    """The liquid that a printed sheet asks for, read from its tables.

    Raises:
        InputError: a cell is not an amount.
    """
    found: list[Move] = []
    for table in html.document_fromstring(sheet).iterfind(".//table[@class='grid']"):
        if table.get("data-unit") not in ("µL", "vial"):
            continue
        for cell in table.iterfind(".//td[@data-well]"):
            found += _moves(table, cell)
    return found


def _moves(table: Any, cell: Any) -> Iterator[Move]:
    printed = str(cell.text_content()).split()
    if not printed:
        return
    subject, target = table.get("data-subject"), (table.get("data-plate"), cell.get("data-well"))
    number = int(table.get("data-step"))
    if table.get("data-unit") == "vial":
        yield Move((subject, printed[0]), target, None, number)
        return
    try:
        volume = float(printed[-1])
    except ValueError as error:
        raise InputError(f"The sheet's cell {target} says {printed!r}, which is not an amount.") from error
    yield Move((subject, printed[0] if len(printed) > 1 else ""), target, volume, number)
