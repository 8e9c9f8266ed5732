"""Sums, products and powers of values: numbers, arrays, functions of time, operators, states."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from qutip import Qobj, qeye_like

from .expression_values import PLAIN, TO_RATE, CardError, Unit, Value
from .time_functions import Driven, Signal, applied, sawtooth, straight

HIGHEST_POWER = 64  # of an operator


def kind(value: Value) -> str:
    """What a value is, as errors call it."""
    data = value.data
    if isinstance(data, Driven):
        return "operator"
    if isinstance(data, Qobj):
        return "state" if value.on else "operator"
    if isinstance(data, Signal):
        return "result in time" if data.stateful else "function of t"
    if isinstance(data, np.ndarray | list):
        return "list"
    numbers = isinstance(data, int | float | complex)
    return "text" if isinstance(data, str) else "number" if numbers else type(data).__name__


def is_number(value: Value) -> bool:
    """Whether it is one number."""
    return kind(value) == "number"


def real_number(value: Value) -> float:
    """A real number without a unit.

    Raises:
        CardError: it is something else.
    """
    if not is_number(value) or not value.unit.plain or isinstance(value.data, complex):
        raise CardError("An argument must be a plain real number.", "Write a number without a unit.")
    return float(value.data)


def finite(value: Value, text: str) -> Value:
    """The value, if none of its numbers is infinite or not a number.

    Raises:
        CardError: one is.
    """
    if isinstance(value.data, int | float | complex | np.ndarray) and not np.all(np.isfinite(value.data)):
        raise CardError(f"{text!r} is not a finite number.", "Look for a division by zero, a root, an overflow.")
    return value


def array(values: list[Value]) -> Value:
    """A list of numbers with one unit.

    Raises:
        CardError: they are not numbers of one unit.
    """
    if not values or not all(map(is_number, values)):
        raise CardError("A list must hold numbers.", "Write it as [1, 2, 5].")
    unit = next((one.unit for one in values if one.data != 0 or not one.unit.plain), PLAIN)
    if any(one.unit.powers != unit.powers and one.data != 0 for one in values):
        raise CardError("The numbers of a list have different units.", "Give all of them one: [0, 5, 10] MHz.")
    shown = next((one.shown for one in values if one.shown), None)
    data = np.array([one.data for one in values])
    return Value(data if np.iscomplexobj(data) else data.astype(float), unit, shown)


def _alike(a: Value, b: Value) -> tuple[Unit, Value]:
    """The unit in which a and b can be added or compared, and b in it: energies, rates and wavenumbers are alike."""
    for one, other in ((a, b), (b, a)):
        if is_number(one) and one.data == 0:
            return other.unit, b
    x, y = (a.unit, b.unit) if a.unit.powers == b.unit.powers else (a.unit.resolved, b.unit.resolved)
    if x.powers != y.powers and x.powers in TO_RATE and y.powers in TO_RATE:
        return Unit(x.powers), multiply(b, Value(TO_RATE[y.powers] / TO_RATE[x.powers]))
    if x.powers != y.powers:
        raise CardError(
            f"A {kind(a)} in {a.unit} and a {kind(b)} in {b.unit} cannot be added or compared.",
            "Give both the same unit; a number without a unit needs one, such as 5/us or 3 MHz.",
        )
    return Unit(x.powers, min(x.turns, y.turns)), b


def _axis(a: Value, b: Value) -> Any:
    for one, other in ((a, b), (b, a)):
        if one.axis is None or one.axis == other.axis or kind(other) != "list":
            return other.axis or one.axis
    raise CardError("Two lists along different axes cannot be combined.", "Reduce one by max, mean or integral.")


def operators(a: Value, b: Value) -> tuple[Value, Value]:
    """Both; a density matrix of all parts beside an operator is one, too."""
    for one, other in ((a, b), (b, a)):
        if kind(one) == "operator" and kind(other) == "state" and other.data.dims == _some(one.data).dims:
            return tuple(Value(x.data, x.unit) for x in (a, b))  # type: ignore[return-value]
    return a, b


def add(a: Value, b: Value, sign: int = 1) -> Value:
    """a + b, or a - b with sign -1; a number beside an operator means that multiple of the identity."""
    a, b = operators(a, b)
    unit, b = _alike(a, b)
    kinds = {kind(a), kind(b)}
    if "state" in kinds and (kinds != {"state"} or a.on != b.on or a.data.type != b.data.type):
        raise CardError(
            f"A {kind(a)} and a {kind(b)} that are not of the same kind and the same parts cannot be added.",
            "Add kets of the same parts; make mixtures of dm(ket) with weights.",
        )
    if "operator" in kinds and kinds != {"operator"}:
        if "list" in kinds or "text" in kinds:
            raise CardError("A list cannot be added to an operator.", "Use cases for a sweep.")
        whole = a if kind(a) == "operator" else b
        one = Value(qeye_like(_some(whole.data)))
        a, b = (x if kind(x) == "operator" else multiply(x, one) for x in (a, b))
    x: Any = a.data
    y: Any = b.data
    data: Any
    if isinstance(x, Signal) or isinstance(y, Signal):
        if not isinstance(y, Signal):
            data = straight(x, 1.0, sign * _no_list(y))
        elif not isinstance(x, Signal):
            data = straight(y, float(sign), _no_list(x))
        else:
            data = applied(operator.add if sign > 0 else operator.sub, x, y)
    elif isinstance(x, Driven) or isinstance(y, Driven):
        data = _lifted(x).plus(_lifted(y), sign)
    else:
        data = x + y if sign > 0 else x - y
    shown = a.shown if a.shown == b.shown or not b.shown else None if a.shown else b.shown
    return Value(data, unit, shown, a.on or b.on, _axis(a, b))


def _some(op: Any) -> Qobj:
    """An operator of the same kind that does not depend on t."""
    return op.terms[0][0] if isinstance(op, Driven) else op


def _lifted(op: Any) -> Driven:
    return op if isinstance(op, Driven) else Driven(((op, None),))


def _no_list(data: Any) -> Any:
    if isinstance(data, np.ndarray):
        raise CardError("A list and a function of time cannot be combined.", "Use cases, or interp(t, times, values).")
    return data


def multiply(a: Value, b: Value) -> Value:
    """a * b."""
    a, b = operators(a, b)
    kinds = (kind(a), kind(b))
    unit = a.unit.times(b.unit)
    shown = None
    if {*kinds} <= {"number", "list"}:
        shown = a.shown or b.shown if a.unit.plain or b.unit.plain else None
    if "list" in kinds and ("operator" in kinds or "state" in kinds):
        raise CardError("A list cannot multiply an operator or a state.", "Use cases for a sweep.")
    if kinds == ("state", "state"):
        raise CardError("Two states cannot be multiplied.", "Write tensor(a, b), dm(a) for |a><a|, ketbra(part, i, j).")
    if "state" in kinds:
        return _on_state(a, b, unit)
    x: Any = a.data
    y: Any = b.data
    for one, other in ((x, y), (y, x)):
        if isinstance(one, Signal):
            if isinstance(other, Qobj | Driven):
                return Value(_driven(one, other), unit)
            if isinstance(other, Signal):
                return Value(applied(operator.mul, x, y), unit)
            return Value(straight(one, _no_list(other)), unit)
    if isinstance(x, Driven) or isinstance(y, Driven):
        both = "operator" == kinds[0] == kinds[1]
        if not both:
            return Value(x.scaled(y) if isinstance(x, Driven) else y.scaled(x), unit)
        return Value(_lifted(x).after(_lifted(y)), unit)
    data = x @ y if "operator" == kinds[0] == kinds[1] else x * y
    return Value(data, unit, shown, (), _axis(a, b))


def _driven(signal: Signal, op: Any) -> Driven:
    if signal.stateful:
        raise CardError("A result in time cannot drive the system.", "Use functions of t only.")
    return _lifted(op).scaled(signal)


def _on_state(a: Value, b: Value, unit: Unit) -> Value:
    if kind(b) == "state" and kind(a) == "operator":
        if _some(a.data).dims[1] != b.data.dims[0]:
            raise CardError("An operator acts on a state of some parts.", "Make it whole: tensor(state(q, 0), ...).")
        if isinstance(a.data, Driven):
            raise CardError("An operator that depends on t acts on a state.", "Fix the time: at(operator, time).")
        return Value(a.data @ b.data, unit, on=b.on)
    state, other = (a, b) if kind(a) == "state" else (b, a)
    if not is_number(other):
        raise CardError(f"A state cannot be multiplied by a {kind(other)} from there.", "Write operators before kets.")
    return Value(state.data * other.data, unit, on=state.on)


def divide(a: Value, b: Value) -> Value:
    """a / b."""
    if kind(b) not in ("number", "list", "function of t", "result in time"):
        raise CardError(f"Nothing can be divided by a {kind(b)}.", "Divide by a number.")
    if np.any(np.asarray(b.data == 0)) if not isinstance(b.data, Signal) else False:
        raise CardError("A division by zero.", "Look at the numbers.")
    if isinstance(b.data, Signal):
        inverse = Value(applied(lambda y: 1 / y if y else math.nan, b.data), b.unit.power(Fraction(-1)))
    else:
        inverse = Value(1 / b.data, b.unit.power(Fraction(-1)), None, (), b.axis)
    found = multiply(a, inverse)
    if a.unit.plain and b.shown and is_number(b):
        return replace(found, shown=(f"1/{b.shown[0]}", 1 / b.shown[1]))
    return replace(found, shown=a.shown if b.unit.plain and is_number(b) else None)


def power(a: Value, b: Value) -> Value:
    """a ** b."""
    if not is_number(b) or not b.unit.plain or isinstance(b.data, complex):
        raise CardError("An exponent must be a real number.", "Write for example x**2; exp(x) for powers of e.")
    exponent = float(b.data)
    if kind(a) == "operator":
        if exponent != int(exponent) or not 0 <= exponent <= HIGHEST_POWER:
            raise CardError(f"An operator to the power {exponent:g}.", f"Use 0 to {HIGHEST_POWER}, or exp().")
        found = Value(qeye_like(_some(a.data)))
        for _ in range(int(exponent)):
            found = multiply(Value(a.data), found)
        return Value(found.data, a.unit.power(Fraction(int(exponent))))
    if kind(a) in ("state", "text"):
        raise CardError(f"A {kind(a)} cannot be raised to a power.", "Use numbers or operators.")
    unit = a.unit.power(Fraction(exponent).limit_denominator(64))
    if isinstance(a.data, Signal):
        return Value(applied(lambda x: x**exponent, a.data), unit)
    return Value(_real_power(a.data, exponent), unit, None, (), a.axis)


def _real_power(base: Any, exponent: float) -> Any:
    if exponent != int(exponent) and not np.iscomplexobj(base) and np.any(np.asarray(base) < 0):
        raise CardError("A root of a negative number.", "Look at rates and variances, or write 1j*sqrt(...).")
    if np.any(np.asarray(base) == 0) and exponent < 0:
        raise CardError("A division by zero.", "Look at the numbers.")
    try:
        with np.errstate(all="ignore"):
            return base**exponent
    except OverflowError as error:
        raise CardError("A power is too large.", "Look at the numbers.") from error


def modulo(a: Value, b: Value) -> Value:
    """a % b, such as t % period."""
    unit, b = _alike(a, b)
    if not is_number(b) or isinstance(b.data, complex) or b.data <= 0:
        raise CardError("A period after % must be a positive number.", "Write t % period.")
    if isinstance(a.data, Signal):
        return Value(sawtooth(a.data, b.data), unit)
    if kind(a) not in ("number", "list"):
        raise CardError(f"A {kind(a)} has no remainder.", "Write t % period.")
    return Value(a.data % b.data, unit, None, (), a.axis)


def compare(a: Value, b: Value, how: Callable[[Any, Any], Any]) -> Value:
    """A comparison; one of functions of time is 1 where it holds, and breaks where it turns."""
    _, b = _alike(a, b)
    x, y = a.data, b.data
    if isinstance(x, Signal) or isinstance(y, Signal):
        if not isinstance(x, Signal):
            return Value(applied(lambda p, q: float(how(q, p)), y, x, edges=[x]))
        return Value(applied(lambda p, q: float(how(p, q)), x, y, edges=[] if isinstance(y, Signal) else [y]))
    if not (is_number(a) and is_number(b)):
        raise CardError(f"A {kind(a)} and a {kind(b)} cannot be compared.", "Compare numbers or functions of t.")
    return Value(float(how(x, y)))
