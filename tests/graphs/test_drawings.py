"""The graphs' drawings are part of the repository, so that a change of routing shows in review; the manual has all.

``LABWRIGHT_UPDATE_SNAPSHOTS=1 pytest tests/graphs/test_drawings.py`` draws them anew, in the manual too.
"""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GRAPHS = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
MANUAL = ROOT / "docs" / "graph.md"  # of the calibration, which it explains node by node
OTHERS = ROOT / "docs" / "graphs.md"
HEAD = """# The other graphs

Dotted lines are routes, drawn lines always follow. Every node has one line of documentation in its module; the
calibration's graph is explained [node by node](graph.md).
"""
WANTS_UPDATE = os.environ.get("LABWRIGHT_UPDATE_SNAPSHOTS") == "1"  # read before the fixtures clear the environment
FENCE = "```"


def drawing(name: str) -> str:
    module, _, attribute = GRAPHS[name].partition(":")
    graph = getattr(importlib.import_module(module), attribute)
    return str(graph.get_graph(xray=True).draw_mermaid()).replace("\t", "    ").strip() + "\n"


def fenced(name: str) -> str:
    return f"{FENCE}mermaid\n{drawing(name)}{FENCE}"


def snapshot(name: str) -> Path:
    return Path(__file__).parent / name / "snapshots" / "graph.mmd"


@pytest.mark.parametrize("name", GRAPHS)
def test_the_drawing_is_the_one_that_was_reviewed(name: str) -> None:
    if WANTS_UPDATE:
        snapshot(name).parent.mkdir(exist_ok=True)
        snapshot(name).write_text(drawing(name))
    assert drawing(name) == snapshot(name).read_text()


def test_the_manual_has_the_calibrations_drawing() -> None:
    if WANTS_UPDATE:
        before, after = MANUAL.read_text().split(f"{FENCE}mermaid\n")[0], MANUAL.read_text().rpartition(FENCE)[2]
        MANUAL.write_text(f"{before}{fenced('lab_calibration')}{after}")
    assert fenced("lab_calibration") in MANUAL.read_text()


def test_the_manual_has_all_the_others() -> None:
    others = "\n".join(f"## `{name}`\n\n{fenced(name)}\n" for name in GRAPHS if name != "lab_calibration")
    if WANTS_UPDATE:
        OTHERS.write_text(f"{HEAD}\n{others}")
    assert OTHERS.read_text() == f"{HEAD}\n{others}"
