"""The product space of a system's parts, and the operators and states that are named after them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import qutip
from qutip import Qobj

from .expression_functions import evaluated
from .expression_values import PLAIN, CardError, Value
from .expressions import Function, Walker
from .subsystems import Part
from .value_arithmetic import is_number, kind

qutip.settings.core["auto_tidyup"] = False  # it takes a Hamiltonian in joule for rounding and drops it


class Space:
    """The product space of all parts, with every operator and state that a card can name."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = list(parts)
        self.dims = [part.size for part in parts]
        self.size = math.prod(self.dims)
        self.all = tuple(part.name for part in parts)
        self._made: dict[Any, Any] = {}

    def identity(self) -> Qobj:
        """Of the whole space."""
        return qutip.qeye(self.dims)

    def whole(self, part: Part, local: Qobj, key: Any = None) -> Qobj:
        """An operator of one part as one of the whole space."""
        if key is not None and (part.index, key) in self._made:
            return self._made[part.index, key]
        factors = [local if k == part.index else qutip.qeye(d) for k, d in enumerate(self.dims)]
        found = qutip.tensor(factors).to("CSR")
        if key is not None:
            self._made[part.index, key] = found
        return found

    def names(self) -> dict[str, Value]:
        """The parts by name; several of one kind as a list."""
        made: dict[str, Value] = {}
        for part in self.parts:
            base, bracket, _ = part.name.partition("[")
            if bracket:
                made.setdefault(base, Value([])).data.append(Value(part))
            else:
                made[base] = Value(part)
        return made

    def functions(self) -> dict[str, Function]:
        """Every operator and state, by name."""
        table: dict[str, Function] = {name: self._operator(name, build) for name, build in _OPERATORS.items()}
        table |= {name: self._with_number(*entry) for name, entry in _WITH_NUMBER.items()}
        return table | {
            "identity": lambda walker, nodes: Value(self.identity()),
            "proj": self._proj,
            "ketbra": self._ketbra, "matrix": self._matrix,
            "plus": self._superposition(1), "minus": self._superposition(-1),
            "ket": self._ket, "state": self._state, "tensor": evaluated(self._tensor), "dm": evaluated(_mixture),
            "mixed": self._mixed,
        }  # fmt: skip

    def part(self, walker: Walker, node: ast.expr) -> Part:
        """The part that an argument names.

        Raises:
            CardError: it names none.
        """
        found = walker.node(node).data
        if isinstance(found, list) and len(found) == 1:
            found = found[0].data
        if not isinstance(found, Part):
            raise CardError("The first argument must be a part.", f"Parts are {', '.join(self.all)}.")
        return found

    def level(self, walker: Walker, part: Part, node: ast.expr) -> int:
        """The number of a level, from its name or number.

        Raises:
            CardError: the part has no such level.
        """
        name = getattr(node, "id", getattr(node, "value", None))  # of a name, of a text
        name = name if isinstance(name, str) else None
        if name is not None and part.named and name in part.levels:
            return part.levels.index(name)
        if name is not None and name not in walker.local and name not in walker.names:
            raise CardError(f"{part.name} has no level {name!r}.", f"Its levels are {', '.join(part.levels[:12])}.")
        number = walker.number(node)
        if number != int(number) or not 0 <= number < part.size:
            raise CardError(f"{part.name} has no level {number:g}.", f"Levels run from 0 to {part.size - 1}.")
        return int(number)

    def part_and_levels(self, walker: Walker, nodes: list[ast.expr]) -> tuple[Part, list[int]]:
        """The part that the first argument names, and its levels that the others name."""
        part = self.part(walker, nodes[0])
        return part, [self.level(walker, part, one) for one in nodes[1:]]

    def _operator(self, name: str, build: Callable[[Part], Qobj]) -> Function:
        def call(walker: Walker, nodes: list[ast.expr]) -> Value:
            part = self.part(walker, nodes[0])
            return Value(self.whole(part, build(part), name))

        return call

    def _with_number(self, sort: str, build: Callable[[Part, complex], Qobj]) -> Function:
        def call(walker: Walker, nodes: list[ast.expr]) -> Value:
            part, number = self.part(walker, nodes[0]), walker.node(nodes[1])
            if not is_number(number) or not number.unit.plain:
                raise CardError("The second argument must be a plain number.", "Write such as coherent(c, 2).")
            local = build(part, number.data)
            return Value(local, on=(part.name,)) if sort == "state" else Value(self.whole(part, local))

        return call

    def projector(self, part: Part, levels: list[int]) -> Qobj:
        """On the one level in `levels`, in the whole space."""
        return self.whole(part, qutip.basis(part.size, levels[0]).proj(), ("proj", *levels))

    def _proj(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        """proj(part, level), or the projector on a state."""
        if nodes[1:]:
            return Value(self.projector(*self.part_and_levels(walker, nodes)))
        return Value(self.lifted(_mixture(walker.node(nodes[0]))))

    def lifted(self, state: Value) -> Qobj:
        """A density matrix, of some or all parts, as an operator of the whole space."""
        rest = [part for part in self.parts if part.name not in state.on]
        ones = [Value(qutip.qeye(part.size), on=(part.name,)) for part in rest]
        return self._tensor(state, *ones).data.to("CSR")

    def _ketbra(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        part, (i, j) = self.part_and_levels(walker, nodes)
        return Value(self.whole(part, qutip.projection(part.size, i, j), ("ketbra", i, j)))

    def _matrix(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        if not isinstance(nodes[-1], ast.List):
            raise CardError("It takes rows of numbers.", "Write matrix([[0, 1], [1, 0]]), or matrix(part, [[...]]).")
        part = self.part(walker, nodes[0]) if len(nodes) == 2 else None
        size = part.size if part else self.size
        rows = [walker.node(row) for row in nodes[-1].elts]
        unit = next((row.unit for row in rows if not row.unit.plain), PLAIN)
        if len(rows) != size or any(not isinstance(row.data, np.ndarray) or row.data.shape != (size,) for row in rows):
            raise CardError(f"A matrix that is not {size} x {size}.", f"Give {size} rows of {size} numbers.")
        if any(row.unit.powers != unit.powers and np.any(row.data) for row in rows):
            raise CardError("The numbers of a matrix have different units.", "Give all of them one unit: [[...]] MHz.")
        data = np.array([row.data for row in rows], dtype=complex)
        return Value(self.whole(part, Qobj(data)) if part else Qobj(data, dims=[self.dims, self.dims]), unit)

    def _ket(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        if len(nodes) != len(self.parts):
            raise CardError(f"{len(nodes)} levels for {len(self.parts)} parts.", f"Parts are {', '.join(self.all)}.")
        levels = [self.level(walker, part, node) for part, node in zip(self.parts, nodes, strict=True)]
        return Value(qutip.basis(self.dims, levels), on=self.all)

    def _state(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        part, (level,) = self.part_and_levels(walker, nodes)
        return Value(qutip.basis(part.size, level), on=(part.name,))

    def _superposition(self, sign: int) -> Function:
        def call(walker: Walker, nodes: list[ast.expr]) -> Value:
            part = self.part(walker, nodes[0])
            if part.size != 2:
                raise CardError("It is of two levels.", "Write (state(q, 0) + state(q, 1))/sqrt(2) for others.")
            return Value((qutip.basis(2, 0) + sign * qutip.basis(2, 1)).unit(), on=(part.name,))

        return call

    def _tensor(self, *factors: Value) -> Value:
        if any(kind(one) != "state" for one in factors):
            raise CardError("It takes states of parts.", "Write tensor(state(q, 1), coherent(c, 2)).")
        on = [name for one in factors for name in one.on]
        if len(set(on)) != len(on):
            raise CardError("A part occurs twice.", "Give one state for each part.")
        if any(one.data.isoper for one in factors):
            factors = tuple(map(_mixture, factors))
        joined = qutip.tensor([one.data for one in factors])
        order = sorted(range(len(on)), key=lambda k: self.all.index(on[k]))
        return Value(joined.permute(order) if order != list(range(len(on))) else joined, on=tuple(on[k] for k in order))

    def _mixed(self, walker: Walker, nodes: list[ast.expr]) -> Value:
        if not nodes:
            return Value(self.identity() / self.size, on=self.all)
        part = self.part(walker, nodes[0])
        return Value(qutip.qeye(part.size) / part.size, on=(part.name,))

    def full_state(self, value: Value) -> Qobj:
        """A state of the whole system.

        Raises:
            CardError: it is none, has parts missing, is not normalised or not positive.
        """
        if kind(value) == "operator" and isinstance(value.data, Qobj):
            value = Value(value.data, value.unit, on=self.all)  # a density matrix built of operators
        if kind(value) != "state":
            raise CardError(f"A {kind(value)} is no state.", "Write ket(0), (ket(0) + ket(1))/sqrt(2), or dm(...).")
        missing = [name for name in self.all if name not in value.on]
        if missing:
            raise CardError(f"The state says nothing about {', '.join(missing)}.", "Write tensor(state(q, 0), ...).")
        state = value.data
        if not value.unit.plain:
            raise CardError(f"A state has the unit {value.unit}.", "States have no unit.")
        if state.isket:
            norm = float(state.norm())
            if abs(norm - 1) > 1e-6:
                raise CardError(
                    f"The state is not normalised: its norm is {norm:.6g}.", "Divide by it, or write unit(...)."
                )
            return state / norm
        return _density(state)


def _mixture(state: Value) -> Value:
    if kind(state) != "state":
        raise CardError("It takes a state.", "Write dm(ket(0)).")
    return state if state.data.isoper else state.like(state.data.proj())


def _density(state: Qobj) -> Qobj:
    matrix = state.full()
    if not np.allclose(matrix, matrix.conj().T, atol=1e-9):
        raise CardError("The density matrix is not Hermitian.", "Add dm(...) with real weights.")
    trace = float(np.trace(matrix).real)
    if abs(trace - 1) > 1e-6:
        raise CardError(f"The density matrix is not normalised: its trace is {trace:.6g}.", "Weights add up to 1.")
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if lowest < -1e-9:
        raise CardError(f"The density matrix is not positive: an eigenvalue is {lowest:.3g}.", "Look at its weights.")
    return state / trace


def _pauli(letter: str) -> Callable[[Part], Qobj]:
    def build(part: Part) -> Qobj:
        if part.size != 2:
            raise CardError(
                f"{part.name} has {part.size} levels; a Pauli matrix needs two.", "Use Sx, Sz, proj, ketbra."
            )
        if part.named and part.sort == "levels" and letter != "x":
            raise CardError(
                f"The sign of a Pauli matrix is unclear for levels called {', '.join(part.levels)}.",
                f"Write proj({part.name}, {part.levels[1]}) - proj({part.name}, {part.levels[0]}) or vice versa,"
                " ketbra(...) for jumps; or levels: 2.",
            )
        made: Qobj = getattr(qutip, f"sigma{letter}")()
        return made

    return build


def _spin(letter: str) -> Callable[[Part], Qobj]:
    def build(part: Part) -> Qobj:
        if part.sort == "oscillator" or (part.named and part.sort == "levels"):
            raise CardError(f"{part.name} is no spin.", "Write {spin: 1/2}, {spin: 1}, ... under parts.")
        made: Qobj = qutip.jmat((part.size - 1) / 2, letter)
        return made

    return build


def _ladder(part: Part) -> Qobj:
    if part.sort == "spin":
        raise CardError(f"{part.name} is a spin.", "Use Sm (or sigmam) and Sp; a(c) is for oscillators and levels.")
    return qutip.destroy(part.size)


def _lower(part: Part) -> Qobj:
    """|0><1| of two levels, that is a(q); more levels have matrix elements that only an oscillator fixes."""
    if part.size > 2 and part.sort == "levels":
        raise CardError(f"{part.name} has {part.size} levels.", "Write a(part), or jumps such as ketbra(part, 0, 1).")
    return _ladder(part)


_OPERATORS: dict[str, Callable[[Part], Qobj]] = {
    "X": _pauli("x"), "Y": _pauli("y"), "Z": _pauli("z"), "sigmap": _pauli("p"), "sigmam": _pauli("m"),
    "Sx": _spin("x"), "Sy": _spin("y"), "Sz": _spin("z"), "Sp": _spin("+"), "Sm": _spin("-"),
    "a": _ladder, "adag": lambda part: _ladder(part).dag(), "lower": _lower,
    "n": lambda part: _ladder(part).dag() @ _ladder(part),
    "position": lambda part: (_ladder(part) + _ladder(part).dag()) / math.sqrt(2),
    "momentum": lambda part: 1j * (_ladder(part).dag() - _ladder(part)) / math.sqrt(2),
    "parity": lambda part: Qobj(np.diag((-1.0) ** np.arange(part.size))),
}  # fmt: skip


def _thermal(part: Part, mean: Any) -> Qobj:
    if isinstance(mean, complex) or mean < 0:
        raise CardError(f"A mean occupation of {mean!r}.", "Write 0 or more, or nbar(frequency, temperature).")
    weights = (mean / (1 + mean)) ** np.arange(part.size)
    return Qobj(np.diag(weights / weights.sum()))


_WITH_NUMBER: dict[str, tuple[str, Callable[[Part, complex], Qobj]]] = {
    "coherent": ("state", lambda part, alpha: qutip.coherent(part.size, alpha, method="operator")),
    "thermal": ("state", _thermal),
    "displace": ("operator", lambda part, alpha: qutip.displace(part.size, alpha)),
    "squeeze": ("operator", lambda part, z: qutip.squeeze(part.size, z)),
}
