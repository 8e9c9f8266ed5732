"""Suites `forge-*`: the paper's tasks and a curriculum; by cards, or by words with a model.

Score of a task: the mean of accuracy and methodology, both computed (`grading`). A row passes if every counted
criterion is met; in chemistry half a point is enough where the paper gives halves.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import stdev
from typing import Any, get_args

from labwright.agents.tool_forging.known_task_types import STANDARD
from labwright.evaluation.forge.running import COLUMNS, Setting, run_task
from labwright.evaluation.forge.tasks import Set, Task, chosen, load_tasks
from labwright.evaluation.language_suites import given_of, outcome_of
from labwright.evaluation.runner import Context, Options, Row, Suite
from labwright.graphs.tool_forging.choices import EMPTY, Mode
from labwright.tools.errors import InputError

MEASURED = (
    "score", "accuracy", "methodology", "seconds", "science_seconds", "other_seconds", "calls", "tokens",
    "cost", "iterations", "made", "used", "unused", "edited",
)  # fmt: skip


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """Means over all runs, standard deviations over repeats of the whole set, share of tools that were used."""
    if not rows:
        return {}
    repeats = sorted({row["repeat"] for row in rows})
    table: dict[str, Any] = {"runs": len(rows), "passed": sum(bool(row["passed"]) for row in rows)}
    for name in MEASURED:
        per_repeat = [_mean([row.get(name) for row in rows if row["repeat"] == repeat]) for repeat in repeats]
        known = [value for value in per_repeat if value is not None]
        if known:
            table[name] = _short(sum(known) / len(known))
            if len(known) > 1:
                table[f"{name} sd"] = _short(stdev(known))
    made, unused = (sum(row.get(name) or 0 for row in rows) for name in ("made", "unused"))
    table["tools_made"], table["tools_unused"] = made, unused
    table["use_rate"] = _short(1 - unused / made) if made else None
    table["runs_with_edits"] = sum(bool(row.get("edited")) for row in rows)
    return table


def grouped(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Task -> means over its repeats."""
    names = list(dict.fromkeys(row["task"] for row in rows))
    return {name: totals([row for row in rows if row["task"] == name]) for name in names}


