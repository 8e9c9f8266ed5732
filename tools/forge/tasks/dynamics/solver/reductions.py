"""What makes one number of a function of time: extrema, crossings, means, integrals, values at a time."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from .arithmetic import is_number, kind, multiply
from .evolution import extrema, integral, roots, value_at
from .expressions import Function, Walker
from .functions import plain_functions
from .quantities import PLAIN, TIME, CardError, NotThere, Value
from .states import StateMeasures


class TimeMeasures(StateMeasures):
    """Reductions of functions of time in one case."""

    def _argument(self, walker: Walker, node: ast.expr) -> Value:
        """A function of time and state; an operator means its expectation value, a level or state its population."""
        value = walker.node(node)
        if kind(value) == "operator":
            return self._expect(walker, [node])
        if kind(value) in ("function of t", "result in time"):
            return value
        raise CardError(
            f"It takes something that changes in time, not a {kind(value)}.",
            "Write for example expect(Z(q)) or population(atom, e).",
        )

    def _curve(self, value: Value) -> tuple[Any, Any]:
        assert self.evolution is not None
        panels, rows = self.evolution.dense(value.data)
        if np.iscomplexobj(rows) and np.abs(rows.imag).max() > 1e-9 * max(1e-300, np.abs(rows).max()):
            raise CardError(
                "A complex number has no maximum, crossing or mean in this sense.", "Write abs(...) or real(...)."
            )
        return panels, rows.real

    def _dry(self, nodes: list[ast.expr], walker: Walker, least: int = 1, most: int = 1) -> Value | None:
        """A stand-in with the right unit while a card is only checked."""
        if not least <= len(nodes) <= most:
            raise CardError(
                f"{len(nodes)} arguments, but it takes {least if least == most else f'{least} to {most}'}.",
                "See docs/task-cards-dynamics.md.",
            )
        value = self._argument(walker, nodes[0])
        if self.model.times is None or len(self.model.times) < 2:
            raise CardError(
                "It needs an evolution, but the card has no times.",
                "Give it times, such as times: linspace(0, 10, 101).",
            )
        if value.data.stateful and self.model.initial is None:
            raise CardError(
                "It needs an evolution, but the card has no initial state.", "Give it one, such as initial: ket(0)."
            )
        return Value(1.0, value.unit) if self.evolution is None else None

    def _window(self, walker: Walker, nodes: list[ast.expr]) -> tuple[float, float]:
        """From the first to the last of the times, or between two given ones."""
        times = self.model.times
        assert times is not None
        low, high = (
            (float(times[0]), float(times[-1]))
            if not nodes
            else tuple(self.model.duration(walker.node(one)) for one in nodes)
        )
        stands_in = self.evolution is None and low == high == self.model.stop  # both ends are found only later
        if not (self.model.start <= low < high <= times[-1] * (1 + 1e-12) or stands_in):
            raise CardError(
                f"The window {low:g} to {high:g} is not inside the evolution.",
                f"It runs from {self.model.start:g} to {times[-1]:g}.",
            )
        return low, high

    def _in_time(self, t: float) -> Value:
        time = self.model.time
        return Value(t * time[1], TIME, time) if time else Value(t)

    def _extreme(self, sign: int, when: bool = False) -> Function:
        plain = plain_functions()["max" if sign > 0 else "min"]

        def call(walker: Walker, nodes: list[ast.expr]) -> Value:
            first = walker.node(nodes[0]) if nodes else Value(0.0)
            if not when and kind(first) in ("number", "list"):
                return plain(walker, nodes)
            if kind(first) == "list" and first.axis is not None:
                place = int(np.argmax(sign * first.data))
                return Value(first.axis.values[place])
            dry = self._dry(nodes, walker, 1, 3)
            window = self._window(walker, nodes[1:])
            if dry:
                return self._in_time(self.model.stop) if when else dry
            value = self._argument(walker, nodes[0])
            panels, rows = self._curve(value)
            ends = [(t, float(value_at(panels, rows, t))) for t in window]
            t, best = max([*extrema(panels, rows, sign, *window), *ends], key=lambda one: sign * one[1])
            return self._in_time(t) if when else Value(best, value.unit)

        return call

    def _first(self, sign: int, when: bool = False) -> Function:
        def call(walker: Walker, nodes: list[ast.expr]) -> Value:
            if dry := self._dry(nodes, walker, 1, 3):
                self._window(walker, nodes[1:])
                return self._in_time(self.model.stop) if when else dry
            value = self._argument(walker, nodes[0])
            panels, rows = self._curve(value)
            found = extrema(panels, rows, sign, *self._window(walker, nodes[1:]))
            if not found:
                raise NotThere(
                    f"There is no local {'maximum' if sign > 0 else 'minimum'} inside the times.",
                    "Longer times may have one.",
                )
            return self._in_time(found[0][0]) if when else Value(found[0][1], value.unit)

        return call

    def _crossing(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """crossing(f, level, k): when f has the value for the k-th time; the first if k is left out."""
        if not 2 <= len(nodes) <= 3:
            raise CardError(
                "It takes something in time, a level, and which crossing.",
                "Write crossing(population(q, 1), 0.5), or crossing(..., 0.5, 2) for the second.",
            )
        value, level = self._argument(walker, nodes[0]), walker.node(nodes[1])
        place = walker.number(nodes[2]) if len(nodes) == 3 else 1
        if (
            not is_number(level)
            or isinstance(level.data, complex)
            or (level.data != 0 and level.unit.powers != value.unit.powers)
            or place != int(place)
            or place < 1
        ):
            raise CardError(
                "The level must be a real number in the unit of what crosses it; crossings count from 1.",
                "Write crossing(population(q, 1), 0.5).",
            )
        if self._dry(nodes[:1], walker):
            return self._in_time(self.model.stop)
        panels, rows = self._curve(value)
        found = roots(panels, rows, float(level.data))
        found = [
            t for t in found if self.model.times is not None and t >= self.model.times[0] and t <= self.model.times[-1]
        ]
        if len(found) < place:
            raise NotThere(f"The level {level.data:g} is crossed {len(found)} times.", "Longer times may cross it.")
        return self._in_time(found[int(place) - 1])

    def _mean(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        value = walker.node(nodes[0]) if nodes else Value(0.0)
        if kind(value) == "list":
            return Value(np.mean(value.data).item(), value.unit)
        if dry := self._dry(nodes, walker, 1, 3):
            self._window(walker, nodes[1:])
            return dry
        low, high = self._window(walker, nodes[1:])
        area = self._integral(walker, nodes)
        return Value(
            area.data / (self._in_time(high).data - self._in_time(low).data), self._argument(walker, nodes[0]).unit
        )

    def _integral(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        if dry := self._dry(nodes, walker, 1, 3):
            self._window(walker, nodes[1:])
            return multiply(dry, self._in_time(1.0))
        value = self._argument(walker, nodes[0])
        assert self.evolution is not None
        found = integral(*self.evolution.dense(value.data), *self._window(walker, nodes[1:]))
        found = found.item() if hasattr(found, "item") else found
        return multiply(Value(found, value.unit), Value(self._in_time(1.0).data, TIME if self.model.time else PLAIN))

    def _final(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        if dry := self._dry(nodes, walker):
            return dry
        assert self.evolution is not None
        assert self.model.times is not None
        value = self._argument(walker, nodes[0])
        return Value(as_number(value.data.at(float(self.model.times[-1]), self.evolution.at_times[-1])), value.unit)

    def _value_at(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """value_at(f, time)."""
        if len(nodes) != 2:
            raise CardError("It takes something in time, and a time.", "Write value_at(population(q, 1), 2.5).")
        t = self.model.duration(walker.node(nodes[1]))
        dry = self._dry(nodes[:1], walker)
        if not self.model.start <= t <= self.model.stop * (1 + 1e-12):
            raise CardError(
                f"The time {t:g} is not inside the evolution.",
                f"It runs from {self.model.start:g} to {self.model.stop:g}.",
            )
        if dry:
            return dry
        assert self.evolution is not None
        value = self._argument(walker, nodes[0])
        (state,) = self.evolution.states(np.array([t])) if t > self.model.start else [self.model.initial]
        return Value(as_number(value.data.at(t, state)), value.unit)


def as_number(found: Any) -> Any:
    return complex(found) if np.iscomplexobj(found) else float(found)
