"""What makes one number of a function of time: extrema, crossings, means, integrals, values at a time."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np

from .evolution import extrema, integral, roots, value_at
from .expression_functions import extreme
from .expression_values import TIME, CardError, NotThere, Value
from .expressions import Function, Walker
from .state_measures import StateMeasures
from .time_functions import Signal
from .value_arithmetic import is_number, kind, multiply

Look = Callable[[Signal, float, float], Any]
OfList = Callable[..., Value]
Gives = Literal["value", "time", "area"]


class TimeMeasures(StateMeasures):
    """Reductions of functions of time in one case."""

    def reductions(self) -> dict[str, Function]:
        """Name -> function, of something in time, between its first and last instant or two given ones."""

        def mean(values: Value) -> Value:
            return Value(np.mean(values.data).item(), values.unit)

        table: dict[str, Function] = {
            "mean": self._reduced(lambda f, a, b: self._area(f, a, b) / (b - a), of_list=mean),
            "integral": self._reduced(self._area, "area"),
            "final": self._reduced(self._last), "crossing": self._crossing, "value_at": self._value_at,
        }  # fmt: skip
        for word, sign in (("max", 1), ("min", -1)):
            best, first, of = self._best(sign), self._first(sign), partial(extreme, getattr(np, word))
            table |= {
                word: self._reduced(lambda *given, look=best: look(*given)[1], of_list=of),
                f"time_of_{word}": self._reduced(lambda *given, look=best: look(*given)[0], "time", _where(sign)),
                f"first_{word}": self._reduced(lambda *given, look=first: look(*given)[1]),
                f"time_of_first_{word}": self._reduced(lambda *given, look=first: look(*given)[0], "time"),
            }
        return table

    def _argument(self, walker: Walker, node: ast.expr) -> Value:
        """A function of time and state; an operator means its expectation value, a level or state its population."""
        value = walker.node(node)
        if kind(value) in ("operator", "state"):
            return self._expect(walker, [node])
        if kind(value) in ("function of t", "result in time"):
            return value
        raise CardError(f"It takes something that changes in time, not a {kind(value)}.", "Write such as expect(Z(q)).")

    def _in_evolution(self, walker: Walker, node: ast.expr) -> Value:
        """The same, where the card has an evolution."""
        value = self._argument(walker, node)
        if self.model.times is None or len(self.model.times) < 2:
            raise CardError("It needs an evolution, but the card has no times.", "Add times: linspace(0, 10, 101).")
        if value.data.stateful and self.model.initial is None:
            raise CardError("It needs an evolution, but the card has no initial state.", "Add initial: ket(0).")
        return value

    def _reduced(self, look: Look, gives: Gives = "value", of_list: OfList | None = None) -> Function:
        """A reduction.

        Args:
            look: the number, from a signal and two instants; while a card is only checked a stand-in takes its place.
            gives: its unit: that of the function, of time, or of both multiplied.
            of_list: what it makes of lists of numbers.
        """

        def call(walker: Walker, nodes: list[ast.expr]) -> Value:
            first = walker.node(nodes[0])
            if of_list is not None and kind(first) in ("number", "list"):
                return of_list(first, *map(walker.node, nodes[1:]))
            value = self._in_evolution(walker, nodes[0])
            low, high = self._window(walker, nodes[1:])
            if gives == "time":
                return self._in_time(self.model.stop if self.evolution is None else look(value.data, low, high))
            found = Value(1.0 if self.evolution is None else as_number(look(value.data, low, high)), value.unit)
            self.scale = self.largest(value.data)
            if gives == "area":
                self.scale *= (high - low) * self.model.size
                return multiply(found, self._in_time(1.0))
            return found

        return call

    def _window(self, walker: Walker, nodes: list[ast.expr]) -> tuple[float, float]:
        """From the first to the last of the times, or between two given ones."""
        times = self.model.times
        given = [self.model.duration(walker.node(one)) for one in nodes]
        low, high = given or (float(times[0]), float(times[-1]))
        stands_in = self.evolution is None and low == high == self.model.stop  # both ends are found only later
        if not (self.model.start <= low < high <= times[-1] * (1 + 1e-12) or stands_in):
            ends = f"It runs from {self.model.start:g} to {times[-1]:g}."
            raise CardError(f"The window {low:g} to {high:g} is not inside the evolution.", ends)
        return low, high

    def _in_time(self, t: float) -> Value:
        time = self.model.time
        return Value(t * time[1], TIME, time) if time else Value(t)

    def _curve(self, signal: Signal) -> tuple[Any, Any]:
        assert self.evolution is not None
        panels, rows = self.evolution.dense(signal)
        if np.iscomplexobj(rows) and np.abs(rows.imag).max() > 1e-9 * max(1e-300, np.abs(rows).max()):
            raise CardError("A complex number has no maximum or crossing.", "Write abs(...) or real(...).")
        return panels, rows.real

    def _area(self, signal: Signal, low: float, high: float) -> Any:
        assert self.evolution is not None
        return integral(*self.evolution.dense(signal), low, high)

    def _best(self, sign: int) -> Callable[..., tuple[float, float]]:
        def look(signal: Signal, low: float, high: float) -> tuple[float, float]:
            panels, rows = self._curve(signal)
            ends = [(t, float(value_at(panels, rows, t))) for t in (low, high)]
            return max([*extrema(panels, rows, sign, low, high), *ends], key=lambda one: sign * one[1])

        return look

    def _first(self, sign: int) -> Callable[..., tuple[float, float]]:
        def look(signal: Signal, low: float, high: float) -> tuple[float, float]:
            found = extrema(*self._curve(signal), sign, low, high)
            if not found:
                word = "maximum" if sign > 0 else "minimum"
                raise NotThere(f"There is no local {word} inside the times.", "Longer times may have one.")
            return found[0]

        return look

    def _crossing(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """crossing(f, level, k): when f has the value for the k-th time; the first if k is left out."""
        value, level = self._in_evolution(walker, nodes[0]), walker.node(nodes[1])
        place = walker.number(nodes[2]) if len(nodes) == 3 else 1
        real = is_number(level) and not isinstance(level.data, complex)
        alike = real and (level.data == 0 or level.unit.powers == value.unit.powers)
        if not alike or place != int(place) or place < 1:
            told = "The level must be a real number in the unit of what crosses it; crossings count from 1."
            raise CardError(told, "Write crossing(population(q, 1), 0.5).")
        if self.evolution is None:
            return self._in_time(self.model.stop)
        low, high = self._window(walker, [])
        found = [t for t in roots(*self._curve(value.data), float(level.data)) if low <= t <= high]
        if len(found) < place:
            raise NotThere(f"The level {level.data:g} is crossed {len(found)} times.", "Longer times may cross it.")
        return self._in_time(found[int(place) - 1])

    def _last(self, signal: Signal, low: float, high: float) -> Any:
        assert self.evolution is not None
        return signal.at(high, self.evolution.at_times[-1] if signal.stateful else None)

    def _value_at(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """value_at(f, time)."""
        value, t = self._in_evolution(walker, nodes[0]), self.model.duration(walker.node(nodes[1]))
        if not self.model.start <= t <= self.model.stop * (1 + 1e-12):
            raise CardError(f"The time {t:g} is not inside the evolution.", f"It ends at {self.model.stop:g}.")
        if self.evolution is None:
            return Value(1.0, value.unit)
        state, self.scale = self.model.initial, self.largest(value.data)
        if value.data.stateful and t > self.model.start:
            (state,) = self.evolution.states(np.array([t]))
        return Value(as_number(value.data.at(t, state)), value.unit)


def _where(sign: int) -> OfList:
    """Where a list along an axis, such as a correlation function, is largest or smallest."""

    def call(values: Value) -> Value:
        if values.axis is None:
            raise CardError("A list without an axis.", "Give something in time, or such as g2(a(c), [0, 1, 2]).")
        axis = values.axis
        found = axis.values[int(np.argmax(sign * values.data))]
        return Value(found * axis.size, axis.of, (axis.unit, axis.size) if axis.unit else None)

    return call


def as_number(found: Any) -> Any:
    """A number of Python's own."""
    return complex(found) if np.iscomplexobj(found) else float(found)
