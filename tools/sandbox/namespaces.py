"""Namespaces of our own, for machines without bubblewrap: an empty root into which only the allowed paths are bound."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from labwright.tools.sandbox import linux_calls
from labwright.tools.sandbox.plan import HOST, SHARED_MB

NEW_MOUNTS, NEW_CGROUP, NEW_NAME, NEW_IPC, NEW_USER, NEW_PROCESSES, NEW_NETWORK = (
    0x20000,
    0x2000000,
    0x4000000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
NO_SET_UID, NO_DEVICES, NO_PROGRAMS, BIND, RECURSIVE, PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
READ_ONLY = 1
PLAIN = NO_SET_UID | NO_DEVICES | NO_PROGRAMS
DETACH = 2
MOUNT_SETATTR = 442  # since Linux 5.12, the same number on every architecture
ALL_BELOW = 0x8000
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

_libc = ctypes.CDLL(None, use_errno=True)


def enter(
    root: str,
    *,
    readable: Mapping[str, str],
    links: Mapping[str, str],
    writable: Mapping[str, str],
    devices: Sequence[str],
    scratch: tuple[str, int] | None,
    proc: tuple[list[str], list[str]] | None = None,
) -> None:
    """Move this process into new namespaces; returns in process 1 of them, with no capability left to undo it.

    The caller's own process stays outside, waits, and ends as process 1 ends.

    Args:
        root: an empty folder on which the new root is mounted; seen by nobody else.
        readable: where in the new root -> what from the old one.
        links: symbolic link -> its target.
        writable: like `readable`.
        devices: such as ``/dev/null``.
        scratch: an empty writable folder in memory, and its size in bytes.
        proc: folders and files to cover in a ``/proc`` of the new processes; None mounts none.

    Raises:
        OSError: the kernel refuses a step.
    """
    user, group = os.getuid(), os.getgid()
    kinds = NEW_MOUNTS | NEW_CGROUP | NEW_NAME | NEW_IPC | NEW_PROCESSES | NEW_NETWORK
    linux_calls.checked(_libc.unshare(kinds | (0 if user == 0 else NEW_USER)), "unshare")
    if user != 0:
        _map_to_nobody(user, group)
    linux_calls.checked(_libc.sethostname(HOST.encode(), len(HOST)), "sethostname")
    _become_process_one()
    _mount(None, "/", None, PRIVATE | RECURSIVE)
    _mount("tmpfs", root, "tmpfs", NO_SET_UID | NO_DEVICES, "size=1m,mode=755")
    for inside, outside in sorted({**readable, **writable}.items()):
        _bind(outside, root + inside, read_only=inside in readable)
    for inside, target in links.items():
        Path(root + inside).parent.mkdir(parents=True, exist_ok=True)
        Path(root + inside).symlink_to(target)
    for device in devices:
        _bind(device, root + device, read_only=False)
    if scratch is not None:
        Path(root + scratch[0]).mkdir(parents=True)
        _mount("tmpfs", root + scratch[0], "tmpfs", NO_SET_UID | NO_DEVICES, f"size={scratch[1]},mode=1777")
    if proc is not None:
        _show_processes(root, *proc)
    _pivot(root)


def _show_processes(root: str, folders: list[str], files: list[str]) -> None:
    """Mount the new processes' own /proc, read-only and with what is not theirs covered, and a /dev/shm."""
    for folder in ("/proc", "/dev/shm"):
        Path(root + folder).mkdir(parents=True, exist_ok=True)
    _mount("proc", root + "/proc", "proc", PLAIN, "hidepid=2")
    for folder in folders:
        _mount("tmpfs", root + folder, "tmpfs", PLAIN | READ_ONLY, "size=4k,mode=555")
    for file in files:
        _mount("/dev/null", root + file, None, BIND)
        _set_attributes(root + file, NO_SET_UID | READ_ONLY, 0)
    _set_attributes(root + "/proc", PLAIN | READ_ONLY, 0)
    _mount("tmpfs", root + "/dev/shm", "tmpfs", PLAIN, f"size={SHARED_MB}m,mode=1777")


def _map_to_nobody(user: int, group: int) -> None:
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{linux_calls.NOBODY} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{linux_calls.NOBODY} {group} 1")


def _become_process_one() -> None:
    inner = os.fork()
    if inner == 0:
        linux_calls.die_with_parent()
        return
    for standard in (0, 1):
        os.close(standard)
    os._exit(terminated(os.waitpid(inner, 0)[1]))


def _bind(source: str, target: str, *, read_only: bool) -> None:
    if Path(source).is_dir():
        Path(target).mkdir(parents=True, exist_ok=True)
    else:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).touch()
    _mount(source, target, None, BIND | RECURSIVE)
    _set_attributes(target, NO_SET_UID | (READ_ONLY if read_only else 0), ALL_BELOW)


def _pivot(root: str) -> None:
    """Make `root` the root, let go of the old one, and write no more into the frame between the bound folders."""
    os.chdir(root)
    number = _PIVOT_ROOT[os.uname().machine]
    linux_calls.syscall("pivot_root", number, ctypes.c_char_p(b"."), ctypes.c_char_p(b"."))
    linux_calls.checked(_libc.umount2(b".", DETACH), "umount2")
    os.chdir("/")
    _set_attributes("/", READ_ONLY, 0)


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind, options)]
    result = _libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3])
    linux_calls.checked(result, f"mount {target}")


def _set_attributes(target: str, attributes: int, flags: int) -> None:
    packed = struct.pack("=QQQQ", attributes, 0, 0, 0)
    at_here = ctypes.c_int(-100)
    path, block, size = ctypes.c_char_p(os.fsencode(target)), ctypes.c_char_p(packed), ctypes.c_size_t(len(packed))
    linux_calls.syscall("mount_setattr", MOUNT_SETATTR, at_here, path, ctypes.c_uint(flags), block, size)


def terminated(status: int) -> int:
    """Exit code for a process that should end as its child did: 128 + signal for a signal."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code
