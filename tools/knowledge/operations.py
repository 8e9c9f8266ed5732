"""The installed PennyLane's operations, to look up by name or to search in words."""

from __future__ import annotations

import hashlib
import inspect
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from labwright.tools.durable import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.knowledge.embedding import Embedder, HashingEmbedder
from labwright.tools.knowledge.pennylane_source import Operation, pennylane_version, read_operations
from labwright.tools.knowledge.store import damage, opened

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection


FORM = 1  # of the file on disk; raise it when `Operation` changes
DOC_LIMIT = 4000  # characters of a docstring that are kept; the longest are tutorials


class OperationIndex:
    """Signatures and docstrings of PennyLane's operations, read from its installed source.

    Nothing here imports PennyLane. Reading the source takes under a second, so that the file in `folder` only saves
    time; one that cannot be read is written anew.

    Args:
        folder: where the operations are kept, by PennyLane version; nothing is written if None.
        embedder: makes the vectors of the search.
    """

    def __init__(self, folder: Path | None = None, embedder: Embedder | None = None) -> None:
        self.folder = folder
        self.embedder: Embedder = embedder or HashingEmbedder()
        self._operations: dict[str, Operation] | None = None
        self._collection: Collection | None = None

    @classmethod
    def build(cls, folder: Path | None = None, embedder: Embedder | None = None) -> OperationIndex:
        """An index whose operations are read already."""
        index = cls(folder, embedder)
        _ = index.operations
        return index

    @property
    def operations(self) -> dict[str, Operation]:
        """Every operation by name; a second name such as ``H`` leads to the operation itself."""
        if self._operations is None:
            self._operations = self._kept() or self._read()
        return self._operations

    def names(self) -> list[str]:
        """Every name, sorted."""
        return sorted(self.operations)

    def signature(self, name: str) -> inspect.Signature:
        """The constructor's arguments, without ``self``.

        Raises:
            InputError: no such operation.
        """
        return self.operation(name).signature

    def describe(self, name: str) -> str:
        """Call, signature, wires, parameters and docstring as one text for a prompt.

        Raises:
            InputError: no such operation.
        """
        return _described(self.operation(name))

    def operation(self, name: str) -> Operation:
        """The operation itself; ``qml.`` before its name does not matter.

        Raises:
            InputError: no such operation; the message names the likeliest.
        """
        plain = name.removeprefix("qml.").removeprefix("pennylane.")
        if plain not in self.operations:
            raise InputError(
                f"PennyLane {pennylane_version()} has no operation {plain!r}.{_nearest(plain, self.names())}"
            )
        return self.operations[plain]

    def search(self, query: str, k: int = 3) -> list[Operation]:
        """The `k` operations whose names and docstrings are nearest to `query`, best first."""
        wanted = min(k, len({each.name for each in self.operations.values()}))
        if wanted < 1 or not query.strip():
            return []
        exact = [self.operations[query.strip()]] if query.strip() in self.operations else []
        found = self._filled().query(
            query_embeddings=np.asarray([self.embedder.embed_query(query)], dtype=np.float32),
            n_results=wanted,
            include=["distances"],
        )
        names = [each.name for each in exact] + list(found["ids"][0])
        return [self.operations[name] for name in list(dict.fromkeys(names))[:wanted]]

    def _filled(self) -> Collection:
        """The collection with one document an operation; in memory if the one on disk cannot be used."""
        if self._collection is None:
            try:
                self._collection = self._collected(self.folder)
            except damage():
                self._collection = self._collected(None)
        return self._collection

    def _collected(self, folder: Path | None) -> Collection:
        unique = {each.name: each for each in self.operations.values()}
        texts = {name: f"{name} {name} {each.summary}" for name, each in unique.items()}
        content = json.dumps([self.embedder.name, texts], sort_keys=True)
        key = hashlib.sha256(content.encode()).hexdigest()[:24]
        _, collection = opened(f"operations-{key}", folder and folder / f"operations-{key}")
        if collection.count() != len(texts):
            vectors = np.asarray(self.embedder.embed_documents(list(texts.values())), dtype=np.float32)
            collection.upsert(ids=list(texts), embeddings=vectors)
        return collection

    def _path(self) -> Path | None:
        return self.folder and self.folder / f"operations-{pennylane_version()}.json"

    def _kept(self) -> dict[str, Operation] | None:
        """The operations of the file; None if there is none that can be used."""
        path = self._path()
        try:
            plain = json.loads(path.read_text(encoding="utf-8")) if path else {}
            return _operations(plain["operations"]) if plain["form"] == FORM else None
        except (OSError, ValueError, KeyError, TypeError):  # absent, half written or of another form: read anew
            return None

    def _read(self) -> dict[str, Operation]:
        read, path = read_operations(), self._path()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            plain = {"form": FORM, "operations": {name: asdict(each) for name, each in read.items()}}
            write_atomic(path, json.dumps(plain).encode())
        return read


def _operations(plain: dict[str, dict[str, object]]) -> dict[str, Operation]:
    made = {}
    for name, each in plain.items():
        arguments = each["arguments"]
        if not isinstance(arguments, list):
            raise TypeError("arguments")
        made[name] = Operation(**each | {"arguments": tuple((a, kind, default) for a, kind, default in arguments)})  # type: ignore[arg-type]
    return made


def _described(operation: Operation) -> str:
    wires = "any number of" if operation.wires is None else operation.wires
    parameters = "see the arguments" if operation.parameters is None else operation.parameters
    return (
        f"qml.{operation.name}{operation.signature}\n"
        f"Call: {operation.call}\n"
        f"Wires: {wires}. Parameters: {parameters}.\n\n"
        f"{operation.doc[:DOC_LIMIT]}"
    )


def _nearest(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, names, n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(close)}?" if close else " Ask `search` in words for what it should do."
