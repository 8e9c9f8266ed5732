"""Landlock: the kernel's rule of which folders a process may open, without any privilege (landlock(7))."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

from labwright.tools.sandbox import linux_calls

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
MINIMUM = 3  # before, a file outside could be truncated
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
IOCTL_DEV = 1 << 15
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | (1 << 14) | IOCTL_DEV  # 14: truncate
READ = EXECUTE | READ_FILE | READ_DIR
MAKE_SPECIAL = (1 << 6) | (1 << 9) | (1 << 10) | (1 << 11)  # device nodes, sockets and pipes by name


def version() -> int:
    """The kernel's Landlock interface version; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    try:
        return linux_calls.syscall("landlock", CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    except OSError:
        return 0


def restrict(readable: Iterable[str], listable: Iterable[str], writable: Iterable[str]) -> None:
    """Leave this process and its children nothing but these paths; everything else cannot be opened.

    Args:
        readable: files and folders to read and execute.
        listable: folders whose names may be listed, with all folders below them.
        writable: files and folders to read and write, without the right to execute.

    Raises:
        OSError: the kernel refuses.
    """
    interface = version()
    if interface < MINIMUM:
        raise OSError(f"Landlock's interface is version {interface}; {MINIMUM} is needed.")
    handled = (1 << (16 if interface >= 5 else 15)) - 1
    network = 3 if interface >= 4 else 0
    scope = 3 if interface >= 6 else 0  # abstract sockets and signals
    size = 24 if interface >= 6 else 16 if interface >= 4 else 8
    attributes = struct.pack("=QQQ", handled, network, scope)
    ruleset = linux_calls.syscall(
        "landlock_create_ruleset", CREATE_RULESET, ctypes.c_char_p(attributes), ctypes.c_size_t(size), ctypes.c_uint(0)
    )
    try:
        for paths, rights in (
            (readable, READ),
            (listable, READ_DIR),
            (writable, handled & ~(EXECUTE | MAKE_SPECIAL | IOCTL_DEV)),
        ):
            for path in paths:
                _allow(ruleset, path, rights)
        linux_calls.no_new_privileges()
        linux_calls.syscall("landlock_restrict_self", RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return  # what is not there needs no rule
    try:
        allowed = rights if os.path.isdir(path) else rights & ON_FILES  # noqa: PTH112 - a plain string crossed the pipe
        rule = ctypes.c_char_p(struct.pack("=Qi", allowed, folder))
        linux_calls.syscall(
            "landlock_add_rule", ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint(0)
        )
    finally:
        os.close(folder)
