"""Expressions of a card, read as Python's syntax tree with a whitelist. Nothing is ever executed by ``eval``."""

from __future__ import annotations

import ast
import difflib
import io
import keyword
import operator
import tokenize
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from .expression_values import CONSTANTS, PLAIN, UNITS, CardError, Unit, Value
from .function_usage_examples import RESULTS, fits, usage_of
from .value_arithmetic import add, array, compare, divide, finite, modulo, multiply, power, real_number

LONGEST, MOST_NODES, MOST_TERMS, MOST_STEPS = 4000, 4000, 2000, 20_000
Function = Callable[["Walker", list[ast.expr]], Value]
COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_BINARY: dict[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: add, ast.Sub: lambda a, b: add(a, b, -1), ast.Mult: multiply, ast.MatMult: multiply,
    ast.Div: divide, ast.Pow: power, ast.Mod: modulo,
}  # fmt: skip


@lru_cache(maxsize=2048)
def parsed(text: str) -> ast.expr:
    """The syntax tree of an expression; a unit right after a number, a bracket or a list multiplies it.

    Raises:
        CardError: it is no expression, or too long.
    """
    if len(text) > LONGEST:
        raise CardError(f"An expression has {len(text)} characters, over {LONGEST}.", "Name its parts under `define`.")
    try:
        tree = ast.parse(_with_units(text), mode="eval")
    except (SyntaxError, tokenize.TokenError, RecursionError, MemoryError, ValueError) as error:
        known = ("for", "in", "and", "or", "not")
        words = [one for one in text.replace("(", " ").split() if keyword.iskeyword(one) and one not in known]
        if text.count("(") != text.count(")") or text.count("[") != text.count("]"):
            words = []
            otherwise = "A bracket is missing. Inside { } of YAML an expression with commas needs quotation marks."
        else:
            otherwise = "Look at commas and operators; * stands between factors."
        fix = f"{words[0]!r} cannot be a name here; choose another." if words else otherwise
        raise CardError(f"{text!r} is not an expression.", fix) from error
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise CardError("An expression is too long.", "Use sum(... for i in range(n)), or name parts under `define`.")
    return tree.body


def _with_units(text: str) -> str:
    """``40 us`` as ``(40*us)``, ``[0, 5] MHz`` as ``[0, 5]*MHz``."""
    if "\n" in text.strip():
        text = " ".join(text.split())
    made: list[str] = []
    tokens = [one for one in tokenize.generate_tokens(io.StringIO(text.strip()).readline) if one.string]
    for place, one in enumerate(tokens):
        before = tokens[place - 1] if place else None
        if before is not None and one.type == tokenize.NAME and one.string in UNITS:
            if before.type == tokenize.NUMBER:
                made[-1] = f"({made[-1]}*__unit__.{one.string})"
                continue
            if before.string in (")", "]"):
                made.append(f"*__unit__.{one.string}")
                continue
        made.append(one.string)
    return " ".join(made)


