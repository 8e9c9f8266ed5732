"""States by name, as circuits of calibrated gates on the qubits that are coupled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from labwright.tools.errors import InputError
from labwright.tools.experiments.base import Bench
from labwright.tools.experiments.gates import gate
from labwright.tools.qpu.cliffords import ROTATIONS, rotation
from labwright.tools.qpu.cz_gate_operations import cz_slots
from labwright.tools.qpu.joint_program import JointOperation, Slot, Turn
from labwright.tools.qpu.settings import pair_name

Matrix = NDArray[np.complex128]
STATES = ("ghz", "bell", "plus", "zero", "one")
MOST_QUBITS = 3


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate of a circuit: a name of `cliffords.ROTATIONS`, ``Z180``, or ``CZ``, and the places of its qubits."""

    name: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Circuit:
    """Gates on named qubits, in playing order."""

    qubits: tuple[str, ...]
    gates: tuple[Gate, ...]

    def state(self) -> Matrix:
        """What the circuit makes of all-0 without errors, (2^n,); the first qubit is the most significant bit."""
        psi = np.zeros(2 ** len(self.qubits), dtype=complex)
        psi[0] = 1
        for step in self.gates:
            psi = unitary(step, len(self.qubits)) @ psi
        return psi

    def slots(self, bench: Bench) -> list[Slot]:
        """The circuit in calibrated pulses; single-qubit gates in a row are played side by side.

        Raises:
            InputError: a pair has no calibrated gate.
        """
        slots: list[Slot] = []
        waiting: list[list[JointOperation]] = [[] for _ in self.qubits]
        for step in self.gates:
            if step.name != "CZ":
                waiting[step.places[0]].append(_played(bench, self.qubits[step.places[0]], step.name))
                continue
            slots += _flushed(waiting)
            slots += _cz(bench, self.qubits, step.places)
        return slots + _flushed(waiting)


def prepared(state: str, qubits: Sequence[str], pairs: Sequence[tuple[str, str]]) -> Circuit:
    """The circuit that prepares `state` from all-0.

    Raises:
        InputError: no such state, too many qubits, or a GHZ state on qubits that no couplings connect.
    """
    if state not in STATES:
        raise InputError(f"Argument `state` must be one of {', '.join(STATES)}, but is {state!r}.")
    if not 1 <= len(qubits) <= MOST_QUBITS or len(set(qubits)) != len(qubits):
        raise InputError(f"Tomography takes 1 to {MOST_QUBITS} different qubits, but got {', '.join(qubits)}.")
    if state == "bell" and len(qubits) != 2:
        raise InputError(f"A Bell state needs two qubits, but got {', '.join(qubits)}. Ask for a GHZ state.")
    each = range(len(qubits))
    if state in ("ghz", "bell"):
        return Circuit(tuple(qubits), _ghz(qubits, pairs))
    name = {"plus": "Y90", "zero": "I", "one": "X180"}[state]
    return Circuit(tuple(qubits), tuple(Gate(name, (place,)) for place in each))


def _ghz(qubits: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[Gate, ...]:
    """Superpositions, then a CZ and a quarter turn for every qubit that a coupling joins to what is entangled."""
    coupled = {frozenset(pair) for pair in pairs}
    degree = [sum(frozenset((a, b)) in coupled for b in qubits) for a in qubits]
    joined = [int(np.argmax(degree))]
    steps = [Gate("Y90", (place,)) for place in range(len(qubits))]
    while len(joined) < len(qubits):
        links = [
            (a, b)
            for a in joined
            for b in range(len(qubits))
            if b not in joined and frozenset((qubits[a], qubits[b])) in coupled
        ]
        if not links:
            left = ", ".join(q for place, q in enumerate(qubits) if place not in joined)
            raise InputError(f"No coupling joins {left} to the other qubits, so they cannot be entangled.")
        steps += [Gate("CZ", links[0]), Gate("Y90m", (links[0][1],))]
        joined.append(links[0][1])
    made = Circuit(tuple(qubits), tuple(steps)).state()
    sign = made[-1] / made[0]
    return (*steps, Gate("Z180", (joined[0],))) if sign.real < 0 else tuple(steps)


def ghz(n: int) -> Matrix:
    """(|0..0> + |1..1>) / sqrt 2, (2^n,)."""
    psi = np.zeros(2**n, dtype=complex)
    psi[[0, -1]] = np.sqrt(0.5)
    return psi


def unitary(step: Gate, n: int) -> Matrix:
    """(2^n, 2^n) of one gate."""
    if step.name == "CZ":
        bits = [np.arange(2**n) >> (n - 1 - place) & 1 for place in step.places]
        return np.diag(1.0 - 2.0 * (bits[0] & bits[1])).astype(complex)
    single = np.diag([1, -1]).astype(complex) if step.name == "Z180" else rotation(*ROTATIONS[step.name])
    place = step.places[0]
    return np.asarray(np.kron(np.kron(np.eye(2**place), single), np.eye(2 ** (n - 1 - place))))


def _played(bench: Bench, qubit: str, name: str) -> JointOperation:
    return Turn(np.pi) if name == "Z180" else gate(bench.settings(qubit), name)


def _flushed(waiting: list[list[JointOperation]]) -> list[Slot]:
    """The waiting single-qubit operations as slots, and nothing waits any more."""
    longest = max(map(len, waiting), default=0)
    slots: list[Slot] = [tuple(row[k] if k < len(row) else None for row in waiting) for k in range(longest)]
    for row in waiting:
        row.clear()
    return slots


def _cz(bench: Bench, qubits: Sequence[str], places: tuple[int, ...]) -> list[Slot]:
    """A CZ in slots of all qubits, the others idle."""
    names = [qubits[place] for place in places]
    ordered = tuple(names) if tuple(names) in bench.device.settings.pairs else (names[1], names[0])
    settings = bench.pair_settings(pair_name(*ordered))
    if not settings.calibrated:
        raise InputError(f"{pair_name(*ordered)} has no calibrated CZ gate. Find its siZZle gate parameters first.")
    at = [list(qubits).index(name) for name in ordered]
    slots: list[Slot] = []
    for first, second in cz_slots(settings, bench.settings(ordered[0]), bench.settings(ordered[1])):
        row: list[JointOperation | None] = [None] * len(qubits)
        row[at[0]], row[at[1]] = first, second
        slots.append(tuple(row))
    return slots
