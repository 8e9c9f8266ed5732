"""A sandbox and a fork server of every level that this machine can do, and bait to steal."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from labwright.tools.errors import SandboxUnavailableError
from labwright.tools.sandbox import Limits
from labwright.tools.sandbox.confined import ConfinedSandbox
from labwright.tools.sandbox.fork_server_handle import ForkServer
from labwright.tools.sandbox.sandbox_selection import open_sandbox, proven

SNIPPETS = "labwright.tools.sandbox.snippet_runner:run_snippet"
STRONGEST = "strongest"  # by default everything is tried at the level that a search would get
WEAKER = [pytest.param(level, marks=pytest.mark.slow) for level in ("namespaces", "landlock")]


@pytest.fixture(scope="session", params=[STRONGEST, *WEAKER])
def sandbox(request: pytest.FixtureRequest) -> ConfinedSandbox:
    if request.param == STRONGEST:
        try:
            return open_sandbox()
        except SandboxUnavailableError as weak:
            pytest.skip(f"this machine can do no level: {weak}")
    found = proven(request.param)
    if isinstance(found, str):
        pytest.skip(f"this machine cannot do {request.param}: {found}")
    return found


@pytest.fixture(scope="session")
def server(sandbox: ConfinedSandbox) -> Iterator[ForkServer]:
    with sandbox.serve(SNIPPETS, preload=["numpy"], limits=Limits(wall_seconds=10, processes=16)) as started:
        yield started


@pytest.fixture(scope="session")
def bait(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What an attacker wants; everything in it is open to whoever is not confined."""
    folder = tmp_path_factory.mktemp("bait")
    folder.chmod(0o777)
    for above in folder.parents[:3]:
        above.chmod(above.stat().st_mode | 0o055)
    word = secrets.token_hex(16)
    secret = folder / "secret"
    secret.write_text(word)
    secret.chmod(0o666)
    os.environ["LABWRIGHT_TEST_SECRET"] = word
    root = Path(__file__).parents[3]
    git = root / ".git"  # a file with the folder's path in a work tree of its own
    history = Path(root, git.read_text().removeprefix("gitdir:").strip()) if git.is_file() else git
    with socket.socket() as inet, socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as abstract:
        inet.bind(("127.0.0.1", 0))
        named.bind(str(folder / "s"))
        abstract.bind("\0" + word[:8])
        for plug in (inet, named, abstract):
            plug.listen()
            plug.setblocking(False)
        (folder / "s").chmod(0o777)
        yield {
            "word": word,
            "secret": str(secret),
            "outside": str(folder / "written"),
            "port": inet.getsockname()[1],
            "named": str(folder / "s"),
            "abstract": "\0" + word[:8],
            "listeners": [inet, named, abstract],
            "process": os.getpid(),
            "repository": str(root),
            "history": str(history / "HEAD"),
        }
    del os.environ["LABWRIGHT_TEST_SECRET"]


@pytest.fixture
def given(bait: dict[str, Any]) -> dict[str, Any]:
    """The part of the bait that can be sent."""
    return {name: value for name, value in bait.items() if name not in ("listeners", "word")}
