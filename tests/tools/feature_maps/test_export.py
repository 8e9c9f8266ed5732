"""Every export gives the circuit's own kernel, for random circuits over all allowed gates."""

import subprocess
import sys

import numpy as np
import pytest

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.export import as_pennylane, as_qasm3, formula
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.kernel import kernel_matrix

N_FEATURES = 3
TOLERANCE = 1e-9


def circuit_of(names, n_qubits, rng):
    """A circuit that mixes all qubits first, so that a wrong phase of any later gate shows in the kernel."""
    gates = [
        Gate("U3", (wire,), tuple(Angle(((wire % N_FEATURES, 1.3),), float(rng.normal())) for _ in range(3)))
        for wire in range(n_qubits)
    ]
    for name in names:
        spec = GATES[name]
        count = spec.wires or int(rng.integers(1, n_qubits + 1))
        wires = tuple(int(wire) for wire in rng.permutation(n_qubits)[:count])
        angles = tuple(
            Angle(((0, float(rng.normal())), (2, float(rng.normal()))), float(rng.normal()))
            for _ in range(spec.parameters)
        )
        gates.append(Gate(name, wires, angles))
        gates += [Gate("RY", (wire,), (Angle(((1, 0.7),), 0.2 + wire),)) for wire in wires]
    return Circuit(n_qubits, N_FEATURES, tuple(gates))


def random_circuit(seed, n_qubits=4, length=24):
    rng = np.random.default_rng(seed)
    return circuit_of(rng.choice(list(GATES), length), n_qubits, rng), rng.random((4, N_FEATURES))


def overlaps(states):
    return np.abs(states @ states.conj().T) ** 2


def ours(circuit, samples):
    return kernel_matrix(circuit, samples, precision="complex128")


def from_qiskit(circuits):
    from qiskit.quantum_info import Statevector

    return overlaps(np.array([Statevector(each).data for each in circuits]))


def bound(made, sample):
    """A circuit with parameters named ``x[i]`` or ``x_i``, with the sample put in."""
    names = {each: each.name.strip("x_[]") for each in made.parameters}
    return made.assign_parameters({each: sample[int(number)] for each, number in names.items()})


def run(text):
    """What the text of a Python file defines."""
    space = {"__name__": "exported"}
    exec(compile(text, "exported.py", "exec"), space)
    return space


def read_by_qiskit(circuit, samples):
    """The kernel of the OpenQASM as Qiskit reads it."""
    from qiskit import qasm3

    read = qasm3.loads(as_qasm3(circuit))
    return from_qiskit([bound(read, x) for x in samples])


@pytest.mark.parametrize("name", list(GATES))
def test_each_gate_alone_reaches_qasm_with_the_same_kernel(name):
    rng = np.random.default_rng(list(GATES).index(name))
    circuit, samples = circuit_of([name], 3, rng), rng.random((4, N_FEATURES))
    assert np.allclose(read_by_qiskit(circuit, samples), ours(circuit, samples), atol=TOLERANCE)


@pytest.mark.parametrize("seed", range(6))
def test_random_circuits_with_inputs_reach_qasm_with_the_same_kernel(seed):
    circuit, samples = random_circuit(seed)
    assert np.allclose(read_by_qiskit(circuit, samples), ours(circuit, samples), atol=TOLERANCE)


@pytest.mark.parametrize("seed", [10, 11])
def test_the_pennylane_file_gives_the_same_kernel(seed):
    circuit = circuit_of(list(GATES), 5, np.random.default_rng(seed))
    samples = np.random.default_rng(seed + 100).random((4, N_FEATURES))
    kernel = run(as_pennylane(circuit, "Everything"))["kernel"]
    assert np.allclose(kernel(samples), ours(circuit, samples), atol=TOLERANCE)
    assert np.allclose(kernel(samples, samples[:2]), ours(circuit, samples)[:, :2], atol=TOLERANCE)


@pytest.mark.slow
def test_the_pennylane_file_runs_by_itself(tmp_path):
    circuit, _ = random_circuit(3)
    path = tmp_path / "winner.py"
    path.write_text(as_pennylane(circuit, "Winner", "The best of three."), encoding="utf-8")
    # Modules of this program are made impossible to import.
    block = "import sys, runpy; sys.modules['labwright'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-I", "-c", block, str(path)], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4
    assert done.stdout.startswith("[[1. ")


def test_words_of_strangers_stay_words():
    circuit = Circuit(1, 1, (Gate("RX", (0,), (Angle(((0, 1.0),), 0.0),)),))
    nasty = 'end"""\nimport os\nos.abort()\n"""\\'
    text = as_pennylane(circuit, "Safe", nasty)
    assert "os" not in run(text)
    assert "\nimport os" not in text


@pytest.mark.parametrize("name", ["two words", "class", "1st", "", "A;import os", "kernel", "np"])
def test_a_name_that_is_no_class_name_is_refused(name):
    with pytest.raises(InputError, match="no name of a Python class"):
        as_pennylane(random_circuit(0)[0], name)


def test_an_angle_reads_as_a_person_would_write_it():
    assert formula(Angle(((3, 0.5), (4, -2.0)), -1.25), "x[{}]") == "0.5 * x[3] - 2.0 * x[4] - 1.25"
    assert formula(Angle((), 0.0), "x_{}") == "0.0"
    assert formula(Angle(((0, -1e-05),), 0.0), "x_{}") == "-1e-05 * x_0"


def test_angles_of_many_features_are_wrapped_and_still_right():
    rng = np.random.default_rng(5)
    angle = Angle(tuple((i, float(weight)) for i, weight in enumerate(rng.normal(size=60))), 0.1)
    circuit = Circuit(2, 60, (Gate("RX", (0,), (angle,)), Gate("CNOT", (0, 1)), Gate("Rot", (1,), (angle,) * 3)))
    samples = rng.random((3, 60))
    text = as_pennylane(circuit, "Wide")
    assert max(map(len, text.splitlines())) <= 120
    assert np.allclose(run(text)["kernel"](samples), ours(circuit, samples), atol=TOLERANCE)


@pytest.mark.parametrize("device", ["default.qubit", "default.mixed", "lightning.qubit"])
def test_the_template_measures_the_kernel_on_any_device(device):
    import pennylane as qml

    circuit, samples = random_circuit(11)
    space = run(as_pennylane(circuit, "Template"))
    found = space["kernel_on"](qml.device(device, wires=4), samples[:2])
    assert np.allclose(found, ours(circuit, samples[:2]), atol=TOLERANCE)

    @qml.qnode(qml.device(device, wires=["d", "c", "b", "a"]))
    def on_other_wires(x):
        space["template"](x, ["a", "b", "c", "d"])
        return qml.probs(wires=["a", "b", "c", "d"])

    assert np.allclose(on_other_wires(samples[0]), np.abs(space["states"](samples[:1])[0]) ** 2, atol=TOLERANCE)


def test_a_finite_number_of_shots_scatters_about_the_kernel():
    import pennylane as qml

    circuit, samples = random_circuit(12)
    space = run(as_pennylane(circuit, "Template"))
    found = space["kernel_on"](qml.device("default.qubit", wires=4, seed=1), samples[:2], shots=2000)
    exact = ours(circuit, samples[:2])
    assert np.abs(found - exact).max() < 5 * np.sqrt(0.25 / 2000)
    assert (found != exact).any()


def test_a_gate_of_no_list_is_refused():
    with pytest.raises(InputError, match="Gate Fourier cannot be written"):
        as_qasm3(Circuit(1, 1, (Gate("Fourier", (0,)),)))
