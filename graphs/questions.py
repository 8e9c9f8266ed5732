"""The one interrupt form: every question to a person, in every system and every face."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Kind = Literal["clarify", "approve", "choose", "edit"]
Approval = Literal["auto", "risky", "always"]
AnswerPolicy = Literal["ask", "defaults"]


class Option(BaseModel):
    """One thing a person can decide."""

    model_config = ConfigDict(extra="forbid")
    value: str = Field(description="What comes back as the answer's decision.")
    label: str = Field(description="What the person reads.")


class Question(BaseModel):
    """What a run wants to know. JSON-plain through `model_dump`."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(description="Unique within the run and the same after a restart.")
    kind: Kind
    title: str
    body_markdown: str = ""
    figures: list[str] = Field(default_factory=list, description="Paths relative to the run folder.")
    options: list[Option] = Field(default_factory=list, description="Empty for a free answer.")
    default: str | None = Field(
        default=None, description="Decision taken under `answers=defaults`; None: must be asked."
    )
    consequence: str = Field(default="", description="What taking the default means; recorded as an assumption.")
    form_schema: dict[str, Any] | None = Field(default=None, description="JSON schema of `Answer.value`, for edits.")


class Answer(BaseModel):
    """What the person said."""

    model_config = ConfigDict(extra="forbid")
    id: str = Field(description="The question's id.")
    decision: str = Field(description="One of the options' values, or the free text of a clarification.")
    value: dict[str, Any] = Field(default_factory=dict, description="Filled form, for edits.")
    note: str = Field(default="", description="Why; goes into the record.")


def problems(question: Question, answer: Answer) -> list[str]:
    """What is wrong with `answer` as an answer to `question`, in sentences; empty if nothing."""
    found = []
    if answer.id != question.id:
        found.append(f"The answer is for question {answer.id!r}, but {question.id!r} is open.")
    allowed = [option.value for option in question.options]
    if allowed and question.kind != "clarify" and answer.decision not in allowed:
        found.append(f"Decision {answer.decision!r} is not offered. Choose one of: {', '.join(allowed)}.")
    if not answer.decision.strip():
        found.append("The answer is empty.")
    return found
