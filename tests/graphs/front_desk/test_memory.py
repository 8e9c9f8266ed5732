"""What is kept across conversations: notes, devices, toolsets, runs that are found by meaning."""

from __future__ import annotations

from pathlib import Path

from langgraph.store.memory import InMemoryStore
from talks import DILUTION, settled, talk, words

from labwright.agents.front_desk.actions import Remember
from labwright.graphs.front_desk import memory
from labwright.graphs.memory_store import open_memory
from labwright.tools.runs.run import open_run


def test_a_note_is_there_in_the_next_conversation_and_only_for_its_person(root: Path) -> None:
    with talk() as conversation:
        assert "keep in mind (toolset)" in words(conversation.say("/remember toolset ~/proved-tools"))
    with open_memory(Path(".labwright").absolute()) as store:
        assert memory.value_of(memory.notes_of(store, "me"), "toolset") == "~/proved-tools"
        assert memory.notes_of(store, "somebody") == []


def test_a_run_is_found_by_what_it_was_about(root: Path) -> None:
    store = InMemoryStore()
    with talk(approval="auto", answers="defaults") as conversation:
        settled(conversation, conversation.say(DILUTION))
        settled(conversation, conversation.say("t1 Q8, points = 21, shots = 400"))
        for run_id in conversation.runs:
            memory.keep_run(store, "me", open_run(root, run_id))
    diluted, measured = conversation.runs
    assert memory.runs_like(store, "me", "the caffeine standards in water")[0] == diluted
    assert memory.runs_like(store, "me", "the T1 of Q8")[0] == measured
    assert memory.runs_like(store, "nobody", "caffeine") == []


def test_the_conversation_keeps_its_finished_runs(root: Path) -> None:
    with talk(approval="auto", answers="defaults") as conversation:
        settled(conversation, conversation.say(DILUTION))
        [run_id] = conversation.runs
    with open_memory(Path(".labwright").absolute()) as store:
        assert memory.runs_like(store, "me", "caffeine") == [run_id]


def test_a_person_with_a_dot_in_the_name_is_another_one(root: Path) -> None:
    with open_memory(root / "state") as store:
        for person in ("ann", "ann@lab.org", "ann@lab-org"):
            memory.keep_note(store, person, Remember(about="preference", text=f"I am {person}", value=""))
        assert [note.text for note in memory.notes_of(store, "ann@lab.org")] == ["I am ann@lab.org"]


def test_the_newest_device_counts_and_a_preference_names_none() -> None:
    notes = [
        Remember(about="device", text="old", value="mylab.qpu:old"),
        Remember(about="device", text="now", value="mylab.qpu:open_fridge"),
        Remember(about="preference", text="the device in other.module:thing is not mine", value=""),
    ]
    assert memory.value_of(notes, "device") == "mylab.qpu:open_fridge"
    assert memory.value_of(notes, "toolset") == ""
