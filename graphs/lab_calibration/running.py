"""Start, resume and fork a calibration from Python; what every face of the program calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from labwright.graphs.lab_calibration.choices import Choices
from labwright.graphs.lab_calibration.forking import fork as fork
from labwright.graphs.lab_calibration.graph import build_graph
from labwright.graphs.lab_calibration.laboratory import LABORATORIES
from labwright.graphs.lab_calibration.preparing import SYSTEM
from labwright.graphs.questions import Answer
from labwright.graphs.running import OnEvent, OnQuestion, System, resume_run, start_run
from labwright.graphs.running import Outcome as Outcome

CALIBRATION = System(SYSTEM, build_graph, LABORATORIES)


@dataclass(frozen=True)
class CalibrationRequest:
    """What is wanted: words, or a Markdown procedure, and the choices that go with them."""

    text: str
    choices: Choices = field(default_factory=Choices)


def start(
    request: CalibrationRequest, root: Path, *, on_event: OnEvent | None = None, on_question: OnQuestion | None = None
) -> Outcome:
    """Run a calibration until it ends or waits for a person.

    Raises:
        OSError: the runs folder cannot be written.
        LeaseError: another process drives the device.
        ModelUnavailable: the chosen model does not answer.
    """
    choices = request.choices.model_dump(mode="json")
    return start_run(CALIBRATION, request.text, choices, request.choices.seed, root, on_event, on_question)


def resume(
    run_id: str,
    root: Path,
    *,
    answers: dict[str, Answer] | None = None,
    budget: str | None = None,
    rebuild: bool = False,
    on_event: OnEvent | None = None,
    on_question: OnQuestion | None = None,
) -> Outcome:
    """Go on with a run that was killed, stopped or waits. Finished measurements are not repeated.

    Args:
        run_id: the run, or a unique beginning of its name, or ``latest``.
        root: folder of the runs.
        answers: question id -> answer, for questions that wait.
        budget: replaces the budget the run was started with.
        rebuild: set the checkpoint file aside and replay the run from its journal.
        on_event: hears every event.
        on_question: answers questions that `answers` does not; None leaves the run waiting.

    Raises:
        RunNotFoundError: no such run.
        CorruptRecordError: its checkpoint does not read back.
    """
    return resume_run(
        CALIBRATION,
        run_id,
        root,
        answers=answers,
        budget=budget,
        rebuild=rebuild,
        on_event=on_event,
        on_question=on_question,
    )
