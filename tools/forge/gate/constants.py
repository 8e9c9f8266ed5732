"""The check ``rules``, last part: a tool holds no number and no string that is the task's own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from labwright.tools.forge.findings import GateFinding
from labwright.tools.forge.gate.draft import Draft
from labwright.tools.forge.gate.rulebook import finding

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
_STRING_SIGNS = re.compile(r"[\d()=#@\[\]|+]")


def check_constants(draft: Draft, task_text: str) -> Iterator[GateFinding]:
    """Findings of literals and defaults that stand in the task.

    A number is the task's own if it has three significant digits at least, and is neither a power of two nor a
    constant of nature; a string, if it is eight letters or longer, looks like data, and stands in the task as it is.
    """
    if not task_text.strip():
        return
    numbers = {_digits(value) for value in _numbers_in(task_text) if distinctive(value)}
    documented = _docstrings(draft.tool.tree)
    for node in ast.walk(draft.tool.tree):
        if not isinstance(node, ast.Constant) or id(node) in documented or isinstance(node.value, bool):
            continue
        value = node.value
        if isinstance(value, complex):
            value = value.imag
        if isinstance(value, int | float) and distinctive(value) and _digits(value) in numbers:
            yield finding("task_constant", node.lineno, found=f"The number {node.value!r}")
        elif isinstance(value, str):
            yield from _string(value, node.lineno, task_text, numbers)


def _string(value: str, line: int, task_text: str, numbers: set[tuple[str, int]]) -> Iterator[GateFinding]:
    looks = len(value) >= 8 and _STRING_SIGNS.search(value) and not re.search(r"\s[a-z]{2,}\s", value)
    if looks and value in task_text:
        yield finding("task_constant", line, found=f"The text {value[:40]!r}")
        return
    held = [one for one in _numbers_in(value) if distinctive(one) and _digits(one) in numbers]
    if len(held) > 1:  # numbers that are hidden in a text, to be read out of it
        yield finding("task_constant", line, found=f"The text {value[:40]!r}")


def _numbers_in(text: str) -> list[float]:
    return [float(word.replace("_", "")) for word in _NUMBER.findall(text)]


def distinctive(value: float) -> bool:
    """Whether a number says by itself where it comes from."""
    if not abs(value) < float("inf") or value == 0:
        return False
    digits, _ = _digits(value)
    if len(digits) < 3 or (float(value).is_integer() and abs(value) < 1e12 and _round_number(int(abs(value)))):
        return False
    mantissa = float(f"{digits[0]}.{digits[1:] or '0'}")
    return not any(abs(mantissa - one) < 5 * 10.0 ** -min(len(digits), 6) for one in _KNOWN)


def _round_number(value: int) -> bool:
    return value & (value - 1) == 0 or value in (180, 360, 365, 255, 1023) or value in (100, 1000)


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
