"""Hamiltonians told in prose: ``neighbours are coupled by ZZ with strength 0.7, and a field of 0.5 along x``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from labwright.tools.forge.families.spin_chain.spec import Pattern

_NUMBER = r"(?P<{0}>-?\d*\.?\d+|[A-Za-z](?:_\w+)?(?![A-Za-z]))"
_LETTERS = r"(?P<letters>(?:X ?X|Y ?Y|Z ?Z)(?:\s*(?:\+|and|,)\s*(?:X ?X|Y ?Y|Z ?Z)){0,2})"
_COUPLED = re.compile(
    rf"(?P<who>\b(?:every|all|each|any(?: two)?)\s+(?:possible\s+)?(?:pairs?|two)\b|\b(?:nearest[- ]|adjacent |"
    rf"next |direct )?neighbou?r\w*\b|"
    rf"\badjacent (?:sites|spins|qubits|ions)\b)[^.;]{{0,60}}?\b(?:interacts?|"
    rf"coupl\w+)\b[^.;]{{0,40}}?(?<![A-Za-z]){_LETTERS}(?![A-Za-z])",
    re.I,
)
_STRENGTH = re.compile(
    rf"\b(?:strength|coupling(?: constant| strength)?|amplitude)\s*(?:[A-Za-z]\b\s*)?"
    rf"(?:is\b|=|of\b|:)?\s*{_NUMBER.format('value')}"
)
_FALL = re.compile(
    r"(?:falls?|falling|decay\w*|decreas\w+|drops?|dropping)\s*(?:off\s*)?(?:as|like|with)\s+(?:the\s+)?(?:"
    r"(?:distance\s+)?(?:to the\s+)?power\s+(?:of\s+)?(?P<a>-?\d*\.?\d+)(?:\s+of (?:the )?distance)?|"
    r"distance\s*(?:to the power(?: of)?|\^)\s*\(?(?P<b>-?\d*\.?\d+)\)?|"
    r"1\s*/\s*(?:r|d|distance|\|i-j\|)(?:\s*\^\s*\{?(?P<c>\d*\.?\d+)\}?)?|(?:inverse )?(?P<d>square|cube)(?: of "
    r"(?:the )?distance)?|"
    r"r\s*\^\s*\{?\(?-\s*(?P<e>\d*\.?\d+)\)?\}?)",
    re.I,
)
_FIELD = re.compile(
    rf"\bfield\b(?:\s+(?:strength|of(?: strength)?|\w\s*=|is|"
    rf"=))*\s*{_NUMBER.format('value')}\s*(?:\w+\s+){{0,4}}?(?:Pauli[- ]|along (?:the )?|in (?:the )?)?"
    r"(?P<letter>(?-i:[XYZ])|[xyz](?=[ -](?:direction|axis)|\s*[,.;)]|\s+(?:on|of)\b))(?![A-Za-z])",
    re.I,
)
_SIGNS = re.compile(
    r"\bplus signs?\b|\b(?:both|all) (?:terms )?(?:positive|with a plus)|\bpositive signs?\b|\bsigns? (?:is|are) "
    r"(?:\+|plus|positive)",
    re.I,
)


def told_model(text: str, names: Mapping[str, float]) -> tuple[list[Pattern], list[str]] | None:
    """The terms that a text tells one by one, and what was settled; None where a strength is missing."""
    coupled = _COUPLED.search(text)
    if coupled is None:
        return None
    strength = _STRENGTH.search(text)
    value = _value(strength["value"], names) if strength else None
    if value is None or re.search(r"\bminus sign|\bnegative\b", text, re.I):
        return None
    pairs = bool(re.search(r"pair|two", coupled["who"], re.I))
    fall = _FALL.search(text)
    if (
        pairs
        and fall is None
        and not re.search(r"all[- ]to[- ]all|same strength|equal strength|whatever the distance", text, re.I)
    ):
        return None
    power = _power(fall) if fall else (0.0 if pairs else None)
    made = [
        Pattern(letters=word.replace(" ", "").upper(), offsets=[0, 1], coefficient=value, power=power)
        for word in re.findall(r"X ?X|Y ?Y|Z ?Z", coupled["letters"], re.I)
    ]
    fields = list(_FIELD.finditer(text))
    if re.search(r"\bfield\b", text) and not fields:
        return None
    for match in fields:
        field = _value(match["value"], names)
        if field is None:
            return None
        made.append(Pattern(letters=match["letter"].upper(), offsets=[0], coefficient=field))
    said = [] if _SIGNS.search(text) else ["All terms of the Hamiltonian have plus signs and Pauli matrices."]
    return made, said


def _power(fall: re.Match[str]) -> float:
    if fall["d"]:
        return {"square": 2.0, "cube": 3.0}[fall["d"].lower()]
    told = next((fall[name] for name in "abce" if fall[name]), "1")
    return abs(float(told))


def _value(word: str, names: Mapping[str, float]) -> float | None:
    if re.fullmatch(r"-?\d*\.?\d+", word):
        return float(word)
    return names.get(word.replace("_", ""))
