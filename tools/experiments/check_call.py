"""Named checks of a call against its card: facts only, each a computation."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard

from labwright.tools.experiments.call import ExperimentCall, ExperimentCard, ParameterCard

QUBIT_PARAMETERS = ("qubit", "dut")
PARTNER, GROUP = "partner", "qubits"  # the other qubit of a pair; several names with commas between
TYPES: dict[str, tuple[type, ...]] = {"str": (str,), "bool": (bool,), "int": (int,), "float": (float, int)}
Found = Iterator[tuple[str, str]]  # (message, fix)


def qubits_of(arguments: Mapping[str, Any]) -> list[str]:
    """Every qubit that a call names."""
    single = [str(arguments[name]) for name in (*QUBIT_PARAMETERS, PARTNER) if name in arguments]
    return single + [name.strip() for name in str(arguments.get(GROUP, "")).split(",") if name.strip()]


def check(name: str, call: ExperimentCall, card: ExperimentCard, qubits: tuple[str, ...]) -> list[tuple[str, str]]:
    """(message, fix) of everything that the check `name` finds.

    Args:
        name: one of `CHECKS`.
        call: what would be measured.
        card: of its experiment.
        qubits: of the device.
    """
    return list(_CHECKS[name](call, card, qubits))


def _argument_names(call: ExperimentCall, card: ExperimentCard, qubits: tuple[str, ...]) -> Found:
    names = [parameter.name for parameter in card.parameters]
    for name in call.arguments:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1, 0.6)
            fix = f"Did you mean `{near[0]}`?" if near else f"It has {', '.join(names)}."
            yield f"{card.name} has no parameter `{name}`.", fix
    for parameter in card.parameters:
        if parameter.required and parameter.name not in call.arguments:
            yield f"{card.name} needs `{parameter.name}`, which has no default.", f"Give {parameter.name}."


def _types(call: ExperimentCall, card: ExperimentCard, qubits: tuple[str, ...]) -> Found:
    for parameter, value in _given(call, card):
        accepted = TYPES.get(parameter.type)
        if accepted is None or (value is None and parameter.default is None and not parameter.required):
            continue
        if not isinstance(value, accepted) or (isinstance(value, bool) and parameter.type != "bool"):
            yield (
                f"Argument `{parameter.name}` must be {parameter.type}, but is {value!r}.",
                f"Give a {parameter.type}.",
            )


def _ranges(call: ExperimentCall, card: ExperimentCard, qubits: tuple[str, ...]) -> Found:
    for parameter, value in _given(call, card):
        low, high = parameter.minimum, parameter.maximum
        if _is_number(value) and low is not None and high is not None and not low <= value <= high:
            unit = f" {parameter.unit}" if parameter.unit else ""
            message = f"Argument `{parameter.name}` must be between {low:g} and {high:g}{unit}, but is {value:g}."
            yield message, "Choose a value inside the range."


def _order(call: ExperimentCall, card: ExperimentCard, qubits: tuple[str, ...]) -> Found:
    values = {parameter.name: parameter.default for parameter in card.parameters} | call.arguments
    first, last = values.get("start"), values.get("stop")
    if _is_number(first) and _is_number(last) and not first < last:
        yield f"`start` must be below `stop`, but {first:g} is not below {last:g}.", "Choose an increasing range."


def _qubit(call: ExperimentCall, card: ExperimentCard, qubits: tuple[str, ...]) -> Found:
    for name in qubits_of(call.arguments):
        if name not in qubits:
            yield f"The device has no qubit {name!r}.", f"It has: {', '.join(qubits)}."


def _given(call: ExperimentCall, card: ExperimentCard) -> Iterator[tuple[ParameterCard, Any]]:
    for parameter in card.parameters:
        if parameter.name in call.arguments:
            yield parameter, call.arguments[parameter.name]


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


_CHECKS: dict[str, Callable[[ExperimentCall, ExperimentCard, tuple[str, ...]], Found]] = {
    "argument_names": _argument_names,
    "types": _types,
    "ranges": _ranges,
    "order": _order,
    "qubit": _qubit,
}
CHECKS: tuple[str, ...] = tuple(_CHECKS)
