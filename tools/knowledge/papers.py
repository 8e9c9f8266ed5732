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


@dataclass(frozen=True, slots=True)
class StoredPaper:
    """A paper that the store holds.

    Attributes:
        paper: sha256 of its file.
        title: of the paper.
        source: its file's name, or its address.
        pages: how many.
        passages: how many.
    """

    paper: str
    title: str
    source: str
    pages: int
    passages: int


@dataclass(frozen=True, slots=True)
class Added:
    """What came of adding files.

    Attributes:
        new: papers that were added.
        known: papers that the store held already.
        refused: (name of the file, why) of those that could not be read.
    """

    new: tuple[StoredPaper, ...]
    known: tuple[StoredPaper, ...]
    refused: tuple[tuple[str, str], ...]


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

    def add(self, path: Path) -> Added:
        """Add a paper, or every paper of a folder and the folders below it.

        A folder's unreadable files are named in the outcome and do not stop the others.

        Args:
            path: a .pdf, .txt or .md file, or a folder.

        Raises:
            InputError: a single paper that cannot be read, or a folder without papers.
            CorruptRecordError: the store cannot be used.
        """
        if not path.is_dir():
            return self.add_text(read_paper(path))
        outcomes, refused = [], []
        for file in _papers_in(path):
            try:
                outcomes.append(self.add_text(read_paper(file)))
            except InputError as wrong:
                refused.append((one_line(file.name), str(wrong)))
        new = tuple(paper for each in outcomes for paper in each.new)
        known = tuple(paper for each in outcomes for paper in each.known)
        return Added(new, known, tuple(refused))

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
        return len(self._first_passages(None))

    def add_text(self, read: PaperText) -> Added:
        """Add a paper that was read already; one that is there stays as it is."""
        known = self._first_passages(read.sha256)
        if known:
            return Added((), tuple(known), ())
        stored = StoredPaper(read.sha256, read.title, read.source, len(read.pages), 0)
        made = chunks(read.pages)
        with self._usable():
            return Added((self._write(stored, made),), (), ())

    def _write(self, paper: StoredPaper, made: Sequence[Chunk]) -> StoredPaper:
        """Write the passages, the first one last: a paper counts as added once it is there."""
        client, collection = self._open()
        common: dict[str, Any] = {
            "paper": paper.paper,
            "title": paper.title,
            "source": paper.source,
            "pages": paper.pages,
        }
        vectors = np.asarray(
            self.embedder.embed_documents([f"{paper.title}\n{each.text}" for each in made]), np.float32
        )
        batch = min(BATCH, client.get_max_batch_size())
        order = [*range(1, len(made)), 0]
        for start in range(0, len(order), batch):
            part = order[start : start + batch]
            collection.upsert(
                ids=[f"{paper.paper}/{i}" for i in part],
                embeddings=vectors[part],
                documents=[made[i].text for i in part],
                metadatas=[
                    common
                    | {"number": i, "passages": len(made), "first": made[i].first_page, "last": made[i].last_page}
                    for i in part
                ],
            )
        return StoredPaper(paper.paper, paper.title, paper.source, paper.pages, len(made))

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

    def _first_passages(self, paper: str | None) -> list[StoredPaper]:
        """The papers that are wholly there, or the one asked for."""
        where: Any = {"number": 0} if paper is None else {"$and": [{"number": 0}, {"paper": paper}]}
        with self._usable():
            found = self._collection.get(where=where, include=["metadatas"])
        return [
            StoredPaper(
                str(each["paper"]), str(each["title"]), str(each["source"]), _int(each["pages"]), _int(each["passages"])
            )
            for each in found["metadatas"] or []
        ]

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
        first_page=_int(entry["first"]),
        last_page=_int(entry["last"]),
        score=round(score, 6),
        paper=str(entry["paper"]),
    )


def _int(value: Any) -> int:
    return int(value)
