"""A circuit and its inverse give back |0...0>, whatever gates it holds."""

import numpy as np
import pytest
from drawn_circuits import N_FEATURES, circuits, samples_of
from hypothesis import given

from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.inverse import inverse, overlap_circuit
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.simulate import states


@pytest.mark.parametrize("name", GATES)
def test_every_gate_has_an_inverse(name):
    """On an entangled state, where a wrong phase of a part of it shows."""
    random = np.random.default_rng(1)
    start = [Gate("U3", (w,), tuple(Angle((), float(a)) for a in random.uniform(0, 6, 3))) for w in range(4)]
    start += [Gate("CNOT", (w, w + 1)) for w in range(3)]
    wires = tuple(range(GATES[name].wires or 3))
    gate = Gate(name, wires, tuple(Angle(((0, 0.3),), float(a)) for a in random.normal(size=GATES[name].parameters)))
    plain, there_and_back = (
        Circuit(4, 1, tuple(gates)) for gates in (start, [*start, gate, *inverse(Circuit(4, 1, (gate,))).gates])
    )
    x = np.array([[0.7]])
    one, other = (states(c, x, precision="complex128")[0] for c in (plain, there_and_back))
    assert abs(np.vdot(one, other)) == pytest.approx(1.0, abs=1e-12)


@given(circuit=circuits())
def test_reading_all_zeros_has_the_probability_of_the_kernel(circuit):
    x, y = samples_of(0, 3), samples_of(1, 3)
    found = states(overlap_circuit(circuit), np.hstack([x, y]), precision="complex128")
    assert found.shape == (3, 2**circuit.n_qubits)
    assert overlap_circuit(circuit).n_features == 2 * N_FEATURES
    exact = np.diagonal(kernel_matrix(circuit, x, y, precision="complex128"))
    assert np.abs(found[:, 0]) ** 2 == pytest.approx(exact, abs=1e-10)
