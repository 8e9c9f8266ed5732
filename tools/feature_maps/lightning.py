"""The lightning engine: PennyLane's C++ simulator, state after state; the faster one for wide circuits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.circuit import Circuit

Planes = NDArray[np.floating[Any]]


class Engine:
    """Evolves the states of one circuit."""

    def __init__(self, circuit: Circuit, dtype: type[np.floating[Any]]) -> None:
        import pennylane as qml

        precision = np.complex64 if dtype == np.float32 else np.complex128
        self._circuit = circuit
        self._device = qml.device("lightning.qubit", wires=circuit.n_qubits, c_dtype=precision)
        self._program, self._config = self._device.preprocess()

    def run(self, angles: NDArray[np.float64], out: Planes) -> None:
        """Write the states at angles of shape (n_angles, n_samples) into `out` of shape (planes, 2^n, n_samples).

        A circuit whose states are real has one plane.
        """
        import pennylane as qml

        for sample, column in enumerate(angles.T):
            operations, row = [], 0
            for gate in self._circuit.gates:
                values = column[row : row + len(gate.angles)]
                row += len(gate.angles)
                operations.append(getattr(qml, gate.name)(*values, wires=list(gate.wires)))
            tape = qml.tape.QuantumScript(operations, [qml.state()])
            state = self._device.execute(self._program([tape])[0], self._config)[0]
            out[0, :, sample] = state.real
            if len(out) == 2:
                out[1, :, sample] = state.imag
