"""The console under load: 200 windows that watch one run, and how soon a page is painted.

python -m labwright.evaluation.benchmarks.console [--rounds 3] [--windows 200] [--events 40] [--json FILE]

The windows are real socket.io clients in a process of their own; each has fetched its page. The run is a real
calibration's log, and a third process appends events to it as a run does. Latency: from before the event is appended
until a window has the update that holds it, or a later one in its place. Paint: Chromium's first contentful paint on a
server that was just started.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode

import socketio

from labwright.tools.code_version import commit
from labwright.tools.runs import open_run, run_ids, summarise, write_atomic

PATIENCE = 90.0  # s for a server to come up, and for windows to get an update
PAINTS = 5
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
DRIVEN = ("run search", "search --dataset digits --seed 7")  # what a server drives besides; both outlast it
_START = "from labwright.apps.cli import main; main()"
_QUERY = re.compile(r"query: (\{.*?\}),\n")


@dataclass
class Window:
    """One client: its page fetched, its socket open.

    Attributes:
        heard: event's number -> s since the epoch at which the update came.
    """

    address: str
    run_id: str
    heard: dict[int, float] = field(default_factory=dict)

    async def open(self) -> None:
        """Fetch the page and connect as its script would."""
        page = await asyncio.to_thread(_fetched, f"{self.address}/run/{self.run_id}")
        found = _QUERY.search(page)
        if found is None:
            raise RuntimeError(f"The page of {self.run_id} names no client.")
        query = {**json.loads(found[1].replace("'", '"').replace("True", "true").replace("False", "false"))}
        ids = {"tab_id": str(uuid.uuid4()), "document_id": str(uuid.uuid4()), "old_tab_id": "null"}
        query["implicit_handshake"] = "true"
        self._client = socketio.AsyncClient(reconnection=False)
        self._client.on("update", self._updated)
        url = f"{self.address}?{urlencode({**query, **ids})}"
        headers = {"Origin": self.address}
        await self._client.connect(
            url, headers=headers, transports=["websocket"], socketio_path="/_nicegui_ws/socket.io", wait_timeout=60
        )

    async def close(self) -> None:
        """Close the socket."""
        await self._client.disconnect()

    def _updated(self, update: dict[str, Any]) -> None:
        now = time.time()
        for number in re.findall(r"probe (\d+)\.", json.dumps(update)):
            self.heard.setdefault(int(number), now)


def _fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return str(answer.read().decode())


async def watched(address: str, run_id: str, windows: int, events: int) -> dict[str, Any]:
    """Open the windows, say so on stdout, wait for all events; returns what each window heard."""
    opened = [Window(address, run_id) for _ in range(windows)]
    gate = asyncio.Semaphore(8)

    async def begin(window: Window) -> None:
        async with gate:
            await window.open()

    await asyncio.gather(*(begin(window) for window in opened))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    deadline = time.monotonic() + PATIENCE + events
    while any(events - 1 not in window.heard for window in opened) and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
    heard = [window.heard for window in opened]
    await asyncio.gather(*(window.close() for window in opened))
    return {"heard": heard}


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[str, int]]:
    """Address and process id of a console whose runs lie in `folder`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    places = {"LABWRIGHT_RUNS": str(folder / "runs"), "LABWRIGHT_STATE": str(folder / "state")}
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", _START, "serve", "--port", str(port), *options],
            env={**os.environ, **places},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait(port, process)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    """Until the port is open; nothing is asked yet, so the first page finds a cold server."""
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise URLError("The console did not come up.")


def memory(pid: int) -> dict[str, float]:
    """Resident memory of the process now and at most so far, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    kib = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith(("VmRSS", "VmHWM"))}
    return {"now_mib": int(kib["VmRSS"]) / 1024, "peak_mib": int(kib["VmHWM"]) / 1024}


def calibrated(folder: Path) -> None:
    """A real calibration of Q1, ended; then opened again by a stage that begins, so that there is something to hear."""
    command = ["calibrate", "Calibrate Q1", "--seed", "3", "--approve", "auto", "--answers", "defaults", "--quiet"]
    places = {"LABWRIGHT_RUNS": str(folder / "runs"), "LABWRIGHT_STATE": str(folder / "state")}
    subprocess.run(
        [sys.executable, "-c", _START, *command],
        env={**os.environ, **places},
        check=True,
        capture_output=True,
        timeout=600,
    )
    run = open_run(folder / "runs", "latest")
    stage = {"stage": "Stage 1", "instruction": "Watch it once more", "path": "watched@1", "attempt": 1}
    run.events.append({"kind": "stage_started", **stage})


def drive(address: str, requests: tuple[str, ...] = DRIVEN) -> None:
    """Have the server at `address` begin a run for each of `requests`, in conversations of their own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        path = shutil.which("chromium") or started.chromium.executable_path
        chromium = started.chromium.launch(executable_path=path, args=FLAGS)
        for asked in requests:
            page = chromium.new_page()
            page.goto(address)
            with page.expect_navigation(timeout=300_000):
                page.get_by_role("button", name="New conversation").click()
            page.get_by_label("Message").fill(asked)
            page.get_by_label("Message").press("Enter")
            page.locator("article").first.wait_for(timeout=300_000)
        chromium.close()


