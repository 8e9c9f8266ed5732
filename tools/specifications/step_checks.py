"""One step of a plan held against the card of its experiment: values converted, what is wrong named."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from labwright.tools.errors import InputError
from labwright.tools.experiments.call import ExperimentCard, ParameterCard
from labwright.tools.specifications import transition_conditions, values
from labwright.tools.specifications.base import Path, Problem
from labwright.tools.specifications.calibration import COMPLETE, FAILED, NEXT, PREVIOUS, REPEAT, Step, Transition
from labwright.tools.specifications.catalogue import GROUP, listed, places, roles, spoken
from labwright.tools.specifications.lark_grammars import parser
from labwright.tools.units import UNITS, dimension

SPANS = ("range", "span", "centre", "center")  # said of a sweep instead of `start` and `stop`
GOALS = (NEXT, REPEAT, PREVIOUS, COMPLETE, FAILED)
TRUE, FALSE = ("yes", "true", "on"), ("no", "false", "off")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the values of a step may refer to.

    Attributes:
        known: name -> unit of what is set or measured before the step runs: settings and results of earlier steps.
        strict_units: a bare number for a parameter with a unit is a mistake, because a model read it from words.
    """

    known: Mapping[str, str] = field(default_factory=dict)
    strict_units: bool = False


def completed(step: Step, card: ExperimentCard, facts: Facts, path: Path) -> tuple[Step, list[Problem]]:
    """`step` with canonical values, and what is wrong with it; a value that is wrong stays as written."""
    problems = list(_doubled(step.parameters, (*path, "parameters")))
    parameters = {name.lower(): value for name, value in step.parameters.items()}
    ends, wrong = _ends(parameters, card, facts, path)
    problems += wrong
    spans = {name: value for name, value in parameters.items() if name in SPANS and name not in _names(card)}
    parameters = {name: value for name, value in parameters.items() if name not in spans} | ends
    found: dict[str, Any] = spans if wrong else {}
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
    order = [] if set(spans) & set(found) else _order(step, card, path)
    return step, [*problems, *_required(step, card, path), *order]


def _doubled(parameters: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    low = [name.lower() for name in parameters]
    for name in parameters:
        if low.count(name.lower()) > 1:
            yield Problem((*path, name), f"`{name.lower()}` is given twice.", "Write it once.")


def changed(step: Step, card: ExperimentCard, facts: Facts, path: Path) -> tuple[Step, list[Problem]]:
    """`step` with canonical values in the changes of its transitions, and what is wrong with them.

    A value may also refer to the step's own numbers, as in ``2 * stop``.
    """
    numbers = {each.name: each.unit for each in card.parameters if each.type in ("int", "float")}
    facts = replace(facts, known={**facts.known, **numbers})
    on: list[Transition] = []
    problems: list[Problem] = []
    for number, each in enumerate(step.on):
        place = (*path, "on", number, "change")
        problems += _doubled(each.change, place)
        change: dict[str, Any] = {}
        for name, value in ((name.lower(), value) for name, value in each.change.items()):
            change[name], wrong = _change(name, value, card, facts, (*place, name))
            problems += wrong
        on.append(each.model_copy(update={"change": change}))
    return step.model_copy(update={"on": on}), problems


def _change(name: str, value: Any, card: ExperimentCard, facts: Facts, path: Path) -> tuple[Any, list[Problem]]:
    if name in roles(card):
        fix = "Write a step of its own for another qubit."
        return value, [Problem(path, f"`{name}` cannot be changed: the step is measured where it was.", fix)]
    parameter = next((each for each in card.parameters if each.name == name), None)
    if parameter is None:
        return value, [_unknown(name, card, path)]
    return canonical(value, parameter, facts, path)


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
    if isinstance(value, float) and not math.isfinite(value):
        return value, [Problem(path, f"{value} is not a finite number.", "Write a finite one.")]
    text = repr(value) if isinstance(value, int | float) else value
    if names := values.names_in(text):
        if problems := list(_unknown_names(names, facts.known, path)):
            return text, problems
        values.in_unit(values.evaluated(text, stand_ins(facts.known)), parameter.unit, text)
        return text, []
    quantity = values.evaluated(text)
    if wrong := _without_unit(quantity, text, parameter.unit, facts, path):
        return value, wrong
    number = values.in_unit(quantity, parameter.unit, text)
    if not math.isfinite(number):
        return value, [Problem(path, f"{text!r} is too large.", "Write a smaller number.")]
    if parameter.type == "int" and number != int(number):
        return value, [Problem(path, f"It must be a whole number, but is {number:g}.", "Write a whole number.")]
    low, high = parameter.minimum, parameter.maximum
    if low is not None and high is not None and not low <= number <= high:
        return value, [_outside(path, parameter, number)]
    return (int(number) if parameter.type == "int" else values.shown(float(number), parameter.unit)), []


def _without_unit(quantity: values.Quantity, text: str, unit: str, facts: Facts, path: Path) -> list[Problem]:
    """A bare number that a model read from words is asked about; zero is the same in every unit."""
    wanted = dimension(unit)
    if quantity.unit is not None or wanted == "number" or quantity.value == 0 or not facts.strict_units:
        return []
    options = tuple(each for each, (kind, _) in UNITS.items() if kind == wanted)
    return [Problem(path, f"{text} has no unit.", f"In which unit is it: {listed(options)}?", True, options)]


def _unknown_names(names: Iterable[str], known: Mapping[str, str], path: Path) -> Iterator[Problem]:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 3, 0.6)
            measured = [each for each in known if each.count(".") == 1 and each.partition(".")[2] in known]
            fix = f"Did you mean {' or '.join(near)}?" if near else f"Known are, among others: {listed(measured[:8])}."
            yield Problem(path, f"{name!r} is not known before this step.", fix)


