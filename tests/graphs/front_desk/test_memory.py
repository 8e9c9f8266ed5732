"""What is kept across conversations: notes, devices, toolsets, runs that are found by meaning."""

from __future__ import annotations

from pathlib import Path

from langgraph.store.memory import InMemoryStore
from talks import DILUTION, settled, talk, words

from labwright.agents.front_desk.wishes import NoteWish
from labwright.graphs.front_desk import memory
from labwright.tools.runs.run import open_run


def test_a_note_is_there_in_the_next_conversation_and_only_for_its_person(root: Path) -> None:
    with talk() as conversation:
        assert "keep in mind (toolset)" in words(conversation.say("Remember that my toolset lies in ~/proved-tools"))
    with talk() as conversation:
        conversation.say("Hello")
        assert conversation._graph.get_state(conversation._config).values["remembered"] == [
            "toolset: my toolset lies in ~/proved-tools"
        ]
    with talk(person="somebody") as conversation:
        conversation.say("Hello")
        assert conversation._graph.get_state(conversation._config).values["remembered"] == []


def test_a_run_is_found_by_what_it_was_about(root: Path) -> None:
    store = InMemoryStore()
    with talk(approval="auto", answers="defaults") as conversation:
        settled(conversation, conversation.say(DILUTION))
        settled(conversation, conversation.say("Measure T1 of Q8"))
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
    with memory.open_memory(Path(".labwright").absolute()) as store:
        assert memory.runs_like(store, "me", "caffeine") == [run_id]


def test_a_person_with_a_dot_in_the_name_is_another_one(root: Path) -> None:
    with memory.open_memory(root / "state") as store:
        for person in ("ann", "ann@lab.org", "ann@lab-org"):
            memory.keep_note(store, person, NoteWish(about="preference", text=f"I am {person}"))
        assert [note.text for note in memory.notes_of(store, "ann@lab.org")] == ["I am ann@lab.org"]


def test_devices_and_toolsets_are_read_from_the_newest_note() -> None:
    notes = [
        NoteWish(about="device", text="my device is mylab.qpu:old"),
        NoteWish(about="device", text="the device is mylab.qpu:open_fridge now"),
        NoteWish(about="toolset", text="my toolset lies in /data/tools"),
        NoteWish(about="preference", text="the device in other.module:thing is not mine"),
    ]
    assert memory.device_of(notes) == "mylab.qpu:open_fridge"
    assert memory.toolset_of(notes) == "/data/tools"
    assert memory.device_of([]) == memory.toolset_of([]) == ""
