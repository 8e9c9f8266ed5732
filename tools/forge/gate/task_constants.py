"""The check ``rules``, last part: a tool holds no number and no string that is the task's own."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator

from labwright.tools.forge.gate.parsed_candidate import Draft
from labwright.tools.forge.gate.rulebook import finding
from labwright.tools.forge.toolset.gate_findings import GateFinding

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]*\w)")
# Numbers of nature, of unit systems and of mathematics (CODATA 2022 and exact ones), by leading digits.
_KNOWN = [
    6.62607015, 1.054571817, 2.99792458, 1.380649, 1.602176634, 6.02214076, 8.314462618, 9.1093837, 1.67262192,
    1.66053907, 2.721138625, 6.2750947, 2.1947463, 5.29177211, 1.889726125, 2.541746, 3.49755, 2.30605, 4.184,
    2.7315, 2.9815, 1.01325, 6.950348, 8.617333, 5.308837, 6.582119569, 1.836152673, 1.5915494, 1.8836516,
    9.2740100783, 5.0507837, 5.788381806, 7.2973525693, 1.37035999, 8.8541878, 1.25663706, 3.14159265, 6.28318531,
    2.71828183, 1.41421356, 7.07106781, 1.73205081, 5.77350269, 8.06554394, 1.239841984, 2.417989242, 9.648533212,
    4.35974472, 2.418884326, 6.579683920, 1.98720426, 3.6, 1.8, 8.65, 1.05457, 4.13566770, 1.4387769, 2.0836619,
    2.3025851, 6.9314718, 4.5563353, 2.6255,
]  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip
_ROUND = (100, 111, 180, 255, 360, 365, 1000, 1023)
_VAGUE = {"the", "and", "for", "per", "max", "min", "most", "least", "number", "size", "value", "count", "default"}
_LABEL = re.compile(r"[a-z]\d")  # T1, Q2
_STRING_SIGNS = re.compile(r"[\d()=#@\[\]|+]")


def check_constants(draft: Draft, task_text: str) -> Iterator[GateFinding]:
    """Findings of literals and defaults that stand in the task.

    A number is the task's own if it has three significant digits at least, and is neither a power of two nor a
    constant of nature; another power of ten is the same number in another unit, and arithmetic on literals is done
    first. One of two digits is the task's own if it is given to a name whose word stands beside it in the task. A
    string is the task's if it is eight letters or longer, looks like data, and stands in the task as it is.
    """
    if not task_text.strip():
        return
    numbers = {_digits(value)[0] for value in _numbers_in(task_text) if distinctive(value)}
    documented = _docstrings(draft.tool.tree)
    told: set[int] = set()
    for node in ast.walk(draft.tool.tree):
        if id(node) in documented or not isinstance(node, ast.expr):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _string(node.value, node.lineno, task_text, numbers)
        elif (value := _folded(node)) is not None and distinctive(value) and _digits(value)[0] in numbers:
            told.add(node.lineno)
            yield finding("task_constant", node.lineno, found=f"The number {value!r}")
    for name, line, value in _named(draft.tool.tree):
        if line not in told and _beside(name, value, task_text):
            yield finding("task_constant", line, found=f"{name} = {value!r}")


def _folded(node: ast.AST | None) -> float | int | None:
    """What a literal, or arithmetic on literals, comes to; None if it is neither."""
    if isinstance(node, ast.Constant):
        value = node.value.imag if isinstance(node.value, complex) else node.value
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return _folded(node.operand)  # the sign is no part of the comparison
    if not isinstance(node, ast.BinOp) or type(node.op) not in _ARITHMETIC:
        return None
    left, right = _folded(node.left), _folded(node.right)
    if left is None or right is None or max(abs(left), abs(right)) > 1e12:
        return None
    sign = -1 if isinstance(node.left, ast.UnaryOp) and isinstance(node.left.op, ast.USub) else 1
    try:
        found = _ARITHMETIC[type(node.op)](sign * left, right)
    except (ArithmeticError, ValueError):
        return None
    return found if isinstance(found, int | float) else None


def _named(tree: ast.Module) -> Iterator[tuple[str, int, float]]:
    """Names that are given a number of two digits or more: assignments and defaults, those of fields too."""
    for node in ast.walk(tree):
        pairs: list[tuple[str, ast.expr | None]] = []
        if isinstance(node, ast.Assign):
            pairs = [(one.id, node.value) for one in node.targets if isinstance(one, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            pairs = [(node.target.id, _default(node.value))]
        elif isinstance(node, ast.FunctionDef):
            asked = node.args
            plain = [*asked.posonlyargs, *asked.args]
            last = plain[len(plain) - len(asked.defaults) :]
            pairs = [(one.arg, value) for one, value in zip(last, asked.defaults, strict=True)]
            pairs += [(one.arg, value) for one, value in zip(asked.kwonlyargs, asked.kw_defaults, strict=True)]
        for name, value in pairs:
            number = _folded(value)
            if number and len(_digits(number)[0]) > 1 and value is not None:
                yield name, value.lineno, number


def _default(value: ast.expr | None) -> ast.expr | None:
    """The default inside ``Field(...)``; anything else as it is."""
    if not isinstance(value, ast.Call):
        return value
    given = [one.value for one in value.keywords if one.arg == "default"]
    return given[0] if given else (value.args[0] if value.args else None)


def _beside(name: str, value: float, task_text: str) -> bool:
    """Whether the number stands in the task within a few words of a word of the name."""
    parts = re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", name.lower())
    words = [word for word in parts if (len(word) > 2 and word not in _VAGUE) or _LABEL.fullmatch(word)]
    text = task_text.lower()
    for found in _NUMBER.finditer(text):
        if _digits(float(found.group().replace("_", "")))[0] == _digits(value)[0]:  # in whatever unit
            around = re.findall(r"[a-z]\w*", text[max(found.start() - 40, 0) : found.end() + 25])
            if any(word in around for word in words):
                return True
    return False


def _string(value: str, line: int, task_text: str, numbers: set[str]) -> Iterator[GateFinding]:
    looks = len(value) >= 8 and _STRING_SIGNS.search(value) and not re.search(r"\s[a-z]{2,}\s", value)
    if looks and value in task_text:
        yield finding("task_constant", line, found=f"The text {value[:40]!r}")
        return
    held = [one for one in _numbers_in(value) if distinctive(one) and _digits(one)[0] in numbers]
    if len(held) > 1:  # numbers that are hidden in a text, to be read out of it
        yield finding("task_constant", line, found=f"The text {value[:40]!r}")


def _numbers_in(text: str) -> list[float]:
    return [float(word.replace("_", "")) for word in _NUMBER.findall(text)]


def distinctive(value: float) -> bool:
    """Whether a number says by itself where it comes from."""
    if not abs(value) < float("inf") or value == 0:
        return False
    digits, _ = _digits(value)
    whole = int(abs(value)) if float(value).is_integer() and abs(value) < 1e12 else -1
    if len(digits) < 3 or whole in _ROUND or (whole > 0 and whole & (whole - 1) == 0):
        return False
    mantissa = float(f"{digits[0]}.{digits[1:] or '0'}")
    return not any(abs(mantissa - one) < 5 * 10.0 ** -min(len(digits), 6) for one in _KNOWN)


def _digits(value: float) -> tuple[str, int]:
    """Significant digits and exponent of ten, the sign left out."""
    mantissa, _, exponent = f"{abs(value):.11e}".partition("e")
    return mantissa.replace(".", "").rstrip("0"), int(exponent)


def _docstrings(tree: ast.Module) -> set[int]:
    """Texts that are read by people only: docstrings and descriptions."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        elif isinstance(node, ast.keyword) and node.arg in ("description", "title", "examples"):
            found |= {id(one) for one in ast.walk(node.value)}
        elif isinstance(node, ast.Raise):
            found |= {id(one) for one in ast.walk(node)}
    return found
