"""An experiment call as data, and the one way to read it from candidate code: parsed, never executed."""

from __future__ import annotations

import ast
import math
import operator
import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, NoReturn

from pydantic import Field

from labwright.tools.errors import CallSyntaxError

PROCEDURE = "procedure"  # candidate code calls a procedure as procedure('slug', dut='Q1')
PARSING = threading.Lock()  # the filters of warnings are the process's; two threads would leave them changed
LONGEST_CODE = 2000  # characters; a call is one line, and a short limit bounds the parser's recursion
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True, slots=True)
class ParameterCard:
    """One parameter of an experiment, as its signature and docstring state it."""

    name: str
    type: str  # "str", "float", "int", "bool"
    required: bool
    default: Any
    unit: str
    minimum: float | None
    maximum: float | None
    description: str


@dataclass(frozen=True, slots=True)
class ExperimentCard:
    """Everything an agent may know about an experiment class. JSON-plain through `dataclasses.asdict`.

    `causes` and `writes` are for who writes a procedure. They stay out of prompts, where the whole card is shown to a
    model that only translates an instruction: it would pay for them with every question.
    """

    name: str
    summary: str  # first line of the docstring of `run`
    docstring: str
    parameters: tuple[ParameterCard, ...]
    causes: Annotated[dict[str, str], Field(exclude=True)] = field(default_factory=dict)  # cause -> what it means
    writes: Annotated[tuple[str, ...], Field(exclude=True)] = ()  # settings that a run may change
    # estimate or variable -> unit
    results: Annotated[dict[str, str], Field(exclude=True)] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExperimentCall:
    """``experiment(**arguments)``. `experiment` is a registered name, or ``procedure:<slug>``."""

    experiment: str
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def procedure(self) -> str:
        """The slug, if this calls a procedure; else empty."""
        return self.experiment.removeprefix(f"{PROCEDURE}:") if self.experiment.startswith(f"{PROCEDURE}:") else ""


def render_call(call: ExperimentCall) -> str:
    """The call as candidate code; `parse_call` reads it back to an equal call."""
    parts = [f"{name}={value!r}" for name, value in call.arguments.items()]
    if call.procedure:
        return f"{PROCEDURE}({', '.join([repr(call.procedure), *parts])})"
    return f"{call.experiment}({', '.join(parts)})"


def parse_call(code: str, cards: Mapping[str, ExperimentCard], variables: Mapping[str, Any]) -> ExperimentCall:
    """Read one experiment call from candidate code, without running any of it.

    Accepted is one expression or assignment whose value is one call to a known experiment, or to
    ``procedure('slug', ...)``. Arguments are literals, `+ - * /` on numbers, and names of `variables`. `cards` is keyed
    by experiment name; a procedure's card is keyed ``procedure:<slug>``.

    Raises:
        CallSyntaxError: anything else; the message says what, where, and what is accepted.
    """
    call = _the_call(_parsed(code))
    if not isinstance(call.func, ast.Name):
        _reject(call, "only a plain experiment name can be called")
    name, positional = call.func.id, [_value(node, variables) for node in call.args]
    named = _named(call, variables)
    if name == PROCEDURE:
        if len(positional) != 1 or not isinstance(positional[0], str):
            _reject(call, "procedure() takes one positional argument, its slug, as in procedure('slug', dut='Q1')")
        name, positional = f"{PROCEDURE}:{positional[0]}", []
    if name not in cards:
        _reject(call, f"there is no experiment {name!r}; known here: {', '.join(sorted(cards)) or 'none'}")
    return ExperimentCall(name, _ordered(call, cards[name], positional) | named)


def _parsed(code: str) -> ast.Module:
    if len(code) > LONGEST_CODE:
        raise CallSyntaxError(f"The code has {len(code)} characters; write one call in at most {LONGEST_CODE}.")
    try:
        with PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            return ast.parse(code.strip())
    except SyntaxError as error:
        where = f"line {error.lineno}, column {error.offset}"
        raise CallSyntaxError(f"The code is not Python: {error.msg} ({where}). Write one experiment call.") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise CallSyntaxError(f"The code cannot be read: {error}. Write one experiment call.") from error


def _the_call(module: ast.Module) -> ast.Call:
    if len(module.body) != 1:
        raise CallSyntaxError(f"The code has {len(module.body)} statements; write exactly one experiment call.")
    statement = module.body[0]
    if isinstance(statement, ast.Assign):
        if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
            _reject(statement, "the result may be assigned to one plain name only")
        value: ast.expr = statement.value
    elif isinstance(statement, ast.Expr):
        value = statement.value
    else:
        _reject(statement, f"a {type(statement).__name__} statement is not an experiment call")
    if not isinstance(value, ast.Call):
        _reject(value, f"this is not an experiment call but a {type(value).__name__}")
    return value


def _named(call: ast.Call, variables: Mapping[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            _reject(keyword.value, "** arguments are not accepted; name every argument")
        if keyword.arg in named:
            _reject(keyword.value, f"argument `{keyword.arg}` is given twice")
        named[keyword.arg] = _value(keyword.value, variables)
    return named


def _ordered(call: ast.Call, card: ExperimentCard, positional: list[Any]) -> dict[str, Any]:
    names = [parameter.name for parameter in card.parameters]
    if len(positional) > len(names):
        _reject(call, f"{card.name} takes at most {len(names)} arguments")
    taken = {keyword.arg for keyword in call.keywords} & set(names[: len(positional)])
    if taken:
        _reject(call, f"argument `{sorted(str(name) for name in taken)[0]}` is given twice")
    return dict(zip(names, positional, strict=False))


def _value(node: ast.expr, variables: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        if node.value is not None and not isinstance(node.value, str | int | float):
            _reject(node, f"a {type(node.value).__name__} is not accepted as an argument")
        return _finite(node, node.value)
    if isinstance(node, ast.Name):
        if node.id not in variables:
            _reject(node, f"there is no variable {node.id!r}; the table has: {', '.join(sorted(variables)) or 'none'}")
        return variables[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        number = _number(node.operand, variables)
        return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        left, right = _number(node.left, variables), _number(node.right, variables)
        try:
            return _finite(node, ARITHMETIC[type(node.op)](left, right))
        except (ZeroDivisionError, OverflowError) as error:
            _reject(node, f"the arithmetic fails ({error})")
    _reject(node, f"a {type(node).__name__} is not accepted as an argument")


def _number(node: ast.expr, variables: Mapping[str, Any]) -> int | float:
    value = _value(node, variables)
    if isinstance(value, bool) or not isinstance(value, int | float):
        _reject(node, "arithmetic needs numbers")
    return value


def _finite(node: ast.expr, value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        _reject(node, "the number is not finite")
    return value


def _reject(node: ast.AST, why: str) -> NoReturn:
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
    raise CallSyntaxError(
        f"Line {line}, column {column}: {why}. Write one call such as rabi(qubit='Q1'), with literals,"
        f" + - * / on numbers and names of the variable table."
    )
