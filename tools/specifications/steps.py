"""One step of a plan held against the card of its experiment: values converted, what is wrong named."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.experiments.call import ExperimentCard, ParameterCard
from labwright.tools.specifications import predicates, values
from labwright.tools.specifications.base import Path, Problem
from labwright.tools.specifications.calibration import COMPLETE, FAILED, NEXT, PREVIOUS, REPEAT, Step, Transition
from labwright.tools.specifications.catalogue import GROUP, listed, places, roles
from labwright.tools.specifications.grammar import parser
from labwright.tools.units import UNITS, canonical_unit

SPANS = ("range", "span", "centre", "center")  # said of a sweep instead of `start` and `stop`
GOALS = (NEXT, REPEAT, PREVIOUS, COMPLETE, FAILED)
TRUE, FALSE = ("yes", "true", "on"), ("no", "false", "off")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the values of a step may refer to.

    Attributes:
        known: names that are set or measured before the step runs: settings and results of earlier steps.
        strict_units: a bare number for a parameter with a unit is a mistake, because a model read it from words.
    """

    known: frozenset[str] = frozenset()
    strict_units: bool = False


def completed(step: Step, card: ExperimentCard, facts: Facts, path: Path) -> tuple[Step, list[Problem]]:
    """`step` with canonical values, and what is wrong with it; a value that is wrong stays as written."""
    problems: list[Problem] = []
    parameters = {name.lower(): value for name, value in step.parameters.items()}
    ends, wrong = _ends(parameters, card, path)
    problems += wrong
    parameters = {name: value for name, value in parameters.items() if name not in SPANS or name in _names(card)} | ends
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        parameter = next((each for each in card.parameters if each.name == name), None)
        if parameter is None or name in roles(card):
            problems.append(_unknown(name, card, (*path, "parameters", name)))
            found[name] = value
            continue
        found[name], wrong = canonical(value, parameter, facts, (*path, "parameters", name))
        problems += wrong
    if step.writes == "none":
        found, wrong = _unwritten(found, card, path)
        problems += wrong
    step = step.model_copy(update={"parameters": found})
    return step, [*problems, *_required(step, card, path), *_order(step, card, path)]


def canonical(value: Any, parameter: ParameterCard, facts: Facts, path: Path) -> tuple[Any, list[Problem]]:
    """`value` as the plan keeps it: a number with its unit as text, a plain number, a truth value, a name."""
    if parameter.type == "bool":
        word = str(value).lower()
        if word in TRUE or word in FALSE:
            return word in TRUE, []
        return value, [Problem(path, f"{value!r} is neither yes nor no.", "Write yes or no.")]
    if parameter.type == "str":
        return str(value), []
    try:
        return _number(value, parameter, facts, path)
    except InputError as error:
        return value, [Problem(path, str(error))]


def _number(value: Any, parameter: ParameterCard, facts: Facts, path: Path) -> tuple[Any, list[Problem]]:
    if isinstance(value, bool):
        return value, [Problem(path, f"{value!r} is not a number.", "Write a number.")]
    text = repr(value) if isinstance(value, int | float) else value
    if names := values.names_in(text):
        unknown = [name for name in names if name not in facts.known]
        fix = f"Known before this step are: {listed(sorted(facts.known)[:30])}."
        return text, [Problem(path, f"{name!r} is not known before this step.", fix) for name in unknown]
    quantity = values.evaluated(text)
    problems: list[Problem] = []
    dimension = UNITS.get(canonical_unit(parameter.unit), ("number", 1.0))[0]
    if quantity.unit is None and dimension != "number" and quantity.value != 0 and facts.strict_units:
        options = tuple(unit for unit, (kind, _) in UNITS.items() if kind == dimension)
        problems.append(
            Problem(path, f"{text} has no unit.", f"In which unit is it: {listed(options)}?", True, options)
        )
    number = values.in_unit(quantity, parameter.unit, text)
    if parameter.type == "int":
        if number != int(number):
            return value, [Problem(path, f"It must be a whole number, but is {number:g}.")]
        number = int(number)
    low, high = parameter.minimum, parameter.maximum
    if low is not None and high is not None and not low <= number <= high:
        problems.append(_outside(path, parameter, number))
    return (number if parameter.type == "int" else values.shown(float(number), parameter.unit)), problems


