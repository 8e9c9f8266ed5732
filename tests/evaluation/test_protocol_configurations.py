"""The ablation: every run scored by the same metrics, a run without steps counted apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from designs import WRITERS
from scripted_model import Reply, Request, ScriptedModel, by_policy

from labwright.evaluation import suites
from labwright.tools.errors import InputError

EASY = "calibration samples"
WAYS = ("single-agent/none/plain", "multi-agent/none/tools+unguided")


def test_the_planners_own_steps_lose_nothing_on_the_way(tmp_path: Path) -> None:
    result = suites.run("protocol_configurations", configurations=WAYS[:1], workers=0, out=tmp_path)
    assert result["passed"]
    assert (result["n"], result["score"]) == (5, 1.0)
    [row] = result["table"]
    assert (row["runs"], row["steps_written"], row["files"]) == (5, 5, 5)
    assert row["f1"] == row["fair_f1"] == 1.0
    assert row["content_nrmse"] < 0.001
    assert {each["experiment"] for each in result["by_experiment"]} == {run["experiment"] for run in result["rows"]}


def test_a_models_runs_are_drawn_anew_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of four runs leaves an addition out, another never writes a step that reads."""
    honest = by_policy(*WRITERS)
    singles = []

    def script(request: Request) -> Reply:
        reply = honest(request)
        if not request.role.endswith("single"):
            return reply
        singles.append(request.number)
        steps = reply.content["answer"]["steps"]
        if len(singles) == 1:
            kept = [line for line in steps.splitlines() if not line.startswith("[add] methanol")]
            return Reply.answer({"requests": [], "steps": "\n".join(kept)})
        return Reply.answer({"requests": [], "steps": "Mix it."})

    with ScriptedModel(script) as model:
        for name, value in {"base_url": model.url, "api_key": "none", "state": str(tmp_path / "state")}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)
        chosen = {"seeds": 2, "mind": "openai:scripted", "configurations": WAYS, "experiments": [EASY], "workers": 0}
        result = suites.run("protocol_configurations", **chosen, out=tmp_path / "out")
        asked = len(model.requests)
    single, several = result["table"]
    assert (single["runs"], single["steps_written"], single["files"]) == (2, 1, 1)
    assert 0.8 < single["f1"] < 1
    assert single["nrmse"] > 0.3
    assert (several["runs"], several["steps_written"], several["f1"]) == (2, 2, 1.0)
    assert several["path_length"] == 10
    assert several["tokens"] > 1000
    lost = next(row for row in result["rows"] if not row["steps_written"])
    assert "no steps" in lost["faults"]
    assert "f1" not in lost

    # What lies there is not run again.
    again = suites.run("protocol_configurations", **chosen, out=tmp_path / "out")
    assert again["rows"] == result["rows"]
    assert result["cost"]["requests"] == asked
    assert result["cost"]["characters_in"] > 10_000 * result["n"] > result["cost"]["characters_out"]
    assert asked == len(model.requests)


def test_the_suites_are_registered_and_name_what_they_have(tmp_path: Path) -> None:
    chosen = {"configurations": WAYS[:1], "experiments": [EASY], "workers": 0, "out": tmp_path}
    result = suites.run("protocol_configurations_retrieved", **chosen)
    assert (result["options"]["retrieve"], result["score"]) == (3, 1.0)
    with pytest.raises(InputError, match="There is no 'multi-agent/half'"):
        suites.run("protocol_configurations", configurations=["multi-agent/half"])
