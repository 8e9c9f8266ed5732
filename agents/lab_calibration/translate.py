"""Translation: one agent for every experiment and procedure, activated by an index, each offering a candidate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import Mind, Question, Refusal, Runtime
from labwright.agents.errors import AgentGaveUp
from labwright.agents.lab_calibration.activation import ACTIVATION, ActivationIn, activation_by_rules
from labwright.agents.lab_calibration.procedure_match import TRANSLATE_PROCEDURE, ProcedureIn, procedure_code
from labwright.agents.lab_calibration.recognize import meant
from labwright.agents.lab_calibration.translate_code import TRANSLATE_CODE, CodeIn
from labwright.agents.lab_calibration.translate_words import phrase_in, phrases_of, weight
from labwright.agents.lab_calibration.word_forms import stems, written_out
from labwright.tools.experiments.call import PROCEDURE, ExperimentCard, ParameterCard
from labwright.tools.knowledge.index import ActivationIndex
from labwright.tools.knowledge.procedures import Procedure

MEANT = 10.0  # what an experiment weighs that the words speak of, whether or not a phrase of it is said
Event = dict[str, object]


@dataclass(frozen=True, slots=True)
class Situation:
    """What an instruction may refer to: the variable table and the device's qubits."""

    variables: Mapping[str, Any] = field(default_factory=dict)
    qubits: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Library:
    """The translation agents.

    Attributes:
        cards: agent name -> card; a procedure's name is ``procedure:<slug>``.
        procedures: slug -> procedure.
        index: which agents an instruction activates.
    """

    cards: dict[str, ExperimentCard]
    procedures: dict[str, Procedure]
    index: ActivationIndex


class Candidate(BaseModel):
    """One agent's offer.

    Attributes:
        agent: experiment name or ``procedure:<slug>``.
        code: one call.
        named: the words of the instruction that name the task.
        analysis: why the call fits.
        score: activation.
    """

    model_config = ConfigDict(extra="forbid")
    agent: str
    code: str
    named: str
    analysis: str
    score: float
    missing: list[str] = Field(default_factory=list)


def build_library(
    mind: Mind,
    cards: Mapping[str, ExperimentCard],
    procedures: Mapping[str, Procedure],
    folder: Path | None = None,
    server: str = "",
) -> Library:
    """Index experiments and procedures; `mind` writes the activation sentences, `folder` or `server` keeps them."""
    every = dict(cards) | {f"{PROCEDURE}:{slug}": procedure_card(item) for slug, item in procedures.items()}
    sentences = {name: _activation(mind, card) for name, card in every.items()}
    return Library(every, dict(procedures), ActivationIndex(sentences, folder, server=server))


def procedure_card(procedure: Procedure) -> ExperimentCard:
    """A procedure as a card, so that its calls are read and checked like any other."""
    parameters = tuple(
        ParameterCard(name, "str", True, None, "", None, None, "Quoted in the title.") for name in procedure.parameters
    )
    text = f"{procedure.title}\n\n{procedure.background}".strip()
    return ExperimentCard(f"{PROCEDURE}:{procedure.slug}", procedure.title, text, parameters)


def candidates(
    mind: Mind,
    instruction: str,
    library: Library,
    situation: Situation,
    n_k: int,
    on_event: Callable[[Event], None] | None = None,
) -> list[Candidate] | Question:
    """One round of the translation: what the `n_k` best scoring agents offer.

    A Question if nobody has a complete offer, but somebody lacks only what a person can tell.
    """
    offers = []
    for name, score in activated(instruction, library, situation, n_k):
        offer = _offer(mind, instruction, library, situation, name, Runtime(on_event=on_event))
        if offer is not None:
            offers.append(offer.model_copy(update={"score": score}) if isinstance(offer, Candidate) else offer)
    whole = [offer for offer in offers if isinstance(offer, Candidate) and not offer.missing]
    partial = [offer for offer in offers if isinstance(offer, Candidate) and offer.missing]
    asked = [offer for offer in offers if isinstance(offer, Question)]
    best = max(partial, key=lambda offer: (_told(offer), offer.score), default=None)
    # What accounts for more words is what is meant, even if something is missing for it.
    if best and _told(best) > max(map(_told, whole), default=0.0):
        return question_for(best, library.cards[best.agent], situation)
    if whole:
        return whole
    return asked[0] if asked else []


