"""A person's short answers as sentences of the task: "g" is where it starts, if that was asked.

Answers stand below the task as ``- question answer``. Readers know the language of tasks, not of answers; so what
answers a question of theirs is turned into the sentence that would have answered it in the task.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

HEADING = "## Clarifications"
_LINE = re.compile(r"^- (?P<line>\S.*(?:\n(?!- ).*)*)", re.M)  # an answer may be a matrix of several lines
NOT_UNDERSTOOD = "That answer is not understood: "
_BEFORE = re.compile(rf'{NOT_UNDERSTOOD}"[^"\n]*"\. ')
_SENTENCE = re.compile(r"\b(?:is|are|starts?|begins?|equals?|holds?|acts?|has|have|=)\b|=")
_BITS = re.compile(r"(?:bit ?string |bits |state )?([01]{2,})", re.I)
_STATE = "Initial state"

# A question to its end -> the sentence that its answer makes of {said}, the answer, and of words of the question.
_FORMS: Mapping[str, str] = {
    r"In which (?:product )?state does (?P<who>each of the parts|[^?]*?) (?:begin|start)(?:: on which site)?\?": (
        "Initial state: {said}."
    ),
    r"What (?:is|are) the value of (?:the angle )?(?P<what>[^?]+?)(?: in the Hamiltonian)?\?": "{what} = {said}.",
    r"What is the Hamiltonian(?: of the chain)?\?(?: Please write it as .*? of its symbols\.)?": "H = {said}.",
    r"What is the (?P<what>coupling|anisotropy|cutoff) (?P<name>g|Delta)\b[^?]*\?": "{name} = {said}.",
    r"What is the cutoff of the Drude-Lorentz baths[^?]*\?": "The cutoff of the baths is {said}.",
    r"What is the (?P<what>filling): half filling [^?]*\?": "The filling: {said}.",
    r"What is the (?P<what>[^?(:]+?)(?: \([^)?]*\))?(?:: [^?]*)?\?": "The {what} is {said}.",
    r"What are the (?P<what>[^?(,]+?)(?:, in (?P<unit>\S+?))?\?": "The {what} are {said}.",
    r"How (?:strong|large) is the (?P<what>[^?,]+?) (?P<name>h|J|U|Delta)(?P<more> [^?]*)?\?": "{name} = {said}.",
    r"How (?:strong|large) is the (?P<what>[^?,]+?)(?:, in \S+?)?\?": "The strength of the {what} is {said}.",
    r"How many (?P<what>periods)[^?]*\?": "{said} periods.",
    r"For how many (?P<what>periods)[^?]*\?": "{said} periods.",
    r"How many thermal quanta [^?]*\?": "The mean thermal occupation is {said}.",
    r"How many (?P<what>sites|spins|qubits) does [^?]*\?": "There are {said} {what}.",
    r"How long are the pulses[^?]*\?": "The pulse duration is {said}.",
    r"(?:Up to|Over) which (?:total )?time [^?]*\?": "Follow it from t = 0 to {said}.",
    r"For how long is the exciton propagated[^?]*\?": "Propagate for {said}.",
    r"To which inverse temperature beta [^?]*\?": "beta = {said}.",
    r"Which molecule is meant\?(?: Give [^?]*? inputs\.)?": "The molecule is {said}.",
    r"Which gate is the target\?": "The target gate is {said}.",
    r"On which qubits? does (?:the gate )?(?P<what>[^?]+?) act\?": "{what} acts on qubits {said}.",
    r"With which probability does the (?P<what>[^?]+?) noise act\?": "The {what} noise has probability {said}.",
    r"With which state is the fidelity to be taken\?": "Compute the fidelity with {said}.",
    r"At which frequency is the thermal occupation [^?]*\?": "The frequency of the bath is {said}.",
}
_ALL = [(re.compile(rf"{question} (?P<said>.+)", re.S), form) for question, form in _FORMS.items()]


def as_told(text: str) -> str:
    """The task with its answers as sentences; of several answers to one question the last one counts.

    What answers no known question stays as it is, below its heading.
    """
    body, heading, below = text.partition(HEADING)
    if not heading:
        return text
    told: dict[str, str] = {}
    for found in _LINE.finditer(below):
        line = _BEFORE.sub("", found["line"]).strip()
        question = _question(line)
        told.pop(question, None)
        told[question] = line
    sentences = [sentence for line in told.values() if (sentence := _sentence(line))]
    rest = [f"- {line}" for line in told.values() if not _sentence(line)]
    parts = [body.rstrip(), *sentences, *([HEADING, "\n".join(rest)] if rest else [])]
    return "\n\n".join(part for part in parts if part) + "\n"


def asked_again(question: str, text: str) -> str:
    """The question, if it has been answered in words that nobody understood: then it says so.

    Args:
        question: what a reader asks.
        text: the task with the answers so far.
    """
    first = question.partition("\n\n")[0]
    said = ""
    for found in _LINE.finditer(text.partition(HEADING)[2]):
        line = _BEFORE.sub("", found["line"]).strip()
        if line.startswith(f"{first} "):
            said = line[len(first) + 1 :]
    told = said.replace('"', "'").replace("\n", " ")
    return f'{NOT_UNDERSTOOD}"{told}". {question}' if said else question


def _question(line: str) -> str:
    for pattern, _ in _ALL:
        if found := pattern.fullmatch(line):
            return line[: found.start("said")]
    return line.rpartition("? ")[0] or line


def _sentence(line: str) -> str:
    for pattern, form in _ALL:
        if found := pattern.fullmatch(line):
            words = {name: (value or "").strip() for name, value in found.groupdict().items()}
            said = words["said"].rstrip(". ")
            if form.startswith(_STATE) and (bits := _BITS.fullmatch(said)):
                said = f"|{bits[1]}>"
            return _full(said) or form.format(**{**words, "said": said})
    return ""


def _full(said: str) -> str:
    """The answer as it is, if it is a sentence or a formula with its own left side."""
    return f"{said}." if _SENTENCE.search(said) else ""
