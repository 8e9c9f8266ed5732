"""The door from the commands to the calibration system: opened late, so that ``--help`` is quick, and replaceable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol, cast

import typer

from labwright.tools.runs.run import open_run

if TYPE_CHECKING:
    from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome
    from labwright.graphs.questions import Answer, Question
    from labwright.graphs.running import System

OnEvent = Callable[[dict[str, Any]], None]
OnQuestion = Callable[["Question"], "Answer | None"]


class Calibration(Protocol):
    """What the commands need of `labwright.graphs.lab_calibration.running`."""

    def start(
        self,
        request: CalibrationRequest,
        root: Path,
        *,
        on_event: OnEvent | None = None,
        on_question: OnQuestion | None = None,
    ) -> Outcome: ...

    def resume(
        self,
        run_id: str,
        root: Path,
        *,
        answers: dict[str, Answer] | None = None,
        budget: str | None = None,
        rebuild: bool = False,
        adopt: bool = False,
        on_event: OnEvent | None = None,
        on_question: OnQuestion | None = None,
    ) -> Outcome: ...

    def fork(self, run_id: str, root: Path, *, stage: int) -> str: ...


def calibration(context: typer.Context) -> Calibration:
    """The system behind the commands: what the caller put into the context, else the real one."""
    if context.obj is not None:
        return cast(Calibration, context.obj)
    from labwright.graphs.lab_calibration import running

    return cast(Calibration, SimpleNamespace(start=running.start, resume=_resume, fork=_fork))


def _resume(run_id: str, root: Path, **more: Any) -> Outcome:
    """Go on with a run of whichever system it belongs to."""
    return _driver(run_id, root).resume(run_id, root, **more)


def _fork(run_id: str, root: Path, *, stage: int) -> str:
    """Fork a run of whichever system it belongs to.

    Raises:
        InputError: that system's runs have no stages to fork at.
    """
    return _driver(run_id, root).fork(run_id, root, stage=stage)


def _driver(run_id: str, root: Path) -> System:
    from labwright.graphs.registry import driver_of

    return driver_of(open_run(root, run_id))
