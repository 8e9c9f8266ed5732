"""The runner: one row a case, whatever happens to it, and none made twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import small_suite
from small_suite import SUITE

from labwright.agents.errors import ModelUnavailable
from labwright.evaluation import runner
from labwright.evaluation.runner import cost, frame
from labwright.tools.code_version import commit
from labwright.tools.errors import InputError


def run(**options: Any) -> dict[str, Any]:
    return runner.run(SUITE, **options)


def marks(path: Path) -> Counter[str]:
    return Counter(path.read_text().splitlines()) if path.exists() else Counter()


def without_times(result: dict[str, Any]) -> dict[str, Any]:
    rows = [{**row, "seconds": 0} for row in result["rows"]]
    return {**result, "rows": rows, "seconds": 0, "resumed": 0}


def test_a_result_says_what_was_run_and_where_it_comes_from(tmp_path: Path) -> None:
    result = run(out=tmp_path, seeds=2, answered_by="somebody")
    assert (result["suite"], result["n"], result["score"], result["crashed"]) == ("small", 12, pytest.approx(8 / 12), 0)
    assert result["interval"] == [0.3906, 0.8619]  # Wilson, 8 of 12
    assert (result["seeds"], result["answered_by"], result["commit"]) == ([0, 1], "somebody", commit())
    assert {"date", "version", "python", "seconds", "cost", "options", "columns"} <= result.keys()
    assert (result["passed"], result["total"], result["others"]) == (True, 21.0, ["always"])
    assert result["baselines"]["always"]["score"] == 1.0
    assert result["rows"][1].items() >= {"case": "case 0", "seed": 1, "status": "complete", "passed": False}.items()
    assert json.loads((tmp_path / "small.json").read_text()) == result
    assert (tmp_path / "small" / "case_0_1" / "kept.txt").exists()


@pytest.mark.slow  # a killed suite is below
def test_worker_processes_give_the_rows_that_one_process_gives(tmp_path: Path) -> None:
    one = run(out=tmp_path / "one", crash=4)
    several = run(out=tmp_path / "several", crash=4, workers=2)
    assert without_times(several) == without_times(one)


def test_a_crash_is_a_row_and_no_low_score_and_is_tried_again(tmp_path: Path) -> None:
    lines: list[str] = []
    result = run(out=tmp_path, crash=4, on_progress=lines.append)
    [row] = [row for row in result["rows"] if row["status"] == "crashed"]
    assert (row["case"], row["outcome"], row["faults"]) == ("case 4", "crashed", "ZeroDivisionError: no such number")
    assert (result["n"], result["crashed"], result["score"]) == (5, 1, pytest.approx(3 / 5))
    assert not result["passed"]
    assert lines[4] == "small 5/12, case 4: ZeroDivisionError: no such number"
    assert "Traceback" in (tmp_path / "small" / "case_4_0" / "error.txt").read_text()
    mended = run(out=tmp_path)
    assert (mended["n"], mended["crashed"], mended["passed"]) == (6, 0, True)


@pytest.mark.slow  # a killed suite is below
def test_a_process_that_dies_takes_no_other_case_with_it(tmp_path: Path) -> None:
    result = run(die=1, workers=2)
    assert [row["status"] for row in result["rows"]] == ["complete", "crashed", *["complete"] * 4]
    assert "exit code -9" in result["rows"][1]["faults"]


def test_rows_are_made_once_unless_something_differs_or_fresh_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "marks"
    first = run(out=tmp_path, n=3, marks=path)
    again = run(out=tmp_path, n=3, marks=path)
    assert (first["resumed"], again["resumed"]) == (0, 6)
    assert without_times(again) == without_times(first)
    run(out=tmp_path, n=4, marks=path)  # more cases change nothing about those that are there
    assert marks(path) == dict.fromkeys(("case 0 0", "case 1 0", "case 2 0", "case 3 0"), 1)
    run(out=tmp_path, n=1, marks=path, mind="rules")  # another backend
    run(out=tmp_path, n=1, marks=path, answered_by="somebody else")
    run(out=tmp_path, n=1, marks=path, fresh=True)
    assert marks(path)["case 0 0"] == 4


def started(tmp_path: Path, workers: int) -> subprocess.Popen[bytes]:
    """The suite as a program of its own, once it has a few rows."""
    command = [sys.executable, small_suite.__file__, str(tmp_path), str(tmp_path / "marks"), str(workers)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(command, env=environment, start_new_session=True, preexec_fn=_hears_ctrl_c)
    log = tmp_path / "small.rows.jsonl"
    while not log.exists() or log.read_bytes().count(b"\n") < 5:
        assert process.poll() is None
        time.sleep(0.02)
    return process


def _hears_ctrl_c() -> None:
    """Tests that run in the background of a shell inherit that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("workers", [pytest.param(0, marks=pytest.mark.slow), 2])
