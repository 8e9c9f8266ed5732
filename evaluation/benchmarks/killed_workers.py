"""Runs that workers share through PostgreSQL while workers are killed at random moments of their work.

``python -m labwright.evaluation.benchmarks.killed_workers --runs 50 --workers 4 --kills 40``

The runs are of all four systems. Every one has a twin with the same seed that nobody disturbed. The report says how
many runs ended, how many equal their twin (result, device journal, data, figures, jobs, events), whether a run was ever
driven by two workers at once (from the workers' words, and from what the server noted whenever a lease was taken), and
how often a worker was killed.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labwright.evaluation.benchmarks.postgres_server import database
from labwright.evaluation.benchmarks.run_ownership_audit import driven_by_two, install, killed_while_driving, takings
from labwright.evaluation.benchmarks.shared_worker_jobs import MIX, Job, faults_of, jobs
from labwright.evaluation.committed_results import FOLDER
from labwright.evaluation.faults.faulty_processes import preload
from labwright.evaluation.result_provenance import provenance
from labwright.tools.atomic_files import write_atomic
from labwright.tools.database.queue import QueuedRun, RunQueue
from labwright.tools.runs.hash_chain import EVENTS
from labwright.tools.runs.hashed_files import to_json
from labwright.tools.runs.run import open_run

SKEW = "FAULTS_CLOCK"  # of `preload.c`: seconds by which a process's clock is wrong
ENDED = ("complete", "failed", "refused")
LOOK = 0.05  # s between two looks at what the workers do
SPARED = 0.3  # share of the drives whose worker is not killed
MOST_EVENTS = 20  # of a run, until its worker dies; a design logs about 20, a calibration more than 100
WORK = [sys.executable, "-c", "from labwright.apps.cli import main; main()", "work"]


@dataclass
class Heard:
    """When which worker drove which run, as heard from the workers' own words.

    Attributes:
        driving: run -> process that drives it now.
        overlaps: runs that a second process began while the first was alive and at it.
        killed: process -> when SIGKILL was sent to it, in seconds since the epoch.
        kills_at_work: how many of them drove a run at that moment.
        ended_alone: the last words of workers that nobody killed.
    """

    driving: dict[str, int] = field(default_factory=dict)
    overlaps: list[str] = field(default_factory=list)
    killed: dict[int, float] = field(default_factory=dict)
    kills_at_work: int = 0
    ended_alone: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    _last_words: dict[int, str] = field(default_factory=dict)

    def hear(self, process: subprocess.Popen[str]) -> None:
        """Read a worker's lines until it is gone."""
        assert process.stderr is not None
        last = ""
        with process.stderr as lines:
            for line in lines:
                self._note(process.pid, line.split())
                last = line.strip() or last
        self._last_words[process.pid] = last

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

    def kill(self, worker: Worker) -> None:
        """End a worker at once, with what it drives."""
        process = worker.process
        with self.lock:  # nobody can be heard to begin its run before it is dead
            if process.poll() is not None:
                return
            self.killed[process.pid] = time.time()
            process.kill()
            process.wait()
            for run in [run for run, pid in self.driving.items() if pid == process.pid]:
                self.kills_at_work += 1
                del self.driving[run]

    def fresh(self, team: list[Worker], environment: dict[str, str]) -> None:
        """Start a worker anew in the place of each that is gone."""
        for place, worker in enumerate(team):
            if worker.process.poll() is None:
                continue
            worker.listener.join(5)
            with self.lock:
                if worker.process.pid not in self.killed:
                    self.ended_alone.append(self._last_words.get(worker.process.pid, ""))
                    self.driving = {run: pid for run, pid in self.driving.items() if pid != worker.process.pid}
            team[place] = Worker(self, _by_place(environment, place))


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


def disturbed(
    url: str, root: Path, work: list[Job], workers: int, kills: int, seed: int, patience: float, skew: float = 0.0
) -> Heard:
    """Submit `work`, let `workers` work on it, and kill them `kills` times while they drive a run.

    A worker dies when the run that it drives has logged a drawn number of events since it took it: on a slow machine
    the same moments come later. The clock of every other worker is `skew` seconds behind. `patience` in s.
    """
    heard = Heard()
    os.environ["LABWRIGHT_STATE"] = str(root.parent / "state")  # its seal is that of the runs that are prepared here
    environment = {
        **os.environ,
        "LABWRIGHT_DATABASE_URL": url,
        "LABWRIGHT_RUNS": str(root),
    }
    if skew:
        library = preload(root.parent)
        environment |= {"LD_PRELOAD": str(library), SKEW: str(-skew)}
    install(url)
    with RunQueue(url) as queue:
        for job in work:
            queue.submit(job.prepare(root), root)
        team = [Worker(heard, _by_place(environment, place)) for place in range(workers)]
        fates, until = Fates(root, random.Random(seed)), time.monotonic() + patience
        while any(run.status in ("queued", "running") for run in queue.runs()) and time.monotonic() < until:
            for worker in team:
                if heard.kills_at_work < kills and fates.reached(worker.process.pid, heard.driving):
                    heard.kill(worker)
                    _say_state(queue, heard)
            heard.fresh(team, environment)
            time.sleep(LOOK)
        for worker in team:
            worker.end()
    return heard


