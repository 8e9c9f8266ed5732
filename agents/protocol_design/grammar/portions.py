"""How much of what goes into a vial: total volume, what fills up, doses, ratios, pairings, replicates."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from labwright.agents.protocol_design.grammar.amounts import COUNTS, Amounts
from labwright.agents.protocol_design.grammar.marked import Marked
from labwright.agents.protocol_design.grammar.stocks import A, C, dimension_of

X = r"<[CFS]\d+>"
_COUNT = "|".join(COUNTS)
_TOTAL = (
    rf"(?:total|final|overall|end)(?:\s+\w+)?\s+volume(?:\s+(?:of|each|every|in|per|the|sample|samples|mixture|vial|reaction|is|are|will|should|be|to|kept|at|for|being))*\s+(?P<a>{A})",
    rf"(?P<a>{A})\s+(?:(?:to|as|is|should|will|be|being|the)\s+)*(?:total|final|overall)(?:\s+\w+)?\s+volume",
    rf"remaining\s+(?P<a>{A})(?:\s+of)?(?:\s+volume)?",
    rf"\b(?:fill\w*|dilut\w+|ma[dk]es?|brings?|brought|top\w*|add\w*)\b[^.]*?\bto\s+(?:(?:a|the)\s+(?:mark|volume)\s+of\s+)?(?P<a>{A})",
    rf"(?P<a>{A})\s*,?\s*(?:each|apiece|per\s+(?:vial|sample)|in\s+(?:each|every)\s+vial|in\s+total)\b",
    rf"(?:vials?|samples?|solutions?|mixtures?|standards?)\s+(?:of|with|have|has|is|are)\s+(?P<a>{A})\s*(?:[.,]|$)",
)
_FILLS = (
    rf"\b(?:fill\w*|top\w*|dilut\w+|ma[dk]e\s+(?:\w+\s+){{0,3}}?up|bring|brought)\b[^.]*?\bwith\s+(?P<x>{X})",
    rf"\b(?:remainder|rest|balance|remaining)\b[^.]*?\b(?:being|is|are|be|of|with|as)\s+(?:the\s+)?(?P<x>{X})",
    rf"(?P<x>{X})\s+(?:is\s+|are\s+)?(?:added\s+)?(?:up\s+)?to\s+(?:(?:a|the)\s+)?(?:total|final)",
    rf"(?P<x>{X})\s+(?:for|as|(?:makes?|making|is|forms?|forming)(?:\s+up)?)\s+(?:the\s+)?(?:remainder|rest|balance)\b",
    rf"(?P<x>{X})\s+(?:then\s+)?(?:fills|tops|makes|brings)\b[^.<]*?\bup\b",
    rf"\bwith\s+(?P<x>{X})\s+(?:making|filling|as\s+the\s+(?:rest|remainder|balance))",
    rf"\bdissolv\w*\b[^.]*?\bin\s+(?P<x>{X})",
)
# "4 vials with dye 1 and 3 at 5 mg": members of a set by their number, and their amounts.
_LABELLED = (
    rf"(?:(?P<n>{A})\s+\w+\s+(?:with|of|for)\s+(?:each\s+of\s+)?)?(?P<f><F\d+>)\s+(?P<l>{A})\s*,?"
    rf"(?P<rest>(?:(?!(?<!\bof )<F\d+>).)*?)(?=(?:,|,?\s+and)\s+{A}\s+\w+\s+(?:with|of|for)\s+<F|[.]|$)"
)
# What may stand between a name and its amount.
_BETWEEN = (
    "is|are|was|be|been|will|should|must|may|can|set|kept|held|constant|loaded|loading|loadings|used|present|at|to|a|an|of|with|having|in"
    "|concentration|concentrations|amount|amounts|level|levels|solution|solutions|standards|samples|series|dispensed|varied"
    "|different|following|the|each|add|added|get|gets|contain|contains|containing|have|has|its|catalyst|we|target|as|for|prepared|mixture|from|between"
    "|takes|values|varies|vary|over|runs|through|levels|loaded|reaches|final"
)
_DOSES = (
    rf"(?P<a>{A})(?:\s+(?:each|portions?))?(?:\s+(?:of|loading\s+of|loadings\s+of))?(?:\s+(?:one\s+of|any\s+of|the|these|following|a|an|each|every|both|liquid|solid|pure|neat))*\s+(?P<x>{X})",
    rf"(?P<x>{X})(?:\s+in\s+{C})?(?:[\s,:(]+(?:{_BETWEEN})\b)*[\s,:(]+(?P<a>{A})",
)
# A sentence whose only substance is a stock states how much of its solute is wanted.
_TARGETED = rf"^[^<]*(?P<a>{A})[^<]*\b(?:added|dispensed|supplied)\s+(?:as|from)\s+(?:an?\s+)?(?P<x><S\d+>)[^<]*$"
DOSED = {
    "mass": "mass",
    "volume": "volume",
    "moles": "moles",
    "molarity": "molarity",
    "density": "fraction",
    "fraction": "fraction",
}


@dataclass(frozen=True, slots=True)
class Labelled:
    """Members of a set (numbered from 1), the marks of their amounts, and how many samples the text promises."""

    factor: str
    members: tuple[int, ...]
    amounts: tuple[str, ...]
    count: int | None


@dataclass
class Found:
    """What the sentences say about amounts.

    Attributes:
        doses: (mark of the substance, mark of the amount).
        fills: marks of what may fill up, the likeliest first.
        shares: (first mark, second mark, mark of the ratios, mark of the total molarity or None).
        only: (marks on the left, marks they are limited to).
    """

    total: Amounts | None = None
    fills: list[str] = field(default_factory=list)
    doses: list[tuple[str, str]] = field(default_factory=list)
    shares: list[tuple[str, str, str, str | None]] = field(default_factory=list)
    only: list[tuple[list[str], list[str]]] = field(default_factory=list)
    labelled: list[Labelled] = field(default_factory=list)
    replicates: int = 1
    limited: list[str] = field(default_factory=list)  # sentences whose "only" and "half" were read


def read_portions(text: Marked, sentences: list[str]) -> Found:
    """Amounts of the sentences, in an order in which what is surer comes first."""
    found = Found()
    for sentence in sentences:
        _only(text, sentence, found)
        _label(text, sentence, found)
        _shares(text, sentence, found)
        _replicates(text, sentence, found)
    for sentence in sentences:
        _total(text, sentence, found)
        _fill(text, sentence, found)
    for sentence in sentences:
        for match in re.finditer(_TARGETED, sentence, re.IGNORECASE):
            _dose(text, match, found)
        for pattern in _DOSES:
            for match in re.finditer(pattern, sentence, re.IGNORECASE):
                _dose(text, match, found)
    return found


def _total(text: Marked, sentence: str, found: Found) -> None:
    for pattern in _TOTAL:
        for match in re.finditer(pattern, sentence, re.IGNORECASE):
            mark = match["a"][1:-1]
            item = text.amount(mark)
            known = found.total
            agrees = known is None or (known.values, known.unit) == (item.values, item.unit)
            if agrees and mark not in text.used and dimension_of(item.unit) == "volume" and len(item.values) == 1:
                found.total = known or item
                text.use(mark)


def _fill(text: Marked, sentence: str, found: Found) -> None:
    for pattern in _FILLS:
        for match in re.finditer(pattern, sentence, re.IGNORECASE):
            found.fills.append(match["x"][1:-1])
            text.use(found.fills[-1])


def _dose(text: Marked, match: re.Match[str], found: Found) -> None:
    mark, item = match["a"][1:-1], text.amount(match["a"][1:-1])
    substance = match["x"][1:-1]
    if mark in text.used:
        return
    if item.unit in ("equiv", "mol%") or dimension_of(item.unit) in DOSED:
        found.doses.append((substance, mark))
        text.use(mark, substance)


def _label(text: Marked, sentence: str, found: Found) -> None:
    for match in re.finditer(_LABELLED, sentence, re.IGNORECASE):
        labels = text.amount(match["l"][1:-1])
        marks = tuple(mark[1:-1] for mark in re.findall(A, match["rest"]))
        plain = labels.unit == "" and labels.form == "list" and all(value % 1 == 0 for value in labels.values)
        sized = bool(marks) and all(text.amount(mark).unit and len(text.amount(mark).values) == 1 for mark in marks)
        shared = len(marks) == 1 or len(re.findall(r"\bhalf\b", match["rest"], re.IGNORECASE)) == len(marks)
        if not (plain and sized and shared) or len({text.amount(mark).unit for mark in marks}) != 1:
            continue
        count = text.amount(match["n"][1:-1]) if match["n"] else None
        number = int(count.values[0]) if count and not count.unit and len(count.values) == 1 else None
        members = tuple(int(value) for value in labels.values)
        found.labelled.append(Labelled(match["f"][1:-1], members, marks, number))
        found.limited.append(sentence)
        text.use(match["l"][1:-1], match["f"][1:-1], *marks, match["n"][1:-1] if number else None)


def _only(text: Marked, sentence: str, found: Found) -> None:
    names = rf"(?:{X})(?:(?:\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|or)\s+)(?:{X}))*"
    pattern = (
        rf"(?P<l>{names})\s+(?:should|must|may|can|is|are|will)?\s*(?:be\s+)?(?:\w+ed\s+)?only\s+"
        rf"(?:be\s+)?(?:\w+\s+){{0,2}}?(?:with|in)\s+(?P<r>{names})"
    )
    for match in re.finditer(pattern, sentence, re.IGNORECASE):
        left, right = ([mark[1:-1] for mark in re.findall(X, match[side])] for side in ("l", "r"))
        text.use(*left, *right)
        found.only.append((left, right))
        found.limited.append(sentence)


def _shares(text: Marked, sentence: str, found: Found) -> None:
    """Ratios of two substances, by volume or by moles."""
    pair = rf"(?P<x>{X})\s+(?:and|to|with|:)\s+(?:the\s+|one\s+of\s+(?:the\s+)?)?(?P<y>{X})"
    if not re.search(r"\bratios?\b", sentence, re.IGNORECASE) or not (
        match := re.search(pair, sentence, re.IGNORECASE)
    ):
        return
    behind = re.search(r"\bratios?\b", sentence, re.IGNORECASE)
    assert behind is not None
    marks = [mark[1:-1] for mark in re.findall(A, sentence[behind.end() :])]
    ratio = next((m for m in marks if text.amount(m).unit in ("ratio", "") and m not in text.used), None)
    if ratio is None:
        return
    by_moles = re.search(r"\bmolar\b|\bmol(?:e|es)? ratio", sentence, re.IGNORECASE)
    total = next((m for m in marks if dimension_of(text.amount(m).unit) == "molarity"), None) if by_moles else None
    by_volume = re.search(r"\bvolum|\bv/v\b", sentence, re.IGNORECASE) and text.amount(ratio).unit == "ratio"
    if bool(by_moles) != bool(total) or not (by_moles or by_volume):
        return
    text.use(ratio, total, match["x"][1:-1], match["y"][1:-1])
    found.shares.append((match["x"][1:-1], match["y"][1:-1], ratio, total))


def _replicates(text: Marked, sentence: str, found: Found) -> None:
    words = {"duplicate": 2, "triplicate": 3, "quadruplicate": 4, "twice": 2}
    for match in re.finditer(
        r"\b(?:in\s+)?(duplicate|triplicate|quadruplicate|twice)s?\b(?!\s+as)", sentence, re.IGNORECASE
    ):
        found.replicates = words[match[1].lower()]
    pattern = (
        rf"\b(?P<n>{_COUNT}|{A})\s+"
        r"(?:replicates|repeats|copies|times|(?:vials|samples|reactions)\s+(?:of|for|per)\s+each|of\s+each)\b"
    )
    for match in re.finditer(pattern, sentence, re.IGNORECASE):
        if match["n"].startswith("<"):
            item = text.amount(match["n"][1:-1])
            if item.unit or len(item.values) != 1 or item.values[0] < 1:
                continue
            text.use(match["n"][1:-1])
            found.replicates = int(item.values[0])
        else:
            found.replicates = COUNTS[match["n"].lower()]
