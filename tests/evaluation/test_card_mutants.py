"""Mutated cards of tasks are refused with a cure, or computed; none crashes."""

from __future__ import annotations

import random

import pytest

from labwright.evaluation.benchmarks import card_mutants
from labwright.tools.specifications.examples import example


def test_a_hundred_mutated_cards() -> None:
    found = card_mutants.measure(100)
    assert found["wrong"] == []
    assert found["total"]["refused"] > 50
    assert all(row["cards"] == 10 for row in found["by_task"].values())
    assert card_mutants.shown(found).count("\n| ") == len(found["by_task"]) + 1


@pytest.mark.parametrize("kind", ["dynamics", "chain"])
def test_an_accepted_card_is_computed(kind: str) -> None:
    card = card_mutants.read_card(example("task", kind))
    assert card is not None
    assert card_mutants.computed(card) == "right"


def test_a_card_that_fails_with_a_reason_is_late() -> None:
    """A table along the sweep, of a sweep with one value."""
    card = card_mutants.read_card(example("task", "circuit").replace("[0, 0.05, 0.1]", "0"))
    assert card is not None
    assert card_mutants.computed(card) == "late"


def test_a_mutant_repeats_and_differs_in_one_place() -> None:
    right = card_mutants.right_cards()[0]
    said, made = card_mutants.mutated(right, random.Random(1))
    assert (said, made) == card_mutants.mutated(right, random.Random(1))
    assert made != right


def test_a_refusal_without_a_cure_is_seen(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from labwright.tools.specifications.base import Problem, SpecificationError

    def refuse(text: str) -> None:
        raise SpecificationError([Problem(("times",), "It is wrong.")])

    monkeypatch.setattr(card_mutants, "read_card", refuse)
    assert card_mutants.fate({"task": "chain"})[0] == "unexplained"
