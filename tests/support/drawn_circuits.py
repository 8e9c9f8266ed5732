"""Hypothesis strategies for circuits, and PennyLane's states of them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.gates import GATES

N_FEATURES = 3
ANGLES = st.floats(-7, 7)
SPECIAL = st.sampled_from([0.0, np.pi / 2, np.pi, -np.pi])  # entries of a matrix vanish there


@st.composite
def angles(draw: st.DrawFn, of_data: bool) -> Angle:
    offset = draw(st.one_of(ANGLES, SPECIAL))
    features = draw(st.lists(st.integers(0, N_FEATURES - 1), max_size=2, unique=True)) if of_data else []
    return Angle(tuple((feature, draw(ANGLES)) for feature in sorted(features)), offset)


@st.composite
def gates(draw: st.DrawFn, n_qubits: int, names: list[str], of_data: bool = True) -> Gate:
    name = draw(st.sampled_from([name for name in names if (GATES[name].wires or 1) <= n_qubits]))
    count = GATES[name].wires or draw(st.integers(1, n_qubits))
    wires = draw(st.permutations(range(n_qubits)))[:count]
    return Gate(name, tuple(wires), tuple(draw(angles(of_data)) for _ in range(GATES[name].parameters)))


@st.composite
def circuits(draw: st.DrawFn, least: int = 2, most: int = 5, length: int = 12) -> Circuit:
    n_qubits = draw(st.integers(least, most))
    drawn = draw(st.lists(gates(n_qubits, list(GATES)), min_size=1, max_size=length))
    return Circuit(n_qubits, N_FEATURES, tuple(drawn))


def samples_of(seed: int, n: int) -> NDArray[np.float64]:
    return np.random.default_rng(seed).uniform(-1, 1, (n, N_FEATURES))


def circuit_of_all_gates(n_qubits: int, seed: int) -> Circuit:
    """Every allowed gate that fits, in a random order on random wires; most angles depend on the data."""
    rng = np.random.default_rng(seed)
    chosen = []
    for name in rng.permutation([name for name in GATES if (GATES[name].wires or 1) <= n_qubits]):
        spec = GATES[str(name)]
        wires = rng.permutation(n_qubits)[: spec.wires or rng.integers(1, n_qubits + 1)]
        weights = [
            ((int(rng.integers(N_FEATURES)), float(rng.normal())),) if rng.random() < 0.7 else ()
            for _ in range(spec.parameters)
        ]
        chosen.append(Gate(spec.name, tuple(wires.tolist()), tuple(Angle(w, float(rng.normal())) for w in weights)))
    return Circuit(n_qubits, N_FEATURES, tuple(chosen))


def pennylane_states(circuit: Circuit, samples: NDArray[np.float64]) -> NDArray[np.complex128]:
    """States of default.qubit, a sample at a time, shape (n_samples, 2**n_qubits)."""
    import pennylane as qml

    @qml.qnode(qml.device("default.qubit", wires=circuit.n_qubits))
    def state(given: NDArray[np.float64]) -> object:
        row = 0
        for gate in circuit.gates:
            getattr(qml, gate.name)(*given[row : row + len(gate.angles)], wires=gate.wires)
            row += len(gate.angles)
        return qml.state()

    return np.array([state(column) for column in circuit.angles(samples).T])
