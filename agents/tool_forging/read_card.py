"""From the words of a task to a card: one call that picks the kind, one that fills it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from labwright.agents.typed_call import AgentCall, Question, Refusal, without_words
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.card_pages import card_kinds, one_line, page_of
from labwright.tools.specifications.yaml_files import read_document

Ask = Callable[[AgentCall[Any, Any], BaseModel], Any]


class PickIn(BaseModel):
    """A task, and the kinds of cards that there are."""

    words: str
    inputs: list[str] = Field(description="Names of the files that come with it; they lie in inputs/.")
    kinds: list[str] = Field(description="One line each.")


class PickOut(BaseModel, extra="forbid"):
    """The kind of card that says most of the task."""

    reason: str = Field(description="One sentence.")
    kind: str = Field(description="Name of the kind; empty if none says a part of it that is worth a card.")


class FillIn(BaseModel):
    """A task, and how a card of its kind is written."""

    words: str
    inputs: list[str] = Field(description="Names of the files that come with it; they lie in inputs/.")
    kind: str
    page: str = Field(description="Fields, expressions and examples of this kind.")


class Source(BaseModel, extra="forbid"):
    """Where a field of the card comes from."""

    path: str = Field(description="Field, such as parameters.gamma or wanted.p_max.")
    quote: str = Field(description="The words that say it, exactly as they stand.")


class FillOut(BaseModel, extra="forbid"):
    """The card, and what stands between it and the words."""

    card: str = Field(description="The whole card as YAML.")
    sources: list[Source]
    assumed: list[str] = Field(description="What the card settles and the words do not, with its consequence.")
    left_out: list[str] = Field(description="Demands of the words that the card does not compute; quoted exactly.")


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A draft: plain data of a card, where each field came from, what was assumed, what is left out."""

    data: dict[str, Any]
    sources: dict[str, str] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def read_task(ask: Ask, words: str, inputs: Sequence[str]) -> ReadCard | Question | Refusal:
    """A card of free words; a refusal where no kind of card says any of them.

    Args:
        ask: one typed call.
        words: the task.
        inputs: names of its files.
    """
    kinds = [one_line(name) for name in card_kinds()]
    picked = ask(PICK, PickIn(words=words, inputs=list(inputs), kinds=kinds))
    if not isinstance(picked, PickOut):
        return picked  # type: ignore[no-any-return]
    if not picked.kind:
        return Refusal(reason=picked.reason)
    filled = ask(FILL, FillIn(words=words, inputs=list(inputs), kind=picked.kind, page=page_of(picked.kind)))
    if not isinstance(filled, FillOut):
        return filled  # type: ignore[no-any-return]
    sources = {each.path: each.quote for each in filled.sources}
    return ReadCard(_data(filled.card), sources, tuple(filled.assumed), tuple(filled.left_out))


def _data(card: str) -> dict[str, Any]:
    return {name: each for name, each in read_document(card).data.items() if name not in ("question", "inputs")}


def _known(given: PickIn, answer: PickOut) -> list[str]:
    known = ["", *card_kinds()]
    return [] if answer.kind in known else [f"There is no kind {answer.kind!r}. Kinds are: {', '.join(known[1:])}."]


def _written(given: FillIn, answer: FillOut) -> list[str]:
    """Whether it is YAML of that kind at all; what stands in it is checked later."""
    try:
        kind = _data(answer.card).get("task")
    except SpecificationError as wrong:
        return [f"The card cannot be read: {wrong}"]
    return [] if kind == given.kind else [f"`task` must be {given.kind}, but is {kind!r}."]


PICK = AgentCall("tool_forging.pick_card", "tool_forging/pick_card.md", PickIn, PickOut, without_words, _known)
FILL = AgentCall("tool_forging.fill_card", "tool_forging/fill_card.md", FillIn, FillOut, without_words, _written)
