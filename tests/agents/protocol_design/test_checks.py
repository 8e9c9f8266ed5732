"""A model's answers are held to the text: invented numbers, units, chemicals and options are caught."""

from __future__ import annotations

from typing import Any

import pytest

from labwright.agents.protocol_design.reading import Reading
from labwright.agents.protocol_design.revise import Fault, ReviseIn, ReviseOut, check_revision
from labwright.agents.protocol_design.tag import Addition, TagIn, TagOut, Way, check_tags
from labwright.agents.protocol_design.understand import UnderstandIn, check_reading, understand_by_rules
from labwright.agents.protocol_design.write_report import ReportIn, ReportOut, check_report, report_by_rules

TEXT = "Prepare standards with 5 and 10 mg of caffeine in water. The total volume of each is 2 mL."
GIVEN = UnderstandIn(text=TEXT, settled=[])


def plain() -> dict[str, Any]:
    found = understand_by_rules(GIVEN)
    assert isinstance(found, Reading)
    return found.model_dump()


def said(changed: dict[str, Any]) -> str:
    return " ".join(check_reading(GIVEN, Reading.model_validate(changed)))


def test_the_rules_own_reading_passes() -> None:
    assert said(plain()) == ""


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"value": 3.0}, "do not state 3 mL"),
        ({"value": 2000.0, "unit": "uL"}, "do not state 2000 uL"),  # a conversion is code's work
        ({"unit": "g"}, "do not state 2 g"),
        ({"unit": "spoons"}, "spoons"),
        ({"words": "two millilitres"}, "do not stand in the text"),
        ({"words": ""}, "quotes no words"),
    ],
)
def test_a_number_that_the_text_does_not_state_is_caught(change: dict[str, Any], word: str) -> None:
    wrong = plain()
    wrong["groups"][0]["total_volume"] |= change
    assert word in said(wrong)


def test_a_chemical_that_nobody_named_is_caught() -> None:
    wrong = plain()
    wrong["chemicals"].append({"name": "benzene", "role": "solvent"})
    assert "'benzene' does not stand in the text" in said(wrong)


def test_choosing_an_ambiguous_chemical_silently_is_caught() -> None:
    given = UnderstandIn(text=TEXT.replace("water", "propanol"), settled=[])
    found = understand_by_rules(given)
    assert isinstance(found, Reading)
    assert check_reading(given, found) == []
    assert "several substances" in " ".join(check_reading(given, found.model_copy(update={"doubts": []})))


def test_parts_that_do_not_fit_each_other_are_caught() -> None:
    wrong = plain()
    wrong["groups"][0]["doses"][0]["factor"] = "no such factor"
    assert "no such factor" in said(wrong)


def test_a_revision_may_not_drop_a_stated_amount() -> None:
    reading = Reading.model_validate(plain())
    given = ReviseIn(text=TEXT, settled=[], reading=reading, findings=[Fault(check="x", message="m", mend="")])
    assert "unchanged" in " ".join(check_revision(given, ReviseOut(analysis="", reading=reading)))
    less = reading.model_copy(deep=True)
    less.groups[0].factors[0].levels.pop()
    assert "10 mg" in " ".join(check_revision(given, ReviseOut(analysis="", reading=less)))


def one_addition(*offered: tuple[str, bool]) -> TagIn:
    ways = [Way(way=way, purpose="", least=10, most=None, suits=suits) for way, suits in offered]
    one = Addition(
        step=1, chemical="water", state="liquid", viscosity="low", volatile=False, mixes_with_water=True, smallest=10,
        largest=20, unit="uL", small=False, offered=ways,
    )  # fmt: skip
    return TagIn(additions=[one])


def tagged(way: str) -> TagOut:
    return TagOut.model_validate({"tags": [{"step": 1, "way": way, "reason": ""}]})


def test_a_tag_that_is_not_offered_is_caught() -> None:
    given = one_addition(("SyringePump", True))
    assert check_tags(given, tagged("Bucket")) == ["Step 1 cannot be done by 'Bucket'. Offered: SyringePump."]
    assert check_tags(given, TagOut(tags=[])) == ["Step 1 has no way."]


def test_a_way_that_does_not_dose_the_amounts_well_is_caught_where_another_does() -> None:
    given = one_addition(("SyringePump", True), ("PDT Tip1000uL", False))
    assert check_tags(given, tagged("SyringePump")) == []
    [fault] = check_tags(given, tagged("PDT Tip1000uL"))
    assert fault.endswith("Take one whose `suits` is true: SyringePump.")
    nothing_suits = one_addition(("PDT Tip10uL", False), ("PDT Tip1000uL", False))
    assert check_tags(nothing_suits, tagged("PDT Tip1000uL")) == []


def test_a_report_may_not_bring_numbers_of_its_own() -> None:
    given = ReportIn(
        request=TEXT, status="complete", cause="", vials=2, plates=1, steps=4, minutes=8.0,
        treatments=["vortexed at 800 rpm, for 5 min"], answers=[], assumptions=[], decisions=[], warnings=[],
    )  # fmt: skip
    assert "vortexed at 800 rpm, for 5 min" in report_by_rules(given).summary
    assert check_report(given, report_by_rules(given)) == []
    assert check_report(given, ReportOut(summary="It yields 97 %.", cautions=[])) == [
        "The number 97 does not stand in the facts."
    ]
