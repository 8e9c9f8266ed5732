"""The graph: words are understood, then a supervisor leads the plan past self-check, device, inspectors and person."""

from __future__ import annotations

from functools import cache
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.lab_calibration.chip.graph import build_chip
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.executing import measure
from labwright.graphs.lab_calibration.preparing import prepare
from labwright.graphs.lab_calibration.routing import Node as Node
from labwright.graphs.lab_calibration.routing import add_stages, route
from labwright.graphs.lab_calibration.state import CalibrationInput, CalibrationState
from labwright.graphs.node_kinds import TOOL


@cache
def builder() -> StateGraph[CalibrationState, Choices, CalibrationInput, CalibrationState]:
    """The graph, not compiled and made once: compile it with a checkpointer of your own."""
    graph = StateGraph(CalibrationState, input_schema=CalibrationInput, context_schema=Choices)
    graph.add_node("prepare", prepare)
    graph.add_node("chip", build_chip(), metadata=TOOL)
    graph.add_node("measure", measure, metadata=TOOL)
    add_stages(graph, after_begin=["supervise", "chip", "report"])
    graph.add_edge(START, "prepare")
    graph.add_edge("chip", END)
    graph.add_conditional_edges("measure", route, ["inspect", "ask"])
    return graph


def build_graph(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph; Studio and the server bring their own checkpointer."""
    return graph.copy({"checkpointer": checkpointer})


graph = builder().compile(name="lab_calibration")
