"""Files that go into a work folder, one by one and by name."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from labwright.tools.errors import InputError


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
