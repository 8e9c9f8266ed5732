"""States are PennyLane's, with both engines; lightning, which goes state by state, in the slow tests."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_circuits import circuit_of_all_gates, circuits, pennylane_states, samples_of
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.circuit_steps import Kind, plan
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.simulate import CHUNK, Engine, Precision, states

BOTH = pytest.mark.parametrize("engine", ["numpy", pytest.param("lightning", marks=pytest.mark.slow)])
TOLERANCES: dict[Precision, float] = {"complex128": 1e-12, "complex64": 1e-5}


@BOTH
@given(circuit=circuits(), seed=st.integers(0, 99))
def test_states_are_pennylanes_also_in_their_global_phase(engine: Engine, circuit: Circuit, seed: int) -> None:
    samples = samples_of(seed, 2)
    theirs = pennylane_states(circuit, samples)
    for precision, tolerance in TOLERANCES.items():
        ours = states(circuit, samples, precision=precision, engine=engine)
        assert ours.dtype == precision
        np.testing.assert_allclose(ours, theirs, atol=tolerance)


@BOTH
@pytest.mark.parametrize("name", sorted(GATES))
def test_every_gate_alone_after_a_state_without_zeros(engine: Engine, name: str) -> None:
    spec, n_qubits = GATES[name], 3
    start = [Gate("U3", (w,), tuple(Angle((), 0.3 + w + i) for i in range(3))) for w in range(n_qubits)]
    tie = [Gate("CNOT", (0, 1), ()), Gate("CNOT", (1, 2), ())]
    gate = Gate(name, (2, 0, 1)[: spec.wires or 3], tuple(Angle(((i, 1.0),), 0.2) for i in range(spec.parameters)))
    circuit = Circuit(n_qubits, 3, (*start, *tie, gate))
    samples = samples_of(3, 3)
    ours = states(circuit, samples, precision="complex128", engine=engine)
    np.testing.assert_allclose(ours, pennylane_states(circuit, samples), atol=1e-14)


@BOTH
def test_more_samples_than_one_chunk_are_the_same_states(engine: Engine) -> None:
    circuit, samples = circuit_of_all_gates(4, 0), samples_of(0, CHUNK + 37)
    whole = states(circuit, samples, precision="complex128", engine=engine)
    alone = states(circuit, samples[-5:], precision="complex128", engine=engine)
    np.testing.assert_allclose(whole[-5:], alone, atol=1e-14)


def test_numpys_buffers_are_left_as_they_were() -> None:
    before = np.getbufsize()
    states(circuit_of_all_gates(4, 0), samples_of(0, 3), engine="numpy")
    assert np.getbufsize() == before


@BOTH
def test_a_circuit_of_real_gates_keeps_a_real_state(engine: Engine) -> None:
    turn = [Gate("RY", (w,), (Angle(((w, 1.0),), 0.1),)) for w in range(3)]
    circuit = Circuit(3, 3, (*turn, Gate("CZ", (0, 1)), Gate("CNOT", (1, 2)), Gate("CRY", (2, 0), turn[0].angles)))
    assert plan(circuit).planes == 1
    assert plan(Circuit(3, 3, (*circuit.gates, Gate("S", (0,))))).planes == 2
    samples = samples_of(1, 4)
    ours = states(circuit, samples, precision="complex128", engine=engine)
    np.testing.assert_allclose(ours, pennylane_states(circuit, samples), atol=1e-14)


def test_gates_before_the_first_entangler_are_no_steps() -> None:
    local = [Gate("Hadamard", (w,)) for w in range(3)] + [Gate("RZ", (w,), (Angle(((w, 1.0),), 0),)) for w in range(3)]
    steps = plan(Circuit(3, 3, (*local, Gate("CNOT", (0, 1)), Gate("SWAP", (1, 2)))))
    assert [step.kind for step in steps.steps] == [Kind.SWAP, Kind.SWAP]
    assert sorted(steps.starts) == [0, 1, 2]


def test_a_rotation_with_angle_zero_fixed_is_seen_as_diagonal() -> None:
    angle, still = Angle(((0, 1.0),), 0.0), Angle((), 0.0)
    steps = plan(Circuit(2, 1, (Gate("CRot", (0, 1), (angle, still, still)),)))
    assert {step.kind for step in steps.steps} == {Kind.PHASE}


def test_no_samples_give_no_states() -> None:
    assert states(circuit_of_all_gates(3, 0), np.empty((0, 3))).shape == (0, 8)


@pytest.mark.parametrize(
    ("circuit", "samples", "words"),
    [
        (Circuit(0, 3, ()), samples_of(0, 2), "1 to 20 qubits"),
        (Circuit(30, 3, ()), samples_of(0, 2), "1 to 20 qubits"),
        (Circuit(2, 5, ()), samples_of(0, 2), "n_samples, 5"),
        (Circuit(2, 3, ()), np.array([[0.0, np.nan, 1.0]]), "not finite"),
    ],
)
def test_bad_input_is_refused(circuit: Circuit, samples: np.ndarray, words: str) -> None:
    with pytest.raises(InputError, match=words):
        states(circuit, samples)
