"""Whole searches with the rules: what they find, what they cost, how they end."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from searches import AFTER, Outcome, choices, clouds, completed, events, facts, notes, search, unfinished

from labwright.graphs.checkpoints import FILE
from labwright.graphs.feature_map_search.graph import Node, route
from labwright.graphs.feature_map_search.run_context import split_of
from labwright.graphs.feature_map_search.running import SearchRequest, resume, start
from labwright.graphs.feature_map_search.state import Phase
from labwright.tools.errors import InputError
from labwright.tools.feature_maps import search_without_graph
from labwright.tools.feature_maps.circuit import Circuit
from labwright.tools.feature_maps.classicality_check import depends_on_differences
from labwright.tools.feature_maps.kernel import kernel_matrix
from labwright.tools.feature_maps.svm_assessment import assess
from labwright.tools.runs.run import run_ids


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the runs that several tests look at."""
    folder = tmp_path_factory.mktemp("searches") / "runs"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def short(shared: Path) -> Outcome:
    """A search of one trial."""
    return search(shared, trials=1)


@pytest.fixture(scope="module")
def plain(shared: Path) -> Outcome:
    """The search as `choices` has it."""
    return search(shared)


def test_a_search_finds_a_map_and_compares_it(root: Path) -> None:
    outcome = completed(root, baselines=("linear", "rbf_default"), figures=True)
    result = outcome.result
    assert result["evaluations"] == 6  # four maps, and two settings of the best
    assert [row["name"].endswith("Tuned") for row in result["tried"]] == [False] * 4 + [True]
    assert set(result["baselines"]) == {"linear", "rbf_default"}
    assert [row["trial"] for row in result["trajectory"]] == [1, 2]
    assert result["ended"] == "All 2 trials are done."
    found = result["feature_map"]
    best = max(row["selection"] for row in result["tried"])
    assert found["selection"] == best
    for name in ("report.md", "feature_map.py", "circuit.json", "circuit.qasm", "figures/trajectory.png"):
        assert (outcome.run_dir / name).stat().st_size > 200, name
    listed = {item["path"] for item in outcome.document["artifacts"]}
    assert {"feature_map.py", "circuit.json", "data/candidates/1-1.json", "figures/kernel.png"} <= listed
    report = (outcome.run_dir / "report.md").read_text()
    assert found["name"] in report
    assert f"{result['test_accuracy']:.4f}" in report
    assert "One split of the data" in report


