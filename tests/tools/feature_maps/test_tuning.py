"""Tuning: the best of the trials, the same for the same seed, and never below the defaults."""

import math
from dataclasses import dataclass
from functools import partial

import optuna
import pytest

from labwright.tools.datasets import load_dataset, prepare_split
from labwright.tools.errors import InputError, MemoryLimitError, RuleError, SandboxedFailure
from labwright.tools.feature_maps.circuit import Angle, Circuit, Gate
from labwright.tools.feature_maps.compile import CompiledMap
from labwright.tools.feature_maps.svm_assessment import assess
from labwright.tools.feature_maps.tuning import Real, Whole, idle_constants, space_of_map, tune, tune_map

SPACE = {"x": Real(0.01, 100.0, 1.0), "n": Whole(0, 5, 0)}


def hill(values):
    return -(math.log(values["x"] / 7) ** 2) - (values["n"] - 3) ** 2


def test_the_best_trial_wins_and_the_first_is_the_defaults():
    seen = []

    def objective(values):
        seen.append(dict(values))
        return hill(values)

    found = tune(SPACE, objective, trials=40, seed=1)
    assert seen[0] == {"x": 1.0, "n": 0}
    assert found.trials == 40
    assert found.score == max(map(hill, seen))
    assert hill(found.values) == found.score
    assert found.values["n"] == 3
    assert 2 < found.values["x"] < 25


def test_every_value_lies_between_its_bounds():
    seen = []
    tune({"a": Real(-1.0, 2.0, 0.0, log=False), "n": Whole(1, 2, 2)}, lambda v: seen.append(v) or 0.0, trials=20)
    assert all(-1 <= one["a"] <= 2 and one["n"] in (1, 2) for one in seen)
    assert {one["n"] for one in seen} == {1, 2}
    assert min(one["a"] for one in seen) < 0 < max(one["a"] for one in seen)


def test_one_seed_gives_one_search():
    first, again, other = (tune(SPACE, hill, trials=15, seed=seed) for seed in (5, 5, 6))
    assert first.values == again.values
    assert first.values != other.values


def test_an_empty_space_is_tried_once():
    found = tune({}, lambda values: 0.5, trials=25)
    assert (found.values, found.score, found.trials) == ({}, 0.5, 1)


def test_settings_that_cannot_be_evaluated_are_passed_over_and_counted():
    def objective(values):
        if values["x"] < 3:
            raise SandboxedFailure("timeout", "It took too long.")
        return values["x"]

    found = tune({"x": Real(0.1, 10.0, 1.0)}, objective, trials=20)
    assert found.trials == 20
    assert found.score > 3


def test_if_no_setting_can_be_evaluated_the_first_reason_is_given():
    def objective(values):
        raise InputError("The angle is not finite.")

    with pytest.raises(InputError, match=r"None of 4 settings .* The angle is not finite\."):
        tune(SPACE, objective, trials=4)


def test_a_defect_of_the_objective_is_not_taken_for_a_bad_setting():
    with pytest.raises(ZeroDivisionError):
        tune(SPACE, lambda values: 1 / 0, trials=3)


def test_at_least_one_trial_is_needed():
    with pytest.raises(InputError, match="at least 1 trial"):
        tune(SPACE, hill, trials=0)


def test_nothing_is_written_to_the_terminal_and_the_level_is_put_back(capfd):
    before = optuna.logging.get_verbosity()
    tune(SPACE, hill, trials=3)
    assert capfd.readouterr() == ("", "")
    assert optuna.logging.get_verbosity() == before


def test_only_numbers_with_a_fraction_are_searched_within_a_quarter_and_four_times_their_default():
    given = {"c": 2.0, "phase": -0.5, "layers": 3, "entangle": True, "shift": 0.0, "axes": ["RX"], "kind": "ring"}
    assert space_of_map(given) == {"c": Real(0.5, 8.0, 2.0), "phase": Real(0.125, 2.0, 0.5)}


