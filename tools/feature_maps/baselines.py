"""What a feature map must beat: classical kernels and the known quantum maps, tuned by one protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labwright.tools.datasets.labelled_samples import Labels, Part, Split
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.classical import linear, polynomial, rank_weights, rbf, scale_gamma, sigmoid
from labwright.tools.feature_maps.compared_methods import ALL, OUTSIDE, QUANTUM, QUICK
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.known_maps import ZZMap, npqc, yzcx, zz_kernel
from labwright.tools.feature_maps.published_best_map import listing22
from labwright.tools.feature_maps.simulate import Precision
from labwright.tools.feature_maps.svm_assessment import (
    Judgement,
    Kernel,
    Scores,
    check_kernel_memory,
    fitted,
    folds_of,
    judge,
    scores,
    selection_score,
)
from labwright.tools.feature_maps.tuning import C_RANGE, TRIALS, C, Real, Space, Values, Whole, tune

Samples = NDArray[np.float64]
GAMMA, GAMMA0 = "gamma", " gamma0"

# Angles of the quantum maps at x = 1, rad. Every pair of a ZZ map adds to the phase, so it needs smaller ones.
_SCALE = Real(0.05, 8.0, 1.0)
_ZZ_SCALE = Real(0.003, 2.0, 1.0)
_TREES: Space = {
    "learning_rate": Real(0.03, 0.5, 0.1),
    "max_leaf_nodes": Whole(4, 31, 31),
    "min_samples_leaf": Whole(2, 30, 20),
    "l2_regularization": Real(1e-3, 10.0, 1e-3),
}


@dataclass(frozen=True, slots=True)
class Baseline:
    """One method with its best hyperparameters.

    Attributes:
        name: one of `ALL`.
        validation: scores of the validation part; None if the method does not apply.
        test: scores of the test part, if it was given.
        hyperparameters: that were chosen, and those that were fixed.
        seconds: on the clock, tuning and all.
        selection: score by which the hyperparameters were chosen.
        evaluations: settings that were tried.
        predictions: class numbers of the test samples, if the test part was given.
        why_not: why the method does not apply here; empty if it does.
    """

    name: str
    validation: Scores | None
    test: Scores | None
    hyperparameters: dict[str, Any]
    seconds: float
    selection: float
    evaluations: int = 0
    predictions: tuple[int, ...] = ()
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class _Method:
    """What is searched, what is fixed, how values are judged, and what they predict after fitting to a part."""

    space: Space
    fixed: dict[str, Any]
    judge: Callable[[dict[str, Any]], Judgement]
    predict: Callable[[dict[str, Any], Part, Part], Labels]


def baselines(
    split: Split,
    test: Part | None,
    names: Sequence[str] | None = None,
    *,
    n_qubits: int = 10,
    seed: int = 0,
    evaluations: int = TRIALS,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
    refit: bool = False,
    progress: Callable[[str], None] | None = None,
) -> list[Baseline]:
    """Tune each method on the training and validation parts, and score its best on the test part, once.

    A method that cannot be had for so many qubits, features or samples is "not applicable"; see `Baseline.why_not`.

    Args:
        split: prepared data.
        test: the opened test part; None leaves the test scores out.
        names: of `ALL`, in the order wanted; None: all.
        n_qubits: of the quantum maps, and the width of a block of `rbf_weighted`.
        seed: of the searches, the folds and the reference angles of YZCX.
        evaluations: settings tried for each method that has hyperparameters.
        precision: of the states.
        memory_mb: what kernels and classifier may use, MB.
        refit: whether the best is fitted to training and validation samples together before it is tested.
        progress: called with the name of each method before it begins.

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
        started = time.perf_counter()
        try:
            method = _method(name, split, n_qubits, seed, precision, memory_mb)
            found.append(_baseline(name, method, split, test, seed, evaluations, refit))
        except InputError as cannot:
            seconds = time.perf_counter() - started
            found.append(Baseline(name, None, None, {}, seconds, 0.0, why_not=str(cannot)))
    return found


def predicted(
    name: str,
    hyperparameters: dict[str, Any],
    split: Split,
    part: Part,
    *,
    n_qubits: int = 10,
    seed: int = 0,
    refit: bool = False,
) -> Labels:
    """What a method that was tuned before predicts; see `baselines`.

    Args:
        name: of `ALL`.
        hyperparameters: as `Baseline.hyperparameters` holds them.
        split: that it was tuned on.
        part: whose classes are predicted.
        n_qubits: of the quantum maps.
        seed: of the tuning.
        refit: whether it is fitted to training and validation samples together.
    """
    method = _method(name, split, n_qubits, seed, "complex64", 4096.0)
    fit = joined(split.train, split.validation) if refit else split.train
    return method.predict(hyperparameters, fit, part)


