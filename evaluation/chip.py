"""Suite `chip`: one sentence brings up an unknown 16-qubit chip.

A qubit passes a test of two parts: its true error per gate is at most 1.2 times the
coherence limit of its true T1 and T2E, when it is finished and still when the whole chip is; and its measured error per
gate is within 3 of its own sigma of the truth at that moment, with a sigma of at most 5 % of the limit. A chip passes
with 15 of 16 qubits, in less than 5 minutes of wall time, and in a third of the device time of one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from statistics import median
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from labwright.evaluation.case import Case, drawn_cases
from labwright.evaluation.finished_run_reader import ended
from labwright.evaluation.runner import Context, Row, Suite, spent
from labwright.evaluation.scoring import Ended, benchmark_faults, rb_deviation, wilson
from labwright.evaluation.unattended_calibration import started
from labwright.graphs.lab_calibration.running import Outcome
from labwright.tools.experiments.figures import BLACK, BLUE, ORANGE, VERMILION
from labwright.tools.qpu.oracle import GateErrors, gate_errors
from labwright.tools.qpu.qubit_schedule import distance
from labwright.tools.qpu.simulated import SimulatedProcessor, open_simulated


def chip_figure(rows: Sequence[Row], largest: float = 1.2) -> Figure:
    """Left: true error over coherence limit, a point a qubit. Right: device time one by one and in rounds.

    Args:
        rows: of the suite; a chip that crashed has no qubits and is left out.
        largest: ratio up to which a qubit passes.
    """
    rows = [row for row in rows if row.get("qubits")]
    made = Figure(figsize=(9.6, 4.2), dpi=100, layout="constrained")
    FigureCanvasAgg(made)
    left, right = made.subplots(1, 2, width_ratios=(1.35, 1))
    for place, row in enumerate(rows):
        for number, qubit in enumerate(row["qubits"]):
            x = place + (number - 7.5) * 0.045
            left.plot([x, x], [qubit["ratio"], qubit["ratio_end"]], "-", color="0.7", linewidth=1, zorder=1)
            left.plot(x, qubit["ratio"], "o", color=BLUE, markersize=4, zorder=3)
            left.plot(x, qubit["ratio_end"], "x", color=VERMILION, markersize=4, zorder=2)
    left.plot([], [], "o", color=BLUE, markersize=4, label="when the qubit was finished")
    left.plot([], [], "x", color=VERMILION, markersize=4, label="when the chip was (drift)")
    left.axhline(largest, color=BLACK, linestyle="--", linewidth=1, label=f"passes up to {largest:g}")
    left.axhline(1.0, color="0.5", linestyle=":", linewidth=1, label="coherence limit")
    top = max(max(qubit["ratio"], qubit["ratio_end"]) for row in rows for qubit in row["qubits"])
    left.set(ylabel="true error per gate / coherence limit", ylim=(0.98, top + 0.22 * (top - 0.98)))
    left.legend(frameon=False, fontsize=8.5, loc="upper left", ncols=2)
    for place, row in enumerate(rows):
        right.bar(place - 0.19, row["one_by_one_seconds"] / 3600, 0.36, color=ORANGE)
        right.bar(place + 0.19, row["device_seconds"] / 3600, 0.36, color=BLUE)
        middle = row["device_seconds"] / 7200
        said = f"÷ {row['faster']:.1f}"
        right.text(place + 0.19, middle, said, ha="center", va="center", fontsize=8, color="white", rotation=90)
    right.bar(0, 0, color=ORANGE, label="one by one")
    right.bar(0, 0, color=BLUE, label="in rounds")
    right.set(ylabel="device time (h)")
    right.set_ylim(top=1.2 * max(row["one_by_one_seconds"] for row in rows) / 3600)
    right.legend(frameon=False, fontsize=9, loc="upper right", ncols=2)
    for axis in (left, right):
        axis.set_xticks(range(len(rows)), [str(row["seed"]) for row in rows])
        axis.set_xlabel("seed of the chip")
        axis.tick_params(direction="in", right=True)
    return made


GRIDS = partial(drawn_cases, kind="grid", request="Bring up the chip")
LARGEST_RATIO = 1.2  # true error over coherence limit
FEWEST = 15  # qubits that pass
LONGEST = 300.0  # s of wall time
FASTER = 3.0  # than one by one, in device time
COLUMNS = (
    "case", "passed", "qubits_passed", "rounds", "ratio_median", "ratio_worst", "ratio_end_worst", "rb_sigmas_worst",
    "nearest_MHz", "device_seconds", "faster", "wall_seconds",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judged:
    """One qubit of a chip.

    Attributes:
        ratio: true error over limit when its own lane ended.
        ratio_end: the same when the last lane ended.
        sigmas: measured minus true error at the benchmark, in sigmas; None if there is no benchmark.
        faults: demands that are not met.
    """

    qubit: str
    ratio: float
    ratio_end: float
    sigmas: float | None
    faults: list[str]


def bring_up(case: Case, context: Context) -> Row:
    """One chip from sentence to report, unattended and without figures, then judged."""
    outcome = started(case, context.folder, context.options["mind"])
    device = open_simulated(outcome.run_dir / "device", case.seed, case.options)
    try:
        judged = [judge(device, outcome, qubit) for qubit in device.qubits]
        nearest = min(_nearest(device, names) for names in outcome.result["rounds"] if len(names) > 1)
    finally:
        device.close()
    return {**_row(outcome, judged), "nearest_MHz": round(nearest, 1), **spent(outcome.document["usage"])}


def summarise(rows: list[Row], context: Context) -> dict[str, Any]:
    """Qubits over all chips, and the figure if the folder is kept."""
    if context.kept:
        chip_figure(rows).savefig(context.folder.parent / "chip.png", dpi=150)
    qubits = [qubit for row in rows for qubit in row["qubits"]]
    good = sum(not qubit["faults"] for qubit in qubits)
    return {
        "figures": ["chip.png"] if context.kept else [],
        "notes": [f"{good} of {len(qubits)} qubits pass; 95 %: {wilson(good, len(qubits))}"],
    }


def judge(device: SimulatedProcessor, outcome: Outcome, qubit: str) -> Judged:
    """The two-part test of one qubit."""
    entry = outcome.result["qubits"].get(qubit, {"status": "failed", "cause": "not worked on"})
    said = ended({**outcome.document, "status": entry["status"], "reason": entry["cause"]}, qubit)
    own = [line for line in device.log if line["qubit"] == qubit]
    finished = float(own[-1]["clock_after"]) if own else device.clock
    at_end, at_last = (_ratio(device, qubit, clock) for clock in (finished, device.clock))
    errors = gate_errors(
        device.transmon(qubit, device.settings.current(qubit).frequency, finished), device.settings.current(qubit)
    )
    return Judged(qubit, at_end, at_last, rb_deviation(said, errors), _faults(said, errors, at_end, at_last))


def _ratio(device: SimulatedProcessor, qubit: str, clock: float) -> float:
    settings = device.settings.current(qubit)
    return gate_errors(device.transmon(qubit, settings.frequency, clock), settings).ratio


def _faults(said: Ended, true: GateErrors, at_end: float, at_last: float) -> list[str]:
    if said.status != "complete":
        return [f"ended {said.status}: {said.cause or 'no cause given'}"]
    faults = [
        f"true error is {ratio:.3f} times the limit {when}, above {LARGEST_RATIO:g}"
        for ratio, when in ((at_end, "when it was finished"), (at_last, "when the chip was"))
        if ratio > LARGEST_RATIO
    ]
    return [*faults, *benchmark_faults(said, true)]


def _nearest(device: SimulatedProcessor, names: list[str]) -> float:
    """How near two drives of a round come to each other's lines at the calibrated frequencies, MHz."""
    settings = [device.settings.current(name.partition("-")[0]) for name in names]
    return min(distance(one, two) for one, two in combinations(settings, 2))


