"""One database for each test."""

from __future__ import annotations

from collections.abc import Iterator

import postgres
import pytest


@pytest.fixture
def url(postgres_server: str) -> Iterator[str]:
    with postgres.database(postgres_server) as address:
        yield address
