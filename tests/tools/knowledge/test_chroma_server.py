"""The papers on a real Chroma server: shared, and said so when it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chroma_server
import pytest

from labwright.tools.errors import InputError, UnreachableError
from labwright.tools.knowledge.paper_store import PaperStore

pytestmark = pytest.mark.slow  # starts servers; quick, with a folder: test_papers.py


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server.serving(tmp_path_factory.mktemp("chroma")) as found:
        yield found


def test_papers_that_one_adds_another_finds_and_folders_stay_apart(address: str, tmp_path: Path) -> None:
    paper = tmp_path / "echo.md"
    paper.write_text("# Spin echoes\n\nA Hahn echo refocuses slow dephasing of a spin.\n")
    one = PaperStore(tmp_path / "here" / "papers", server=address)
    one.add(paper)
    other = PaperStore(tmp_path / "there" / "papers", server=address)
    assert [passage.source for passage in other.search("Hahn echo", 1)] == ["echo.md"]
    assert PaperStore(tmp_path / "here" / "another", server=address).count() == 0
    assert other.count() == one.count() == 1
    assert not (tmp_path / "here").exists()


def test_a_server_that_goes_in_mid_work_is_said(tmp_path: Path) -> None:
    with chroma_server.serving(tmp_path) as address:
        papers = PaperStore(tmp_path / "papers", server=address)
        assert papers.count() == 0
    with pytest.raises(UnreachableError, match="keeps the papers"):
        papers.count()


def test_a_server_that_is_not_there_is_said_and_no_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match=r"No Chroma server answers at 127\.0\.0\.1:1 .*LABWRIGHT_CHROMA_URL"):
        PaperStore(tmp_path, server="http://127.0.0.1:1").count()
    with pytest.raises(InputError, match="http://localhost:8000"):
        PaperStore(tmp_path, server="localhost:8000").count()
