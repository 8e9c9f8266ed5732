"""The search without a model: repeatable, never twice the same map, within its strategy, and better than chance."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from feature_map_recipes import recipes
from hypothesis import given
from hypothesis import strategies as st

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.evolutionary_search import STRATEGIES, Facts, Strategy, Trial, plain_recipe, propose
from labwright.tools.feature_maps.recipe import Recipe, circuit_of, distance, tidied
from labwright.tools.feature_maps.recipe_mutation import crossed, encodes_first_block, mutated, random_recipe, refined

FACTS = Facts(n_qubits=4, n_features=12, n_evaluations=40)
HIDDEN = plain_recipe(axes=["RX"], entangler="CZ", scale=1.3, decay=0.8, pattern="line", centre=0.4)


def closeness(recipe: Recipe) -> float:
    """1 at a recipe that the search does not know, less the further off."""
    return math.exp(-distance(recipe, HIDDEN) / 3)


def searched(
    strategy: Strategy,
    seed: int,
    *,
    facts: Facts = FACTS,
    score: Callable[[Recipe], float | None] = closeness,
    n: int = 2,
) -> list[Trial]:
    tried: list[Trial] = []
    for trial in range(1, facts.n_evaluations // n + 1):
        found = propose(facts, tried, n, strategy=strategy, seed=seed, trial=trial)
        assert len(found) == n
        tried += [Trial(recipe, score(recipe)) for recipe in found]
    return tried


def best(tried: list[Trial]) -> float:
    return max(one.selection or 0.0 for one in tried)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_map_twice_and_the_same_search_again(strategy: Strategy) -> None:
    tried = searched(strategy, 3)
    digests = {circuit_of(one.recipe, 4, 12).digest() for one in tried}
    assert len(digests) == len(tried) == 40
    assert searched(strategy, 3) == tried
    assert searched(strategy, 4) != tried


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_order_of_what_was_tried_does_not_matter(strategy: Strategy) -> None:
    tried = searched(strategy, 5)[:24]
    asked = [propose(FACTS, given, 2, strategy=strategy, seed=5, trial=13) for given in (tried, tried[::-1])]
    assert asked[0] == asked[1]


def test_ideas_of_one_trial_are_unlike() -> None:
    for trial in range(1, 6):
        found = propose(FACTS, searched("graded", trial)[:20], 4, seed=7, trial=trial)
        assert min(distance(a, b) for i, a in enumerate(found) for b in found[:i]) >= 0.15


def test_strategies_keep_to_their_idea() -> None:
    assert all(one.recipe.decay < 1 for one in searched("graded", 1)[:10])
    assert all(one.recipe.decay == 1 for one in searched("ungraded", 1))
    drawn = [one.recipe for one in searched("random", 1)]
    assert len({recipe.entangler for recipe in drawn}) >= 6
    assert {recipe.repeats for recipe in drawn} == {1, 2, 3, 4}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_only_the_gates_that_may_be_used(strategy: Strategy) -> None:
    gates = frozenset({"RX", "RZ", "CZ"})
    facts = Facts(n_qubits=3, n_features=7, n_evaluations=20, gates=gates)
    for one in searched(strategy, 2, facts=facts):
        assert {gate.name for gate in circuit_of(one.recipe, 3, 7).gates} <= gates


@pytest.mark.parametrize(("n_qubits", "n_features"), [(1, 1), (1, 5), (2, 2), (12, 3)])
def test_small_tasks(n_qubits: int, n_features: int) -> None:
    facts = Facts(n_qubits=n_qubits, n_features=n_features, n_evaluations=12)
    for strategy in STRATEGIES:
        assert len(searched(strategy, 1, facts=facts)) == 12


def test_evolution_comes_closer_than_its_spread_and_than_chance() -> None:
    evolved, drawn = ([searched(strategy, seed) for seed in range(8)] for strategy in ("graded", "random"))  # type: ignore[arg-type]
    assert all(best(one) > best(one[:10]) for one in evolved)
    assert np.mean([best(one) for one in evolved]) > np.mean([best(one[:10]) for one in evolved]) + 0.05
    assert np.mean([best(one) for one in evolved]) > np.mean([best(one) for one in drawn]) + 0.1


def test_a_search_in_which_nothing_can_be_evaluated_goes_on() -> None:
    assert len(searched("graded", 1, score=lambda recipe: None)) == 40


def test_what_cannot_be_searched() -> None:
    with pytest.raises(InputError, match="RX or RY"):
        propose(Facts(2, 2, 10, frozenset({"RZ", "CNOT"})), [], 1)
    with pytest.raises(InputError, match="Choose one of graded"):
        propose(FACTS, [], 1, strategy="clever")  # type: ignore[arg-type]


@given(one=recipes(), other=recipes(), seed=st.integers(0, 10**6))
def test_every_step_stays_in_the_grammar(one: Recipe, other: Recipe, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for made in (refined(one, rng, 1.0), mutated(one, rng), crossed(one, other, rng), random_recipe(rng)):
        assert Recipe.model_validate(made.model_dump()) == made == tidied(made)


@given(one=recipes(), seed=st.integers(0, 10**6))
def test_a_refinement_keeps_the_structure_and_narrows(one: Recipe, seed: int) -> None:
    wide, narrow = (refined(one, np.random.default_rng(seed), width) for width in (1.0, 0.1))
    for made in (wide, narrow):
        assert (made.axes, made.entangler, made.every) == (tidied(one).axes, tidied(one).entangler, tidied(one).every)
    assert abs(math.log(narrow.scale / one.scale)) <= abs(math.log(wide.scale / one.scale)) + 0.02


def test_first_rotations_that_do_nothing_are_known() -> None:
    assert not encodes_first_block(plain_recipe(axes=["RZ"]))
    assert not encodes_first_block(plain_recipe(axes=["RX"], start="hadamard"))
    assert encodes_first_block(plain_recipe(axes=["RZ"], start="hadamard"))
