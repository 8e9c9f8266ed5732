"""Selection among candidates: the most specific one, or a question where two fit equally well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Mind, Question, Refusal, Runtime
from labwright.agents.lab_calibration.recognize import meant
from labwright.agents.lab_calibration.translate_words import main_clause, weight
from labwright.agents.lab_calibration.word_forms import stems, with_joined
from labwright.tools.experiments.call import PROCEDURE
from labwright.tools.experiments.wording import names

if TYPE_CHECKING:
    from labwright.agents.lab_calibration.translate import Candidate, Situation


class Offer(BaseModel):
    """A candidate as the selection sees it."""

    agent: str
    code: str
    named: str
    analysis: str
    score: float


class SelectIn(BaseModel):
    """The instruction and what was offered."""

    instruction: str
    candidates: list[Offer]


class SelectOut(BaseModel):
    """The choice."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One or two sentences: why this candidate and not the others.")
    agent: str = Field(description="`agent` of the chosen candidate, exactly as given.")


def select_by_rules(given: SelectIn) -> SelectOut | Question | Refusal:
    """The candidate that accounts for most of what names the task; where two do equally, a person decides."""
    if not given.candidates:
        return Refusal(reason=f"No agent offered a candidate for {given.instruction!r}.")
    answered = given.instruction.rpartition(". ")[2].strip()
    for offer in given.candidates:
        if offer.agent == answered:
            return SelectOut(analysis="The instruction says so at its end.", agent=offer.agent)
    told = meant(given.instruction)
    shipped = all(offer.agent in names() for offer in given.candidates)  # of a laboratory's own nothing was learned
    for offer in given.candidates:
        if shipped and told.sure and offer.agent == told.name:
            return SelectOut(analysis=f"The words speak of {offer.agent} most.", agent=offer.agent)
    asked = with_joined(stems(main_clause(given.instruction)))
    ranked = sorted(given.candidates, key=lambda offer: (*_weight(offer, asked), offer.score), reverse=True)
    best, *others = ranked
    equal = [offer for offer in others if _weight(offer, asked) == _weight(best, asked)]
    # No score breaks the tie: a similarity of words says nothing that the words themselves did not.
    if equal:
        either = [best.agent, *(offer.agent for offer in equal)]
        return Question(text=f"{given.instruction!r} can mean {' or '.join(either)}. Which one?", options=either)
    others_said = ", ".join(offer.agent for offer in others) or "nothing else"
    return SelectOut(
        analysis=f"{best.agent} accounts for {best.named!r}, the most telling words; offered besides: {others_said}.",
        agent=best.agent,
    )


def check_select(given: SelectIn, answer: SelectOut) -> list[str]:
    """The choice must be one of the candidates."""
    offered = [offer.agent for offer in given.candidates]
    if answer.agent not in offered:
        return [f"`agent` must be one of {', '.join(offered)}, but is {answer.agent!r}."]
    return []


def choose(
    mind: Mind,
    instruction: str,
    candidates: Sequence[Candidate | dict[str, Any]],
    situation: Situation,
    on_event: Callable[[dict[str, object]], None] | None = None,
) -> Candidate | Question | Refusal:
    """One of the candidates, which may come as plain dicts; a lone one is looked at, too: it may be a mistake."""
    from labwright.agents.lab_calibration.translate import Candidate

    offered = [Candidate.model_validate(item) for item in candidates]
    keep = set(Offer.model_fields)
    given = SelectIn(instruction=instruction, candidates=[Offer(**offer.model_dump(include=keep)) for offer in offered])
    answer = mind.answer(SELECT, given, Runtime(on_event=on_event))
    if not isinstance(answer, SelectOut):
        return answer
    return next(offer for offer in offered if offer.agent == answer.agent)


def _weight(offer: Offer, asked: frozenset[str]) -> tuple[float, float, bool]:
    """How much its words tell that stand in what is asked for, then those that stand anywhere; then its own name."""
    named = set(stems(offer.named))
    name = frozenset(stems(offer.agent.removeprefix(f"{PROCEDURE}:"))) - {"the"}
    return weight(named & asked), weight(named), name <= asked


SELECT = AgentCall(
    "lab_calibration.select_candidate",
    "lab_calibration/select_candidate.md",
    SelectIn,
    SelectOut,
    select_by_rules,
    check_select,
    "general",
)
