"""The graph: a supervisor between two trials, and in each trial the ideas one after another."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, cast, get_args

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.check_and_revise import build_self_check
from labwright.graphs.feature_map_search.asking import ask
from labwright.graphs.feature_map_search.choices import Choices
from labwright.graphs.feature_map_search.code_generation import FeatureMapChecker, write_code
from labwright.graphs.feature_map_search.evaluating import evaluate, review
from labwright.graphs.feature_map_search.held_out_score import compare, reveal
from labwright.graphs.feature_map_search.preparing import prepare
from labwright.graphs.feature_map_search.proposing import consent, propose, reflect, retrieve, score
from labwright.graphs.feature_map_search.reporting import report
from labwright.graphs.feature_map_search.request_reading import SearchReader, begin
from labwright.graphs.feature_map_search.state import SearchInput, SearchState
from labwright.graphs.feature_map_search.supervisor_routing import supervise
from labwright.graphs.feature_map_search.tuning import tune
from labwright.graphs.node_kinds import AGENT, CHECK, PERSON, TOOL
from labwright.graphs.understand import build_understand

Node = Literal[
    "understand",
    "supervise",
    "propose",
    "retrieve",
    "score",
    "reflect",
    "consent",
    "write_code",
    "self_check",
    "evaluate",
    "tune",
    "review",
    "reveal",
    "baselines",
    "ask",
    "report",
]
_NODES = frozenset(get_args(Node))
_BEGUN: list[str] = ["retrieve", "consent", "review"]  # what follows when an idea is done with


def route(state: SearchState) -> Node:
    """The node of the current phase; what only the supervisor can settle goes to the supervisor."""
    if state.get("question"):
        return "ask"
    phase = "self_check" if state["phase"] == "check" else state["phase"]
    return cast(Node, phase) if phase in _NODES else "supervise"


@cache
def builder() -> StateGraph[SearchState, Choices, SearchInput, SearchState]:
    """The graph, not compiled and made once: compile it with a checkpointer of your own."""
    graph = StateGraph(SearchState, input_schema=SearchInput, context_schema=Choices)
    graph.add_node("prepare", prepare)
    graph.add_node("understand", build_understand(SearchReader()), metadata=AGENT)
    graph.add_node("begin", begin)
    graph.add_node("supervise", supervise)
    graph.add_node("propose", propose, metadata=AGENT)
    graph.add_node("retrieve", retrieve, metadata=TOOL)
    graph.add_node("score", score, metadata=AGENT)
    graph.add_node("reflect", reflect, metadata=AGENT)
    graph.add_node("consent", consent, metadata=PERSON)
    graph.add_node("write_code", write_code, metadata=AGENT)
    graph.add_node("self_check", build_self_check(FeatureMapChecker()), metadata=CHECK)
    graph.add_node("evaluate", evaluate, metadata=TOOL)
    graph.add_node("tune", tune, metadata=TOOL)
    graph.add_node("review", review, metadata=AGENT)
    graph.add_node("reveal", reveal, metadata=TOOL)
    graph.add_node("baselines", compare, metadata=TOOL)
    graph.add_node("ask", ask, metadata=PERSON)
    graph.add_node("report", report)
    graph.add_edge(START, "prepare")
    graph.add_conditional_edges("prepare", route, ["understand", "supervise", "report"])
    graph.add_edge("understand", "begin")
    graph.add_conditional_edges("begin", route, ["supervise", "report"])
    graph.add_conditional_edges("supervise", route, ["propose", "tune", "ask", "report"])
    graph.add_conditional_edges("propose", route, [*_BEGUN, "tune", "ask", "report"])
    graph.add_edge("retrieve", "score")
    graph.add_conditional_edges("score", route, ["retrieve", "reflect", "write_code", "ask"])
    graph.add_conditional_edges("reflect", route, ["reflect", "score", "write_code", "ask"])
    graph.add_conditional_edges("consent", route, ["write_code", "ask"])
    graph.add_conditional_edges("write_code", route, ["self_check", *_BEGUN])
    graph.add_edge("self_check", "evaluate")
    graph.add_conditional_edges("evaluate", route, ["tune", *_BEGUN])
    graph.add_conditional_edges("tune", route, ["reveal", *_BEGUN])
    graph.add_edge("review", "supervise")
    graph.add_edge("reveal", "baselines")
    graph.add_edge("baselines", "report")
    graph.add_conditional_edges("ask", route, ["supervise", "propose", "write_code", *_BEGUN, "ask", "tune", "report"])
    graph.add_edge("report", END)
    return graph


def build_graph(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer."""
    return graph.copy({"checkpointer": checkpointer})


graph = builder().compile(name="feature_map_search")
