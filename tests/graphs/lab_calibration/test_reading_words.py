"""Free words through a model on loopback: planned, translated, covered, repaired, asked about, then run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from calibrations import Person, calibrate
from plan_labs import catalogue
from scripted_model import Reply, ScriptedModel
from spoiled import Spoiled, finding, patches, planned, translated

from labwright.agents.lab_calibration.decide import DECIDE
from labwright.agents.lab_calibration.read_plan import (
    OPINION,
    PLAN,
    TRANSLATE,
    Catalogued,
    KnowingQuestion,
    read_plan,
)
from labwright.agents.typed_call import Question
from labwright.agents.understand.coverage_check import COVER
from labwright.agents.understand.repair import REPAIR
from labwright.evaluation.benchmarks.run_comparison import witness
from labwright.graphs.lab_calibration.running import Outcome, resume
from labwright.graphs.questions import Answer
from labwright.graphs.understand.reading_questions import applied

WORDS = "How long does the excited state of Q1 live? Look as far as 300 us."
MEANT = "t1 Q1, stop = 300 us"
READS = {WORDS: MEANT}
Use = Callable[..., None]
Read = Callable[..., tuple[Outcome, list[str]]]


@pytest.fixture
def read(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Read:
    """Runs words with a script; returns the outcome and the roles that were asked, in order."""

    def run(script: Spoiled, words: str = WORDS, **choices: Any) -> tuple[Outcome, list[str]]:
        with ScriptedModel(script) as model:
            given = {"base_url": model.url, "api_key": "none", "state": tmp_path / "state", "timeout": 20}
            for name, value in given.items():
                monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", str(value))
            outcome = calibrate(words, root, mind="openai:scripted", **choices)
            return outcome, [request.role for request in model.requests]

    return run


def calls(outcome: Outcome) -> list[tuple[str, dict[str, Any]]]:
    """Experiment and arguments of every measurement."""
    return [(row["call"]["experiment"], row["call"]["arguments"]) for row in witness(outcome.run_dir).stages]


def spec(outcome: Outcome) -> dict[str, Any]:
    """The specification that was run."""
    return dict(yaml.safe_load((outcome.run_dir / "spec.yaml").read_text()))


def with_value(name: str, value: str, meant: str = MEANT) -> Reply:
    """A translation in which a parameter of the first step has another value."""
    answer = translated(meant)
    step = answer["steps"][0]
    kept = [each for each in step["parameters"] if each["name"] != name]
    return Reply.answer({"steps": [{**step, "parameters": [*kept, {"name": name, "value": value}]}]})


def test_words_are_planned_translated_covered_and_run(read: Read) -> None:
    outcome, asked = read(Spoiled(READS), approval="auto")
    assert outcome.status == "complete", outcome.reason
    assert asked[:3] == [PLAN.name, TRANSLATE.name, COVER.name]
    assert asked.count(PLAN.name) == 1
    assert calls(outcome)[0] == ("t1", {"qubit": "Q1", "stop": 300.0})
    assert spec(outcome)["steps"][0]["parameters"] == {"stop": "300 us"}


def test_what_a_model_refuses_is_not_measured(read: Read) -> None:
    reason = "No experiment here warms up the fridge."
    outcome, asked = read(Spoiled(says={PLAN.name: [Reply.refuse(reason)]}), "Warm up the fridge.")
    assert (outcome.status, outcome.reason) == ("refused", reason)
    assert calls(outcome) == []
    assert COVER.name not in asked


def test_words_that_no_card_does_are_refused_with_what_was_left_out(read: Read) -> None:
    nothing = {**planned(WORDS, MEANT), "steps": [], "left_out": ["Warm up the fridge"]}
    outcome, _ = read(Spoiled(says={PLAN.name: [Reply.answer(nothing)]}), "Warm up the fridge.")
    assert outcome.status == "refused"
    assert "Warm up the fridge" in outcome.reason


def test_a_models_question_reaches_the_person_and_the_answer_is_read_with_the_words(read: Read) -> None:
    asks = Reply.question("Which qubit do you mean?", ["Q1", "Q2"])
    both = "How long does the left one live?\n\nWhich qubit do you mean? Q2"
    script = Spoiled({both: "t1 Q2"}, {PLAN.name: [asks]})
    person = Person(script=["Q2"])
    outcome, asked = read(script, "How long does the left one live?", on_question=person)
    assert outcome.status == "complete", outcome.reason
    [question] = person.asked
    assert (question.kind, question.title) == ("clarify", "Which qubit do you mean?")
    assert [option.value for option in question.options] == ["Q1", "Q2"]
    assert asked.count(PLAN.name) == 2
    assert calls(outcome)[0][1]["qubit"] == "Q2"


def test_a_finding_of_the_second_reader_is_repaired(read: Read) -> None:
    script = Spoiled(
        READS,
        {
            TRANSLATE.name: [with_value("stop", "200 us")],
            COVER.name: [finding("changed", "as far as 300 us", "steps.0.parameters.stop", "200 us is not 300 us")],
            REPAIR.name: [patches(steps__0__parameters__stop="300 us")],
        },
    )
    outcome, asked = read(script, approval="auto")
    assert outcome.status == "complete", outcome.reason
    assert asked[:5] == [PLAN.name, TRANSLATE.name, COVER.name, REPAIR.name, COVER.name]
    assert calls(outcome)[0] == ("t1", {"qubit": "Q1", "stop": 300.0})


@pytest.mark.slow
def test_a_finding_that_quotes_nothing_and_names_nothing_is_dropped(read: Read) -> None:
    script = Spoiled(READS, {COVER.name: [finding("left_out", "and brew a pot of tea", "steps.7")]})
    outcome, asked = read(script, approval="auto")
    assert outcome.status == "complete", outcome.reason
    assert REPAIR.name not in asked


@pytest.mark.parametrize("reply", [Reply.refuse("I cannot judge this."), Reply.question("I cannot judge this.")])
def test_a_reading_that_was_not_covered_is_shown_even_with_auto(read: Read, reply: Reply) -> None:
    waiting, asked = read(Spoiled(READS, {COVER.name: [reply]}), approval="auto", answers="defaults")
    assert (waiting.status, asked.count(REPAIR.name)) == ("stopped", 0)
    assert "- not checked (I cannot judge this.)" in waiting.questions[0]["body_markdown"]
    assert calls(waiting) == []


@pytest.mark.slow
def test_a_disputed_finding_reaches_the_person_even_with_auto(read: Read) -> None:
    script = Spoiled(READS, {COVER.name: [finding("left_out", "How long", why="no figure is asked for")]})
    person = Person(rest="run")
    outcome, asked = read(script, approval="auto", on_question=person)
    assert outcome.status == "complete", outcome.reason
    assert asked.count(REPAIR.name) == 1  # which gives no patch: the two readers disagree
    [question] = person.asked
    assert (question.kind, question.title) == ("approve", "Is this what you want?")
    assert 'Left out:\n- "How long" (no figure is asked for)' in question.body_markdown
    assert "`t1 Q1, stop = 300 us` (default: points = 61, shots = 2000), 2 min\n" in question.body_markdown
    assert f'Read from your words:\n- steps.0: "{WORDS}"\n' in question.body_markdown


def test_auto_does_not_pass_where_something_is_left_out(read: Read) -> None:
    some = {**planned(WORDS, MEANT), "left_out": ["and tell my boss"]}
    outcome, _ = read(Spoiled(READS, {PLAN.name: [Reply.answer(some)]}), approval="auto", answers="defaults")
    assert (outcome.status, outcome.reason) == ("stopped", "Waits for an answer.")
    [question] = outcome.questions
    assert "Left out:\n- and tell my boss" in question["body_markdown"]
    assert calls(outcome) == []


def test_a_wish_that_both_readers_left_out_stands_once(read: Read) -> None:
    some = {**planned(WORDS, MEANT), "left_out": ["and tell my boss"]}
    script = Spoiled({f"{WORDS} And tell my boss": MEANT}, {PLAN.name: [Reply.answer(some)]})
    script.says[COVER.name] = [finding("left_out", "tell my boss", why="no field tells anybody")]
    outcome, _ = read(script, f"{WORDS} And tell my boss", approval="auto", answers="defaults")
    [question] = outcome.questions
    assert question["body_markdown"].count("tell my boss") == 1
    assert 'Left out:\n- "tell my boss" (no field tells anybody)\n\n' in question["body_markdown"]
    assert "Your words against it" not in question["body_markdown"]


def test_an_invented_qubit_is_never_measured(read: Read) -> None:
    wrong = planned(WORDS, "t1 Q17, stop = 300 us")
    person = Person(rest="cancel")
    outcome, asked = read(Spoiled(READS, {PLAN.name: [Reply.answer(wrong)]}), approval="auto", on_question=person)
    assert asked.count(REPAIR.name) == 1  # which has no patch
    assert "The device has no qubit 'Q17'. It has: Q1, Q2, Q8." in person.asked[0].body_markdown
    assert "run" not in [option.value for option in person.asked[0].options]
    assert (outcome.status, calls(outcome)) == ("stopped", [])


@pytest.mark.slow
def test_what_code_finds_wrong_is_repaired(read: Read) -> None:
    script = Spoiled(
        READS,
        {
            TRANSLATE.name: [with_value("until", "300 us")],
            REPAIR.name: [patches(steps__0__parameters="{stop: 300 us}")],
        },
    )
    outcome, asked = read(script, approval="auto")
    assert outcome.status == "complete", outcome.reason
    assert asked[:4] == [PLAN.name, TRANSLATE.name, REPAIR.name, COVER.name]
    assert calls(outcome)[0] == ("t1", {"qubit": "Q1", "stop": 300.0})


@pytest.mark.slow
def test_a_number_without_a_unit_is_asked_about(read: Read) -> None:
    words = "T1 of Q1 please, stop at 300"
    script = Spoiled({words: MEANT}, {TRANSLATE.name: [with_value("stop", "300")]})
    person = Person(script=["us"])
    outcome, asked = read(script, words, approval="auto", answers="defaults", on_question=person)
    assert outcome.status == "complete", outcome.reason
    [question] = person.asked
    assert "300 has no unit" in question.body_markdown
    assert "us" in [option.value for option in question.options]
    assert REPAIR.name not in asked  # a unit is the person's to say, not a model's
    assert calls(outcome)[0] == ("t1", {"qubit": "Q1", "stop": 300.0})


@pytest.mark.slow
def test_the_second_reader_sees_what_the_person_has_answered(read: Read) -> None:
    """Else it would find the answered qubit added to the words."""
    words = "How long does the excited state live?"
    script = Spoiled({words: "t1"})
    seen: list[str] = []

    def listen(request: Any) -> Reply:
        seen.extend([request.input["words"]] if request.role == COVER.name else [])
        return Spoiled.__call__(script, request)

    person = Person(script=["Q2"])
    outcome, _ = read(listen, words, approval="auto", on_question=person)  # type: ignore[arg-type]
    assert outcome.status == "complete", outcome.reason
    assert calls(outcome)[0][1]["qubit"] == "Q2"
    assert seen[0].startswith(words)
    assert seen[0].endswith("Which qubit is meant? Q2")


def test_a_model_may_not_clip_what_was_asked_for_unseen(read: Read) -> None:
    """A value outside the limits: the repairing agent makes it fit, the second reader sees it, the person decides."""
    words = "T1 of Q1, please, all the way to 900 ms"
    changed = finding("changed", "to 900 ms", "steps.0.parameters.stop", "1000 us is not 900 ms")
    script = Spoiled(
        {words: "t1 Q1, stop = 900 ms"},
        {COVER.name: [changed], REPAIR.name: [patches(steps__0__parameters__stop="1000 us")]},
    )
    person = Person(rest="cancel")
    outcome, _ = read(script, words, approval="auto", on_question=person)
    assert "1000 us is not 900 ms" in person.asked[0].body_markdown
    assert (outcome.status, calls(outcome)) == ("stopped", [])


@pytest.mark.slow
def test_a_question_of_the_repairing_agent_reaches_the_person(read: Read) -> None:
    words = "T1 of Q1, please, all the way to 900 ms"
    asks = Reply.question("T1 can be swept to 1400 us at most. How far?", ["1400 us"])
    said = f"{words}\n\nT1 can be swept to 1400 us at most. How far? 1400 us"
    script = Spoiled({words: "t1 Q1, stop = 900 ms", said: "t1 Q1, stop = 1400 us"})
    script.says[REPAIR.name] = [asks]
    person = Person(script=["1400 us"])
    outcome, asked = read(script, words, approval="auto", on_question=person)
    assert [question.title for question in person.asked] == ["T1 can be swept to 1400 us at most. How far?"]
    assert asked.count(REPAIR.name) == 1
    assert calls(outcome)[0] == ("t1", {"qubit": "Q1", "stop": 1400.0})


@pytest.mark.slow
@pytest.mark.parametrize("claim", [True, False])
def test_where_two_cards_fit_each_ones_agent_is_heard_and_then_the_person(read: Read, claim: bool) -> None:
    words = "Find out how Q1 forgets."
    plan = planned(words, "t1 Q1")
    plan["steps"][0]["other"] = "spin_echo"
    opinions = [Reply.answer({"reason": "", "mine": claim}), Reply.answer({"reason": "", "mine": True})]
    said = f"{words}\n\n{words!r} may mean two things. Which one? spin echo"
    reads = {said: "spin_echo Q1", words: "spin_echo Q1"}
    person = Person(script=["spin echo"])
    script = Spoiled(reads, {PLAN.name: [Reply.answer(plan)], OPINION.name: opinions})
    outcome, asked = read(script, words, approval="auto", on_question=person)
    assert asked.count(OPINION.name) == 2
    assert [[option.value for option in each.options] for each in person.asked] == (
        [["t1", "spin echo"]] if claim else []
    )
    assert calls(outcome)[0][0] == "spin_echo"


def asked_by_plan(words: str, qubits: list[str], cards: dict[str, str]) -> Any:
    """What is asked of steps whose card is as good as another; every experiment's agent claims its own."""
    plan = planned(words, "; ".join(f"{card} Q1" for card in cards))
    for step, other in zip(plan["steps"], cards.values(), strict=True):
        step |= {"other": other, "qubits": qubits}

    def ask(call: Any, given: Any) -> Any:
        return PLAN.output.model_validate(plan) if call is PLAN else OPINION.output(reason="", mine=True)

    return read_plan(ask, words, Catalogued(catalogue(), ["Q1", "Q2"], [], []))


