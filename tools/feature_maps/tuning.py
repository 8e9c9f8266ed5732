"""Hyperparameters by one protocol for all methods: the same search, as many trials, the same score.

Optuna's tree-structured Parzen estimator, seeded, in memory. The first trial is always the defaults, so that tuning
cannot end below them by the score that it maximises.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labwright.tools.datasets.base import Part, Split
from labwright.tools.errors import InputError, SandboxedFailure
from labwright.tools.feature_maps.assess import Judgement, Scores, check_kernel_memory, judge, kernels, test_scores
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.simulate import Precision

if TYPE_CHECKING:
    from labwright.tools.feature_maps.compile import CompiledMap, Compiler

Values = dict[str, float | int]

TRIALS = 25
REACH = 4.0  # a hyperparameter of a map is searched between a quarter and four times its default
C = "C"


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
C_RANGE = Real(0.1, 100.0, 1.0)


@dataclass(frozen=True, slots=True)
class Tuned:
    """What tuning found.

    Attributes:
        values: the best hyperparameters, as they were searched: those of a map without their signs.
        score: theirs.
        first_score: of the defaults; None if they failed.
        trials: how many were run.
        failed: how many of them gave no score.
        seconds: on the clock.
    """

    values: Values
    score: float
    first_score: float | None
    trials: int
    failed: int
    seconds: float


@dataclass(frozen=True, slots=True)
class TunedMap:
    """A compiled map with its best hyperparameters.

    Attributes:
        circuit: with these hyperparameters.
        hyperparameters: of the map, those that were not searched too.
        C: penalty of the support vector machine.
        validation: scores of the validation part.
        tuned: how the search went.
    """

    circuit: Circuit
    hyperparameters: dict[str, Any]
    C: float
    validation: Scores
    tuned: Tuned

    def test(self, split: Split, part: Part, *, precision: Precision = "complex64") -> Scores:
        """Scores on the opened test part."""
        return test_scores(self.circuit, split, part, C=self.C, precision=precision)


def tune(space: Space, objective: Callable[[Values], float], *, trials: int = TRIALS, seed: int = 0) -> Tuned:
    """Maximise a score over a space of hyperparameters.

    A trial whose objective raises InputError or SandboxedFailure counts as failed, and the search goes on.

    Args:
        space: what to search; empty means that there is one thing to try.
        objective: the score of some values.
        trials: how many values to try.
        seed: of the search.

    Raises:
        InputError: no trial gave a score; the message is that of the first.
    """
    import optuna

    if trials < 1:
        raise InputError(f"Tuning needs at least 1 trial, but {trials} were asked for.")
    started, complaints, best = time.perf_counter(), list[Exception](), list[tuple[float, Values]]()

    def scored(trial: optuna.Trial) -> float:
        values = {name: _suggested(trial, name, one) for name, one in space.items()}
        try:
            score = objective(values)
        except (InputError, SandboxedFailure) as wrong:
            complaints.append(wrong)
            raise optuna.TrialPruned(str(wrong)) from wrong
        best.append((score, values))
        return score

    with _quiet():
        study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed))
        study.enqueue_trial({name: one.default for name, one in space.items()})
        study.optimize(scored, n_trials=trials if space else 1)
    if not best:
        raise InputError(f"None of {trials} settings could be evaluated. The first failed so: {complaints[0]}")
    first = study.trials[0].value
    top = max(best, key=lambda one: one[0])  # the earliest of equals
    return Tuned(top[1], top[0], first, len(study.trials), len(complaints), time.perf_counter() - started)


def space_of_map(hyperparameters: Mapping[str, Any]) -> dict[str, Real]:
    """Each number with a fraction, between a quarter and four times its default; by magnitude, signs are kept apart.

    Whole numbers, text, lists, truth values and zeros stay as they are: a logarithmic scale has no zero, and a whole
    number is often a number of layers.
    """
    return {
        name: Real(abs(value) / REACH, abs(value) * REACH, abs(value))
        for name, value in hyperparameters.items()
        if isinstance(value, float) and value
    }


def tune_map(
    source: str,
    compiler: Compiler,
    split: Split,
    n_qubits: int,
    *,
    hyperparameters: Mapping[str, Any] | None = None,
    trials: int = TRIALS,
    seed: int = 0,
    tune_penalty: bool = True,
    precision: Precision = "complex64",
    memory_mb: float = 4096.0,
) -> TunedMap:
    """Tune the hyperparameters of feature-map code, and the penalty C, on the training and validation parts.

    Args:
        source: of the map.
        compiler: that turns it into circuits.
        split: prepared data.
        n_qubits: qubits of the map.
        hyperparameters: to start from, where they differ from the code's defaults.
        trials: how many settings to try.
        seed: of the search.
        tune_penalty: whether C is searched too, as it is for the baselines; else it is 1.
        precision: of the states.
        memory_mb: what kernels and classifier may use, MB.

    Raises:
        RuleError: the code breaks a rule with its defaults.
        MemoryLimitError: the kernels would not fit.
        InputError: no setting could be evaluated.
    """
    check_kernel_memory(split, len(split.validation.y), memory_mb)
    start = compiler.compile(source, n_qubits, split.n_features, hyperparameters, seed=seed)
    space = space_of_map(start.hyperparameters)
    searched: dict[str, Real | Whole] = {**space, **({C: C_RANGE} if tune_penalty else {})}
    if C in space:
        raise InputError("The map has a hyperparameter named C, which is the penalty's name. Rename it.")

    def compiled(values: Values) -> CompiledMap:
        return compiler.compile(source, n_qubits, split.n_features, _signed(start, values), seed=seed)

    def judged(circuit: Circuit, values: Values) -> Judgement:
        pair = kernels(circuit, split.train, split.validation, precision=precision, memory_mb=memory_mb)
        return judge(*pair, split, C=values.get(C, 1.0), seed=seed)

    tuned = tune(
        searched, lambda values: float(judged(compiled(values).circuit, values).selection), trials=trials, seed=seed
    )
    best = compiled(tuned.values)
    validation: Scores = judged(best.circuit, tuned.values).validation
    return TunedMap(best.circuit, best.hyperparameters, float(tuned.values.get(C, 1.0)), validation, tuned)


def _signed(start: CompiledMap, values: Values) -> dict[str, Any]:
    """All hyperparameters, the searched ones with the sign of their default."""
    signed = {
        name: (-value if start.hyperparameters[name] < 0 else value) for name, value in values.items() if name != C
    }
    return {**start.hyperparameters, **signed}


def _suggested(trial: Any, name: str, one: Real | Whole) -> float | int:
    if isinstance(one, Whole):
        return int(trial.suggest_int(name, one.low, one.high))
    return float(trial.suggest_float(name, one.low, one.high, log=one.log))


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
