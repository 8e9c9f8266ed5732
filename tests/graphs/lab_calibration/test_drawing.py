"""The manual explains every node, and every phase has one. The drawing is held by tests/graphs/test_drawings.py."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from labwright.graphs.lab_calibration.graph import Node, graph, route
from labwright.graphs.lab_calibration.state import Phase

MANUAL = Path(__file__).parents[3] / "docs" / "graph.md"


def test_the_manual_explains_every_node() -> None:
    text = MANUAL.read_text()
    missing = [name for name in graph.builder.nodes if f"| `{name}` |" not in text]
    assert missing == []


@pytest.mark.parametrize("phase", get_args(Phase))
def test_every_phase_has_a_node_and_an_open_question_goes_to_the_person(phase: Phase) -> None:
    assert route({"phase": phase}) in get_args(Node)
    assert route({"phase": phase, "question": {"purpose": "stage"}}) == "ask"
