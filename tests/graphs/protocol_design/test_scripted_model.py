"""Words read by a chat model behind a loopback server: drafted, checked, covered, corrected, approved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from calibrations import Person
from designs import CLEAR_WORDS, CLEAR_YAML, Script, design, drafted, events, found, patches, reader
from scripted_model import Reply, ScriptedModel

from labwright.graphs.protocol_design.running import Outcome, resume
from labwright.graphs.questions import Answer

MIND = "openai:scripted"
STRANGE, STRANGE_WORDS = (text.replace("caffeine", "zorbinol") for text in (CLEAR_YAML, CLEAR_WORDS))
WEIGHED = STRANGE.replace("concentration: 10 mM", "concentration: 2 mg/mL")
MOST_CHARACTERS = 11_500  # of the largest request of a reading; 10,000 before additions, samples, dilutions and parts
Read = Callable[..., tuple[Outcome, ScriptedModel]]


@pytest.fixture
def read(root: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Designs from words with a script that end so; returns the outcome and the model with its requests."""

    def run(
        script: Script, text: str = CLEAR_WORDS, person: Person | None = None, ends: str = "complete", **choices: object
    ) -> tuple[Outcome, ScriptedModel]:
        with ScriptedModel(script) as model:
            monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
            monkeypatch.setenv("LABWRIGHT_CACHE", "false")
            outcome = design(text, root, mind=MIND, on_question=person, **choices)
        assert outcome.status == ends, outcome.reason
        return outcome, model

    return run


def roles(model: ScriptedModel) -> list[str]:
    return [request.role.rpartition(".")[2] for request in model.requests]


def waters(outcome: Outcome) -> set[float]:
    return {vial["contents"]["water"]["amount"] for vial in outcome.result["vials"]}


def test_words_cost_two_requests_and_become_the_written_protocol(read: Read, root: Path) -> None:
    outcome, model = read(reader())
    assert roles(model) == ["draft", "cover"]
    assert outcome.result["vials"] == design(CLEAR_YAML, root).result["vials"]
    again = design((outcome.run_dir / "spec.yaml").read_text(), root)
    assert again.result["vials"] == outcome.result["vials"]


def test_a_wrong_draft_is_repaired_by_patches(read: Read) -> None:
    wrong = drafted(CLEAR_YAML.replace("total_volume: 1 mL", "total_volume: 1 mM"))
    outcome, model = read(reader(draft=[wrong], repair=[patches(groups__0__total_volume="1 mL")]))
    assert roles(model) == ["draft", "repair", "cover"]
    assert waters(outcome) == {950, 980, 990}


def test_what_the_second_reader_finds_is_repaired_or_shown(read: Read) -> None:
    short = drafted(CLEAR_YAML.replace(", 0.5 mM", ""))
    missed = found(("changed", "0.1, 0.2 and 0.5 mM", "groups.0.factors.0.levels"))
    level = patches(groups__0__factors__0__levels="[0.1 mM, 0.2 mM, 0.5 mM]")
    outcome, model = read(reader(draft=[short], cover=[missed, found()], repair=[level]))
    assert len(outcome.result["vials"]) == 3
    assert roles(model) == ["draft", "cover", "repair", "cover"]
    # half an experiment is never written, also not unattended
    disputed, _ = read(reader(draft=[short], cover=[missed, missed], repair=[patches()]), ends="stopped")
    assert "0.1, 0.2 and 0.5 mM" in disputed.questions[0]["body_markdown"]
    assert not (disputed.run_dir / "robot").exists()


def test_what_the_robot_cannot_do_is_never_left_out_in_silence(read: Read) -> None:
    text = f"{CLEAR_WORDS} Centrifuge them."
    person = Person(script=["run"])
    outcome, _ = read(reader(draft=[drafted(left_out=["Centrifuge them."])]), text, person)
    assert "Left out:\n- Centrifuge them." in person.asked[0].body_markdown
    assert outcome.result["left_out"] == ["Centrifuge them."]
    assert "Centrifuge them." in (outcome.run_dir / "report.md").read_text()


def test_an_unknown_substance_in_words_is_answered_in_one_question(read: Read) -> None:
    person = Person(script=["solid, 200 g/mol"])
    outcome, model = read(reader(draft=[drafted(WEIGHED)]), STRANGE_WORDS, person)
    assert len(person.asked) == 1
    assert roles(model) == ["draft", "cover"]
    assert waters(outcome) == {950, 980, 990}


