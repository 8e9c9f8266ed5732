"""``labwright new-lab``: a folder with an experiment, a procedure, a device and their test."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from labwright.apps.exits import endings
from labwright.apps.terminal_output import escape, out
from labwright.tools.errors import InputError

TEMPLATE = "labwright.tools.lab_template"


def new_lab(folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A new folder, or an empty one.")]) -> None:
    """Write a working example of a lab folder: your experiments, procedures and device, with their test."""
    with endings():
        written = write_lab(folder.expanduser())
        for path in written:
            out().print(escape(str(path)), soft_wrap=True)
        out().print(f"\ntest it:  pytest {escape(str(folder))}", soft_wrap=True)
        example = "Calibrate qubit Q2, then run a train of pi pulses on it"
        out().print(f'use it:   labwright calibrate "{example}" --lab {escape(str(folder))}', soft_wrap=True)


def write_lab(folder: Path) -> list[Path]:
    """Write the example to `folder`, which may not hold anything yet; the files written, in order.

    Raises:
        InputError: there is something already.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already, and not empty. Choose a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for source in sorted(files(TEMPLATE).iterdir(), key=lambda item: item.name):
        if source.is_file() and source.name != "__init__.py":
            path = folder / source.name
            path.write_bytes(source.read_bytes())
            written.append(path)
    return written