@dataclass
class Fates:
    """At which event of the run that it drives a worker dies; drawn for each drive, and some live."""

    root: Path
    draw: random.Random
    _drawn: dict[tuple[int, str], int | None] = field(default_factory=dict)

    def reached(self, process: int, driving: Mapping[str, int]) -> bool:
        """Whether the worker `process` has come to the event at which it dies."""
        for run in [run for run, driver in dict(driving).items() if driver == process]:
            log, drive = self.root / run / EVENTS, (process, run)
            events = log.read_bytes().count(b"\n") if log.exists() else 0
            if drive not in self._drawn:
                lives = self.draw.random() < SPARED
                self._drawn[drive] = None if lives else events + self.draw.randint(1, MOST_EVENTS)
            dies = self._drawn[drive]
            return dies is not None and events >= dies
        return False


def _by_place(environment: dict[str, str], place: int) -> dict[str, str]:
    """The environment of the worker at `place`: those with an even number have the right clock."""
    return environment if place % 2 else {name: value for name, value in environment.items() if name != SKEW}


def judged(url: str, root: Path, twins: Path, work: Sequence[Job]) -> list[dict[str, Any]]:
    """One row a run, in the order of `work`: how it ended and where it is not its undisturbed twin."""
    with RunQueue(url) as queue:
        by_seed = {open_run(root, run.run_id).record.seed: run for run in queue.runs()}
    history = takings(url)
    rows = []
    for job in work:
        run = by_seed[job.number]
        faults = faults_of(root / run.run_id, job.undisturbed(twins)) if run.status in ENDED else ["no end"]
        rows.append(_row(job, run, len(history.get(run.run_id, ())), faults))
        _say(f"{job.number:3d} {job.system:20} {run.status:9} {run.deaths:2d} deaths  {'; '.join(faults) or 'equal'}")
    return rows


def _row(job: Job, run: QueuedRun, drives: int, faults: list[str]) -> dict[str, Any]:
    return {
        "seed": job.number,
        "system": job.system,
        "status": run.status,
        "reason": run.reason,
        "workers_died_of_it": run.deaths,
        "drives": drives,
        "faults": faults,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it, print what was found and write the result; 1 if anything is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kills", type=int, default=40, help="of workers that drive a run")
    parser.add_argument("--patience", type=float, default=3600.0, help="seconds until all runs have to have ended")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skew", type=float, default=0.0, help="seconds by which every other worker's clock is behind")
    parser.add_argument("--mix", default=MIX, help="c, d, s, f: calibration, design, search, forge; repeated")
    parser.add_argument("--output", type=Path, default=FOLDER / "shared_workers.json")
    given = parser.parse_args(arguments)
    work, begun = jobs(given.runs, given.mix), time.monotonic()
    with database() as url, tempfile.TemporaryDirectory() as folder:
        root, twins = Path(folder) / "runs", Path(folder) / "twins"
        heard = disturbed(url, root, work, given.workers, given.kills, given.seed, given.patience, given.skew)
        took = time.monotonic() - begun
        rows = judged(url, root, twins, work)
        history = takings(url)
        by_two = sorted({*heard.overlaps, *driven_by_two(history, heard.killed)})
    found = {
        **provenance(time.monotonic() - begun),
        "workers": given.workers,
        "skew_seconds": given.skew,
        "seconds_until_all_had_ended": round(took, 1),
        "runs": dict(Counter(job.system for job in work)),
        "ended": sum(row["status"] in ENDED for row in rows),
        "equal_to_undisturbed": sum(not row["faults"] for row in rows),
        "kills": len(heard.killed),
        "kills_with_a_claim": heard.kills_at_work,
        "kills_while_driving": killed_while_driving(history, heard.killed),
        "workers_that_ended_alone": heard.ended_alone,
        "drives": sum(row["drives"] for row in rows),
        "driven_by_two": by_two,
        "rows": rows,
    }
    write_atomic(given.output.absolute(), to_json(found))
    _say("; ".join(f"{name}: {found[name]}" for name in found if name != "rows"))
    whole = found["ended"] == found["equal_to_undisturbed"] == len(work)
    return int(bool(by_two or heard.ended_alone) or not whole or found["kills_while_driving"] < given.kills)


def _say_state(queue: RunQueue, heard: Heard) -> None:
    states = Counter(run.status for run in queue.runs())
    _say(f"{len(heard.killed)} kills, {heard.kills_at_work} at work  {dict(states)}")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
