"""Papers by LangChain: a loader fills the store, a retriever answers in its place, and what fails is said."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.retrievers import BaseRetriever
from searches import completed, events

from labwright.graphs.feature_map_search.langchain_retrieval import Retrieved, add_loaded, open_embedder, open_source
from labwright.tools.errors import InputError
from labwright.tools.knowledge.paper_store import PaperStore

PAGES = [
    Document(
        "Kernels of quantum feature maps concentrate.", metadata={"source": "a.pdf", "title": "Kernels", "page": 0}
    ),
    Document(
        "Bandwidth keeps a kernel from concentrating.", metadata={"source": "a.pdf", "title": "Kernels", "page": 1}
    ),
    Document("   ", metadata={"source": "empty.pdf"}),
    Document("Qubits relax.\nThey also dephase.", metadata={"uid": "123"}),
]


class Loader(BaseLoader):
    def lazy_load(self) -> Iterator[Document]:
        yield from PAGES


class Broken(BaseLoader):
    def lazy_load(self) -> Iterator[Document]:
        raise ConnectionError("nobody answers")
        yield


class Retriever(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        if query == "fail":
            raise RuntimeError("no index")
        return PAGES[:2] + PAGES[3:]


def nothing() -> int:
    return 3


def test_a_loader_fills_the_store_once() -> None:
    store = PaperStore(None)
    assert (add_loaded(store, Loader()), add_loaded(store, Loader())) == (2, 0)
    assert store.count() == 2
    [best] = store.search("bandwidth of a kernel", k=1)
    assert best.source == "a.pdf"


def test_a_retriever_answers_with_the_best_passage_of_each_paper() -> None:
    papers = Retrieved(Retriever())
    assert papers.count() == 1
    found = papers.search("kernels", k=2)
    assert [(one.source, one.first_page) for one in found] == [("a.pdf", 1), ("123", 1)]
    assert found[0].text == PAGES[0].page_content
    assert papers.search(" ") == []


def test_what_fails_is_said() -> None:
    with pytest.raises(InputError, match="The loader failed: nobody answers"):
        add_loaded(PaperStore(None), Broken())
    with pytest.raises(InputError, match="The retriever failed: no index"):
        Retrieved(Retriever()).search("fail")


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("nowhere.at_all:make", "names no function"),
        (f"{__name__}:nothing", "neither a LangChain loader nor a retriever"),
    ],
)
def test_a_factory_that_is_none_is_refused(spec: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        open_source(spec)


def test_a_factory_in_a_file_is_opened(tmp_path: Path) -> None:
    own = tmp_path / "mine.py"
    own.write_text(
        "from langchain_core.document_loaders import BaseLoader\n"
        "class Mine(BaseLoader):\n    def lazy_load(self):\n        return iter(())\n"
        "def papers():\n    return Mine()\n"
    )
    assert isinstance(open_source(f"{own}:papers"), BaseLoader)
    assert isinstance(open_source(f"{__name__}:Loader"), Loader)


class Empty(BaseLoader):
    def lazy_load(self) -> Iterator[Document]:
        yield from PAGES[2:3]


def test_an_empty_store_is_said_and_the_search_goes_on(root: Path) -> None:
    outcome = completed(root, trials=1, ideas=1, papers_from=f"{__name__}:Empty")
    assert "store of papers is empty" in " ".join(one["text"] for one in events(outcome.run_dir, "warning"))


def embeddings() -> Embeddings:
    return DeterministicFakeEmbedding(size=8)


def test_the_store_takes_embeddings_of_choice() -> None:
    chosen = open_embedder(f"{__name__}:embeddings")
    store = PaperStore(None, chosen)
    add_loaded(store, Loader())
    assert len(chosen.embed_query("kernels")) == 8
    assert chosen.name != open_embedder("").name
    assert {one.source for one in store.search("kernels", k=2)} == {"a.pdf", "123"}
    with pytest.raises(InputError, match="no LangChain embeddings"):
        open_embedder(f"{__name__}:nothing")


@pytest.fixture
def community() -> Any:
    """The extra; it warns of its retirement when it is imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("langchain_community.document_loaders")


def test_a_community_loader_fills_the_store(community: Any, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Feature maps with graded angles generalise better.")
    store = PaperStore(None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert add_loaded(store, community.TextLoader(str(tmp_path / "note.txt"))) == 1
    assert store.search("graded angles")[0].source.endswith("note.txt")
