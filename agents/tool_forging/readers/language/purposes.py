"""Sentences that say only what for, or only that something comes: a thesis, a lecture, one's own data."""

from __future__ import annotations

import re

from labwright.agents.tool_forging.readers.language.leftover import is_plain
from labwright.agents.tool_forging.readers.language.lexicon import METHODS, PROCESSES, PROGRAMS, QUANTITIES
from labwright.agents.tool_forging.readers.language.orders import orders
from labwright.agents.tool_forging.readers.language.scalars import NUMBER_WORDS

_WORK = (
    r"(?:lectures?|thesis|dissertation|talk|poster|paper|manuscript|seminar|course|class|proposal|supplement|textbook)"
)
_WRITTEN = re.compile(
    rf"\b(?:for|in|writing|preparing|finishing|revising)\s+(?:an?|my|our|the)\s+(?:[\w']+\s+){{0,2}}?{_WORK}\b"
    r"(?:\s+(?:on|about)\s+(?:[A-Za-z-]+\s*?){1,4}?(?=\s+(?:I|we|and|that|where|which|my|our)\b|[,;:.]|\W*$))?",
    re.I,
)
_PEOPLE = r"(?:experiment\w+|theor(?:ists?|eticians?)|students?|chemists?|physicists?|engineers?)"
_COMPARED = re.compile(
    rf"(?:\bwe are (?:\w+ ){{0,2}}{_PEOPLE} and )?\b(?:(?:we|I) )?(?:want|wish|would like|hope|plan) to "
    r"(?:compare|confront|check) (?:our|my)(?: own)? (?P<own>[\w -]{2,40}?) (?:with|against) (?:the |a )?"
    r"(?:theory|calculations?|simulations?|numerics)\b",
    re.I,
)
_POINTED = re.compile(
    r"\b(?:(?:wants?|needs?|asks?|would like)\s+(?:for |to )?)?"
    r"(?:show|give|tell|do|run|reproduce|see|have|get)\s+(?:me |us )?(?:the following|this|these|what follows)\b",
    re.I,
)
_FACT = re.compile(
    r"[\d=|<>^_{}$]|\b(?:not|no|without|except|only|instead|ignor\w*|neglect\w*|rings?|chains?|lines?|rows?|linear|"
    r"open|closed|start\w*|initial\w*|begin\w*|half|double|single|pairs?|ideal\w*|exact\w*|finite|hot|cold|warm|cool)\b",
    re.I,
)
_KEPT = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


def tells_a_purpose(text: str) -> bool:
    """Whether a sentence says only what for.

    It holds no number, no symbol and no name of a quantity, orders nothing but "the following", and beside its topic
    all its words are plain English or name a method: whatever else stands in it has to be read.
    """
    written, compared = _WRITTEN.search(text), _COMPARED.search(text)
    if _FACT.search(text) or not (written or compared):
        return False
    words = {one for word in _words(text) for one in (word, word.removesuffix("s"))}
    if words & (QUANTITIES - {"charge"}) or (not compared and words & PROCESSES):
        return False
    rest = _POINTED.sub(" ", _COMPARED.sub(" ", _WRITTEN.sub(" ", text)))
    strange = [one for one in _words(rest) if one in NUMBER_WORDS or not (_is_method(one) or is_plain(one, ()))]
    return not strange and not orders(rest)


def without_purpose(text: str) -> str:
    """Blanks in place of all words of such a sentence but those that name a method or a program."""
    plain = _KEPT.sub(lambda m: m[0] if _is_method(m[0].lower()) else " " * len(m[0]), text)
    return re.sub(r"[^\sA-Za-z0-9-]", " ", plain)


def _is_method(word: str) -> bool:
    return word in METHODS or word in PROGRAMS


def _words(text: str) -> list[str]:
    return [one.strip("'.-") for one in re.findall(r"[a-z][a-z'-]*", text.lower())]
