"""The few Linux calls that Python has no name for: privileges, parents, mounts. Standard library only."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 1, 4, 8, 38, 36
PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 47, 2
CAPABILITY_VERSION_3 = 0x20080522
DAC_READ_SEARCH = 2
ADDR_NO_RANDOMIZE = 0x0040000
NOBODY = 65534
PRIVATE_IDS = 0x70000000  # above every range that systemd, shadow or containers give away
MEGABYTE = 1 << 20

_libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """`result`, or an OSError that names the call."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(what: str, number: int, *arguments: object) -> int:
    """A system call by number; raises OSError."""
    return checked(int(_libc.syscall(ctypes.c_long(number), *arguments)), what)


def prctl(option: int, second: int = 0, third: int = 0) -> None:
    """``prctl(option, second, third)``; raises OSError, does nothing where there is no Linux."""
    if sys.platform == "linux":
        zero = ctypes.c_ulong(0)
        checked(_libc.prctl(option, ctypes.c_ulong(second), ctypes.c_ulong(third), zero, zero), f"prctl {option}")


def die_with_parent() -> None:
    """Be killed when the parent's thread that made this process ends. A change of user id undoes it."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies, so that none gets lost."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def hide_memory() -> None:
    """Nobody of the same user may trace this process, or read its memory or its descriptors through /proc."""
    prctl(PR_SET_DUMPABLE, 0)


def fix_addresses() -> bool:
    """Have the next program, and all below it, begin with memory at the same addresses; False where that is refused."""
    return sys.platform == "linux" and int(_libc.personality(ctypes.c_ulong(ADDR_NO_RANDOMIZE))) >= 0


def no_new_privileges() -> None:
    """No later program gains rights by being set-uid."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def a_private_id() -> int:
    """A user id that nobody else has, or `NOBODY` where this process' user namespace maps too few."""
    wanted = PRIVATE_IDS + int.from_bytes(os.urandom(3), "big")
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        inside, _, count = (int(word) for word in line.split())
        if inside <= wanted < inside + count:
            return wanted
    return NOBODY


def become(user: int, *, may_read_all: bool = False) -> None:
    """Give up root for `user`, with no groups and no capabilities.

    Args:
        user: user and group id.
        may_read_all: keep the one capability to read past file modes. For Landlock, whose rules still hold, where the
            interpreter lies under a home folder that is closed to others.
    """
    if may_read_all:
        prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    kept = 1 << DAC_READ_SEARCH if may_read_all else 0
    set_capabilities(kept)
    if may_read_all:
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, DAC_READ_SEARCH)


def set_capabilities(kept: int) -> None:
    """Hold exactly the capabilities of the bit mask `kept` (below 32), now and after exec."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)(kept, kept, kept, 0, 0, 0)
    checked(_libc.capset(ctypes.byref(header), ctypes.byref(data)), "capset")


def limit(
    *, cpu_seconds: float | None, memory_mb: int | None, file_mb: int, processes: int | None, open_files: int
) -> None:
    """Set resource limits of this process and what it starts; None leaves one as it is.

    A limit is never raised: whoever runs under a smaller one keeps that.
    """
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: file_mb * MEGABYTE,
        resource.RLIMIT_NOFILE: open_files,
        resource.RLIMIT_CPU: None if cpu_seconds is None else max(1, math.ceil(cpu_seconds)) + 1,
        resource.RLIMIT_AS: None if memory_mb is None else memory_mb * MEGABYTE,
        resource.RLIMIT_NPROC: processes,
    }
    for kind, value in wanted.items():
        if value is not None:
            hard = resource.getrlimit(kind)[1]
            lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
            # The first limit on processor time sends a signal of its own, by which it is told from other ends.
            soft = max(1, lowest - 1) if kind == resource.RLIMIT_CPU else lowest
            resource.setrlimit(kind, (soft, lowest))


def kill_descendants(children: int | None) -> None:
    """Kill and reap everything below this process.

    As process 1 of its own namespace it can name all others at once. Elsewhere it must have adopted orphans, and goes
    on until no child is left: whatever a killed child had started becomes its own child.

    Args:
        children: descriptor of ``/proc/self/task/TID/children``, opened while /proc could be read; not used by
            process 1.
    """
    first = os.getpid() == 1
    while True:
        if first:
            _send(-1)
        elif children is not None:
            os.lseek(children, 0, os.SEEK_SET)
            for word in os.read(children, 65536).split():
                _send(int(word))
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _send(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return  # it ended by itself


def open_children() -> int | None:
    """Descriptor for `kill_descendants`; None where the kernel has no such file."""
    try:
        return os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
