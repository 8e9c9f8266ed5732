"""Files that are either whole or absent, and references to them by hash."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from labwright.tools.errors import CorruptRecordError, InputError


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """A file of a run, by content. Small and JSON-plain through `as_dict`, so that graph state can carry it.

    Attributes:
        path: relative to the run folder, with forward slashes.
        kind: ``figure``, ``data``, ``report``, ``text`` or ``json``.
        sha256: hex digest of the file's bytes.
    """

    path: str
    kind: str
    sha256: str

    def as_dict(self) -> dict[str, str]:
        """The reference as a plain dict."""
        return asdict(self)

    @classmethod
    def from_dict(cls, plain: dict[str, str]) -> ArtifactRef:
        """The reference that `as_dict` made."""
        return cls(plain["path"], plain["kind"], plain["sha256"])


def to_json(value: Any) -> bytes:
    """`value` as readable UTF-8 JSON in its own order; numbers that are not finite become null."""
    return utf8(json.dumps(plain(value), indent=1, ensure_ascii=False) + "\n")


def utf8(text: str) -> bytes:
    """`text` in UTF-8. Half a character, which a model's reply can have, is written as its escape, as JSON has it."""
    return text.encode("utf-8", "backslashreplace")


def plain(value: Any) -> Any:
    """`value` with numpy scalars as Python numbers, tuples as lists, and NaN or infinity, unknown to JSON, as None."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if type(value).__module__ == "numpy":  # its scalars and arrays, without importing numpy for those who have none
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_json(path: Path, remedy: str) -> dict[str, Any]:
    """The object stored in `path`.

    Raises:
        CorruptRecordError: the file is missing or is not a JSON object; the message ends with `remedy`.
    """
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise CorruptRecordError(f"File {path} is missing. {remedy}") from None
    except (ValueError, RecursionError) as error:
        raise CorruptRecordError(f"File {path} is not readable JSON ({error}). {remedy}") from error
    if not isinstance(value, dict):
        raise CorruptRecordError(f"File {path} must hold a JSON object, but holds a {type(value).__name__}. {remedy}")
    return value


def sha256_of(content: bytes) -> str:
    """Hex digest of `content`."""
    return hashlib.sha256(content).hexdigest()


def inside(folder: Path, name: str) -> Path:
    """The path of `name` below `folder`.

    Raises:
        InputError: `name` is absolute, empty or leads out of the folder, maybe by a link in it.
    """
    relative = PurePosixPath(name)
    if not name or relative.is_absolute() or ".." in relative.parts:
        raise InputError(f"Argument `name` must be a relative path inside the run folder, but is {name!r}.")
    path = folder / relative
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"Path {name!r} leads out of the run folder by a link. Remove the link.")
    return path
