"""What a person has said of words that nobody understands: the task is to be done without them, or not at all."""

from __future__ import annotations

import re

GO_ON, STOP = "go on without them", "stop"

_ASKED = "These words of the task are not understood: {}. Shall the task be done without them?"
_ANSWER = re.compile(
    rf"^- {re.escape(_ASKED).replace(re.escape('{}'), '(?P<words>.*)')} (?P<said>.*)$",
    re.M,
)
_PASSAGE = re.compile(r"«([^«»]+)»")


def asked_about(passages: list[str]) -> str:
    """The question whether to go on without the passages, in one line; `without` knows it again."""
    return _ASKED.format("; ".join(f"«{words}»" for words in passages))


def without(text: str) -> str:
    """The task without the words that a person has set aside, and without their answers about it.

    Every offset stays what it was: what is taken out becomes spaces.
    """
    plain = _ANSWER.sub(lambda found: " " * len(found[0]), text)
    for words in _passages(text):
        plain = blanked(plain, words) or plain
    return plain


def said_to_stop(text: str) -> bool:
    """Whether a person was asked whether to go on without some words, and did not agree."""
    return any(not _agrees(found["said"]) for found in _ANSWER.finditer(text))


def set_aside(text: str) -> list[str]:
    """What a report has to say of the words that a person has set aside."""
    return [
        f"Left out because it was not understood, as a person decided: {words.rstrip('. ')}."
        for words in _passages(text)
    ]


def blanked(text: str, words: str) -> str | None:
    """The text with the first place of the words made blank, however they break into lines; None: no such place."""
    parts = [re.escape(part) for part in words.split()]
    found = re.search(r"\s+".join(parts), text) if parts else None
    if found is None:
        return None
    return text[: found.start()] + re.sub(r"[^\n]", " ", found[0]) + text[found.end() :]


def _passages(text: str) -> list[str]:
    agreed = [found["words"] for found in _ANSWER.finditer(text) if _agrees(found["said"])]
    return [words for one in agreed for words in _PASSAGE.findall(one)]


def _agrees(said: str) -> bool:
    return said.strip().lower().rstrip(".!") in {GO_ON, "yes", "go on", "without", "without them", "leave them out"}