def _outside(path: Path, parameter: ParameterCard, number: float) -> Problem:
    unit = f" {parameter.unit}" if parameter.unit else ""
    return Problem(
        path,
        f"It must be between {parameter.minimum:g} and {parameter.maximum:g}{unit}, but is {number:g}.",
        f"It is the {parameter.description.rstrip('.')}." if parameter.description else "",
    )


def _ends(parameters: Mapping[str, Any], card: ExperimentCard, path: Path) -> tuple[dict[str, Any], list[Problem]]:
    """``range``, or ``span`` with ``centre``, as `start` and `stop`."""
    said = {name: str(parameters[name]) for name in SPANS if name in parameters and name not in _names(card)}
    if not said:
        return {}, []
    own = {each.name: each for each in card.parameters}
    place = (*path, "parameters", next(iter(said)))
    if not {"start", "stop"} <= set(own):
        return {}, [Problem(place, f"{card.name} sweeps from no `start` to a `stop`.", _has(card))]
    unit = own["stop"].unit
    try:
        if "range" in said:
            low, high = _range(said["range"])
        else:
            centre = values.evaluated(said.get("centre") or said.get("center") or "0")
            half = values.in_unit(values.evaluated(said["span"]), unit) / 2
            low, high = (values.Quantity(values.in_unit(centre, unit) + side * half) for side in (-1, 1))
        ends = {"start": values.in_unit(low, unit), "stop": values.in_unit(high, unit)}
    except KeyError:
        return {}, [Problem(place, "A centre needs a `span`.", "Write span = 20 MHz as well.")]
    except InputError as error:
        return {}, [Problem(place, str(error))]
    return {name: values.shown(value, unit) for name, value in ends.items()}, []


def _range(text: str) -> tuple[values.Quantity, values.Quantity]:
    """The ends of ``-20 to 20 MHz``; an end without a unit has the other one's.

    Raises:
        ValueProblem: it is not a range.
    """
    from lark import Tree
    from lark.exceptions import LarkError

    try:
        tree = parser("values", "range").parse(text)
    except LarkError as error:
        raise values.ValueProblem(f"{text!r} is not a range. Write it so: -20 to 20 MHz.") from error
    low, high = (values.evaluate(end, {}, text) for end in tree.children if isinstance(end, Tree))
    return replace(low, unit=low.unit or high.unit), replace(high, unit=high.unit or low.unit)


def _names(card: ExperimentCard) -> set[str]:
    return {parameter.name for parameter in card.parameters}


def _has(card: ExperimentCard) -> str:
    own = [name for name in (each.name for each in card.parameters) if name not in roles(card)]
    return f"{card.name} has: {listed(own)}."


def _unknown(name: str, card: ExperimentCard, path: Path) -> Problem:
    own = [each.name for each in card.parameters if each.name not in roles(card)]
    near = difflib.get_close_matches(name, own, 1, 0.6)
    return Problem(
        path, f"{card.name} has no parameter `{name}`.", f"Did you mean `{near[0]}`?" if near else _has(card)
    )


def _unwritten(found: dict[str, Any], card: ExperimentCard, path: Path) -> tuple[dict[str, Any], list[Problem]]:
    """`writes: none` as the experiment's own switch."""
    if "update" in _names(card):
        return {**found, "update": False}, []
    if card.writes:
        message = f"{card.name} writes {listed(card.writes)} and has no way not to."
        return found, [Problem((*path, "writes"), message, "Leave the step out, or let it write.")]
    return found, []


def _required(step: Step, card: ExperimentCard, path: Path) -> Iterator[Problem]:
    for parameter in card.parameters:
        if parameter.required and parameter.name not in step.parameters and parameter.name not in roles(card):
            unit = f" in {parameter.unit}" if parameter.unit else ""
            where = (*path, "parameters", parameter.name)
            message = f"{card.name} needs it{unit}: {parameter.description}"
            yield Problem(where, message, f"Which value has `{parameter.name}`?", True)


def _order(step: Step, card: ExperimentCard, path: Path) -> Iterator[Problem]:
    """`start` is below `stop`."""
    constant: dict[str, float] = {}
    for parameter in card.parameters:
        if parameter.name in ("start", "stop"):
            value = step.parameters.get(parameter.name, parameter.default)
            try:
                constant[parameter.name] = values.in_unit(values.evaluated(str(value)), parameter.unit)
            except InputError:
                return
    if len(constant) == 2 and not constant["start"] < constant["stop"]:
        message = f"`start` ({constant['start']:g}) must be below `stop` ({constant['stop']:g})."
        yield Problem((*path, "parameters"), message, "Choose an increasing range.")


