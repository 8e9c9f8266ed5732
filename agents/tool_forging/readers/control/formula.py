"""A Hamiltonian written as one formula of time: what bears an amplitude ``u(t)`` is a control, the rest drift."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from labwright.agents.tool_forging.readers.control.gates import Array
from labwright.agents.tool_forging.readers.control.levels import Levels
from labwright.agents.tool_forging.readers.control.words_of_task import Operator
from labwright.agents.tool_forging.readers.language.operators import Expression, UnknownSymbol, expression_at

_HAMILTONIAN = re.compile(r"(?<![\w|])H(?:_\{?\w+\}?)?\s*\(t\)\s*=\s*")
_AMPLITUDE = re.compile(r"(?<![\w\\])(?P<name>[A-Za-z]+(?:_(?:\{\w+\}|\w+))?)\s*\(t\)")
_INDEX = re.compile(r"_\{?[jkilmn]\}?$")
_LISTED = re.compile(
    r"\bcontrols?\b\s*,?\s*\(?(?:are\s+)?(?:named|called|labelled|denoted)?\s*"
    r"(?P<names>[A-Za-z]\w{0,5}(?:\s*(?:,\s*and\b|,|\band\b)\s*[A-Za-z]\w{0,5}\b)+)"
)
_LONGEST = 600


@dataclass(frozen=True)
class Driven:
    """Drift and controls of a formula.

    Attributes:
        start: of the formula in the text.
        end: behind it.
    """

    drift: Array
    controls: list[Operator]
    start: int
    end: int


def driven(text: str, values: Mapping[str, float], space: Levels, time_unit: str) -> Driven | None:
    """The formula ``H(t) = ...`` with its amplitudes; None if there is none or a part of it is not known."""
    match = _HAMILTONIAN.search(text)
    if match is None:
        return None
    written = text[match.end() : match.end() + _LONGEST].split("\n\n")[0]
    told = [one["name"] for one in _AMPLITUDE.finditer(written)]
    if not told or len(set(told)) != len(told):
        return None
    symbols = {name: f"q{chr(97 + k)}" for k, name in enumerate(told)}
    plain = _AMPLITUDE.sub(lambda one: symbols[one["name"]].ljust(len(one[0])), written)
    zero = dict.fromkeys(symbols.values(), 0.0)
    try:
        still = expression_at(plain, 0, {**values, **zero}, not space.qubits, time_unit)
        moved = [
            expression_at(plain, 0, {**values, **zero, symbol: 1.0}, not space.qubits, time_unit)
            for symbol in symbols.values()
        ]
    except UnknownSymbol:
        return None
    drift = space.matrix(still) if still else None
    end = still.end if still else 0
    if still is None or drift is None or any(symbol in plain[end:] for symbol in zero):
        return None
    controls: list[Operator] = []
    for name, one in zip(told, moved, strict=True):
        made = _each(name, one, still, space) if one else None
        if made is None:
            return None
        controls += made
    return Driven(drift, _renamed(controls, text), match.start(), match.end() + end)


def _each(name: str, moved: Expression, still: Expression, space: Levels) -> list[Operator] | None:
    """The operators of one amplitude: one for each site where its index is that of a sum."""
    changed = tuple(
        one for one, other in zip(moved.terms, still.terms, strict=True) if one.coefficient != other.coefficient
    )
    whole = space.matrix(moved)
    rest = space.matrix(still)
    if whole is None or rest is None or not changed:
        return None
    if not _INDEX.search(name):
        return [Operator(_called(name), whole - rest, "")]
    if len(changed) != 1 or changed[0].summed is None or len(changed[0].factors) != 1:
        return None
    term = changed[0]
    letter = term.factors[0].op
    return [
        Operator(f"{letter}{site + 1}", np.asarray(term.coefficient * space.on(letter, site), dtype=complex), "")
        for site in range(space.qubits)
    ]


def _called(name: str) -> str:
    """``u_{X1}`` is the amplitude of X1, ``ux`` that of x; other symbols stand for themselves."""
    below = name.partition("_")[2].strip("{}")
    return below or (name[1:] if name[0] == "u" and len(name) > 1 else name)


def _renamed(controls: list[Operator], text: str) -> list[Operator]:
    """With the names that the text lists, if there are as many."""
    for match in _LISTED.finditer(text):
        names = re.findall(r"[A-Za-z]\w{0,5}", re.sub(r"\band\b", ",", match["names"]))
        if len(names) == len(controls):
            return [Operator(name, one.matrix, one.note) for name, one in zip(names, controls, strict=True)]
    return controls
