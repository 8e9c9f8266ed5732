"""States of a feature map for many samples at once."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.gates import GATES, parity_signs

Precision = Literal["complex64", "complex128"]
Engine = Literal["auto", "numpy", "numba"]
Samples = NDArray[np.floating[Any]]


def states(
    circuit: Circuit, samples: Samples, *, precision: Precision = "complex64", engine: Engine = "auto"
) -> NDArray[np.complexfloating[Any, Any]]:
    """``|psi(x)>`` of every sample, shape (n_samples, 2**n_qubits); wire 0 is the most significant bit."""
    angles, n, size = circuit.angles(samples), circuit.n_qubits, len(samples)
    psi = np.zeros((*(2,) * n, size), dtype=precision)
    psi[(0,) * n] = 1.0
    row = 0
    for gate in circuit.gates:
        spec, k = GATES[gate.name], len(gate.wires)
        given = angles[row : row + spec.parameters]
        row += spec.parameters
        psi = np.moveaxis(psi, gate.wires, range(k))
        flat = psi.reshape(2**k, -1, size)
        if spec.wires is None:
            phases = np.exp(np.multiply.outer(-0.5j * parity_signs(k), given[0]))
            flat = flat * phases[:, None, :].astype(precision)
        else:
            matrix = spec.matrix(*given).astype(precision)
            matrix = np.broadcast_to(matrix.reshape(2**k, 2**k, -1), (2**k, 2**k, size))
            flat = np.einsum("abs,brs->ars", matrix, flat)
        psi = np.moveaxis(flat.reshape(psi.shape), range(k), gate.wires)
    found: NDArray[np.complexfloating[Any, Any]] = np.ascontiguousarray(psi.reshape(-1, size).T)
    return found
