"""The last nodes: the robot's files, then the report and the result. Words by an agent, everything else by code."""

from __future__ import annotations

from typing import Any

from labwright.agents.protocol_design.write_report import WRITE_REPORT, ReportIn, ReportOut
from labwright.agents.protocol_design.written.tagged import tagged
from labwright.graphs.protocol_design.bench import Planned, steps_of, vials_of
from labwright.graphs.protocol_design.files import bench_sheet, save_files
from labwright.graphs.protocol_design.retrieving import STEPS
from labwright.graphs.protocol_design.signing import accepted
from labwright.graphs.protocol_design.state import DesignState
from labwright.graphs.protocol_design.workroom import workroom
from labwright.tools.liquid_handler.design import ExperimentDesign

Update = dict[str, Any]


def write(state: DesignState) -> Update:
    """Put the robot's files, the plate map and the design into the run's folder."""
    planned = _planned(state)
    room = workroom(state)
    named = save_files(room.run, planned, figures=state["choices"]["figures"])
    room.run.save_text(STEPS, tagged(planned.made) + "\n")  # what later designs find when they look for their like
    room.emit({"kind": "written", **named}, once="written")
    result = {
        "vials": vials_of(planned),
        "steps": steps_of(planned),
        "findings": [_plain(finding) for finding in planned.made.findings],
        "decisions": planned.decisions(),
        **named,
    }
    return {"written": result, "status": "complete", "phase": "report"}


def report(state: DesignState) -> Update:
    """Write the end of the run; may run again after a crash with the same outcome."""
    room = workroom(state)
    result = {
        "facts": state.get("facts", {}),
        "findings": [{**one, "severity": "error"} for one in state.get("findings", [])],
        "assumptions": state.get("assumptions", []),
        "design": state.get("design"),
        **state.get("written", {}),
        **_of_agents(state),
    }
    if (person := accepted(room.run)) is not None:
        result["accepted"] = person
    answer = room.ask(WRITE_REPORT, _report_input(state))
    words = answer if isinstance(answer, ReportOut) else ReportOut(summary=str(answer), cautions=[])
    room.run.save_json("outcome.json", {"status": state["status"], "cause": state.get("cause", ""), "result": result})
    room.run.save_text("report.md", markdown(state, words), kind="report")
    return {"phase": "report"}


def _of_agents(state: DesignState) -> dict[str, Any]:
    """What is kept of agents that wrote steps themselves."""
    if not state["choices"].get("configuration"):
        return {}
    return {"configuration": state["choices"]["configuration"], "draft": state["draft"], "path": state["path"]}


def _plain(finding: Any) -> dict[str, Any]:
    return {
        "check": finding.code,
        "severity": finding.severity,
        "step": finding.step,
        "wells": list(finding.wells),
        "message": finding.message,
        "mend": finding.mend,
    }


def _report_input(state: DesignState) -> ReportIn:
    facts = state.get("facts", {})
    status = state["status"]
    planned = _planned(state) if status == "complete" else None
    return ReportIn(
        request=state["request"],
        status=status if status in ("complete", "refused") else "stopped",
        cause=state.get("cause", ""),
        vials=facts.get("vials", 0),
        plates=facts.get("plates", 0),
        steps=facts.get("steps", 0),
        minutes=facts.get("minutes", 0.0),
        treatments=planned.treatments() if planned else [],
        answers=[f"{one['text']} {one['answer']}" for one in state.get("settled", []) if one["by"] == "person"],
        assumptions=state.get("assumptions", []),
        decisions=planned.decisions() if planned and not state.get("draft") else [],
        warnings=state.get("warnings", []),
    )


def markdown(state: DesignState, words: ReportOut) -> str:
    """The whole report as Markdown."""
    record = workroom(state).run.record
    asked = "\n".join(f"> {line}" for line in state["request"].strip().splitlines())
    head = f"Run `{record.run_id}` · {state['status'].upper()} · mind `{workroom(state).mind.name}`"
    parts = ["# Protocol", head, asked, words.summary]
    for title, lines in (("Look at this first", words.cautions), ("Assumptions", state.get("assumptions", []))):
        if lines:
            parts.append(f"## {title}\n\n" + "\n".join(f"- {line}" for line in lines))
    if state["status"] == "complete":
        parts.append(bench_sheet(_planned(state), figures=state["choices"]["figures"]))
    return "\n\n".join(parts) + "\n"


def _planned(state: DesignState) -> Planned:
    if state.get("draft"):
        return Planned.of_steps(state["draft"], state["tags"])
    return Planned.of(ExperimentDesign.model_validate(state["design"]), state["tags"])
