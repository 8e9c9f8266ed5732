"""The typed call: language in, a checked object out, whichever mind answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field

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


In = TypeVar("In", bound=BaseModel)
Out = TypeVar("Out", bound=BaseModel)


@dataclass(frozen=True)
class AgentCall(Generic[In, Out]):
    """One role: one prompt, one typed call.

    Attributes:
        name: dotted, such as ``lab_calibration.decide``.
        prompt: file below ``prompts/``, rendered with the fields of the input.
        input: pydantic type of the input.
        output: pydantic type of the answer.
        policy: the rules mind's pure function.
        check: what is wrong with an answer to this input, in sentences; applied to both minds. Empty if nothing.
        tier: which model answers.
    """

    name: str
    prompt: str
    input: type[In]
    output: type[Out]
    policy: Callable[[In], Out | Question | Refusal]
    check: Callable[[In, Out], list[str]] = lambda _input, _answer: []
    tier: Tier = "general"


@dataclass
class Runtime:
    """What a call gets besides its input: figures to look at, and who listens."""

    images: Sequence[Path] = ()
    on_event: Callable[[dict[str, object]], None] | None = None
    tags: dict[str, str] = field(default_factory=dict)


class Mind(Protocol):
    """Something that answers typed calls: an expert policy or a chat model."""

    @property
    def name(self) -> str: ...

    def answer(self, call: AgentCall[In, Out], input: In, runtime: Runtime | None = None) -> Out | Question | Refusal:
        """Answer, ask or refuse.

        Raises:
            AgentGaveUp: no valid answer within the repair budget.
            BudgetExceeded: the run's budget is spent.
        """
        ...
