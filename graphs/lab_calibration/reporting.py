"""The last node: results, result.json and report.md. Words by an agent, tables and figures by code."""

from __future__ import annotations

from typing import Any

from labwright.agents.lab_calibration.grounding import Measurement
from labwright.agents.lab_calibration.write_report import (
    WRITE_REPORT,
    HistoryRow,
    ReportIn,
    ReportOut,
    filled,
    report_by_rules,
)
from labwright.graphs.lab_calibration.diagnosing import section
from labwright.graphs.lab_calibration.pair_and_group_results import group_table, groups_of, settings_before
from labwright.graphs.lab_calibration.run_context import Laboratory, laboratory
from labwright.graphs.lab_calibration.stage_results import not_accepted, stages_by_name
from labwright.graphs.lab_calibration.state import CalibrationState, HistoryEntry
from labwright.graphs.result_document import end_without_driver
from labwright.tools.experiments.run_overview_figure import chosen, overview
from labwright.tools.specifications.yaml_files import is_document
from labwright.tools.upkeep.calibration_graph import WHOLE

# Setting -> (column title, unit, digits after the point)
SHOWN = {
    "frequency": ("drive frequency", "MHz", 4),
    "amplitude_pi": ("X180 amplitude", "", 5),
    "amplitude_pi2": ("X90 amplitude", "", 5),
    "drag": ("DRAG coefficient", "", 3),
    "readout_frequency": ("readout frequency", "MHz", 3),
    "readout_angle": ("readout angle", "rad", 3),
    "readout_threshold": ("readout threshold", "", 4),
}
# The experiments' estimates that the result document names.
RB_ERROR, RB_LIMIT = "single_qubit_rb.error_per_gate", "single_qubit_rb.limit_error_per_gate"


def report(state: CalibrationState) -> dict[str, Any]:
    """Write the end of the run; may run again after a crash with the same outcome."""
    lab = laboratory(state["run_dir"], state["choices"])
    result = result_of(lab, state)
    given = _report_input(state)
    # Where nothing was measured there is nothing to put into words.
    answer: object = lab.ask(WRITE_REPORT, given) if given.history else None
    words = filled(given, answer) if isinstance(answer, ReportOut) else report_by_rules(given)
    lab.run.save_json("outcome.json", {"status": state["status"], "cause": state.get("cause", ""), "result": result})
    lab.run.save_text("report.md", markdown(lab, state, result, words), kind="report")
    _remember(lab, state["status"], result)
    end_without_driver(lab, state["status"], state.get("cause", ""))
    lab.close()  # a server that ran the graph lives on; the device is free again
    return {"phase": "report"}


def _remember(lab: Laboratory, status: str, result: dict[str, Any]) -> None:
    """What upkeep compares with later: the error per gate of every qubit that was benchmarked."""
    for qubit, entry in result["qubits"].items():
        if entry["rb_error_per_gate"] is not None:
            numbers = {"error_per_gate": float(entry["rb_error_per_gate"])}
            lab.upkeep.add(f"{lab.run.run_id} {qubit}", qubit, "gates", "calibrated", lab.device.clock, numbers)
            if status == "complete":  # gates near their limit vouch for all that they are made of
                key = f"{lab.run.run_id} {qubit} whole"
                lab.upkeep.add(key, qubit, WHOLE.name, "in_spec", lab.device.clock)


def result_of(lab: Laboratory, state: CalibrationState) -> dict[str, Any]:
    """The `result` part of the result document: qubits with before and after, and the stages."""
    qubits = {}
    for qubit in _touched(lab, state):
        measured = state.get("results", {}).get(qubit, {})
        error, limit = measured.get(RB_ERROR), measured.get(RB_LIMIT)
        qubits[qubit] = {
            "before": settings_before(lab, qubit, _own(state)),
            "after": lab.settings_of(qubit),
            "rb_error_per_gate": error["value"] if error else None,
            "rb_error_std": error["error"] if error else None,
            "limit_error_per_gate": limit["value"] if limit else None,
            "measured": measured,
        }
    return {
        "qubits": qubits,
        "groups": groups_of(lab, state, _own(state)),
        "stages": list(state.get("history", [])),
        "assumptions": state.get("assumptions", []),
        "diagnoses": state.get("diagnoses", {}),
    }


def _own(state: CalibrationState) -> set[str]:
    """Keys of the run's actions."""
    looks = {made["action"] for made in state.get("diagnoses", {}).values()}
    return {row["action"] for row in state.get("history", [])} | looks | {state.get("action", "")}


def _touched(lab: Laboratory, state: CalibrationState) -> list[str]:
    own = _own(state)
    changed = {entry.qubit for entry in lab.device.settings.history() if entry.key.partition(".")[0] in own}
    return [qubit for qubit in lab.device.qubits if qubit in changed or qubit in state.get("results", {})]


