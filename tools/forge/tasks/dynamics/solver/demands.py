"""What a card wants: every result by name, in which cases, of what, and how it is drawn."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from .cases import Case, Label, axes_of, cases_of, chosen, fixed_parameters, names_used, shown
from .evolution import Evolution
from .expression_functions import plain_functions
from .expression_values import PLAIN, TIME, TO_RATE, UNITS, Axis, CardError, NotThere, Value, symbol_of, within
from .expressions import Walker, parsed
from .fits import Fit, fit_of, fitted
from .measures import Measures
from .model import Model
from .space import Space
from .subsystems import parts_of
from .value_arithmetic import kind, real_number

# kind -> what `of` and the other fields of a demand become
KINDS = {
    "expectation": "expect({of})",
    **{name: f"{name}({{of}})" for name in ("population", "coherence", "purity", "entropy", "concurrence", "negativity",
                                            "fidelity", "overlap", "trace_distance")},
    "steady_state": "steady({of})", "final": "final({of})", "maximum": "max({of})", "minimum": "min({of})",
    "time_of_maximum": "time_of_max({of})", "time_of_minimum": "time_of_min({of})", "first_maximum": "first_max({of})",
    "first_minimum": "first_min({of})", "time_of_first_maximum": "time_of_first_max({of})",
    "time_of_first_minimum": "time_of_first_min({of})", "threshold_crossing": "crossing({of}, {level})",
    "mean": "mean({of})", "integral": "integral({of})", "correlation": "correlation({of}, {delays})",
    "g1": "g1({of}, {delays})", "g2": "g2({of}, {delays})", "spectrum": "spectrum({of}, {frequencies})",
    "quasi_energies": "quasi_energies({period})", "energies": "energies()", "gap": "gap({of})",
    "relaxation_rate": "relaxation_rate()", "fit": "{of}",
}  # fmt: skip
OPTIONAL_OF = ("coherence", "purity", "entropy", "concurrence", "negativity", "gap")
OF_STATES = tuple(KINDS)[:10]
_RESULTS = frozenset(template.partition("(")[0] for template in KINDS.values()) | {"abs", "real", "imag", "value_at"}
MOST_ENTRIES = 200


@dataclass(frozen=True, slots=True)
class Demand:
    """One wanted result.

    Attributes:
        name: the quantity in the results.
        kind: of `KINDS`, or empty for an expression.
        entries: labels -> expression.
        where: condition on the labels of cases; empty for all.
        at: expression of the times at which it is wanted; empty for the card's.
        unit: that it is given in; empty for its own.
        figure: how it is drawn: ``kind``, ``x``, ``log``, ``panel``.
        fit: of a demand of that kind.
    """

    name: str
    kind: str
    entries: tuple[tuple[dict[str, Label], str], ...]
    where: str = ""
    at: str = ""
    unit: str = ""
    figure: dict[str, Any] = field(default_factory=lambda: {"kind": "none"})
    fit: Fit | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One number, curve or list in one case; `value` is None for something that does not exist, as `note` says.

    Beside a number that is taken from a curve stands `scale`, how large the curve is: a number that has decayed is
    as exact as the curve is.
    """

    demand: Demand
    labels: dict[str, Label]
    case: Case
    value: Any
    unit: str
    axis: Axis | None = None
    note: str = ""
    scale: float = 0.0


def demands_of(card: Mapping[str, Any]) -> list[Demand]:
    """The demands of a card.

    Raises:
        CardError: one cannot be read.
    """
    wanted = card.get("wanted")
    if not isinstance(wanted, Mapping) or not wanted:
        raise CardError("Nothing is wanted.", "Name a result: wanted: {expectation: {of: Z(q)}}.", ("wanted",))
    made = []
    for name, one in wanted.items():
        with within("wanted", str(name)):
            made.append(_demand(str(name), one, card))
    return made


