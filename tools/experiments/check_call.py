"""Named checks of a candidate call, each one a computation, and the mends that need no judgement."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from labwright.tools.errors import CallSyntaxError
from labwright.tools.experiments.call import ExperimentCall, ExperimentCard, ParameterCard, parse_call, render_call
from labwright.tools.experiments.stated import derived, is_below, names_card, stated
from labwright.tools.knowledge.quantities import UNITS, Mention, angles, canonical_unit, converted, mentions, same

QUBIT_PARAMETERS = ("qubit", "dut")
PARTNER, GROUP = "partner", "qubits"  # the other qubit of a pair; several names with commas between
TYPES: dict[str, tuple[type, ...]] = {"str": (str,), "bool": (bool,), "int": (int,), "float": (float, int)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a call. `mend` is a sentence; one in backquotes can be applied by `repair`."""

    check: str
    message: str
    mend: str


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What the checks may know.

    Attributes:
        instruction: the words that were translated.
        cards: name -> card; a procedure's card is keyed ``procedure:<slug>``.
        variables: the variable table.
        qubits: the device's qubits.
        trusted: numbers that need no support by the instruction, such as those an inspection proposed.
    """

    instruction: str
    cards: Mapping[str, ExperimentCard]
    variables: Mapping[str, Any]
    qubits: tuple[str, ...]
    trusted: tuple[float, ...] = ()


Found = Iterator[tuple[str, str]]  # (message, mend)


def qubits_of(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every qubit that a call names, with the parameter it stands in."""
    single = [(name, str(arguments[name])) for name in (*QUBIT_PARAMETERS, PARTNER) if name in arguments]
    group = str(arguments.get(GROUP, "")).split(",")
    return single + [(GROUP, name.strip()) for name in group if name.strip()]


def places(card: ExperimentCard) -> int | None:
    """How many qubits a call of this experiment has room for; None if for any number."""
    names = {parameter.name for parameter in card.parameters}
    return None if GROUP in names else len(names & {*QUBIT_PARAMETERS, PARTNER})


def check(name: str, code: str, context: CheckContext) -> list[Finding]:
    """The findings of the check `name`. Code that cannot be read is found by ``syntax`` alone."""
    try:
        call = parse_call(code, context.cards, context.variables)
    except CallSyntaxError as error:
        return [Finding(name, str(error), "")] if name == "syntax" else []
    return [Finding(name, message, mend) for message, mend in _CHECKS[name](call, context)]


def check_all(code: str, context: CheckContext) -> list[Finding]:
    """The findings of every check, in order."""
    return [finding for name in CHECKS for finding in check(name, code, context)]


def repair(code: str, mends: list[str], context: CheckContext) -> str:
    """The call after all mends of the forms "Write `x=1`", "Drop `x`" and "Rename `x` to `y`"; empty if none applies.

    Raises:
        CallSyntaxError: `code` cannot be read.
    """
    call = parse_call(code, context.cards, context.variables)
    card = context.cards[call.experiment]
    types = {parameter.name: parameter.type for parameter in card.parameters}
    arguments = dict(call.arguments)
    for mend in mends:
        if match := re.search(r"Write `(\w+)=([^`]*)`", mend):
            arguments[match[1]] = _read(match[2], types.get(match[1], "str"))
        elif match := re.search(r"Drop `(\w+)`", mend):
            arguments.pop(match[1], None)
        elif (match := re.search(r"Rename `(\w+)` to `(\w+)`", mend)) and match[1] in arguments:
            arguments[match[2]] = arguments.pop(match[1])
    mended = render_call(replace(call, arguments=arguments))  # compared as text, since 41.0 == 41
    return mended if mended != render_call(call) else ""


def _argument_names(call: ExperimentCall, context: CheckContext) -> Found:
    card = context.cards[call.experiment]
    names = [parameter.name for parameter in card.parameters]
    for name in call.arguments:
        if name not in names:
            near = difflib.get_close_matches(name, [n for n in names if n not in call.arguments], 1, 0.6)
            hint = f" Did you mean `{near[0]}`?" if near else ""
            mend = f"Rename `{name}` to `{near[0]}`." if near else f"Drop `{name}`."
            yield f"{card.name} has no parameter `{name}`; it has {', '.join(names)}.{hint}", mend
    for parameter in card.parameters:
        if parameter.required and parameter.name not in call.arguments:
            value = context.variables.get(parameter.name, context.variables.get("dut"))
            known = parameter.name in QUBIT_PARAMETERS and isinstance(value, str)
            yield (
                f"{card.name} needs `{parameter.name}`, which has no default.",
                f"Write `{parameter.name}={value!r}`." if known else f"Name {parameter.name} in the instruction.",
            )


