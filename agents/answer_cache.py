"""Checked answers of models on disk, so that asking the same again costs nothing."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def digest(value: Any) -> str:
    """SHA-256 of a JSON value in canonical form (sorted keys, no spaces)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def image_digests(images: Iterable[Path]) -> list[str]:
    """SHA-256 of each picture's bytes, in order."""
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in images]


class AnswerCache:
    """One JSON file for each answer: ``<folder>/<first two digits>/<key>.json``, written by rename."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> dict[str, Any] | None:
        """The stored reply, or None; a file that does not read back counts as absent."""
        try:
            entry = json.loads(self._path(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        intact = isinstance(entry, dict) and entry.get("digest") == digest(entry.get("reply"))
        return entry["reply"] if intact and isinstance(entry["reply"], dict) else None

    def put(self, key: str, reply: dict[str, Any], *, agent: str, model: str) -> None:
        """Store a reply that was parsed and checked."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        entry = {"agent": agent, "model": model, "digest": digest(reply), "reply": reply}
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump(entry, stream, ensure_ascii=False, indent=1)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
