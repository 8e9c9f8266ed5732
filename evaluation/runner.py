"""The one runner of suites: cases in worker processes, resumed where they stopped, one result document.

A suite is data (`Suite`). Each row is appended to ``<out>/<suite>.rows.jsonl`` when its case ends, under a digest of
what it depends on: code, suite, options, case. A later start with the same takes the rows that are there and runs the
others. A case that crashes has a row of its own, is in no score, and is run again by the next start.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, Protocol

from labwright import __version__
from labwright.agents.settings import Settings
from labwright.evaluation.result_provenance import provenance
from labwright.evaluation.scoring import bootstrap, wilson
from labwright.evaluation.workers import WorkerDied, in_processes
from labwright.tools.atomic_files import write_atomic
from labwright.tools.code_version import code
from labwright.tools.errors import InputError
from labwright.tools.runs.events import EventLog
from labwright.tools.runs.hashed_files import plain, sha256_of, to_json

if TYPE_CHECKING:
    from labwright.agents.meter import Meter
    from labwright.agents.workspace_task import WorkspaceMind

Row = dict[str, Any]
Options = Mapping[str, Any]
OnProgress = Callable[[str], None]
OUTCOMES = ("right", "asked", "refused", "wrong", "crashed")  # of language; wrong: without a word about it
# usage of a model -> what the result calls it
COSTS = {
    "calls": "requests", "input_characters": "characters_in", "output_characters": "characters_out",
    "input_tokens": "tokens_in", "output_tokens": "tokens_out", "cost": "money", "unknown": "replies_without_tokens",
}  # fmt: skip


class Case(Protocol):
    """A dataclass of plain values, with a name that is unique in its suite together with its seed."""

    @property
    def name(self) -> str: ...

    @property
    def seed(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Context:
    """What a case may use, and the summary of a suite.

    Attributes:
        options: of the suite, defaults included.
        folder: the case's own, empty when it begins; the suite's for a summary.
        kept: whether the folder stays.
        beside: rows of the baselines by name, for a summary.
    """

    options: Options
    folder: Path
    kept: bool = False
    beside: Mapping[str, list[Row]] = field(default_factory=dict)

    @property
    def mind(self) -> WorkspaceMind:
        """Who answers typed calls; one for all cases of a process."""
        return _mind(str(self.options["mind"]))[0]


RunCase = Callable[[Any, Context], Row]


@dataclass(frozen=True, kw_only=True)
class Suite:
    """What is run, and what is made of it.

    Attributes:
        name: as on the command line.
        doc: one line for a list of suites.
        cases: what to run, in this order.
        run: importable; one case to its row: ``passed``, and whatever is worth keeping (``faults``, ``score``,
            ``outcome``, ``usage``); case, seed, status and seconds are filled in.
        options: names and defaults.
        prepare: fills in options that take work, such as the winner of a search.
        summarise: what the result says besides `frame`, of rows that did not crash; ``rows`` replaces them.
        beside: baselines on the same cases, by name.
        columns: of the table on a terminal; it shows ``table`` of the summary if there is one, else the rows.
        chooses: options that say which cases are run, and change nothing about one.
        required: smallest score that passes; None: any.
        workers: processes; 0: this one.
        in_order: each case begins where the one before it ended, so that one process runs all.
    """

    name: str
    doc: str
    cases: Callable[[Options], Sequence[Case]]
    run: RunCase
    options: Options = field(default_factory=dict)
    prepare: Callable[[Options, Path, OnProgress], Options] = lambda options, _folder, _tell: options
    summarise: Callable[[list[Row], Context], dict[str, Any]] = lambda _rows, _context: {}
    beside: Callable[[Options], Mapping[str, RunCase]] = lambda _options: {}
    columns: Sequence[str] = ()
    chooses: Collection[str] = ("seeds", "first")
    required: float | None = None
    workers: int = 0
    in_order: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One case for one method, as a worker gets it; `method` is empty for the system itself."""

    method: str
    run: RunCase
    case: Any
    context: Context
    made_by: str


