"""A lane: one qubit's calibration, which stops where it needs the device and goes on when its data are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from labwright.agents.errors import AgentGaveUp
from labwright.graphs.lab_calibration.chip.maintaining import ended, maintained
from labwright.graphs.lab_calibration.chip.state import Lane, LaneState
from labwright.graphs.lab_calibration.executing import measure
from labwright.graphs.lab_calibration.preparing import prepare
from labwright.graphs.lab_calibration.routing import Node, add_stages, route
from labwright.graphs.lab_calibration.run_context import laboratory
from labwright.graphs.node_kinds import TOOL
from labwright.tools.qpu.device_sharing import AwaitsDevice

AFTER_MEASURE: list[str] = ["inspect", "ask", END]


def begin(state: LaneState) -> dict[str, Any]:
    """The calibration's own beginning; what it does is filed under the lane's name."""
    return {**prepare(state), "awaits": ""}


def measure_or_wait(state: LaneState) -> dict[str, Any]:
    """Measure as far as the data go that the device has delivered."""
    try:
        return {**measure(state), "awaits": ""}
    except AwaitsDevice as waiting:
        return {"awaits": waiting.key}


def entry(state: LaneState) -> Literal["prepare", "measure"]:
    """A new lane begins; one that has waited measures on."""
    return "measure" if state.get("awaits") else "prepare"


def after_measure(state: LaneState) -> Node | Literal["__end__"]:
    """To the conductor, or on."""
    return "__end__" if state.get("awaits") else route(state)


def build_lane() -> CompiledStateGraph[Any, Any, Any, Any]:
    """The calibration with a door at the device."""
    graph = StateGraph(LaneState)
    graph.add_node("prepare", begin)
    graph.add_node("measure", measure_or_wait, metadata=TOOL)
    add_stages(graph, after_begin=["supervise", "report"])
    graph.add_conditional_edges(START, entry)
    graph.add_conditional_edges("measure", after_measure, AFTER_MEASURE)
    return graph.compile(name="lane")


LANE = build_lane()


class Assigned(TypedDict):
    """What is sent to one worker."""

    lane: Lane


def work(state: Assigned) -> dict[str, Any]:
    """Take one lane as far as it comes without the device."""
    lane = state["lane"]
    try:
        moved = maintained(lane, advanced) if lane["kind"] == "maintain" else _calibrated(lane)
    except AgentGaveUp as lost:  # of this lane alone; the others go on
        moved = ended(lane, "failed", str(lost))
    return {"lanes": {lane["name"]: moved}}


def _calibrated(lane: Lane) -> Lane:
    after = advanced(lane["run_dir"], lane["plan"], lane["state"])
    if after.get("awaits"):
        return {**lane, "status": "running", "awaits": after["awaits"], "state": after}
    return ended(lane, after["status"], after.get("cause", ""))


def advanced(run_dir: str, plan: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    """A calibration in the part `run_dir`, at the device's door or at its end. Its steps are checkpointed below ours.

    Args:
        run_dir: a part of the run.
        plan: what is calibrated.
        state: where it stands; empty for one that begins.
    """
    lab = laboratory(run_dir)
    lab.driven = True
    record = lab.run.record
    first = {
        "request": record.asked,
        "plan": {**carried(run_dir), **plan},
        "choices": record.choices,
        "run_dir": run_dir,
        "branch": lab.run.run_id,
    }
    after = dict(LANE.invoke(state or first))
    return {name: value for name, value in after.items() if name not in CHECKING}


def carried(run_dir: str) -> dict[str, Any]:
    """What the whole run's plan says of the steps in every part: consent, and what they were completed with."""
    outer = laboratory(str(Path(run_dir).parents[1])).plan.plain()
    return {name: outer[name] for name in ("approval", "procedures", "defaults") if name in outer}


# What reading and self-check leave behind; nothing reads it after the measurement it was made for.
CHECKING = {"artifact", "check_context", "check_log", "findings", "draft", "sources", "problems", "settled", "nearest"}
