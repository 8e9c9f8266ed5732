"""Sums and products of kets with coefficients: ``(1/2)(|gg> + sqrt(3) |ee>)``, ``|+> @ (|0> - i |1>)/sqrt(2)``."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Mapping

from labwright.agents.tool_forging.readers.language.scalars import key, scalar_at

Kets = dict[str, complex]  # what stands in each ket -> its coefficient; kets side by side are joined by commas

_KET = re.compile(r"\|\s*(?P<inner>[^|<>\n]{1,12}?)\s*>(?!\s*<)")
_MATH = (
    r"(?:sqrt|cos|sin|exp|pi|i(?![a-z])|e(?=\s*\^)|\d+\.?\d*|\.\d+|[()\[\]{}*/^+-]|(?:alpha|beta|theta|phi)(?![a-z]))"
)
_LEAD = re.compile(rf"(?:{_MATH}\s*)+$")
_TOKEN = re.compile(rf"{_MATH}\s*")
_PHASE = re.compile(
    r"(?:e\s*\^\s*[{(]|exp\s*[({])\s*(?P<sign>-?)"
    r"(?:\s*i\s*\*?\s*(?P<angle>(?:[^{}()]|\([^()]*\))+)|(?P<front>(?:[^{}()]|\([^()]*\))+?)\s*\*?\s*i\s*)[)}]"
)
_MORE = re.compile(r"\s*[+-](?:[^|<>\n.;]|\.(?=\d)){0,30}\|[^|<>\n]{1,12}>(?!\s*<)")


def state_near(text: str, position: int, names: Mapping[str, float]) -> tuple[Kets, int, int] | None:
    """The sum of the first ket behind `position`, with where it begins and ends; None if there is none, or if a part
    of it is not understood."""
    ket = _KET.search(text, position)
    if ket is None or text[max(0, ket.start() - 1) : ket.start()] == "<":
        return None
    lead = _LEAD.search(text, position, ket.start())
    starts = (
        [ket.start()]
        if lead is None
        else [*(one.start() for one in _TOKEN.finditer(text, lead.start(), ket.start())), ket.start()]
    )
    for start in starts:
        parser = _Parser(text, start, names)
        kets = parser.sum()
        if kets and parser.at > ket.start():
            return None if _MORE.match(text, parser.at) else (kets, start, parser.at)
    return None


def ket_sums(text: str, names: Mapping[str, float]) -> list[tuple[int, int]]:
    """Where sums of at least two kets stand."""
    found, place = [], 0
    while near := state_near(text, place, names):
        place = near[2]
        if len(near[0]) > 1:
            found.append(near[1:])
    return found


class _Parser:
    """Recursive descent over sums, products and brackets."""

    def __init__(self, text: str, at: int, names: Mapping[str, float]) -> None:
        self.text, self.at, self.names = text, at, names

    def space(self) -> None:
        while self.text[self.at : self.at + 1] in {" ", "\t"} and self.at < len(self.text):
            self.at += 1

    def peek(self) -> str:
        self.space()
        return self.text[self.at : self.at + 1]

    def sum(self) -> Kets | None:
        total: Kets = {}
        good = self.at
        sign = 1
        while True:
            if self.peek() in {"+", "-"}:
                sign, self.at = (-1 if self.peek() == "-" else 1), self.at + 1
            elif total:
                break
            term = self.term()
            if term is None:
                self.at = good
                return total or None
            for ket, factor in term.items():
                total[ket] = total.get(ket, 0j) + sign * factor
            good, sign = self.at, 1
        self.at = good
        return total

    def term(self) -> Kets | None:
        factor = self.coefficient()
        made = None if factor is None else self.product()
        if made is None or factor is None:
            return None
        below = re.compile(r"\s*/\s*").match(self.text, self.at)
        value = scalar_at(self.text, below.end(), []) if below else None
        if value is not None:
            self.at = value.end
            factor /= value.value({})
        return {ket: factor * one for ket, one in made.items()}

    def coefficient(self) -> complex | None:
        """What stands in front of a ket or of a bracket with kets; None if it is no number."""
        self.space()
        end = self._group()
        text = self.text[self.at : end].strip().strip("*").strip()
        self.at = end
        return _value(text, self.names)

    def _group(self) -> int:
        """Where the next ket, or the bracket around it, begins."""
        ket = _KET.search(self.text, self.at)
        if ket is None:
            return self.at
        depth = []
        for place in range(self.at, ket.start()):
            if self.text[place] in "([{":
                depth.append(place)
            elif self.text[place] in ")]}" and depth:
                depth.pop()
        return depth[0] if depth else ket.start()

    def product(self) -> Kets | None:
        made = self.factor()
        while made is not None:
            joined = re.compile(r"\s*@?\s*(?=\||[(\[]\s*[\w./*^()-]*\s*\|)").match(self.text, self.at)
            before = self.at
            if joined is None:
                return made
            self.at = joined.end()
            other = self.factor()
            if other is None:
                self.at = before
                return made
            made = {f"{a},{b}": x * y for a, x in made.items() for b, y in other.items()}
        return made

    def factor(self) -> Kets | None:
        ket = _KET.match(self.text, self.at)
        if ket:
            self.at = ket.end()
            return {ket["inner"]: 1 + 0j}
        if self.peek() not in {"(", "["}:
            return None
        self.at += 1
        inner = self.sum()
        if inner is None or self.peek() not in {")", "]"}:
            return None
        self.at += 1
        below = re.compile(r"\s*/\s*").match(self.text, self.at)
        value = scalar_at(self.text, below.end(), []) if below else None
        if value is None:
            return inner
        self.at = value.end
        return {one: factor / value.value({}) for one, factor in inner.items()}


def _value(text: str, names: Mapping[str, float]) -> complex | None:
    """A complex number: arithmetic with ``i`` and phases."""
    if not text:
        return 1.0
    if text in {"i", "j"}:
        return 1j
    phase = _PHASE.search(text)
    if phase:
        rest = _value((text[: phase.start()] + text[phase.end() :]).strip(" *"), names)
        angle = scalar_at(phase["angle"] or phase["front"], 0, names)
        if rest is None or angle is None or angle.value_or_none(names) is None:
            return None
        return rest * cmath.exp((-1j if phase["sign"] else 1j) * angle.value(names))
    imaginary = re.fullmatch(
        r"(?:i\s*\*?\s*(?P<behind>[^a-z].*|sqrt.*|cos.*|sin.*)|(?P<front>.*[^a-z])\s*\*?\s*i)", text
    )
    if imaginary:
        rest = _value((imaginary["behind"] or imaginary["front"]).strip(" *"), names)
        return None if rest is None else 1j * rest
    item = scalar_at(text, 0, {key(name) for name in names})
    if item is None or item.end < len(text):
        return None
    value = item.value_or_none(names)
    return None if value is None or not math.isfinite(value) else complex(value)
