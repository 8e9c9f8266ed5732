"""Several independent tuning runs, with mean and standard deviation: how much of an accuracy is the tuner's luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from labwright.tools.datasets.base import Part, Split
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.baselines import baselines
from labwright.tools.feature_maps.simulate import Precision
from labwright.tools.feature_maps.tuning import TRIALS, tune_map

if TYPE_CHECKING:
    from labwright.tools.feature_maps.compile import Compiler

RUNS = 5


@dataclass(frozen=True, slots=True)
class TuningRuns:
    """Test accuracies of one method, each with the best hyperparameters of one tuning run.

    Attributes:
        name: of the method.
        accuracies: one a run, 0 .. 1.
        hyperparameters: chosen in each run.
    """

    name: str
    accuracies: tuple[float, ...]
    hyperparameters: tuple[dict[str, Any], ...]

    @property
    def mean(self) -> float:
        """Mean accuracy."""
        return float(np.mean(self.accuracies))

    @property
    def std(self) -> float:
        """Sample standard deviation of the accuracies (n - 1); 0 for a single run."""
        return float(np.std(self.accuracies, ddof=1)) if len(self.accuracies) > 1 else 0.0


def baseline_runs(
    split: Split,
    test: Part,
    names: Sequence[str] | None = None,
    *,
    runs: int = RUNS,
    n_qubits: int = 10,
    seed: int = 0,
    tuning_trials: int = TRIALS,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
) -> list[TuningRuns]:
    """Tune each baseline several times on one split, with seeds seed, seed + 1, ...

    The seed draws the tuner's values, the folds of cross-validation, and the reference angles of YZCX.

    Args:
        split: prepared data.
        test: the opened test part.
        names: of `baselines.ALL`; None: all.
        runs: independent tuning runs.
        n_qubits: of the quantum maps.
        seed: of the first run.
        tuning_trials: of one run.
        precision: of the states.
        memory_mb: what kernels and classifier may use, MB.
    """
    _check(runs)
    options: dict[str, Any] = {"n_qubits": n_qubits, "tuning_trials": tuning_trials}
    options |= {"precision": precision, "memory_mb": memory_mb}
    tables = [baselines(split, test, names, seed=seed + run, **options) for run in range(runs)]
    found = []
    for row in zip(*tables, strict=True):
        accuracies = tuple(one.test.accuracy for one in row if one.test)
        found.append(TuningRuns(row[0].name, accuracies, tuple(one.hyperparameters for one in row)))
    return found


def map_runs(
    name: str,
    source: str,
    compiler: Compiler,
    split: Split,
    test: Part,
    n_qubits: int,
    *,
    hyperparameters: Mapping[str, Any] | None = None,
    runs: int = RUNS,
    seed: int = 0,
    trials: int = TRIALS,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
) -> TuningRuns:
    """Tune a feature map several times on one split, by the protocol of the baselines.

    Args:
        name: to be shown.
        source: code of the map.
        compiler: that turns it into circuits.
        split: prepared data.
        test: the opened test part.
        n_qubits: of the map.
        hyperparameters: to start from.
        runs: independent tuning runs.
        seed: of the first run.
        trials: of one run.
        precision: of the states.
        memory_mb: what kernels and classifier may use, MB.
    """
    _check(runs)
    accuracies, chosen = [], []
    for run in range(runs):
        best = tune_map(
            source,
            compiler,
            split,
            n_qubits,
            hyperparameters=hyperparameters,
            trials=trials,
            seed=seed + run,
            precision=precision,
            memory_mb=memory_mb,
        )
        accuracies.append(best.test(split, test, precision=precision).accuracy)
        chosen.append({**best.hyperparameters, "C": best.C})
    return TuningRuns(name, tuple(accuracies), tuple(chosen))


def _check(runs: int) -> None:
    if runs < 1:
        raise InputError(f"At least 1 tuning run is needed, but {runs} were asked for.")