def _types(call: ExperimentCall, context: CheckContext) -> Found:
    for parameter, value in _given(call, context):
        accepted = TYPES.get(parameter.type)
        if accepted is None or (value is None and parameter.default is None and not parameter.required):
            continue
        if isinstance(value, accepted) and not (isinstance(value, bool) and parameter.type != "bool"):
            continue
        whole = parameter.type == "int" and isinstance(value, float) and value.is_integer()
        yield (
            f"Argument `{parameter.name}` must be {parameter.type}, but is {value!r}.",
            f"Write `{parameter.name}={int(value)}`." if whole else f"Give a {parameter.type}.",
        )


def _ranges(call: ExperimentCall, context: CheckContext) -> Found:
    for parameter, value in _given(call, context):
        if not _is_number(value) or parameter.minimum is None or parameter.maximum is None:
            continue
        if parameter.minimum <= value <= parameter.maximum:
            continue
        unit = f" {parameter.unit}" if parameter.unit else ""
        message = (
            f"Argument `{parameter.name}` must be between {parameter.minimum:g} and {parameter.maximum:g}{unit},"
            f" but is {value:g}."
        )
        other = _other_unit(parameter, float(value))
        # Only the instruction can tell that another unit was meant; without it a person has to.
        if other and any(m.unit == other[0] and same(m.value, float(value)) for m in stated(context.instruction)):
            yield f"{message} {value:g} {other[0]} is {other[1]:g}{unit}.", f"Write `{parameter.name}={other[1]!r}`."
        elif other and not any(
            m.unit and _means(m.value, m.unit, parameter, value) for m in stated(context.instruction)
        ):
            yield f"{message} Was {value:g} {other[0]} meant?", "Choose a value inside the range, with its unit."
        else:
            meaning = (
                f" `{parameter.name}` is the {parameter.description.rstrip('.')}." if parameter.description else ""
            )
            yield message, f"Choose a value inside the range.{meaning}"


def _order(call: ExperimentCall, context: CheckContext) -> Found:
    values = {parameter.name: parameter.default for parameter in context.cards[call.experiment].parameters}
    values |= call.arguments
    for low, high in (("start", "stop"), ("minimum", "maximum")):
        first, last = values.get(low), values.get(high)
        if _is_number(first) and _is_number(last) and not first < last:
            yield f"`{low}` must be below `{high}`, but {first:g} is not below {last:g}.", "Choose an increasing range."


def _qubit(call: ExperimentCall, context: CheckContext) -> Found:
    named = [qubit for qubit in context.qubits if re.search(rf"\b{re.escape(qubit)}\b", context.instruction, re.I)]
    for name, value in qubits_of(call.arguments):
        if value not in context.qubits:
            right = next((qubit for qubit in context.qubits if qubit.lower() == value.lower()), None)
            mend = f"Write `{name}={right!r}`." if right and name != GROUP else "Name a qubit of the device."
            yield f"The device has no qubit {value!r}. It has: {', '.join(context.qubits)}.", mend
        elif len(named) == 1 and value != named[0] and name in QUBIT_PARAMETERS:
            yield f"The instruction names {named[0]}, but the call uses {value}.", f"Write `{name}={named[0]!r}`."


def _unsupported_numbers(call: ExperimentCall, context: CheckContext) -> Found:
    said = [(m.value, m.unit) for m in mentions(context.instruction)] + derived(context.instruction)
    said += [(-m.value, m.unit) for m in stated(context.instruction) if is_below(context.instruction, m)]
    said += [(value, "rad") for value, _, _ in angles(context.instruction)]
    free = [float(v) for v in (*context.trusted, *context.variables.values()) if _is_number(v)]
    implied = {name for _, names in _sweep(call, context) for name in names}
    for parameter, value in _given(call, context):
        if not _is_number(value) or (_is_number(parameter.default) and same(value, parameter.default)):
            continue
        if any(same(value, number) for number in free) or parameter.name in implied:
            continue
        if not any(_means(number, unit, parameter, float(value)) for number, unit in said):
            yield (
                f"Nothing supports `{parameter.name}={value:g}`: no word of the instruction, no variable, no default.",
                f"Drop `{parameter.name}`." if not parameter.required else "Take the value from the instruction.",
            )


