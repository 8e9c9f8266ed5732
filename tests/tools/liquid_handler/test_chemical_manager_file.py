"""The chemical manager file: both halves hold what stands where, whatever the names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from chemical_managers import halves
from designs import plan_of

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.chemical_manager_file import (
    BACKSOLVENT,
    PLATE,
    TO_BE_PLACED,
    ChemicalManager,
    Loaded,
    manager_of,
    write_chemical_manager,
)
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.protocol_file_writing import write

STRANGE = ["</Name>", "🧪 emoji", 'a "quoted" & <b>', "]]>", "Ω-3", "x</both><both>", "=1+1", "two\nlines"]


def test_both_halves_hold_every_field(designs: dict[str, ExperimentDesign]) -> None:
    units = {"ul": "uL", "mg": "mg", "undefined": ""}
    for design in designs.values():
        manager = manager_of(plan_of(design).protocol)
        chemicals, plates, modes = halves(write_chemical_manager(manager))
        assert tuple(modes) == manager.modes
        for one, fields in zip(manager.chemicals, chemicals, strict=True):
            assert Loaded(
                name=fields["Name"], kind=fields["Type"], amount=float(fields["AmountLeft"]),
                unit=units[fields["Units"]], row=int(fields["Row"]), column=int(fields["Column"]),
                size=float(fields["Size"]), position=fields["SubstratePosition"], rack=fields["SubstrateType"],
                valve=int(fields["ValvePosition"]), colour=int(fields["Color"]),
            ) == one  # fmt: skip
        for plate, fields in zip(manager.plates, plates, strict=True):
            found = (fields["LibraryID"], fields["Name"], fields["NumOfRows"], fields["NumOfCols"])
            assert found == (str(plate.id), plate.name, str(plate.rows), str(plate.columns))
            assert (fields["SubstrateType"], fields["SubstratePosition"]) == (plate.rack, plate.position)


def test_sources_stand_where_they_fit(designs: dict[str, ExperimentDesign]) -> None:
    protocol = plan_of(designs["ester"]).protocol
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
    protocol = plan_of(designs["cross"]).protocol
    brine = next(source for source in protocol.sources if source.name == "brine")
    many = replace(protocol, sources=tuple(replace(brine, name=f"s{i}", load=15000.0) for i in range(9)))
    *_, eighth, ninth = manager_of(many).chemicals
    assert (eighth.row, eighth.column) == (2, 4)
    assert (ninth.row, ninth.column) == (1, 1)
    assert eighth.position != ninth.position


def test_it_lies_beside_the_design_file_and_not_for_a_blocked_one(
    designs: dict[str, ExperimentDesign], tmp_path: Path
) -> None:
    fine = plan_of(designs["cross"])
    paths = write(fine, tmp_path / "out", figure=False)
    assert paths["chemicals"].name == "two-stocks-chemicals.xml"
    assert paths["chemicals"].read_bytes() == write_chemical_manager(manager_of(fine.protocol))
    wrong = replace(fine, findings=(replace(fine.findings[0], severity="error"),))
    assert not {"chemicals", "lsr"} & set(write(wrong, tmp_path / "blocked", figure=False))


@pytest.mark.parametrize("name", STRANGE)
def test_strange_names_survive(name: str) -> None:
    manager = ChemicalManager((Loaded(name, "stNormal", 10.0, "uL"),), (), ((name, "factory setting|ADT"),))
    chemicals, _, modes = halves(write_chemical_manager(manager))
    assert [fields["Name"] for fields in chemicals] == [name]
    assert modes == [(name, "factory setting|ADT")]


def test_control_characters_are_refused() -> None:
    with pytest.raises(InputError, match="control characters"):
        write_chemical_manager(ChemicalManager((), (), (("bell \x07", "x"),)))
