"""What of an evolution can be wanted: functions of the state in time, of the steady state, of spectra, and what reduces them."""

from __future__ import annotations

import ast
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import qutip
from qutip import Qobj, QobjEvo

from .arithmetic import is_number, kind, multiply
from .evolution import EXACT_OPEN, Evolution, extrema, integral, roots, value_at
from .expressions import Function, Walker
from .functions import plain_functions
from .model import Model
from .parts import Part
from .quantities import PLAIN, RATE, TIME, Axis, CardError, NotThere, Unit, Value, symbol_of
from .signals import Driven, Signal


class Measures:
    """The functions that `wanted` may call in one case.

    Attributes:
        model: the case.
        evolution: None while a card is only checked: then nothing is computed that takes long, and numbers are stand-ins.
    """

    def __init__(self, model: Model, evolution: Evolution | None) -> None:
        self.model, self.evolution = model, evolution
        states: dict[str, Function] = {name: self._of_state(build) for name, build in _OF_STATE.items()}
        functions: dict[str, Function] = {
            **model.walker.functions, **states,
            "expect": self._expect, "population": self._population, "coherence": self._coherence,
            "fidelity": self._fidelity, "overlap": self._overlap, "concurrence": self._concurrence,
            "negativity": self._negativity,
            "steady": self._steady, "final": self._final, "value_at": self._value_at,
            "max": self._extreme(1), "min": self._extreme(-1),
            "time_of_max": self._extreme(1, True), "time_of_min": self._extreme(-1, True),
            "first_max": self._first(1), "first_min": self._first(-1),
            "time_of_first_max": self._first(1, True), "time_of_first_min": self._first(-1, True),
            "crossing": self._crossing, "mean": self._mean, "integral": self._integral,
            "correlation": self._correlation, "g1": self._g1, "g2": self._g2, "spectrum": self._spectrum,
            "quasi_energies": self._quasi_energies, "energies": self._energies, "gap": self._gap,
            "relaxation_rate": self._relaxation_rate,
        }  # fmt: skip
        self.walker = Walker(model.names, functions, model.space.all)

    # ---- functions of the state

    def _signal(self, look: Callable[[float, Qobj], Any], unit: Unit = PLAIN) -> Value:
        """A function of time and state; looked at once on the initial state, so that it is known to work."""
        if self.model.initial is not None:
            found = look(self.model.start, self.model.initial)
            if not np.all(np.isfinite(found)):
                raise CardError("It is not a finite number in the initial state.", "Look for a division by zero.")
        return Value(Signal(look, stateful=True), unit)

    def _expect(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        (value,) = walker.arguments(nodes, 1)
        op = self.model.operator(value)
        hermitian = all(one.isherm for one, signal in op.terms) and _real(op) if isinstance(op, Driven) else op.isherm
        kept = (lambda x: float(np.real(x))) if hermitian else complex
        if isinstance(op, Driven):
            return self._signal(lambda t, state: kept(qutip.expect(op(t), state)), value.unit)
        fast = op.to("Dense") if self.model.space.size <= 64 else op
        return self._signal(lambda t, state: kept(qutip.expect(fast, state)), value.unit)

    def _population(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """population(part, level), or of a state of the whole."""
        if len(nodes) == 2:
            part = self.model.space.part(walker, nodes[0])
            k = self.model.space.level(walker, part, nodes[1])
            op = self.model.space.whole(part, qutip.basis(part.size, k).proj(), ("proj", k))
            return self._signal(lambda t, state: float(np.real(qutip.expect(op, state))))
        (value,) = walker.arguments(nodes, 1)
        if kind(value) == "operator" and isinstance(value.data, Qobj) and value.data.isherm:
            op = value.data
            return self._signal(lambda t, state: float(np.real(qutip.expect(op, state))))
        target = self.model.space.full_state(value)
        if not target.isket:
            raise CardError("A population of a mixture.", "Name a level, population(atom, e), or a ket.")
        return self._signal(lambda t, state: _overlap_squared(target, state))

    def _coherence(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """|<i|rho|j>|: coherence(part, i, j); of the whole coherence() adds up |rho_ij| over all i != j."""
        if not nodes:
            return self._signal(
                lambda t, state: float(np.abs(off := _matrix(state)).sum() - np.abs(np.diag(off)).sum())
            )
        if len(nodes) != 3:
            raise CardError(
                "It takes a part and two levels, or nothing.",
                "Write coherence(atom, g, e), or coherence() for the sum over all.",
            )
        part = self.model.space.part(walker, nodes[0])
        i, j = (self.model.space.level(walker, part, one) for one in nodes[1:])
        return self._signal(lambda t, state: float(abs(_matrix(self._kept(state, [part]))[i, j])))

    def _kept(self, state: Qobj, parts: list[Part]) -> Qobj:
        if len(parts) == len(self.model.space.parts) or not parts:
            return state
        return state.ptrace([part.index for part in parts])

    def _of_state(self, build: Callable[[Qobj], float]) -> Function:
        def call(walker: Walker, nodes: list[ast.expr]) -> Value:
            chosen = [self.model.space.part(walker, one) for one in nodes]
            return self._signal(lambda t, state: build(self._kept(state, chosen)))

        return call

    def _two(self, walker: Walker, nodes: list[ast.expr]) -> list[Part]:
        chosen = [self.model.space.part(walker, one) for one in nodes] or self.model.space.parts
        if len(chosen) != 2 or chosen[0] == chosen[1]:
            raise CardError("It takes two different parts.", f"Parts are {', '.join(self.model.space.all)}.")
        return chosen

    def _concurrence(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        chosen = self._two(walker, nodes)
        if any(part.size != 2 for part in chosen):
            raise CardError(
                "Wootters' concurrence needs two parts with two levels.", "Use negativity or entropy for larger parts."
            )
        return self._signal(lambda t, state: _wootters(_matrix(self._kept(state, chosen))))

    def _negativity(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        a, b = self._two(walker, nodes)
        shape = (a.size, b.size) if a.index < b.index else (b.size, a.size)

        def look(t: float, state: Qobj) -> float:
            turned = (
                _matrix(self._kept(state, [a, b]))
                .reshape(*shape, *shape)
                .transpose(0, 3, 2, 1)
                .reshape(a.size * b.size, -1)
            )
            return float((np.abs(np.linalg.eigvalsh(turned)).sum() - 1) / 2)

        return self._signal(look)

    def _fidelity(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """<a|rho|a>; for a mixed target the squared Uhlmann fidelity."""
        target = self._target(walker, nodes)
        if target.isket:
            return self._signal(lambda t, state: _overlap_squared(target, state))
        root = target.sqrtm().full()

        def uhlmann(t: float, state: Qobj) -> float:
            inner = np.linalg.eigvalsh(root @ _matrix(state) @ root)
            return float(np.sqrt(np.clip(inner, 0, None)).sum() ** 2)

        return self._signal(uhlmann)

    def _target(self, walker: Walker, nodes: list[ast.expr]) -> Qobj:
        (value,) = walker.arguments(nodes, 1)
        return self.model.space.full_state(value)

    def _overlap(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """<a|psi>, a complex number, of pure states."""
        target = self._target(walker, nodes)
        if not target.isket or self.model.collapse or (self.model.initial is not None and self.model.initial.isoper):
            raise CardError("An overlap needs pure states.", "Use fidelity(...) for mixed ones.")
        return self._signal(lambda t, state: complex(target.overlap(state)))

    # ---- results of functions of time

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
        if not self.model.start <= low < high <= times[-1] * (1 + 1e-12):
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
                return self._in_time(1.0) if when else dry
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
                return self._in_time(1.0) if when else dry
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
            return self._in_time(1.0)
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
        return Value(_number(value.data.at(float(self.model.times[-1]), self.evolution.at_times[-1])), value.unit)

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
        return Value(_number(value.data.at(t, state)), value.unit)

    # ---- steady state, correlations, spectra

    def _damped(self) -> None:
        if self.model.driven:
            raise CardError(
                "The system depends on t and has no steady state.",
                "Use a frame in which nothing depends on t, or long times.",
            )
        if not self.model.collapse:
            raise CardError(
                "There is no damping, so there is no steady state.",
                "Give collapse operators, or choose cases: where: evolution == lindblad.",
            )

    def _steady(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        if len(nodes) != 1:
            raise CardError(
                "It takes one operator or function of the state.", "Write steady(Z(q)) or steady(purity())."
            )
        value = self._argument(walker, nodes[0])
        self._damped()
        if self.evolution is None:
            return Value(1.0, value.unit)
        return Value(_number(value.data.at(self.model.start, self.evolution.steady)), value.unit)

    def _delays(self, walker: Walker, node: ast.expr) -> tuple[Any, Axis]:
        value = walker.node(node)
        size = self.model.time[1] if self.model.time else 1.0
        if (
            kind(value) != "list"
            or np.iscomplexobj(value.data)
            or value.data[0] < 0
            or np.any(np.diff(value.data) <= 0)
        ):
            raise CardError(
                "The delays must be a sorted list from 0 on.", "Write linspace(0, 10, 101), with the unit of the times."
            )
        self.model.duration(Value(float(value.data[-1]), value.unit))
        return value.data / size, Axis(
            "delay", tuple(map(float, value.data / size)), self.model.time[0] if self.model.time else ""
        )

    def _operators(self, walker: Walker, nodes: list[ast.expr]) -> list[Value]:
        values = [walker.node(one) for one in nodes]
        for one in values:
            if isinstance(self.model.operator(one), Driven):
                raise CardError("The operator depends on t.", "Use one that does not.")
        return values

    def _propagated(self, first: Qobj, delays: Any) -> list[Qobj]:
        """An operator evolved like a state."""
        assert self.evolution is not None
        found: list[Qobj] = []
        grid = delays if delays[0] == 0 else np.concatenate([[0.0], delays])
        found = self.evolution.states(np.asarray(grid, dtype=float) + self.model.start, first, self.model.start)
        return found if delays[0] == 0 else found[1:]

    def _correlation(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """correlation(A, B, delays) = <A(t) B(0)> in the steady state."""
        if len(nodes) != 3:
            raise CardError(
                "It takes two operators and delays.", "Write correlation(dag(a(c)), a(c), linspace(0, 10, 101))."
            )
        a, b = self._operators(walker, nodes[:2])
        delays, axis = self._delays(walker, nodes[2])
        self._damped()
        unit = a.unit.times(b.unit)
        if self.evolution is None:
            return Value(np.ones(len(delays)), unit, axis=axis)
        made = self._propagated(b.data @ self.evolution.steady, delays)
        return Value(_tidy(np.array([(a.data @ one).tr() for one in made])), unit, axis=axis)

    def _g1(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """g1(a, delays) = <dag(a)(t) a(0)> / <dag(a) a>."""
        return self._coherence_function(walker, nodes, 1)

    def _g2(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """g2(a, delays) = <dag(a)(0) dag(a)(t) a(t) a(0)> / <dag(a) a>^2."""
        return self._coherence_function(walker, nodes, 2)

    def _coherence_function(self, walker: Walker, nodes: list[ast.expr], order: int) -> Value:
        if len(nodes) != 2:
            raise CardError(
                "It takes an operator and delays.", f"Write g{order}(a(c), linspace(0, 10, 101)); [0] for no delay."
            )
        (a,) = self._operators(walker, nodes[:1])
        delays, axis = self._delays(walker, nodes[1])
        self._damped()
        if self.evolution is None:
            return Value(np.ones(len(delays)), axis=axis)
        rho, op = self.evolution.steady, a.data
        flux = float(np.real((op.dag() @ op @ rho).tr()))
        if flux < 1e-14 * max(1.0, op.norm("max") ** 2):
            raise CardError(
                "Nothing is emitted in the steady state, so g is 0/0.", "Drive the system, or choose another operator."
            )
        if order == 1:
            values = np.array([(op.dag() @ one).tr() for one in self._propagated(op @ rho, delays)]) / flux
        else:
            number = op.dag() @ op
            values = (
                np.array([np.real((number @ one).tr()) for one in self._propagated(op @ rho @ op.dag() / flux, delays)])
                / flux
            )
        return Value(_tidy(values), axis=axis)

    def _spectrum(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """spectrum(A, frequencies) = 2 Re int_0^oo <dag(A)(t) A(0)> exp(-i w t) dt without the coherent part."""
        if len(nodes) != 2:
            raise CardError("It takes an operator and frequencies.", "Write spectrum(a(c), linspace(-5, 5, 201)).")
        (a,) = self._operators(walker, nodes[:1])
        values = walker.node(nodes[1])
        if kind(values) != "list" or np.iscomplexobj(values.data):
            raise CardError(
                "The frequencies must be a list of numbers.",
                "Write linspace(-5, 5, 201), with a unit where the times have one.",
            )
        size = self.model.time[1] if self.model.time else 1.0
        in_hertz = values.unit.powers[5] == 1 and values.unit.turns < 1
        unit = RATE if in_hertz else values.unit.angular
        if unit != (Unit(RATE.powers, unit.turns) if self.model.time else Unit(PLAIN.powers, unit.turns)):
            raise CardError(
                f"The frequencies are in {values.unit}.",
                "Give them as angular frequencies (rad/us), as 2*pi*[...] MHz, or in MHz.",
            )
        angular = values.data * size * (2 * math.pi if in_hertz else 1.0)
        name, scale = values.shown or symbol_of(values.unit, self.model.time)
        axis = Axis("frequency", tuple(float(one) for one in values.data / scale), name)
        self._damped()
        if self.model.space.size > 2 * EXACT_OPEN:
            raise CardError(
                f"A spectrum of {self.model.space.size} levels is too large.", f"Use at most {2 * EXACT_OPEN} levels."
            )
        unit = a.unit.power(2).times(TIME if self.model.time else PLAIN)  # type: ignore[arg-type]
        if self.evolution is None:
            return Value(np.ones(len(angular)), unit, axis=axis)
        return Value(self._resolvent(a.data, angular) * size, unit, axis=axis)

    def _resolvent(self, op: Qobj, angular: Any) -> Any:
        """2 Re tr(A^dag (i w - L)^-1 (A rho - <A> rho)); the second method sums over the eigenvalues of L."""
        assert self.evolution is not None
        rho = self.evolution.steady
        start = op @ rho - (op @ rho).tr() * rho
        generator = qutip.liouvillian(self.model.hamiltonian, self.model.collapse).full()
        right = start.full().reshape(-1, order="F")
        left = op.dag().full().T.reshape(-1, order="F")
        left = left - (left @ qutip.operator_to_vector(rho).full()[:, 0]) * np.eye(rho.shape[0]).reshape(-1, order="F")
        if self.evolution.accuracy.second:
            values, vectors = np.linalg.eig(generator)
            weights = (left @ vectors) * np.linalg.solve(vectors, right)
            kept = np.abs(values) > 1e-10 * np.abs(values).max()
            return np.array([2 * np.real((weights[kept] / (1j * w - values[kept])).sum()) for w in angular])
        identity = np.eye(len(generator))
        trace = np.outer(qutip.operator_to_vector(rho).full()[:, 0], np.eye(rho.shape[0]).reshape(-1, order="F"))
        return np.array(
            [2 * np.real(left @ np.linalg.solve(1j * w * identity - generator + trace, right)) for w in angular]
        )

    def _quasi_energies(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """quasi_energies(period): in (-pi/T, pi/T], sorted."""
        (period,) = walker.arguments(nodes, 1)
        length = self.model.duration(period)
        op = self.model.hamiltonian
        if length <= 0 or self.model.collapse:
            raise CardError(
                "Quasi-energies need a positive period and a system without damping.",
                "Write quasi_energies(2*pi/w); choose the closed case by where.",
            )
        begin = self.model.start
        if isinstance(op, QobjEvo):
            for x in (0.0, 0.23, 0.61):
                now, later = op(begin + x * length), op(begin + (1 + x) * length)
                if (now - later).norm("max") > 1e-6 * max(1e-300, now.norm("max")):
                    raise CardError(
                        f"The Hamiltonian does not repeat after {length:g}.", "Give its period: 2*pi/w for cos(w*t)."
                    )
        size = self.model.space.size
        if size > 200:
            raise CardError(f"{size} levels are too many for quasi-energies.", "Use at most 200.")
        unit = RATE if self.model.time else PLAIN
        index = Axis("index", tuple(float(k) for k in range(size)))
        if self.evolution is None:
            return Value(np.arange(size, dtype=float), unit, axis=index)
        columns = [
            self.evolution.states(
                np.array([begin + length]),
                qutip.basis(self.model.space.dims, list(np.unravel_index(k, self.model.space.dims))),
                begin,
            )[0].full()[:, 0]
            for k in range(size)
        ]
        phases = np.angle(np.linalg.eigvals(np.array(columns).T))
        folded = -phases / length
        half = math.pi / length
        folded = np.where(np.isclose(folded, -half, rtol=0, atol=1e-9 * half), half, folded)
        scale = self.model.time[1] if self.model.time else 1.0
        return Value(np.sort(folded) / scale, unit, axis=index)

    def _fixed_hamiltonian(self) -> Any:
        if self.model.driven:
            raise CardError(
                "The Hamiltonian depends on t.", "Fix the time: eigenvalues(at(H, 0)), or use quasi_energies(period)."
            )
        if self.model.space.size > 1500:
            raise CardError(f"{self.model.space.size} levels are too many for all energies.", "Use at most 1500.")
        return self.model.hamiltonian

    def _energies(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """Eigenvalues of the Hamiltonian as angular frequencies, from the lowest."""
        walker.arguments(nodes, 0)
        found = np.linalg.eigvalsh(self._fixed_hamiltonian().full())
        scale = self.model.time[1] if self.model.time else 1.0
        return Value(
            found / scale, RATE if self.model.time else PLAIN, axis=Axis("index", tuple(map(float, range(len(found)))))
        )

    def _gap(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """gap(): from the lowest energy to the next; gap(i, j) from level i to j."""
        if len(nodes) not in (0, 2):
            raise CardError("It takes nothing, or two numbers of levels.", "Write gap() or gap(0, 2).")
        i, j = (int(walker.number(one)) for one in nodes) if nodes else (0, 1)
        energies = self._energies(walker, [])
        if not (0 <= i < len(energies.data) and 0 <= j < len(energies.data)):
            raise CardError(f"There are {len(energies.data)} energies.", "Count from 0.")
        return Value(float(energies.data[j] - energies.data[i]), energies.unit)

    def _relaxation_rate(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """The slowest rate at which the system approaches its steady state."""
        walker.arguments(nodes, 0)
        self._damped()
        if self.model.space.size > EXACT_OPEN:
            raise CardError(f"{self.model.space.size} levels are too many for all rates.", f"Use at most {EXACT_OPEN}.")
        scale = self.model.time[1] if self.model.time else 1.0
        unit = RATE if self.model.time else PLAIN
        if self.evolution is None:
            return Value(1.0, unit)
        rates = np.sort(-np.linalg.eigvals(qutip.liouvillian(self.model.hamiltonian, self.model.collapse).full()).real)
        if rates[1] < 1e-10 * max(rates[-1], 1e-300):
            raise CardError("The steady state is not unique.", "Look for levels that nothing leads out of.")
        return Value(float(rates[1]) / scale, unit)


def _number(found: Any) -> Any:
    return complex(found) if np.iscomplexobj(found) else float(found)


def _real(op: Driven) -> bool:
    return all(signal is None or not np.iscomplexobj(signal.at(0.37, None)) for _, signal in op.terms)


def _matrix(state: Qobj) -> Any:
    if state.isket:
        column = state.full()[:, 0]
        return np.outer(column, column.conj())
    return state.full()


def _overlap_squared(target: Qobj, state: Qobj) -> float:
    if state.isket:
        return float(abs(target.overlap(state)) ** 2)
    return float(np.real(qutip.expect(state, target)))


def _tidy(values: Any) -> Any:
    """Real numbers where the imaginary parts are rounding."""
    return values.real.copy() if np.abs(values.imag).max() <= 1e-10 * max(1e-300, np.abs(values).max()) else values


def _weights(state: Qobj) -> Any:
    found = np.linalg.eigvalsh(_matrix(state)) if not state.isket else np.array([1.0])
    return found[found > 1e-14]


def _wootters(rho: Any) -> float:
    flip = np.fliplr(np.diag([-1.0, 1.0, 1.0, -1.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights = np.sort(np.sqrt(np.clip(np.linalg.eigvals(rho @ flip @ rho.conj() @ flip).real, 0, None)))
    return float(max(0.0, weights[-1] - weights[:-1].sum()))


_OF_STATE: dict[str, Callable[[Qobj], float]] = {
    "purity": lambda state: 1.0 if state.isket else float(np.sum(np.abs(state.full()) ** 2)),
    "entropy": lambda state: float(-(weights := _weights(state)) @ np.log2(weights)) if not state.isket else 0.0,
}
