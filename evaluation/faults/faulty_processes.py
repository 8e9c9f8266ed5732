"""Processes that live through faults: forked from one that has imported everything, with `preload.c` beneath them.

``python -m labwright.evaluation.faults.faulty_processes FOLDER`` is that one. It reads lists of lives from its input,
one list a line, lets those of a list run at once, and prints what became of them.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from labwright.agents.errors import AgentError
from labwright.tools.errors import InputError, ToolError

SOURCE = Path(__file__).with_name("preload.c")
KINDS = ("count", "fail once", "fail on", "fail settle", "kill before", "kill after", "kill torn", "clock")
PATIENCE = 120.0  # s that one process may take
DIED = -signal.SIGKILL


@dataclass(frozen=True, slots=True)
class Life:
    """One process of a run.

    Attributes:
        run: name of the small run.
        root: folder of its runs.
        kind: of the fault, one of `KINDS`.
        at: number of the operation that it hits, from 1.
        error: number of the operating system's error.
        step: seconds by which the clock jumps.
        clock: seconds by which the clock is wrong from the beginning.
        rebuild: resume from the journal.
        run_id: the run to go on with; empty to begin one.
        model: address of the model server.
        timeout: seconds that the client waits for it.
    """

    run: str
    root: str
    kind: str = "count"
    at: int = 0
    error: int = 0
    step: float = 0.0
    clock: float = 0.0
    rebuild: bool = False
    run_id: str = ""
    model: str = ""
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class Death:
    """What became of a life.

    Attributes:
        code: of its exit; negative for a signal; 0 also for an error that was caught.
        status: of the run; empty if an error was raised.
        says: the run's reason, or the error's message.
        error: name of the error; empty if none was raised.
        known: whether it is one of those that a command shows in one sentence.
        writes: operations that write, of those that settle, and events.
    """

    code: int
    status: str = ""
    says: str = ""
    error: str = ""
    known: bool = False
    writes: int = 0
    settles: int = 0
    events: int = 0
    slow: bool = False


def preload(folder: Path) -> Path:
    """The compiled library in `folder`.

    Raises:
        InputError: there is no C compiler.
    """
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise InputError("The fault bench needs a C compiler. Install one, such as the package gcc.")
    library = folder / "preload.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"], check=True)
    return library


class Children:
    """The process that forks lives; use it as a context manager."""

    def __init__(self, bench: Path) -> None:
        self.bench = bench
        (bench / "state").mkdir(parents=True, exist_ok=True)
        environment = {
            **os.environ,
            "LD_PRELOAD": str(preload(bench)),
            "LABWRIGHT_STATE": str(bench / "state"),
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        environment = {name: value for name, value in environment.items() if name != "LABWRIGHT_DATABASE_URL"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(bench)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd=bench,
        )

    def __enter__(self) -> Children:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE)
        self._process.stdout.close()

    def live(self, *lives: Life) -> list[Death]:
        """What became of `lives`, which ran at the same time."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([asdict(life) for life in lives]) + "\n")
        self._process.stdin.flush()
        return [Death(**plain) for plain in json.loads(self._process.stdout.readline())]


def serve(bench: Path) -> None:
    """Fork what the input asks for, until it ends."""
    from labwright.evaluation.faults.small_runs import WARM, live

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for name in WARM:  # a fork begins with what these have imported and read
        live(name, bench, bench / "warm" / name)
    for line in sys.stdin:
        begun = [_forked(Life(**plain), bench) for plain in json.loads(line)]
        said = [_waited_for(pid, pipe) for pid, pipe in begun]
        for name in sorted({name for each in said for name in each.pop("imported", ())}):
            with contextlib.suppress(Exception):  # the next fork finds it imported
                importlib.import_module(name)
        answers.write(json.dumps(said) + "\n")
        answers.flush()


def _forked(life: Life, bench: Path) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        code = 1
        try:
            _live(life, bench, writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    return pid, reading


def _waited_for(pid: int, pipe: int) -> dict[str, Any]:
    end, slow = time.monotonic() + PATIENCE, False
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            break
        if time.monotonic() > end:
            slow, end = True, end + PATIENCE
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
    with os.fdopen(pipe, "rb") as file:
        content = file.read()
    said = json.loads(content) if content else {}
    return {**said, "code": os.waitstatus_to_exitcode(status), "slow": slow}


@cache
def _library() -> Any:
    library = ctypes.CDLL(None)
    library.faults_arm.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_double]
    library.faults_clock.argtypes = [ctypes.c_double]
    return library


def _live(life: Life, bench: Path, pipe: int) -> None:
    """One life, in a process of its own; what became of it goes into `pipe`."""
    from labwright.evaluation.faults.small_runs import live

    if life.model:
        os.environ |= {"LABWRIGHT_BASE_URL": life.model, "LABWRIGHT_API_KEY": "none"}
        os.environ |= {"LABWRIGHT_TIMEOUT": str(life.timeout), "LABWRIGHT_RETRIES": "1", "LABWRIGHT_CACHE": "false"}
    library, before = _library(), set(sys.modules)
    library.faults_clock(life.clock)
    library.faults_arm(life.root.encode(), KINDS.index(life.kind), life.at, life.error, life.step)
    try:
        outcome = live(life.run, bench, Path(life.root), run_id=life.run_id, rebuild=life.rebuild)
        said: dict[str, Any] = {"status": outcome.status, "says": outcome.reason}
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is reported
        known = isinstance(error, ToolError | AgentError | OSError)
        said = {"error": type(error).__name__, "says": str(error), "known": known}
    counts = {"writes": library.faults_writes(), "settles": library.faults_settles(), "events": library.faults_events()}
    library.faults_arm(b"/", 0, 0, 0, 0.0)
    imported = sorted(name for name in set(sys.modules) - before if sys.modules[name] is not None)
    os.write(pipe, json.dumps({**said, **counts, "imported": imported}).encode())


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