def _row(outcome: Outcome, judged: list[Judged]) -> Row:
    result, good = outcome.result, sum(not each.faults for each in judged)
    faster = result["one_by_one_seconds"] / result["device_seconds"]
    wall = float(outcome.document["seconds"])
    faults = [f"{each.qubit}: {'; '.join(each.faults)}" for each in judged if each.faults]
    misses = [f"{good} of {len(judged)} qubits pass"] if good < FEWEST else []
    misses += [f"took {wall:.0f} s"] if wall > LONGEST else []
    misses += [f"only {faster:.2f} times faster than one by one"] if faster < FASTER else []
    return {
        "status": outcome.status,
        "passed": not misses,
        "faults": "; ".join([*misses, *faults]),
        "qubits_passed": good,
        "rounds": len(result["rounds"]),
        "ratio_median": round(median(each.ratio for each in judged), 4),
        "ratio_worst": round(max(each.ratio for each in judged), 4),
        "ratio_end_worst": round(max(each.ratio_end for each in judged), 4),
        "rb_sigmas_worst": round(max((abs(each.sigmas) for each in judged if each.sigmas is not None), default=0.0), 2),
        "device_seconds": result["device_seconds"],
        "one_by_one_seconds": result["one_by_one_seconds"],
        "faster": round(faster, 2),
        "acquisitions": result["acquisitions"],
        "wall_seconds": round(wall, 1),
        "qubits": [
            {
                "qubit": each.qubit,
                "ratio": round(each.ratio, 4),
                "ratio_end": round(each.ratio_end, 4),
                "rb_sigmas": None if each.sigmas is None else round(each.sigmas, 2),
                "measured_error": outcome.result["qubits"].get(each.qubit, {}).get("rb_error_per_gate"),
                "round": outcome.result["qubits"].get(each.qubit, {}).get("round"),
                "faults": each.faults,
            }
            for each in judged
        ],
    }


SUITE = Suite(
    name="chip",
    doc="One sentence brings up drawn 16-qubit chips",
    cases=GRIDS,
    run=bring_up,
    options={"seeds": 5, "first": 0, "mind": "rules"},
    summarise=summarise,
    columns=COLUMNS,
    required=1.0,
    workers=2,
)
