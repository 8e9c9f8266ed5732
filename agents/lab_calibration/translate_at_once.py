"""Translation by one agent that is shown several experiments at once: what evaluation compares the many agents with.

With the cards of a search it is retrieval-augmented generation (k-agents, Algorithm 3), with all cards the long prompt.
No graph uses it.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall, Question, Refusal
from labwright.agents.lab_calibration.select import Offer, SelectIn, select_by_rules
from labwright.agents.lab_calibration.translate_code import CodeIn, CodeOut, check_code, translate_code_by_rules
from labwright.tools.experiments.call import ExperimentCard


class AtOnceIn(BaseModel):
    """One instruction and the cards that are in sight."""

    instruction: str
    cards: list[ExperimentCard]
    variables: dict[str, Any] = Field(description="Variable table: name -> value.")
    qubits: list[str] = Field(description="Qubits of the device.")


class AtOnceOut(BaseModel):
    """Analysis first, then the call."""

    model_config = ConfigDict(extra="forbid")
    analysis: str = Field(description="One to three sentences: what is asked for, and which experiment it is.")
    named: str = Field(description="The words of the instruction that name what is to be measured.")
    experiment: str = Field(description="Name of the chosen card.")
    code: str = Field(description="One call of this experiment.")


def translate_at_once_by_rules(given: AtOnceIn) -> AtOnceOut | Question | Refusal:
    """Each card's own policy in turn, then the selection, as if every card's agent had been asked."""
    answers = {card.name: translate_code_by_rules(_one(given, card)) for card in given.cards}
    whole = {name: answer for name, answer in answers.items() if answer.suitable and not answer.missing}
    if not whole:
        missing = [answer.missing[0] for answer in answers.values() if answer.suitable and answer.missing]
        if missing:
            return Question(text=f"{given.instruction!r} leaves open: {missing[0]}. What shall it be?")
        return Refusal(reason=f"None of the experiments in sight does {given.instruction!r}.")
    offers = [
        Offer(agent=name, code=answer.code, named=answer.named, analysis=answer.analysis, score=0.0)
        for name, answer in whole.items()
    ]
    chosen = select_by_rules(SelectIn(instruction=given.instruction, candidates=offers))
    if isinstance(chosen, Question | Refusal):
        return chosen
    best = whole[chosen.agent]
    return AtOnceOut(analysis=best.analysis, named=best.named, experiment=chosen.agent, code=best.code)


def check_at_once(given: AtOnceIn, answer: AtOnceOut) -> list[str]:
    """The chosen card is in sight, and its call passes what a translation agent's call has to pass."""
    card = next((card for card in given.cards if card.name == answer.experiment), None)
    if card is None:
        names = ", ".join(sorted({card.name for card in given.cards}))
        return [f"`experiment` must be one of {names}, but is {answer.experiment!r}."]
    code = CodeOut(
        analysis=answer.analysis, named=answer.named, applicable=True, code=answer.code, missing=[], suitable=True
    )
    return check_code(_one(given, card), code)


def _one(given: AtOnceIn, card: ExperimentCard) -> CodeIn:
    return CodeIn(instruction=given.instruction, card=card, variables=given.variables, qubits=given.qubits)


TRANSLATE_AT_ONCE = AgentCall(
    "lab_calibration.translate_at_once",
    "lab_calibration/translate_at_once.md",
    AtOnceIn,
    AtOnceOut,
    translate_at_once_by_rules,
    check_at_once,
    "general",
)