@dataclass
class StraightCompiler:
    """Compiles nothing: makes one circuit from the hyperparameters, and remembers what it was asked."""

    asked: list

    def compile(self, source, n_qubits, n_features, hyperparameters=None, *, seed=0):
        values = {"scale": 0.4, "shift": -0.4, "layers": 2} | dict(hyperparameters or {})
        self.asked.append(values)
        if values["scale"] > 1.2:
            raise RuleError([{"rule": "affine", "message": "Too large.", "mend": ""}])
        gates = [
            Gate("RY", (feature % n_qubits,), (Angle(((feature, values["scale"]),), values["shift"]),))
            for feature in range(n_features)
        ]
        circuit = Circuit(n_qubits, n_features, tuple(gates))
        return CompiledMap("Straight", source, circuit, values, 0, (n_qubits,), ())


def with_values(compiler):
    return partial(compiler.compile, "code", 3, 6)


def idle(compiler, source, split):
    compiled_with = partial(compiler.compile, source, 3, 6)
    return idle_constants(compiled_with, compiled_with(None), split)


@pytest.fixture(scope="module")
def split():
    return prepare_split(load_dataset("digits"), 6, 0, (150, 60, 60))


def test_a_map_is_tuned_and_its_signs_and_whole_numbers_are_kept(split):
    compiler = StraightCompiler([])
    found = tune_map(with_values(compiler), split, evaluations=12, seed=2)
    settings = compiler.asked[3:]
    assert all(one["layers"] == 2 and one["shift"] == -0.4 for one in settings)  # the shift cancels in the kernel
    assert all(0.1 <= one["scale"] <= 1.6 for one in settings)
    assert compiler.asked[0] == settings[0] == {"scale": 0.4, "shift": -0.4, "layers": 2}
    assert len(settings) == 12
    first = assess(compiler.compile("code", 3, 6).circuit, split)
    assert found.assessment.selection > first.selection
    assert found.compiled.circuit.affine()[0].max() == pytest.approx(found.compiled.hyperparameters["scale"])


def test_a_start_that_was_evaluated_before_is_not_evaluated_again(split):
    compiler = StraightCompiler([])
    found = tune_map(with_values(compiler), split, evaluations=5, known=(1.0, 0.5), seed=2)
    assert len(compiler.asked) == 3 + 5
    assert {"scale": 0.4, "shift": -0.4, "layers": 2} not in compiler.asked[1:]
    assert found.evaluations == 5


SOURCE = """\
import numpy as np
import pennylane as qml
from labwright.tools.feature_maps.base import BaseFeatureMap


class Twist(BaseFeatureMap):
    def __init__(self, n_qubits: int, scale: float = 1.0, turn: float = -0.5, layers: int = 2) -> None:
        super().__init__(n_qubits)
        self.scale, self.turn, self.layers = scale, turn, layers

    def feature_map(self, x: np.ndarray) -> None:
        for _ in range(self.layers):
            for feature in range(len(x)):
                qml.RY(self.scale * x[feature], wires=feature % self.n_qubits)
            for wire in range(self.n_qubits):
                qml.RX(self.turn, wires=wire)
"""


@pytest.mark.slow  # without the sandbox: above
def test_code_is_tuned_through_the_compiler_in_its_sandbox(split, compiler):
    found = tune_map(partial(compiler.compile, SOURCE, 3, 6), split, evaluations=4)
    values = found.compiled.hyperparameters
    assert set(values) == {"scale", "turn", "layers"}
    assert values["layers"] == 2
    assert -2.0 <= values["turn"] <= -0.125
    assert sum(gate.name == "RY" for gate in found.compiled.circuit.gates) == 12


@pytest.mark.slow
def test_only_constants_that_the_kernel_depends_on_are_tuned(split, compiler):
    source = SOURCE.replace("self.turn, wires", "self.turn + 0.0 * x[0], wires")
    assert idle(compiler, source, split) == []
    cancelling = source.replace("qml.RX", "qml.RY")  # now all rotations are about one axis
    assert idle(compiler, cancelling, split) == ["turn"]


def test_a_map_beyond_the_memory_limit_is_refused_before_it_is_compiled(split):
    compiler = StraightCompiler([])
    with pytest.raises(MemoryLimitError):
        tune_map(with_values(compiler), split, memory_mb=0.1)
    assert compiler.asked == []
