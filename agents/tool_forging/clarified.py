"""What a person has said of words that nobody understands: go on without them, say them otherwise, or stop."""

from __future__ import annotations

import re
from collections.abc import Iterator

from labwright.agents.tool_forging.answers import HEADING, as_told
from labwright.agents.tool_forging.readers.language.orders import orders

GO_ON, STOP = "go on without them", "stop"

_ASKED = "These words of the task are not understood: {}. Go on without them, or say the first otherwise?"
_ANSWER = re.compile(
    rf"^- {re.escape(_ASKED).replace(re.escape('{}'), '(?P<words>.*)')} (?P<said>.*(?:\n(?!- ).*)*)",
    re.M,
)
_PASSAGE = re.compile(r"«([^«»]+)»")


def asked_about(passages: list[str]) -> str:
    """The question about the passages, in one line; `mended` knows it again."""
    return _ASKED.format("; ".join(f"«{words}»" for words in passages))


def mended(text: str) -> str:
    """The task with a person's answers: as sentences, and words that were not understood left out or said otherwise.

    The answers themselves are taken out.
    """
    plain = _ANSWER.sub(lambda found: " " * len(found[0]), as_told(text))
    for found in _answers(text):
        said, passages = found["said"].strip(), _PASSAGE.findall(found["words"])
        if _agrees(said):
            for words in passages:
                plain = blanked(plain, words) or plain
        elif _says_otherwise(passages[0], said):
            plain = _replaced(plain, passages[0], said)
    body, _, below = plain.partition(HEADING)
    return plain if below.strip() else f"{body.rstrip()}\n"


def said_to_stop(text: str) -> bool:
    """Whether a person, asked about words that were not understood, said that it is to end."""
    return any(_stops(found["said"]) for found in _answers(text))


def set_aside(text: str) -> list[str]:
    """What a report has to say of the words that a person has left out or said otherwise."""
    told = []
    for found in _answers(text):
        said, passages = found["said"].strip(), _PASSAGE.findall(found["words"])
        words = passages[0].rstrip(". ")
        if _agrees(said):
            told += [
                f"Left out because it was not understood, as a person decided: {one.rstrip('. ')}." for one in passages
            ]
        elif _says_otherwise(passages[0], said):
            told.append(f"Said otherwise by a person: {words}. Now: {' '.join(said.split()).rstrip('. ')}.")
    return told


def blanked(text: str, words: str) -> str | None:
    """The text with the first place of the words made blank, however they break into lines; None: no such place."""
    found = _found(text, words)
    if found is None:
        return None
    return text[: found.start()] + re.sub(r"[^\n]", " ", found[0]) + text[found.end() :]


def _replaced(text: str, words: str, said: str) -> str:
    found = _found(text, words)
    return text if found is None else text[: found.start()] + said + text[found.end() :]


def _found(text: str, words: str) -> re.Match[str] | None:
    parts = [re.escape(part) for part in words.split()]
    return re.search(r"\s+".join(parts), text) if parts else None


def _answers(text: str) -> Iterator[re.Match[str]]:
    return _ANSWER.finditer(as_told(text))


def _says_otherwise(words: str, said: str) -> bool:
    """Whether an answer can stand in the place of the words; what orders something is not replaced by what does not."""
    return not _stops(said) and (orders(said) or not orders(words))


def _agrees(said: str) -> bool:
    return said.strip().lower().rstrip(".!") in {GO_ON, "yes", "go on", "without", "without them", "leave them out"}


def _stops(said: str) -> bool:
    return said.strip().lower().rstrip(".!") in {STOP, "no", "abort", "cancel", "quit"}
