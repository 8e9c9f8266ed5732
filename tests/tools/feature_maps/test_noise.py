"""Native gates do what the circuit does; noise and shots are those of their definitions."""

import numpy as np
import pytest
from drawn_circuits import circuits, samples_of
from hypothesis import given

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.inverse import overlap_circuit
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.native_gates import native_gates
from labwright.tools.feature_maps.noise import GateErrors, noisy_kernel, sampled_kernel, survival
from labwright.tools.feature_maps.recipe import circuit_of
from labwright.tools.feature_maps.simulate import states

LINE = [(0, 1), (1, 2), (2, 3), (3, 4)]


def played(gates, n_qubits, errors=None):
    """The same gates by PennyLane: the state, or the density matrix with depolarising channels."""
    import pennylane as qml

    device = qml.device("default.mixed" if errors else "default.qubit", wires=n_qubits)

    @qml.qnode(device)
    def circuit():
        for gate in gates:
            if gate.kind == "turn":
                qml.PhaseShift(gate.angle, wires=gate.wires)
            elif gate.kind == "x90":
                qml.RX(np.pi / 2, wires=gate.wires)
                if errors:
                    qml.DepolarizingChannel(1.5 * errors.single, wires=gate.wires)
            else:
                qml.CZ(wires=gate.wires)
                if errors:
                    qml.QubitChannel(two_qubit_depolarising(errors.pair), wires=gate.wires)
        return qml.state()

    return circuit()


def two_qubit_depolarising(error):
    """All Pauli products but the identity, equally likely; the entanglement infidelity is 5/4 of the average error."""
    paulis = [np.eye(2), np.array([[0, 1], [1, 0]]), np.array([[0, -1j], [1j, 0]]), np.diag([1, -1])]
    products = [np.kron(a, b) for a in paulis for b in paulis]
    chance = 1.25 * error
    return [np.sqrt(1 - chance) * products[0], *(np.sqrt(chance / 15) * each for each in products[1:])]


@given(circuit=circuits(length=6))
def test_native_gates_make_the_circuits_state(circuit):
    x = samples_of(0, 1)
    expected = states(circuit, x, precision="complex128")[0]
    for couplings in (None, LINE):
        gates = native_gates(circuit, x[0], couplings)
        assert abs(np.vdot(expected, played(gates, circuit.n_qubits))) == pytest.approx(1.0, abs=1e-9)
        allowed = {frozenset(pair) for pair in couplings or []}
        assert couplings is None or all(frozenset(g.wires) in allowed for g in gates if g.kind == "cz")


@pytest.mark.parametrize(
    ("name", "most"), [("CNOT", 1), ("CZ", 1), ("CH", 1), ("IsingXX", 2), ("ISWAP", 2), ("SWAP", 3)]
)
def test_no_more_cz_than_there_must_be(name, most):
    gate = Gate(name, (0, 1), tuple(Angle((), 0.4) for _ in range(GATES[name].parameters)))
    gates = native_gates(Circuit(2, 1, (gate,)), np.zeros(1))
    assert sum(each.kind == "cz" for each in gates) == most


def test_wires_that_nothing_joins_are_refused():
    with pytest.raises(InputError, match="No couplings join"):
        native_gates(Circuit(3, 1, (Gate("CNOT", (0, 2)),)), np.zeros(1), [(0, 1)])


def test_noise_is_that_of_depolarising_channels():
    circuit = circuit_of(plain_recipe(axes=["RX", "RZ"], entangler="CNOT"), 3, 6)
    x = np.random.default_rng(0).random(12)
    gates, errors = native_gates(overlap_circuit(circuit), x, LINE), GateErrors(0.004, 0.02)
    assert survival(gates, 3, errors) == pytest.approx(float(played(gates, 3, errors)[0, 0].real), abs=1e-10)


def test_without_errors_the_kernel_is_exact_and_with_them_it_shrinks():
    circuit = circuit_of(plain_recipe(axes=["RX", "RZ"], entangler="CNOT"), 3, 6)
    x, y = np.random.default_rng(0).random((2, 4, 6))
    exact = kernel_matrix(circuit, x, y, precision="complex128")
    assert noisy_kernel(circuit, x, y, GateErrors()) == pytest.approx(exact, abs=1e-9)
    noisy = noisy_kernel(circuit, x, None, GateErrors(0.001, 0.01))
    assert (np.diagonal(noisy) < 1).all()
    assert (noisy == noisy.T).all()
    with pytest.raises(InputError, match="up to 6 qubits"):
        noisy_kernel(circuit_of(plain_recipe(), 7, 7), np.zeros((1, 7)), None, GateErrors())


def test_shots_scatter_as_their_error_says():
    exact = np.full((60, 50), 0.3)
    drawn, error = sampled_kernel(exact, 400, seed=1)
    assert error == pytest.approx(np.full_like(exact, np.sqrt(0.21 / 400)))
    assert ((drawn - exact) / error).std() == pytest.approx(1.0, abs=0.06)
    square = exact[:50] + 0.7 * np.eye(50)
    own, _ = sampled_kernel(square, 400)
    assert (own == own.T).all()
    assert (np.diagonal(own) == 1).all()
    with pytest.raises(InputError, match="one shot"):
        sampled_kernel(exact, 0)
