"""The laboratory's list of substances: what is taken from it, and what is refused with line and cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.substance_inventory import filled, read_inventory

ROWS = """\
name,synonyms,cas,state,molar mass,density,strength,solvent,location
zorbinol,Z1|zorb,,solid,200 g/mol,,,,freezer 2
ammonia,aqueous ammonia,7664-41-7,solution,,0.90 g/mL,28 wt%,,acids cabinet

acetone,,67-64-1,,,0.79 g/mL,,,
HCl one,hydrogen chloride,,solution,,,1 M,,
HCl two,hydrogen chloride,,solution,,,12 M,water,hood
"""


def read(folder: Path, text: str = ROWS):  # type: ignore[no-untyped-def]
    (folder / "inventory.csv").write_text(text, encoding="utf-8")
    return read_inventory(folder / "inventory.csv")


def one(folder: Path, text: str = ROWS, **chemical: str) -> dict[str, str]:
    [found] = filled({"chemicals": [chemical]}, read(folder, text))["chemicals"]
    return dict(found)


def test_what_nobody_stated_is_taken_with_its_source(tmp_path: Path) -> None:
    found = one(tmp_path, name="Zorb")
    assert (found["state"], found["molar_mass"], found["location"]) == ("solid", "200 g/mol", "freezer 2")
    assert found["source"] == "inventory.csv line 2: molar mass, location, state"
    stated = one(tmp_path, name="zorbinol", molar_mass="201 g/mol")
    assert (stated["molar_mass"], stated["source"]) == ("201 g/mol", "inventory.csv line 2: location, state")


def test_a_solution_brings_its_strength_unless_the_person_says_what_there_is(tmp_path: Path) -> None:
    found = one(tmp_path, name="NH3", identity="7664-41-7")
    assert (found["strength"], found["density"]) == ("28 wt%", "0.90 g/mL")
    assert "strength" not in one(tmp_path, name="ammonia", density="0.91 g/mL")


def test_rows_that_contradict_each_other_say_nothing(tmp_path: Path) -> None:
    found = one(tmp_path, name="hydrogen chloride")
    assert "strength" not in found
    assert found["location"] == "hood"


def test_other_substances_stay_as_they_are(tmp_path: Path) -> None:
    assert one(tmp_path, name="water") == {"name": "water"}
    assert filled({"text": "words"}, read(tmp_path)) == {"text": "words"}
    assert filled({"chemicals": "none"}, read(tmp_path)) == {"chemicals": "none"}


def test_separators_and_marks_of_spreadsheets_are_read(tmp_path: Path) -> None:
    text = "\ufeff" + ROWS.replace(",", ";")
    assert one(tmp_path, text, name="Z1")["molar_mass"] == "200 g/mol"


@pytest.mark.parametrize(
    ("row", "line", "cure"),
    [
        (",,,solid,,,,,", 2, "Name the substance"),
        ("a,,,solid,200,,,,", 2, "180.16 g/mol"),
        ("a,,,liquid,,0.97,,,", 2, "0.97 g/mL"),
        ("a,,,solution,,,strong,,", 2, "28 wt%"),
        ("a,,,gas,,,,,", 2, "A gas is dosed as a solution"),
        ("a,,,solution,,,,,", 2, "needs a strength"),
        ("a,,,liquid,,,4 M,,", 2, "needs a strength"),
        ("a,,7664-41-8,,,,,,", 2, "check digit"),
        ("b,,,,,,,,\na,,,,,,,,,,", 3, "Quote a cell"),
    ],
)
def test_a_bad_row_is_refused_with_line_and_cure(row: str, line: int, cure: str, tmp_path: Path) -> None:
    head = ROWS.splitlines()[0]
    with pytest.raises(InputError, match=f"inventory.csv, line {line}.*{cure}"):
        read(tmp_path, f"{head}\n{row}\n")


@pytest.mark.parametrize("head", ["substance,density", "", "name,density,density", "name,price"])
def test_a_bad_head_names_the_columns(head: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1"):
        read(tmp_path, f"{head}\nx,1\n")


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="LABWRIGHT_INVENTORY"):
        read_inventory(tmp_path / "none.csv")
