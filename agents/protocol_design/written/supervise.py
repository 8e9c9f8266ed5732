"""The supervisor: which agent works next, or what the person is asked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.protocol_design.written.planned import Said

Worker = Literal["understand", "calculate", "arrange", "process", "finish"]
ORDER: tuple[Worker, ...] = ("understand", "calculate", "arrange", "process", "finish")


class SuperviseIn(BaseModel):
    """A description, and what was said and worked out so far."""

    text: str
    said: list[Said]


class SuperviseOut(BaseModel):
    """Whose turn it is."""

    model_config = ConfigDict(extra="forbid")
    reason: str = Field(description="Why, in a few words.")
    next: Worker = Field(description="The agent that works next; `finish` writes the steps and ends.")


def supervise_by_rules(given: SuperviseIn) -> SuperviseOut:
    """Each agent once, in their order."""
    spoken = {one.by for one in given.said}
    return SuperviseOut(reason="next in order", next=next((one for one in ORDER if one not in spoken), "finish"))


SUPERVISE = AgentCall(
    "protocol_design.written_supervise",
    "protocol_design/written_supervise.md",
    SuperviseIn,
    SuperviseOut,
    supervise_by_rules,
)
