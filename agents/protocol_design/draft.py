"""From the words of an experiment to a protocol: one call, the answer as YAML in one text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall, Question, Refusal, without_words
from labwright.tools.specifications import card_pages
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.yaml_files import read_document

Ask = Callable[[AgentCall[Any, Any], BaseModel], Any]
PAGE = "protocols.md"


class Similar(BaseModel):
    """Something that was done or written before and may help. Its numbers are those of another experiment."""

    kind: Literal["experiment", "instrument"]
    title: str
    text: str


class DraftIn(BaseModel):
    """A description, and how a protocol is written."""

    words: str
    page: str = Field(description="Fields and examples.")
    similar: list[Similar] = Field(default=[], description="Earlier experiments and notes on the instrument.")


class DraftOut(BaseModel):
    """Protocol and words."""

    model_config = ConfigDict(extra="forbid")
    protocol: str = Field(description="YAML")
    sources: list[str] = Field(description="groups.0.doses.1.amount = WORDS")
    assumed: list[str]
    left_out: list[str]


@dataclass(frozen=True, slots=True)
class ReadProtocol:
    """A draft: plain data, where each field came from, what was assumed, what is left out."""

    data: dict[str, Any]
    sources: dict[str, str] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def read_protocol(ask: Ask, words: str, similar: Sequence[dict[str, Any]] = ()) -> ReadProtocol | Question | Refusal:
    """A protocol of free words.

    Args:
        ask: one typed call.
        words: the description.
        similar: earlier experiments and notes, as plain data.
    """
    near = [Similar.model_validate(each) for each in similar]
    answer = ask(DRAFT, DraftIn(words=words, page=page(), similar=near))
    if not isinstance(answer, DraftOut):
        return answer  # type: ignore[no-any-return]
    pairs = (each.partition("=") for each in answer.sources)
    sources = {path.strip(): quote.strip().strip("\"'") for path, _, quote in pairs}
    return ReadProtocol(data_of(answer.protocol), sources, tuple(answer.assumed), tuple(answer.left_out))


def page() -> str:
    """How a protocol is written: what people read, too, from the example on."""
    text = (Path(card_pages.FOLDER) / PAGE).read_text(encoding="utf-8")
    return text[text.index("```yaml") :]


def data_of(protocol: str) -> dict[str, Any]:
    """Plain data of a protocol's YAML, with or without a fence around it.

    Raises:
        SpecificationError: it is not YAML.
    """
    bare = protocol.strip().removeprefix("```yaml").removeprefix("```").removesuffix("```")
    return {**read_document(bare).data, "system": "protocol_design"}


def _written(given: DraftIn, answer: DraftOut) -> list[str]:
    """Whether it is YAML at all; what stands in it is checked later."""
    try:
        data_of(answer.protocol)
    except SpecificationError as wrong:
        return [f"The protocol cannot be read: {wrong}"]
    return []


DRAFT = AgentCall(
    "protocol_design.draft", "protocol_design/draft.md", DraftIn, DraftOut, without_words, _written, "reasoning"
)