def stand_ins(known: Mapping[str, str]) -> dict[str, values.Quantity]:
    """A number in the right unit for every name, no two alike: what arithmetic is tried with before anything runs."""
    return {name: values.Quantity(1 + 0.618 * number, unit) for number, (name, unit) in enumerate(known.items())}


def _outside(path: Path, parameter: ParameterCard, number: float) -> Problem:
    unit = f" {parameter.unit}" if parameter.unit else ""
    return Problem(
        path,
        f"It must be between {parameter.minimum:g} and {parameter.maximum:g}{unit}, but is {number:g}.",
        f"It is the {parameter.description.rstrip('.')}." if parameter.description else "",
    )


def _ends(
    parameters: Mapping[str, Any], card: ExperimentCard, facts: Facts, path: Path
) -> tuple[dict[str, Any], list[Problem]]:
    """``range``, or ``span`` with ``centre``, as `start` and `stop`."""
    said = {name: str(parameters[name]) for name in SPANS if name in parameters and name not in _names(card)}
    if not said:
        return {}, []
    own = {each.name: each for each in card.parameters}
    place = (*path, "parameters", next(iter(said)))
    if not {"start", "stop"} <= set(own) or ("range" not in said and "span" in own):
        return {}, [Problem(place, f"{spoken(card.name)} has no parameter `{place[-1]}`.", _has(card))]
    if wrong := _contradicting(said, parameters):
        return {}, [Problem(place, wrong, "Write `start` and `stop`, or `range`, or `centre` and `span`.")]
    unit = own["stop"].unit
    try:
        low, high = _range(said["range"]) if "range" in said else _around(said, unit)
        text = said.get("range", said.get("span", ""))
        if bare := _without_unit(low, text, unit, facts, place) or _without_unit(high, text, unit, facts, place):
            return {}, bare
        ends = {"start": values.in_unit(low, unit), "stop": values.in_unit(high, unit)}
    except InputError as error:
        return {}, [Problem(place, str(error))]
    return {name: values.shown(value, unit) for name, value in ends.items()}, []


def _contradicting(said: Mapping[str, str], parameters: Mapping[str, Any]) -> str:
    """Why the ends of a sweep are not said once; empty if they are."""
    ends = [name for name in ("start", "stop") if name in parameters]
    if ends or ("range" in said and len(said) > 1) or {"centre", "center"} <= set(said):
        return f"The sweep is said twice: {listed([*said, *ends])}."
    return "" if "range" in said or "span" in said else "A centre needs a `span`."


def _around(said: Mapping[str, str], unit: str) -> tuple[values.Quantity, values.Quantity]:
    """The ends of a sweep around its centre; without a unit if the span has none."""
    centre = values.evaluated(said.get("centre") or said.get("center") or "0")
    span = values.evaluated(said["span"])
    middle, half = values.in_unit(centre, unit), values.in_unit(span, unit) / 2
    bare = span.unit is None or (centre.unit is None and centre.value != 0)
    low, high = (values.Quantity(middle + side * half, None if bare else unit) for side in (-1, 1))
    return low, high


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
    return f"{spoken(card.name)} has: {listed(own)}."


def _unknown(name: str, card: ExperimentCard, path: Path) -> Problem:
    own = [each.name for each in card.parameters if each.name not in roles(card)]
    near = difflib.get_close_matches(name, own, 1, 0.6)
    return Problem(
        path, f"{spoken(card.name)} has no parameter `{name}`.", f"Did you mean `{near[0]}`?" if near else _has(card)
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
        facts: names that are known before the step; in its conditions its own results are known, too.
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


def _condition(each: Transition, card: ExperimentCard, facts: Facts, path: Path) -> Iterator[Problem]:
    task = card.name.removeprefix("procedure:")
    known = {**facts.known, **card.results, **{f"{card.name}.{name}": unit for name, unit in card.results.items()}}
    try:
        causes = transition_conditions.causes_in(each.if_)
        unknown = [
            name for name in transition_conditions.names_in(each.if_) if name not in known and not _open(name, card)
        ]
        if not unknown:
            transition_conditions.check(each.if_, stand_ins(known), strict_units=facts.strict_units)
    except InputError as error:
        yield Problem(path, str(error))
        return
    for cause in causes:
        if cause not in card.causes:
            near = difflib.get_close_matches(cause, card.causes, 1, 0.6)
            fix = f"Did you mean {near[0]}?" if near else f"It reports: {listed(card.causes)}."
            yield Problem(path, f"{task} reports no cause {cause!r}.", fix)
    for name in unknown:
        near = difflib.get_close_matches(name, known, 3, 0.6)
        fix = f"Did you mean {' or '.join(near)}?" if near else f"{task} gives: {listed(card.results)}."
        yield Problem(path, f"{name!r} is not known here.", fix)


def _open(name: str, card: ExperimentCard) -> bool:
    """Whether the name may be an estimate of an experiment that does not declare its results."""
    return not card.results and "." not in name and not card.name.startswith("procedure:")


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
