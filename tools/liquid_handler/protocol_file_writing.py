"""Writes a protocol's files into a folder, each by rename so that none is seen half written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

from labwright.tools.liquid_handler.chemical_manager_file import manager_of, write_chemical_manager
from labwright.tools.liquid_handler.json_and_csv_export import hplc_csv, protocol_record, vials_csv
from labwright.tools.liquid_handler.plate_map import plate_map
from labwright.tools.liquid_handler.protocol_planner import Made
from labwright.tools.liquid_handler.report import bench_report
from labwright.tools.liquid_handler.robots.outputs import written


def write(
    made: Made, folder: Path, figure: bool = True, outputs: Iterable[str] = (), opentrons: str = ""
) -> dict[str, Path]:
    """Writes the report, map, tables and, unless an error blocks them, the design file and all that is done with it.

    Args:
        outputs: of `robots.outputs.OUTPUTS`; one that the protocol does not fit is left out, and the report says so.
        opentrons: the program `opentrons_simulate`, for the report.

    Returns:
        Kind (``lsr``, ``chemicals``, ``report``, ``plate_map``, ``vials``, ``hplc``, ``protocol``, or an output)
        to path.
    """
    folder.mkdir(parents=True, exist_ok=True)
    contents: dict[str, tuple[str, bytes]] = {}
    notes: list[str] = []
    if not made.blocked:
        stem = file_stem(made.protocol.title)
        contents["lsr"] = (f"{stem}.lsr", made.file)
        contents["chemicals"] = (f"{stem}-chemicals.xml", write_chemical_manager(manager_of(made.protocol)))
        for output in written(made, outputs, opentrons):
            notes += filter(None, [output.note])
            if output.text:
                contents[output.kind] = (f"{stem}{output.suffix}", output.text.encode("utf-8"))
    if figure:
        contents["plate_map"] = ("plate_map.png", plate_map(made))
    report = bench_report(made, "plate_map.png" if figure else None, notes)
    contents["report"] = ("report.md", report.encode("utf-8"))
    contents["vials"] = ("vials.csv", vials_csv(made).encode("utf-8"))
    if sequence := hplc_csv(made):
        contents["hplc"] = ("hplc.csv", sequence.encode("utf-8"))
    record = json.dumps(protocol_record(made), indent=1, ensure_ascii=False)
    contents["protocol"] = ("protocol.json", record.encode("utf-8"))
    for name, data in contents.values():
        _replace(folder / name, data)
    return {kind: folder / name for kind, (name, _) in contents.items()}


def file_stem(title: str) -> str:
    """A file name from any text: plain letters, digits, dash; never empty, hidden or a path."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", title).strip("-").lower()[:60].strip("-")
    # Windows keeps these names for devices.
    reserved = re.fullmatch(r"(con|prn|aux|nul|com\d|lpt\d)", plain)
    return f"design-{plain}" if reserved or not plain else plain


def _replace(path: Path, data: bytes) -> None:
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(data)
    os.replace(partial, path)  # noqa: PTH105
