"""Spins up and down by who is named: ``the first six up, the others down``, ``all up but the middle one``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from labwright.agents.tool_forging.readers.language.numbers import integer

_THING = r"(?:spins?|qubits?|ions?|sites?|atoms?|particles?|ones?|of them)"
_WHO = re.compile(
    rf"\b(?P<all>(?:all|every|each)\b(?!\s+others?)(?:\s+(?:of\s+)?(?:the|them|its))?(?:\s+\w+)?(?:\s+{_THING})?)"
    rf"|\b(?:the\s+)?first\s+(?P<first>\w+)(?:\s+{_THING})?|\b(?:the\s+)?last\s+(?P<last>\w+)(?:\s+{_THING})?"
    r"|\b(?P<left>left(?:most)?[- ]half)|\b(?P<right>right(?:most)?[- ]half)|\b(?P<firsthalf>first half)|"
    r"\b(?P<lasthalf>(?:second|other|last) half)"
    r"|\b(?P<rest>(?:all\s+)?(?:the\s+)?(?:others?|rest|remaining|remainder))\b"
    rf"|\b{_THING}\s*(?P<low>\d+)\s*(?:-|to|through|\.\.\.?)\s*(?P<high>\d+)\b"
    rf"|\b(?:{_THING}|number)\s*(?P<list>\d+(?:\s*(?:,|and)+\s*\d+)*)\b"
    rf"|\b(?P<middle>(?:middle|cent(?:re|er|ral)(?:most)?)\b(?:\s+(?P<many>two|three|four|2|3|4))?(?:\s+{_THING})?)"
    rf"|\b(?P<parity>odd|even)(?:[- ]numbered)?\s+{_THING}",
    re.I,
)
_WAY = re.compile(r"\b(?P<up>up(?:wards?)?)\b|\b(?P<down>down(?:wards?)?)\b|(?P<zero>\|\s*0\s*>)|"
    r"(?P<one>\|\s*1\s*>)|\b(?P<flip>flipped|excited|inverted)\b|"
                  r"Z\s*=\s*(?P<sign>[+-]?)\s*1\b")  # fmt: skip
_PARTIAL = re.compile(
    r"\b(?:first \w+ (?:spins?|qubits?|sites?|ions?)|last \w+ (?:spins?|qubits?|sites?)|half|"
    r"others?|rest|remaining|except|apart|middle|only|some|(?:first|last) (?:two|three|four|five|six|\d+))\b",
    re.I,
)


_TOGETHER = re.compile(r"\s*(?:,|and|&|as well as|or|plus|\s)*\s*(?:the\s+|of\s+)?")  # between names of one group
_BUT = re.compile(
    r"\b(?:but|except(?:ing)?|apart from|save|other than|excluding)\s+(?:for\s+)?(?:only\s+)?(?:the\s+|"
    r"that\s+)?(?:on\s+)?$",
    re.I,
)
_FAR = 60  # characters between spins and what they do


def told_bits(text: str, n: int) -> str | None:
    """The bits of a start that is told spin by spin; None where it is not, empty where it is told in part only."""
    letters = [""] * n
    rest = before = ""
    pending: list[re.Match[str]] = []
    flipped = False
    for mark in sorted([*_WHO.finditer(text), *_WAY.finditer(text)], key=lambda one: one.start()):
        if mark.re is _WHO:
            if pending and not _TOGETHER.fullmatch(text, pending[-1].end(), mark.start()):
                pending = []
            if before and _BUT.search(text[max(0, mark.start() - 30) : mark.start()]) and not mark["rest"]:
                _set(letters, mark, "10"[int(before)], n, text)  # "all up but the last"
            pending.append(mark)
            continue
        if not pending or _apart(text, pending[-1].end(), mark.start()):
            pending = []
            continue
        before = _bit(mark)
        flipped |= mark["flip"] is not None
        for who in pending:
            if who["rest"]:
                rest = before
            else:
                _set(letters, who, before, n, text)
        pending = []
    if not any(letters):
        return None
    rest = rest or ("0" if flipped and not all(letters) else "")
    letters = [one or rest for one in letters]
    return "".join(letters) if all(letters) else ""


def _set(letters: list[str], who: re.Match[str], bit: str, n: int, text: str) -> None:
    for site in _sites(who, n, text):
        if 0 <= site < n:
            letters[site] = bit


def _apart(text: str, start: int, end: int) -> bool:
    return end - start > _FAR or bool(re.search(r"[.;]\s", text[start:end]))


_SEQUENCE = re.compile(
    r"(?:\b(?:(?:sites?|spins?|qubits?|ions?|atoms?)\s*\d+\s*(?:is\s+|points?\s+|:\s*)?)?(?:up|"
    r"down)\b[\s,;-]*(?:and\s+(?!so\b))?){3,}"
    r"(?P<more>\.\.\.|and so on|and so forth|etc|alternat\w+)?",
    re.I,
)


def repeated_bits(text: str, n: int) -> str | None:
    """The bits of ``up, down, up, down, ...`` or of ``spin 0 down, spin 1 up, ... alternating``."""
    for match in _SEQUENCE.finditer(text):
        bits = "".join("0" if one.lower() == "up" else "1" for one in re.findall(r"\b(?:up|down)\b", match[0], re.I))
        sites = [int(one) for one in re.findall(r"\d+", match[0])]
        if sites and sites != list(range(sites[0], sites[0] + len(bits))):
            continue
        if len(bits) == n:
            return bits
        if match["more"] and len(bits) < n:
            size = next(k for k in range(1, len(bits) + 1) if (bits[:k] * len(bits))[: len(bits)] == bits)
            return (bits[:size] * n)[:n]
    return None


def partial(text: str) -> bool:
    """Whether a text speaks of some of the spins."""
    return bool(_PARTIAL.search(text))


def _bit(mark: re.Match[str]) -> str:
    if mark["sign"] is not None:
        return "1" if mark["sign"] == "-" else "0"
    return "0" if mark["up"] or mark["zero"] else "1"


def _sites(who: re.Match[str], n: int, text: str) -> Iterable[int]:
    if who["all"]:
        return range(n)
    if who["left"] or who["firsthalf"]:
        return range(n // 2)
    if who["right"] or who["lasthalf"]:
        return range(n // 2, n)
    if who["middle"]:
        many = integer(who["many"] or "") or 1
        first = (n - many + 1) // 2
        return range(first, first + many)
    if who["first"] or who["last"]:
        many = integer(who["first"] or who["last"]) or 1
        return range(many) if who["first"] else range(n - many, n)
    if who["parity"]:
        return range(who["parity"].lower() == "odd", n, 2)
    return _numbered(who, n, text)


def _numbered(who: re.Match[str], n: int, text: str) -> Iterable[int]:
    numbers = [int(one) for one in re.findall(r"\d+", who["list"] or "")] or [int(who["low"]), int(who["high"])]
    one = bool(re.search(r"count\w* from (?:1|one)\b|numbered (?:from )?1\b|sites? 1 to \d", text)) or n in numbers
    numbers = [number - one for number in numbers]
    return numbers if who["list"] else range(numbers[0], numbers[1] + 1)
