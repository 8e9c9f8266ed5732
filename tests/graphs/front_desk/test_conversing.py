"""A conversation starts runs of their own, tells what came of them, and hands results on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from talks import DILUTION, settled, talk, words

from labwright.graphs.front_desk.permissions import Terms
from labwright.graphs.front_desk.person_channel import passed_on
from labwright.graphs.front_desk.run_questions import open_questions
from labwright.graphs.front_desk.run_requests import Order, order_again
from labwright.graphs.front_desk.workers import WORKERS
from labwright.graphs.questions import Answer
from labwright.graphs.registry import choices_type, driver
from labwright.tools.runs.listing import read_result, summarise
from labwright.tools.runs.run import create_run, open_run, run_ids


def test_a_measurement_a_hand_on_and_their_costs(root: Path) -> None:
    with talk() as conversation:
        first = settled(conversation, conversation.say("t1 Q2, points = 21, shots = 400"))
        assert [reply["kind"] for reply in first.replies] == ["started", "ended"]
        [measured] = conversation.runs
        assert "Q2 t1.t1" in words(first)
        second = settled(conversation, conversation.say("spin_echo Q2"))
        assert second.replies[-1]["status"] == "complete", words(second)
        told = words(conversation.say("cost"))
    assert run_ids(root) == conversation.runs == [measured, conversation.runs[1]]

    # A run of its own: the conversation's folder is elsewhere, and holds nothing of the run's state.
    assert not (root / conversation.run.run_id).exists()
    old, new = (open_run(root, run_id) for run_id in conversation.runs)

    # The second run goes on with the first one's device: its journal begins with the first one's acquisitions.
    journals = [(run.folder / "device" / "journal.jsonl").read_text().splitlines() for run in (old, new)]
    assert journals[1][: len(journals[0])] == journals[0]
    assert len(journals[1]) > len(journals[0])
    assert json.loads((new.folder / "order.json").read_text())["device_from"] == measured

    device = sum(event.get("device_seconds", 0) for run in (old, new) for event in run.events.read())
    assert f"device time {device:.1f} s" in told
    assert "2 runs and this conversation, in all: model calls 0" in told


def test_the_chat_is_free_while_a_run_works(root: Path) -> None:
    with talk() as conversation:
        assert conversation.say("t1 Q1").replies[0]["kind"] == "started"
        assert conversation.say("thanks").replies[0]["kind"] == "said"
        status = conversation.say("status")
        assert conversation.runs[0] in words(status)
        WORKERS.wait(600)
        assert [reply["kind"] for reply in conversation.look().replies] == ["ended"]
        assert conversation.look().replies == []  # an end is told once


def test_again_with_a_change_and_a_comparison(root: Path) -> None:
    with talk() as conversation:
        settled(conversation, conversation.say("t1 Q1, points = 21, shots = 400"))
        settled(conversation, conversation.say("again with stop = 200 us"))
        told = words(conversation.say("compare"))
        how = words(conversation.say("steps.0.parameters.stop = 100 us"))
        assert how.endswith(f"again {conversation.runs[1]} with steps.0.parameters.stop = 100 us")
        assert len(conversation.runs) == 2
        settled(conversation, conversation.say("again #1 with steps.0.qubits = [Q2]"))
    newer, older = (read_result(open_run(root, run_id)) for run_id in reversed(conversation.runs[:2]))
    assert "specification steps.0.parameters.stop: 200 us | -" in told
    for document in (newer, older):
        assert f"{document['result']['qubits']['Q1']['measured']['t1.t1']['value']:.0f}" in told
        assert " +- " in told
    assert "qubits: [Q2]" in (open_run(root, conversation.runs[2]).folder / "spec.yaml").read_text()


def test_a_run_hands_on_what_it_left(root: Path) -> None:
    with talk() as conversation:
        settled(conversation, conversation.say("t1 Q1, points = 21, shots = 400"))
        turn = conversation.say("run task-free using #1")
        assert "It gets gate.json, 01_t1.npz, measurements.json" in words(turn), words(turn)
        conversation.say("stop")
        assert WORKERS.wait(600)
        inputs = open_run(root, conversation.runs[1]).folder / "workspace" / "inputs"
    assert {path.name for path in inputs.iterdir()} >= {"gate.json", "01_t1.npz", "measurements.json"}


def test_another_process_goes_on_with_the_conversation(root: Path) -> None:
    with talk() as conversation:
        waiting = settled(conversation, conversation.say(DILUTION))
        assert waiting.question is not None
        name = conversation.run.run_id
    with talk(name) as again:  # nothing is held in memory but handles
        assert again.runs == conversation.runs
        ended = settled(again, again.look(), "write")
        assert ended.replies[-1]["status"] == "complete", words(ended)


@pytest.mark.parametrize(
    "line",
    [
        "run nowhere.yaml",
        "again",
        "again #3",
        "show 2026",
        "compare",
        "resume",
        "run search with trials = never",
        "run search with nonsense = 1",
    ],
)
def test_what_cannot_be_done_is_said_and_makes_no_run(line: str, root: Path) -> None:
    with talk() as conversation:
        assert len(words(conversation.say(line))) > 20
    assert run_ids(root) == []


def test_files_are_not_read_where_that_is_not_granted(root: Path, tmp_path: Path) -> None:
    (tmp_path / "samples.yaml").write_text(DILUTION)
    with talk(files=False) as conversation:
        assert "not read in this conversation" in words(conversation.say("run samples.yaml"))
    assert run_ids(root) == []


def test_what_was_said_with_a_question_is_not_said_again_with_its_answer(root: Path) -> None:
    with talk() as conversation:
        settled(conversation, conversation.say(DILUTION))
        conversation.say("t1 Q1, points = 21, shots = 400")
        assert WORKERS.wait(600)
        waiting = conversation.look()
        assert [reply["kind"] for reply in waiting.replies] == ["ended"]
        assert waiting.question is not None
        answered = conversation.answer(Answer(id=waiting.question.id, decision="write"))
        assert [reply["kind"] for reply in answered.replies] == ["told"]
        assert WORKERS.wait(600)


def test_stop_stops_and_puts_off_what_asks(root: Path) -> None:
    with talk() as conversation:
        assert settled(conversation, conversation.say(DILUTION)).question is not None
        turn = conversation.say("stop")
        assert (turn.question, "its question waits" in words(turn)) == (None, True)
        assert conversation.look().question is None
        assert conversation.say("resume").question is not None


def test_a_run_is_started_once_although_the_node_runs_twice(root: Path) -> None:
    """A crash between the start and the checkpoint: the journal of the conversation knows the run."""
    with talk(approval="auto", answers="defaults") as conversation:
        settled(conversation, conversation.say(DILUTION))
        [run_id] = conversation.runs
        [action] = list((conversation.run.folder / "actions").iterdir())
        assert json.loads((action / "done.json").read_text())["run_id"] == run_id
        graph = conversation._graph
        before = next(state for state in graph.get_state_history(conversation._config) if state.next == ("act",))
        graph.invoke(None, before.config)
    assert run_ids(root) == [run_id]
    assert summarise(open_run(root, run_id)).status == "complete"


def test_a_run_that_was_killed_is_told_and_resumed_by_a_word(root: Path) -> None:
    """What a kill between the start and the first event leaves: a folder that nobody drives."""
    with talk(approval="auto", answers="defaults") as conversation:
        conversation.say("thanks")
        order = Order("protocol_design", DILUTION, {"approval": "auto", "answers": "defaults", "figures": False})
        run = driver("protocol_design").prepare(order.text, order.typed_choices(), root)
        conversation.adopt(run.run_id)
        name = conversation.run.run_id
    with talk(name) as again:
        [told] = again.look().replies
        assert (told["status"], "resume" in told["text"]) == ("dead", True)
        assert again.look().replies == []
        ended = settled(again, again.say("resume"))
        assert ended.replies[-1]["status"] == "complete", words(ended)


def test_a_run_without_stages_is_paused_at_its_next_event_and_goes_on(root: Path) -> None:
    def pause(run_id: str, event: dict[str, Any]) -> None:
        if event["kind"] == "run_started":
            WORKERS.pause(open_run(root, run_id))

    with talk(approval="auto", answers="defaults") as conversation:
        stop = WORKERS.listen(pause)
        turn = settled(conversation, conversation.say(DILUTION))
        stop()
        assert (turn.replies[-1]["status"], "A person paused it" in words(turn)) == ("stopped", True)
        ended = settled(conversation, conversation.say("resume"))
        assert ended.replies[-1]["status"] == "complete", words(ended)


def test_an_answer_is_taken_as_soon_as_the_run_is_said_to_wait(root: Path) -> None:
    taken = []

    def abort(run_id: str, event: dict[str, Any]) -> None:
        if event["kind"] == "worker_ended" and not taken:
            [question] = open_questions(open_run(root, run_id))
            taken.append(WORKERS.answer(open_run(root, run_id), passed_on(question, run_id, question.id, "", "abort")))

    with talk() as conversation:
        stop = WORKERS.listen(abort)
        conversation.say(DILUTION)
        assert WORKERS.wait(600) or WORKERS.wait(600)  # the second run of it began within the first wait
        stop()
        run = open_run(root, conversation.runs[0])
    assert (taken, read_result(run)["questions"]) == ([True], [])  # type: ignore[index]


def test_again_keeps_the_seed_of_a_search_and_takes_a_changed_one(root: Path) -> None:
    run = create_run(root, "feature_map_search", "a search", {"seed": 7}, 7)
    (run.folder / "spec.yaml").write_text("system: feature_map_search\ndataset: digits\nseed: 7\n")
    again = [order_again(run, changes, Terms(), root, run.folder) for changes in ([], ["seed = 9"])]
    assert [order.choices["seed"] for order in again] == [7, 9]


def test_again_asks_a_free_task_in_the_changed_words_only(root: Path) -> None:
    run = driver("tool_forging").prepare("Energy of 8 spins, periodic.", choices_type("tool_forging")(), root)
    for change in ("question = Energy of 8 spins, open.", "iterations = 2"):
        order = order_again(run, [change], Terms(), root, run.folder)
        assert order.text == "Energy of 8 spins, open."
        run = driver("tool_forging").prepare(order.text, order.typed_choices(), root)


def test_a_pasted_table_of_vials_is_a_protocol(root: Path) -> None:
    table = "vial,caffeine (mg),water (uL)\nA1,1,500\nA2,2,500\n"
    with talk() as conversation, WORKERS.held():
        conversation.say(table)
        [run_id] = conversation.runs
        assert open_run(root, run_id).record.system == "protocol_design"
