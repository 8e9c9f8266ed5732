"""Operators wherever they stand in a text, with the words in front of them and the qubits behind them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

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
# a name of what stands behind it: ``X1: 0.5 XI``, ``Z(t) =``
_IS_NAME = re.compile(r"\s*(?:\(t\))?\s*(?::|=(?!=))")
_ROLES = r"(?:drives?|controls?|drift|knobs?|fields?|pulses?)\b"
_KEYED = re.compile(
    rf"(?:^|\n)[ \t]*(?:[-*][ \t]+)?(?:(?:control|drive|H)[ \t]+)?(?P<key>(?!{_ROLES})\w{{1,6}})[ \t]*:[ \t]*$", re.I
)
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
        symbol: what it is set to, such as ``Hx`` in ``x: Hx = X``, whatever its name.
        each: whether it stands for one operator on each of `where`.
    """

    expression: Expression
    name: str
    before: str
    start: int
    end: int
    where: tuple[int, ...] = ()
    note: str = ""
    symbol: str = ""

    @property
    def bare(self) -> bool:
        """Whether it is one of a single qubit without a place of its own."""
        return all(f.site is None and not f.op.startswith("|") for t in self.expression.terms for f in t.factors)

    def spread(self, width: int) -> Expression | None:
        """A product of as many bare operators as there are qubits, one on each; None if it is none."""
        terms = self.expression.terms
        if width < 2 or any(len(t.factors) != width or t.summed is not None for t in terms):
            return None
        made = tuple(Term(t.coefficient, tuple(Factor(f.op, k) for k, f in enumerate(t.factors)), width) for t in terms)
        return Expression(made, self.start, self.end)

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
        if atom.start() < last or any(a <= atom.start() < b for a, b in taken):
            continue
        if _GATE.match(text, atom.end()) or _IS_NAME.match(text, atom.end()):
            continue
        expression = _longest(text, atom, last, values, qubits == 0, time_unit)
        if expression is None:
            continue
        named = _NAMED.search(text[max(0, expression.start - 30) : expression.start])
        named = None if named and re.fullmatch(_ROLES, named["name"], re.I) else named
        start = expression.start - (len(named[0]) if named else 0)
        keyed = _KEYED.search(text[max(0, start - 30) : start]) if named else None
        name = keyed["key"] if keyed else named["name"] if named else _amplitude(text[max(0, start - 30) : start])
        before = text[last:start]
        made = Spoken(
            expression,
            name,
            before,
            expression.start,
            expression.end,
            (),
            text[expression.end : expression.end + 60],
            named["name"] if named else "",
        )
        found.append(made)
        last = expression.end
    return _placed(found, text, qubits)


def _amplitude(before: str) -> str:
    """``ux(t) times`` in front of an operator names it x."""
    found = re.search(r"(?<!\w)(?P<u>[A-Za-z]\w{0,5})\s*\(t\)\s*(?:times|multiplies|\*)?\s*$", before)
    if found is None:
        return ""
    return found["u"][1:] if found["u"][0] == "u" and len(found["u"]) > 1 else found["u"]


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


def explicit(found: list[Spoken], text: str) -> tuple[list[Spoken], list[tuple[int, int]]]:
    """Without operators that the formula in brackets behind them writes out: ``X on qubit 1, halved (X1/2)``; and these
    words."""
    made: list[Spoken] = []
    aside: list[tuple[int, int]] = []
    for one in found:
        before = made[-1] if made else None
        between = text[before.end : one.start] if before else ""
        bracketed = text[one.start : one.start + 1] == "(" and bool(re.fullmatch(r"[^\n.;()]{0,40}", between))
        if before is not None and before.name and bracketed:
            made[-1] = replace(one, name=before.name, before=before.before)
            aside.append((before.start, one.end))
        else:
            made.append(one)
    return made, aside


def first_qubit(found: list[Spoken], text: str) -> int:
    """The number of the first qubit in the text, 0 or 1."""
    numbers = {int(m["n"]) for one in found if (m := _WHERE.match(text, one.end)) and (m["n"] or "").isdigit()}
    numbers |= {int(m[1]) for m in re.finditer(r"\bqubits?\s*#?(\d)\b", text)}
    return 0 if 0 in numbers or not numbers else 1


def _placed(found: list[Spoken], text: str, qubits: int) -> list[Spoken]:
    """Places for bare operators: ``X and Y on each qubit`` speaks for both, so places are handed back to the front."""
    base = first_qubit(found, text)
    made: list[Spoken] = []
    where: tuple[int, ...] = ()
    for one in reversed(found):
        match = _WHERE.match(text, one.end)
        if match:
            where = _qubits(match, qubits, base)
        elif made and not re.fullmatch(r"\s*(?:,|and|or|&|,\s*and)\s*", made[-1].before):
            where = ()
        made.append(replace(one, where=where if one.bare else ()))
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
