"""Blanks and controls in words: what they lack or alone hold, how many there are, and what is handed back."""

from __future__ import annotations

from collections import Counter

import pytest

from labwright.agents.call import Refusal
from labwright.agents.protocol_design.grammar.read import LEAVE_OUT, lost_id
from labwright.agents.protocol_design.reading import Reading, Settled, design_of
from labwright.agents.protocol_design.understand import UnderstandIn, understand_by_rules
from labwright.tools.liquid_handler.amounts import Amounts, calculate

Vials = Counter[tuple[tuple[str, float], ...]]
# 1 mM and 2 mM in 1 mL from 10 mM: 100 and 200 uL of the stock, water fills up.
SERIES = (
    "Make caffeine in water at 1 and 2 mM from a 10 mM stock of caffeine in water. The total volume is 1 mL. Each vial"
    " also gets 5 mg of vanillin."
)
WATER, NO_CAFFEINE = {"water": 1000.0}, {"vanillin": 5.0, "water": 1000.0}
SCREEN = (
    "Screen two additives in two solvents. The additives are glucose and urea, 4 mg each. The solvents are ethanol and"
    " methanol. Every additive is combined with every solvent. Each vial also contains 5 mg of vanillin. The total"
    " volume is 1 mL."
)


def read(text: str, **answers: str) -> Reading:
    settled = [Settled(id=about, text="", answer=said, by="person") for about, said in answers.items()]
    found = understand_by_rules(UnderstandIn(text=text, settled=settled))
    assert not isinstance(found, Refusal), found.reason
    return found


def vials(text: str, **answers: str) -> Vials:
    """What each vial gets, rounded to whole uL or mg."""
    reading = read(text, **answers)
    assert (reading.not_understood, reading.doubts) == ([], [])
    amounts = calculate(design_of(reading, text))
    assert isinstance(amounts, Amounts)
    return Counter(tuple(sorted((n, round(v)) for n, v in vial.additions.items() if v)) for vial in amounts.vials)


def beside(text: str, sentence: str, **answers: str) -> Vials:
    """The vials that a sentence adds; it takes none away."""
    plain, more = vials(text), vials(f"{text} {sentence}", **answers)
    assert not plain - more
    return more - plain


def made(count: int, contents: dict[str, float]) -> Vials:
    return Counter({tuple(sorted(contents.items())): count})


@pytest.mark.parametrize(
    ("sentence", "count", "contents"),
    [
        ("Add one blank without caffeine.", 1, NO_CAFFEINE),
        ("Also prepare 2 blanks without caffeine.", 2, NO_CAFFEINE),
        ("A control that contains no caffeine is included as well.", 1, NO_CAFFEINE),
        ("There are three controls lacking the 10 mM stock of caffeine.", 3, NO_CAFFEINE),
        ("One vial without caffeine serves as a blank.", 1, NO_CAFFEINE),
        ("As a control, prepare one vial without caffeine.", 1, NO_CAFFEINE),
        ("Add one blank without caffeine and vanillin.", 1, WATER),
        ("Include a control with only the solvent.", 1, WATER),
        ("Add two blanks of pure water.", 2, WATER),
        ("Add one blank (water only).", 1, WATER),
        ("Add one solvent blank.", 1, WATER),
        ("A water blank is included.", 1, WATER),
        ("Add two further blanks. The blanks contain only water.", 2, WATER),
        ("Prepare one blank with nothing but water and vanillin.", 1, NO_CAFFEINE),
        ("Vortex for 5 min, and make one vial without caffeine.", 1, NO_CAFFEINE),
        ("Add two vials of pure water.", 2, WATER),
        ("Add one blank without caffeine, and vortex for 5 min.", 1, NO_CAFFEINE),
    ],
)
def test_a_control_is_made_like_the_samples_but_for_what_it_lacks(
    sentence: str, count: int, contents: dict[str, float]
) -> None:
    assert beside(SERIES, sentence) == made(count, contents)


def test_two_controls_of_one_sentence_are_two() -> None:
    found = beside(SERIES, "Add a control with no caffeine and a blank with only water.")
    assert found == made(1, NO_CAFFEINE) + made(1, WATER)


