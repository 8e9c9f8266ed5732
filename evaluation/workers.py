"""Runs the cases of a suite in a few processes. A case that crashes is an outcome of its own, never a low score."""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from labwright.evaluation.case import Case
from labwright.evaluation.row import Row
from labwright.tools.durable import write_atomic
from labwright.tools.runs.files import read_json, to_json

Job = Callable[[Case, Path], Row]
OnProgress = Callable[[str], None]


def run_cases(job: Job, cases: Sequence[Case], out: Path, workers: int, on_progress: OnProgress | None) -> list[Row]:
    """One row a case, in the order of `cases`.

    Args:
        job: importable function; gets the case and a folder of its own.
        cases: what to run.
        out: named like the suite; holds a folder a case. A case whose row lies there already is not run again.
        workers: processes; 0 runs in this one.
        on_progress: hears one line a finished case.
    """
    done: dict[str, Row] = {}
    for case, row in _rows(job, cases, out, workers):
        done[case.name] = row
        if on_progress is not None:
            said = "passed" if row["passed"] else row["faults"]
            on_progress(f"{out.name} {len(done)}/{len(cases)}, {case.name}: {said}")
    return [done[case.name] for case in cases]


def _rows(job: Job, cases: Sequence[Case], out: Path, workers: int) -> Iterator[tuple[Case, Row]]:
    left = []
    for case in cases:
        stored = _stored(job, out, case)
        if stored is None:
            left.append(case)
        else:
            yield case, stored
    if workers == 0:
        for case in left:
            yield case, _kept(job, out, case, job(case, _folder(out, case)))
        return
    # spawn, because numerical libraries may hold locks that a forked child would wait for
    context = multiprocessing.get_context("spawn")
    with _one_thread_each(), ProcessPoolExecutor(max(workers, 1), mp_context=context) as pool:
        futures = {pool.submit(_told, job, case, _folder(out, case)): case for case in left}
        for future in as_completed(futures):
            case, error = futures[future], future.exception()
            row = future.result() if error is None else crashed(case, error)
            yield case, row if row.get("status") == "crashed" else _kept(job, out, case, row)


def _told(job: Job, case: Case, folder: Path) -> Row:
    """The row, also of a crash: not every exception can be sent from one process to another."""
    try:
        return job(case, folder)
    except Exception as error:  # noqa: BLE001 - every crash is a row
        return crashed(case, error)


def crashed(case: Case, error: BaseException) -> Row:
    """The row of a case that ended in an exception of ours."""
    cause = f"{type(error).__name__}: {error}".splitlines()[0]
    return {"case": case.name, "status": "crashed", "passed": False, "faults": cause}


def _folder(out: Path, case: Case) -> Path:
    return out / case.name.replace(" ", "_").replace(":", "_")


def _stored(job: Job, out: Path, case: Case) -> Row | None:
    path = _folder(out, case) / "row.json"
    if not path.exists():
        return None
    kept = read_json(path, "Delete it; the case is then run again.")
    return dict(kept["row"]) if kept["made_by"] == _identity(job, case) else None


def _kept(job: Job, out: Path, case: Case, row: Row) -> Row:
    write_atomic(_folder(out, case) / "row.json", to_json({"made_by": _identity(job, case), "row": row}))
    return row


def _identity(job: Job, case: Case) -> dict[str, Any]:
    """What a row depends on, as JSON gives it back: the case, and the job with its options (such as the mind)."""
    called, options = (job.func, job.keywords) if isinstance(job, partial) else (job, {})
    plain = {"job": f"{called.__module__}.{called.__name__}", "options": options, "case": asdict(case)}
    return dict(json.loads(to_json(plain)))


@contextmanager
def kept_or_temporary(out: Path | None) -> Iterator[Path]:
    """`out`, or a folder that is gone afterwards."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="labwright-eval-") as folder:
        yield Path(folder)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Children inherit the environment: with one thread each, two workers do not fight over two cores."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before
