"""The graph: a supervisor between the person, the routing agent, and the runs that it starts beside itself."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.front_desk.asking import ask
from labwright.graphs.front_desk.listening import listen, recall
from labwright.graphs.front_desk.preparing import prepare, start
from labwright.graphs.front_desk.routing import route
from labwright.graphs.front_desk.state import DeskInput, DeskState
from labwright.graphs.front_desk.supervising import answer, supervise
from labwright.graphs.front_desk.telling import remember, tell
from labwright.graphs.front_desk.terms import Terms

Node = Literal["supervise", "recall", "route", "prepare", "start", "tell", "remember", "ask", "answer"]
_PHASE_NODES: dict[str, Node] = {
    "recall": "recall",
    "route": "route",
    "prepare": "prepare",
    "start": "start",
    "tell": "tell",
    "remember": "remember",
    "ask": "ask",
    "reply": "answer",
}


def next_node(state: DeskState) -> Node:
    """The node of the current phase; what only the supervisor can settle goes to the supervisor."""
    if state.get("question"):
        return "ask"
    return _PHASE_NODES.get(state["phase"], "supervise")


@cache
def builder() -> StateGraph[DeskState, Terms, DeskInput, DeskState]:
    """The graph, not compiled and made once: compile it with a checkpointer and a store of your own."""
    graph = StateGraph(DeskState, input_schema=DeskInput, context_schema=Terms)
    graph.add_node("listen", listen)
    graph.add_node("supervise", supervise)
    graph.add_node("recall", recall)
    graph.add_node("route", route)
    graph.add_node("prepare", prepare)
    graph.add_node("start", start)
    graph.add_node("tell", tell)
    graph.add_node("remember", remember)
    graph.add_node("ask", ask)
    graph.add_node("answer", answer)
    graph.add_edge(START, "listen")
    graph.add_edge("listen", "supervise")
    graph.add_conditional_edges("supervise", next_node, ["recall", "ask", "answer"])
    graph.add_edge("recall", "route")
    graph.add_conditional_edges("route", next_node, ["ask", "prepare", "tell", "remember", "supervise"])
    graph.add_conditional_edges("prepare", next_node, ["start", "supervise"])
    graph.add_conditional_edges("ask", next_node, ["route", "supervise"])
    for worker in ("start", "tell", "remember"):
        graph.add_edge(worker, "supervise")
    graph.add_edge("answer", END)
    return graph


def build_graph(checkpointer: Any = None, store: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer and store."""
    return builder().compile(checkpointer=checkpointer, store=store, name="front_desk")


graph = build_graph()
