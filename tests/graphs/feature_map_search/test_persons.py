"""A person's part: starting ideas, veto, change, pause, end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from searches import completed, events, search

from labwright.graphs.feature_map_search.running import resume
from labwright.graphs.questions import Answer, Question
from labwright.tools.errors import InputError
from labwright.tools.feature_maps.evolutionary_search import plain_recipe
from labwright.tools.runs.pause_request import request_pause
from labwright.tools.runs.run import open_run, run_ids

Say = Callable[[Question], Answer | None]


def saying(*decisions: str | dict[str, Any]) -> tuple[Say, list[Question]]:
    """A person who says these things in turn, then `run`; and the questions that were put."""
    left, asked = list(decisions), list[Question]()

    def answer(question: Question) -> Answer:
        asked.append(question)
        said = left.pop(0) if left else "run"
        if isinstance(said, dict):
            return Answer(id=question.id, decision="edit", value=said)
        return Answer(id=question.id, decision=said, note="as I say")

    return answer, asked


def test_every_idea_is_shown_and_a_vetoed_one_is_told_to_the_review(root: Path) -> None:
    person, asked = saying("veto")
    outcome = completed(root, approval="always", on_question=person)
    assert [question.id for question in asked] == ["idea 1-1", "idea 1-2", "idea 2-1", "idea 2-2"]
    assert [option.value for option in asked[0].options] == ["run", "edit", "veto", "abort"]
    first, second = outcome.result["tried"][:2]
    assert (first["outcome"], first["reason"]) == ("vetoed", "as I say")
    assert second["outcome"] == "evaluated"
    assert len([row for row in outcome.result["tried"] if row["cost"] == 1]) == 3
    assert "as I say" in (outcome.run_dir / "report.md").read_text()


def test_a_changed_recipe_is_what_is_coded(root: Path) -> None:
    person, asked = saying({"scale": 0.75, "axes": "RX", "entangler": "CZ"})
    outcome = search(root, trials=1, ideas=1, approval="always", on_question=person)
    assert asked[0].form_schema is not None
    assert asked[0].form_schema["properties"]["scale"]["type"] == "number"
    code = next(outcome.run_dir.glob("candidates/*.py")).read_text()
    assert "0.75" in code
    assert "qml.RX" in code
    assert "qml.CZ" in code
    assert "A person changed it afterwards: scale = 0.75" in (outcome.run_dir / "data/candidates/1-1.json").read_text()


def test_a_change_that_does_not_fit_is_asked_again(root: Path) -> None:
    person, asked = saying({"entangler": "TELEPORT"}, "run")
    completed(root, trials=1, ideas=1, approval="always", on_question=person)
    assert len(asked) == 2
    assert "entangler" in asked[1].body_markdown
    assert asked[0].id != asked[1].id


def test_without_a_person_the_search_waits_and_an_answer_goes_on(root: Path) -> None:
    waits = search(root, trials=1, ideas=1, approval="always")
    assert waits.status == "stopped"
    [question] = waits.questions
    ended = resume(waits.run_id, root, answers={question["id"]: Answer(id=question["id"], decision="run")})
    assert ended.status == "complete"


def test_defaults_try_every_idea_and_say_so(root: Path) -> None:
    outcome = completed(root, trials=1, approval="always", answers="defaults")
    assert len(outcome.result["assumptions"]) == 2


def test_an_aborted_search_opens_no_test_part(root: Path) -> None:
    person, _ = saying("run", "abort")
    outcome = search(root, approval="always", on_question=person)
    assert (outcome.status, outcome.reason) == ("stopped", "as I say")
    assert outcome.result["evaluations"] == 1
    assert outcome.result["test_accuracy"] is None
    assert events(outcome.run_dir, "revealed") == []


def test_a_paused_search_waits_between_two_trials_and_can_end_there(root: Path) -> None:
    def pause(event: dict[str, Any]) -> None:
        if event["kind"] == "tried" and event["trial"] == 1:
            request_pause(open_run(root, run_ids(root)[-1]))

    person, asked = saying("finish")
    outcome = search(root, trials=9, on_event=pause, on_question=person)
    assert [question.title for question in asked] == ["Paused after trial 1."]
    assert outcome.status == "complete"
    assert outcome.result["trials"] == 1
    assert outcome.result["test_accuracy"] is not None


def test_a_persons_ideas_come_first_as_many_a_trial_as_fit(root: Path) -> None:
    wishes = tuple(plain_recipe(axes=[axis], scale=2.0) for axis in ("RX", "RY"))
    outcome = completed(root, ideas=1, trials=2, persons_ideas=wishes)
    first, second = outcome.result["tried"][:2]
    assert first["name"].startswith("GradedRx")
    assert second["name"].startswith("GradedRy")


def test_an_idea_in_words_needs_a_model_and_a_recipe_is_offered(root: Path) -> None:
    with pytest.raises(InputError, match="needs a model") as refused:
        search(root, persons_ideas=("Encode each feature twice",))
    offered = yaml.safe_load(str(refused.value).partition("\n\n")[2])
    assert search(root, trials=1, ideas=1, **offered).result["tried"][0]["outcome"] == "evaluated"