def _told(offer: Candidate) -> float:
    return weight(stems(offer.named))


def activated(instruction: str, library: Library, situation: Situation, n_k: int) -> list[tuple[str, float]]:
    """The `n_k` agents to ask, with their scores: first those whose own phrases are said, then the nearest by index."""
    ranked = library.index.rank(written_out(instruction), len(library.cards))
    said = {
        name: weight(phrase_in(instruction, phrases_of(name, library.cards[name].docstring).asked, situation.qubits))
        for name, _ in ranked
    }
    told = meant(instruction, situation.qubits)
    if told.name in said:
        said[told.name] += MEANT if told.sure else 0.0
    return sorted(ranked, key=lambda item: (-said[item[0]], -item[1], item[0]))[:n_k]


def question_for(offer: Candidate, card: ExperimentCard, situation: Situation) -> Question:
    """What to ask so that an incomplete offer becomes a call."""
    title = card.summary.rstrip(".") if offer.agent.startswith(PROCEDURE) else offer.agent
    if set(offer.missing) & {"qubit", "dut", "partner", "qubits"}:
        several = set(offer.missing) & {"partner", "qubits"}
        words = "Which qubits are meant?" if several else "Which qubit is meant?"
        return Question(text=f"{words} ({title})", options=[] if several else list(situation.qubits))
    first = offer.missing[0]
    return Question(text=f"{title} needs to know: {first}. What shall it be?", options=first.split(" or "))


def _offer(
    mind: Mind, instruction: str, library: Library, situation: Situation, name: str, runtime: Runtime
) -> Candidate | Question | None:
    """The candidate of one agent; None if the instruction is not its own, or it gave no valid answer."""
    try:
        if name.startswith(f"{PROCEDURE}:"):
            return _procedure_offer(mind, instruction, library, situation, name, runtime)
        card = library.cards[name]
        given = CodeIn(instruction=instruction, card=card, variables=dict(situation.variables), qubits=situation.qubits)
        answer = mind.answer(TRANSLATE_CODE, given, runtime)
    except AgentGaveUp:  # one agent without a valid answer has no candidate; the others may have one
        return None
    if isinstance(answer, Question):
        return answer
    if isinstance(answer, Refusal) or not (answer.applicable and answer.suitable):
        return None
    return Candidate(
        agent=name, code=answer.code, named=answer.named, analysis=answer.analysis, score=0.0, missing=answer.missing
    )


def _procedure_offer(
    mind: Mind, instruction: str, library: Library, situation: Situation, name: str, runtime: Runtime
) -> Candidate | Question | None:
    procedure = library.procedures[name.removeprefix(f"{PROCEDURE}:")]
    given = ProcedureIn(
        instruction=instruction,
        title=procedure.title,
        parameters=list(procedure.parameters),
        background=procedure.background,
        variables=dict(situation.variables),
        qubits=situation.qubits,
    )
    answer = mind.answer(TRANSLATE_PROCEDURE, given, runtime)
    if isinstance(answer, Question):
        return answer
    if isinstance(answer, Refusal) or not answer.proper:
        return None
    return Candidate(
        agent=name,
        code=procedure_code(procedure.slug, answer),
        named=answer.named,
        analysis=answer.analysis,
        score=0.0,
        missing=answer.missing,
    )


def _activation(mind: Mind, card: ExperimentCard) -> list[str]:
    given = ActivationIn(name=card.name, docstring=card.docstring)
    try:
        answer = mind.answer(ACTIVATION, given)
    except AgentGaveUp:
        answer = activation_by_rules(given)  # the card's own words always make valid sentences
    return (activation_by_rules(given) if isinstance(answer, Question | Refusal) else answer).sentences