@dataclass
class Walker:
    """Evaluates expressions.

    Attributes:
        names: what names mean.
        functions: what may be called; each gets the walker and its arguments as syntax.
        whole: names of all parts.
        local: names of running sums.
    """

    names: Mapping[str, Value]
    functions: Mapping[str, Function]
    whole: tuple[str, ...] = ()
    local: dict[str, Value] = field(default_factory=dict)
    _steps: int = 0

    def value(self, text: object) -> Value:
        """What an expression is worth.

        Raises:
            CardError: it cannot be read or evaluated.
        """
        if isinstance(text, bool) or text is None:
            raise CardError(f"{text!r} is not an expression.", "Write a number or an expression.")
        if isinstance(text, list):
            return array([self.value(one) for one in text])
        self._steps = 0
        written = repr(text) if isinstance(text, int | float) else str(text)
        if isinstance(text, float):
            return finite(Value(text), written)
        try:
            with np.errstate(all="ignore"):
                return finite(self.node(parsed(written)), written)
        except CardError as error:
            told = type(error)(f"In {written!r}: {error.message}", error.fix, error.path)
            raise (error if written in error.message else told) from error
        except RecursionError as error:
            raise CardError(f"{written!r} is nested too deeply.", "Name parts of it under `define`.") from error
        except (OverflowError, ZeroDivisionError, ValueError, TypeError, FloatingPointError) as error:
            raise CardError(f"{written!r} cannot be computed: {error}.", "Look at numbers and arguments.") from error

    def node(self, node: ast.expr) -> Value:
        """What a piece of syntax is worth."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise CardError(f"An expression takes more than {MOST_STEPS} steps.", "Use fewer terms, or a closed form.")
        handler = getattr(self, f"_{type(node).__name__.lower()}", None)
        if handler is None:
            raise CardError(
                f"{type(node).__name__} is not part of the expressions of a card.",
                "Use numbers, names, + - * / ** %, comparisons, lists, functions, and sum(... for i in range(n)).",
            )
        found: Value = handler(node)
        return finite(found, ast.unparse(node)) if isinstance(node, ast.BinOp | ast.Call) else found

    def _constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float | complex):
            raise CardError(f"{node.value!r} stands where a number or a name is needed.", "Write names without quotes.")
        return Value(node.value if isinstance(node.value, complex) else float(node.value))

    def _attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id == "__unit__":
            size, unit = UNITS[node.attr]
            return Value(size, unit, (node.attr, size))
        raise CardError("A full stop stands after a name.", "Names have no parts; write q[0] for one of several.")

    def _name(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.local:
            return self.local[name]
        if name in self.names:
            return self.names[name]
        if name == "pi":
            return Value(float(np.pi), Unit(PLAIN.powers, Unit().turns + 1))
        if name in CONSTANTS:
            return Value(*CONSTANTS[name])
        if name in UNITS:  # J or T may be a coupling or a temperature that somebody forgot to define
            raise CardError(f"{name!r} is not known.", f"Define it; as a unit it has a number: 1 {name}, 5/{name}.")
        if name in self.functions:
            raise CardError(f"{name!r} is a function and needs its arguments.", f"Write {name}(...).")
        known = [*self.local, *self.names, *CONSTANTS, "pi"]
        raise CardError(f"{name!r} is not known.", self._near(name, known, "Define it under `parameters` or `define`."))

    @staticmethod
    def _near(name: str, known: Iterable[str], otherwise: str) -> str:
        near = difflib.get_close_matches(name, list(known), 3, 0.6)
        return f"Did you mean {' or '.join(near)}? {otherwise}" if near else otherwise

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        inner = self.node(node.operand)
        if isinstance(node.op, ast.USub):
            return multiply(Value(-1.0), inner)
        if isinstance(node.op, ast.UAdd):
            return inner
        raise CardError("`not` and ~ have no meaning here.", "Write a comparison the other way round.")

    def _binop(self, node: ast.BinOp) -> Value:
        operation = _BINARY.get(type(node.op))
        if operation is None:
            raise CardError(f"{type(node.op).__name__} is no operation here.", "Use + - * / ** %; ** is the power.")
        right = self._divisor(node.right) if isinstance(node.op, ast.Div) else self.node(node.right)
        return operation(self.node(node.left), right)

    def _divisor(self, node: ast.expr) -> Value:
        """What stands behind a stroke: also a unit, as in ``5/us``."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return power(self._divisor(node.left), self.node(node.right))
        if isinstance(node, ast.Name) and node.id in UNITS and node.id not in self.local and node.id not in self.names:
            size, unit = UNITS[node.id]
            return Value(size, unit, (node.id, size))
        return self.node(node)

    def _compare(self, node: ast.Compare) -> Value:
        sides = [self.node(one) for one in (node.left, *node.comparators)]
        found = Value(1.0)
        for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if type(op) not in COMPARED:
                raise CardError("`in` and `is` have no meaning here.", "Use < <= > >= == !=.")
            found = multiply(found, compare(left, right, COMPARED[type(op)]))
        return found

    def _list(self, node: ast.List | ast.Tuple) -> Value:
        return array([self.node(one) for one in node.elts])

    _tuple = _list

    def _subscript(self, node: ast.Subscript) -> Value:
        inner, place = self.node(node.value), self.number(node.slice)
        data = inner.data
        if not isinstance(data, np.ndarray | list):
            raise CardError("Something that is no list is indexed.", "Only several parts (count) and lists have [k].")
        if place != int(place) or not -len(data) <= place < len(data):
            raise CardError(f"[{place:g}] is outside a list of {len(data)}.", f"Indices run from 0 to {len(data) - 1}.")
        chosen = data[int(place)]
        return chosen if isinstance(chosen, Value) else Value(chosen.item(), inner.unit, inner.shown)

    def _call(self, node: ast.Call) -> Value:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise CardError("Functions are called by their name, with arguments in order.", "Write f(a, b).")
        name = node.func.id
        if name in ("sum", "prod") and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return self._series(node.args[0], add if name == "sum" else multiply)
        if name in RESULTS and name not in self.functions:
            raise CardError(f"{name}(...) is a result.", "Write it under `wanted`; nothing else can use it.")
        if name not in self.functions:
            near = self._near(name, self.functions, "docs/task-cards-dynamics.md lists them.")
            raise CardError(f"There is no function or operator {name!r}.", near)
        if any(isinstance(one, ast.Starred) for one in node.args):
            raise CardError("* before an argument has no meaning here.", "Write the arguments one by one.")
        if not fits(name, len(node.args)):
            raise CardError(f"{name}() does not take {len(node.args)} arguments.", f"Write {usage_of(name)}.")
        try:
            return self.functions[name](self, list(node.args))
        except CardError as error:
            told = type(error)(f"{name}(): {error.message}", error.fix, error.path)
            raise (error if name in error.message else told) from error

    def _series(self, node: ast.GeneratorExp, combine: Callable[[Value, Value], Value]) -> Value:
        loop = node.generators[0]
        target, source = loop.target, loop.iter
        if len(node.generators) != 1 or (loop.ifs and len(loop.ifs) > 1) or not isinstance(target, ast.Name):
            raise CardError("A sum runs over one name.", "Write sum(f(i) for i in range(n)); a sum in it for two.")
        if not isinstance(source, ast.Call) or ast.unparse(source.func) != "range" or not 1 <= len(source.args) <= 3:
            raise CardError("A sum runs over range(...).", "Write sum(f(i) for i in range(n)).")
        numbers = [self.number(one) for one in source.args]
        if any(one != int(one) for one in numbers) or (len(numbers) == 3 and numbers[2] == 0):
            raise CardError("range() needs whole numbers.", "Write range(n) or range(first, last + 1).")
        run = range(*map(int, numbers))
        if len(run) > MOST_TERMS:
            raise CardError(f"A sum has {len(run)} terms; at most {MOST_TERMS} are added up.", "Use a closed form.")
        total: Value | None = None
        before = dict(self.local)
        for place in run:
            self.local[target.id] = Value(float(place))
            if all(self.number(test) for test in loop.ifs):
                term = self.node(node.elt)
                total = term if total is None else combine(total, term)
        self.local = before
        return total if total is not None else Value(0.0 if combine is add else 1.0)

    def number(self, node: ast.expr) -> float:
        """A real number without a unit.

        Raises:
            CardError: it is something else.
        """
        return real_number(self.node(node))
