"""Graders of our own tasks: right workspaces meet them, each criterion can fail; honest ends; the driven chain."""

from copy import deepcopy
from functools import cache

import forge_right_own
import numpy as np
import pytest
from forge_workspaces import SPOILERS, lines, made, record, write

from labwright.evaluation.forge.accuracy.floquet import EPSILONS, LITERAL, PULSES, averaged
from labwright.evaluation.forge.grading import Ended, grade, graded
from labwright.evaluation.forge.tasks import SETS, load_tasks

TASKS = {task.name: task for one in (*SETS, "sealed2") for task in load_tasks(one)}


@cache
def right(name):
    return forge_right_own.RIGHT[name]()


def scores(name, workspace, folder):
    found = grade(TASKS[name], write(workspace, folder)).criteria
    return {f"{k} {one.name}": one for k, one in enumerate(found) if not one.name.startswith("M")}


@pytest.mark.parametrize("name", forge_right_own.RIGHT)
def test_a_right_workspace_meets_everything(name, tmp_path):
    found = grade(TASKS[name], write(right(name), tmp_path / "w"))
    assert [(one.name, one.found) for one in found.criteria if one.score < 1] == []
    assert found.right


def _swapped_groups(workspace):
    for one in workspace["records"]:
        if one["quantity"] == "point_group":
            one["value"] = "C1"


@pytest.mark.parametrize("name", forge_right_own.RIGHT)
def test_every_criterion_can_fail_on_values_that_are_there(name, tmp_path):
    left = set(scores(name, right(name), tmp_path / "right"))
    for number, spoil in enumerate([*SPOILERS.values(), _regrouped]):
        found = scores(name, spoil(right(name)), tmp_path / str(number))
        left -= {key for key, one in found.items() if one.score < 1}
    assert left == set()


def _regrouped(workspace):
    wrong = deepcopy(workspace)
    _swapped_groups(wrong)
    return wrong


@pytest.mark.parametrize("name", forge_right_own.RIGHT)
def test_another_package_than_the_named_one_costs_the_methodology(name, tmp_path):
    other = {**right(name), "packages": ["numpy"], "script": "import numpy\nnumpy.array([1])\n"}
    found = grade(TASKS[name], write(other, tmp_path / "w"))
    if any(one.name == "M1" for one in found.criteria):
        assert found.methodology == 0
        assert not found.right


HONEST = [task for task in TASKS.values() if task.outcome != "solve"]


@pytest.mark.parametrize("task", HONEST, ids=lambda task: task.name)
def test_an_honest_end_has_to_say_why(task, tmp_path):
    words = {
        "sealed2/10_orbiting_bodies": "No kind of card knows gravity.",
        "sealed2/11_miscounted_register": "There are five qubits, but X5 acts on a sixth.",
        "sealed2/12_unnamed_rates": "Which decay rate is meant? None is given.",
    }.get(task.name, "No recipe for this.")
    assert graded(task, tmp_path, Ended("refused", words)).right
    assert graded(task, tmp_path, Ended("stopped", words, asked=True)).right
    for wrong in (Ended("complete", words), Ended("failed", words), Ended("refused", ""), Ended("stopped", "killed")):
        assert not graded(task, tmp_path, wrong).right
    assert graded(task, tmp_path, Ended("complete", "")).score == 0


@pytest.mark.parametrize("name", ["sealed2/11_miscounted_register", "sealed2/12_unnamed_rates"])
def test_a_refusal_for_another_reason_is_not_right(name, tmp_path):
    assert not graded(TASKS[name], tmp_path, Ended("refused", "No recipe for: plots of publication quality.")).right


def test_a_solvable_task_that_is_refused_has_solved_nothing(tmp_path):
    folder = write(right("studies/02_rubidium_qubit"), tmp_path / "w")
    assert graded(TASKS["studies/02_rubidium_qubit"], folder, Ended("complete")).right
    found = graded(TASKS["studies/02_rubidium_qubit"], folder, Ended("refused", "no recipe"))
    assert found.score == 0
    assert not found.right


def driven(tau, parameters):
    """A driven chain of ten, five realisations, exact."""
    disorder, bulk = np.random.default_rng(1).uniform(-2, 2, (5, 10)), [2, 3, 4, 5, 6, 7]
    records = [record("disorder", disorder, {"realisation": range(5), "site": range(10)})]
    curves, entropies = {}, {}
    for epsilon in EPSILONS:
        x, s = averaged(disorder, epsilon, tau, bulk)
        curves[str(epsilon)], entropies[str(epsilon)] = x, s
        records.append(record("magnetisation", x, {"period": range(51)}, axis="x", epsilon=epsilon))
        records.append(record("entropy", s, {"period": range(51)}, cut="middle", epsilon=epsilon))
    parameters = {"bulk": bulk, "magnetisation_operator": "Sx", **parameters}
    return made(records, [lines(curves, entropies, x=range(51))], parameters)


@pytest.mark.slow
def test_driven_chain_literal_and_with_stated_pulses(tmp_path):
    name = "dynamics/09_floquet_tdmrg"
    literal = driven(LITERAL, {})
    assert {k: one.found for k, one in scores(name, literal, tmp_path / "right").items() if one.score < 1} == {}
    pulses = driven(PULSES["y pulse of pi"], {})
    unsaid = scores(name, pulses, tmp_path / "unsaid")
    assert [key for key, one in unsaid.items() if one.score < 1] == ["6 I3"]
    pulses["parameters"]["convention"] = "y pulse of pi"
    assert all(one.score == 1 for one in scores(name, pulses, tmp_path / "said").values())
    left = set(unsaid) - {"6 I3"}
    for number, spoil in enumerate([*SPOILERS.values(), _unflipped]):
        wrong = spoil(literal)
        wrong["records"][0] = literal["records"][0]  # the disorder stays: other ones only cost time
        left -= {key for key, one in scores(name, wrong, tmp_path / str(number)).items() if one.score < 1}
    assert left == set()
    other = deepcopy(literal)
    other["records"][0]["value"][0][0] = 2.5  # beyond W
    assert scores(name, other, tmp_path / "disorder")["7 I4"].score == 0


def _unflipped(workspace):
    wrong = deepcopy(workspace)
    for one in wrong["records"]:
        if one["quantity"] == "magnetisation":
            one["value"] = [0.5 * 0.9**k for k in range(51)]
    return wrong
