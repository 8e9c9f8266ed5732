"""The stores on a real Chroma server: the same answers as on this machine, shared, and said so when it is gone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import chroma_server
import pytest

from labwright.tools.errors import InputError, UnreachableError
from labwright.tools.knowledge.embedding import HashingEmbedder
from labwright.tools.knowledge.index import ActivationIndex
from labwright.tools.knowledge.papers import PaperStore

AGENTS = {
    "rabi": ["Run a Rabi experiment", "Find the pi pulse amplitude", "Rabi oscillations", "Rough amplitude"],
    "t1": ["Measure T1", "Energy relaxation time", "Lifetime of the excited state", "T1 decay"],
    "spin_echo": ["Run a spin echo", "Hahn echo", "T2 echo time", "Echo coherence"],
}
INSTRUCTION = "What is the energy relaxation time of Q1?"
FILL = """
import sys
from labwright.tools.knowledge.index import ActivationIndex
agents = {f"agent{i}": [f"task {i} of kind {j}" for j in range(4)] for i in range(200)}
print(ActivationIndex(agents, server=sys.argv[1]).rank("task 7 of kind 2", 1))
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server.serving(tmp_path_factory.mktemp("chroma")) as found:
        yield found


def test_the_index_on_a_server_ranks_as_one_here(address: str, tmp_path: Path) -> None:
    there = ActivationIndex(AGENTS, tmp_path / "unused", server=address)
    assert there.rank(INSTRUCTION, 3) == ActivationIndex(AGENTS).rank(INSTRUCTION, 3)
    assert not there.rebuilt
    assert not (tmp_path / "unused").exists()


def test_a_second_machine_finds_the_vectors_there(address: str) -> None:
    class Counting(HashingEmbedder):
        embedded = 0

        def embed_documents(self, texts):  # type: ignore[no-untyped-def]
            Counting.embedded += len(texts) if len(texts) > 1 else 0  # a query is one
            return super().embed_documents(texts)

    agents = {"cooking": ["Cook rice", "Boil an egg", "Bake bread", "Fry an onion"]}
    for _ in range(2):
        assert ActivationIndex(agents, embedder=Counting(), server=address).rank("bake", 1)[0][0] == "cooking"
    assert Counting.embedded == 4


@pytest.mark.slow
def test_processes_that_fill_the_same_index_at_once_agree(address: str) -> None:
    command = [sys.executable, "-c", FILL, address]
    several = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [process.communicate(timeout=120)[0] for process in several]
    assert [process.returncode for process in several] == [0, 0, 0]
    assert len(set(said)) == 1
    assert "agent7" in said[0]


def test_papers_that_one_adds_another_finds_and_folders_stay_apart(address: str, tmp_path: Path) -> None:
    paper = tmp_path / "echo.md"
    paper.write_text("# Spin echoes\n\nA Hahn echo refocuses slow dephasing of a spin.\n")
    one = PaperStore(tmp_path / "here" / "papers", server=address)
    [added] = one.add(paper).new
    other = PaperStore(tmp_path / "there" / "papers", server=address)
    assert [passage.paper for passage in other.search("Hahn echo", 1)] == [added.paper]
    assert PaperStore(tmp_path / "here" / "another", server=address).count() == 0
    other.remove(added.paper)
    assert one.count() == 0
    assert not (tmp_path / "here").exists()


def test_a_server_that_goes_in_mid_work_costs_the_index_nothing(tmp_path: Path) -> None:
    with chroma_server.serving(tmp_path) as address:
        index = ActivationIndex(AGENTS, server=address)
        papers = PaperStore(tmp_path / "papers", server=address)
        assert papers.count() == 0
    assert index.rank(INSTRUCTION, 1)[0][0] == "t1"
    assert index.rebuilt
    with pytest.raises(UnreachableError, match="keeps the papers"):
        papers.count()


def test_a_server_that_is_not_there_is_said_and_no_address_is_refused() -> None:
    with pytest.raises(UnreachableError, match=r"No Chroma server answers at 127\.0\.0\.1:1 .*LABWRIGHT_CHROMA_URL"):
        ActivationIndex(AGENTS, server="http://127.0.0.1:1")
    with pytest.raises(InputError, match="http://localhost:8000"):
        ActivationIndex(AGENTS, server="localhost:8000")
