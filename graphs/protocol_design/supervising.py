"""The supervisor: looks where the run is and sends it to an agent, a tool or the person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labwright.agents.protocol_design.grammar.read import LEAVE_OUT, UNREAD, lost_id
from labwright.agents.protocol_design.reading import Reading, design_of
from labwright.graphs.protocol_design import asking, handing_in, signing
from labwright.graphs.protocol_design.bench import Planned, way_lines
from labwright.graphs.protocol_design.files import save_proposal
from labwright.graphs.protocol_design.state import MAX_QUESTIONS, DesignState
from labwright.graphs.protocol_design.workroom import workroom
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.design import ExperimentDesign

Update = dict[str, Any]


def supervise(state: DesignState) -> Update:
    """Settle everything that needs no agent, until the next node's turn; `phase` names it."""
    if state.get("question"):
        return {"phase": "ask"}
    settle = _SETTLE.get(state["phase"])
    return settle(state) if settle else {}


def _read(state: DesignState) -> Update:
    """After a reading: ask what it leaves open, or make the design."""
    assert state["reading"] is not None
    reading = Reading.model_validate(state["reading"])
    if len(state["answers"]) > MAX_QUESTIONS:
        return _refused(f"{MAX_QUESTIONS} questions did not settle the description. Write it anew, shorter.")
    settled = {item["id"] for item in state["settled"]}
    lost = {lost_id(words): f'{UNREAD.capitalize()}"{words}"' for words in reading.not_understood}
    still_open = lost | {doubt.id: doubt.text for doubt in reading.doubts}
    if repeated := [about for about in still_open if about in settled]:
        given = next(item["answer"] for item in reversed(state["settled"]) if item["id"] == repeated[0])
        return _refused(f"{still_open[repeated[0]]} The answer {given!r} does not settle it.")
    if lost:
        about, title = next(iter(lost.items()))
        return asking.clarify(about, title, [LEAVE_OUT], None, "")
    if reading.doubts:
        doubt = reading.doubts[0]
        return asking.clarify(doubt.id, doubt.text, doubt.options, doubt.default, doubt.consequence)
    try:
        design = design_of(reading, state["request"])
    except InputError as refused:
        return _refused(str(refused))
    return {"design": design.model_dump(mode="json"), "phase": "calculate"}


def _checked(state: DesignState) -> Update:
    """After the self-check: an error stops the run, a warning goes to the person."""
    if state["check_status"] != "clean":
        found = state["findings"]
        return _refused(" ".join(f"{one['message']} {one['mend']}".strip() for one in found))
    mended = {name: state["artifact"][name] for name in ("reading", "design")}
    planned = Planned.of(ExperimentDesign.model_validate(mended["design"]), state["tags"])
    return {**mended, "facts": planned.facts(), "warnings": planned.warnings(), "phase": "tag"}


def _tagged(state: DesignState) -> Update:
    """Approval of the file, where the policy wants it; a changed option is checked again first."""
    planned = Planned.of(ExperimentDesign.model_validate(state["design"]), state["tags"])
    if errors := planned.errors():
        return _refused(" ".join(f"{one.message} {one.mend}".strip() for one in errors))
    if (question := signing.needed(state, planned)) is not None:
        return question
    if state["choices"]["approval"] == "auto" or state["approved"]:
        return {"phase": "write"}
    save_proposal(workroom(state).run, planned)
    return asking.approve(state, _approval_text(state, planned), state["tags"])


def _approval_text(state: DesignState, planned: Planned) -> str:
    facts = state["facts"]
    parts = [f"{facts['vials']} vials, {facts['plates']} plates, {facts['steps']} steps, {facts['minutes']:.0f} min."]
    parts += ["\n".join(f"- {line}" for line in way_lines(planned))]
    if state["warnings"]:
        parts.append("Warnings:\n\n" + "\n".join(f"- {line}" for line in state["warnings"]))
    if state["assumptions"]:
        parts.append("Assumptions:\n\n" + "\n".join(f"- {line}" for line in state["assumptions"]))
    return "\n\n".join(parts)


def _refused(cause: str) -> Update:
    return {"phase": "report", "status": "refused", "cause": cause}


_SETTLE: dict[str, Callable[[DesignState], Update]] = {
    "read": _read,
    "check": _checked,
    "tagged": _tagged,
    "drafted": handing_in.drafted,
    "check_steps": handing_in.checked,
    "hand_in": handing_in.hand_in,
}
