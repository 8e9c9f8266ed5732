"""Conditions: what they mean, and what is refused before anything runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from labwright.tools.errors import InputError
from labwright.tools.specifications.transition_conditions import (
    PredicateProblem,
    Situation,
    causes_in,
    check,
    holds,
    names_in,
)
from labwright.tools.specifications.values import Quantity

GOOD = Situation("success", executed=1, succeeded=1, names={"t1": Quantity(40.0, "us"), "contrast": Quantity(0.9, "")})
BAD = Situation("bad_data", "no_response", executed=3, failed=2, succeeded=1, went_back=1, exhausted=True)


@pytest.mark.parametrize(
    ("text", "now", "expected"),
    [
        ("success", GOOD, True),
        ("succeeded", BAD, False),
        ("failed", BAD, True),
        ("bad_data", BAD, True),
        ("adjust", BAD, False),
        ("always", GOOD, True),
        ("exhausted", BAD, True),
        ("not exhausted", BAD, False),
        ("no_response", BAD, True),
        ("poor_fit or no_response", BAD, True),
        ("poor_fit and no_response", BAD, False),
        ("failed 2 times", BAD, True),
        ("failed twice", BAD, True),
        ("failed 3 times", BAD, False),
        ("ran 3 times", BAD, True),
        ("succeeded once", BAD, True),
        ("went_back once", BAD, True),
        ("t1 < 50 us", GOOD, True),
        ("t1 < 0.03 ms", GOOD, False),
        ("50 us > t1", GOOD, True),
        ("t1 >= 40 us", GOOD, True),
        ("t1 < 50 us", BAD, False),  # nothing was measured
        ("not t1 < 50 us", BAD, True),
        ("contrast > 80 %", GOOD, True),
        ("2 * t1 > 79 us and contrast < 1", GOOD, True),
        ("success or failed and exhausted", GOOD, True),  # `and` binds closer
        ("(success or failed) and exhausted", GOOD, False),
    ],
)
def test_what_holds(text: str, now: Situation, expected: bool) -> None:
    assert holds(text, now) is expected


@pytest.mark.parametrize(
    "text", ["", "t1 <", "failed 2", "success failed", "t1 == 50 us", "If success", "<", "a" * 301]
)
def test_what_is_no_condition_says_what_may_be_written(text: str) -> None:
    with pytest.raises(PredicateProblem, match=r"Write success, failed|at most 300 characters"):
        holds(text, GOOD)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("t1 < 50 MHz", "us cannot be compared with one in MHz"),
        ("t1 + 3 MHz < 50 us", "cannot be added"),
        ("always 2 times", "'always' is not counted. Counted are: ran, failed"),
        ("failed 2.5 times", "2.5 is not a count"),
        ("not (t1 < 50 us or failed 1e999 times)", "not a count"),
    ],
)
def test_what_could_not_be_evaluated_is_noticed_beforehand(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        check(text, GOOD.names)


def test_causes_and_names_are_told_apart() -> None:
    text = "no_response or not t1.t1 < 3 * t2_echo and poor_fit"
    assert causes_in(text) == ["no_response", "poor_fit"]
    assert sorted(names_in(text)) == ["t1.t1", "t2_echo"]
    assert holds("no_response", replace(GOOD, cause="no_response"))
