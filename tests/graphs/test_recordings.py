"""Whole runs recorded, then played in another folder at another time: every request of theirs is found again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calibrations import ONE_STAGE, Person, calibrate
from designs import CLEAR_WORDS, design, patches, reader
from forging import (
    ANALYSIS,
    CAREFUL,
    CAREFUL_TESTS,
    FULL_CYCLE,
    TASK,
    Player,
    draft,
    evaluates,
    forge,
    reviews,
    says,
    solving,
)
from scripted_model import Reply, Request, ScriptedModel, by_policy
from searches import search
from spoiled import Spoiled, invented_number
from talks import decided, settled, talk

from labwright.agents.feature_map_search.propose_ideas import PROPOSE
from labwright.agents.feature_map_search.review_trial import REVIEW
from labwright.agents.front_desk.decide import DECIDE
from labwright.agents.lab_calibration.write_report import WRITE_REPORT
from labwright.agents.recordings.replay import open_replay
from labwright.graphs.running import Outcome

WORDS = "How long does Q1 keep its excitation?"
SEARCH_ROLES = (PROPOSE, REVIEW)


def calibrated(root: Path, mind: str) -> Any:
    return told(calibrate(WORDS, root, mind=mind, approval="auto"))


def designed(root: Path, mind: str) -> Any:
    person = Person(script=["45 minutes instead", "write"])
    return told(design(CLEAR_WORDS, root, approval="risky", mind=mind, on_question=person))


def searched(root: Path, mind: str) -> Any:
    return told(search(root, trials=2, mind=mind))


def forged(root: Path, mind: str) -> Any:
    return told(forge(TASK, root, mind=mind, toolset=str(root / "toolset")))


def conversed(_root: Path, mind: str) -> Any:
    with talk(mind=mind, budget="calls=40") as conversation:
        ended = settled(conversation, conversation.say(WORDS), "run")
        usage = conversation.desk.meter.state()["agents"]
    return [reply["status"] for reply in ended.replies], without_times(usage)


def told(outcome: Outcome) -> Any:
    assert outcome.status == "complete", outcome.reason
    return outcome.status, without_times(outcome.document["usage"]["agents"])


def without_times(usage: dict[str, Any]) -> dict[str, Any]:
    """What was used, without what depends on the machine and on where the folders lie, whose names a text may hold."""
    differing = ("seconds", "input_characters")
    return {role: {name: value for name, value in one.items() if name not in differing} for role, one in usage.items()}


def spoiled() -> Spoiled:
    return Spoiled(reads={WORDS: ONE_STAGE}, spoils={WRITE_REPORT.name: invented_number})


def deciding(request: Request) -> Reply:
    """The desk starts a measurement; the report is the policy's."""
    if request.role == DECIDE.name:
        return Reply.answer(decided({"kind": "start", "system": "lab_calibration", "text": "t1 Q1"}))
    return by_policy(WRITE_REPORT)(request)


def forging() -> Player:
    return Player(
        {
            "analyse": [[says(Reply.answer(ANALYSIS))]],
            "generate_tool": [[draft(CAREFUL, CAREFUL_TESTS)]],
            "review_tool": [reviews(FULL_CYCLE)],
            "execute": [solving()],
            "evaluate_solution": [evaluates(True)],
        }
    )


@pytest.mark.parametrize(
    ("run", "script"),
    [
        pytest.param(calibrated, spoiled, id="calibration"),
        pytest.param(
            designed,
            lambda: reader(repair=[patches(conditions__0__time="45 min")]),
            id="design",
            marks=pytest.mark.slow,
        ),
        pytest.param(conversed, lambda: deciding, id="desk", marks=pytest.mark.slow),
        pytest.param(searched, lambda: by_policy(*SEARCH_ROLES), id="search", marks=pytest.mark.slow),
        pytest.param(forged, forging, id="forging", marks=pytest.mark.slow),
    ],
)
def test_a_run_is_played_as_it_was_recorded(
    run: Callable[[Path, str], Any], script: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    with ScriptedModel(script()) as model:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        live = run(tmp_path / "one", f"record:{kept},openai:scripted")
    monkeypatch.delenv("LABWRIGHT_BASE_URL")
    monkeypatch.setenv("LABWRIGHT_RUNS", str(tmp_path / "other" / "runs"))
    played = run(tmp_path / "other" / "place", f"replay:{kept}")
    open_replay(kept).check()
    assert played == live
    assert len(model.requests) == open_replay(kept).manifest.totals.calls
    assert b"/tmp/" not in (kept / "exchanges.jsonl").read_bytes()
