"""The typed call: language in, a checked object out, whichever mind answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.errors import CallDefinitionError
from labwright.agents.reply_schema import reply_schema

Tier = Literal["reasoning", "general", "light", "vision"]


class Question(BaseModel):
    """What an agent must know before it can answer."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field(description="One question to the person, in one or two sentences.")
    options: list[str] = Field(default_factory=list, description="Possible answers, if they can be listed.")


class Refusal(BaseModel):
    """Why an agent will not answer."""

    model_config = ConfigDict(extra="forbid")
    reason: str = Field(description="Why this cannot be done, in one or two sentences.")


def without_words(given: BaseModel) -> Refusal:
    """The policy of a role that only reads words: without a model there is none."""
    return Refusal(reason="Free words need a model. Choose one with --model, such as openai:gpt-4.1-mini.")


In = TypeVar("In", bound=BaseModel)
Out = TypeVar("Out", bound=BaseModel)


@dataclass(frozen=True)
class AgentCall(Generic[In, Out]):
    """One role: one prompt, one typed call.

    Attributes:
        name: dotted, such as ``lab_calibration.decide``.
        prompt: file below ``prompts/``, rendered with the fields of the input.
        input: pydantic type of the input.
        output: pydantic type of the answer; expressible as a strict schema (see `labwright.agents.reply_schema`).
        policy: the rules mind's pure function.
        check: what is wrong with an answer to this input, in sentences; applied to both minds. Empty if nothing.
        tier: which model answers.

    Raises:
        CallDefinitionError: the name or the output type cannot be sent to a model.
    """

    name: str
    prompt: str
    input: type[In]
    output: type[Out]
    policy: Callable[[In], Out | Question | Refusal]
    check: Callable[[In, Out], list[str]] = lambda _input, _answer: []
    tier: Tier = "general"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_.]{1,64}", self.name):
            raise CallDefinitionError(
                f"Call name {self.name!r} must be at most 64 letters, digits, underscores and dots."
            )
        self.reply_schema()

    def reply_schema(self) -> dict[str, Any]:
        """Strict JSON schema of ``{answer, question, refusal}``."""
        return reply_schema(self.output, Question, Refusal)

    @property
    def wire_name(self) -> str:
        """The name as a schema or function may be called: dots become hyphens."""
        return self.name.replace(".", "-")


@dataclass
class Runtime:
    """What a call gets besides its input: figures to look at, and who listens.

    Attributes:
        images: figures for the vision tier, in the order in which the prompt speaks of them.
        on_event: gets one plain dict for every answered call.
        tags: put into traces, such as the run's id.
        sample: number of this draw; equal inputs with different numbers are not answered from one cache entry.
    """

    images: Sequence[Path] = ()
    on_event: Callable[[dict[str, object]], None] | None = None
    tags: dict[str, str] = field(default_factory=dict)
    sample: int = 0


class Mind(Protocol):
    """Something that answers typed calls: an expert policy or a chat model."""

    @property
    def name(self) -> str: ...

    @property
    def sees_images(self) -> bool:
        """Whether ``Runtime.images`` are looked at; if not, callers fall back to numbers and say so."""
        ...

    @property
    def reads_words(self) -> bool:
        """Whether free words are understood; if not, graphs take specifications and the short form only."""
        ...

    def answer(self, call: AgentCall[In, Out], input: In, runtime: Runtime | None = None) -> Out | Question | Refusal:
        """Answer, ask or refuse.

        Raises:
            AgentGaveUp: no valid answer within the repair budget.
            BudgetExceeded: the run's budget is spent.
            ModelUnavailable: the model does not answer at all.
        """
        ...
