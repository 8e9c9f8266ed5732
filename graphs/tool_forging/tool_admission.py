"""What becomes of a tool that was made: into the toolset, or out with the reasons."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from labwright.graphs.tool_forging.run_context import smithy
from labwright.graphs.tool_forging.state import ForgeState
from labwright.graphs.tool_forging.tool_making import candidate
from labwright.tools.forge.toolset.gate_findings import GateReport

Update = dict[str, Any]


def admit(state: ForgeState) -> Update:
    """Put the tool at work into toolset and workspace. Again after a crash, it changes nothing."""
    room, work = smithy(state), state["work"]
    assert work is not None
    begun, made = perf_counter(), state["made_tools"][str(work["number"])]
    draft, report = candidate(work, made["draft"]), GateReport.from_plain(made["report"])
    if not room.toolset.has(draft.name) or room.toolset.find(draft.name).record.candidate_sha256 != draft.sha256:
        room.toolset.admit(draft, report, made_by=room.mind.name)
    if not work["edit"]:
        room.materialise()
    mutants = {"killed": report.mutants.killed, "total": report.mutants.total}
    event = {"kind": "admitted", "tool": draft.name, "mutants": mutants, "checks": report.seconds}
    room.emit({**event, "seconds": round(perf_counter() - begun, 3)}, once=f"admitted {work['number']}")
    kind = "edited" if work["edit"] else "forged"
    names: list[str] = list(state["edited"] if work["edit"] else state["forged"])
    return {kind: list(dict.fromkeys([*names, draft.name])), "work": None, "phase": "next_tool"}


def refuse(state: ForgeState, findings: list[str]) -> Update:
    """The tool at work does not enter the toolset."""
    work = state["work"]
    assert work is not None
    smithy(state).emit(
        {"kind": "tool_refused", "tool": work["name"], "findings": findings}, once=f"refused {work['number']}"
    )
    one = {"name": work["name"], "edit": work["edit"], "iteration": state["iteration"], "findings": findings}
    return {"refused_tools": [*state["refused_tools"], one], "work": None, "phase": "next_tool"}
