"""A job's supervisor under a cluster's scheduler: one job, on whatever machine, seen to its end in the job's folder.

It never opens the index: SQLite does not hold on the file systems that clusters share.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from pathlib import Path

from labwright.tools.atomic_files import write_atomic
from labwright.tools.jobs.job_execution import work
from labwright.tools.jobs.records import JobSpec, JobState, JobStatus
from labwright.tools.jobs.store import read_status


def main(folder: str) -> None:
    """Run the job of a job folder; leaves with 0 only if it COMPLETED, so that the scheduler's dependencies hold."""
    here = Path(folder)
    spec = JobSpec.from_plain(json.loads((here / "spec.json").read_bytes()))
    status = dataclasses.replace(read_status(here), state=JobState.RUNNING, started=time.time())
    _write(here, status)
    end = work(here, spec, status)
    _write(here, end)
    sys.exit(0 if end.state is JobState.COMPLETED else 1)


def _write(folder: Path, status: JobStatus) -> None:
    write_atomic(folder / "status.json", json.dumps(status.to_plain(), indent=1).encode())
