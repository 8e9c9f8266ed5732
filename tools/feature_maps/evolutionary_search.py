"""A search for feature maps without a model: seeded, pure, from what was tried to what to try next.

Three strategies. *graded*: maps whose angles fall with the rank of the feature, first on a spread of scales and decays,
then by evolution. *ungraded*: the same search with the decay held at 1. *random*: draws from the whole grammar.

Why graded maps: with min-max scaling every principal component has the same range, though the late ones carry little of
the variance. Where all angles are alike, a fidelity kernel of many features is a product of many small factors and
concentrates near 0; where they fall with the rank, the early components decide and the late ones refine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from labwright.tools.errors import InputError
from labwright.tools.feature_maps.recipe import Recipe, circuit_of, distance, n_blocks, tidied
from labwright.tools.feature_maps.recipe_mutation import crossed, encodes_first_block, mutated, random_recipe, refined

Strategy = Literal["graded", "ungraded", "random"]
STRATEGIES: tuple[Strategy, ...] = ("graded", "ungraded", "random")

PARENTS = 5  # the best so many are varied and crossed
SPREAD_SHARE = 0.25  # of all evaluations, spent on the first spread
MAX_SPREAD = 12
APART = 0.15  # two ideas of one trial are at least so far apart, see `distance`
TRIES = 200


@dataclass(frozen=True, slots=True)
class Facts:
    """What a search may know of its task before it has tried anything.

    Attributes:
        n_qubits: number of wires.
        n_features: length of x.
        n_evaluations: how many maps the search may try in all; the steps narrow towards its end.
        gates: gates that may be used, as PennyLane spells them; None: all of the grammar.
        own_grading: whether the components keep their variances, so that their angles fall with the rank anyway.
        max_two_qubit_gates: of a map; None: no limit.
        max_depth: of a map; None: no limit.
    """

    n_qubits: int
    n_features: int
    n_evaluations: int
    gates: frozenset[str] | None = None
    own_grading: bool = False
    max_two_qubit_gates: int | None = None
    max_depth: int | None = None

    def allows(self, recipe: Recipe) -> bool:
        """Whether the recipe keeps to the gates, and its circuit to the limits."""
        if self.gates is not None and not recipe.gates() <= self.gates:
            return False
        if self.max_two_qubit_gates is None and self.max_depth is None:
            return True
        size = circuit_of(recipe, self.n_qubits, self.n_features).size()
        limits = {"two_qubit_gates": self.max_two_qubit_gates, "depth": self.max_depth}
        return all(most is None or size[name] <= most for name, most in limits.items())


@dataclass(frozen=True, slots=True)
class Trial:
    """A recipe that was tried.

    Attributes:
        recipe: the map.
        selection: what maps are ranked by, the larger the better; None if the map could not be evaluated.
    """

    recipe: Recipe
    selection: float | None


def propose(
    facts: Facts, tried: Sequence[Trial], n: int, *, strategy: Strategy = "graded", seed: int = 0, trial: int = 1
) -> list[Recipe]:
    """Recipes to try next: `n` new ones, unlike one another and all that was tried.

    The same arguments give the same recipes, so that a search which was cut off goes on as if it had not been.

    Args:
        facts: what is known of the task.
        tried: all that was tried so far, in any order.
        n: how many are wanted.
        strategy: how to search.
        seed: of the whole search.
        trial: number of this trial, from 1.

    Raises:
        InputError: no allowed gate can encode anything, or the grammar holds no further map.
    """
    _check(facts, strategy)
    rng = np.random.default_rng([seed, trial, STRATEGIES.index(strategy)])
    seen = {_digest(facts, one.recipe) for one in tried}
    ranked = sorted((one for one in tried if one.selection is not None), key=_rank)
    waiting = iter(()) if strategy == "random" else _spread(facts, strategy)
    found: list[Recipe] = []
    for place in range(n):
        recipe = _next_of_spread(facts, waiting, seen) if len(tried) + place < _spread_size(facts) else None
        if recipe is None:
            draw = _drawer(facts, ranked, len(tried) + place, strategy)
            recipe = _new(facts, draw, found, seen, strategy, rng)
        seen.add(_digest(facts, recipe))
        found.append(recipe)
    return found


def _check(facts: Facts, strategy: str) -> None:
    if strategy not in STRATEGIES:
        raise InputError(f"There is no strategy {strategy!r}. Choose one of {', '.join(STRATEGIES)}.")
    if facts.gates is not None and not facts.gates & {"RX", "RY"}:
        raise InputError(
            "The recipes rotate by RX or RY, and neither may be used. Allow one of them, or let a model propose maps."
        )


def _rank(one: Trial) -> tuple[float, str]:
    return -(one.selection or 0.0), one.recipe.model_dump_json()  # the text settles ties the same way every time


def _digest(facts: Facts, recipe: Recipe) -> str:
    """The circuit's name: recipes that differ in words only, such as in the decay of a single block, are one map."""
    return _circuit_digest(tidied(recipe).model_dump_json(), facts.n_qubits, facts.n_features)


@lru_cache(maxsize=4096)
def _circuit_digest(recipe: str, n_qubits: int, n_features: int) -> str:
    return circuit_of(Recipe.model_validate_json(recipe), n_qubits, n_features).digest()


