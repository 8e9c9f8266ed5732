"""Chroma as this program uses it: silent, with vectors that the caller makes; here, or on a server of one's own."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from labwright.tools.errors import InputError, UnreachableError

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection

# The search is approximate. These settings recall 98 % and more of the nearest nine of 1200 (see the tests).
SEARCH = {"space": "ip", "ef_construction": 200, "max_neighbors": 32, "ef_search": 400}


def opened(name: str, folder: Path | None, server: str = "") -> tuple[ClientAPI, Collection]:
    """The collection `name`, made if it is missing.

    Args:
        name: of the collection.
        folder: where the store lies; in memory if None. On a server its last part keeps collections apart.
        server: address of a Chroma server, which then keeps the collection; empty if none does.

    Raises:
        Exception: one of `damage`, if the store cannot be used.
        UnreachableError: the server does not answer.
    """
    if server:
        opened_client, name = on_server(server), f"{name}-{folder.name}" if folder else name
    else:
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


def on_server(address: str) -> ClientAPI:
    """A client of the Chroma server at `address`, such as ``http://localhost:8000``.

    Raises:
        InputError: this is no address of one.
        UnreachableError: no Chroma answers there.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"Setting LABWRIGHT_CHROMA_URL must be like http://localhost:8000, but is {address!r}.")
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 8000)
    try:
        client = _client(parts.hostname, port, secure)
        client.heartbeat()
        return client
    except damage() as wrong:
        raise UnreachableError(
            f"No Chroma server answers at {parts.hostname}:{port} ({' '.join(str(wrong).split())}). Start it with"
            " `chroma run`, or unset LABWRIGHT_CHROMA_URL: the stores then lie on this machine."
        ) from wrong


@cache  # one a process: each holds connections that nobody can close
def _client(host: str, port: int, secure: bool) -> ClientAPI:
    import chromadb

    return chromadb.HttpClient(host, port, ssl=secure, settings=_settings())


def damage() -> tuple[type[Exception], ...]:
    """What a store that cannot be used raises: Chroma's own errors, sqlite's or the system's, by what is damaged."""
    from chromadb.errors import ChromaError
    from httpx import HTTPError

    return (ChromaError, HTTPError, ValueError, KeyError, OSError, RuntimeError)


def _settings() -> Any:
    from chromadb.config import Settings

    return Settings(anonymized_telemetry=False)
