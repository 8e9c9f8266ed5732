"""Outside: the confined processes that have imported packages and no tool, and the pipes of a script that asks them."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from labwright.tools.errors import SandboxError
from labwright.tools.forge.toolset.client import LENGTH, LOCK, MARK, REPLIES, REQUESTS, TOKEN
from labwright.tools.forge.toolset.imported_packages import preloads
from labwright.tools.forge.toolset.tool_source import parse
from labwright.tools.sandbox.base import Limits, Sandbox, Server
from labwright.tools.sandbox.descriptor_waiting import ready

FUNCTION = "labwright.tools.forge.calls.sandboxed_call:answer"
OURS = "labwright.tools.forge.calls"
ALWAYS, PREPARED = (f"{OURS}.fixed_memory_report", "numpy", "pydantic"), f"{OURS}.deterministic_call_setup"
MOST_SERVERS = 3  # that are held; each is a process with the packages of one or more tools
LARGE = {"cudaq": 65_536, "tequila": 16_384, "jax": 32_768}  # MB of address space that a package takes before any work
SCRATCH = {"pyscf": 8192}  # MB of one file; a fitted Hessian keeps 4 x 24 bytes x functions^2 x fitting functions
MOST_SECONDS = 7200.0
LARGEST = 64 << 20  # bytes of a request
TICK = 0.1
STALE = 5.0  # s without a byte, after which the rest of a request is not waited for

Reply = dict[str, Any]


class Servers:
    """Fork servers by the packages that their tools import; calls from several threads wait for one another."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._held: dict[frozenset[str], Server] = {}
        self._lock = threading.Lock()

    def ask(
        self, request: Mapping[str, Any], seconds: float = MOST_SECONDS, cancelled: Callable[[], bool] = lambda: False
    ) -> Reply:
        """The answer of a new process to a request; of many requests of one process each.

        Args:
            request: of `labwright.tools.forge.toolset.client`.
            seconds: on the clock, of each call. What a call may use besides does not depend on who asks.
            cancelled: whoever asked is gone.
        """
        if request["ask"] == "many":
            return {"replies": [self._one(one, seconds, cancelled) for one in request["requests"]]}
        return self._one(request, seconds, cancelled)

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            for one in self._held.values():
                one.close()
            self._held.clear()

    def _one(self, request: Mapping[str, Any], seconds: float, cancelled: Callable[[], bool]) -> Reply:
        gone = {"failed": "It was cancelled.", "kind": "RuntimeError"}
        if cancelled():
            return gone
        try:
            packages = frozenset(preloads(parse(text, name) for name, text in request["texts"].items()))
            tops = {one.split(".")[0] for one in packages}
            memory = max([8192, *(LARGE.get(one, 0) for one in tops)])
            written = max([64, *(SCRATCH.get(one, 0) for one in tops)])
            limits = Limits(MOST_SECONDS, seconds, memory_mb=memory, file_mb=written, output_kb=65_536)
            while not self._lock.acquire(timeout=TICK):  # held for the whole of another script's call
                if cancelled():
                    return gone
            try:
                return self._server(packages, limits).call(dict(request), limits, cancelled)
            finally:
                self._lock.release()
        except (SandboxError, SyntaxError) as failure:
            return {"failed": str(failure), "kind": getattr(failure, "kind", type(failure).__name__) or "RuntimeError"}

    def _server(self, packages: frozenset[str], limits: Limits) -> Server:
        if packages not in self._held:
            while len(self._held) >= MOST_SERVERS:
                self._held.pop(next(iter(self._held))).close()
            preload = [*ALWAYS, *sorted(packages), PREPARED]
            self._held[packages] = self._sandbox.serve(FUNCTION, preload=preload, limits=limits, still=True)
            for _ in range(3):  # what Python makes when it is first asked for is there before the first call
                self._held[packages].call({"ask": "nothing", "filled": "." * 20_000}, limits)
        self._held[packages] = self._held.pop(packages)  # the last used goes last
        return self._held[packages]


_made: dict[tuple[int, str], Servers] = {}


def servers_of(sandbox: Sandbox) -> Servers:
    """The servers of this process for a level of confinement: a script finds those that an earlier one left."""
    key = (os.getpid(), sandbox.level)
    if key not in _made:
        _made[key] = Servers(sandbox)
        atexit.register(_made[key].close)
    return _made[key]


