"""Published cases: what is read and refused, one typed question each through the real client, and the grades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import forging
import pytest
from scripted_model import Reply, Request, ScriptedModel

from labwright.evaluation import suites
from labwright.evaluation.qcaleval import axes_score, labelled, value_score
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
SUITES = ("bioprobench", "qcaleval", "qiskit-humaneval")


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Any:
    def at(model: ScriptedModel) -> None:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        monkeypatch.setenv("LABWRIGHT_CACHE", "false")

    return at


def file(path: Path, *items: dict[str, Any]) -> Path:
    path.write_text(json.dumps(items), encoding="utf-8")
    return path


@pytest.mark.parametrize("suite", SUITES)
def test_without_data_or_with_other_data_nothing_is_run(suite: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--data PATH of"):
        suites.run(suite)
    other = tmp_path if suite == "qcaleval" else file(tmp_path / "other.json", {"question": "?"})
    with pytest.raises(InputError, match="is not"):
        suites.run(suite, data=str(other))
    with pytest.raises(InputError, match="There is no file" if suite != "qcaleval" else "is not"):
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


ANSWERS = {
    1: json.dumps({"plot_type": "line", "x_axis": {"scale": "linear"}, "y_axis": {"scale": "log"}}),
    2: "**Classification:** Suboptimal parameters\nReason: the window is short.",
    3: "The qubit decays within the window.",
    4: "Assessment: Unreliable\nReason: residuals.",
    5: json.dumps({"t1_us": 40.0, "periods": 3, "clipped": False, "peaks": [10, 20]}),
    6: "Status: WINDOW_TOO_SHORT\nTake a longer window.",
}
RULES = {
    "t1_us": {"type": "pct", "tol_full": 0.1, "tol_half": 0.3}, "clipped": {"type": "bool"},
    "periods": {"type": "int_count", "tol_full": 0, "tol_half": 1}, "peaks": {"type": "array_int_match", "tol_full": 2},
    "absent": {"type": "abs", "tol_full": 1, "tol_half": 2},
}  # fmt: skip
SAID = {1: ANSWERS[1], 2: "Suboptimal parameters", 3: "Decay.", 4: "Reliable", 6: "window_too_short",
        5: json.dumps({"t1_us": 48, "periods": 4, "clipped": "false", "peaks": [11, 90, 21]})}  # fmt: skip


def test_six_questions_about_a_picture_are_graded_by_the_published_rules(
    tmp_path: Path, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder is made here, in the published form."""
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    texts = {
        f"q{n}_{what}": said if what == "answer" else f"Q{n}?"
        for n, said in ANSWERS.items()
        for what in ("prompt", "answer")
    }
    row = {
        "id": "t1_short_a",
        "experiment_type": "t1_short",
        "images": [{"bytes": b"\x89PNG made", "path": "a.png"}],
        **texts,
    }
    (tmp_path / "data").mkdir()
    parquet.write_table(arrow.Table.from_pylist([row]), tmp_path / "data" / "test-00000-of-00001.parquet")
    config = {"t1": {"q5_scoring": RULES, "q6_status_mapping": {"t1_short": "WINDOW_TOO_SHORT"}}}
    (tmp_path / "experiment_config.json").write_text(json.dumps(config))

    def answer(request: Request) -> Reply:
        return Reply.answer({"answer": SAID[int(request.input["question"][1])], "reason": ""})

    with ScriptedModel(answer) as model:
        scripted(model)
        monkeypatch.setenv("LABWRIGHT_MODEL_VISION", "openai:scripted")
        result = suites.run("qcaleval", data=str(tmp_path), mind="openai:scripted")
    assert result["summary"] == {"Q1": 100.0, "Q2": 100.0, "Q4": 0.0, "Q5": pytest.approx(100 * 2.8 / 4), "Q6": 100.0}
    assert [request.images for request in model.requests] == [[b"\x89PNG made"]] * 6


@pytest.mark.parametrize(
    ("said", "true", "rule", "score"),
    [
        (None, "Unreliable", {"type": "pct"}, 1.0), (3.0, None, {"type": "pct"}, 0.0),
        (None, 3.0, {"type": "pct"}, 0.0), ("x", 3.0, {"type": "abs", "tol_full": 1, "tol_half": 2}, 0.0),
        ("Damped ", "damped", {"type": "enum"}, 1.0), (1, True, {"type": "bool"}, 1.0),
        (True, False, {"type": "bool"}, 0.0),
        ([1, 2], [1, 4], {"type": "coord_list", "tol_full": 0.5, "tol_half": 2}, 0.75),
        ([1], [1, 4], {"type": "coord_list", "tol_full": 0.5, "tol_half": 2}, 0.0),
        ([100.0, 3.0], [101.0], {"type": "array_float_match", "tol_full": 0.05}, 0.5),
        ([3.0], [], {"type": "array_float_match", "tol_full": 0.05}, 1.0),
        ([3], [], {"type": "int_count", "tol_full": 0, "tol_half": 1}, 0.0),
        ([], [], {"type": "array_int_match", "tol_full": 0}, 1.0),
        (0.005, 0.0, {"type": "pct", "tol_full": 0.1, "tol_half": 0.3}, 1.0),
    ],
)  # fmt: skip
def test_a_number_is_graded_by_the_type_of_its_rule(said: Any, true: Any, rule: dict[str, Any], score: float) -> None:
    assert value_score(said, true, rule) == pytest.approx(score)


def test_axes_of_several_pictures_and_labels_in_answers() -> None:
    plot = json.loads(ANSWERS[1])
    assert axes_score([plot, plot], plot) == 0.5
    assert axes_score("no JSON", plot) == 0.0
    assert [labelled(text) for text in ("SUCCESS", "- Status: **DETUNED**.")] == ["SUCCESS", "DETUNED"]


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
