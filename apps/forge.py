"""``labwright forge``: a card or a question.md to a report with figures, by tools that are made, proved and kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, RenderableType

from labwright.apps.calibrate import Answers, Approve, Budget, Json, Model, Quiet, check_budget
from labwright.apps.command_outcome import carry_out, finishing
from labwright.apps.exits import endings
from labwright.apps.request_text import request_text
from labwright.apps.terminal_output import escape, plain_table, print_assumed, print_status, where_to_look
from labwright.tools.errors import InputError

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome

EXAMPLE = "Name a file such as card.yaml or question.md that says what is to be computed."
SUFFIXES = (".md", ".txt", ".yaml", ".yml")
LARGEST_INPUT = 64 << 20  # bytes of one file of the task


def forge(
    question: Annotated[str, typer.Argument(metavar="FILE|TEXT", help="The task: a card, question.md, or its words.")],
    toolset: Annotated[
        str, typer.Option(help="Folder of tools to use and add to, instead of your own; `empty`: begin without any.")
    ] = "",
    mode: Annotated[str, typer.Option(help="forge (make what is missing), reuse (make nothing), direct.")] = "forge",
    inputs: Annotated[
        list[Path] | None,
        typer.Option("--input", help="File of the task; repeatable. An inputs/ folder beside the task is taken too."),
    ] = None,
    iterations: Annotated[int, typer.Option(help="Most solutions that are tried, 1 to 5.")] = 5,
    threads: Annotated[int, typer.Option(help="Processors that one job may use.")] = 2,
    memory_mb: Annotated[int, typer.Option(help="Most memory of one job.")] = 8192,
    job_seconds: Annotated[float, typer.Option(help="Longest time of one job.")] = 3600.0,
    seed: Annotated[int, typer.Option(help="Of every random draw that the task leaves open.")] = 0,
    allow_weak_sandbox: Annotated[
        bool, typer.Option("--allow-weak-sandbox", help="Run new code with resource limits only.")
    ] = False,
    model: Model = None,
    approve: Approve = "risky",
    answers: Answers = "ask",
    budget: Budget = "",
    out_dir: Annotated[Path | None, typer.Option("--out", help="Copy report, results and figures here.")] = None,
    json_file: Json = None,
    quiet: Quiet = False,
) -> None:
    """Solve a computational task with scientific tools that are forged, tested, reviewed and reused."""
    with endings() as watch:
        text = request_text(question, SUFFIXES, EXAMPLE)
        check_budget(budget)
        files = task_files(question, inputs or [])
        from labwright.agents.settings import Settings
        from labwright.graphs.specification_runs import Job
        from labwright.graphs.tool_forging.choices import Choices
        from labwright.graphs.tool_forging.running import FORGE, ForgeRequest

        written, text, more = written_task(question, text)
        choices = Choices.model_validate(
            {
                "mode": mode,
                "toolset": toolset,
                "iterations": iterations,
                "threads": threads,
                "memory_mb": memory_mb,
                "job_seconds": job_seconds,
                "seed": seed,
                "sandbox": "rlimits" if allow_weak_sandbox else "landlock",
                "approval": approve,
                "answers": answers,
                "budget": budget,
                "mind": model or Settings().model,
                **written,
            }
        )
        job = Job(FORGE.name, text, choices, ForgeRequest(text, {**more, **files}).files)
        carry_out(job, watch, out_dir, json_file, quiet=quiet)


def written_task(place: str, text: str) -> tuple[dict[str, Any], str, dict[str, bytes]]:
    """(what a written specification says of its run, the task, its files); of words the words alone.

    Raises:
        InputError: it is no specification of a task, or a file that it names cannot be read.
    """
    from labwright.graphs.specification_runs import job_of
    from labwright.tools.specifications.kinds import read_written
    from labwright.tools.specifications.task import TaskSpec, said_in
    from labwright.tools.specifications.yaml_files import is_document

    if not is_document(text):
        return {}, text, {}
    written = read_written(text, place, Path(place).expanduser().parent)
    if not isinstance(written.spec, TaskSpec):
        raise InputError(f"{place} is for {written.spec.system}. Run it with: labwright run {place}")
    job = job_of(written, {})
    own = {name: value for name, value in said_in(written.spec).items() if name != "title"}
    return own, job.text, {Path(name).name: content for name, content in job.files.items()}


def task_files(question: str, named: list[Path]) -> dict[str, bytes]:
    """Name -> content of the files that come with a task: those named, and what lies in ``inputs/`` beside it.

    Raises:
        InputError: one cannot be read, is too large, or two have one name.
    """
    paths = list(named)
    if "\n" not in question and question.endswith(SUFFIXES):
        beside = Path(question).expanduser().parent / "inputs"
        paths += sorted(path for path in beside.iterdir() if path.is_file()) if beside.is_dir() else []
    found: dict[str, bytes] = {}
    for path in paths:
        try:
            content = path.expanduser().read_bytes()
        except OSError as error:
            raise InputError(f"Input file {str(path)!r} cannot be read ({error}). Check the path.") from error
        if len(content) > LARGEST_INPUT:
            raise InputError(f"Input file {path.name!r} has {len(content) >> 20} MB; at most 64 are taken.")
        if found.get(path.name, content) != content:
            raise InputError(f"Two input files are called {path.name!r}. Rename one.")
        found[path.name] = content
    return found


def print_forge(console: Console, outcome: Outcome) -> None:
    """The end of a run, for a person."""
    result = outcome.result
    print_status(console, outcome)
    for title, name in (("forged", "tools_forged"), ("reused", "tools_reused"), ("edited", "tools_edited")):
        if result.get(name):
            console.print(f"{title:9} {escape(', '.join(result[name]))}", soft_wrap=True)
    for shown in found_tables(result, outcome.run_dir):
        console.print(shown, soft_wrap=isinstance(shown, str))
    print_assumed(console, result.get("assumptions", []))
    if result.get("sandbox_level"):
        console.print(f"sandbox   {result['sandbox_level']}, {result['iterations']} iterations")
    console.print()
    console.print(where_to_look(outcome.run_dir, outcome.run_id), soft_wrap=True)


finish_forge = finishing(print_forge, "results.json")


def found_tables(result: dict[str, Any], folder: Path) -> list[RenderableType]:
    """What the task wanted, with errors and units; how many of its checks hold, and those that do not."""
    from labwright.graphs.front_desk.facts import values_of

    table = plain_table("result", "value")
    try:
        for name, value in values_of(folder):
            table.add_row(escape(name), escape(value))
    except InputError as unread:
        table.add_row("results.json", escape(str(unread)))
    criteria = result.get("criteria", [])
    failed = [f"[red]fails[/]     {escape(one['message'])}" for one in criteria if not one["passed"]]
    held = [f"{len(criteria) - len(failed)} of {len(criteria)} checks hold"] if criteria else []
    return [*([table] if table.row_count else []), *held, *failed]
