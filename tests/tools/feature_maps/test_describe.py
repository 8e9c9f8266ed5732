"""A recipe in words: the lengths that retrieval needs, names of their own, and true numbers."""

from __future__ import annotations

import re

import pytest
from feature_map_recipes import recipes
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.feature_maps.classicality_check import depends_on_differences
from labwright.tools.feature_maps.describe import class_name, describe, formula
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.recipe import AXES, ENTANGLERS, Axis, Entangler, Recipe, circuit_of, tidied


@given(recipe=recipes(), n_qubits=st.integers(1, 12), n_features=st.integers(1, 80))
def test_lengths_and_forms(recipe: Recipe, n_qubits: int, n_features: int) -> None:
    said = describe(recipe, n_qubits, n_features)
    assert re.fullmatch(r"[A-Z][A-Za-z0-9]{2,79}", said.name)
    assert 100 <= len(said.explanation.split()) <= 300
    assert said.formula.count("{") == said.formula.count("}")
    assert "$" not in said.formula
    assert said.formula.count(r"\left(") == said.formula.count(r"\right)")


@given(one=recipes(), other=recipes())
def test_a_name_of_its_own(one: Recipe, other: Recipe) -> None:
    assert (class_name(one) == class_name(other)) == (tidied(one) == tidied(other))


def test_the_words_of_a_plain_map() -> None:
    recipe = plain_recipe(scale=3.5, decay=0.4, start="hadamard", axes=["RZ", "RY"])
    said = describe(recipe, 10, 40)
    assert said.name.startswith("GradedRzRyCnotRing")
    assert "3.5 rad per unit" in said.explanation
    assert "0.4 times as much" in said.explanation
    assert "4 blocks of at most 10" in said.explanation
    assert "Hadamard" in said.explanation
    assert formula(recipe) == (
        r"U(x) = \Big[ \prod_{b=B-1}^{0} E_b \bigotimes_{q=0}^{n-1} R_{a_b}(\theta_{b,q}) \Big] H^{\otimes n},"
        r" \quad \theta_{b,q} = 3.5 \cdot 0.4^{b} \left( x_{bn+q} - 0.5 \right), \quad a = (Z, Y), \ b \bmod 2"
    )


@pytest.mark.parametrize("entangler", ENTANGLERS)
@pytest.mark.parametrize("axis", AXES)
def test_a_classical_kernel_is_called_one_and_no_other(axis: Axis, entangler: Entangler) -> None:
    start = "hadamard" if axis == "RZ" else "zero"
    angle = 0.7 if entangler in ("IsingZZ", "IsingXX", "CRX", "CRZ") else 0.0
    recipe = plain_recipe(axes=[axis], start=start, entangler=entangler, entangler_angle=angle)
    told = describe(recipe, 3, 9).explanation
    assert ("the kernel depends on differences" in told) == depends_on_differences(circuit_of(recipe, 3, 9))


def test_without_a_gate_between_blocks_the_kernel_is_a_product() -> None:
    assert "No gate joins the qubits: components on one qubit add" in describe(plain_recipe(), 10, 10).explanation
    turning = plain_recipe(axes=["RX", "RZ"], entangler="none")
    assert "product of one factor a qubit" in describe(turning, 4, 12).explanation
