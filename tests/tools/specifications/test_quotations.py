"""A quotation beside what was made of it."""

from __future__ import annotations

from typing import Any

import pytest
from plan_labs import t1

from labwright.tools.specifications.quotations import quoted, stands_in

STEP = t1(parameters={"stop": "300 us", "points": 51}, repeats=3, on=[{"if": "t1 < 20 us", "go": "FAILED"}])


def remarks(words: str, step: Any = STEP) -> str:
    return quoted({"steps": [step]}, {"steps.0": words}, words)[0]


@pytest.mark.parametrize(
    "words",
    [
        "How long does Q1 live?",
        "T1 of Q1, as far as 300 us (51 points)",
        "T1 of Q1 up to 0.3 ms, 51 points; again at most 3 times; if it is below 20 us, stop",
        "1. T1 of Q1, stop 300us.",
        "300 microseconds",
        "half a millisecond",
    ],
)
def test_numbers_that_are_among_the_values_are_not_remarked_upon(words: str) -> None:
    assert remarks(words) == f'steps.0: "{words}"'


@pytest.mark.parametrize(
    ("words", "differs"),
    [
        ("T1 of Q1 up to 300 ns", "300 ns"),
        ("T1 of Q1 up to 0.2 ms, 51 points", "0.2 ms"),
        ("T1 with 101 points up to 400us", "101, 400us"),
        ("T1 of Q1 up to 300 MHz", "300 MHz"),
        ("from -300 us", "-300 us"),
    ],
)
def test_a_quoted_number_that_differs_from_every_value_is_shown(words: str, differs: str) -> None:
    assert remarks(words) == f'steps.0: "{words}" (differs: {differs})'


def test_values_with_arithmetic_and_other_units_are_read() -> None:
    step = t1(parameters={"stop": "3 * t1.t1", "detuning": "Q1.frequency + 80 MHz", "low": "-20 MHz", "on": True})
    assert remarks("3 times T1, 0.08 GHz above, from -20", step) == 'steps.0: "3 times T1, 0.08 GHz above, from -20"'


def test_what_does_not_stand_in_the_words_is_no_quotation() -> None:
    assert stands_in("as far\n as", "Look AS FAR as 300 us")
    assert not stands_in("", "Look")
    assert stands_in("“keep it cheap” – 50 µL", 'please keep it  "cheap" - 50 μL each')
    assert not stands_in("keep it cheap", "keep it")
    data = {"steps": [STEP]}
    assert quoted(data, {"steps.0": "as usual"}, "How long?") == ["steps.0: as usual (not a quotation of your words)"]
    assert quoted(data, {"steps.4": "How long?"}, "How long?") == []
