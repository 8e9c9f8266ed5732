"""Runs that workers share through PostgreSQL while workers are killed at random.

``python -m labwright.evaluation.benchmarks.shared_workers --runs 50 --workers 4 --seconds 180``

Every run has a twin with the same seed that nobody disturbed. The report says how many runs ended, how many equal
their twin (result, device journal, data, events), whether a run was ever driven by two workers at once, and how often
one was killed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from labwright.evaluation.benchmarks.witness import Witness, broken_files, differences, repeated_actions, witness
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CALIBRATION
from labwright.tools.database.queue import RunQueue
from labwright.tools.runs.run import load_run, open_run

ENDED = ("complete", "failed", "refused")
REQUEST = "Calibrate qubit Q1"
WORK = [sys.executable, "-c", "from labwright.apps.cli import main; main()", "work"]


@dataclass
class Heard:
    """When which worker drove which run, as heard from the workers' own words.

    Attributes:
        driving: run -> process that drives it now.
        overlaps: runs that a second process began while the first was alive and at it.
        kills: workers that were killed.
        kills_at_work: those that drove a run at that moment.
    """

    driving: dict[str, int] = field(default_factory=dict)
    overlaps: list[str] = field(default_factory=list)
    kills: int = 0
    kills_at_work: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def hear(self, process: subprocess.Popen[str]) -> None:
        """Read a worker's lines until it is gone."""
        assert process.stderr is not None
        with process.stderr as lines:
            for line in lines:
                self._note(process.pid, line.split())

    def _note(self, pid: int, words: list[str]) -> None:
        if len(words) < 2:
            return
        with self.lock:
            if words[1] == "attempt":
                if words[0] in self.driving:
                    self.overlaps.append(words[0])
                self.driving[words[0]] = pid
            elif self.driving.get(words[0]) == pid:
                del self.driving[words[0]]

    def kill(self, process: subprocess.Popen[str]) -> None:
        """End `process` at once, with what it drives."""
        with self.lock:  # nobody can be heard to begin its run before it is dead
            self.kills += 1
            process.kill()
            process.wait()
            for run in [run for run, pid in self.driving.items() if pid == process.pid]:
                self.kills_at_work += 1
                del self.driving[run]


class Worker:
    """One ``labwright work`` process and the thread that listens to it."""

    def __init__(self, heard: Heard, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(WORK, stderr=subprocess.PIPE, text=True, env=environment)
        self.listener = threading.Thread(target=heard.hear, args=(self.process,), daemon=True)
        self.listener.start()

    def end(self) -> None:
        """Ask it to end, and wait."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.listener.join(5)


@contextmanager
def database() -> Iterator[str]:
    """The address of ``LABWRIGHT_DATABASE_URL``, or a server of our own that goes with the block."""
    given = os.environ.pop("LABWRIGHT_DATABASE_URL", "")
    if given:
        yield given
        return
    with server() as address:
        yield address


@contextmanager
def server() -> Iterator[str]:
    """The address of a PostgreSQL that lives as long as the block; it listens on a socket in a folder only."""
    with tempfile.TemporaryDirectory(prefix="lw-pg-", dir="/tmp") as folder:  # a socket's path must be short
        Path(folder).chmod(0o755)  # the server runs as a user of its own where this runs as root
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the package, about where it keeps its own lock file
                import pgserver
        except ImportError as missing:
            raise SystemExit("Set LABWRIGHT_DATABASE_URL, or: pip install 'labwright[test]'.") from missing
        started = pgserver.get_server(  # type: ignore[attr-defined]
            Path(folder) / "data", cleanup_mode="stop"
        )
        try:
            yield str(started.get_uri())
        finally:
            started.cleanup()


def disturbed(url: str, root: Path, runs: int, workers: int, seconds: float, seed: int, patience: float) -> Heard:
    """Submit `runs` runs, let `workers` work on them, and kill one every few seconds for `seconds` s."""
    heard, draw = Heard(), random.Random(seed)
    environment = {**os.environ, "LABWRIGHT_DATABASE_URL": url, "LABWRIGHT_RUNS": str(root)}
    with RunQueue(url) as queue:
        for number in range(runs):
            choices = Choices(seed=number, approval="auto", answers="defaults")
            queue.submit(CALIBRATION.prepare(REQUEST, choices, root, seed=number), root)
        team = [Worker(heard, environment) for _ in range(workers)]
        begun = time.monotonic()
        while time.monotonic() - begun < seconds:
            time.sleep(draw.uniform(0.5, 3.0))
            victim = draw.randrange(workers)
            heard.kill(team[victim].process)
            team[victim].listener.join(5)
            team[victim] = Worker(heard, environment)
        while any(run.status in ("queued", "running") for run in queue.runs()):
            if time.monotonic() - begun > seconds + patience:
                break
            time.sleep(0.5)
        for worker in team:
            worker.end()
    return heard


def faults_of(folder: Path, expected: Witness) -> list[str]:
    """Where the run in `folder` is not what nobody disturbed, a line each."""
    numbers = [event["seq"] for event in load_run(folder).events.read()]
    lost = [] if numbers == list(range(1, len(numbers) + 1)) else ["events are lost or doubled"]
    return [*differences(witness(folder), expected), *repeated_actions(folder), *broken_files(folder), *lost]


def main() -> None:
    """Run it and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=180.0, help="how long workers are killed")
    parser.add_argument("--patience", type=float, default=900.0, help="seconds for the rest, after the last kill")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with database() as url, tempfile.TemporaryDirectory() as folder:
        root, twins = Path(folder) / "runs", Path(folder) / "twins"
        begun = time.monotonic()
        heard = disturbed(url, root, given.runs, given.workers, given.seconds, given.seed, given.patience)
        took = time.monotonic() - begun
        with RunQueue(url) as queue:
            rows = sorted(queue.runs(), key=lambda run: run.run_id)
        by_seed = {open_run(root, run.run_id).record.seed: run for run in rows}
        odd = []
        for number, row in sorted(by_seed.items()):
            choices = Choices(seed=number, approval="auto", answers="defaults")
            twin = CALIBRATION.start(REQUEST, choices, twins, seed=number)
            faults = faults_of(root / row.run_id, witness(twins / twin.run_id)) if row.status in ENDED else ["no end"]
            if faults:
                odd.append({"seed": number, "status": row.status, "reason": row.reason, "faults": faults})
        found = {
            "runs": len(rows),
            "ended": sum(run.status in ENDED for run in rows),
            "equal_to_undisturbed": len(rows) - len(odd),
            "kills": heard.kills,
            "kills_at_work": heard.kills_at_work,
            "most_attempts": max(run.attempts for run in rows),
            "driven_by_two": heard.overlaps,
            "seconds": round(took, 1),
            "odd": odd,
        }
    print(json.dumps(found, indent=1))  # noqa: T201


if __name__ == "__main__":
    main()
