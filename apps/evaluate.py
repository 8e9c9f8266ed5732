"""``labwright eval``: run a suite of `labwright.evaluation` and show its score."""

from __future__ import annotations

import importlib
import inspect
import time
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.table import Table

from labwright.apps.calibrate import Json, Model, Quiet
from labwright.apps.documents import write_document
from labwright.apps.evaluation_tables import spread_table, suites_table
from labwright.apps.exits import DONE, FAILED, endings
from labwright.apps.numbers import seconds
from labwright.apps.reproducing import reproduced
from labwright.apps.screen import err, escape, out
from labwright.tools.errors import InputError


def evaluate(
    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help="Which suite. Left out: the suites are listed.", show_default=False)
    ] = "",
    recording: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="After `reproduce`: folder of a recorded suite.", show_default=False),
    ] = None,
    seeds: Annotated[int | None, typer.Option(min=1, help="Number of drawn cases.")] = None,
    model: Model = None,
    human: Annotated[
        str | None, typer.Option("--human", help="Who answers questions: none (the defaults), non-expert or expert.")
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(help="Data set of a suite of searches, as in `labwright search`; repeatable.")
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="Folder of finished searches, or code of a feature map, to begin with.")
    ] = None,
    mode: Annotated[
        str | None, typer.Option(help="Of a suite of forging: forge, reuse (needs --toolset) or direct.")
    ] = None,
    repeats: Annotated[int | None, typer.Option(min=1, help="Runs of each task of forging.")] = None,
    task: Annotated[
        list[str] | None, typer.Option(help="Task of a suite of forging, by number or part of its name; repeatable.")
    ] = None,
    toolset: Annotated[Path | None, typer.Option(help="Folder of the toolset that forging begins with.")] = None,
    nightly: Annotated[bool, typer.Option("--nightly", help="Run the long tasks of forging, too.")] = False,
    maker: Annotated[
        str | None, typer.Option(help="Mind that grows a curriculum's toolset; --model then reuses it.")
    ] = None,
    out_dir: Annotated[Path | None, typer.Option("--out", help="Keep the runs here; go on if some are there.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to the estimated cost of `reproduce`.")] = False,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Measure a system on drawn cases, beside its baseline and the physical limit.

    `labwright eval reproduce DIR` runs the suite that was recorded in DIR once more, and shows both results.
    """
    with endings():
        # By name, because nothing imports the evaluation folder: it may be left out of an installation.
        suites = importlib.import_module("labwright.evaluation.suites")
        if not suite:
            out().print(suites_table(suites.about()))
            raise typer.Exit(DONE)
        begun = time.monotonic()

        def tell(line: str) -> None:
            if not quiet:
                err().print(escape(line), soft_wrap=True)

        if (suite == "reproduce") != (recording is not None):
            raise InputError("A recorded suite is run again with `labwright eval reproduce DIR`.")
        given: dict[str, Any] = {"seeds": seeds, "mind": model, "human": human, "out": out_dir}
        given |= {"dataset": dataset or None, "source": source, "mode": mode, "repeats": repeats, "tasks": task or None}
        given |= {"toolset": toolset, "nightly": nightly or None, "maker": maker}
        if recording is not None:
            result = reproduced(recording, model, yes, tell)
            _end(result, time.monotonic() - begun, json_file)
        if "on_progress" in inspect.signature(suites.SUITES.get(suite, suites.run)).parameters:
            given["on_progress"] = tell
        elif model:
            raise InputError(f"Suite {suite!r} has no option `--model`. Leave it out.")
        run_suite = importlib.import_module("labwright.evaluation.reproduce").run_suite
        result = run_suite(suite, **given)
        show_result(result, time.monotonic() - begun)
        _end(result, time.monotonic() - begun, json_file)


def _end(result: dict[str, Any], duration: float, json_file: Path | None) -> NoReturn:
    passed = bool(result.get("passed", True))
    document = {"run_id": "", "system": "eval", "status": "complete" if passed else "failed", "result": result}
    write_document(json_file, {**document, "seconds": duration, "reason": result.get("reason", "")})
    raise typer.Exit(DONE if passed else FAILED)


def show_result(result: dict[str, Any], duration: float) -> None:
    """Rows, then the score with its interval, then what the suite makes of the rows."""
    rows = result.get("rows", [])
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
