"""Every criterion of the dynamics tasks is met by a right workspace and can fail on a wrong one."""

from copy import deepcopy
from functools import cache

import forge_right
import pytest
from forge_workspaces import SPOILERS, made, record, write

from labwright.evaluation.forge.grading import COMPUTED, grade, graded
from labwright.evaluation.forge.tasks import load_tasks
from labwright.evaluation.forge.workspace_contents import read_workspace

# Some by default, all where slow tests run.
RIGHT = [name if n % 3 == 0 else pytest.param(name, marks=pytest.mark.slow) for n, name in enumerate(forge_right.RIGHT)]
TASKS = {task.name: task for task in (*load_tasks("dynamics"), *load_tasks("chemistry"))}


@cache
def right(name):
    return forge_right.RIGHT[name]()


def scores(name, workspace, folder):
    found = COMPUTED[name](read_workspace(write(workspace, folder)))
    return {f"{k} {one.name} {one.demand}": one for k, one in enumerate(found)}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_workspace_meets_everything(name, tmp_path):
    found = grade(TASKS[name], write(right(name), tmp_path / "w"))
    assert [(one.name, one.found) for one in found.criteria if one.score < 1] == []
    assert found.score == pytest.approx(1.0)
    assert found.right


def test_a_task_that_is_refused_has_solved_nothing(tmp_path):
    name = "dynamics/05_open_qubit"
    folder = write(right(name), tmp_path / "w")
    assert graded(TASKS[name], folder, "complete").right
    found = graded(TASKS[name], folder, "refused", "no card says this")
    assert (found.score, found.right) == (0, False)


# Demands that no general spoiler reaches, and how to break them.
def _period(workspace):
    workspace["records"][0]["axes"][0]["values"][-1] = 12.0


def _half_the_shots(workspace):
    for one in workspace["records"]:
        if one["quantity"] == "counts":
            one["value"] = {bits: n // 2 for bits, n in one["value"].items()}


def _wrong_bits(workspace):
    for one in workspace["records"]:
        if one["quantity"] == "counts":
            one["value"] = {"01" if bits == "11" else bits: n for bits, n in one["value"].items()}


def _one_size(workspace):
    workspace["records"] = [one for one in workspace["records"] if one["labels"].get("N") != 21]


def _others_distances(workspace):
    workspace["records"][0]["axes"][0]["values"] = [v + 0.01 for v in workspace["records"][0]["axes"][0]["values"]]


def _warm_is_cold(workspace):
    warm, cold = workspace["records"]
    warm["value"], cold["value"] = cold["value"], warm["value"]


def _decaying(workspace):
    for one in workspace["records"]:
        if one["labels"].get("evolution") == "unitary":
            one["value"] = [v * 0.99**k for k, v in enumerate(one["value"])]


def _stays(workspace):
    for one in workspace["records"]:
        one["value"] = [[1.0] + 6 * [0.0] for _ in one["value"]]


OWN = {
    "dynamics/01_bell_state": [_half_the_shots, _wrong_bits],
    "dynamics/11_noisy_bell": [_half_the_shots],
    "dynamics/02_h2_vqe": [_others_distances],
    "dynamics/05_open_qubit": [_decaying],
    "dynamics/06_fmo_heom": [_warm_is_cold, _stays],
    "dynamics/08_kicked_ising": [_period],
    "dynamics/10_cluster_string_order": [_one_size],
}


@pytest.mark.parametrize("name", RIGHT)
def test_every_criterion_can_fail_on_values_that_are_there(name, tmp_path):
    left = set(scores(name, right(name), tmp_path / "right"))
    spoilers = {**SPOILERS, **{spoiler.__name__: _applied(spoiler) for spoiler in OWN.get(name, [])}}
    for number, spoil in enumerate(spoilers.values()):
        found = scores(name, spoil(right(name)), tmp_path / str(number))
        left -= {key for key, one in found.items() if one.score < 1}
    assert left == set()


def _applied(spoiler):
    def spoil(workspace):
        wrong = deepcopy(workspace)
        spoiler(wrong)
        return wrong

    return spoil


@pytest.mark.parametrize("name", TASKS)
def test_an_empty_workspace_meets_nothing(name, tmp_path):
    for one in grade(TASKS[name], write(made([], []), tmp_path / "w")).criteria:
        assert one.score < 0.6, one.demand  # a charge of an ion cannot be seen to be missing
        assert one.found


def test_a_broken_results_file_is_said(tmp_path):
    folder = write(made([], []), tmp_path / "w")
    (folder / "results.json").write_text('{"records": 3}')
    workspace = read_workspace(folder)
    assert "records" in workspace.problem
    assert all("results.json" in one.found for one in COMPUTED["dynamics/05_open_qubit"](workspace))


def test_literal_noise_that_follows_no_model_fails(tmp_path):
    workspace = deepcopy(right("dynamics/11_noisy_bell"))
    for one in workspace["records"]:
        if one["labels"].get("observable") == "XX" and one["labels"].get("noise") == 0.2:
            one["value"] += 0.12
    found = scores("dynamics/11_noisy_bell", workspace, tmp_path / "w")
    assert next(one for key, one in found.items() if " C3 " in key).score == 0


@pytest.mark.parametrize("noise_on", ["cnot", "preparation", "state", "all gates"])
def test_each_place_of_the_noise_is_accepted(noise_on, tmp_path):
    found = scores("dynamics/11_noisy_bell", forge_right.noisy_bell(noise_on), tmp_path / "w")
    assert {key: one.found for key, one in found.items() if one.score < 1} == {}


def test_both_energy_conventions_of_the_hubbard_chain_are_accepted(tmp_path):
    workspace = deepcopy(right("dynamics/03_hubbard_gibbs"))
    energy = workspace["records"][0]
    energy["value"] = [value - 2 for value in energy["value"]]
    workspace["figures"]["figure_0"]["panels"][0]["series"][0]["y"] = energy["value"]
    wrong = scores("dynamics/03_hubbard_gibbs", workspace, tmp_path / "unsaid")
    assert any(one.score < 1 for one in wrong.values())
    workspace["parameters"]["energy_convention"] = "grand"
    found = scores("dynamics/03_hubbard_gibbs", workspace, tmp_path / "said")
    assert {key: one.found for key, one in found.items() if one.score < 1} == {}


def test_reported_fidelity_without_the_pulses_to_it_is_worth_nothing(tmp_path):
    workspace = deepcopy(right("dynamics/07_grape_lambda"))
    workspace["records"][0]["value"] = [0.01] * 3000
    found = scores("dynamics/07_grape_lambda", workspace, tmp_path / "w")
    assert next(one for key, one in found.items() if " C1 " in key).score == 0


def test_site_by_site_records_are_read_as_one_array(tmp_path):
    workspace = deepcopy(right("dynamics/08_kicked_ising"))
    [whole] = workspace["records"]
    columns = list(zip(*whole["value"], strict=True))
    periods = {"period": whole["axes"][0]["values"]}
    workspace["records"] = [record("magnetisation", list(c), periods, axis="z", site=k) for k, c in enumerate(columns)]
    found = scores("dynamics/08_kicked_ising", workspace, tmp_path / "w")
    assert {key: one.found for key, one in found.items() if one.score < 1} == {}
