"""The graph: a supervisor between analysis, the smithy where tools are made, the solution and its evaluation."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, cast, get_args

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from labwright.graphs.node_kinds import AGENT, CHECK, PERSON, TOOL
from labwright.graphs.tool_forging.analysing import analyse
from labwright.graphs.tool_forging.asking import ask
from labwright.graphs.tool_forging.choices import Choices
from labwright.graphs.tool_forging.preparing import optimise, prepare
from labwright.graphs.tool_forging.reporting import report
from labwright.graphs.tool_forging.request_reading import CardReader, begin
from labwright.graphs.tool_forging.solving import evaluate, execute
from labwright.graphs.tool_forging.state import ForgeInput, ForgeState
from labwright.graphs.tool_forging.supervisor_routing import supervise
from labwright.graphs.tool_forging.tool_admission import admit
from labwright.graphs.tool_forging.tool_making import build_making
from labwright.graphs.understand import build_understand

Node = Literal[
    "supervise", "understand", "optimise", "analyse", "make_tool", "admit", "execute", "evaluate", "ask", "report"
]  # fmt: skip
_NODES = get_args(Node)
_WORKERS = ("begin", "optimise", "analyse", "make_tool", "admit", "execute", "evaluate")


def route(state: ForgeState) -> Node:
    """The node of the current phase; what only the supervisor can settle goes to the supervisor."""
    if state.get("question"):
        return "ask"
    phase = "make_tool" if state["phase"] == "make_tools" else state["phase"]
    return cast("Node", phase if phase in _NODES else "supervise")


def sent(state: ForgeState) -> Node | list[Send]:
    """As `route`; the tools of the queue are made side by side."""
    if (node := route(state)) != "make_tool":
        return node
    common: dict[str, Any] = {name: state.get(name) for name in ("run_dir", "branch", "choices")}
    pitfalls = (state["analysis"] or {}).get("pitfalls", [])
    return [Send("make_tool", {**common, "work": work, "pitfalls": pitfalls}) for work in state["queue"]]


@cache
def builder() -> StateGraph[ForgeState, Choices, ForgeInput, ForgeState]:
    """The graph, not compiled and made once: compile it with a checkpointer of your own."""
    graph = StateGraph(ForgeState, input_schema=ForgeInput, context_schema=Choices)
    graph.add_node("prepare", prepare)
    graph.add_node("supervise", supervise)
    graph.add_node("understand", build_understand(CardReader()), metadata=AGENT)
    graph.add_node("begin", begin)
    graph.add_node("optimise", optimise, metadata=TOOL)
    graph.add_node("analyse", analyse, metadata=AGENT)
    graph.add_node("make_tool", build_making(), metadata=AGENT)
    graph.add_node("admit", admit, metadata=CHECK)
    graph.add_node("execute", execute, metadata=TOOL)
    graph.add_node("evaluate", evaluate, metadata=AGENT)
    graph.add_node("ask", ask, metadata=PERSON)
    graph.add_node("report", report)
    graph.add_edge(START, "prepare")
    graph.add_edge("prepare", "supervise")
    graph.add_edge("understand", "begin")
    for worker in _WORKERS:
        graph.add_edge(worker, "supervise")
    graph.add_conditional_edges("ask", route, ["supervise", "analyse", "admit", "execute", "report"])
    graph.add_conditional_edges("supervise", sent, [*_NODES[1:], "supervise"])
    graph.add_edge("report", END)
    return graph


def build_graph(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer."""
    return graph.copy({"checkpointer": checkpointer})


graph = builder().compile(name="tool_forging")
