"""Who enters the arena without a loop of tools: Labwright itself, two scripts, and chance."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from labwright.evaluation.arena.client import Arena
from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.running import CalibrationRequest, start
from labwright.tools.errors import ToolError
from labwright.tools.experiments import registry
from labwright.tools.runs.run import load_run
from labwright.tools.upkeep.causes import table as known_causes

Usage = dict[str, Any]
Entrant = Callable[[Arena, Path, str], Usage]  # the bench, a folder of its own, `mind`; what its model cost
QUBIT = "Q1"
# The quantity that is claimed, and the estimate or result that says it
CLAIMED = {"t1": "t1.t1", "t2_echo": "spin_echo.t2_echo", "error_per_gate": "single_qubit_rb.error_per_gate"}
UNITS = {"t1": "us", "t2_echo": "us", "frequency": "MHz", "error_per_gate": ""}
Script = tuple[tuple[str, dict[str, Any]], ...]
BENCHMARK: Script = (("t1", {}), ("spin_echo", {}), ("single_qubit_rb", {}))
# The experiments in a fixed order; no result is inspected or repeated, and all is believed. The fixed script is our
# procedure's first pass. The expert script was written for drawn devices without a fault: its sweeps suit every start,
# and it plays the second ping-pong and the long Ramsey without being asked.
SCRIPTS: dict[str, Script] = {
    "fixed_script": (
        ("ramsey", {"offset": 3.0, "stop": 0.5}),
        ("rabi", {}),
        ("amplitude_pingpong", {}),
        ("drag_calibration", {}),
        *BENCHMARK,
    ),
    "expert_script": (
        ("ramsey", {"offset": 5.0, "stop": 2.0}),
        ("rabi", {}),
        ("amplitude_pingpong", {}),
        ("drag_calibration", {}),
        ("amplitude_pingpong", {}),
        ("ramsey", {"offset": 0.1, "stop": 50.0}),
        *BENCHMARK,
    ),
}
# Cause of the last stage of a failed calibration -> what the arena calls it, where no diagnosis says more; the rest is
# `other`.
CAUSES = {
    "readout_unresolved": "readout_noise", "no_contrast": "readout_noise", "no_response": "frequency",
    "frequency_off": "frequency", "no_line_in_sweep": "frequency", "detuned_drive": "frequency",
    "amplitude_far_off": "drive_strength", "drive_too_weak": "drive_strength", "signal_moved": "frequency_jump",
    "fringes_decay_within_sweep": "frequency_noise", "frequency_imprecise": "frequency_noise",
    "decay_outside_window": "short_lifetime", "sequences_too_long": "short_lifetime",
}  # fmt: skip


def labwright(arena: Arena, folder: Path, mind: str, diagnose: bool = True) -> Usage:
    """One sentence to Labwright, unattended; what it reports is handed in."""
    choices = Choices(
        device="labwright.evaluation.arena.client:open_device", device_options={"arena": arena.name}, mind=mind,
        approval="auto", answers="defaults", figures=mind != "rules", diagnose=diagnose,
    )  # fmt: skip
    outcome = start(CalibrationRequest(f"Calibrate qubit {QUBIT} and benchmark it", choices), folder)
    result, done = outcome.document["result"], outcome.status == "complete"
    measured = result.get("qubits", {}).get(QUBIT, {}).get("measured", {})
    error = measured.get("ramsey.frequency_error", {}).get("error")
    stages = [stage for stage in result.get("stages", []) if stage["action"]]
    events = load_run(outcome.run_dir).events.read()  # a run that was stopped has no result
    looked: list[str] = next((event["causes"] for event in reversed(events) if event["kind"] == "diagnosed"), [])
    seen = CAUSES.get(stages[-1]["cause"], "other") if stages else ""
    cause = "" if done else next((each for each in looked if known_causes()[0][each].ends), (looked or [seen])[0])
    hand_in(
        arena, measured, error, "calibrated" if done else "refused", cause or ("" if done else "other"), outcome.reason
    )
    return dict(outcome.document["usage"].get("total", {}))


def script(arena: Arena, _folder: Path, _mind: str, name: str) -> Usage:
    """Play a script; an experiment that the bench refuses is left out."""
    _played(arena, SCRIPTS[name], "calibrated")
    return {}


def chance(arena: Arena, _folder: Path, _mind: str) -> Usage:
    """Fifteen experiments on one qubit by lot, their defaults, and a word by lot."""
    said = arena.call("describe")
    rng = random.Random(zlib.crc32(repr(arena.call("settings")).encode()))
    single = [
        n
        for n in said["experiments"]
        if not {p.name for p in registry.card(registry.experiments()[n]).parameters} & {"partner", "qubits"}
    ]
    _played(arena, tuple((name, {}) for name in rng.choices(single, k=15)), rng.choice(["calibrated", "refused"]))
    return {}


def _played(arena: Arena, steps: Script, status: str) -> None:
    measured: dict[str, Any] = {}
    known: dict[str, float] = {}
    error = None
    for name, arguments in steps:
        accepted = {parameter.name for parameter in registry.card(registry.experiments()[name]).parameters}
        given = {key: value for key, value in known.items() if key in accepted}
        try:
            said = arena.call("run_experiment", name=name, arguments={**given, **arguments})
        except ToolError:
            continue
        for key, (value, sigma, unit) in said["estimates"].items():
            measured[f"{name}.{key}"] = {"value": value, "error": sigma, "unit": unit}
        known |= {k: said["estimates"][k][0] for k in ("t1", "t2_echo") if k in said["estimates"]}
        if name == "ramsey" and "frequency_error" in said["estimates"]:
            error = said["estimates"]["frequency_error"][1]
    hand_in(arena, measured, error, status, "other" if status == "refused" else "", "")


def hand_in(
    arena: Arena, measured: Mapping[str, Any], error: float | None, status: str, cause: str, reason: str
) -> None:
    """Claim what was measured; the frequency is the drive's, with the error of the last Ramsey fringes."""
    trusted = status == "calibrated"
    claims = [
        {"quantity": name, "value": measured[key]["value"], "error": measured[key]["error"], "unit": UNITS[name]}
        for name, key in CLAIMED.items()
        if key in measured and measured[key]["error"] > 0
    ]
    if error:
        drive = arena.call("settings")["settings"]["frequency"]
        claims.append({"quantity": "frequency", "value": drive, "error": error, "unit": "MHz"})
    claims = [{**claim, "trusted": trusted} for claim in claims]
    arena.call("hand_in", status=status, claims=claims, cause=cause, reason=reason)
