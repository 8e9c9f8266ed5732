"""An answer that says nothing settles nothing: the default is taken and told, or the doubt stays open."""

from __future__ import annotations

import pytest

from labwright.agents.call import Refusal
from labwright.agents.protocol_design.answers import settles_nothing
from labwright.agents.protocol_design.grammar.read import lost_id
from labwright.agents.protocol_design.reading import Reading, Settled
from labwright.agents.protocol_design.understand import (
    RefineIn,
    UnderstandIn,
    check_refined,
    refine_by_rules,
    understand_by_rules,
)

NOTHING = (
    "",
    "  ",
    "?",
    "...",
    "-",
    "I don't know",
    "I don’t know what it is.",
    "don't know, sorry",
    "no idea",
    "Not sure.",
    "use your best judgment",
    "Please use your best judgment and proceed.",
    "Use your own judgement!",
    "whatever",
    "Whatever you think is best",
    "you decide",
    "You choose one, please",
    "up to you",
    "It's your call",
    "I leave it to you",
    "any",
    "Anything will do",
    "either is fine",
    "it does not matter",
    "I don't care",
    "As you like",
    "the default is fine",
    "N/A",
    "skip this",
    "Just go ahead",
    "something sensible",
    "I have no idea, so you decide.",
)
SOMETHING = (
    "acetone",
    "water, I don't know the grade",
    "12 h",
    "use 5 mL",
    "v/v",
    "leave it out",
    "as the amounts say",
    "the usual one",
    "2-propanol or whatever",
    "none",
    "no",
    "default brand of toluene",
    "anything but water",
    "you know it as DMF",
    "pass it through water",
    "open vials",
)
STRANGER = "Dissolve 5 mg of zorbinol in water. The total volume is 1 mL."
OVERNIGHT = "Mix 1 mmol of propanol with water and heat to 40 C overnight. The total volume is 2 mL."


def read(text: str) -> Reading:
    found = understand_by_rules(UnderstandIn(text=text, settled=[]))
    assert isinstance(found, Reading)
    return found


def taken(text: str, about: str, answer: str) -> RefineIn:
    latest = Settled(id=about, text="", answer=answer, by="person")
    return RefineIn(text=text, settled=[], reading=read(text), latest=latest)


def refined(text: str, about: str, answer: str) -> Reading:
    found = refine_by_rules(taken(text, about, answer))
    assert not isinstance(found, Refusal), found.reason
    return found


@pytest.mark.parametrize("answer", NOTHING)
def test_words_that_say_nothing_are_seen(answer: str) -> None:
    assert settles_nothing(answer)


@pytest.mark.parametrize("answer", SOMETHING)
def test_words_that_say_something_are_not_taken_for_nothing(answer: str) -> None:
    assert not settles_nothing(answer)


@pytest.mark.parametrize("answer", [*NOTHING, "the usual one", "what we always take", "none", "anything but water"])
def test_no_answer_becomes_a_chemicals_name_unless_it_is_one(answer: str) -> None:
    found = refined(STRANGER, "chemical:zorbinol", answer)
    assert [doubt.id for doubt in found.doubts] == ["chemical:zorbinol"]
    assert [one.name for one in found.chemicals] == ["water", "zorbinol"]


def test_a_name_that_is_one_settles_the_doubt_and_one_of_several_is_asked_about_again() -> None:
    assert refined(STRANGER, "chemical:zorbinol", "caffeine.").doubts == []
    several = refined(STRANGER, "chemical:zorbinol", "propanol")
    assert [doubt.id for doubt in several.doubts] == ["chemical:propanol"]


def test_an_answer_that_says_nothing_takes_the_default_of_its_doubt() -> None:
    found = refined(OVERNIGHT, "heating time", "use your best judgment")
    assert [doubt.id for doubt in found.doubts] == ["chemical:propanol"]
    time = found.conditions[0].time
    assert time is not None
    assert (time.value, time.unit, time.words) == (16, "h", "16 h")
    named = refined(OVERNIGHT, "chemical:propanol", "you decide")
    assert "1-propanol" in [one.name for one in named.chemicals]


@pytest.mark.parametrize(
    ("text", "about", "answer"),
    [
        ("Make 10 mM caffeine from a 50 mM stock of caffeine. The total volume is 1 mL.", "filler", "the usual"),
        ("Make 10 mM caffeine from a 50 mM stock of caffeine. The total volume is 1 mL.", "filler", "propanol"),
        ("Dissolve 5 mg of caffeine in water. Fill up with water.", "total volume", "the usual"),
        (
            "Use 1 mmol of aniline and 2 mmol of pyridine. 1.1 equivalents of acetone.",
            "reference of acetone",
            "the other",
        ),
    ],
)
def test_an_answer_that_is_no_answer_to_its_question_leaves_it_open(text: str, about: str, answer: str) -> None:
    assert about in [doubt.id for doubt in read(text).doubts]
    found = refined(text, about, answer)
    assert about in [doubt.id for doubt in found.doubts]
    assert answer not in found.model_dump_json()


def test_words_that_were_not_understood_stay_so_after_an_answer_that_says_nothing() -> None:
    lost = "Centrifuge at 3000 rpm."
    text = f"Dissolve 5 mg of caffeine in water. The total volume is 1 mL. {lost}"
    assert refined(text, lost_id(lost), "whatever").not_understood == [lost]


def named(reading: Reading, old: str, new: str) -> Reading:
    """What a model may answer: a name put in the place of another, and its doubt taken away."""
    plain = reading.model_dump_json().replace(f'"name":"{old}"', f'"name":"{new}"')
    plain = plain.replace(f'"substance":"{old}"', f'"substance":"{new}"')
    return Reading.model_validate_json(plain).model_copy(update={"doubts": []})


def test_a_models_reading_may_not_settle_a_doubt_with_an_answer_that_says_nothing() -> None:
    given = taken(STRANGER, "chemical:zorbinol", "Please use your best judgment and proceed.")
    kept = check_refined(given, given.reading)
    assert kept == []
    for name in ("caffeine", "Please use your best judgment and proceed"):
        wrong = check_refined(given, named(given.reading, "zorbinol", name))
        assert any("settles nothing" in fault for fault in wrong)
        assert any(f"'{name}' does not stand in the text" in fault for fault in wrong)


def test_a_models_reading_may_take_the_default_for_an_answer_that_says_nothing() -> None:
    given = taken(OVERNIGHT, "heating time", "you decide")
    assert any("still open" in fault for fault in check_refined(given, given.reading))
    assert check_refined(given, refined(OVERNIGHT, "heating time", "16 h")) == []
