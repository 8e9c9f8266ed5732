"""What a run has spent: ``usage.json``, sealed in itself and numbered, since it changes with every event."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from labwright.tools.durable import PRIVATE, write_atomic
from labwright.tools.errors import CorruptRecordError
from labwright.tools.runs.files import read_json, sha256_of, to_json
from labwright.tools.runs.heads import Head
from labwright.tools.runs.seals import bound_name, holds, seal

USAGE = "usage.json"


def keep_usage(folder: Path, usage: dict[str, Any], *, sync: bool = True) -> str:
    """Write `usage` into the run's folder; returns the file's hash.

    The state folder remembers its number, so that no older version counts.
    """
    bound, plain = _bound(folder), {name: usage[name] for name in usage if name not in ("number", "seal")}
    head = Head.of(bound)
    numbered = {**plain, "number": head.number + 1}
    content = to_json({**numbered, "seal": seal(bound, _canonical(numbered))})
    with head.moving(numbered["number"]):
        write_atomic(folder / USAGE, content, sync=sync, mode=PRIVATE)
    return sha256_of(content)


def usage_of(folder: Path) -> dict[str, Any]:
    """What the run in `folder` has spent; empty if nothing was written yet.

    Raises:
        CorruptRecordError: it is gone, was changed, or is an older version.
    """
    path = folder / USAGE
    if wrong := usage_damage(folder):
        raise CorruptRecordError(
            f"File {path} {wrong}. Restore it from a copy, or take the run over as it stands:"
            f" `labwright runs resume {folder.name} --adopt`."
        )
    return read_json(path, "") if path.exists() else {}


def usage_damage(folder: Path) -> str:
    """Why ``usage.json`` is not what this run wrote last, as the end of a sentence; empty if it is."""
    path, bound = folder / USAGE, _bound(folder)
    written = Head.of(bound).number
    if not path.exists():
        return "is missing" if written else ""
    try:
        found = read_json(path, "")
        own, number = str(found.pop("seal")), int(found["number"])
    except (CorruptRecordError, KeyError, ValueError, TypeError):
        return "does not read, or has no seal"
    if not holds(own, bound, _canonical(found)):
        return "is not what this run has written"
    return "is an older version" if number < written else ""


def take_over(folder: Path) -> None:
    """Seal ``usage.json`` as it stands; one that does not read is removed, and the count begins anew."""
    Head.of(_bound(folder)).forget()
    path = folder / USAGE
    if not path.exists():
        return
    try:
        keep_usage(folder, read_json(path, ""))
    except CorruptRecordError:
        path.unlink()


def _bound(folder: Path) -> str:
    return f"{bound_name(folder)}/{USAGE}"


def _canonical(plain: dict[str, Any]) -> bytes:
    return json.dumps(json.loads(to_json(plain)), sort_keys=True).encode()
