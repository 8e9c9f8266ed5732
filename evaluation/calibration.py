"""Suites `calibration` and `spoilt`: one sentence calibrates and benchmarks Q1 of an unknown device.

A case passes if the run ends COMPLETE, the oracle's error per gate is at most 1.15 times the coherence limit of the
true T1 and T2E, and the measured error per gate is within 3 of its own sigma of the truth, with a sigma of at most 5 %
of the limit. Beside it stand two fixed scripts on the same devices, and the best settings that exist.

A spoilt device has something wrong. A run may fail for the true cause, or recover; it may not end COMPLETE and wrong.
What is right for each is written beside it in ``cases/calibration/spoilt.json``.
"""

from __future__ import annotations

from pathlib import Path

from labwright.evaluation.case import QUBIT, Case, drawn_cases, spoilt_cases
from labwright.evaluation.fixed_script import beside
from labwright.evaluation.reading import ended, experiments_run, read_device, start_ratio
from labwright.evaluation.row import COLUMNS, row_of, summarise
from labwright.evaluation.runner import Context, Options, Row, Suite, spent
from labwright.evaluation.scoring import case_faults
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start


def calibrate(case: Case, context: Context) -> Row:
    """Run one case through the graph and judge it."""
    outcome = started(case, context.folder, context.options["mind"])
    said = ended(outcome.document, QUBIT)
    true, took = read_device(outcome.run_dir / "device", case.seed, case.options, QUBIT)
    faults = case_faults(case.causes, said, true)
    runs = experiments_run(outcome.document)
    row = row_of(case, said, true, start_ratio(case.options, QUBIT), took, runs, faults)
    return {**row, "wall_seconds": round(outcome.document["seconds"], 2), **spent(outcome.document["usage"])}


def started(case: Case, folder: Path, mind: str) -> Outcome:
    """The run itself: unattended, nothing drawn."""
    choices = Choices(
        device_options=case.options, seed=case.seed, mind=mind, approval="auto", answers="defaults", figures=False
    )
    return start(CalibrationRequest(case.request, choices), folder)


CHOOSES = ("seeds", "first", "baseline")
OPTIONS: Options = {"seeds": 20, "first": 0, "mind": "rules", "baseline": True}
CALIBRATION = Suite(
    name="calibration",
    doc="One sentence calibrates and benchmarks Q1 of drawn devices",
    cases=drawn_cases,
    run=calibrate,
    options=OPTIONS,
    summarise=summarise,
    beside=beside,
    columns=COLUMNS,
    chooses=CHOOSES,
    required=0.95,
    workers=2,
)
SPOILT = Suite(
    name="spoilt",
    doc="Calibration of devices with something wrong: to recover, or to fail for the true cause",
    cases=spoilt_cases,
    run=calibrate,
    options={**OPTIONS, "seeds": 1},
    summarise=summarise,
    beside=beside,
    columns=("case", "status", "passed", "ratio", "start_ratio", "cause", "faults", "stage_runs", "device_seconds"),
    chooses=CHOOSES,
    required=1.0,
    workers=2,
)
