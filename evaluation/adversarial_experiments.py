"""Suite `adversarial`: every experiment that writes, on drawn truths, with drawn arguments and wrong prerequisites.

Each case is played as a calibration would play the stage alone: the experiment, the built-in decision what follows, and
again with what the report proposes. Silently wrong is what was accepted with a setting more than five of its claimed
errors from the truth that doubles the gate error, or the readout error where the setting is one of readout. A refusal
is no failure here; those where every setting was right are counted beside (`refused_sound` of `sound`), since only the
device's own trouble and odd arguments excuse them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from scipy.special import betaincinv

from labwright.evaluation.random_truths import Drawn, drawn
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.evaluation.settings_error import judged
from labwright.tools.errors import InputError
from labwright.tools.experiments import registry
from labwright.tools.experiments.base import Report
from labwright.tools.experiments.call import ExperimentCall
from labwright.tools.experiments.perform import perform
from labwright.tools.qpu.simulated import SimulatedProcessor
from labwright.tools.specifications.calibration import COMPLETE, FAILED
from labwright.tools.specifications.transition_conditions import Situation
from labwright.tools.specifications.transitions import Outcome, move

RUNS = 6  # of a stage: the first and five repetitions, as a calibration has it
DRAWS = {"ramsey": 200, "drag_calibration": 200}  # cases of an experiment, unless `seeds` says otherwise
FEWEST = 48
# What no measurement can tell apart, and why; none of these is drawn, and nothing that is drawn is added afterwards.
UNTELLABLE = {
    "a frequency that moves after the last acquisition": "the truth is that of the last acquisition's device time",
    "a qubit that reads 1 at rest": "with more than half of it in level 1, the names of 0 and 1 are a convention",
    "another qubit's resonator or line at the same frequency": "one line can only be told from two that lie apart",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One draw of one experiment."""

    name: str
    seed: int


def writers() -> list[str]:
    """The experiments that write settings."""
    return [name for name, kind in registry.experiments().items() if kind.writes]


def cases(options: Options) -> list[Case]:
    """All draws of the chosen experiments.

    Raises:
        InputError: an experiment that was asked for writes nothing.
    """
    chosen = options["experiment"] or writers()
    if unknown := sorted(set(chosen) - set(writers())):
        raise InputError(f"{unknown[0]!r} is no experiment that writes settings. Those are: {', '.join(writers())}.")
    count = {name: options["seeds"] or DRAWS.get(name, FEWEST) for name in chosen}
    return [Case(name, seed) for name in chosen for seed in range(options["first"], options["first"] + count[name])]


def attack(case: Case, context: Context) -> Row:
    """Play one draw until it is accepted or given up, and judge what was accepted."""
    context.folder.mkdir(parents=True, exist_ok=True)
    made = drawn(case.name, case.seed, context.folder)
    device = made.open(context.folder / "device", case.seed)
    try:
        ended, report, runs = played(made, device)
        row: Row = {"wrong": ", ".join(made.wrong), "arguments": made.arguments, "runs": runs, "cause": report.cause}
        if ended != COMPLETE:
            return {**row, "ended": "refused", "passed": True, "cause": report.cause}
        found = judged(device, made.kind.writes, report, case.seed)
    finally:
        device.close()
    ended = "silently wrong" if found.silently_wrong else "off" if found.sigmas > 5 else "right"
    told = {"sigmas": float(f"{found.sigmas:.3g}"), "factor": float(f"{found.factor:.3g}"), "setting": found.worst}
    return {**row, **told, "ended": ended, "passed": not found.silently_wrong}


def played(made: Drawn, device: SimulatedProcessor) -> tuple[str, Report, int]:
    """COMPLETE or FAILED by the built-in decision, the last report, and how many runs it took."""
    arguments = dict(made.arguments)
    for run in range(1, RUNS + 1):
        try:
            report = perform(made.kind, ExperimentCall(made.kind.name, arguments), device, f"run.{run}").report
        except InputError as refused:
            return FAILED, Report("wrong_setup", "refused", str(refused), cause="input_refused"), run
        situation = Situation(report.verdict, report.cause)
        step = move([], Outcome([made.kind.name], 0, situation, run, RUNS, report.proposal))
        if step.next in (COMPLETE, FAILED):
            break
        arguments |= step.change
    return step.next, report, run


def summarise(rows: list[Row], _context: Context) -> dict[str, Any]:
    """One line an experiment, and every case that is silently wrong."""
    by: dict[str, list[Row]] = {}
    for row in rows:
        by.setdefault(row["case"], []).append(row)
    table = [_line(name, group) for name, group in by.items()]
    wrong = [row for row in rows if row["ended"] == "silently wrong"]
    return {"rows": table, "wrong": wrong, "untellable": UNTELLABLE}


def _line(name: str, rows: list[Row]) -> Row:
    counts = Counter(row["ended"] for row in rows)
    causes = Counter(row["cause"] for row in rows if row["ended"] == "refused").most_common()
    k, n = counts["silently wrong"], len(rows)
    return {
        "case": name, "seed": 0, "status": "complete", "passed": not k, "n": n, "right": counts["right"],
        "off": counts["off"], "refused": counts["refused"], "silently_wrong": k, "at_most": upper_bound(k, n),
        "sound": sum(not row["wrong"] for row in rows),
        "refused_sound": sum(not row["wrong"] and row["ended"] == "refused" for row in rows),
        "causes": ", ".join(f"{cause} {count}" for cause, count in causes),
    }  # fmt: skip


def upper_bound(k: int, n: int) -> float:
    """Largest share with k of n that 95 % confidence leaves (Clopper and Pearson, one-sided), four digits."""
    return 1.0 if k == n else float(f"{betaincinv(k + 1, n - k, 0.95):.4g}")


SUITE = Suite(
    name="adversarial",
    doc="Every experiment that writes, on drawn truths with drawn arguments and wrong prerequisites",
    cases=cases,
    run=attack,
    options={"seeds": 0, "first": 0, "experiment": ()},
    summarise=summarise,
    columns=("case", "n", "right", "off", "refused", "sound", "refused_sound", "silently_wrong", "at_most", "causes"),
    chooses=("seeds", "first", "experiment"),
    required=1.0,
    workers=0,
)
