"""The agent that says what is asked, and what has to be assumed."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.protocol_design.similar import Similar
from labwright.agents.protocol_design.written.planned import Plan, Said, planned


class UnderstandIn(BaseModel):
    """A description, what was said so far, and what was done before in like cases."""

    text: str
    said: list[Said]
    similar: list[Similar]


class Notes(BaseModel):
    """What an agent worked out, for the agents after it."""

    model_config = ConfigDict(extra="forbid")
    notes: str = Field(description="Complete and short; numbers with units; lists rather than prose.", min_length=1)


def understand_by_rules(given: UnderstandIn) -> Notes | Question | Refusal:
    """What the planner makes of it."""
    plan = planned(given.text, given.said)
    if not isinstance(plan, Plan):
        return plan
    sources = ", ".join(source.name for source in plan.made.protocol.sources)
    found = f"{len(plan.made.amounts.vials)} vials are made from {sources}."
    return Notes(notes=" ".join([found, *plan.assumptions]))


UNDERSTAND = AgentCall(
    "protocol_design.written_understand",
    "protocol_design/written_understand.md",
    UnderstandIn,
    Notes,
    understand_by_rules,
)
