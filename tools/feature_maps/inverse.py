"""The inverse of a feature map, and both in a row: how a processor measures ``|<psi(y)|psi(x)>|^2``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import pi

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate

# Gates that undo themselves, up to a phase of the whole state.
_OWN = frozenset(
    {"Hadamard", "PauliX", "PauliY", "PauliZ", "CNOT", "CY", "CZ", "CH", "SWAP", "CSWAP", "Toffoli", "CCZ", "ECR"}
)  # fmt: skip
# Gates without a parameter that another one undoes, up to a phase of the whole state: name, angle in rad.
_OTHER = {
    "S": ("PhaseShift", -pi / 2), "T": ("PhaseShift", -pi / 4), "SX": ("RX", -pi / 2),
    "ISWAP": ("IsingXY", -pi), "SISWAP": ("IsingXY", -pi / 2),
}  # fmt: skip
_REVERSED = frozenset({"Rot", "CRot"})  # products of three rotations: undone from the last to the first
_ANGLES: dict[str, Callable[[tuple[Angle, ...]], tuple[Angle, ...]]] = {
    "U2": lambda a: (Angle((), -pi / 2), turned(a[1]), turned(a[0])),
    "U3": lambda a: (turned(a[0]), turned(a[2]), turned(a[1])),
}


def inverse(circuit: Circuit) -> Circuit:
    """The circuit that undoes another, up to a phase.

    Raises:
        InputError: it holds a gate that is not known.
    """
    return replace(circuit, gates=tuple(_undone(gate) for gate in reversed(circuit.gates)))


def overlap_circuit(circuit: Circuit) -> Circuit:
    """``U(y)^-1 U(x)`` for twice the features, x before y; all qubits read 0 with the probability K(x, y)."""
    undone = shifted(inverse(circuit), circuit.n_features)
    return replace(undone, gates=(*circuit.gates, *undone.gates))


def shifted(circuit: Circuit, by: int) -> Circuit:
    """The circuit whose features stand `by` places later, among so many more."""
    gates = [
        replace(gate, angles=tuple(Angle(tuple((f + by, w) for f, w in a.weights), a.offset) for a in gate.angles))
        for gate in circuit.gates
    ]
    return Circuit(circuit.n_qubits, circuit.n_features + by, tuple(gates))


def turned(angle: Angle) -> Angle:
    """The angle with the other sign."""
    return Angle(tuple((feature, -weight) for feature, weight in angle.weights), -angle.offset)


def _undone(gate: Gate) -> Gate:
    if gate.name in _OWN:
        return gate
    if gate.name in _OTHER:
        name, angle = _OTHER[gate.name]
        return Gate(name, gate.wires, (Angle((), angle),))
    if gate.name in _ANGLES:
        return Gate("U3", gate.wires, _ANGLES[gate.name](gate.angles))
    if not gate.angles:
        raise InputError(f"Gate {gate.name} has no inverse here. Use gates of the allowed list.")
    angles = tuple(map(turned, gate.angles))
    return replace(gate, angles=angles[::-1] if gate.name in _REVERSED else angles)
