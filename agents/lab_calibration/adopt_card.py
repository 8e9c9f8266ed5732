"""The agent that fills in the card of a foreign measurement from its source, which is read and not run."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.typed_call import AgentCall, without_words
from labwright.tools.adoption.card import AdoptionCard, read_card
from labwright.tools.specifications.base import SpecificationError
from labwright.tools.specifications.yaml_files import read_document


def form() -> str:
    """The schema of a card, as JSON."""
    return json.dumps(AdoptionCard.model_json_schema(by_alias=True), ensure_ascii=False)


class AdoptIn(BaseModel):
    """A foreign module, and the card that its syntax gave."""

    source: str
    notes: str = Field(default="", description="What its owners say of it.")
    draft: str = Field(description="YAML; `?` stands where it is still open.")
    form: str = Field(default_factory=form, description="What each field of a card means.")


class AdoptOut(BaseModel):
    """The filled card."""

    model_config = ConfigDict(extra="forbid")
    reason: str = Field(description="One sentence: what the code measures, and from what that is seen.")
    card: str = Field(description="The whole card, as YAML.")


def check(given: AdoptIn, answer: AdoptOut) -> list[str]:
    """Facts: it is a card of this very object, with nothing left open."""
    try:
        card, draft = read_card(answer.card), yaml_of(given.draft)
    except SpecificationError as error:
        return [str(error)]
    found = [f"`{path}` is still open." for path in card.open()]
    for name in ("file", "sha256", "object"):
        if getattr(card, name) != draft[name]:
            found.append(f"`{name}` must stay {draft[name]!r}.")
    if set(card.given) != set(draft["given"]):
        found.append(f"`given` must name every parameter of the code, and no other: {', '.join(draft['given'])}.")
    return found


def yaml_of(text: str) -> dict[str, Any]:
    """A YAML text as plain values."""
    return read_document(text).data


ADOPT = AgentCall("lab_calibration.adopt", "lab_calibration/adopt.md", AdoptIn, AdoptOut, without_words, check)