def load(folder: Path, windows: int, events: int, pause: float, *, driven: bool = False) -> dict[str, Any]:
    """Latency and memory with so many windows on the run in `folder`; `pause` is in seconds between two events.

    With `driven` the server drives two runs of its own meanwhile: a search and a calibration.
    """
    run = open_run(folder / "runs", "latest")
    with run.lease(), serving(folder, "--approve", "auto", "--answers", "defaults") as (address, pid):
        before = memory(pid)
        arguments = ["--watch", address, run.run_id, "--windows", str(windows), "--events", str(events)]
        command = [sys.executable, "-m", "labwright.evaluation.benchmarks.console", *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
            assert watching.stdout is not None
            began = time.monotonic()
            if watching.stdout.readline() != "ready\n":
                raise RuntimeError("The windows could not be opened.")
            opening = time.monotonic() - began
            known = set(run_ids(folder / "runs"))
            if driven:
                drive(address)
            idle, written = memory(pid), dict[int, float]()
            for number in range(events):
                written[number] = time.time()
                run.events.append({"kind": "inspected", "verdict": "adjust", "diagnosis": f"probe {number}."})
                time.sleep(pause)
            heard = json.loads(watching.stdout.read())["heard"]
        mine = [open_run(folder / "runs", name) for name in run_ids(folder / "runs") if name not in known]
        going = sum(summarise(one).status == "running" for one in mine)
        after = memory(pid)
    late = sorted(1e3 * (at - written[number]) for window in heard for number, at in _held(window).items())
    return {
        "load_average": os.getloadavg()[0],
        "updates_expected": windows * events,
        "updates_heard": len(late),
        "latency_ms": {name: late[min(len(late) - 1, int(share * len(late)))] for name, share in SHARES.items()},
        "seconds_to_open_all": opening,
        "driven_at_the_end": going,
        "server_mib": {"before": before["now_mib"], "windows_open": idle["now_mib"], "peak": after["peak_mib"]},
    }


def compared(folder: Path, rounds: int, windows: int, events: int, pause: float) -> dict[str, Any]:
    """The server idle and driving, in turn: other work on the machine meets both."""
    calibrated(folder / "once")
    measured: dict[str, list[dict[str, Any]]] = {"watching": [], "watching_and_driving": []}
    for number in range(rounds):
        for name, rows in measured.items():
            shutil.copytree(folder / "once", fresh := folder / f"{name} {number}")
            rows.append(load(fresh, windows, events, pause, driven=name != "watching"))
            sys.stderr.write(f"{name} {json.dumps(rows[-1])}\n")
    middle = {
        f"{name}_median_of_{share}_ms": statistics.median(row["latency_ms"][share] for row in rows)
        for name, rows in measured.items()
        for share in ("median", "p95")
    }
    ratio = middle["watching_and_driving_median_of_p95_ms"] / middle["watching_median_of_p95_ms"]
    asked = {"windows": windows, "events": events, "seconds_between_events": pause, "rounds": rounds}
    return {**asked, **middle, "ratio_of_p95": ratio, **measured}


def _held(heard: dict[str, float]) -> dict[int, float]:
    """When each event was on the screen: with its own update, or with a later one that came in its place."""
    found, at = {}, float("inf")
    for number in range(max(map(int, heard), default=-1), -1, -1):
        at = min(at, heard.get(str(number), at))
        found[number] = at
    return found


SHARES = {"median": 0.5, "p95": 0.95, "p99": 0.99, "worst": 1.0}


def paints(folder: Path, times: int = PAINTS) -> dict[str, Any]:
    """First contentful paint of the first page of a server that was just started, in ms."""
    from playwright.sync_api import sync_playwright

    painted, ready = [], []
    with sync_playwright() as started:
        path = shutil.which("chromium") or started.chromium.executable_path
        for _ in range(times):
            with serving(folder) as (address, _):
                chromium = started.chromium.launch(executable_path=path, args=FLAGS)
                page = chromium.new_page()
                began = time.monotonic()
                page.goto(address)
                page.wait_for_function("window.did_handshake === true")
                ready.append(1e3 * (time.monotonic() - began))
                painted.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
                chromium.close()
    both = {"first_paint_ms": painted, "ready_ms": ready}
    return {**both, "median_first_paint_ms": statistics.median(painted), "median_ready_ms": statistics.median(ready)}


def main() -> None:
    """Measure, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--windows", type=int, default=200)
    parser.add_argument("--events", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3, help="Of the server idle and driving, in turn.")
    parser.add_argument("--seconds", type=float, default=0.5, help="Between two events.")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--watch", nargs=2, metavar=("ADDRESS", "RUN"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.watch:
        address, run_id = given.watch
        found = asyncio.run(watched(address, run_id, given.windows, given.events))
        sys.stdout.write(json.dumps(found))
        return
    with tempfile.TemporaryDirectory() as folder:
        both = compared(Path(folder), given.rounds, given.windows, given.events, given.seconds)
    with tempfile.TemporaryDirectory() as folder:
        painted = paints(Path(folder))
    result = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "commit": commit(), **both, "paint": painted}
    text = json.dumps(result, indent=1)
    sys.stdout.write(text + "\n")
    if given.json:
        write_atomic(given.json, (text + "\n").encode())


if __name__ == "__main__":
    main()
