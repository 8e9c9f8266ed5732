"""Writes what ``--json FILE`` asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.tools.runs import write_atomic


def write_document(path: Path | None, document: dict[str, Any]) -> None:
    """Check `document` against `ResultDocument` and write it to `path`, if there is one.

    Raises:
        OSError: the file cannot be written.
    """
    if path is None:
        return
    from labwright.apps.result import ResultDocument  # here, because pydantic is slow to import

    text = ResultDocument.model_validate(document).model_dump_json(indent=1)
    write_atomic(path.expanduser().absolute(), (text + "\n").encode())
