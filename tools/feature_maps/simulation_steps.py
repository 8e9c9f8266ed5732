"""A circuit as few, simple steps on slices of the state; what both engines carry out.

Every allowed gate falls apart into 2x2 blocks on two slices and phases on one slice: the rows of its matrix that no
entry joins. Neighbouring one-qubit gates of a wire become one, and those before a wire's first entangler are not
steps at all: the circuit then starts from a product state. If no entry is complex, the state stays real, and half of
the memory and three quarters of the arithmetic are saved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.gates import GATES, GateSpec, Matrix

Ref = int | float  # row of the angles, or a fixed angle in radians
EXACT_ZERO = 1e-15  # cos(pi/2) is not 0 in floating point


class Kind(IntEnum):
    """What a step does to slice a, or to slices a and b; its coefficients in order."""

    REAL = 0  # (a, b) <- [[m00, m01], [m10, m11]] (a, b)
    CROSS = 1  # the same with i m01 and i m10, as in RX
    DENSE = 2  # complex entries: four real parts, then four imaginary parts
    SWAP = 3  # a and b change places
    FACTOR = 4  # a <- m a
    PHASE = 5  # a <- (re + i im) a
    PARITY = 6  # everything times cos - i sin (-1)^(number of set bits on the wires)


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        kind: what it does.
        wires: whose bits choose the slices.
        a: bits of slice a, those of the first wire most significant.
        b: bits of slice b; -1 if there is none.
        row: first row of its coefficients.
    """

    kind: Kind
    wires: tuple[int, ...]
    a: int
    b: int
    row: int


@dataclass(frozen=True, slots=True)
class Factor:
    """A gate with where its angles come from."""

    spec: GateSpec
    refs: tuple[Ref, ...]

    def core(self, angles: NDArray[np.float64]) -> Matrix:
        """Its matrix without the controls, shape (2^k, 2^k) or (2^k, 2^k, n_samples)."""
        return self.spec.core(*[angles[ref] if isinstance(ref, int) else ref for ref in self.refs])


@dataclass(frozen=True, slots=True)
class Source:
    """Where coefficients come from: a product of gates, and (row, matrix row, matrix column, imaginary part?)."""

    factors: tuple[Factor, ...]
    entries: tuple[tuple[int, int, int, bool], ...]

    def fill(self, coefficients: NDArray[Any], angles: NDArray[np.float64]) -> None:
        """Write the rows."""
        matrix = product(self.factors, angles)
        for row, i, j, imaginary in self.entries:
            coefficients[row] = matrix[i, j].imag if imaginary else matrix[i, j].real


@dataclass(slots=True)
class Plan:
    """The steps of a circuit.

    Attributes:
        circuit: whose steps.
        real: all amplitudes are real.
        steps: in order.
        starts: wire -> first row of its four start coefficients (re 0, re 1, im 0, im 1), if it does not start in |0>.
        n_rows: number of coefficients.
    """

    circuit: Circuit
    real: bool = True
    steps: list[Step] = field(default_factory=list)
    starts: dict[int, int] = field(default_factory=dict)
    n_rows: int = 0
    sources: list[Source] = field(default_factory=list)
    parities: list[tuple[int, Ref]] = field(default_factory=list)

    @property
    def planes(self) -> int:
        """1 if the state is real, else 2: real and imaginary parts are kept apart."""
        return 1 if self.real else 2

    def coefficients(self, angles: NDArray[np.float64], dtype: type[np.floating[Any]]) -> NDArray[Any]:
        """All coefficients of these samples, shape (n_rows, n_samples)."""
        found = np.empty((self.n_rows, angles.shape[1]), dtype=dtype)
        for source in self.sources:
            source.fill(found, angles)
        for row, ref in self.parities:
            half = np.multiply(angles[ref] if isinstance(ref, int) else ref, 0.5)
            found[row], found[row + 1] = np.cos(half), np.sin(half)
        return found


def product(factors: tuple[Factor, ...], angles: NDArray[np.float64]) -> Matrix:
    """Matrix of the gates one after the other, shape (2^k, 2^k) or (2^k, 2^k, n_samples)."""
    matrix = factors[0].core(angles)
    for factor in factors[1:]:
        after = factor.core(angles)
        matrix = np.einsum("ij...,jk...->ik...", after, matrix)
    return matrix


def plan(circuit: Circuit) -> Plan:
    """The steps of `circuit`."""
    made = Plan(circuit)
    n_angles = sum(len(gate.angles) for gate in circuit.gates)
    fixed = [angle.offset if not angle.weights else np.nan for gate in circuit.gates for angle in gate.angles]
    probe = np.random.default_rng(0).uniform(0.4, 1.2, (n_angles, 2))  # no special values where the data decide
    probe = np.where(np.isnan(fixed)[:, None], probe, np.nan_to_num(np.array(fixed))[:, None]).reshape(n_angles, 2)
    waiting: dict[int, list[Factor]] = {}
    touched: set[int] = set()

    def flush(wire: int) -> None:
        factors = tuple(waiting.pop(wire, ()))
        if factors and wire in touched:
            _add(made, (wire,), factors, probe)
        elif factors:
            _start(made, wire, factors, probe)
        touched.add(wire)

    for factor, wires in _gates(circuit):
        if len(wires) == 1 and factor.spec.wires is not None:
            waiting.setdefault(wires[0], []).append(factor)
            continue
        for wire in wires:
            flush(wire)
        _add(made, wires, (factor,), probe)
    for wire in sorted(waiting):
        flush(wire)
    return made


