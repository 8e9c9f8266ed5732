"""Expressions of cards: numbers, grids and small matrices, read as Python's syntax tree with a whitelist."""

from __future__ import annotations

import ast
import difflib
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, ValidationError
from pydantic_core import InitErrorDetails

Expression = str | int | float
Grid = Expression | list[Expression]
Numbers = dict[str, Expression]
Array = NDArray[np.complex128]
LONGEST, MOST_VALUES, LARGEST_POWER = 2000, 20_001, 1000
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.MatMult: operator.matmul,
}  # fmt: skip
CONSTANTS: dict[str, Any] = {"pi": math.pi, "e": math.e, "deg": math.pi / 180}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tan": np.tan, "abs": np.abs,
    "linspace": lambda a, b, n: np.linspace(a, b, _count(n)),
    "logspace": lambda a, b, n: np.geomspace(a, b, _count(n)),
    "steps": lambda a, b, h: np.linspace(a, b, _count(round((b - a) / h) + 1)),
}  # fmt: skip


class ExpressionError(ValueError):
    """An expression cannot be used; says why and what to write."""


def _count(n: Any) -> int:
    if n != int(n) or not 1 <= n <= MOST_VALUES:
        raise ExpressionError(f"A grid of {n} values. Write a whole number from 1 to {MOST_VALUES}.")
    return int(n)


def value(text: Expression, names: Mapping[str, Any] | None = None) -> Any:
    """What an expression is worth: a number, or an array of numbers.

    Args:
        text: such as ``-cos(theta)`` or ``linspace(0, pi/2, 21)``.
        names: values and functions beside `CONSTANTS` and `FUNCTIONS`.

    Raises:
        ExpressionError: it is no expression, has an unknown name, or is not finite.
    """
    known = {**CONSTANTS, **FUNCTIONS, **(names or {})}
    try:
        if len(str(text)) > LONGEST:
            raise ExpressionError(f"An expression has {len(str(text))} characters. Write at most {LONGEST}.")
        with np.errstate(all="ignore"):
            found = _node(ast.parse(str(text).strip(), mode="eval").body, known)
    except ExpressionError:
        raise
    except (SyntaxError, RecursionError, MemoryError) as wrong:
        raise ExpressionError(f"{text!r} is not an expression. Write one such as 2*pi*0.3 or sqrt(J).") from wrong
    except (TypeError, ValueError, ArithmeticError) as wrong:
        raise ExpressionError(f"{text!r} cannot be computed: {wrong}. Look at its operators and arguments.") from wrong
    if not np.all(np.isfinite(found)):
        raise ExpressionError(f"{text!r} is not finite. Look for a division by zero or a missing value.")
    return found


def names_in(text: str) -> set[str]:
    """Names of values and functions in an expression."""
    try:
        return {node.id for node in ast.walk(ast.parse(text.strip(), mode="eval")) if isinstance(node, ast.Name)}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:
        raise ExpressionError(f"{text!r} is not an expression. Write one such as a*exp(-x/tau).") from wrong


def _node(node: ast.expr, known: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, complex):
        return float(node.value) if isinstance(node.value, int) else node.value
    if isinstance(node, ast.Name):
        if node.id not in known or callable(known[node.id]):
            raise _unknown(node.id, [name for name, one in known.items() if not callable(one)])
        return known[node.id]
    if isinstance(node, ast.List | ast.Tuple):
        return np.array([_node(one, known) for one in node.elts])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        found = _node(node.operand, known)
        return -found if isinstance(node.op, ast.USub) else found
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _node(node.left, known), _node(node.right, known)
        matrices = np.ndim(left) == 2 and np.ndim(right) == 2
        if isinstance(node.op, ast.Pow) and (np.ndim(right) or abs(right) > LARGEST_POWER):
            raise ExpressionError(f"An exponent must be a number of at most {LARGEST_POWER}. Look at its size.")
        if matrices and isinstance(node.op, ast.Mult):
            return left @ right
        return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if not callable(known.get(node.func.id)):
            raise _unknown(node.func.id, [name for name, one in known.items() if callable(one)])
        return known[node.func.id](*map(partial(_argument, known=known), node.args))
    raise ExpressionError(f"{ast.unparse(node)!r} is not allowed in an expression. Write sums, products and functions.")


