"""Published cases: what is read and refused, one typed question each through the real client, and the grades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import forging
import pytest
from scripted_model import Reply, ScriptedModel

from labwright.evaluation import suites
from labwright.evaluation.qiskit_humaneval import Task, why_not
from labwright.tools.errors import InputError

STEP = {
    "context": {"purpose": "Grow cells.", "prior_step": "Coat the plates.", "next_step": "Change the medium."},
    "corrupted_text": "Keep the cells at 37 °C and 50 % CO2.", "corrected_text": "Keep the cells at 37 °C and 5 % CO2.",
    "is_correct": False, "type": "parameter", "error_description": "Far too much.", "id": "MADE-0",
}  # fmt: skip
FIRST = {"purpose": "Grow cells.", "prior_step": None, "next_step": "Coat the plates."}
SOUND = {**STEP, "context": FIRST, "corrupted_text": None, "is_correct": True, "type": "correct", "id": "MADE-1"}
HALF = {
    "task_id": "made/0", "difficulty_scale": "basic", "entry_point": "half",
    "prompt": 'from math import sqrt\ndef half():\n    """ Return the amplitude of an equal superposition.\n    """',
    "canonical_solution": "\n    return 1 / sqrt(2)\n",
    "test": "def check(candidate):\n    assert abs(sqrt(2) * candidate() - 1) < 1e-9, 'no half'\n",
}  # fmt: skip


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Any:
    def at(model: ScriptedModel) -> None:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        monkeypatch.setenv("LABWRIGHT_CACHE", "false")

    return at


def file(path: Path, *items: dict[str, Any]) -> Path:
    path.write_text(json.dumps(items), encoding="utf-8")
    return path


@pytest.mark.parametrize("suite", ["bioprobench", "qiskit-humaneval"])
def test_without_data_or_with_other_data_nothing_is_run(suite: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--data PATH of"):
        suites.run(suite)
    with pytest.raises(InputError, match="is not"):
        suites.run(suite, data=str(file(tmp_path / "other.json", {"question": "?"})))
    with pytest.raises(InputError, match="There is no file"):
        suites.run(suite, data=str(tmp_path / "none.json"))


def test_an_item_of_another_form_is_named(tmp_path: Path) -> None:
    spoilt = {**STEP, "context": {"purpose": "Grow cells.", "prior_step": ""}, "id": "MADE-2"}
    with pytest.raises(InputError, match=r"item 1, context\.next_step: Field required"):
        suites.run("bioprobench", data=str(file(tmp_path / "spoilt.json", STEP, spoilt)))


def test_a_step_is_judged_without_its_answer(tmp_path: Path, scripted: Any) -> None:
    answers = iter(["perhaps", "holds an error", "holds an error"])  # the first is none of the choices
    with ScriptedModel(lambda _request: Reply.answer({"answer": next(answers), "reason": "50 % CO2."})) as model:
        scripted(model)
        result = suites.run(
            "bioprobench", data=str(file(tmp_path / "ERR_test.json", STEP, SOUND)), mind="openai:scripted"
        )
    assert [(row["case"], row["outcome"]) for row in result["rows"]] == [("MADE-0", "right"), ("MADE-1", "wrong")]
    assert (result["summary"]["precision"], result["summary"]["recall"], result["score"]) == (0.5, 1.0, 0.5)
    assert model.requests[0].input["material"]["step"] == STEP["corrupted_text"]
    assert model.requests[-1].input["material"]["prior_step"] == "(none)"
    assert "Far too much" not in str(model.requests[0].body)
    assert "must be one of" in model.requests[1].complaints[0]


def test_without_a_model_every_question_is_refused(tmp_path: Path) -> None:
    result = suites.run("bioprobench", data=str(file(tmp_path / "e.json", STEP, SOUND)), seeds=1)
    assert (result["n"], result["outcomes"]["refused"], result["score"]) == (1, 1, 0.0)


@pytest.mark.parametrize(
    ("solution", "why"),
    [
        (HALF["prompt"] + HALF["canonical_solution"], ""),
        ("def half():\n    return 0.5\n", "AssertionError: no half"),
        ("import os\nos._exit(0)\n", "ended as ok"),
    ],
)
def test_a_solution_is_tested_in_the_sandbox(solution: str, why: str, tmp_path: Path) -> None:
    pytest.importorskip("qiskit")
    assert why_not(Task.model_validate(HALF), solution, tmp_path) == why


def test_tests_that_come_with_their_own_call_and_packages_that_are_missing(tmp_path: Path) -> None:
    hard = {**HALF, "prompt": "Give a number.", "canonical_solution": "def half():\n    return 2\n",
            "test": "def check(candidate):\n    assert candidate() == 2\n\ncheck(half)"}  # fmt: skip
    assert why_not(Task.model_validate(hard), "def half():\n    return 2\n", tmp_path) == ""
    absent = Task.model_validate({**hard, "canonical_solution": "import qiskit_none.runtime\n"})
    assert absent.missing == ["qiskit_none"]


@pytest.mark.slow
def test_a_task_goes_through_the_forge(tmp_path: Path, scripted: Any) -> None:
    pytest.importorskip("qiskit")
    script = "from labwright.results import record\nfrom solution import half\nhalf()\nrecord('called', 1)\n"
    said = {"quantity": "called", "labels": {}, "at": [], "value": 1, "within": 0.5, "why": "The task says so."}
    stage = [{"purpose": "Write the function.", "tool": ""}]
    report = "# Amplitude\n\nThe function half gives the amplitude of an equal superposition. It was called once by the"
    report += " script and came back, so that `called` is 1. The square of its value is one half, as it must be.\n"
    player = forging.Player({
        "analyse": [[forging.says(Reply.answer({**forging.PLANNED_AGAIN, "stages": stage, "reuse": []}))]],
        "execute": [[
            forging.writes("/solution.py", HALF["prompt"] + HALF["canonical_solution"]),
            forging.writes("/script_1.py", script),
            forging.says(Reply.use("execute", command="python script_1.py")),
            forging.writes("/report.md", report),
            forging.says(Reply.answer({**forging.executed(), "tools": []})),
        ]],
        "evaluate_solution": [forging.evaluates(True, f"def expected():\n    return [{said}]\n")],
    })  # fmt: skip
    data = str(file(tmp_path / "data.json", HALF))
    with ScriptedModel(player) as model:
        scripted(model)
        result = suites.run("qiskit-humaneval", data=data, mind="openai:scripted", mode="direct", out=tmp_path / "out")
    row = result["rows"][0]
    assert (row["passed"], row["outcome"], row["faults"]) == (True, "right", ""), row
    assert result["baselines"]["published solution"]["score"] == 1.0
