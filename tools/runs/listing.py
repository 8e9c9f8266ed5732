"""What state each run is in, read from its folder alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast

from labwright.tools.errors import CorruptRecordError
from labwright.tools.process_file_lock import holder_of
from labwright.tools.runs.hashed_files import read_json
from labwright.tools.runs.run import Run, load_run, run_ids

Status = Literal["running", "complete", "failed", "refused", "stopped", "interrupted", "dead", "corrupt"]
FINAL = ("complete", "failed", "refused")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of ``labwright runs list``.

    Attributes:
        status: ``interrupted`` waits for an answer; ``dead`` means that its process is gone without a word;
            ``corrupt`` that its files do not read back. ``stopped``, ``interrupted`` and ``dead`` can be resumed.
        reason: why it ended so, in a sentence; empty while it runs.
        age: seconds since it was created.
    """

    run_id: str
    system: str
    asked: str
    status: Status
    reason: str
    age: float
    events: int
    parent: str


def list_runs(root: Path) -> list[RunSummary]:
    """All runs below `root`, newest first. A damaged run is listed as such and hides no other."""
    return [_summary_or_damage(root / name) for name in reversed(run_ids(root))]


def summarise(run: Run) -> RunSummary:
    """The state of `run`.

    Raises:
        CorruptRecordError: its log or result does not read back.
    """
    last = run.events.last() or {}
    status, reason = _status(run, last)
    record = run.record
    age = (datetime.now(UTC) - datetime.fromisoformat(record.created)).total_seconds()
    parent = str((record.parent or {}).get("run_id", ""))
    return RunSummary(run.run_id, record.system, record.asked, status, reason, age, int(last.get("seq", 0)), parent)


def read_result(run: Run) -> dict[str, Any] | None:
    """The run's ``result.json``, or None if it has not ended yet.

    Raises:
        CorruptRecordError: the file does not read back.
    """
    path = run.folder / "result.json"
    if not path.exists():
        return None
    return read_json(path, f"Delete it and run `labwright runs resume {run.run_id}` to write it anew.")


def _status(run: Run, last: dict[str, Any]) -> tuple[Status, str]:
    pid = holder_of(run.folder / "lease")
    if pid is not None:
        return "running", f"in process {pid}"
    result = read_result(run) or {}
    stored = result.get("status")
    # A run that was stopped and resumed keeps its old result.json until it ends again: the log decides.
    if stored in FINAL or (stored == "stopped" and last.get("kind") == "run_finished"):
        waits = stored == "stopped" and bool(result.get("questions"))
        return cast(Status, "interrupted" if waits else stored), str(result.get("reason", ""))
    if last.get("kind") == "question" and "agent" not in last:  # an agent's own answers carry its name
        return "interrupted", "waits for an answer"
    return "dead", f"ended without a word after {last.get('kind', 'its start')}"


def _summary_or_damage(folder: Path) -> RunSummary:
    try:
        return summarise(load_run(folder))
    except CorruptRecordError as error:
        return RunSummary(folder.name, "", "", "corrupt", str(error), 0.0, 0, "")
