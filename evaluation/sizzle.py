"""Suites `sizzle` and `sizzle-hard`: the search for siZZle gate parameters on drawn pairs, against the best gate.

A case passes if the gate that the search found, timed and verified, has a total error within 0.2 % (absolute) of the
oracle's best under the same drive limit and edges, in at most 40 acquisitions, verification included, and a minute of
processor time. The oracle's best is the smallest total error on a grid of 1 MHz and four amplitudes; the grid is part
of the result. Beside it stand other searches with the same budget, the same noise and the same finals.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from labwright.evaluation.case import Case
from labwright.evaluation.row import Row, scored
from labwright.evaluation.sizzle_rivals import RIVALS
from labwright.evaluation.workers import OnProgress, kept_or_temporary, run_cases
from labwright.tools.experiments.base import Bench, Report
from labwright.tools.experiments.interleaved_rb_cz import InterleavedRbCz
from labwright.tools.experiments.pairs import DRIVE_LIMIT, pair_of
from labwright.tools.experiments.process_tomography import ProcessTomography
from labwright.tools.experiments.sizzle_attempt import Trials
from labwright.tools.experiments.sizzle_finals import finals, kept_back
from labwright.tools.experiments.sizzle_search import MOST_FREQUENCIES, UPDATED, SizzleSearch
from labwright.tools.experiments.stark_echo_tuneup import StarkEchoTuneup
from labwright.tools.qpu.oracle_pair import best_gate, pair_error
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated

NEAR = 0.002  # of the total error
MOST_ACQUISITIONS = 40
VERIFYING = 4  # acquisitions: two of the tune-up, one of interleaved benchmarking, one of process tomography
SECONDS = 60.0
REQUIRED = 0.9  # of the cases
EDGE = 0.08
COLUMNS = (
    "case", "passed", "detuning", "best_error", "error", "excess", "acquisitions", "seconds", "rb_error", "rb_std",
    "tomography_error", "tomography_std", "region",
)  # fmt: skip


def run(
    seeds: int = 10,
    on_progress: OnProgress | None = None,
    *,
    first: int = 48,
    kind: str = "pair",
    rivals: Sequence[str] = tuple(RIVALS),
    workers: int = 2,
    out: Path | None = None,
) -> dict[str, Any]:
    """Score drawn pairs: {suite, n, score, interval, passed, columns, summary, rows, baselines, oracle}.

    Args:
        seeds: number of pairs.
        on_progress: hears one line a finished case.
        first: the first seed; the search was tuned on pairs 0 to 9 and 20 to 29, and mended on 30 to 47.
        kind: ``pair``, or ``hard_pair`` for those that leave a drive little room.
        rivals: the other searches that run on the same pairs.
        workers: processes; 0 runs in this one.
        out: keeps what each case gave, and goes on where an earlier evaluation stopped; a temporary folder if None.
    """
    suite = "sizzle" if kind == "pair" else "sizzle-hard"
    words = "Find siZZle gate parameters for Q1 and Q2"
    cases = [
        Case(f"{kind} {seed}", seed, {"device": f"{kind}:{seed}"}, request=words)
        for seed in range(first, first + seeds)
    ]
    with kept_or_temporary(out) as folder:
        rows = run_cases(search, cases, folder / suite, workers, on_progress)
        others = {
            name: run_cases(partial(rival, name=name), cases, folder / f"{suite}_{name}", workers, on_progress)
            for name in rivals
        }
    bests = {row["case"]: row.get("best_error") for row in rows}
    grids = {row["case"]: row.pop("oracle", None) for row in rows}
    result = {**scored(suite, rows), "columns": COLUMNS, "summary": _summary(rows)}
    result["passed"] = result["score"] >= REQUIRED
    result["baselines"] = {name: _judged(found, bests) for name, found in others.items()}
    result["oracle"] = {"unit": "per cent at 1 MHz steps, - where there is no CZ within 3 us a pulse", **grids}
    return result


def search(case: Case, folder: Path) -> Row:
    """Search, tune up and verify one pair, and judge it by the oracle."""
    device = open_simulated(folder / "device", case.seed, case.options)
    try:
        begun = time.process_time()
        reports = _calibrated(device)
        seconds = time.process_time() - begun
        return _row(case, device, reports, seconds)
    finally:
        device.close()


def _calibrated(device: SimulatedProcessor) -> dict[str, Report]:
    """The experiments of the procedure, in order, each under a key of its own."""
    reports = {}
    for kind in (SizzleSearch, StarkEchoTuneup, InterleavedRbCz, ProcessTomography):
        experiment = kind(Bench(device, kind.name))
        experiment.run("Q1", "Q2")
        reports[kind.name] = experiment.report()
        if reports[kind.name].verdict == "wrong_setup":
            break
        experiment.update()
    return reports


def best_error(device: SimulatedProcessor) -> tuple[float, float, dict[str, Any]]:
    """The oracle's best total error of a CZ on the device's pair, its drive frequency in MHz, and the whole grid."""
    each = [device.settings.current(name) for name in ("Q1", "Q2")]
    low, high = sorted(s.frequency for s in each)
    frequencies = np.arange(np.floor(low - 120), np.ceil(high + 80))
    pair, error, table = best_gate(
        device.register(("Q1", "Q2")), each[0], each[1], EDGE, DRIVE_LIMIT, list(frequencies)
    )
    shown = [table[table[:, 0] == f, 3].min(initial=np.inf) for f in frequencies]
    words = " ".join("-" if np.isinf(value) else f"{100 * value:.2f}" for value in shown)
    return error.best_turns, pair.frequency, {"first_mhz": float(frequencies[0]), "errors": words}


def _row(case: Case, device: SimulatedProcessor, reports: dict[str, Report], seconds: float) -> Row:
    best, where, grid = best_error(device)
    gate = device.settings.pair("Q1-Q2")
    low, high = sorted(device.settings.current(name).frequency for name in ("Q1", "Q2"))
    row: Row = {
        "case": case.name, "seed": case.seed, "status": "complete" if len(reports) == 4 else "failed",
        "detuning": round(high - low, 1), "best_error": _short(best), "best_frequency": float(where),
        "acquisitions": len(device.log), "shots": sum(e["shots"] * e["points"] for e in device.log),
        "device_seconds": round(device.clock, 1), "seconds": round(seconds, 1), "oracle": grid,
    }  # fmt: skip
    if not gate.calibrated:
        return {**row, "passed": False, "faults": "no gate found"}
    true = pair_error(device, "Q1-Q2")
    excess = true.total - best
    faults = [f"{100 * excess:.2f} % above the best"] if excess > NEAR else []
    faults += [f"{row['acquisitions']} acquisitions"] if row["acquisitions"] > MOST_ACQUISITIONS else []
    faults += [f"{seconds:.0f} s"] if seconds > SECONDS else []
    region = "below" if gate.frequency < low else "above" if gate.frequency > high else "between"
    row |= {"error": _short(true.total), "excess": _short(excess), "frequency": gate.frequency, "region": region}
    row |= _verified(reports, true.total)
    return {**row, "passed": not faults, "faults": "; ".join(faults)}


def _verified(reports: dict[str, Report], true: float) -> Row:
    """What interleaved benchmarking and tomography said, and how many of their sigmas from the truth."""
    row: Row = {}
    for name, experiment in (("rb", "interleaved_rb_cz"), ("tomography", "process_tomography")):
        if experiment in reports and "cz_error" in reports[experiment].estimates:
            found = reports[experiment].estimates["cz_error"]
            row |= {f"{name}_error": _short(found.value), f"{name}_std": _short(found.error)}
            row[f"{name}_sigmas"] = _short((found.value - true) / found.error)
    return row


def rival(case: Case, folder: Path, name: str) -> Row:
    """Another search on one pair with the budget of ours; judged as ours, timed but not verified."""
    device = open_simulated(folder / "device", case.seed, case.options)
    try:
        bench = Bench(device, "search")
        most = MOST_ACQUISITIONS - VERIFYING
        trials = Trials(bench, pair_of(bench, "Q1", "Q2"), EDGE, 10 * MOST_FREQUENCIES, most - kept_back(most))
        trials.advisor = RIVALS[name](case.seed)
        trials.thorough = True
        while not (advice := trials.advisor.frequency(trials.now)).stop:
            trials.at(advice.frequency)
        found = finals(trials, most)
        row: Row = {"case": case.name, "seed": case.seed, "status": "complete", "drives": len(trials.attempts)}
        if not found:
            return {**row, "passed": False, "faults": "no gate found", "acquisitions": len(device.log)}
        gate = found[0].gate
        device.settings.update("Q1-Q2", {n: float(getattr(gate, n)) for n in UPDATED}, key="best", reason=name)
        tune = StarkEchoTuneup(Bench(device, "tune"))
        tune.run("Q1", "Q2")
        tune.update()
        error = pair_error(device, "Q1-Q2").total
        return {**row, "passed": True, "faults": "", "error": _short(error), "acquisitions": len(device.log)}
    finally:
        device.close()


def _judged(rows: Sequence[Row], bests: dict[str, float | None]) -> dict[str, Any]:
    """A rival's score by the same measure: near the best, whatever the time."""
    excesses = {}
    for row in rows:
        best = bests.get(row["case"])
        if "error" in row and best is not None:
            excesses[row["case"]] = round(row["error"] - best, 6)
    passed = sum(excess <= NEAR for excess in excesses.values())
    worst = max(excesses.values(), default=None)
    return {
        "n": len(rows), "score": passed / len(rows), "found": len(excesses), "excess": excesses,
        "median_excess": median(excesses.values()) if excesses else None, "worst_excess": worst,
    }  # fmt: skip


def _summary(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    names = ("excess", "error", "best_error", "acquisitions", "seconds", "rb_sigmas", "tomography_sigmas")
    values = {name: [float(row[name]) for row in rows if row.get(name) is not None] for name in names}
    values = {name: [abs(v) for v in found] if "sigmas" in name else found for name, found in values.items()}
    return {name: {"median": median(found), "worst": max(found)} for name, found in values.items() if found}


def _short(value: float) -> float:
    return float(f"{value:.5g}")
