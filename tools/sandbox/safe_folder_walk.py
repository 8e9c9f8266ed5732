"""Folders that confined code has written: walked, measured and removed without following a link or getting lost."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

DEEPEST = 32  # folders below one another; deeper ones are nobody's honest work
OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

Folder = tuple[str, int, list["os.DirEntry[str]"]]


def walk(folder: str, *, skip: Sequence[str] = ()) -> Iterator[Folder]:
    """Each folder from the top: path relative to the top, open descriptor, entries by name.

    No link is followed at any depth, also not one that takes a folder's place meanwhile. Below `DEEPEST` nothing is
    entered; what vanishes meanwhile is passed over.

    Args:
        folder: the top; may itself be reached through a link.
        skip: names at the top that are not entered.
    """
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield from _walk(top, "", skip)
    finally:
        os.close(top)


def _walk(here: int, path: str, skip: Sequence[str]) -> Iterator[Folder]:
    with os.scandir(here) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    yield path, here, entries
    for entry in entries:
        if entry.name in skip or depth(path) >= DEEPEST or not entry.is_dir(follow_symlinks=False):
            continue
        try:
            below = os.open(entry.name, OPEN_FOLDER, dir_fd=here)
        except OSError:
            continue  # gone, closed to us, or no folder any more
        try:
            yield from _walk(below, joined(path, entry.name), ())
        finally:
            os.close(below)


def joined(path: str, name: str) -> str:
    """`name` in the folder `path`, which is empty at the top."""
    return f"{path}/{name}" if path else name


def depth(path: str) -> int:
    """Number of folders in a relative path; 0 at the top."""
    return path.count("/") + 1 if path else 0


def folder_size(folder: str) -> int:
    """Bytes of all files below `folder`, at least a block for each so that many empty ones count; 0 without one.

    Folders nested deeper than `DEEPEST` count as more than any limit: nobody could look into all of them ten times
    a second.
    """
    total = 0
    for path, _, entries in walk(folder) if folder else ():
        for entry in entries:
            if depth(path) >= DEEPEST and entry.is_dir(follow_symlinks=False):
                return sys.maxsize
            try:
                total += max(4096, entry.stat(follow_symlinks=False).st_blocks * 512)
            except OSError:
                continue  # it is being changed while we look
    return total


def open_plain(name: str, here: int) -> int | None:
    """Descriptor of the file `name` in the open folder `here` for reading; None unless it is plain and has one name.

    A second name could be that of a file elsewhere. Opening a pipe would wait for its other end.
    """
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    except OSError:
        return None
    facts = os.fstat(descriptor)
    if stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1:
        return descriptor
    os.close(descriptor)
    return None


def remove(folder: str) -> None:
    """Remove `folder` with all below it, however deep; nobody may be using it any more.

    Recursion would end at Python's limit, and paths at the kernel's; both are easily outgrown by a loop. What cannot
    be removed stays.
    """
    try:
        _empty(os.open(folder, OPEN_FOLDER))
        Path(folder).rmdir()
    except OSError:
        return


def _empty(here: int) -> None:
    """Remove all in the open folder, going down by name and up by ``..``; the descriptor is used up."""
    names: list[str] = []
    try:
        left = [_without_files(here)]
        while names or left[-1]:
            name = left[-1].pop() if left[-1] else ""
            beside = _unlocked(name, here) if name else os.open("..", OPEN_FOLDER, dir_fd=here)
            os.close(here)
            here = beside
            if name:
                names.append(name)
                left.append(_without_files(here))
            else:
                os.rmdir(names.pop(), dir_fd=here)
                left.pop()
    finally:
        os.close(here)


def _without_files(here: int) -> list[str]:
    """Unlink everything in the open folder but folders, and name those."""
    folders = []
    with os.scandir(here) as found:
        entries = list(found)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry.name)
        else:
            os.unlink(entry.name, dir_fd=here)
    return folders


def _unlocked(name: str, here: int) -> int:
    """The folder `name` opened, with its own mode no longer in the way of emptying it."""
    try:
        opened = os.open(name, OPEN_FOLDER, dir_fd=here)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=here)
        opened = os.open(name, OPEN_FOLDER, dir_fd=here)
    os.fchmod(opened, 0o700)
    return opened
