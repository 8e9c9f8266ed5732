"""One server for the tests of a process, one database for each test."""

from __future__ import annotations

from collections.abc import Iterator

import postgres
import pytest


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with postgres.server() as address:
        yield address


@pytest.fixture
def url(server: str) -> Iterator[str]:
    with postgres.database(server) as address:
        yield address
