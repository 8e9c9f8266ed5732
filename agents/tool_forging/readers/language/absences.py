"""What a task says is not there: ``no losses``, ``without any decay``, ``leak: none``, ``heating is neglected``.

A family that does nothing of the kind satisfies such words. One that counts is whole: nothing behind it limits it
(``no loss in the first half``), it is denied once (``not without loss``) and is no case that others are compared with.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from labwright.agents.tool_forging.readers.language.lexicon import PROCESSES

# what is missing unless somebody puts it in
ABSENT = (
    PROCESSES - frozenset("drift flip flips hopping kick kicked kicks tunnelling tunneling emission absorption".split())
) | frozenset(
    "bath baths environment surroundings reservoir reservoirs disorder disordered impurity impurities defect defects "
    "inhomogeneity crosstalk randomness random stochastic vacancies sink sinks errors error".split()
)
_DENIED = re.compile(
    r"\b(?P<deny>no|nothing|without|neither|ignor(?:e|es|ed|ing)|neglect(?:s|ed|ing)?|(?:free|absence) (?:of|from)|"
    r"leav(?:e|ing) out|exclud(?:e|es|ing)|disregard(?:s|ed|ing)?)\s+",
    re.I,
)
_PLAIN = (
    r"(?:any|all|the|such|other|further|additional|more|kinds? of|forms? of|sorts? of|sources? of|static|thermal|pure|"
    r"spontaneous|external|whatsoever|effects? of|gate|shot|measurement)"
)
_LINK = re.compile(r"\s*(?:,\s*(?:or|and|nor)?|\bor\b|\band\b|\bnor\b|/)\s*(?:no\s+|without\s+)?(?=[A-Za-z])", re.I)
_THING = re.compile(
    rf"(?:{_PLAIN}\s+){{0,4}}(?P<word>[A-Za-z]+(?:-[A-Za-z]+)*)(?P<tail>\s+(?:of any kind|effects?|terms?|"
    r"processes|channels?|at all|anywhere|whatsoever|here))?",
    re.I,
)
_ENDS = re.compile(
    r"\s*(?:$|[.,;:)\]\n|]|(?:and|or|but please|please)\b|(?:is|are|will be|should be) (?:to be )?"
    r"(?:considered|included|present|assumed|needed|wanted|taken into account)\s*(?:$|[.,;:\n]))"
)
_CASE = re.compile(
    r"(?:\bnot|\bnever|\bnor|\bwith and|\bwith or|\bonce|\b(?:case|limit|result|curve|run)s?(?: of| with)?|\bvs\.?|"
    r"\bversus|\bthan|\bcompar\w+(?: (?:it|them|this|that))?(?: (?:with|to))?(?: the case)?(?: of)?|\bif|\bunless|"
    r"\bdo not|\b(?:if|unless|whether|as though)\b[^.,;]{0,20}|\bdon't|\bcannot|\bcan't|\bmust not|\bboth)\s*$",
    re.I,
)
_FORM = re.compile(
    r"(?:^|(?<=\|))[ \t>*-]*(?P<word>[A-Za-z]+(?:-[A-Za-z]+)*)\**[ \t]*[:=][ \t]*"
    r"(?:none|no|off|absent|0|zero|neglected|ignored)(?:[ \t]*(?:at all|whatsoever))?[ \t]*[.,;]?[ \t]*$",
    re.I | re.M,
)
_IS_LEFT_OUT = re.compile(
    rf"\b(?:{_PLAIN}\s+){{0,3}}(?P<word>[A-Za-z]+(?:-[A-Za-z]+)*)\s+(?:is|are|can be|may be|should be|"
    r"is to be|are to be)\s+(?:completely\s+|entirely\s+)?(?:neglected|ignored|disregarded|absent|left out|"
    r"switched off|not (?:included|considered|present))(?=\s*(?:$|[.,;:)\]\n]))",
    re.I,
)
_APART = re.compile(
    r"\b(?:isolated|decoupled) from (?:its|the|any|their) (?P<word>environment|surroundings|bath)s?\b", re.I
)


def absences(text: str, things: Collection[str] = ABSENT) -> list[tuple[int, int]]:
    """Where the text says that some of `things` are not there, as offsets of the whole phrases."""
    found = [span for match in _DENIED.finditer(text) if (span := _denied(text, match, things)) is not None]
    for match in (*_FORM.finditer(text), *_IS_LEFT_OUT.finditer(text), *_APART.finditer(text)):
        if _is_one(match["word"], things) and not _CASE.search(text[: match.start()]):
            found.append(match.span())
    return sorted(found)


def without_absences(text: str, things: Collection[str] = ABSENT) -> str:
    """The text with blanks in place of what it says is not there; offsets stay."""
    for start, end in absences(text, things):
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text


def _denied(text: str, deny: re.Match[str], things: Collection[str]) -> tuple[int, int] | None:
    """The phrase that begins with a denial, up to the last thing in its list; None if it does not count."""
    if _CASE.search(text[: deny.start()]):
        return None
    place, end = deny.end(), 0
    while (thing := _THING.match(text, place)) and _is_one(thing["word"], things):
        end = thing.end()
        link = _LINK.match(text, end)
        if link is None:
            break
        place = link.end()
    return (deny.start(), end) if end and _ENDS.match(text, end) else None


def _is_one(word: str, things: Collection[str]) -> bool:
    plain = word.lower()
    return plain in things or plain.removesuffix("s") in things or plain.removesuffix("es") in things
