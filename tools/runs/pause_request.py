"""What a person outside the process asks of a run: to pause at its next stage boundary."""

from __future__ import annotations

from datetime import UTC, datetime

from labwright.tools.atomic_files import write_atomic
from labwright.tools.runs.hashed_files import to_json
from labwright.tools.runs.run import Run

_FILE = "pause.json"
PRESSED = "Interrupted from the keyboard."  # why a run stopped on Ctrl-C


def request_pause(run: Run) -> None:
    """Ask the run to stop before its next stage. It notices when it gets there; nothing is broken off."""
    write_atomic(run.folder / _FILE, to_json({"requested": datetime.now(UTC).isoformat(timespec="seconds")}))


def pause_requested(run: Run) -> bool:
    """Whether somebody asked for a pause that is not cleared yet."""
    return (run.folder / _FILE).exists()


def clear_pause(run: Run) -> None:
    """Forget the request; the run calls this when it pauses, and again when it resumes."""
    (run.folder / _FILE).unlink(missing_ok=True)
