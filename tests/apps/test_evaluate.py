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
    done = command("eval", "translation", "--json", str(tmp_path / "e.json"))
    result = json.loads((tmp_path / "e.json").read_text())["result"]
    assert done.exit_code == 0, done.stderr
    assert result["suite"] == "translation"
    assert result["n"] == len(result["rows"]) > 10
    assert f"of n = {result['n']}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["beauty"], "There is no suite 'beauty'"),
        (["translation", "--model", "openai:x"], "no option `--model`"),
        (["translation", "--seeds", "3"], "no option 'seeds'"),
        (["calibration", "--seeds", "0"], "--seeds"),
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
