"""The graph: a supervisor between the reading agents, the computing nodes, the self-check and the person."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.protocol_design.asking import ask
from labwright.graphs.protocol_design.checking import ProtocolChecker
from labwright.graphs.protocol_design.checking_steps import StepsChecker
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.planning import arrange, calculate, finalise, process, tag
from labwright.graphs.protocol_design.preparing import prepare
from labwright.graphs.protocol_design.reporting import report, write
from labwright.graphs.protocol_design.state import DesignInput, DesignState
from labwright.graphs.protocol_design.supervising import supervise
from labwright.graphs.protocol_design.understanding import understand
from labwright.graphs.protocol_design.written import build_written
from labwright.graphs.self_check import build_self_check

Node = Literal[
    "supervise",
    "understand",
    "calculate",
    "arrange",
    "process",
    "finalise",
    "self_check",
    "written",
    "check_steps",
    "tag",
    "ask",
    "write",
    "report",
]
_PHASE_NODES: dict[str, Node] = {
    "understand": "understand",
    "calculate": "calculate",
    "arrange": "arrange",
    "process": "process",
    "finalise": "finalise",
    "check": "self_check",
    "write_steps": "written",
    "check_steps": "check_steps",
    "tag": "tag",
    "ask": "ask",
    "write": "write",
    "report": "report",
}
_WORKERS = ("understand", "calculate", "arrange", "process", "tag", "written", "check_steps")


def route(state: DesignState) -> Node:
    """The node of the current phase; what only the supervisor can settle goes to the supervisor."""
    if state.get("question"):
        return "ask"
    return _PHASE_NODES.get(state["phase"], "supervise")


def builder() -> StateGraph[DesignState, Choices, DesignInput, DesignState]:
    """The graph, not compiled: compile it with a checkpointer of your own."""
    graph = StateGraph(DesignState, input_schema=DesignInput, context_schema=Choices)
    graph.add_node("prepare", prepare)
    graph.add_node("supervise", supervise)
    graph.add_node("understand", understand)
    graph.add_node("calculate", calculate)
    graph.add_node("arrange", arrange)
    graph.add_node("process", process)
    graph.add_node("finalise", finalise)
    graph.add_node("self_check", build_self_check(ProtocolChecker()))
    graph.add_node("written", build_written())
    graph.add_node("check_steps", build_self_check(StepsChecker()))
    graph.add_node("tag", tag)
    graph.add_node("ask", ask)
    graph.add_node("write", write)
    graph.add_node("report", report)
    graph.add_edge(START, "prepare")
    graph.add_edge("prepare", "supervise")
    for worker in _WORKERS:
        graph.add_edge(worker, "supervise")
    graph.add_edge("finalise", "self_check")
    graph.add_edge("self_check", "supervise")
    graph.add_conditional_edges("ask", route, ["understand", "calculate", "finalise", "supervise", "write", "report"])
    graph.add_conditional_edges(
        "supervise",
        route,
        [name for name in _PHASE_NODES.values() if name != "self_check"],
    )
    graph.add_edge("write", "report")
    graph.add_edge("report", END)
    return graph


def build_graph(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer."""
    return builder().compile(checkpointer=checkpointer, name="protocol_design")


graph = build_graph()
