"""People in a forging run: a question about the task, and the say over what enters the toolset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from forging import (
    ANALYSIS,
    CAREFUL,
    CAREFUL_TESTS,
    CONTRACT,
    FULL_CYCLE,
    NAME,
    TASK,
    draft,
    evaluates,
    events,
    forge,
    reviews,
    says,
    solving,
    who,
)
from forging import Player as PlayerOf
from scripted_model import Reply, Request, ScriptedModel

from labwright.graphs.questions import Answer, Question
from labwright.graphs.tool_forging.running import resume
from labwright.tools.forge.toolset.toolset import Toolset

pytestmark = pytest.mark.slow


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Starts a model that plays the given turns; ends it with the test."""
    servers: list[ScriptedModel] = []

    def started(**turns: Any) -> ScriptedModel:
        server = ScriptedModel(PlayerOf(turns)).__enter__()
        servers.append(server)
        monkeypatch.setenv("LABWRIGHT_BASE_URL", server.url)
        monkeypatch.setenv("LABWRIGHT_CACHE", "false")
        return server

    yield started
    for server in servers:
        server.__exit__(None)


def decide(decision: str, note: str = "") -> Any:
    def answer(question: Question) -> Answer:
        return Answer(id=question.id, decision=decision, note=note)

    return answer


def test_a_question_waits_and_its_answer_stands_below_the_task(play: Any, root: Path) -> None:
    asks = [says(Reply.question("Which Rabi frequency holds, 1.3 or 2 rad/us?", ["1.3", "2"]))]
    play(analyse=[asks, [says(Reply.refuse("Enough for this test."))]])
    waiting = forge(TASK, root, mind="openai:scripted")
    assert (waiting.status, len(waiting.questions)) == ("stopped", 1)
    answer = {waiting.questions[0]["id"]: Answer(id=waiting.questions[0]["id"], decision="2")}
    outcome = resume(waiting.run_id, root, answers=answer)
    assert (outcome.status, outcome.reason) == ("refused", "Enough for this test.")
    question = (outcome.run_dir / "workspace" / "question.md").read_text()
    assert question.startswith(TASK.rstrip())
    assert question.endswith("## Clarifications\n\n- Which Rabi frequency holds, 1.3 or 2 rad/us? 2\n")


def test_always_asks_before_a_tool_enters_and_an_abort_keeps_it_out(play: Any, root: Path, tmp_path: Path) -> None:
    play(
        analyse=[[says(Reply.answer(ANALYSIS))]],
        generate_tool=[[draft(CAREFUL, CAREFUL_TESTS)]],
        review_tool=[reviews(FULL_CYCLE)],
    )
    toolset = tmp_path / "toolset"
    seen: list[Question] = []

    def abort(question: Question) -> Answer:
        seen.append(question)
        return Answer(id=question.id, decision="abort", note="Not today.")

    outcome = forge(TASK, root, mind="openai:scripted", toolset=str(toolset), approval="always", on_question=abort)
    assert (outcome.status, outcome.reason) == ("stopped", "Not today.")
    assert "def rabi_probability" in seen[0].body_markdown
    assert CONTRACT["purpose"] in seen[0].body_markdown
    assert Toolset(toolset).names() == []


def test_the_analyser_hears_why_a_person_left_a_tool_out(play: Any, root: Path) -> None:
    model = play(
        analyse=[[says(Reply.answer(ANALYSIS))], [says(Reply.refuse("There is no other way."))]],
        generate_tool=[[draft(CAREFUL, CAREFUL_TESTS)]],
        review_tool=[reviews(FULL_CYCLE)],
    )
    outcome = forge(
        TASK, root, mind="openai:scripted", approval="always", on_question=decide("reject", "We have one already.")
    )
    assert (outcome.status, outcome.reason) == ("refused", "There is no other way.")
    told = [request.input["rejected"] for request in model.requests if who(request) == "analyse"]
    assert told == [[], [f"{NAME} is not there: A person left it out. We have one already."]]


def test_two_tools_are_made_side_by_side_and_a_faultless_one_is_kept(play: Any, root: Path) -> None:
    other = {**CONTRACT, "name": "rabi_period", "purpose": "Period of a driven two-level system."}
    asked: list[str] = []

    def writer(request: Request) -> Reply:
        name = request.input["contract"]["name"]
        asked.append(name)
        together.wait(timeout=20)  # neither is answered before both have asked
        return draft(CAREFUL, CAREFUL_TESTS)(request) if name == NAME else Reply.refuse("It is one division.")

    together = Barrier(2)
    play(
        analyse=[[says(Reply.answer({**ANALYSIS, "new": [CONTRACT, other]}))], [says(Reply.refuse("Enough."))]],
        generate_tool=[[writer], [writer]],
        review_tool=[reviews(FULL_CYCLE)],
    )
    outcome = forge(TASK, root, mind="openai:scripted")
    assert sorted(asked) == ["rabi_period", NAME]
    assert outcome.result["tools_forged"] == [NAME]
    assert [one["findings"] for one in outcome.result["tools_refused"]] == [["It is one division."]]


def test_a_tool_that_the_executor_spoils_is_taken_back_and_the_solution_not_accepted(play: Any, root: Path) -> None:
    spoil = says(Reply.use("execute", command=f"sed -i 's/detuning\\*\\*2/detuning/' tools/{NAME}.py"))
    play(
        analyse=[[says(Reply.answer(ANALYSIS))]],
        generate_tool=[[draft(CAREFUL, CAREFUL_TESTS)]],
        review_tool=[reviews(FULL_CYCLE)],
        execute=[[spoil, *solving()]],
        evaluate_solution=[evaluates(True)],
    )
    outcome = forge(TASK, root, mind="openai:scripted", iterations=1)
    assert outcome.status == "failed"
    assert f"The change of tool {NAME} was taken back" in outcome.reason
    assert [event["tool"] for event in events(outcome, "tool_refused")] == [NAME]
    kept = (outcome.run_dir / "workspace" / "tools" / f"{NAME}.py").read_text()
    assert "given.detuning**2" in kept
