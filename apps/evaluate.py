"""``labwright eval``: run a suite of `labwright.evaluation` and show its score."""

from __future__ import annotations

import importlib
import inspect
import time
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from labwright.apps.calibrate import Json, Quiet
from labwright.apps.documents import write_document
from labwright.apps.exits import DONE, FAILED, endings
from labwright.apps.numbers import seconds
from labwright.apps.screen import err, out
from labwright.tools.errors import InputError

SUITES = ("calibration",)


def evaluate(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help=f"One of: {', '.join(SUITES)}.")],
    seeds: Annotated[int, typer.Option(min=1, help="Number of drawn cases.")] = 20,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Measure a system on drawn cases, beside its baseline and the physical limit."""
    with endings():
        run = load_suite(suite)
        begun = time.monotonic()

        def tell(line: str) -> None:
            if not quiet:
                err().print(escape(line), soft_wrap=True)

        result: dict[str, Any] = run(seeds=seeds, on_progress=tell)
        passed = bool(result.get("passed", True))
        duration = time.monotonic() - begun
        show_result(result, duration)
        document = {"run_id": "", "system": "eval", "status": "complete" if passed else "failed", "result": result}
        write_document(json_file, {**document, "seconds": duration, "reason": result.get("reason", "")})
        raise typer.Exit(DONE if passed else FAILED)


def load_suite(name: str) -> Any:
    """The suite's ``run(seeds=..., on_progress=...) -> dict``, found by name.

    Raises:
        InputError: there is no such suite.
    """
    if name not in SUITES:
        raise InputError(f"There is no suite {name!r}. Suites are: {', '.join(SUITES)}.")
    # By name, because the evaluation folder is imported by nothing: it may be left out of an installation.
    run = importlib.import_module(f"labwright.evaluation.{name}").run
    assert inspect.signature(run).parameters.keys() >= {"seeds", "on_progress"}
    return run


def show_result(result: dict[str, Any], duration: float) -> None:
    """Rows, then the score with its interval."""
    rows = result.get("rows", [])
    if rows:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in rows[0]:
            table.add_column(str(title), overflow="fold")
        for row in rows:
            table.add_row(*(_shown(value) for value in row.values()))
        out().print(table)
    low, high = result.get("interval", (None, None))
    interval = f"  (95 %: {low:.3f} to {high:.3f})" if low is not None and high is not None else ""
    out().print(f"{result.get('suite')}: score {_shown(result.get('score'))} of n = {result.get('n')}{interval}")
    out().print(f"took {seconds(duration)}")


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else escape(str(value))
