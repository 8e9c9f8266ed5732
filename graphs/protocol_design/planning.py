"""Nodes without a model: amounts, vials, steps, protocol. Each computes from the design and stops where it must ask."""

from __future__ import annotations

from typing import Any

from labwright.agents.protocol_design.tag import TAG, TagIn, TagOut
from labwright.graphs.protocol_design import asking
from labwright.graphs.protocol_design.bench import (
    Planned,
    arranged,
    computed,
    dispense_choices,
    processed,
    settle_design,
)
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.protocol_design.workroom import workroom
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.amounts import Refusal
from labwright.tools.liquid_handler.design import ExperimentDesign

Update = dict[str, Any]


def calculate(state: DesignState) -> Update:
    """What goes into every vial; asks what stands in the way, refuses what does not fit."""
    try:
        design = settle_design(_design(state), state["settled"])
        amounts = computed(design)
    except InputError as refused:
        return _refused(str(refused))
    if isinstance(amounts, Refusal):
        return _stuck(state, amounts)
    room = workroom(state)
    room.emit({"kind": "calculated", "vials": len(amounts.vials)}, once=f"calculated {len(state['answers'])}")
    plain = design.model_dump(mode="json")
    return {"design": plain, "facts": {"vials": len(amounts.vials)}, "phase": "arrange"}


def arrange(state: DesignState) -> Update:
    """Which vial stands where."""
    try:
        layout = arranged(_design(state))
    except InputError as refused:
        return _refused(str(refused))
    names = [plate.name for plate in (*layout.plates, *filter(None, [layout.twin]))]
    return {"facts": {**state["facts"], "plates": len(set(names))}, "phase": "process"}


def process(state: DesignState) -> Update:
    """Which steps follow, and how each addition may be dispensed."""
    try:
        steps = processed(_design(state))
    except InputError as refused:
        return _refused(str(refused))
    return {"facts": {**state["facts"], "steps": len(steps)}, "phase": "finalise"}


def finalise(state: DesignState) -> Update:
    """The whole protocol, ready for the checks."""
    planned = Planned.of(_design(state), state["tags"])
    workroom(state).emit({"kind": "planned", "steps": len(planned.protocol.steps), "vials": state["facts"]["vials"]})
    return {
        "facts": {**state["facts"], **planned.facts()},
        "artifact": {"reading": state["reading"], "design": state["design"], "tags": state["tags"]},
        "check_context": {"run_dir": state["run_dir"], "text": state["request"], "settled": state["settled"]},
        "check_mode": state["choices"]["check_mode"],
        "check_round": 0,
        "findings": [],
        "check_log": [],
        "check_status": "open",
        "phase": "check",
    }


def tag(state: DesignState) -> Update:
    """How every addition is dispensed, chosen among what the platform offers."""
    given = dispense_choices(Planned.of(_design(state), state["tags"]))
    return {"tags": _ways(state, given), "phase": "tagged"}


def _ways(state: DesignState, given: TagIn) -> dict[str, list[str]]:
    """The tagger's answer; what a person chose before stays."""
    answer = workroom(state).ask(TAG, given)
    if not isinstance(answer, TagOut):  # a question or a refusal about options: the platform's own choice stands
        return {str(one.step): one.offered[0].way.split() for one in given.additions} | state["tags"]
    return {str(item.step): item.way.split() for item in answer.tags} | state["tags"]


def _design(state: DesignState) -> ExperimentDesign:
    assert state["design"] is not None
    return ExperimentDesign.model_validate(state["design"])


def _refused(cause: str) -> Update:
    return {"phase": "report", "status": "refused", "cause": cause}


def _stuck(state: DesignState, refusal: Refusal) -> Update:
    """Ask the first question; what was answered already and is still open cannot be settled by talking."""
    answered = {item["id"] for item in state["settled"]}
    if not refusal.questions or refusal.infeasible or refusal.questions[0].id in answered:
        return _refused(refusal.message)
    first = refusal.questions[0]
    return asking.clarify(first.id, first.text, list(first.options), first.default, first.consequence)
