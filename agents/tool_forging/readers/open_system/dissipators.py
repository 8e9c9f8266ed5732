"""Master equations that are written with dissipators: ``kappa (nbar + 1) D[a] rho + kappa nbar D[a^dag] rho``."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from labwright.agents.call import Question
from labwright.agents.tool_forging.readers.language.body import Body
from labwright.agents.tool_forging.readers.language.operators import Term, expression_at
from labwright.agents.tool_forging.readers.language.scalars import scalar_at
from labwright.agents.tool_forging.readers.open_system.rates import occupation_of
from labwright.agents.tool_forging.readers.open_system.subsystems import has_oscillator
from labwright.agents.tool_forging.readers.open_system.symbols import Symbols

_DISSIPATOR = re.compile(
    r"(?<![A-Za-z])[DL]\s*(?:\[(?P<square>[^\[\]=]{1,60})\]|\((?P<round>[^()=]{1,30})\)(?=\s*\[?\s*rho))"
)
_DEFINITION = re.compile(r"\s*\(?\s*(?:rho|[.]|\*)?\s*\)?\s*(?:=|:=|is\b)")
_OCCUPATIONS = ("n", "nbar", "nth", "nB", "nT")
_SUMMED = re.compile(r"^\s*sum(?:_\{?[^{}\s]*\}?)?(?:\^\{?\w+\}?)?\s*")


def dissipators(body: Body, names: Mapping[str, float], symbols: Symbols) -> list[tuple[list[Term], int]] | Question:
    """Collapse operators with the roots of their rates, and where each stands; empty where none is written so."""
    text = body.text
    found: list[tuple[list[Term], int]] = []
    for match in _DISSIPATOR.finditer(text):
        inner = match["square"] or match["round"]
        if _DEFINITION.match(text, match.end()) or (
            re.fullmatch(r"\s*[A-Za-z]\w*(?:_\{?\w+\}?)?\s*", inner) and not _known(inner, body)
        ):
            continue  # "D[L] rho = L rho L^dag - ..."
        spoken = expression_at(inner, 0, names, has_oscillator(text))
        if spoken is None or not any(one.factors for one in spoken.terms):
            continue
        begin = _coefficient_start(text, match.start())
        rate = _rate(text[begin : match.start()], body, names, symbols)
        if isinstance(rate, Question):
            return rate
        if rate > 0:
            found.append(
                ([replace(one, coefficient=one.coefficient * math.sqrt(rate)) for one in spoken.terms], match.start())
            )
        symbols.spans.append((begin, match.end()))
    return found


def _known(inner: str, body: Body) -> bool:
    """Whether a single letter is an operator here: ``a`` of an oscillator, a Pauli operator."""
    return bool(re.match(r"\s*(?:[XYZ]|sigma\w*)", inner)) or (
        inner.strip() in {"a", "b", "adag"} and has_oscillator(body.text)
    )


def _coefficient_start(text: str, end: int) -> int:
    """Where the factor in front of a dissipator begins: behind the sign or mark outside of its brackets."""
    depth, place = 0, end
    while place > 0:
        letter = text[place - 1]
        depth += {")": 1, "]": 1, "}": 1, "(": -1, "[": -1, "{": -1}.get(letter, 0)
        if depth < 0 or (depth == 0 and letter in "+=,;:") or text.startswith("\n\n", place - 1):
            return place
        place -= 1
    return place


def _rate(text: str, body: Body, names: Mapping[str, float], symbols: Symbols) -> float | Question:
    plain = _SUMMED.sub("", text).strip(" \n*")
    if not plain:
        return 1.0
    known = dict(names)
    if wanted := [one for one in _OCCUPATIONS if re.search(rf"\b{one}\b", plain) and one not in known]:
        occupation = occupation_of(body, names, symbols.kelvins)
        if isinstance(occupation, Question):
            return occupation
        known |= dict.fromkeys(wanted, occupation)
    item = scalar_at(plain, 0, known)
    if item is None or item.end < len(plain):
        return Question(text=f"What is the rate {plain[:40]!r} in front of a dissipator of the master equation?")
    for name in item.names:
        names.get(name)  # counts as used
    return item.value(known)