def test_a_qubit_that_is_not_there_is_asked_first_and_all_that_is_open_with_it() -> None:
    asked = asked_by_plan("T2 of qubit 3", ["qubit 3"], {"t2_ramsey": "spin_echo", "ramsey": "qubit_spectroscopy"})
    assert asked.text == "The device has no 'qubit 3'; it has Q1 and Q2. Which one is meant?"
    assert asked.options == []
    assert asked.known.splitlines()[2:] == [
        "- 'T2 of qubit 3' may mean two things. Which one? (t2 ramsey or spin echo)",
        "- 'T2 of qubit 3' may mean two things. Which one? (ramsey or qubit spectroscopy)",
    ]
    asked = asked_by_plan("T2", [], {"t2_ramsey": "spin_echo"})
    assert asked.text == "Which qubit is meant? (Q1 or Q2)"
    assert "(t2 ramsey or spin echo)" in asked.known


class ModelReading:
    """As much of a reading with a model as an answer in words needs."""

    reads_words, corrects, elsewhere = True, False, ""

    def parse(self, words: str) -> None:
        """No line of the short form."""


def test_one_answer_to_all_that_is_open_is_read_with_the_questions() -> None:
    asked = asked_by_plan("T2 of Q3", ["Q3"], {"t2_ramsey": "spin_echo"}).model_dump()
    state: Any = {"words": "T2 of Q3", "asked": asked, "draft": {}}
    words = applied(ModelReading(), state, Answer(id="clarify 1", decision="Q2, and both"))["words"]  # type: ignore[arg-type]
    assert words.endswith("Which one? (t2 ramsey or spin echo) Q2, and both")
    assert "The device has no 'Q3'" in words