@pytest.mark.slow
def test_the_saved_pipeline_predicts_every_test_row_in_a_fresh_process(shared: Path, short: Outcome) -> None:
    seen = json.loads((short.run_dir / "data" / "test_predictions.json").read_bytes())
    code = (
        "import sys, json, numpy, labwright; X = numpy.load(sys.argv[1])['X'][json.loads(sys.argv[3])];"
        "print(json.dumps(labwright.load_pipeline(sys.argv[2]).predict(X).tolist()))"
    )
    command = [sys.executable, "-c", code, str(clouds(shared.parent)), str(short.run_dir / "pipeline")]
    done = subprocess.run([*command, json.dumps(seen["rows"])], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [int(seen["classes"][one]) for one in seen["predicted"]]
    right = [one == other for one, other in zip(seen["predicted"], seen["true"], strict=True)]
    assert sum(right) / len(right) == short.result["test_accuracy"]
    assert short.result["files"]["pipeline"] == "pipeline"


def test_the_numbers_are_those_of_the_circuit_on_file(shared: Path, short: Outcome) -> None:
    circuit = Circuit.from_json(json.loads((short.run_dir / "circuit.json").read_bytes()))
    assert circuit.digest() == short.result["feature_map"]["circuit"]["digest"]
    again = assess(circuit, split_of(choices(shared), "min-max"), seed=0)
    assert again.validation.accuracy == short.result["validation_accuracy"]
    assert again.selection == short.result["feature_map"]["selection"]
    classical = short.result["feature_map"]["shift_invariant"]
    assert classical == depends_on_differences(circuit)
    report = (short.run_dir / "report.md").read_text()
    assert ("Its kernel depends on differences of the features only" in report) == classical


@pytest.mark.slow
def test_the_landscape_shows_every_map_and_the_best_of_the_other_kind(root: Path) -> None:
    outcome = search(root, trials=2, ideas=3, figures=True)
    result = outcome.result
    front = [one for one in result["landscape"] if one["on_front"]]
    assert len(result["landscape"]) >= 6  # tuned constants make a map of their own
    assert max(one["selection"] for one in result["landscape"]) in {one["selection"] for one in front}
    assert all(one["geometric_difference"] > 0 and one["complexity"] > 0 for one in front)
    kinds = {one["shift_invariant"] for one in result["landscape"]}
    other = "noncommuting_map" if result["feature_map"]["shift_invariant"] else "commuting_map"
    assert (other in result["baselines"]) == (len(kinds) == 2)
    report = (outcome.run_dir / "report.md").read_text()
    assert "Where a quantum kernel could matter" in report
    assert (outcome.run_dir / "figures" / "front.png").stat().st_size > 5000


@pytest.mark.slow
def test_a_search_without_a_graph_finds_the_same_map(root: Path) -> None:
    theirs = search(root, trials=3, preparation="auto", baselines=()).result
    asked = choices(root, trials=3, preparation="auto")
    ours = search_without_graph.search(
        lambda scaling: split_of(asked, scaling), asked.qubits, asked.budget_of_evaluations
    )
    assert (ours.evaluations, ours.scaling) == (theirs["evaluations"], theirs["data"]["scaling"])
    assert ours.circuit.digest() == theirs["feature_map"]["circuit"]["digest"]
    assert ours.selection == theirs["feature_map"]["selection"]


@pytest.mark.slow
def test_commuting_maps_can_be_excluded(root: Path) -> None:
    outcome = completed(root, trials=2, ideas=3, allow="noncommuting")
    assert not any(one["shift_invariant"] for one in outcome.result["landscape"])
    refused = [row for row in outcome.result["tried"] if "differences of the features only" in row["reason"]]
    assert len(refused) + len(outcome.result["landscape"]) >= 6
    assert "commuting_map" not in outcome.result["baselines"]


def test_the_winning_class_runs_by_itself(shared: Path, short: Outcome) -> None:
    circuit = Circuit.from_json(json.loads((short.run_dir / "circuit.json").read_bytes()))
    samples = split_of(choices(shared), "min-max").train.X[:4]
    source = (short.run_dir / "feature_map.py").read_text()
    assert set(re.findall(r"^\s*(?:import|from) (\w+)", source, re.MULTILINE)) <= {"__future__", "numpy", "pennylane"}
    written: dict[str, Any] = {"__name__": "feature_map"}
    exec(compile(source, "feature_map.py", "exec"), written)
    assert short.result["feature_map"]["class_name"] in written
    ours = kernel_matrix(circuit, samples, precision="complex128")
    assert np.abs(written["kernel"](samples) - ours).max() < 1e-10


def test_one_seed_gives_one_result(root: Path, short: Outcome) -> None:
    assert facts(short.run_dir) == facts(search(root, trials=1).run_dir)


@pytest.mark.slow
def test_random_searches_of_two_seeds_differ(root: Path) -> None:
    """A graded search begins with the same maps for every seed."""
    drawn = [facts(search(root, seed=seed, strategy="random", trials=1, ideas=1).run_dir)["code"] for seed in (3, 4)]
    assert drawn[0] != drawn[1]


def test_the_test_part_is_opened_once_and_last(plain: Outcome) -> None:
    assert [step["what"] for step in notes(plain.run_dir)] == ["evaluation"] * 4 + AFTER
    assert unfinished(plain.run_dir) == []
    assert len(events(plain.run_dir, "revealed")) == 1
    kinds = [event["kind"] for event in events(plain.run_dir, "revealed") + events(plain.run_dir, "tried")]
    assert kinds == ["revealed"] + ["tried"] * 5


def test_an_idea_costs_six_supersteps_and_checkpoints_stay_small(plain: Outcome) -> None:
    with sqlite3.connect(plain.run_dir / FILE) as database:
        outer, largest = database.execute(
            "select count(*), max(length(checkpoint)) from checkpoints where checkpoint_ns = ''"
        ).fetchone()
        inner = database.execute("select count(*) from checkpoints where checkpoint_ns != ''").fetchone()[0]
    database.close()
    assert outer - 8 - 3 * 2 <= 5 * 4  # start and end, and propose, review, supervise of each trial; 4 ideas
    assert inner <= 3 * 4
    assert largest < 8000


@pytest.mark.slow
def test_an_equal_circuit_is_not_evaluated_twice(root: Path) -> None:
    outcome = search(root, trials=3, ideas=4, qubits=2, features=1)
    repeated = [row for row in outcome.result["tried"] if "numbers are from there" in row["reason"]]
    fresh = [row for row in outcome.result["tried"] if row["cost"] == 1]
    digests = [
        json.loads((outcome.run_dir / row["file"]).read_bytes())["digest"]
        for row in outcome.result["tried"]
        if row["outcome"] == "evaluated" and row["cost"] < 2
    ]
    assert len(fresh) == len(set(digests))
    assert outcome.result["evaluations"] == outcome.result["budget"]  # what repeated maps saved tuned the best
    assert len(fresh) + len(repeated) == len(digests)


@pytest.mark.parametrize("limit", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_evaluations_end_a_search_exactly(root: Path, limit: int) -> None:
    outcome = completed(root, trials=9, evaluations=limit)
    assert outcome.result["evaluations"] == limit
    assert outcome.result["ended"] == f"All {limit} evaluations are spent."
    assert outcome.result["test_accuracy"] is not None


def test_a_budget_of_time_stops_with_everything_kept_and_more_time_goes_on(root: Path, plain: Outcome) -> None:
    stopped = search(root, budget="seconds=0.001")
    assert stopped.status == "stopped"
    assert "seconds" in stopped.reason
    assert events(stopped.run_dir, "revealed") == []
    ended = resume(stopped.run_id, root, budget="seconds=600")
    assert ended.status == "complete"
    assert ended.result["feature_map"] == plain.result["feature_map"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"dataset": "nothing"}, "nothing"),
        ({"features": 9}, "9"),
        ({"baselines": ("rbf_defualt",)}, "rbf_default"),
        ({"papers": "/nowhere"}, "no folder"),
        ({"memory_mb": 0.01}, "MB"),
    ],
)
def test_what_cannot_work_is_said_before_a_run_is_made(root: Path, more: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        start(SearchRequest(choices=choices(root, **more)), root)
    assert run_ids(root) == []


@pytest.mark.parametrize("qubits", [0, 1, 21, 30])
def test_qubits_are_between_2_and_20(root: Path, qubits: int) -> None:
    with pytest.raises(ValueError, match="qubits"):
        choices(root, qubits=qubits)


def test_paths_are_made_whole(root: Path, tmp_path: Path) -> None:
    clouds(tmp_path)
    assert choices(root, dataset="clouds.npz").dataset == str(tmp_path / "clouds.npz")
    assert choices(root, dataset="mnist:images").dataset == f"mnist:{tmp_path / 'images'}"
    assert choices(root, dataset="digits").dataset == "digits"


def test_a_preparation_is_chosen_inside_the_budget_and_test_samples_may_come_from_a_file(
    root: Path, tmp_path: Path
) -> None:
    random = np.random.default_rng(1)
    y = np.arange(30) % 3
    centres = np.load(clouds(root.parent))["X"][:3]
    np.savez(tmp_path / "later.npz", X=centres[y] + random.normal(size=(30, 8)), y=y)
    outcome = completed(root, preparation="auto", trials=1, ideas=1, evaluations=10, test=str(tmp_path / "later.npz"))
    chosen = json.loads((outcome.run_dir / "data/preparation.json").read_bytes())
    assert outcome.result["data"]["scaling"] == chosen["scaling"] == max(chosen["scores"], key=chosen["scores"].get)
    assert outcome.result["evaluations"] <= 10
    assert outcome.result["data"]["n_test"] == 30
    assert outcome.result["data"]["n_train"] + outcome.result["data"]["n_validation"] == 120
    with pytest.raises(ValueError, match="spends 8 evaluations, and 8 are allowed"):
        choices(root, preparation="auto", evaluations=8)
    with pytest.raises(InputError, match="has no official test samples"):
        search(root, test="official")


@pytest.mark.parametrize("phase", get_args(Phase))
def test_every_phase_has_a_node_and_an_open_question_goes_to_the_person(phase: Phase) -> None:
    assert route({"phase": phase}) in get_args(Node)
    assert route({"phase": phase, "question": {"purpose": "idea"}}) == "ask"
