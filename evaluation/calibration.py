"""Suite `calibration`: one sentence calibrates and benchmarks Q1 of a device that nobody has seen.

A case passes if the run ends COMPLETE, the oracle's error per gate is at most 1.15 times the coherence limit of the
true T1 and T2E, and the measured error per gate is within 3 of its own sigma of the truth, with a sigma of at most 5 %
of the limit. Beside it stand two fixed scripts on the same devices, and the best settings that exist.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from labwright.evaluation import fixed_script
from labwright.evaluation.case import QUBIT, Case, drawn_cases
from labwright.evaluation.reading import ended, experiments_run, read_device, start_ratio
from labwright.evaluation.row import Row, row_of, scored
from labwright.evaluation.scoring import case_faults
from labwright.evaluation.workers import OnProgress, kept_or_temporary, run_cases
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start

REQUIRED = 0.95  # of the cases


def run(
    seeds: int = 20,
    on_progress: OnProgress | None = None,
    *,
    first: int = 0,
    mind: str = "rules",
    workers: int = 2,
    out: Path | None = None,
    baseline: bool = True,
) -> dict[str, Any]:
    """Score drawn devices: {suite, mind, n, score, interval, passed, columns, summary, rows, baselines}.

    Args:
        seeds: number of devices.
        on_progress: hears one line a finished case.
        first: the first seed.
        mind: ``rules``, or ``provider:model``.
        workers: processes; 0 runs in this one.
        out: keeps the run folders, and goes on where an earlier evaluation stopped; a temporary folder if None.
        baseline: whether to run the fixed scripts on the same devices too.
    """
    cases = drawn_cases(seeds, first)
    with kept_or_temporary(out) as folder:
        rows = run_cases(partial(calibrate, mind=mind), cases, folder / "calibration", workers, on_progress)
    result = {**scored("calibration", rows), "mind": mind}
    result["passed"] = result["score"] >= REQUIRED
    if baseline:
        result["baselines"] = fixed_script.beside(cases, on_progress, workers, out)
    return result


def calibrate(case: Case, folder: Path, mind: str = "rules") -> Row:
    """Run one case through the graph and judge it."""
    outcome = started(case, folder, mind)
    said = ended(outcome.document, QUBIT)
    true, spent = read_device(outcome.run_dir / "device", case.seed, case.options, QUBIT)
    faults = case_faults(case.causes, said, true)
    runs = experiments_run(outcome.document)
    row = row_of(case, said, true, start_ratio(case.options, QUBIT), spent, runs, faults)
    return {**row, "wall_seconds": round(outcome.document["seconds"], 2)}


def started(case: Case, folder: Path, mind: str) -> Outcome:
    """The run itself: unattended, nothing drawn."""
    choices = Choices(
        device_options=case.options, seed=case.seed, mind=mind, approval="auto", answers="defaults", figures=False
    )
    return start(CalibrationRequest(case.request, choices), folder)
