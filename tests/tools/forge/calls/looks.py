# ruff: noqa
"""A tool that tells all that it can see of its process; every call must show it the same."""

import gc
import os
import platform
import random
import secrets
import socket
import sys
import tempfile
import threading
import time
import uuid

import numpy as np
from pydantic import BaseModel


class LooksInput(BaseModel):
    """Something to send."""

    number: float = 1.0
    more: list[float] = []


class LooksOutput(BaseModel):
    """What was seen."""

    seen: dict[str, str]


def _said(look):
    try:
        return repr(look())
    except BaseException as error:
        return f"{type(error).__name__}: {error}"


def _open_descriptors():
    return [number for number in range(64) if not _said(lambda: os.fstat(number)).startswith("OSError")]


_LOOKS = {
    "processes": lambda: (os.getpid(), os.getppid(), threading.get_native_id(), os.getsid(0), os.getpgrp()),
    "user": lambda: (os.getuid(), os.getgid(), os.geteuid(), os.getegid()),
    "users": os.getresuid,
    "groups": os.getgroups,
    "machine": lambda: (platform.node(), platform.machine(), os.cpu_count(), os.sched_getaffinity(0), os.getloadavg()),
    "memory": lambda: (os.sysconf("SC_AVPHYS_PAGES"), os.sysconf(os.sysconf_names["SC_PHYS_PAGES"])),
    "environment": lambda: sorted(os.environ.items()),
    "arguments": lambda: (sys.argv, sys.orig_argv, sys.flags, sys.stdin),
    "folder": lambda: (os.getcwd(), [sorted(os.listdir(at)) for at in (".", "..", "/", "/dev")]),
    "modules": lambda: list(sys.modules),
    "path": lambda: sys.path,
    "descriptors": _open_descriptors,
    "clock": lambda: (time.time(), time.monotonic(), time.perf_counter(), time.process_time(), time.thread_time()),
    "clock later": lambda: (time.sleep(0.01), sum(range(100_000)), time.time_ns(), time.localtime())[1:],
    "usage": lambda: os.times(),
    "system's draws": lambda: (os.urandom(8), secrets.token_hex(8), uuid.uuid4(), uuid.uuid1()),
    "Python's draws": lambda: (random.random(), random.Random().random(), random.SystemRandom().random()),
    "NumPy's draws": lambda: (np.random.rand(), np.random.default_rng().random(), np.random.RandomState().rand()),
    "temporary": lambda: (tempfile.mkdtemp(), tempfile.NamedTemporaryFile().name),
    "hashes": lambda: (hash("word"), hash(object()), {"some", "words", "in", "a", "set"}),
    "addresses": lambda: [id(one) for one in (object(), [], {}, LooksInput, np)],
    "arrays": lambda: [np.zeros(size).__array_interface__["data"][0] for size in (10, 10**6)],
    "collector": lambda: (gc.get_count(), len(gc.get_objects())),
    "stack": lambda: len(__import__("inspect").stack()),
    "/proc": lambda: os.listdir("/proc"),
    "self": lambda: os.readlink("/proc/self/exe"),
    "new process": os.fork,
    "new program": lambda: os.execv(sys.executable, [sys.executable, "-c", "1"]),
    "shell": lambda: os.system("true"),
    "network": socket.socket,
    "random device": lambda: open("/dev/urandom", "rb").read(4),
    "signal": lambda: os.kill(1, 0),
    "threads": threading.active_count,
}


def looks(given: LooksInput) -> LooksOutput:
    """All of it."""
    return LooksOutput(seen={name: _said(look) for name, look in _LOOKS.items()})
