"""The last node: report, figures and result, whatever the end. Words by the agents, everything else by code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from labwright.graphs.result_document import end_without_driver
from labwright.graphs.tool_forging.run_context import BESIDE, Smithy, smithy
from labwright.graphs.tool_forging.state import ForgeState
from labwright.tools.errors import InputError
from labwright.tools.forge.tasks.results import Results, merged, read_results

Update = dict[str, Any]
CALLS = "logs/calls.jsonl"


def report(state: ForgeState) -> Update:
    """Write the end of the run; may run again after a crash with the same outcome."""
    room = smithy(state)
    used = used_tools(room.workspace.folder)
    analysis = state["analysis"] or {}
    evaluation = state["evaluation"] or {}
    criteria = [
        {"passed": one["passed"], "message": one["statement"], "flag": one["flag"]}
        for one in [*state.get("computed", []), *evaluation.get("evidence", [])]
    ]
    result = {
        "score": sum(one["passed"] for one in criteria) / len(criteria) if criteria else 0.0,
        "criteria": criteria,
        "tools_forged": state["forged"],
        "tools_reused": [name for name in analysis.get("reuse", []) if name not in state["forged"]],
        "tools_edited": state["edited"],
        "tools_refused": state["refused_tools"],
        "tools_used": used,
        "tools_unused": sorted(set(state["forged"]) - set(used)),
        "sandbox_level": room.sandbox.level,
        "iterations": state["iteration"],
        "evaluations": state["evaluations"],
        "drafts": sum(one["drafts"] for one in state["made_tools"].values()),
        "seconds": state["seconds"],
        "assumptions": state["assumptions"],
        "mode": state["choices"]["mode"],
        "toolset": state.get("toolset", ""),
    }
    if state["status"] == "complete":
        _note_uses(room, used)
    _keep_figures(room)
    room.run.save_json("outcome.json", {"status": state["status"], "cause": state["cause"], "result": result})
    room.run.save_text("report.md", markdown(state, room), kind="report")
    end_without_driver(room, state["status"], state["cause"])
    return {"phase": "report"}


def used_tools(workspace: Path) -> list[str]:
    """Names of the tools that the scripts called, by the recorder's log."""
    path = workspace / CALLS
    if not path.is_file() or path.is_symlink():
        return []
    found = set()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            found.add(str(json.loads(line)["tool"]))
        except (ValueError, KeyError, TypeError):
            continue  # what runs in the sandbox may write anything there
    return sorted(found)


def _note_uses(room: Smithy, used: list[str]) -> None:
    for name in used:
        try:
            if not any(one["run"] == room.run.run_id for one in room.toolset.uses(name)):
                room.toolset.record_use(name, room.run.run_id)
        except InputError:  # a name that the log made up
            room.warn(f"The log of calls names {name!r}, which is no tool.")


def _keep_figures(room: Smithy) -> None:
    """Copy the workspace's figures to where every run has them; the results too."""
    source = room.workspace.folder
    for path in sorted((source / "img").glob("*.png")):
        if path.is_file() and not path.is_symlink():
            room.run.save_bytes(f"figures/{path.name}", path.read_bytes(), "figure")
    results = source / "results.json"
    if results.is_file() and not results.is_symlink():
        room.run.save_bytes("results.json", results.read_bytes(), "json")
    if (source / f"{BESIDE}_results.json").is_file():
        room.run.save_json("results.json", _with_the_cards(room, results).model_dump(mode="json"))


def _with_the_cards(room: Smithy, own: Path) -> Results:
    """The card's records, and those of what was forged beside it, which win where both have one."""
    card = read_results(room.workspace.folder / f"{BESIDE}_results.json")
    try:
        forged = read_results(own)
    except InputError as lost:  # what failed may leave none
        room.warn(f"Only the card's results are kept: {lost}")
        return card
    old = [one for one in card.records if not any(one.labels == new.labels for new in forged.find(one.quantity))]
    return merged([Results(parameters=card.parameters, records=old), forged])


def markdown(state: ForgeState, room: Smithy) -> str:
    """The whole report: how the run ended, then the solution's own report with its figures."""
    head = f"Run `{room.run.run_id}` · {state['status'].upper()} · mind `{room.mind.name}`"
    told = [head, state["cause"]] if state["cause"] else [head]
    path = room.workspace.folder / "report.md"
    card = room.workspace.folder / f"{BESIDE}_report.md"
    if not path.is_file() or path.is_symlink():
        task = "\n".join(f"> {line}" for line in state["request"].strip().splitlines())
        return "\n\n".join(["# Report", *told, task, *(f"- assumed: {line}" for line in state["assumptions"])]) + "\n"
    own = path.read_text(encoding="utf-8", errors="replace").replace("](img/", "](figures/").strip()
    title, _, rest = own.partition("\n") if own.startswith("# ") else ("# Report", "", own)
    beside = [card.read_text(encoding="utf-8").replace("](img/", "](figures/").strip()] if card.is_file() else []
    return "\n\n".join([title, *told, rest.strip(), *beside]) + "\n"
