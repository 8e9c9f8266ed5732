"""A plan that the validator rejects goes back to the analyser with the reasons, which are nobody else's."""

from __future__ import annotations

from pathlib import Path

import pytest
from forging import ANALYSIS, NAME, NO_CARD, TASK, forge, who
from scripted_model import Reply, Request, ScriptedModel

SPECIAL = {"verdicts": [{"name": NAME, "general": False, "reason": "The times are fixed."}]}
BARE = {**ANALYSIS, "stages": [{"purpose": "All of it.", "tool": ""}], "new": []}


def test_the_analyser_hears_the_validator_and_the_executor_does_not(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Request] = []

    def play(request: Request) -> Reply:
        if who(request) == "pick_card":
            return Reply.answer(NO_CARD)
        asked.append(request)
        if who(request) == "validate_tool":
            return Reply.answer(SPECIAL)
        if who(request) == "execute":
            return Reply.refuse("This is enough.")
        return Reply.answer(ANALYSIS if len(asked) == 1 else BARE)

    with ScriptedModel(play) as model:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        monkeypatch.setenv("LABWRIGHT_CACHE", "false")
        forge(TASK, root, mind="openai:scripted")
    first, _, second, executor = asked
    assert (first.input["rejected"], first.input["last"], second.input["plan"]) == ([], None, "")
    assert second.input["rejected"] == [f"{NAME} is no tool: The times are fixed."]
    assert second.input["last"]["stages"] == ANALYSIS["stages"]
    assert executor.input["plan"] == ""
    assert "times are fixed" not in str(executor.body)
