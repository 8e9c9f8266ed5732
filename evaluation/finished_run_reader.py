"""Reads a finished run: what it says itself, what it spent, and what the oracle knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labwright.evaluation.scoring import Ended
from labwright.tools.qpu.simulated import SimulatedProcessor


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run took from the device.

    Attributes:
        measurements: acquisitions that were played.
        shots: sequences played, points times shots, summed.
        device_seconds: s on the device's clock.
    """

    measurements: int
    shots: int
    device_seconds: float


def spent(device: SimulatedProcessor) -> Spent:
    """Counted in the device's own journal."""
    return Spent(len(device.log), sum(entry["points"] * entry["shots"] for entry in device.log), device.clock)


def ended(document: dict[str, Any], qubit: str) -> Ended:
    """What the result document of a run says about `qubit`."""
    found = document["result"].get("qubits", {}).get(qubit, {})
    return Ended(
        status=document["status"],
        cause=document["reason"],
        rb_error=found.get("rb_error_per_gate"),
        rb_std=found.get("rb_error_std"),
        measured_limit=found.get("limit_error_per_gate"),
    )


def experiments_run(document: dict[str, Any]) -> dict[str, int]:
    """Experiment -> how often it ran, from the stages of a result document."""
    counts: dict[str, int] = {}
    for row in document["result"].get("stages", []):
        if row["experiment"] and row["action"]:
            counts[row["experiment"]] = counts.get(row["experiment"], 0) + 1
    return counts
