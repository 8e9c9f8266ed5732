"""The memory in a real PostgreSQL: people in several processes, each with notes and runs of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import postgres
import pytest
from talks import DILUTION, settled, talk

from labwright.agents.front_desk.actions import Remember
from labwright.graphs.front_desk import memory
from labwright.graphs.memory_store import FILE, open_memory
from labwright.tools.errors import UnreachableError

SPEAK = """
import sys
from labwright.graphs.front_desk.conversation import open_conversation
from labwright.graphs.front_desk.permissions import Terms
person, saying = sys.argv[1:]
with open_conversation(Terms(person=person, figures=False)) as conversation:
    conversation.say(f"/remember {saying}")
"""


@pytest.fixture
def url(postgres_server: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with postgres.database(postgres_server) as address:
        monkeypatch.setenv("LABWRIGHT_DATABASE_URL", address)
        yield address


@pytest.mark.slow
def test_two_people_in_two_processes_keep_their_own(url: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"ann": "my device is mylab.qpu:fridge", "bob@lab.org": "my toolset lies in /data/bob/tools"}
    speaking = [subprocess.Popen([sys.executable, "-c", SPEAK, *each]) for each in said.items()]
    assert [process.wait(600) for process in speaking] == [0, 0]
    monkeypatch.setenv("LABWRIGHT_STATE", str(root / "another-machine"))  # nothing is left of them but the database
    with open_memory(root / "another-machine") as store:
        for person, words_of_theirs in said.items():
            assert [note.text for note in memory.notes_of(store, person)] == [words_of_theirs]
        assert memory.notes_of(store, "carol") == []
    assert not list(root.rglob(FILE))


def test_a_run_that_a_conversation_kept_is_found_there_by_its_person(url: str, root: Path) -> None:
    with talk(approval="auto", answers="defaults", person="ann") as conversation:
        settled(conversation, conversation.say(DILUTION))
        [run_id] = conversation.runs
    with open_memory(root / "state") as store:
        assert memory.runs_like(store, "ann", "caffeine") == [run_id]
        assert memory.runs_like(store, "bob", "caffeine") == []


@pytest.mark.slow
def test_many_conversations_that_open_the_memory_at_once_make_one(url: str, root: Path) -> None:
    code = (
        "from pathlib import Path; from labwright.graphs.memory_store import open_memory\n"
        "with open_memory(Path('unused')) as store: store.put(('x',), 'k', {})"
    )
    several = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [process.wait(600) for process in several] == [0] * 4


def test_a_database_that_does_not_answer_is_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LABWRIGHT_DATABASE_URL", "postgresql://somebody:hidden-word@127.0.0.1:1/none")
    with pytest.raises(UnreachableError, match="LABWRIGHT_DATABASE_URL") as caught, open_memory(root) as store:
        memory.keep_note(store, "ann", Remember(about="preference", text="never", value=""))
    assert "hidden-word" not in str(caught.value)