def default_levels(split: Split, seed: int) -> dict[str, float]:
    """Selection scores of a few methods with their default settings."""
    found = {}
    for name in QUICK:
        method = _method(name, split, 2, seed, "complex64", 4096.0)
        defaults = {one: space.default for one, space in method.space.items()}
        found[name] = method.judge({**method.fixed, **defaults}).selection
    return found


def joined(first: Part, second: Part) -> Part:
    """The samples of both parts."""
    pairs = ((getattr(first, name), getattr(second, name)) for name in ("X", "y", "raw", "rows"))
    return Part(*(np.concatenate(pair) for pair in pairs))


def _baseline(
    name: str, method: _Method, split: Split, test: Part | None, seed: int, trials: int, refit: bool
) -> Baseline:
    started = time.perf_counter()

    def judged(values: Values) -> Judgement:
        return method.judge({**method.fixed, **values})

    tuned = tune(method.space, lambda values: judged(values).selection, trials=trials, seed=seed)
    chosen = {**method.fixed, **tuned.values}
    validation = judged(tuned.values).validation
    tested, predictions = None, ()
    if test is not None:
        fit = joined(split.train, split.validation) if refit else split.train
        predicted = method.predict(chosen, fit, test)
        tested, predictions = scores(test.y, predicted), tuple(predicted.tolist())
    seconds = time.perf_counter() - started
    return Baseline(name, validation, tested, chosen, seconds, tuned.score, tuned.trials, predictions)


def _method(name: str, split: Split, n_qubits: int, seed: int, precision: Precision, memory_mb: float) -> _Method:
    if name == "gradient_boosting":
        return _boosting(split, seed)
    inputs = _inputs(name, split)
    space, fixed, kernel = (
        _quantum(name, split, n_qubits, seed, precision, memory_mb)
        if name in QUANTUM
        else _classical(_kernel_of(name), inputs(split.train), n_qubits)
    )

    def judged(values: dict[str, Any]) -> Judgement:
        train = inputs(split.train)
        pair = kernel(values, train, train), kernel(values, inputs(split.validation), train)
        return judge(*pair, split, C=values[C], seed=seed)

    def predict(values: dict[str, Any], fit: Part, part: Part) -> Labels:
        train = inputs(fit)
        machine = fitted(kernel(values, train, train), fit.y, values[C])
        found: Labels = machine.predict(kernel(values, inputs(part), train))
        return found

    return _Method(space, fixed, judged, predict)


def _kernel_of(name: str) -> str:
    """The kernel of a method that prepares the samples in its own way."""
    plain = name.removeprefix("standard_").removeprefix("pca_")
    return "rbf_tuned" if plain == "rbf" else plain


def tuned_over(name: str) -> str:
    """What of a method is tuned, between which bounds, in words; ``gamma0`` is 1 / (n_features Var(X))."""
    space, fixed = _quantum_space(name) if name in QUANTUM else _TREES, dict[str, Any]()
    if name not in QUANTUM and name != "gradient_boosting":  # two samples whose gamma0 is 1
        space, fixed, _ = _classical(_kernel_of(name), np.array([[-1.0], [1.0]]), 1)
    ranges = [f"{one} {each.low:g} to {each.high:g}{GAMMA0 * (one == GAMMA)}" for one, each in space.items()]
    if ranges:
        return f"tuned over {', '.join(ranges)}."
    return f"not tuned: {', '.join(f'{one} = {value:g}{GAMMA0 * (one == GAMMA)}' for one, value in fixed.items())}."


def _inputs(name: str, split: Split) -> Callable[[Part], Samples]:
    """What a method is given of a part: our preparation, or its own, fitted on the training part."""
    if name not in OUTSIDE:
        return lambda part: part.X
    from sklearn.preprocessing import StandardScaler

    from labwright.tools.datasets.feature_preparation import Preparation

    own = StandardScaler() if name.startswith("standard_") else Preparation("none", split.n_features)
    own.fit(split.train.raw)
    return lambda part: own.transform(part.raw)


