"""``labwright search``: what it prints, writes and leaves with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from searches import clouds
from typer.testing import CliRunner, Result

from labwright.apps.cli import app
from labwright.apps.search_progress import TrialTable
from labwright.apps.search_summary import OURS, over_seeds
from labwright.tools.errors import SandboxUnavailableError
from labwright.tools.runs import open_run, run_ids

SMALL = ("--qubits", "3", "--features", "6", "--trials", "2", "--baseline", "rbf_default")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "runs"))
    monkeypatch.delenv("LABWRIGHT_MODEL", raising=False)
    clouds(tmp_path)
    return tmp_path


def command(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def test_a_search_prints_tables_and_leaves_files(folder: Path) -> None:
    said = command("search", "--dataset", "clouds.npz", *SMALL, "--out", "out", "--json", "result.json")
    assert said.exit_code == 0, said.output
    assert "trial 2 of 2" in said.stderr
    assert "selection" in said.stderr
    assert "RBF, default" in said.stdout
    document = json.loads((folder / "result.json").read_text())
    assert (document["system"], document["status"]) == ("feature_map_search", "complete")
    result = document["result"]
    assert result["feature_map"]["name"] in said.stdout
    assert f"{result['test_accuracy']:.4f}" in said.stdout
    for name in ("report.md", "feature_map.py", "circuit.json", "circuit.qasm", "figures/trajectory.png", "pipeline"):
        assert (folder / "out" / name).exists(), name

    shown = command("runs", "show", "latest")
    assert shown.exit_code == 0, shown.output
    assert all(row["name"] in shown.stdout for row in result["tried"][:4])
    assert "RBF, default" in shown.stdout


@pytest.mark.slow  # the mean by itself is below
def test_seeds_are_runs_of_their_own_with_mean_and_spread(folder: Path) -> None:
    one = ("--ideas", "1", "--trials", "1")
    said = command("search", "--dataset", "clouds.npz", *SMALL, *one, "--seeds", "2", "--json", "result.json", "-q")
    assert said.exit_code == 0, said.output
    assert "±" in said.stdout
    result = json.loads((folder / "result.json").read_text())["result"]
    runs = [open_run(folder / "runs", name) for name in result["runs"]]
    assert [run.record.seed for run in runs] == [0, 1]
    tests = [json.loads((run.folder / "result.json").read_text())["result"]["test_accuracy"] for run in runs]
    assert result["kernels"][OURS]["test"] == pytest.approx(sum(tests) / 2)
    assert result["kernels"][OURS]["tests"] == tests


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--qubits", "0"), "qubits"),
        (("--qubits", "30"), "qubits"),
        (("--dataset", "nothing"), "nothing"),
        (("--dataset", "absent.npz"), "absent.npz"),
        (("--dataset", "clouds.npz", "--features", "50"), "50"),
        (("--dataset", "clouds.npz", "--baseline", "best"), "best"),
        (("--dataset", "clouds.npz", "--memory-mb", "0.01"), "MB"),
        (("--strategy", "lucky"), "strategy"),
        (("--budget", "hope=1"), "hope"),
    ],
)
def test_bad_input_is_one_line_and_makes_no_run(folder: Path, words: tuple[str, ...], says: str) -> None:
    said = command("search", *words)
    assert said.exit_code == 2, said.output
    assert says in said.stderr
    assert len(said.stderr.strip().splitlines()) == 1
    assert run_ids(folder / "runs") == []


def test_without_a_sandbox_nothing_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(**given: object) -> None:
        raise SandboxUnavailableError("Nothing here confines. Install bubblewrap.")

    monkeypatch.setattr("labwright.tools.sandbox.open_sandbox", nothing)
    monkeypatch.setattr("labwright.graphs.feature_map_search.sandboxed_compiler_pool.CONFINED._open", {})
    said = command("search", "--dataset", "clouds.npz", *SMALL)
    assert said.exit_code == 4, said.output
    assert "Install bubblewrap" in said.stderr


def test_a_vetoed_search_of_nothing_has_failed(folder: Path) -> None:
    one = ("--ideas", "1", "--trials", "1")
    command("search", "--dataset", "clouds.npz", *SMALL, *one, "--approve", "always", "-q")
    done = command("runs", "resume", "latest", "--answer", "idea 1-1=veto")
    assert done.exit_code == 1, done.output
    assert "No feature map could be evaluated" in done.stdout


def test_the_mean_is_paired_by_seed() -> None:
    def one(ours: float, theirs: float) -> dict[str, object]:
        baseline = {"validation_accuracy": 0.9, "test_accuracy": theirs}
        data = {"n_train": 600, "n_test": 200}
        return {
            "validation_accuracy": 0.95,
            "test_accuracy": ours,
            "baselines": {"rbf_default": baseline},
            "data": data,
        }

    found = over_seeds([one(0.95, 0.94), one(0.97, 0.95)])
    assert found["kernels"][OURS]["test"] == pytest.approx(0.96)
    assert found["kernels"][OURS]["test_std"] == pytest.approx(0.02 / 2**0.5)
    assert found["differences"]["rbf_default"]["points"] == pytest.approx(1.5)
    assert found["differences"]["rbf_default"]["error"] == pytest.approx(0.5 * (1 + 2 / 3) ** 0.5)
    assert over_seeds([one(0.95, 0.94)])["differences"]["rbf_default"]["error"] is None


def test_the_table_is_made_of_events_alone() -> None:
    table = TrialTable()
    tried = {"kind": "tried", "trial": 1, "outcome": "evaluated", "validation": 0.9, "reason": "", "seconds": 1.0}
    events = [
        {"kind": "trial_started", "trial": 1, "of": 4},
        {"kind": "proposed", "trial": 1, "names": ["A", "B"]},
        {**tried, "name": "A", "selection": 0.8},
        {**tried, "name": "B", "selection": None, "validation": None, "outcome": "illegal", "reason": "[bold]x**2"},
    ]
    for now, event in enumerate(events):
        assert table.hear(event, float(now)) == []
    assert [row.leads for row in table.rows] == [True, False]
    assert [row.took for row in table.rows] == [2.0, 1.0]
    assert table.done == 0.25
    ended = table.hear({"kind": "reviewed", "trial": 1}, 5.0)
    assert [row.name for row in ended] == ["A", "B"]
