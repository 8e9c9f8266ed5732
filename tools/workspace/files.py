"""The files of a workspace, for agents: bounded, never outside, never through a link."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from labwright.tools.errors import InputError
from labwright.tools.sandbox.safe_folder_walk import OPEN_FOLDER, joined, open_plain, walk

MOST_BYTES = 4_000_000  # of one file that is read or written as text
MOST_LINES = 2000  # of one reading
MOST_WIDTH = 2000  # characters of one line that are shown
MOST_ENTRIES = 2000  # of one listing or search
NOT_SHOWN = ("__pycache__", ".pytest_cache", ".cache", ".git")  # nobody's work


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a folder; `size` in bytes, 0 for a folder."""

    path: str
    folder: bool
    size: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines of a text file.

    Attributes:
        text: the lines, over-long ones cut.
        first: number of the first one, from 1.
        total: lines of the whole file.
    """

    text: str
    first: int
    total: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A line in which something was found; numbers count from 1."""

    path: str
    line: int
    text: str


class Files:
    """Files below one folder. Every path is relative, with forward slashes.

    Args:
        folder: the workspace.
        writable: what may be written: folders and files, everything below them included; ``""`` is all.
        locked: what may not, whatever `writable` says.
    """

    def __init__(self, folder: Path, writable: Sequence[str] = ("",), locked: Sequence[str] = ()) -> None:
        self.folder, self.writable, self.locked = folder, tuple(writable), tuple(locked)

    def entries(self, under: str = "") -> list[Entry]:
        """What lies directly in a folder, by name.

        Raises:
            InputError: there is no such folder.
        """
        under = relative(under, "folder") if under.strip("/.") else ""
        for path, _, entries in self._walk(under):
            return [self._entry(joined(path, one.name), one) for one in entries if one.name not in NOT_SHOWN]
        raise InputError(f"There is no folder {under!r} in the workspace.")

    def files(self, under: str = "", pattern: str = "") -> list[Entry]:
        """The plain files below a folder, in order of their paths; none deeper than 32 folders.

        Args:
            under: the folder.
            pattern: ``*.py`` for names at any depth, ``results/**/*.json`` for paths from `under` on; empty for all.
        """
        under = relative(under, "folder") if under.strip("/.") else ""
        wanted = _wanted(pattern)
        found = []
        for path, _, entries in self._walk(under):
            if any(part in NOT_SHOWN for part in PurePosixPath(path).parts):
                continue
            for one in entries:
                whole = joined(path, one.name)
                if one.is_file(follow_symlinks=False) and wanted(whole.removeprefix(f"{under}/" if under else "")):
                    found.append(self._entry(whole, one))
                    if len(found) >= MOST_ENTRIES:
                        return sorted(found, key=lambda entry: entry.path)
        return sorted(found, key=lambda entry: entry.path)

    def exists(self, path: str) -> bool:
        """Whether `path` is a plain file."""
        try:
            self.read_bytes(path, most=0)
        except InputError:
            return False
        return True

    def read_bytes(self, path: str, most: int = MOST_BYTES) -> bytes:
        """At most `most` bytes of a file.

        Raises:
            InputError: it is missing, or no plain file.
        """
        with self._parent(path) as (here, name):
            descriptor = open_plain(name, here)
        if descriptor is None:
            raise InputError(f"There is no file {path!r} in the workspace.")
        with os.fdopen(descriptor, "rb") as file:
            return file.read(most)

    def text(self, path: str, most: int = MOST_BYTES) -> str:
        """The beginning of a text file, `most` bytes of it.

        Raises:
            InputError: it is missing, or is not text.
        """
        content = self.read_bytes(path, most)
        try:
            return content.decode()
        except UnicodeDecodeError as wrong:
            if wrong.start >= len(content) - 4 and len(content) == most:  # a character was cut in two
                return content[: wrong.start].decode()
            raise InputError(f"{path} is not a text file.") from None

    def read(self, path: str, first: int = 1, lines: int = MOST_LINES) -> Part:
        """Some lines of a text file, from line `first` on.

        Raises:
            InputError: it is missing, not text, or has no such line.
        """
        every = self.text(path).splitlines()
        first, lines = max(1, first), max(1, min(lines, MOST_LINES))
        if first > max(1, len(every)):
            raise InputError(f"{path} has {len(every)} lines, so there is no line {first}.")
        shown = [line[:MOST_WIDTH] for line in every[first - 1 : first - 1 + lines]]
        return Part("\n".join(shown), first, len(every))

    def write(self, path: str, text: str, most: int = MOST_BYTES) -> None:
        """Write a whole file of at most `most` bytes; folders are made.

        Raises:
            InputError: the path leads out, through a link, or to what must not be written; or the text is too long.
        """
        content = text.encode()
        if len(content) > most:
            raise InputError(f"{path} would have {len(content)} bytes; it may have {most}. Write less.")
        self._may_write(path)
        with self._parent(path, make=True) as (here, name):
            _replace(here, name, path, content)

    def remove(self, path: str) -> None:
        """Remove one file.

        Raises:
            InputError: there is none, or it must not be written.
        """
        self._may_write(path)
        if not self.exists(path):
            raise InputError(f"There is no file {path!r} in the workspace.")
        with self._parent(path) as (here, name):
            os.unlink(name, dir_fd=here)

    def grep(self, words: str, under: str = "", pattern: str = "") -> list[Hit]:
        """Lines that hold `words` exactly so, in text files below a folder."""
        if not words:
            raise InputError("Say what to search for.")
        found: list[Hit] = []
        for entry in self.files(under, pattern):
            if entry.size > MOST_BYTES:
                continue
            content = self.read_bytes(entry.path)
            if b"\0" in content[:1024]:
                continue
            for number, line in enumerate(content.decode(errors="replace").splitlines(), 1):
                if words in line:
                    found.append(Hit(entry.path, number, line[:MOST_WIDTH]))
                    if len(found) >= MOST_ENTRIES:
                        return found
        return found

    def may_write(self, path: str) -> bool:
        """Whether `path` may be written here."""
        inner = relative(path)
        return any(_below(inner, one) for one in self.writable) and not any(_below(inner, one) for one in self.locked)

    def _may_write(self, path: str) -> None:
        if not self.may_write(path):
            places = ", ".join(one or "the workspace" for one in self.writable) or "nothing"
            raise InputError(f"{path} must not be written here. What may be written: {places}.")

    def _walk(self, under: str) -> Iterator[tuple[str, int, list[os.DirEntry[str]]]]:
        """`walk` of a folder, with paths from the workspace's root."""
        try:
            with self._parent(joined(under, "x")) as (here, _):
                for path, descriptor, entries in walk(f"/proc/self/fd/{here}"):
                    yield joined(under, path) if path else under, descriptor, entries
        except FileNotFoundError:
            raise InputError(f"There is no folder {under!r} in the workspace.") from None

    def _entry(self, path: str, one: os.DirEntry[str]) -> Entry:
        folder = one.is_dir(follow_symlinks=False)
        return Entry(path, folder, 0 if folder else one.stat(follow_symlinks=False).st_size)

    @contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """Descriptor of the folder in which `path` lies, and its name there. No link is followed on the way."""
        parts = PurePosixPath(relative(path)).parts
        here = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in parts[:-1]:
                here = _entered(here, part, path, make)
            yield here, parts[-1]
        finally:
            os.close(here)


