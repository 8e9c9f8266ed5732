"""The rules' review follows the numbers, and its check holds a model to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from labwright.agents.feature_map_search.history import in_short
from labwright.agents.feature_map_search.ideas import Direction, Review, Tried, direction
from labwright.agents.feature_map_search.review import REVIEW, ReviewIn, check_review
from labwright.agents.feature_map_search.review_policy import WAYS
from labwright.agents.rules import RulesMind

EXAMPLE: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "prompts/examples/feature_map_search.review.json").read_text(encoding="utf-8")
)
GOOD, LESS = EXAMPLE["last"]
ILLEGAL = GOOD | {
    "name": "Squares", "outcome": "illegal", "reason": "The angle of RY on line 14 is not linear.", "recipe": None,
    "selection": None, "validation_accuracy": None, "cross_validation": None, "concentration": None,
}  # fmt: skip


def reviewed(**changes: Any) -> Review:
    answer = RulesMind().answer(REVIEW, ReviewIn.model_validate(EXAMPLE | changes))
    assert isinstance(answer, Review)
    return answer


@pytest.mark.parametrize(
    ("before", "now", "way"),
    [
        (None, 0.5, "first"),
        (0.5, 0.5, "no change"),
        (0.5, 0.5 + 1e-9, "gain"),
        (0.25, 0.45, "gain"),
        (0.25, 0.46, "large gain"),
        (0.5, 0.4, "decline"),
        (0.45, 0.25, "decline"),
        (0.46, 0.25, "large decline"),
        (0.9, None, "large decline"),
    ],
)
def test_directions_split_at_a_fifth_and_at_exactly_zero(before: float | None, now: float | None, way: str) -> None:
    assert direction(before, now) == way


def test_every_direction_has_its_words() -> None:
    assert set(WAYS) == set(get_args(Direction))
    reasons = {reviewed(direction=way).reason for way in get_args(Direction)}
    assert len(reasons) == 6


def test_maps_are_ranked_by_validation_and_rejected_ones_named_with_the_reason() -> None:
    twin = LESS | {"name": "Twin"}
    answer = reviewed(last=[ILLEGAL, twin, LESS, GOOD])
    assert answer.ranking == "FallingAngleRing (0.9808) > FallingAngleLine (0.9780) = Twin (0.9780) > Squares (illegal)"
    assert "Squares was illegal: The angle of RY on line 14 is not linear." in answer.reason


@pytest.mark.parametrize("outcome", ["illegal", "invalid", "vetoed"])
def test_a_model_must_name_what_was_not_evaluated(outcome: str) -> None:
    given = ReviewIn.model_validate(EXAMPLE | {"last": [GOOD, ILLEGAL | {"outcome": outcome}]})
    right = RulesMind().answer(REVIEW, given)
    assert isinstance(right, Review)
    silent = right.model_copy(update={"reason": "The accuracy rose."})
    assert any(f"Squares was {outcome}" in found for found in check_review(given, silent))


def test_a_name_within_a_longer_name_is_not_taken_for_it() -> None:
    given = ReviewIn.model_validate(EXAMPLE | {"last": [GOOD | {"name": "Map1"}, LESS | {"name": "Map12"}]})
    answer = reviewed(last=[GOOD | {"name": "Map1"}, LESS | {"name": "Map12"}])
    wrong = answer.model_copy(update={"ranking": "Map12 (0.9780)"})
    assert check_review(given, wrong) == ["The ranking does not name Map1."]


def test_after_a_decline_it_goes_back_to_the_best() -> None:
    worse = LESS | {"name": "Flat", "validation_accuracy": 0.91, "recipe": LESS["recipe"] | {"decay": 1.0}}
    answer = reviewed(last=[worse], direction="decline", past=[GOOD], best=GOOD)
    assert answer.suggestions[0].startswith("Go back to FallingAngleRing: ")
    assert "decay 0.35" in answer.suggestions[0]
    assert "0.9808" in answer.suggestions[0]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"concentration": 0.01}, "smaller angles"),
        ({"concentration": 0.5}, "larger angles"),
        ({"cross_validation": 0.93}, "above cross-validation"),
    ],
)
def test_statistics_of_the_kernel_lead_to_suggestions(changes: dict[str, Any], word: str) -> None:
    assert word in " ".join(reviewed(last=[GOOD | changes]).suggestions)


def test_a_slow_map_that_is_no_better_is_to_be_simplified() -> None:
    slow = LESS | {"seconds": 40.0}
    told = " ".join(reviewed(last=[slow], direction="no change", hardware="two cores").suggestions)
    assert "40.0 s" in told
    assert "two cores" in told


@pytest.mark.parametrize(("most", "count"), [(0, 0), (1, 1), (3, 3)])
def test_there_are_no_more_suggestions_than_asked_for(most: int, count: int) -> None:
    flat = GOOD | {"recipe": GOOD["recipe"] | {"decay": 1.0, "entangler": "none", "axes": ["RY"], "repeats": 2}}
    assert len(reviewed(best=flat, max_suggestions=most).suggestions) == count


@pytest.mark.parametrize(
    ("trial", "found", "most", "accuracy", "done"),
    [
        (2, 2, 30, 1.0, True),
        (3, 2, 30, 0.98, False),
        (16, 2, 30, 0.98, False),  # a pause of fourteen in a search of thirty
        (17, 2, 30, 0.98, True),
        (10, 1, 10, 0.98, False),  # a search of ten goes to its end
        (11, 1, 12, 0.98, True),
    ],
)
def test_the_search_ends_only_if_nothing_is_left_to_gain(
    trial: int, found: int, most: int, accuracy: float, done: bool
) -> None:
    best = GOOD | {"trial": found, "validation_accuracy": accuracy}
    answer = reviewed(trial=trial, best=best, last=[LESS], task=EXAMPLE["task"] | {"max_trials": most})
    assert answer.completed == done
    assert bool(answer.suggestions) != done


def test_with_nothing_evaluated_it_goes_on() -> None:
    answer = reviewed(trial=29, last=[ILLEGAL], best=None, direction="first")
    assert not answer.completed
    assert answer.suggestions
    given = ReviewIn.model_validate(EXAMPLE | {"trial": 29, "last": [ILLEGAL], "best": None, "direction": "first"})
    ended = answer.model_copy(update={"completed": True, "suggestions": []})
    assert check_review(given, ended) == ["Nothing was evaluated yet, so the search is not completed."]


def test_a_long_history_keeps_every_number_and_few_words() -> None:
    tried = [
        Tried.model_validate(GOOD | {"trial": trial, "name": f"Map{trial}", "selection": trial / 100})
        for trial in range(1, 31)
    ]
    short = in_short(tried)
    assert [one.model_copy(update={"summary": ""}) for one in short] == [
        one.model_copy(update={"summary": ""}) for one in tried
    ]
    assert [one.name for one in short if one.summary == GOOD["summary"]] == ["Map27", "Map28", "Map29", "Map30"]
    assert all(len(one.summary.split()) == 21 for one in short[:26])
