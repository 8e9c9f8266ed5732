"""The agent that says what is done with the filled vials, and in which order."""

from __future__ import annotations

from pydantic import BaseModel

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.protocol_design.written.planned import Plan, Said, planned
from labwright.agents.protocol_design.written.understand import Notes


class ProcessIn(BaseModel):
    """A description, and what was said and worked out so far."""

    text: str
    said: list[Said]


def process_by_rules(given: ProcessIn) -> Notes | Question | Refusal:
    """The planner's steps after the additions."""
    plan = planned(given.text, given.said)
    if not isinstance(plan, Plan):
        return plan
    steps = [one for one in plan.made.protocol.steps if one.action != "Add"]
    named = [f"{one.subject} {max(one.amounts.values()):g} {one.unit}".strip() for one in steps]
    return Notes(notes="; then ".join(named) or "Nothing is done after the additions.")


PROCESS = AgentCall(
    "protocol_design.written_process", "protocol_design/written_process.md", ProcessIn, Notes, process_by_rules
)