def test_a_question_of_the_planning_agent_says_which_qubits_there_are() -> None:
    def ask(call: Any, given: Any) -> Any:
        return Question(text="Echo or Ramsey?")

    asked = read_plan(ask, "T2 of Q3", Catalogued(catalogue(), ["Q1", "Q2"], [], []))
    assert isinstance(asked, KnowingQuestion)
    assert asked.known == "The device has the qubits Q1 and Q2."


def test_a_person_edits_the_plan_that_was_read(read: Read) -> None:
    edit = ("edit", {"yaml": "system: lab_calibration\nsteps:\n  - t1 Q2, stop = 250 us\n"})
    outcome, _ = read(Spoiled(READS), approval="always", on_question=Person(script=[edit], rest="run"))
    assert outcome.status == "complete", outcome.reason
    assert calls(outcome)[0] == ("t1", {"qubit": "Q2", "stop": 250.0})


@pytest.mark.slow
def test_an_edit_without_the_form_of_a_plan_is_asked_about_again(read: Read) -> None:
    edit = ("edit", {"yaml": "system: lab_calibration\nsteps:\n  - {experiment: t1, qubit: Q2}\n"})
    person = Person(script=[edit], rest="cancel")
    outcome, _ = read(Spoiled(READS), approval="always", on_question=person)
    assert "steps.0" in person.asked[1].body_markdown
    assert "There is no such field" in person.asked[1].body_markdown
    assert "run" not in [option.value for option in person.asked[1].options]
    assert (outcome.status, calls(outcome)) == ("stopped", [])


