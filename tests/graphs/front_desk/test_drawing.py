"""Every phase has a node. The drawing is held by tests/graphs/test_drawings.py."""

from __future__ import annotations

from typing import get_args

import pytest

from labwright.graphs.front_desk.graph import Node, next_node
from labwright.graphs.front_desk.state import Phase


@pytest.mark.parametrize("phase", get_args(Phase))
def test_every_phase_has_a_node_and_an_open_question_goes_to_the_person(phase: Phase) -> None:
    assert next_node({"phase": phase}) in get_args(Node)
    assert next_node({"phase": phase, "question": {"form": {}, "run_id": "", "asked": ""}}) == "ask"
