"""The corpus is data: its tests are for the gate to run, and one bench judges for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from labwright.tools.forge.gate import GateBench
from labwright.tools.sandbox import Sandbox

collect_ignore = ["corpus"]


@pytest.fixture(scope="session")
def bench(sandbox: Sandbox) -> Iterator[GateBench]:
    with GateBench(sandbox) as made:
        yield made
