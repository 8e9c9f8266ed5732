"""Drawn designs keep the laws: balance, no overflow, a valid file that reads back equal, a sheet that agrees."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labwright.evaluation.protocol_laws import breaches, broken
from labwright.evaluation.random_protocols import random_design
from labwright.tools.liquid_handler.protocol_planner import Made, make_protocol

CALM = [HealthCheck.too_slow, HealthCheck.data_too_large]
DICE = st.randoms(use_true_random=False)


@settings(suppress_health_check=CALM, derandomize=True)
@given(DICE)
def test_laws(dice: random.Random) -> None:
    assert breaches(random_design(dice)) == []


@pytest.mark.slow
@settings(max_examples=2000, suppress_health_check=CALM)
@given(DICE)
def test_laws_of_two_thousand(dice: random.Random) -> None:
    assert breaches(random_design(dice)) == []


@pytest.mark.parametrize(
    ("change", "says"), [(lambda v: 1.01 * v, "dose"), (lambda v: 20 * v, "fill"), (lambda v: v + 0.5, "total")]
)
def test_a_broken_law_is_seen(change: Callable[[float], float], says: str) -> None:
    made = next(made for made in map(drawn, range(50)) if made.protocol.steps[0].unit == "uL")
    first = made.protocol.steps[0]
    step = replace(first, amounts={well: change(value) for well, value in first.amounts.items()})
    wrong = replace(made, protocol=replace(made.protocol, steps=(step, *made.protocol.steps[1:])))
    found = broken(wrong)
    assert "file: it does not read back as the protocol that was written" in found
    if says == "dose":  # the first liquid may be what fills up, whose amount nobody stated
        says = "total" if first.subject == made.design.groups[0].doses[-1].substance else says
    assert any(one.startswith(says) for one in found)


def drawn(seed: int) -> Made:
    made = make_protocol(random_design(random.Random(seed)))
    assert isinstance(made, Made)
    return made
