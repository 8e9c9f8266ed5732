"""The graph's drawing is part of the repository, so that a change of routing shows in review.

``LABWRIGHT_UPDATE_SNAPSHOTS=1 pytest tests/graphs/front_desk/test_drawing.py`` draws it anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest

from labwright.graphs.front_desk.graph import Node, graph, next_node
from labwright.graphs.front_desk.state import Phase

SNAPSHOT = Path(__file__).parent / "snapshots" / "graph.mmd"
WANTS_UPDATE = os.environ.get("LABWRIGHT_UPDATE_SNAPSHOTS") == "1"  # read before the fixtures clear the environment


def test_the_drawing_is_the_one_that_was_reviewed() -> None:
    drawing = graph.get_graph(xray=True).draw_mermaid().replace("\t", "    ").strip() + "\n"
    if WANTS_UPDATE:
        SNAPSHOT.parent.mkdir(exist_ok=True)
        SNAPSHOT.write_text(drawing)
    assert drawing == SNAPSHOT.read_text()


@pytest.mark.parametrize("phase", get_args(Phase))
def test_every_phase_has_a_node_and_an_open_question_goes_to_the_person(phase: Phase) -> None:
    assert next_node({"phase": phase}) in get_args(Node)
    assert next_node({"phase": phase, "question": {"form": {}, "run_id": "", "asked": ""}}) == "ask"
