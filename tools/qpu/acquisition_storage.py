"""An acquisition as bytes of a file, and back."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from labwright.tools.errors import CorruptRecordError
from labwright.tools.qpu.program import Acquired


def file_name(key: str) -> str:
    """The file of the acquisition `key` within its folder; keys hold characters that files may not."""
    return f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.npz"


def packed(acquired: Acquired) -> bytes:
    """`acquired` as an npz archive."""
    values = {f.name: getattr(acquired, f.name) for f in fields(acquired)}
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in values.items() if value is not None}
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def unpacked(path: Path, key: str) -> Acquired:
    """What `packed` wrote to `path` for `key`.

    Raises:
        CorruptRecordError: it does not read back.
    """
    try:
        with np.load(io.BytesIO(path.read_bytes())) as arrays:
            number = {name: arrays[name][()] for name in ("shots", "seconds", "clock")}
            data = {n: arrays[n] for n in ("counts", "average", "average_error", "iq") if n in arrays}
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise CorruptRecordError(
            f"The journal says that {key!r} was measured, but {path} does not read back. Restore it from a copy."
        ) from error
    return Acquired(int(number["shots"]), float(number["seconds"]), float(number["clock"]), **data)