def run(
    suite: Suite,
    *,
    out: Path | None = None,
    workers: int | None = None,
    fresh: bool = False,
    on_progress: OnProgress | None = None,
    answered_by: str = "",
    limit: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Run a suite: {suite, backend, options, seeds, n, score, interval, passed, crashed, cost, rows, date, ...}.

    ``resumed`` rows were there, in no ``seconds``. Stopped from the keyboard, it gives what is done, with ``stopped``.

    Args:
        suite: what to run.
        out: keeps rows, folders of cases, and the result; None: a temporary folder.
        workers: processes; 0: this one; None: as the suite has it.
        fresh: forget rows that are there.
        on_progress: gets one line a finished case.
        answered_by: who answers where `mind` names only a way to them; empty: as the settings say, else `mind`.
        options: of the suite.

    Raises:
        InputError: the suite has no such option.
        ModelUnavailable: there is no such mind.
    """
    if unknown := sorted(options.keys() - suite.options.keys()):
        known = ", ".join([*suite.options, "out", "workers", "fresh"])
        raise InputError(f"Suite {suite.name!r} has no option {unknown[0]!r}. Options are: {known}.")
    workers = suite.workers if workers is None else workers
    if suite.in_order and workers:
        raise InputError(f"Suite {suite.name!r} runs its cases one after the other. Leave `workers` out.")
    began, tell = time.monotonic(), on_progress or (lambda _line: None)
    _mind.cache_clear()
    with _kept_or_temporary(out) as place:
        chosen = suite.prepare({**suite.options, **options}, place / suite.name, tell)
        if chosen.get("mind"):
            _mind(str(chosen["mind"]))  # one that cannot answer at all is no crash of every case
        context = Context(chosen, place / suite.name, out is not None)
        answered_by = answered_by or Settings().answered_by or str(chosen.get("mind", ""))
        tasks = _tasks(suite, context, answered_by, limit)
        log = EventLog(place / f"{suite.name}.rows.jsonl")
        if fresh:
            log.path.unlink(missing_ok=True)
        logged = {event["made_by"]: event["row"] for event in log.read() if event["row"]["status"] != "crashed"}
        rows = {task.made_by: logged[task.made_by] for task in tasks if task.made_by in logged}
        if resumed := len(rows):
            tell(f"{suite.name}: {resumed} of {len(tasks)} rows are there")
        try:
            for task, row in _made([task for task in tasks if task.made_by not in rows], workers):
                log.append({"made_by": task.made_by, "method": task.method, "row": row})
                rows[task.made_by] = row
                tell(f"{suite.name} {len(rows)}/{len(tasks)}, {_said(task, row)}")
        except KeyboardInterrupt:
            kept = f"; {log.path} keeps them, and the same command goes on" if out else ""
            tell(f"{suite.name}: stopped with {len(rows)} of {len(tasks)} rows{kept}")
        by_method: dict[str, list[Row]] = {task.method: [] for task in tasks}
        for task in tasks:
            by_method[task.method] += [rows[task.made_by]] if task.made_by in rows else []
        document = _document(suite, replace(context, beside=by_method), by_method.pop("", []), len(tasks) - len(rows))
        head = {"answered_by": answered_by, "resumed": resumed}
        document = dict(plain({**provenance(time.monotonic() - began), **head, **document}))
        if out is not None:
            write_atomic(place / f"{suite.name}.json", to_json(document))
    return document


def _document(suite: Suite, context: Context, ours: list[Row], missing: int) -> dict[str, Any]:
    judged = [row for row in ours if row["status"] != "crashed"]
    found = suite.summarise(judged, context) if judged and not missing else {}
    rows = [*found.pop("rows"), *(row for row in ours if row not in judged)] if "rows" in found else ours
    framed = frame(rows)
    good = framed["score"] is not None and framed["score"] >= (suite.required or 0)
    document = {
        "suite": suite.name,
        "backend": context.options.get("mind"),
        "options": {name: value for name, value in context.options.items() if isinstance(value, str | int | float)},
        "seeds": sorted({row["seed"] for row in ours}),
        **framed,
        "columns": suite.columns,
        **({"baselines": {name: _beside(theirs) for name, theirs in context.beside.items()}} if context.beside else {}),
        **({"stopped": missing} if missing else {}),
        **found,
    }
    document["passed"] = good and found.get("passed", True) and not framed["crashed"] and not missing
    return {**document, "rows": rows}


def _beside(rows: list[Row]) -> dict[str, Any]:
    return {**frame(rows), "failed": {row["case"]: row.get("faults", "") for row in rows if not row["passed"]}}


def crashed(error: BaseException) -> Row:
    """The row of a case that ended in an error of ours."""
    cause = f"{type(error).__name__}: {error}".splitlines()[0]
    return {"status": "crashed", "outcome": "crashed", "passed": False, "faults": cause}


def frame(rows: Sequence[Row]) -> dict[str, Any]:
    """Score and 95 % interval of the rows that did not crash: share passed, or mean of ``score`` if rows have one."""
    judged = [row for row in rows if row["status"] != "crashed"]
    scores = [float(row["score"]) for row in judged if row.get("score") is not None]
    values = scores or [float(bool(row["passed"])) for row in judged]
    bounded = all(0 <= value <= 1 for value in values)  # few equal scores have no spread to draw from
    found: dict[str, Any] = {
        "n": len(judged),
        "score": mean(values) if values else None,
        "interval": wilson(sum(values), len(values)) if bounded else bootstrap(values),
        "crashed": len(rows) - len(judged),
        "cost": cost(rows),
    }
    if any("outcome" in row for row in judged):
        said = [row.get("outcome") for row in rows]
        found["outcomes"] = {name: said.count(name) for name in OUTCOMES}
        found["outcomes"]["check_refused_right"] = sum(bool(row.get("check_refused_right")) for row in rows)
    return found


def spent(usage: Mapping[str, Any]) -> Row:
    """``usage`` of a row, from that of a run's document; nothing if no model was asked."""
    total = usage.get("total", usage)
    return {"usage": {name: total.get(name, 0) for name in COSTS}} if total.get("calls") else {}


def cost(rows: Sequence[Row]) -> dict[str, Any]:
    """What the rows took of a model; a sum is None where a part of it is unknown."""
    used = [row["usage"] for row in rows if "usage" in row]
    values = {name: [usage[name] for usage in used] for name in COSTS}
    return {shown: None if None in values[name] else sum(values[name]) for name, shown in COSTS.items()}


@contextmanager
def _kept_or_temporary(out: Path | None) -> Iterator[Path]:
    """`out`, or a folder that is gone afterwards."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="labwright-eval-") as folder:
        yield Path(folder)


def _tasks(suite: Suite, context: Context, answered_by: str, limit: int | None) -> list[Task]:
    options, made_with = context.options, [code() or __version__, suite.name, answered_by]
    told = {name: value for name, value in options.items() if name not in suite.chooses}
    tasks = []
    for method, run_case in [("", suite.run), *suite.beside(options).items()]:
        called = run_case.func if isinstance(run_case, partial) else run_case
        case: Any  # for `asdict`, which takes no protocol
        for case in suite.cases(options)[:limit]:
            name = "".join(letter if letter.isalnum() or letter in "-+=._" else "_" for letter in case.name)
            own = replace(context, folder=context.folder / method / f"{name}_{case.seed}")
            identity = [*made_with, method, called.__qualname__, told, asdict(case)]
            made_by = sha256_of(json.dumps(identity, sort_keys=True, default=str).encode())
            tasks.append(Task(method, run_case, case, own, made_by))
    if not tasks:
        raise InputError(f"Suite {suite.name!r} has no case of these options. A task is named as in the column `case`.")
    if len({task.context.folder for task in tasks}) < len(tasks):
        raise InputError(f"Suite {suite.name!r} has two cases of one name and seed.")
    return tasks


def _made(tasks: Sequence[Task], workers: int) -> Iterator[tuple[Task, Row]]:
    """Every task with its row, as they end."""
    for task, row in in_processes(_work, tasks, workers) if workers else ((task, _work(task)) for task in tasks):
        yield task, _complete(task, crashed(row), 0.0) if isinstance(row, WorkerDied) else row


def _said(task: Task, row: Row) -> str:
    said = "passed" if row["passed"] else row.get("faults") or row["status"]
    return f"{f'{task.method}, ' * bool(task.method)}{task.case.name}: {said}"


def _work(task: Task) -> Row:
    """The row of one case, run in a folder that holds nothing of an earlier try."""
    folder, began = task.context.folder, time.perf_counter()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    before = _asked(task.context.options)
    try:
        row = task.run(task.case, task.context)
    except Exception as error:  # noqa: BLE001 - every crash is a row
        (folder / "error.txt").write_text(traceback.format_exc(), encoding="utf-8")
        row = crashed(error)
    with suppress(OSError):
        folder.rmdir()  # nothing was kept in it
    after = _asked(task.context.options)
    used = {name: None if after[name] is None else after[name] - before[name] for name in after}
    return _complete(task, {**spent(used), **row}, time.perf_counter() - began)


def _complete(task: Task, row: Row, seconds: float) -> Row:
    head = {"case": task.case.name, "seed": task.case.seed, "status": "complete", "passed": False}
    return dict(plain({**head, "seconds": round(seconds, 2), **row}))


def _asked(options: Options) -> dict[str, Any]:
    """What the mind of this process has cost so far."""
    total = _mind(str(options["mind"]))[1].total() if options.get("mind") else None
    return {name: getattr(total, name, 0) for name in COSTS}


@cache
def _mind(spec: str) -> tuple[WorkspaceMind, Meter]:
    from labwright.agents.backend_selection import make_mind
    from labwright.agents.meter import Budget, Meter

    meter = Meter(Budget.parse(Settings().budget))
    return make_mind(spec, meter=meter), meter
