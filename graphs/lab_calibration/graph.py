"""The graph: a supervisor between planning agents, the self-check, the device, the inspectors and the person."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.lab_calibration.asking import ask
from labwright.graphs.lab_calibration.checking import CallChecker
from labwright.graphs.lab_calibration.executing import decide, inspect, measure
from labwright.graphs.lab_calibration.planning import extract, select, translate, write_rules
from labwright.graphs.lab_calibration.preparing import prepare
from labwright.graphs.lab_calibration.reporting import report
from labwright.graphs.lab_calibration.state import CalibrationInput, CalibrationState
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
}


def route(state: CalibrationState) -> Node:
    """The node of the current phase; what only the supervisor can settle goes to the supervisor."""
    if state.get("question"):
        return "ask"
    return _PHASE_NODES.get(state["phase"], "supervise")


def builder() -> StateGraph[CalibrationState, None, CalibrationInput, CalibrationState]:
    """The graph, not compiled: compile it with a checkpointer of your own."""
    graph = StateGraph(CalibrationState, input_schema=CalibrationInput)
    graph.add_node("prepare", prepare)
    graph.add_node("supervise", supervise)
    graph.add_node("extract", extract)
    graph.add_node("rules", write_rules)
    graph.add_node("translate", translate)
    graph.add_node("select", select)
    graph.add_node("self_check", build_self_check(CallChecker()))
    graph.add_node("ask", ask)
    graph.add_node("measure", measure)
    graph.add_node("inspect", inspect)
    graph.add_node("decide", decide)
    graph.add_node("report", report)
    graph.add_edge(START, "prepare")
    graph.add_conditional_edges("prepare", route, ["extract", "ask", "report"])
    graph.add_conditional_edges(
        "supervise", route, ["extract", "translate", "self_check", "ask", "measure", "decide", "report", "supervise"]
    )
    graph.add_conditional_edges("extract", route, ["rules", "ask", "supervise"])
    graph.add_conditional_edges("rules", route, ["supervise", "ask"])
    graph.add_conditional_edges("translate", route, ["select", "translate", "self_check", "ask", "supervise"])
    graph.add_conditional_edges("select", route, ["self_check", "ask", "supervise"])
    graph.add_edge("self_check", "supervise")
    graph.add_conditional_edges(
        "ask", route, ["extract", "rules", "translate", "supervise", "measure", "decide", "report"]
    )
    graph.add_conditional_edges("measure", route, ["inspect", "ask"])
    graph.add_edge("inspect", "decide")
    graph.add_conditional_edges("decide", route, ["supervise", "ask"])
    graph.add_edge("report", END)
    return graph


def build_graph(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer."""
    return builder().compile(checkpointer=checkpointer, name="lab_calibration")


graph = build_graph()