def qubit_problems(
    step: Step, card: ExperimentCard, known: frozenset[str], options: tuple[str, ...], path: Path
) -> list[Problem]:
    """What is wrong with the qubits of a step; `known` are those of the device and the placeholders of a procedure."""
    place, room, task = (*path, "qubits"), places(card), card.name.removeprefix("procedure:")
    if not step.qubits:
        single = room == 1
        which = "Which qubit is meant?" if single else f"Which qubits are meant ({listed(roles(card))})?"
        message = f"{task} needs {'a qubit' if single else 'qubits'}."
        return [Problem(place, message, which, True, options if single else ())]
    found = [
        Problem(place, f"The device has no qubit {name!r}.", f"It has: {listed(options)}.")
        for name in step.qubits
        if name not in known
    ]
    if room is not None and len(step.qubits) != room:
        message = f"{task} takes {room} ({listed(roles(card))}), but has {len(step.qubits)}."
        found.append(Problem(place, message, "Name them all, as in Q1, Q2.", len(step.qubits) < room))
    if len(set(step.qubits)) < len(step.qubits):
        found.append(Problem(place, f"A qubit comes twice: {listed(step.qubits)}.", "Name each once."))
    return found


def transition_problems(
    step: Step, card: ExperimentCard, labels: list[str], facts: Facts, decides: bool, path: Path
) -> Iterator[Problem]:
    """What is wrong with a step's transitions.

    Args:
        step: with its transitions.
        card: of its experiment.
        labels: of all steps.
        facts: names that comparisons may use; results of the step itself are known, too.
        decides: whether a model is there to decide by rules in free words.
        path: of the step.
    """
    for number, each in enumerate(step.on):
        place = (*path, "on", number)
        if each.rule:
            if not decides:
                fix = "Write it as `if` and `go`, or choose a model with --model."
                yield Problem((*place, "rule"), "A rule in free words needs a model.", fix)
            continue
        yield from _condition(each, card, facts, (*place, "if"))
        if each.go not in (*GOALS, *labels):
            fix = f"Steps are: {listed(labels)}; besides: {listed(GOALS)}."
            yield Problem((*place, "go"), f"There is no step {each.go!r}.", fix)
        for name, value in each.change.items():
            parameter = next((p for p in card.parameters if p.name == name), None)
            if parameter is None:
                yield _unknown(name, card, (*place, "change", name))
            else:
                own = replace(facts, known=facts.known | _names(card))
                yield from canonical(value, parameter, own, (*place, "change", name))[1]


def _condition(each: Transition, card: ExperimentCard, facts: Facts, path: Path) -> Iterator[Problem]:
    try:
        causes = predicates.causes_in(each.if_)
        names = predicates.names_in(each.if_)
    except InputError as error:
        yield Problem(path, str(error))
        return
    for cause in causes:
        if cause not in card.causes:
            near = difflib.get_close_matches(cause, card.causes, 1, 0.6)
            fix = f"Did you mean {near[0]}?" if near else f"It reports: {listed(card.causes)}."
            yield Problem(path, f"{card.name.removeprefix('procedure:')} reports no cause {cause!r}.", fix)
    for name in names:
        if name.partition(".")[0] != card.name and name not in facts.known and not _own_estimate(name, card):
            yield Problem(path, f"{name!r} is not known here.", f"Known are: {listed(sorted(facts.known)[:30])}.")


def _own_estimate(name: str, card: ExperimentCard) -> bool:
    """Whether the name may be an estimate of the step itself, which is known once it ran."""
    return "." not in name and not card.name.startswith("procedure:")


def split_arguments(step: Step, card: ExperimentCard) -> tuple[dict[str, Any], dict[str, str]]:
    """(arguments in the card's units, values that are only known when the step runs) of a completed step."""
    now: dict[str, Any] = {}
    named = roles(card)
    if named == [GROUP]:
        now[GROUP] = ",".join(step.qubits)
    else:
        now |= dict(zip(named, step.qubits, strict=False))
    late: dict[str, str] = {}
    for parameter in card.parameters:
        if parameter.name not in step.parameters:
            continue
        value = step.parameters[parameter.name]
        if isinstance(value, str) and parameter.type in ("int", "float"):
            if values.names_in(value):
                late[parameter.name] = value
                continue
            value = values.in_unit(values.evaluated(value), parameter.unit, value)
        now[parameter.name] = value
    return now, late
