"""draft -> validate -> cover -> person -> done; findings go back to the draft as patches, a limited number of times."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.node_kinds import AGENT, CHECK, PERSON
from labwright.graphs.understand.nodes import Nodes
from labwright.graphs.understand.state import Reader, UnderstandState


def build_understand(reader: Reader) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The subgraph for one system; mount it as a node so that drawings show it."""
    nodes = Nodes(reader)
    graph = StateGraph(UnderstandState)
    graph.add_node("draft", nodes.draft, metadata=AGENT)
    graph.add_node("validate", nodes.validate, metadata=CHECK)
    graph.add_node("repair", nodes.repair, metadata=AGENT)
    graph.add_node("cover", nodes.cover, metadata=AGENT)
    graph.add_node("person", nodes.person, metadata=PERSON)
    graph.add_edge(START, "draft")
    graph.add_conditional_edges("draft", then, ["validate", "repair", "person", END])
    graph.add_conditional_edges("validate", then, ["repair", "cover", "person", END])
    graph.add_conditional_edges("repair", then, ["validate", "person"])
    graph.add_conditional_edges("cover", then, ["repair", "person", END])
    graph.add_conditional_edges("person", then, ["draft", "validate", "repair", "person", END])
    return graph.compile(name="understand")


def then(state: UnderstandState) -> str:
    """The node that the last one named."""
    return END if state["then"] == "end" else state["then"]