def _demand(name: str, one: Any, card: Mapping[str, Any]) -> Demand:
    if not name.replace("_", "a").isalnum() or not name[0].isalpha():
        raise CardError(f"{name!r} is no name of a result.", "Use letters, digits and _.")
    if isinstance(one, str | int | float) and not isinstance(one, bool):
        if name in KINDS:
            one = {"of": one}
        else:
            return Demand(name, "", (({}, str(one)),))
    if one is None and name in KINDS:
        one = {}
    if not isinstance(one, Mapping):
        raise CardError(f"{one!r} is no demand.", "Write an expression, or {of: ..., figure: lines}.")
    sort = str(one.get("kind") or (name if name in KINDS else ""))
    if sort and sort not in KINDS:
        near = difflib.get_close_matches(sort, KINDS, 1)
        known = f"Kinds are {', '.join(KINDS)}; leave kind out for an expression."
        raise CardError(f"There is no kind {sort!r}.", f"Did you mean {near[0]}?" if near else known)
    entries, figure = _entries(sort, one, card), one.get("figure")
    unit = str(one.get("unit") or "")
    if unit and unit.removeprefix("1/") not in UNITS:
        raise CardError(f"{unit!r} is no unit.", f"Units are {', '.join(UNITS)}, and 1/ before them.")
    return Demand(
        name, sort, tuple(entries), str(one.get("where") or ""), _text(one.get("at")), unit,
        {"kind": "lines", **figure} if isinstance(figure, Mapping) else {"kind": figure or "none"},
        fit_of(one) if sort == "fit" else None,
    )  # fmt: skip


def _text(value: Any) -> str:
    """An expression as text; a list as YAML gives it is one."""
    if value is None or value == "times":
        return ""
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _entries(sort: str, one: Mapping[str, Any], card: Mapping[str, Any]) -> list[tuple[dict[str, Label], str]]:
    given, constant = one.get("of"), dict(one.get("labels") or {})
    label = str(one.get("label") or ("level" if sort == "population" else "observable"))
    for key in ("model", "guess", "tolerance"):
        if sort != "fit" and one.get(key) is not None:
            raise CardError(f"The field {key} has no meaning for {sort or 'an expression'}.", "Write kind: fit.")
    if sort == "fit" and one.get("unit"):
        raise CardError("A fit has no unit of its own.", "Each number comes in the unit of its guess.", ("unit",))
    for key in ("level", "delays", "frequencies", "period"):
        if "{" + key + "}" in KINDS.get(sort, "") and one.get(key) is None:
            raise CardError(f"The field {key} is missing.", f"Add {key}: ... .")
        if one.get(key) is not None and "{" + key + "}" not in KINDS.get(sort, ""):
            raise CardError(f"The field {key} has no meaning for {sort or 'an expression'}.", "Leave it out.")
    if "{of}" in KINDS.get(sort, "{of}") and given is None and sort not in OPTIONAL_OF:
        raise CardError("It does not say of what.", "Add of: ..., such as of: Z(q), or of: {X: X(q), Z: Z(q)}.")
    if sort == "population" and isinstance(given, str):
        given = _levels(given, card)
    if isinstance(given, Mapping):
        chosen = [({label: _label(key), **constant}, str(text)) for key, text in given.items()]
    elif isinstance(given, list):
        chosen = [({label: _label(text), **constant}, str(text)) for text in given]
    else:
        chosen = [(constant, "" if given is None else str(given))]
    if not chosen or len(chosen) > MOST_ENTRIES:
        raise CardError(f"It is of {len(chosen)} things.", f"Name 1 to {MOST_ENTRIES}.")
    template = KINDS.get(sort, "{of}")
    others = {key: _text(one.get(key)) for key in ("level", "delays", "frequencies", "period")}
    if sort == "population" and isinstance(given, list) and len(card["parts"]) == 1:
        part = next(iter(card["parts"]))
        chosen = [(labels, f"{part}, {one}" if one.isidentifier() or one.isdigit() else one) for labels, one in chosen]
    made = {text: template.format(of=text, **others) for _, text in chosen if not _whole(sort, template, text)}
    return [(labels, made.get(text, text)) for labels, text in chosen]


def _whole(sort: str, template: str, text: str) -> bool:
    """Whether a text says all of a result already: ``purity: steady(purity())``, ``gap: gap(0, 2)``."""
    try:
        node = parsed(text) if text else None
    except CardError:
        return False  # said where it is evaluated
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    return node.func.id == template.partition("(")[0] or (sort in OF_STATES and node.func.id in _RESULTS)


def _label(key: Any) -> Label:
    if isinstance(key, str) and key.isdigit():
        return int(key)
    return key if isinstance(key, int | float) and not isinstance(key, bool) else str(key)


