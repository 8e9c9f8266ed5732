"""What the front desk's agent sees of a conversation: the message, what was said, the runs, what is open."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

CUT = "..."  # the last line of a specification that is not shown whole


class _Plain(BaseModel):
    model_config = ConfigDict(extra="forbid")


class KnownRun(_Plain):
    """A run that a message may refer to."""

    run_id: str
    system: str
    asked: str
    status: str = Field(description="complete, failed, refused, stopped, interrupted (asks something), running, dead.")
    started: str = Field(description="Such as 2026-03-12 09:10.")
    here: bool = Field(description="Whether it belongs to this conversation.")
    found: list[str] = Field(description="Main results, each with its path.")
    specification: str = Field(description="YAML, of the newest runs; else empty.")


class Said(_Plain):
    """One earlier message of the conversation."""

    by: str = Field(description="person or desk")
    text: str


class Asking(_Plain):
    """A question with which a run waits."""

    run_id: str
    kind: str = Field(description="clarify, approve, choose or edit.")
    title: str
    body: str
    options: list[str] = Field(description="Values that can be chosen, with what they mean.")
    words: str = Field(description="What other words than an option do here, such as a change that the person wants.")


class Frame(_Plain):
    """One message, with all that it may refer to."""

    message: str
    talk: list[Said] = Field(description="The conversation before it, oldest first.")
    runs: list[KnownRun] = Field(description="Oldest first.")
    asking: list[Asking] = Field(description="The questions that wait; the first is the open one.")
    remembered: list[str] = Field(description="Notes of earlier conversations.")
    granted: str = Field(description="What the person granted: approval policy, budget, device.")
    systems: list[str] = Field(description="What can be started, a line each.")
    today: str = Field(description="Such as 2026-03-12.")
