"""``labwright work``: one worker of several that share runs through a database."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from labwright.agents.errors import AgentError
from labwright.apps.exits import endings, interrupt, polite, sentence_of
from labwright.apps.queue import shared_queue
from labwright.apps.terminal_output import err, escape
from labwright.tools.errors import InputError, LeaseError, ToolError, UnreachableError

if TYPE_CHECKING:
    from labwright.graphs.questions import Answer
    from labwright.tools.database.queue import QueuedRun, RunQueue, Status

PAUSE = 0.5  # s between two looks into an empty queue


def work(
    until_empty: Annotated[bool, typer.Option(help="End when no run is left to do.")] = False,
    attempts: Annotated[
        int, typer.Option(min=1, help="How many workers may die of one run before it is given up.")
    ] = 25,
) -> None:
    """Drive queued runs, one after the other, until ended by Ctrl-C or SIGTERM. Start as many as there are cores.

    A run whose worker died is taken over where it stood. All workers need the same runs folder at the same path.
    """
    with endings(), polite():
        while True:
            try:
                with shared_queue() as queue:
                    if _work_on(queue, until_empty, attempts):
                        return
            except UnreachableError as error:
                err().print(f"[yellow]{escape(str(error))}[/] Trying again.", soft_wrap=True)
                time.sleep(10 * PAUSE)


def _work_on(queue: RunQueue, until_empty: bool, attempts: int) -> bool:
    """Whether the queue ran empty and that was what the worker should wait for."""
    while True:
        run = queue.claim()
        if run is not None:
            _one(queue, run, attempts)
        elif until_empty and not any(each.status in ("queued", "running") for each in queue.runs()):
            return True
        else:
            time.sleep(PAUSE)


def _one(queue: RunQueue, run: QueuedRun, attempts: int) -> None:
    err().print(f"{escape(run.run_id)}  attempt {run.attempts}", soft_wrap=True)
    if run.deaths >= attempts:
        queue.end(run, "failed", f"{attempts} workers died of it. Look at the run's folder before it is tried again.")
        return
    try:
        status, reason = _driven(run)
    except KeyboardInterrupt:
        queue.end(run, "queued", "its worker was asked to end")
        raise
    except UnreachableError:
        raise  # the claim is gone with the session; the run is claimed anew
    except LeaseError as held:  # a person drives it from a terminal
        queue.end(run, "stopped", str(held))
    except (ToolError, AgentError, OSError, ImportError) as fault:
        queue.end(run, "stopped", sentence_of(fault))
    else:
        queue.end(run, status, reason)
        err().print(f"{escape(run.run_id)}  {status}", soft_wrap=True)


def _driven(run: QueuedRun) -> tuple[Status, str]:
    from labwright.graphs.registry import driver

    answers = _answers(run)
    interrupted = _Interrupts()
    with interrupted:
        outcome: Any = driver(run.system).resume(run.run_id, run.root, answers=answers)
    if interrupted.seen:
        raise KeyboardInterrupt
    if outcome.status == "stopped" and outcome.questions:
        return "waiting", "; ".join(str(question["title"]) for question in outcome.questions)
    return outcome.status, outcome.reason


def _answers(run: QueuedRun) -> dict[str, Answer]:
    """What was answered while the run waited.

    Raises:
        InputError: the row is not what `labwright queue answer` writes.
    """
    from pydantic import ValidationError

    from labwright.graphs.questions import Answer

    try:
        return {name: Answer.model_validate(each) for name, each in run.answers.items()}
    except ValidationError as wrong:
        raise InputError(
            f"An answer to run {run.run_id} in the queue does not read ({wrong.error_count()} faults). Answer it anew:"
            " labwright queue answer."
        ) from wrong


class _Interrupts:
    """Notices a Ctrl-C or SIGTERM that the driver of a run turns into an orderly stop."""

    seen = False

    def __enter__(self) -> _Interrupts:
        self._before = signal.signal(signal.SIGINT, self._note)
        self._term = signal.signal(signal.SIGTERM, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)
        signal.signal(signal.SIGTERM, self._term)

    def _note(self, number: int, frame: Any) -> None:
        self.seen = True
        interrupt(number, frame)
