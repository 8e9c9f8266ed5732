"""A wish to understand and an announcement are no demands; with a quantity, number or condition in it it is one."""

from __future__ import annotations

import pytest

from labwright.agents.tool_forging.demands import demands
from labwright.agents.tool_forging.readers.base import TaskText
from labwright.agents.tool_forging.readers.language.motives import only_announces


@pytest.mark.parametrize(
    "text",
    [
        "We would like to understand why the glow outlasts the flash.",
        "I want to see whether the order survives in the end.",
        "For my seminar I need the ground states of a small ring.",
        "Our supervisor wants the dynamics of this chain.",
        "May I ask for one of your calculations?",
        "As a test of our code I need a small molecule.",
    ],
)
def test_it_orders_nothing(text: str) -> None:
    assert only_announces(text)
    assert demands(TaskText(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "I want to know the purity.",
        "I want to know how many gates there are.",
        "I would like to know whether the entropy grows.",
        "We want to learn which temperature it has.",
        "We want to see whether it is a minimum.",
        "I want the shadows counted, to see if they fit.",
        "For my seminar I need the states for g = 0.3.",
        "For my seminar I need the energies of the ground states.",
        "For our paper we need the states without the field.",
        "I need the ground states of a small ring.",
        "I want to see whether the cavity leaks.",
    ],
)
def test_a_quantity_or_a_condition_in_it_is_a_demand(text: str) -> None:
    assert not only_announces(text)
    assert demands(TaskText(text))
