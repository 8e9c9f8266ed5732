"""``labwright eval``: run a suite of `labwright.evaluation` and show its score; compare two results."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer
from rich.table import Table
from typer.core import TyperGroup

from labwright.apps.calibrate import Json, Model, Quiet
from labwright.apps.evaluation_tables import show_comparison, spread_table, suites_table
from labwright.apps.exits import DONE, FAILED, STOPPED, endings
from labwright.apps.numbers import seconds
from labwright.apps.output_writing import write_document
from labwright.apps.reproduce_suite import reproduced
from labwright.apps.terminal_output import err, escape, out
from labwright.tools.atomic_files import write_atomic
from labwright.tools.errors import InputError
from labwright.tools.runs.hashed_files import to_json


class SuitesOrCommands(TyperGroup):
    """``labwright eval SUITE ...`` is ``labwright eval run SUITE ...``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``run`` before what begins with no command."""
        first = args[0] if args else "list"
        known = first in self.commands or first == "--help"
        return super().parse_args(ctx, (args or [first]) if known else ["run", *args])


app = typer.Typer(
    cls=SuitesOrCommands,
    help="Measure a system on cases, beside its baseline and the physical limit: `labwright eval SUITE`."
    " Without a suite, the suites are listed.",
)


@app.command("list")
def list_suites() -> None:
    """The suites there are."""
    out().print(suites_table(_evaluation("suites").about()))


@app.command("run")
def evaluate(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="Which suite.", show_default=False)],
    seeds: Annotated[int | None, typer.Option(min=1, help="Number of drawn cases, or of draws of each case.")] = None,
    workers: Annotated[int | None, typer.Option(min=0, help="Processes; 0: this one.")] = None,
    model: Model = None,
    answered_by: Annotated[
        str, typer.Option(help="Who answers, where --model names only the way to them; or LABWRIGHT_ANSWERED_BY.")
    ] = "",
    dataset: Annotated[
        list[str] | None, typer.Option(help="Data set of a suite of searches, as in `labwright search`; repeatable.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="Folder of finished searches, or code of a feature map, to begin with.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Published data, or texts of `protocols`: what the suite names.")
    ] = None,
    mode: Annotated[
        str | None, typer.Option(help="Of forging: forge, reuse or direct; of protocols: alone, without the control.")
    ] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Runs of each task of forging.")] = None,
    task: Annotated[
        list[str] | None, typer.Option(help="Task of a suite of forging, by number or part of its name; repeatable.")
    ] = None,
    experiment: Annotated[
        list[str] | None, typer.Option(help="Experiment of `adversarial` and `coverage`; repeatable.")
    ] = None,
    toolset: Annotated[
        str | None, typer.Option(help="Folder of the toolset that forging begins with; `empty`: no tool at all.")
    ] = None,
    nightly: Annotated[bool, typer.Option("--nightly", help="Run the long tasks of forging, too.")] = False,
    maker: Annotated[
        str | None, typer.Option(help="Mind that grows a curriculum's toolset; --model then reuses it.")
    ] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Keep rows, runs and result here; go on if some are there.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh/--resume", help="Forget rows that are there, or go on.")] = False,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Run a suite and show its rows, its score and what it took."""
    with endings():
        suites, begun = _evaluation("suites"), time.monotonic()
        if model and suite in suites.SUITES and "mind" not in suites.SUITES[suite].options:
            raise InputError(f"Suite {suite!r} has no option `--model`. Leave it out.")
        given: dict[str, Any] = {"seeds": seeds, "workers": workers, "mind": model, "source": source}
        given |= {"data": str(data.expanduser().absolute()) if data else None}
        given |= {
            "dataset": dataset or None,
            "mode": mode,
            "repeats": repeats,
            "tasks": task or None,
            "experiment": experiment or None,
        }
        given |= {"toolset": toolset, "nightly": nightly or None, "maker": maker}
        given |= {"answered_by": answered_by or None, "fresh": fresh or None}
        run_suite = _evaluation("reproduce").run_suite
        _end(run_suite(suite, out=out_dir, on_progress=_teller(quiet), **given), time.monotonic() - begun, json_file)


