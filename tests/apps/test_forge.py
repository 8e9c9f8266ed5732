"""``labwright forge`` and ``labwright toolset``: what they print, write and leave with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from labwright.apps.cli import app
from labwright.apps.forge_progress import StepTable
from labwright.tools.forge.toolset.builtin_tools import Toolbox
from labwright.tools.runs import run_ids
from labwright.tools.specifications.examples import example


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABWRIGHT_RUNS", "runs")  # relative, as it is for who sets nothing
    monkeypatch.delenv("LABWRIGHT_MODEL", raising=False)
    (tmp_path / "question.md").write_text("# Drag\n\nCompute the aerodynamic drag of a golf ball at 60 m/s.\n")
    (tmp_path / "card.yaml").write_text(example("task", "circuit"))
    return tmp_path


def command(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing.md"], "cannot be read"),
        ([""], "empty"),
        (["question.md", "--mode", "guess"], "mode"),
        (["question.md", "--iterations", "0"], "iterations"),
        (["question.md", "--input", "absent.xyz"], "absent.xyz"),
        (["question.md", "--budget", "tokens=many"], "budget"),
    ],
)
def test_bad_input_leaves_with_2_and_makes_no_run(folder: Path, words: list[str], said: str) -> None:
    found = command("forge", *words)
    assert found.exit_code == 2, found.output
    assert said in found.output.lower()
    assert "Traceback" not in found.output
    assert run_ids(folder / "runs") == []


def test_two_inputs_of_one_name_are_told_apart(folder: Path) -> None:
    for place in ("inputs", "other"):
        (folder / place).mkdir()
        (folder / place / "a.xyz").write_text(place)
    found = command("forge", "question.md", "--input", "other/a.xyz")
    assert found.exit_code == 2
    assert "Two input files are called 'a.xyz'" in found.output


def test_words_without_a_model_are_handed_back(folder: Path) -> None:
    found = command("forge", "question.md", "--json", "result.json", "-q")
    assert found.exit_code == 2, found.output
    document = json.loads((folder / "result.json").read_text())
    assert document["status"] == "refused"
    assert "labwright new task " in document["reason"]
    assert document["result"]["criteria"] == []


@pytest.mark.slow
def test_a_direct_run_prints_what_holds_and_leaves_files(folder: Path) -> None:
    found = command("forge", "card.yaml", "--mode", "direct", "--out", "out", "--json", "result.json")
    assert found.exit_code == 0, found.output
    assert "COMPLETE" in found.stdout
    assert "checks hold" in found.stdout
    assert "evaluation" in found.stderr
    document = json.loads((folder / "result.json").read_text())
    assert document["result"]["score"] == 1.0
    assert document["result"]["tools_forged"] == []
    for name in ("report.md", "results.json"):
        assert (folder / "out" / name).exists(), name
    assert command("runs", "show", "latest").exit_code == 0


def test_a_toolset_that_is_none_says_how_to_begin_one(folder: Path) -> None:
    found = command("toolset", "list", "--toolset", "nowhere")
    assert found.exit_code == 2
    assert "There is no toolset" in found.output


@pytest.mark.slow  # quick: tests/tools/forge/toolset
def test_a_tool_of_ones_own_comes_through_the_gate_into_the_toolset(folder: Path) -> None:
    name = "normal_mode_displacement"
    shutil.copytree(Toolbox().places[name], folder / "mine")
    (folder / "kept").mkdir()
    added = command("toolset", "add", f"mine/{name}.py", "--toolset", "kept")
    assert (added.exit_code, f"tools.{name}, version 1" in added.output) == (0, True), added.output
    assert name in command("toolset", "list", "--toolset", "kept").output
    record = folder / "kept" / ".forge" / name / "record.json"
    kept = json.loads(record.read_text())
    kept["report"]["versions"]["numpy"] = "1.0"
    record.write_text(json.dumps(kept))
    assert f"{name}: admitted with numpy 1.0 (here " in command("toolset", "list", "--toolset", "kept").output
    assert command("toolset", "check", name, "--toolset", "kept").exit_code == 0
    assert "admitted with" not in command("toolset", "list", "--toolset", "kept").output
    (folder / "mine" / f"test_{name}.py").write_text("def test_nothing():\n    pass\n")
    refused = command("toolset", "add", f"mine/{name}.py")
    assert (refused.exit_code, "REFUSED" in refused.output) == (1, True), refused.output
    assert "There is no" in command("toolset", "add", "absent.py").output


def test_the_table_follows_events_and_goes_on_after_a_restart() -> None:
    table = StepTable()
    heard = [
        {"kind": "analysing", "iteration": 1},
        {"kind": "analysed", "iteration": 1, "reuse": ["a"], "new": ["b"]},
        {"kind": "tool_begun", "tool": "b", "edit": False},
        {"kind": "tool_begun", "tool": "b", "edit": False},
        {"kind": "admitted", "tool": "b", "mutants": {"killed": 7, "total": 9}},
        {"kind": "tool_begun", "tool": "c", "edit": False},
        {"kind": "tool_refused", "tool": "c", "findings": ["No unit.", "No test."]},
    ]
    ended = [row for second, event in enumerate(heard) if (row := table.hear(event, float(second))) is not None]
    assert [(row.what, row.name, row.state, row.note) for row in ended] == [
        ("analysis", "iteration 1", "done", "1 reused, 1 to be made"),
        ("tool", "b", "admitted", "7 of 9 mutants seen by its tests"),
        ("tool", "c", "refused", "No unit. No test."),
    ]
    assert [row.took for row in ended] == [1.0, 2.0, 1.0]