def _gates(circuit: Circuit) -> Iterator[tuple[Factor, tuple[int, ...]]]:
    """The gates with the rows of their angles; ECR as gates that fall apart into 2x2 blocks."""
    row = 0
    for gate in circuit.gates:
        spec = GATES[gate.name]
        refs: tuple[Ref, ...] = tuple(
            row + i if angle.weights else float(angle.offset) for i, angle in enumerate(gate.angles)
        )
        row += len(gate.angles)
        if gate.name == "ECR":
            yield Factor(GATES["RX"], (np.pi / 2,)), gate.wires[1:]
            yield Factor(GATES["CRX"], (-np.pi,)), gate.wires
            yield Factor(GATES["PauliX"], ()), gate.wires[:1]
        else:
            yield Factor(spec, refs), gate.wires


def _start(made: Plan, wire: int, factors: tuple[Factor, ...], probe: NDArray[np.float64]) -> None:
    """The wire starts in the first column of the gates' matrix."""
    row = made.n_rows
    made.n_rows += 4
    made.starts[wire] = row
    made.sources.append(
        Source(factors, tuple((row + 2 * part + i, i, 0, bool(part)) for part in (0, 1) for i in (0, 1)))
    )
    made.real &= not _probed(factors, probe)[:, 0].imag.any()


def _add(made: Plan, wires: tuple[int, ...], factors: tuple[Factor, ...], probe: NDArray[np.float64]) -> None:
    """Append the steps of a product of gates on the same wires."""
    spec = factors[0].spec
    if spec.wires is None:
        made.parities.append((made.n_rows, factors[0].refs[0]))
        made.steps.append(Step(Kind.PARITY, wires, 0, -1, made.n_rows))
        made.n_rows += 2
        made.real = False
        return
    matrix = _probed(factors, probe)
    ones = ((1 << spec.controls) - 1) << (len(wires) - spec.controls)  # the controls are on
    for i in range(len(matrix)):
        partners = [j for j in range(len(matrix)) if j != i and (matrix[i, j].any() or matrix[j, i].any())]
        if not partners:
            _add_phase(made, wires, ones | i, factors, matrix[i, i], i)
        elif partners[0] > i:
            _add_pair(made, wires, (ones | i, ones | partners[0]), factors, matrix, (i, partners[0]))


def _add_phase(
    made: Plan, wires: tuple[int, ...], a: int, factors: tuple[Factor, ...], entry: NDArray[np.complex128], i: int
) -> None:
    if (entry == 1).all():
        return
    real = not entry.imag.any()
    made.steps.append(Step(Kind.FACTOR if real else Kind.PHASE, wires, a, -1, made.n_rows))
    parts = (False,) if real else (False, True)
    _take(made, factors, [(i, i, part) for part in parts], real)


def _add_pair(
    made: Plan,
    wires: tuple[int, ...],
    slices: tuple[int, int],
    factors: tuple[Factor, ...],
    matrix: Matrix,
    places: tuple[int, int],
) -> None:
    block = matrix[np.ix_(places, places)]
    kind = _pair_kind(block)
    made.steps.append(Step(kind, wires, *slices, made.n_rows))
    corners = [(i, j) for i in places for j in places]
    if kind == Kind.DENSE:
        entries = [(i, j, part) for part in (False, True) for i, j in corners]
    elif kind == Kind.CROSS:
        entries = [(i, j, i != j) for i, j in corners]
    else:
        entries = [(i, j, False) for i, j in corners]
    _take(made, factors, [] if kind == Kind.SWAP else entries, kind in (Kind.REAL, Kind.SWAP))


def _pair_kind(block: Matrix) -> Kind:
    """Which kind of step a 2x2 block is; shape (2, 2, n_probes)."""
    if (block[0, 0] == 0).all() and (block[1, 1] == 0).all() and (block[0, 1] == 1).all() and (block[1, 0] == 1).all():
        return Kind.SWAP
    if not block.imag.any():
        return Kind.REAL
    straight, crossed = block[[0, 1], [0, 1]], block[[0, 1], [1, 0]]
    return Kind.DENSE if straight.imag.any() or crossed.real.any() else Kind.CROSS


def _take(made: Plan, factors: tuple[Factor, ...], entries: list[tuple[int, int, bool]], real: bool) -> None:
    """Reserve rows for these entries of the gates' matrix."""
    if entries:
        rows = range(made.n_rows, made.n_rows + len(entries))
        made.sources.append(Source(factors, tuple((row, *entry) for row, entry in zip(rows, entries, strict=True))))
    made.n_rows += len(entries)
    made.real &= real


def _probed(factors: tuple[Factor, ...], probe: NDArray[np.float64]) -> Matrix:
    """The gates' matrix at the probe angles, shape (2^k, 2^k, n_probes), its exact zeros and ones restored."""
    matrix = product(factors, probe)
    matrix = matrix.reshape(*matrix.shape[:2], -1).copy()
    for part in (matrix.real, matrix.imag):
        part[np.abs(part) < EXACT_ZERO] = 0
        part[np.abs(part - 1) < EXACT_ZERO] = 1
    return matrix
