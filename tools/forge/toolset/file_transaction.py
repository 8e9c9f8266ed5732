"""Several files of a folder changed at once: all, or, after a failure or a kill, none."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path

from labwright.tools.atomic_files import sync_folder, write_atomic
from labwright.tools.errors import CorruptRecordError

UNDO = ".forge/undo.json"


def apply_changes(root: Path, changes: Mapping[str, bytes | None]) -> None:
    """Write or, for None, delete the files; `recover` undoes what a kill left half done.

    Hold the folder's lease meanwhile.

    Args:
        root: the folder.
        changes: path relative to `root` -> new content.
    """
    before = {name: _content(root / name) for name in changes}
    if all(before[name] == content for name, content in changes.items()):
        return
    undo = root / UNDO
    kept = {name: None if data is None else base64.b64encode(data).decode() for name, data in before.items()}
    write_atomic(undo, json.dumps(kept).encode())
    try:
        _put(root, changes)
    except BaseException:
        recover(root)
        raise
    undo.unlink()
    sync_folder(undo.parent)


def recover(root: Path) -> bool:
    """Put back what an interrupted `apply_changes` had begun; whether there was something.

    Raises:
        CorruptRecordError: what it left cannot be read.
    """
    undo = root / UNDO
    try:
        kept = json.loads(undo.read_bytes())
    except FileNotFoundError:
        return False
    except ValueError as wrong:
        raise CorruptRecordError(f"{undo} cannot be read: {wrong}. Delete it and look at the folder.") from wrong
    _put(root, {name: None if text is None else base64.b64decode(text) for name, text in kept.items()})
    undo.unlink()
    return True


def _put(root: Path, changes: Mapping[str, bytes | None]) -> None:
    for name, content in changes.items():
        path = root / name
        if content is not None:
            write_atomic(path, content)
        elif path.exists() or path.is_symlink():
            path.unlink()
    for name, content in changes.items():
        if content is None:
            _prune(root, (root / name).parent)


def _prune(root: Path, folder: Path) -> None:
    """Remove folders that became empty."""
    while folder != root and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