# --- the first spread


def plain_recipe(**changes: Any) -> Recipe:
    """One rotation a feature about its mid-range, and a ring of CNOT gates between blocks; `changes` replace fields."""
    fields: dict[str, Any] = {
        "start": "zero", "axes": ["RY"], "scale": math.pi, "decay": 0.5, "centre": 0.5, "offset": 0.0,
        "entangler": "CNOT", "entangler_angle": 0.0, "pattern": "ring", "every": 1, "repeats": 1, "mixing": 0.0,
    }  # fmt: skip
    return tidied(Recipe.model_validate(fields | changes))


def _spread(facts: Facts, strategy: Strategy) -> Iterator[Recipe]:
    """Scales and decays on a coarse grid, each with another structure, the likeliest first."""
    # A CNOT ring carries the same rotation of the next block into another Pauli string, so that features do not
    # fall on one another. CZ leaves the flipped bits alone: it needs another axis or angles away from zero.
    structures: list[dict[str, Any]] = [
        {"axes": ["RX"]},
        {"start": "hadamard", "axes": ["RZ"]},
        {"axes": ["RY"]},
        {"axes": ["RY"], "entangler": "CZ", "centre": 0.0},
        {"start": "hadamard", "axes": ["RZ", "RY"]},
    ]
    if n_blocks(facts.n_qubits, facts.n_features) == 1:  # a decay would have nothing to act on
        structures = [
            {**structure, "repeats": repeats} for structure, repeats in zip(structures, (1, 2, 2, 1, 2), strict=True)
        ]
    # Without grading all features share what the early ones had, so that its scales start lower.
    points = _GRADED_POINTS if strategy == "graded" else _UNGRADED_POINTS
    points = _WIDE_POINTS if facts.own_grading else points
    for (scale, decay), shift in zip(points * 2, [0] * len(points) + [2] * len(points), strict=True):
        place = points.index((scale, decay))
        recipe = plain_recipe(scale=scale, decay=decay, **structures[(place + shift) % len(structures)])
        if facts.allows(recipe):
            yield recipe


# Scale and decay: about one half turn between the ends of a feature's range at first, a tenth of it some blocks later.
_GRADED_POINTS = [(3.0, 0.6), (3.5, 0.7), (3.5, 0.5), (4.5, 0.35), (2.5, 0.8), (6.0, 0.35), (2.2, 0.6)]
# Late components are narrow already: angles of many turns between the ends of the widest one.
_WIDE_POINTS = [(6.0, 1.0), (12.0, 1.0), (3.0, 1.0), (25.0, 1.0), (6.0, 0.7), (18.0, 1.0), (9.0, 0.8)]
_UNGRADED_POINTS = [(1.2, 1.0), (1.5, 1.0), (0.8, 1.0), (2.5, 1.0), (2.0, 1.0), (3.5, 1.0), (1.0, 1.0)]


def _spread_size(facts: Facts) -> int:
    return min(MAX_SPREAD, max(2, round(SPREAD_SHARE * facts.n_evaluations)))


def _next_of_spread(facts: Facts, waiting: Iterator[Recipe], seen: set[str]) -> Recipe | None:
    return next((recipe for recipe in waiting if _digest(facts, recipe) not in seen), None)


# --- evolution

Draw = Callable[[np.random.Generator], Recipe]


def _drawer(facts: Facts, ranked: Sequence[Trial], done: int, strategy: Strategy) -> Draw:
    """How the next idea is drawn: every other one refines, the rest change the structure or cross two, in turn."""
    if strategy == "random" or not ranked:
        return lambda rng: random_recipe(rng)
    best = [one.recipe for one in ranked[:PARENTS]]
    progress = min(1.0, done / max(1, facts.n_evaluations))
    if done % 2 == 0:
        return lambda rng: refined(_parent(best, rng), rng, 1.0 - 0.8 * progress)
    if len(best) == 1 or done // 2 % 2 == 0:
        return lambda rng: refined(mutated(_parent(best, rng), rng), rng, 0.3)
    return lambda rng: refined(crossed(_parent(best, rng), _parent(best, rng), rng), rng, 0.3)


def _parent(best: Sequence[Recipe], rng: np.random.Generator) -> Recipe:
    """One of the best, the better the likelier (weights 1, 1/2, 1/3 ...)."""
    weights = 1.0 / np.arange(1, len(best) + 1)
    return best[int(rng.choice(len(best), p=weights / weights.sum()))]


def _new(
    facts: Facts, draw: Draw, near: Sequence[Recipe], seen: set[str], strategy: Strategy, rng: np.random.Generator
) -> Recipe:
    """A draw that is allowed, was not tried, and differs from the ideas of the same trial."""
    for tries in range(2 * TRIES):
        recipe = (draw if tries < TRIES else random_recipe)(rng)  # after that many, the surroundings are used up
        recipe = tidied(recipe.model_copy(update={"decay": 1.0}) if strategy == "ungraded" else recipe)
        if not facts.allows(recipe) or not encodes_first_block(recipe) or _digest(facts, recipe) in seen:
            continue
        if all(distance(recipe, other) >= APART for other in near):
            return recipe
    raise InputError(f"No new map was found in {2 * TRIES} draws. Allow more gates or end the search.")
