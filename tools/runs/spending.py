"""What a run has spent: ``usage.json``, sealed in itself since it changes with every event, and a copy of it.

The copy lies in the state folder. Of the two the one counts that has come furthest, so that nothing which happens to
the run's folder gives a budget back.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from labwright.tools.atomic_files import PRIVATE, write_atomic
from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs.hashed_files import read_json, sha256_of, to_json
from labwright.tools.runs.log_heads import FOLDER
from labwright.tools.runs.seals import bound_name, holds, private_folder, seal, state_folder

USAGE = "usage.json"
_END, _OPENING, _CLOSING = b"\n}\n", b',\n "seal": "', b'"\n}\n'  # of the JSON, and around its seal


def keep_usage(folder: Path, usage: dict[str, Any], *, sync: bool = True) -> str:
    """Write `usage` for the run in `folder`; returns the hash of its file."""
    plain = to_json(usage)
    content = plain.removesuffix(_END) + _OPENING + seal(_bound(folder), plain).encode() + _CLOSING
    write_atomic(folder / USAGE, content, sync=sync, mode=PRIVATE)
    _overwrite(_copy(folder), content)
    return sha256_of(content)


def usage_of(folder: Path) -> dict[str, Any]:
    """What the run in `folder` has spent; empty if nothing was written yet.

    Raises:
        CorruptRecordError: what was written is not this run's.
    """
    places = [path for path in (folder / USAGE, _copy(folder)) if path.exists()]
    sound = [found for path in places if (found := _sound(folder, path)) is not None]
    if places and not sound:
        raise CorruptRecordError(
            f"File {folder / USAGE} is not what this run has written. Restore it from a copy, or take the run over"
            f" as it stands: `labwright runs resume {folder.name} --adopt`."
        )
    return max(sound, key=lambda found: float(found.get("wall", 0.0)), default={})


def usage_damage(folder: Path) -> str:
    """Why ``usage.json`` is not what this run wrote last, as the end of a sentence; empty if it is."""
    path = folder / USAGE
    if not path.exists():
        return "is missing" if _copy(folder).exists() else ""
    found = _sound(folder, path)
    if found is None:
        return "is not what this run has written"
    return "is an older version" if found != usage_of(folder) else ""


def take_over(folder: Path) -> None:
    """Seal ``usage.json`` as it stands; one that does not read is removed, and the count begins anew."""
    _copy(folder).unlink(missing_ok=True)
    path = folder / USAGE
    try:
        found = read_json(path, "")
    except CorruptRecordError:
        path.unlink(missing_ok=True)
    else:
        keep_usage(folder, {name: value for name, value in found.items() if name != "seal"})


def _sound(folder: Path, path: Path) -> dict[str, Any] | None:
    """What `path` says; None if the seal does not hold."""
    text, _, own = path.read_bytes().removesuffix(_CLOSING).rpartition(_OPENING)
    if not own.isascii() or not holds(own.decode(), _bound(folder), text + _END):
        return None
    return dict(json.loads(text + _END))


def _overwrite(path: Path, content: bytes) -> None:
    """Write in place, which takes a tenth of the time; if a kill tears it, the run's own file is whole."""
    flags = os.O_WRONLY | os.O_CREAT
    try:
        descriptor = os.open(path, flags, PRIVATE)
    except FileNotFoundError:
        descriptor = os.open(private_folder(path.parent) / path.name, flags, PRIVATE)
    try:
        os.write(descriptor, content)
        os.ftruncate(descriptor, len(content))
    finally:
        os.close(descriptor)


def _copy(folder: Path) -> Path:
    return state_folder() / FOLDER / _bound(folder).replace("/", ".")


def _bound(folder: Path) -> str:
    return f"{bound_name(folder)}/{USAGE}"