def _mean(values: Sequence[Any]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _short(value: float) -> float:
    return float(f"{value:.5g}")


OPTIONS: Options = {
    "mode": "forge",  # `reuse` makes no tools; `direct` does without
    "repeats": 1,  # runs of each task, with the seeds 0, 1, ...
    "tasks": None,  # numbers or parts of names; None for all
    "toolset": None,  # folder to begin with, of which each run gets a copy; `empty`: without the shipped tools
    "nightly": True,  # the long tasks, too
    "mind": "rules",
}


@dataclass(frozen=True, slots=True)
class Case:
    """One run of a task."""

    name: str
    seed: int


def cases_of(which: Set, options: Options) -> list[Case]:
    """The chosen tasks whose extras are installed, each as often as it is repeated.

    Raises:
        InputError: an option is none of those there are, or no task is left.
    """
    if options["mode"] not in get_args(Mode):
        known = ", ".join(get_args(Mode))
        raise InputError(f"There is no mode {options['mode']!r} here. Choose one of: {known}.")
    tasks = chosen(which, options["tasks"], options["nightly"])
    found = [Case(task.name, seed) for task in tasks if not task.missing_extras for seed in range(options["repeats"])]
    if not found:
        raise InputError(" ".join([f"No task of {which} can be run.", *_skipped(tasks)]))
    return found


def solve(case: Case, context: Context) -> Row:
    """Run one task and grade it."""
    options = context.options
    toolset = options["toolset"] if options["mode"] != "direct" else None
    place = str(Path(toolset).absolute()) if toolset not in (None, EMPTY) else toolset or ""
    setting = Setting(options["mode"], options["mind"], place)
    row = run_task(_task(case.name), case.seed, setting, context.folder)
    return {"outcome": outcome_of(bool(row["passed"]), given_of(row["status"])), **row}


def _task(name: str) -> Task:
    return next(task for task in (*load_tasks("dynamics"), *load_tasks("chemistry")) if task.name == name)


def _skipped(tasks: Sequence[Task]) -> list[str]:
    return [
        f"{task.name} was not run: pip install 'labwright[{','.join(task.missing_extras)}]'"
        for task in tasks
        if task.missing_extras
    ]


def needed(which: Set, rows: Sequence[Row]) -> list[str]:
    """What the tasks take that were not run."""
    run, found = {row["task"] for row in rows}, []
    for task in load_tasks(which):
        known = STANDARD.card(task.card) if task.card and task.name not in run and not task.missing_extras else None
        told = known[0].forewarned(known[1].compiled(), math.inf) if known else ()
        found += [f"{task.name} was not run. {text}" for text in told]
    return found


def summarise(which: Set, rows: list[Row], context: Context) -> dict[str, Any]:
    """Totals and tables by task; it passes if every row does."""
    options = context.options
    return {
        "mode": options["mode"],
        "summary": {"total": totals(rows), "tasks": grouped(rows)},
        "notes": [*_skipped(chosen(which, options["tasks"], options["nightly"])), *needed(which, rows)],
        "passed": all(row["passed"] for row in rows),
    }


def _suite(which: Set, doc: str, **options: Any) -> Suite:
    return Suite(
        name=f"forge-{which}",
        doc=doc,
        cases=partial(cases_of, which),
        run=solve,
        options={**OPTIONS, **options},
        summarise=partial(summarise, which),
        chooses=("repeats", "tasks", "nightly"),
        columns=COLUMNS,
    )


@dataclass(frozen=True, slots=True)
class Lesson:
    """A task of the curriculum, the first or the second time."""

    name: str
    task: str
    number: int  # of the pass
    first: bool  # of all
    seed: int = 0


def lessons(options: Options) -> list[Lesson]:
    """The tasks in the paper's order, then all again.

    Raises:
        InputError: there is no such task, or no task is left.
    """
    names = [task.name for task in _sequence(options["tasks"], options["nightly"])]
    if not names:
        raise InputError("No task of the curriculum can be run: extras are missing.")
    return [
        Lesson(f"pass {number} {name}", name, number, number == 1 and name == names[0])
        for number in (1, 2)
        for name in names
    ]


def learn(case: Lesson, context: Context) -> Row:
    """One task with the toolset that the tasks before it have grown."""
    options, own = context.options, context.folder.parent / "toolset"
    if case.first and options["toolset"] is None and own.exists():
        shutil.rmtree(own)  # what an earlier evaluation has grown
    grown = str(Path(options["toolset"] or own).absolute())
    setting = _setting(options, case.number, grown)
    row = run_task(_task(case.task), 0, setting, context.folder)
    return {**row, "pass": case.number}


def _setting(options: Options, number: int, toolset: str) -> Setting:
    """In the second pass the toolset grows on, or another mind reuses it with generation off (strong to weak)."""
    mind, maker = options["mind"], options["maker"]
    if number == 2 and maker:
        return Setting("reuse", mind, toolset)
    return Setting("forge", maker or mind, toolset, grows=True)


def _of_curriculum(rows: list[Row], context: Context) -> dict[str, Any]:
    """It passes if the second time nothing is made and every score is as good."""
    ones, twos = ({row["task"]: row for row in rows if row["pass"] == number} for number in (1, 2))
    made = sum(row.get("made", 0) for row in twos.values())
    before, after = (sum(row.get("other_seconds", 0.0) for row in half.values()) for half in (ones, twos))
    second = _setting(context.options, 2, "")
    return {
        "mode": "forge",
        "passed": made == 0 and all(twos[name]["score"] >= one["score"] - 0.02 for name, one in ones.items()),
        "summary": {"first pass": totals(list(ones.values())), "second pass": totals(list(twos.values()))},
        "notes": [
            f"second pass: {made} tools made; time apart from the science {after:.1f} s, first pass {before:.1f} s"
            f" ({100 * (1 - after / before) if before else 0:.0f} % less); second mind {second.mind},"
            f" mode {second.mode}"
        ],
    }


def _sequence(names: list[str] | None, nightly: bool) -> list[Task]:
    """Tasks of a curriculum: dynamics by default, and chemistry after it if that is wanted."""
    wanted = list(names or [])
    sets: list[Set] = ["dynamics"]
    if "both" in wanted:
        sets = ["dynamics", "chemistry"]
    elif "chemistry" in wanted:
        sets = ["chemistry"]
    picked = [name for name in wanted if name not in ("both", "chemistry", "dynamics")]
    found = [task for one in sets for task in chosen(one, picked or None, nightly)]
    return [task for task in found if not task.missing_extras]


SUITES = (
    _suite("dynamics", "The paper's eleven tasks of quantum dynamics, by computed criteria", repeats=3, nightly=False),
    _suite("chemistry", "The paper's thirteen tasks of quantum chemistry; most are nightly", repeats=3, nightly=False),
    Suite(
        name="forge-curriculum",
        doc="Tasks in the paper's order with one growing toolset, then all again: the second time nothing is made",
        cases=lessons,
        run=learn,
        # tasks: numbers or parts of names of dynamics tasks, or `chemistry`, or `both`; maker: mind that grows the
        # toolset, if it is not the one that uses it then
        options={"tasks": None, "mind": "rules", "maker": None, "toolset": None, "nightly": False},
        summarise=_of_curriculum,
        columns=("pass", *COLUMNS),
        chooses=(),
        in_order=True,
    ),
)
