"""Pulses by GRAPE, verified by another integration, recorded and drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from labwright.results import parameter, record

Given = Mapping[str, Any]
USED = ("duration", "slots", "lower", "upper", "seed", "penalties", "target_name", "levels")


def system(given: Given) -> dict[str, Any]:
    """Hamiltonians and aim, as both tools take them."""
    same = {name: given[name] for name in ("drift", "goal", "target", "duration")}
    return {**same, "subspace": given["places"], "controls": [one["matrix"] for one in given["controls"]]}


def starting(given: Given, tools: Any, slots: int) -> Any:
    """Second control first: Gaussians of area 3 pi at 0.4 and 0.6 of the duration; or none: random ones."""
    if given["first_guess"] == "random":
        return []
    peak = 3 * math.pi / (math.sqrt(2 * math.pi) * 0.15 * given["duration"])
    shapes = [{"kind": "gaussian", "peak": peak, "centre": centre, "width": 0.15} for centre in (0.6, 0.4)]
    return tools.shaped_pulses(duration=given["duration"], slots=slots, shapes=shapes).amplitudes


def optimised(given: Given, tools: Any, slots: int, penalties: Any, iterations: int) -> Any:
    """Pulses by GRAPE."""
    return tools.grape_pulses(
        **system(given), initial=given["initial"] if given["goal"] == "state" else [], slots=slots,
        start=starting(given, tools, slots), penalties=penalties, max_iterations=iterations,
        **{name: given[name] for name in ("start_scale", "seed", "lower", "upper", "infidelity_target")},
    )  # fmt: skip


def verified(given: Given, tools: Any, amplitudes: Any) -> Any:
    """What the pulses do, by another integration."""
    return tools.evolve_under_pulses(**system(given), initial=given["initial"], amplitudes=amplitudes)


def main(given: Given, tools: Any) -> None:
    """Optimise, verify, record and draw."""
    found = optimised(given, tools, given["slots"], given["penalties"], given["max_iterations"])
    shown = verified(given, tools, found.amplitudes)
    print(f"GRAPE: fidelity {found.fidelity:.8f} after {found.iterations} iterations ({found.stopped_because})")
    print(f"verified by evolution: fidelity {shown.fidelity:.8f}")
    gate, unit = given["goal"] == "gate", given["time_unit"]
    slots = [time + given["duration"] / given["slots"] / 2 for time in found.slot_starts]
    names = [one["label"] for one in given["controls"]]
    pulses, courses = np.transpose(found.amplitudes), np.transpose(shown.populations)
    for name, pulse in zip(names, pulses, strict=True):
        record("pulse", pulse, axes={"time": (slots, unit)}, labels={"control": name})
    means = np.trapezoid(courses, shown.times, axis=1) / given["duration"]
    for level, course, mean in zip(given["levels"], courses, means, strict=True):
        short = int(level) if level.isdigit() and len(level) == 1 else level
        record("population", course, axes={"time": (shown.times, unit)}, labels={"level": short})
        record("mean_occupation", mean, labels={"level": level, "case": "reported"})
        record("peak_occupation", course.max(), labels={"level": level, "case": "reported"})
    record("fidelity", shown.average_gate_fidelity if given["average_fidelity"] else shown.fidelity)
    record("optimiser_fidelity", found.fidelity)
    if gate:
        record("process_fidelity", shown.fidelity)
        record("average_gate_fidelity", shown.average_gate_fidelity)
    if given["penalties"]:
        plain = optimised(given, tools, given["slots"], [], given["max_iterations"])
        print(f"without penalties, for comparison: fidelity {plain.fidelity:.8f}")
        for level, mean in zip(given["levels"], plain.mean_occupations, strict=True):
            record("mean_occupation", mean, labels={"level": level, "case": "without penalty"})
    record("start_fidelity", found.start_fidelity)
    record("iterations", found.iterations)
    record("norm_error", shown.norm_error)
    told = "|Tr(V^dag U)/d|^2" if gate else "|<target|psi>|^2"
    parameter(
        fidelity_convention="average gate fidelity" if given["average_fidelity"] else told, algorithm="GRAPE",
        start=given["first_guess"], stopped_because=found.stopped_because, **{name: given[name] for name in USED},
    )  # fmt: skip
    start = (given["initial_name"] or "initial").strip("|>")
    levels = [f"P({one})" if len(one) > 1 else f"P{one}" for one in given["levels"]]
    for path, title, y_label, x, curves in (
        ("img/pulses.png", "Control pulses", "amplitude (rad / time)", slots, zip(names, pulses, strict=True)),
        ("img/populations.png", f"Populations from |{start}>", "population", shown.times,
         zip(levels, courses, strict=True)),
    ):  # fmt: skip
        series = [{"label": name, "x": x, "y": y.tolist()} for name, y in curves]
        panel = {"title": "", "x_label": f"time ({unit or 'arbitrary units'})", "y_label": y_label, "series": series}
        tools.plot_lines(path=path, title=title, panels=[panel])
