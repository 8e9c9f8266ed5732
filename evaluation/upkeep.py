"""Suite `upkeep`: a chip is brought up once, then left alone for hours and kept calibrated, again and again.

A round of upkeep passes if it ends complete, takes at most a third of the device time of the bring-up, and leaves at
least 15 of 16 qubits within 1.2 times their coherence limit. Beside it stand the chip just before, which is what doing
nothing would have left, and the acquisitions against those of the bring-up: most are looks of a few points.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from labwright.evaluation.case import Case
from labwright.evaluation.chip import FEWEST, GRIDS, LARGEST_RATIO
from labwright.evaluation.runner import Context, Row, Suite, spent
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome, start
from labwright.tools.qpu.oracle import gate_errors
from labwright.tools.qpu.settings import QubitSettings
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated

SENTENCE = "Keep the chip calibrated"
HOURS = (2.0, 6.0, 12.0)  # that pass before each round of upkeep
SHARE = 1 / 3  # of the device time of a full calibration
COLUMNS = (
    "case", "hours", "passed", "checks", "recalibrated", "acquisitions", "share", "time_share",
    "device_seconds", "good_before", "good_after", "worst_before", "worst_after",
)  # fmt: skip


def keep_up(case: Case, context: Context) -> Row:
    """One chip: brought up, then kept."""
    folder = context.folder
    options: dict[str, Any] = {"device_options": case.options, "seed": case.seed, "mind": context.options["mind"]}
    options |= {"approval": "auto", "answers": "defaults", "figures": False, "device_folder": str(folder / "device")}
    full = start(CalibrationRequest(case.request, Choices.model_validate(options)), folder / "runs")
    rounds = []
    for hours in HOURS:
        device = open_simulated(folder / "device", case.seed, case.options)
        before = _ratios(device, _settings(device), device.clock + 3600 * hours)
        device.close()
        outcome = start(
            CalibrationRequest(SENTENCE, Choices.model_validate({**options, "idle_hours": hours})), folder / "runs"
        )
        device = open_simulated(folder / "device", case.seed, case.options)
        after = _ratios(device, _settings(device), device.clock)
        device.close()
        rounds.append(_row(case, hours, full, outcome, before, after))
    return {"passed": all(row["passed"] for row in rounds), "rounds": rounds}


def summarise(chips: list[Row], context: Context) -> dict[str, Any]:
    """A row for each round of upkeep, and what upkeep took of a full calibration."""
    rows = [row for chip in chips for row in chip["rounds"]]
    notes = [
        f"{what} of a full calibration that upkeep took: median {median(shares):.2f}, most {max(shares):.2f}"
        for what, name in (("device time", "time_share"), ("acquisitions", "share"))
        if (shares := [row[name] for row in rows])
    ]
    return {"rows": rows, "notes": notes}


def _settings(device: SimulatedProcessor) -> dict[str, QubitSettings]:
    return {qubit: device.settings.current(qubit) for qubit in device.qubits}


def _ratios(device: SimulatedProcessor, settings: dict[str, QubitSettings], clock: float) -> list[float]:
    """True error over limit of every qubit at a device time."""
    return [
        gate_errors(device.transmon(qubit, chosen.frequency, clock), chosen).ratio for qubit, chosen in settings.items()
    ]


def _row(
    case: Case, hours: float, full: Outcome, outcome: Outcome, before: Sequence[float], after: Sequence[float]
) -> Row:
    nodes = [row for rows in outcome.result["upkeep"].values() for row in rows]
    share = outcome.result["acquisitions"] / full.result["acquisitions"]
    time_share = outcome.result["device_seconds"] / full.result["device_seconds"]
    good = sum(ratio <= LARGEST_RATIO for ratio in after)
    faults = [f"ended {outcome.status}: {outcome.reason}"] if outcome.status != "complete" else []
    faults += [f"took {100 * time_share:.0f} % of the time of a full calibration"] if time_share > SHARE else []
    faults += [f"{good} of {len(after)} qubits are within {LARGEST_RATIO:g} times their limit"] if good < FEWEST else []
    return {
        "case": f"{case.name} after {hours:g} h",
        "seed": case.seed,
        "hours": hours,
        "status": outcome.status,
        "passed": not faults,
        "faults": "; ".join(faults),
        "checks": sum(len(row["details"]) for row in nodes) - sum(row["state"] == "recalibrated" for row in nodes),
        "recalibrated": sum(row["state"] == "recalibrated" for row in nodes),
        "trusted": sum(row["state"] == "trusted" for row in nodes),
        "acquisitions": outcome.result["acquisitions"],
        "full_acquisitions": full.result["acquisitions"],
        "share": round(share, 3),
        "time_share": round(time_share, 3),
        "device_seconds": outcome.result["device_seconds"],
        "full_device_seconds": full.result["device_seconds"],
        "good_before": sum(ratio <= LARGEST_RATIO for ratio in before),
        "good_after": good,
        "worst_before": round(max(before), 3),
        "worst_after": round(max(after), 3),
        "wall_seconds": round(float(outcome.document["seconds"]), 1),
        **spent(outcome.document["usage"]),
    }


SUITE = Suite(
    name="upkeep",
    doc="Drawn chips left alone for hours and kept calibrated, again and again",
    cases=GRIDS,
    run=keep_up,
    options={"seeds": 3, "first": 0, "mind": "rules"},
    summarise=summarise,
    columns=COLUMNS,
    required=1.0,
    workers=2,
)