def test_a_control_may_stand_in_the_sentence_of_the_samples() -> None:
    text = SERIES.replace("1 and 2 mM from", "1 and 2 mM, plus one blank without caffeine, from")
    assert vials(text) - vials(SERIES) == made(1, NO_CAFFEINE)
    counted = "Make three samples of caffeine in water, with 1, 2 and 3 mg of caffeine, and 2 blanks without caffeine."
    assert vials(f"{counted} The total volume is 1 mL.")[(("water", 1000),)] == 2


@pytest.mark.parametrize(
    "sentence", ["Add one control without additive for each solvent.", "Add two controls without any additive."]
)
def test_what_still_varies_varies_in_the_control(sentence: str) -> None:
    found = beside(SCREEN, sentence)
    assert found == made(1, {"vanillin": 5, "ethanol": 1000}) + made(1, {"vanillin": 5, "methanol": 1000})


@pytest.mark.parametrize(
    "sentence",
    [
        "Add one control without additive.",  # in which solvent?
        "Add three controls without additive.",
        "Add a control with only the solvent.",
        "Add a control without vanillin.",
        "Add one control without urea.",  # then with glucose?
        "Add one control without additive for each additive.",
    ],
)
def test_combinations_that_are_not_said_are_not_chosen(sentence: str) -> None:
    assert read(f"{SCREEN} {sentence}").not_understood == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "Add a blank.",
        "Add blanks without caffeine.",
        "Add a blank without ethanol.",
        "Add a blank without water.",
        "Add a blank with only caffeine.",
        "Add a positive control without caffeine.",
        "Add one blank without caffeine but with 7 mg of urea.",
        "Add one blank without caffeine, with 7 mg of vanillin.",
        "Add a control with twice the caffeine.",
        "Add one blank without caffeine in triplicate.",
        "Add 0 blanks without caffeine.",
        "Add 1000 blanks without caffeine.",
        "Add 1.5 blanks without caffeine.",
        "Vortex all but the blank for 5 min.",
        "The blank contains only water.",
        "Add another vial lacking ethanol.",
        "Some vials contain no caffeine.",
        "Make vials of pure water.",
        "Stir one vial of pure water for 5 min.",
        "Prepare three controls, one without caffeine and one with only water.",
    ],
)
def test_what_does_not_say_which_vials_is_handed_back(sentence: str) -> None:
    assert read(f"{SERIES} {sentence}").not_understood == [sentence]
    answers = {lost_id(sentence): LEAVE_OUT}
    assert beside(SERIES, sentence, **answers) == Counter()


def test_a_blank_that_is_counted_among_the_samples_is_handed_back() -> None:
    text = "Make three samples of caffeine in water, with 1 and 2 mg of caffeine, including one blank without caffeine."
    assert read(f"{text} The total volume is 1 mL.").not_understood == [text]


def test_what_counts_against_a_missing_substance_is_handed_back() -> None:
    text = "Use 1 mmol of aniline and 2 equivalents of pyridine. Toluene fills up to a total volume of 1 mL."
    assert read(text).doubts == []
    lost = "Add one control without aniline."
    assert read(f"{text} {lost}").not_understood == [lost]
    found = beside(text, "Add one control without pyridine.")
    assert {name for contents in found for name, _ in contents} == {"aniline", "toluene"}


def test_whether_repeats_hold_for_the_control_too_is_asked() -> None:
    text = f"{SERIES} Prepare everything in triplicate."
    sentence = "Add two blanks without caffeine."
    [doubt] = read(f"{text} {sentence}").doubts
    assert (doubt.id, doubt.default) == ("repeats of control 1", "as many as stated")
    assert doubt.consequence
    for answer, count in zip(doubt.options, (2, 6), strict=True):
        assert beside(text, sentence, **{doubt.id: answer}) == made(count, NO_CAFFEINE)


def test_a_control_in_a_time_course_needs_a_time_for_each_vial() -> None:
    text = f"{SERIES} Heat them to 40 C for 10, 20 and 30 min."
    assert beside(text, "Add one blank without caffeine at each time point.") == made(3, NO_CAFFEINE)
    lost = "Add one blank without caffeine."
    assert read(f"{text} {lost}").not_understood == [lost]
