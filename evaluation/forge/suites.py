"""Suites `forge-*`: the paper's tasks, a curriculum of them, and sealed tasks, each run beginning from a text alone.

Score of a task: the mean of accuracy and methodology, both computed (`grading`). A row passes if every counted
criterion is met; in chemistry half a point is enough where the paper gives halves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

from labwright.evaluation.forge.running import COLUMNS, Human, Row, Setting, run_task
from labwright.evaluation.forge.tables import grouped, totals
from labwright.evaluation.forge.tasks import Set, Task, chosen, load_tasks
from labwright.evaluation.scoring import wilson
from labwright.evaluation.workers import kept_or_temporary
from labwright.graphs.tool_forging.choices import Mode
from labwright.tools.errors import InputError

OnProgress = Callable[[str], None]
REPEATS = 3
REQUIRED_SEALED = 8  # of the twelve


def dynamics(
    mode: Mode = "forge",
    repeats: int = REPEATS,
    tasks: list[str] | None = None,
    toolset: Path | None = None,
    nightly: bool = False,
    mind: str = "rules",
    out: Path | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """The paper's eleven tasks of quantum dynamics, graded by computed criteria.

    Args:
        mode: ``forge`` makes tools; ``reuse`` takes those of `toolset` and makes none; ``direct`` does without.
        repeats: runs of each task, with the seeds 0, 1, ...
        tasks: numbers or parts of names; None for all that are not nightly.
        toolset: folder to begin with; each run works on a copy.
        nightly: the long tasks, too.
        mind: ``rules``, or ``provider:model``.
        out: keeps the runs, and goes on where an earlier evaluation stopped.
    """
    return _suite("dynamics", mode, repeats, tasks, toolset, nightly, mind, out, on_progress)


def chemistry(
    mode: Mode = "forge",
    repeats: int = REPEATS,
    tasks: list[str] | None = None,
    toolset: Path | None = None,
    nightly: bool = False,
    mind: str = "rules",
    out: Path | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """The paper's thirteen tasks of quantum chemistry, graded 1, 0.5 or 0; most are nightly.

    See `dynamics` for the options.
    """
    return _suite("chemistry", mode, repeats, tasks, toolset, nightly, mind, out, on_progress)


def studies(
    mode: Mode = "forge",
    repeats: int = 1,
    tasks: list[str] | None = None,
    toolset: Path | None = None,
    mind: str = "rules",
    out: Path | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """The paper's two case studies, which need tools of both fields."""
    return _suite("studies", mode, repeats, tasks, toolset, True, mind, out, on_progress)


