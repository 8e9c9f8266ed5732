"""The published data sets: one process opens the test file, once; the table holds the published scores."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from labwright.evaluation.qml_benchmarks import COLUMNS, SUITE
from labwright.evaluation.runner import Context
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.feature_maps.recipe import circuit_of
from labwright.tools.runs.hashed_files import to_json

WATCHED = """
import runpy, sys
opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
sys.argv = ["qml_benchmarks", sys.argv[1]]
runpy.run_module("labwright.evaluation.qml_benchmarks", run_name="__main__")
print(sum(name.endswith("set_test.csv") for name in opened))
"""


@pytest.mark.slow
def test_the_test_file_is_opened_once_by_the_process_that_predicts(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for part, count in (("train", 60), ("test", 20)):
        y = np.arange(count) % 2
        X = rng.normal(size=(count, 3)) + 3 * y[:, None]
        np.savetxt(tmp_path / f"set_{part}.csv", np.column_stack([X, y]), delimiter=",")
    circuit = circuit_of(plain_recipe(scale=2.0), 3, 3).to_json()
    chosen = {
        "data": str(tmp_path / "set"), "seed": 0, "map": {"scaling": "min-max", "C": 1.0, "circuit": circuit},
        "methods": {"standard_linear": {"C": 1.0}},
    }  # fmt: skip
    (tmp_path / "chosen.json").write_bytes(to_json(chosen))
    ended = subprocess.run(
        [sys.executable, "-c", WATCHED, str(tmp_path)], capture_output=True, text=True, check=True, timeout=600
    )
    assert ended.stdout.strip() == "1"
    tested = json.loads((tmp_path / "tested.json").read_bytes())
    for labels in (tested["map"], tested["methods"]["standard_linear"]):
        assert np.mean(np.array(labels) == np.array(tested["true"])) > 0.8


def test_the_published_scores_stand_in_the_table_and_mnist_is_said_either_way(tmp_path: Path) -> None:
    row = {
        "case": "mnist_pca_10d_250 0", "seed": 0, "test": 0.948, "against": {"standard_rbf": [6, 3, 0.5]},
        "published_scores": {"SVC": 0.944, "IQPKernelClassifier": 0.952, "MLPClassifier": 0.97},
    }  # fmt: skip
    said = SUITE.summarise([row], Context({}, tmp_path))
    [shown] = said["table"]
    assert {"published SVC", "published kernel", "best published"} < set(COLUMNS)
    assert shown["published SVC"] == "0.944"
    assert shown["published kernel"] == "0.952 IQPKernelClassifier"
    assert shown["best published"] == "0.970 MLPClassifier"
    assert any("0.952 (best published quantum kernel) is not reached" in note for note in said["notes"])
    assert any("map against standard_rbf +6 -3 p 0.5" in note for note in said["notes"])
