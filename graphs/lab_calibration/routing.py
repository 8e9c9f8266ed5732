"""Which node comes next, and the stages that every calibration goes through."""

from __future__ import annotations

from typing import Any, Literal, get_args

from langgraph.graph import END, StateGraph

from labwright.graphs.check_and_revise import build_self_check
from labwright.graphs.lab_calibration.asking import ask
from labwright.graphs.lab_calibration.diagnosing import diagnose
from labwright.graphs.lab_calibration.executing import decide, inspect
from labwright.graphs.lab_calibration.experiment_call_check import CallChecker
from labwright.graphs.lab_calibration.preparing import begin
from labwright.graphs.lab_calibration.reporting import report
from labwright.graphs.lab_calibration.request_reading import PlanReader
from labwright.graphs.lab_calibration.state import CalibrationState
from labwright.graphs.lab_calibration.supervisor_routing import supervise
from labwright.graphs.node_kinds import AGENT, CHECK, PERSON, TOOL
from labwright.graphs.understand import build_understand

Node = Literal[
    "supervise",
    "understand",
    "begin",
    "self_check",
    "ask",
    "measure",
    "inspect",
    "diagnose",
    "decide",
    "report",
    "chip",
]
_NODES: dict[str, Node] = {name: name for name in get_args(Node)} | {"check": "self_check"}  # by phase


def route(state: CalibrationState) -> Node:
    """The node of the current phase; what only the supervisor can settle goes to the supervisor."""
    if state.get("question"):
        return "ask"
    return _NODES.get(state["phase"], "supervise")


def add_stages(graph: StateGraph[Any, Any, Any, Any], after_begin: list[Node]) -> None:
    """Every node but `prepare` and `measure`, and what follows each; these two differ for a lane of a chip.

    Args:
        graph: gets the nodes.
        after_begin: where a plan that is understood may lead.
    """
    graph.add_node("understand", build_understand(PlanReader()), metadata=AGENT)
    graph.add_node("begin", begin)
    graph.add_node("supervise", supervise)
    graph.add_node("self_check", build_self_check(CallChecker()), metadata=CHECK)
    graph.add_node("ask", ask, metadata=PERSON)
    graph.add_node("inspect", inspect, metadata=AGENT)
    graph.add_node("diagnose", diagnose, metadata=TOOL)
    graph.add_node("decide", decide, metadata=AGENT)
    graph.add_node("report", report)
    graph.add_conditional_edges("prepare", route, ["understand", "report"])
    graph.add_edge("understand", "begin")
    graph.add_conditional_edges("begin", route, list(after_begin))
    graph.add_conditional_edges("supervise", route, ["self_check", "ask", "measure", "decide", "report", "supervise"])
    graph.add_edge("self_check", "supervise")
    graph.add_conditional_edges("ask", route, ["supervise", "measure", "decide", "report"])
    graph.add_conditional_edges("inspect", route, ["diagnose", "decide"])
    graph.add_edge("diagnose", "decide")
    graph.add_conditional_edges("decide", route, ["supervise", "ask"])
    graph.add_edge("report", END)
