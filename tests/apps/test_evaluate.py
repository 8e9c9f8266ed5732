"""`labwright eval` finds its suites and shows their rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from labwright.apps.evaluate import show_result

Command = Callable[..., Result]


def test_suite_runs_and_is_written(command: Command, tmp_path: Path) -> None:
    """One entrant of the arena on three devices: rows, a line with intervals, and the secret when all is over."""
    options = ("--seeds", "1", "--task", "fixed_script", "--workers", "0", "--out", str(tmp_path))
    done = command("eval", "arena", *options, "--json", str(tmp_path / "e.json"))
    result = json.loads((tmp_path / "e.json").read_text())["result"]
    assert done.exit_code == 0, done.stderr
    assert result["suite"] == "arena"
    assert f"of n = {result['n']}" in done.stdout
    assert [row["condition"] for row in result["rows"]] == ["good", "spoilt", "doubly_spoilt"]
    assert all(row["handed_in"] == "calibrated" for row in result["rows"])
    [everything] = [line for line in result["table"] if line["devices"] == "all"]
    assert "of 3 (" in everything["right"]
    assert result["secret"] == (tmp_path / "arena.secret").read_text()
    assert str(tmp_path) not in json.dumps(result)


@pytest.mark.slow  # quick: tests/evaluation/test_runner.py
def test_a_suite_goes_on_and_two_results_are_compared(command: Command, tmp_path: Path) -> None:
    for name in ("one", "three", "two"):  # words, which rules hand back
        (tmp_path / f"{name}.txt").write_text(f"{name} vials of water, please")
        (tmp_path / f"{name}.expected.yaml").write_text("{kind: ask, about: the volume}")
    options = ("protocols", "--data", str(tmp_path), "--out", str(tmp_path / "kept"), "--answered-by", "rules of ours")
    done = command("eval", *options, "--workers", "0")
    assert done.exit_code == 0, done.stderr
    assert "right 3, asked 0, refused 0, wrong 0" in done.stdout
    assert "6 of 6 rows are there" in command("eval", *options).stderr
    assert "protocols 6/6" in command("eval", *options, "--fresh", "--workers", "1").stderr
    text = (tmp_path / "kept" / "protocols.json").read_text()
    assert str(tmp_path / "kept") not in text
    kept = json.loads(text)
    assert (kept["backend"], kept["answered_by"]) == ("rules", "rules of ours")
    kept["rows"][2] |= {"passed": False, "outcome": "wrong"}
    (tmp_path / "b.json").write_text(json.dumps(kept))
    compared = command("eval", "compare", str(tmp_path / "kept" / "protocols.json"), str(tmp_path / "b.json"))
    assert compared.exit_code == 0, compared.stderr
    assert "both right 2, only A 1, only B 0, neither 0" in compared.stdout
    assert "p = 1" in compared.stdout
    assert "wrong" in compared.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["beauty"], "There is no suite 'beauty'"),
        (["arena", "--model", "openai:x"], "no option `--model`"),
        (["inspection", "--seeds", "3"], "no option 'seeds'"),
        (["arena", "--seeds", "0"], "--seeds"),
        (["compare", "none.json", "none.json"], "There is no file none.json"),
    ],
)
def test_wrong_suite_or_option(command: Command, arguments: list[str], said: str) -> None:
    done = command("eval", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_only_the_named_columns_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"case": "drawn 1", "ratio": 1.0512, "hidden": "x", "cause": None}]
    result = {"suite": "s", "n": 1, "score": 1.0, "interval": [0.2, 1.0], "columns": ["case", "ratio", "cause"]}
    show_result({**result, "rows": rows}, 3.0)
    shown = capsys.readouterr().out
    assert "1.05" in shown
    assert "hidden" not in shown
    assert "0.200 to 1.000" in shown


@pytest.mark.parametrize("words", [["eval"], ["eval", "list"]])
def test_without_a_suite_the_suites_are_listed(command: Command, words: list[str]) -> None:
    done = command(*words)
    assert done.exit_code == 0
    for name in ("arena", "protocols", "protocol_experiments", "search", "qml-benchmarks"):
        assert name in done.stdout


def test_accuracies_of_searches_are_shown_with_their_errors(capsys: pytest.CaptureFixture[str]) -> None:
    graded = {"test": 0.98123, "test sd": 0.0052, "rbf_default": 0.98, "rbf_default sd": 0.004}
    graded |= {"minus rbf_default": 0.00123, "minus rbf_default se": 0.0008, "difference": 0.00123}
    summary = {"graded": graded, "random": {"test": 0.95}}
    show_result({"suite": "search", "n": 5, "score": 1.0, "summary": summary, "notes": ["y = [0.5] x"]}, 3.0)
    shown = capsys.readouterr().out
    assert "0.9812 ± 0.0052" in shown
    assert "+0.12 ± 0.08" in shown
    assert "0.9800 ± 0.0040" in shown
    assert "0.9500" in shown
    assert "RBF, default" in shown
    assert "y = [0.5] x" in shown


def test_other_summaries_have_no_such_table(capsys: pytest.CaptureFixture[str]) -> None:
    summary = {"ratio": {"median": 1.05, "worst": 1.1}}
    show_result({"suite": "arena", "n": 1, "score": 1.0, "summary": summary}, 3.0)
    assert "±" not in capsys.readouterr().out
