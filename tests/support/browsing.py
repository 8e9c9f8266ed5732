"""The console as a process of a test, and a browser in front of it that tells what it asked for."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

PATIENCE = 600.0  # s for the server to answer; usually about 3
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-background-networking --disable-component-update"
    " --disable-sync --no-first-run"
).split()
NAMES = ("chromium", "chromium-browser", "google-chrome")
MEND = "No browser is found: apt-get install chromium, or python -m playwright install chromium."
PAGES = (
    "/",
    "/new",
    "/new/protocol?kind=screen",
    "/new/tea",
    "/runs",
    "/library",
    "/costs",
    "/compare",
    "/run/no-such-run",
    "/conversation/none",
)
TOKEN = "the-token-of-the-tests"
_START = "from labwright.apps.cli import main; main()"


@contextmanager
def console(folder: Path, *options: str, **environment: str) -> Iterator[str]:
    """The address of a console that works in `folder`; runs lie in ``runs``, its words in ``server.log``."""
    port = free_port()
    command = [sys.executable, "-c", _START, "serve", "--port", str(port), *options]
    folders = {"LABWRIGHT_RUNS": str(folder / "runs"), "LABWRIGHT_STATE": str(folder / "state")}
    quiet = {"LANGSMITH_TRACING": "false", "LABWRIGHT_MODEL": "rules"}
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **quiet, **folders, **environment},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_up(process, address, folder / "server.log")
        yield address
    finally:
        stop(process)


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the server, with patience for the runs that pause."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)


def _wait_until_up(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{address}/favicon.ico", timeout=5).status_code:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError(f"The console did not come up:\n{log.read_text()[-3000:]}")


@dataclass
class Browser:
    """Chromium without a window.

    Attributes:
        asked: every address that a page asked for.
        complaints: what pages wrote to the browser's console as an error.
        cookies: that every window has.
    """

    chromium: Any
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    cookies: list[Any] = field(default_factory=list)

    def window(self, address: str = "", width: int = 1200, height: int = 900, **options: Any) -> Any:
        """A new window, in a context of its own."""
        context = self.chromium.new_context(viewport={"width": width, "height": height}, **options)
        context.add_cookies(self.cookies)
        page = context.new_page()
        self.watch(page)
        if address:
            page.goto(address)
        return page

    def watch(self, page: Any) -> None:
        """Note what the page asks for and complains of."""
        page.set_default_timeout(60_000)  # a busy machine is no failure
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("websocket", lambda opened: self.asked.append(opened.url))
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def elsewhere(self) -> list[str]:
        """The addresses asked for that are not of this machine."""
        return [url for url in self.asked if urlsplit(url).hostname not in ("127.0.0.1", None)]


@contextmanager
def browser() -> Iterator[Browser]:
    """Debian's Chromium, or the one that Playwright brought; without any, the test is skipped with the mend."""
    playwright = pytest.importorskip("playwright.sync_api", reason='pip install "labwright[test]"')
    with playwright.sync_playwright() as started:
        found = next((path for name in NAMES if (path := shutil.which(name))), started.chromium.executable_path)
        if not Path(found).exists():
            pytest.skip(MEND)
        chromium = started.chromium.launch(executable_path=found, args=FLAGS)
        try:
            yield Browser(chromium)
        finally:
            chromium.close()


def say(page: Any, words: str) -> None:
    """Write into the conversation's line and send it."""
    line = page.get_by_label("Message")
    line.fill(words)
    line.press("Enter")


def wider_than_the_window(page: Any) -> int:
    """By how many pixels the page scrolls sideways."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