def _ignored_numbers(call: ExperimentCall, context: CheckContext) -> Found:
    card = context.cards[call.experiment]
    values = [(p, call.arguments.get(p.name, p.default)) for p in card.parameters]
    numbers = [(p, float(value)) for p, value in values if _is_number(value)]
    implied = [mention for mention, _ in _sweep(call, context)]
    for mention in stated(context.instruction):
        if names_card(mention, card) or (mention.value == 0 and "start" not in {p.name for p in card.parameters}):
            continue
        signed = -mention.value if is_below(context.instruction, mention) else mention.value
        if mention in implied or any(_means(signed, mention.unit, p, value) for p, value in numbers):
            continue
        # Two ends of a range may have become its width or its centre, and a step a count of points.
        if any(_means(*number, p, value) for number in derived(context.instruction, mention) for p, value in numbers):
            continue
        yield (
            f"The instruction says {mention.text.strip()}, but the call does not use it.",
            "Use it, or choose an experiment that can.",
        )


def _sweep(call: ExperimentCall, context: CheckContext) -> list[tuple[Mention, tuple[str, ...]]]:
    """Stated numbers that the sweep obeys as a whole, with the parameters they support: its width, its point count."""
    card = context.cards[call.experiment]
    parameters = {p.name: p for p in card.parameters}
    values = {p.name: call.arguments.get(p.name, p.default) for p in card.parameters}
    start, stop, step = (values.get(name) for name in ("start", "stop", "step"))
    if not (_is_number(start) and _is_number(stop)):
        return []
    found: list[tuple[Mention, tuple[str, ...]]] = []
    for mention in stated(context.instruction):
        width = mention.within(parameters["stop"].unit) if mention.unit else None
        if width is not None and (same(stop - start, width) or same(stop, width)) and same(start, -stop):
            found.append((mention, ("start", "stop")))
        elif not mention.unit and _is_number(step) and step > 0 and same((stop - start) / step + 1, mention.value):
            found.append((mention, ("step",)))
    return found


_CHECKS: dict[str, Callable[[ExperimentCall, CheckContext], Found]] = {
    "syntax": lambda _call, _context: iter(()),
    "argument_names": _argument_names,
    "types": _types,
    "ranges": _ranges,
    "order": _order,
    "qubit": _qubit,
    "unsupported_numbers": _unsupported_numbers,
    "ignored_numbers": _ignored_numbers,
}
CHECKS: tuple[str, ...] = tuple(_CHECKS)


def _given(call: ExperimentCall, context: CheckContext) -> Iterator[tuple[ParameterCard, Any]]:
    for parameter in context.cards[call.experiment].parameters:
        if parameter.name in call.arguments:
            yield parameter, call.arguments[parameter.name]


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _means(number: float, unit: str, parameter: ParameterCard, value: float) -> bool:
    """Whether `number unit` in the text is this argument; a bare number takes the parameter's unit."""
    meant = converted(number, unit, parameter.unit) if unit else number
    return meant is not None and same(meant, value)


def _other_unit(parameter: ParameterCard, value: float) -> tuple[str, float] | None:
    """A unit in which `value` would be in range, and the value in the parameter's own unit."""
    own = canonical_unit(parameter.unit)
    if own not in UNITS or parameter.minimum is None or parameter.maximum is None:
        return None
    for unit, (dimension, _) in UNITS.items():
        if unit == "%" and parameter.type == "int":
            continue  # a count is no share
        meant = converted(value, unit, own) if unit and unit != own and dimension == UNITS[own][0] else None
        if meant is not None and parameter.minimum <= meant <= parameter.maximum:
            return unit, meant
    return None


def _read(text: str, kind: str) -> Any:
    if kind == "int":
        return int(text)
    if kind == "float":
        return float(text)
    return {"True": True, "False": False}.get(text, text.strip("'\""))
