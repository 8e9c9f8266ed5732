"""Messages that a reader turned into actions, played again: plumbing, parsing and checks hold; the prompt is as it was.

A miss names the role and the first line that differs. A prompt that changes on purpose needs a new recording:
`labwright eval desk --model record:DIR,openai:NAME`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labwright import prompts
from labwright.agents.recordings.manifest import exchanges_in
from labwright.agents.recordings.replay import Replay, open_replay
from labwright.evaluation import desk, suites
from labwright.evaluation.runner import Context
from labwright.graphs.front_desk import turn_start

RECORDED = Path(suites.__file__).parent / "recordings" / "desk"
SYSTEMS = {"p1 04": "lab_calibration", "p2 04": "lab_calibration", "p3 05": "lab_calibration"}
SAID = {"p1 10": "no calibration of Q2", "p1 13": "Which coupling do you mean", "p1 14": "explosive"}


def played(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Replay:
    """With the systems as they were when it was recorded: experiments and fields of a search come and go."""
    recorded: Any = exchanges_in(folder).read()[0]
    known = prompts.read_blocks(recorded["messages"][-1]["content"])["systems"]
    monkeypatch.setattr(turn_start, "systems_in_lines", lambda terms: known)
    return open_replay(folder.absolute())


def test_recorded_messages_become_the_same_actions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = played(RECORDED, monkeypatch)
    cases = desk.messages({"source": "", "tasks": (*SYSTEMS, *SAID)})
    for number, case in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        options = {"mind": f"replay:{RECORDED.absolute()}", "source": "", "tasks": ()}
        [action] = desk.one_message(case, Context(options, folder))["did"]
        if case.name in SYSTEMS:
            assert (action["kind"], action["system"], action["text"]) == (
                "start",
                SYSTEMS[case.name],
                case.turns[0]["say"],
            )
        else:
            assert (action["kind"], SAID[case.name] in action["text"]) == ("say", True)
    replay.check()


def test_the_recording_holds_no_address_and_no_folder_of_a_machine() -> None:
    for path in RECORDED.iterdir():
        content = path.read_text(encoding="utf-8")
        assert not [word for word in ("127.0.0.1", "http://", "/home/") if word in content]