def open_tasks(
    mode: Mode = "forge",
    repeats: int = 1,
    tasks: list[str] | None = None,
    toolset: Path | None = None,
    mind: str = "rules",
    out: Path | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Nine tasks of our own outside the paper's set, for development."""
    return _suite("open", mode, repeats, tasks, toolset, True, mind, out, on_progress)


def sealed(
    mode: Mode = "forge",
    toolset: Path | None = None,
    mind: str = "rules",
    out: Path | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Twelve tasks written before the recipe book was finished: done right, or refused honestly.

    It passes if at least eight are right and none of the others was answered wrongly without a word.
    """
    result = _suite("sealed", mode, 1, None, toolset, True, mind, out, on_progress)
    silent = [row["task"] for row in result["rows"] if not row["passed"] and row["status"] == "complete"]
    right = sum(row["passed"] for row in result["rows"])
    result["score"] = right / len(result["rows"]) if result["rows"] else 0.0
    result["passed"] = right >= REQUIRED_SEALED and not silent
    result["notes"] += [f"done right or honestly refused: {right} of {result['n']}; complete but wrong: {len(silent)}"]
    return result


def expected(
    which: Set,
    mode: Mode = "forge",
    repeats: int = 1,
    tasks: list[str] | None = None,
    toolset: Path | None = None,
    nightly: bool = False,
    mind: str = "rules",
    human: Human = "none",
    out: Path | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """A set of short tasks in many hands' wording, graded by the values in its folder; some cannot be done.

    It tells apart what was done right, what was refused though it can be done, and what was answered wrongly.

    Args:
        human: ``none``, or ``non-expert`` who goes on without words that are not understood.
    """
    result = _suite(which, mode, repeats, tasks, toolset, nightly, mind, out, on_progress, human)
    outcome = {task.name: task.outcome for task in load_tasks(which)}
    doable = [row for row in result["rows"] if outcome[row["task"]] == "solve"]
    others = [row for row in result["rows"] if outcome[row["task"]] != "solve"]
    wrong = [row["task"] for row in result["rows"] if not row["passed"] and row["status"] == "complete"]
    result["notes"] += [
        f"solvable and done right: {sum(bool(row['passed']) for row in doable)} of {len(doable)};"
        f" not to be done and honestly refused: {sum(bool(row['passed']) for row in others)} of {len(others)};"
        f" complete but wrong: {len(wrong)}{' (' + ', '.join(wrong) + ')' if wrong else ''}"
    ]
    return result


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
                rows.append({**run_task(task, 0, setting, place), "pass": number})
                _tell(on_progress, rows[-1], f"pass {number}")
    result = _result("forge-curriculum", rows, first.mind, "forge", _skipped(sequence, tasks, nightly))
    ones, twos = ([row for row in rows if row["pass"] == number] for number in (1, 2))
    made = sum(row.get("made", 0) for row in twos)
    before, after = (sum(row.get("other_seconds", 0.0) for row in half) for half in (ones, twos))
    result["columns"] = ("pass", *COLUMNS)
    result["summary"] = {"first pass": totals(ones), "second pass": totals(twos)}
    result["notes"] = [
        f"second pass: {made} tools made; time apart from the science {after:.1f} s, first pass {before:.1f} s"
        f" ({100 * (1 - after / before) if before else 0:.0f} % less); second mind {second.mind}, mode {second.mode}"
    ]
    result["passed"] = made == 0 and all(
        two["score"] >= one["score"] - 0.02 for one, two in zip(ones, twos, strict=True)
    )
    return result


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


def _skipped(kept: Sequence[Task], names: list[str] | None, nightly: bool) -> list[str]:
    return [] if kept else ["no task could be run: extras are missing"]


def _suite(
    which: Set,
    mode: Mode,
    repeats: int,
    names: list[str] | None,
    toolset: Path | None,
    nightly: bool,
    mind: str,
    out: Path | None,
    on_progress: OnProgress | None,
    human: Human = "none",
) -> dict[str, Any]:
    if human not in get_args(Human):
        raise InputError(f"There is no human {human!r} here. Choose one of: {', '.join(get_args(Human))}.")
    if mode not in get_args(Mode):
        raise InputError(f"There is no mode {mode!r}. Choose one of: {', '.join(get_args(Mode))}.")
    if mode == "reuse" and toolset is None:
        raise InputError("Mode `reuse` needs a toolset: give its folder with --toolset.")
    wanted = chosen(which, names, nightly)
    setting = Setting(mode, mind, str(Path(toolset).absolute()) if toolset and mode != "direct" else "", human=human)
    rows, skipped = [], []
    with kept_or_temporary(out) as folder:
        for task in wanted:
            if task.missing_extras:
                skipped.append(f"{task.name} was not run: pip install 'labwright[{','.join(task.missing_extras)}]'")
                continue
            for repeat in range(repeats):
                place = folder / f"forge-{which}" / mode / task.name.replace("/", "_") / str(repeat)
                rows.append(run_task(task, repeat, setting, place))
                _tell(on_progress, rows[-1])
    return _result(f"forge-{which}", rows, mind, mode, skipped)


def _tell(on_progress: OnProgress | None, row: Row, word: str = "") -> None:
    if on_progress is not None:
        how = "passed" if row["passed"] else row.get("faults") or row["status"]
        on_progress(
            f"{word} {row['task']} ({row['repeat']}): {row['score']:.3f}, {row['seconds']:.1f} s, {how}".strip()
        )


def _result(name: str, rows: list[Row], mind: str, mode: str, skipped: list[str]) -> dict[str, Any]:
    passed = sum(bool(row["passed"]) for row in rows)
    return {
        "suite": name,
        "mind": mind,
        "mode": mode,
        "n": len(rows),
        "score": sum(row["score"] for row in rows) / len(rows) if rows else 0.0,
        "interval": wilson(passed, len(rows)),
        "passed": bool(rows) and passed == len(rows),
        "columns": COLUMNS,
        "summary": {"total": totals(rows), "tasks": grouped(rows)},
        "rows": rows,
        "notes": skipped,
    }
