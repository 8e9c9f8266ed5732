"""What the canary tries, inside. It is copied into the work folder and run there by itself: no import of ours."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ALLOWED_VARIABLES = 24  # the sandbox sets about twenty


def _reads(path: str) -> bool:
    with open(path, "rb") as file:  # noqa: PTH123 - the plainest way is what is tried
        return bool(file.read(1))


def _reaches(family: int, address: Any) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as plug:
        plug.settimeout(2)
        plug.connect(address)
    return True


def _binds_abstract_name() -> bool:
    with socket.socket(socket.AF_UNIX) as plug:
        plug.bind("\0labwright-canary")
    return True


def _writes(path: str) -> bool:
    with open(path, "a") as file:  # noqa: PTH123 - the plainest way is what is tried
        file.write("x")
    return True


def _signals(process: int) -> bool:
    """A signal of number 0 does nothing, but says whether another could be sent; inside, the id may be nobody's."""
    os.kill(process, 0)
    return True


def _mounts() -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.mount(b"tmpfs", b"/", b"tmpfs", 0, None) == 0)


def _makes_namespace() -> bool:
    return bool(ctypes.CDLL(None, use_errno=True).unshare(0x10000000) == 0)


def _traces(process: int) -> bool:
    return bool(ctypes.CDLL(None, use_errno=True).ptrace(16, process, None, None) == 0)


def _allocates(size: int) -> bool:
    return len(bytearray(size)) == size


def _forks_without_end() -> bool:
    """More children than allowed at once; each waits until the pipe closes."""
    wait, go = os.pipe()
    made = 0
    try:
        for _ in range(64):
            if os.fork() == 0:
                os.close(go)
                os.read(wait, 1)
                os._exit(0)
            made += 1
    finally:
        os.close(go)
        for _ in range(made):
            os.wait()
    return True


def _large_file() -> bool:
    with open("large", "wb") as file:  # noqa: PTH123 - the plainest way is what is tried
        file.write(bytes(8 << 20))
    return True


def _sees_processes() -> bool:
    """Others than itself and the process 1 that keeps its namespace, of which nothing but the name may be read."""
    others = {int(name) for name in os.listdir("/proc") if name.isdigit()} - {os.getpid()}  # noqa: PTH208 - plain
    return bool(others - {1})


def _any(act: Callable[[str], bool], paths: list[str]) -> bool:
    return any(_tried(lambda path=path: act(path)) for path in paths)  # type: ignore[misc]


def _lists(path: str) -> bool:
    return bool(os.listdir(path))  # noqa: PTH208 - the plainest way is what is tried


def _kernel_setting(path: str) -> bool:
    """Open for writing and write nothing: a setting that could be changed is enough."""
    os.close(os.open(path, os.O_WRONLY))
    return True


SETTINGS = ["/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches"]
SETTINGS += ["/proc/sysrq-trigger", "/proc/self/oom_score_adj", "/proc/self/comm", "/proc/self/coredump_filter"]
SHOWN = ["/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/kallsyms", "/proc/locks", "/proc/timer_list"]
SHOWN += ["/proc/cmdline", "/proc/modules", "/proc/partitions", "/proc/sys/kernel/random/boot_id"]
OF_KEEPER = ["/proc/1/fd", "/proc/1/root", "/proc/1/cwd", "/proc/1/task/1/fd", "/proc/1/map_files", "/proc/sys"]


def _tried(act: Callable[[], bool]) -> bool:
    try:
        return act()
    except (OSError, MemoryError, ValueError):
        return False


def main(given: dict[str, Any]) -> dict[str, bool]:
    """Act -> whether it succeeded."""
    acts: dict[str, Callable[[], bool]] = {
        "read a secret": lambda: _reads(given["secret"]),
        "write a secret": lambda: _writes(given["secret"]),
        "write outside": lambda: _writes(given["outside"]),
        "read the home folder": lambda: given["hidden"] in os.listdir(given["home"]),  # noqa: PTH208 - plain
        "read shadow passwords": lambda: _reads("/etc/shadow"),
        "write beside the interpreter": lambda: _writes(str(Path(sys.prefix, "canary"))),
        "connect to this machine": lambda: _reaches(socket.AF_INET, ("127.0.0.1", given["port"])),
        "connect outside": lambda: _reaches(socket.AF_INET, ("192.0.2.1", 9)),
        "abstract socket": _binds_abstract_name,
        "signal another process": lambda: given["process"] != os.getpid() and _signals(given["process"]),
        "trace another process": lambda: _traces(given["process"]),
        "see processes": _sees_processes,
        "change the kernel": lambda: _any(_kernel_setting, SETTINGS),
        "read of the kernel": lambda: _any(_reads, SHOWN),
        "look into process 1": lambda: os.getpid() != 1 and _any(_lists, OF_KEEPER),
        "read process 1": lambda: os.getpid() != 1 and _any(_reads, ["/proc/1/environ", "/proc/1/mem", "/proc/1/maps"]),
        "environment": lambda: len(os.environ) > ALLOWED_VARIABLES,
        "mount": _mounts,
        "namespace": _makes_namespace,
        "root": lambda: os.getuid() == 0,
        "core dumps": lambda: resource.getrlimit(resource.RLIMIT_CORE)[1] != 0,
        "memory": lambda: _allocates(8 << 30),
        "large file": _large_file,
        "processes": _forks_without_end,
    }
    return {name: _tried(act) for name, act in acts.items()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(json.loads(Path("given.json").read_text()))))
