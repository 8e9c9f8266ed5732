"""From the task to stages, tools to reuse and contracts for those that are missing."""

from __future__ import annotations

from typing import Any

from labwright.agents.tool_forging.analyse import ANALYSE, AnalyseIn, Analysis
from labwright.agents.typed_call import Question, Refusal
from labwright.graphs.tool_forging import asking
from labwright.graphs.tool_forging.run_context import smithy
from labwright.graphs.tool_forging.state import ForgeState
from labwright.graphs.tool_forging.supervisor_routing import ended

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
    return {"analysis": answer.model_dump(mode="json"), "assumptions": fresh, "rejected": [], "phase": "analysed"}
