"""The grammar reads what it can, asks where it is unsure, and hands back what it did not understand."""

from __future__ import annotations

import random

import pytest

from labwright.agents.call import Refusal
from labwright.agents.protocol_design.evidence import faults
from labwright.agents.protocol_design.grammar.amounts import expand, find_amounts
from labwright.agents.protocol_design.grammar.read import LEAVE_OUT, lost_id, read
from labwright.agents.protocol_design.names import choices_of, find_chemicals
from labwright.agents.protocol_design.reading import Reading, Settled, design_of
from labwright.agents.protocol_design.understand import UnderstandIn, understand_by_rules
from labwright.evaluation import suites
from labwright.evaluation.protocols import load_cases
from labwright.tools.liquid_handler.amounts import Amounts, calculate


def reading(text: str, **answers: str) -> Reading:
    found = read(text, [Settled(id=name, text="", answer=answer, by="person") for name, answer in answers.items()])
    assert isinstance(found, Reading)
    return found


@pytest.mark.parametrize(
    ("text", "values", "unit"),
    [
        ("5,10,15 and 50 mg", (5, 10, 15, 50), "mg"),
        ("1,000 uL", (1000,), "uL"),
        ("from 20 to 100 mM in steps of 20 mM", (20, 40, 60, 80, 100), "mM"),
        ("0%, 0.2%, and 1.0%", (0, 0.2, 1), "%"),
        ("1.0, 1.2 or 2.0 equivalents", (1, 1.2, 2), "equiv"),
        ("80 deg", (80,), "degC"),
        ("5 µL wt", (5,), "uL"),
    ],
)
def test_amounts_as_chemists_write_them(text: str, values: tuple[float, ...], unit: str) -> None:
    [found] = find_amounts(text)
    assert (expand(found), found.unit, found.words) == (values, unit, text)


def test_levels_evenly_spaced_need_a_count() -> None:
    [found] = find_amounts("evenly spaced between 5 and 30 mg")
    assert expand(found) == ()
    assert expand(found, 6) == (5, 10, 15, 20, 25, 30)


def test_names_are_found_by_the_longest_match_and_by_their_shape() -> None:
    found = [name for name, _, _ in find_chemicals("Mix ethyl acetate, DMF and 4-zorbyltoluene with IPA.")]
    assert found == ["ethyl acetate", "dimethylformamide", "4-zorbyltoluene", "2-propanol"]
    assert choices_of("4-zorbyltoluene") == []


def test_every_open_case_comes_out_right() -> None:
    result = suites.run("protocols")
    assert [row for row in result["rows"] if not row["passed"]] == []


@pytest.mark.parametrize("case", [*load_cases("dev"), *load_cases("sealed")], ids=lambda case: case.name)
def test_no_reading_fails_its_own_check(case: object) -> None:
    text = case.text  # type: ignore[attr-defined]
    found = read(text, [])
    assert isinstance(found, Refusal) or faults(text, [], found) == []


def test_what_no_pattern_takes_is_handed_back_word_for_word() -> None:
    text = "Dissolve 5 mg of caffeine in water. The total volume is 1 mL. Centrifuge at 3000 rpm."
    lost = "Centrifuge at 3000 rpm."
    assert reading(text).not_understood == [lost]
    assert reading(text, **{lost_id(lost): LEAVE_OUT}).not_understood == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Half of the vials get 5 mg of caffeine, the other half 10 mg of vanillin.",
        "Combine every base with every solvent except pyridine with acetone.",
        "Prepare caffeine at 1 and 2 mM, plus one blank.",
        "Put 1 mmol of aniline in each vial with twice as much pyridine.",
        "Add 1 and 2 mmol of aniline to 3 and 4 mmol of pyridine, respectively.",
        "Heat at 40 and 60 C for 1 h.",
    ],
)
def test_a_word_that_turns_the_meaning_is_not_passed_over(sentence: str) -> None:
    text = f"Dissolve 5 mg of salicylic acid in ethanol. The total volume is 1 mL. {sentence}"
    found = reading(text)
    assert found.not_understood == [sentence]
    without = reading(text, **{lost_id(sentence): LEAVE_OUT})
    assert without.groups[0].doses == reading(text.removesuffix(sentence)).groups[0].doses


