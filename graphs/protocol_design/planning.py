"""The node that plans: amounts, wells, steps and how each is dispensed. All of it is computed."""

from __future__ import annotations

from typing import Any

from labwright.graphs.protocol_design.computed_design import Planned, platform_tags
from labwright.graphs.protocol_design.files import outputs_of
from labwright.graphs.protocol_design.run_context import workroom
from labwright.graphs.protocol_design.state import DesignState
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.experiment_design import ExperimentDesign

Update = dict[str, Any]


def plan(state: DesignState) -> Update:
    """The whole protocol, ready for the checks; the ways of dispensing that a person chose stay."""
    design = ExperimentDesign.model_validate(state["design"])
    try:
        tags = platform_tags(Planned.of(design, {})) | state["tags"]
        planned = Planned.of(design, tags)
    except InputError as refused:
        return {"phase": "report", "status": "refused", "cause": str(refused)}
    facts, room = planned.facts(), workroom(state)
    turn = f"{state['asks']} {state['approvals']}"
    room.emit({"kind": "planned", "steps": facts["steps"], "vials": facts["vials"]}, once=f"planned {turn}")
    begun: Update = {"check_round": 0, "findings": [], "check_log": [], "check_status": "open", "phase": "check"}
    begun |= {"check_context": {"outputs": outputs_of(state)}, "check_mode": state["choices"]["check_mode"]}
    artifact = {"design": state["design"], "tags": tags}
    return {**begun, "facts": facts, "tags": tags, "warnings": planned.warnings(), "artifact": artifact}


def checked(state: DesignState) -> Update:
    """After the self-check: an error stops the run, anything else goes to the person or to the file."""
    if state["check_status"] == "clean":
        return {"phase": "approve"}
    cause = " ".join(f"{one['message']} {one['mend']}".strip() for one in state["findings"])
    return {"phase": "report", "status": "refused", "cause": cause}
