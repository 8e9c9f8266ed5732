"""Tables with one row a vial: read right, or refused with line and column."""

from __future__ import annotations

import pytest
from designs import plan_of

from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign
from labwright.tools.liquid_handler.spreadsheet_reader import is_spreadsheet, read_spreadsheet

# 10 ug/mL x 2 mL / 1 mg/mL = 20 uL of stock; 28 % w/w at 0.90 g/mL is 252 mg/mL: 1 mmol = 17.031 mg = 67.58 uL.
TABLE = """\
# title: two of each
# made on a Monday
# vial: 4 mL
# mix: vortex 10 min
# heat: 50 degC, 20 min, stir 300 rpm
vial,sodium chloride (mg),caffeine from 1 mg/mL in methanol (ug/mL),\
ammonia from 28 % w/w in water (mmol),water (uL),total (mL),note
A,10,10,,rest,2,blank of ammonia
B,,,1,500,,
"C, again",0,,,0.5e3,,
"""


def vials(design: ExperimentDesign) -> list[dict[str, float]]:
    return [vial.additions for vial in plan_of(design).amounts.vials]


def test_every_cell_becomes_its_dose() -> None:
    design = read_spreadsheet(TABLE)
    caffeine, ammonia = (stock.name for stock in design.stocks)
    first, second, third = vials(design)
    assert first == {"sodium chloride": 10, caffeine: 20, "water": 1980}
    assert second == {ammonia: pytest.approx(67.583, abs=0.01), "water": 500}
    assert third == {"water": 500}
    assert [group.name for group in design.groups] == ["A", "B", "C, again"]
    assert (design.title, str(design.vial_volume)) == ("two of each", "4 mL")
    mix, heat = design.conditions
    assert (mix.kind, mix.by, str(mix.time)) == ("mix", "vortex", "10 min")
    assert (heat.by, str(heat.temperature), str(heat.time), str(heat.speed)) == ("stir", "50 degC", "20 min", "300 rpm")


def test_other_separators_and_a_byte_order_mark() -> None:
    plain = "vial,1-propanol (uL),water (uL)\nA,100,900\n"
    for text in (plain.replace(",", ";"), plain.replace(",", "\t"), "\ufeff" + plain, plain.replace("\n", "\r\n")):
        assert is_spreadsheet(text)
        assert vials(read_spreadsheet(text)) == [{"1-propanol": 100, "water": 900}]


def test_a_stock_by_volume_and_a_percentage() -> None:
    # 10 % v/v of 2 mL is 200 uL.
    text = "vial,brine,x\n".replace("brine", "NaCl from 1 M in water (uL)").replace(
        "x", "ethanol (% v/v),water (uL),total (mL)"
    )
    (vial,) = vials(read_spreadsheet(text + "A,150,10,rest,2\n"))
    assert vial == {"NaCl from 1 M in water": 150, "ethanol": pytest.approx(200), "water": pytest.approx(1650)}


def test_names_with_brackets_and_strange_names() -> None:
    text = 'vial,copper(II) sulfate (mg),"</Name>, 🧪 (uL)"\nA,5,100\n'
    assert [chemical.name for chemical in read_spreadsheet(text).chemicals] == ["copper(II) sulfate", "</Name>, 🧪"]


@pytest.mark.parametrize(
    "text", ["Vials of water, 1 mL each.", "vial", "vial,water (mL)", "chemicals:\n- vial,\n", "", "Vial one, two\n"]
)
def test_what_is_no_table(text: str) -> None:
    assert not is_spreadsheet(text)


HEAD = "vial,NaCl (mg),water (uL),total (mL)\n"
WRONG = [
    ("vial,NaCl,water (uL)\nA,1,2\n", r"Line 1, column 2 .*no unit"),
    ("vial,1,2-dichloroethane (uL)\nA,1,2\n", r"Line 1, column 2 .*quotation marks"),
    ("vial,NaCl (stones)\nA,1\n", r"Line 1, column 2 .*not known"),
    ("vial,NaCl (min)\nA,1\n", r"Line 1, column 2 .*no amount"),
    ("vial,ethanol (%)\nA,1\n", r"Line 1, column 2 .*basis"),
    ("vial,NaCl (mg),NaCl (mg)\nA,1,1\n", r"Line 1, column 3 .*two such"),
    ("vial,water (uL),total (mg)\nA,1,1\n", r"Line 1, column 3 .*volume"),
    ("vial,NaCl from strong in water (uL)\nA,1\n", r"Line 1, column 2 .*not a quantity"),
    ("vial,NaCl from 5 % in water (uL)\nA,1\n", r"Line 1, column 2 .*strength"),
    ("vial,NaCl from 5 min in water (uL)\nA,1\n", r"Line 1, column 2 .*strength"),
    (HEAD + "A,ten,1,\n", r"Line 2, column 2 .*'ten'"),
    (HEAD + "A,-1,1,\n", r"Line 2, column 2 .*not a number"),
    (HEAD + 'A,"1,5",1,\n', r"Line 2, column 2 .*not a number"),
    (HEAD + "A,nan,1,\n", r"Line 2, column 2 .*not a number"),
    (HEAD + "A,rest,1,1\n", r"Line 2, column 2 .*cannot fill up"),
    (HEAD + "A,1,rest,\n", r"Line 2\b.*total"),
    (HEAD + "A,1,rest,0\n", r"Line 2\b.*above 0"),
    (HEAD + "A,1,100,1,7\n", r"Line 2, column 5 .*no column"),
    (HEAD + "A,,,1\n", r"Line 2\b.*gets nothing"),
    (HEAD + "A,1,1,\nA,1,1,\n", r"Line 3, column 1 .*two vials"),
    (HEAD + 'A,"1,1\n', r"Line \d+ .*not readable"),
    (HEAD + "# heta: 50 degC\nA,1,1,\n", r"Line 2, column 1 .*not understood"),
    (HEAD + "# heat: 50 degC, softly\nA,1,1,\n", r"Line 2\b.*softly"),
    (HEAD + "# heat: 50 degC, 60 degC\nA,1,1,\n", r"Line 2\b.*does not fit"),
    (HEAD + "# mix: 10 mL\nA,1,1,\n", r"Line 2\b.*does not fit"),
    (HEAD + "# cap: maybe\nA,1,1,\n", r"Line 2\b.*not understood"),
    ("vial,water (uL),ethanol (uL),total (mL)\nA,rest,rest,1\n", "remainder"),
    (HEAD, "no vials"),
    (HEAD + "".join(f"v{i},1,1,\n" for i in range(193)), r"Line 194 .*192"),
    ("salt (mg)\n1\n", "no column `vial`"),
    ("x" * 1_000_001, "characters"),
]


@pytest.mark.parametrize(("text", "says"), WRONG, ids=[says[:24] + str(i) for i, (_, says) in enumerate(WRONG)])
def test_what_does_not_read_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_spreadsheet(text)
