"""The control for the reading of words: one prompt that holds every card and answers with a whole plan."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, without_words
from labwright.tools.specifications.cards import compact
from labwright.tools.specifications.catalogue import Catalogue
from labwright.tools.specifications.examples import example
from labwright.tools.specifications.reading import read_document


class ControlIn(BaseModel):
    """Words and everything there is."""

    words: str
    cards: list[str]
    qubits: list[str]
    couplers: list[str]
    chosen: list[str]
    example: str

    @classmethod
    def of(cls, words: str, catalogue: Catalogue, qubits: list[str], pairs: list[str], chosen: list[str]) -> ControlIn:
        """With the compact cards of the whole catalogue."""
        cards = [compact(card) for card in catalogue.cards.values()]
        return cls(
            words=words, cards=cards, qubits=qubits, couplers=pairs, chosen=chosen, example=example("calibration")
        )


class ControlOut(BaseModel):
    """The plan as YAML."""

    model_config = ConfigDict(extra="forbid")
    plan: str = Field(description="A whole plan in YAML, of the form of the example.")
    kind: Literal["plan"]


def plan_of(answer: ControlOut) -> dict[str, Any]:
    """The plan's plain data.

    Raises:
        SpecificationError: it is not YAML.
    """
    return read_document(answer.plan.strip().removeprefix("```yaml").removesuffix("```")).data


CONTROL = AgentCall(
    "evaluation.one_prompt", "evaluation/one_prompt.md", ControlIn, ControlOut, without_words, tier="general"
)
