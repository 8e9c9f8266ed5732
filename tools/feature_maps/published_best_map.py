"""The map of the published search that did best, as a circuit: a baseline.

Its structure is taken from Listing 22 of the feature-map paper (10 qubits, 80 features, 226 gates).
"""

from __future__ import annotations

from math import pi

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate

N_QUBITS = 10
N_FEATURES = 80
LAYERS = 5
ENTANGLING = 6  # features of a layer that turn its controlled rotations; the ten before them turn the qubits
LAMBDA = 0.3  # scale of the mid-range rotations, the same in every layer
GAMMA = 0.5  # scale of the exchange between opposite qubits
DELTA = (0.15, 0.25, 0.35, 0.15, 0.10)  # weight of each layer in the last gate


def listing22(n_qubits: int = N_QUBITS, n_features: int = N_FEATURES, *, scale: float = 1.0) -> Circuit:
    """The circuit with its published hyperparameters.

    Args:
        n_qubits: it is published for 10.
        n_features: at most 80; terms of features that there are not are left out.
        scale: of all angles that depend on data.

    Raises:
        InputError: another number of qubits, or more features.
    """
    if n_qubits != N_QUBITS or not 1 <= n_features <= N_FEATURES:
        raise InputError(
            f"The map of Listing 22 is for {N_QUBITS} qubits and at most {N_FEATURES} features, not {n_qubits} and"
            f" {n_features}."
        )
    gates = [gate for layer in range(LAYERS) for gate in _layer((N_QUBITS + ENTANGLING) * layer)]
    shares = {(N_QUBITS + ENTANGLING) * layer + N_QUBITS: pi * share for layer, share in enumerate(DELTA)}
    gates.append(Gate("MultiRZ", tuple(range(N_QUBITS)), (_angle(shares),)))
    return Circuit(n_qubits, n_features, tuple(_kept(gate, n_features, scale) for gate in gates))


def _kept(gate: Gate, n_features: int, scale: float) -> Gate:
    """The gate with the terms of the features that there are."""
    angles = (Angle(tuple((k, scale * w) for k, w in one.weights if k < n_features), one.offset) for one in gate.angles)
    return Gate(gate.name, gate.wires, tuple(angles))


def _layer(first: int) -> list[Gate]:
    """A layer whose features begin at `first`."""

    def feature(place: int) -> int:
        return first + N_QUBITS + place % ENTANGLING

    def pair(name: str, j: int, distance: int, *angles: Angle) -> Gate:
        return Gate(name, (j, (j + distance) % N_QUBITS), angles)

    qubits, still = range(N_QUBITS), Angle((), 0.0)
    half = LAMBDA * pi / 2
    return [
        *(Gate("RY", (j,), (_angle({first + j: pi}),)) for j in qubits),
        *(pair("CRX", j, 1, _angle({feature(j): 0.6 * pi, feature(j + 1): 0.4 * pi})) for j in qubits),
        *(pair("CRY", j, 2, _angle({feature(j + k): pi / 3 for k in (0, 2, 4)})) for j in qubits),
        *(pair("CRot", j, 3, _angle({feature(j): half, feature(j + 1): half}), still, still) for j in qubits),
        *(pair("IsingXY", j, N_QUBITS // 2, Angle((), pi * GAMMA)) for j in range(N_QUBITS // 2)),
    ]


def _angle(weights: dict[int, float]) -> Angle:
    return Angle(tuple(sorted(weights.items())), 0.0)
