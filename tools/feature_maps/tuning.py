"""Hyperparameters by one protocol for all methods: the same search, as many trials, the same score.

Optuna's tree-structured Parzen estimator, seeded, in memory. The first trial is always the defaults, so that tuning
cannot end below them by the score that it maximises.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from labwright.tools.datasets.labelled_samples import Split
from labwright.tools.errors import InputError, SandboxedFailure
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.simulate import Precision
from labwright.tools.feature_maps.svm_assessment import Assessment, assess, check_kernel_memory, selection_of

if TYPE_CHECKING:
    from labwright.tools.feature_maps.compile import CompiledMap

Values = dict[str, float | int]
CompiledWith = Callable[[Mapping[str, Any] | None], "CompiledMap"]

TRIALS = 25
REACH = 4.0  # a hyperparameter of a map is searched between a quarter and four times its default
C = "C"
SEEN, MOVE, SAME = 12, 1.17, 1e-8  # samples, factor and change by which a constant shows that it has an effect


@dataclass(frozen=True, slots=True)
class Real:
    """A number between two positive bounds, searched on a logarithmic scale unless said otherwise.

    Attributes:
        low: smallest value.
        high: largest value.
        default: value of the first trial.
        log: whether the scale is logarithmic.
    """

    low: float
    high: float
    default: float
    log: bool = True


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number between two bounds, both possible."""

    low: int
    high: int
    default: int


Space = Mapping[str, Real | Whole]

# The penalty of the support vector machine; 1 is what a search evaluates its candidates with.
C_RANGE = Real(0.1, 1000.0, 1.0)


@dataclass(frozen=True, slots=True)
class Tuned:
    """What tuning found.

    Attributes:
        values: the best hyperparameters, as they were searched: those of a map without their signs.
        score: theirs.
        trials: how many were run.
    """

    values: Values
    score: float
    trials: int


@dataclass(frozen=True, slots=True)
class TunedMap:
    """A compiled map with its best hyperparameters.

    Attributes:
        compiled: with these hyperparameters.
        C: penalty of the support vector machine.
        assessment: of both.
        evaluations: kernels that were evaluated.
    """

    compiled: CompiledMap
    C: float
    assessment: Assessment
    evaluations: int


def tune(
    space: Space,
    objective: Callable[[Values], float],
    *,
    trials: int = TRIALS,
    seed: int = 0,
    first_score: float | None = None,
) -> Tuned:
    """Maximise a score over a space of hyperparameters.

    A trial whose objective raises InputError or SandboxedFailure counts as failed, and the search goes on.

    Args:
        space: what to search; empty means that there is one thing to try.
        objective: the score of some values.
        trials: how many values to try.
        seed: of the search.
        first_score: of the defaults, if it is known; they are then not tried again.

    Raises:
        InputError: no trial gave a score; the message is that of the first.
    """
    import optuna

    if trials < 1:
        raise InputError(f"Tuning needs at least 1 trial, but {trials} were asked for.")
    complaints, best = list[Exception](), list[tuple[float, Values]]()

    with _quiet():
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        defaults = {name: one.default for name, one in space.items()}
        ranges = {name: _distribution(one) for name, one in space.items()}
        if first_score is None:
            study.enqueue_trial(defaults)
        else:
            study.add_trial(optuna.trial.create_trial(params=defaults, distributions=ranges, value=first_score))
        for _ in range(trials if space else 1):
            trial = study.ask(ranges)
            try:
                score = objective(trial.params)
            except (InputError, SandboxedFailure) as wrong:
                complaints.append(wrong)
                study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            else:
                best.append((score, trial.params))
                study.tell(trial, score)
    if not best:
        raise InputError(f"None of {trials} settings could be evaluated. The first failed so: {complaints[0]}")
    top = max(best, key=lambda one: one[0])  # the earliest of equals
    return Tuned(top[1], top[0], len(best) + len(complaints))


