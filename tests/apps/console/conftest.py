"""One server, a browser a module and the kept runs for all tests of the console that can share them."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from browsing import TOKEN, Browser, browser, console

from labwright.apps.console.request_guard import COOKIE
from labwright.tools.runs import Run, load_run

# Finished runs of every system in `runs`, the key that sealed them in `state`; figures are small, checkpoints left out.
KEPT = Path(__file__).parent / "lab.tar.xz"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's, with the kept runs."""
    folder = tmp_path_factory.mktemp("console")
    with tarfile.open(KEPT) as kept:
        kept.extractall(folder, filter="data")
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


@pytest.fixture(scope="module")
def shared_chromium(address: str, cookie: str) -> Iterator[Browser]:
    """One a module, not longer: while Playwright is there, `asyncio.run` of other tests is refused."""
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
    """Name of each kept run -> its id."""
    named = {
        "calibration": "calibrate-qubit-q1-and-benchmark",
        "chip": "calibrate-all-qubits",
        "search": "find-a-quantum-feature-map-for",
        "forge": "a-bell-pair-under-noise",
        "protocol": "calibration-series-of-caffeine",
    }
    with tarfile.open(KEPT) as kept:
        known = {name.partition("/")[2] for name in kept.getnames() if name.count("/") == 1 and name.startswith("runs")}
    return {name: next(run for run in known if run.endswith(words)) for name, words in named.items()}


@pytest.fixture(scope="session")
def calibrated(folder: Path, runs: dict[str, str]) -> Run:
    """Q1 of the simulated processor, calibrated by the rules."""
    return load_run(folder / "runs" / runs["calibration"])
