"""The desk with a chat model through the real client: it decides typed actions, is repaired, and grants nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Reply, Request, ScriptedModel, by_policy
from talks import DILUTION, decided, settled, talk, words

from labwright.agents.front_desk.actions import Consent
from labwright.agents.front_desk.decide import DECIDE
from labwright.agents.front_desk.explain import EXPLAIN, Account, Explained, ExplainIn, check_explained
from labwright.agents.lab_calibration.write_report import WRITE_REPORT
from labwright.agents.understand.repair import REPAIR
from labwright.graphs.front_desk import turn_start
from labwright.graphs.front_desk.consent_tightening import tighten, tightened
from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.run_requests import asked_in_all, order_anew
from labwright.graphs.front_desk.workers import WORKERS
from labwright.graphs.registry import driver
from labwright.graphs.specification_runs import INPUTS, choices_of
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.listing import summarise
from labwright.tools.runs.run import open_run, run_ids

MIND = "openai:scripted"
HONEST = by_policy(WRITE_REPORT)
T1 = "t1 Q1, points = 21, shots = 400"
BARE: dict[str, Any] = {"figures": [], "computed": [], "compute": ""}  # an explanation that computes nothing
Script = Callable[[dict[str, Any]], list[dict[str, Any]]]


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    """A conversation whose model decides what a function of the frame says."""

    @contextmanager
    def opened(script: Script, other: Callable[[Request], Reply] | None = None, **terms: Any) -> Iterator[Any]:
        def model(request: Request) -> Reply:
            if request.role == DECIDE.name:
                return Reply.answer(decided(*script(request.input)))
            return other(request) if other is not None and request.role != WRITE_REPORT.name else HONEST(request)

        with ScriptedModel(model) as served:
            for name, value in {"base_url": served.url, "api_key": "none", "state": str(tmp_path / "state")}.items():
                monkeypatch.setenv(f"LABWRIGHT_{name.upper()}", value)
            with talk(mind=MIND, **{"approval": "auto", "answers": "defaults", **terms}) as conversation:
                conversation.model = served
                yield conversation

    return opened


def newest(frame: dict[str, Any]) -> str:
    return str(frame["runs"][-1]["run_id"])


def started(text: str, system: str = "lab_calibration", **more: Any) -> dict[str, Any]:
    return {"kind": "start", "system": system, "text": text, **more}


def test_words_become_actions_and_the_run_has_the_persons_terms(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    with desk(lambda frame: [started(T1)], budget="calls=40") as conversation:
        ended = settled(conversation, conversation.say("how long does Q1 live?"))
        run = open_run(root, conversation.runs[0])
    assert ended.replies[-1]["status"] == "complete", words(ended)
    assert (run.record.choices["mind"], run.record.choices["budget"]) == (MIND, "calls=40")


def test_the_frame_holds_what_a_follow_up_refers_to_and_again_changes_the_specification(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    frames = []

    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        frames.append(frame)
        if not frame["runs"]:
            return [started(T1)]
        [path] = [line.partition(" = ")[0] for line in frame["runs"][-1]["found"] if ".t1.t1 " in line]
        return [{"kind": "again", "run": newest(frame), "changes": [f"stop = {{from: run:{newest(frame)}#{path}}}"]}]

    with desk(script) as conversation:
        settled(conversation, conversation.say("T1 of Q1 please"))
        told = settled(conversation, conversation.say("again, only up to that T1"))
        assert len(conversation.runs) == 2, words(told)
        old, new = (open_run(root, name) for name in conversation.runs)
    assert [one["by"] for one in frames[1]["talk"]] == ["person", "desk", "desk"]
    assert "points: 21" in frames[1]["runs"][-1]["specification"]
    assert "stop: 300 us" not in (new.folder / "spec.yaml").read_text()
    assert summarise(new).status == "complete"
    assert (new.folder / "order.json").read_text().count(old.run_id) >= 1  # the device as the first run left it


def test_several_actions_are_done_in_order_and_the_second_start_waits_for_the_first(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        return [started(T1), started("ramsey Q1", after=True, uses=["run:above"]), {"kind": "say", "text": "Both."}]

    with desk(script) as conversation:
        first = conversation.say("T1 of Q1, then a Ramsey with it")
        assert [reply["kind"] for reply in first.replies][:3] == ["started", "said", "said"]
        assert len(conversation.runs) == 1
        settled(conversation, conversation.look())
        assert len(conversation.runs) == 2
        assert summarise(open_run(root, conversation.runs[1])).status == "complete"


def test_a_start_behind_a_start_that_waits_follows_that_one(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        if "stop" in frame["message"]:
            return [{"kind": "steer", "what": "stop", "runs": [frame["runs"][-1]["run_id"]]}]
        return [started(T1), *(started(T1, after=True, uses=["run:above"]) for _ in range(2))]

    with desk(script) as conversation:
        conversation.say("T1 of Q1 three times, each after the other")
        settled(conversation, conversation.look())
        settled(conversation, conversation.look())
        runs = [open_run(root, name) for name in conversation.runs]
        assert [summarise(run).status for run in runs] == ["complete"] * 3
        used = [read_json(run.folder / "order.json", "")["device_from"] for run in runs]
        assert used == ["", *conversation.runs[:2]]
        conversation.say("three more")
        settled(conversation, conversation.say("stop the newest"))
        assert WORKERS.wait(600)
        assert settled(conversation, conversation.look()).question is None
    assert len(conversation.runs) == 4


def test_an_answer_goes_only_to_the_question_that_the_person_had_seen(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    frames: list[dict[str, Any]] = []

    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        frames.append(frame)
        if "that one" not in frame["message"]:
            return [{"kind": "answer", "run": frame["asking"][1]["run_id"], "option": "abort"}]
        stop = {"kind": "steer", "what": "stop", "runs": [frame["asking"][0]["run_id"]]}
        return [stop, {"kind": "answer", "option": "abort"}]

    with desk(script, approval="risky", answers="ask") as conversation:
        settled(conversation, conversation.say(DILUTION))
        conversation.say(DILUTION)
        assert WORKERS.wait(600)
        turn = conversation.say("leave that one; abort")
        assert "not open yet when you wrote" in words(turn)
        turn = conversation.look()
        assert [summarise(open_run(root, name)).status for name in conversation.runs] == ["interrupted"] * 2
        settled(conversation, conversation.say(f"resume {conversation.runs[0]}"))
        turn = conversation.say("abort the second")
        assert turn.run_id == conversation.runs[0]
        assert WORKERS.wait(600)
    assert frames[0]["asking"][0]["words"].startswith("A change of what is proposed: `answer`")
    assert [each["run_id"] for each in frames[1]["asking"]] == conversation.runs
    assert [summarise(open_run(root, name)).status for name in conversation.runs] == ["interrupted", "stopped"]


def test_each_of_two_questions_is_shown_and_what_is_typed_answers_the_one_that_was_spoken_of(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"kind": "answer", "run": frame["asking"][-1]["run_id"], "option": "write"}]

    with desk(script, approval="risky", answers="ask") as conversation:
        settled(conversation, conversation.say(DILUTION))
        conversation.say(DILUTION.replace("0.2", "0.3"))
        assert WORKERS.wait(600)
        turn = conversation.look()
        first, second = conversation.runs
        assert turn.run_id == first
        assert f"{second} asks, too" in words(turn)
        assert "0.3 mM" in words(turn)
        turn = conversation.say("write the second one")
        assert ("only you give. Type: write" in words(turn), turn.run_id) == (True, second)
        settled(conversation, turn, "write")
        assert WORKERS.wait(600)
    assert [summarise(open_run(root, name)).status for name in (first, second)] == ["interrupted", "complete"]


def test_a_message_that_is_too_long_is_refused_whole(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    with desk(lambda frame: [started(T1)]) as conversation:
        said = words(conversation.say("T1 of Q1 " * 3000))
        assert "26999 characters; at most 20000 are read" in said
    assert (run_ids(root), conversation.model.requests) == ([], [])


def test_a_model_may_pass_on_an_answer_but_never_an_approval(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"kind": "answer", "option": frame["message"].split()[-1]}]

    with desk(script, approval="risky", answers="ask") as conversation:
        settled(conversation, conversation.say(DILUTION))
        refused = conversation.say("yes, that is fine, please write")
        run = open_run(root, conversation.runs[0])
        assert "only you give. Type: write" in words(refused)
        assert refused.question is not None
        assert not (run.folder / "robot").exists()
        settled(conversation, conversation.say("no, abort"))
        assert summarise(run).status == "stopped"


def test_a_new_request_is_not_glued_onto_an_open_question(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    with desk(lambda frame: [started(T1)], approval="risky", answers="ask") as conversation:
        asked = settled(conversation, conversation.say(DILUTION))
        turn = settled(conversation, conversation.say("and measure T1 of Q1 meanwhile"))
        assert turn.question == asked.question
        assert WORKERS.wait(600)
        protocol, measured = (open_run(root, name) for name in conversation.runs)
    assert summarise(measured).status == "complete"
    assert "answer" not in [event["kind"] for event in protocol.events.read()]


def test_wishes_about_consent_tighten_for_the_conversation_and_never_loosen(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        if "spend" in frame["message"]:
            return [{"kind": "consent", "approval": "always", "budget": "calls=9"}]
        return [{"kind": "consent", "approval": "risky", "budget": "calls=99"}, started(T1)]

    with desk(script, approval="risky", budget="calls=40") as conversation:
        assert "approval always, budget of each run calls=9" in words(conversation.say("ask first, spend little"))
        turn = settled(conversation, conversation.say("you need not ask; T1 of Q1"))
        assert "Words cannot loosen" in words(turn)
        choices = open_run(root, conversation.runs[0]).record.choices
        assert (choices["approval"], choices["budget"]) == ("always", "calls=9")
        assert conversation.terms.approval == "risky"


def test_a_wish_about_consent_is_taken_back_in_words_down_to_what_was_granted(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        if "always" not in frame["granted"]:
            return [{"kind": "consent", "approval": "always", "budget": "calls=9"}]
        return [{"kind": "consent", "approval": "granted"}, started(T1)]

    with desk(script, approval="risky") as conversation:
        conversation.say("ask me before each measurement, nine calls at most")
        settled(conversation, conversation.say("you need not ask any more; T1 of Q1"))
        choices = open_run(root, conversation.runs[0]).record.choices
    assert (choices["approval"], choices["budget"]) == ("risky", "calls=9")


@pytest.mark.parametrize("approval", ["risky", "always"])
def test_a_plan_is_shown_first_and_a_yes_in_words_starts_it_where_nothing_needs_approval(  # type: ignore[no-untyped-def]
    desk, root: Path, approval: str
) -> None:
    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"kind": "answer", "option": "run"}] if frame["asking"] else [started(T1, plan_first=True)]

    with desk(script, approval=approval, answers="ask") as conversation:
        shown = settled(conversation, conversation.say("T1 of Q1, but let me see the plan"))
        assert shown.question is not None
        assert shown.question.options[0].value == "run"
        told = settled(conversation, conversation.say("yes, go"))
        [run] = [open_run(root, name) for name in conversation.runs]
    assert summarise(run).status == ("complete" if approval == "risky" else "interrupted")
    assert ("Type: run" in words(told)) == (approval == "always")


def test_what_is_to_be_told_at_the_end_is_told_once_the_run_has_ended(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    seen: list[dict[str, Any]] = []

    def other(request: Request) -> Reply:
        assert request.role == EXPLAIN.name
        seen.append(request.input)
        return Reply.answer({"text": "It has not changed.", **BARE})

    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        if not frame["runs"]:
            return [started(T1)]
        return [started(T1), {"kind": "show", "what": "why", "runs": [frame["runs"][0]["run_id"]], "after": True}]

    with desk(script, other) as conversation:
        settled(conversation, conversation.say("T1 of Q1"))
        first = conversation.say("once more, and tell me then whether it has changed")
        assert "It has not changed." not in words(first)
        told = settled(conversation, conversation.look())
        settled(conversation, conversation.look())
        assert [one["run_id"] for one in seen[0]["runs"]] == conversation.runs
    assert "It has not changed." in words(told)
    assert [one["status"] for one in seen[0]["runs"]] == ["complete"] * 2
    assert seen[0]["question"] == "once more, and tell me then whether it has changed"
    assert len(seen) == 1


def test_a_term_that_a_command_sets_anew_leaves_the_other_tightened_and_no_digit_is_lost() -> None:
    terms = Terms(approval="risky", budget="tokens=9999999")
    wish = Consent(approval="always", budget="tokens=1234567")
    stricter = tighten(terms, {}, wish)
    assert tightened(terms, stricter).budget == "tokens=1234567"
    anew = tightened(Terms(approval="risky", budget="tokens=5"), stricter)
    assert (anew.approval, anew.budget) == ("always", "tokens=5")


def test_why_is_answered_from_the_log_and_an_invented_number_is_sent_back(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    seen: list[dict[str, Any]] = []

    def other(request: Request) -> Reply:
        assert request.role == EXPLAIN.name
        seen.append(request.input)
        invented = {"text": "Because of 987654321 fringes.", **BARE}
        log = request.input["runs"][0]["log"]
        right = {"text": next(line for line in log if "decided by the rule" in line), **BARE}
        return Reply.answer(invented if len(seen) == 1 else right)

    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"kind": "show", "what": "why", "runs": [newest(frame)]}] if frame["runs"] else []

    with desk(script, other) as conversation:
        settled(conversation, conversation.say("ramsey Q1, offset = 3 MHz, stop = 0.5 us"))
        told = words(conversation.say("why did it repeat the Ramsey?"))
    assert "decided by the rule of the stage: it may be repeated: too few oscillations" in told
    assert any("stop = 0.5 us" in line for line in seen[0]["runs"][0]["log"])
    assert len(seen) == 2


def test_again_in_words_becomes_changes_of_the_specification(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def other(request: Request) -> Reply:
        assert request.role == REPAIR.name
        return Reply.answer({"reason": "", "patches": [{"path": "steps.0.qubits", "value": "[Q2]"}]})

    with desk(lambda frame: [{"kind": "again", "run": newest(frame), "words": "for Q2"}], other) as conversation:
        settled(conversation, conversation.say(T1))
        settled(conversation, conversation.say("the same for Q2"))
        assert "qubits: [Q2]" in (open_run(root, conversation.runs[1]).folder / "spec.yaml").read_text()


def test_an_explanation_takes_no_number_from_the_question() -> None:
    run = Account(
        run_id="r", system="lab_calibration", asked="T1", status="complete", facts=["T1 126 us"], specification="",
        asks="", report="", log=[], figures=[],
    )  # fmt: skip
    given = ExplainIn(question="is T1 above 431 us?", talk=["human: I expect 433 us"], runs=[run])
    said = check_explained(given, Explained(text="T1 is 126 us, not 431 us or 433 us.", **BARE))
    assert said == [f"The number {number} does not stand in the facts." for number in ("431", "433")]
    sums = {**BARE, "computed": ["431 / 126 = 3.42", "sqrt(2) * 126 = 178.19"]}
    assert check_explained(given, Explained(text="No: 431 us is 3.42 times 126 us.", **sums)) == []
    made_up = {**BARE, "computed": ["99/100 = 0.99"]}  # no number of it is known
    assert check_explained(given, Explained(text="The fidelity is 0.99.", **made_up)) == [
        "`computed`: 99/100 holds no number of the facts or the question."
    ]
    [endless] = check_explained(given, Explained(text="No.", **{**BARE, "computed": ["431 = 1e400"]}))
    assert "EXPRESSION = VALUE" in endless
    wrong = {**BARE, "computed": ["431 / 126 = 3.43", "777 * 2 = 1554", "two = 2"]}
    assert [one.partition(":")[0] for one in check_explained(given, Explained(text="No.", **wrong))] == [
        "The number 777 of `computed` stands neither in the facts nor in the question.",
        "431 / 126 is 3.420634921, not 3.43.",
        "`computed` must be EXPRESSION = VALUE without units",
    ]


def test_an_explanation_may_number_its_items_and_count_those_of_the_facts() -> None:
    facts = [f"step {number}: add water" for number in range(139)]
    run = Account(
        run_id="r", system="protocol_design", asked="", status="complete", facts=facts, specification="",
        asks="", report="", log=[], figures=[],
    )  # fmt: skip
    given = ExplainIn(question="how many?", talk=[], runs=[run])
    assert check_explained(given, Explained(text="139 steps: (1) water, (2) water.", **BARE)) == []
    assert check_explained(given, Explained(text="There are 977 steps.", **BARE))


def test_what_no_run_tells_is_computed_by_a_run_that_the_explanation_starts(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def other(request: Request) -> Reply:
        if request.role != EXPLAIN.name:
            return Reply.refuse("Not today.")
        return Reply.answer({"text": "No run tells that.", **BARE, "compute": "The energy of four spins."})

    with desk(lambda frame: [{"kind": "show", "what": "why", "runs": [newest(frame)]}], other) as conversation:
        settled(conversation, conversation.say(T1))
        turn = settled(conversation, conversation.say("do you agree?"))
        run = open_run(root, conversation.runs[1])
    assert ("No run tells that." in words(turn), run.record.system) == (True, "tool_forging")
    assert run.record.asked == "The energy of four spins."


@pytest.mark.parametrize(
    ("system", "kept"),
    [
        ("tool_forging", {"toolset": "/proved"}),
        ("feature_map_search", {"trials": 7, "words": "Do it.\n\nwith a line"}),
        ("lab_calibration", {"device_options": {"snr": 3.0}, "seed": 5, "qubits": ["Q2"]}),
    ],
)
def test_again_in_words_that_are_read_anew_keeps_files_device_and_choices(  # type: ignore[no-untyped-def]
    system: str, kept: dict[str, Any], desk, root: Path
) -> None:
    def other(request: Request) -> Reply:
        return Reply.answer({"reason": "No field says it.", "patches": []})

    chosen = choices_of(system, {"mind": "rules", "answers": "ask", **kept, "words": ""})
    first = driver(system).prepare("Do it.", chosen, root, seed=5, files={f"{INPUTS}/data.csv": b"1,2"})
    again = {"kind": "again", "run": first.run_id, "words": "with a line"}
    with desk(lambda frame: [again], other) as conversation, WORKERS.held():
        said = words(conversation.say("again with a line"))
        assert conversation.runs, said
        run = open_run(root, conversation.runs[0])
    assert run.record.asked == "Do it.\n\nwith a line"
    assert (run.folder / INPUTS / "data.csv").read_bytes() == b"1,2"
    choices = run.record.choices
    assert {name: choices[name] for name in kept} == kept
    assert (choices["mind"], choices["answers"]) == (MIND, "defaults")  # today's terms


def test_again_with_a_wish_that_no_field_holds_asks_and_starts_nothing(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    asked: list[dict[str, Any]] = []

    def other(request: Request) -> Reply:
        asked.append(request.input)
        return Reply.question("No field holds a scale. Without it?", ["yes", "no"])

    with desk(lambda frame: [{"kind": "again", "run": newest(frame), "words": "scale 1"}], other) as conversation:
        settled(conversation, conversation.say(T1))
        told = words(conversation.say("again with scale 1"))
        assert len(conversation.runs) == 1
    assert "No field holds a scale. Without it? (yes; no) Nothing was started" in told
    assert asked[0]["words"] == f"{T1}\n\nscale 1"


def test_a_search_that_is_read_anew_keeps_who_proposes_and_what_was_said_to_its_plan(root: Path) -> None:
    chosen = choices_of("feature_map_search", {"mind": "rules", "words": "moons"})
    first = driver("feature_map_search").prepare("moons", chosen, root, seed=0)
    first.save_text("spec.yaml", "spec: 1\nsystem: feature_map_search\ndataset: moons\nproposed_by: rules\n")
    asked = {"id": "plan", "options": [{"value": "run", "label": "Run it"}]}
    first.events.append({"kind": "question", "question": asked})
    for decision in ("by the rules", "run"):
        first.events.append({"kind": "answer", "decision": decision, "by": "me"})
    assert asked_in_all(first) == "moons\n\nby the rules"
    assert order_anew(first, "moons, once more", Terms()).choices["proposed_by"] == "rules"


def test_again_in_words_that_no_patch_says_is_a_request_in_all_the_words(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def other(request: Request) -> Reply:
        return Reply.answer({"reason": "No field says it.", "patches": []})

    with desk(lambda frame: [{"kind": "again", "run": newest(frame), "words": "ramsey Q2"}], other) as conversation:
        settled(conversation, conversation.say(T1))
        settled(conversation, conversation.say("now something else on Q2"))
        assert open_run(root, conversation.runs[1]).record.asked == f"{T1}\n\nramsey Q2"


@pytest.mark.parametrize(
    "action",
    [
        {"kind": "show", "what": "show", "runs": ["20260101-000000-ffff-none"]},
        {"kind": "again", "run": "20260101-000000-ffff-none", "changes": []},
        {"kind": "answer", "option": "write"},
        {"kind": "start", "system": "tool_forging"},
    ],
)
def test_what_does_not_exist_is_sent_back(action: dict[str, Any], desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    with desk(lambda frame: [action]) as conversation:
        told = words(conversation.say("do it"))
        assert "could not make sense" in told
        assert len(conversation.model.requests) > 1
    assert run_ids(root) == []


def test_a_device_that_the_message_does_not_name_is_not_remembered(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    note = {"kind": "remember", "about": "device", "text": "my device", "value": "evil.module:open"}
    with desk(lambda frame: [note]) as conversation:
        assert "does not stand in your message" in words(conversation.say("my fridge is the new one, keep that"))


def test_a_model_that_is_gone_is_told_and_commands_still_work(desk, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    with ScriptedModel(lambda request: Reply.error(500)) as model:
        monkeypatch.setenv("LABWRIGHT_BASE_URL", model.url)
        monkeypatch.setenv("LABWRIGHT_API_KEY", "none")
        with talk(mind=MIND) as conversation:
            assert "Your words were not read. Model openai:scripted" in words(conversation.say("Hello"))
            assert words(conversation.say("thanks")) == "You are welcome."


def test_again_on_a_search_that_was_not_read_carries_all_the_words(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    wish = "a map for the moons data with six qubits"

    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        if not frame["runs"]:
            return [started(wish, "feature_map_search")]
        return [{"kind": "again", "run": newest(frame), "changes": ["qubits = 4"], "words": "and no entanglement"}]

    with desk(script) as conversation, WORKERS.held():
        assert "evaluations" not in words(conversation.say(wish))  # the words may say how many
        conversation.say("the same with four and no entanglement")
        run = open_run(root, conversation.runs[1])
    assert run.record.choices["words"] == f"{wish}\n\nqubits = 4\nand no entanglement"


def test_again_that_would_be_another_kind_of_work_is_sent_back(desk, root: Path) -> None:  # type: ignore[no-untyped-def]
    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        change = "system = protocol_design"
        return [{"kind": "again", "run": newest(frame), "changes": [change]}] if frame["runs"] else [started(T1)]

    with desk(script) as conversation:
        settled(conversation, conversation.say(T1))
        assert "is `start`, in all the words" in words(conversation.say("again, but distil the water"))
    assert len(run_ids(root)) == 1


def test_an_older_run_stands_in_the_frame_where_a_message_is_about_it(  # type: ignore[no-untyped-def]
    desk, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_start, "LISTED", 1)
    frames: list[dict[str, Any]] = []

    def script(frame: dict[str, Any]) -> list[dict[str, Any]]:
        frames.append(frame)
        return [{"kind": "say", "text": "Yes."}]

    with desk(script) as conversation:
        settled(conversation, conversation.say(DILUTION))
        settled(conversation, conversation.say(T1))
        runs = conversation.runs
    with desk(script) as conversation:
        conversation.say("the standards of caffeine in water")
    assert [run["run_id"] for run in frames[0]["runs"]] == runs
