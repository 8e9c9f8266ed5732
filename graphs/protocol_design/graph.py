"""The graph: the shared reading, one planning node, the self-check, approval. A correction goes back to the reading."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.check_and_revise import build_self_check
from labwright.graphs.node_kinds import AGENT, CHECK, PERSON, TOOL
from labwright.graphs.protocol_design.checking import ProtocolChecker
from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.planning import checked, plan
from labwright.graphs.protocol_design.preparing import prepare
from labwright.graphs.protocol_design.reporting import report, write
from labwright.graphs.protocol_design.request_reading import ProtocolReader, begin
from labwright.graphs.protocol_design.robot_file_approval import approve, sign
from labwright.graphs.protocol_design.state import DesignInput, DesignState
from labwright.graphs.understand import build_understand

Node = Literal["understand", "plan", "self_check", "approve", "sign", "write", "report"]


def route(state: DesignState) -> Node:
    """The node of the current phase."""
    phase = state["phase"]
    return "self_check" if phase == "check" else phase


@cache
def builder() -> StateGraph[DesignState, Choices, DesignInput, DesignState]:
    """The graph, not compiled and made once: compile it with a checkpointer of your own."""
    graph = StateGraph(DesignState, input_schema=DesignInput, context_schema=Choices)
    graph.add_node("prepare", prepare)
    graph.add_node("understand", build_understand(ProtocolReader()), metadata=AGENT)
    graph.add_node("begin", begin)
    graph.add_node("plan", plan, metadata=TOOL)
    graph.add_node("self_check", build_self_check(ProtocolChecker()), metadata=CHECK)
    graph.add_node("checked", checked)
    graph.add_node("approve", approve, metadata=PERSON)
    graph.add_node("sign", sign, metadata=PERSON)
    graph.add_node("write", write, metadata=TOOL)
    graph.add_node("report", report)
    graph.add_edge(START, "prepare")
    graph.add_conditional_edges("prepare", route, ["understand", "report"])
    graph.add_edge("understand", "begin")
    graph.add_conditional_edges("begin", route, ["plan", "report"])
    graph.add_conditional_edges("plan", route, ["self_check", "report"])
    graph.add_edge("self_check", "checked")
    graph.add_conditional_edges("checked", route, ["approve", "report"])
    graph.add_conditional_edges("approve", route, ["approve", "sign", "understand", "plan", "write", "report"])
    graph.add_conditional_edges("sign", route, ["approve", "understand", "plan", "write", "report"])
    graph.add_edge("write", "report")
    graph.add_edge("report", END)
    return graph


def build_graph(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer."""
    return graph.copy({"checkpointer": checkpointer})


graph = builder().compile(name="protocol_design")
