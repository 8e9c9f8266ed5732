"""The graph: a supervisor between analysis, the smithy where tools are made, the solution and its evaluation."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.self_check import build_self_check
from labwright.graphs.tool_forging.analysing import analyse, validate
from labwright.graphs.tool_forging.asking import ask
from labwright.graphs.tool_forging.choices import Choices
from labwright.graphs.tool_forging.forging import ToolChecker, admit, generate, recheck, review
from labwright.graphs.tool_forging.preparing import optimise, prepare
from labwright.graphs.tool_forging.reading import CardReader, begin
from labwright.graphs.tool_forging.reporting import report
from labwright.graphs.tool_forging.solving import evaluate, execute
from labwright.graphs.tool_forging.state import ForgeInput, ForgeState
from labwright.graphs.tool_forging.supervising import supervise
from labwright.graphs.understand import build_understand

Node = Literal[
    "supervise",
    "understand",
    "optimise",
    "analyse",
    "validate",
    "generate",
    "recheck",
    "self_check",
    "review",
    "admit",
    "execute",
    "evaluate",
    "ask",
    "report",
]
_PHASE_NODES: dict[str, Node] = {
    "understand": "understand",
    "optimise": "optimise",
    "analyse": "analyse",
    "validate": "validate",
    "generate": "generate",
    "recheck": "recheck",
    "check": "self_check",
    "review": "review",
    "admit": "admit",
    "execute": "execute",
    "evaluate": "evaluate",
    "ask": "ask",
    "report": "report",
}
_WORKERS = ("begin", "optimise", "analyse", "validate", "review", "admit", "execute", "evaluate", "self_check")


def route(state: ForgeState) -> Node:
    """The node of the current phase; what only the supervisor can settle goes to the supervisor."""
    if state.get("question"):
        return "ask"
    return _PHASE_NODES.get(state["phase"], "supervise")


def drafted(state: ForgeState) -> Literal["self_check", "supervise"]:
    """A draft goes to the gate; an agent that made none, to the supervisor."""
    return "self_check" if state["phase"] == "check" else "supervise"


def builder() -> StateGraph[ForgeState, Choices, ForgeInput, ForgeState]:
    """The graph, not compiled: compile it with a checkpointer of your own."""
    graph = StateGraph(ForgeState, input_schema=ForgeInput, context_schema=Choices)
    graph.add_node("prepare", prepare)
    graph.add_node("supervise", supervise)
    graph.add_node("understand", build_understand(CardReader()))
    graph.add_node("begin", begin)
    graph.add_node("optimise", optimise)
    graph.add_node("analyse", analyse)
    graph.add_node("validate", validate)
    graph.add_node("generate", generate)
    graph.add_node("recheck", recheck)
    graph.add_node("self_check", build_self_check(ToolChecker()))
    graph.add_node("review", review)
    graph.add_node("admit", admit)
    graph.add_node("execute", execute)
    graph.add_node("evaluate", evaluate)
    graph.add_node("ask", ask)
    graph.add_node("report", report)
    graph.add_edge(START, "prepare")
    graph.add_edge("prepare", "supervise")
    graph.add_edge("understand", "begin")
    for worker in _WORKERS:
        graph.add_edge(worker, "supervise")
    graph.add_conditional_edges("generate", drafted)
    graph.add_conditional_edges("recheck", drafted)
    graph.add_conditional_edges("ask", route, ["supervise", "analyse", "generate", "admit", "execute", "report"])
    reached: list[str] = [name for name in _PHASE_NODES.values() if name != "self_check"]
    graph.add_conditional_edges("supervise", route, [*reached, "supervise"])
    graph.add_edge("report", END)
    return graph


def build_graph(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer."""
    return builder().compile(checkpointer=checkpointer, name="tool_forging")


graph = build_graph()
