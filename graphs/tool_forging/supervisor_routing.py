"""The supervisor: looks where the run is and sends it to an agent, a tool node or the person."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from labwright.graphs.tool_forging import asking
from labwright.graphs.tool_forging.request_reading import onward
from labwright.graphs.tool_forging.run_context import smithy
from labwright.graphs.tool_forging.state import MAX_QUESTIONS, MAX_REJECTIONS, ForgeState, Work
from labwright.graphs.tool_forging.tool_admission import refuse

Update = dict[str, Any]
_SHOWN = 4  # findings in a cause


def supervise(state: ForgeState) -> Update:
    """Settle everything that needs no agent, until the next node's turn; `phase` names it."""
    if state.get("question"):
        return {"phase": "ask"}
    settle = _SETTLE.get(state["phase"])
    return settle(state) if settle else {}


def ended(status: str, cause: str = "") -> Update:
    """The run's end, and why."""
    return {"phase": "report", "status": status, "cause": cause, "work": None, "queue": []}


def _analysed(state: ForgeState) -> Update:
    """After the analysis: which tools have to be made."""
    if len(state["answers"]) > MAX_QUESTIONS:
        return ended("refused", f"{MAX_QUESTIONS} questions did not settle the task. Write it anew.")
    analysis, mode = state["analysis"], state["choices"]["mode"]
    assert analysis is not None
    wanted = [] if mode == "direct" else analysis["new"]
    if wanted and mode == "reuse":
        names = ", ".join(one["name"] for one in wanted)
        return ended("refused", f"The toolset has no tool for: {names}. Nothing is generated here; use the mode forge.")
    return _queued(state, [(one["name"], one) for one in wanted], edit=False, after="execute")


def _queued(state: ForgeState, tools: Iterable[tuple[str, Update]], *, edit: bool, after: str) -> Update:
    """(Name, contract) of each tool as the queue of tools to make, or nothing to make."""
    made = state["made"]
    queue = [Work(number=made + n, name=name, contract=one, edit=edit) for n, (name, one) in enumerate(tools, start=1)]
    phase = "make_tools" if queue else "next_tool"
    return {"queue": queue, "made": made + len(queue), "after": after, "phase": phase}


def _next_tool(state: ForgeState) -> Update:
    """Each tool of the queue that was made goes into the toolset or stays out; then on with the solution."""
    room = smithy(state)
    room.meter.check()  # tokens, money and time; a spent budget stops the run here, whole and resumable
    if state["queue"]:
        work, *queue = state["queue"]
        made, begun = state["made_tools"][str(work["number"])], {"queue": queue, "work": work}
        if made["report"] is None:
            return {**begun, **refuse({**state, **begun}, made["findings"])}  # type: ignore[typeddict-item]
        if state["choices"]["approval"] == "always" and not work["edit"]:
            body = f"{work['contract']['purpose']}\n\n```python\n{made['draft']['source']}\n```"
            return {**begun, **asking.admission(work["name"], work["number"], body)}
        return {**begun, "phase": "admit"}
    if state["after"] == "evaluate":
        return {"work": None, "phase": "evaluate"}
    new = {one["name"] for one in (state["analysis"] or {}).get("new", [])}
    missing = [one for one in state["refused_tools"] if one["name"] in new - set(state["forged"])]
    if not missing:
        return {"work": None, "phase": "execute"}
    said = [f"{one['name']} is not there: {' '.join(one['findings'][:_SHOWN])}" for one in missing]
    if not room.mind.reads_words or state["rejections"] >= MAX_REJECTIONS:
        return ended("failed", f"No draft was fit for the toolset. {' '.join(said)}")
    return {"work": None, "rejected": said, "rejections": state["rejections"] + 1, "phase": "analyse"}


def _executed(state: ForgeState) -> Update:
    """After a solution: tools that were changed on the way go through the gate first."""
    return _queued(state, smithy(state).edited_tools().items(), edit=True, after="evaluate")


def _evaluated(state: ForgeState) -> Update:
    """After the evaluation: the end, or another iteration with its plan."""
    evaluation, now = state["evaluation"], state["iteration"]
    assert evaluation is not None
    if state["carded"] and (evaluation["next_step_needed"] or state["demands"]):
        return onward(state, evaluation["next_step_plan"])
    spoilt = [one for one in state["refused_tools"] if one["edit"] and one["iteration"] == now]
    if not evaluation["next_step_needed"] and not spoilt:
        return ended("complete")
    plan = evaluation["next_step_plan"]
    for one in spoilt:
        why = " ".join(one["findings"][:_SHOWN])
        plan += (
            f"\nThe change of tool {one['name']} was taken back, because the gate refused it: {why}"
            " The tool is as it was before: run the scripts again with it, and mend what relied on the change."
        )
    if now >= state["choices"]["iterations"] + bool(state["computed"]):
        return ended("failed", f"Not solved in {now} iterations. Still open: {plan.strip()}")
    if state["unchanged"] or (state["choices"]["mind"] == "rules" and not spoilt):  # a card computes the same again
        return ended("failed", f"Iteration {now} left this open, and another would change nothing: {plan.strip()}")
    smithy(state).emit({"kind": "iteration", "number": now + 1, "plan": plan.strip()}, once=f"iteration {now + 1}")
    return {"iteration": now + 1, "plan": plan.strip(), "phase": "analyse"}


_SETTLE: dict[str, Callable[[ForgeState], Update]] = {
    "analysed": _analysed,
    "make_tools": lambda _state: {"phase": "next_tool"},
    "next_tool": _next_tool,
    "executed": _executed,
    "evaluated": _evaluated,
}
