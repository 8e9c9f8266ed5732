"""A protocol as JSON and CSV, for people and programs that do not read the robot's file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.protocol_steps import Step
from labwright.tools.liquid_handler.vial_histories import (
    History,
    Place,
    concentrations,
    histories,
    note_text,
    origin_text,
    samples,
)

# A cell that begins like this is a formula to a spreadsheet; chemical names come from outside.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def protocol_record(made: Made) -> dict[str, Any]:
    """The protocol as plain JSON data: vials with contents, steps, sources, findings."""
    units = {name: material.unit for name, material in made.amounts.cupboard.materials.items()}
    return {
        "title": made.protocol.title,
        "plates": [
            {"name": plate.name, "rows": plate.rows, "columns": plate.columns, "vial_uL": plate.vial}
            for plate in made.protocol.plates
        ],
        "vials": [_vial(made, place, history, units) for place, history in histories(made).items()],
        "sources": [
            {"name": source.name, "load": source.load, "unit": source.unit, "position": source.position}
            for source in made.protocol.sources
        ],
        "steps": [step_record(number, step) for number, step in enumerate(made.protocol.steps, start=1)],
        "findings": [{"code": finding.code, **finding.rest()} for finding in made.findings],
    }


def _vial(made: Made, place: Place, history: History, units: Mapping[str, str]) -> dict[str, Any]:
    recipe, received = history.recipe, made.case.run.received.get(place, {})
    portions = [
        {
            "plate": portion.origin[0],
            "well": well_name(*portion.origin[1]),
            "volume_uL": portion.volume,
            "minute": round(portion.minute, 1),
            "note": portion.note,
        }
        for portion in history.portions
    ]
    return {
        "plate": place[0],
        "well": well_name(*place[1]),
        "group": recipe.group if recipe else "",
        "levels": recipe.levels if recipe else {},
        "replicate": recipe.replicate if recipe else 1,
        "contents": {name: {"amount": amount, "unit": units[name]} for name, amount in received.items()},
        "volume_uL": round(made.case.run.vials[place].volume, 3),
        "from": portions,
        "filled_minute": None if history.filled is None else round(history.filled, 1),
        "hot": [{"degC": temperature, "minutes": minutes} for temperature, minutes in history.hot],
        "sampled_minutes": [round(minute, 1) for minute in history.sampled],
    }


def step_record(number: int, step: Step) -> dict[str, Any]:
    """One step as plain JSON data."""
    return {
        "number": number,
        "action": step.action,
        "subject": step.subject,
        "plate": step.plate,
        "unit": step.unit,
        "amounts": {well_name(*well): amount for well, amount in sorted(step.amounts.items())},
        "origins": {well_name(*well): well_name(*origin) for well, origin in sorted(step.origins.items())},
        "tags": list(step.tags),
        "note": step.note,
        "manner": str(step.manner),
    }


def vials_csv(made: Made) -> str:
    """One row a vial: place, levels, where its portions come from, its times, and one column a source in its unit."""
    sources = made.protocol.sources
    factors = _factors(made)
    heads = ["plate", "well", "group", "replicate", *factors, "from", "taken at"]
    heads += ["filled (min)", "hot (min)", "hot (degC)"]
    rows = [[*heads, "sampled (min)", "volume (uL)", *(f"{s.name} ({s.unit})" for s in sources)]]
    for place, history in histories(made).items():
        received = made.case.run.received.get(place, {})
        filled = "" if history.filled is None else f"{history.filled:.1f}"
        hot = [f"{history.hot_minutes:g}", f"{max(history.hot)[0]:g}"] if history.hot else ["", ""]
        times = [filled, *hot, " ".join(f"{minute:.1f}" for minute in history.sampled)]
        volume = f"{made.case.run.vials[place].volume:g}"
        amounts = [f"{received.get(source.name, 0.0):g}" for source in sources]
        portions = [origin_text(history), note_text(history)]
        rows.append([*_asked(place, history, factors), *portions, *times, volume, *amounts])
    return _csv(rows)


def hplc_csv(made: Made) -> str:
    """The sequence for the chromatograph, one row an injection; empty where no vial is filled from another.

    `composition` is nominal, as if nothing had reacted. Volume and method are the instrument's and not written.
    """
    factors = _factors(made)
    heads = ["injection", "plate", "position", "sample", "from", "taken at", "group", "replicate"]
    rows = [[*heads, *factors, "composition"]]
    for number, (place, history) in enumerate(samples(made), start=1):
        plate, well, group, replicate, *levels = _asked(place, history, factors)
        origin, taken = origin_text(history), note_text(history)
        held = concentrations(made, place).items()
        composition = "; ".join(f"{name} {_molar(molarity)}" for name, molarity in held if molarity > 0)
        made_of = [f"from {origin}"] if origin else []
        at = [f"at {taken}"] if taken else []
        sample = " ".join([group, *filter(None, levels), f"r{replicate}", *made_of, *at])
        rows.append([str(number), plate, well, sample, origin, taken, group, replicate, *levels, composition])
    return _csv(rows) if len(rows) > 1 else ""


def _molar(millimolar: float) -> str:
    return f"{millimolar / 1000:.3g} M" if millimolar >= 1000 else f"{millimolar:.3g} mM"


def _factors(made: Made) -> list[str]:
    return list(dict.fromkeys(name for vial in made.amounts.vials for name in vial.levels))


def _asked(place: Place, history: History, factors: list[str]) -> list[str]:
    recipe = history.recipe
    levels = [recipe.levels.get(name, "") if recipe else "" for name in factors]
    named = [recipe.group, str(recipe.replicate)] if recipe else ["", ""]
    return [place[0], well_name(*place[1]), *named, *levels]


def _csv(rows: list[list[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([*map(_cell, row)] for row in rows)
    return out.getvalue()


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
