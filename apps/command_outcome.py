"""How a command ends: its document, what was asked to be copied, what a person reads, and the exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from labwright.apps.exits import CODE_OF_STATUS, Watch, polite, say_stopped
from labwright.apps.output_writing import copy_results, write_document
from labwright.apps.terminal_output import err, out
from labwright.tools.runs.run import runs_root

if TYPE_CHECKING:
    from labwright.graphs.running import Outcome
    from labwright.graphs.specification_runs import Job

Finish = Callable[["Outcome", Path | None, Path | None], None]
Naming = Callable[["Outcome"], "Outcome"]
COPIED = ("report.md", "result.json")


def finishing(show: Callable[[Console, Outcome], None], *copied: str, folders: Sequence[str] = ("figures",)) -> Finish:
    """What ends a system's command: prints with `show`, copies those files and folders besides the report."""

    def finish(outcome: Outcome, out_dir: Path | None, json_file: Path | None) -> None:
        write_document(json_file, outcome.document)
        if out_dir is not None:
            copy_results(outcome.run_dir, out_dir.expanduser(), (*COPIED, *copied), *folders)
        show(out(), outcome)
        leave(outcome)

    return finish


def carry_out(
    job: Job, watch: Watch, out_dir: Path | None, json_file: Path | None, *, quiet: bool, named: Naming | None = None
) -> None:
    """Run a job under its system's live view, and end the command; where commands are only read, name it instead."""
    if watch.only_read(job):
        return
    from labwright.apps.calibrate import asker
    from labwright.apps.system_displays import FACES

    watch.root, face = runs_root(), FACES[job.system]
    with polite(), face.progress(err(), watch, quiet=quiet) as progress:
        outcome = job.start(watch.root, progress.hear, asker(progress))
    face.finish(named(outcome) if named is not None else outcome, out_dir, json_file)


def leave(outcome: Outcome, reason: str = "") -> None:
    """Leave with the run's exit code; of a run that waits, say for what."""
    if outcome.status == "stopped":
        show_questions(outcome)
        say_stopped(outcome.run_id, reason)
    if code := CODE_OF_STATUS[outcome.status]:
        raise typer.Exit(code)


def show_questions(outcome: Outcome) -> None:
    """Print what a run waits to be told, and how to answer it."""
    from labwright.apps.terminal_questions import show
    from labwright.graphs.questions import Question

    console = err()
    for plain in outcome.questions:
        question = Question.model_validate(plain)
        show(question, console, str(outcome.run_dir))
        console.print(f"answer it with: --answer {question.id!r}=...", soft_wrap=True)