def _report_input(state: CalibrationState) -> ReportIn:
    results = [
        Measurement(name=f"{qubit} {name}", value=item["value"], error=item["error"], unit=item["unit"])
        for qubit, named in state.get("results", {}).items()
        for name, item in named.items()
        if item["main"]
    ]
    history = [
        HistoryRow(
            stage=f"{row['path']} {row['stage']}",
            experiment=row["experiment"],
            attempt=row["attempt"],
            verdict=row["verdict"],
            diagnosis=row["diagnosis"],
        )
        for row in state.get("history", [])
        if row["action"]
    ]
    status = state["status"] if state["status"] != "running" else "stopped"
    wanted = state["frames"][0]["wanted"] if state.get("frames") else ""
    return ReportIn(
        request=state["request"],
        status=status,
        cause=state.get("cause", ""),
        wanted=wanted,
        history=history,
        results=results,
        not_accepted=not_accepted(state.get("history", [])),
    )


def markdown(lab: Laboratory, state: CalibrationState, result: dict[str, Any], words: ReportOut) -> str:
    """The whole report as Markdown."""
    record = lab.run.record
    parts = [
        f"# {_title(state)}",
        f"Run `{record.run_id}` · {state['status'].upper()} · device `{lab.device.name}` · seed {record.seed}"
        f" · mind `{lab.mind.name}`",
        words.summary,
        *_overview(lab, state.get("history", [])),
    ]
    if words.next_steps:
        parts.append("## Next\n\n" + "\n".join(f"- {step}" for step in words.next_steps))
    if state.get("assumptions"):
        parts.append("## Assumptions\n\n" + "\n".join(f"- {line}" for line in state["assumptions"]))
    parts += [section(made) for made in result["diagnoses"].values()]
    parts += [_settings_table(qubit, entry) for qubit, entry in result["qubits"].items()]
    parts += [group_table(name, entry) for name, entry in result["groups"].items()]
    if state.get("history"):
        parts += filter(None, [stages_by_name(state["history"])])
        parts += [_stages_table(state["history"]), "## Measurements", *_measurements(lab, state["history"])]
    return "\n\n".join(parts) + "\n"


def _title(state: CalibrationState) -> str:
    """The title of a written plan, or the first line of the words."""
    if is_document(state["request"]) and state.get("frames"):
        return state["frames"][0]["title"]
    return (state["request"].strip().splitlines() or ["An empty request"])[0].lstrip("# ")


def _overview(lab: Laboratory, history: list[HistoryEntry]) -> list[str]:
    """One picture of the run, where there is more than one figure."""
    rows = [(row, lab.run.action(row["action"]).result()) for row in history if row["action"]]
    shown = [(row, result) for row, result in rows if result["figures"]]
    if len(shown) < 2:
        return []
    picked = chosen([(row["experiment"], result["qubit"], row["verdict"]) for row, result in shown])
    pictures = [
        (f"{number + 1}. {shown[number][0]['diagnosis']}", lab.run.folder / shown[number][1]["figures"][0]["path"])
        for number in picked
    ]
    saved = lab.run.save_figure("overview", overview(pictures), dpi=100)
    return [f"![overview]({saved.path})"]


def _settings_table(qubit: str, entry: dict[str, Any]) -> str:
    lines = [f"## {qubit}", "", "| setting | before | after |", "|---|---:|---:|"]
    for name, (title, unit, digits) in SHOWN.items():
        before, after = entry["before"][name], entry["after"][name]
        if before != after:
            lines.append(f"| {title}{f' ({unit})' if unit else ''} | {before:.{digits}f} | {after:.{digits}f} |")
    if entry["rb_error_per_gate"] is not None:
        limit = entry["limit_error_per_gate"]
        shown = f", coherence limit {limit:.3g}" if limit else ""
        lines += ["", f"Error per gate: {entry['rb_error_per_gate']:.3g} ± {entry['rb_error_std']:.2g}{shown}."]
    return "\n".join(lines)


def _stages_table(history: list[HistoryEntry]) -> str:
    lines = ["## Stages", "", "| # | procedure | stage | experiment | verdict | diagnosis | next |"]
    lines.append("|--:|---|---|---|---|---|---|")
    for number, row in enumerate(history, 1):
        cells = (row["path"], row["instruction"], row["experiment"], row["verdict"], row["diagnosis"], row["next"])
        lines.append(f"| {number} | " + " | ".join(cell.replace("|", "/").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(lines)


def _measurements(lab: Laboratory, history: list[HistoryEntry]) -> list[str]:
    parts = []
    for number, row in enumerate(history, 1):
        if not row["action"]:
            continue
        result = lab.run.action(row["action"]).result()
        parts.append(f"### {number}. {row['experiment']} on {result['qubit']}: {row['verdict']}")
        parts.append(result["report"]["analysis"])
        parts += [f"![{row['experiment']}]({figure['path']})" for figure in result["figures"]]
    return parts
