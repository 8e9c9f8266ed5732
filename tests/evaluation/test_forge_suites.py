"""Suites of forging with a stand-in for the run: rows, modes, the curriculum, what is kept, and the tables."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from forge_right import open_qubit
from forge_workspaces import made, write

from labwright.evaluation import suites as all_suites
from labwright.evaluation.forge import running, suites
from labwright.evaluation.forge.running import Setting, run_task
from labwright.evaluation.forge.tasks import Task, load_tasks
from labwright.graphs.running import Outcome
from labwright.graphs.tool_forging.choices import Choices
from labwright.graphs.tool_forging.running import ForgeRequest, start
from labwright.tools.errors import InputError
from labwright.tools.runs.run import create_run
from labwright.tools.specifications.examples import KINDS, example
from labwright.tools.specifications.task import FREE

TASK = next(task for task in load_tasks("dynamics") if "open_qubit" in task.name)
USAGE = {"total": {"calls": 3, "input_tokens": 20, "output_tokens": 5, "cost": 0.01}}


class StandIn:
    """Runs nothing: leaves a workspace, and says how it ended."""

    def __init__(self, workspace, status="complete", reason=""):
        self.workspace, self.status, self.reason, self.requests = workspace, status, reason, []

    def __call__(self, request, root):
        self.requests.append(request)
        run = create_run(root, "tool_forging", request.text, request.choices.model_dump(), request.choices.seed)
        write(self.workspace, run.folder / "workspace")
        result = {
            "seconds": {"execution": 4.0}, "iterations": 2, "tools_forged": ["a", "b"], "tools_used": ["a"],
            "tools_unused": ["b"], "tools_edited": [], "sandbox_level": "bwrap",
        }  # fmt: skip
        document = {"seconds": 10.0, "usage": USAGE, "result": result}
        return Outcome(run.run_id, self.status, self.reason, result, [], run.folder, document)


def test_a_row_holds_score_time_apart_from_the_science_and_tools(tmp_path):
    row = run_task(TASK, 1, Setting(), tmp_path, StandIn(open_qubit()))
    assert row["passed"]
    assert row["score"] == pytest.approx(1.0)
    assert (row["seconds"], row["science_seconds"], row["other_seconds"]) == (10.0, 4.0, 6.0)
    assert (row["calls"], row["tokens"], row["iterations"]) == (3, 25, 2)
    assert (row["made"], row["used"], row["unused"], row["edited"]) == (2, 1, 1, 0)
    assert row["faults"] == ""


def test_a_wrong_result_names_every_fault(tmp_path):
    row = run_task(TASK, 0, Setting(), tmp_path, StandIn(made([], [])))
    assert not row["passed"]
    assert row["score"] == 0
    assert "C1" in row["faults"]
    assert "M3" in row["faults"]


def test_rules_run_the_card_and_a_model_reads_the_words(tmp_path):
    begin = StandIn(open_qubit())
    run_task(TASK, 0, Setting(), tmp_path / "a", begin)
    run_task(TASK, 0, Setting(mind="openai:some"), tmp_path / "b", begin)
    assert [request.text for request in begin.requests] == [TASK.card, TASK.text]


def test_a_reused_toolset_is_copied_and_a_growing_one_is_not(tmp_path):
    toolset = tmp_path / "toolset"
    toolset.mkdir()
    (toolset / "INDEX.md").write_text("x")
    begin = StandIn(open_qubit())
    run_task(TASK, 0, Setting("reuse", "rules", str(toolset)), tmp_path / "a", begin)
    run_task(TASK, 0, Setting("forge", "rules", str(toolset), grows=True), tmp_path / "b", begin)
    copied, grown = (request.choices.toolset for request in begin.requests)
    assert copied != str(toolset)
    assert (tmp_path / "a" / "toolset" / "INDEX.md").read_text() == "x"
    assert grown == str(toolset)
    assert [request.choices.mode for request in begin.requests] == ["reuse", "forge"]


@pytest.fixture
def instant(monkeypatch):
    """Every task is done at once; the first time it makes a tool, later none. Hears the settings."""
    heard = []

    def fake(task, repeat, setting, folder):
        known = {name for name, _, _ in heard}
        heard.append((task.name, repeat, setting))
        made_now = 0 if task.name in known or setting.mode == "reuse" else 1
        row = {"task": task.name, "repeat": repeat, "mode": setting.mode, "status": "complete", "passed": True}
        seconds = {"seconds": 3.0 + 6 * made_now, "science_seconds": 2.0, "other_seconds": 1.0 + 6 * made_now}
        return {**row, "score": 1.0, **seconds, "made": made_now, "unused": 0, "tools_made": made_now}

    monkeypatch.setattr(suites, "run_task", fake)
    return heard


def test_every_task_is_repeated_with_its_own_seed(instant):
    result = all_suites.run("forge-dynamics", tasks=["05", "06"], repeats=2)
    assert [(name, repeat) for name, repeat, _ in instant] == [
        ("dynamics/05_open_qubit", 0), ("dynamics/05_open_qubit", 1),
        ("dynamics/06_fmo_heom", 0), ("dynamics/06_fmo_heom", 1),
    ]  # fmt: skip
    assert result["passed"]
    assert result["n"] == 4


def test_a_strange_mode_is_bad_input(instant):
    with pytest.raises(InputError, match="no mode 'dream'"):
        all_suites.run("forge-chemistry", mode="dream")


def test_a_missing_extra_is_named_and_its_task_not_run(instant, monkeypatch):
    monkeypatch.setattr("labwright.evaluation.forge.tasks.find_spec", lambda name: None)
    result = all_suites.run("forge-dynamics", tasks=["05", "bell_state"], repeats=1)
    assert [row["task"] for row in result["rows"]] == ["dynamics/05_open_qubit"]
    assert "labwright[cudaq]" in result["notes"][0]


def test_the_second_pass_of_a_curriculum_makes_nothing(instant):
    result = all_suites.run("forge-curriculum", tasks=["05", "06"])
    assert result["passed"]
    assert [row["made"] for row in result["rows"]] == [1, 1, 0, 0]
    assert "86 % less" in result["notes"][0]
    assert all(setting.grows for _, _, setting in instant)


def test_a_strong_mind_makes_what_a_weak_one_reuses(instant, monkeypatch):
    monkeypatch.setenv("LABWRIGHT_BASE_URL", "http://127.0.0.1:9/v1")
    all_suites.run("forge-curriculum", tasks=["05"], maker="openai:strong", mind="openai:weak")
    assert [(setting.mind, setting.mode) for _, _, setting in instant] == [
        ("openai:strong", "forge"), ("openai:weak", "reuse"),
    ]  # fmt: skip


def test_totals_have_a_deviation_over_repeats():
    rows = [
        {"task": "a", "repeat": k, "passed": True, "score": s, "made": 2, "unused": 1} for k, s in enumerate((0.8, 1.0))
    ]
    entry = suites.totals(rows)
    assert entry["score"] == pytest.approx(0.9)
    assert entry["score sd"] == pytest.approx(0.14142)
    assert entry["use_rate"] == 0.5


def test_columns_are_those_of_a_row(tmp_path):
    row = run_task(TASK, 0, Setting(), tmp_path, StandIn(open_qubit()))
    assert set(running.COLUMNS) <= set(row)


QUICK = 60.0  # seconds; the longer ones are run by `labwright eval forge-dynamics --nightly`


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS["task"] if kind != FREE])
def test_the_example_of_every_kind_is_computed(kind: str, tmp_path: Path) -> None:
    outcome = start(ForgeRequest(example("task", kind), {}, Choices(mode="reuse", answers="defaults")), tmp_path)
    assert outcome.status == "complete", outcome.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    "task",
    [
        pytest.param(one, id=one.name, marks=[pytest.mark.nightly] * (one.seconds > 10))
        for one in load_tasks("dynamics")
        if one.seconds <= QUICK
    ],
)
def test_a_quick_task_of_the_paper_meets_every_criterion_by_its_card(task: Task, tmp_path: Path) -> None:
    def begin(request: ForgeRequest, folder: Path) -> Outcome:
        """By Qiskit or numpy where CUDA-Q, which three tasks name, is not installed."""
        other = "numpy" if "task: chain" in request.text else "qiskit"
        text = request.text.replace("backend: cudaq", f"backend: {other}") if task.missing_extras else request.text
        return start(replace(request, text=text), folder)

    row = run_task(task, 0, Setting("reuse"), tmp_path, begin)
    assert (row["status"], row["accuracy"]) == ("complete", 1.0), row["faults"]
    assert row["methodology"] == 1.0 or task.missing_extras, row["faults"]
