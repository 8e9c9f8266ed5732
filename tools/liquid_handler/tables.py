"""A protocol as JSON and CSV, for people and programs that do not read the robot's file."""

from __future__ import annotations

import csv
import io
from typing import Any

from labwright.tools.liquid_handler.platform import well_name
from labwright.tools.liquid_handler.protocol import Made
from labwright.tools.liquid_handler.steps import Step

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
        "vials": [
            {
                "plate": plate,
                "well": well_name(*well),
                "group": vial.group,
                "levels": vial.levels,
                "replicate": vial.replicate,
                "contents": {
                    name: {"amount": amount, "unit": units[name]}
                    for name, amount in made.case.run.received.get((plate, well), {}).items()
                },
            }
            for vial, (plate, well) in zip(made.amounts.vials, made.layout.wells, strict=True)
        ],
        "sources": [
            {"name": source.name, "load": source.load, "unit": source.unit, "position": source.position}
            for source in made.protocol.sources
        ],
        "steps": [step_record(number, step) for number, step in enumerate(made.protocol.steps, start=1)],
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity,
                "step": finding.step,
                "wells": list(finding.wells),
                "message": finding.message,
                "mend": finding.mend,
            }
            for finding in made.findings
        ],
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
        "tags": list(step.tags),
        "note": step.note,
    }


def vials_csv(made: Made) -> str:
    """One row a vial: plate, well, levels, and one column a source in its unit."""
    sources = made.protocol.sources
    factors = list(dict.fromkeys(name for vial in made.amounts.vials for name in vial.levels))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = ["plate", "well", "group", "replicate", *factors, *(f"{s.name} ({s.unit})" for s in sources)]
    writer.writerow(map(_cell, heads))
    run = made.case.run
    for vial, (plate, well) in zip(made.amounts.vials, made.layout.wells, strict=True):
        received = run.received.get((plate, well), {})
        levels = [vial.levels.get(name, "") for name in factors]
        row = [plate, well_name(*well), vial.group, str(vial.replicate), *levels]
        writer.writerow([*map(_cell, row), *(f"{received.get(source.name, 0.0):g}" for source in sources)])
    return out.getvalue()


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
