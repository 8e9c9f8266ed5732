"""Functions of numbers, of time and of operators that the expressions of a card may call."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from qutip import Qobj
from scipy import constants
from scipy.special import erf

from .arithmetic import add, array, is_number, kind, multiply, power
from .expressions import Function, Walker
from .quantities import KELVIN, PLAIN, TO_RATE, Axis, CardError, Unit, Value
from .signals import Driven, Signal, applied

MOST_POINTS = 100_000
_WHOLE = ("*",)  # a state of all parts, whose names the walker knows


def plain_functions() -> dict[str, Function]:
    """Name -> function; those that know the parts or the evolution are elsewhere."""
    table: dict[str, Function] = {name: _elementwise(name, *entry) for name, entry in _ELEMENTWISE.items()}
    table |= {name: _shaped(*entry) for name, entry in _SHAPES.items()}
    table |= {name: _of_operator(entry) for name, entry in _OF_OPERATORS.items()}
    table |= {
        "sqrt": lambda w, n: _sqrt(*w.arguments(n, 1)), "exp": lambda w, n: _exp(*w.arguments(n, 1)),
        "linspace": _spaced(np.linspace, True), "logspace": _spaced(np.logspace, False),
        "geomspace": _spaced(np.geomspace, True),
        "arange": _arange, "nbar": lambda w, n: _nbar(*w.arguments(n, 2)),
        "max": _extreme(np.max), "min": _extreme(np.min), "sort": _sorted, "len": _length,
        "where": lambda w, n: _where(*w.arguments(n, 3)), "pulses": _steps, "interp": _interp,
        "comm": _commutator(-1), "anticomm": _commutator(1),
        "at": _at,
    }  # fmt: skip
    return table


def angle_of(value: Value) -> Value:
    """The value as a pure number, where the argument of exp or cos must be one.

    Raises:
        CardError: it has a unit.
    """
    unit = value.unit.angular
    if not unit.plain:
        raise CardError(
            f"The argument has the unit {unit}, but must be a pure number.",
            "Multiply by a time, or divide by a unit of the same kind.",
        )
    return Value(value.data, PLAIN, None, value.on, value.axis)


def _elementwise(name: str, function: Callable[[Any], Any], keeps_unit: bool, edges: tuple[float, ...]) -> Function:
    def call(walker: Walker, nodes: list[ast.expr]) -> Value:
        (value,) = walker.arguments(nodes, 1)
        if kind(value) in ("operator", "state", "text") or isinstance(value.data, list):
            raise CardError(
                f"It takes numbers and functions of t, not a {kind(value)}.", "See docs/task-cards-dynamics.md."
            )
        if not keeps_unit:
            value = angle_of(value)
        if isinstance(value.data, Signal):
            return Value(applied(function, value.data, edges=edges), value.unit)
        found = function(value.data)
        return Value(
            found if isinstance(found, np.ndarray) else np.asarray(found).item(), value.unit, None, (), value.axis
        )

    return call


_ELEMENTWISE: dict[str, tuple[Callable[[Any], Any], bool, tuple[float, ...]]] = {
    **{name: (getattr(np, name), False, ())
       for name in "sin cos tan sinh cosh tanh arctan arcsin arccos log log10 log2".split()},
    "sech": (lambda x: 1 / np.cosh(np.clip(np.real(x), -700, 700)), False, ()),
    "abs": (np.abs, True, (0.0,)), "real": (np.real, True, ()), "imag": (np.imag, True, ()),
    "conj": (np.conj, True, ()),
    "angle": (np.angle, True, ()), "sign": (np.sign, True, (0.0,)), "floor": (np.floor, False, ()),
    "step": (lambda x: np.heaviside(np.real(x), 1.0), True, (0.0,)), "erf": (lambda x: erf(np.real(x)), False, ()),
}  # fmt: skip


def _sqrt(value: Value) -> Value:
    if kind(value) == "operator":
        raise CardError("A root of an operator.", "Use roots of numbers.")
    return power(value, Value(0.5))


def _exp(value: Value) -> Value:
    if kind(value) == "operator":
        if isinstance(value.data, Driven) or value.data.shape[0] > 400:
            raise CardError(
                "exp of an operator that depends on t, or has more than 400 levels.", "Use evolutions for that."
            )
        return Value(angle_of(value).data.expm())
    value = angle_of(value)
    if isinstance(value.data, Signal):
        return Value(applied(np.exp, value.data))
    return Value(
        np.exp(value.data) if isinstance(value.data, np.ndarray) else np.exp(value.data).item(), axis=value.axis
    )


# name -> (function of x and its parameters, number of parameters, from these which values of x are edges)
_SHAPES: dict[str, tuple[Callable[..., Any], int, Callable[..., Sequence[float]]]] = {
    "box": (lambda x, a, b: float(a <= x < b), 2, lambda a, b: (a, b)),
    "gauss": (
        lambda x, c, s: math.exp(-0.5 * ((x - c) / s) ** 2),
        2,
        lambda c, s: tuple(c + k * s for k in (-6, -3, 0, 3, 6)),
    ),
    "clip": (lambda x, a, b: min(max(x, a), b), 2, lambda a, b: (a, b)),
    "ramp": (lambda x, a, b: min(max((x - a) / (b - a), 0.0), 1.0), 2, lambda a, b: (a, b)),
}


def _shaped(function: Callable[..., Any], count: int, edges: Callable[..., Sequence[float]]) -> Function:
    def call(walker: Walker, nodes: list[ast.expr]) -> Value:
        x, *given = walker.arguments(nodes, count + 1)
        for one in given:
            if one.data != 0:
                add(Value(1.0, x.unit), Value(1.0, one.unit))
            if not is_number(one) or isinstance(one.data, complex):
                raise CardError("Its parameters must be real numbers.", "Write for example box(t, 0, 5 ns).")
        numbers = [float(one.data) for one in given]
        unit = x.unit if function is _SHAPES["clip"][0] else PLAIN
        if (function is not _SHAPES["gauss"][0] and numbers[0] >= numbers[1]) or (
            function is _SHAPES["gauss"][0] and numbers[1] <= 0
        ):
            raise CardError(
                "Its parameters are in the wrong order, or a width is not positive.",
                "box, clip and ramp take x, from, to; gauss takes x, centre, standard deviation.",
            )
        if isinstance(x.data, Signal):
            return Value(applied(lambda at: function(at.real, *numbers), x.data, edges=edges(*numbers)), unit)
        if kind(x) not in ("number", "list") or np.iscomplexobj(x.data):
            raise CardError("It takes real numbers and functions of t.", "Write for example box(t, 0, 5 ns).")
        return Value(
            function(x.data, *numbers) if is_number(x) else np.array([function(one, *numbers) for one in x.data]),
            unit,
            None,
            (),
            x.axis,
        )

    return call


def _where(condition: Value, a: Value, b: Value) -> Value:
    unit = add(
        a if not isinstance(a.data, Signal) else Value(1.0, a.unit),
        b if not isinstance(b.data, Signal) else Value(1.0, b.unit),
    ).unit
    if isinstance(condition.data, Signal):
        return Value(applied(lambda p, x, y: x if p else y, condition.data, a.data, b.data), unit)
    if not is_number(condition):
        raise CardError("The first argument must be a comparison.", "Write where(t < 5, 1, 0).")
    return a if condition.data else b


def _steps(walker: Walker, nodes: list[ast.expr]) -> Value:
    """pulses(t, [t0, t1, ..., tn], [v1, ..., vn]): piecewise constant, zero outside."""
    x, edges, values = walker.arguments(nodes, 3)
    if (
        kind(edges) != "list"
        or kind(values) != "list"
        or len(edges.data) != len(values.data) + 1
        or np.any(np.diff(edges.data) <= 0)
    ):
        raise CardError(
            "It takes t, the sorted edges, and one value for each interval.", "Write pulses(t, [0, 1, 3], [0.5, -0.5])."
        )
    add(Value(1.0, x.unit), Value(1.0, edges.unit))
    table = np.concatenate([[0.0], values.data, [0.0]])
    look = lambda at: table[np.searchsorted(edges.data, np.real(at), side="right")]  # noqa: E731
    if not isinstance(x.data, Signal):
        raise CardError("Its first argument must be a function of t.", "Write pulses(t, edges, values).")
    return Value(applied(look, x.data, edges=edges.data.tolist()), values.unit)


def _interp(walker: Walker, nodes: list[ast.expr]) -> Value:
    """interp(t, times, values): straight lines between the points, constant outside."""
    x, xs, ys = walker.arguments(nodes, 3)
    if kind(xs) != "list" or kind(ys) != "list" or len(xs.data) != len(ys.data) or np.any(np.diff(xs.data) <= 0):
        raise CardError("It takes t, sorted points, and as many values.", "Write interp(t, [0, 1, 3], [0, 1, 0]).")
    add(Value(1.0, x.unit), Value(1.0, xs.unit))
    if not isinstance(x.data, Signal):
        return Value(np.interp(x.data, xs.data, ys.data), ys.unit)
    return Value(applied(lambda at: np.interp(np.real(at), xs.data, ys.data), x.data, edges=xs.data.tolist()), ys.unit)


def _spaced(function: Callable[..., Any], with_unit: bool) -> Function:
    def call(walker: Walker, nodes: list[ast.expr]) -> Value:
        if len(nodes) != 3:
            raise CardError("It takes first, last and the number of points.", "Write linspace(0, 10, 101).")
        first, last = (walker.node(one) for one in nodes[:2])
        count = walker.number(nodes[2])
        if count != int(count) or not 1 <= count <= MOST_POINTS:
            raise CardError(f"{count:g} points.", f"Write a whole number from 1 to {MOST_POINTS}.")
        both = add(first, last)
        if (
            not (is_number(first) and is_number(last))
            or isinstance(both.data, complex)
            or not (with_unit or both.unit.plain)
        ):
            raise CardError(
                "First and last must be real numbers of one unit.",
                "Write linspace(0 us, 10 us, 101); logspace takes powers of ten: logspace(-2, 1, 31) us.",
            )
        if function is np.geomspace and first.data * last.data <= 0:
            raise CardError("Both ends must have the same sign and not be zero.", "Write geomspace(0.01, 10, 31).")
        return Value(function(first.data, last.data, int(count)), both.unit, first.shown or last.shown)

    return call


def _arange(walker: Walker, nodes: list[ast.expr]) -> Value:
    first, last, step = walker.arguments(nodes, 3)
    unit = add(add(first, last), step).unit
    if (
        not all(map(is_number, (first, last, step)))
        or step.data == 0
        or not 0 <= (last.data - first.data) / step.data <= MOST_POINTS
    ):
        raise CardError("It takes first, last (included) and a step that leads there.", "Write arange(0, 10, 0.5).")
    count = math.floor((last.data - first.data) / step.data + 1e-9) + 1  # the last point counts, as people say it
    return Value(first.data + step.data * np.arange(count), unit, first.shown or last.shown or step.shown)


def _nbar(frequency: Value, temperature: Value) -> Value:
    """Bose-Einstein occupation: h f, hbar w or an energy against k T."""
    if (
        not is_number(frequency)
        or not is_number(temperature)
        or temperature.unit != KELVIN
        or temperature.data <= 0
        or frequency.data <= 0
    ):
        raise CardError(
            "It takes a frequency or an energy and a temperature, both positive.", "Write nbar(5.2 GHz, 20 mK)."
        )
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
        raise CardError(
            f"A {kind(value)} in {unit} is no energy.",
            "Write an energy (meV), an angular frequency (2*pi*5 GHz, 3 rad/ns) or a wavenumber (200/cm).",
        )
    return value.data * (TO_RATE[unit.powers] * constants.hbar)


def _extreme(function: Callable[[Any], Any]) -> Function:
    def call(walker: Walker, nodes: list[ast.expr]) -> Value:
        values = walker.arguments(nodes, 1, 20)
        whole = values[0]
        if len(values) > 1:
            whole = array(values)
        if kind(whole) != "list" or isinstance(whole.data, list) or np.iscomplexobj(whole.data):
            raise CardError(f"It takes real numbers, not a {kind(whole)}.", "Write max(abs(...)) for complex numbers.")
        return Value(float(function(whole.data)), whole.unit, whole.shown)

    return call


def _sorted(walker: Walker, nodes: list[ast.expr]) -> Value:
    (value,) = walker.arguments(nodes, 1)
    if kind(value) != "list":
        raise CardError("It takes a list.", "Write sort([3, 1, 2]).")
    return value.like(np.sort(value.data))


def _length(walker: Walker, nodes: list[ast.expr]) -> Value:
    (value,) = walker.arguments(nodes, 1)
    if not isinstance(value.data, list | np.ndarray):
        raise CardError("It takes a list or several parts.", "Write len(q).")
    return Value(float(len(value.data)))


def _commutator(sign: int) -> Function:
    def call(walker: Walker, nodes: list[ast.expr]) -> Value:
        a, b = walker.arguments(nodes, 2)
        if kind(a) != "operator" or kind(b) != "operator":
            raise CardError("It takes two operators.", "Write comm(X(q), Z(q)).")
        return add(multiply(a, b), multiply(b, a), sign)

    return call


def _at(walker: Walker, nodes: list[ast.expr]) -> Value:
    """at(f, time): a function of t or an operator that depends on t, at one time."""
    what, when = walker.arguments(nodes, 2)
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
        value, *more = walker.arguments(nodes, 1, 2)
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
        raise CardError(
            f"Eigenvalue {k} is degenerate, so its state is not fixed.",
            "Write the state yourself, or add a small term that splits it.",
        )
    vector = vectors[:, k] * np.exp(-1j * np.angle(vectors[np.argmax(np.abs(vectors[:, k])), k]))
    return Value(Qobj(vector, dims=[op.dims[0], [1] * len(op.dims[0])]), on=_WHOLE)


def _gibbs(value: Value, heat: Value | None = None) -> Value:
    """exp(-beta A)/Z; the second argument is beta, or a temperature in kelvin."""
    op = _fixed(value)
    if heat is None or not is_number(heat) or isinstance(heat.data, complex) or heat.data < 0:
        raise CardError(
            "It takes an operator and 1/energy, or a temperature in kelvin.", "Write gibbs(H, 2.0), gibbs(H, 300 K)."
        )
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


def _normalised(value: Value, more: Value | None = None) -> Value:
    size = value.data.norm()
    if kind(value) != "state" or size == 0:
        raise CardError("It takes a state that is not zero.", "Write unit(ket(0) + ket(1)).")
    return value.like(value.data / (value.data.tr() if value.data.isoper else size))


def _trace(value: Value, more: Value | None = None) -> Value:
    found = complex(value.data.tr())
    real = abs(found.imag) <= 1e-12 * value.data.norm("max")  # as of every Hermitian operator
    return Value(found.real if real else found, value.unit)


def _dag(value: Value, more: Value | None = None) -> Value:
    if kind(value) == "state" and value.data.isket:
        raise CardError("A bra has no use here.", "Write dm(ket) for |a><a|, overlap(ket) for <a|psi>.")
    return value.like(value.data.dag())


_OF_OPERATORS: dict[str, Callable[..., Value]] = {
    "dag": _dag, "unit": _normalised, "tr": _trace, "ground": _eigenstate, "eigenstate": _eigenstate, "gibbs": _gibbs,
    "eigenvalues": lambda value, more=None: _eigenvalues(value),
}  # fmt: skip


def _eigenvalues(value: Value) -> Value:
    found = np.linalg.eigvalsh(_fixed(value).full())
    return Value(
        found, Unit(value.unit.powers, value.unit.turns), axis=Axis("index", tuple(map(float, range(len(found)))))
    )