def test_a_second_amount_of_one_substance_is_not_guessed_about() -> None:
    text = "Dissolve 5 mg of caffeine in water. The total volume is 1 mL. Add 7 mg of caffeine."
    assert reading(text).not_understood == ["Add 7 mg of caffeine."]


def test_a_number_of_vials_that_does_not_come_out_is_asked_about() -> None:
    text = "Prepare a set of five samples of caffeine in water with 1, 2 and 4 mg of caffeine. Total volume 1 mL."
    assert [doubt.id for doubt in reading(text).doubts] == ["number of vials"]


def test_members_of_a_set_by_their_number() -> None:
    text = (
        "There are two dyes: caffeine and vanillin. Prepare 2 vials with dye 1, loaded at 5 mg, and 4 vials with dye 2,"
        " half with 5 mg and half with 8 mg. The solvent is ethanol. Water is added at 1 and 2 mmol. The total volume"
        " is 1 mL."
    )
    found = reading(text)
    assert (found.not_understood, found.doubts) == ([], [])
    amounts = calculate(design_of(found, text))
    assert isinstance(amounts, Amounts)
    solids = [(name, vial.additions[name]) for vial in amounts.vials for name in vial.additions if name in text[:42]]
    assert sorted(solids) == [("caffeine", 5)] * 2 + [("vanillin", 5)] * 2 + [("vanillin", 8)] * 2
    assert [doubt.id for doubt in reading(text.replace("4 vials", "5 vials")).doubts] == ["number for (2,)"]


def test_a_stock_whose_solute_is_only_implied() -> None:
    text = (
        "Use 1 mmol of benzaldehyde. Triethylamine is the catalyst at 0.05 M, added as a 1 M solution in toluene."
        " Fill up with toluene to 2 mL."
    )
    found = reading(text)
    assert (found.not_understood, found.doubts) == ([], [])
    [stock] = found.stocks
    assert (stock.solute, stock.solvent, stock.concentration.value) == ("triethylamine", "toluene", 1.0)
    assert [dose.via for dose in found.groups[0].doses if dose.substance == "triethylamine"] == [stock.name]


def test_an_answer_settles_its_doubt_and_is_quoted() -> None:
    text = "Mix 1 mmol of propanol with water and heat to 40 C overnight. The total volume is 2 mL."
    first = reading(text)
    assert {doubt.id for doubt in first.doubts} == {"chemical:propanol", "heating time"}
    settled = {"chemical:propanol": "2-propanol", "heating time": "12 h"}
    second = reading(text, **settled)
    assert second.doubts == []
    time = second.conditions[0].time
    assert time is not None
    assert (time.value, time.unit, time.words) == (12, "h", "12 h")
    assert "2-propanol" in [substance.name for substance in second.chemicals]


def test_what_makes_no_design_is_refused_with_the_reason() -> None:
    text = "Mix methanol and water at volume ratios of 1:3 and 1:1. The total volume of each mixture is 0 mL."
    found = understand_by_rules(UnderstandIn(text=text, settled=[]))
    assert isinstance(found, Refusal)
    assert "0 mL" in found.reason


def test_an_answer_that_does_not_settle_its_doubt_leaves_it_open() -> None:
    text = "Dissolve 5 mg of caffeine in water and heat to 40 C."
    wrong = reading(text, **{"total volume": "3 mg", "heating time": "a while"})
    assert {doubt.id for doubt in wrong.doubts} == {"total volume", "heating time"}


def test_a_range_without_levels_is_asked_about() -> None:
    text = "Prepare caffeine solutions in water with caffeine at 5 to 20 mg. The total volume is 1 mL."
    assert [doubt.id for doubt in reading(text).doubts] == ["levels of caffeine"]
    settled = reading(text, **{"levels of caffeine": "5, 10 and 20 mg"})
    assert settled.doubts == []
    assert [level.value for level in settled.groups[0].factors[0].levels] == [5, 10, 20]


def test_mutilated_texts_give_a_reading_or_a_refusal_and_never_an_invented_number() -> None:
    draw = random.Random(7)
    texts = [case.text for case in load_cases("dev")]
    for _ in range(60):
        words = draw.choice(texts).split()
        for _ in range(draw.randint(1, 6)):
            at = draw.randrange(len(words))
            words[at : at + 1] = draw.choice([[], [words[at]] * 2, [draw.choice(words)], ["<A0>"], ["\u2603"]])
            words = words or ["nothing"]
        text = " ".join(words)
        found = read(text, [])
        assert isinstance(found, Refusal) or not [fault for fault in faults(text, [], found) if "amount" in fault], text


