"""States, channels and entropies have their exact values."""

import math

import pytest
from pydantic import ValidationError
from tools.circuit_density_matrix import CircuitDensityMatrixInput, circuit_density_matrix


def _op(name, *qubits, value=None):
    return {"name": name, "qubits": list(qubits), "value": value}


def _made(n_qubits, operations, observables=(), target=()):
    given = {"n_qubits": n_qubits, "operations": operations, "observables": list(observables), "target": list(target)}
    return circuit_density_matrix(CircuitDensityMatrixInput(**given))


BELL = [_op("h", 0), _op("cx", 0, 1)]
HALF = math.sqrt(0.5)


def test_invariant_a_bell_pair():
    made = _made(2, BELL, ["ZZ", "XX", "YY", "ZI", "IX", "II"], [[HALF, 0], [0, 0], [0, 0], [HALF, 0]])
    assert made.expectations == pytest.approx([1, 1, -1, 0, 0, 1], abs=1e-12)
    assert made.probabilities == pytest.approx({"00": 0.5, "11": 0.5})
    assert made.fidelity == pytest.approx(1)
    assert made.purity == pytest.approx(1)
    assert made.entropy == pytest.approx(0, abs=1e-9)
    assert made.entanglement_entropy == pytest.approx(1)


def test_invariant_a_ghz_state_has_one_bit_in_any_cut():
    made = _made(3, [*BELL, _op("cx", 1, 2)], ["ZZI", "IZZ", "XXX", "XYY", "ZZZ"])
    assert made.expectations == pytest.approx([1, 1, 1, -1, 0], abs=1e-12)
    assert made.entanglement_entropy == pytest.approx(1)
    assert made.fidelity is None


def test_invariant_complete_depolarising_leaves_the_mixed_state():
    made = _made(2, [*BELL, _op("depolarizing", 0, 1, value=1.0)], ["ZZ", "XX"])
    assert made.expectations == pytest.approx([0, 0], abs=1e-12)
    assert made.purity == pytest.approx(0.25)
    assert made.entropy == pytest.approx(2)
    assert made.probabilities == pytest.approx({"00": 0.25, "01": 0.25, "10": 0.25, "11": 0.25})


def test_invariant_a_depolarised_bell_pair_is_a_werner_state():
    made = _made(
        2, [*BELL, _op("depolarizing", 0, 1, value=0.4)], ["ZZ", "XX", "YY"], [[HALF, 0], [0, 0], [0, 0], [HALF, 0]]
    )
    assert made.expectations == pytest.approx([0.6, 0.6, -0.6])
    assert made.fidelity == pytest.approx(0.6 + 0.4 / 4)
    weights = [0.7, 0.1, 0.1, 0.1]
    assert made.purity == pytest.approx(sum(w * w for w in weights))
    assert made.entropy == pytest.approx(-sum(w * math.log2(w) for w in weights))


# channel with value 0.3 -> (operations before, observable, expectation value after)
CHANNELS = {
    "depolarizing": ([], "Z", 0.7),
    "depolarizing of Y": ([_op("h", 0), _op("s", 0)], "Y", 0.7),
    "bit_flip": ([], "Z", 0.4),
    "bit_flip of Y": ([_op("h", 0), _op("s", 0)], "Y", 0.4),
    "bit_flip leaves X": ([_op("h", 0)], "X", 1.0),
    "phase_flip": ([_op("h", 0)], "X", 0.4),
    "phase_flip leaves Z": ([], "Z", 1.0),
    "bit_phase_flip": ([], "Z", 0.4),
    "bit_phase_flip leaves Y": ([_op("h", 0), _op("s", 0)], "Y", 1.0),
    "amplitude_damping": ([_op("x", 0)], "Z", -0.4),
    "amplitude_damping leaves 0": ([], "Z", 1.0),
    "amplitude_damping of X": ([_op("h", 0)], "X", math.sqrt(0.7)),
    "phase_damping": ([_op("h", 0)], "X", math.sqrt(0.7)),
    "phase_damping leaves Z": ([_op("x", 0)], "Z", -1.0),
}


@pytest.mark.parametrize("case", CHANNELS)
def test_invariant_channels_are_the_textbooks(case):
    before, observable, expected = CHANNELS[case]
    made = _made(1, [*before, _op(case.split()[0], 0, value=0.3)], [observable])
    assert made.expectations == pytest.approx([expected])
    assert sum(made.probabilities.values()) == pytest.approx(1)


