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
SERVED = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
GRAPHS = {name: each["path"] for name, each in SERVED.items()}
# Graphs that are nodes of others are drawn once, not in each of them.
PARTS = {
    "understand": "labwright.graphs.lab_calibration.routing:build_understand(PlanReader())",
    "chip": "labwright.graphs.lab_calibration.chip.graph:build_chip()",
    "make_tool": "labwright.graphs.tool_forging.tool_making:build_making()",
}
COLOURS = {"agent": "#cfe3ff", "tool": "#d5efd2", "check": "#fff0c2", "person": "#ffd6d6"}
MANUAL = ROOT / "docs" / "graph.md"  # of the calibration, which it explains node by node
OTHERS = ROOT / "docs" / "graphs.md"
HEAD = """# The other graphs

Dotted lines are routes, drawn lines always follow. Blue nodes are agents, green ones tools, yellow ones checks; red
ones ask a person. The others prepare, route or report. Every node has one line of documentation in its module; the
calibration's graph is explained [node by node](graph.md). `understand`, `chip` and `make_tool` are nodes of others.
"""
WANTS_UPDATE = os.environ.get("LABWRIGHT_UPDATE_SNAPSHOTS") == "1"  # read before the fixtures clear the environment
FENCE = "```"


def drawing(name: str) -> str:
    """The graph in Mermaid's language; nodes are coloured by what they are."""
    module, _, made = {**GRAPHS, **PARTS}[name].partition(":")
    drawn = eval(made, vars(importlib.import_module(module))).get_graph()
    lines = [drawn.draw_mermaid().replace("\t", "    ").strip()]
    for kind, colour in COLOURS.items():
        nodes = [node.id for node in drawn.nodes.values() if (node.metadata or {}).get("kind") == kind]
        lines += [f"    classDef {kind} fill:{colour}", f"    class {','.join(nodes)} {kind}"] if nodes else []
    return "\n".join(lines) + "\n"


def fenced(name: str) -> str:
    return f"{FENCE}mermaid\n{drawing(name)}{FENCE}"


def snapshot(name: str) -> Path:
    if name in ("chip", "make_tool"):
        return (
            Path(__file__).parent / ("lab_calibration" if name == "chip" else "tool_forging") / f"snapshots/{name}.mmd"
        )
    return Path(__file__).parent / name / "snapshots" / "graph.mmd"


@pytest.mark.parametrize("name", [*GRAPHS, *PARTS])
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
    others = "\n".join(f"## `{name}`\n\n{fenced(name)}\n" for name in [*GRAPHS, *PARTS] if name != "lab_calibration")
    if WANTS_UPDATE:
        OTHERS.write_text(f"{HEAD}\n{others}")
    assert OTHERS.read_text() == f"{HEAD}\n{others}"
