"""The last nodes: the robot's files, then the report and the result. All of it is made by code."""

from __future__ import annotations

from typing import Any

from labwright.graphs.protocol_design.computed_design import Planned, steps_of, vials_of
from labwright.graphs.protocol_design.files import bench_sheet, save_files
from labwright.graphs.protocol_design.robot_file_approval import assumptions, planned_of
from labwright.graphs.protocol_design.run_context import workroom
from labwright.graphs.protocol_design.signing import accepted, findings_to_sign
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.result_document import end_without_driver
from labwright.tools.errors import SafetyStop

Update = dict[str, Any]


def write(state: DesignState) -> Update:
    """Put the robot's files, the plate map and the design into the run's folder."""
    planned, room = planned_of(state), workroom(state)
    if findings := findings_to_sign(room, planned):
        raise SafetyStop(f"No named person has accepted this: {findings[0]} `labwright sign {room.run.run_id}`")
    named = save_files(room.run, planned, state)
    room.emit({"kind": "written", **named}, once="written")
    result = {
        "vials": vials_of(planned),
        "steps": steps_of(planned),
        "findings": [{"check": one.code, **one.rest()} for one in planned.made.findings],
        "decisions": planned.decisions(),
        "preparation": planned.preparation(),
        "treatments": planned.treatments(),
        **named,
    }
    return {"written": result, "status": "complete", "phase": "report"}


def report(state: DesignState) -> Update:
    """Write the end of the run; may run again after a crash with the same outcome."""
    room = workroom(state)
    result = {
        "facts": state.get("facts", {}),
        "findings": [{**one, "severity": "error"} for one in state.get("findings", [])],
        "assumptions": assumptions(state),
        "left_out": state.get("left_out", []),
        "design": state.get("design"),
        **state.get("written", {}),
    }
    if (person := accepted(room.run)) is not None:
        result["accepted"] = person
    room.run.save_json("outcome.json", {"status": state["status"], "cause": state.get("cause", ""), "result": result})
    room.run.save_text("report.md", markdown(state), kind="report")
    end_without_driver(room, state["status"], state.get("cause", ""))
    return {"phase": "report"}


def summary(state: DesignState, planned: Planned | None) -> str:
    """What is made, how it is treated, how long the robot needs; why there is no protocol if there is none."""
    if planned is None:
        return f"No protocol was written: {state.get('cause', '')}"
    facts = planned.facts()
    plates = "1 plate" if facts["plates"] == 1 else f"{facts['plates']} plates"
    vials = "1 vial" if facts["vials"] == 1 else f"{facts['vials']} vials"
    said = f"{vials} on {plates} are prepared in {facts['steps']} steps, which take about {facts['minutes']:.0f} min."
    done = planned.treatments()
    said += f" Then: {'; '.join(done)}." if done else ""
    assumed = len(assumptions(state))
    return said + (f" {assumed} assumptions were made; read them before the run." if assumed else "")


def markdown(state: DesignState) -> str:
    """The whole report as Markdown."""
    room = workroom(state)
    planned = planned_of(state) if state["status"] == "complete" else None
    asked = "\n".join(f"> {line}" for line in state["request"].strip().splitlines())
    head = f"Run `{room.run.record.run_id}` · {state['status'].upper()} · mind `{room.mind.name}`"
    parts = ["# Protocol", head, asked, summary(state, planned)]
    for title, lines in (
        ("Left out of the description", state.get("left_out", [])),
        ("Assumptions", assumptions(state)),
    ):
        if lines:
            parts.append(f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines))
    if planned is not None:
        parts.append(bench_sheet(planned, state))
    return "\n\n".join(parts) + "\n"
