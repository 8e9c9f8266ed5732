"""Legal maps are accepted, with the kernel that PennyLane computes; illegal ones are refused for their rule."""

import types

import numpy as np
import pytest

from labwright.tools.errors import InputError, RuleError
from labwright.tools.feature_maps.compile import Compiler
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.template import TEMPLATE

SAMPLES = np.random.default_rng(5).random((4, 8))


def test_kernel_is_that_of_pennylane(legal, compiler: Compiler, kernel_of_the_code):
    compiled = compiler.compile(legal.source, 4, 8)
    assert legal.expected in {gate.name for gate in compiled.circuit.gates}
    ours = kernel_matrix(compiled.circuit, SAMPLES, precision="complex128")
    np.testing.assert_allclose(ours, kernel_of_the_code(legal.source, 4, SAMPLES), atol=1e-11)


def test_weights_are_those_of_the_code(compiler: Compiler, frame):
    source = frame("qml.RY(0.5 * x[0] - np.pi * x[6] + 0.25, wires=1)\nqml.CNOT(wires=[1, 2])\nqml.RX(x[3], wires=2)")
    gates = compiler.compile(source, 4, 8).circuit.gates
    assert [(gate.name, gate.wires) for gate in gates] == [("RY", (1,)), ("CNOT", (1, 2)), ("RX", (2,))]
    (angle,) = gates[0].angles
    assert [feature for feature, _ in angle.weights] == [0, 6]
    np.testing.assert_allclose([weight for _, weight in angle.weights], [0.5, -np.pi], atol=1e-12)
    assert angle.offset == pytest.approx(0.25, abs=1e-12)


def test_template_is_a_legal_map(compiler: Compiler):
    compiled = compiler.compile(TEMPLATE, 4, 10)
    assert compiled.name == "NewFeatureMap"
    assert compiled.works_at == (4, 6, 10, 12)
    assert compiled.hyperparameters == {"scale": 1.0}


def test_hyperparameters_take_the_place_of_defaults(compiler: Compiler):
    angle = compiler.compile(TEMPLATE, 4, 8, {"scale": 0.25}).circuit.gates[0].angles[0]
    assert angle.weights[0][1] == pytest.approx(0.25, abs=1e-12)


def test_gates_at_the_end_that_cancel_are_left_out_and_told(compiler: Compiler, frame):
    end = "qml.RY(x[0], wires=0)\nqml.Hadamard(wires=1)\nqml.CNOT(wires=[1, 0])\nqml.RX(x[1], wires=0)\n"
    compiled = compiler.compile(frame(end + "qml.CZ(wires=[0, 1])\nqml.T(wires=3)\nqml.RZ(0.3, wires=0)"), 4, 8)
    assert [gate.name for gate in compiled.circuit.gates] == ["RY", "Hadamard", "CNOT", "RX"]
    assert compiled.stripped == 3
    assert any("cancel in the kernel" in note for note in compiled.notes)
    assert any("6 of 8 features are not used: 2, 3, 4, 5, 6, 7." in note for note in compiled.notes)


def test_sizes_at_which_the_code_fails_are_not_named(compiler: Compiler, frame):
    assert compiler.compile(frame("for i in range(8):\n    qml.RY(x[i], wires=i)"), 10, 8).works_at == (10, 12)
    source = frame("qml.RY(x[0], wires=0)\nqml.CNOT(wires=[0, self.n_qubits - 6])\nqml.RX(x[1], wires=0)")
    assert compiler.compile(source, 10, 8).works_at == (10, 12)  # at 6, one wire twice; at 4, a negative one


def test_circuit_does_not_depend_on_the_seed_of_the_probes(compiler: Compiler, frame):
    source = frame("for i in range(8):\n    qml.RY(np.pi * 0.35 ** (i // 4) * x[i], wires=i % 4)")
    found = [compiler.compile(source, 4, 8, seed=seed).circuit.affine()[0] for seed in (0, 1)]
    np.testing.assert_allclose(found[0], found[1], atol=2e-13)


@pytest.mark.parametrize(("n_qubits", "n_features"), [(0, 8), (30, 8), (4, 0), (4, 5000)])
def test_numbers_out_of_range_are_input_errors(n_qubits, n_features):
    sandbox = types.SimpleNamespace(level="rlimits")  # nothing is started for a request that is wrong in itself
    with pytest.raises(InputError, match="must"):
        Compiler(sandbox).compile(TEMPLATE, n_qubits, n_features)


def test_hyperparameters_that_are_no_plain_data_are_an_input_error():
    with pytest.raises(InputError, match="numbers, words or lists"):
        Compiler(types.SimpleNamespace(level="rlimits")).compile(TEMPLATE, 4, 8, {"scale": np.float64("nan")})


def test_is_refused_with_its_rule(illegal, compiler: Compiler):
    with pytest.raises(RuleError) as refused:
        compiler.compile(illegal.source, 4, 8)
    first = refused.value.findings[0]
    assert first["rule"] == illegal.expected, first
    assert len(first["message"]) > 20
    assert "{" not in first["message"].replace(illegal.source, "")
    assert illegal.expected == "signature" or " ? " not in first["message"], first
    assert first["mend"]


def test_each_rule_names_the_line_of_the_candidate(compiler: Compiler, frame):
    source = frame("y = 1\nqml.RY(x[1], wires=1)\nqml.RX(x[0] ** 2, wires=0)")
    line = source.split("\n").index("        qml.RX(x[0] ** 2, wires=0)") + 1
    with pytest.raises(RuleError, match=rf"RX on line {line} is not linear .* x\[0\] .* it has a square"):
        compiler.compile(source, 4, 8)


@pytest.mark.parametrize("seed", range(5))
def test_a_narrow_branch_is_met_by_any_seed(compiler: Compiler, frame, seed):
    source = frame("for i in range(40):\n    qml.RY(x[i] if x[17] > 0.03 else 0.0, wires=i % 4)")
    with pytest.raises(RuleError, match="not linear"):
        compiler.compile(source, 4, 40, seed=seed)
