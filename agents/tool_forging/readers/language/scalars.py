"""Arithmetic in a task's text: ``10 J``, ``pi/(2*Omega)``, ``sqrt(gamma/2)``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from labwright.agents.tool_forging.readers.language.units import unit_at

NAME = r"[A-Za-z]+(?:_\{[^{}]*\}|_[A-Za-z0-9]+)?[0-9']*"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>(?:\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)"
    rf"|(?P<name>{NAME})|(?P<sign>\*\*|[-+*/^()]))"
)
FUNCTIONS = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "exp": math.exp, "log": math.log,
    "ln": math.log, "arccos": math.acos, "arcsin": math.asin, "arctan": math.atan, "tanh": math.tanh,
}  # fmt: skip
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
          "thirteen", "fourteen", "fifteen", "sixteen"]  # fmt: skip
NUMBER_WORDS = {word: float(value) for value, word in enumerate(_WORDS)} | {
    "single": 1.0, "twenty": 20.0, "thirty": 30.0, "fifty": 50.0, "hundred": 100.0, "thousand": 1000.0, "half": 0.5,
}  # fmt: skip


def key(name: str) -> str:
    """A symbol without underscores and braces: ``J_{coup}``, ``J_coup`` and ``Jcoup`` are one."""
    return re.sub(r"[_{}\s]", "", name)


@dataclass(frozen=True, slots=True)
class Scalar:
    """Arithmetic as it stands in the text.

    Attributes:
        text: of the expression.
        end: offset behind it.
        names: symbols in it, as `key` writes them, without pi and functions.
    """

    text: str
    end: int
    names: tuple[str, ...]

    def value(self, names: Mapping[str, float]) -> float:
        """Its value; `names` by `key`.

        Raises:
            KeyError: a symbol has no value.
            ValueError: not arithmetic, or undefined.
        """
        return _Arithmetic(self.text, names).whole()

    def value_or_none(self, names: Mapping[str, float] | None = None) -> float | None:
        """Its value, or None while a symbol in it has none."""
        have = names or {}
        return self.value(have) if all(name in have for name in self.names) else None


def scalar_at(text: str, position: int, known: Iterable[str] | None = None) -> Scalar | None:
    """The longest arithmetic at `position`, or None.

    Args:
        known: symbols that may stand in it, by `key`; None allows symbols of one letter, Greek names and what
            has a subscript, but no English word.
    """
    allowed = None if known is None else {*known, "pi"}
    best: Scalar | None = None
    depth, end, names = 0, position, list[str]()
    need_value, last_space = True, False
    while token := _TOKEN.match(text, end):
        kind = str(token.lastgroup)
        word = token[kind]
        last_space = token.start(kind) > end
        wrapped = not need_value and depth == 0 and "\n" in text[end : token.start(kind)]
        if wrapped and (word in "+-(" or kind == "name"):
            break  # the dash or number of the next item of a list, or the next line of a form
        if kind == "name":
            following = text[token.end() : token.end() + 1]
            if word in FUNCTIONS and following == "(":
                if not need_value and best is None and depth == 0:
                    break
                names.append("")
                need_value, end = True, token.end()
                continue
            if not _symbol(word, allowed):
                break
            if not need_value and last_space and (word in {"a", "A", "I"} or unit_at(text, end)[0]):
                break
            if not need_value and not last_space and known is None and unit_at(text, end)[0]:
                break
            names.append(key(word))
            need_value = False
        elif kind == "number":
            if not need_value and last_space:
                break
            need_value = False
        elif word == "(":
            if not need_value and last_space and depth == 0 and not _is_arithmetic(text, token.end("sign"), allowed):
                break
            depth += 1
            need_value = True
        elif word == ")":
            if depth == 0 or need_value:
                break
            depth -= 1
        elif word in "+-" and need_value:
            pass
        elif need_value:
            break
        else:
            # "0.1 - 0.3" after a blank on both sides could be a range; lists decide, see numbers.py
            need_value = True
        end = token.end()
        if depth == 0 and not need_value:
            best = Scalar(text[position:end].strip(), end, tuple(dict.fromkeys(n for n in names if n and n != "pi")))
    return best


def _is_arithmetic(text: str, position: int, allowed: set[str] | None) -> bool:
    inner = re.compile(r"[^()]*(?:\([^()]*\)[^()]*)*\)").match(text, position)
    if inner is None:
        return False
    words = re.findall(NAME, inner[0])
    return bool(words or re.search(r"\d", inner[0])) and all(_symbol(w, allowed) or w in FUNCTIONS for w in words)


GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau phi chi psi omega"
    " Gamma Delta Theta Lambda Omega Phi pi".split()
)


def is_symbol(word: str) -> bool:
    """Whether a word looks like a mathematical symbol rather than English."""
    stem = re.match(r"[A-Za-z]+", word)
    if stem is None:
        return False
    if re.fullmatch(r"[TJhgBDSE](?:phi|x|y|z|max|tot)|nth|nbar|dt|tmax|tf|kT", word):
        return True
    if len(word) > 1 and ("_" in word or re.search(r"\d", word)):
        return len(stem[0]) <= 2 or stem[0] in GREEK
    return (len(word) == 1 and word not in {"a"}) or word in GREEK


def _symbol(word: str, allowed: set[str] | None) -> bool:
    if word == "pi":
        return True
    return is_symbol(word) if allowed is None else key(word) in allowed


class _Arithmetic:
    """Recursive descent: sums, products (also implicit), powers."""

    def __init__(self, text: str, names: Mapping[str, float]) -> None:
        self.tokens = [(str(m.lastgroup), m[str(m.lastgroup)]) for m in _TOKEN.finditer(text)]
        self.text, self.names, self.at = text, names, 0

    def whole(self) -> float:
        value = self.sum()
        if self.at != len(self.tokens):
            raise ValueError(f"{self.text!r} is not arithmetic.")
        return value

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise ValueError(f"{self.text!r} ends too early to be arithmetic.")
        self.at += 1
        return self.tokens[self.at - 1]

    def sum(self) -> float:
        value = self.product()
        while self.peek() in {"+", "-"}:
            sign = self.take()[1]
            other = self.product()
            value = value + other if sign == "+" else value - other
        return value

    def product(self) -> float:
        value = self.signed()
        while self.peek() and self.peek() not in {"+", "-", ")"}:
            if self.peek() == "/":
                self.take()
                value /= self.signed()
            else:
                if self.peek() == "*":
                    self.take()
                value *= self.signed()
        return value

    def signed(self) -> float:
        if self.peek() in {"+", "-"}:
            return -self.signed() if self.take()[1] == "-" else self.signed()
        return self.power()

    def power(self) -> float:
        base = self.atom()
        if self.peek() in {"^", "**"}:
            self.take()
            return float(base ** self.signed())
        return base

    def atom(self) -> float:
        kind, word = self.take()
        if kind == "number":
            return float(word.replace(",", ""))
        if word == "(":
            value = self.sum()
            if self.take()[1] != ")":
                raise ValueError(f"A bracket is missing in {self.text!r}.")
            return value
        if word == "pi":
            return math.pi
        if word in FUNCTIONS and self.peek() == "(":
            return FUNCTIONS[word](self.atom())
        return self.names[key(word)]
