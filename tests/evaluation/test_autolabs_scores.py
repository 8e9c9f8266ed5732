"""Both kinds of scores against numbers that were worked out by hand."""

from __future__ import annotations

import math

import pytest

from labwright.evaluation.autolabs_scores import (
    FAR,
    Agreement,
    agreement,
    distance,
    levenshtein,
    match_steps,
    nrmse,
    step_agreement,
)
from labwright.evaluation.protocol_contents import compare_contents, differing, fair_agreement, relative, vials_of
from labwright.evaluation.protocol_reference_procedures import Entry, Procedure, identity, wells

A1, A2, A3, B1 = (0, 0), (0, 1), (0, 2), (1, 0)


def add(name: str, amounts: dict[tuple[int, int], float], plate: str = "Plate 1", unit: str = "uL") -> Entry:
    return Entry("Add", name, plate, unit, amounts)


def put(name: str, value: float, plate: str = "Plate 1", free: bool = False) -> Entry:
    return Entry("Set", name, plate, "", {A1: value, A2: value}, free=free)


def pour(amount: float, move: bool = False) -> Entry:
    return Entry("Transfer", "Plate 1", "Plate 2", "" if move else "uL", {A1: amount}, {A1: B1}, moves=move)


REFERENCE: Procedure = (
    add("water", {A1: 900, A2: 800}),
    add("ethanol", {A1: 100, A2: 200}),
    put("Cap", 1),
    put("HeatingTemp", 60),
    put("Delay", 30),
    put("HeatingTemp", 25),
)


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("water", "water", 0)],
)
def test_levenshtein(a: str, b: str, edits: int) -> None:
    assert levenshtein(a, b) == levenshtein(b, a) == edits


def test_steps_of_another_action_or_plate_are_infinitely_far_and_names_count_up_to_five_edits() -> None:
    water = add("water", {A1: 1})
    assert distance(water, put("water", 1)) == math.inf
    assert distance(water, add("water", {A1: 1}, plate="Plate 2")) == math.inf
    assert distance(water, add("waters", {A1: 1})) == 1
    assert distance(add("aaaaa", {}), add("bbbbb", {})) == 5
    assert distance(add("aaaaaa", {}), add("bbbbbb", {})) == FAR


def test_precision_recall_and_f1() -> None:
    assert agreement(3, 4, 6) == Agreement(0.75, 0.5, 0.6)
    assert agreement(0, 4, 6) == Agreement(0, 0, 0)
    assert agreement(0, 0, 0).f1 == 1


def test_a_misspelt_step_an_extra_one_and_two_missing() -> None:
    """Of 5 generated steps 4 agree; the reference has 6: P = 4/5, R = 4/6, F1 = 2 * 4 / 11."""
    liquids = (add("etanol", {A1: 100}), add("water", {A1: 900}), add("acetone", {A1: 5}))
    made = (*liquids, put("Cap", 1), put("HeatingTemp", 60))
    pairs = match_steps(made, REFERENCE)
    assert [(i, j) for i, j in pairs if i < 4] == [(0, 1), (1, 0), (3, 2)]
    assert step_agreement(made, REFERENCE) == Agreement(4 / 5, 4 / 6, pytest.approx(8 / 11))


def test_the_cheapest_assignment_is_taken_not_the_first_that_fits() -> None:
    """Taken in turn, abc-abd and abd-abe would cost 1 + 1; abc-abe and abd-abd cost 1 + 0."""
    made = (add("abc", {}), add("abd", {}))
    theirs = (add("abd", {}), add("abe", {}))
    assert match_steps(made, theirs) == [(0, 1), (1, 0)]


def test_nrmse_by_hand() -> None:
    """Errors 0, 20, 0, -20 of 4 pairs; range 900 - 100: sqrt(800 / 4) / 800."""
    made = (add("water", {A1: 900, A2: 820}), add("etanol", {A1: 100, A2: 180}))
    assert nrmse(made, REFERENCE) == pytest.approx(math.sqrt(200) / 800)
    assert nrmse(REFERENCE, REFERENCE) == 0


def test_a_missing_and_a_superfluous_chemical_count_as_nothing() -> None:
    """Water right, ethanol missing (100, 200), acetone too much (50 in A1): range 900 - 0."""
    made = (REFERENCE[0], add("acetone", {A1: 50}))
    assert nrmse(made, REFERENCE) == pytest.approx(math.sqrt((100**2 + 200**2 + 50**2) / 6) / 900)


