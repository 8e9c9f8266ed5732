"""The control for the reading of experiments: one prompt with the same page, answered once, nothing repaired."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, without_words


class ControlIn(BaseModel):
    """A description, and how a protocol is written."""

    words: str
    page: str


class ControlOut(BaseModel):
    """The protocol."""

    model_config = ConfigDict(extra="forbid")
    protocol: str = Field(description="The whole protocol as YAML.")


CONTROL = AgentCall(
    "evaluation.one_protocol", "evaluation/one_protocol.md", ControlIn, ControlOut, without_words, tier="reasoning"
)
