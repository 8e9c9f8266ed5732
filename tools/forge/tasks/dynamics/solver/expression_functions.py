"""Functions of numbers, of time and of operators that the expressions of a card may call."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from qutip import Qobj
from scipy import constants
from scipy.special import erf

from .expression_values import KELVIN, PLAIN, TO_RATE, Axis, CardError, Unit, Value
from .expressions import Function, Walker
from .time_functions import Driven, Signal, applied
from .value_arithmetic import add, array, is_number, kind, multiply, operators, power, real_number

MOST_POINTS = 100_000
OfValue = Callable[[Value], Value]
_PAGE = "See docs/task-cards-dynamics.md."
_WHOLE = ("*",)  # a state of all parts, whose names the walker knows


def plain_functions() -> dict[str, Function]:
    """Name -> function; those that know the parts or the evolution are elsewhere."""
    table: dict[str, Function] = {name: evaluated(_elementwise(*entry)) for name, entry in _ELEMENTWISE.items()}
    table |= {name: evaluated(partial(_shaped, name)) for name in _SHAPES}
    table |= {name: evaluated(function) for name, function in _OF_VALUES.items()}
    return table | {name: _of_operator(function) for name, function in _OF_OPERATORS.items()} | {"at": _at}


def evaluated(function: Callable[..., Value]) -> Function:
    """A function of the values of its arguments."""
    return lambda walker, nodes: function(*map(walker.node, nodes))


def angle_of(value: Value) -> Value:
    """The value as a pure number, where the argument of exp or cos must be one.

    Raises:
        CardError: it has a unit.
    """
    unit = value.unit.angular
    if not unit.plain:
        raise CardError(f"The argument has the unit {unit}, but must be a pure number.", "Multiply by such as a time.")
    return Value(value.data, PLAIN, None, value.on, value.axis)


def _elementwise(function: Callable[[Any], Any], keeps_unit: bool = False, edges: Sequence[float] = ()) -> OfValue:
    def call(value: Value) -> Value:
        if kind(value) in ("operator", "state", "text") or isinstance(value.data, list):
            raise CardError(f"It takes numbers and functions of t, not a {kind(value)}.", _PAGE)
        value = value if keeps_unit else angle_of(value)
        if isinstance(value.data, Signal):
            return Value(applied(function, value.data, edges=edges), value.unit)
        found = function(value.data)
        found = found if isinstance(found, np.ndarray) else np.asarray(found).item()
        return Value(found, value.unit, None, (), value.axis)

    return call


# name -> (function, whether it keeps the unit, where it bends)
_ELEMENTWISE: dict[str, tuple[Any, ...]] = {
    **{name: (getattr(np, name),) for name in
       "sin cos tan sinh cosh tanh arctan arcsin arccos log log10 log2 floor".split()},
    **{name: (getattr(np, name), True) for name in "real imag conj angle".split()},
    "sech": (lambda x: 1 / np.cosh(np.clip(np.real(x), -700, 700)),), "abs": (np.abs, True, (0.0,)),
    "sign": (np.sign, True, (0.0,)), "step": (lambda x: np.heaviside(np.real(x), 1.0), True, (0.0,)),
    "erf": (lambda x: erf(np.real(x)),),
}  # fmt: skip


def _sqrt(value: Value) -> Value:
    if kind(value) == "operator":
        raise CardError("A root of an operator.", "Use roots of numbers.")
    return power(value, Value(0.5))


def _exp(value: Value) -> Value:
    if kind(value) != "operator":
        return _elementwise(np.exp)(value)
    if isinstance(value.data, Driven) or value.data.shape[0] > 400:
        raise CardError("exp of an operator that depends on t, or has over 400 levels.", "Use evolutions for that.")
    return Value(angle_of(value).data.expm())


# name -> (function of x and two parameters, where it bends)
_SHAPES: dict[str, tuple[Callable[..., Any], Callable[[float, float], tuple[float, ...]]]] = {
    "box": (lambda x, a, b: float(a <= x < b), lambda a, b: (a, b)),
    "gauss": (lambda x, c, s: math.exp(-0.5 * ((x - c) / s) ** 2),
              lambda c, s: tuple(c + k * s for k in (-6, -3, 0, 3, 6))),
    "clip": (lambda x, a, b: min(max(x, a), b), lambda a, b: (a, b)),
    "ramp": (lambda x, a, b: min(max((x - a) / (b - a), 0.0), 1.0), lambda a, b: (a, b)),
}  # fmt: skip


def _shaped(name: str, x: Value, *given: Value) -> Value:
    function, edges = _SHAPES[name]
    for one in given:
        if one.data != 0:
            add(Value(1.0, x.unit), Value(1.0, one.unit))
        if not is_number(one) or isinstance(one.data, complex):
            raise CardError("Its parameters must be real numbers.", "Write for example box(t, 0, 5 ns).")
    a, b = (float(one.data) for one in given)
    if b <= (0 if name == "gauss" else a):
        raise CardError(
            "Its parameters are in the wrong order, or a width is not positive.",
            "box, clip and ramp take x, from, to; gauss takes x, centre, standard deviation.",
        )
    unit = x.unit if name == "clip" else PLAIN
    if isinstance(x.data, Signal):
        return Value(applied(lambda at: function(at.real, a, b), x.data, edges=edges(a, b)), unit)
    if kind(x) not in ("number", "list") or np.iscomplexobj(x.data):
        raise CardError("It takes real numbers and functions of t.", "Write for example box(t, 0, 5 ns).")
    data = function(x.data, a, b) if is_number(x) else np.array([function(one, a, b) for one in x.data])
    return Value(data, unit, None, (), x.axis)


def _where(condition: Value, a: Value, b: Value) -> Value:
    first, second = (Value(1.0, one.unit) if isinstance(one.data, Signal) else one for one in (a, b))
    unit = add(first, second).unit
    if isinstance(condition.data, Signal):
        return Value(applied(lambda p, x, y: x if p else y, condition.data, a.data, b.data), unit)
    if not is_number(condition):
        raise CardError("The first argument must be a comparison.", "Write where(t < 5, 1, 0).")
    return a if condition.data else b


def _pulses(x: Value, edges: Value, values: Value) -> Value:
    """Piecewise constant between sorted edges, zero outside."""
    _sorted_points(edges, values, 1)
    add(Value(1.0, x.unit), Value(1.0, edges.unit))
    table = np.concatenate([[0.0], values.data, [0.0]])
    look = lambda at: table[np.searchsorted(edges.data, np.real(at), side="right")]  # noqa: E731
    if not isinstance(x.data, Signal):
        raise CardError("Its first argument must be a function of t.", "Write pulses(t, edges, values).")
    return Value(applied(look, x.data, edges=edges.data.tolist()), values.unit)


def _interp(x: Value, xs: Value, ys: Value) -> Value:
    """Straight lines between the points, constant outside."""
    _sorted_points(xs, ys, 0)
    add(Value(1.0, x.unit), Value(1.0, xs.unit))
    if not isinstance(x.data, Signal):
        return Value(np.interp(x.data, xs.data, ys.data), ys.unit)
    return Value(applied(lambda at: np.interp(np.real(at), xs.data, ys.data), x.data, edges=xs.data.tolist()), ys.unit)


def _sorted_points(xs: Value, ys: Value, more: int) -> None:
    lists = kind(xs) == kind(ys) == "list"
    if not lists or len(xs.data) != len(ys.data) + more or np.any(np.diff(xs.data) <= 0):
        raise CardError(
            "It takes t, sorted points, and as many values (of pulses: one between each two).",
            "Write interp(t, [0, 1, 3], [0, 1, 0]), pulses(t, [0, 1, 3], [0.5, -0.5]).",
        )


def _spaced(function: Callable[..., Any], first: Value, last: Value, points: Value) -> Value:
    count, both = real_number(points), add(first, last)
    if count != int(count) or not 1 <= count <= MOST_POINTS:
        raise CardError(f"{count:g} points.", f"Write a whole number from 1 to {MOST_POINTS}.")
    numbers = is_number(first) and is_number(last) and not isinstance(both.data, complex)
    if not numbers or (function is np.logspace and not both.unit.plain):
        raise CardError(
            "First and last must be real numbers of one unit.", "Of logspace: powers of ten, then the unit."
        )
    if function is np.geomspace and first.data * last.data <= 0:
        raise CardError("Both ends must have the same sign and not be zero.", "Write geomspace(0.01, 10, 31).")
    return Value(function(first.data, last.data, int(count)), both.unit, first.shown or last.shown)


def _arange(first: Value, last: Value, step: Value) -> Value:
    unit = add(add(first, last), step).unit
    numbers = all(map(is_number, (first, last, step))) and step.data != 0
    if not numbers or not 0 <= (last.data - first.data) / step.data <= MOST_POINTS:
        raise CardError("It takes first, last (included) and a step that leads there.", "Write arange(0, 10, 0.5).")
    count = math.floor((last.data - first.data) / step.data + 1e-9) + 1  # the last point counts, as people say it
    return Value(first.data + step.data * np.arange(count), unit, first.shown or last.shown or step.shown)


def _nbar(frequency: Value, temperature: Value) -> Value:
    """Bose-Einstein occupation: h f, hbar w or an energy against k T."""
    numbers = is_number(frequency) and is_number(temperature) and temperature.unit == KELVIN
    if not numbers or temperature.data <= 0 or frequency.data <= 0:
        raise CardError("It takes a positive frequency or energy and a temperature.", "Write nbar(5.2 GHz, 20 mK).")
    energy = energy_of(frequency, in_cycles=True)
    return Value(1 / math.expm1(energy / (constants.k * temperature.data)))


def energy_of(value: Value, in_cycles: bool = False) -> Any:
    """The data in joule: of an energy, an angular frequency, a wavenumber, or a frequency in Hz where that is allowed.

    Raises:
        CardError: it is none of these.
    """
    if in_cycles and value.unit.powers[5] == 1 and value.unit.turns < 1 and value.unit.powers[0] == -1:
        return value.data * constants.h
    unit = value.unit.angular
    if unit.powers not in TO_RATE:
        raise CardError(f"A {kind(value)} in {unit} is no energy.", "Write meV, 2*pi*5 GHz, 3 rad/ns or 200/cm.")
    return value.data * (TO_RATE[unit.powers] * constants.hbar)


def extreme(function: Callable[[Any], Any], *values: Value) -> Value:
    """The largest or smallest of some numbers, or of a list."""
    whole = array(list(values)) if len(values) > 1 else values[0]
    if kind(whole) != "list" or isinstance(whole.data, list) or np.iscomplexobj(whole.data):
        raise CardError(f"It takes real numbers, not a {kind(whole)}.", "Write max(abs(...)) for complex numbers.")
    return Value(float(function(whole.data)), whole.unit, whole.shown)


def _sorted(value: Value) -> Value:
    if kind(value) != "list":
        raise CardError("It takes a list.", "Write sort([3, 1, 2]).")
    return value.like(np.sort(value.data))


def _length(value: Value) -> Value:
    if not isinstance(value.data, list | np.ndarray):
        raise CardError("It takes a list or several parts.", "Write len(q).")
    return Value(float(len(value.data)))


def _commutator(sign: int, a: Value, b: Value) -> Value:
    a, b = operators(a, b)
    if kind(a) != "operator" or kind(b) != "operator":
        raise CardError("It takes two operators.", "Write comm(X(q), Z(q)).")
    return add(multiply(a, b), multiply(b, a), sign)


_OF_VALUES: dict[str, Callable[..., Value]] = {
    "sqrt": _sqrt, "exp": _exp, "linspace": partial(_spaced, np.linspace), "logspace": partial(_spaced, np.logspace),
    "geomspace": partial(_spaced, np.geomspace), "arange": _arange, "nbar": _nbar, "max": partial(extreme, np.max),
    "min": partial(extreme, np.min), "sort": _sorted, "len": _length, "where": _where, "pulses": _pulses,
    "interp": _interp, "comm": partial(_commutator, -1), "anticomm": partial(_commutator, 1),
}  # fmt: skip


def _at(walker: Walker, nodes: list[ast.expr]) -> Value:
    """at(f, time): a function of t or an operator that depends on t, at one time."""
    what, when = map(walker.node, nodes)
    clock = walker.names.get("t")
    if not is_number(when) or clock is None:
        raise CardError("It takes something that depends on t, and a time.", "Write at(H, 10).")
    if when.data != 0:
        add(Value(1.0, clock.unit), when)
    inner = when.data / clock.data.phase[0]
    if isinstance(what.data, Driven):
        return Value(what.data(inner), what.unit)
    if isinstance(what.data, Signal) and not what.data.stateful:
        return Value(np.asarray(what.data.at(inner, None)).item(), what.unit)
    return what


def _of_operator(function: Callable[[Value], Value]) -> Function:
    def call(walker: Walker, nodes: list[ast.expr]) -> Value:
        value, *more = map(walker.node, nodes)
        if kind(value) not in ("operator", "state"):
            raise CardError(f"It takes an operator, not a {kind(value)}.", "Write for example dag(a(c)).")
        found = function(value, *more)
        return replace(found, on=walker.whole) if found.on == _WHOLE else found

    return call


def _fixed(value: Value) -> Qobj:
    if kind(value) != "operator" or isinstance(value.data, Driven):
        raise CardError("It takes an operator that does not depend on t.", "Fix the time: at(H, 0).")
    if not value.data.isherm:
        raise CardError("The operator is not Hermitian.", "Add its adjoint: A + dag(A).")
    if value.data.shape[0] > 1500:
        raise CardError("More than 1500 levels are too many for eigenvectors.", "Use fewer levels.")
    return value.data


def _eigenstate(value: Value, place: Value | None = None) -> Value:
    k = 0 if place is None else int(place.data)
    op = _fixed(value)
    energies, vectors = np.linalg.eigh(op.full())
    if not 0 <= k < len(energies):
        raise CardError(f"There is no eigenstate {k}.", f"Count from 0 to {len(energies) - 1}.")
    scale = max(1e-300, float(np.abs(energies).max()))
    if any(abs(energies[k] - one) < 1e-10 * scale for j, one in enumerate(energies) if j != k):
        raise CardError(f"Eigenvalue {k} is degenerate: its state is not fixed.", "Add a small term that splits it.")
    vector = vectors[:, k] * np.exp(-1j * np.angle(vectors[np.argmax(np.abs(vectors[:, k])), k]))
    return Value(Qobj(vector, dims=[op.dims[0], [1] * len(op.dims[0])]), on=_WHOLE)


def _gibbs(value: Value, heat: Value) -> Value:
    """exp(-beta A)/Z; the second argument is beta, or a temperature in kelvin."""
    op = _fixed(value)
    if not is_number(heat) or isinstance(heat.data, complex) or heat.data < 0:
        raise CardError("It takes an operator and 1/energy or a temperature.", "Write gibbs(H, 2.0), gibbs(H, 300 K).")
    if heat.unit == KELVIN:
        if heat.data == 0:
            raise CardError("A temperature of zero.", "Write dm(ground(H)).")
        exponent = energy_of(value).full() / (constants.k * heat.data)
    else:
        product = multiply(value, heat)
        exponent = angle_of(product).data.full()
    energies, vectors = np.linalg.eigh(exponent)
    weights = np.exp(-(energies - energies[0]))
    return Value(Qobj((vectors * (weights / weights.sum())) @ vectors.conj().T, dims=op.dims), on=_WHOLE)


def _normalised(value: Value) -> Value:
    size = value.data.norm()
    if kind(value) != "state" or size == 0:
        raise CardError("It takes a state that is not zero.", "Write unit(ket(0) + ket(1)).")
    return value.like(value.data / (value.data.tr() if value.data.isoper else size))


def _trace(value: Value) -> Value:
    found = complex(value.data.tr())
    real = abs(found.imag) <= 1e-12 * value.data.norm("max")  # as of every Hermitian operator
    return Value(found.real if real else found, value.unit)


def _dag(value: Value) -> Value:
    if kind(value) == "state" and value.data.isket:
        raise CardError("A bra has no use here.", "Write dm(ket) for |a><a|, overlap(ket) for <a|psi>.")
    return value.like(value.data.dag())


def _eigenvalues(value: Value) -> Value:
    found = np.linalg.eigvalsh(_fixed(value).full())
    index = Axis("index", tuple(map(float, range(len(found)))))
    return Value(found, Unit(value.unit.powers, value.unit.turns), axis=index)


_OF_OPERATORS: dict[str, Callable[..., Value]] = {
    "dag": _dag, "unit": _normalised, "tr": _trace, "ground": _eigenstate, "eigenstate": _eigenstate, "gibbs": _gibbs,
    "eigenvalues": _eigenvalues,
}  # fmt: skip
