"""Suite `offsets`: calibrate drawn devices whose drive starts 12 MHz below to 12 MHz above the qubit, with slow noise.

The quasi-static noise makes the free-induction time 5, 9 or 15 us. A run is right if it ends COMPLETE and the gates
err at most 1.15 times as much as T1 and T2E make them. It may fail, if the cause is one that such a device can have.
COMPLETE with worse gates is silently wrong.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import pi, sqrt
from typing import Any

from labwright.evaluation.case import QUBIT, Case, seeds_of
from labwright.evaluation.finished_run_reader import experiments_run, spent
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.evaluation.scoring import LARGEST_RATIO
from labwright.evaluation.unattended_calibration import started
from labwright.tools.qpu.oracle import device_errors
from labwright.tools.qpu.simulated import open_simulated

OFFSETS = range(-12, 13, 3)  # MHz, believed minus true
LIVES = (5.0, 9.0, 15.0)  # us, 1/e time of the quasi-static noise alone
TRUE_CAUSES = {"fringes_decay_within_sweep", "frequency_imprecise", "error_bar_too_wide", "detuned_drive"}


def cases(options: Options) -> list[Case]:
    """Every offset and every noise on every device."""
    found = []
    for seed, offset, life in product(seeds_of(options), OFFSETS, LIVES):
        truth = {"frequency_offset": float(offset), "detuning_sigma": sqrt(2) / (2 * pi * life)}
        name = f"drawn {seed}, {offset:+d} MHz, {life:g} us"
        found.append(Case(name, seed, {"device": f"drawn:{seed}", **truth}, f"Calibrate single qubit {QUBIT}"))
    return found


def calibrate(case: Case, context: Context) -> Row:
    """Run one case through the graph and judge what it left by the truth."""
    outcome = started(case, context.folder, context.options["mind"])
    stages = [row for row in outcome.document["result"].get("stages", []) if row["action"]]
    cause = "" if outcome.status == "complete" or not stages else stages[-1]["cause"]
    device = open_simulated(outcome.run_dir / "device", case.seed, case.options)
    try:
        errors, took = device_errors(device, QUBIT), spent(device)
        off = 1e3 * device.transmon(QUBIT, device.settings.current(QUBIT).frequency).detuning
    finally:
        device.close()
    right = errors.ratio <= LARGEST_RATIO
    ended = "silently wrong" if outcome.status == "complete" else "failed for another cause"
    if outcome.status == "complete" and right:
        ended = "right"
    elif outcome.status == "failed" and cause in TRUE_CAUSES:
        ended = "failed for the cause"
    runs = experiments_run(outcome.document)
    return {
        "status": outcome.status, "passed": ended in ("right", "failed for the cause"), "ended": ended, "cause": cause,
        "faults": "" if right else outcome.reason or f"gates err {errors.ratio:.3g} times the limit",
        "ratio": round(errors.ratio, 4), "frequency_error": round(off, 2), "ramsey_runs": runs.get("ramsey", 0),
        "stage_runs": len(stages), "device_seconds": round(took.device_seconds, 1),
    }  # fmt: skip


def summarise(rows: list[Row], _context: Context) -> dict[str, Any]:
    """How many ended how, and the worst that was called complete."""
    complete = [row for row in rows if row["status"] == "complete"]
    worst = {
        "largest_ratio": max((row["ratio"] for row in complete), default=None),
        "largest_frequency_error": max((abs(row["frequency_error"]) for row in complete), default=None),
    }
    return {"ended": dict(Counter(row["ended"] for row in rows)), **worst}


SUITE = Suite(
    name="offsets",
    doc="Calibration from 12 MHz below to 12 MHz above the qubit, with slow noise: right, or failed for the cause",
    cases=cases,
    run=calibrate,
    options={"seeds": 6, "first": 0, "mind": "rules"},
    summarise=summarise,
    columns=("case", "ended", "cause", "ratio", "frequency_error", "ramsey_runs", "stage_runs", "device_seconds"),
    required=1.0,
    workers=1,
)
