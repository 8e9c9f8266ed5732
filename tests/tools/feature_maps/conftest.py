"""One confined server for every test that compiles a map: what it imports takes seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from labwright.tools.feature_maps.compile import Compiler
from labwright.tools.sandbox import Limits, Sandbox, open_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    """The strongest that works here; with nothing but limits, the tests of attacks are skipped."""
    return open_sandbox(weakest="rlimits", report=lambda line: None)


@pytest.fixture(scope="session")
def compiler(sandbox: Sandbox) -> Iterator[Compiler]:
    patience = Limits(cpu_seconds=1.0, wall_seconds=60.0, memory_mb=4096, output_kb=65_536)  # endless loops are tested
    with Compiler(sandbox, patience) as made:
        yield made
