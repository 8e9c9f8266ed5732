"""What holds for every test."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from labwright.tools.sandbox import Sandbox

# Two test processes with several threads each spin on small matrices; before numpy is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Where the key of the runs lies that are made without folders of a test's own.
STATE = tempfile.mkdtemp(prefix="labwright-tests-")
atexit.register(shutil.rmtree, STATE, ignore_errors=True)
os.environ.setdefault("LABWRIGHT_STATE", STATE)

# Every client of a model would read all authorities of the machine twice (54 ms), for addresses that are all loopback.
os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)
os.environ.pop("SSL_CERT_FILE", None)
# A killed process loses nothing that it wrote without waiting for the disk, and no test cuts the power.
os.fsync = lambda descriptor: None
gc.disable()  # imports make no garbage, but many objects: collecting while tests are collected takes seconds


# Every law draws few examples by default, and many where slow tests run; a busy machine is no failure.
settings.register_profile("few", max_examples=10, deadline=None)
settings.register_profile("many", max_examples=100, deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    """Choose how many examples a law draws."""
    chosen = str(config.getoption("markexpr")).replace("not slow", "")
    settings.load_profile("many" if "slow" in chosen or "hypothesis" in chosen else "few")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A nightly test is a slow one, too: `-m "not slow"` leaves it out."""
    for item in items:
        if item.get_closest_marker("nightly"):
            item.add_marker("slow")


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than cores: a quarter of their time they wait, for processes that start and limits that pass."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection_finish() -> None:
    """What was imported stays to the end: no later collection looks through it again."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of one real PostgreSQL for all tests of this process; each makes a database of its own in it."""
    import postgres

    with postgres.server() as address:
        yield address


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    """The sandbox of the strongest level that this machine can do."""
    from labwright.tools.errors import SandboxUnavailableError
    from labwright.tools.sandbox import open_sandbox

    try:
        return open_sandbox()
    except SandboxUnavailableError as weak:
        pytest.skip(f"this machine can do no level: {weak}")


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