def space_of_map(hyperparameters: Mapping[str, Any], reach: float = REACH) -> dict[str, Real]:
    """Each number with a fraction, between a quarter and four times its default; by magnitude, signs are kept apart.

    Whole numbers, text, lists, truth values and zeros stay as they are: a logarithmic scale has no zero, and a whole
    number is often a number of layers.
    """
    return {
        name: Real(abs(value) / reach, abs(value) * reach, abs(value))
        for name, value in hyperparameters.items()
        if isinstance(value, float) and value
    }


def tune_map(
    compiled_with: CompiledWith,
    split: Split,
    *,
    evaluations: int = TRIALS,
    hyperparameters: Mapping[str, Any] | None = None,
    reach: float = REACH,
    known: tuple[float, float] | None = None,
    seed: int = 0,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
) -> TunedMap:
    """Tune the constants of feature-map code, and the penalty C, on the training and validation parts.

    Args:
        compiled_with: the map with these hyperparameters, the others at their defaults; None: with its own.
        split: prepared data.
        evaluations: settings to try.
        hyperparameters: to start from, where they differ from the code's defaults.
        reach: a constant is searched between its value divided and multiplied by this.
        known: penalty and score of the start, if it was evaluated before; it is then not tried again.
        seed: of the search.
        precision: of the states.
        memory_mb: what kernels and classifier may use, MB.

    Raises:
        RuleError: the code breaks a rule with its defaults.
        MemoryLimitError: the kernels would not fit.
        InputError: no setting could be evaluated.
    """
    check_kernel_memory(split, len(split.validation.y), memory_mb)
    start = compiled_with(hyperparameters)
    space = space_of_map(start.hyperparameters, reach)
    for name in idle_constants(compiled_with, start, split):
        space.pop(name, None)
    if C in space:
        raise InputError("The map has a hyperparameter named C, which is the penalty's name. Rename it.")
    penalty = replace(C_RANGE, default=known[0]) if known else C_RANGE
    searched: dict[str, Real | Whole] = {**space, C: penalty}
    settings: dict[str, Any] = {"precision": precision, "memory_mb": memory_mb, "seed": seed}

    found: list[tuple[float, CompiledMap, float]] = []

    def score(values: Values) -> float:
        compiled = compiled_with(_signed(start, values))
        found.append((selection_of(compiled.circuit, split, C=values[C], **settings), compiled, float(values[C])))
        return found[-1][0]

    tune(searched, score, trials=evaluations, seed=seed, first_score=known[1] if known else None)
    _, best, penalty_of_best = max(found, key=lambda one: one[0])
    return TunedMap(best, penalty_of_best, assess(best.circuit, split, C=penalty_of_best, **settings), evaluations)


def idle_constants(compiled_with: CompiledWith, start: CompiledMap, split: Split) -> list[str]:
    """The constants that the kernel does not depend on, such as an offset that cancels: there is nothing to tune.

    Args:
        compiled_with: see `tune_map`.
        start: the map as it stands.
        split: prepared data; a few training samples show it.
    """
    samples = split.train.X[:SEEN]
    before, found = kernel_matrix(start.circuit, samples, precision="complex128"), list[str]()
    for name in space_of_map(start.hyperparameters):
        moved = {**start.hyperparameters, name: MOVE * start.hyperparameters[name]}
        with contextlib.suppress(InputError, SandboxedFailure):  # it has an effect, if a bad one
            after = kernel_matrix(compiled_with(moved).circuit, samples, precision="complex128")
            found += [name] if np.allclose(after, before, atol=SAME) else []
    return found


def _signed(start: CompiledMap, values: Values) -> dict[str, Any]:
    """All hyperparameters, the searched ones with the sign of their default."""
    signed = {
        name: (-value if start.hyperparameters[name] < 0 else value) for name, value in values.items() if name != C
    }
    return {**start.hyperparameters, **signed}


def _distribution(one: Real | Whole) -> Any:
    from optuna.distributions import FloatDistribution, IntDistribution

    return (
        IntDistribution(one.low, one.high) if isinstance(one, Whole) else FloatDistribution(one.low, one.high, one.log)
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Optuna reports every trial on the terminal otherwise; its level is put back afterwards."""
    import optuna

    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)
