"""From written steps to a file: self-checks where the configuration has them, then the checks of every file."""

from __future__ import annotations

from typing import Any

from labwright.graphs.protocol_design import asking, signing
from labwright.graphs.protocol_design.bench import Planned, steps_of, vials_of, way_lines
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.protocol_design.workroom import workroom
from labwright.graphs.protocol_design.written import check_context, configuration_of
from labwright.graphs.self_check import Finding

Update = dict[str, Any]
UNPROVED = "Agents wrote these steps. No check compares their amounts with the description: do it before the run."


def drafted(state: DesignState) -> Update:
    """Steps were written: to the self-check, or on."""
    workroom(state).emit({"kind": "drafted", "turns": len(state["path"])}, once="drafted")
    mode = configuration_of(state).checks
    if mode == "none":
        return hand_in(state)
    return {
        "artifact": {"steps": state["draft"]},
        "check_context": check_context(state),
        "check_mode": mode,
        "check_round": 0,
        "findings": [],
        "check_log": [],
        "check_status": "open",
        "phase": "check_steps",
    }


def checked(state: DesignState) -> Update:
    """The self-check has ended, with or without findings: the steps go on as they are."""
    steps = state["artifact"]["steps"]
    return {"draft": steps, **hand_in({**state, "draft": steps})}


def hand_in(state: DesignState) -> Update:
    """An error stops the file but keeps the steps for the record; a person approves where the policy wants it."""
    planned = Planned.of_steps(state["draft"], state["tags"])
    written = {"vials": vials_of(planned), "steps": steps_of(planned)}
    known: Update = {"facts": planned.facts(), "warnings": [UNPROVED, *planned.warnings()], "written": written}
    if errors := planned.errors():
        findings = [Finding(check=one.code, message=one.message, mend=one.mend) for one in errors]
        cause = " ".join(f"{one.message} {one.mend}".strip() for one in errors)
        return {**known, "findings": findings, "phase": "report", "status": "refused", "cause": cause}
    if (question := signing.needed(state, planned)) is not None:
        return {**known, **question}
    if state["choices"]["approval"] == "auto" or state["approved"]:
        return {**known, "phase": "write"}
    ways = {str(n): list(step.tags) for n, step in enumerate(planned.protocol.steps, 1) if step.action == "Add"}
    body = "\n".join(f"- {line}" for line in (*known["warnings"], *way_lines(planned)))
    return {**known, **asking.approve(state, body, ways)}
