"""The fork server, inside: it imports what is slow once, then answers every request from a child of its own.

Candidate code only ever runs in a child. The child has no handle to the server's pipes, may signal nobody but itself,
and dies with its request, together with all that it started. The server never reads what a request or a reply says;
it moves bytes and wipes them, so the next child finds nothing of them in the memory that it gets as a copy.
"""

from __future__ import annotations

import errno
import gc
import importlib
import json
import os
import re
import shutil
import signal
import struct
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

from labwright.tools.sandbox import kernel, seccomp
from labwright.tools.sandbox.plan import Plan
from labwright.tools.sandbox.ready import ready

# nonce, wall seconds, CPU seconds, memory MB, file MB, processes, open files, reply kB, request bytes
REQUEST = struct.Struct("!16sddIIIIII")
REPLY = struct.Struct("!16scI")  # nonce, how it ended, bytes that follow
BODY = struct.Struct("!cI")
OK, FAILED, TIMEOUT, MEMORY, KILLED, OVERFLOW = b"k", b"f", b"t", b"m", b"s", b"o"
READY = bytes(16)
TRACE_CHARACTERS = 2000


def serve(plan: Plan, children: int | None, leash: int) -> NoReturn:
    """Answer requests from standard input on standard output until there are no more."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what an import prints is no reply
    kernel.limit(cpu_seconds=None, memory_mb=None, file_mb=plan.limits["file_mb"], processes=None, open_files=1024)
    kernel.adopt_orphans()
    try:
        for name in plan.preload:
            importlib.import_module(name)
        module, _, name = plan.function.partition(":")
        function = getattr(importlib.import_module(module), name)
    except BaseException as error:  # noqa: BLE001 - the sandbox wall: whatever an import raises is the answer
        _send(replies, READY, FAILED, _described(error, plan.source))
        os._exit(1)
    gc.collect()
    gc.freeze()  # the collector then does not copy the server's pages into every child
    _send(replies, READY, OK, b"")
    while True:
        heard, _ = ready([requests, leash], [], None)
        if leash in heard:
            os._exit(0)
        head = _read(requests, REQUEST.size)
        if len(head) < REQUEST.size:
            os._exit(0)
        nonce, wall, *limits, length = REQUEST.unpack(head)
        body = _read(requests, length)
        ending, answer = _answer(plan, function, body, float(wall), limits, (requests, replies, children, leash))
        kernel.kill_descendants(children)
        _clear(plan.folder)
        _send(replies, nonce, ending, answer)
        answer[:] = bytes(len(answer))


def _answer(
    plan: Plan, function: Any, body: bytearray, wall: float, limits: list[Any], held: tuple[int, int, int | None, int]
) -> tuple[bytes, bytearray]:
    receive, give = os.pipe()
    child = os.fork()
    if child == 0:
        for descriptor in (*held, receive):
            if descriptor is not None:
                os.close(descriptor)
        _be_child(plan, function, body, limits, give)
    os.close(give)
    body[:] = bytes(len(body))
    watched = os.pidfd_open(child)
    try:
        ending, answer = _collect(receive, watched, held[3], time.monotonic() + wall, 1024 * limits[-1])
        if ending == KILLED:
            _, status = os.waitpid(child, 0)
            return _why(status), bytearray()
        return ending, answer
    finally:
        os.close(watched)
        os.close(receive)


def _collect(receive: int, watched: int, leash: int, deadline: float, most: int) -> tuple[bytes, bytearray]:
    """The child's reply, as long as it comes whole, in time and within `most` bytes."""
    got = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return TIMEOUT, bytearray()
        heard, _ = ready([receive, watched, leash], [], left)
        if leash in heard:
            return TIMEOUT, bytearray()  # the keeper is gone; so is whoever asked, or it will ask another server
        part = os.read(receive, 1 << 20) if receive in heard else b""
        got += part
        if len(got) >= BODY.size:
            ending, length = BODY.unpack_from(got)
            if length > most or len(got) > most + BODY.size:
                return OVERFLOW, bytearray()
            if len(got) >= BODY.size + length:
                known = ending in (OK, FAILED, MEMORY, OVERFLOW)
                return (ending if known else FAILED), got[BODY.size : BODY.size + length]
        if watched in heard and not part:
            return KILLED, bytearray()


def _why(status: int) -> bytes:
    """The ending of a child that left without a reply."""
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGXCPU:
        return TIMEOUT
    return OVERFLOW if code == -signal.SIGXFSZ else KILLED


def _be_child(plan: Plan, function: Any, body: bytearray, limits: list[Any], give: int) -> NoReturn:
    cpu, memory, file_mb, processes, open_files, reply_kb = limits
    try:
        os.setsid()
        os.dup2(0, 1)
        os.dup2(0, 2)
        base = plan.processes - int(plan.limits["processes"])
        kernel.limit(
            cpu_seconds=cpu, memory_mb=memory, file_mb=file_mb, processes=base + processes, open_files=open_files
        )
        if seccomp.available():
            seccomp.restrict(shared_files=not plan.own_root, signals_to=os.getpid())
        os.chdir(plan.folder)
        reply = function(json.loads(body))
        if not isinstance(reply, dict):
            raise TypeError(f"The function must reply with a dict, but replied with {type(reply).__name__}.")
        ending, text = OK, json.dumps(reply, allow_nan=False).encode()
        if len(text) > 1024 * reply_kb:
            ending, text = OVERFLOW, b""
    except MemoryError:
        ending, text = MEMORY, b""
    except BaseException as error:  # noqa: BLE001 - the sandbox wall: whatever the code raises is the answer
        ending, text = (OVERFLOW, b"") if _too_big(error) else (FAILED, bytes(_described(error, plan.source)))
    _write(give, BODY.pack(ending, len(text)) + text)
    os._exit(0)


def _too_big(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.EFBIG, errno.ENOSPC)


def _described(error: BaseException, source: str) -> bytearray:
    """Kind, message and the traceback's end, without the folders of this machine."""
    trace = "".join(traceback.format_exception(error, limit=-8, chain=False))
    trace = re.sub(r'File "[^"]*/([^"/]+)"', r'File "\1"', trace)[-TRACE_CHARACTERS:]
    plain = {"kind": type(error).__name__[:100], "message": str(error)[:500], "detail": trace}
    return bytearray(json.dumps(plain).encode())


def _clear(folder: str) -> None:
    """Empty the work folder. Where that cannot be done, the server ends, and the next one gets a new folder."""
    for entry in os.scandir(folder):
        try:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                Path(entry.path).unlink()
        except OSError:
            os._exit(1)


def _read(descriptor: int, length: int) -> bytearray:
    got = bytearray(length)
    view, filled = memoryview(got), 0
    while filled < length:
        count = os.readv(descriptor, [view[filled:]])
        if count == 0:
            return bytearray()
        filled += count
    return got


def _send(replies: int, nonce: bytes, ending: bytes, answer: bytearray | bytes) -> None:
    _write(replies, REPLY.pack(nonce, ending, len(answer)))
    _write(replies, answer)  # apart: joined they would leave a copy behind that nobody wipes


def _write(descriptor: int, data: bytes | bytearray) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
