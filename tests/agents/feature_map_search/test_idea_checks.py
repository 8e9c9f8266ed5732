"""A person's idea keeps its gates, and what it turns down stays away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from labwright.agents.feature_map_search.idea_checks import asked_for, formula_fault, keeps_wish
from labwright.agents.feature_map_search.propose_ideas import PROPOSE, ProposeIn, ProposeOut
from labwright.agents.rules import RulesMind

EXAMPLE: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "prompts/examples/feature_map_search.propose_ideas.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    ("wish", "kept"),
    [
        ("IsingZZ instead of CNOT", {"IsingZZ"}),
        ("CZ rather than the CNOT or IsingXX", {"CZ"}),
        ("RX and RZ, no CNOT", {"RX", "RZ"}),
        ("no CNOT, CZ on a ring", {"CZ"}),
        ("no CNOT, IsingXX or CZ, but IsingZZ", {"IsingZZ"}),
        ("replace CNOT by CZ", {"CZ"}),
        ("a ring of CNOT gates, without any Hadamard", {"CNOT"}),
    ],
)
def test_what_is_turned_down_is_not_asked_for(wish: str, kept: set[str]) -> None:
    assert {gate for gate in EXAMPLE["task"]["gates"] if gate in asked_for(wish).replace(",", " ").split()} == kept


@pytest.mark.parametrize(
    ("wish", "entangler"),
    [
        ("Use CZ instead of CNOT.", "CZ"),
        ("A ring of IsingZZ, no CNOT.", "IsingZZ"),
        ("Replace CNOT by IsingXX.", "IsingXX"),
        ("No entanglement, only RY and RZ.", "none"),
    ],
)
def test_the_rules_mind_does_as_the_person_says(wish: str, entangler: str) -> None:
    given = ProposeIn.model_validate(EXAMPLE | {"persons_ideas": [wish]})
    answer = RulesMind().answer(PROPOSE, given)
    assert isinstance(answer, ProposeOut)
    recipe = answer.ideas[0].recipe
    assert recipe is not None
    assert recipe.entangler == entangler
    assert len(answer.ideas) == given.n_ideas


def test_a_recipe_with_a_gate_that_was_turned_down_is_caught() -> None:
    given = ProposeIn.model_validate(EXAMPLE | {"persons_ideas": ["A ring of CNOT."]})
    answer = RulesMind().answer(PROPOSE, given)
    assert isinstance(answer, ProposeOut)
    found = keeps_wish(given.task, "Any ring but no CNOT.", answer.ideas[0])
    assert [fault.split(": ", 1)[1] for fault in found] == ["the person's idea wants no CNOT; take it out."]


@pytest.mark.parametrize(
    ("formula", "word"),
    [(r"\left\{ x \right\}", ""), ("{a}{b}", ""), ("{a", "leaves 1"), ("a}{", "never opened"), ("$x$", "dollar")],
)
def test_formulas_close_their_braces(formula: str, word: str) -> None:
    fault = formula_fault(formula)
    assert bool(fault) == bool(word)
    assert word in fault
