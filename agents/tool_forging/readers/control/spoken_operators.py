"""Operators wherever they stand in a text, with the words in front of them and the qubits behind them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.operators import (
    Expression,
    Factor,
    Term,
    UnknownSymbol,
    expression_at,
)

# a Pauli letter or string, sigma_x, S_x, or an outer product
_ATOM = re.compile(
    r"(?<![A-Za-z_^\d.])(?:[XYZ]_?\{?\d?\}?(?![A-Za-z'])|[XYZI]{2,4}(?![A-Za-z])|sigma_?\^?\{?[xyz]|S_\{?[xyz]|"
    r"1\s*@\s*[XYZ])|"
    r"(?<=[\d.])[XYZ]{1,4}(?![A-Za-z])|\|[^|<>\s]{1,6}>\s*<[^|<>\s]{1,6}\||\ba\s*\^\s*\{?dag"
)
_GATE = re.compile(r"[- ](?:gate|rotation|basis|axis|component|direction|pulse\b)")
_NAMED = re.compile(r"(?<![\w|<])(?P<name>[A-Za-z]\w*(?:_\{[^{}]*\})?)\s*(?:\(t\))?\s*(?:=|:)\s*$")
_BREAKS = re.compile(r"[,;:=]|[A-Za-z]{3,}")
_WHERE = re.compile(
    r"\s*(?:\([^()]*\)\s*)?(?:acting\s+|acts\s+)?(?:on|of|for|at)\s+(?:the\s+)?(?P<where>each|every|both|all|"
    r"either|first|second|third|fourth|left|right|"
    r"(?:qubit|spin|atom|ion)s?\s*#?(?P<n>\w)\b|\d)",
    re.I,
)
_PLACES = {"first": 0, "left": 0, "second": 1, "right": 1, "third": 2, "fourth": 3}


@dataclass(frozen=True)
class Spoken:
    """An operator of the text.

    Attributes:
        expression: without places for bare operators of one qubit.
        name: symbol that it is given; empty for none.
        before: words in front of it, back to the operator before.
        where: qubits that it is said to act on; empty where nothing is said.
        each: whether it stands for one operator on each of `where`.
    """

    expression: Expression
    name: str
    before: str
    start: int
    end: int
    where: tuple[int, ...] = ()
    note: str = ""

    @property
    def bare(self) -> bool:
        """Whether it is one of a single qubit without a place of its own."""
        return all(f.site is None and not f.op.startswith("|") for t in self.expression.terms for f in t.factors)

    def on(self, site: int, width: int) -> Expression:
        """The same on one qubit of a register."""
        terms = tuple(
            Term(t.coefficient, tuple(Factor(f.op, site) for f in t.factors), width) for t in self.expression.terms
        )
        return Expression(terms, self.start, self.end)


def spoken_operators(
    text: str, values: Mapping[str, float], qubits: int, taken: Collection[tuple[int, int]], time_unit: str = ""
) -> list[Spoken]:
    """Every operator outside of `taken`, in order."""
    found: list[Spoken] = []
    last = 0
    for atom in _ATOM.finditer(text):
        if atom.start() < last or any(a <= atom.start() < b for a, b in taken) or _GATE.match(text, atom.end()):
            continue
        expression = _longest(text, atom, last, values, qubits == 0, time_unit)
        if expression is None:
            continue
        named = _NAMED.search(text[max(0, expression.start - 30) : expression.start])
        start = expression.start - (len(named[0]) if named else 0)
        before = text[last:start]
        made = Spoken(
            expression,
            named["name"] if named else "",
            before,
            expression.start,
            expression.end,
            (),
            text[expression.end : expression.end + 60],
        )
        found.append(made)
        last = expression.end
    return _placed(found, text, qubits)


def _longest(
    text: str, atom: re.Match[str], last: int, values: Mapping[str, float], ladder: bool, time_unit: str
) -> Expression | None:
    """The expression around an atom: as far to the left as coefficients and brackets go."""
    best: Expression | None = None
    for start in range(atom.start(), max(last, atom.start() - 40) - 1, -1):
        piece = text[start : atom.start()]
        words = re.sub(r"\b(?:sqrt|GHz|MHz|kHz|rad|half|sum\w*)\b|/\s*[num]?s\b", "", piece)
        if _BREAKS.search(words) and not re.fullmatch(r"sum_?\{?\w?[^ ]*\s*", piece.strip()):
            break
        if start and re.match(r"[\w.|<]", text[start - 1]) and re.match(r"[\w.>]", text[start]):
            continue
        if text[start].isspace():
            continue
        try:
            made = expression_at(text, start, values, ladder, time_unit)
        except UnknownSymbol:
            continue
        whole = made is not None and made.end >= atom.end() and any(t.factors for t in made.terms)
        if whole and made is not None and (best is None or made.end >= best.end):
            best = made
    return best


def _placed(found: list[Spoken], text: str, qubits: int) -> list[Spoken]:
    """Places for bare operators: ``X and Y on each qubit`` speaks for both, so places are handed back to the front."""
    numbers = {int(m["n"]) for one in found if (m := _WHERE.match(text, one.end)) and (m["n"] or "").isdigit()}
    numbers |= {int(m[1]) for m in re.finditer(r"\bqubits?\s*#?(\d)\b", text)}
    base = 0 if 0 in numbers or not numbers else 1
    made: list[Spoken] = []
    where: tuple[int, ...] = ()
    for one in reversed(found):
        match = _WHERE.match(text, one.end)
        if match:
            where = _qubits(match, qubits, base)
        elif made and not re.fullmatch(r"\s*(?:,|and|or|&|,\s*and)\s*", made[-1].before):
            where = ()
        made.append(
            Spoken(one.expression, one.name, one.before, one.start, one.end, where if one.bare else (), one.note)
        )
    return made[::-1]


def _qubits(match: re.Match[str], qubits: int, base: int) -> tuple[int, ...]:
    word = match["where"].lower()
    if word in {"each", "every", "both", "all", "either"}:
        return tuple(range(qubits))
    if word in _PLACES:
        return (_PLACES[word],)
    name = match["n"] or word
    if name.isdigit():
        return (int(name) - base,)
    return (
        (ord(name.upper()) - ord("A"),)
        if len(name) == 1 and name.upper() <= "D"
        else tuple(range(qubits))
        if name == "s"
        else ()
    )
