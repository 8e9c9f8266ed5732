"""Baseline `fixed_script`: the experiments of a calibration once each, in order, with nobody looking at the results.

Same experiments, fits and gates on updates, same drawn devices and criteria as the suite `calibration`. What it lacks
is what the agents add: nothing is inspected, repeated, changed or done again.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from labwright.evaluation.case import QUBIT, Case, drawn_cases
from labwright.evaluation.reading import read_device, start_ratio
from labwright.evaluation.row import Row, row_of, scored
from labwright.evaluation.scoring import Ended, calibration_faults
from labwright.evaluation.workers import OnProgress, kept_or_temporary, run_cases
from labwright.tools.experiments import registry
from labwright.tools.experiments.base import Report
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import perform
from labwright.tools.qpu.device import Device
from labwright.tools.qpu.opening import open_device

# The first Ramsey is that of the shipped procedure; everything else runs with its defaults.
SCRIPT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ramsey", {"offset": 3.0, "stop": 0.5}),
    ("rabi", {}),
    ("amplitude_pingpong", {}),
    ("drag_calibration", {}),
    ("t1", {}),
    ("spin_echo", {}),
    ("single_qubit_rb", {}),
)


def run(
    seeds: int = 20,
    on_progress: OnProgress | None = None,
    *,
    first: int = 0,
    workers: int = 2,
    out: Path | None = None,
) -> dict[str, Any]:
    """Score the script on drawn devices, like `calibration.run`."""
    with kept_or_temporary(out) as folder:
        rows = run_cases(play, drawn_cases(seeds, first), folder / "fixed_script", workers, on_progress)
    return {**scored("fixed_script", rows), "mind": "none"}


def play(case: Case, folder: Path) -> Row:
    """Play the script on one device and judge what it left."""
    begun = time.monotonic()
    device = open_device("simulated", folder / "device", case.seed, case.options)
    try:
        said = _played(device)
    finally:
        device.close()
    seconds = time.monotonic() - begun
    true, spent = read_device(folder / "device", case.seed, case.options, QUBIT)
    runs = {name: 1 for name, _ in SCRIPT}
    row = row_of(case, said, true, start_ratio(case.options, QUBIT), spent, runs, calibration_faults(said, true))
    return {**row, "wall_seconds": round(seconds, 2)}


def _played(device: Device) -> Ended:
    """What the script says of itself: it always believes that it is done."""
    known: dict[str, float] = {}
    last: Report | None = None
    for step, (name, arguments) in enumerate(SCRIPT):
        kind = registry.experiments()[name]
        accepted = {parameter.name for parameter in registry.card(kind).parameters}
        given = {key: value for key, value in known.items() if key in accepted}
        call = ExperimentCall(name, {"qubit": QUBIT, **arguments, **given})
        last = perform(kind, call, device, f"script.{step}").report
        known |= last.variables
    assert last is not None
    error, limit = last.estimates.get("error_per_gate"), last.estimates.get("limit_error_per_gate")
    return Ended(
        status="complete",
        rb_error=error.value if error else None,
        rb_std=error.error if error else None,
        measured_limit=limit.value if limit else None,
    )
