"""Values of parameters as people write them: ``0.5 us``, ``2 * t1.t1``, ``Q1.frequency + 80 MHz``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from lark import Token, Tree
from lark.exceptions import LarkError

from labwright.tools.errors import InputError
from labwright.tools.specifications.lark_grammars import parser
from labwright.tools.units import UNITS, canonical_unit, converted

LONGEST = 200  # characters of one value
SHARES = {"half": 0.5, "twice": 2.0}


class ValueProblem(InputError):
    """A value cannot be read or has the wrong unit; says how to write it."""


class UnknownName(ValueProblem):
    """A value names something that is not measured or set yet."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit; `unit` is None where the text states none."""

    value: float
    unit: str | None = None


Names = Mapping[str, Quantity]


@lru_cache(maxsize=4096)
def parsed(text: str) -> Tree[Token]:
    """The syntax tree of `text`.

    Raises:
        ValueProblem: it is not a value.
    """
    if len(text) > LONGEST:
        raise ValueProblem(f"A value has at most {LONGEST} characters, but this one has {len(text)}.")
    try:
        return parser("values", "sum").parse(text)
    except LarkError as error:
        raise ValueProblem(
            f"{text!r} is not a value. Write a number with its unit, such as 0.5 us, or arithmetic with names, such as"
            " 3 * t1.t1."
        ) from error


def names_in(text: str) -> list[str]:
    """The names that `text` refers to, in order."""
    return tokens_of(parsed(text), "NAME")


def tokens_of(tree: Tree[Token], kind: str) -> list[str]:
    """The different tokens of a kind in a syntax tree, in order."""
    found = tree.scan_values(lambda value: isinstance(value, Token) and value.type == kind)
    return list(dict.fromkeys(map(str, found)))


def evaluated(text: str, names: Names | None = None) -> Quantity:
    """The quantity that `text` stands for.

    Args:
        text: a value.
        names: what its names mean.

    Raises:
        UnknownName: a name is not in `names`.
        ValueProblem: units do not fit, or the arithmetic fails.
    """
    found = evaluate(parsed(text), names or {}, text)
    if not math.isfinite(found.value):
        raise ValueProblem(f"{text!r} is not a finite number.")
    return found


def in_unit(quantity: Quantity, unit: str, text: str = "") -> float:
    """The number in `unit`; one without a unit is taken in `unit`.

    Raises:
        ValueProblem: it measures something else.
    """
    if quantity.unit is None:
        return quantity.value
    value = converted(quantity.value, quantity.unit, unit)
    if value is None:
        found, wanted = (f"in {each}" if each else "a plain number" for each in (quantity.unit, unit))
        raise ValueProblem(f"{text or quantity.value!r} is {found}, but must be {wanted}. Write it so.")
    return value


def evaluate(tree: Tree[Token], names: Names, text: str) -> Quantity:
    """The quantity of a syntax tree; `text` is what errors call it."""
    if tree.data == "quantity":
        unit = canonical_unit(str(tree.children[1])) if len(tree.children) > 1 else None
        return Quantity(float(str(tree.children[0])), unit)
    if tree.data == "name":
        name = str(tree.children[0])
        if name not in names:
            known = ", ".join(sorted(names)) or "nothing yet"
            raise UnknownName(f"{name!r} is not known here. Known are: {known}.")
        return names[name]
    if tree.data == "share":
        inner = evaluate(tree.children[1], names, text)  # type: ignore[arg-type]
        return Quantity(SHARES[str(tree.children[0]).lower()] * inner.value, inner.unit)
    if tree.data == "factor":
        return evaluate(tree.children[0], names, text)  # type: ignore[arg-type]
    parts = [evaluate(child, names, text) for child in tree.children]  # type: ignore[arg-type]
    try:
        return _OPERATIONS[str(tree.data)](*parts)
    except (ZeroDivisionError, OverflowError) as error:
        raise ValueProblem(f"{text!r} cannot be computed: {error}.") from error


def _negative(a: Quantity) -> Quantity:
    return Quantity(-a.value, a.unit)


def _add(a: Quantity, b: Quantity) -> Quantity:
    if (a.unit is None) != (b.unit is None):
        raise ValueProblem("A sum needs the unit on both numbers, or on neither.")
    if a.unit is None or b.unit is None:
        return Quantity(a.value + b.value)
    other = converted(b.value, b.unit, a.unit)
    if other is None:
        raise ValueProblem(f"{a.unit or 'a plain number'} and {b.unit or 'a plain number'} cannot be added.")
    return Quantity(a.value + other, a.unit)


def _multiply(a: Quantity, b: Quantity) -> Quantity:
    if a.unit and b.unit:
        raise ValueProblem(f"A product of {a.unit} and {b.unit} is not a parameter's unit.")
    return Quantity(float(f"{a.value * b.value:.15g}"), a.unit or b.unit)


def _divide(a: Quantity, b: Quantity) -> Quantity:
    if not b.unit:
        return Quantity(float(f"{a.value / b.value:.15g}"), a.unit)
    other = converted(b.value, b.unit, a.unit or "")
    if other is None:
        raise ValueProblem(f"{a.unit or 'a plain number'} cannot be divided by {b.unit}.")
    return Quantity(a.value / other)


_OPERATIONS: dict[str, Callable[..., Quantity]] = {
    "add": _add,
    "subtract": lambda a, b: _add(a, _negative(b)),
    "multiply": _multiply,
    "divide": _divide,
    "negative": _negative,
}


def shown(value: float, unit: str) -> str:
    """``0.5 us``: a number as a value that reads back to exactly itself."""
    number = repr(int(value)) if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15) else repr(value)
    return f"{number} {unit}" if unit in UNITS and unit else number
