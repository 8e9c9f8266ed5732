"""Pairs through the graph: a search by both minds, the whole procedure, and an entangled state on request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from calibrations import calibrate
from scripted_model import ScriptedModel
from spoiled import Spoiled

from labwright.agents.lab_calibration.sizzle import DRIVE
from labwright.graphs.lab_calibration.running import Outcome

PAIR: dict[str, float | str] = {"device": "pair:1"}
SMALL = "sizzle_search Q1, Q2, frequencies = 1, acquisitions = 8"


def recorded(outcome: Outcome) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (outcome.run_dir / "events.jsonl").read_text().splitlines()]


@pytest.mark.slow
def test_a_search_asks_its_agents_and_writes_the_gate(root: Path) -> None:
    outcome = calibrate(SMALL, root, device_options=PAIR)
    assert outcome.status == "complete", outcome.reason
    group = outcome.result["groups"]["Q1-Q2"]
    assert group["before"]["duration"] == 0
    assert group["after"]["duration"] > 0.2
    assert group["measured"]["sizzle_search.gate_error"]["value"] < 0.05
    asked = {event.get("agent") for event in recorded(outcome)}
    assert DRIVE.name in asked
    assert "Stark drive frequency" in (outcome.run_dir / "report.md").read_text()


def test_an_entangled_state_without_gates_says_what_is_missing(root: Path) -> None:
    outcome = calibrate("state_tomography Q2, Q1, Q8, state = ghz", root)
    assert outcome.status == "refused"
    assert "no calibrated CZ gate" in outcome.reason


@pytest.mark.nightly
@pytest.mark.parametrize("mind", ["rules", "openai:scripted"])
def test_find_sizzle_gate_parameters(root: Path, mind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with ScriptedModel(Spoiled()) as model:
        given = {"base_url": model.url, "api_key": "none", "state": tmp_path / "state", "timeout": 60}
        for name, value in given.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", str(value))
        words = "Find siZZle gate parameters for Q1 and Q2"
        outcome = calibrate(words, root, device_options=PAIR, mind=mind, answers="defaults")
    assert outcome.status == "complete", outcome.reason
    measured = outcome.result["groups"]["Q1-Q2"]["measured"]
    assert measured["interleaved_rb_cz.cz_error"]["value"] < 0.03
    assert measured["process_tomography.cz_error"]["value"] < 0.04