def test_no_data_are_asked_that_no_amount_depends_on(read: Read) -> None:
    person = Person(script=[])
    outcome, _ = read(reader(draft=[drafted(STRANGE)]), STRANGE_WORDS, person)
    assert not person.asked
    assert waters(outcome) == {950, 980, 990}


def test_the_second_reader_hears_what_the_person_is_asked_anyway(read: Read) -> None:
    own = {"assumed": ["Each is made once."], "left_out": ["Prepare standards"]}
    _, model = read(reader(draft=[drafted(**own)]), person=Person(script=["run"]))
    besides = model.requests[1].input["besides"]
    assert "asked: Prepare standards" in besides
    assert "reads it: Each is made once." in besides


def test_corrections_are_words_that_become_patches(read: Read) -> None:
    script = reader(correct=[patches(groups__0__replicates="2"), patches(conditions__0__time="45 min")])
    person = Person(script=["in duplicate, please", "45 minutes instead"], rest="write")
    outcome, model = read(script, person=person, approval="risky")
    assert len(outcome.result["vials"]) == 6
    assert roles(model) == ["draft", "cover", "correct", "cover", "correct", "cover"]
    assert "45 minutes instead" in model.requests[-1].input["words"]
    assert "now: vortexed at 800 rpm, for 45 min" in person.asked[2].body_markdown
    assert 'groups.0.total_volume: "1 mL"' in person.asked[0].body_markdown


SMALL = patches(groups__0__total_volume="20 uL")


def test_a_correction_that_cannot_be_done_is_asked_about_and_loses_nothing(read: Read) -> None:
    script = reader(correct=[SMALL, patches(groups__0__replicates="2")], repair=[SMALL])
    person = Person(script=["only 20 microlitres each", "cancel", "in duplicate"], rest="write")
    outcome, model = read(script, person=person, approval="risky")
    assert waters(outcome) == {950, 980, 990}
    assert "Nothing is changed." in person.asked[2].body_markdown
    assert "20 microlitres" not in model.requests[-1].input["words"]  # a later reader does not hold it against the file


def test_an_answer_that_the_model_cannot_use_either_is_asked_for_with_the_reason(read: Read) -> None:
    person = Person(script=["the white one", "solid, 200 g/mol"])
    _, model = read(reader(draft=[drafted(WEIGHED)]), STRANGE_WORDS, person)
    assert "'the white one' is not a state" in person.asked[1].body_markdown
    assert roles(model) == ["draft", "correct", "cover"]


def test_a_patch_is_among_the_words_that_a_later_reader_sees(read: Read) -> None:
    person = Person(script=["groups.0.replicates = 2", "45 minutes instead"], rest="write")
    _, model = read(reader(correct=[patches(conditions__0__time="45 min")]), person=person, approval="risky")
    assert "groups.0.replicates = 2" in model.requests[-1].input["words"]


def test_a_models_own_question_is_put_to_the_person(read: Read) -> None:
    person = Person(script=["no"])
    _, model = read(reader(draft=[Reply.question("Is it degassed?", ["yes", "no"]), drafted()]), person=person)
    assert [question.title for question in person.asked] == ["Is it degassed?"]
    assert model.requests[1].input["words"].endswith("no")


def test_each_question_may_be_answered_by_another_process(
    read: Read, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting, _ = read(reader(), ends="stopped", approval="risky")
    with ScriptedModel(reader(correct=[patches(groups__0__replicates="2")])) as model:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        for decision in ("in duplicate", "write"):
            [question] = waiting.questions
            answer = Answer(id=question["id"], decision=decision)
            waiting = resume(waiting.run_id, root, answers={question["id"]: answer})
    assert waiting.status == "complete", waiting.reason
    assert len(waiting.result["vials"]) == 6
    assert [event["decision"] for event in events(waiting, "answer")] == ["in duplicate", "write"]


def test_a_refusal_says_why(read: Read) -> None:
    refusal = Reply.refuse("Nothing is dispensed into vials.")
    outcome, _ = read(reader(draft=[refusal]), "Water the plants.", ends="refused")
    assert outcome.reason == "Nothing is dispensed into vials."


def test_a_reading_is_short(read: Read) -> None:
    _, model = read(reader())
    assert max(len(json.dumps(request.body, ensure_ascii=False)) for request in model.requests) <= MOST_CHARACTERS
