"""Counts follow Born's rule; channels are the textbook's; the seed decides."""

import math

import pytest
from pydantic import ValidationError
from tools.sample_circuit_qiskit import SampleCircuitQiskitInput, sample_circuit_qiskit


def _op(name, *qubits, value=None):
    return {"name": name, "qubits": list(qubits), "value": value}


def _counts(n_qubits, operations, basis=None, shots=20_000, seed=7):
    given = {"n_qubits": n_qubits, "operations": operations, "basis": basis or "Z" * n_qubits}
    return sample_circuit_qiskit(SampleCircuitQiskitInput(**given, shots=shots, seed=seed))


def _mean(made, sign=lambda bits: (-1) ** bits.count("1")):
    return sum(sign(bits) * count for bits, count in made.counts.items()) / made.shots


BELL = [_op("h", 0), _op("cx", 0, 1)]


def test_invariant_counts_sum_to_the_shots():
    made = _counts(2, BELL, shots=501)
    assert sum(made.counts.values()) == made.shots == 501
    assert set(made.counts) == {"00", "11"}


@pytest.mark.parametrize(("basis", "expected"), [("ZZ", 1), ("XX", 1), ("YY", -1)])
def test_invariant_a_bell_pair_is_perfectly_correlated(basis, expected):
    assert _mean(_counts(2, BELL, basis)) == expected


def test_leftmost_bit_is_qubit_0():
    assert _counts(3, [_op("x", 0)]).counts == {"100": 20_000}
    assert _counts(3, [_op("h", 0), _op("x", 2)], "XZZ").counts == {"001": 20_000}


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
    assert _counts(n_qubits, operations, basis, shots=200).counts == {outcome: 200}


# channel with value 0.3 -> (operations before, basis, expectation value after)
CHANNELS = {
    "depolarizing": ([], "Z", 0.7),
    "bit_flip": ([], "Z", 0.4),
    "bit_flip leaves X": ([_op("h", 0)], "X", 1.0),
    "phase_flip": ([_op("h", 0)], "X", 0.4),
    "phase_flip leaves Z": ([], "Z", 1.0),
    "bit_phase_flip": ([], "Z", 0.4),
    "bit_phase_flip of X": ([_op("h", 0)], "X", 0.4),
    "bit_phase_flip leaves Y": ([_op("h", 0), _op("s", 0)], "Y", 1.0),
    "amplitude_damping": ([_op("x", 0)], "Z", -0.4),
    "amplitude_damping of X": ([_op("h", 0)], "X", math.sqrt(0.7)),
    "phase_damping": ([_op("h", 0)], "X", math.sqrt(0.7)),
    "phase_damping leaves Z": ([], "Z", 1.0),
}


@pytest.mark.parametrize("case", CHANNELS)
def test_invariant_channels_are_the_textbooks(case):
    before, basis, expected = CHANNELS[case]
    made = _counts(1, [*before, _op(case.split()[0], 0, value=0.3)], basis)
    assert _mean(made) == pytest.approx(expected, abs=0.03)


def test_invariant_two_qubit_depolarising_leaves_1_minus_p_of_every_correlator():
    noisy = [*BELL, _op("depolarizing", 0, 1, value=0.5)]
    for basis, sign in (("ZZ", 1), ("XX", 1), ("YY", -1)):
        assert _mean(_counts(2, noisy, basis)) == pytest.approx(sign * 0.5, abs=0.03)


def test_extreme_probabilities_are_allowed():
    assert _counts(1, [_op("bit_flip", 0, value=1.0)], shots=50).counts == {"1": 50}
    assert _counts(1, [_op("depolarizing", 0, value=0.0)], shots=50).counts == {"0": 50}
    assert _mean(_counts(1, [_op("depolarizing", 0, value=1.0)])) == pytest.approx(0, abs=0.03)


def test_the_seed_decides():
    assert _counts(2, BELL, seed=3).counts == _counts(2, BELL, seed=3).counts
    assert len({_counts(2, BELL, seed=seed).counts["00"] for seed in range(1, 5)}) > 1


def test_error_unknown_operation():
    with pytest.raises(ValidationError, match="not known"):
        _counts(1, [_op("warp", 0)])


def test_error_probability_beyond_one():
    for value in (1.01, -0.1):
        with pytest.raises(ValidationError, match=r"\[0, 1\]"):
            _counts(1, [_op("bit_flip", 0, value=value)])
    assert _counts(1, [_op("rx", 0, value=-7.0)], shots=10).shots == 10


def test_error_value_missing_or_too_much():
    for wrong in (_op("rx", 0), _op("h", 0, value=0.1), _op("bit_flip", 0)):
        with pytest.raises(ValidationError, match="have a value"):
            _counts(1, [wrong])
    with pytest.raises(ValidationError, match="not finite"):
        _counts(1, [_op("rx", 0, value=math.inf)])


def test_error_qubits():
    for wrong in (_op("cx", 0), _op("cx", 0, 0), _op("h", 0, 1), _op("h", -1), _op("depolarizing", 0, 1, 2, value=0.1)):
        with pytest.raises(ValidationError, match="cannot act"):
            _counts(3, [wrong])
    with pytest.raises(ValidationError, match="beyond the 2"):
        _counts(2, [_op("h", 2)])


def test_error_basis_must_fit():
    with pytest.raises(ValidationError, match="one letter for each of the 2"):
        _counts(2, BELL, "Z")
    with pytest.raises(ValidationError, match="basis"):
        _counts(2, BELL, "ZA")
