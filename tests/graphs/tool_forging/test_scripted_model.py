"""A whole task through the real client: a bad draft, a review that finds a bug, an evaluator that sends it back."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from forging import (
    ANALYSIS,
    CAREFUL,
    CAREFUL_TESTS,
    CARELESS,
    FULL_CYCLE,
    NAME,
    PLANNED_AGAIN,
    POOR_REPORT,
    REFUSED_TIME,
    REPORT,
    SCRIPT,
    SWALLOWING,
    TASK,
    TESTS,
    Player,
    draft,
    evaluates,
    events,
    executed,
    forge,
    rejects,
    reviews,
    says,
    who,
    writes,
)
from scripted_model import Reply, ScriptedModel

from labwright.tools.forge.toolset.toolset import Toolset
from labwright.tools.specifications.examples import example


def player() -> Player:
    """The roles' turns, in the order in which they are asked to work."""
    return Player(
        {
            "analyse": [[says(Reply.answer(ANALYSIS))], [says(Reply.answer(PLANNED_AGAIN))]],
            "generate_tool": [
                [draft(SWALLOWING, TESTS)],
                [draft(CARELESS, TESTS)],
                [draft(CAREFUL, CAREFUL_TESTS)],
            ],
            "review_tool": [rejects(FULL_CYCLE), rejects(REFUSED_TIME), reviews(FULL_CYCLE)],
            "execute": [
                [
                    writes("/script_1.py", SCRIPT),
                    says(Reply.use("execute", command="python script_1.py")),
                    writes("/report.md", POOR_REPORT),
                    says(Reply.answer(executed())),
                ],
                [
                    says(Reply.use("edit_file", path="/report.md", edits=[{"old": POOR_REPORT, "new": REPORT}])),
                    says(Reply.answer(executed())),
                ],
            ],
            "evaluate_solution": [evaluates(False), evaluates(True)],
        }
    )


@pytest.mark.slow
def test_a_task_with_a_bad_draft_a_bug_and_a_second_try(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toolset = tmp_path / "toolset"
    with ScriptedModel(player()) as model:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        monkeypatch.setenv("LABWRIGHT_CACHE", "false")
        outcome = forge(TASK, root, mind="openai:scripted", toolset=str(toolset))
    assert (outcome.status, outcome.reason) == ("complete", "")
    result = outcome.result
    assert (result["tools_forged"], result["iterations"], result["tools_used"]) == ([NAME], 2, [NAME])
    assert [one["next_step_needed"] for one in result["evaluations"]] == [True, False]
    assert [event["approved"] for event in events(outcome, "reviewed")] == [False, True]
    reviewers = [request for request in model.requests if who(request) == "review_tool"]
    assert all("The closed form, with numpy." in str(request.body) for request in reviewers)  # the writer's notes
    assert "your test passes, so it shows no bug" in reviewers[1].complaints[0]  # a full cycle is no negative time
    told = [str(request.input["earlier"]) for request in reviewers]
    assert ("negative time" in told[0], "negative time" in told[-1]) == (False, True)
    writers = [request for request in model.requests if who(request) == "generate_tool"]
    assert "broad_except" in str(writers[1].input["findings"])
    assert "test_error_of_time_before_the_start" in writers[2].input["findings"][-1]
    assert Toolset(toolset).find(NAME).source == CAREFUL
    assert "test_a_full_cycle_ends_below" in Toolset(toolset).find(NAME).tests  # the reviewer's test stays
    assert len(Toolset(toolset).uses(NAME)) == 1
    spent = outcome.document["usage"]
    assert model.spent.replies == sum(one["calls"] for one in spent["agents"].values())
    assert "sin^2(0.65 t)" in (outcome.run_dir / "report.md").read_text()
    found = json.loads((outcome.run_dir / "results.json").read_text())
    assert found["records"][0]["value"][2] == pytest.approx(math.sin(0.65) ** 2, abs=1e-12)


@pytest.mark.slow
def test_rules_make_the_tools_of_a_card_where_there_are_none(root: Path) -> None:
    outcome = forge(example("task", "circuit"), root, toolset="empty")
    assert (outcome.status, outcome.result["tools_refused"]) == ("complete", [])
    assert sorted(outcome.result["tools_forged"]) == sorted(Toolset(outcome.run_dir / "toolset").names())
    assert len(outcome.result["tools_forged"]) > 2