# gate -> what brings |0> (controls in |1>) to a state with a certain outcome in a basis
CERTAIN = {
    "x": (1, [_op("x", 0)], "Z", "1"),
    "y": (1, [_op("y", 0)], "Z", "1"),
    "z": (1, [_op("h", 0), _op("z", 0)], "X", "1"),
    "s": (1, [_op("h", 0), _op("s", 0)], "Y", "0"),
    "sdg": (1, [_op("h", 0), _op("sdg", 0)], "Y", "1"),
    "t": (1, [_op("h", 0), _op("t", 0), _op("t", 0)], "Y", "0"),
    "tdg": (1, [_op("h", 0), _op("tdg", 0), _op("tdg", 0)], "Y", "1"),
    "rx": (1, [_op("rx", 0, value=math.pi / 2)], "Y", "1"),
    "ry": (1, [_op("ry", 0, value=math.pi / 2)], "X", "0"),
    "rz": (1, [_op("h", 0), _op("rz", 0, value=math.pi / 2)], "Y", "0"),
    "p": (1, [_op("h", 0), _op("p", 0, value=math.pi / 2)], "Y", "0"),
    "cx": (2, [_op("x", 0), _op("cx", 0, 1)], "ZZ", "11"),
    "cx from 1": (2, [_op("x", 1), _op("cx", 1, 0)], "ZZ", "11"),
    "cx off": (2, [_op("cx", 0, 1)], "ZZ", "00"),
    "cy": (2, [_op("x", 0), _op("cy", 0, 1)], "ZZ", "11"),
    "cz": (2, [_op("x", 0), _op("h", 1), _op("cz", 0, 1)], "ZX", "11"),
    "ch": (2, [_op("x", 0), _op("ch", 0, 1)], "ZX", "10"),
    "swap": (2, [_op("x", 0), _op("swap", 0, 1)], "ZZ", "01"),
    "cp": (2, [_op("x", 0), _op("h", 1), _op("cp", 0, 1, value=math.pi / 2)], "ZY", "10"),
    "crx": (2, [_op("x", 0), _op("crx", 0, 1, value=math.pi / 2)], "ZY", "11"),
    "cry": (2, [_op("x", 0), _op("cry", 0, 1, value=math.pi / 2)], "ZX", "10"),
    "crz": (2, [_op("x", 0), _op("h", 1), _op("crz", 0, 1, value=math.pi / 2)], "ZY", "10"),
    "ccx": (3, [_op("x", 0), _op("x", 1), _op("ccx", 0, 1, 2)], "ZZZ", "111"),
    "ccx off": (3, [_op("x", 0), _op("ccx", 0, 1, 2)], "ZZZ", "100"),
}


@pytest.mark.parametrize("gate", CERTAIN)
def test_gates_give_certain_outcomes(gate):
    n_qubits, operations, basis, outcome = CERTAIN[gate]
    change = {"X": ["h"], "Y": ["sdg", "h"], "Z": []}
    turned = [_op(name, qubit) for qubit, letter in enumerate(basis) for name in change[letter]]
    assert _made(n_qubits, [*operations, *turned]).probabilities == pytest.approx({outcome: 1.0})


def test_gates_act_on_the_qubits_they_name():
    far = _made(3, [_op("x", 2), _op("cx", 2, 0)], ["ZII", "IZI", "IIZ"])
    assert far.expectations == pytest.approx([-1, 1, -1])
    noisy = _made(3, [_op("depolarizing", 2, 0, value=0.5), _op("bit_flip", 1, value=0.25)], ["ZII", "IZI", "IIZ"])
    assert noisy.expectations == pytest.approx([0.5, 0.5, 0.5])


def test_complex_targets_are_conjugated():
    made = _made(1, [_op("h", 0), _op("s", 0)], target=[[HALF, 0], [0, HALF]])
    assert made.fidelity == pytest.approx(1)


def test_error_unknown_operation():
    with pytest.raises(ValidationError, match="not known"):
        _made(1, [_op("warp", 0)])


def test_error_probability_beyond_one():
    for value in (1.01, -0.1):
        with pytest.raises(ValidationError, match=r"\[0, 1\]"):
            _made(1, [_op("bit_flip", 0, value=value)])
    assert _made(1, [_op("bit_flip", 0, value=1.0)]).probabilities == {"1": 1.0}


def test_error_value_missing_or_too_much():
    for wrong in (_op("rx", 0), _op("h", 0, value=0.1)):
        with pytest.raises(ValidationError, match="have a value"):
            _made(1, [wrong])
    with pytest.raises(ValidationError, match="not finite"):
        _made(1, [_op("rx", 0, value=math.inf)])


def test_error_qubits():
    for wrong in (_op("cx", 0), _op("cx", 0, 0), _op("h", 0, 1), _op("h", -1)):
        with pytest.raises(ValidationError, match="cannot act"):
            _made(3, [wrong])
    with pytest.raises(ValidationError, match="beyond the 2"):
        _made(2, [_op("h", 2)])


def test_error_observables_and_targets_must_fit():
    for wrong in ("Z", "ZA"):
        with pytest.raises(ValidationError, match="for each of 2 qubits"):
            _made(2, BELL, [wrong])
    for target in ([[1, 0]], [[1, 0, 0]] * 4):
        with pytest.raises(ValidationError, match="4 amplitudes"):
            _made(2, BELL, target=target)
    with pytest.raises(ValidationError, match="not normalised"):
        _made(2, BELL, target=[[1, 0]] * 4)
