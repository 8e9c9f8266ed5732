"""Mutated descriptions never crash the grammar, and it never guesses in silence."""

from __future__ import annotations

import random
from collections import Counter

from labwright.agents.protocol_design.reading import Reading
from labwright.agents.protocol_design.understand import UnderstandIn, understand_by_rules
from labwright.evaluation.benchmarks.protocol_fuzz import measure, mutated, unused

TEXT = "Make solutions of 5 and 10 mg of caffeine in water, 2 mL each. Vortex for 5 min."
VIALS = Counter({"samples": 2})


def test_two_hundred_texts() -> None:
    result = measure(200, seed=1)
    assert result["wrong"] == []
    assert result["design"] > 20
    assert result["question"] + result["refusal"] > 20


def test_mutations_repeat_and_change_something() -> None:
    texts = [mutated(random.Random(seed), [TEXT]) for seed in range(40)]
    assert texts == [mutated(random.Random(seed), [TEXT]) for seed in range(40)]
    assert sum(text != TEXT for text in texts) > 30


def test_an_unused_number_or_chemical_is_a_guess() -> None:
    reading = understand_by_rules(UnderstandIn(text=TEXT, settled=[]))
    assert isinstance(reading, Reading)
    assert unused(TEXT, [], reading, VIALS) == []
    assert unused(TEXT + " Add 7 mg.", [], reading, VIALS) == ["the number 7 of the text is used nowhere"]
    found = unused(TEXT + " Add acetone.", [], reading, VIALS)
    assert found == ["the chemical 'acetone' of the text is used nowhere"]


def test_a_number_that_counts_the_vials_of_one_group_is_used() -> None:
    reading = understand_by_rules(UnderstandIn(text=TEXT, settled=[]))
    assert isinstance(reading, Reading)
    beside = Counter({"samples": 2, "control 1": 9})
    assert unused(TEXT + " Add 9 blanks.", [], reading, beside) == []
    assert unused(TEXT + " Add 7 blanks.", [], reading, beside) == ["the number 7 of the text is used nowhere"]
