"""Which node comes next, and the stages that every calibration goes through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from langgraph.graph import END, StateGraph

from labwright.graphs.lab_calibration.asking import ask
from labwright.graphs.lab_calibration.checking import CallChecker
from labwright.graphs.lab_calibration.executing import decide, inspect
from labwright.graphs.lab_calibration.planning import extract, select, translate, write_rules
from labwright.graphs.lab_calibration.reporting import report
from labwright.graphs.lab_calibration.state import CalibrationState
from labwright.graphs.lab_calibration.supervising import supervise
from labwright.graphs.self_check import build_self_check

Node = Literal[
    "supervise",
    "extract",
    "rules",
    "translate",
    "select",
    "self_check",
    "ask",
    "measure",
    "inspect",
    "decide",
    "report",
    "survey",
    "chip",
]
_PHASE_NODES: dict[str, Node] = {
    "extract": "extract",
    "rules": "rules",
    "translate": "translate",
    "select": "select",
    "check": "self_check",
    "ask": "ask",
    "measure": "measure",
    "inspect": "inspect",
    "decide": "decide",
    "report": "report",
    "survey": "survey",
    "chip": "chip",
}


def route(state: CalibrationState) -> Node:
    """The node of the current phase; what only the supervisor can settle goes to the supervisor."""
    if state.get("question"):
        return "ask"
    return _PHASE_NODES.get(state["phase"], "supervise")


def add_stages(graph: StateGraph[Any, Any, Any, Any], asked_by: Sequence[Node] = ()) -> None:
    """Every node but `prepare` and `measure`, and what follows each; these two differ for a lane of a chip.

    Args:
        graph: gets the nodes.
        asked_by: further nodes that an answer may lead back to.
    """
    graph.add_node("supervise", supervise)
    graph.add_node("extract", extract)
    graph.add_node("rules", write_rules)
    graph.add_node("translate", translate)
    graph.add_node("select", select)
    graph.add_node("self_check", build_self_check(CallChecker()))
    graph.add_node("ask", ask)
    graph.add_node("inspect", inspect)
    graph.add_node("decide", decide)
    graph.add_node("report", report)
    graph.add_conditional_edges(
        "supervise", route, ["extract", "translate", "self_check", "ask", "measure", "decide", "report", "supervise"]
    )
    graph.add_conditional_edges("extract", route, ["rules", "ask", "supervise"])
    graph.add_conditional_edges("rules", route, ["supervise", "ask"])
    graph.add_conditional_edges("translate", route, ["select", "translate", "self_check", "ask", "supervise"])
    graph.add_conditional_edges("select", route, ["self_check", "ask", "supervise"])
    graph.add_edge("self_check", "supervise")
    graph.add_conditional_edges(
        "ask", route, ["extract", "rules", "translate", "supervise", "measure", "decide", "report", *asked_by]
    )
    graph.add_edge("inspect", "decide")
    graph.add_conditional_edges("decide", route, ["supervise", "ask"])
    graph.add_edge("report", END)
