"""A whole search without a graph: the same steps as the rules of a run, for tables over many data sets and splits.

Preparation, maps, constants and penalty are chosen on the training and validation parts inside one budget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from labwright.tools.datasets.labelled_samples import Labels, Part, Split
from labwright.tools.feature_maps.baselines import joined
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.compile import CompiledMap
from labwright.tools.feature_maps.evolutionary_search import Facts, Strategy, Trial, propose
from labwright.tools.feature_maps.preparation_choice import COST, OWN_GRADING, choose_preparation
from labwright.tools.feature_maps.recipe import Recipe, circuit_of
from labwright.tools.feature_maps.svm_assessment import fitted, kernels, selection_of
from labwright.tools.feature_maps.tuning import tune_map
from labwright.tools.feature_maps.write_source import hyperparameters

IDEAS = 2  # maps of one trial
NEW_MAPS = 1 / 1.3  # share of the evaluations; the rest tunes the best
AROUND = 1.6  # of the winner's constants, which were found by a search already


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    Attributes:
        scaling: of the preparation.
        circuit: the best map.
        C: penalty of the support vector machine.
        selection: its score.
        evaluations: kernels that were evaluated.
    """

    scaling: str
    circuit: Circuit
    C: float
    selection: float
    evaluations: int

    def predict(self, fit: Part, part: Part) -> Labels:
        """Class numbers of `part` from a machine that was fitted to `fit`; both in this preparation."""
        train, other = kernels(self.circuit, fit, part, precision="complex64", memory_mb=4096.0)
        found: Labels = fitted(train, fit.y, self.C).predict(other)
        return found

    def test(self, split: Split, part: Part, *, refit: bool = False) -> Labels:
        """Class numbers of the opened test part; `refit` fits to training and validation samples together."""
        return self.predict(joined(split.train, split.validation) if refit else split.train, part)


def compiled(recipe: Recipe, n_qubits: int, n_features: int, values: Mapping[str, Any] | None = None) -> CompiledMap:
    """The circuit of a recipe with other numbers than its own, without any code."""
    numbers = {**hyperparameters(recipe), **(values or {})}
    changed = recipe.model_copy(update=numbers)  # as code does, which knows no bounds
    return CompiledMap("", "", circuit_of(changed, n_qubits, n_features), numbers, 0, (), ())


def search(
    split_of: Callable[[str], Split],
    n_qubits: int,
    evaluations: int,
    *,
    scaling: str = "auto",
    strategy: Strategy = "graded",
    seed: int = 0,
) -> Found:
    """Search a feature map as the rules of a run do.

    Args:
        split_of: the split with a scaling; its test part stays sealed.
        n_qubits: of the maps.
        evaluations: of kernels, in all.
        scaling: of the components; ``auto`` spends `choosing.COST` evaluations to choose one.
        strategy: how to go on from what was found.
        seed: of the draws, the folds and the tuning.

    Raises:
        InputError: the data cannot be split, or the grammar holds no further map.
    """
    spent = COST if scaling == "auto" else 0
    chosen = choose_preparation(split_of, n_qubits, seed=seed).scaling if scaling == "auto" else scaling
    split = split_of(chosen)
    n_maps = max(IDEAS, int((evaluations - spent) * NEW_MAPS))
    facts = Facts(n_qubits, split.n_features, n_maps, own_grading=chosen in OWN_GRADING)
    tried = list[Trial]()
    while len(tried) < n_maps:
        count = min(IDEAS, n_maps - len(tried))
        trial = 1 + len(tried) // IDEAS
        for recipe in propose(facts, tried, count, strategy=strategy, seed=seed, trial=trial):
            score = selection_of(circuit_of(recipe, n_qubits, split.n_features), split, seed=seed)
            tried.append(Trial(recipe, score))
    best = max(tried, key=lambda one: one.selection or 0.0)
    own = Found(chosen, circuit_of(best.recipe, n_qubits, split.n_features), 1.0, best.selection or 0.0, evaluations)
    return _tuned(own, best, split, n_qubits, evaluations - spent - n_maps, seed)


def _tuned(own: Found, best: Trial, split: Split, n_qubits: int, count: int, seed: int) -> Found:
    if count < 1:
        return own
    tuned = tune_map(
        partial(compiled, best.recipe, n_qubits, split.n_features),
        split,
        evaluations=count,
        reach=AROUND,
        known=(1.0, own.selection),
        seed=seed,
    )
    if tuned.assessment.selection <= own.selection:
        return own
    circuit, score = tuned.compiled.circuit, tuned.assessment.selection
    return Found(own.scaling, circuit, tuned.C, score, own.evaluations)
