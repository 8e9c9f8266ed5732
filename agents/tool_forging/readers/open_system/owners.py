"""Whose a quantity is where several bodies have values of their own: ``qubit A has T1 = 20, qubit B T1 = 60``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from labwright.agents.tool_forging.readers.language.assignments import Assignment, count
from labwright.agents.tool_forging.readers.language.body import Body

_BODY = r"(?i:qubits?|spins?|atoms?|sites?|emitters?|ions?|dots?|molecules?|transmons?)"
_ORDER = ("first", "second", "third", "fourth", "left", "right")
_NAMED = (
    rf"(?:{_BODY}\s+#?(?P<name>[A-Z]|\d)|(?P<order>(?i:{'|'.join(_ORDER)}))(?:\s+(?:{_BODY}|one))?|(?P<plain>[A-D]))"
)
_OWNER = re.compile(rf"\b(?!A\s+[a-z]){_NAMED}\b(?=[^,;.=]*$)")
_BEHIND = re.compile(rf"\s*\(?\s*(?:for|of|on|in|at)\s+(?:the\s+)?{_NAMED}\b")
_OWN = re.compile(r"T1|T2|Tphi|gamma|omega|Delta|delta|Omega")
_EACH = re.compile(
    rf"\brespectively\b|\bfirst\s+and\s+(?:the\s+)?second\b|\bleft\s+and\s+(?:the\s+)?right\b|"
    rf"\b{_BODY}\s+(?:A\s+and\s+B|1\s+and\s+2|0\s+and\s+1)\b"
)


def of_sites(body: Body, found: Sequence[Assignment], further: Sequence[Assignment] = ()) -> list[Assignment]:
    """Symbols that are set for one body each get its letter; the others stay.

    Args:
        further: what is set once more in words; it counts only where it has an owner of its own.
    """
    every = [*_split(body, found), *further]
    owners = {place: owner for place, one in enumerate(every) if (owner := _owner(body.text, one))}
    known = {owner for place, owner in owners.items() if place < len(every) - len(further)}
    names = sorted({*owners.values()}, key=lambda name: _ORDER.index(name) if name in _ORDER else name)
    if len(names) == 1 and re.search(rf"\b(?!{names[0]}\b)[A-D]\b", re.sub(r"\bA\s+(?=[a-z])", " ", body.text)):
        others = re.findall(r"(?<![\w|])(?:qubit|resonator-qubit|atom|spin|_)\s*([A-D])\b", body.text)
        names = sorted({names[0], *others})
    if len(names) < 2:
        return list(every[: len(every) - len(further)])
    return [
        replace(one, name=f"{one.name}{'ABCD'[names.index(owners[place])]}") if place in owners else one
        for place, one in enumerate(every)
        if one not in further or (place in owners and owners[place] not in known)
    ]


def _owner(text: str, one: Assignment) -> str:
    """The name or the place of the body that a quantity belongs to; empty for none."""
    if not _OWN.fullmatch(one.key):
        return ""
    behind = _BEHIND.match(text, one.end)
    clause = re.split(
        r"[;.](?:\s|$)|,\s+(?=(?:and\s+)?(?:the\s+)?(?:qubit|second|first))", text[max(0, one.start - 60) : one.start]
    )[-1]
    before = list(_OWNER.finditer(clause))
    found = behind or (before[-1] if before else _pronoun(text, one.start))
    return (found["name"] or (found["order"] or "").lower() or found["plain"]) if found else ""


def _pronoun(text: str, place: int) -> re.Match[str] | None:
    """``qubit A rests while it keeps its phase for 2 us``: the subject in front of the pronoun."""
    sentence = re.split(r"[.?!]\s", text[max(0, place - 160) : place])[-1]
    return re.search(
        r"\b(?:(?:qubit|spin|atom|emitter)\s+)?(?P<name>[A-D])\b[^.;]*\b(?:it|its|that one)\b[^.;]*$", sentence
    ) and re.search(
        r"(?P<order>\bzzz\b)?(?P<plain>\bzzz\b)?(?<![\w|])(?P<name>[A-D])\b(?=[^.;]*\b(?:it|its)\b)", sentence
    )


def _split(body: Body, found: Sequence[Assignment]) -> list[Assignment]:
    """``T1 = 20 and 60 us for the first and the second qubit``: one value each."""
    said = count(body.plain, rf"{_BODY}|two-level (?:systems?|atoms?)")
    made: list[Assignment] = []
    for one in found:
        values = one.numbers.items
        sentence = next((s.text for s in body.sentences if s.start <= one.start < s.end), "")
        if (
            one.numbers.kind == "list"
            and said
            and len(values) == said[0]
            and _OWN.fullmatch(one.key)
            and _EACH.search(sentence)
        ):
            made += [
                replace(one, name=f"{one.name}{'ABCD'[k]}", numbers=replace(one.numbers, items=(value,), kind="single"))
                for k, value in enumerate(values[:4])
            ]
        else:
            made.append(one)
    return made