def _levels(given: str, card: Mapping[str, Any]) -> Any:
    """``of: all`` and ``of: atom`` as every level."""
    space = Space(parts_of(dict(card["parts"])))
    if given == "all" and len(space.parts) == 1:
        given = space.parts[0].name
    if given == "all":
        if space.size > 64:
            raise CardError(f"All {space.size} levels are too many.", "Name those that you want.")
        places = [np.unravel_index(k, space.dims) for k in range(space.size)]
        short = all(part.size <= 10 and not part.named for part in space.parts)
        names = [[part.levels[int(k)] for part, k in zip(space.parts, one, strict=True)] for one in places]
        return {("" if short else ",").join(one): f"ket({', '.join(one)})" for one in names}
    part = next((one for one in space.parts if one.name == given), None)
    if part is None:
        return given
    return {(level if part.named else k): f"{part.name}, {level}" for k, level in enumerate(part.levels[:MOST_ENTRIES])}


def results_of(demand: Demand, model: Model, evolution: Evolution | None) -> list[Found]:
    """What a demand gives in one case; with no evolution it is only checked.

    Raises:
        CardError: it cannot be computed.
    """
    made: list[Found] = []
    for labels, text in demand.entries:
        try:
            made += _one(demand, labels, text, model, evolution)
        except NotThere as error:
            made.append(Found(demand, labels, model.case, None, model.symbol, None, error.message))
        except CardError as error:
            place = ("of", *map(str, labels.values())) if labels else ()
            raise error.within("wanted", demand.name, *place) from None
    return made


def _one(demand: Demand, labels: dict[str, Label], text: str, model: Model, evolution: Evolution | None) -> list[Found]:
    if not names_used(text):
        raise CardError(f"{text!r} is a fixed number, not a result.", "Ask for something of the system, such as Z(q).")
    measures = Measures(model, evolution)
    value = measures.walker.value(text)
    if not isinstance(parsed(text), ast.Call):
        measures.scale = 0.0  # of a part of the expression
    if kind(value) in ("operator", "state") and (demand.fit or not demand.kind):
        value = measures.walker.value(f"expect({text})")
    if kind(value) in ("function of t", "result in time"):
        value = _sampled(demand, value, model, evolution, measures)
    elif demand.at:
        along = value.axis.name if value.axis else ""
        told = f"`at` is for times, but it {f'runs along {along}' if along else 'is no function of time'}."
        raise CardError(
            told, f"Leave it out; a point: named: {{N: {{of: {demand.name}, at: {{{along}: 0}}}}}}.", ("at",)
        )
    if kind(value) not in ("number", "list") or isinstance(value.data, list):
        raise CardError(f"{text!r} is a {kind(value)}, which is no result.", "Ask for such as expect(Z(q)).")
    real = demand.kind in ("expectation", "population", "steady_state")
    if real and evolution is None and np.iscomplexobj(value.data):
        raise CardError(f"{text!r} is not Hermitian.", "Ask for real(expect(...)) and imag(expect(...)), each by name.")
    if demand.fit:
        numbers = fitted(demand.fit, value, measures.walker, model.time, evolution is None)
        label = [({**labels, "parameter": key}, number) for key, number in numbers]
        return [Found(demand, told, model.case, *shown(number, model.time)) for told, number in label]
    name, size = _unit_of(demand, value, model)
    data, scale = value.data / size, measures.scale / size
    index = Axis("index", tuple(map(float, range(len(data))))) if isinstance(data, np.ndarray) else None
    axis = value.axis or index
    if np.iscomplexobj(data):
        both = [({**labels, "part": "real"}, np.real(data)), ({**labels, "part": "imag"}, np.imag(data))]
        return [Found(demand, told, model.case, _plain(part), name, axis, scale=scale) for told, part in both]
    return [Found(demand, labels, model.case, _plain(data), name, axis, scale=scale)]


def _plain(data: Any) -> Any:
    return [float(one) for one in data] if isinstance(data, np.ndarray) and data.ndim else float(data)


def _unit_of(demand: Demand, value: Value, model: Model) -> tuple[str, float]:
    if demand.unit:
        size, unit = UNITS[demand.unit.removeprefix("1/")]
        if demand.unit.startswith("1/"):
            size, unit = 1 / size, unit.power(Fraction(-1))
        if unit.powers == value.unit.powers:
            return demand.unit, size
        angular = value.unit.angular if value.unit.powers[5] >= 0 else value.unit
        if unit.powers[5] == 1 and angular.powers == (*unit.powers[:5], 0):  # an angular frequency shown in cycles
            return demand.unit, size * 2 * np.pi
        if unit.powers in TO_RATE and angular.powers in TO_RATE:
            return demand.unit, size * TO_RATE[unit.powers] / TO_RATE[angular.powers]
        raise CardError(f"The result is in {value.unit}, not in {demand.unit}.", "Leave unit out.", ("unit",))
    return (value.shown if value.shown and value.shown[0] else None) or symbol_of(value.unit, model.time)


