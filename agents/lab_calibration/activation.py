"""Activation sentences: four instructions that a translation agent should answer to, made once for each agent."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field

from labwright.agents.call import AgentCall
from labwright.agents.lab_calibration.translate_words import ASKED, best_phrase, phrases_of
from labwright.agents.lab_calibration.translate_words import listed as phrases_listed
from labwright.agents.lab_calibration.word_forms import stems, with_joined
from labwright.tools.knowledge.index import SENTENCES

# A qubit's or a value's name in a sentence would draw every instruction with that name to this agent.
VALUE = re.compile(r"\bQ\d+\b|\d\s*(?:us|ns|ms|s|MHz|GHz|kHz|%)(?![A-Za-z])")


class ActivationIn(BaseModel):
    """What the agent knows."""

    name: str
    docstring: str


class ActivationOut(BaseModel):
    """The sentences."""

    model_config = ConfigDict(extra="forbid")
    sentences: list[str] = Field(description="Four different instructions, one sentence each.")


def activation_by_rules(given: ActivationIn) -> ActivationOut:
    """The name, the summary, and the card's own phrases in two groups."""
    spoken = given.name.removeprefix("procedure:").replace("_", " ").replace("-", " ")
    summary = given.docstring.partition("\n")[0].strip() or spoken
    phrases = phrases_listed(given.docstring, ASKED)
    half = (len(phrases) + 1) // 2
    groups = [", ".join(phrases[:half]), ", ".join(phrases[half:])]
    return ActivationOut(
        sentences=[f"Run {spoken}", summary, *(group or f"Measure {spoken}: {summary}" for group in groups)]
    )


def check_activation(given: ActivationIn, answer: ActivationOut) -> list[str]:
    """Four different sentences that speak of this experiment."""
    found = []
    if len(answer.sentences) != SENTENCES:
        found.append(f"There must be {SENTENCES} sentences, but there are {len(answer.sentences)}.")
    if len({sentence.strip().lower() for sentence in answer.sentences}) != len(answer.sentences):
        found.append("Two sentences are equal; make them differ.")
    own = phrases_of(given.name.removeprefix("procedure:").replace("-", " "), given.docstring)
    for sentence in answer.sentences:
        said = with_joined(stems(sentence))
        if not best_phrase(own.asked, said) and len(said & own.vocabulary) < 3:
            found.append(f"Sentence {sentence!r} does not speak of {given.name}.")
        if VALUE.search(sentence):
            found.append(f"Sentence {sentence!r} names a qubit or a value; leave it out.")
    return found


ACTIVATION = AgentCall(
    "lab_calibration.activation",
    "lab_calibration/activation.md",
    ActivationIn,
    ActivationOut,
    activation_by_rules,
    check_activation,
    "light",
)
