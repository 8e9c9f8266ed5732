"""Files that go into a work folder and come out of it, one by one and by name."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from labwright.tools.errors import InputError
from labwright.tools.sandbox.tree import OPEN_FOLDER, open_plain


def inner(name: str) -> str:
    """`name` as a relative path that stays in its folder.

    Raises:
        InputError: it leads out, or is none.
    """
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise InputError(f"The file name {name!r} leads out of the work folder. Give a relative path without `..`.")
    return str(path)


def put(folder: str, name: str, content: bytes, user: int) -> None:
    """Write a file into a work folder that nobody uses yet; it and its folders belong to `user`, to us for 0."""
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    while user and path != Path(folder):
        os.chown(path, user, user)
        path = path.parent


def taken(folder: str, name: str, most: int) -> bytes | None:
    """Content of a file that confined code left; None if it is no plain file of its own work folder.

    No link is followed on the way, at any depth: it could point at a secret of the person's.
    """
    parts = PurePosixPath(name).parts
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = os.open(part, OPEN_FOLDER, dir_fd=here)
            os.close(here)
            here = below
        descriptor = open_plain(parts[-1], here)
    except OSError:
        return None
    finally:
        os.close(here)
    if descriptor is None:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most) if os.fstat(descriptor).st_size <= most else None
