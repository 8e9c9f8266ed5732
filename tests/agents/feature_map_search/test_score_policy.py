"""The rules' scores: known maps are not original, what cannot be coded is not feasible, and so on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labwright.agents.feature_map_search.ideas import Score
from labwright.agents.feature_map_search.score_idea import SCORE, ScoreIn, ScoreOut
from labwright.agents.feature_map_search.score_policy import non_affine
from labwright.agents.rules import RulesMind

EXAMPLE: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "prompts/examples/feature_map_search.score_idea.json").read_text(encoding="utf-8")
)
IDEA, RECIPE = EXAMPLE["idea"], EXAMPLE["idea"]["recipe"]
PLAIN = RECIPE | {"axes": ["RY"], "scale": 3.14159, "decay": 1.0, "centre": 0.0, "entangler": "none"}


def answered(**changes: Any) -> ScoreOut:
    answer = RulesMind().answer(SCORE, ScoreIn.model_validate(EXAMPLE | changes))
    assert isinstance(answer, ScoreOut)
    return answer


def score(**changes: Any) -> Score:
    return answered(idea=IDEA | changes).score


def test_a_known_map_is_not_original_and_is_named() -> None:
    known = score(recipe=PLAIN)
    assert known.originality < 1.5
    assert "angle-encoding product map" in known.reason


def test_originality_grows_with_the_distance_from_known_maps() -> None:
    steps = [
        PLAIN,
        PLAIN | {"decay": 0.5},
        PLAIN | {"decay": 0.5, "axes": ["RY", "RX", "RZ"]},
        PLAIN | {"decay": 0.5, "axes": ["RY", "RX", "RZ"], "entangler": "ISWAP", "pattern": "skip", "mixing": 0.8},
    ]
    scores = [score(recipe=recipe).originality for recipe in steps]
    assert scores == sorted(scores)
    assert scores[-1] - scores[0] > 3


def test_a_paper_that_says_the_same_takes_the_originality_away() -> None:
    paper = {"title": "Falling angles", "source": "a.pdf", "summary": IDEA["summary"]}
    told = answered(papers=[paper])
    assert told.score.originality < 1.5
    assert "Falling angles" in told.score.reason
    assert told.enough


@pytest.mark.parametrize(
    "formula",
    [r"R_Y(x_i^2)", r"R_Y(x_{i}^{2})", r"R_Y(\arccos x_i)", r"R_Y(\sin(x_i))", r"R_Z(\exp(-x))", "R_Y(arccos(x))"],
)
def test_angles_that_are_not_affine_are_not_feasible(formula: str) -> None:
    assert score(formula=formula, recipe=None).feasibility < 3


@pytest.mark.parametrize(
    ("words", "broken"),
    [
        ("The weights are trained on the labels before use.", True),
        ("A neural network gives the angles of all rotations.", True),
        ("Nothing is trained; every angle is a constant times a feature.", False),
        ("All parameters are non-trainable constants, fixed beforehand.", False),
    ],
)
def test_training_counts_unless_it_is_denied(words: str, broken: bool) -> None:
    idea = ScoreIn.model_validate(EXAMPLE | {"idea": IDEA | {"explanation": words}}).idea
    assert bool(non_affine(idea)) == broken


def test_foreign_gates_and_size_cost_feasibility() -> None:
    assert score().feasibility == 10
    assert score(explanation=f"{IDEA['explanation']} Then Toffoli gates join three wires.").feasibility == 7
    assert score(recipe=RECIPE | {"repeats": 4}).feasibility == 8.5


def test_what_ties_an_idea_to_the_data_costs_versatility() -> None:
    free = score()
    assert free.versatility > score(explanation=f"{IDEA['explanation']} It is made for digits.").versatility
    assert free.versatility > score(recipe=RECIPE | {"scale": 7.0}).versatility
    assert free.versatility > score(recipe=RECIPE | {"decay": 0.2}).versatility
    bare = score(recipe=None).versatility
    assert bare > score(recipe=None, explanation=f"{IDEA['explanation']} It needs 10 qubits.").versatility


def test_literature_is_asked_for_only_while_it_can_be_had() -> None:
    assert not answered(papers=[], round=1).enough
    assert len(answered(papers=[], round=1).queries) == 3
    last = answered(papers=[], round=3)
    assert (last.enough, last.queries) == (True, [])
