"""Exit codes, options and what goes to which stream."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from labwright.agents.errors import BudgetExceeded, ModelUnavailable
from labwright.apps.json_result import ResultDocument
from labwright.graphs.questions import Option, Question
from labwright.tools.errors import LeaseError, UnknownQubitError
from labwright.tools.runs import run_ids

Command = Callable[..., Result]
QUESTION = Question(id="q 1", kind="choose", title="Which?", options=[Option(value="run", label="Run it")])


def raising(error: BaseException) -> Callable[[], None]:
    def during() -> None:
        raise error

    return during


def test_demo_is_unattended_and_mis_set(command: Command, fake: Any, root: Path) -> None:
    done = command("demo", "--seed", "5")
    assert done.exit_code == 0, done.stderr
    (request,) = fake.requests
    assert request.text == "Calibrate qubit Q1 and benchmark it"
    assert request.choices.device_options == {"frequency_offset": 1.5, "amplitude_error": 0.15, "drag": 0.0}
    assert (request.choices.seed, request.choices.approval, request.choices.answers) == (5, "auto", "defaults")


def test_summary_on_stdout_progress_on_stderr(command: Command, root: Path) -> None:
    done = command("demo")
    (run_id,) = run_ids(root)
    for shown in ("COMPLETE", "4871.700", "4870.200", "7.7(2)e-04", "7.00e-04", f"labwright runs show {run_id}"):
        assert shown in done.stdout
    assert "DRAG" not in done.stdout  # it did not change
    assert "too few oscillations → stop = 2" in done.stderr
    assert "1.502(3) MHz" in done.stderr
    assert "adjust" not in done.stdout


def test_quiet_leaves_stderr_empty(command: Command) -> None:
    assert command("demo", "--quiet").stderr == ""


@pytest.mark.parametrize(("status", "code"), [("complete", 0), ("failed", 1), ("refused", 2), ("stopped", 3)])
def test_exit_code_of_each_ending(command: Command, fake: Any, status: str, code: int) -> None:
    fake.status, fake.reason = status, "the reason"
    done = command("calibrate", "Calibrate Q1")
    assert done.exit_code == code
    assert "the reason" in done.stdout
    assert ("labwright runs resume" in done.stderr) == (status == "stopped")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UnknownQubitError("Q9", ("Q1", "Q2")), 2, "It has: Q1, Q2."),
        (ModelUnavailable("No key for openai. Set OPENAI_API_KEY."), 4, "Set OPENAI_API_KEY"),
        (BudgetExceeded("The budget of 5 calls is spent."), 3, "5 calls"),
        (OSError(28, "No space left on device"), 4, "what was measured is kept"),
        (ModuleNotFoundError("No module named 'x'"), 4, "labwright doctor"),
        (ZeroDivisionError("division by zero"), 4, "A fault in Labwright: ZeroDivisionError"),
    ],
)
def test_error_is_one_line_with_a_mend(
    command: Command, fake: Any, root: Path, error: Exception, code: int, said: str
) -> None:
    fake.during = raising(error)
    done = command("calibrate", "Calibrate Q1", "--quiet")
    assert done.exit_code == code
    line, kept = done.stderr.strip().splitlines()
    assert line.startswith("error: ")
    assert said in line
    (run_id,) = run_ids(root)
    assert "Traceback" not in done.output
    assert type(error).__name__ in (root / run_id / "error.txt").read_text()
    assert "error.txt" in kept


def test_a_run_that_another_process_drives_is_one_line_and_gets_no_file(
    command: Command, fake: Any, root: Path
) -> None:
    fake.during = raising(LeaseError("Run x is driven by process 12."))
    done = command("calibrate", "Calibrate Q1", "--quiet")
    assert done.exit_code == 4
    [line] = done.stderr.strip().splitlines()
    assert line.startswith("error: ")
    assert "process 12" in line
    (run_id,) = run_ids(root)
    assert not (root / run_id / "error.txt").exists()


def test_ctrl_c_says_how_to_go_on(command: Command, fake: Any, root: Path) -> None:
    fake.during = raising(KeyboardInterrupt())
    done = command("calibrate", "Calibrate Q1")
    (run_id,) = run_ids(root)
    assert done.exit_code == 3
    assert f"stopped; resume with `labwright runs resume {run_id}`" in done.stderr


def test_open_question_without_a_terminal(command: Command, fake: Any, root: Path) -> None:
    fake.question = QUESTION
    done = command("calibrate", "Calibrate Q1")
    (run_id,) = run_ids(root)
    assert done.exit_code == 3
    assert fake.answers == [None]
    assert "Which?" in done.stderr
    assert f"labwright runs resume {run_id}" in done.stderr
    again = command("runs", "resume", run_id, "--answer", "q 1=run")
    assert again.exit_code == 0, again.stderr
    assert fake.answers[-1].decision == "run"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["  "], "empty"),
        (["missing.md"], "'missing.md' cannot be read"),
        (["Calibrate Q1", "--device-option", "drag"], "must be name=value"),
        (["Calibrate Q1", "--approve", "sometimes"], "approval"),
        (["Calibrate Q1", "--max-retries", "-1"], "max_retries"),
        (["Calibrate Q1", "--seed", "x"], "--seed"),
        (["Calibrate Q1", "--budget", "beans=3"], "beans"),
        (["Calibrate Q1", "--budget", "calls=many"], "must be a number"),
        ([], "is empty"),
    ],
)
def test_bad_input_starts_no_run(command: Command, root: Path, arguments: list[str], said: str) -> None:
    done = command("calibrate", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert run_ids(root) == []


def test_options_reach_the_request(command: Command, fake: Any, tmp_path: Path) -> None:
    procedure = tmp_path / "mine.md"
    procedure.write_text("# Calibrate 'dut'\n\n## Steps\n1. Ramsey\n")
    options = ["--qubits", "Q1, Q2", "--approve", "always", "--answers", "defaults", "--budget", "calls=5"]
    options += [
        "--device-option",
        "drag=0",
        "--device-option",
        "file=a.json",
        "--model",
        "openai:x",
        "--max-retries",
        "2",
    ]
    assert command("calibrate", str(procedure), *options).exit_code == 0
    request = fake.requests[0]
    assert request.text == procedure.read_text()
    chosen = request.choices
    assert chosen.qubits == ("Q1", "Q2")
    assert chosen.device_options == {"drag": 0.0, "file": "a.json"}
    assert (chosen.approval, chosen.answers, chosen.budget) == ("always", "defaults", "calls=5")
    assert (chosen.mind, chosen.max_retries) == ("openai:x", 2)


def test_json_and_out(command: Command, tmp_path: Path) -> None:
    done = command("calibrate", "Calibrate Q1", "--json", str(tmp_path / "r.json"), "--out", str(tmp_path / "o"))
    assert done.exit_code == 0, done.stderr
    document = ResultDocument.model_validate(json.loads((tmp_path / "r.json").read_text()))
    assert document.result["qubits"]["Q1"]["limit_error_per_gate"] == 7.0e-4
    assert document.artifacts[0].path == "report.md"
    assert sorted(path.name for path in (tmp_path / "o").iterdir()) == ["report.md", "result.json"]
