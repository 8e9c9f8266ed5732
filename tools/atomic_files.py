"""Files that appear whole or not at all, whatever kills the process."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path

PRIVATE, SHARED = 0o600, 0o666  # who may read a new file: its owner; whoever the process's umask lets


def write_atomic(
    path: Path, content: bytes, *, sync: bool = True, mode: int = SHARED, ready: Callable[[], object] | None = None
) -> None:
    """Write `content` so that a reader, or a crash, sees the old file or the new one and never a part.

    Args:
        path: of the file; its folder is made.
        content: of the file.
        sync: wait for the disk. Without it the file outlives a killed process, but maybe not a power cut.
        mode: permissions of a file: `PRIVATE` for what belongs to a run or to the lab.
        ready: called when the whole content lies in the temporary file, before that gets its name. After it the
            temporary file stays whatever happens; `staged` finds it.

    Raises:
        OSError: the disk is full or the folder is not writable; no temporary file stays behind before `ready`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    keep = False
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "wb", opener=lambda name, flags: os.open(name, flags | os.O_EXCL, mode)) as file:
            file.write(content)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        if ready is not None:
            ready()
            keep = True
        temporary.replace(path)
    except BaseException:
        if not keep:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
        raise
    if sync:
        sync_folder(path.parent)


def staged(folder: Path) -> dict[Path, list[Path]]:
    """Files below `folder` -> the temporary files of them that killed writers left behind."""
    found: dict[Path, list[Path]] = {}
    for temporary in sorted(folder.rglob(".*.tmp")):
        found.setdefault(temporary.with_name(temporary.name[1:].rsplit(".", 3)[0]), []).append(temporary)
    return found


def sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut: the name lives in the directory, not in the file."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
