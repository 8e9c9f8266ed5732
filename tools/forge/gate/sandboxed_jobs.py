"""Inside the sandbox: each job of a request runs in a process of its own, and says what happened over its own pipe.

This process reads and writes no candidate's text, and no candidate's code runs in it. A job's process can end itself,
write nonsense or lie about its tests; it cannot reach another job, this process' memory, or the pipe to the outside.
What it says counts only as one whole message with the word that this process gave it.
"""

from __future__ import annotations

import json
import os
import random
import resource
import secrets
import select
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

HEAD = struct.Struct("!16sI")
MOST_BYTES = 16 << 20
OPEN_FILES = 1024


@dataclass
class _Running:
    index: int
    process: int
    pipe: int
    word: bytes
    deadline: float
    began: float
    got: bytearray = field(default_factory=bytearray)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run ``request["jobs"]``, at most ``request["workers"]`` at once, until ``request["seconds"]`` are over.

    Returns:
        ``results``: one dict a job with ``ending``: ``ok`` and what `labwright.tools.forge.gate.job_execution.run_job`
        gave, or ``crashed`` with ``code``, ``late``, ``garbled``, or ``unread`` for a job that was never begun.
    """
    jobs, common = request["jobs"], {key: value for key, value in request.items() if key != "jobs"}
    results: list[dict[str, Any]] = [{"ending": "unread"} for _ in jobs]
    waiting, running = list(enumerate(jobs)), dict[int, _Running]()
    over = time.monotonic() + float(request["seconds"])
    while waiting or running:
        while waiting and len(running) < int(request["workers"]) and time.monotonic() < over:
            index, job = waiting.pop(0)
            started = _start(index, {**common, **job})
            running[started.pipe] = started
        if not running:
            break
        for one in _step(running, over):
            results[one[0]] = one[1]
    return {"results": results}


def _start(index: int, job: dict[str, Any]) -> _Running:
    receive, give = os.pipe()
    word, began = secrets.token_bytes(16), time.monotonic()
    child = os.fork()
    if child == 0:
        _be_job(index, job, give, word)
    os.close(give)
    return _Running(index, child, receive, word, began + float(job["wall"]), began)


def _step(running: dict[int, _Running], over: float) -> list[tuple[int, dict[str, Any]]]:
    """Wait for the next thing to happen; the jobs that ended with it."""
    soonest = min([over, *(one.deadline for one in running.values())])
    ready, _, _ = select.select(list(running), [], [], max(0.0, soonest - time.monotonic()))
    ended: list[tuple[int, dict[str, Any]]] = []
    for pipe in ready:
        one = running[pipe]
        part = os.read(pipe, 1 << 20)
        one.got += part
        if not part or len(one.got) > MOST_BYTES:
            ended.append((one.index, _said(one) if not part else {"ending": "garbled"}))
            _forget(running, one)
    now = time.monotonic()
    for one in list(running.values()):
        if now >= min(one.deadline, over):
            ended.append((one.index, {"ending": "late"}))
            _forget(running, one)  # it cannot be ended from here; the server does, after this request
    return ended


def _forget(running: dict[int, _Running], one: _Running) -> None:
    os.close(one.pipe)
    del running[one.pipe]


def _said(one: _Running) -> dict[str, Any]:
    """What a job whose pipe ended has said."""
    if not one.got:
        return {"ending": "crashed", "code": _code(one.process)}
    if len(one.got) < HEAD.size:
        return {"ending": "garbled"}
    word, length = HEAD.unpack_from(one.got)
    if word != one.word or len(one.got) != HEAD.size + length:
        return {"ending": "garbled"}
    told: dict[str, Any] = json.loads(one.got[HEAD.size :])
    return {**told, "ending": "ok", "seconds": time.monotonic() - one.began}


def _code(process: int) -> int:
    """Exit code, negative for a signal; 0 for one whose pipe ended although it still runs."""
    for _ in range(20):
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    return 0


def _be_job(index: int, job: dict[str, Any], give: int, word: bytes) -> NoReturn:
    try:
        os.dup2(give, 3)
        os.closerange(4, OPEN_FILES)
        cpu = int(job["cpu"]) + 1
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        cpu = cpu if hard == resource.RLIM_INFINITY else min(cpu, hard)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        root = Path.cwd() / f"job{index}"
        root.mkdir()
        os.chdir(root)
        os.environ["MPLBACKEND"] = "Agg"
        _stir()
        from labwright.tools.forge.gate.job_execution import run_job

        text = json.dumps(run_job(job, root)).encode()
        told = HEAD.pack(word, len(text)) + text
        view = memoryview(told)
        while view:
            view = view[os.write(3, view) :]
    except BaseException:  # noqa: BLE001 - nothing may come out of a job but its message
        os._exit(70)
    os._exit(0)


def _stir() -> None:
    """Let generators without a seed differ from job to job, as they would in processes that were not forked."""
    random.seed(os.urandom(16))
    import numpy as np

    np.random.seed(int.from_bytes(os.urandom(4), "big"))
