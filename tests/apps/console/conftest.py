"""One server, one browser and the committed runs for all tests of the console that can share them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from browsing import TOKEN, Browser, browser, console

from labwright.apps.console.guard import COOKIE

KEPT = Path(__file__).parent / "lab"  # runs of every system, and the key that sealed them


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's: finished runs of every system in ``runs``, their key in ``state``."""
    folder = tmp_path_factory.mktemp("console") / "lab"
    shutil.copytree(KEPT, folder)
    return folder


@pytest.fixture(scope="session")
def address(folder: Path) -> Iterator[str]:
    people = {"LABWRIGHT_PEOPLE": str(folder / "people.json")}
    with console(folder, "--token", TOKEN, "--approve", "auto", **people) as found:
        yield found


@pytest.fixture(scope="session")
def cookie(address: str) -> str:
    """Of somebody who knew the token."""
    answer = httpx.get(address, params={"token": TOKEN})
    assert answer.status_code == 303
    return str(answer.cookies[COOKIE])


@pytest.fixture(scope="session")
def shared_chromium(address: str, cookie: str) -> Iterator[Browser]:
    with browser() as opened:
        opened.cookies.append({"name": COOKIE, "value": cookie, "url": address})
        yield opened


@pytest.fixture
def chromium(shared_chromium: Browser) -> Iterator[Browser]:
    """The browser, after whose test no page has complained, none has asked another host, and none is open."""
    shared_chromium.complaints.clear()
    yield shared_chromium
    for context in shared_chromium.chromium.contexts:
        context.close()
    assert shared_chromium.elsewhere() == []
    assert shared_chromium.complaints == []


@pytest.fixture(scope="session")
def runs(folder: Path) -> dict[str, str]:
    """Name of each committed run -> its id."""
    found = {path.name.split("-", 3)[3]: path.name for path in sorted((KEPT / "runs").iterdir())}
    named = {
        "calibration": "calibrate-qubit-q1-and-benchmark",
        "chip": "calibrate-all-qubits",
        "search": "find-a-quantum-feature-map-for",
        "forge": "a-bell-pair-under-noise",
        "protocol": "make-a-calibration-series-of",
    }
    return {name: found[words] for name, words in named.items()}