@pytest.mark.slow
def test_a_person_patches_one_field_of_the_plan_that_was_read(read: Read) -> None:
    person = Person(script=["steps.0.stop = 250 us"], rest="run")
    outcome, asked = read(Spoiled(READS), approval="always", on_question=person)
    assert outcome.status == "complete", outcome.reason
    assert asked.count(PLAN.name) == 1
    assert calls(outcome)[0] == ("t1", {"qubit": "Q1", "stop": 250.0})


@pytest.mark.slow
def test_a_person_corrects_the_plan_in_words(read: Read) -> None:
    more = f"{WORDS}\n\nSorry, I meant the second qubit."
    person = Person(script=["Sorry, I meant the second qubit."], rest="run")
    outcome, asked = read(Spoiled({**READS, more: "t1 Q2"}), approval="always", on_question=person)
    assert outcome.status == "complete", outcome.reason
    assert asked.count(PLAN.name) == 2
    assert calls(outcome)[0][1]["qubit"] == "Q2"


@pytest.mark.slow
def test_a_reading_that_waits_is_resumed_without_asking_the_model_again(read: Read, root: Path) -> None:
    waiting, _ = read(Spoiled(READS), approval="always")  # and with that the model is gone
    [question] = waiting.questions
    done = resume(waiting.run_id, root, answers={question["id"]: Answer(id=question["id"], decision="cancel")})
    assert (done.status, calls(done)) == ("stopped", [])
    assert len([event for event in _events(done) if event.get("agent") == PLAN.name]) == 1


