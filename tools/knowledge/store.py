"""Chroma as this program uses it: on this machine only, silent, with vectors that the caller makes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection

# The search is approximate. These settings recall every one of the first nine agents among 1000 (see the tests).
SEARCH = {"space": "ip", "ef_construction": 200, "max_neighbors": 32, "ef_search": 400}


def opened(name: str, folder: Path | None) -> tuple[ClientAPI, Collection]:
    """The collection `name`, made if it is missing.

    Args:
        name: of the collection.
        folder: where the store lies; in memory if None.

    Raises:
        Exception: one of `damage`, if the store cannot be used.
    """
    opened_client = in_memory() if folder is None else on_disk(folder)
    configuration = {"hnsw": cast("CreateHNSWConfiguration", SEARCH)}
    return opened_client, opened_client.get_or_create_collection(
        name, embedding_function=None, configuration=cast("Any", configuration)
    )


def in_memory() -> ClientAPI:
    """A client that keeps nothing."""
    import chromadb  # here, since importing it takes half a second

    return chromadb.EphemeralClient(_settings())


def on_disk(folder: Path) -> ClientAPI:
    """A client whose store lies in `folder`."""
    import chromadb

    folder.mkdir(parents=True, exist_ok=True)
    # Chroma keeps one client a path for the life of the process; a relative one would mean another folder later.
    return chromadb.PersistentClient(str(folder.absolute()), _settings())


def damage() -> tuple[type[Exception], ...]:
    """What a store that cannot be used raises: Chroma's own errors, sqlite's or the system's, by what is damaged."""
    from chromadb.errors import ChromaError

    return (ChromaError, ValueError, KeyError, OSError, RuntimeError)


def _settings() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)
