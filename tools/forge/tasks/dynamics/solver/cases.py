"""The cases of a card: what is varied, what tells one evolution from another, and which a demand is meant for."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .expression_functions import plain_functions
from .expression_values import TIME, UNITS, CardError, Value, symbol_of, within
from .expressions import COMPARED, Walker, parsed
from .value_arithmetic import kind

MOST_CASES = 2000
SPECIAL = ("initial", "evolution", "hamiltonian")
Label = str | float


@dataclass(frozen=True, slots=True)
class Case:
    """One evolution of a card.

    Attributes:
        labels: what tells it from the others.
        units: of labels that are numbers, where they have one.
        parameters: those that it sets, evaluated.
        fields: ``initial``, ``hamiltonian`` and ``evolution`` (collapse operators) where it sets them.
    """

    labels: dict[str, Label] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Value] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)


def shown(value: Value, time: tuple[str, float] | None) -> tuple[Any, str]:
    """Numbers as a person reads them, and their unit."""
    if value.shown and value.unit.powers[5] and value.unit.turns > 0:  # 2*pi*5 MHz is 31.4 rad/us
        pair = _PAIRS.get(value.shown[0], "s")
        name, size = symbol_of(value.unit, (pair, UNITS[pair][0]))
    else:
        name, size = value.shown or symbol_of(value.unit, time)
    data = value.data / size
    if isinstance(data, np.ndarray):
        return [_clean(float(one)) for one in data], name
    return (_clean(float(data)) if not isinstance(data, complex) else data), name


def _clean(number: float) -> float:
    """0.3 and not 0.30000000000000004."""
    return float(f"{number:.14g}")


def cases_of(card: Mapping[str, Any]) -> list[Case]:
    """All cases of a card, in order; one without labels if it names none.

    Raises:
        CardError: an axis is none, or there are too many cases.
    """
    given = card.get("cases") or {}
    walker = Walker({}, plain_functions())
    walker.names = fixed_parameters(card, walker)
    if isinstance(given, list):
        listed = [_listed(one, place, walker, card) for place, one in enumerate(given)]
        for place, case in enumerate(listed):
            if case.labels in [other.labels for other in listed[:place]]:
                raise CardError("Two cases have the same labels.", "Give each a name of its own.", ("cases", place))
        return listed
    axes = [[(name, *entry) for entry in _axis(name, entries, walker)] for name, entries in given.items()]
    if math.prod(map(len, axes)) > MOST_CASES:
        count = math.prod(map(len, axes))
        raise CardError(f"There are {count} cases; at most {MOST_CASES} are computed.", "Use fewer.", ("cases",))
    return [_joined(chosen) for chosen in itertools.product(*axes)]


def fixed_parameters(card: Mapping[str, Any], walker: Walker) -> dict[str, Value]:
    """The parameters that no case changes and that do not depend on one that it does."""
    given = card.get("cases") or {}
    swept = set(given) if isinstance(given, dict) else {name for one in given if isinstance(one, dict) for name in one}
    names: dict[str, Value] = {}
    inner = Walker(names, walker.functions)
    for name, text in (card.get("parameters") or {}).items():
        if name not in swept and not names_used(text).keys() & swept:
            with within("parameters", name):
                names[name] = inner.value(text)
        else:
            swept.add(name)
    return names


def names_used(*texts: object) -> dict[str, None]:
    """The names in expressions, units among them, in order."""
    found: dict[str, None] = {}
    for text in texts:
        if isinstance(text, list):
            found |= names_used(*text)
        elif isinstance(text, dict):
            found |= names_used(*text.values())
        elif isinstance(text, str):
            try:
                nodes = list(ast.walk(parsed(text)))
                found |= dict.fromkeys(node.attr for node in nodes if isinstance(node, ast.Attribute))
                found |= dict.fromkeys(node.id for node in nodes if isinstance(node, ast.Name))
            except CardError:
                continue  # said where the expression is evaluated
    return found


def _joined(chosen: tuple[tuple[str, Label, str, Any], ...]) -> Case:
    made = Case()
    for name, label, unit, what in chosen:
        made.labels[name] = label
        if unit:
            made.units[name] = unit
        (made.fields if name in SPECIAL else made.parameters)[name] = what
    return made


def _axis(name: str, entries: Any, walker: Walker) -> list[tuple[Label, str, Any]]:
    """(label, unit, what it sets) of each value of an axis."""
    with within("cases", name):
        if isinstance(entries, dict):
            pairs = [(one if isinstance(one, int | float) else str(one), text) for one, text in entries.items()]
            return [(label, "", _set(name, text, walker)) for label, text in pairs]
        if name in SPECIAL:
            if not isinstance(entries, list) or any(not isinstance(one, str) for one in entries):
                raise CardError(f"{name} needs labels.", f"Write {name}: {{first: ..., second: ...}}.")
            return [(str(one), "", _set(name, one, walker)) for one in entries]
        values = walker.value(entries)
        if kind(values) != "list" or values.axis is not None or np.iscomplexobj(values.data):
            example = "Write a list, such as [0.1, 0.5], linspace(0, 1, 11), or labels with a value each."
            raise CardError(f"The values of {name} are a {kind(values)}.", example)
        if len(set(values.data.tolist())) != len(values.data):
            raise CardError("A value occurs twice.", "Leave one out.")
        numbers, unit = shown(values, None)
        worth = [Value(float(data), values.unit, values.shown) for data in values.data]
        return [(label, unit, one) for label, one in zip(numbers, worth, strict=True)]


def _set(name: str, text: Any, walker: Walker) -> Any:
    return text if name in SPECIAL else walker.value(text)


def _listed(one: Any, place: int, walker: Walker, card: Mapping[str, Any]) -> Case:
    if not isinstance(one, dict) or not one:
        example = "Write cases: [{name: A, initial: ket(0)}, {name: B, initial: ket(1)}]."
        raise CardError(f"Case {one!r} sets nothing.", example, ("cases", place))
    made = Case()
    for name, text in one.items():
        with within("cases", place, name):
            if name == "name":
                made.labels["case"] = text if isinstance(text, int | float) else str(text)
                continue
            if name in SPECIAL:
                made.fields[name] = text
                if "name" not in one:
                    made.labels[name] = str(text)
                continue
            value = walker.value(text)
            made.parameters[name] = value
            number, unit = shown(value, None)
            made.labels[name] = number
            if unit:
                made.units[name] = unit
    return made


# the unit of time that goes with a unit of frequency or energy
_PAIRS = {"Hz": "s", "kHz": "ms", "MHz": "us", "GHz": "ns", "THz": "ps", "cm": "ps", "eV": "fs", "meV": "ps", "J": "s"}


def unit_of_time(card: Mapping[str, Any]) -> str:
    """The unit of time of a card without times: of the first time or frequency in it; empty for one without units."""
    cases = card.get("cases") or {}
    swept = list(cases) if isinstance(cases, dict) else [name for one in cases for name in one]
    named = [part["levels"] for part in card["parts"].values() if isinstance(part.get("levels"), list)]
    levels = [str(name) for names in named for name in names]
    own = {*(card.get("parameters") or {}), *(card.get("define") or {}), *card["parts"], *swept, *levels}
    for name in names_used(*(card[key] for key in card if key not in ("title", "wanted", "parts"))):
        if name not in own and name in UNITS and (UNITS[name][1] == TIME or name in _PAIRS):
            return _PAIRS.get(name, name)
    return ""


def chosen(where: str, case: Case, axes: Mapping[str, set[Label]]) -> bool:
    """Whether a case is meant by a condition such as ``evolution == lindblad and gamma < 0.5``.

    Args:
        axes: label -> its values in all cases.

    Raises:
        CardError: the condition names no label or no value of one.
    """
    if not where:
        return True
    with within("where"):
        found = _holds(parsed(where), case, axes)
    return bool(found)


def _holds(node: ast.expr, case: Case, axes: Mapping[str, set[Label]]) -> bool:
    if isinstance(node, ast.BoolOp):
        parts = [_holds(one, case, axes) for one in node.values]
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _holds(node.operand, case, axes)
    left = getattr(node, "left", None)
    name = left.id if isinstance(left, ast.Name) else ""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or name not in axes:
        known = ", ".join(axes) or "cases, of which there is one"
        raise CardError(f"It is no condition on {known}.", "Write such as gamma < 0.5 and initial != minus.")
    right, op, have = node.comparators[0], node.ops[0], case.labels.get(name)
    value: Any = right.id if isinstance(right, ast.Name) else getattr(right, "value", None)
    if isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.USub) and isinstance(right.operand, ast.Constant):
        value = -right.operand.value  # type: ignore[operator]
    if isinstance(op, ast.Eq | ast.NotEq):
        if str(value) not in map(str, axes[name]) and value not in axes[name]:
            raise CardError(f"{name} is never {value!r}.", f"It is one of {', '.join([*map(str, axes[name])][:12])}.")
        return (have == value or str(have) == str(value)) == isinstance(op, ast.Eq)
    if not isinstance(value, int | float) or not all(isinstance(one, int | float) for one in axes[name]):
        raise CardError(f"{name} has no order.", "Use == and != for labels.")
    return have is not None and type(op) in COMPARED and bool(COMPARED[type(op)](have, value))


def axes_of(cases: Sequence[Case]) -> dict[str, set[Label]]:
    """Label -> its values."""
    axes: dict[str, set[Label]] = {}
    for case in cases:
        for name, label in case.labels.items():
            axes.setdefault(name, set()).add(label)
    return axes
