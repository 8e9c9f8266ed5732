"""What the `rules` mind writes as steps: the planner's own, so that this way runs whole without a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, Field

from labwright.agents.call import Question, Refusal
from labwright.agents.protocol_design.reading import Doubt, Reading, Settled, design_of
from labwright.agents.protocol_design.understand import UnderstandIn, understand_by_rules
from labwright.tools.errors import InputError
from labwright.tools.liquid_handler.amounts import Refusal as NotFeasible
from labwright.tools.liquid_handler.protocol import Made, make_protocol

MOST_DOUBTS = 20
PERSON = "person"


class Said(BaseModel):
    """One turn of the talk: who said what."""

    by: str = Field(description="`person`, `tools`, or the name of an agent.")
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A protocol that was planned, and what had to be assumed."""

    made: Made
    assumptions: tuple[str, ...]


def planned(text: str, said: list[Said]) -> Plan | Question | Refusal:
    """The planner's protocol of `text`; its first doubt is asked unless a person has answered already."""
    found = _planned(text)
    if isinstance(found, Plan) and found.assumptions and all(one.by != PERSON for one in said):
        return Question(text=found.assumptions[0].partition(" Taken: ")[0])
    return found


@lru_cache(maxsize=8)
def _planned(text: str) -> Plan | Refusal:
    """Every doubt settled by its default."""
    settled: list[Settled] = []
    for _ in range(MOST_DOUBTS):
        reading = understand_by_rules(UnderstandIn(text=text, settled=settled))
        if isinstance(reading, Refusal):
            return reading
        if reading.not_understood:
            return Refusal(reason=f'Not understood: "{reading.not_understood[0]}".')
        if not reading.doubts:
            return _made(reading, text, settled)
        doubt = reading.doubts[0]
        if doubt.default is None:
            return Refusal(reason=doubt.text)
        settled.append(_settled(doubt, doubt.default))
    return Refusal(reason=f"{MOST_DOUBTS} doubts did not settle the description.")


def _settled(doubt: Doubt, answer: str) -> Settled:
    return Settled(id=doubt.id, text=doubt.text, answer=answer, by="default")


def _made(reading: Reading, text: str, settled: list[Settled]) -> Plan | Refusal:
    try:
        made = make_protocol(design_of(reading, text))
    except InputError as refused:
        return Refusal(reason=str(refused))
    if isinstance(made, NotFeasible):
        return Refusal(reason=made.message)
    return Plan(made, tuple(f"{one.text} Taken: {one.answer}." for one in settled))
