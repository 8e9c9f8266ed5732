"""What of an evolution can be wanted: functions of the state, the steady state, spectra, and what reduces them."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import qutip
from qutip import Qobj, QobjEvo

from .evolution import EXACT_OPEN, Evolution
from .expression_values import PLAIN, RATE, TIME, Axis, CardError, Unit, Value, symbol_of
from .expressions import Function, Walker
from .model import Model
from .state_measures import OF_STATE
from .time_curve_reductions import TimeMeasures, as_number
from .time_functions import Driven
from .value_arithmetic import kind


class Measures(TimeMeasures):
    """The functions that `wanted` may call in one case; see `StateMeasures`."""

    def __init__(self, model: Model, evolution: Evolution | None) -> None:
        super().__init__(model, evolution)
        states: dict[str, Function] = {name: self._of_state(build) for name, build in OF_STATE.items()}
        functions: dict[str, Function] = {
            **model.walker.functions, **states,
            "expect": self._expect, "population": self._population, "coherence": self._coherence,
            "fidelity": self._fidelity, "overlap": self._overlap, "trace_distance": self._trace_distance,
            "concurrence": self._concurrence,
            "negativity": self._negativity, **self.reductions(), "steady": self._steady,
            "correlation": self._correlation, "g1": self._coherence_function(1), "g2": self._coherence_function(2),
            "spectrum": self._spectrum,
            "quasi_energies": self._quasi_energies, "energies": self._energies, "gap": self._gap,
            "relaxation_rate": self._relaxation_rate,
        }  # fmt: skip
        self.walker = Walker(model.names, functions, model.space.all)

    def _steady(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        value = self._argument(walker, nodes[0])
        self.model.damped()
        if self.evolution is None:
            return Value(1.0, value.unit)
        return Value(as_number(value.data.at(self.model.start, self.evolution.steady)), value.unit)

    def _delays(self, walker: Walker, node: ast.expr) -> tuple[Any, Axis]:
        value = walker.node(node)
        size = self.model.size
        real = kind(value) == "list" and not np.iscomplexobj(value.data)
        if not real or value.data[0] < 0 or np.any(np.diff(value.data) <= 0):
            raise CardError("The delays must be sorted, from 0 on.", "Write linspace(0, 10, 101), with their unit.")
        self.model.duration(Value(float(value.data[-1]), value.unit))
        values, name, unit = value.data / size, self.model.symbol, TIME if self.model.time else PLAIN
        return values, Axis("delay", tuple(map(float, values)), name, size, unit)

    def _operators(self, walker: Walker, nodes: list[ast.expr]) -> list[Value]:
        values = [walker.node(one) for one in nodes]
        for one in values:
            if isinstance(self.model.operator(one), Driven):
                raise CardError("The operator depends on t.", "Use one that does not.")
        return values

    def _propagated(self, first: Qobj, delays: Any) -> list[Qobj]:
        """An operator evolved like a state."""
        assert self.evolution is not None
        grid = delays if delays[0] == 0 else np.concatenate([[0.0], delays])
        found = self.evolution.states(np.asarray(grid, dtype=float) + self.model.start, first, self.model.start)
        return found if delays[0] == 0 else found[1:]

    def _correlation(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """correlation(A, B, delays) = <A(t) B(0)> in the steady state, or in a state that is given."""
        a, b = self._operators(walker, nodes[:2])
        delays, axis = self._delays(walker, nodes[2])
        given = self.model.space.full_state(walker.node(nodes[3])) if nodes[3:] else None
        if given is None and not self.model.collapse:
            raise CardError("Without damping it is in a state.", "Write correlation(A, B, delays, ket(0)).")
        if given is None:
            self.model.damped()
        unit = a.unit.times(b.unit)
        if self.evolution is None:
            return Value(np.ones(len(delays)), unit, axis=axis)
        state = self.evolution.steady if given is None else given.proj() if given.isket else given
        made = self._propagated(b.data @ state, delays)
        return Value(_tidy(np.array([(a.data @ one).tr() for one in made])), unit, axis=axis)

    def _coherence_function(self, order: int) -> Function:
        """g1 = <A^+(t) A(0)> / <A^+ A>, g2 = <A^+(0) A^+(t) A(t) A(0)> / <A^+ A>^2 in the steady state."""

        def call(walker: Walker, nodes: list[ast.expr]) -> Value:
            (a,) = self._operators(walker, nodes[:1])
            delays, axis = self._delays(walker, nodes[1])
            self.model.damped()
            if self.evolution is None:
                return Value(np.ones(len(delays)), axis=axis)
            rho, op = self.evolution.steady, a.data
            flux = float(np.real((op.dag() @ op @ rho).tr()))
            if flux < 1e-14 * max(1.0, op.norm("max") ** 2):
                raise CardError("Nothing is emitted in the steady state: g is 0/0.", "Drive it, or choose another A.")
            left, start = (op.dag(), op @ rho) if order == 1 else (op.dag() @ op, op @ rho @ op.dag() / flux)
            values = np.array([(left @ one).tr() for one in self._propagated(start, delays)]) / flux
            return Value(_tidy(values if order == 1 else values.real), axis=axis)

        return call

    def _spectrum(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """spectrum(A, frequencies) = 2 Re int_0^oo <dag(A)(t) A(0)> exp(-i w t) dt without the coherent part."""
        (a,) = self._operators(walker, nodes[:1])
        values = walker.node(nodes[1])
        if kind(values) != "list" or np.iscomplexobj(values.data):
            raise CardError("The frequencies must be a list.", "Write linspace(-5, 5, 201), with their unit.")
        size = self.model.size
        in_hertz = values.unit.powers[5] == 1 and values.unit.turns < 1
        unit = RATE if in_hertz else values.unit.angular
        if unit != (Unit(RATE.powers, unit.turns) if self.model.time else Unit(PLAIN.powers, unit.turns)):
            raise CardError(f"The frequencies are in {values.unit}.", "Write rad/us, 2*pi*[...] MHz, or MHz.")
        angular = values.data * size * (2 * math.pi if in_hertz else 1.0)
        name, scale = values.shown or symbol_of(values.unit, self.model.time)
        axis = Axis("frequency", tuple(float(one) for one in values.data / scale), name, scale, values.unit)
        self.model.damped()
        if self.model.space.size > 2 * EXACT_OPEN:
            raise CardError(f"A spectrum of {self.model.space.size} levels.", f"Use at most {2 * EXACT_OPEN} levels.")
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
        solved = (np.linalg.solve(1j * w * identity - generator + trace, right) for w in angular)
        return np.array([2 * np.real(left @ one) for one in solved])

    def _quasi_energies(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """quasi_energies(period): in (-pi/T, pi/T], sorted."""
        length = self.model.duration(walker.node(nodes[0]))
        op = self.model.hamiltonian
        if length <= 0 or self.model.collapse:
            raise CardError("Quasi-energies need a period, and no damping.", "Choose the closed case by where.")
        begin = self.model.start
        if isinstance(op, QobjEvo):
            for x in (0.0, 0.23, 0.61):
                now, later = op(begin + x * length), op(begin + (1 + x) * length)
                if (now - later).norm("max") > 1e-6 * max(1e-300, now.norm("max")):
                    raise CardError(f"The Hamiltonian does not repeat after {length:g}.", "Give its period: 2*pi/w.")
        size = self.model.space.size
        if size > 200:
            raise CardError(f"{size} levels are too many for quasi-energies.", "Use at most 200.")
        unit = self.model.rate
        index = Axis("index", tuple(float(k) for k in range(size)))
        if self.evolution is None:
            return Value(np.arange(size, dtype=float), unit, axis=index)
        starts = (Qobj(qutip.basis(size, k), dims=[self.model.space.dims, [1]]) for k in range(size))
        ends = np.array([begin + length])
        columns = [self.evolution.states(ends, one, begin)[0].full()[:, 0] for one in starts]
        half = math.pi / length
        folded = -np.angle(np.linalg.eigvals(np.array(columns).T)) / length
        folded = np.where(np.isclose(folded, -half, rtol=0, atol=1e-9 * half), half, folded)
        return Value(np.sort(folded) / self.model.size, unit, axis=index)

    def _fixed_hamiltonian(self) -> Any:
        if self.model.driven:
            raise CardError("The Hamiltonian depends on t.", "Write eigenvalues(at(H, 0)), or quasi_energies(period).")
        if self.model.space.size > 1500:
            raise CardError(f"{self.model.space.size} levels are too many for all energies.", "Use at most 1500.")
        return self.model.hamiltonian

    def _energies(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """Eigenvalues of the Hamiltonian as angular frequencies, from the lowest."""
        found = np.linalg.eigvalsh(self._fixed_hamiltonian().full())
        index = Axis("index", tuple(map(float, range(len(found)))))
        return Value(found / self.model.size, self.model.rate, axis=index)

    def _gap(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """gap(): from the lowest energy to the next; gap(i, j) from level i to j."""
        i, j = (int(walker.number(one)) for one in nodes) if nodes else (0, 1)
        energies = self._energies(walker, [])
        if not (0 <= i < len(energies.data) and 0 <= j < len(energies.data)):
            raise CardError(f"There are {len(energies.data)} energies.", "Count from 0.")
        return Value(float(energies.data[j] - energies.data[i]), energies.unit)

    def _relaxation_rate(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """The slowest rate at which the system approaches its steady state."""
        self.model.damped()
        if self.model.space.size > EXACT_OPEN:
            raise CardError(f"{self.model.space.size} levels are too many for all rates.", f"Use at most {EXACT_OPEN}.")
        if self.evolution is None:
            return Value(1.0, self.model.rate)
        rates = np.sort(-np.linalg.eigvals(qutip.liouvillian(self.model.hamiltonian, self.model.collapse).full()).real)
        if rates[1] < 1e-10 * max(rates[-1], 1e-300):
            raise CardError("The steady state is not unique.", "Look for levels that nothing leads out of.")
        return Value(float(rates[1]) / self.model.size, self.model.rate)


def _tidy(values: Any) -> Any:
    """Real numbers where the imaginary parts are rounding."""
    return values.real.copy() if np.abs(values.imag).max() <= 1e-10 * max(1e-300, np.abs(values).max()) else values