def relative(path: str, what: str = "file") -> str:
    """`path` in its plain form.

    Raises:
        InputError: it is absolute, leads out, or is none.
    """
    plain = PurePosixPath(path)
    if plain.is_absolute() or ".." in plain.parts or not plain.parts or "\0" in path or "\\" in path:
        raise InputError(f"The {what} {path!r} is not in the workspace. Give a path relative to it, without `..`.")
    return str(plain)


def _entered(here: int, part: str, path: str, make: bool) -> int:
    """The folder `part` of the open folder `here`, which is closed."""
    if make:
        with suppress(FileExistsError):
            os.mkdir(part, 0o755, dir_fd=here)
    try:
        below = os.open(part, OPEN_FOLDER, dir_fd=here)
    except FileNotFoundError:
        raise InputError(f"There is no folder for {path!r} in the workspace.") from None
    except OSError:  # a link, or a file: nothing below it is ours
        raise InputError(f"{path!r} does not lie in a plain folder of the workspace.") from None
    os.close(here)
    return below


def _replace(here: int, name: str, path: str, content: bytes) -> None:
    temporary = f".{secrets.token_hex(6)}.part"
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644, dir_fd=here
    )
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, name, src_dir_fd=here, dst_dir_fd=here)  # a link of this name is replaced, not followed
    except BaseException as fault:
        os.unlink(temporary, dir_fd=here)
        if isinstance(fault, IsADirectoryError):
            raise InputError(f"{path} is a folder.") from None
        raise


def _below(path: str, place: str) -> bool:
    return place == "" or path == place or path.startswith(f"{place}/")


def _wanted(pattern: str) -> Callable[[str], bool]:
    """Whether a path fits a pattern; without a slash the pattern is for the name alone."""
    if not pattern:
        return lambda _path: True
    form = re.compile(_as_expression(pattern.lstrip("/")))
    if "/" in pattern:
        return lambda path: form.fullmatch(path) is not None
    return lambda path: form.fullmatch(PurePosixPath(path).name) is not None


def _as_expression(pattern: str) -> str:
    """A shell pattern as a regular expression: ``**/`` is any folders, ``*`` and ``?`` stay within a name."""
    said = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(said.get(part, re.escape(part)) for part in re.split(r"(\*\*/|\*\*|\*|\?)", pattern))
