"""The graph: exact forms are parsed, other words go to one agent, code does what was decided and asks for runs."""

from __future__ import annotations

from functools import cache
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.front_desk.action_execution import act
from labwright.graphs.front_desk.explaining import explain
from labwright.graphs.front_desk.message_reading import decide, read
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.run_questions import ask
from labwright.graphs.front_desk.state import DeskInput, DeskState, Phase
from labwright.graphs.front_desk.turn_completion import answer, attend
from labwright.graphs.front_desk.turn_start import listen
from labwright.graphs.node_kinds import AGENT, PERSON, TOOL


def next_node(state: DeskState) -> Phase:
    """The node that the last one named."""
    return state["phase"]


@cache
def builder() -> StateGraph[DeskState, Terms, DeskInput, DeskState]:
    """The graph, not compiled and made once: compile it with a checkpointer and a store of your own."""
    graph = StateGraph(DeskState, input_schema=DeskInput, context_schema=Terms)
    graph.add_node("listen", listen)
    graph.add_node("read", read)
    graph.add_node("decide", decide, metadata=AGENT)
    graph.add_node("act", act, metadata=TOOL)
    graph.add_node("explain", explain, metadata=AGENT)
    graph.add_node("attend", attend)
    graph.add_node("ask", ask, metadata=PERSON)
    graph.add_node("answer", answer)
    graph.add_edge(START, "listen")
    graph.add_conditional_edges("listen", next_node, ["read", "attend"])
    graph.add_conditional_edges("read", next_node, ["decide", "act", "attend"])
    graph.add_conditional_edges("decide", next_node, ["act", "attend"])
    graph.add_conditional_edges("act", next_node, ["act", "explain", "attend"])
    graph.add_conditional_edges("explain", next_node, ["act", "attend"])
    graph.add_conditional_edges("attend", next_node, ["explain", "ask", "answer"])
    graph.add_edge("ask", "attend")
    graph.add_edge("answer", END)
    return graph


def build_graph(checkpointer: Any = None, store: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer and store."""
    return graph.copy({"checkpointer": checkpointer, "store": store})


graph = builder().compile(name="front_desk")
