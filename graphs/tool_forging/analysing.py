"""From the task to stages, tools to reuse and contracts for those that are missing; and whether these are general."""

from __future__ import annotations

from typing import Any

from labwright.agents.call import Question, Refusal
from labwright.agents.tool_forging.analyse import ANALYSE, AnalyseIn, Analysis
from labwright.agents.tool_forging.validate_tool import VALIDATE, ValidateIn, Validation
from labwright.graphs.tool_forging import asking
from labwright.graphs.tool_forging.smithy import smithy
from labwright.graphs.tool_forging.state import MAX_REJECTIONS, ForgeState
from labwright.graphs.tool_forging.supervising import ended

Update = dict[str, Any]


def analyse(state: ForgeState) -> Update:
    """Plan the task, or the next iteration of it."""
    room, now = smithy(state), state["iteration"]
    room.emit({"kind": "analysing", "iteration": now})
    direct = state["choices"]["mode"] == "direct"
    given = AnalyseIn(
        task=room.workspace.question,
        mode=state["choices"]["mode"],
        index="" if direct else room.toolset.listing(),
        inputs=sorted(room.workspace.inputs()),
        plan=state["plan"],
        rejected=state.get("rejected", []),
        last=Analysis.model_validate(state["analysis"]) if state["analysis"] else None,
    )
    answer = room.work(ANALYSE, given)
    if isinstance(answer, Question):
        return asking.clarify(state, answer.text, answer.options, "analyse")
    if isinstance(answer, Refusal):
        return ended("refused", answer.reason)
    names = [one.name for one in answer.new]
    room.emit({"kind": "analysed", "iteration": now, "reuse": answer.reuse, "new": names}, once=f"analysed {now}")
    fresh = [text for text in answer.assumptions if text not in state["assumptions"]]
    phase = "validate" if answer.new and state["choices"]["mode"] == "forge" else "analysed"
    return {"analysis": answer.model_dump(mode="json"), "assumptions": fresh, "rejected": [], "phase": phase}


def validate(state: ForgeState) -> Update:
    """A tool that only this task could use is not made; the analyser hears why and plans anew."""
    room, rejected = smithy(state), state["rejections"]
    analysis = Analysis.model_validate(state["analysis"])
    answer = room.ask(VALIDATE, ValidateIn(task=room.workspace.question, contracts=analysis.new))
    if not isinstance(answer, Validation):  # who gives no verdict rejects nothing: the gate comes all the same
        return {"phase": "analysed"}
    special = [f"{one.name} is no tool: {one.reason}" for one in answer.verdicts if not one.general]
    if not special:
        return {"phase": "analysed"}
    room.emit({"kind": "not_general", "reasons": special})
    if rejected >= MAX_REJECTIONS:
        return ended("failed", f"No general tools were planned. {' '.join(special)}")
    return {"rejected": special, "rejections": rejected + 1, "phase": "analyse"}
