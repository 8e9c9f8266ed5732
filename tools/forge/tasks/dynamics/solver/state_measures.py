"""Functions of the state that can be wanted in time: expectation values, populations, entanglement, overlaps."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import qutip
from qutip import Qobj

from .evolution import Evolution
from .expression_values import PLAIN, CardError, Unit, Value
from .expressions import Function, Walker
from .model import Model
from .subsystems import Part
from .time_functions import Driven, Signal
from .value_arithmetic import kind


class StateMeasures:
    """Functions of the state in one case.

    Attributes:
        model: the case.
        evolution: None while a card is only checked: nothing is computed that takes long, and numbers are stand-ins.
        scale: how large the curve is that the last number was taken from; 0 if it was from none.
    """

    scale = 0.0

    def __init__(self, model: Model, evolution: Evolution | None) -> None:
        self.model, self.evolution = model, evolution

    def _signal(self, look: Callable[[float, Qobj], Any], unit: Unit = PLAIN) -> Value:
        """A function of time and state; looked at once on the initial state, so that it is known to work."""
        if self.model.initial is not None:
            found = look(self.model.start, self.model.initial)
            if not np.all(np.isfinite(found)):
                raise CardError("It is not a finite number in the initial state.", "Look for a division by zero.")
        return Value(Signal(look, stateful=True), unit)

    def largest(self, signal: Signal) -> float:
        """The largest absolute value of a function at its start and at some times whose states are known already."""
        model, evolution = self.model, self.evolution
        if evolution is None or evolution.accuracy.second or model.times is None:
            return 0.0
        if not signal.stateful:
            return float(max(abs(signal.at(t, None)) for t in model.times[:: 1 + len(model.times) // 50]))
        states = vars(evolution).get("at_times", [])
        pairs = [(model.start, model.initial), *zip(model.times, states, strict=False)][:: 1 + len(states) // 50]
        return float(max((abs(signal.at(t, state)) for t, state in pairs if state is not None), default=0.0))

    def _expect(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        value = walker.node(nodes[0])
        op = self.model.operator(value)
        hermitian = all(one.isherm for one, signal in op.terms) and _real(op) if isinstance(op, Driven) else op.isherm
        kept = (lambda x: float(np.real(x))) if hermitian else complex
        if isinstance(op, Driven):
            return self._signal(lambda t, state: kept(qutip.expect(op(t), state)), value.unit)
        fast = op.to("Dense") if self.model.space.size <= 64 else op
        return self._signal(lambda t, state: kept(qutip.expect(fast, state)), value.unit)

    def _population(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """population(part, level), or of a state of the whole."""
        space = self.model.space
        value = Value(space.projector(*space.part_and_levels(walker, nodes))) if nodes[1:] else walker.node(nodes[0])
        if kind(value) == "operator" and isinstance(value.data, Qobj) and value.data.isherm:
            op = value.data
            return self._signal(lambda t, state: float(np.real(qutip.expect(op, state))))
        target = space.full_state(value)
        if not target.isket:
            raise CardError("A population of a mixture.", "Name a level, population(atom, e), or a ket.")
        return self._signal(lambda t, state: _overlap_squared(target, state))

    def _coherence(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """|<i|rho|j>|: coherence(part, i, j); of the whole coherence() adds up |rho_ij| over all i != j."""
        if not nodes:
            return self._signal(lambda t, state: float((off := np.abs(_matrix(state))).sum() - np.trace(off)))
        part, (i, j) = self.model.space.part_and_levels(walker, nodes)
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
            raise CardError("Wootters' concurrence needs two parts with two levels.", "Use negativity or entropy.")
        return self._signal(lambda t, state: _wootters(_matrix(self._kept(state, chosen))))

    def _negativity(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        a, b = self._two(walker, nodes)
        shape = (a.size, b.size) if a.index < b.index else (b.size, a.size)

        def look(t: float, state: Qobj) -> float:
            turned = _matrix(self._kept(state, [a, b])).reshape(*shape, *shape).transpose(0, 3, 2, 1)
            turned = turned.reshape(a.size * b.size, -1)
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

    def _trace_distance(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        target = _matrix(self._target(walker, nodes))
        return self._signal(lambda t, state: float(np.abs(np.linalg.eigvalsh(_matrix(state) - target)).sum() / 2))

    def _target(self, walker: Walker, nodes: list[ast.expr]) -> Qobj:
        return self.model.space.full_state(walker.node(nodes[0]))

    def _overlap(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """<a|psi>, a complex number, of pure states."""
        target = self._target(walker, nodes)
        if not target.isket or self.model.collapse or (self.model.initial is not None and self.model.initial.isoper):
            raise CardError("An overlap needs pure states.", "Use fidelity(...) for mixed ones.")
        return self._signal(lambda t, state: complex(target.overlap(state)))


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


def _weights(state: Qobj) -> Any:
    found = np.linalg.eigvalsh(_matrix(state)) if not state.isket else np.array([1.0])
    return found[found > 1e-14]


def _wootters(rho: Any) -> float:
    flip = np.fliplr(np.diag([-1.0, 1.0, 1.0, -1.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights = np.sort(np.sqrt(np.clip(np.linalg.eigvals(rho @ flip @ rho.conj() @ flip).real, 0, None)))
    return float(max(0.0, weights[-1] - weights[:-1].sum()))


OF_STATE: dict[str, Callable[[Qobj], float]] = {
    "purity": lambda state: 1.0 if state.isket else float(np.sum(np.abs(state.full()) ** 2)),
    "entropy": lambda state: float(-(weights := _weights(state)) @ np.log2(weights)) if not state.isket else 0.0,
}
