"""plan -> [round: lanes side by side <-> play together] -> report."""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from labwright.graphs.lab_calibration.chip.planning import after_round, begin_round, end_round, plan, to_lanes
from labwright.graphs.lab_calibration.chip.qubit_workers import Assigned, work
from labwright.graphs.lab_calibration.chip.reporting import chip_report
from labwright.graphs.lab_calibration.chip.simultaneous_acquisition import play
from labwright.graphs.lab_calibration.chip.state import ChipInput, ChipOutput, ChipState
from labwright.graphs.node_kinds import TOOL


def after_play(state: ChipState) -> list[Send] | Literal["play", "end_round", "chip_report"]:
    """Back to the lanes with their data; on when none is left; again after a question."""
    if state["phase"] == "work":
        return to_lanes(state)
    targets: dict[str, Literal["play", "end_round", "chip_report"]] = {"play": "play", "chip_report": "chip_report"}
    return targets.get(state["phase"], "end_round")


def build_chip() -> CompiledStateGraph[Any, Any, Any, Any]:
    """The subgraph of a whole chip; mount it as a node so that drawings show it."""
    graph = StateGraph(ChipState, input_schema=ChipInput, output_schema=ChipOutput)
    graph.add_node("plan", plan)
    graph.add_node("begin_round", begin_round)
    graph.add_node("work", work, input_schema=Assigned, metadata=TOOL)
    graph.add_node("play", play, metadata=TOOL)
    graph.add_node("end_round", end_round)
    graph.add_node("chip_report", chip_report)
    graph.add_edge(START, "plan")
    graph.add_edge("plan", "begin_round")
    graph.add_conditional_edges("begin_round", to_lanes, ["work"])
    graph.add_edge("work", "play")
    graph.add_conditional_edges("play", after_play, ["work", "play", "end_round", "chip_report"])
    graph.add_conditional_edges("end_round", after_round, ["begin_round", "chip_report"])
    graph.add_edge("chip_report", END)
    return graph.compile(name="chip")
