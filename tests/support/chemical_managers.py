"""Reads a chemical manager file with lxml alone: its two roots, and the fields of every source and plate."""

from __future__ import annotations

from lxml import etree

from labwright.tools.liquid_handler.chemical_manager_file import MODES_ROOT, ROOT


def halves(data: bytes) -> tuple[list[dict[str, str]], list[dict[str, str]], list[tuple[str, str]]]:
    """Fields of the chemicals, fields of the plates, and (name, mode) of every dispense mode."""
    both = etree.fromstring(b"<both>" + data + b"</both>")
    assert [child.tag for child in both] == [ROOT, MODES_ROOT]
    chemicals, plates = (
        [{field.tag: field.text or "" for field in each} for each in both[0].iter(f"{ROOT}.{kind}")]
        for kind in ("Chemical", "Library")
    )
    modes = [(str(each.get("Name")), str(each.get("Mode"))) for each in both[1].iterfind("ChemicalManager/Chemical")]
    return chemicals, plates, modes
