"""Outside: the fork server as the graph's process sees it, started when first needed and again after it died."""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, cast

from labwright.tools.errors import SandboxedFailure, SandboxError
from labwright.tools.sandbox.base import Ending, Limits
from labwright.tools.sandbox.confined_process import TICK, Process
from labwright.tools.sandbox.descriptor_waiting import ready
from labwright.tools.sandbox.linux_calls import MEGABYTE
from labwright.tools.sandbox.safe_folder_walk import folder_size
from labwright.tools.sandbox.worker import FAILED, KILLED, MEMORY, OK, OVERFLOW, READY, REPLY, REQUEST, TIMEOUT

START_SECONDS = 120.0  # a cold import of a large package on a busy machine
GRACE_SECONDS = 5.0  # beyond a call's own limit, which the server sees to itself
MOST_START_BYTES = 1 << 16
ENDINGS: dict[bytes, Ending] = {
    TIMEOUT: "timeout",
    MEMORY: "memory",
    KILLED: "killed",
    OVERFLOW: "overflow",
    FAILED: "failed",
}
WHY = {
    "timeout": "it took too long",
    "memory": "it asked for too much memory",
    "killed": "it was killed or left without a reply",
    "overflow": "it wrote too much",
}


class _Lost(Exception):
    """The server's pipe ended, or brought what no server of ours says."""


class ForkServer:
    """Implements `labwright.tools.sandbox.base.Server`; calls from several threads wait for one another."""

    def __init__(self, start: Callable[[], Process], function: str, limits: Limits) -> None:
        """Start the server and wait until its imports are done.

        Raises:
            SandboxedFailure: an import failed.
            SandboxError: the server did not start.
        """
        self._start, self._function, self._limits = start, function, limits
        self._lock, self._closed = threading.Lock(), False
        self._process: Process | None = None
        with self._lock:
            self._running()

    def call(
        self, request: dict[str, Any], limits: Limits | None = None, cancelled: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """See `Server.call`."""
        limits = limits or self._limits
        body = json.dumps(request, allow_nan=False).encode()
        with self._lock:
            process, nonce = self._running(), secrets.token_bytes(16)
            try:
                _ask(process, nonce, body, limits)
                ending, answer = _reply(process, nonce, limits.wall_seconds + GRACE_SECONDS, limits, cancelled)
            except TimeoutError:
                self._drop()
                ending, answer = TIMEOUT, b""
            except (_Lost, OSError):
                self._drop()
                ending, answer = KILLED, b""
        return self._judged(ending, answer)

    def close(self) -> None:
        """End the server and everything below it."""
        with self._lock:
            self._closed = True
            self._drop()

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _running(self) -> Process:
        """The server, started anew if it is gone."""
        if self._closed:
            raise SandboxError(f"The server of {self._function} is closed. Start another with `serve`.")
        if self._process is not None and self._process.quiet:
            return self._process
        self._drop()
        process = self._start()
        try:
            ending, answer = _reply(process, READY, START_SECONDS, Limits(output_kb=MOST_START_BYTES // 1024))
        except (_Lost, OSError, TimeoutError) as lost:
            said = process.last_words()
            process.remove()
            raise SandboxError(f"The confined server of {self._function} did not start. {said}".strip()) from lost
        if ending != OK:
            process.remove()
            self._judged(ending, answer)
        self._process = process
        return process

    def _drop(self) -> None:
        if self._process is not None:
            self._process.remove()
            self._process = None

    def _judged(self, ending: bytes, answer: bytes) -> dict[str, Any]:
        word = ENDINGS.get(ending)
        if word is not None and word != "failed":
            raise SandboxedFailure(word, f"Confined work of {self._function} ended: {WHY[word]}.")
        try:
            plain = json.loads(answer)
        except (ValueError, RecursionError) as wrong:
            raise SandboxedFailure("failed", f"The reply of {self._function} is no JSON: {wrong}.") from wrong
        if not isinstance(plain, dict):
            raise SandboxedFailure("failed", f"The reply of {self._function} is no JSON object.")
        if word == "failed":
            kind, message = str(plain.get("kind", ""))[:100], str(plain.get("message", ""))[:500]
            raise SandboxedFailure("failed", f"{kind}: {message}", kind, str(plain.get("detail", ""))[-4000:])
        return cast(dict[str, Any], plain)


def _ask(process: Process, nonce: bytes, body: bytes, limits: Limits) -> None:
    head = REQUEST.pack(
        nonce,
        limits.wall_seconds,
        limits.cpu_seconds,
        limits.memory_mb,
        limits.file_mb,
        limits.processes,
        limits.open_files,
        limits.output_kb,
        len(body),
    )
    view, deadline = memoryview(head + body), time.monotonic() + limits.wall_seconds + GRACE_SECONDS
    pipe = process.stdin.fileno()
    os.set_blocking(pipe, False)
    while view:
        _, fed = ready([], [pipe], deadline - time.monotonic())
        if not fed:
            raise TimeoutError
        view = view[os.write(pipe, view) :]


def _reply(
    process: Process, nonce: bytes, seconds: float, limits: Limits, cancelled: Callable[[], bool] = lambda: False
) -> tuple[bytes, bytes]:
    """How the call ended, and its reply.

    Raises:
        TimeoutError: nothing whole came in time or before it was cancelled, or the work folder outgrew its limit.
        _Lost: the pipe ended, or the reply is not to this call.
    """
    deadline, most_on_disk = time.monotonic() + seconds, 4 * limits.file_mb * MEGABYTE
    got = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or cancelled():
            raise TimeoutError
        heard, _ = ready([process.stdout.fileno()], [], min(left, TICK))
        if not heard:
            if folder_size(process.folder) > most_on_disk:
                raise TimeoutError
            continue
        part = os.read(process.stdout.fileno(), 1 << 20)
        if not part:
            raise _Lost
        got += part
        if len(got) < REPLY.size:
            continue
        echoed, ending, length = REPLY.unpack_from(got)
        if echoed != nonce or length > max(1024 * limits.output_kb, MOST_START_BYTES):
            raise _Lost
        if len(got) >= REPLY.size + length:
            return ending, bytes(got[REPLY.size :])
