"""A second look changes only what provably has no effect or loses features; the proofs are kernels."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labwright.agents.feature_map_search.idea_checks import idea_faults
from labwright.agents.feature_map_search.reflect import REFLECT, ReflectIn, ReflectOut
from labwright.agents.rules import RulesMind
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.recipe import Recipe, circuit_of

EXAMPLE = json.loads(
    (Path(__file__).parents[2] / "prompts/examples/feature_map_search.reflect.json").read_text(encoding="utf-8")
)
SOUND: dict[str, Any] = EXAMPLE["idea"]["recipe"] | {"axes": ["RY", "RZ"], "start": "zero"}
QUBITS, FEATURES = 3, 9
X = np.random.default_rng(5).random((6, FEATURES))


def reflected(strategy: str = "graded", **changes: Any) -> ReflectOut:
    given = json.loads(json.dumps(EXAMPLE))
    given["idea"]["recipe"] = SOUND | changes
    given["task"] |= {"n_qubits": QUBITS, "n_features": FEATURES, "strategy": strategy}
    answer = RulesMind().answer(REFLECT, ReflectIn.model_validate(given))
    assert isinstance(answer, ReflectOut)
    return answer


def kernel(x: np.ndarray = X, **changes: Any) -> np.ndarray:
    recipe = Recipe.model_validate(SOUND | changes)
    return kernel_matrix(circuit_of(recipe, QUBITS, FEATURES), x, precision="complex128")


FAULTY: list[tuple[dict[str, Any], str]] = [
    ({"axes": ["RZ", "RY"]}, "RZ does nothing to |0>"),
    ({"axes": ["RX", "RY"], "start": "hadamard"}, "RX does nothing to a Hadamard state"),
    ({"scale": 9.0}, "9 rad pass a full turn"),
    ({"every": 3}, "no entangling layer ever stood"),
    ({"axes": ["RZ"], "start": "hadamard", "entangler": "CZ"}, "CZ commutes with RZ"),
    ({"axes": ["RX"], "entangler": "IsingXX", "entangler_angle": 0.7}, "IsingXX commutes with RX"),
    ({"axes": ["RY"], "entangler": "none"}, "only added their angles"),
]


@pytest.mark.parametrize(("changes", "word"), FAULTY, ids=[word for _, word in FAULTY])
def test_a_fault_is_mended_once_and_the_texts_follow(changes: dict[str, Any], word: str) -> None:
    answer = reflected(**changes)
    assert word in answer.change
    assert answer.done
    assert answer.idea.recipe is not None
    assert answer.idea.explanation != EXAMPLE["idea"]["explanation"]
    assert idea_faults(ReflectIn.model_validate(EXAMPLE).task, answer.idea) == []
    again = reflected(**answer.idea.recipe.model_dump())
    assert (again.change, again.done) == ("", True)


def test_a_sound_idea_comes_back_as_it_was() -> None:
    answer = reflected()
    assert (answer.change, answer.done) == ("", True)
    assert answer.idea.explanation == EXAMPLE["idea"]["explanation"]


def test_random_search_stays_random() -> None:
    assert reflected("random", axes=["RZ", "RY"]).change == ""


def test_a_gate_that_may_not_be_used_is_not_brought_in() -> None:
    given = json.loads(json.dumps(EXAMPLE))
    given["task"]["gates"] = ["RY", "RZ", "CNOT"]
    answer = RulesMind().answer(REFLECT, ReflectIn.model_validate(given))
    assert isinstance(answer, ReflectOut)
    assert answer.change == ""  # a Hadamard would mend it


# --- the facts that the changes rest on


@pytest.mark.parametrize("changes", [{"axes": ["RZ", "RY"]}, {"axes": ["RX", "RY"], "start": "hadamard"}])
def test_an_idle_first_block_hides_its_features(changes: dict[str, Any]) -> None:
    moved = X.copy()
    moved[:, :QUBITS] = 0.3
    assert np.allclose(kernel(**changes), kernel(moved, **changes), atol=1e-12)
    assert not np.allclose(kernel(), kernel(moved), atol=1e-3)


@pytest.mark.parametrize(
    "changes",
    [
        {"axes": ["RZ"], "start": "hadamard", "entangler": "CZ"},
        {"axes": ["RZ"], "start": "hadamard", "entangler": "IsingZZ", "entangler_angle": 0.7},
        {"axes": ["RX"], "entangler": "IsingXX", "entangler_angle": 0.7},
        {"every": 3},
    ],
)
def test_these_entanglers_change_nothing(changes: dict[str, Any]) -> None:
    assert np.allclose(kernel(**changes), kernel(**changes | {"entangler": "none"}), atol=1e-12)


def test_without_a_second_axis_only_sums_of_features_count() -> None:
    changes: dict[str, Any] = {"axes": ["RY"], "entangler": "none", "decay": 1.0}
    moved = X.copy()
    moved[:, 0] += 0.1
    moved[:, QUBITS] -= 0.1
    assert np.allclose(kernel(**changes), kernel(moved, **changes), atol=1e-12)


def test_beyond_a_full_turn_values_look_alike() -> None:
    pair = np.full((2, FEATURES), 0.1)
    pair[1, FEATURES - 1] += 2 * math.pi / 9.0
    assert kernel(pair, scale=9.0, decay=1.0)[0, 1] == pytest.approx(1.0)
