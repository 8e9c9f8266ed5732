"""Mutated cards of tasks are refused with a cure, or read back the same; none crashes."""

from __future__ import annotations

import random

from labwright.evaluation.benchmarks import card_mutants


def test_a_hundred_mutated_cards() -> None:
    found = card_mutants.measure(100)
    assert found["wrong"] == []
    assert found["total"]["refused"] > 50
    assert all(row["cards"] == 10 for row in found["by_task"].values())
    assert card_mutants.shown(found).count("\n| ") == len(found["by_task"]) + 1


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