BASE = "Dissolve 5 mg of salicylic acid in ethanol. The total volume is 1 mL."


def treated(sentence: str) -> list[tuple[str, str | None, float | None, float | None]]:
    """Kind, agitation, temperature and time of what a sentence orders."""
    found = reading(f"{BASE} {sentence}")
    assert found.not_understood == []
    return [
        (one.kind, one.by, one.temperature and one.temperature.value, one.time and one.time.value)
        for one in found.conditions
    ]


@pytest.mark.parametrize(
    ("sentence", "steps"),
    [
        ("Nothing is heated.", []),
        ("Heating is not required.", []),
        ("Heat at 40 C for 1 h and stir at 300 rpm.", [("heat", "stir", 40, 1)]),
        ("Stir for 5 min and heat at 40 C for 1 h.", [("mix", "stir", None, 5), ("heat", None, 40, 1)]),
        ("Heat at 40 C for 1 h and let them cool to 25 C.", [("heat", None, 40, 1), ("cool", None, 25, None)]),
        ("Heat at 40 C for 1 h without stirring.", [("heat", "none", 40, 1)]),
        ("They are heated at 40 C for 1 h and cooled to 25 C.", [("heat", None, 40, 1), ("cool", None, 25, None)]),
        (
            "Heat at 40 C for 1 h and cool to 25 C. Once cooled, vortex for 2 min.",
            [("heat", None, 40, 1), ("cool", None, 25, None), ("mix", "vortex", None, 2)],
        ),
    ],
)
def test_what_is_ordered_what_is_not_and_what_was_before(sentence: str, steps: list[object]) -> None:
    assert treated(sentence) == steps


def test_waiting_and_heating_are_not_made_up() -> None:
    assert reading(f"{BASE} The vials hold 5 mg each.").conditions == []  # to hold an amount is no treatment
    assert [doubt.id for doubt in reading(f"{BASE} Wait before use.").doubts] == ["waiting time"]
    assert [doubt.id for doubt in reading(f"{BASE} Heat them.").doubts] == ["temperature"]


def test_a_factor_of_dilution_and_a_volume_are_no_range() -> None:
    text = f"{BASE} Dilute a portion of each with ethanol by a factor of 10 to 1 mL."
    workup = reading(text).workup
    assert workup is not None
    assert (workup.factor.value, workup.factor.unit, workup.total_volume.value) == (10, "", 1)
    assert find_amounts("10 to 1 mL")[0].form == "list"
    assert find_amounts("1 to 10 mL")[0].form == "range"


def test_what_begins_like_a_name_is_none() -> None:
    assert find_chemicals("Dilute 10-fold, in 24-well plates, for 5-min.") == []
    assert [name for name, _, _ in find_chemicals("2-foldol")] == ["2-foldol"]


def test_make_with_is_no_filling_and_a_dosed_solvent_does_not_fill() -> None:
    text = "Make 2 mixtures with 1 and 2 mmol of aniline. The solvent is ethanol. The final volume is 1 mL."
    kinds = {dose.substance: dose.kind for dose in reading(text).groups[0].doses}
    assert kinds == {"aniline": "moles", "ethanol": "remainder"}


def test_alternatives_without_a_noun_are_a_set_of_their_own() -> None:
    text = "Put 1 mmol of aniline, pyridine or piperidine into each vial. Fill up with toluene to 1 mL."
    found = reading(text)
    amounts = calculate(design_of(found, text))
    assert isinstance(amounts, Amounts)
    assert [sorted(set(vial.additions) - {"toluene"}) for vial in amounts.vials] == [
        ["aniline"],
        ["pyridine"],
        ["piperidine"],
    ]


def test_its_concentration_is_that_of_what_was_named_last() -> None:
    text = (
        "Urea is the additive; its concentration is 0.1 and 0.2 M, from a 1 M stock of urea in water."
        " Water fills each vial up to 1 mL."
    )
    found = reading(text)
    assert (found.not_understood, [dose.via for dose in found.groups[0].doses]) == ([], ["1 M urea", None])


def test_a_reagent_that_is_sold_by_weight_is_read_by_weight() -> None:
    [stock] = reading("Ammonia is 1 M, from a 28 % ammonia solution in water. Water fills up to 1 mL.").stocks
    assert stock.basis == "w/w"
