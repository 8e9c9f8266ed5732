"""Reads a finished run: what it says itself, what it spent, and what the oracle knows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from labwright.evaluation.scoring import Ended, TrueState
from labwright.tools.qpu.dynamics import Transmon
from labwright.tools.qpu.oracle import device_errors, gate_errors, optimal_settings
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated
from labwright.tools.qpu.starts import choose


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


def read_device(folder: Path, seed: int, options: dict[str, float | str], qubit: str) -> tuple[TrueState, Spent]:
    """Open the device that a run left in `folder`, and ask the oracle about `qubit`."""
    device = open_simulated(folder, seed, options)
    try:
        return true_state(device, qubit), spent(device)
    finally:
        device.close()


def true_state(device: SimulatedProcessor, qubit: str) -> TrueState:
    """The qubit as it is now, beside the best that it could be."""
    errors = device_errors(device, qubit)
    settings = device.settings.current(qubit)
    now = device.transmon(qubit, settings.frequency)
    best = optimal_settings(now)
    # the optimum is found for a qubit without drift: its detuning is that of the best drive from the undrifted qubit
    at_best = replace(now, detuning=now.truth.frequency - best.frequency)
    return TrueState(
        error_per_gate=errors.per_gate,
        limit=errors.limit,
        best_error_per_gate=gate_errors(at_best, best).per_gate,
        frequency_error=-1e3 * now.detuning,
        amplitude_pi_error=100 * (settings.amplitude_pi / best.amplitude_pi - 1),
        amplitude_pi2_error=100 * (settings.amplitude_pi2 / best.amplitude_pi2 - 1),
        drag_error=settings.drag - best.drag,
    )


def start_ratio(options: dict[str, float | str], qubit: str) -> float:
    """True error over limit with the settings that the controller starts with."""
    truth, settings = choose(options)
    now = Transmon(truth.qubit(qubit), truth.qubit(qubit).frequency - settings[qubit].frequency)
    return gate_errors(now, settings[qubit]).ratio


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
