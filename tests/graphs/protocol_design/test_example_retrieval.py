"""Earlier experiments and notes reach who reads a description, as data, and only when they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from designs import CLEAR, CLEAR_WORDS, OPEN, design, person, reader
from scripted_model import ScriptedModel

from labwright.graphs.protocol_design.example_retrieval import SPEC, finished, similar_to
from labwright.tools.runs.run import create_run, load_run

LIKE = CLEAR_WORDS.replace("caffeine", "glucose").replace("0.5 mM", "0.4 mM")


def test_a_finished_design_is_found_by_the_next_one(root: Path) -> None:
    for text in (OPEN, CLEAR, "Water the plants."):
        design(text, root, on_question=None if text.startswith("Water") else person)
    run = create_run(root, "protocol_design", LIKE, {}, 0)
    assert {note.about for note in finished(run)} == {OPEN.strip(), CLEAR.strip()}
    found = similar_to(LIKE, run, 2)
    assert [one["kind"] for one in found] == ["experiment"] * 2 + ["instrument"] * 2
    assert "name: 10 mM caffeine" in found[0]["text"]


def test_damaged_and_foreign_runs_are_passed_over(root: Path) -> None:
    good, bad, stopped = (design(CLEAR, root).run_dir for _ in range(3))
    (bad / "result.json").write_text("{")
    (stopped / "result.json").unlink()
    foreign = create_run(root, "lab_calibration", CLEAR, {}, 0)
    (foreign.folder / SPEC).write_text("system: lab_calibration")
    run = create_run(root, "protocol_design", CLEAR, {}, 0)
    assert [note.title for note in finished(run)] == [f"Run {good.name}"]
    assert finished(load_run(good)) == []  # itself is not shown to it


@pytest.mark.parametrize("retrieve", [0, 2])
def test_the_model_sees_them_only_when_they_are_asked_for(
    retrieve: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    design(CLEAR, root)
    with ScriptedModel(reader()) as model:
        for name, value in {"base_url": model.url, "api_key": "none", "cache": "false"}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)
        outcome = design(CLEAR_WORDS, root, mind="openai:scripted", retrieve=retrieve)
    assert outcome.status == "complete", outcome.reason
    [shown] = [request.input.get("similar", []) for request in model.requests if request.role.endswith(".draft")]
    assert len(shown) == (3 if retrieve else 0)  # one run, two notes
