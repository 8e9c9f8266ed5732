"""Notes that are looked up by likeness: how the instrument is used, and finished experiments.

A shipped note is a Markdown file with ``# Title`` and text below it. A shipped experiment has its description as a
quotation and its steps as a code block.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from labwright.tools.errors import ProcedureError
from labwright.tools.knowledge.chroma_store import SEARCH, in_memory
from labwright.tools.knowledge.embedding import Embedder, HashingEmbedder

if TYPE_CHECKING:
    from chromadb.api.collection_configuration import CreateHNSWConfiguration


SOPS = Path(__file__).parent / "sops"
_QUOTED = re.compile(r"^>\s?(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Note:
    """Something that can be looked up.

    Attributes:
        title: what it is called.
        about: the words by which it is found.
        text: what is shown of it.
    """

    title: str
    about: str
    text: str


def read_note(path: Path) -> Note:
    """The note of a Markdown file.

    Raises:
        ProcedureError: it does not begin with ``# Title``, or has no text.
    """
    heading, _, text = path.read_text(encoding="utf-8").partition("\n")
    if not heading.startswith("# ") or not text.strip():
        raise ProcedureError(f"{path.name}: a note begins with `# Title` and has text below it.")
    title, quoted = heading[2:].strip(), " ".join(_QUOTED.findall(text))
    return Note(title, quoted or f"{title}\n{text.strip()}", text.strip())


def notes_in(folder: Path) -> list[Note]:
    """All notes of a folder, by the name of their file."""
    return [read_note(path) for path in sorted(folder.glob("*.md"))]


def nearest(notes: Sequence[Note], query: str, k: int, embedder: Embedder | None = None) -> list[Note]:
    """The `k` notes whose `about` is most like `query`, best first; equals in the order given.

    The vectors stand in a collection of Chroma in memory: notes are few, and embedding them takes milliseconds.
    """
    if k < 1 or not notes or not query.strip():
        return []
    makes: Embedder = embedder or HashingEmbedder()
    client, name = in_memory(), f"notes-{secrets.token_hex(8)}"  # within a process, all clients in memory are one
    configuration = {"hnsw": cast("CreateHNSWConfiguration", SEARCH)}
    collection = client.create_collection(name, embedding_function=None, configuration=cast("Any", configuration))
    try:
        vectors = np.asarray(makes.embed_documents([note.about for note in notes]), dtype=np.float32)
        collection.add(ids=[str(i) for i in range(len(notes))], embeddings=vectors)
        asked = np.asarray([makes.embed_query(query)], dtype=np.float32)
        found = collection.query(query_embeddings=asked, n_results=len(notes), include=["distances"])
    finally:
        client.delete_collection(name)
    ranked = sorted(zip((found["distances"] or [[]])[0], map(int, found["ids"][0]), strict=True))
    return [notes[i] for _, i in ranked[:k]]