@pytest.mark.slow
def test_a_rule_in_free_words_is_decided_by_a_model(read: Read) -> None:
    words = "T1 of Q1, then the echo, but leave the echo out if T1 looks dull."
    steps = translated("t1 Q1; spin_echo Q1")["steps"]
    rule = {"condition": "", "go": "", "change": [], "free": "leave the echo out if T1 looks dull"}
    steps[0]["on"] = [rule]
    decision = {"analysis": "126 us is dull.", "applies": True, "next": "Stage 9", "changes": []}
    right = {**decision, "next": "COMPLETE"}
    script = Spoiled(
        {words: "t1 Q1; spin_echo Q1"},
        {TRANSLATE.name: [Reply.answer({"steps": steps})], DECIDE.name: [Reply.answer(decision), Reply.answer(right)]},
    )
    outcome, asked = read(script, words, approval="auto")
    assert outcome.status == "complete", outcome.reason
    assert asked.count(DECIDE.name) == 2  # no stage is called Stage 9
    assert [row["experiment"] for row in outcome.result["stages"]] == ["t1"]


@pytest.mark.slow
def test_a_rule_that_does_not_apply_leaves_it_to_the_default(read: Read) -> None:
    words = "T1 of Q1, then the echo, but leave the echo out if T1 looks dull."
    steps = translated("t1 Q1; spin_echo Q1")["steps"]
    steps[0]["on"] = [{"condition": "", "go": "", "change": [], "free": "leave the echo out if T1 looks dull"}]
    decision = {"analysis": "Not dull.", "applies": False, "next": "", "changes": []}
    script = Spoiled({words: "t1 Q1; spin_echo Q1"}, {TRANSLATE.name: [Reply.answer({"steps": steps})]})
    script.says[DECIDE.name] = [Reply.answer(decision)]
    outcome, _ = read(script, words, approval="auto")
    assert {row["experiment"] for row in outcome.result["stages"]} == {"t1", "spin_echo"}


@pytest.mark.slow
def test_upkeep_may_be_said_in_words(read: Read) -> None:
    words = "Please see that Q1 stays in shape."
    script = Spoiled({words: "Maintain Q1"})
    outcome, asked = read(script, words, approval="auto", answers="defaults", device_options={"device": "grid:3"})
    assert TRANSLATE.name not in asked
    assert spec(outcome)["mode"] == "maintain"


def _events(outcome: Outcome) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (outcome.run_dir / "events.jsonl").read_text().splitlines()]
