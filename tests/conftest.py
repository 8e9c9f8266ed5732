"""What holds for every test."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# Two test processes with several threads each spin on small matrices; before numpy is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Where the key of the runs lies that are made without folders of a test's own.
STATE = tempfile.mkdtemp(prefix="labwright-tests-")
atexit.register(shutil.rmtree, STATE, ignore_errors=True)
os.environ.setdefault("LABWRIGHT_STATE", STATE)


@pytest.fixture(autouse=True)
def stores_of_a_test_go_with_it(request: pytest.FixtureRequest) -> Iterator[None]:
    """Chroma keeps one client a folder, with some ten open files, for the life of the process."""
    yield
    folder: Path | None = request.node.funcargs.get("tmp_path")
    if folder is None or "chromadb" not in sys.modules:
        return
    from chromadb.api.shared_system_client import SharedSystemClient

    known = SharedSystemClient._identifier_to_system
    for identifier in [name for name in known if name.startswith(str(folder))]:
        system = known.pop(identifier)
        with contextlib.suppress(AttributeError):  # a store that a test has damaged has nothing to stop
            system.stop()
