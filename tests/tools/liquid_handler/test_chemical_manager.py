"""The chemical manager file: both halves, read back equal, safe to read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.chemical_manager import (
    BACKSOLVENT,
    MODES_ROOT,
    PLATE,
    ROOT,
    TO_BE_PLACED,
    ChemicalManager,
    Loaded,
    manager_of,
    read_chemical_manager,
    write_chemical_manager,
)
from labwright.tools.liquid_handler.design import ExperimentDesign
from labwright.tools.liquid_handler.protocol import Made, make_protocol
from labwright.tools.liquid_handler.writing import write

STRANGE = ["</Name>", "🧪 emoji", 'a "quoted" & <b>', "]]>", "Ω-3", "x</both><both>", "=1+1", "two\nlines"]


def made(design: ExperimentDesign) -> Made:
    found = make_protocol(design)
    assert isinstance(found, Made)
    return found


def test_it_is_read_back_equal(designs: dict[str, ExperimentDesign]) -> None:
    for design in designs.values():
        manager = manager_of(made(design).protocol)
        assert read_chemical_manager(write_chemical_manager(manager)) == manager


def test_sources_stand_where_they_fit(designs: dict[str, ExperimentDesign]) -> None:
    protocol = made(designs["ester"]).protocol
    manager = manager_of(protocol)
    by_name = {one.name: one for one in manager.chemicals}
    assert by_name["water"].kind == BACKSOLVENT
    assert by_name["water"].valve == 1
    assert by_name["Plate 1"].kind == PLATE  # the work-up draws from it
    loads = {source.name: source.load for source in protocol.sources}
    standing = [one for one in manager.chemicals if one.rack and one.kind != PLATE]
    assert all(one.amount == loads[one.name] <= one.size for one in standing)
    places = [(one.position, one.row, one.column) for one in standing]
    assert len(set(places)) == len(places)
    assert all(one.position.startswith(TO_BE_PLACED) for one in standing)
    assert [(p.id, p.rows, p.columns) for p in manager.plates] == [
        (i + 1, p.rows, p.columns) for i, p in enumerate(protocol.plates)
    ]
    modes = dict(manager.modes)
    assert modes["water"] == "factory setting|ADT"
    assert modes["benzoic acid"].endswith("Powder")
    assert set(modes) == {one.name for one in manager.chemicals}


def test_a_ninth_large_vial_goes_to_a_second_rack(designs: dict[str, ExperimentDesign]) -> None:
    protocol = made(designs["cross"]).protocol
    brine = next(source for source in protocol.sources if source.name == "brine")
    many = replace(protocol, sources=tuple(replace(brine, name=f"s{i}", load=15000.0) for i in range(9)))
    *_, eighth, ninth = manager_of(many).chemicals
    assert (eighth.row, eighth.column) == (2, 4)
    assert (ninth.row, ninth.column) == (1, 1)
    assert eighth.position != ninth.position


def test_it_lies_beside_the_design_file_and_not_for_a_blocked_one(
    designs: dict[str, ExperimentDesign], tmp_path: Path
) -> None:
    fine = made(designs["cross"])
    paths = write(fine, tmp_path / "out", figure=False)
    assert paths["chemicals"].name == "two-stocks-chemicals.xml"
    assert read_chemical_manager(paths["chemicals"].read_bytes()) == manager_of(fine.protocol)
    wrong = replace(fine, findings=(replace(fine.findings[0], severity="error"),))
    assert not {"chemicals", "lsr"} & set(write(wrong, tmp_path / "blocked", figure=False))


@pytest.mark.parametrize("name", STRANGE)
def test_strange_names_survive(name: str) -> None:
    manager = ChemicalManager((Loaded(name, "stNormal", 10.0, "uL"),), (), ((name, "factory setting|ADT"),))
    assert read_chemical_manager(write_chemical_manager(manager)) == manager


def test_control_characters_are_refused() -> None:
    with pytest.raises(InputError, match="control characters"):
        write_chemical_manager(ChemicalManager((), (), (("bell \x07", "x"),)))


BOMB = '<!DOCTYPE z [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE z [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (f"<{ROOT}>", f"{BOMB}<{ROOT}>"),
        (f"<{ROOT}>", f"{OUTSIDE}<{ROOT}>"),
        (f"<{MODES_ROOT}>", f"{OUTSIDE}<{MODES_ROOT}>"),
        ("<Name>brine<", "<Name>&b;<"),
        (f"<{MODES_ROOT}>", f"<other/><{MODES_ROOT}>"),
        (f"<{ROOT}>", f"</both><both><{ROOT}>"),
        ("<Units>ul<", "<Units>gallons<"),
        ("<Row>1<", "<Row>one<"),
        ("<Row>1</Row>", ""),
        (' Mode="', ' Mood="'),
    ],
)
def test_a_changed_file_is_refused(designs: dict[str, ExperimentDesign], old: str, new: str, encoding: str) -> None:
    text = write_chemical_manager(manager_of(made(designs["cross"]).protocol)).decode("utf-8")
    assert old in text, "the file no longer looks as this test thinks"
    with pytest.raises(InputError):
        read_chemical_manager(text.replace(old, new).encode(encoding))
