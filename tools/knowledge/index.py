"""Which agents an instruction concerns: an index of activation sentences in Chroma."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from labwright.tools.errors import InputError
from labwright.tools.knowledge.embedding import HashingEmbedder
from labwright.tools.knowledge.store import SEARCH, damage, in_memory, on_disk, on_server

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection
    from chromadb.api.types import QueryResult

SENTENCES = 4  # activation sentences an agent


class Embedder(Protocol):
    """Anything that LangChain calls an embedding, with a name that identifies its vectors."""

    @property
    def name(self) -> str: ...

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]: ...

    def embed_query(self, text: str) -> list[float]: ...


class ActivationIndex:
    """Ranks agents by max_i <E_instruction, E_i> over their activation sentences (k-agents, Eq. 1).

    The collection is named by the hash of its content, so that indexing the same agents again costs one look-up. A
    store on disk that cannot be read, or holds less than it should, is built anew: it is a cache, nothing is lost.

    Args:
        agents: agent name -> its activation sentences, four each.
        folder: where the store lies; in memory if None.
        embedder: makes the vectors.
        server: address of a Chroma server that keeps the index for many machines; empty: `folder` does.

    Raises:
        InputError: an agent has not four sentences, or the address is none.
        UnreachableError: the server does not answer.
    """

    def __init__(
        self,
        agents: Mapping[str, Sequence[str]],
        folder: Path | None = None,
        embedder: Embedder | None = None,
        *,
        server: str = "",
    ) -> None:
        for name, sentences in agents.items():
            if len(sentences) != SENTENCES:
                raise InputError(f"Agent {name!r} has {len(sentences)} activation sentences; give {SENTENCES}.")
        self.embedder: Embedder = embedder or HashingEmbedder()
        self.agents = {name: tuple(sentences) for name, sentences in agents.items()}
        self.folder, self.server = folder, server
        self.rebuilt = False  # whether a damaged store was replaced
        self._collection = self._opened() if agents else None

    def rank(self, instruction: str, k: int) -> list[tuple[str, float]]:
        """The `k` highest scoring agents with their scores, best first; names break ties."""
        if self._collection is None or k < 1:
            return []
        try:
            found = self._query(instruction, k)
        except damage():  # the store was deleted or damaged under us, or its server is gone: the index is built here
            self._collection = self._in_memory()
            found = self._query(instruction, k)
        best: dict[str, float] = {}
        for entry, distance in zip((found["metadatas"] or [[]])[0], (found["distances"] or [[]])[0], strict=True):
            name, score = str(entry["agent"]), round(1.0 - float(distance), 6)
            best[name] = max(score, best.get(name, -1.0))
        return sorted(best.items(), key=lambda item: (-item[1], item[0]))[:k]

    def _query(self, instruction: str, k: int) -> QueryResult:
        """The best 4k vectors: an agent owns four, so they hold the best sentence of each of the best k agents."""
        assert self._collection is not None
        return self._collection.query(
            query_embeddings=np.asarray([self.embedder.embed_query(instruction)], dtype=np.float32),
            n_results=min(SENTENCES * k, SENTENCES * len(self.agents)),
            include=["metadatas", "distances"],
        )

    def _in_memory(self) -> Collection:
        self.rebuilt = True
        return self._filled(in_memory())

    @property
    def key(self) -> str:
        """Hash of sentences, embedding and search settings."""
        content = json.dumps([self.embedder.name, SEARCH, self.agents], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:24]

    def _opened(self) -> Collection:
        if self.server:
            return self._filled(on_server(self.server))
        if self.folder is None:
            return self._filled(in_memory())
        # One folder a content hash: two processes that index different agents never share a store.
        store = self.folder / self.key
        try:
            return self._filled(on_disk(store))
        except damage():
            self.rebuilt = True
        try:
            return self._filled(on_disk(_fresh(store)))
        except damage():  # the folder cannot be written, or another process rebuilds the store at this moment
            return self._in_memory()

    def _filled(self, client: ClientAPI) -> Collection:
        collection = client.get_or_create_collection(
            f"activation-{self.key}",
            embedding_function=None,
            configuration={"hnsw": cast("CreateHNSWConfiguration", SEARCH)},
        )
        names = [(name, i) for name in self.agents for i in range(SENTENCES)]
        if collection.count() != len(names):
            vectors = np.asarray(
                self.embedder.embed_documents([self.agents[name][i] for name, i in names]), dtype=np.float32
            )
            for start in range(0, len(names), client.get_max_batch_size()):
                part = slice(start, start + client.get_max_batch_size())
                collection.upsert(
                    ids=[f"{name}/{i}" for name, i in names[part]],
                    embeddings=vectors[part],
                    metadatas=[{"agent": name} for name, _ in names[part]],
                )
        if collection.count() != len(names):
            raise RuntimeError(f"The index holds {collection.count()} sentences in place of {len(names)}.")
        return collection


def _fresh(store: Path) -> Path:
    """A folder beside the damaged one: Chroma keeps a client a path for the life of the process."""
    shutil.rmtree(store, ignore_errors=True)
    number = 1
    while (store.with_name(f"{store.name}-{number}")).exists():
        number += 1
    return store.with_name(f"{store.name}-{number}")
