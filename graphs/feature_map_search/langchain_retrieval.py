"""Papers by LangChain: a loader fills the store of papers, a retriever answers in its place.

Only the interfaces of langchain-core are used, so that any of LangChain's loaders and retrievers fits; those of
langchain-community (PubMed, arXiv and others) come with the extra `community`.
"""

from __future__ import annotations

import hashlib
import pkgutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever

from labwright.tools.errors import InputError
from labwright.tools.knowledge.embedding import Embedder, HashingEmbedder
from labwright.tools.knowledge.paper_store import PaperStore, Passage
from labwright.tools.knowledge.paper_text import PaperText, one_line
from labwright.tools.module_loading import load_file

TITLES, ADDRESSES = ("title", "Title"), ("source", "entry_id", "Entry ID", "uid", "url")  # as loaders call them


class Retrieved:
    """A retriever in the place of a store; how many papers stand behind it is not known."""

    def __init__(self, retriever: BaseRetriever) -> None:
        self._retriever = retriever

    def count(self) -> int:
        """1: there is something to ask."""
        return 1

    def search(self, query: str, k: int = 3) -> list[Passage]:
        """The first passage of each of the first `k` papers, in the retriever's order.

        Raises:
            InputError: the retriever fails; says how.
        """
        try:
            documents = self._retriever.invoke(query) if query.strip() else []
        except Exception as error:  # whatever a stranger's retriever raises
            raise InputError(f"The retriever failed: {one_line(str(error))}. Check its settings.") from error
        found = {_place(each): _passage(each) for each in reversed(documents)}
        return [found[place] for place in dict.fromkeys(map(_place, documents))][:k]


def open_source(spec: str) -> BaseLoader | BaseRetriever:
    """What ``package.module:factory`` or ``file.py:factory`` makes when it is called without arguments.

    Raises:
        InputError: there is no such function, or it makes neither a loader nor a retriever.
    """
    made = _made(spec)
    if not isinstance(made, BaseLoader | BaseRetriever):
        raise InputError(f"{spec!r} makes {type(made).__name__}, which is neither a LangChain loader nor a retriever.")
    return made


class Embedded:
    """LangChain embeddings under the name by which they were chosen: it tells their vectors from others."""

    def __init__(self, name: str, embeddings: Embeddings) -> None:
        self.name, self._embeddings = name, embeddings

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector a text."""
        return self._embeddings.embed_documents(list(texts))

    def embed_query(self, text: str) -> list[float]:
        """The vector of a query."""
        return self._embeddings.embed_query(text)


def open_embedder(spec: str) -> Embedder:
    """The LangChain embeddings that a factory makes; hashed words if none is named.

    Raises:
        InputError: there is no such function, or it makes no embeddings.
    """
    if not spec:
        return HashingEmbedder()
    made = _made(spec)
    if not isinstance(made, Embeddings):
        raise InputError(f"{spec!r} makes {type(made).__name__}, which are no LangChain embeddings.")
    return Embedded(spec, made)


def _made(spec: str) -> object:
    place, _, attribute = spec.rpartition(":")
    try:
        own = place.endswith(".py")
        factory = getattr(load_file(Path(place), "papers"), attribute) if own else pkgutil.resolve_name(spec)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"{spec!r} names no function ({error}). Give package.module:factory.") from error
    return factory()


def add_loaded(store: PaperStore, loader: BaseLoader) -> int:
    """Add every document of a loader; documents of one source are the pages of one paper. Returns how many were new.

    Raises:
        InputError: the loader fails; says how.
    """
    try:
        documents = list(loader.lazy_load())
    except Exception as error:  # whatever a stranger's loader raises
        raise InputError(f"The loader failed: {one_line(str(error))}. Check its settings.") from error
    return sum(store.add_text(paper) for paper in papers_of(documents))


def papers_of(documents: Iterable[Document]) -> Iterator[PaperText]:
    """Documents as papers: those of one source that follow one another are its pages; empty ones are left out."""
    for _, group in groupby(documents, key=_place):
        pages = [each for each in group if each.page_content.strip()]
        if pages:
            texts = tuple(each.page_content for each in pages)
            digest = hashlib.sha256("\f".join(texts).encode()).hexdigest()
            yield PaperText(_title(pages[0]), _place(pages[0]), texts, digest)


def _passage(document: Document) -> Passage:
    page = int(document.metadata.get("page", 0)) + 1
    digest = hashlib.sha256(document.page_content.encode()).hexdigest()
    return Passage(_title(document), _place(document), document.page_content, page, page, 0.0, digest)


def _title(document: Document) -> str:
    told = _first(document, TITLES)
    return one_line(told or next(iter(document.page_content.strip().splitlines()), ""))[:300]


def _place(document: Document) -> str:
    return _first(document, ADDRESSES) or _title(document)


def _first(document: Document, names: tuple[str, ...]) -> str:
    return next((one_line(str(document.metadata[name])) for name in names if document.metadata.get(name)), "")
