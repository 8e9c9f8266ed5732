"""A store of papers: add files, and find the passages that concern a question."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from labwright.tools.errors import CorruptRecordError, InputError, UnreachableError
from labwright.tools.knowledge.chroma_store import damage, opened
from labwright.tools.knowledge.chunking import CHUNK_TOKENS, OVERLAP_TOKENS, Chunk, chunks
from labwright.tools.knowledge.embedding import Embedder, HashingEmbedder
from labwright.tools.knowledge.paper_text import KINDS, PaperText, one_line, read_paper

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection


MAX_FILES = 5000  # of one folder that is added
BATCH = 256  # passages written at once
FIRST_LOOK = 8  # passages asked for, a paper wanted; several of the best are often of one paper


@dataclass(frozen=True, slots=True)
class Passage:
    """What a search found.

    Attributes:
        title: of the paper.
        source: its file's name, or its address.
        text: of the passage.
        first_page: on which the passage begins, from 1.
        last_page: on which it ends.
        score: inner product with the query's vector, up to 1.
        paper: sha256 of the paper's file.
    """

    title: str
    source: str
    text: str
    first_page: int
    last_page: int
    score: float
    paper: str


class PaperStore:
    """Passages of papers in Chroma, each paper once by the hash of its file.

    A store belongs to one embedding and one way of cutting: another finds an empty collection in the same folder.

    Args:
        folder: where the store lies; in memory if None.
        embedder: makes the vectors.
        server: address of a Chroma server that keeps the papers; the folder's last part then names them there.
    """

    def __init__(self, folder: Path | None, embedder: Embedder | None = None, *, server: str = "") -> None:
        self.folder, self.server = folder, server
        self.embedder: Embedder = embedder or HashingEmbedder()
        # All stores in memory are one to Chroma, within a process: an own name keeps them apart.
        self._apart = "" if folder else f"-{secrets.token_hex(4)}"
        self._opened: tuple[ClientAPI, Collection] | None = None

    def add(self, path: Path) -> list[tuple[str, str]]:
        """Add a paper, or every paper of a folder and the folders below it.

        Args:
            path: a .pdf, .txt or .md file, or a folder.

        Returns:
            (Name of the file, why) of a folder's files that could not be read; they do not stop the others.

        Raises:
            InputError: a single paper that cannot be read, or a folder without papers.
            CorruptRecordError: the store cannot be used.
        """
        if not path.is_dir():
            self.add_text(read_paper(path))
            return []
        refused = []
        for file in _papers_in(path):
            try:
                self.add_text(read_paper(file))
            except InputError as wrong:
                refused.append((one_line(file.name), str(wrong)))
        return refused

    def search(self, query: str, k: int = 3) -> list[Passage]:
        """The best passage of each of the `k` papers nearest to `query`, best first."""
        with self._usable():
            total = self._collection.count()
            if k < 1 or total == 0 or not query.strip():
                return []
            asked = min(total, FIRST_LOOK * k)
            best = self._nearest(query, asked)
            while len(best) < k and asked < total:
                asked = min(total, 4 * asked)
                best = self._nearest(query, asked)
            return best[:k]

    def count(self) -> int:
        """How many papers it holds."""
        return len(self._whole({"number": 0}))

    def add_text(self, read: PaperText) -> bool:
        """Add a paper that was read already; one that is there stays as it is. Whether it was new."""
        if self._whole({"$and": [{"number": 0}, {"paper": read.sha256}]}):
            return False
        with self._usable():
            self._write(read, chunks(read.pages))
        return True

    def _write(self, paper: PaperText, made: Sequence[Chunk]) -> None:
        """Write the passages, the first one last: a paper counts as added once it is there."""
        client, collection = self._open()
        common: dict[str, Any] = {"paper": paper.sha256, "title": paper.title, "source": paper.source}
        texts = [f"{paper.title}\n{each.text}" for each in made]
        vectors = np.asarray(self.embedder.embed_documents(texts), np.float32)
        batch = min(BATCH, client.get_max_batch_size())
        order = [*range(1, len(made)), 0]
        for start in range(0, len(order), batch):
            part = order[start : start + batch]
            collection.upsert(
                ids=[f"{paper.sha256}/{i}" for i in part],
                embeddings=vectors[part],
                documents=[made[i].text for i in part],
                metadatas=[
                    common | {"number": i, "first": made[i].first_page, "last": made[i].last_page} for i in part
                ],
            )

    def _nearest(self, query: str, asked: int) -> list[Passage]:
        """The best passage of each paper among the `asked` best passages."""
        found = self._collection.query(
            query_embeddings=np.asarray([self.embedder.embed_query(query)], dtype=np.float32),
            n_results=asked,
            include=["metadatas", "documents", "distances"],
        )
        texts, facts = (found["documents"] or [[]])[0], (found["metadatas"] or [[]])[0]
        best: dict[str, Passage] = {}
        for text, entry, distance in zip(texts, facts, (found["distances"] or [[]])[0], strict=True):
            best.setdefault(str(entry["paper"]), _passage(text, entry, 1.0 - float(distance)))
        return sorted(best.values(), key=lambda passage: (-passage.score, passage.paper))

    def _whole(self, where: Any) -> list[str]:
        """The first passages of papers that are wholly there."""
        with self._usable():
            return self._collection.get(where=where, include=[])["ids"]

    @property
    def _collection(self) -> Collection:
        return self._open()[1]

    def _open(self) -> tuple[ClientAPI, Collection]:
        if self._opened is None:
            self._opened = opened(f"papers-{self._key()}{self._apart}", self.folder, self.server)
        return self._opened

    @contextmanager
    def _usable(self) -> Iterator[None]:
        """Say how to repair a store that cannot be used."""
        try:
            yield
        except damage() as wrong:
            if self.server:
                raise UnreachableError(
                    f"The Chroma server that keeps the papers does not do its work: {one_line(str(wrong))}."
                ) from wrong
            raise CorruptRecordError(
                f"The store of papers in {self.folder or 'memory'} cannot be used: {one_line(str(wrong))}. Delete that"
                " folder and add the papers again; the papers' own files are not touched."
            ) from wrong

    def _key(self) -> str:
        cut = f"{self.embedder.name} {CHUNK_TOKENS} {OVERLAP_TOKENS} 1"
        return hashlib.sha256(cut.encode()).hexdigest()[:16]


def _papers_in(folder: Path) -> list[Path]:
    """Every paper in `folder` and below, hidden ones and those that a link leads out to left out."""
    root = folder.resolve()
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in KINDS
        and path.is_file()
        and path.resolve().is_relative_to(root)
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    if not found:
        raise InputError(f"There is no paper in {folder}. Give a folder with files that end in {', '.join(KINDS)}.")
    if len(found) > MAX_FILES:
        raise InputError(
            f"{folder} holds {len(found)} papers; at most {MAX_FILES} are added at once. Give a smaller one."
        )
    return found


def _passage(text: str, entry: Any, score: float) -> Passage:
    return Passage(
        title=str(entry["title"]),
        source=str(entry["source"]),
        text=text,
        first_page=int(entry["first"]),
        last_page=int(entry["last"]),
        score=round(score, 6),
        paper=str(entry["paper"]),
    )
