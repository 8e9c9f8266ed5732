"""The fork server, inside: it imports what is slow once, then answers every request from a child of its own.

Candidate code only ever runs in a child. The child has no handle to the server's pipes, may signal nobody but itself,
and dies with its request, together with all that it started. The server never reads what a request or a reply says:
the child takes the request from the pipe itself, and the reply passes through a file of the kernel's. So the next child
gets the same memory as a copy, whatever was asked before.
"""

from __future__ import annotations

import contextlib
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

from labwright.tools.sandbox import linux_calls, seccomp
from labwright.tools.sandbox.descriptor_waiting import ready
from labwright.tools.sandbox.plan import Plan

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
    linux_calls.limit(cpu_seconds=None, memory_mb=None, file_mb=plan.limits["file_mb"], processes=None, open_files=1024)
    linux_calls.adopt_orphans()
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
        kept = os.memfd_create("reply")
        held = (requests, replies, kept, children, leash)
        ending, size = _answer(plan, function, length, float(wall), limits, held)
        linux_calls.kill_descendants(children)
        _clear(plan.folder)
        _write(replies, REPLY.pack(nonce, ending, size))
        sent = 0
        while sent < size:
            sent += os.sendfile(replies, kept, sent, size - sent)
        os.close(kept)
        del nonce, wall, limits, length, head, ending, size, sent, heard, held
        gc.collect()  # empties Python's lists of free objects, too


def _answer(
    plan: Plan, function: Any, length: int, wall: float, limits: list[Any], held: tuple[int, int, int, int | None, int]
) -> tuple[bytes, int]:
    """How the call ended, and the size of the reply, which lies in the file ``held[2]``."""
    requests, _, kept, _, leash = held
    receive, give = os.pipe()
    child = os.fork()
    if child == 0:
        body = _read(requests, length)
        for descriptor in (*held, receive):
            if descriptor is not None:
                os.close(descriptor)
        _be_child(plan, function, body, limits, give)
    os.close(give)
    watched = os.pidfd_open(child)
    try:
        ending, size = _collect(receive, kept, watched, leash, time.monotonic() + wall, 1024 * limits[-1])
        if ending == KILLED:
            _, status = os.waitpid(child, 0)
            return _why(status), 0
        return ending, size
    finally:
        os.close(watched)
        os.close(receive)


def _collect(receive: int, kept: int, watched: int, leash: int, deadline: float, most: int) -> tuple[bytes, int]:
    """How the child ended and the size of its reply, as long as it comes whole, in time and within `most` bytes."""
    head, length, size = b"", 0, 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return TIMEOUT, 0
        heard, _ = ready([receive, watched, leash], [], left)
        if leash in heard:
            return TIMEOUT, 0  # the keeper is gone; so is whoever asked, or it will ask another server
        moved = 0
        if receive in heard and len(head) < BODY.size:
            part = os.read(receive, BODY.size - len(head))
            head, moved = head + part, len(part)
            length = BODY.unpack(head)[1] if len(head) == BODY.size else 0
        elif receive in heard:
            moved = os.splice(receive, kept, min(length - size, 1 << 20), offset_dst=size)
            size += moved
        if length > most:
            return OVERFLOW, 0
        if len(head) == BODY.size and size == length:
            known = head[:1] in (OK, FAILED, MEMORY, OVERFLOW)
            return (head[:1] if known else FAILED), size
        if watched in heard and not moved:
            return KILLED, 0


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
        linux_calls.limit(
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
    """Empty the work folder. Where that cannot be done, the server ends, and the next one gets a new folder.

    A process of its own does it: what lay there must leave no trace in the memory that the next child gets.
    """
    names = os.listdir(folder)  # noqa: PTH208 - nothing of it is kept
    if names == ["0"]:  # the folder of a call (`labwright.tools.forge.calls`), mostly empty
        with contextlib.suppress(OSError):
            os.rmdir(f"{folder}/0")  # noqa: PTH106
            return
    if not names:
        return
    child = os.fork()
    if child == 0:
        try:
            for entry in os.scandir(folder):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    Path(entry.path).unlink()
        except BaseException:  # noqa: BLE001 - its exit code says it
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
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
