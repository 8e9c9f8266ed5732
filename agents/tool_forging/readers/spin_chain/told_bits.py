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
    rf"|\b(?P<middle>(?:middle|cent(?:re|er|ral)(?:most)?)\b(?:\s+{_THING})?)"
    rf"|\b(?P<parity>odd|even)(?:[- ]numbered)?\s+{_THING}",
    re.I,
)
_WAY = re.compile(r"\b(?P<up>up(?:wards?)?)\b|\b(?P<down>down(?:wards?)?)\b|(?P<zero>\|\s*0\s*>)|"
    r"(?P<one>\|\s*1\s*>)|\b(?P<flip>flipped|excited|inverted)\b|"
                  r"Z\s*=\s*(?P<sign>[+-]?)\s*1\b")  # fmt: skip
_PARTIAL = re.compile(
    r"\b(?:first \w+ (?:spins?|qubits?|sites?|ions?)|last \w+ (?:spins?|qubits?|sites?)|half|"
    r"others?|rest|remaining|except|apart|middle|only)\b",
    re.I,
)


def told_bits(text: str, n: int) -> str | None:
    """The bits of a start that is told spin by spin; None where it is not, empty where it is told in part only."""
    letters = [""] * n
    rest = ""
    pending: list[re.Match[str]] = []
    flipped = False
    marks = sorted([*_WHO.finditer(text), *_WAY.finditer(text)], key=lambda one: one.start())
    last = 0
    for mark in marks:
        if mark.re is _WHO:
            if re.search(r"[.;]\s", text[last : mark.start()]):
                pending = []
            pending.append(mark)
            last = mark.end()
            continue
        if (
            not pending
            or mark.start() - pending[-1].end() > 60
            or re.search(r"[.;]\s", text[pending[-1].end() : mark.start()])
        ):
            pending = []
            continue
        bit = _bit(mark)
        flipped |= mark["flip"] is not None
        for who in pending:
            if who["rest"]:
                rest = bit
                continue
            for site in _sites(who, n, text):
                if 0 <= site < n:
                    letters[site] = bit
        pending = []
    if not any(letters):
        return None
    rest = rest or ("0" if flipped and not all(letters) else "")
    letters = [one or rest for one in letters]
    return "".join(letters) if all(letters) else ""


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
        return (n // 2,)
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
