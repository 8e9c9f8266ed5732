"""Operator expressions of a task: ``X + 0.5 * Z``, ``sqrt(gamma) * sigmam()``, ``g (a^dag sigma_- + h.c.)``.

Numbers are put in for the symbols while reading, so the result is a plain sum of products.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from labwright.agents.tool_forging.readers.language.products import (
    AtTime,
    Expression,
    Factor,
    Term,
    UnknownSymbol,
    adjoint,
    multiplied,
    scalar_of,
    tensored,
)
from labwright.agents.tool_forging.readers.language.scalars import FUNCTIONS, is_symbol, key
from labwright.agents.tool_forging.readers.language.units import angular, kind, unit_at

__all__ = ["Expression", "Factor", "Term", "UnknownSymbol", "adjoint", "expression_at"]
# letters of an operator in texts -> its name here
_AXES = {"x": "X", "y": "Y", "z": "Z", "+": "P", "p": "P", "-": "M", "m": "M"}


_INDEX = r"(?:[ijklnm](?:\s*[+-]\s*\d)?|\d+|[A-Z](?![A-Za-z_]))"
_SITE = rf"(?:\{{\(?{_INDEX}\)?\}}|\({_INDEX}\)|[ijklnm]|\d+|[A-Z](?![A-Za-z_]))"
_OPERATOR = re.compile(
    r"(?P<letter>sigma|tau|S|s)(?:"
    rf"_\{{?(?P<axis1>[xyz+-])\}}?(?:(?:\^|_)?(?P<site1>{_SITE}))?(?![A-Za-z])"
    rf"|\^\{{?(?P<axis2>[xyz+-])\}}?(?:_(?P<site2>{_SITE}))?"
    rf"|_(?P<site3>{_SITE})\^\{{?(?P<axis3>[xyz+-])\}}?"
    r"|_\{(?P<axis4>[xyz+-])\s*,?\s*(?P<site4>\w+(?:[+-]\d)?)\}|_\{(?P<site5>\w+(?:[+-]\d)?)\s*,\s*(?P<axis5>[xyz+-])\}"
    r"|_(?P<axis7>[xyz])(?P<site7>\d)"
    r"|(?P<axis6>[xyzpm])(?P<site6>_?\d+|_[A-Z])?(?:\(\s*(?P<site8>\d*)\s*\))?(?![A-Za-z(]))"
    rf"|(?P<pauli>[XYZ])(?:_(?P<psite>{_SITE})|\^\{{?\((?P<psite2>\d+)\)\}}?|(?P<psite3>\d+)|"
    rf"\[(?P<psite4>\w+)\]|(?![A-Za-z]))(?![a-z])"
    r"|(?P<string>[XYZI]{2,})(?![A-Za-z_])"
    r"|(?P<identity>I|id|1l|\\?mathbb1)(?:_\w+)?(?![A-Za-z(])|(?P<eye>qeye)\(\s*\d*\s*\)"
    r"|(?P<lower>(?:a|b|destroy\([^)]*\)))(?:_(?P<lsite>\w+))?(?P<dagger>\s*\^\s*\{?dag\}?|\.dag\(\))?(?![A-Za-z])"
    r"|(?P<create>(?:adag|create\([^)]*\)))|(?P<number>num\([^)]*\)|n_?hat)"
    r"|\|(?P<ket>[^|<>]{1,12})>\s*<(?P<bra>[^|<>]{1,12})\|(?:_(?P<ksite>\w+))?"
)
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"[A-Za-z]+(?:_\{[^{}]*\}|_[A-Za-z0-9]+)?[0-9']*")
_SUM = re.compile(
    r"sum(?:\s*_\s*(?:\{(?P<low>[^{}]*)\}|(?P<low1>\w)|(?P<pair><\s*i\s*,?\s*j\s*>)))?(?:\s*\^\s*(?:\{(?P<up>"
    r"[^{}]*)\}|(?P<up1>\w)))?(?:\s*over\s+[ij]\s+(?:of\s+)?)?"
)
# where a formula does not go on: an empty line, a numbered item, a line that sets something else
_NEXT = re.compile(
    r"\n(?:\n|[ \t]*(?:\(?\d{1,2}[.)]\s|[A-Za-z][\w{}]*(?:[ \t]+[\w{}]+){0,3}[ \t]*(?:\(t\))?[ \t]*(?::|=(?!=))))"
)
_CONJUGATE = re.compile(r"[hH]\.\s?c\.|[hH]\.c(?![a-z])")


def expression_at(
    text: str, position: int, names: Mapping[str, float], oscillator: bool = False, time_unit: str = ""
) -> Expression | None:
    """The operator expression that begins at `position`; None if there is none.

    Args:
        names: values of symbols, by `key`.
        oscillator: whether ``a`` and ``b`` are ladder operators here.
        time_unit: numbers with a unit are turned into radian per this unit, see `units.angular`.

    Raises:
        UnknownSymbol: a symbol in it has no value.
    """
    parser = _Parser(text, position, names, oscillator, time_unit)
    terms = parser.sum(top=True)
    if not terms:
        return None
    rest = text[parser.good :].lstrip(" \t")
    if rest[:1] in set("*/^@+[|") or (rest[:1] == "(" and _goes_on(rest)):
        raise UnknownSymbol(rest.split("\n")[0][:30])
    return Expression(tuple(terms), position, parser.good)


def _goes_on(rest: str) -> bool:
    """Whether a bracket behind an expression belongs to it: a remark such as ``(hbar = 1)`` does not."""
    inside = _inside(rest, 0)
    return (
        inside is not None
        and "=" not in inside
        and bool(_OPERATOR.search(inside))
        and not re.search(r"[a-z]{4}", inside)
    )


class _Parser:
    """Recursive descent; `good` is the end of the last complete sum."""

    def __init__(
        self, text: str, position: int, names: Mapping[str, float], oscillator: bool, time_unit: str = ""
    ) -> None:
        self.text, self.at, self.good = text, position, position
        self.names, self.oscillator, self.time_unit = names, oscillator, time_unit

    def space(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t\n" and not _NEXT.match(self.text, self.at):
            self.at += 1

    def peek(self) -> str:
        self.space()
        return self.text[self.at : self.at + 1]

    def sum(self, top: bool = False) -> list[Term]:
        terms: list[Term] = []
        sign = 1.0
        while True:
            before, added = self.at, self.peek() == "+"
            while self.peek() in {"+", "-"}:
                sign *= -1.0 if self.peek() == "-" else 1.0
                self.at += 1
            self.space()
            conjugate = _CONJUGATE.match(self.text, self.at)
            if conjugate and terms:
                self.at = conjugate.end()
                terms += [adjoint(term) for term in (terms[-1:] if top else list(terms))]
            else:
                product = self.product()
                if product is None:
                    word = _NAME.match(self.text, self.at)
                    if added and terms and word:
                        raise UnknownSymbol(word[0])
                    self.at = before
                    return terms
                terms += [replace(term, coefficient=sign * term.coefficient) for term in product]
            if top:
                self.good = self.at
            sign = 1.0
            if self.peek() not in {"+", "-"}:
                return terms

    def product(self) -> list[Term] | None:
        total = self.tensor()
        if total is None:
            return None
        while True:
            before = self.at
            sign = self.peek()
            if sign == "/":
                self.at += 1
                below = self.tensor()
                value = scalar_of(below)
                if value is None:
                    self.at = before
                    return total
                total = [replace(term, coefficient=term.coefficient / value) for term in total]
                continue
            if sign == "*":
                self.at += 1
            following = self.tensor()
            if following is None:
                self.at = before
                return total
            total = multiplied(total, following)

    def tensor(self) -> list[Term] | None:
        left = self.power()
        while left is not None and self.peek() == "@":
            self.at += 1
            right = self.power()
            if right is None:
                return None
            left = tensored(left, right)
        return left

    def power(self) -> list[Term] | None:
        base = self.atom()
        if base is None:
            return None
        if self.text.startswith("^dag", self.at):
            self.at += 4
            return [adjoint(term) for term in base]
        match = re.compile(r"\s*(?:\^|\*\*)\s*\{?\s*(-?\d+(?:\.\d+)?|-?\d+/\d+)\s*\}?").match(self.text, self.at)
        if match:
            self.at = match.end()
            exponent = float(match[1])
            value = scalar_of(base)
            if value is not None:
                return [Term(value**exponent)]
            result = [Term(1.0)]
            for _ in range(round(exponent)):
                result = multiplied(result, base)
            return result
        return base

    def atom(self) -> list[Term] | None:
        self.space()
        start = self.at
        summed = _SUM.match(self.text, start)
        if summed and (summed[0] != "sum" or re.match(r"sum(?![a-z])", self.text[start:])):
            self.at = summed.end()
            inner = self.product()
            below = next((summed[g] for g in ("low", "low1", "pair") if summed[g]), "")
            above = summed["up"] or summed["up1"] or ""
            return None if inner is None else [replace(term, summed=below, upper=above) for term in inner]
        number = _NUMBER.match(self.text, start)
        if number:
            return [Term(complex(self.measured(float(number[0]), number)))]
        if self.text[start : start + 1] in {"(", "["}:
            return self.bracket(start)
        operator = _OPERATOR.match(self.text, start)
        if operator and self.is_operator(operator):
            self.at = operator.end()
            made = _operator(operator)
            return made if made else None
        return self.symbol(start)

    def measured(self, value: float, number: re.Match[str]) -> float:
        """A number with its unit, as angular frequency; hertz behind a written 2 pi are not multiplied again."""
        unit, end = unit_at(self.text, number.end())
        self.at = number.end()
        if not self.time_unit or kind(unit) not in {"frequency", "angular", "rate", "energy", "wavenumber"}:
            return value
        self.at = end
        made = angular(value, unit, self.time_unit)
        written = kind(unit) == "frequency" and re.search(r"pi\s*\*?\s*\(?\s*$", self.text[: number.start()])
        return made / (2 * math.pi) if written else made

    def bracket(self, start: int) -> list[Term] | None:
        self.at = start + 1
        inner = self.sum()
        if not inner or self.peek() not in {")", "]"}:
            self.at = start
            return None
        self.at += 1
        return inner

    def is_operator(self, match: re.Match[str]) -> bool:
        """Whether what looks like an operator is not a symbol with a value, or an English article."""
        if match["lower"] and not match["lower"].startswith("destroy"):
            return self.oscillator
        if match["identity"] == "I" or match["pauli"]:
            return True
        return not (match["letter"] in {"s", "S"} and key(match[0]) in self.names)

    def symbol(self, start: int) -> list[Term] | None:
        word = _NAME.match(self.text, start)
        if word is None:
            return None
        name = word[0]
        if name == "tensor" and self.text[word.end() : word.end() + 1] == "(":
            return self.tensor_call(word.end())
        if name in {*FUNCTIONS} and self.text[word.end() : word.end() + 1] == "(":
            return self.function(name, word.end())
        if name == "pi":
            self.at = word.end()
            return [Term(complex(math.pi))]
        if name in {"i", "j"} and key(name) not in self.names:
            self.at = word.end()
            return [Term(1j)]
        if name == "hbar" and key(name) not in self.names:
            self.at = word.end()
            return [Term(1.0)]
        if key(name) in self.names:
            self.at = word.end()
            return [Term(complex(self.names[key(name)]))]
        split = self.juxtaposed(name)
        if split:
            self.at = start + split
            return [Term(complex(self.names[key(name[:split])]))]
        if is_symbol(name) or name in {"Ec", "Ej"}:
            raise UnknownSymbol(name)
        return None

    def juxtaposed(self, name: str) -> int:
        """Length of a symbol with a value that runs into the next one, as in ``gX`` or ``hX_i``; 0 for none."""
        for length in range(len(name) - 1, 0, -1):
            if key(name[:length]) in self.names and _OPERATOR.match(name, length):
                return length
        return 0

    def tensor_call(self, opening: int) -> list[Term] | None:
        self.at = opening + 1
        result: list[Term] | None = None
        while True:
            part = self.sum()
            if not part:
                return None
            result = part if result is None else tensored(result, part)
            if self.peek() == ",":
                self.at += 1
                continue
            if self.peek() != ")":
                return None
            self.at += 1
            return result

    def function(self, name: str, opening: int) -> list[Term] | None:
        inside = _inside(self.text, opening)
        if inside is None:
            return None
        values = []
        for time in (0.0, 1.0, 2.0):
            one = _Parser(inside, 0, AtTime(self.names, time), False)
            terms = one.sum(top=True)
            value = scalar_of(terms)
            if value is None or one.good < len(inside.rstrip()):
                raise UnknownSymbol(inside)
            values.append(value.real)
        self.at = opening + len(inside) + 2
        if values[0] == values[1]:
            return [Term(complex(FUNCTIONS[name](values[0])))]
        if name not in {"cos", "sin"} or abs(values[2] - 2 * values[1] + values[0]) > 1e-9 * abs(values[2]):
            raise UnknownSymbol(f"{name}({inside})")
        return [Term(1.0, drive=(values[1] - values[0], values[0] - (math.pi / 2 if name == "sin" else 0.0)))]


def _inside(text: str, opening: int) -> str | None:
    depth = 0
    for end in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return text[opening + 1 : end]
    return None


def _operator(match: re.Match[str]) -> list[Term]:
    """The terms of an operator name; spins one half keep their own names."""
    if match["letter"]:
        axis = next(match[f"axis{k}"] for k in range(1, 8) if match[f"axis{k}"])
        site = next((match[f"site{k}"] for k in range(1, 9) if match[f"site{k}"]), None)
        name = _AXES[axis]
        if match["letter"] == "S":
            name = f"S{axis.replace('+', 'p').replace('-', 'm')}"
        return [Term(1.0, (Factor(name, _site(site)),))]
    if match["pauli"]:
        site = match["psite"] or match["psite2"] or match["psite3"] or match["psite4"]
        return [Term(1.0, (Factor(match["pauli"], _site(site)),))]
    if match["string"]:
        factors = tuple(Factor(letter, slot) for slot, letter in enumerate(match["string"]) if letter != "I")
        return [Term(1.0, factors, len(match["string"]))]
    if match["identity"] or match["eye"]:
        return [Term(1.0, (Factor("I"),))]
    if match["lower"]:
        return [Term(1.0, (Factor("adag" if match["dagger"] else "a", _site(match["lsite"])),))]
    if match["create"] or match["number"]:
        return [Term(1.0, (Factor("adag" if match["create"] else "n"),))]
    return [Term(1.0, (Factor(f"|{match['ket'].strip()}><{match['bra'].strip()}|", _site(match["ksite"])),))]


def _site(text: str | None) -> str | None:
    return None if not text else re.sub(r"[{}()_\s]", "", text) or None