def _boosting(split: Split, seed: int) -> _Method:
    """Trees on the raw samples: no kernel, no preparation."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    def fit(values: dict[str, Any], samples: Samples, labels: Labels) -> Any:
        settings = {"max_iter": 60, "max_bins": 63, "early_stopping": False, "random_state": seed, **values}
        return HistGradientBoostingClassifier(**settings).fit(samples, labels)

    def judged(values: dict[str, Any]) -> Judgement:
        started, train, validation = time.perf_counter(), split.train, split.validation
        found = scores(validation.y, fit(values, train.raw, train.y).predict(validation.raw))
        right = 0
        for kept, held in folds_of(split, seed=seed):
            machine = fit(values, train.raw[kept], train.y[kept])
            right += int(np.sum(machine.predict(train.raw[held]) == train.y[held]))
        crossed = right / len(train.y)
        selection = selection_score(found.accuracy, len(validation.y), crossed, len(train.y))
        return Judgement(found, crossed, selection, time.perf_counter() - started)

    def predict(values: dict[str, Any], part: Part, other: Part) -> Labels:
        found: Labels = fit(values, part.raw, part.y).predict(other.raw)
        return found

    return _Method(_TREES, {}, judged, predict)


KernelOf = Callable[[dict[str, Any], Samples, Samples], Kernel]
Parts = tuple[Space, dict[str, Any], KernelOf]


def _classical(name: str, train: Samples, block: int) -> Parts:
    default = scale_gamma(train)
    gamma = Real(default / 10, default * 100, default)
    # These two grow or saturate with the product of two samples, and need smaller values than an RBF.
    small = Real(default / 100, default, default / 10)
    if name == "linear":
        return {C: C_RANGE}, {}, lambda values, x, y: linear(x, y)
    if name == "polynomial":
        space: Space = {C: C_RANGE, "gamma": small, "coef0": Real(0.0, 2.0, 1.0, log=False), "degree": Whole(2, 5, 3)}
        return space, {}, lambda values, x, y: polynomial(x, y, **_without_penalty(values))
    if name == "sigmoid":
        space = {C: C_RANGE, "gamma": small, "coef0": Real(-2.0, 2.0, 0.0, log=False)}
        return space, {}, lambda values, x, y: sigmoid(x, y, **_without_penalty(values))
    if name == "rbf_default":
        return {}, {"gamma": default, C: 1.0}, lambda values, x, y: rbf(x, y, gamma=values["gamma"])
    if name == "rbf_weighted":
        return _rank_weighted(gamma, block)
    return {C: C_RANGE, "gamma": gamma}, {}, lambda values, x, y: rbf(x, y, gamma=values["gamma"])


def _rank_weighted(gamma: Real, block: int) -> Parts:
    """The honest control of graded maps: an RBF whose features carry the same falling weights, as it costs nothing."""

    def kernel(values: dict[str, Any], samples: Samples, others: Samples) -> Kernel:
        weights = rank_weights(samples.shape[1], values["block"], values["decay"])
        return rbf(samples * weights, others * weights, gamma=values["gamma"])

    return {C: C_RANGE, "gamma": gamma, "decay": Real(0.1, 1.0, 1.0)}, {"block": block}, kernel


def _quantum(name: str, split: Split, n_qubits: int, seed: int, precision: Precision, memory_mb: float) -> Parts:
    fixed: dict[str, Any] = {"n_qubits": n_qubits}
    n_features = split.n_features
    if name == "zz":
        ZZMap(n_qubits, n_features)  # a number of features that it cannot have is refused now

        def zz_of(values: dict[str, Any], samples: Samples, others: Samples) -> Kernel:
            chosen = ZZMap(n_qubits, n_features, scale=values["scale"], repeats=values["repeats"])
            dtype = np.complex64 if precision == "complex64" else np.complex128
            return zz_kernel(chosen, samples, None if others is samples else others, dtype=dtype)

        return _quantum_space(name), fixed, zz_of

    def circuit(scale: float) -> Circuit:
        if name == "listing22":
            return listing22(n_qubits, n_features, scale=scale)
        if name == "npqc":
            return npqc(n_qubits, n_features, scale=scale)
        return yzcx(n_qubits, n_features, scale=scale, seed=seed)

    circuit(1.0)  # as above

    def kernel(values: dict[str, Any], samples: Samples, others: Samples) -> Kernel:
        rest = None if others is samples else others
        return kernel_matrix(circuit(values["scale"]), samples, rest, precision=precision, memory_mb=memory_mb)

    return _quantum_space(name), fixed, kernel


def _quantum_space(name: str) -> Space:
    return (
        {C: C_RANGE, "scale": _ZZ_SCALE, "repeats": Whole(1, 2, 2)} if name == "zz" else {C: C_RANGE, "scale": _SCALE}
    )


def _without_penalty(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != C}
