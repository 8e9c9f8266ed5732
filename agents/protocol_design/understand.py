"""The agents of the dialogue: one reads the description, one takes an answer into the reading."""

from __future__ import annotations

from pydantic import BaseModel, Field

from labwright.agents.call import AgentCall, Refusal
from labwright.agents.protocol_design.answers import counted
from labwright.agents.protocol_design.evidence import faults, loose_end, overlooked
from labwright.agents.protocol_design.grammar.read import read
from labwright.agents.protocol_design.reading import Reading, Settled
from labwright.agents.protocol_design.similar import Similar
from labwright.tools.errors import InputError


class UnderstandIn(BaseModel):
    """A description, and what was settled about it so far."""

    text: str
    settled: list[Settled]
    similar: list[Similar] = Field(default=[], description="Earlier experiments and notes on the instrument.")


class RefineIn(BaseModel):
    """A reading, and an answer that it does not hold yet."""

    text: str
    settled: list[Settled] = Field(description="Earlier answers; the reading holds them already.")
    reading: Reading
    latest: Settled = Field(description="The answer to take in.")
    similar: list[Similar] = Field(default=[], description="Earlier experiments and notes on the instrument.")


def understand_by_rules(given: UnderstandIn) -> Reading | Refusal:
    """The grammar."""
    return _whole(given.text, [item for one in given.settled for item in counted(one, [])])


def refine_by_rules(given: RefineIn) -> Reading | Refusal:
    """Read again, with one more answer known, if it says anything."""
    return _whole(given.text, [*given.settled, *counted(given.latest, given.reading.doubts)])


def _whole(text: str, settled: list[Settled]) -> Reading | Refusal:
    """A reading that leaves nothing of the text out in silence, or a refusal where it would make no design."""
    try:
        found = read(text, settled)
    except InputError as unreadable:  # such as a unit that is none: "100 m"
        return Refusal(reason=str(unreadable))
    if isinstance(found, Refusal):
        return found
    if not found.doubts:  # while a doubt is open, what it is about need not be held
        lost = [*found.not_understood, *overlooked(text, settled, found)]
        found = found.model_copy(update={"not_understood": lost})
    problem = loose_end(text, found) or next(iter(faults(text, settled, found)), "")
    return Refusal(reason=problem) if problem else found


def check_reading(given: UnderstandIn, answer: Reading) -> list[str]:
    """Nothing invented."""
    return faults(given.text, given.settled, answer)


def check_refined(given: RefineIn, answer: Reading) -> list[str]:
    """Nothing invented, and the doubt is settled, unless the answer says nothing and there is no default."""
    latest = counted(given.latest, given.reading.doubts)
    found = faults(given.text, [*given.settled, *latest], answer)
    open_now, said = [doubt.id for doubt in answer.doubts], given.latest.answer
    if given.latest.id in open_now and latest:
        taken = repr(said) if latest[0].answer == said else f"{said!r}, which takes the default {latest[0].answer!r}"
        found.append(
            f"The doubt {given.latest.id!r} is still open although it was answered: {taken}. Take the answer in, or ask"
            f" the person one question if it settles nothing."
        )
    held = [doubt.id for doubt in given.reading.doubts]
    if not latest and given.latest.id in held and given.latest.id not in open_now:
        found.append(
            f"The answer {said!r} settles nothing, and the doubt {given.latest.id!r} has no default. Keep the doubt and"
            f" the reading as they were, or ask the person one question."
        )
    return found


UNDERSTAND = AgentCall(
    "protocol_design.understand",
    "protocol_design/understand.md",
    UnderstandIn,
    Reading,
    understand_by_rules,
    check_reading,
    "reasoning",
)
REFINE = AgentCall(
    "protocol_design.refine",
    "protocol_design/refine.md",
    RefineIn,
    Reading,
    refine_by_rules,
    check_refined,
    "reasoning",
)