def test_additions_of_one_chemical_add_up() -> None:
    made = (add("water", {A1: 400}), add("water", {A1: 500, A2: 800}), REFERENCE[1])
    assert nrmse(made, REFERENCE) == 0


def test_the_same_vials_in_another_order_cost_the_published_score_but_not_the_fair_one() -> None:
    swapped = (add("water", {A2: 900, A1: 800}), add("ethanol", {A2: 100, A1: 200}), *REFERENCE[2:])
    assert nrmse(swapped, REFERENCE) == pytest.approx(math.sqrt(100**2) / 800)
    assert compare_contents(swapped, REFERENCE).nrmse == 0
    assert compare_contents(swapped, REFERENCE).worst == 0


def test_names_of_one_substance_are_one() -> None:
    assert identity("EtOH") == identity("ethyl alcohol") == "ethanol"
    assert identity("0.5M sulfuric acid") != identity("sulfuric acid")
    assert identity("Zorbinol") == "zorbinol"
    made = (add("H2O", {A1: 900, A2: 800}), add("EtOH", {A1: 100, A2: 200}), *REFERENCE[2:])
    assert compare_contents(made, REFERENCE).worst == 0
    assert fair_agreement(made, REFERENCE).f1 == 1


def test_relative_errors_and_vials_without_a_partner() -> None:
    """A1 has 90 instead of 100 uL of ethanol (10 % of the larger), A2 is missing, A3 is an acetone of its own."""
    made = (add("water", {A1: 900}), add("ethanol", {A1: 90}), add("acetone", {A3: 7}))
    found = compare_contents(made, (*REFERENCE[:2], add("water", {B1: 5})))
    assert (relative(90, 100), relative(0, 0), relative(0, 3)) == (pytest.approx(0.1), 0, 1)
    assert found.by_chemical["acetone"] == 1
    assert (found.missing, found.extra) == (1, 0)
    alone = compare_contents(
        (add("water", {A1: 900}), add("ethanol", {A1: 90})), (add("water", {A1: 900}), REFERENCE[1])
    )
    assert alone.by_chemical == {"ethanol": 1, "water": 0}  # the vial with ethanol alone is empty in the procedure
    one = compare_contents(
        (add("water", {A1: 900}), add("ethanol", {A1: 90})), (add("water", {B1: 900}), add("ethanol", {B1: 100}))
    )
    assert one.by_chemical == {"ethanol": pytest.approx(0.1), "water": 0}
    assert one.nrmse == pytest.approx(math.sqrt(100 / 2) / 800)


def test_a_portion_takes_its_share_of_everything_and_a_moved_vial_keeps_its_time() -> None:
    mixed = (add("salt", {B1: 10}, unit="mg"), add("water", {B1: 1000}), add("methanol", {A1: 900}, plate="Plate 2"))
    first, second = vials_of((*mixed, pour(100)))
    assert first == {"salt": pytest.approx(9), "water": pytest.approx(900)}
    assert second == {"methanol": 900, "salt": pytest.approx(1), "water": pytest.approx(100)}
    timer = Entry("Set", "VialTimers", "Plate 2", "min", {A1: 15})
    [moved] = vials_of((mixed[0], mixed[1], timer, pour(1, move=True)))
    assert moved == {"salt": 10, "water": 1000, "VialTimers": 15}


def test_parameters_are_compared_by_value_unless_the_reference_leaves_them_free() -> None:
    hotter = tuple(put("HeatingTemp", 80) if step == REFERENCE[3] else step for step in REFERENCE)
    assert step_agreement(hotter, REFERENCE).f1 == 1  # the published score does not look at values
    assert fair_agreement(hotter, REFERENCE).f1 == pytest.approx(5 / 6)
    assert differing(hotter, REFERENCE) == (["Set HeatingTemp Plate 1 60"], ["Set HeatingTemp Plate 1 80"])
    free = (*REFERENCE, put("StirRate", 500, free=True), put("StirRate", 0))
    assert fair_agreement((*REFERENCE, put("StirRate", 300), put("StirRate", 0)), free).f1 == 1
    assert fair_agreement((*REFERENCE, put("StirRate", 0), put("StirRate", 0)), free).f1 < 1


def test_blocks_of_wells_are_read_row_by_row() -> None:
    assert wells("A1-B2") == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert wells("C3") == [(2, 2)]
    with pytest.raises(ValueError, match="no well"):
        wells("Z1")
