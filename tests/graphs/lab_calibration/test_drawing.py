"""The graph's drawing is part of the repository, so that a change of routing shows in review.

``LABWRIGHT_UPDATE_SNAPSHOTS=1 pytest tests/graphs/lab_calibration/test_drawing.py`` draws it anew, in the manual too.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest

from labwright.graphs.lab_calibration.graph import Node, graph, route
from labwright.graphs.lab_calibration.state import Phase

SNAPSHOT = Path(__file__).parent / "snapshots" / "graph.mmd"
MANUAL = Path(__file__).parents[3] / "docs" / "graph.md"
WANTS_UPDATE = os.environ.get("LABWRIGHT_UPDATE_SNAPSHOTS") == "1"  # read before the fixtures clear the environment
FENCE = "```"


def drawing() -> str:
    return graph.get_graph(xray=True).draw_mermaid().replace("\t", "    ").strip() + "\n"


def test_the_drawing_is_the_one_that_was_reviewed() -> None:
    if WANTS_UPDATE:
        SNAPSHOT.parent.mkdir(exist_ok=True)
        SNAPSHOT.write_text(drawing())
        before, after = MANUAL.read_text().split(f"{FENCE}mermaid\n")[0], MANUAL.read_text().rpartition(FENCE)[2]
        MANUAL.write_text(f"{before}{FENCE}mermaid\n{drawing()}{FENCE}{after}")
    assert drawing() == SNAPSHOT.read_text()


def test_the_manual_shows_the_same_drawing() -> None:
    assert f"{FENCE}mermaid\n{SNAPSHOT.read_text()}{FENCE}" in MANUAL.read_text()


def test_the_manual_explains_every_node() -> None:
    text = MANUAL.read_text()
    missing = [name for name in graph.builder.nodes if f"| `{name}` |" not in text]
    assert missing == []


@pytest.mark.parametrize("phase", get_args(Phase))
def test_every_phase_has_a_node_and_an_open_question_goes_to_the_person(phase: Phase) -> None:
    assert route({"phase": phase}) in get_args(Node)
    assert route({"phase": phase, "question": {"purpose": "stage"}}) == "ask"
