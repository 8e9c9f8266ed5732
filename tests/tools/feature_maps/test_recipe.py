"""Recipes: circuits that keep the grammar's promises, tidy forms, and a distance that is one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from feature_map_recipes import recipes
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.gates import GATES
from labwright.tools.feature_maps.recipe import Recipe, circuit_of, distance, n_blocks, pairs, tidied
from labwright.tools.feature_maps.simulate import states


def test_the_plain_recipe_gate_by_gate() -> None:
    circuit = circuit_of(plain_recipe(scale=2.0, decay=0.5, centre=0.5), 2, 3)
    assert [(gate.name, gate.wires) for gate in circuit.gates] == [
        ("RY", (0,)),
        ("RY", (1,)),
        ("CNOT", (0, 1)),
        ("RY", (0,)),
    ]
    x = np.array([[0.5, 1.0, 0.0]])
    assert circuit.angles(x)[:, 0] == pytest.approx([0.0, 1.0, -0.5])


def test_mixing_adds_the_feature_behind() -> None:
    circuit = circuit_of(plain_recipe(scale=2.0, decay=0.5, centre=0.25, mixing=0.5, offset=0.1), 1, 2)
    x = np.array([[0.75, 1.25]])
    assert circuit.angles(x)[:, 0] == pytest.approx([2.0 * (0.5 + 0.5 * 1.0) + 0.1, 1.0 * 1.0 + 0.1])


@given(recipe=recipes(), n_qubits=st.integers(1, 6), n_features=st.integers(1, 14))
def test_every_recipe_is_a_legal_circuit_of_all_features(recipe: Recipe, n_qubits: int, n_features: int) -> None:
    circuit = circuit_of(recipe, n_qubits, n_features)
    weights, offsets = circuit.affine()
    assert np.all(np.any(weights != 0, axis=0)), "every feature turns something"
    assert np.all(np.isfinite(weights))
    assert np.all(np.isfinite(offsets))
    for gate in circuit.gates:
        assert len(gate.wires) == GATES[gate.name].wires
        assert len(gate.angles) == GATES[gate.name].parameters
        assert len(set(gate.wires)) == len(gate.wires)
        assert all(0 <= wire < n_qubits for wire in gate.wires)
    rotations = [gate for gate in circuit.gates if gate.angles and gate.angles[0].weights]
    assert len(rotations) == recipe.repeats * n_features
    assert circuit.gates[-1] is rotations[-1], "nothing that cancels in the kernel stands at the end"


@given(recipe=recipes())
def test_tidying_changes_no_state_and_is_done_once(recipe: Recipe) -> None:
    tidy = tidied(recipe)
    assert tidied(tidy) == tidy == Recipe.model_validate(tidy.model_dump())
    x = np.linspace(0, 1, 10).reshape(2, 5)
    before, after = (states(circuit_of(one, 3, 5), x, precision="complex128") for one in (recipe, tidy))
    # the rounded digits: at most 20 angles, each off by less than 0.02 rad
    assert np.all(np.abs(np.sum(before.conj() * after, axis=1)) > math.cos(20 * 0.02 / 2))


def test_tidying_finds_what_is_idle() -> None:
    wordy = plain_recipe().model_copy(update={"axes": ["RX", "RY", "RX", "RY"], "entangler_angle": 1.0})
    assert tidied(wordy).axes == ["RX", "RY"]
    assert tidied(wordy).entangler_angle == 0.0
    alone = plain_recipe(entangler="none", pattern="skip", every=3)
    assert (alone.pattern, alone.every) == ("ring", 1)


@pytest.mark.parametrize("field", ["centre", "offset", "mixing"])
def test_no_sign_of_zero_is_left(field: str) -> None:
    below = tidied(plain_recipe().model_copy(update={field: -0.0004}))
    assert below.model_dump_json() == tidied(plain_recipe().model_copy(update={field: 0.0})).model_dump_json()


@given(one=recipes(), other=recipes(), third=recipes())
def test_distance_is_a_metric(one: Recipe, other: Recipe, third: Recipe) -> None:
    assert distance(one, one) == 0.0
    assert distance(one, other) == pytest.approx(distance(other, one))
    assert distance(one, other) <= distance(one, third) + distance(third, other) + 1e-9
    assert (distance(one, other) == 0.0) == (tidied(one) == tidied(other))


@pytest.mark.parametrize("n_qubits", [1, 2, 3, 4, 10])
@pytest.mark.parametrize("pattern", ["ring", "line", "pairs", "skip"])
def test_no_pair_is_joined_twice(pattern: str, n_qubits: int) -> None:
    joined = [frozenset(pair) for pair in pairs(pattern, n_qubits)]  # type: ignore[arg-type]
    assert len(set(joined)) == len(joined)
    assert all(len(pair) == 2 for pair in joined)


def test_blocks() -> None:
    assert [n_blocks(10, features) for features in (1, 10, 11, 80)] == [1, 1, 2, 8]
