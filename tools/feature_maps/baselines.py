"""What a feature map must beat: classical kernels and the known quantum maps, tuned by one protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.base import Part, Split
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.assess import Judgement, Kernel, Scores, check_kernel_memory, fitted, judge, scores
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.classical import linear, polynomial, rank_weights, rbf, scale_gamma, sigmoid
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.known_maps import npqc, yzcx, zz, zz_kernel
from labwright.tools.feature_maps.simulate import Precision
from labwright.tools.feature_maps.tuning import C_RANGE, TRIALS, C, Real, Space, Values, Whole, tune

Samples = NDArray[np.float64]

ALL = ("linear", "polynomial", "sigmoid", "rbf_default", "rbf_tuned", "rbf_weighted", "zz", "npqc", "yzcx")
CLASSICAL = ALL[:6]
QUANTUM = ALL[6:]

# Angles of the quantum maps at x = 1, rad. Every pair of a ZZ map adds to the phase, so it needs smaller ones.
_SCALE = Real(0.05, 8.0, 1.0)
_ZZ_SCALE = Real(0.003, 2.0, 1.0)


@dataclass(frozen=True, slots=True)
class Baseline:
    """One method with its best hyperparameters.

    Attributes:
        name: one of `ALL`.
        validation: scores of the validation part.
        test: scores of the test part, if it was given.
        hyperparameters: that were chosen, and those that were fixed.
        seconds: on the clock, tuning and all.
        selection: score by which the hyperparameters were chosen.
    """

    name: str
    validation: Scores
    test: Scores | None
    hyperparameters: dict[str, Any]
    seconds: float
    selection: float


@dataclass(frozen=True, slots=True)
class _Method:
    """What is searched, what is fixed, and the kernel that all these values make."""

    space: Space
    fixed: dict[str, Any]
    kernel: Callable[[dict[str, Any], Samples, Samples], Kernel]


def baselines(
    split: Split,
    test: Part | None,
    names: Sequence[str] | None = None,
    *,
    n_qubits: int = 10,
    seed: int = 0,
    tuning_trials: int = TRIALS,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
    progress: Callable[[str], None] | None = None,
) -> list[Baseline]:
    """Tune each method on the training and validation parts, and score its best on the test part, once.

    Args:
        split: prepared data.
        test: the opened test part; None leaves the test scores out.
        names: of `ALL`, in the order wanted; None: all.
        n_qubits: of the quantum maps, and the width of a block of `rbf_weighted`.
        seed: of the searches, the folds and the reference angles of YZCX.
        tuning_trials: for each method that has hyperparameters.
        precision: of the states.
        memory_mb: what kernels and classifier may use, MB.
        progress: told the name of each method before it begins.

    Raises:
        InputError: an unknown name.
        MemoryLimitError: the kernels would not fit.
    """
    wanted = ALL if names is None else tuple(names)
    unknown = [name for name in wanted if name not in ALL]
    if unknown:
        raise InputError(f"There is no baseline {unknown[0]!r}. There are: {', '.join(ALL)}.")
    check_kernel_memory(split, max(len(split.validation.y), len(test.y) if test else 0), memory_mb)
    found = []
    for name in wanted:
        if progress:
            progress(name)
        method = _method(name, split, n_qubits, seed, precision, memory_mb)
        found.append(_baseline(name, method, split, test, seed, tuning_trials))
    return found


def _baseline(name: str, method: _Method, split: Split, test: Part | None, seed: int, trials: int) -> Baseline:
    started = time.perf_counter()
    train = split.train

    def judged(values: Values) -> Judgement:
        every = {**method.fixed, **values}
        kernel = method.kernel(every, train.X, train.X)
        return judge(kernel, method.kernel(every, split.validation.X, train.X), split, C=every[C], seed=seed)

    tuned = tune(method.space, lambda values: judged(values).selection, trials=trials, seed=seed)
    chosen = {**method.fixed, **tuned.values}
    validation = judged(tuned.values).validation
    tested = None
    if test is not None:
        machine = fitted(method.kernel(chosen, train.X, train.X), train.y, chosen[C])
        tested = scores(test.y, machine.predict(method.kernel(chosen, test.X, train.X)))
    return Baseline(name, validation, tested, chosen, time.perf_counter() - started, tuned.score)


def _method(name: str, split: Split, n_qubits: int, seed: int, precision: Precision, memory_mb: float) -> _Method:
    if name in CLASSICAL:
        return _classical(name, split, n_qubits)
    return _quantum(name, split, n_qubits, seed, precision, memory_mb)


def _classical(name: str, split: Split, block: int) -> _Method:
    default = scale_gamma(split.train.X)
    gamma = Real(default / 10, default * 10, default)
    # These two grow or saturate with the product of two samples, and need smaller values than an RBF.
    small = Real(default / 100, default, default / 10)
    if name == "linear":
        return _Method({C: C_RANGE}, {}, lambda values, x, y: linear(x, y))
    if name == "polynomial":
        space: Space = {C: C_RANGE, "gamma": small, "coef0": Real(0.0, 2.0, 1.0, log=False), "degree": Whole(2, 5, 3)}
        return _Method(space, {}, lambda values, x, y: polynomial(x, y, **_without_penalty(values)))
    if name == "sigmoid":
        space = {C: C_RANGE, "gamma": small, "coef0": Real(-2.0, 2.0, 0.0, log=False)}
        return _Method(space, {}, lambda values, x, y: sigmoid(x, y, **_without_penalty(values)))
    if name == "rbf_default":
        return _Method({}, {"gamma": default, C: 1.0}, lambda values, x, y: rbf(x, y, gamma=values["gamma"]))
    if name == "rbf_tuned":
        return _Method({C: C_RANGE, "gamma": gamma}, {}, lambda values, x, y: rbf(x, y, gamma=values["gamma"]))
    return _rank_weighted(gamma, block)


def _rank_weighted(gamma: Real, block: int) -> _Method:
    """The honest control of graded maps: an RBF whose features carry the same falling weights, as it costs nothing."""

    def kernel(values: dict[str, Any], samples: Samples, others: Samples) -> Kernel:
        weights = rank_weights(samples.shape[1], values["block"], values["decay"])
        return rbf(samples * weights, others * weights, gamma=values["gamma"])

    space = {C: C_RANGE, "gamma": gamma, "decay": Real(0.1, 1.0, 1.0)}
    return _Method(space, {"block": block}, kernel)


def _quantum(name: str, split: Split, n_qubits: int, seed: int, precision: Precision, memory_mb: float) -> _Method:
    fixed: dict[str, Any] = {"n_qubits": n_qubits}
    n_features = split.n_features
    if name == "zz":

        def zz_of(values: dict[str, Any], samples: Samples, others: Samples) -> Kernel:
            chosen = zz(n_qubits, n_features, scale=values["scale"], repeats=values["repeats"])
            dtype = np.complex64 if precision == "complex64" else np.complex128
            return zz_kernel(chosen, samples, None if others is samples else others, dtype=dtype)

        return _Method({C: C_RANGE, "scale": _ZZ_SCALE, "repeats": Whole(1, 2, 2)}, fixed, zz_of)

    def circuit(values: dict[str, Any]) -> Circuit:
        if name == "npqc":
            return npqc(n_qubits, n_features, scale=values["scale"])
        return yzcx(n_qubits, n_features, scale=values["scale"], seed=seed)

    def kernel(values: dict[str, Any], samples: Samples, others: Samples) -> Kernel:
        rest = None if others is samples else others
        return kernel_matrix(circuit(values), samples, rest, precision=precision, memory_mb=memory_mb)

    return _Method({C: C_RANGE, "scale": _SCALE}, fixed, kernel)


def _without_penalty(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != C}
