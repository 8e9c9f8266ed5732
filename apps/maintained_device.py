"""``labwright calibrate --maintain``: which device is meant, and that time has passed for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labwright.tools.errors import InputError, RecordError
from labwright.tools.qpu.device_fork import device_folder
from labwright.tools.runs.run import Run, load_run, open_run, run_ids

SENTENCE = "Maintain the chip"
SYSTEM = "lab_calibration"


def device_of_run(root: Path, run_id: str) -> dict[str, Any]:
    """The choices that open the device of an earlier run once more: it goes on with its clock, settings and memory.

    Args:
        root: folder of the runs.
        run_id: the run, or a unique beginning of its name; empty for the newest that has a device.

    Raises:
        InputError: there is no such run, or it never opened a device.
    """
    run = open_run(root, run_id) if run_id else _newest(root)
    if run is None or run.record.system != SYSTEM:
        raise InputError(
            "There is no earlier run whose device could be maintained. Calibrate one first, or give --device-folder."
        )
    made = run.record.choices
    folder = _device_folder(run)
    if folder is None:
        raise InputError(f"Run {run.run_id} never opened a device. Name another one with --run.")
    kept: dict[str, Any] = {name: made[name] for name in ("device", "device_options", "lab") if name in made}
    return {**kept, "seed": run.record.seed, "device_folder": str(folder.absolute())}


def _newest(root: Path) -> Run | None:
    for name in reversed(run_ids(root)):
        try:
            run = load_run(root / name)
        except RecordError:  # a damaged run is not the one that is meant
            continue
        if run.record.system == SYSTEM and _device_folder(run) is not None:
            return run
    return None


def _device_folder(run: Run) -> Path | None:
    folder = device_folder(run.record.choices, run.folder)
    return folder if folder.is_dir() else None
