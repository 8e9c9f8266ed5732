"""Which cards the planning agent is shown."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_labs import catalogue

from labwright.agents.lab_calibration.read_plan import NEAREST, SHOWN, shortlist
from labwright.tools.specifications.catalogue import Catalogue


def many() -> Catalogue:
    """The shipped cards among others about other things, more than are shown."""
    plain = catalogue().cards["t1"]
    texts = {f"pump_{number}": f"Pump {number}: rinse the vacuum chamber with nitrogen." for number in range(SHOWN)}
    others = {
        name: replace(plain, name=name, summary=text, docstring=text, parameters=()) for name, text in texts.items()
    }
    return Catalogue({**others, **catalogue().cards}, catalogue().procedures)


def test_all_cards_are_shown_where_they_are_few() -> None:
    assert shortlist("measure t1 of Q1", catalogue()) == list(catalogue().cards)


@pytest.mark.parametrize(
    "words", ["energy relaxation time of Q1\n\nhow strong is the pi pulse?", "the weather is fine"]
)
def test_of_many_cards_those_nearest_to_each_line_are_shown(words: str) -> None:
    found = shortlist(words, many())
    lines = len([line for line in words.splitlines() if line])
    assert NEAREST <= len(found) <= lines * NEAREST
    assert found == [name for name in many().cards if name in found]
    if lines == 2:
        assert {"t1", "rabi"} <= set(found)
