"""The code written from a recipe is the recipe's circuit, and code that a person could publish."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from feature_map_recipes import recipes
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.compile import Compiler
from labwright.tools.feature_maps.describe import class_name, describe
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.recipe import Recipe, circuit_of, tidied
from labwright.tools.feature_maps.write_source import hyperparameters, source_of

DOCSTRING = 'Graded rotations.\n\nWith a backslash \\n and """quotes""".'


def made(source: str, name: str, n_qubits: int, **changes: Any) -> Any:
    """An instance of the class in a source that this repository wrote itself."""
    namespace: dict[str, Any] = {"__name__": "written"}
    exec(compile(source, "written.py", "exec"), namespace)
    return namespace[name](n_qubits, **changes)


def gates_of(feature_map: Any, x: np.ndarray) -> list[tuple[str, tuple[int, ...], list[float]]]:
    """What the class queues in PennyLane."""
    import pennylane as qml

    with qml.queuing.AnnotatedQueue() as queue:
        feature_map.feature_map(x)
    return [(op.name, tuple(op.wires), [float(angle) for angle in op.parameters]) for op in queue.queue]


def gates_in(circuit: Circuit, x: np.ndarray) -> list[tuple[str, tuple[int, ...], list[float]]]:
    angles = iter(circuit.angles(x[None, :])[:, 0])
    return [(gate.name, gate.wires, [float(next(angles)) for _ in gate.angles]) for gate in circuit.gates]


@given(recipe=recipes(), n_qubits=st.integers(1, 5), n_features=st.integers(1, 12))
def test_the_code_is_the_circuit(recipe: Recipe, n_qubits: int, n_features: int) -> None:
    name = class_name(recipe)
    feature_map = made(source_of(recipe, name, n_qubits, n_features, DOCSTRING), name, n_qubits)
    x = np.linspace(0.03, 0.97, n_features) ** 2
    written, meant = gates_of(feature_map, x), gates_in(circuit_of(tidied(recipe), n_qubits, n_features), x)
    assert [gate[:2] for gate in written] == [gate[:2] for gate in meant]
    for one, other in zip(written, meant, strict=True):
        assert one[2] == pytest.approx(other[2], abs=1e-9)


def test_hyperparameters_act_as_in_the_recipe() -> None:
    recipe = plain_recipe(entangler="CRX", entangler_angle=0.4, mixing=0.2, every=2, repeats=2, offset=0.3)
    source = source_of(recipe, "Map", 3, 8, DOCSTRING)
    assert list(hyperparameters(recipe)) == [
        "scale",
        "decay",
        "centre",
        "offset",
        "mixing",
        "entangler_angle",
        "every",
        "repeats",
    ]
    changes = {"scale": 1.5, "decay": 0.9, "centre": 0.1, "entangler_angle": -1.0, "every": 1, "repeats": 3}
    x = np.linspace(0.1, 0.9, 8)
    written = gates_of(made(source, "Map", 3, **changes), x)
    meant = gates_in(circuit_of(recipe.model_copy(update=changes), 3, 8), x)
    assert [gate[:2] for gate in written] == [gate[:2] for gate in meant]
    assert np.concatenate([gate[2] for gate in written]) == pytest.approx(np.concatenate([gate[2] for gate in meant]))


def test_idle_hyperparameters_are_left_out() -> None:
    flat = plain_recipe(decay=1.0, centre=0.0)
    assert hyperparameters(flat) == {"scale": flat.scale}
    assert "decay" not in source_of(flat, "Map", 4, 8, "A map.")


@given(recipe=recipes())
def test_the_source_reads_well(recipe: Recipe) -> None:
    name = class_name(recipe)
    source = source_of(recipe, name, 10, 40, describe(recipe, 10, 40).explanation)
    assert max(len(line) for line in source.splitlines()) <= 120
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    assert [node.name for node in classes] == [name]
    assert all(ast.get_docstring(node) for node in classes[0].body if isinstance(node, ast.FunctionDef))
    assert "qml." in source
    assert "super().__init__(n_qubits)" in source


@pytest.mark.slow
def test_through_the_sandbox_it_is_the_same_circuit(compiler: Compiler) -> None:
    recipe = plain_recipe(start="hadamard", axes=["RZ", "RY"], entangler="IsingZZ", entangler_angle=0.7, mixing=0.1)
    source = source_of(recipe, "Map", 4, 10, DOCSTRING)
    compiled = compiler.compile(source, 4, 10)
    assert compiled.name == "Map"
    assert compiled.stripped == 0
    assert compiled.works_at == (4, 6, 10, 12)
    assert compiled.hyperparameters == hyperparameters(recipe)
    meant = circuit_of(recipe, 4, 10)
    assert [(gate.name, gate.wires) for gate in compiled.circuit.gates] == [
        (gate.name, gate.wires) for gate in meant.gates
    ]
    for found, wanted in zip(compiled.circuit.affine(), meant.affine(), strict=True):
        assert found == pytest.approx(wanted, abs=1e-9)
