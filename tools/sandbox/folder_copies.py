"""Copies of folders: in, with what is needed to see later what changed; and back, as plain files and nothing else."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from labwright.tools.errors import InputError
from labwright.tools.sandbox.safe_folder_walk import DEEPEST, OPEN_FOLDER, depth, joined, open_plain, walk

Print = tuple[int, str]  # size and digest of a file
MOST_FILES = 10_000
MOST_REJECTED = 1000
# What the folder outside can answer because of what lies in it, links among it; anything else is a fault to report.
IN_THE_WAY = (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENAMETOOLONG)


def copy_in(source: Path, folder: str, user: int, *, home: str, most: int) -> dict[str, Print]:
    """Copy the folders and plain files of `source` into an empty work folder of `user`, and make `home` in it.

    Args:
        source: the folder outside.
        folder: the work folder.
        user: to whom everything shall belong; 0 leaves it ours.
        home: name of a folder that is made empty and not copied.
        most: bytes of all files together.

    Returns:
        Relative path -> size and digest of each copied file.

    Raises:
        InputError: `source` is too large.
    """
    prints: dict[str, Print] = {}
    total = 0
    for path, here, entries in walk(str(source), skip=(home,)):
        for entry in entries:
            name = joined(path, entry.name)
            if name == home:
                continue
            if entry.is_dir(follow_symlinks=False):
                Path(folder, name).mkdir()
            elif entry.is_file(follow_symlinks=False):
                prints[name] = _copy(entry.name, here, Path(folder, name))
                total += prints[name][0]
        if total > most or len(prints) > MOST_FILES:
            raise InputError(
                f"The folder {source} is too large to work on: {len(prints)} files and {total >> 20} MB so far, and"
                f" at most {MOST_FILES} files and {most >> 20} MB are allowed. Move what is not needed out of it."
            )
    Path(folder, home).mkdir()
    if user:
        _give(folder, user)
    return prints


def _copy(name: str, here: int, target: Path) -> Print:
    source = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    with os.fdopen(source, "rb") as given, target.open("xb") as made:
        digest, size = hashlib.sha256(), 0
        while part := given.read(1 << 20):
            digest.update(part)
            size += made.write(part)
        made.flush()
        os.fchmod(made.fileno(), 0o600 | (os.fstat(source).st_mode & 0o111))
    return size, digest.hexdigest()


def _give(folder: str, user: int) -> None:
    for _, here, entries in walk(folder):
        for entry in entries:
            os.chown(entry.name, user, user, dir_fd=here, follow_symlinks=False)


class Return:
    """One way back: what may not pass is told, never silently lost.

    Attributes:
        changed: relative paths that were written.
        rejected: those that were not; escaped where they cannot be shown.
    """

    def __init__(self, outside: Path, before: Mapping[str, Print], kept: Sequence[str], most: int) -> None:
        """A way into `outside` for files of at most `most` bytes each that differ from `before`."""
        self._outside, self._before, self._kept, self._most = outside, before, kept, most
        self._left = 4 * most
        self.changed: list[str] = []
        self.rejected: list[str] = []

    def take_all(self, inside: str, *, skip: Sequence[str]) -> None:
        """Bring back all below `inside` except the names at its top in `skip`; no process may use it any more."""
        seen: set[str] = set()
        for path, here, entries in walk(inside, skip=skip):
            for entry in entries:
                name = joined(path, entry.name)
                if name in skip:
                    continue
                seen.add(name)
                if not entry.is_dir(follow_symlinks=False):
                    self._take(name, entry.name, here)
                elif depth(path) >= DEEPEST:
                    self._reject(name)
        for name in self._before:
            if name not in seen and self._is_kept(name):
                self._reject(name)
        if len(self.rejected) > MOST_REJECTED:
            more = len(self.rejected) - MOST_REJECTED
            self.rejected[MOST_REJECTED:] = [f"and {more} more"]

    def _take(self, name: str, last: str, here: int) -> None:
        descriptor = open_plain(last, here)
        if descriptor is None:
            self._reject(name)
            return
        with os.fdopen(descriptor, "rb") as file:
            size = os.fstat(descriptor).st_size
            if self._same(name, size, file):
                return
            if not self._passes(name, size) or not _written(self._outside, name, file, size):
                self._reject(name)
                return
        self._left -= size
        self.changed.append(name)

    def _same(self, name: str, size: int, file: IO[bytes]) -> bool:
        known = self._before.get(name)
        if known is None or known[0] != size:
            return False
        same = hashlib.file_digest(file, "sha256").hexdigest() == known[1]  # type: ignore[arg-type]
        file.seek(0)
        return same

    def _passes(self, name: str, size: int) -> bool:
        """Whether the name can be shown and may change, and the size is allowed."""
        room = size <= min(self._most, self._left) and len(self.changed) < MOST_FILES
        return room and name.isprintable() and not self._is_kept(name)

    def _is_kept(self, name: str) -> bool:
        return any(name == one or name.startswith(f"{one}/") for one in self._kept)

    def _reject(self, name: str) -> None:
        self.rejected.append(name if name.isprintable() else name.encode("unicode_escape").decode())


def _written(outside: Path, name: str, file: IO[bytes], size: int) -> bool:
    """Put a file into place below `outside` by a rename; False if something other than a plain file is in the way."""
    parts = PurePosixPath(name).parts
    try:
        here = _entered(outside, parts[:-1])
    except OSError as refused:
        if refused.errno in IN_THE_WAY:
            return False
        raise
    try:
        mode = _mode(parts[-1], here)
        if mode is not None:
            _put_by_rename(parts[-1], here, file, size, mode)
        return mode is not None
    except OSError as refused:
        if refused.errno in IN_THE_WAY:
            return False
        raise
    finally:
        os.close(here)


def _entered(outside: Path, folders: Sequence[str]) -> int:
    """The innermost of `folders`, opened; missing ones are made, links refused."""
    here = os.open(outside, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in folders:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=here)
            below = os.open(name, OPEN_FOLDER, dir_fd=here)
            os.close(here)
            here = below
    except OSError:
        os.close(here)
        raise
    return here


def _mode(name: str, here: int) -> int | None:
    """File mode for the new file: that of the plain file it replaces; None if something else has the name."""
    try:
        facts = os.stat(name, dir_fd=here, follow_symlinks=False)
    except FileNotFoundError:
        return 0o644
    return stat.S_IMODE(facts.st_mode) & 0o777 if stat.S_ISREG(facts.st_mode) else None


def _put_by_rename(name: str, here: int, file: IO[bytes], size: int, mode: int) -> None:
    temporary = f".labwright-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(temporary, flags, 0o600, dir_fd=here)
    try:
        with os.fdopen(descriptor, "wb") as made:
            while size > 0 and (part := file.read(min(size, 1 << 20))):
                size -= made.write(part)
            made.flush()
            os.fchmod(descriptor, mode)
        os.replace(temporary, name, src_dir_fd=here, dst_dir_fd=here)
    except BaseException:
        os.unlink(temporary, dir_fd=here)
        raise
