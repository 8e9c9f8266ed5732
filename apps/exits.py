"""How a command ends: one exit code a class of ending, one red line a mistake, never a traceback.

0 done · 1 the science failed · 2 usage, bad input or a refused request · 3 stopped by budget or person · 4 environment
"""

from __future__ import annotations

import errno
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from labwright.agents.errors import AgentError, AgentGaveUp, BudgetExceeded, ModelUnavailable, RecordingMismatch
from labwright.apps.terminal_output import err, escape
from labwright.tools.errors import (
    DataError,
    InputError,
    JobNotFoundError,
    LeaseError,
    RecordError,
    RunNotFoundError,
    ToolError,
)
from labwright.tools.runs import write_atomic
from labwright.tools.runs.pause_request import PRESSED

if TYPE_CHECKING:
    from labwright.graphs.specification_runs import Job

DONE, FAILED, USAGE, STOPPED, ENVIRONMENT = 0, 1, 2, 3, 4
ENDED = "The system asked the program to end (SIGTERM)."

# Of every command. A refused request is bad input: nothing here can do what it asks.
CODE_OF_STATUS = {"complete": DONE, "failed": FAILED, "refused": USAGE, "stopped": STOPPED}
CODE_OF_ERROR: tuple[tuple[type[BaseException], int], ...] = (
    (InputError, USAGE),
    (RunNotFoundError, USAGE),
    (JobNotFoundError, USAGE),
    (DataError, FAILED),
    (RecordError, ENVIRONMENT),
    (LeaseError, ENVIRONMENT),
    (ToolError, ENVIRONMENT),
    (ModelUnavailable, ENVIRONMENT),
    (BudgetExceeded, STOPPED),
    (AgentGaveUp, STOPPED),
    (RecordingMismatch, FAILED),
    (AgentError, ENVIRONMENT),
    (ImportError, ENVIRONMENT),
    (OSError, ENVIRONMENT),
)


_read: ContextVar[list[Job] | None] = ContextVar("jobs that commands would start", default=None)


@contextmanager
def reading_jobs() -> Iterator[list[Job]]:
    """Within this, commands start nothing: what they would start is gathered, and their errors are raised."""
    jobs: list[Job] = []
    token = _read.set(jobs)
    try:
        yield jobs
    finally:
        _read.reset(token)


@dataclass
class Watch:
    """What a command knows of its run when something goes wrong."""

    root: Path | None = None
    run_id: str = ""

    @property
    def folder(self) -> Path | None:
        """The run's folder, once there is one."""
        return self.root / self.run_id if self.root and self.run_id else None

    def only_read(self, *jobs: Job) -> bool:
        """Whether the command is only read, and by whom `jobs` are started, if at all."""
        gathered = _read.get()
        if gathered is not None:
            gathered += jobs
        return gathered is not None


@contextmanager
def endings(watch: Watch | None = None) -> Iterator[Watch]:
    """Turn every error of the block into one red line and an exit code."""
    watch = watch or Watch()
    try:
        yield watch
    except typer.Exit:
        raise
    except KeyboardInterrupt as stopped:
        say_stopped(watch.run_id, str(stopped) or PRESSED)
        raise typer.Exit(STOPPED) from None
    except Exception as error:
        if watch.only_read():
            raise
        for line in str(error).splitlines() if hasattr(error, "problems") else [sentence_of(error)]:
            complain(line)
        _keep_traceback(error, watch)
        raise typer.Exit(code_of(error)) from None


@contextmanager
def polite() -> Iterator[None]:
    """Let SIGTERM end the command as Ctrl-C does: what it drives comes to rest, and its run can be resumed."""
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def interrupt(number: int, _frame: object) -> NoReturn:
    """A signal's handler: ends what runs in an orderly way, which then says why."""
    raise KeyboardInterrupt(ENDED if number == signal.SIGTERM else PRESSED)


def code_of(error: BaseException) -> int:
    """The exit code of `error`; a fault of the program itself counts as environment."""
    if _is_validation(error):
        return USAGE
    return next((code for kind, code in CODE_OF_ERROR if isinstance(error, kind)), ENVIRONMENT)


def sentence_of(error: BaseException) -> str:
    """Cause and remedy of `error` on one line."""
    if isinstance(error, ImportError):
        return f"A package is missing: {error}. Install it; `labwright doctor` shows the command of every extra."
    if isinstance(error, OSError):
        if error.errno == errno.ENAMETOOLONG:
            return f"The name of a file or folder is too long: {str(error.filename)[:60]}... Give a shorter one."
        return f"{error}. Free some space or choose another folder with LABWRIGHT_RUNS; what was measured is kept."
    if _is_validation(error):
        return _fields_of(error)
    known = any(isinstance(error, kind) for kind, _ in CODE_OF_ERROR)
    text = " ".join(str(error).split())
    return text if known else f"A fault in Labwright: {type(error).__name__}: {text}. Please report it."


def _is_validation(error: BaseException) -> bool:
    """Whether pydantic raised it, without importing pydantic for commands that need none."""
    return type(error).__name__ == "ValidationError" and type(error).__module__.startswith("pydantic")


def _fields_of(error: BaseException) -> str:
    """A pydantic error: which option is wrong and why."""
    listed = error.errors()  # type: ignore[attr-defined]
    return "; ".join(f"Option `{'.'.join(map(str, each['loc']))}`: {each['msg']}" for each in listed) + "."


def complain(sentence: str) -> None:
    """One red line on stderr."""
    err().print(f"[bold red]error:[/] [red]{escape(sentence)}[/]", soft_wrap=True)


def say_stopped(run_id: str, reason: str = "") -> None:
    """That the run stopped, why if that is not said yet, and how it goes on."""
    if reason:
        err().print(f"[yellow]{escape(reason)}[/]", soft_wrap=True)
    if run_id:
        err().print(f"stopped; resume with `labwright runs resume {run_id}`", soft_wrap=True)


def _keep_traceback(error: Exception, watch: Watch) -> None:
    folder = watch.folder
    if folder is None or not folder.is_dir() or isinstance(error, LeaseError):  # the run is another process's
        return
    try:
        write_atomic(folder / "error.txt", "".join(traceback.format_exception(error)).encode())
    except OSError as second:  # the disk may be what failed; the red line was said already
        complain(f"The traceback could not be kept: {second}.")
    else:
        err().print(f"The full traceback is in {folder / 'error.txt'}", soft_wrap=True)
