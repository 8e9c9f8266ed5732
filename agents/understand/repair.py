"""The repairing agent: patches for a specification that does not fit the facts, the words, or a correction."""

from __future__ import annotations

from typing import Literal

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


class CorrectIn(RepairIn):
    """A specification that the person has seen, with what they want of it now."""

    settled: list[str] = Field(description="What was assumed or left out so far, each with its number.")


class CorrectOut(RepairOut):
    """The patches of a correction, and what else it says."""

    overruled: list[int] = Field(
        default_factory=list, description="Numbers of the lines under `settled` that hold no longer."
    )
    then: Literal["ask", "start"] = Field(
        default="ask", description="start: the correction itself also says to run what comes of it; ask: it does not."
    )


def check_corrected(given: CorrectIn, answer: CorrectOut) -> list[str]:
    """Numbers of lines that do not exist."""
    most = len(given.settled)
    return [f"`settled` has no line {one}; it has {most}." for one in answer.overruled if not 0 < one <= most]


REPAIR = AgentCall("understand.repair", "understand/repair.md", RepairIn, RepairOut, without_words, tier="general")
CORRECT = AgentCall(
    "understand.correct", "understand/correct.md", CorrectIn, CorrectOut, without_words, check_corrected, "general"
)
