"""Kill a calibration with SIGKILL, resume it, and compare it with an undisturbed run of the same seed.

python -m labwright.evaluation.benchmarks.killing            # the whole matrix, through the real commands
python -m labwright.evaluation.benchmarks.killing --forked   # the same, without starting Python anew each time
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from labwright.evaluation.benchmarks.witness import Witness, broken_files, differences, repeated_actions, witness
from labwright.evaluation.committed import FOLDER
from labwright.evaluation.results import provenance
from labwright.tools.durable import write_atomic
from labwright.tools.runs.crash import POINTS, VARIABLE
from labwright.tools.runs.files import to_json
from labwright.tools.runs.run import run_ids

PATIENCE = 1800.0  # s that one process may take
MOST_LIVES = 40  # processes that one run may need
FORKED = (  # what the server imports, so that a fork begins at once
    "labwright.graphs.lab_calibration.running",
    "labwright.tools.qpu.simulated",
    "chromadb",
    "matplotlib.backends.backend_agg",
    "langgraph.checkpoint.sqlite",
)


@dataclass(frozen=True, slots=True)
class Job:
    """What is calibrated again and again: words, and the choices that go with them."""

    text: str = "Calibrate qubit Q1 and benchmark it"
    choices: dict[str, Any] = field(default_factory=lambda: {"seed": 11})


@dataclass(frozen=True, slots=True)
class Case:
    """Where a run is killed: at a named point, or after a delay in seconds, again and again."""

    name: str
    crash_at: str = ""  # LABWRIGHT_CRASH_AT of the first process
    delays: tuple[float, ...] = ()  # of the first processes, one each


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one case."""

    case: str
    kills: int  # processes that really died of SIGKILL
    lives: int  # processes it took, the last one included
    acquisitions: int
    faults: list[str]  # what differs from the undisturbed run, what was measured twice, which files are broken


Life = Callable[[Job, Path, str, float | None], int]  # (job, root, crash_at, delay) -> exit code


