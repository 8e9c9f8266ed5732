"""A run that stopped because a model gave no valid answer goes on with another try, not with the old words."""

from __future__ import annotations

from pathlib import Path

import pytest
from forging import NO_CARD, PLANNED_AGAIN, TASK, forge, who
from scripted_model import Reply, Request, ScriptedModel
from tiers import sampled

from labwright.graphs.tool_forging.running import resume


@pytest.mark.parametrize("role", sampled(["analyse", "execute"]))
def test_a_run_that_lost_an_answer_asks_anew_when_it_is_resumed(
    role: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    bare = {**PLANNED_AGAIN, "stages": [{"purpose": "All of it.", "tool": ""}], "reuse": []}

    def play(request: Request) -> Reply:
        asked.append(who(request))
        if asked[-1] == "pick_card":
            return Reply.answer(NO_CARD)
        if asked[-1] == role:
            return Reply.answer({"nothing": 1})
        return Reply.answer(bare)

    with ScriptedModel(play) as model:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        monkeypatch.setenv("LABWRIGHT_CACHE", "false")
        lost = forge(TASK, root, mind="openai:scripted")
        before = asked.count(role)
        again = resume(lost.run_id, root)
    assert (lost.status, again.status) == ("stopped", "stopped")
    assert (before, asked.count(role)) == (3, 6)
