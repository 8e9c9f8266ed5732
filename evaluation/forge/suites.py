"""Suites `forge-*`: the paper's tasks, a curriculum of them, and sealed tasks, each run beginning from a text alone.

Score of a task: the mean of accuracy and methodology, both computed (`grading`). A row passes if every counted
criterion is met; in chemistry half a point is enough where the paper gives halves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

from labwright.evaluation.forge.running import COLUMNS, Human, Setting, run_task
from labwright.evaluation.forge.tables import grouped, totals
from labwright.evaluation.forge.tasks import Set, Task, chosen, expected_sets, load_tasks
from labwright.evaluation.language import given_of, outcome_of
from labwright.evaluation.runner import Context, OnProgress, Options, Row, Suite, frame, kept_or_temporary
from labwright.evaluation.scoring import wilson
from labwright.graphs.tool_forging.choices import Mode
from labwright.tools.errors import InputError

REQUIRED_SEALED = 8  # of the twelve
OPTIONS: Options = {
    "mode": "forge",  # `reuse` takes tools of `toolset` and makes none; `direct` does without
    "repeats": 1,  # runs of each task, with the seeds 0, 1, ...
    "tasks": None,  # numbers or parts of names; None for all
    "toolset": None,  # folder to begin with; each run works on a copy
    "nightly": True,  # the long tasks, too
    "mind": "rules",
    "human": "none",  # or `non-expert`, who goes on without words that are not understood
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
    for name, known in (("human", get_args(Human)), ("mode", get_args(Mode))):
        if options[name] not in known:
            raise InputError(f"There is no {name} {options[name]!r} here. Choose one of: {', '.join(known)}.")
    if options["mode"] == "reuse" and options["toolset"] is None:
        raise InputError("Mode `reuse` needs a toolset: give its folder with --toolset.")
    tasks = chosen(which, options["tasks"], options["nightly"])
    found = [Case(task.name, seed) for task in tasks if not task.missing_extras for seed in range(options["repeats"])]
    if not found:
        raise InputError(" ".join([f"No task of {which} can be run.", *_skipped(tasks)]))
    return found


def solve(case: Case, context: Context) -> Row:
    """Run one task and grade it."""
    [task] = [one for one in load_tasks(case.name.partition("/")[0]) if one.name == case.name]
    options = context.options
    toolset = options["toolset"] if options["mode"] != "direct" else None
    place = str(Path(toolset).absolute()) if toolset else ""
    setting = Setting(options["mode"], options["mind"], place, human=options["human"])
    row = run_task(task, case.seed, setting, context.folder)
    return {"outcome": outcome_of(bool(row["passed"]), given_of(row["status"])), **row}


def _skipped(tasks: Sequence[Task]) -> list[str]:
    return [
        f"{task.name} was not run: pip install 'labwright[{','.join(task.missing_extras)}]'"
        for task in tasks
        if task.missing_extras
    ]


def summarise(which: Set, rows: list[Row], context: Context) -> dict[str, Any]:
    """Totals and tables by task; it passes if every row does."""
    options = context.options
    return {
        "mode": options["mode"],
        "summary": {"total": totals(rows), "tasks": grouped(rows)},
        "notes": _skipped(chosen(which, options["tasks"], options["nightly"])),
        "passed": all(row["passed"] for row in rows),
    }


def _sealed(which: Set, rows: list[Row], context: Context) -> dict[str, Any]:
    """It passes if at least eight are right and none of the others was answered wrongly without a word."""
    found = summarise(which, rows, context)
    right, wrong = (sum(row["outcome"] == outcome for row in rows) for outcome in ("right", "wrong"))
    said = f"done right or honestly refused: {right} of {len(rows)}; complete but wrong: {wrong}"
    found["notes"] = [*found["notes"], said]
    passed = right >= REQUIRED_SEALED and not wrong
    return {**found, "score": right / len(rows), "interval": wilson(right, len(rows)), "passed": passed}


def _expected(which: Set, rows: list[Row], context: Context) -> dict[str, Any]:
    """What was done right, what was refused though it can be done, and what was answered wrongly."""
    found = summarise(which, rows, context)
    outcome = {task.name: task.outcome for task in load_tasks(which)}
    doable, others = (
        [row["passed"] for row in rows if (outcome[row["case"]] == "solve") == wanted] for wanted in (True, False)
    )
    wrong = [row["case"] for row in rows if row["outcome"] == "wrong"]
    said = (
        f"solvable and done right: {sum(doable)} of {len(doable)};"
        f" not to be done and honestly refused: {sum(others)} of {len(others)};"
        f" complete but wrong: {len(wrong)}{' (' + ', '.join(wrong) + ')' if wrong else ''}"
    )
    return {**found, "notes": [*found["notes"], said]}


Summary = Callable[[Set, list[Row], Context], dict[str, Any]]


def _suite(which: Set, doc: str, summary: Summary = summarise, **options: Any) -> Suite:
    return Suite(
        name=f"forge-{which}",
        doc=doc,
        cases=partial(cases_of, which),
        run=solve,
        options={**OPTIONS, **options},
        summarise=partial(summary, which),
        chooses=("repeats", "tasks", "nightly"),
        columns=COLUMNS,
    )


SUITES = (
    _suite("dynamics", "The paper's eleven tasks of quantum dynamics, by computed criteria", repeats=3, nightly=False),
    _suite("chemistry", "The paper's thirteen tasks of quantum chemistry; most are nightly", repeats=3, nightly=False),
    _suite("studies", "The paper's two case studies, which need tools of both fields"),
    _suite("open", "Nine tasks of our own outside the paper's set, for development"),
    _suite("sealed", "Twelve tasks written before the recipe book: done right, or refused honestly", _sealed),
    *(
        _suite(which, "A set of short tasks by other hands, some of which cannot be done", _expected, nightly=False)
        for which in expected_sets()
    ),
)


def curriculum(
    tasks: list[str] | None = None,
    mind: str = "rules",
    maker: str | None = None,
    toolset: Path | None = None,
    nightly: bool = False,
    out: Path | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """The tasks in the paper's order with one growing toolset, then all again: the second time nothing is made.

    Args:
        tasks: numbers or parts of names of dynamics tasks, or ``chemistry``, or ``both``.
        maker: mind that grows the toolset, if not `mind`: then `mind` reuses it with generation off (strong to weak).
        toolset: folder to grow; an empty one of this evaluation by default.
    """
    sequence = _sequence(tasks, nightly)
    with kept_or_temporary(out) as folder:
        grown = str(Path(toolset).absolute() if toolset else folder / "forge-curriculum" / "toolset")
        first = Setting("forge", maker or mind, grown, grows=True)
        second = Setting("reuse", mind, grown) if maker else Setting("forge", mind, grown, grows=True)
        rows = []
        for number, setting in enumerate((first, second), 1):
            for task in sequence:
                place = folder / "forge-curriculum" / f"pass_{number}" / task.name.replace("/", "_")
                rows.append({**run_task(task, 0, setting, place), "case": task.name, "seed": 0, "pass": number})
                if on_progress is not None:
                    said = "passed" if rows[-1]["passed"] else rows[-1].get("faults") or rows[-1]["status"]
                    on_progress(f"forge-curriculum, pass {number}, {task.name}: {said}")
    ones, twos = ([row for row in rows if row["pass"] == number] for number in (1, 2))
    made = sum(row.get("made", 0) for row in twos)
    before, after = (sum(row.get("other_seconds", 0.0) for row in half) for half in (ones, twos))
    return {
        "suite": "forge-curriculum",
        "backend": first.mind,
        "mode": "forge",
        **frame(rows),
        "passed": made == 0 and all(two["score"] >= one["score"] - 0.02 for one, two in zip(ones, twos, strict=True)),
        "columns": ("pass", *COLUMNS),
        "summary": {"first pass": totals(ones), "second pass": totals(twos)},
        "notes": [
            f"second pass: {made} tools made; time apart from the science {after:.1f} s, first pass {before:.1f} s"
            f" ({100 * (1 - after / before) if before else 0:.0f} % less); second mind {second.mind},"
            f" mode {second.mode}"
        ],
        "rows": rows,
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
