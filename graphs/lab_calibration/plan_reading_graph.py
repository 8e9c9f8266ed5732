"""The reading alone: prose becomes a plan that a person has seen; nothing is measured."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.preparing import prepare
from labwright.graphs.lab_calibration.request_reading import PlanReader
from labwright.graphs.lab_calibration.run_context import LABORATORIES, SPEC, check_choices, laboratory
from labwright.graphs.lab_calibration.state import CalibrationInput, CalibrationState
from labwright.graphs.node_kinds import AGENT
from labwright.graphs.running import Outcome, System
from labwright.graphs.understand import build_understand
from labwright.tools.runs.run import load_run
from labwright.tools.specifications.calibration import CalibrationPlan
from labwright.tools.specifications.compiled_plan_files import compiled
from labwright.tools.specifications.yaml_files import read_document, validated

SYSTEM = "plan_reading"
RUNS_OWN = ("device", "seed")  # of the run that will measure, not of the reading


def end(state: CalibrationState) -> dict[str, Any]:
    """How the reading ended."""
    laboratory(state["run_dir"], state["choices"]).close()
    if state.get("standing") == "done":
        return {"status": "complete"}
    return {"status": state.get("standing", state["status"]), "cause": state.get("why") or state["cause"]}


def build_reading(checkpointer: Any = None) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The compiled graph."""
    graph = StateGraph(CalibrationState, input_schema=CalibrationInput, context_schema=Choices)
    graph.add_node("prepare", prepare)
    graph.add_node("understand", build_understand(PlanReader()), metadata=AGENT)
    graph.add_node("end", end)
    graph.add_edge(START, "prepare")
    graph.add_conditional_edges("prepare", lambda state: state["phase"], {"understand": "understand", "report": "end"})
    graph.add_edge("understand", "end")
    graph.add_edge("end", END)
    return graph.compile(checkpointer=checkpointer, name=SYSTEM)


COMPILING = System(SYSTEM, build_reading, LABORATORIES, check_choices)


def plan_of(outcome: Outcome) -> str:
    """The document of the plan that a reading came to, with the hash of the prose and who read it."""
    data = read_document((outcome.run_dir / SPEC).read_text(encoding="utf-8"), SPEC).data
    plan = validated(CalibrationPlan, {name: value for name, value in data.items() if name not in RUNS_OWN})
    record = load_run(outcome.run_dir).record
    return compiled(plan, record.asked, record.choices["mind"])
