"""What the grammar took no notice of is handed back, and what it read badly is refused; found by mutated texts."""

from __future__ import annotations

import pytest

from labwright.agents.call import Refusal
from labwright.agents.protocol_design.evidence import faults, overlooked
from labwright.agents.protocol_design.grammar.read import LEAVE_OUT, lost_id
from labwright.agents.protocol_design.reading import Amount, Reading, Settled
from labwright.agents.protocol_design.understand import UnderstandIn, understand_by_rules

SCREEN = (
    "Screen three bases in two solvents. The bases are triethylamine, pyridine and piperidine, 0.3 mmol each. The"
    " solvents are acetonitrile and toluene. Every base is combined with every solvent. Each vial also contains"
    " 0.2 mmol of benzaldehyde. The total volume is 1 mL."
)


def read(text: str, *settled: Settled) -> Reading:
    reading = understand_by_rules(UnderstandIn(text=text, settled=list(settled)))
    assert isinstance(reading, Reading)
    return reading


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("solvents are", "s1lvents are", "The s1lvents are acetonitrile and toluene."),
        ("piperidine, 0.3 mmol each", "piperidine, mmol each", "triethylamine"),
        ("bases are", "bases at 1:0 are", "1:0"),
    ],
)
def test_a_chemical_or_number_that_nothing_used_is_handed_back(old: str, new: str, lost: str) -> None:
    assert read(SCREEN).not_understood == []
    reading = read(SCREEN.replace(old, new))
    assert reading.doubts or any(lost in words for words in reading.not_understood)


def test_what_a_person_leaves_out_is_not_handed_back_again() -> None:
    text = SCREEN.replace("solvents are", "s1lvents are")
    (words,) = read(text).not_understood
    settled = Settled(id=lost_id(words), text=words, answer=LEAVE_OUT, by="person")
    assert overlooked(text, [settled], read(text, settled)) == []


def test_a_range_that_says_no_number_is_refused_and_does_not_crash() -> None:
    text = (
        "Prepare solutions of 20, 40 and 60 mg of salicylic acid in ethanol, each with a total volume of 4 mL. A part"
        " of each sample is diluted by a factor of 5 with ethanol into vials with a total volume of 3-4 mL."
    )
    answer = understand_by_rules(UnderstandIn(text=text, settled=[]))
    assert isinstance(answer, Refusal)
    assert "3-4 mL" in answer.reason


@pytest.mark.parametrize("unit", ["m", "MM"])
def test_a_unit_that_is_none_is_refused_and_does_not_crash(unit: str) -> None:
    text = f"Make potassium chloride solutions from 20 to 100 {unit} in steps of 20 mM from a 0.5 M stock, 5 mL."
    answer = understand_by_rules(UnderstandIn(text=text, settled=[]))
    assert isinstance(answer, Refusal)
    assert f"Unit '{unit}' is not known" in answer.reason
    reading = read(SCREEN)
    reading.groups[0].total_volume = Amount(value=100, unit="mM", words=f"20 to 100 {unit} in steps of 20 mM")
    assert any("is not known" in fault for fault in faults(text, [], reading))
