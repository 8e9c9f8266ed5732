"""A simulated device's memory, copied up to a moment: what a forked run continues from."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import CorruptRecordError, InputError


def device_folder(choices: Mapping[str, Any], run: Path) -> Path:
    """Where the device of a run keeps its memory: in the run's folder, unless its choices name another."""
    return Path(choices.get("device_folder") or run / "device")


def fork_simulated(source: Path, target: Path, clock: float, settings_version: int) -> None:
    """Copy the device in `source` to `target` as it was at `clock`, with settings up to `settings_version`.

    The copy draws the same random numbers for the next acquisition as the original did, because these are keyed by
    the ordinal in the journal.

    Raises:
        InputError: `source` holds no simulated device, or `target` exists.
    """
    if not (source / "device.json").exists():
        raise InputError(f"There is no simulated device in {source}; only those can be forked.")
    if target.exists():
        raise InputError(f"{target} exists already. Fork into a new run.")
    target.mkdir(parents=True)
    shutil.copy2(source / "device.json", target / "device.json")
    shutil.copytree(source / "acquisitions", target / "acquisitions")
    _copy_lines(source / "journal.jsonl", target / "journal.jsonl", "clock_after", clock)
    _copy_lines(source / "settings.jsonl", target / "settings.jsonl", "version", settings_version)


def _copy_lines(source: Path, target: Path, field: str, last: float) -> None:
    """The whole lines of `source` whose `field` does not exceed `last`."""
    if not source.exists():
        return
    lines = source.read_bytes().split(b"\n")[:-1]  # what follows the last line end was torn off by a kill
    try:
        kept = [line for line in lines if json.loads(line)[field] <= last + 1e-9]
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptRecordError(
            f"{source} has a line that does not read ({error}). Restore it from a copy."
        ) from error
    write_atomic(target, b"".join(line + b"\n" for line in kept))