def test_a_killed_suite_goes_on_where_it_stopped(tmp_path: Path, workers: int) -> None:
    process = started(tmp_path, workers)
    process.kill()
    process.wait()
    time.sleep(0.2)  # workers end with their parent
    with (tmp_path / "small.rows.jsonl").open("ab") as file:
        file.write(b'{"seq": 99, "torn')
    there = marks(tmp_path / "marks")
    result = run(out=tmp_path, n=40, marks=tmp_path / "marks")
    assert (result["n"], result["crashed"]) == (40, 0)
    again = [case for case, times in marks(tmp_path / "marks").items() if times > 1]
    assert 5 <= len(there) < 40
    assert len(again) <= max(1, workers)  # only what was under way
    assert all(times <= 2 for times in marks(tmp_path / "marks").values())


@pytest.mark.slow  # a killed suite is below
def test_a_suite_that_is_interrupted_keeps_its_rows_and_says_so(tmp_path: Path) -> None:
    process = started(tmp_path, 2)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    assert process.wait(600) == 0
    result = json.loads((tmp_path / "small.json").read_text())
    assert 5 <= len(result["rows"]) < 40
    assert result["stopped"] == 80 - len(result["rows"])
    assert (result["passed"], result["crashed"]) == (False, 0)


def test_wrong_options_and_backends_end_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no option 'sugar'"):
        run(sugar=1)
    with pytest.raises(ModelUnavailable):
        run(marks=tmp_path / "marks", mind="coffee")
    assert not marks(tmp_path / "marks")


def row(**more: Any) -> dict[str, Any]:
    return {"status": "complete", "passed": True, **more}


def test_the_score_of_rows_with_scores_is_their_mean() -> None:
    framed = frame([row(score=0.0), row(score=1.0), row(status="crashed", score=0.0)])
    assert (framed["score"], framed["interval"], framed["n"]) == (0.5, (0.0945, 0.9055), 2)  # Wilson, 1 of 2
    assert frame([row(score=1.0)] * 3)["interval"] == (0.4385, 1.0)  # equal scores are no certainty
    assert frame([row(score=0.0), row(score=8.0)])["interval"] == (0.0, 8.0)  # bootstrap
    assert frame([])["score"] is None


def test_outcomes_of_language_are_counted_and_right_answers_that_a_check_refused_apart() -> None:
    rows = [row(outcome="right"), row(outcome="refused", check_refused_right=True), row(outcome="wrong")]
    assert frame([*rows, row(status="crashed", outcome="crashed")])["outcomes"] == {
        "right": 1, "asked": 0, "refused": 1, "wrong": 1, "crashed": 1, "check_refused_right": 1,
    }  # fmt: skip


def test_costs_add_up_and_stay_unknown_where_a_part_is() -> None:
    used = {"calls": 2, "input_characters": 10, "output_characters": 5, "input_tokens": 4, "output_tokens": 2}
    one, other = {**used, "cost": 0.1, "unknown": 0}, {**used, "cost": None, "unknown": 1}
    assert cost([row(usage=one), row()])["money"] == 0.1
    total = cost([row(usage=one), row(usage=other)])
    assert (total["requests"], total["characters_in"], total["tokens_out"], total["money"]) == (4, 20, 4, None)