@app.command("reproduce")
def reproduce(
    recording: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a recorded suite.")],
    model: Model = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many cases, to see what the rest would cost.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to the estimated cost.")] = False,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Run the suite that was recorded in DIR once more, and show both results."""
    with endings():
        begun = time.monotonic()
        result = reproduced(recording, model, yes, _teller(quiet), limit)
        _end(result, time.monotonic() - begun, json_file, shown=False)


@app.command("all")
def everything(
    limit: Annotated[Literal["small", "full"], typer.Option(help="A few cases of each suite, or all.")] = "small",
    out_dir: Annotated[
        Path, typer.Option("--out", help="Rows, results and the page; a stopped pass goes on here.")
    ] = Path("eval-all"),
    workers: Annotated[int, typer.Option(min=0, help="Processes; 0: this one.")] = 2,
    quiet: Quiet = False,
) -> None:
    """Every suite that needs no model and no data of yours, and every recording, on one page."""
    with endings():
        work = _evaluation("all_suites")
        document = work.run_all(out_dir.expanduser().absolute(), limit == "small", workers, _teller(quiet))
        out().print(escape(work.page(document)), soft_wrap=True)
        err().print(f"page: {escape(str(out_dir / work.PAGE))}", soft_wrap=True)


@app.command("compare")
def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="Result of a suite, from --out or --json.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another result on the same cases.")],
    json_file: Json = None,
) -> None:
    """Two results case by case: who is right where, and whether the difference may be chance."""
    with endings():
        comparing = _evaluation("result_comparison")
        found: dict[str, Any] = comparing.compare(comparing.read_result(a), comparing.read_result(b))
        if not found["n"]:
            raise InputError(f"{a} and {b} share no case. Compare results of one suite on the same cases.")
        show_comparison(found)
        write_document(json_file, {"run_id": "", "system": "eval", "status": "complete", "result": found})


@app.command("join")
def join(
    older: Annotated[Path, typer.Argument(metavar="OLDER", help="Result of a suite, from --out or --json.")],
    newer: Annotated[Path, typer.Argument(metavar="NEWER", help="Result of some of its cases, run later.")],
    into: Annotated[Path, typer.Option(help="Where the joint result goes; may be one of the two.")],
) -> None:
    """Two runs of a suite as one result: cases of NEWER take the place of OLDER's, and every row keeps its commit."""
    with endings():
        comparing = _evaluation("result_comparison")
        found: dict[str, Any] = comparing.joined(comparing.read_result(older), comparing.read_result(newer))
        write_atomic(into, to_json(found))
        show_result(found, 0.0)


def _teller(quiet: bool) -> Callable[[str], None]:
    return lambda line: None if quiet else err().print(escape(line), soft_wrap=True)


def _end(result: dict[str, Any], duration: float, json_file: Path | None, shown: bool = True) -> NoReturn:
    if shown:
        show_result(result, duration)
    status = "stopped" if result.get("stopped") else "complete" if result.get("passed", True) else "failed"
    reason = f"{result['stopped']} cases were not run" if status == "stopped" else result.get("reason", "")
    document = {"run_id": "", "system": "eval", "status": status, "mind": result.get("backend") or "rules"}
    write_document(json_file, {**document, "result": result, "seconds": duration, "reason": reason})
    raise typer.Exit({"stopped": STOPPED, "complete": DONE, "failed": FAILED}[status])


def _evaluation(module: str) -> Any:
    """By name, because nothing imports the evaluation folder: it may be left out of an installation."""
    return importlib.import_module(f"labwright.evaluation.{module}")


def show_result(result: dict[str, Any], duration: float) -> None:
    """Rows, then the score with its interval, then what the suite makes of the rows."""
    rows = result.get("table") or result.get("rows", [])
    if rows:
        table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
        titles = result.get("columns") or list(rows[0])
        for title in titles:
            table.add_column(str(title).replace("_", " "), overflow="fold")
        for row in rows:
            table.add_row(*(_shown(row.get(title)) for title in titles))
        out().print(table)
    low, high = result.get("interval", (None, None))
    interval = f"  (95 %: {low:.3f} to {high:.3f})" if low is not None and high is not None else ""
    out().print(f"{result.get('suite')}: score {_shown(result.get('score'))} of n = {result.get('n')}{interval}")
    for name, what in (
        ("crashed", "crashed, in no score"),
        ("stopped", "not run; with --out the same command goes on"),
    ):
        if result.get(name):
            out().print(f"{result[name]} cases {what}")
    if "outcomes" in result:
        out().print(", ".join(f"{name.replace('_', ' ')} {count}" for name, count in result["outcomes"].items()))
    if (cost := result.get("cost", {})).get("requests"):
        out().print("cost: " + ", ".join(f"{name.replace('_', ' ')} {_shown(value)}" for name, value in cost.items()))
    for name, beside in result.get("baselines", {}).items():
        out().print(f"beside it, {name}: score {_shown(beside['score'])} of n = {beside['n']}")
    if (spread := spread_table(result.get("summary", {}))) is not None:
        out().print()
        out().print(spread)
    for note in result.get("notes", []):
        out().print(escape(note), soft_wrap=True)
    for figure in result.get("figures", []):
        out().print(f"figure below --out: {escape(figure)}", soft_wrap=True)
    out().print(f"took {seconds(duration)}")


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else escape(str(value))
