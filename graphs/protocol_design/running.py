"""Start and resume a design from Python; what every face of the program calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from labwright.graphs.protocol_design.choices import Choices
from labwright.graphs.protocol_design.graph import build_graph
from labwright.graphs.protocol_design.workroom import SYSTEM, WORKROOMS
from labwright.graphs.questions import Answer
from labwright.graphs.running import OnEvent, OnQuestion, System, resume_run, start_run
from labwright.graphs.running import Outcome as Outcome

DESIGN = System(SYSTEM, build_graph, WORKROOMS)


@dataclass(frozen=True)
class DesignRequest:
    """What is wanted: a description in words, or a design in YAML, and the choices that go with it."""

    text: str
    choices: Choices = field(default_factory=Choices)


def start(
    request: DesignRequest, root: Path, *, on_event: OnEvent | None = None, on_question: OnQuestion | None = None
) -> Outcome:
    """Design a protocol until it is written, refused, or waits for a person.

    Raises:
        OSError: the runs folder cannot be written.
        ModelUnavailable: the chosen model does not answer.
    """
    choices = request.choices.model_dump(mode="json")
    return start_run(DESIGN, request.text, choices, request.choices.seed, root, on_event, on_question)


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
    """Go on with a design that was killed, stopped or waits; arguments as in `labwright.graphs.running`.

    Raises:
        RunNotFoundError: no such run.
        CorruptRecordError: its checkpoint does not read back.
    """
    return resume_run(
        DESIGN,
        run_id,
        root,
        answers=answers,
        budget=budget,
        rebuild=rebuild,
        on_event=on_event,
        on_question=on_question,
    )
