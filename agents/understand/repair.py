"""The repairing agent: patches for a specification that does not fit the facts or the words."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall, without_words


class RepairIn(BaseModel):
    """A specification, and what is wrong with it."""

    words: str
    specification: str = Field(description="YAML.")
    problems: list[str] = Field(description="What code found: field, cause, fix.")
    uncovered: list[str] = Field(description="What a second reader found: differences from the words.")
    example: str = Field(description="One right specification.")


class Patch(BaseModel):
    """One field's new value."""

    model_config = ConfigDict(extra="forbid")
    path: str = Field(description="Such as steps.0.parameters.stop, or steps.2 for a whole step.")
    value: str = Field(description="The new value as YAML on one line; null removes the field.")


class RepairOut(BaseModel):
    """The patches; none where the words are right as they stand."""

    model_config = ConfigDict(extra="forbid")
    reason: str = Field(description="One sentence.")
    patches: list[Patch]


REPAIR = AgentCall("understand.repair", "understand/repair.md", RepairIn, RepairOut, without_words, tier="general")
