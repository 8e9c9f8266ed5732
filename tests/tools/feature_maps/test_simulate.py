"""States are PennyLane's, with both engines; lightning, which goes state by state, in the slow tests."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from drawn_circuits import N_FEATURES, circuit_of_all_gates, circuits, pennylane_states, samples_of
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.gates import GATES, parity_signs
from labwright.tools.feature_maps.inverse import inverse, overlap_circuit
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.numpy_engine_schedule import changed, schedule
from labwright.tools.feature_maps.published_best_map import N_QUBITS, listing22
from labwright.tools.feature_maps.simulate import CHUNK, Engine, Precision, states
from labwright.tools.feature_maps.simulation_steps import Kind, Step, plan

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


ANGLES = np.random.default_rng(7).uniform(-7, 7, (3, 5))


@pytest.mark.parametrize("name", sorted(GATES))
def test_matrix_wires_and_parameters_are_pennylanes(name: str) -> None:
    import pennylane as qml

    spec, operation = GATES[name], getattr(qml, name)
    assert (spec.wires, spec.parameters) == (operation.num_wires, operation.num_params)
    for n_wires in [spec.wires] if spec.wires else [1, 2, 5]:
        found = spec.matrix(*ANGLES[: spec.parameters], n_wires=n_wires)
        found = found.reshape(*found.shape[:2], -1)  # an axis of samples, also for gates without angles
        for sample in range(found.shape[2]):
            theirs = qml.matrix(operation(*ANGLES[: spec.parameters, sample], wires=range(n_wires)))
            np.testing.assert_allclose(found[..., sample], theirs, atol=1e-14)
    matrix = found[..., 0]
    assert spec.diagonal == (np.count_nonzero(matrix - np.diag(np.diag(matrix))) == 0)


def test_a_wrong_number_of_angles_or_wires_is_refused() -> None:
    with pytest.raises(InputError, match="RX takes 1 angles"):
        GATES["RX"].matrix()
    with pytest.raises(InputError, match="MultiRZ"):
        GATES["MultiRZ"].matrix(0.3)


def test_parity_signs_count_the_bits() -> None:
    assert parity_signs(4).tolist() == [(-1) ** bin(i).count("1") for i in range(16)]


@given(circuit=circuits(least=4, most=8, length=30), reach=st.integers(3, 8))
def test_steps_that_do_not_commute_keep_their_order(circuit: Circuit, reach: int) -> None:
    steps = plan(circuit).steps
    stages = schedule(steps, circuit.n_qubits, reach)
    done = [id(step) for stage in stages for step in stage.steps]
    assert sorted(done) == sorted(map(id, steps))
    places = {key: place for place, key in enumerate(done)}
    for first, second in combinations(steps, 2):
        commute = changed(first).isdisjoint(second.wires) and changed(second).isdisjoint(first.wires)
        assert commute or places[id(first)] < places[id(second)]
    for stage in stages:
        assert sorted(stage.order) == list(range(circuit.n_qubits))
        front = set(stage.order[:reach])
        assert all(step.kind is Kind.PARITY or front.issuperset(step.wires) for step in stage.steps)


def test_a_controlled_gate_changes_its_target_only() -> None:
    angle = Angle(((0, 1.0),), 0.3)
    turned, exchanged = plan(Circuit(3, 1, (Gate("CRY", (2, 0), (angle,)), Gate("SWAP", (0, 1))))).steps
    assert (changed(turned), changed(exchanged)) == ({0}, {0, 1})
    assert changed(Step(Kind.PHASE, (0, 1), 3, -1, 0)) == set()


def test_one_copy_of_the_state_serves_many_steps() -> None:
    steps = plan(listing22()).steps
    assert len(schedule(steps, N_QUBITS, N_QUBITS - 4)) < len(steps) / 6


def test_a_circuit_without_entanglement_is_one_stage_without_steps() -> None:
    (stage,) = schedule(plan(Circuit(2, 3, circuit_of_all_gates(1, 0).gates)).steps, 2, 3)
    assert stage.order == (0, 1)
    assert not stage.steps or all(step.kind is Kind.PARITY for step in stage.steps)


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