def _argument(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """An argument of a function, which may be a text."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else _node(node, known)


def _unknown(name: str, known: Sequence[str]) -> ExpressionError:
    near = difflib.get_close_matches(name, known, 1)
    rest = f"Known are: {', '.join(known)}."
    return ExpressionError(f"There is no {name!r} here. {f'Did you mean {near[0]!r}? ' if near else ''}{rest}")


def number(text: Expression, names: Mapping[str, Any] | None = None) -> float:
    """One real number.

    Raises:
        ExpressionError: it is none.
    """
    found = value(text, names)
    if np.ndim(found) or isinstance(found, str) or np.imag(found):
        raise ExpressionError(f"{text!r} is not one real number. Write such as 0.3 or 2*pi.")
    return float(np.real(found))


def positive(text: Expression, names: Mapping[str, Any] | None = None, *, zero: bool = False) -> float:
    """A number above zero, or zero as well.

    Raises:
        ExpressionError: it is none.
    """
    found = number(text, names)
    if found < 0 or not (found or zero):
        raise ExpressionError(f"It must be positive, but is {found:g}. Write such as 10.")
    return found


def grid(text: Grid, names: Mapping[str, Any] | None = None) -> list[float]:
    """A list of real numbers.

    Raises:
        ExpressionError: it is none.
    """
    if isinstance(text, list):
        return [number(one, names) for one in text]
    found = np.atleast_1d(value(text, names))
    if found.ndim != 1 or not np.isrealobj(found):
        raise ExpressionError(f"{text!r} is not a list of real numbers. Write linspace(0, 1, 11) or [0, 0.5, 1].")
    return [float(one) for one in found]


def quoted(text: str, functions: Sequence[str] = ("ket", "bra")) -> str:
    """`text` with the argument of each of these functions as text: ``ket(01)`` means no number."""
    for name in functions:
        first, *rest = text.split(f"{name}(")
        text = first + "".join(f"{name}('{one.replace(')', chr(39) + ')', 1)}" for one in rest)
    return text


@contextmanager
def at(*path: str | int) -> Iterator[None]:
    """An expression that fails inside is said to stand in the field `path`."""
    try:
        yield
    except ExpressionError as wrong:
        told = InitErrorDetails(type="value_error", loc=path, input=None, ctx={"error": ValueError(str(wrong))})
        raise ValidationError.from_exception_data("card", [told]) from wrong


def pairs(found: Any) -> list[Any]:
    """An array with entries [re, im]."""
    return np.stack([np.real(found), np.imag(found)], axis=-1).astype(float).tolist()  # type: ignore[no-any-return]


class Varied(BaseModel, extra="forbid"):
    """What cards with names have in common: parameters, cases that change them, and one that is swept."""

    parameters: Numbers = Field({}, description="Numbers by name, each of those before: J: 1, h: 0.3*J.")
    cases: dict[str, Numbers] = Field({}, description="Cases that are compared: label -> parameters that differ.")
    sweep: dict[str, Grid] = Field({}, max_length=1, description="A parameter and its values: {g: linspace(0, 1, 9)}.")

    @property
    def swept(self) -> tuple[str, list[float]]:
        """Name and values of what is swept; no name and one 0 where nothing is."""
        for name, values in self.sweep.items():
            with at("sweep", name):
                found = grid(values)
                if len(set(found)) != len(found) or not found:
                    raise ExpressionError(
                        "The values of a sweep must differ. Leave out what is there twice; write one or more."
                    )
                return name, found
        return "", [0.0]

    def settings(self) -> list[tuple[dict[str, Any], dict[str, float]]]:
        """(labels, names) of each case at each value of the sweep."""
        swept, values = self.swept
        made = []
        for (case, changed), now in product(self.cases.items() or [("", {})], values):
            names: dict[str, float] = {swept: now} if swept else {}
            for name, text in {**self.parameters, **changed}.items():
                place = ("cases", case, name) if name in changed else ("parameters", name)
                with at(*place):
                    names[name] = number(text, names)
            labels = {**({"case": case} if case else {}), **({swept: now} if swept else {})}
            made.append((labels, names))
        return made


def pauli(letters: str) -> tuple[str, list[int]]:
    """(letters, offsets) of a Pauli string along a chain: ``ZIZ`` is Z on a site and Z on the next but one.

    Raises:
        ExpressionError: another letter, or identities at its ends.
    """
    found = [(letter, place) for place, letter in enumerate(letters) if letter != "I"]
    if set(letters) - set("IXYZ") or not found or letters[0] == "I" or letters[-1] == "I":
        raise ExpressionError(f"{letters!r} is no Pauli string. Write X, Y, Z, with I between: ZZ, ZIZ, ZXZ.")
    return "".join(letter for letter, _ in found), [place for _, place in found]
