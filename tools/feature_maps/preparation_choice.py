"""Which preparation suits a data set: two plain feature maps in each, compared as all candidates are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from labwright.tools.datasets.labelled_samples import Split
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.recipe import circuit_of
from labwright.tools.feature_maps.svm_assessment import FOLDS, selection_of

# Scale and decay of two plain maps in each. Where components keep their variances, angles fall with the rank anyway,
# and have to be larger for the late ones to count.
_STRETCHED, _WIDE = ((3.0, 0.6), (2.0, 1.0)), ((6.0, 1.0), (20.0, 1.0))
_POINTS = {"min-max": _STRETCHED, "standardise": _WIDE, "whiten": _STRETCHED, "none": _WIDE}
OWN_GRADING = ("standardise", "none")  # preparations in which components keep their variances
COST = sum(map(len, _POINTS.values()))  # evaluations


@dataclass(frozen=True, slots=True)
class Chosen:
    """The preparation that validation prefers.

    Attributes:
        scaling: its name.
        scores: best selection score of each preparation.
    """

    scaling: str
    scores: dict[str, float]


def choose_preparation(
    split_of: Callable[[str], Split], n_qubits: int, *, folds: int = FOLDS, memory_mb: float = 4096.0, seed: int = 0
) -> Chosen:
    """Compare the preparations on training and validation parts; the test part stays sealed. Costs `COST` evaluations.

    Args:
        split_of: the split with a scaling.
        n_qubits: of the maps.
        folds: of cross-validation.
        memory_mb: what kernels may use, MB.
        seed: of the folds.

    Raises:
        MemoryLimitError: the kernels would not fit.
    """

    def score(scaling: str) -> float:
        split = split_of(scaling)
        maps = (
            circuit_of(plain_recipe(axes=["RX"], scale=scale, decay=decay), n_qubits, split.n_features)
            for scale, decay in _POINTS[scaling]
        )
        return max(selection_of(one, split, folds=folds, memory_mb=memory_mb, seed=seed) for one in maps)

    scores: dict[str, float] = {scaling: score(scaling) for scaling in _POINTS}
    return Chosen(max(scores, key=lambda one: scores[one]), dict(scores))  # the first of equals
