"""Live dialogues in the chat, each line in a process of its own, recorded and played again.

A recording is a folder ``evaluation/recordings/live_*`` with ``dialogue.yaml``: what the person granted (``terms``),
what was typed (``turns``), how many turns are played, as the requests of later ones may have changed since, and which
texts of the program in its requests are others today (``today``). How one is made stands in docs/recordings.md.
"""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Reply, Request, ScriptedModel, by_policy
from talks import decided

from labwright.agents.front_desk.decide import DECIDE
from labwright.agents.front_desk.explain import EXPLAIN
from labwright.agents.lab_calibration.write_report import WRITE_REPORT
from labwright.agents.recordings.replay import open_replay
from labwright.apps.chat.chat_output import Shown
from labwright.apps.chat.piped import talk
from labwright.apps.chat.session import Session
from labwright.evaluation import suites
from labwright.graphs.front_desk.conversation import open_conversation
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.workers import WORKERS
from labwright.tools.plain_yaml import read_yaml

RECORDED = sorted((Path(suites.__file__).parent / "recordings").glob("live_*"))
LONGEST = 15.0  # s of one dialogue, as a replay asks nobody


def spoken(mind: str, lines: list[str], root: Path, **terms: Any) -> None:
    """Each line as `labwright chat --continue latest` takes it from a pipe."""
    conversation = ""
    for line in lines:
        with open_conversation(Terms(mind=mind, **terms), conversation=conversation) as opened:
            session = Session(opened, WORKERS, Shown(root))
            talk(session, [line])
            session.close()
            conversation = opened.run.run_id


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: folder.name)
def test_a_recorded_dialogue_is_played_again(folder: Path, root: Path, tmp_path: Path) -> None:
    dialogue = read_yaml((folder / "dialogue.yaml").read_text(encoding="utf-8"))
    folder = shutil.copytree(folder, tmp_path / folder.name)
    for then, today in dialogue["today"]:
        old, new = (json.dumps(text, ensure_ascii=False)[1:-1] for text in (then, today))
        kept = (folder / "exchanges.jsonl").read_text(encoding="utf-8")
        assert old in kept
        (folder / "exchanges.jsonl").write_text(kept.replace(old, new), encoding="utf-8")
    began, replay = time.monotonic(), open_replay(folder.absolute())
    lines = [turn["say"] for turn in dialogue["turns"][: dialogue["played"]]]
    spoken(f"replay:{folder.absolute()}", lines, root, **dialogue["terms"])
    assert (replay.misses, len(replay.leftover())) == ([], dialogue["left"])
    assert time.monotonic() - began < 10 * LONGEST  # far from it even where several tests share a processor


@pytest.mark.slow  # one process: above
def test_a_dialogue_of_several_processes_is_recorded_and_played_again(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["how long does Q1 live?", "is 126 us right?", "/new samples, please", "1 mL", "abort", "thanks"]
    recording = tmp_path / "recording"
    with ScriptedModel(_model) as served:
        for name, value in {"base_url": served.url, "api_key": "none"}.items():
            monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)
        spoken(f"record:{recording},openai:scripted", lines, root)
    told = capsys.readouterr().out
    assert "computed: 126 / 2 = 63" in told
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "again" / "runs"))
    monkeypatch.setenv("LABWRIGHT_STATE", str(tmp_path / "again" / "state"))
    monkeypatch.delenv("LABWRIGHT_BASE_URL")
    spoken(f"replay:{recording}", lines, tmp_path / "again" / "runs")
    open_replay(recording).check()


def _model(request: Request) -> Reply:
    if request.role == EXPLAIN.name:
        computed = ["126 / 2 = 63"]
        return Reply.answer({"text": "Half of it is 63.", "figures": [], "computed": computed, "compute": ""})
    if request.role == DECIDE.name:
        return Reply.answer(decided(_action(request.input)))
    return by_policy(WRITE_REPORT)(request) if request.role == WRITE_REPORT.name else Reply.question("How much?")


def _action(frame: dict[str, Any]) -> dict[str, Any]:
    if "samples" in frame["message"]:
        return {"kind": "start", "system": "protocol_design", "text": frame["message"]}
    if "right" in frame["message"]:
        return {"kind": "show", "what": "why", "runs": [frame["runs"][-1]["run_id"]]}
    if frame["asking"]:
        return {"kind": "answer", "run": frame["asking"][0]["run_id"]}
    if "Q1" in frame["message"]:
        return {"kind": "start", "system": "lab_calibration", "text": "t1 Q1, points = 21, shots = 400"}
    return {"kind": "say", "text": "You are welcome."}
