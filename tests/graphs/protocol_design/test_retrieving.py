"""Earlier experiments and notes reach who reads a description, as data, and only when they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from designs import CLEAR, ROLES, WRITERS, design
from scripted_model import ScriptedModel, by_policy

from labwright.agents.protocol_design.written.tagged import parse
from labwright.graphs.protocol_design.retrieving import STEPS, finished, similar_to
from labwright.tools.runs.run import create_run, load_run

LIKE = CLEAR.replace("caffeine", "glucose").replace("0.5 mM", "0.4 mM")
OTHER = (
    "Mix acetonitrile and water with 10 and 30 % v/v acetonitrile, 4 mL each. Cap the vials and vortex for 5 minutes."
)


def test_a_finished_design_is_found_by_the_next_one(root: Path) -> None:
    for text in (OTHER, CLEAR, "Water the plants."):
        design(text, root)
    run = create_run(root, "protocol_design", LIKE, {}, 0)
    assert {note.about for note in finished(run)} == {OTHER, CLEAR}
    found = similar_to(LIKE, run, 2)
    assert [one["kind"] for one in found] == ["experiment"] * 2 + ["instrument"] * 2
    assert found[0]["text"].startswith(CLEAR)
    assert "[add] 10 mM caffeine" in found[0]["text"]


def test_its_steps_stand_in_the_folder_and_read_back(root: Path) -> None:
    outcome = design(CLEAR, root)
    steps = parse((outcome.run_dir / STEPS).read_text()).steps
    assert [step.subject for step in steps] == [step["subject"] for step in outcome.result["steps"]]


def test_damaged_and_foreign_runs_are_passed_over(root: Path) -> None:
    good, bad, stopped = (design(CLEAR, root).run_dir for _ in range(3))
    (bad / "result.json").write_text("{")
    (stopped / "result.json").unlink()
    foreign = create_run(root, "lab_calibration", CLEAR, {}, 0)
    (foreign.folder / STEPS).write_text("[plate] Plate 1 | 4 x 6 | 8 mL")
    run = create_run(root, "protocol_design", CLEAR, {}, 0)
    assert [note.title for note in finished(run)] == [f"Run {good.name}"]
    assert finished(load_run(good)) == []  # itself is not shown to it


@pytest.mark.parametrize("configuration", ["", "single-agent/none/plain", "multi-agent/none/plain"])
@pytest.mark.parametrize("retrieve", [0, 2])
def test_the_model_sees_them_only_when_they_are_asked_for(
    configuration: str, retrieve: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel(by_policy(*WRITERS, *ROLES)) as model:
        for name, value in {"base_url": model.url, "api_key": "none", "cache": "false"}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)
        outcome = design(CLEAR, root, mind="openai:scripted", configuration=configuration, retrieve=retrieve)
    assert outcome.status == "complete", outcome.reason
    shown = [request.input["similar"] for request in model.requests if "similar" in request.input]
    assert shown
    assert {len(one) for one in shown} == {2 * retrieve}
    assert {vial["contents"]["water"]["amount"] for vial in outcome.result["vials"]} == {950, 980, 990}
