"""Writes what ``--json FILE`` and ``--out DIR`` ask for."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
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
    from labwright.apps.json_result import ResultDocument  # here, because pydantic is slow to import

    text = ResultDocument.model_validate(document).model_dump_json(indent=1)
    write_atomic(path.expanduser().absolute(), (text + "\n").encode())


def copy_results(run_dir: Path, target: Path, files: Sequence[str], *folders: str) -> None:
    """Copy `files` and the whole `folders` of a run, as far as it has them, into the folder `target`."""
    target.mkdir(parents=True, exist_ok=True)
    for name in files:
        if (run_dir / name).exists():
            shutil.copy2(run_dir / name, target / name)
    for name in folders:
        if (run_dir / name).is_dir():
            shutil.copytree(run_dir / name, target / name, dirs_exist_ok=True)
