"""Modules of a person's own, imported from their files."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from labwright.tools.errors import InputError


def load_file(path: Path, what: str) -> ModuleType:
    """Import the module in `path` under a name of its own, once a version of the file.

    Args:
        path: a Python file.
        what: what the file is to the caller, such as "experiment module"; for the message.

    Raises:
        InputError: it does not import; the message names the line.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"The {what} {path} cannot be read: {error.strerror}. Check the path.") from error
    mark = hashlib.sha256(str(path.resolve()).encode() + content).hexdigest()[:12]
    name = f"labwright_lab_{path.stem}_{mark}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        exec(compile(content, path, "exec", dont_inherit=True), module.__dict__)  # no cache: its stamps are seconds
    except Exception as error:
        del sys.modules[name]
        line = _line(error, path)
        raise InputError(
            f"The {what} {path} does not import: {type(error).__name__}: {error}{f' (line {line})' if line else ''}."
            " Fix the file."
        ) from error
    return module


def _line(error: Exception, path: Path) -> int:
    """The line of `path` at which the import failed; 0 if it says so itself or cannot be told."""
    if isinstance(error, SyntaxError):
        return 0  # its message ends with the line
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    return frames[-1].lineno or 0 if frames else 0