def forked_life(job: Job, root: Path, crash_at: str, delay: float | None) -> int:
    """One process of a run, forked from a server that has imported everything; its exit code, -9 if it was killed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*FORKED, __name__])
    child = context.Process(target=_live, args=(job, root, {**os.environ, VARIABLE: crash_at}))
    child.start()
    child.join(PATIENCE if delay is None else delay)
    if child.is_alive():
        child.kill()
        child.join()
    assert child.exitcode is not None
    return child.exitcode


def _live(job: Job, root: Path, environment: dict[str, str]) -> None:
    """Start the run, or resume it if there is one already, in this process."""
    from labwright.graphs.lab_calibration.choices import Choices
    from labwright.graphs.lab_calibration.running import CalibrationRequest, resume, start

    os.environ.clear()  # the server that forks has that of whoever started it
    os.environ.update(environment)
    if known := run_ids(root):
        resume(known[-1], root)
    else:
        start(CalibrationRequest(job.text, Choices.model_validate(job.choices)), root)


def command_life(job: Job, root: Path, crash_at: str, delay: float | None) -> int:
    """One process of a run, through the command line."""
    known = run_ids(root)
    words = ["runs", "resume", known[-1]] if known else ["calibrate", job.text, *_flags(job.choices)]
    child = subprocess.Popen(
        [sys.executable, "-c", "from labwright.apps.cli import main; main()", *words],
        env={**os.environ, VARIABLE: crash_at, "LABWRIGHT_RUNS": str(root)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return child.wait(PATIENCE if delay is None else delay)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


def _flags(choices: dict[str, Any]) -> list[str]:
    return [part for name, value in choices.items() for part in (f"--{name.replace('_', '-')}", str(value))]


def undisturbed(job: Job, root: Path, live: Life = forked_life) -> tuple[Witness, float]:
    """The facts of a run that nobody killed, and the seconds it took."""
    began = time.perf_counter()
    live(job, root, "", None)
    return witness(root / run_ids(root)[-1]), time.perf_counter() - began


def disturbed(job: Job, case: Case, root: Path, expected: Witness, live: Life = forked_life) -> Row:
    """Kill the run as `case` says, resume it until it ends, and compare it with `expected`."""
    kills = lives = 0
    for crash_at, delay in [*_deaths(case), *[("", None)] * MOST_LIVES]:
        lives += 1
        kills += live(job, root, crash_at, delay) == -signal.SIGKILL
        if lives >= len(_deaths(case)) and _ended(root):
            break
    folder = root / run_ids(root)[-1]
    faults = [] if kills else ["the process was never killed"]
    faults += [*differences(witness(folder), expected), *repeated_actions(folder), *broken_files(folder)]
    return Row(case.name, kills, lives, len(witness(folder).acquisitions), faults)


def _deaths(case: Case) -> list[tuple[str, float | None]]:
    return [(case.crash_at, None)] if case.crash_at else [("", delay) for delay in case.delays]


def _ended(root: Path) -> bool:
    return any((root / name / "result.json").exists() for name in run_ids(root))


def matrix(expected: Witness, seconds: float, points: Sequence[str] = POINTS, moments: int = 10) -> list[Case]:
    """Every named point in the first, a middle and the last measurement, and runs killed at random moments.

    Args:
        expected: the undisturbed run.
        seconds: how long it took; random moments are drawn from this.
        points: names of crash points.
        moments: number of runs that are killed at a random moment.
    """
    measured = sum(row["call"] is not None for row in expected.stages)
    cases = [Case(f"{point}:{k}", f"{point}:{k}") for point in points for k in _places(point, measured)]
    rng = random.Random(7)
    return cases + [Case(f"random {n}", delays=(rng.uniform(0.05, 0.95) * seconds,)) for n in range(1, moments + 1)]


def _places(point: str, measured: int) -> list[int]:
    """Passages at which to kill: spread over the run. Every measurement passes at least eight checkpoints."""
    last = measured * 8 if point in ("after_writes", "after_checkpoint") else measured
    return sorted({1, 2, max(1, last // 2), max(1, last)})


def run_matrix(job: Job, folder: Path, live: Life, say: Callable[[str], None]) -> dict[str, Any]:
    """The whole matrix below `folder`, as a JSON-plain result."""
    expected, seconds = undisturbed(job, folder / "undisturbed", live)
    say(f"undisturbed: {expected.status}, {len(expected.stages)} stage runs, {seconds:.1f} s")
    rows = []
    for number, case in enumerate(matrix(expected, seconds), start=1):
        row = disturbed(job, case, folder / f"{number:02d}", expected, live)
        if case.delays and not row.kills:  # it ended before its moment: the machine was slower when that was drawn
            sooner = replace(case, delays=tuple(delay / 2 for delay in case.delays))
            row = disturbed(job, sooner, folder / f"{number:02d}-sooner", expected, live)
        rows.append(row)
        say(f"{row.case:22} {row.kills:5d} kills {row.lives:3d} lives  {'; '.join(row.faults) or 'equal'}")
    return {
        "request": job.text,
        "choices": job.choices,
        "stage_runs": len(expected.stages),
        "acquisitions": len(expected.acquisitions),
        "kills": sum(row.kills for row in rows),
        "faulty": sum(bool(row.faults) for row in rows),
        "rows": [asdict(row) for row in rows],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the matrix, print a table, write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", default=Job().text)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--forked", action="store_true", help="fork instead of starting the command line")
    parser.add_argument("--output", type=Path, default=FOLDER / "killing.json")
    given = parser.parse_args(arguments)
    job = Job(given.text, {"seed": given.seed})
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        result = run_matrix(job, Path(folder), forked_life if given.forked else command_life, _say)
    through = "forked processes" if given.forked else "commands"
    content = to_json({**provenance(time.perf_counter() - began), "through": through, **result})
    write_atomic(given.output.absolute(), content)
    _say(f"{result['kills']} kills, {result['faulty']} faulty runs; written to {given.output}")
    return int(result["faulty"] > 0)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
