"""The door from the commands to the calibration system: opened late, so that ``--help`` is quick, and replaceable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol, cast

import typer

if TYPE_CHECKING:
    from labwright.graphs.lab_calibration.running import CalibrationRequest, Outcome
    from labwright.graphs.questions import Answer, Question

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
        on_event: OnEvent | None = None,
        on_question: OnQuestion | None = None,
    ) -> Outcome: ...

    def fork(self, run_id: str, root: Path, *, stage: int) -> str: ...


def calibration(context: typer.Context) -> Calibration:
    """The system behind the commands: what the caller put into the context, else the real one."""
    if context.obj is not None:
        return cast(Calibration, context.obj)
    from labwright.graphs.lab_calibration import forking, running

    return cast(Calibration, SimpleNamespace(start=running.start, resume=_resume, fork=forking.fork))


def _resume(run_id: str, root: Path, **more: Any) -> Outcome:
    """Go on with a run of whichever system it belongs to."""
    from labwright.tools.runs.run import open_run

    if open_run(root, run_id).record.system == "protocol_design":
        from labwright.graphs.protocol_design import running as design

        return design.resume(run_id, root, **more)
    from labwright.graphs.lab_calibration import running

    return running.resume(run_id, root, **more)