class Desk:
    """Answers the requests of one confined script, which come by pipes in its home folder."""

    def __init__(self, servers: Servers, home: str, user: int) -> None:
        """Make the pipes; before the script begins, so that they are ours whatever it does to their names.

        Args:
            servers: who answers.
            home: an existing folder of the script.
            user: id to which the pipes must belong; 0 for our own.
        """
        self._servers, self._over = servers, threading.Event()
        for name in (REQUESTS, REPLIES):
            os.mkfifo(os.path.join(home, name), 0o600)  # noqa: PTH118
        with open(os.path.join(home, LOCK), "x"):  # noqa: PTH118, PTH123
            pass
        self._ends = [
            os.open(os.path.join(home, name), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # noqa: PTH118
            for name in (REQUESTS, REPLIES)
        ]
        if user:
            for name in (REQUESTS, REPLIES, LOCK):
                os.chown(os.path.join(home, name), user, user)  # noqa: PTH118
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """The script has ended."""
        self._over.set()
        self._thread.join()
        for end in self._ends:
            os.close(end)

    def _work(self) -> None:
        got = bytearray()
        heard = time.monotonic()
        while not self._over.is_set():
            if ready([self._ends[0]], [], TICK)[0]:
                with contextlib.suppress(BlockingIOError):
                    got += os.read(self._ends[0], 1 << 20)
                heard = time.monotonic()
            elif got and time.monotonic() - heard > STALE:
                del got[: len(MARK)]  # of a process that was killed while it wrote; another's may stand behind it
            else:
                continue
            for token, request in _requests(got):
                self._send(token, self._answered(request))

    def _answered(self, request: dict[str, Any] | None) -> bytes:
        """The reply to a request; None is one of a wrong form. Whatever goes wrong is said: the script waits."""
        try:
            if request is None:
                raise ValueError(f"The request has a wrong form, or over {LARGEST >> 20} MB: ask for less at once.")
            return json.dumps(self._servers.ask(request, cancelled=self._over.is_set)).encode()
        except Exception as wrong:  # noqa: BLE001 - whatever it is, the script must hear of it
            return json.dumps({"failed": str(wrong), "kind": type(wrong).__name__}).encode()

    def _send(self, token: bytes, body: bytes) -> None:
        view = memoryview(token + LENGTH.pack(len(body), zlib.crc32(body)) + body)
        while view and not self._over.is_set():
            if ready([], [self._ends[1]], TICK)[1]:
                with contextlib.suppress(BlockingIOError):
                    view = view[os.write(self._ends[1], view[: 1 << 16]) :]


def tools_desk(sandbox: Sandbox) -> Callable[[str, int], Callable[[], None]]:
    """For `labwright.tools.sandbox.run_in_folder`: answers a script's calls of tools while it runs."""
    return lambda home, user: Desk(servers_of(sandbox), home, user).close


def _requests(got: bytearray) -> Iterator[tuple[bytes, dict[str, Any] | None]]:
    """Whole requests in `got`, which they leave, with their tokens; None for one that cannot be answered."""
    head = len(MARK) + TOKEN
    while True:
        at = got.find(MARK)
        del got[: at if at >= 0 else max(0, len(got) - len(MARK) + 1)]
        if at < 0 or len(got) < head + LENGTH.size:
            return
        token = bytes(got[len(MARK) : head])
        length, total = LENGTH.unpack_from(got, head)
        if length > LARGEST:
            del got[: len(MARK)]
            yield token, None
            continue
        end = head + LENGTH.size + length
        if len(got) < end:
            return
        body = bytes(got[head + LENGTH.size : end])
        if zlib.crc32(body) != total:
            del got[: len(MARK)]  # its process was killed while it wrote; another's may stand behind it
            continue
        del got[:end]
        yield token, _read(body)


def _read(body: bytes) -> dict[str, Any] | None:
    """A request of the right form; a script may send anything."""
    try:
        request = json.loads(body)
        for one in request["requests"] if request["ask"] == "many" else [request]:
            texts = one["texts"]
            if one["ask"] not in ("describe", "make", "call") or one["module"] not in texts:
                return None
            if not all(isinstance(text, str) for pair in texts.items() for text in pair):
                return None
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError):
        return None
    return dict(request)
