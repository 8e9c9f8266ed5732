"""The order of steps: those that do not commute keep theirs, and every step's wires stand in front."""

from __future__ import annotations

from itertools import combinations

from drawn_circuits import circuit_of_all_gates, circuits
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.circuit_steps import Kind, Step, plan
from labwright.tools.feature_maps.published_best_map import N_QUBITS, listing22
from labwright.tools.feature_maps.simulation_schedule import changed, schedule


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