def _sampled(demand: Demand, value: Value, model: Model, evolution: Evolution | None, measures: Measures) -> Value:
    """A function of time at the card's times, or those of the demand."""
    if model.times is None:
        raise CardError("It runs in time, but the card has no times.", "Add times, or ask for steady(...).", ("times",))
    if value.data.stateful and model.initial is None:
        raise CardError("It needs an evolution: there is no initial state.", "Add initial: ket(0).", ("initial",))
    size, name = model.size, model.symbol
    times = model.times
    if demand.at:
        found = measures.walker.value(demand.at)
        listed = found.data if isinstance(found.data, np.ndarray) else np.array([found.data])
        for one in (listed[0], listed[-1]):
            model.duration(Value(float(one), found.unit))
        times = listed / size
        if np.any(np.diff(times) <= 0) or times[0] < model.start or times[-1] > model.stop * (1 + 1e-12):
            told = f"It runs from {model.start:g} to {model.stop:g}."
            raise CardError("The times are not sorted or lie outside the evolution.", told, ("at",))
    axis = Axis("time", tuple(map(float, times)), name, size, TIME if model.time else PLAIN)
    if evolution is None:
        looked = value.data.at(model.start, model.initial)
        return Value(np.full(len(times), looked), value.unit, axis=axis)
    if value.data.stateful:
        states = evolution.states(times) if demand.at else evolution.at_times
    else:
        states = [None] * len(times)
    values = np.array([value.data.at(t, state) for t, state in zip(times, states, strict=True)])
    measures.scale = measures.largest(value.data)
    return Value(values, value.unit, axis=axis)


def checked(card: Mapping[str, Any]) -> tuple[list[Case], list[Demand]]:
    """The cases and demands of a card that can be computed.

    Raises:
        CardError: it cannot; says what, where, and what to write instead.
    """
    cases, demands = cases_of(card), demands_of(card)
    axes = axes_of(cases)
    done: set[str] = set()
    for case in cases if len(cases) <= 60 else [*cases[:30], *cases[-30:]]:
        model = Model(card, case)
        for demand in demands:
            with within("wanted", demand.name):
                meant = chosen(demand.where, case, axes)
            if meant:
                done.add(demand.name)
                results_of(demand, model, None)
    for demand in demands:
        if demand.name not in done and len(cases) <= 60:
            raise CardError("No case fulfils its condition.", "Look at `where`.", ("wanted", demand.name, "where"))
    _names_are_used(card, cases)
    for name in card.get("average") or {}:
        weights_of(card, cases, name)
    return cases, demands


def weights_of(card: Mapping[str, Any], cases: Sequence[Case], name: str) -> list[float]:
    """How much each case counts in an average over the parameter `name`.

    Raises:
        CardError: it is not swept, or a weight is negative or no number.
    """
    with within("average", name):
        walker = Walker({}, plain_functions())
        fixed = fixed_parameters(card, walker)
        if not all(isinstance(case.labels.get(name), int | float) for case in cases):
            raise CardError(f"{name} is no axis of numbers among the cases.", "Sweep it: linspace(-3, 3, 41).")
        found = []
        for case in cases:
            walker.names = {**fixed, **case.parameters}
            found.append(real_number(walker.value(card["average"][name])))
        if min(found) < 0 or max(found) == 0:
            raise CardError("These are no weights.", "Write numbers of 0 or more, such as exp(-(d/s)**2/2).")
        return found


def _names_are_used(card: Mapping[str, Any], cases: Sequence[Case]) -> None:
    """A number that nothing uses is a term that somebody forgot."""
    used = names_used(*(one for key, one in card.items() if key not in ("title", "parts")))
    for field_name in ("parameters", "define"):
        for name in card.get(field_name) or {}:
            if name not in used:
                raise CardError("Nothing uses it.", "Use it in an expression, or take it out.", (field_name, str(name)))
    for name in {name for case in cases for name in case.parameters}:
        if name not in used:
            raise CardError("The cases change it, but nothing uses it.", "Use it, or take it out.", ("cases", name))
